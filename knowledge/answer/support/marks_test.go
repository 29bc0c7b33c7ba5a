package support

import (
	"slices"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/sanitise"
)

func TestUnmarked(t *testing.T) {
	for _, c := range []struct {
		text, bare string
		numbers    []int
	}{
		{"Gout hurts [1].", "Gout hurts.", []int{1}},
		{"Gout hurts [1, 3][2] badly [1].", "Gout hurts badly.", []int{1, 3, 2}},
		{"Gout hurts [1-3].", "Gout hurts.", []int{1, 2, 3}},
		{"Gout hurts [3-1].", "Gout hurts.", []int{3}},
		{"痛风很痛【2】。", "痛风很痛。", []int{2}},
		{"Gout hurts (1) and [a].", "Gout hurts (1) and [a].", nil},
		{"Gout hurts [Context 2].", "Gout hurts.", []int{2}},
		{"Gout hurts [1], [2].", "Gout hurts.", []int{1, 2}},
	} {
		bare, numbers := WithoutMarks(c.text)
		if bare != c.bare || !slices.Equal(numbers, c.numbers) {
			t.Errorf("%q: %q %v", c.text, bare, numbers)
		}
	}
}

func FuzzUtterances(f *testing.F) {
	for _, seed := range []string{
		"Gout hurts [1]. It is treated [2][3].", "- a [1]\n- b\n", "# H\n\nText:\n\n1. one [1]\n", "【1】【2】", "[1][2]", "```\ncode\n```", "[1-999]. [999-1]",
	} {
		f.Add(seed)
	}
	check := NewChecker(knowledge.Pending(), "", nil)
	s := newSource(answer.Evidence{Text: "Gout hurts for 3 days, says “the board”."})
	f.Fuzz(func(t *testing.T, text string) {
		all := sentences(text)
		if len(all) > maxSentences {
			t.Errorf("%d sentences", len(all))
		}
		for _, u := range all {
			shown := sanitise.Plain(u.head + u.text)
			if sanitise.Line(shown) != shown {
				t.Errorf("%q would be shown", shown)
			}
			if slices.Max(append(u.cites, 0)) > 999 {
				t.Errorf("cites %v", u.cites)
			}
			c := check.newClaim(shown)
			if share := share(c.terms, check.Weight, s.terms); share < 0 || share > 1+1e-9 {
				t.Errorf("share %f", share)
			}
			c.faithful(s.quantities, s)
		}
	})
}
