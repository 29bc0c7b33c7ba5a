package extract

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/passage"
)

var fit = flag.Bool("fit", false, "write the weights that were fitted")

// placed is a question with the features of its places.
type placed struct {
	corpus   string
	reading  *placing
	all      []place
	right    []bool
	question *measured
}

func placedQuestions(t *testing.T) []*placed {
	var rows []*placed
	bases(t, func(name string, library *knowledge.Library, questions []*measured) {
		for _, q := range questions {
			if !q.Answerable {
				continue
			}
			found, err := retrieve(t.Context(), library, answer.Question{Text: q.Question}, newInquiry(q.Question))
			if err != nil {
				t.Fatal(err)
			}
			r := newPlacing(q.Question, library.Collection(passage.Text), found.texts...)
			row := &placed{corpus: name, reading: r, all: r.scored(), question: q}
			for _, p := range row.all {
				span := r.span(p)
				row.right = append(row.right, q.answeredBy(r.pages[p.page].hit.Passage.Text[span.Start:span.End]))
			}
			rows = append(rows, row)
		}
	})
	return rows
}

// setByHand has the weights of what the questions fitted on have too few of.
var setByHand = map[int]float64{fAspectGated: 2.5, fAspect: .5, fDots: -5, fNearWhole: 1, fOwn: 1.5, fNamed: 1}

// fitPlaces fits weights so that right places score above the others of their question: the softmax of the
// scores puts the greatest mass on them. The features are scaled to equal deviation for the penalty.
func fitPlaces(rows []*placed, penalty float64) placeFeatures {
	var mean, deviation placeFeatures
	n := 0.0
	for _, row := range rows {
		for _, p := range row.all {
			n++
			for j, x := range p.placeFeatures {
				mean[j] += x
			}
		}
	}
	for j := range mean {
		mean[j] /= n
	}
	for _, row := range rows {
		for _, p := range row.all {
			for j, x := range p.placeFeatures {
				deviation[j] += (x - mean[j]) * (x - mean[j]) / n
			}
		}
	}
	for j := range deviation {
		deviation[j] = math.Sqrt(deviation[j]) + 1e-6
	}
	var weights, first, second placeFeatures
	for j, w := range setByHand {
		weights[j] = w * deviation[j]
	}
	for step := 1; step <= 400; step++ {
		var gradient placeFeatures
		used := 0.0
		for _, row := range rows {
			any := false
			for _, right := range row.right {
				any = any || right
			}
			if !any {
				continue
			}
			used++
			scores := make([]float64, len(row.all))
			top := math.Inf(-1)
			for i := range row.all {
				for j, w := range weights {
					scores[i] += w * row.all[i].placeFeatures[j] / deviation[j]
				}
				top = max(top, scores[i])
			}
			whole, good := 0.0, 0.0
			for i := range scores {
				scores[i] = math.Exp(scores[i] - top)
				whole += scores[i]
				if row.right[i] {
					good += scores[i]
				}
			}
			for i := range scores {
				p := scores[i] / whole
				if row.right[i] {
					p -= scores[i] / good
				}
				for j := range gradient {
					gradient[j] += p * row.all[i].placeFeatures[j] / deviation[j]
				}
			}
		}
		for j := range weights {
			if _, fixed := setByHand[j]; fixed {
				continue
			}
			g := gradient[j]/used + penalty*weights[j]
			first[j] = .9*first[j] + .1*g
			second[j] = .999*second[j] + .001*g*g
			weights[j] -= .03 * (first[j] / (1 - math.Pow(.9, float64(step)))) / (math.Sqrt(second[j]/(1-math.Pow(.999, float64(step)))) + 1e-8)
		}
	}
	for j := range weights {
		weights[j] /= deviation[j]
	}
	return weights
}

// shownRight reports whether the places shown with some weights hold the answer, and whether the first does.
func (row *placed) shownRight(weights placeFeatures) (shown, first bool) {
	for i := range row.all {
		row.all[i].score = row.all[i].placeFeatures.dot(weights)
	}
	r := row.reading
	for i, p := range r.chooseOf(row.all) {
		span := r.span(p)
		if row.question.answeredBy(r.pages[p.page].hit.Passage.Text[span.Start:span.End]) {
			shown = true
			first = first || i == 0
		}
	}
	return shown, first
}

// TestPlaceWeights fits the weights of places and measures them with each collection left out.
func TestPlaceWeights(t *testing.T) {
	rows := placedQuestions(t)
	var names []string
	for _, row := range rows {
		if len(names) == 0 || names[len(names)-1] != row.corpus {
			names = append(names, row.corpus)
		}
	}
	now := 0
	penalties := []float64{.1}
	if *fit {
		penalties = nil
	}
	for _, row := range rows {
		if s, _ := row.shownRight(placeWeights); s {
			now++
		}
	}
	fmt.Printf("as shipped: shown %d of %d\n", now, len(rows))
	for _, penalty := range penalties {
		var wait sync.WaitGroup
		shown, first := make([]int, len(names)), make([]int, len(names))
		for c, name := range names {
			wait.Go(func() {
				var train []*placed
				for _, row := range rows {
					if row.corpus != name {
						train = append(train, row)
					}
				}
				weights := fitPlaces(train, penalty)
				for _, row := range rows {
					if row.corpus == name {
						if s, f := row.shownRight(weights); s {
							shown[c]++
							if f {
								first[c]++
							}
						}
					}
				}
			})
		}
		wait.Wait()
		all, top := 0, 0
		for c := range names {
			all += shown[c]
			top += first[c]
		}
		fmt.Printf("penalty %v: left out: shown %d, first %d; %v\n", penalty, all, top, shown)
	}
	weights := fitPlaces(rows, .1)
	var text strings.Builder
	for j, w := range weights {
		fmt.Fprintf(&text, "%s %.4f\n", placeFeatureNames[j], w)
	}
	now = 0
	for _, row := range rows {
		if s, _ := row.shownRight(weights); s {
			now++
		}
	}
	fmt.Printf("fitted on all: shown %d\n%s", now, text.String())
	if *fit {
		if err := os.WriteFile("placeweights.txt", []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
