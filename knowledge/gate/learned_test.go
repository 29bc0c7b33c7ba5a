package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/gate/trees"
	"lacuna/prompts"
)

// TestRidge: with next to no penalty the weights are those of the plane the targets lie on; with a
// large one nothing but their mean is left, and a row outside the range of the training counts as one
// at its edge.
func TestRidge(t *testing.T) {
	var rows [][]float64
	var targets []float64
	for a := range 5 {
		for b := range 4 {
			rows = append(rows, []float64{float64(a), float64(b), 7}) // the third never varies
			targets = append(targets, 2*float64(a)-3*float64(b)+1)
		}
	}
	free := fitRidge(rows, targets, 1e-9)
	for i, row := range rows {
		if got := free.predict(row); math.Abs(got-targets[i]) > 1e-6 {
			t.Errorf("%v: %v, want %v", row, got, targets[i])
		}
	}
	if inside, outside := free.predict([]float64{4, 0, 7}), free.predict([]float64{400, 0, 9}); math.Abs(inside-outside) > 1e-9 {
		t.Errorf("outside the range %v, at its edge %v", outside, inside)
	}
	if got := fitRidge(rows, targets, 1e12).predict(rows[0]); math.Abs(got-mean(targets)) > 1e-6 {
		t.Errorf("under a large penalty %v, want %v", got, mean(targets))
	}
}

func TestSolve(t *testing.T) {
	x := solve([][]float64{{4}, {2, 5}, {1, 3, 6}}, []float64{11, 21, 25})
	// The solution by hand of 4x+2y+z=11, 2x+5y+3z=21, x+3y+6z=25 is 1, 2, 3.
	for i, want := range []float64{1, 2, 3} {
		if math.Abs(x[i]-want) > 1e-9 {
			t.Errorf("x[%d] = %v, want %v", i, x[i], want)
		}
	}
}

// quick trains with few trees for the length of a test.
func quick(t *testing.T) {
	for _, o := range []*trees.Options{&scoreTrees, &arbiterTrees} {
		whole := *o
		o.Rounds = 20
		t.Cleanup(func() { *o = whole })
	}
}

// telling is a history in which the closed-book answer gives itself away: where it hedges it is wrong,
// and the retrieved one is right for half of the questions.
func telling(n int) []Item {
	random := rand.New(rand.NewPCG(3, 3))
	var history []Item
	for i := range n {
		hedges := random.IntN(2) == 0
		text := "The answer is clearly A, the bean."
		score := [2]float64{1, float64(random.IntN(2))}
		if hedges {
			text, score = "It might possibly be A, perhaps the bean, but this may be unclear.", [2]float64{0, float64(random.IntN(4) / 3)}
			if random.IntN(4) > 0 {
				score[1] = 1
			}
		}
		history = append(history, Item{
			Question: Question{
				ID: fmt.Sprint(i), Model: "m", Text: fmt.Sprintf("Which of these climbs, case %d?", i),
				Options: []prompts.Option{{Letter: "A", Text: "bean"}, {Letter: "B", Text: "carrot"}},
				Closed:  &Response{Text: text, Choice: "A"},
			},
			Retrieved: Response{Text: "According to document [1] it is B.", Choice: "B"}, Score: score, Golds: []string{"A"},
		})
	}
	return history
}

// TestLearnedPartsBeatTheRulesWhereThereIsSomethingToLearn: the group prior cannot tell the two kinds
// of answers apart, the learned score and the arbiter can, and their gains exclude 0.
func TestLearnedPartsBeatTheRulesWhereThereIsSomethingToLearn(t *testing.T) {
	quick(t)
	history := telling(440)
	var learners []Learner
	for _, l := range Learners(DefaultPrice) {
		if slices.Contains([]string{"default", "score", "arbiter"}, l.Name) {
			learners = append(learners, l)
		}
	}
	c, err := Compare(t.Context(), append(learners, renamed(Improve(DefaultPrice, true, true))), history, letters{}, 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"score", "arbiter", "both"} {
		if gain := c.Gain(policy, "default"); gain.Low <= 0 {
			t.Errorf("%s gains %+v", policy, gain)
		}
	}
	d := c.Outcomes["score"][0].Decision
	if !strings.Contains(d.Why, "points") || d.Signals["advantage"] != d.Score {
		t.Errorf("%+v", d)
	}
}

func renamed(l Learner) Learner {
	l.Name = "both"
	return l
}

// TestLearnedPartsFindNothingInNoise: where the scores are drawn by chance no gain excludes 0.
func TestLearnedPartsFindNothingInNoise(t *testing.T) {
	quick(t)
	history := telling(440)
	random := rand.New(rand.NewPCG(5, 5))
	for n := range history {
		history[n].Score = [2]float64{float64(random.IntN(2)), float64(random.IntN(2))}
	}
	c, err := Compare(t.Context(), Learners(DefaultPrice)[5:8], history, letters{}, 2, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"score", "arbiter"} {
		if gain := c.Gain(policy, "default"); gain.Low > 0 {
			t.Errorf("%s gains %+v from noise", policy, gain)
		}
	}
}

// TestFeaturesAreFiniteAndNamed holds the features of odd questions and answers to numbers, and to the
// names that all have in common.
func TestFeaturesAreFiniteAndNamed(t *testing.T) {
	s := newSheets(letters{})
	options := []prompts.Option{{Letter: "A", Text: ""}, {Letter: "B", Text: "all of the above"}}
	var before, after []string
	for _, q := range []Question{
		{Text: "Which?", Options: options, Closed: &Response{Text: "Not A. The answer is B.", Choice: "B"}},
		{Text: "Which?", Options: options[:1], Closed: &Response{Choice: "A"}},
		{Text: "Which?", Options: options, Closed: &Response{Text: "None.", Choice: "Z"}},
		{Text: "", Closed: nil},
		{Text: "什么时候种大蒜？", Closed: &Response{Text: "秋天。"}},
		{Text: strings.Repeat("word ", 3000), Closed: &Response{Text: "\xff\x00 1 2 3"}},
	} {
		for _, row := range []sheet{s.before(q), s.after(q, Response{Text: "See documents 1 and 12. It is A.", Choice: "A"})} {
			want := &before
			if slices.Contains(row.names, "cited") {
				want = &after
			}
			if *want == nil {
				*want = row.names
			}
			if !slices.Equal(row.names, *want) || len(row.values) != len(row.names) {
				t.Fatalf("%q: features of other names", q.Text)
			}
			for n, v := range row.values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%q: %s is %v", q.Text, row.names[n], v)
				}
			}
		}
	}
	for _, names := range [][]string{before, after} {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) {
			t.Error("two features of one name")
		}
	}
	t.Logf("%d features before retrieval, %d after", len(before), len(after))
}
