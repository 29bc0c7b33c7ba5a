package gap

import (
	"cmp"
	"slices"

	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// BM25 as the library's search scores it, without the factor k1+1.
const (
	k1 = 1.2
	b  = 0.75
)

// candidates is how many passages each side of the hybrid proposes.
const candidates = 200

// masked is a copy of a shelf in memory from which passages can be hidden, so that the judge can be
// asked about what it then does not have. It is used by one goroutine.
type masked struct {
	shelf    shelf
	passages []*passage.Passage // of the library, by ordinal
	members  []int              // ordinals on the copy
	postings map[string][]posting
	length   map[int]int
	hidden   map[int]bool
	gone     map[string]int // document frequency among the hidden
	visible  int
	total    int     // terms of the visible passages
	lambda   float64 // weight of the cosine in the fused score
}

type posting struct {
	ordinal int
	count   int
}

// newMasked copies the passages of the given ordinals.
func newMasked(shelf shelf, passages []*passage.Passage, members []int, lambda float64) *masked {
	m := &masked{
		shelf: shelf, passages: passages, members: members,
		postings: make(map[string][]posting),
		length:   make(map[int]int, len(members)),
		hidden:   make(map[int]bool),
		gone:     make(map[string]int),
		visible:  len(members),
		lambda:   lambda,
	}
	for _, ordinal := range members {
		terms := shelf.Terms(ordinal)
		m.length[ordinal] = len(terms)
		m.total += len(terms)
		for _, term := range terms {
			list := m.postings[term]
			if n := len(list); n > 0 && list[n-1].ordinal == ordinal {
				list[n-1].count++
				continue
			}
			m.postings[term] = append(list, posting{ordinal, 1})
		}
	}
	return m
}

// hide takes a passage out of the copy; hiding it twice does nothing.
func (m *masked) hide(ordinal int) {
	if m.hidden[ordinal] {
		return
	}
	m.hidden[ordinal] = true
	m.count(ordinal, 1)
}

// show brings a hidden passage back.
func (m *masked) show(ordinal int) {
	if !m.hidden[ordinal] {
		return
	}
	delete(m.hidden, ordinal)
	m.count(ordinal, -1)
}

func (m *masked) count(ordinal, by int) {
	m.visible -= by
	m.total -= by * m.length[ordinal]
	seen := make(map[string]bool)
	for _, term := range m.shelf.Terms(ordinal) {
		if !seen[term] {
			seen[term] = true
			m.gone[term] += by
		}
	}
}

// N and DocFreq are the statistics of what is not hidden.
func (m *masked) N() int { return m.visible }

func (m *masked) DocFreq(term string) int { return len(m.postings[term]) - m.gone[term] }

// search returns the fused list for a question over what is not hidden.
func (m *masked) search(q question) evidence {
	e := evidence{statistics: m}
	scores := m.bm25(q.content)
	best := 0.0
	for _, s := range scores {
		best = max(best, s)
	}
	pool := topOrdinals(scores, candidates)
	encoder := m.shelf.Encoder()
	cosines := make(map[int]float64)
	if encoder != nil {
		e.words = encoder
		if vector, ok := encoder.Encode(q.content); ok {
			pool, cosines = m.addDense(pool, vector)
		}
	}
	for _, c := range cosines {
		e.dense = max(e.dense, c)
	}
	score := func(ordinal int) float64 {
		s := m.lambda * cosines[ordinal]
		if best > 0 {
			s += scores[ordinal] / best
		}
		return s
	}
	slices.SortFunc(pool, func(x, y int) int {
		return cmp.Or(cmp.Compare(score(y), score(x)), cmp.Compare(x, y))
	})
	for _, ordinal := range pool[:min(depth, len(pool))] {
		e.found = append(e.found, found{
			passage: m.passages[ordinal], ordinal: ordinal, bm25: scores[ordinal],
			terms: evidenceTerms(m.shelf, m.passages[ordinal], ordinal),
		})
	}
	return e
}

// bm25 scores every visible passage that holds one of the terms.
func (m *masked) bm25(terms []string) map[int]float64 {
	scores := make(map[int]float64)
	if m.visible == 0 {
		return scores
	}
	average := float64(m.total) / float64(m.visible)
	for _, term := range terms {
		weight := idf(m, term)
		for _, p := range m.postings[term] {
			if m.hidden[p.ordinal] {
				continue
			}
			tf := float64(p.count)
			scores[p.ordinal] += weight * tf / (tf + k1*(1-b+b*float64(m.length[p.ordinal])/average))
		}
	}
	return scores
}

// addDense unites the pool with the passages nearest to a vector and returns the cosine of each.
func (m *masked) addDense(pool []int, vector []float32) ([]int, map[int]float64) {
	cosines := make(map[int]float64, 2*candidates)
	for _, ordinal := range pool {
		if own := m.shelf.Vector(ordinal); own != nil {
			cosines[ordinal] = float64(vecmath.Dot(vector, own))
		}
	}
	dense := 0
	for _, n := range m.shelf.Nearest(vector, 2*candidates) {
		if m.hidden[n.Ordinal] || m.length[n.Ordinal] == 0 || dense == candidates {
			continue
		}
		dense++
		if _, known := cosines[n.Ordinal]; !known {
			cosines[n.Ordinal] = n.Cosine
			pool = append(pool, n.Ordinal)
		}
	}
	return pool, cosines
}

// topOrdinals are the n ordinals of highest score, best first, equal ones in ascending order.
func topOrdinals(scores map[int]float64, n int) []int {
	type scored struct {
		ordinal int
		score   float64
	}
	all := make([]scored, 0, len(scores))
	for ordinal, score := range scores {
		all = append(all, scored{ordinal, score})
	}
	slices.SortFunc(all, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.ordinal, y.ordinal))
	})
	top := make([]int, min(n, len(all)))
	for i := range top {
		top[i] = all[i].ordinal
	}
	return top
}

// unit scales v to length 1 in place; a zero vector stays.
func unit(v []float32) []float32 {
	if length := vecmath.Norm(v); length > 0 {
		vecmath.Scale(v, 1/length)
	}
	return v
}
