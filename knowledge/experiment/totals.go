package experiment

import (
	"fmt"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/dataset"
)

// totals returns the figures that are of all answers together and no means of values of each.
func totals(answers []Answered, queries []eval.Query, seed uint64) []Figure {
	figures := corpusBLEU(answers, queries, seed)
	figures = append(figures, gapFigures(answers, queries)...)
	return append(figures, riskFigures(answers, queries, seed)...)
}

// corpusBLEU returns BLEU-1 to -4 over all answers together, for each tokenisation that fits.
func corpusBLEU(answers []Answered, queries []eval.Query, seed uint64) []Figure {
	var all []Figure
	for _, t := range tokenisations {
		var counts []eval.BLEUCounts
		for i, a := range answers {
			if p, ok := t.pair(a, queries[i]); ok {
				counts = append(counts, eval.BLEUCountsOf(p))
			}
		}
		for n := 1; n <= 4 && len(counts) > 0; n++ {
			bleu := func(some []eval.BLEUCounts) float64 {
				var sum eval.BLEUCounts
				for _, c := range some {
					sum = sum.Plus(c)
				}
				return sum.BLEU(n)
			}
			low, high := eval.Bootstrap(counts, bleu, resamples, seed)
			all = append(all, Figure{Name: fmt.Sprintf("BLEU-%d, %s", n, t.name), Value: bleu(counts), Low: low, High: high, N: len(counts)})
		}
	}
	return all
}

// gapFigures measures the probabilities that something is missing, of questions of which it is known whether the sources
// cover them.
func gapFigures(answers []Answered, queries []eval.Query) []Figure {
	var judged []eval.Prediction
	for i, a := range answers {
		if covered := queries[i].Covered; covered != nil {
			judged = append(judged, eval.Prediction{Score: a.Missing, True: !*covered})
		}
	}
	var all []Figure
	for _, m := range eval.GapMeasures(judged) {
		if m.Value == m.Value { // not NaN: both kinds are there
			all = append(all, Figure{"gaps, " + m.Name, m.Value, m.Low, m.High, m.N})
		}
	}
	return all
}

// riskFigures measures abstention: the mean share of wrong answers over all coverages, if those questions are answered
// first of which least is missing; and Brier's score of the probability that the answer is right.
func riskFigures(answers []Answered, queries []eval.Query, seed uint64) []Figure {
	known := knownRight(answers, queries)
	if len(known) == 0 {
		return nil
	}
	area := func(some []eval.Prediction) float64 {
		_, area := eval.CoverageRisk(some)
		return area
	}
	var all []Figure
	for _, m := range []struct {
		name string
		of   func([]eval.Prediction) float64
	}{{"risk over coverage", area}, {"Brier score of being right", eval.Brier}} {
		low, high := eval.Bootstrap(known, m.of, riskResamples, seed)
		all = append(all, Figure{m.name, m.of(known), low, high, len(known)})
	}
	return all
}

// knownRight returns the probabilities that answers are right of which it is known whether they are.
func knownRight(answers []Answered, queries []eval.Query) []eval.Prediction {
	var known []eval.Prediction
	for i, a := range answers {
		if right, ok := isRight(a, queries[i]); ok {
			known = append(known, eval.Prediction{Score: 1 - a.Missing, True: right})
		}
	}
	return known
}

// riskResamples is smaller than resamples, because each resample is sorted.
const riskResamples = 2_000

// isRight reports whether an answer is right; ok is false if nobody says what is.
func isRight(a Answered, q eval.Query) (right, ok bool) {
	switch {
	case len(q.Options) > 0 && q.Gold != "":
		return strings.EqualFold(a.Letter, q.Gold), true
	case dataset.KindOf(q) == dataset.Short && len(golds(q)) > 0:
		return eval.CoverMatch(a.Reply, golds(q)), true
	}
	return false, false
}
