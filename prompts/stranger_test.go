package prompts

import (
	"fmt"
	"testing"
)

// TestRepliesOfStrangers reads what small, wordy and careless models write to the prompts of this
// package. The replies are written for this test. What is no reply at all has to stay none.
func TestRepliesOfStrangers(t *testing.T) {
	judgement := func(reply string) (any, error) {
		j, _, err := ParseJudgement(reply)
		return fmt.Sprintf("%t %q %q, thinking %q", j.Missing, j.Gaps, j.Queries, j.Reasoning), err
	}
	exploration := func(reply string) (any, error) { e, _, err := ParseExploration(reply, 3); return e.Points, err }
	selection := func(reply string) (any, error) { s, _, err := ParseSelection(reply, 10, 5); return s.Selected, err }
	facts := func(reply string) (any, error) { f, _, err := ParseFacts(reply, 4); return f, err }
	verdicts := func(reply string) (any, error) {
		v, _, err := ParseVerdicts(reply, []string{"a", "b"})
		return v, err
	}
	confidence := func(reply string) (any, error) { c, _, err := ParseConfidence(reply); return c, err }
	rewritten := func(reply string) (any, error) { q, _, err := ParseRewrite(reply); return q, err }
	check := func(reply string) (any, error) { c, _, err := ParseCheck(reply); return c, err }
	for _, c := range []struct {
		name  string
		parse func(string) (any, error)
		reply string
		want  string // "" where it cannot be read
	}{
		{"numbered thinking, trailing commas", judgement,
			"1. The question asks about gout. The contexts cover it.\n2. Missing: the dose.\n3. \n{\n  \"thought\": \"…\",\n  \"judge\": true,\n  \"missing_knowledge\": [\"dose\"],\n  \"query\": [\"colchicine dose\"],\n}",
			`true ["dose"] ["colchicine dose"], thinking "1. The question asks about gout. The contexts cover it.\n2. Missing: the dose."`},
		{"a heading before and one between", judgement,
			"**Thinking:** The draft is fine, the contexts say all.\n\n**JSON Object:**\n```json\n{\"thought\": \"all\", \"judge\": false, \"missing_knowledge\": [], \"query\": []}\n```",
			`false [] [], thinking "The draft is fine, the contexts say all."`},
		{"comments and a note", judgement,
			"The answer is complete.\n\n```\n{\n\"thought\": \"complete\",\n\"judge\": false, // nothing missing\n\"missing_knowledge\": [],\n\"query\": []\n}\n```\nNote that this is my judgement.",
			`false [] [], thinking "The answer is complete."`},
		{"Python", judgement, "The contexts lack the dose.\n\n{'thought': 'It\\'s missing', 'judge': True, 'missing_knowledge': ['dose'], 'query': ['colchicine dose']}",
			`true ["dose"] ["colchicine dose"], thinking "The contexts lack the dose."`},
		{"Chinese", judgement, "思考：上下文没有提到儿童剂量。\n\n{\"thought\": \"缺少\", \"judge\": true, \"missing_knowledge\": [\"儿童剂量\"], \"query\": [\"秋水仙碱 儿童\"]}",
			`true ["儿童剂量"] ["秋水仙碱 儿童"], thinking "上下文没有提到儿童剂量。"`},
		{"wrapped", judgement, `{"judgement": {"thought": "a", "judge": true, "missing_knowledge": [{"item": "dose"}]}}`, `true ["dose"] ["dose"], thinking ""`},
		{"courtesies alone beside it", judgement, "Sure! Here is the JSON object:\n{\"judge\": false}\nI hope this helps.", `false [] [], thinking ""`},
		{"thinking behind it", judgement, "{\"judge\": true, \"missing_knowledge\": [\"dose\"]}\n\nThe contexts name the medicine and never say how much of it is given.",
			`true ["dose"] ["dose"], thinking "The contexts name the medicine and never say how much of it is given."`},
		{"another version first", judgement, "First I thought so:\n{\"judge\": false}\nBut the dose is open, so it has to be:\n{\"judge\": true, \"missing_knowledge\": [\"dose\"]}",
			`true ["dose"] ["dose"], thinking "First I thought so:\n{\"judge\": false}"`},
		{"a fenced version first", judgement, "```json\n{\"judge\": false}\n```\nNo, the dose is open after all.\n{\"judge\": true, \"missing_knowledge\": [\"dose\"]}", `true ["dose"] ["dose"], thinking "{\"judge\": false}\nNo, the dose is open after all."`},
		{"cut off", judgement, "First I look at [1] and [2]. Both {partly} answer it.\n{\"thought\":\"a\",\"judge\":true,\"missing_knowledge\":[\"dose\"],\"query\":[\"dose",
			`true ["dose"] ["dose"], thinking "First I look at [1] and [2]. Both {partly} answer it."`},
		{"tags of Mistral", judgement, "[THINK]The dose is open.[/THINK]{\"judge\":true,\"missing_knowledge\":[\"dose\"]}", `true ["dose"] ["dose"], thinking ""`},
		{"channels", judgement, "<|channel|>analysis<|message|>The dose is open.<|end|><|start|>assistant<|channel|>final<|message|>{\"judge\":true,\"missing_knowledge\":[\"dose\"]}", `true ["dose"] ["dose"], thinking ""`},
		{"prose alone", judgement, "It depends. One would have to look at the whole picture.", ""},

		{"numbered names", exploration, `{"reasoning": "x", "knowledge": {"1": "Dose", "2": "Renal failure"}}`, `[Dose Renal failure]`},
		{"a list in an object", exploration, `{"knowledge": {"points": ["Dose", "Renal failure"]}}`, `[Dose Renal failure]`},
		{"objects", exploration, `{"knowledge": [{"title": "Dose", "why": "…"}, {"topic": "Renal failure"}]}`, `[Dose Renal failure]`},

		{"words around numbers", selection, `{"mapping": {"a": [1, 2]}, "selected": ["Document 3", "Document 1"]}`, `[3 1]`},
		{"numbers under names", selection, `{"selected": {"first": 3, "second": [1]}}`, `[3 1]`},

		{"facts as texts", facts, `{"useful_information": ["Gout is treated with colchicine [1].", "Naproxen too (passages 2, 3)"]}`, `[{Gout is treated with colchicine. [1]} {Naproxen too [2 3]}]`},
		{"facts that rest on nothing", facts, `{"useful_information": ["Gout is painful."]}`, ""},

		{"lines", verdicts, "1. Supported (passage 1)\n2. Not supported", `[true false]`},
		{"labels", verdicts, "**Statement 1**: true\n**Statement 2**: false", `[true false]`},
		{"by number", verdicts, `{"1": true, "2": false}`, `[true false]`},
		{"by number, in words", verdicts, `{"verdicts": {"1": {"attributed": "yes"}, "2": {"attributed": "no"}}}`, `[true false]`},
		{"one verdict for two", verdicts, `1. Supported`, ""},
		{"no verdict", verdicts, "1. The first is about gout.\n2. The second is about colchicine.", ""},

		{"a sentence", confidence, "I am about 85 % confident in this.", `0.85`},
		{"two shares", confidence, "Between 40% and 60%.", ""},
		{"a feeling", confidence, "Quite high.", ""},

		{"a label", rewritten, "The question is: When is garlic planted?", `When is garlic planted?`},
		{"quotes", rewritten, `"When is garlic planted?"`, `When is garlic planted?`},
		{"a courtesy", rewritten, "Sure! Here is the question: When is garlic planted?", `When is garlic planted?`},

		{"a word", check, "clear", `{clear []}`},
		{"a sentence about it", check, "The question is clear.", `{clear []}`},
		{"not clear", check, "The question is not clear.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.parse(c.reply)
			if (err != nil) != (c.want == "") || err == nil && fmt.Sprint(got) != c.want {
				t.Errorf("%q:\n got %v (%v)\nwant %s", c.reply, got, err, c.want)
			}
		})
	}
}
