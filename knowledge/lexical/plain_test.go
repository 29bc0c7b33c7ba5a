package lexical

import (
	"container/heap"
	"slices"
)

// scorePlainly returns the scores of all texts for a query, straight from bluge's postings: what a
// search must agree with to the bit.
func scorePlainly(x *Index, query []string) ([]float64, error) {
	scores := make([]float64, x.N())
	for _, term := range distinct(query) {
		weight := float64(term.times) * IDF(x.N(), x.DocFreq(term.term))
		for _, p := range x.parts {
			err := p.postings(term.term, func(ordinal uint32, frequency int) {
				scores[ordinal] += x.bm25.contribution(weight, frequency, x.forward.length(int(ordinal)), x.mean)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return scores, nil
}

// bestOf returns the k best of all scores.
func bestOf(scores []float64, k int, keep func(int) bool) []Hit {
	hits := []Hit{}
	for ordinal, score := range scores {
		hit := Hit{ordinal, score}
		switch {
		case score <= 0 || k <= 0 || keep != nil && !keep(ordinal):
		case len(hits) < k:
			heap.Push((*worstFirst)(&hits), hit)
		case compare(hit, hits[0]) < 0:
			hits[0] = hit
			heap.Fix((*worstFirst)(&hits), 0)
		}
	}
	slices.SortFunc(hits, compare)
	return hits
}

// worstFirst is a heap of the best hits so far.
type worstFirst []Hit

func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return compare(h[i], h[j]) > 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *worstFirst) Push(hit any)      { *h = append(*h, hit.(Hit)) }
func (h *worstFirst) Pop() any          { panic("nothing is taken out of the best") }

// SearchPlainly is [Index.Search] by plain scoring.
func SearchPlainly(x *Index, query []string, k int) ([]Hit, error) {
	scores, err := scorePlainly(x, query)
	return bestOf(scores, k, nil), err
}
