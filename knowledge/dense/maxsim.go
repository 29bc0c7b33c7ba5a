package dense

import (
	"slices"

	"lacuna/vecmath"
	"lacuna/vecmath/mapped"
)

// MaxSim is the idf-weighted mean, over the query's distinct known terms, of the largest cosine
// between the term's vector and any of the text's terms, at least 0: the late interaction of
// ColBERT (Khattab & Zaharia 2020) over word vectors. It is in 0..1, and 0 where either side has
// no known term. To compare one query with many texts use a [Matcher].
func (e *Encoder) MaxSim(query, text []string) float64 { return e.Matcher(query).MaxSim(text) }

// Matcher compares one query with many texts. It remembers the cosines it has computed, and must
// not be used concurrently.
type Matcher struct {
	encoder *Encoder
	query   []termCount
	units   []float32     // of the query's terms, concatenated
	weight  float32       // sum of the query terms' idf
	places  map[int32]int // of a text term's cosines in cosines, by row
	cosines []float32     // len(query) for each text term seen
	best    []float32     // scratch, by query term
	window  []float32     // scratch, the vector of part of a text
}

// Matcher returns a matcher for a query.
func (e *Encoder) Matcher(query []string) *Matcher {
	m := &Matcher{encoder: e, query: e.bag(query), places: make(map[int32]int)}
	m.best = make([]float32, len(m.query))
	defer mapped.Release(e, mapped.Guard())
	for _, term := range m.query {
		m.weight += e.idf[term.row]
		m.units = append(m.units, e.unit(term.row)...)
	}
	return m
}

// MaxSim is [Encoder.MaxSim] of the matcher's query and a text.
func (m *Matcher) MaxSim(text []string) float64 {
	clear(m.best)
	for _, term := range text {
		if row, known := m.encoder.rows[term]; known {
			m.consider(row)
		}
	}
	return m.mean()
}

// Translation says which row of an encoder each term number of an index has; -1 for none.
type Translation []int32

// Translate returns the translation of the numbers by which vocabulary lists its terms.
func (e *Encoder) Translate(vocabulary []string) Translation {
	t := make(Translation, len(vocabulary))
	for number, term := range vocabulary {
		row, known := e.rows[term]
		if !known {
			row = -1
		}
		t[number] = row
	}
	return t
}

// MaxSimNumbers is [Matcher.MaxSim] of a text given by term numbers, several times faster.
func (m *Matcher) MaxSimNumbers(text []uint32, t Translation) float64 {
	clear(m.best)
	for _, number := range text {
		if row := t[number]; row >= 0 {
			m.consider(row)
		}
	}
	return m.mean()
}

// consider keeps the cosines of a term of the text that are the best so far.
func (m *Matcher) consider(row int32) {
	for i, cosine := range m.with(row) {
		m.best[i] = max(m.best[i], cosine)
	}
}

// mean returns the mean of the best cosines, weighted by idf.
func (m *Matcher) mean() float64 {
	if !(m.weight > 0) {
		return 0
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
		defer mapped.Release(m.encoder, mapped.Guard())
		start = len(m.cosines)
		m.places[row] = start
		m.cosines = slices.Grow(m.cosines, len(m.query))[:start+len(m.query)]
		vecmath.Dots(m.cosines[start:], m.encoder.unit(row), m.units)
	}
	return m.cosines[start : start+len(m.query)]
}

// Windows of a text that are compared with a query by themselves; measured.
const (
	windowLength = 24 // terms
	windowStep   = 12
)

// BestWindow returns the largest cosine between a unit vector and the vectors of a text's windows of 24
// terms, every 12 terms, at least 0: the best part of a long text counts, as in MaxP (Dai & Callan 2019).
// The text is given by term numbers.
func (m *Matcher) BestWindow(vector []float32, text []uint32, t Translation) float64 {
	best := float32(0)
	for start := 0; start == 0 || start+windowStep < len(text); start += windowStep {
		best = max(best, m.windowCosine(vector, text[start:min(start+windowLength, len(text))], t))
	}
	return min(1, float64(best))
}

// windowCosine returns the cosine of a unit vector and a window of a text; 0 if the encoder knows none of
// its terms.
func (m *Matcher) windowCosine(vector []float32, window []uint32, t Translation) float32 {
	m.window = resize(m.window, m.encoder.dim)
	clear(m.window)
	for i, number := range window {
		row := t[number]
		if row < 0 {
			continue
		}
		frequency, first := 0, true
		for j, other := range window {
			if other == number {
				frequency++
				first = first && j >= i
			}
		}
		if first {
			weight := m.encoder.idf[row] * saturation(frequency) * m.encoder.lengths[row]
			vecmath.AddScaled(m.window, m.encoder.unit(row), weight)
		}
	}
	length := vecmath.Norm(m.window)
	if !(length > 0) {
		return 0
	}
	return vecmath.Dot(m.window, vector) / length
}

// Nearest returns, for each of some terms, the largest cosine between its vector and those of a text's terms,
// at least 0; 0 for a term that the encoder does not know. The text is given by term numbers.
func (m *Matcher) Nearest(terms []string, text []uint32, t Translation) []float32 {
	m.MaxSimNumbers(text, t)
	nearest := make([]float32, len(terms))
	for i, term := range terms {
		if row, known := m.encoder.rows[term]; known {
			for j, own := range m.query {
				if own.row == row {
					nearest[i] = m.best[j]
				}
			}
		}
	}
	return nearest
}
