package answer

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
)

// What MIGRES lets through to the reader. Its release searches 50 candidates and keeps those to which
// one cross-encoder gives a logit of 3 or more, five at most; here it is four, as in all systems of
// the Misknow-RAG paper. Scores of other rerankers have another scale, and those of ours none: with a
// configured reranker its best tenth is kept, and without one what holds at least this share of the
// idf mass of a query.
const (
	siftDepth = 50
	siftShare = .1
	siftFloor = .4
	leastRead = 5 // words: a shorter passage says nothing
)

// sift searches for queries and keeps the best of what is worth reading. A document that has been read
// twice is not read again.
func (r *run) sift(ctx context.Context, m *memory, round int, queries []string) ([]Evidence, error) {
	lists, err := r.lists(ctx, round, merged, siftDepth, r.search, queries)
	if err != nil {
		return nil, err
	}
	var kept []Evidence
	for i, query := range queries {
		worth := slices.DeleteFunc(lists[i], func(e Evidence) bool {
			return m.uses[e.key()] == migresUses || len(lexical.Words(e.Hit.Passage.Question+" "+e.Hit.Passage.Text)) < leastRead
		})
		most := len(worth)
		if r.Model.CanRerank() {
			most = int(siftShare*float64(most)) + 1
		} else {
			worth = slices.DeleteFunc(worth, func(e Evidence) bool { return gap.Coverage(r.library, query, e.Hit.Ordinal) < siftFloor })
		}
		if len(worth) == 0 {
			continue
		}
		kept = append(kept, r.rerank(ctx, query, worth, min(most, paperBudget), "")...)
	}
	slices.SortStableFunc(kept, func(a, b Evidence) int { return cmp.Compare(b.Score, a.Score) })
	kept = dedup(kept)
	kept = kept[:min(r.places(), len(kept))]
	for _, e := range kept {
		m.uses[e.key()]++
	}
	return kept, nil
}
