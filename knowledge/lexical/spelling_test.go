package lexical

import (
	"math/rand/v2"
	"testing"
)

func TestSimilar(t *testing.T) {
	x := built(t, []string{
		"methylprednisolone injection", "haemoglobin haemoglobin", "ferritin in the blood", "ferritins", "ferretin",
		"prednisone", "sitagliptin", "covid19 vaccine", "贫血的原因是什么", "anaemia",
	})
	for _, c := range []struct{ term, want string }{
		{"methylprednisolol", "methylprednisolon"},
		{"hemoglobin", "haemoglobin"},
		{"ferritni", "ferritin"},
		{"ferrittin", "ferritin"}, // ferretin is as near, and rarer
		{"predniso", "prednison"},
		{"prednisolon", "prednison"},
		{"tirzepatid", ""},  // a word of its own
		{"linagliptin", ""}, // so is this, two letters from another
		{"anemia", ""},      // too short to tell
		{"covid18", ""},     // digits mean what they say
		{"贫血的原因", ""},
		{"", ""},
	} {
		if got, slips := x.Similar(c.term); got != c.want || slips > 0 != (c.want != "") {
			t.Errorf("%q is taken for %q, %d slips away; want %q", c.term, got, slips, c.want)
		}
	}
}

// TestDistance compares with the plain recursion.
func TestDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	word := func() []rune {
		letters := make([]rune, random.IntN(7))
		for i := range letters {
			letters[i] = 'a' + rune(random.IntN(3))
		}
		return letters
	}
	var d distance
	for range 20_000 {
		a, b := word(), word()
		want := plainDistance(a, b)
		for most := range 4 {
			if got := d.between(a, b, most); got != want && (got <= most || want <= most) {
				t.Fatalf("%q and %q within %d: %d, want %d", string(a), string(b), most, got, want)
			}
		}
	}
}

func plainDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	last, other := len(a)-1, len(b)-1
	cost := 1
	if a[last] == b[other] {
		cost = 0
	}
	least := min(plainDistance(a[:last], b[:other])+cost, plainDistance(a[:last], b)+1, plainDistance(a, b[:other])+1)
	if last > 0 && other > 0 && a[last] == b[other-1] && a[last-1] == b[other] {
		least = min(least, plainDistance(a[:last-1], b[:other-1])+1)
	}
	return least
}
