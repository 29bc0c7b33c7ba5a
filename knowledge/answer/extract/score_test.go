package extract

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// near compares features by value; they are sums of a few products.
var near = cmp.Options{
	cmp.AllowUnexported(features{}),
	cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }),
}

// TestFeaturesByHand works the fourteen features out for two passages of one sentence each. All
// terms weigh alike, so with one of a kind in a text every component is 1/sqrt(terms).
func TestFeaturesByHand(t *testing.T) {
	r := read("What is gout?", even, list(plain(
		"Gout is an arthritis.",  // terms: gout arthriti
		"Gout is a old disease?", // terms: gout old diseas
		"Urate",                  // gives the question above something that is not its own passage
	)...))
	r.sentences = r.sentences[:2]
	r.pages = r.pages[:2]
	got := r.features()

	// One list: BM25 1 and 0.9, no encoder, so the second passage is 0.1 behind.
	v2, v3, v4 := math.Exp(-.2), math.Exp(-.3), math.Exp(-.4)
	// Words: gout is an arthritis | gout is a old disease. Two single words of 4 and 5 agree
	// (Dice 4/9 > .1); one pair of 3 and 4; the longest common subsequence is "gout is".
	pairs, sequence := 2*1./7, 2*2./9
	cosine := 1 / math.Sqrt(2) / math.Sqrt(3)
	// The centre: gout 1/√2 + v4/√3, arthriti 1/√2, old and diseas v4/√3.
	gout, arthritis, other := 1/math.Sqrt(2)+v4/math.Sqrt(3), 1/math.Sqrt(2), v4/math.Sqrt(3)
	length := math.Sqrt(gout*gout + arthritis*arthritis + 2*other*other)
	want := []features{
		{
			pairs: (1 + v2*pairs) / (1 + v2), sequence: v3 * sequence / (1 + v3), terms: v3 * cosine / (1 + v3),
			central: (gout + arthritis) / math.Sqrt(2) / length, support: cosine,
			covered: 1, start: 1, defines: 1, whatStart: 1, whatNew: 1. / 20, whatCopula: 1,
		},
		{
			pairs: (v2 + pairs) / (1 + v2), sequence: sequence / (1 + v3), terms: cosine / (1 + v3),
			central: (gout + 2*other) / math.Sqrt(3) / length, support: cosine, behind: -.1, asks: 1,
			covered: 1, start: 1, defines: 1, whatStart: 1, whatNew: 2. / 20, whatCopula: 1,
		},
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

func TestOpeningFeatures(t *testing.T) {
	for _, c := range []struct {
		question, sentence string
		want               features
	}{
		// Position 1 of the analysed words, "are" with words behind it, but no "what is" question.
		{"Do statins lower cholesterol?", "The statins are drugs.", features{start: 1, defines: 1}},
		{"Do statins lower cholesterol?", "High cholesterol is treated.", features{start: .5, defines: 1}},
		{"Do statins lower cholesterol?", "Patients given daily statins are well.", features{start: .25}},
		{"Which is the target of statins?", "Nothing here.", features{whatNew: .1}},
		// How many asks for a number although it opens with "what".
		{"What is the percentage of patients on statins?", "Statins are common.", features{start: 1, defines: 1}},
		{"Define ptosis", "Ptosis means drooping of the lid.", features{start: 1, whatStart: 1, whatNew: .15, whatCopula: 1}},
		{"什么是痛风？", "痛风是一种关节炎。", features{start: 1. / 1}},
	} {
		r := read(c.question, even, list(plain(c.sentence)...))
		got := r.features()[0]
		got.pairs, got.sequence, got.terms, got.central, got.support, got.covered = 0, 0, 0, 0, 0, 0
		if diff := cmp.Diff(c.want, got, near); diff != "" {
			t.Errorf("%q, %q: %s", c.question, c.sentence, diff)
		}
	}
}

func TestSupportComesFromOtherDocuments(t *testing.T) {
	passages := plain("Iron helps.", "Iron helps now.", "Copper harms.")
	passages[1].Document = passages[0].Document
	r := read("iron?", even, list(passages...))
	for i, f := range r.features() {
		if f.support != 0 {
			t.Errorf("sentence %d: support %v from its own document", i, f.support)
		}
	}
}
