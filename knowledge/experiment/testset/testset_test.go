package testset

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

func TestRead(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"question":"Q?"}`, ""},
		{`{"question":"Q?","answer":"a","document":["x.md","y.md"],"heading":"H"}`, ""},
		{`{"question":"Q?","options":{"A":"x","B":"y"},"gold":"B"}`, ""},
		{"\uFEFF\n{\"id\":\"7\",\"query\":\"Q?\",\"exact\":3}\n", ""}, // fields of other query files are not read
		{"", "there is no question in it"},
		{"\n{}", "line 2: "},
		{`{"question":"Q?","answer":3}`, "line 1: expected a text or a list of texts"},
		{`{"question":""}`, "line 1: "},
		{`[1]`, "line 1: not a JSON object"},
	} {
		items, err := Read([]byte(tt.text))
		switch {
		case tt.want == "" && (err != nil || len(items) != 1 || items[0].Text != "Q?"):
			t.Errorf("%s: %+v, %v", tt.text, items, err)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"question":"Q?","answer":"a","document":["x.md"],"heading":"H","missing":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		items, err := Read([]byte(text))
		if err != nil {
			return
		}
		for i := range items {
			items[i].Options, items[i].Gold = nil, "" // are not written
		}
		written, err := Write(items)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(written)
		if err != nil || len(again) != len(items) {
			t.Fatalf("%q was written as %q: %v", text, written, err)
		}
	})
}

func TestFits(t *testing.T) {
	p := &passage.Passage{Title: "Apixaban", Headings: []string{"Apixaban", "Dose"}, Record: "r1", Place: passage.Place{File: "/kb/medicines/apixaban.md"}}
	for _, tt := range []struct {
		documents, heading string
		want               bool
	}{
		{"apixaban.md", "", true}, {"medicines/Apixaban.md", "", true}, {"./medicines/apixaban.md", "dose", true}, {"xaban.md", "", false},
		{"apixaban", "", true}, {"r1", "", true}, {"r2", "", false}, {"", "Dose", true}, {"", "Kidneys", false}, {"apixaban.md", "Kidneys", false}, {"r2|apixaban.md", "", true},
	} {
		item := Item{Heading: tt.heading}
		if tt.documents != "" {
			item.Documents = strings.Split(tt.documents, "|")
		}
		if got := item.Fits(p); got != tt.want {
			t.Errorf("%q, %q: %v", tt.documents, tt.heading, got)
		}
	}
}

// TestJudge reads: what an item expects, what came of it, what is said to be wrong.
func TestJudge(t *testing.T) {
	right := &passage.Passage{Text: "The fare is 5.20.", Title: "Fares", Place: passage.Place{File: "/kb/fares.md"}}
	other := &passage.Passage{Text: "Dogs travel free.", Title: "Dogs", Place: passage.Place{File: "/kb/dogs.md"}}
	result := func(state answer.State, p *passage.Passage) answer.Result {
		c := answer.Citation{N: 1, Passage: p, Span: passage.Span{End: len(p.Text)}, Quote: p.Text}
		s := []answer.Statement{{Text: p.Text, Basis: answer.Quote, Citations: []int{1}}}
		r := answer.Result{State: state, Citations: []answer.Citation{c}}
		if state == answer.Answered {
			r.Statements = s
		} else {
			r.Nearest = s
		}
		return r
	}
	places, told, none := Item{Documents: []string{"fares.md"}}, Item{Documents: []string{"fares.md"}, Answers: []string{"5.20"}}, Item{Missing: true}
	gap := answer.Result{State: answer.Nothing, MissingProbability: .99}
	found := func(all ...*passage.Passage) (hits []knowledge.Hit) {
		for _, p := range all {
			hits = append(hits, knowledge.Hit{Passage: p})
		}
		return hits
	}
	for _, tt := range []struct {
		name   string
		item   Item
		result answer.Result
		found  []knowledge.Hit
		failed string
		want   Trouble
		rank   int
	}{
		{"right", told, result(answer.Answered, right), found(right, other), "", Fine, 1},
		{"nearest", told, result(answer.Nearest, right), found(other, right), "", NotOutright, 2},
		{"something else outright", told, result(answer.Answered, other), found(other, right), "", WrongAnswer, 2},
		{"from elsewhere", places, result(answer.Answered, other), found(other, right), "", OtherPlace, 2},
		{"not shown", places, result(answer.Nearest, other), found(other, right), "", NotCited, 2},
		{"not found", places, result(answer.Nearest, other), found(other), "", NotFound, 0},
		{"said to be missing", places, gap, found(right), "", FalseGap, 1},
		{"missing", none, gap, nil, "", Fine, 0},
		{"missing, shown as nearest", none, result(answer.Nearest, other), found(other), "", Fine, 0},
		{"missing, answered", none, result(answer.Answered, other), found(other), "", AnswerOfNone, 0},
		{"failed", told, answer.Result{}, nil, "the endpoint is gone", CouldNotBeRun, 0},
	} {
		o := Judge(tt.item, tt.result, tt.found, tt.failed)
		if o.Trouble != tt.want || o.Rank != tt.rank {
			t.Errorf("%s: trouble %d at rank %d, want %d at %d", tt.name, o.Trouble, o.Rank, tt.want, tt.rank)
		}
	}
}

func TestCompare(t *testing.T) {
	ranks := func(all ...int) (outcomes []Outcome) {
		for _, rank := range all {
			outcomes = append(outcomes, Outcome{Item: Item{Documents: []string{"x"}}, Rank: rank})
		}
		return outcomes
	}
	d := Compare(ranks(1, 2, 6, 0), ranks(1, 1, 1, 1))[0]
	if d.Name != "found first" || d.N != 4 || d.Value != .75 || d.More != 3 || d.Fewer != 0 || d.Chance < .1 {
		t.Errorf("%+v", d)
	}
	failed := ranks(1, 1)
	failed[0].Failed = "gone"
	if d := Compare(ranks(1, 2), failed)[0]; d.N != 1 || d.More != 1 {
		t.Errorf("with a failed one: %+v", d)
	}
}

func TestWorstFirst(t *testing.T) {
	var got []Trouble
	for _, o := range Worst([]Outcome{{Trouble: NotFound}, {Trouble: Fine}, {Trouble: AnswerOfNone}, {Trouble: NotOutright}}) {
		got = append(got, o.Trouble)
	}
	if diff := cmp.Diff([]Trouble{AnswerOfNone, NotFound, NotOutright}, got); diff != "" {
		t.Error(diff)
	}
}
