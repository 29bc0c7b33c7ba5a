package knowledge

import (
	"context"
	"slices"
	"sync"
	"time"

	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// RemoteEncoder is an encoder behind an endpoint, which may serve instead of the embedded one. It is safe
// for concurrent use.
type RemoteEncoder interface {
	// Name says what makes the vectors, model and all. Vectors of other names are not compared.
	Name() string
	// Passages returns a vector of each text for being found, in order and all of one length.
	Passages(ctx context.Context, texts []string) ([][]float32, error)
	// Query returns the vector of a text for finding with it.
	Query(ctx context.Context, text string) ([]float32, error)
}

// Measures of how an endpoint is asked for the vectors of queries.
const (
	queryPatience = 3 * time.Second  // that a search waits for a vector
	queryRest     = 30 * time.Second // that it does without one after waiting in vain
	keptQueries   = 256
)

// queries asks an endpoint for the vectors of queries and remembers the last ones. Where it fails,
// searches do without for a while.
type queries struct {
	embedder RemoteEncoder

	mu     sync.Mutex
	kept   map[string][]float32 // guarded by mu
	broken time.Time            // guarded by mu; until when nobody is asked
}

func newQueries(e RemoteEncoder) *queries {
	if e == nil {
		return nil
	}
	return &queries{embedder: e, kept: map[string][]float32{}}
}

// vector returns the unit vector of a query, or nil.
func (q *queries) vector(ctx context.Context, text string) []float32 {
	if vector, resting := q.remembered(text); vector != nil || resting {
		return vector
	}
	asking, cancel := context.WithTimeout(ctx, queryPatience)
	defer cancel()
	vector, err := q.embedder.Query(asking, text)
	unit := unitOf(vector)
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil || unit == nil:
		q.broken = time.Now().Add(queryRest)
		return nil
	}
	if len(q.kept) >= keptQueries {
		clear(q.kept)
	}
	q.kept[text] = unit
	return unit
}

func (q *queries) remembered(text string) (vector []float32, resting bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.kept[text], time.Now().Before(q.broken)
}

// unitOf returns a vector scaled to length 1, or nil for one without a direction.
func unitOf(vector []float32) []float32 {
	unit := slices.Clone(vector)
	length := vecmath.Norm(unit)
	if !(length > 0) {
		return nil
	}
	vecmath.Scale(unit, 1/length)
	return unit
}

// askEndpoint has the endpoint encode the query, if the query is for it and the shelves are encoded.
func (s *search) askEndpoint(ctx context.Context) {
	if !s.query.Remote || s.query.Verbatim || s.query.Retriever == BM25 {
		return
	}
	for _, shelf := range s.shelves() {
		if shelf.foreign != nil {
			s.foreign = shelf.foreign.queries.vector(ctx, s.query.Text)
			return
		}
	}
}

// compares reports whether the query has a vector that compares with those of a shelf.
func (s *search) compares(f *foreign) bool {
	return s.foreign != nil && f != nil && f.vectors.Dim() == len(s.foreign)
}

// byEndpoint ranks the union of the candidates of BM25 and of the endpoint's vectors by
//
//	bm25 / best bm25 + (cosine - least cosine) / (best cosine - least cosine)
//
// since endpoints differ in where their cosines lie: a convex combination of scores scaled to 0..1,
// as Bruch, Gai & Ingber (2023) have it, with equal shares. Of a text that was not encoded, being new or
// private, the words count for both. The embedded encoder has no say; its signals go along for those
// who judge.
func (r *ranking) byEndpoint() (ranked, error) {
	list := r.lexicalCandidates()
	nearest, err := r.spread(func(keep func(int) bool) ([]candidate, error) {
		return r.shelf.foreign.nearest(r.foreign, r.depth, r.public(keep))
	})
	if err != nil {
		return ranked{}, err
	}
	listed := make(map[int]bool, len(list))
	for _, c := range list {
		listed[c.place] = true
	}
	best := 0.0
	if len(list) > 0 {
		best = list[0].bm25
	}
	for _, c := range nearest {
		if !listed[c.place] {
			list = append(list, candidate{place: c.place, bm25: r.scores.Of(c.place)})
		}
	}
	r.scoreByEndpoint(list, best)
	slices.SortFunc(list, byScore)
	if best == 0 {
		return ranked{list, Dense}, nil
	}
	return ranked{list, Hybrid}, nil
}

// scoreByEndpoint fills in the cosines and the scores of the candidates.
func (r *ranking) scoreByEndpoint(list []candidate, best float64) {
	least, most := 1.0, -1.0
	for i := range list {
		c := &list[i]
		c.foreign = r.shelf.foreign.cosine(c.place, r.foreign)
		if c.foreign != 0 { // it was encoded
			least, most = min(least, c.foreign), max(most, c.foreign)
		}
		if r.vector != nil {
			c.cosine = float64(r.shelf.vectors.Dot(c.place, r.vector))
		}
	}
	weight := r.shelf.weight(r.terms)
	for i := range list {
		c := &list[i]
		switch {
		case r.query.Retriever == Dense:
			c.score = c.foreign
		case best == 0:
			c.score = c.foreign - 1
		default:
			words := c.bm25 / best
			near := words
			if c.foreign != 0 {
				near = 0
				if most > least {
					near = (c.foreign - least) / (most - least)
				}
			}
			c.score = (words + near) / 2 * best / weight
		}
	}
}

// public accepts what keep does and may have been sent to an endpoint.
func (r *ranking) public(keep func(place int) bool) func(place int) bool {
	return func(place int) bool {
		return !r.library.passages[r.shelf.ordinals[place]].Private && (keep == nil || keep(place))
	}
}

// sendable is the text of a passage that an endpoint encodes; empty for one that stays here.
func sendable(p *passage.Passage) string {
	if p.Private {
		return ""
	}
	return p.Indexed()
}
