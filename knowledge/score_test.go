package knowledge

import (
	"testing"

	"lacuna/knowledge/passage"
)

// TestTextsAreRatedLikePassages rates the indexed text of every passage as if it stood on no collection,
// and compares with what the search says of it.
func TestTextsAreRatedLikePassages(t *testing.T) {
	l := build(t, topics()...)
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		for _, query := range []string{"ferritin pale", "quinine", "unheard", ""} {
			rater := l.Collection(kind).Scorer(query)
			hits, err := l.Search(t.Context(), Query{Text: query, Kind: kind, K: 40})
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range hits {
				on, off := rater.Passage(hit.Ordinal, hit.Passage), rater.Text(hit.Passage.Indexed())
				if on != off {
					t.Errorf("%q, %s: %+v on its collection, %+v off it", query, hit.Passage.Record, on, off)
				}
				if share := hit.BM25 / l.Collection(kind).weight(rater.terms); on.BM25 != share {
					t.Errorf("%q, %s: share %v, the search says %v", query, hit.Passage.Record, on.BM25, share)
				}
				if difference := on.Cosine - hit.Cosine; difference > 1e-6 || difference < -1e-6 {
					t.Errorf("%q, %s: cosine %v, the search says %v", query, hit.Passage.Record, on.Cosine, hit.Cosine)
				}
			}
		}
	}
}

func TestTitlesAreRated(t *testing.T) {
	titled := text("leaflets", "Take it on an empty stomach.")
	titled.Title, titled.Headings = "Iron tablets", []string{"Dose"}
	l := build(t, titled, text("leaflets", "Zinc lozenges shorten a cold."))
	for query, want := range map[string]float64{"iron dose": 1, "zinc": 0, "": 0} {
		if got := l.Collection(passage.Text).Scorer(query).Passage(0, titled).Title; got != want {
			t.Errorf("%q: the title holds %v, want %v", query, got, want)
		}
	}
}
