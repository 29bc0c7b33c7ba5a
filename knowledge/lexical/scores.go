package lexical

import (
	"context"
	"fmt"
	"slices"
)

// Hit is a text found and its BM25 score, without the factor k1+1.
type Hit struct {
	Ordinal int
	Score   float64
}

// Scores are the BM25 scores of all texts for one query. Release gives them back.
type Scores struct {
	index  *Index
	values *[]float64
}

// Of returns the score of a text, 0 when it holds no term of the query.
func (s *Scores) Of(ordinal int) float64 { return (*s.values)[ordinal] }

// Release ends the use of the scores.
func (s *Scores) Release() {
	clear(*s.values)
	s.index.scores.Put(s.values)
	s.values = nil
}

// Score computes the BM25 scores of all texts for a query; a term that occurs twice in the query
// counts twice. It fails when ctx ends or the postings are damaged.
func (x *Index) Score(ctx context.Context, query []string) (scores *Scores, err error) {
	defer recoverTo(&err, "search")
	values := x.scores.Get().(*[]float64)
	scores = &Scores{x, values}
	for _, term := range distinct(query) {
		if err := ctx.Err(); err != nil {
			scores.Release()
			return nil, err
		}
		if err := x.addTerm(*values, term); err != nil {
			// The scores are dropped rather than reused, as nobody knows what they hold.
			return nil, fmt.Errorf("lexical index: term %q: %w", term.term, err)
		}
	}
	return scores, nil
}

// distinct returns the terms of a query, each once with its frequency, in order of occurrence.
func distinct(query []string) []occurrences {
	var terms []occurrences
	at := make(map[string]int, len(query))
	for _, term := range query {
		i, seen := at[term]
		if !seen {
			i = len(terms)
			at[term] = i
			terms = append(terms, occurrences{term: term})
		}
		terms[i].frequency++
	}
	return terms
}

// addTerm adds to the scores what one term of the query contributes.
func (x *Index) addTerm(scores []float64, term occurrences) error {
	df := x.DocFreq(term.term)
	if df == 0 {
		return nil
	}
	weight := float64(term.frequency) * IDF(x.N(), df)
	postings, err := x.snapshot.PostingsIterator([]byte(term.term), fieldName, true, false, false)
	if err != nil {
		return err
	}
	defer postings.Close()
	for {
		posting, err := postings.Next()
		if err != nil {
			return err
		}
		if posting == nil {
			return nil
		}
		ordinal := int(posting.Number())
		scores[ordinal] += weight * x.bm25.saturation(posting.Frequency(), x.forward.length(ordinal), x.mean)
	}
}

// ScoreText is the BM25 score of a text for a query, with the statistics of the index. The text need
// not stand in it; for one that does, it is what [Scores.Of] says.
func (x *Index) ScoreText(query, text []string) float64 {
	frequency := make(map[string]int, len(text))
	for _, term := range text {
		frequency[term]++
	}
	score := 0.0
	for _, term := range distinct(query) {
		if df := x.DocFreq(term.term); df > 0 && frequency[term.term] > 0 {
			weight := float64(term.frequency) * IDF(x.N(), df)
			score += weight * x.bm25.saturation(frequency[term.term], len(text), x.mean)
		}
	}
	return score
}

// Best returns the k texts with the highest scores above zero among those that keep accepts,
// highest first, equal scores by ordinal. A nil keep accepts all.
func (s *Scores) Best(k int, keep func(ordinal int) bool) []Hit {
	if k <= 0 {
		return nil
	}
	var best []Hit // a heap whose first is the worst, once it holds k
	for ordinal, score := range *s.values {
		if score <= 0 || len(best) == k && !before(Hit{ordinal, score}, best[0]) || keep != nil && !keep(ordinal) {
			continue
		}
		if len(best) < k {
			best = append(best, Hit{ordinal, score})
			if len(best) == k {
				slices.SortFunc(best, func(a, b Hit) int { return -compare(a, b) })
			}
			continue
		}
		best[0] = Hit{ordinal, score}
		sink(best)
	}
	slices.SortFunc(best, compare)
	return best
}

// compare orders hits, best first.
func compare(a, b Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	}
	return a.Ordinal - b.Ordinal
}

func before(a, b Hit) bool { return compare(a, b) < 0 }

// sink restores a heap with the worst first after its first was replaced.
func sink(heap []Hit) {
	for at := 0; ; {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && before(heap[child], heap[child+1]) {
			child++
		}
		if !before(heap[at], heap[child]) {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}

// Search returns the k best texts for a query, as [Index.Score] and [Scores.Best] do.
func (x *Index) Search(ctx context.Context, query []string, k int, keep func(ordinal int) bool) ([]Hit, error) {
	scores, err := x.Score(ctx, query)
	if err != nil {
		return nil, err
	}
	defer scores.Release()
	return scores.Best(k, keep), nil
}
