package rerank

import (
	"math"
	"slices"
	"testing"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
)

// listOf returns a query with candidates of equal score, given by title, heading and text.
func listOf(text string, passages ...[3]string) (*Query, []Candidate) {
	numbers := make(map[string]uint32)
	base := &Base{N: 1000, MeanLength: 20, IDF: func(string) float64 { return 3 }}
	base.Number = func(term string) (uint32, bool) { number, known := numbers[term]; return number, known }
	var list []Candidate
	for i, p := range passages {
		c := Candidate{Ordinal: 10 * i, Score: 1, BM25: 1, Passage: &passage.Passage{
			Source: "kb", Document: p[0], Title: p[0], Headings: []string{p[1]}, Section: p[1], Text: p[2],
		}}
		for _, term := range lexical.Terms(c.Passage.Indexed()) {
			if _, known := numbers[term]; !known {
				numbers[term] = uint32(len(base.Vocabulary))
				base.Vocabulary = append(base.Vocabulary, term)
			}
			c.Terms = append(c.Terms, numbers[term])
		}
		list = append(list, c)
	}
	wording := &lexicon.Wording{}
	for _, token := range lexical.Content(text) {
		_, known := numbers[token.Term]
		wording.Words = append(wording.Words, lexicon.Word{Term: token.Term, Known: known, Weight: 3})
	}
	return NewQuery(text, wording, base), list
}

var hoes = [][3]string{
	{"Velkin hoe", "Use", "Cuts dandelions and leaves no ragged ends."},
	{"Velkin hoe", "Storage", "Wipe the head with linseed oil and hang it up."},
	{"Tarrow", "Storage", "Slide it dry into its sleeve."},
}

func TestFeatures(t *testing.T) {
	q, list := listOf("How is the Velkin hoe stored?", hoes...)
	q2, _ := listOf("How is the Velkin hoe stored?", hoes...)
	rows := Features(q, list)
	for i, row := range rows {
		if len(row) != len(Names()) {
			t.Fatalf("row %d has %d columns of %d", i, len(row), len(Names()))
		}
		for column, value := range row {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				t.Errorf("%s of candidate %d is %v", Names()[column], i, value)
			}
		}
		if again := Features(q2, list)[i]; !slices.Equal(row, again) {
			t.Errorf("row %d differs the second time", i)
		}
	}
	value := func(i int, name string) float64 { return rows[i][at[name]] }
	for _, c := range []struct {
		name string
		want [3]float64
	}{
		{"gate", [3]float64{1, 1, 0}},
		{"aspect", [3]float64{0, 1, 1}},
		{"aspect_gate", [3]float64{0, 1, 0}},
		{"page_rank", [3]float64{1, .5, 1}},
	} {
		if got := [3]float64{value(0, c.name), value(1, c.name), value(2, c.name)}; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestOrder(t *testing.T) {
	if order := Order(listOf("anything")); len(order) != 0 {
		t.Errorf("nothing in the order %v", order)
	}
	order := Order(listOf("How is the Velkin hoe stored?", hoes...))
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int{0, 1, 2}) {
		t.Errorf("the order %v is none", order)
	}
}
