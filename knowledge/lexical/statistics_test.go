package lexical

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// written returns the statistics of an index as another process reads them.
func written(t testing.TB, x *Index) *Statistics {
	t.Helper()
	var file bytes.Buffer
	if _, err := x.Statistics().WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStatistics(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExcerptsScoreAsTheWhole(t *testing.T) {
	texts := zipfTexts(3000, 5)
	whole := built(t, texts)
	statistics := written(t, whole)
	random := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		query := zipfQuery(random)
		want, err := whole.Search(t.Context(), query, 40, nil)
		if err != nil {
			t.Fatal(err)
		}
		ordinals := make(map[int]bool)
		for _, hit := range want {
			ordinals[hit.Ordinal] = true
		}
		for len(ordinals) < min(300, len(want)+200) { // others besides
			ordinals[random.IntN(len(texts))] = true
		}
		var given []int
		var terms [][]string
		for ordinal := range len(texts) {
			if ordinals[ordinal] {
				given, terms = append(given, ordinal), append(terms, whole.Terms(ordinal))
			}
		}
		excerpt, err := statistics.Excerpt(terms)
		if err != nil {
			t.Fatal(err)
		}
		got, err := excerpt.Search(t.Context(), query, len(want), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Ordinal = given[got[i].Ordinal]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %s", query, firstDifference(got, want))
		}
		if excerpt.N() != whole.N() || excerpt.MeanLength() != whole.MeanLength() || excerpt.DocFreq(query[0]) != whole.DocFreq(query[0]) {
			t.Error("the excerpt has other statistics")
		}
	}
	if _, err := statistics.Excerpt([][]string{{"a term that nothing has"}}); err == nil {
		t.Error("a text with an unknown term is taken")
	}
}

func FuzzReadStatistics(f *testing.F) {
	var file bytes.Buffer
	if _, err := built(f, []string{"one two two", "two three"}).Statistics().WriteTo(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:60])
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadStatistics(data)
		if err != nil {
			return
		}
		x, err := s.Excerpt([][]string{s.Vocabulary()[:min(3, len(s.Vocabulary()))]})
		if err != nil {
			return // a vocabulary that its table does not find
		}
		if _, err := x.Search(t.Context(), s.Vocabulary()[:min(2, len(s.Vocabulary()))], 3, nil); err != nil {
			t.Fatal(err)
		}
	})
}
