package prompts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var zeros = strings.Repeat("0", 4000)

// reader is a parser of structured replies with a good reply and what it says.
type reader struct {
	name string
	good string // one JSON value
	read func(reply string) (any, Path, error)
	want any
}

var verified = []string{"Garlic is planted in autumn.", "Garlic needs lime."}

var readers = []reader{
	{
		"judgement", `{"thought": "Covered.", "judge": false, "missing_knowledge": [], "query": []}`,
		func(r string) (any, Path, error) { return three(ParseJudgement(r)) },
		Judgement{Thought: "Covered."},
	},
	{
		"exploration", `{"reasoning": "The signs.", "knowledge": ["Roots in root rot", "None", "Soil moisture"]}`,
		func(r string) (any, Path, error) { return three(ParseExploration(r, 3)) },
		Exploration{Reasoning: "The signs.", Points: []string{"Roots in root rot", "Soil moisture"}},
	},
	{
		"selection", `{"requirements": ["time"], "mapping": [{"point": "time", "ids": [1, 4]}], "selected": [4, 2, 4, 11, 0]}`,
		func(r string) (any, Path, error) { return three(ParseSelection(r, 10, 5)) },
		Selection{Requirements: []string{"time"}, Selected: []int{4, 2}},
	},
	{
		"facts", `{"useful_information": [{"info": "Garlic needs cold.", "support_passages": [1, 9]}, {"info": "Unfounded.", "support_passages": []}]}`,
		func(r string) (any, Path, error) { return three(ParseFacts(r, 4)) },
		[]Fact{{Text: "Garlic needs cold.", Support: []int{1}}},
	},
	{
		"solution", `{"explanation": "It follows.", "answer": {"text": "in summer", "confidence": 4}, "missing_information": "the month"}`,
		func(r string) (any, Path, error) { return three(ParseSolution(r)) },
		Solution{Answer: "in summer", Confidence: 4, Explanation: "It follows.", Missing: "the month"},
	},
	{
		"queries", `{"analysis": "Where from?", "queries": ["origin of garlic", "wild garlic"]}`,
		func(r string) (any, Path, error) {
			analysis, queries, path, err := ParseQueries(r, 3)
			return append([]string{analysis}, queries...), path, err
		},
		[]string{"Where from?", "origin of garlic", "wild garlic"},
	},
	{
		"choice", `{"reasoning": "Gums bleed.", "answer_choice": "B"}`,
		func(r string) (any, Path, error) { return three(ParseChoice(r, letters)) },
		Choice{Letter: "B", Reasoning: "Gums bleed."},
	},
	{
		"check", `{"class": "ambiguous", "queries": ["When are lilies planted?", "When do lilies flower?"]}`,
		func(r string) (any, Path, error) { return three(ParseCheck(r)) },
		Check{Ambiguous, []string{"When are lilies planted?", "When do lilies flower?"}},
	},
	{
		"verdicts", `{"verdicts": [{"number": 2, "reason": "not said", "attributed": false}, {"number": 1, "reason": "context 2", "attributed": true}]}`,
		func(r string) (any, Path, error) { return three(ParseVerdicts(r, verified)) },
		[]bool{true, false},
	},
	{
		"rewrite", `{"question": "When is garlic planted, and how deep?"}`,
		func(r string) (any, Path, error) { return three(ParseRewrite(r)) },
		"When is garlic planted, and how deep?",
	},
}

func three[T any](value T, path Path, err error) (any, Path, error) { return value, path, err }

// TestVectors gives every structured parser its reply in each of the states that models leave
// replies in.
func TestVectors(t *testing.T) {
	for _, r := range readers {
		for _, v := range []struct {
			name, reply string
			path        Path
		}{
			{"bare", r.good, Bare},
			{"indented", indented(t, r.good), Bare},
			{"fenced", "```json\n" + r.good + "\n```", Fenced},
			{"fenced on one line", "```" + r.good + "```", Fenced},
			{"tildes", "~~~\n" + r.good + "\n~~~", Fenced},
			{"type before", "Dict" + r.good, Embedded},
			{"word before", "json " + r.good, Embedded},
			{"prose around", "Passage [1] and {so on} say it:\n" + r.good + "\nI hope that helps {you}.", Embedded},
			{"thinking before", "<think>\nPerhaps {\"judge\": true}?\n</think>\n\n" + r.good, Bare},
			{"thinking and a fence", "<think>well</think>```\n" + r.good + "\n```", Fenced},
			{"cut off", strings.TrimRight(r.good, " }]"), Closed},
			{"single quotes", strings.ReplaceAll(r.good, `"`, `'`), Repaired},
			{"Python", pythonic(r.good), ""},
			{"trailing comma", strings.TrimSuffix(r.good, "}") + ",}", Repaired},
			{"typographic quotes", curly(r.good), Repaired},
			{"full-width", strings.NewReplacer(`": `, `"：`, `, "`, `，"`).Replace(curly(r.good)), Repaired},
			{"encoded twice", quoted(r.good), Repaired},
			{"byte order mark", "\uFEFF" + r.good, Bare},
			{"in a list", "[" + r.good + "]", Bare},
			{"wrapped", `{"output": ` + r.good + `}`, Bare},
			{"names in capitals", capitals(r.good), Bare},
			{"a comment", strings.Replace(r.good, "{", "{ // as asked\n", 1), Repaired},
			{"unclosed thinking", "<think>" + r.good, Unparsed},
			{"zeros", zeros, Unparsed},
			{"zeros at the end", `{"reason": "` + zeros, Unparsed},
			{"empty", "", Unparsed},
			{"only a fence", "```json\n```", Unparsed},
			{"an empty object", "{}", Unparsed},
			{"HTML", "<html><body>502 Bad Gateway</body></html>", Unparsed},
			{"other JSON", `{"error": {"message": "overloaded", "code": 529}}`, Unparsed},
			{"null", "null", Unparsed},
			{"a number", "7", Unparsed},
			{"deep", strings.Repeat(`{"a":[`, 5000), Unparsed},
		} {
			t.Run(r.name+"/"+v.name, func(t *testing.T) {
				got, path, err := r.read(v.reply)
				if v.path == "" && err == nil {
					v.path = path // as long as it is understood
				}
				if path != v.path || (err != nil) != (path == Unparsed) {
					t.Fatalf("path %s, error %v; want path %s\n%s", path, err, v.path, v.reply)
				}
				if err == nil {
					if diff := cmp.Diff(r.want, got, cmp.Comparer(sameTexts)); diff != "" {
						t.Errorf("-want +got:\n%s", diff)
					}
				}
			})
		}
	}
}

