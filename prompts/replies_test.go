package prompts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeWords(t *testing.T) {
	for value, want := range map[string]bool{
		`true`: true, `"true"`: true, `"TRUE"`: true, `"Yes"`: true, `"yes."`: true, `1`: true, `"1"`: true, `"missing"`: true,
		`"Incomplete"`: true, `"insufficient"`: true, `"needed"`: true, `"not enough"`: true, `"Not sufficient."`: true,
		`"Yes, the dose is missing"`: true, `"True - the contexts lack it"`: true, `[true]`: true, `{"value": true}`: true, `"Not enough information."`: true, `"没有足够的信息"`: true, `"需要补充知识"`: true, `"是"`: true, `"不足"`: true, `"需要，剂量缺失"`: true,
		`false`: false, `"false"`: false, `"No"`: false, `0`: false, `"0"`: false, `"sufficient"`: false, `"complete"`: false, `"enough"`: false,
		`"none"`: false, `"No, everything is covered"`: false, `"否"`: false, `"足够"`: false, `"无缺失"`: false, `"不需要补充"`: false, `"no missing knowledge"`: false,
	} {
		j, path, err := ParseJudgement(`{"judge": ` + value + `}`)
		if err != nil || j.Missing != want || path != Bare {
			t.Errorf("judge %s: %t by %s (%v), want %t", value, j.Missing, path, err, want)
		}
	}
	for _, value := range []string{`"perhaps"`, `null`, `7`, `""`, `[]`, `{}`, `"partially covered"`, `"yes/no"`, `"true or false"`, `"nobody knows"`} {
		if j, path, err := ParseJudgement(`{"judge": ` + value + `}`); err == nil {
			t.Errorf("judge %s: %t by %s, want an error", value, j.Missing, path)
		}
		j, _, err := ParseJudgement(`{"judge": ` + value + `, "missing_knowledge": ["dose"]}`)
		if err != nil || !j.Missing {
			t.Errorf("judge %s with a gap: %t (%v), want missing", value, j.Missing, err)
		}
	}
}

