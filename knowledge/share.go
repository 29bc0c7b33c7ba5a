package knowledge

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// Allocation says how the places of a result are shared among sources.
type Allocation string

const (
	Merged   Allocation = "merged"   // one ranking over all sources; the default
	TwoWay   Allocation = "2way"     // half from passages, half from question-answer pairs; passages first
	Balanced Allocation = "balanced" // the same number from every source, in turn
)

// share fills the places of the result.
func (s *search) share(ctx context.Context) ([]Hit, error) {
	switch {
	case s.query.Allocation == TwoWay && s.query.Kind == "":
		return s.twoWay(ctx)
	case s.query.Allocation == Balanced:
		return s.balanced(ctx)
	}
	hits, err := s.merged(ctx, s.query.Sources)
	return s.distinct(hits, s.query.K), err
}

// merged is one ranking of the best of each shelf.
func (s *search) merged(ctx context.Context, sources []string) ([]Hit, error) {
	var all []Hit
	for _, shelf := range s.shelves() {
		hits, err := s.rank(ctx, shelf, s.query.K, sources)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return -cmp.Compare(a.Score, b.Score) })
	return all, nil
}

// twoWay gives half of the places to passages and half to stored pairs, an odd one to passages.
// A half that finds too little is not filled from the other: the reader counts on the split of
// STD-RAG (2way) of the Misknow-RAG paper.
func (s *search) twoWay(ctx context.Context) ([]Hit, error) {
	var all []Hit
	room := []int{(s.query.K + 1) / 2, s.query.K / 2}
	for i, kind := range []passage.Kind{passage.Text, passage.QA} {
		shelf := s.library.Collection(kind)
		if shelf == nil || room[i] == 0 {
			continue
		}
		hits, err := s.rank(ctx, shelf, room[i], s.query.Sources)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	return s.distinct(all, s.query.K), nil
}

// balanced takes the best of each source, then the second of each, until the places are full; a
// source that has no more leaves its turn to the others.
func (s *search) balanced(ctx context.Context) ([]Hit, error) {
	sources := s.query.Sources
	if len(sources) == 0 {
		sources = s.library.Sources()
	}
	var perSource [][]Hit
	longest := 0
	for _, source := range sources {
		hits, err := s.merged(ctx, []string{source})
		if err != nil {
			return nil, err
		}
		hits = s.distinct(hits, s.query.K)
		perSource = append(perSource, hits)
		longest = max(longest, len(hits))
	}
	var turns []Hit
	for turn := range longest {
		for _, hits := range perSource {
			if turn < len(hits) {
				turns = append(turns, hits[turn])
			}
		}
	}
	return s.distinct(turns, s.query.K), nil
}

// Sources returns the names of the sources in the order of their first passages.
func (l *Library) Sources() []string {
	var names []string
	seen := make(map[string]bool)
	for _, p := range l.passages {
		if !seen[p.Source] {
			seen[p.Source] = true
			names = append(names, p.Source)
		}
	}
	return names
}

// distinct keeps the first k hits that [Deduplicator] does not pass over.
func (s *search) distinct(hits []Hit, k int) []Hit {
	var texts Deduplicator
	var kept []Hit
	for _, hit := range hits {
		if len(kept) == k {
			break
		}
		if texts.Add(hit.Passage, s.written) {
			kept = append(kept, hit)
		}
	}
	return kept
}

// Deduplicator passes over passages that say what one before them said, as the Misknow-RAG paper does, unless
// their subject tells them apart: what stands above them has a word that was asked for and that nothing
// above those before has. The zero Deduplicator has seen none.
type Deduplicator struct {
	seen map[passage.TextID][]*passage.Passage
}

// Add adds a passage, or reports false where it is passed over. Asked are the analysed terms that it was
// searched by.
func (t *Deduplicator) Add(p *passage.Passage, asked []string) bool {
	if t.seen == nil {
		t.seen = make(map[passage.TextID][]*passage.Passage)
	}
	before := t.seen[p.ID.Text()]
	if len(before) > 0 && !tellsApart(p, before, asked) {
		return false
	}
	t.seen[p.ID.Text()] = append(before, p)
	return true
}

// tellsApart reports whether a term that was asked for stands above a passage and above none of others.
func tellsApart(p *passage.Passage, others []*passage.Passage, asked []string) bool {
	own := lexical.Terms(p.Above())
	return slices.ContainsFunc(asked, func(term string) bool {
		return slices.Contains(own, term) && !slices.ContainsFunc(others, func(other *passage.Passage) bool {
			return slices.Contains(lexical.Terms(other.Above()), term)
		})
	})
}