// sameTexts takes no list and an empty one for the same.
func sameTexts(a, b []string) bool { return slices.Equal(a, b) }

func indented(t *testing.T, reply string) string {
	var value any
	if err := json.Unmarshal([]byte(reply), &value); err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func pythonic(reply string) string {
	return strings.NewReplacer(`"`, `'`, `true`, `True`, `false`, `False`, `null`, `None`).Replace(reply)
}

func curly(reply string) string {
	var b strings.Builder
	for i, piece := range strings.Split(reply, `"`) {
		if i > 0 {
			b.WriteString([]string{"”", "“"}[i%2])
		}
		b.WriteString(piece)
	}
	return b.String()
}

// capitals writes the names of a reply as "Missing Knowledge".
func capitals(reply string) string {
	var b strings.Builder
	pieces := strings.Split(reply, `"`)
	for i, piece := range pieces {
		if i > 0 {
			b.WriteByte('"')
		}
		if i%2 == 1 && strings.HasPrefix(pieces[i+1], ":") {
			piece = strings.ToUpper(piece[:1]) + strings.ReplaceAll(piece[1:], "_", " ")
		}
		b.WriteString(piece)
	}
	return b.String()
}

// TestExamplesAreReplies gives the example replies of the prompts to the parsers: what a prompt shows
// is what its parser understands best.
func TestExamplesAreReplies(t *testing.T) {
	parsers := map[string]func(reply string) (any, Path, error){
		"judge_gaps":     func(r string) (any, Path, error) { return three(ParseJudgement(r)) },
		"explore_gaps":   func(r string) (any, Path, error) { return three(ParseExploration(r, 3)) },
		"select_docs":    func(r string) (any, Path, error) { return three(ParseSelection(r, 10, 5)) },
		"migres_extract": func(r string) (any, Path, error) { return three(ParseFacts(r, 4)) },
		"migres_solve":   func(r string) (any, Path, error) { return three(ParseSolution(r)) },
		"migres_query":   readers[5].read,
		"followup_ask":   readers[5].read,
		"answer_choice":  func(r string) (any, Path, error) { return three(ParseChoice(r, nil)) },
		"verify_facts":   readers[8].read,
		"eval_contexts":  func(r string) (any, Path, error) { return three(ParseStatements(r)) },
		"query_check":    func(r string) (any, Path, error) { return three(ParseCheck(r)) },
		"rewrite":        func(r string) (any, Path, error) { return three(ParseRewrite(r)) },
		"confidence":     func(r string) (any, Path, error) { return three(ParseConfidence(r)) },
		"decompose":      readers[5].read,
	}
	for _, e := range examples {
		chat, err := Default().Render(e.in)
		if err != nil {
			t.Fatal(err)
		}
		parse, structured := parsers[chat.Template]
		if structured != (chat.Schema != nil) {
			t.Errorf("%s: a schema or a parser is missing", chat.Template)
		}
		shown := 0
		for line := range strings.Lines(chat.Messages[0].Text) {
			if !strings.HasPrefix(line, "{") {
				continue
			}
			shown++
			value, path, err := parse(line)
			if err != nil || path != Bare {
				t.Errorf("%s: the example is %s (%v): %s", chat.Template, path, err, line)
			}
			if reflect.ValueOf(value).IsZero() {
				t.Errorf("%s: the example says nothing", chat.Template)
			}
			if err := conforms(chat.Schema, []byte(line)); err != nil {
				t.Errorf("%s: the example is not what the schema asks for: %v", chat.Template, err)
			}
		}
		if structured && shown == 0 {
			t.Errorf("%s shows no example", chat.Template)
		}
	}
}

// conforms checks a value against as much of JSON schema as the schemas here use.
func conforms(schema, value []byte) error {
	var s struct {
		Type       string
		Properties map[string]json.RawMessage
		Required   []string
		Items      json.RawMessage
		Enum       []string
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return err
	}
	switch s.Type {
	case "object":
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(value, &fields); err != nil {
			return err
		}
		for _, name := range s.Required {
			if _, has := fields[name]; !has {
				return fmt.Errorf("%s is missing", name)
			}
		}
		for name, field := range fields {
			if s.Properties[name] == nil {
				return fmt.Errorf("%s is not in the schema", name)
			}
			if err := conforms(s.Properties[name], field); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if len(s.Properties) != len(s.Required) {
			return fmt.Errorf("strict endpoints want all properties required")
		}
	case "array":
		var items []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return err
		}
		for _, item := range items {
			if err := conforms(s.Items, item); err != nil {
				return err
			}
		}
	case "string":
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
			return fmt.Errorf("%q is not one of %q", text, s.Enum)
		}
	case "integer":
		return json.Unmarshal(value, new(int))
	case "boolean":
		return json.Unmarshal(value, new(bool))
	default:
		return fmt.Errorf("unknown type %q", s.Type)
	}
	return nil
}
