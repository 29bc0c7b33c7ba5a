package gap

import "math"

// model is a logistic model of a question's features: the probability that what is asked for is
// missing. Its weights are never positive, so that more coverage never raises the probability.
type model struct {
	Bias    float64
	Weights features
	Means   features
}

// scales bring the features to comparable steps; measured.
var scales = features{bestBM25: 0.15, softCoverage: 0.20, nearest: 0.15, titleOverlap: 0.25, coverage: 0.20, acquaintance: 0.20}

// shipped is the model for a base with an encoder before its rehearsal, learnt from 948 questions
// on a base of 20,000 passages half of which had lost their evidence. It also is what the
// rehearsal is drawn towards.
var shipped = model{
	Bias:    0.34,
	Weights: features{bestBM25: -0.34, softCoverage: -0.88, nearest: -0.91},
	Means:   features{bestBM25: 0.341, softCoverage: 0.691, nearest: 0.812},
}

// shippedWords is the model for a shelf without an encoder, from exact words alone. Learnt from
// 6,158 questions on 200 simulated bases of 50 to 800 passages, half of the questions without their
// evidence, half of the bases about one neighbourhood of questions. Measured again as the library ranks
// today: AUC .980, .977, .972, .966 and .948 with 50, 100, 200, 400 and 800 passages (230 to 3,078
// questions), errors of .014 to .050; fitted anew, bias .21 and weights -.73, -.83, -.74.
var shippedWords = model{
	Bias:    0.19,
	Weights: features{bestBM25: -0.65, coverage: -0.77, acquaintance: -0.88},
	Means:   features{bestBM25: 0.345, coverage: 0.531, acquaintance: 0.718},
}

// shippedTitle is the weight of the title overlap, which only a rehearsal may switch on: where
// titles are file names it says nothing.
const shippedTitle = -0.60

// probability that what is asked for is missing, in 0..1.
func (m model) probability(f features) float64 { return sigmoid(m.logit(f)) }

func (m model) logit(f features) float64 {
	sum := m.Bias
	for k := range f {
		sum += m.Weights[k] * standard(f[k], m.Means[k], scales[k])
	}
	return sum
}

// standard is the feature in scaled steps from its mean, held within four of them.
func standard(x, mean, scale float64) float64 {
	return min(max((x-mean)/scale, -4), 4)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
