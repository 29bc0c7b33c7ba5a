package experiment

import (
	"context"
	"math"
	"testing"

	"lacuna/knowledge/eval"
	"lacuna/prompts"
)

// TestMetrics has values computed by hand.
func TestMetrics(t *testing.T) {
	choice := eval.Query{Text: "Which?", Options: []prompts.Option{{Letter: "A", Text: "this"}, {Letter: "B", Text: "that"}}, Gold: "B"}
	short := eval.Query{Text: "Which river?", Exact: [][]string{{"the Danube", "Donau"}}}
	long := eval.Query{Text: "What does it do?", Ideal: []string{"It eases gout.", "It eases the pain of gout."}}
	chinese := eval.Query{Text: "它有什么作用？", Ideal: []string{"缓解疼痛"}}
	found := &Found{ByWords: true, Statements: 4, Found: 3, InTexts: 2, InPairs: 2, Covered: 1, Passages: 5, Texts: true, Pairs: true}
	yes, no := true, false
	found2 := eval.Query{Text: "Which?", Grades: map[string]int{"a": 3, "b": 1, "c": 0}}
	log3 := math.Log2(3)
	for _, c := range []struct {
		metric string
		a      Answered
		q      eval.Query
		want   float64
	}{
		{"accuracy", Answered{Letter: "b"}, choice, 1},
		{"accuracy", Answered{Letter: "A"}, choice, 0},
		{"accuracy", Answered{Letter: "A"}, short, math.NaN()},
		{"unparsed", Answered{}, choice, 1},
		{"EM", Answered{Reply: "The Danube."}, short, 1},
		{"EM", Answered{Reply: "It is the Danube."}, short, 0},
		{"cover match", Answered{Reply: "It is the Danube."}, short, 1},
		{"EM", Answered{}, eval.Query{Text: "Which vitamin?", Exact: [][]string{{"A", ")"}}}, math.NaN()}, // nothing is left of the gold answers
		{"F1", Answered{Reply: "river Danube"}, short, 2. / 3},                                            // one of two words, one of one
		{"precision", Answered{Reply: "river Danube"}, short, 1. / 2},
		{"recall", Answered{Reply: "river Danube"}, short, 1},
		{"ROUGE-1, words", Answered{Reply: "It eases pain."}, long, 3. / 4}, // three of three words, three of five of the second
		{"ROUGE-1, characters", Answered{Reply: "缓解"}, chinese, 2. / 3},     // two of two, two of four
		{"ROUGE-1, Chinese words", Answered{Reply: "缓解"}, chinese, 2. / 3},  // one of one, one of two
		{"ROUGE-1, words", Answered{Reply: "缓解"}, chinese, math.NaN()},
		{"context recall", Answered{Recall: found}, long, 3. / 4},
		{"context recall, as Eq. 4 is printed", Answered{Recall: found}, long, 5. / 4}, // five passages, four statements
		{"context recall, passages", Answered{Recall: found}, long, 2. / 4},
		{"context recall, QA", Answered{Recall: &Found{Statements: 4, Texts: true}}, long, math.NaN()}, // none was read
		{"context recall, by covered words", Answered{Recall: found}, long, 1. / 4},
		{"context recall", Answered{Recall: &Found{}}, long, math.NaN()}, // nothing to find
		{"context recall", Answered{}, long, math.NaN()},
		{"searched", Answered{Retrieved: &yes}, long, 1},
		{"searched", Answered{}, long, math.NaN()},
		{"read, of the sources", Answered{Chosen: 5, ChosenWritten: 2}, choice, 3. / 5},
		{"sentences that sources state", Answered{Support: map[string]int{"states": 1, "partly": 1, "absent": 1, "unchecked": 1}}, long, 1. / 4},
		{"sentences that sources state in part", Answered{Support: map[string]int{"states": 1, "partly": 3}}, long, 3. / 4},
		{"right, of those answered", Answered{Letter: "B", Sure: true}, choice, 1},
		{"right, of those answered", Answered{Letter: "A", Sure: true}, choice, 0},
		{"right, of those answered", Answered{Letter: "B"}, choice, math.NaN()}, // it abstained
		{"right, of those answered", Answered{Reply: "the Danube", Sure: true}, short, 1},
		{"right, of those answered", Answered{Sure: true}, long, math.NaN()}, // nobody says what is right
		{"nDCG@10 of what was read", Answered{Records: []string{"x", "b", "a"}}, found2, (1/log3 + 3/2.) / (3 + 1/log3)},
		{"recall@10 of what was read", Answered{Records: []string{"x", "b"}}, found2, 1. / 2},
		{"MRR@10 of what was read", Answered{Records: []string{"x", "b", "a"}}, found2, 1. / 2},
		{"recall@10 of what was read", Answered{Records: []string{}}, found2, 0},        // it searched and found nothing
		{"recall@10 of what was read", Answered{}, found2, math.NaN()},                  // it never searches
		{"recall@10 of what was read", Answered{Records: []string{}}, long, math.NaN()}, // nobody says what is relevant
		{"decides right", Answered{Retrieved: &yes}, eval.Query{Retrieve: &yes}, 1},
		{"decides right", Answered{Retrieved: &yes}, eval.Query{Retrieve: &no}, 0},
		{"decides right", Answered{Retrieved: &no}, eval.Query{Retrieve: &no}, 1},
		{"decides right", Answered{Retrieved: &no}, eval.Query{}, math.NaN()}, // both answers are alike
		{"decides right", Answered{}, eval.Query{Retrieve: &no}, math.NaN()},  // it does not decide
		{"sentences left unchecked", Answered{Support: map[string]int{"states": 3, "unchecked": 1}}, long, 1. / 4},
		{"sentences that sources contradict", Answered{}, long, math.NaN()},
		{"citation precision", Answered{Cited: 5, Precise: 2}, long, 2. / 5},
		{"citation precision", Answered{}, long, math.NaN()},
		{"citations resolved", Answered{Citations: 4, Resolved: 3}, long, 3. / 4},
	} {
		known := false
		for _, m := range metrics {
			if m.name != c.metric {
				continue
			}
			known = true
			got := m.of(c.a, c.q)
			if math.IsNaN(got) != math.IsNaN(c.want) || math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s of %+v is %g, want %g", c.metric, c.a, got, c.want)
			}
		}
		if !known {
			t.Errorf("no metric is called %s", c.metric)
		}
	}
}

