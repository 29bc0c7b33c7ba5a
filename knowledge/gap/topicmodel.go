package gap

import (
	"math"
)

// model is a logistic model of a question's features: the probability that what is asked for is
// missing. Its weights are never positive, so that more coverage never raises the probability.
type model struct {
	Bias    float64
	Weights features
	Means   features
}

// scales bring the features to comparable steps; measured.
var scales = features{
	bestBM25: 0.15, softCoverage: 0.20, nearest: 0.15, titleOverlap: 0.25, coverage: 0.20,
	place: 0.20, familiarity: 0.20, length: 0.15, fitting: 0.40,
	mass: 0.10, sentence: 0.20, telling: 0.40, names: 0.15, terms: 0.15, headings: 0.50, years: 0.50, price: 0.50,
}

// shipped is the model for a base with an encoder before its self-calibration, learnt from 948 questions
// on a base of 20,000 passages; half of the questions had lost their evidence. Self-calibrated weights are
// drawn towards it.
var shipped = model{
	Bias:    0.34,
	Weights: features{bestBM25: -0.34, softCoverage: -0.88, nearest: -0.91},
	Means:   features{bestBM25: 0.341, softCoverage: 0.691, nearest: 0.812},
}

// shippedWords is the model for a collection that is judged by words and their kin. Learnt from 818 questions of
// strangers on 26 real bases of 259 to 5,521 passages in English, German and Chinese, 247 of them not covered, by
// logistic regression. On bases left out of the fit: AUC .756 [.72, .79], calibration error .06, and .33 of the missing
// and .05 of the covered are marked. A judge of words cannot do much better: strangers describe what they mean in words
// that are not the base's.
var shippedWords = model{
	Bias: -0.72,
	Weights: features{
		mass: -0.560, sentence: -0.348, telling: -0.790, names: -0.275, terms: -0.156, headings: -0.231, years: -1.300, price: -0.630,
	},
	Means: features{
		mass: 0.514, sentence: 0.390, telling: 0.191, names: 0.966, terms: 0.968, headings: 0.549, years: 0.995, price: 0.958,
	},
}

// shippedFew is the model for a collection of fewer than fewPassages, which lacks most of what can be asked. Learnt
// from 251 experts' questions on 20 simulated bases of 50 and 200 passages, of whose missing ones it marks .82 and of
// whose covered ones .02, and 176 of strangers on five real bases of 259 to 673, where it marks .33 and .12.
var shippedFew = model{
	Bias:    -0.418,
	Weights: features{bestBM25: -0.372, place: -0.542, familiarity: -0.669, length: -0.514},
	Means:   features{bestBM25: 0.332, place: 0.529, familiarity: 0.814, length: 0.460},
}

// fewPassages is the number of passages below which [shippedFew] judges.
const fewPassages = 400

// shippedTitle is the weight of the title overlap, which only self-calibration switches on: titles that
// are file names say nothing.
const shippedTitle = -0.60

// probability returns the probability, in 0..1, that what is asked for is missing.
func (m model) probability(f features) float64 { return sigmoid(m.logit(f)) }

func (m model) logit(f features) float64 {
	sum := m.Bias
	for k := range f {
		sum += m.Weights[k] * standard(f[k], m.Means[k], scales[k])
	}
	return sum
}

// standard returns a feature in scaled steps from its mean, at most four either way.
func standard(x, mean, scale float64) float64 {
	return min(max((x-mean)/scale, -4), 4)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// fitTopic fits a topic model by logistic loss, drawn towards the shipped weights. No weight becomes
// positive. The means are taken from the examples.
func fitTopic(examples []example, pull float64) model {
	m := shipped
	m.Weights[titleOverlap] = shippedTitle
	prior := m.Weights
	for k := range m.Means {
		sum := 0.0
		for _, e := range examples {
			sum += e.features[k]
		}
		m.Means[k] = sum / float64(len(examples))
	}
	rows := make([][]float64, len(examples))
	missing := make([]bool, len(examples))
	for i, e := range examples {
		rows[i] = make([]float64, featureCount)
		for k := range e.features {
			rows[i][k] = standard(e.features[k], m.Means[k], scales[k])
		}
		missing[i] = e.missing
	}
	weights := prior[:]
	fixed := make([]bool, featureCount)
	for k := coverage; k < featureCount; k++ {
		fixed[k] = true // the soft coverage stands for it
	}
	m.Bias, weights = descend(rows, missing, weights, fixed, pull)
	copy(m.Weights[:], weights)
	return m
}

// descend minimises the mean logistic loss + pull * |weights - prior|^2 over the bias and the
// weights that are not fixed, each held at or below 0, by projected gradient steps. The loss is
// convex with curvature at most (1+sum x^2)/4 + 2 pull, and the step is its inverse.
func descend(rows [][]float64, missing []bool, prior []float64, fixed []bool, pull float64) (bias float64, weights []float64) {
	weights = append([]float64(nil), prior...)
	curvature := 0.0
	for _, row := range rows {
		length := 1.0
		for _, x := range row {
			length += x * x
		}
		curvature += length / 4
	}
	n := float64(len(rows))
	step := 1 / (curvature/n + 2*pull)
	gradient := make([]float64, len(weights))
	for range 3000 {
		clear(gradient)
		slope := 0.0
		for i, row := range rows {
			logit := bias
			for k, x := range row {
				logit += weights[k] * x
			}
			off := sigmoid(logit)
			if missing[i] {
				off--
			}
			slope += off
			for k, x := range row {
				gradient[k] += off * x
			}
		}
		bias -= step * slope / n
		for k := range weights {
			if fixed[k] {
				continue
			}
			weights[k] -= step * (gradient[k]/n + 2*pull*(weights[k]-prior[k]))
			weights[k] = min(weights[k], 0)
		}
	}
	return bias, weights
}

// sound reports whether a model keeps its promises: finite numbers, and no weight above 0.
func (m *model) sound() bool {
	if m == nil {
		return true
	}
	ok := isFinite(m.Bias)
	for k := range m.Weights {
		ok = ok && isFinite(m.Weights[k]) && isFinite(m.Means[k]) && m.Weights[k] <= 0
	}
	return ok
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// example is one question of the self-calibration.
type example struct {
	features features
	missing  bool
}
