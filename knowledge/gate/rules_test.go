package gate

import (
	"strings"
	"testing"

	"lacuna/prompts"
)

// TestModelsThatSayHowSureTheyAre: what is not recorded counts as no confidence at all.
func TestModelsThatSayHowSureTheyAre(t *testing.T) {
	sure := func(c float64) *float64 { return &c }
	for _, test := range []struct {
		policy selfReport
		q      Question
		want   bool
		why    string
	}{
		{thinkThenAct, Question{Check: prompts.Clear, Confidence: sure(.5)}, false, "the question is clear, and the model puts its confidence at 50 %"},
		{thinkThenAct, Question{Check: prompts.Incomplete, Confidence: sure(.49)}, true, "incomplete"},
		{thinkThenAct, Question{Confidence: sure(.9)}, true, "not recorded"},
		{thinkThenAct, Question{Check: prompts.Clear}, true, "not recorded"},
		{selfDC, Question{Confidence: sure(.7)}, false, "70 %"},
		{selfDC, Question{Confidence: sure(.69)}, true, "69 %"}, // would be taken apart
		{selfDC, Question{Confidence: sure(.1)}, true, "10 %"},
		{selfDC, Question{}, true, "not recorded"},
	} {
		d := test.policy.Decide(test.q)
		if d.Retrieve != test.want || !strings.Contains(d.Why, test.why) || d.Policy != test.policy.name {
			t.Errorf("%+v: %+v", test.q, d)
		}
	}
}

// TestRulesNeedNothing: a rule says the same with and without a history, and what it is another name
// for says so, too.
func TestRulesNeedNothing(t *testing.T) {
	questions := []Question{{Text: "Why?"}, {Text: "Why?", Closed: &Response{Text: "Because it is."}}}
	history := []Item{item("1", "Why not?", 1, 0), item("2", "What?", 1, 0)}
	for _, l := range Learners(DefaultPrice) {
		if !l.Rule {
			continue
		}
		fresh, err := l.Fit(t.Context(), nil, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := l.Fit(t.Context(), history, letters{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range questions {
			if fresh.Decide(q).Retrieve != fitted.Decide(q).Retrieve {
				t.Errorf("%s learns", l.Name)
			}
			if l.SameAs == "" {
				continue
			}
			same, err := Find(l.SameAs, DefaultPrice)
			if err != nil {
				t.Fatal(err)
			}
			if p, err := same.Fit(t.Context(), nil, nil, 1); err != nil || p.Decide(q).Retrieve != fresh.Decide(q).Retrieve || p.Decide(q).Policy == l.Name {
				t.Errorf("%s is not %s: %v", l.Name, l.SameAs, err)
			}
		}
	}
}
