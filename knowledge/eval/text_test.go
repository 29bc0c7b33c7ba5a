package eval

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"The Beta-blocker, an “old” drug.", []string{"betablocker", "old", "drug"}},
		{"$5 a day", []string{"5", "day"}},
		{"  ", nil},
		{"Crohn's disease", []string{"crohns", "disease"}},
		{"β-alanine — twice", []string{"βalanine", "twice"}},
	} {
		if diff := cmp.Diff(c.want, Words(c.text)); diff != "" && len(c.want)+len(Words(c.text)) > 0 {
			t.Errorf("Words(%q): %s", c.text, diff)
		}
	}
}

func TestCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"维生素B12缺乏？", []string{"维", "生", "素", "b12", "缺", "乏"}},
		{"The Beta-blocker", []string{"the", "beta", "blocker"}},
		{"5 mg，每日", []string{"5", "mg", "每", "日"}},
		{"，。！", nil},
	} {
		if diff := cmp.Diff(c.want, Characters(c.text)); diff != "" {
			t.Errorf("Characters(%q): %s", c.text, diff)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		prediction   string
		golds        []string
		exact, cover bool
	}{
		{"The aorta.", []string{"vein", "Aorta"}, true, true},
		{"It is the left coronary artery", []string{"coronary artery"}, false, true},
		{"left main coronary artery", []string{"left artery"}, false, false},
		{"", []string{""}, true, false},
		{"aorta", nil, false, false},
	} {
		if got := ExactMatch(c.prediction, c.golds); got != c.exact {
			t.Errorf("ExactMatch(%q, %q) = %v", c.prediction, c.golds, got)
		}
		if got := CoverMatch(c.prediction, c.golds); got != c.cover {
			t.Errorf("CoverMatch(%q, %q) = %v", c.prediction, c.golds, got)
		}
	}
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		prediction, gold string
		want             bool
	}{
		{"expression of PD L1 in tumours", "PD-L1", true},
		{"the oxygenase", "oxygen", false},
		{"患有糖尿病的人", "糖尿病", true},
		{"anything", "—", false},
	} {
		if got := Mentions(c.prediction, []string{c.gold}); got != c.want {
			t.Errorf("Mentions(%q, %q) = %v", c.prediction, c.gold, got)
		}
	}
}

func TestWordOverlapTakesTheGoldWithTheBestF1(t *testing.T) {
	// Against "iron": precision 1/2, recall 1. Against "iron tablets daily": 1 and 2/3, F1 .8.
	got := WordOverlap("iron tablets", []string{"iron", "iron tablets daily"})
	want := Overlap{Precision: 1, Recall: 2. / 3, F1: .8}
	if diff := cmp.Diff(want, got, approximately); diff != "" {
		t.Error(diff)
	}
	if got := WordOverlap("", []string{"the"}); got.F1 != 1 {
		t.Errorf("two empty texts: %v, want F1 1", got)
	}
	if got := WordOverlap("iron", []string{""}); got != (Overlap{}) {
		t.Errorf("against an empty text: %v, want nothing", got)
	}
}

func TestROUGE(t *testing.T) {
	prediction := []string{"a", "b", "a", "c"}
	reference := []string{"a", "b", "c", "c", "d"}
	for _, c := range []struct {
		name string
		got  Overlap
		want Overlap
	}{
		// a once (of two), b, c once: 3 of 4 and 3 of 5.
		{"ROUGE-1", ROUGE(prediction, reference, 1), Overlap{3. / 4, 3. / 5, 2. / 3}},
		// only "a b": 1 of 3 and 1 of 4.
		{"ROUGE-2", ROUGE(prediction, reference, 2), Overlap{1. / 3, 1. / 4, 2. / 7}},
		// a b c.
		{"ROUGE-L", ROUGEL(prediction, reference), Overlap{3. / 4, 3. / 5, 2. / 3}},
		{"too short for pairs", ROUGE([]string{"a"}, reference, 2), Overlap{}},
		{"order counts", ROUGEL([]string{"c", "b", "a"}, []string{"a", "b", "c"}), Overlap{1. / 3, 1. / 3, 1. / 3}},
	} {
		if diff := cmp.Diff(c.want, c.got, approximately); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func FuzzOverlapStaysInRange(f *testing.F) {
	f.Add("What is a vein?", "A vein is a vessel.")
	f.Add("维生素", "维生素C。")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, tokens := range []func(string) []string{Words, Characters} {
			x, y := tokens(a), tokens(b)
			for _, o := range []Overlap{ROUGE(x, y, 1), ROUGE(x, y, 2), ROUGEL(x, y)} {
				for _, v := range []float64{o.Precision, o.Recall, o.F1} {
					if !(v >= 0 && v <= 1) {
						t.Fatalf("%q against %q: %+v", a, b, o)
					}
				}
			}
			if one := ROUGEL(x, x); one.F1 != 1 {
				t.Fatalf("%q against itself: %+v", a, one)
			}
			if ROUGEL(x, y).F1 > ROUGE(x, y, 1).F1+1e-12 {
				t.Fatalf("%q against %q: a common subsequence longer than the common words", a, b)
			}
		}
	})
}

var approximately = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