func TestJudgePairsGapsAndQueries(t *testing.T) {
	for _, test := range []struct {
		name, gaps, queries  string
		named, asked, extras []string
	}{
		{"as many", `["a", "b"]`, `["qa", "qb"]`, []string{"a", "b"}, []string{"qa", "qb"}, nil},
		{"fewer queries", `["a", "b"]`, `["qa"]`, []string{"a", "b"}, []string{"qa", "b"}, nil},
		{"more queries", `["a"]`, `["qa", "qb", "qc"]`, []string{"a"}, []string{"qa"}, []string{"qb", "qc"}},
		{"queries alone", `[]`, `["qa", "qb"]`, nil, nil, []string{"qa", "qb"}},
		{"gaps alone", `["a", "b"]`, `[]`, []string{"a", "b"}, []string{"a", "b"}, nil},
		{"an empty gap", `["", "b"]`, `["qa", "qb"]`, []string{"b"}, []string{"qb"}, []string{"qa"}},
		{"an empty query", `["a", "b"]`, `["", "qb"]`, []string{"a", "b"}, []string{"a", "qb"}, nil},
		{"none", `["None"]`, `["N/A"]`, nil, nil, nil},
		{"Chinese none", `["无"]`, `"无。"`, nil, nil, nil},
		{"a gap twice", `["Dose", "dose", "b"]`, `["q", "r", "qb"]`, []string{"Dose", "b"}, []string{"q", "qb"}, []string{"r"}},
		{"a query twice", `["a", "b"]`, `["q", "Q"]`, []string{"a", "b"}, []string{"q", "b"}, nil},
		{"too many", `["a","b","c","d","e"]`, `["1","2","3","4","5"]`, []string{"a", "b", "c", "d"}, []string{"1", "2", "3", "4"}, nil},
		{"too many queries", `["a"]`, `["q1","q2","q3","q4","q5","q6"]`, []string{"a"}, []string{"q1"}, []string{"q2", "q3", "q4"}},
		{"lines", `"- a\n- b"`, `"1. qa\n2. qb"`, []string{"a", "b"}, []string{"qa", "qb"}, nil},
		{"semicolons", `"a; b"`, `"qa；qb"`, []string{"a", "b"}, []string{"qa", "qb"}, nil},
		{"numbers in a line", `"1. a 2. b"`, `"1、qa 2、qb"`, []string{"a", "b"}, []string{"qa", "qb"}, nil},
		{"numbers in a list", `["1. a", "[2] b"]`, `["- qa", "2) qb"]`, []string{"a", "b"}, []string{"qa", "qb"}, nil},
		{"a number that counts", `"2.5 mg tablets"`, `[]`, []string{"2.5 mg tablets"}, []string{"2.5 mg tablets"}, nil},
		{"objects", `[{"gap": "a", "why": "b"}]`, `[{"query": "qa"}]`, []string{"a"}, []string{"qa"}, nil},
		{"numbered names", `{"2": "b", "10": "c", "1": "a"}`, `[]`, []string{"a", "b", "c"}, []string{"a", "b", "c"}, nil},
		{"white space", `["  a\n\t b "]`, `["\"qa\""]`, []string{"a b"}, []string{"qa"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			j, _, err := ParseJudgement(fmt.Sprintf(`{"judge": true, "missing_knowledge": %s, "query": %s}`, test.gaps, test.queries))
			if err != nil || !j.Missing {
				t.Fatal(j, err)
			}
			got := [][]string{j.Gaps, j.Queries, j.Extra}
			if diff := cmp.Diff([][]string{test.named, test.asked, test.extras}, got, cmp.Comparer(sameTexts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLongItemsAreCut(t *testing.T) {
	long := strings.Repeat("知识 missing ", 100)
	j, _, err := ParseJudgement(`{"judge": true, "missing_knowledge": [` + quoted(long) + `], "query": []}`)
	if err != nil || len(j.Gaps) != 1 || len([]rune(j.Gaps[0])) > 200 || !strings.HasPrefix(long, j.Gaps[0]) {
		t.Errorf("%q, %v", j.Gaps, err)
	}
}

func TestExplorations(t *testing.T) {
	want := []string{"Roots in root rot", "Soil moisture"}
	for _, reply := range []string{
		`{"Knowledge 1": "Roots in root rot", "Knowledge 2": "Soil moisture", "Knowledge 3": "None"}`,
		`{"knowledge_2": "Soil moisture", "knowledge_1": "Roots in root rot"}`,
		`{"missing_knowledge": ["Roots in root rot", "soil moisture"]}`,
		`["Roots in root rot", "Soil moisture"]`,
		`{"knowledge": [{"title": "Roots in root rot", "reason": "signs"}, {"title": "Soil moisture"}]}`,
		`{"knowledge": {"Knowledge 1": "Roots in root rot", "Knowledge 2": "Soil moisture"}}`,
		"- Knowledge 1: Roots in root rot\n- Knowledge 2: Soil moisture\n- Knowledge 3: None",
		"**Knowledge 1:** Roots in root rot\n**Knowledge 2:** Soil moisture",
		"Reasoning: the signs.\nMissing knowledge:\n1. Roots in root rot\n2. Soil moisture",
		"知识点1：Roots in root rot\n知识点2：Soil moisture",
	} {
		e, _, err := ParseExploration(reply, 3)
		if err != nil || !slices.EqualFunc(e.Points, want, strings.EqualFold) {
			t.Errorf("%s: %q, %v", reply, e.Points, err)
		}
	}
	if e, _, err := ParseExploration(`{"reasoning": "All is there.", "knowledge": []}`, 3); err != nil || len(e.Points) > 0 {
		t.Errorf("nothing missing: %v, %v", e, err)
	}
	if e, _, err := ParseExploration(`{"knowledge": ["a", "b", "c", "d"]}`, 3); err != nil || len(e.Points) != 3 {
		t.Errorf("too many: %v, %v", e, err)
	}
}

func TestSelections(t *testing.T) {
	for reply, want := range map[string][]int{
		`{"selected": ["[2]", "[5]"]}`:                               {2, 5},
		`{"final_selection": "[2] [5]"}`:                             {2, 5},
		`{"selection": "2, 5"}`:                                      {2, 5},
		`{"ids": [5, 2, 2]}`:                                         {5, 2},
		`{"selected": [{"id": 5}, {"id": 2}]}`:                       {5, 2},
		`{"selected": [0, 11, 99999999999999999999, -3, 2.5, 7]}`:    {7},
		`{"selected": [1, 2, 3, 4, 5, 6, 7]}`:                        {1, 2, 3, 4, 5},
		`[2, 5]`:                                                     {2, 5},
		"I compared [1, 3].\n{\"selected\": [2, 5]}":                 {2, 5},
		"Step 3.\nFinal Selection: [2] [5]":                          {2, 5},
		"Selected: [1]\n\n## Final Selection\n- [2]\n- [5]":          {1, 2, 5},
		"最终选择：[2]、[5]":                                               {2, 5},
		"{'mapping': [{'point': 'x', 'ids': [1]}], 'selected': [2]}": {2},
	} {
		s, path, err := ParseSelection(reply, 10, 5)
		if err != nil || !slices.Equal(s.Selected, want) {
			t.Errorf("%s: %v by %s (%v), want %v", reply, s.Selected, path, err, want)
		}
	}
	for _, reply := range []string{`{"selected": []}`, `{"selected": [11]}`, `{"mapping": [{"point": "x", "ids": [1`, "Document [1] is best."} {
		if s, path, err := ParseSelection(reply, 10, 5); err == nil {
			t.Errorf("%s: %v by %s, want an error", reply, s.Selected, path)
		}
	}
}

func TestSolutions(t *testing.T) {
	for reply, want := range map[string]Solution{
		`{"answer": "in summer"}`: {Answer: "in summer"},
		`{"answer": {"text": "Unanswerable", "confidence": 5}, "missing_info": "the month"}`:                    {Confidence: 5, Missing: "the month"},
		`{"answer": {"text": "in summer", "confidence": "4/5"}}`:                                                {Answer: "in summer", Confidence: 4},
		`{"answer": {"text": "in summer", "confidence": 95}}`:                                                   {Answer: "in summer"},
		`{"answer": {"text": "in summer"}, "confidence": 3, "explanation": "So.", "missing_information": null}`: {Answer: "in summer", Confidence: 3, Explanation: "So."},
		`{"answer": {"text": "in summer", "conf`:                                                                {Answer: "in summer"},
		"Explanation: So.\nAnswer: in summer\nConfidence: 2\nMissing information: none":                         {Answer: "in summer", Confidence: 2, Explanation: "So."},
		`I say "text": "in summer" and no more.`:                                                                {Answer: "in summer"},
		"答案：夏天\n置信度：5":                                                                                          {Answer: "夏天", Confidence: 5},
	} {
		s, path, err := ParseSolution(reply)
		if err != nil || s != want {
			t.Errorf("%s: %+v by %s (%v), want %+v", reply, s, path, err, want)
		}
	}
}

func TestQueries(t *testing.T) {
	want := []string{"Where does garlic come from?", "Which frost does garlic tolerate?"}
	for _, reply := range []string{
		`["Where does garlic come from?", "Which frost does garlic tolerate?"]`,
		`{"queries": "Where does garlic come from?\nWhich frost does garlic tolerate?"}`,
		`{"Query 1": "Where does garlic come from?", "Query 2": "Which frost does garlic tolerate?"}`,
		"1. Where does garlic come from?\n2. Which frost does garlic tolerate?",
		"Where does garlic come from?\nWhich frost does garlic tolerate?",
		"Here are new queries:\n- Where does garlic come from?\n- Which frost does garlic tolerate?",
		"## Analysis\nMuch is open.\n## Queries\n- Where does garlic come from?\n- Which frost does garlic tolerate?",
		"Query 1: Where does garlic come from?\nQuery 2: Which frost does garlic tolerate?",
	} {
		_, queries, path, err := ParseQueries(reply, 3)
		if err != nil || !slices.Equal(queries, want) {
			t.Errorf("%s: %q by %s (%v)", reply, queries, path, err)
		}
	}
	for _, reply := range []string{"I need no more queries than these.", "garlic\nfrost"} {
		if _, queries, path, err := ParseQueries(reply, 3); err == nil {
			t.Errorf("%s: %q by %s, want an error", reply, queries, path)
		}
	}
	if _, queries, _, err := ParseQueries(`{"analysis": "All is known.", "queries": []}`, 3); err != nil || len(queries) > 0 {
		t.Errorf("nothing to ask: %q, %v", queries, err)
	}
}

func TestVerdicts(t *testing.T) {
	for reply, want := range map[string][]bool{
		`[{"statement": "Garlic needs lime.", "attributed": "Yes"}, {"statement": "Garlic is planted in autumn", "attributed": "No"}]`: {false, true},
		`[{"context": "garlic needs lime", "attributed": 1}]`:                                                                          {false, true},
		`{"results": [{"attributed": true}, {"attributed": false}]}`:                                                                   {true, false},
		`{"verdicts": [{"number": 2, "attributed": true}]}`:                                                                            {false, true},
		`{"verdicts": [{"number": 9, "attributed": true}, {"number": 1, "attributed": "maybe"}]}`:                                      nil,
		`[1, 0]`:            {true, false},
		`[true, false]`:     {true, false},
		`["yes", "no"]`:     {true, false},
		`[1]`:               nil,
		"Verdicts: yes; no": {true, false},
		"Statements:\n1. Yes, passage 2 states it\n2. No": {true, false},
	} {
		got, path, err := ParseVerdicts(reply, verified)
		if (err != nil) != (want == nil) || !slices.Equal(got, want) {
			t.Errorf("%s: %v by %s (%v), want %v", reply, got, path, err, want)
		}
	}
}

func TestFacts(t *testing.T) {
	want := []Fact{{"Garlic needs cold.", []int{1, 3}}}
	for _, reply := range []string{
		`[{"info": "Garlic needs cold.", "support_passages": ["[1]", "3", 8]}]`,
		`{"facts": [{"fact": "Garlic needs cold.", "support": "1, 3"}]}`,
		`{"useful_information": [{"info": "Garlic needs cold.", "support_passages": [1, 3]}, {"info": "", "support_passages": [1]}, "loose"]}`,
	} {
		got, path, err := ParseFacts(reply, 4)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: by %s (%v)\n%s", reply, path, err, diff)
		}
	}
	if facts, _, err := ParseFacts(`{"useful_information": []}`, 4); err != nil || len(facts) > 0 {
		t.Errorf("no facts: %v, %v", facts, err)
	}
}
