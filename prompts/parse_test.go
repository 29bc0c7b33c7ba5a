package prompts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDecodingOrder gives every way of writing an object to one parser.
func TestDecodingOrder(t *testing.T) {
	j := Judgement{Thought: "One is missing.", Missing: true, Gaps: []string{"dose"}, Queries: []string{"dose of x"}}
	for _, test := range []struct {
		name, reply string
		path        Path
	}{
		{"bare", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x"]}`, Bare},
		{"synonyms", `{"Analysis": "One is missing.", "is_missing": "Yes", "gaps": ["dose"], "Search Queries": ["dose of x"]}`, Bare},
		{"wrapped", `{"result": {"thought": "One is missing.", "judge": 1, "missing_info": "dose", "queries": "dose of x"}}`, Bare},
		{"missing as boolean", `{"thought": "One is missing.", "missing": true, "gaps": ["dose"], "query": ["dose of x"]}`, Bare},
		{"encoded twice", `"{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}"`, Repaired},
		{"list encoded twice", `{"thought": "One is missing.", "judge": true, "missing_knowledge": "[\"dose\"]", "query": "['dose of x']"}`, Bare},
		{"escaped", `{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}`, Repaired},
		{"fenced", "```json\n{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}\n```", Fenced},
		{"last fence first", "```json\n{\"judge\": false}\n```\nNo:\n```\n{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}\n```\nDone.", Fenced},
		{"fence of code before", "{\"thought\": \"One is missing.\", \"judge\": true, \"gaps\": [\"dose\"], \"query\": [\"dose of x\"]}\nas in\n```\nprint(1)\n```", Embedded},
		{"type before", `Dict{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x"]}`, Embedded},
		{"prose around", `Here {you} are [1]: {"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x"]} Hope it helps!`, Embedded},
		{"thinking", "<think>Let me see: {\"judge\": false}</think>\n{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}", Bare},
		{"end of thinking alone", "Let me see.</think>{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}", Bare},
		{"cut off in a text", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x`, Closed},
		{"cut off in a name", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x"], "not`, Closed},
		{"cut off after a colon", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x"], "note":`, Closed},
		{"cut off in a fence", "```json\n{\"thought\": \"One is missing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"", Closed},
		{"Python", `{'thought': 'One is missing.', 'judge': True, 'missing_knowledge': ['dose'], 'query': ['dose of x'], 'note': None}`, Repaired},
		{"trailing commas", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose",], "query": ["dose of x"],}`, Repaired},
		{"missing comma", "{\"thought\": \"One is missing.\"\n\"judge\": true,\n\"missing_knowledge\": [\"dose\"]\n\"query\": [\"dose of x\"]}", Repaired},
		{"typographic quotes", `{“thought”: “One is missing.”, “judge”: true, “missing_knowledge”: [“dose”], “query”: [“dose of x”]}`, Repaired},
		{"full-width punctuation", `{“thought”：“One is missing.”，“judge”：true，“missing_knowledge”：[“dose”]，“query”：[“dose of x”]}`, Repaired},
		{"line break in a text", "{\"thought\": \"One is\nmissing.\", \"judge\": true, \"missing_knowledge\": [\"dose\"], \"query\": [\"dose of x\"]}", Repaired},
		{"comments", "{\"thought\": \"One is missing.\", // why\n\"judge\": true, /* yes */ \"missing_knowledge\": [\"dose\"], # one\n\"query\": [\"dose of x\"]}", Repaired},
		{"names without quotes", `{thought: "One is missing.", judge: true, missing_knowledge: ["dose"], query: ["dose of x"]}`, Repaired},
		{"missing bracket", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose", "query": ["dose of x"]}`, Repaired},
		{"missing bracket at the end", `{"thought": "One is missing.", "judge": true, "missing_knowledge": ["dose"], "query": ["dose of x"}`, Repaired},
		{"lines", "Thought: One is missing.\nJudge: True\nMissing knowledge:\n- dose\n- None\nQuery: dose of x", Lines},
		{"headings", "## Thought\nOne is missing.\n## Judge\nyes\n**Missing Knowledge**\n1. dose\n**Query:** dose of x", Lines},
		{"Chinese lines", "思考：One is missing.\n判断：是\n缺失知识：\n1、dose\n查询：dose of x", Lines},
		{"numbered labels", "Thought: One is missing.\n- Judge: insufficient, as said\nGap 1: dose\nQuery 1: dose of x", Lines},
		{"unclosed thinking", `<think>{"thought": "One is missing.", "judge": true}`, Unparsed},
		{"zeros", "{\"thought\": \"" + zeros, Unparsed},
		{"zeros alone", zeros, Unparsed},
		{"empty", "", Unparsed},
		{"space", " \n\t", Unparsed},
		{"prose", "I believe that the evidence is fine.", Unparsed},
		{"braces", "{{{{{{{{[[[[[[[[", Unparsed},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, path, err := ParseJudgement(test.reply)
			if path != test.path || (err != nil) != (path == Unparsed) {
				t.Fatalf("path %s, error %v; want %s\n%+v", path, err, test.path, got)
			}
			if err == nil {
				if diff := cmp.Diff(j, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
