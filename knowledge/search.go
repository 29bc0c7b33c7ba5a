package knowledge

import (
	"cmp"
	"context"
	"slices"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/mapped"
)

// Search returns the best passages for q, best first: at most q.K, and of a text at several places only the
// best, see [Deduplicator]. If ctx ends it returns its error.
func (l *Library) Search(ctx context.Context, q Query) (hits []Hit, err error) {
	defer mapped.Release(nil, mapped.Guard())
	defer func() { err = l.disk.checkFault(recover(), err) }()
	if l.searching != nil {
		l.searching.Add(1)
		defer l.searching.Add(-1)
	}
	if q.K <= 0 {
		q.K = defaultK
	}
	q.K = min(q.K, l.Len())
	s := search{library: l, query: q, verbatim: q.Terms}
	if len(q.Terms) == 0 {
		s.verbatim = lexical.Terms(q.Text)
	}
	s.encodeRemotely(ctx)
	hits, err = s.allocate(ctx)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		hits[i].Rank = i + 1
	}
	return hits, nil
}

// allocate fills the places of the result.
func (s *search) allocate(ctx context.Context) ([]Hit, error) {
	switch {
	case s.query.Allocation == TwoWay && s.query.Kind == "":
		return s.twoWay(ctx)
	case s.query.Allocation == Balanced:
		return s.balanced(ctx)
	}
	hits, err := s.merged(ctx, s.query.Sources)
	return s.distinct(hits, s.query.K), err
}

// merged returns one ranking of the best of each collection.
func (s *search) merged(ctx context.Context, sources []string) ([]Hit, error) {
	var all []Hit
	for _, collection := range s.collections() {
		hits, err := s.rank(ctx, collection, s.query.K, sources)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return -cmp.Compare(a.Score, b.Score) })
	return all, nil
}

// twoWay gives half of the places to passages and half to stored pairs, an odd one to passages. A half that
// finds too little is not filled from the other: the reader counts on the split of STD-RAG (2way) in the
// Misknow-RAG paper.
func (s *search) twoWay(ctx context.Context) ([]Hit, error) {
	var all []Hit
	room := []int{(s.query.K + 1) / 2, s.query.K / 2}
	for i, kind := range []passage.Kind{passage.Text, passage.QA} {
		collection := s.library.Collection(kind)
		if collection == nil || room[i] == 0 {
			continue
		}
		hits, err := s.rank(ctx, collection, room[i], s.query.Sources)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	return s.distinct(all, s.query.K), nil
}

// balanced takes the best of each source, then the second of each, until the places are full; a source that
// has no more leaves its turn to the others.
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

// encodeRemotely has the endpoint encode the query, if the query asks for it and the collections are
// encoded.
func (s *search) encodeRemotely(ctx context.Context) {
	if !s.query.Remote || s.query.Verbatim || s.query.Retriever == BM25 {
		return
	}
	for _, collection := range s.collections() {
		if collection.remote != nil {
			s.remoteVector = collection.remote.queries.vector(ctx, s.query.Text)
			return
		}
	}
}
