package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func pairOf(prediction, reference string) Pair {
	return Pair{strings.Fields(prediction), strings.Fields(reference)}
}

// TestBLEU has cases computed by hand; the first is the example of Papineni et al. (2002).
func TestBLEU(t *testing.T) {
	for _, c := range []struct {
		pairs []Pair
		n     int
		want  float64
	}{
		{[]Pair{pairOf("the the the the the the the", "the cat is on the mat")}, 1, 2. / 7},
		{[]Pair{pairOf("the cat", "the cat sat")}, 2, math.Exp(1 - 3./2)},
		// 3 of 4 words, 1 of 2 pairs of words, 4 words for 5
		{[]Pair{pairOf("a b", "a b c"), pairOf("d e", "x e")}, 2, math.Exp(1-5./4) * math.Sqrt(3./4*1/2)},
		{[]Pair{pairOf("d e", "x e")}, 2, 0},
		{[]Pair{pairOf("", "a")}, 1, 0},
		{[]Pair{pairOf("a b c d", "a b c d")}, 4, 1},
	} {
		var counts BLEUCounts
		for _, p := range c.pairs {
			counts = counts.Plus(BLEUCountsOf(p))
		}
		if got := counts.BLEU(c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("BLEU-%d of %v = %g, want %g", c.n, c.pairs, got, c.want)
		}
	}
	for _, c := range []struct {
		pair Pair
		n    int
		want float64
	}{
		{pairOf("d e", "x e"), 2, math.Sqrt(1. / 2 * (0 + 1) / (1 + 1))},
		{pairOf("a b c d", "a b c d"), 4, 1},
		{pairOf("e", "x e"), 2, math.Exp(1-2./1) * math.Sqrt(1./1*1/2)}, // it has no pair of words
		{pairOf("y", "x e"), 2, 0},
	} {
		if got := SentenceBLEU(c.pair, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("SentenceBLEU(%v, %d) = %g, want %g", c.pair, c.n, got, c.want)
		}
	}
}

func TestChineseWords(t *testing.T) {
	for text, want := range map[string]string{
		"糖尿病患者每天吃药。":            "糖尿病 患者 每天 吃药",
		"服用 Aspirin 100mg，每天1次": "服用 aspirin 100mg 每天 1 次",
		"plain text":            "plain text",
		"":                      "",
	} {
		if got := strings.Join(ChineseWords(text), " "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzBLEUIsAShare(f *testing.F) {
	f.Add("a b c", "a b")
	f.Add("服用药物", "每天服用")
	f.Fuzz(func(t *testing.T, prediction, reference string) {
		p := Pair{ChineseWords(prediction), ChineseWords(reference)}
		for n := 1; n <= 4; n++ {
			for _, got := range []float64{BLEUCountsOf(p).BLEU(n), SentenceBLEU(p, n)} {
				if !(got >= 0 && got <= 1+1e-9) {
					t.Errorf("BLEU-%d of %q and %q is %g", n, prediction, reference, got)
				}
			}
		}
		if joined := strings.Join(ChineseWords(prediction), ""); !slices.Equal(Characters(joined), Characters(strings.Join(Characters(prediction), ""))) {
			t.Errorf("%q loses or gains characters as words: %q", prediction, joined)
		}
	})
}

func TestMajority(t *testing.T) {
	if got := Majority([]string{"A", "B", "A", "C"}); got != .5 {
		t.Errorf("got %g, want 0.5", got)
	}
	if !math.IsNaN(Majority(nil)) {
		t.Error("the majority of nothing is a number")
	}
}

func TestPairedTest(t *testing.T) {
	for _, c := range []struct {
		differences []float64
		low, high   float64
	}{
		{slices.Repeat([]float64{1}, 10), .0010, .0032}, // 2 of 1,024 ways
		{[]float64{1, -1}, 1, 1},
		{[]float64{3}, 1, 1}, // both signs are as far from 0
		{nil, 1, 1},
		{slices.Repeat([]float64{1, 0, 0, -1, 1}, 100), 1e-9, 1e-3},
	} {
		if got := PairedTest(c.differences, 10_000, 1); got < c.low || got > c.high {
			t.Errorf("%s differences: %g, want %g to %g", fmt.Sprint(len(c.differences)), got, c.low, c.high)
		}
	}
}

func TestCoverageRisk(t *testing.T) {
	curve, area := CoverageRisk([]Prediction{{.7, true}, {.9, true}, {.7, false}, {.8, false}})
	if want := []Risk{{.25, 0}, {.5, .5}, {1, .5}}; !slices.Equal(curve, want) || math.Abs(area-(.25*0+.25*.5+.5*.5)) > 1e-12 {
		t.Errorf("%v, area %g", curve, area)
	}
	if curve, area := CoverageRisk(nil); curve != nil || area != 0 {
		t.Errorf("of nothing: %v, %g", curve, area)
	}
}

func TestBrier(t *testing.T) {
	if got := Brier([]Prediction{{.9, true}, {.2, false}}); math.Abs(got-(.01+.04)/2) > 1e-12 {
		t.Errorf("got %g, want 0.025", got)
	}
}
