package extract

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		a, b            string
		pairs, sequence float64
	}{
		{"a b c d", "a b c d", 1, 1},
		{"a b c d", "d c b a", 0, .25},                       // one word in sequence: 2*1/8
		{"a b c d", "x a b y", 2 * 1. / 6, .5},               // the pair "a b"; 2*2/8
		{"a", "a", 0, 1},                                     // no pairs in one word
		{"a b c d e f g h i j k", "a l m n o p q r s", 0, 0}, // single words: 2*1/20, not above .1
		{"a b c d e f g h i j", "a l m n o p q r s", 0, 2. / 19},
		{"", "", 0, 0},
		{"a", "", 0, 0},
	} {
		v := make(vocabulary)
		pairs, sequence := agreement(v.wordingOf(strings.Fields(c.a)), v.wordingOf(strings.Fields(c.b)))
		if diff := cmp.Diff([]float64{c.pairs, c.sequence}, []float64{pairs, sequence}, near); diff != "" {
			t.Errorf("%q, %q: %s", c.a, c.b, diff)
		}
	}
}

func TestWeights(t *testing.T) {
	base := collection{n: 10, often: map[string]int{"common": 10}}
	v := make(vocabulary)
	a := v.weigh(base, []string{"rare", "rare", "common"})
	rare, common := base.IDF("rare")*2/3, base.IDF("common")/2
	length := math.Hypot(rare, common)
	if diff := cmp.Diff([]float64{rare / length, common / length}, []float64{a[0].value, a[1].value}, near); diff != "" {
		t.Error(diff)
	}
	if got := a.dot(v.weigh(base, []string{"rare"})); math.Abs(got-rare/length) > 1e-9 {
		t.Errorf("cosine with one term: %v", got)
	}
	if got := a.dot(v.weigh(base, nil)); got != 0 {
		t.Errorf("cosine with nothing: %v", got)
	}
}
