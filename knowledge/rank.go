package knowledge

import (
	"context"
	"slices"

	"lacuna/knowledge/lexical"
)

// rank returns the best k passages of one shelf, best first, with scores that compare with those
// of the other shelf. Texts that occur several times are in it several times; a few places are
// added so that k remain without them.
func (s *search) rank(ctx context.Context, shelf *Shelf, k int, sources []string) ([]Hit, error) {
	scores, err := shelf.index.Score(ctx, s.terms)
	if err != nil {
		return nil, err
	}
	defer scores.Release()
	keep := shelf.keeping(s.library, sources)
	weight := shelf.weight(s.terms)
	hits := make([]Hit, 0, k)
	for _, found := range scores.Best(k+k/2, keep) {
		hits = append(hits, Hit{
			Passage:   s.library.passages[shelf.ordinals[found.Ordinal]],
			Ordinal:   shelf.ordinals[found.Ordinal],
			Score:     found.Score / weight,
			BM25:      found.Score,
			Retriever: BM25,
		})
	}
	return hits, nil
}

// keeping accepts the places on the shelf whose passages come from the sources; nil is all.
func (s *Shelf) keeping(l *Library, sources []string) func(place int) bool {
	if len(sources) == 0 {
		return nil
	}
	return func(place int) bool {
		return slices.Contains(sources, l.passages[s.ordinals[place]].Source)
	}
}

// weight is what a query's terms could earn on the shelf at most. Scores are divided by it to
// compare with those of another shelf, which weighs the same words by other counts.
func (s *Shelf) weight(terms []string) float64 {
	weight := 0.0
	for _, term := range terms {
		weight += lexical.IDF(s.N(), s.DocFreq(term))
	}
	return weight
}
