package extract

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// answered is a question with the features of its places and what they hold.
type answered struct {
	corpus       string
	answerable   bool
	first, shown bool // the first place holds the answer; any place shown does
	answerFeatures
}

func answeredQuestions(t *testing.T) []answered {
	var rows []answered
	bases(t, func(name string, library *knowledge.Library, questions []*measured) {
		o := &Offline{Judge: gap.NewJudge()}
		collection := library.Collection(passage.Text)
		for _, q := range questions {
			asked := newInquiry(q.Question)
			c, err := o.consult(t.Context(), library, answer.Question{Text: asked.gist}, asked, startWatch())
			if err != nil {
				t.Fatal(err)
			}
			r := newPlacing(asked.gist, collection, c.found.texts...)
			all := r.scored()
			chosen := r.chooseOf(all)
			if len(chosen) == 0 {
				continue
			}
			row := answered{corpus: name, answerable: q.Answerable}
			row.answerFeatures = r.answerFeatures(all, chosen, c.verdict, c.opinion.opening(), c.opinion.confidence)
			for i, p := range chosen {
				span := r.span(p)
				if q.Answerable && q.answeredBy(r.pages[p.page].hit.Passage.Text[span.Start:span.End]) {
					row.shown, row.first = true, row.first || i == 0
				}
			}
			rows = append(rows, row)
		}
	})
	return rows
}

// How the model is fitted: strongly drawn to 0, since there are few questions, and an answer to what is not covered
// counts twice.
const (
	answerPenalty   = 300
	uncoveredWeight = 2
)

// fitAnswers fits the model by Newton's method. A question whose first place holds the answer counts as answered,
// and one of which another place shown does as half.
func fitAnswers(rows []answered) answerModel {
	const n = numAnswerFeatures + 1
	var mean, deviation answerFeatures
	for _, row := range rows {
		for j, x := range row.answerFeatures {
			mean[j] += x / float64(len(rows))
		}
	}
	for _, row := range rows {
		for j, x := range row.answerFeatures {
			deviation[j] += (x - mean[j]) * (x - mean[j]) / float64(len(rows))
		}
	}
	for j := range deviation {
		deviation[j] = math.Sqrt(deviation[j]) + 1e-9
	}
	var weights [n]float64
	for range 15 {
		var gradient [n]float64
		var curvature [n][n]float64
		for _, row := range rows {
			x := [n]float64{1}
			z := weights[0]
			for j, value := range row.answerFeatures {
				x[j+1] = (value - mean[j]) / deviation[j]
				z += weights[j+1] * x[j+1]
			}
			p, weight := logistic(z), 1.0
			if !row.answerable {
				weight = uncoveredWeight
			}
			off := weight * (p - (truthOf(row.first)+truthOf(row.shown))/2)
			for i := range x {
				gradient[i] += off * x[i]
				for j := range i + 1 {
					curvature[i][j] += weight * p * (1 - p) * x[i] * x[j]
				}
			}
		}
		for i := range n {
			for j := range i {
				curvature[j][i] = curvature[i][j]
			}
			curvature[i][i] += answerPenalty
			if i > 0 {
				gradient[i] += answerPenalty * weights[i]
			}
		}
		curvature[0][0] += 1 - answerPenalty
		step := solve(curvature, gradient)
		for i := range weights {
			weights[i] -= step[i]
		}
	}
	m := answerModel{constant: weights[0]}
	for j := range m.weights {
		m.weights[j] = weights[j+1] / deviation[j]
		m.constant -= m.weights[j] * mean[j]
	}
	return m
}

// solve solves a system of equations with a positive definite matrix by elimination.
func solve[V ~[numAnswerFeatures + 1]float64, M ~[numAnswerFeatures + 1]V](a M, b V) V {
	for i := range b {
		for k := i + 1; k < len(b); k++ {
			factor := a[k][i] / a[i][i]
			for j := i; j < len(b); j++ {
				a[k][j] -= factor * a[i][j]
			}
			b[k] -= factor * b[i]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		for j := i + 1; j < len(b); j++ {
			b[i] -= a[i][j] * b[j]
		}
		b[i] /= a[i][i]
	}
	return b
}

// TestAnswerWeights fits the model that tells answers from the nearest places and measures it with each collection
// left out.
func TestAnswerWeights(t *testing.T) {
	rows := answeredQuestions(t)
	type rated struct {
		answered
		probability float64
	}
	var all []rated
	for at := 0; at < len(rows); {
		to := at
		for to < len(rows) && rows[to].corpus == rows[at].corpus {
			to++
		}
		m := fitAnswers(slices.Concat(rows[:at], rows[to:]))
		for _, row := range rows[at:to] {
			all = append(all, rated{row, m.probability(row.answerFeatures)})
		}
		at = to
	}
	answerable := 0
	for _, r := range all {
		answerable += truth(r.answerable)
	}
	for _, from := range []float64{.4, .44, .46, .48, .5, .52, .54, .56, .58, .6} {
		said, ofAnswerable, first, shown := 0, 0, 0, 0
		for _, r := range all {
			if r.probability >= from {
				said++
				ofAnswerable, first, shown = ofAnswerable+truth(r.answerable), first+truth(r.first), shown+truth(r.shown)
			}
		}
		fmt.Printf("left out, from %.2f: said %d of %d (%.3f), not covered %d, first right %d, any right %d (%.3f of all said)\n", from,
			ofAnswerable, answerable, float64(ofAnswerable)/float64(answerable), said-ofAnswerable, first, shown, float64(shown)/float64(max(1, said)))
	}
	if !*fit {
		return
	}
	m := fitAnswers(rows)
	var text strings.Builder
	fmt.Fprintf(&text, "constant %.5f\n", m.constant)
	for j, w := range m.weights {
		fmt.Fprintf(&text, "%s %.5f\n", answerName(j), w)
	}
	if err := os.WriteFile("answerweights.txt", []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
