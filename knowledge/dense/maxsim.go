package dense

import "lacuna/vecmath"

// MaxSim is the idf-weighted mean, over the query's distinct known terms, of the largest cosine
// between the term's vector and any of the text's terms, at least 0: the late interaction of
// ColBERT (Khattab & Zaharia 2020) over word vectors. It is in 0..1, and 0 where either side has
// no known term. To compare one query with many texts use a [Matcher].
func (e *Encoder) MaxSim(query, text []string) float64 { return e.Matcher(query).MaxSim(text) }

// Matcher compares one query with many texts. It remembers the cosines it has computed, and must
// not be used by several goroutines at once.
type Matcher struct {
	encoder *Encoder
	query   []bagged
	weight  float32       // sum of the query terms' idf
	places  map[int32]int // of a text term's cosines in cosines, by row
	cosines []float32     // len(query) for each text term seen
	best    []float32     // scratch, by query term
}

// Matcher returns a matcher for a query.
func (e *Encoder) Matcher(query []string) *Matcher {
	m := &Matcher{encoder: e, query: e.bag(query), places: make(map[int32]int)}
	m.best = make([]float32, len(m.query))
	for _, term := range m.query {
		m.weight += e.idf[term.row]
	}
	return m
}

// MaxSim is [Encoder.MaxSim] of the matcher's query and a text.
func (m *Matcher) MaxSim(text []string) float64 {
	if !(m.weight > 0) {
		return 0
	}
	clear(m.best)
	for _, term := range text {
		row, known := m.encoder.rows[term]
		if !known {
			continue
		}
		for i, cosine := range m.with(row) {
			m.best[i] = max(m.best[i], cosine)
		}
	}
	var sum float32
	for i, term := range m.query {
		sum += m.encoder.idf[term.row] * m.best[i]
	}
	return min(1, float64(sum/m.weight))
}

// with returns the cosines of the query's terms with one term.
func (m *Matcher) with(row int32) []float32 {
	start, seen := m.places[row]
	if !seen {
		start = len(m.cosines)
		m.places[row] = start
		for _, term := range m.query {
			m.cosines = append(m.cosines, vecmath.Dot(m.encoder.unit(term.row), m.encoder.unit(row)))
		}
	}
	return m.cosines[start : start+len(m.query)]
}
