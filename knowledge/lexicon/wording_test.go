package lexicon

import "testing"

func TestAddSlips(t *testing.T) {
	terms := map[string]int{"subscript": 3, "order": 5}
	similar := func(term string) (string, int) {
		switch term {
		case "subscrpt":
			return "subscript", 1
		case "sitaglipton":
			return "saxagliptin", 2
		}
		return "", 0
	}
	w := &Wording{Words: []Word{{Term: "subscrpt"}, {Term: "sitaglipton"}, {Term: "order", Known: true}, {Term: "tirzepatid"}}}
	w.AddSlips(slipBase(terms), similar)
	has := func(term string) bool { return term == "subscript" || term == "saxagliptin" }
	for term, want := range map[string]float64{"subscrpt": oneSlip, "sitaglipton": twoSlips, "order": 0, "tirzepatid": 0} {
		if got := w.Word(term).Match(has); got != want {
			t.Errorf("%s matches by %v, want %v", term, got, want)
		}
	}
	if meant, ok := w.Word("subscrpt").Slip(); !ok || meant != "subscript" {
		t.Errorf("subscrpt is a slip of %q, %v", meant, ok)
	}
	if _, ok := w.Word("order").Slip(); ok {
		t.Error("a known word is no slip")
	}
}

// slipBase has some terms.
type slipBase map[string]int

func (b slipBase) N() int                  { return 10 }
func (b slipBase) DocFreq(term string) int { return b[term] }
func (b slipBase) IDF(string) float64      { return 1 }
