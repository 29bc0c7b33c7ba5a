package dense

import "lacuna/vecmath"

// Windows of a text that are compared with a query by themselves; measured.
const (
	windowLength = 24 // terms
	windowStep   = 12
)

// BestWindow is the largest cosine between a unit vector and the vectors of a text's windows of 24
// terms, every 12 terms, at least 0: the best part of a long text counts, as in MaxP (Dai & Callan
// 2019). The text is given by term numbers.
func (m *Matcher) BestWindow(vector []float32, text []uint32, t Translation) float64 {
	best := float32(0)
	for start := 0; start == 0 || start+windowStep < len(text); start += windowStep {
		best = max(best, m.windowCosine(vector, text[start:min(start+windowLength, len(text))], t))
	}
	return min(1, float64(best))
}

// windowCosine is the cosine of a unit vector and a window of a text; 0 when the encoder knows none
// of its terms.
func (m *Matcher) windowCosine(vector []float32, window []uint32, t Translation) float32 {
	m.window = resized(m.window, m.encoder.dim)
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