// TestDecisionsByTwoSystems has labels from the plan's two systems: f0 and f10 are right without a search, too, and for
// all others only the one that searches is.
func TestDecisionsByTwoSystems(t *testing.T) {
	plan, sets := twoSets(t, 12)
	plan.Systems = []string{"plain", "better", "gate"}
	plan.Decision = []string{"plain", "better"}
	folder, err := Open(t.TempDir(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	err = Run(t.Context(), plan, sets, folder, func(ctx context.Context, c Cell, q eval.Query) (Answered, error) {
		a, err := oracle(ctx, c, q)
		searches := q.ID == "f1" || q.ID == "f10" || q.ID == "f11"
		if c.System == "gate" {
			a.Retrieved = &searches
		}
		return a, err
	}, Options{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Measure(plan, sets, folder).Tables[0].Rows[2].Figures {
		if f.Name == "decides right" {
			if f.N != 10 || f.Value != .2 { // f1 and f11 of f1 to f9 and f11
				t.Errorf("%+v, want 2 of 10", f)
			}
			return
		}
	}
	t.Error("decisions are not measured")
}

func TestCost(t *testing.T) {
	plan := Plan{Prices: []Price{{Sent: 1, Written: 2}, {Model: "large", Sent: 10, Written: 30}}, Currency: "EUR"}
	for model, want := range map[string]float64{
		"small": (1000*1 + 500*2) / 1e6,
		"large": (1000*10 + 500*30) / 1e6,
	} {
		if got, currency := plan.cost(Cell{Model: model}, Times{Prompt: 1000, Written: 500}); math.Abs(got-want) > 1e-12 || currency != "EUR" {
			t.Errorf("%s: %g %s, want %g", model, got, currency, want)
		}
	}
	if got, currency := (Plan{}).cost(Cell{}, Times{Prompt: 1}); got != 0 || currency != "" {
		t.Errorf("without a price: %g %s", got, currency)
	}
}

func TestTotals(t *testing.T) {
	covered, missing := true, false
	queries := []eval.Query{{Covered: &covered}, {Covered: &missing}, {Text: "Which?", Exact: [][]string{{"Danube"}}}, {Text: "Which?", Exact: [][]string{{"Rhine"}}}}
	answers := []Answered{{Missing: .1}, {Missing: .8}, {Missing: .2, Reply: "Danube"}, {Missing: .6, Reply: "Danube"}}
	got := map[string]Figure{}
	for _, f := range totals(answers, queries, 1) {
		got[f.Name] = f
	}
	for name, want := range map[string]float64{
		"gaps, AUC":                  1,
		"risk over coverage":         .5*0 + .5*.5,                // the first of two is right, the second is not
		"Brier score of being right": ((.8-1)*(.8-1) + .4*.4) / 2, // 1 less the probability that something is missing
	} {
		if f, ok := got[name]; !ok || math.Abs(f.Value-want) > 1e-12 {
			t.Errorf("%s is %+v, want %g; there are %v", name, f, want, got)
		}
	}
}
