// Package distances measures how far questions are from the text nearest to them in each of several bases: Figure 1 of
// the Misknow-RAG paper, which has stored question–answer pairs nearer than passages.
//
// Begin with [Measure]. Distances are comparable only under one encoder, so all bases share it; [Train] makes one from
// all of them together, because an encoder that was trained on one base favours it.
package distances

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/par"
	"lacuna/vecmath"
)

// Encode returns the unit vector of a text; false if the encoder knows none of its words. It is called concurrently.
type Encode func(text string) (vector []float32, known bool)

// Text is an entry of a base.
type Text struct {
	Text string
	// Question is the stored question of a pair; empty for a passage. A question is not compared with its own pair.
	Question string
}

// Base is what questions are compared with.
type Base struct {
	Name  string
	Texts []Text
}

// Bins of the histograms. Two unit vectors are at most 2 apart.
const (
	Bins     = 40
	Farthest = 2.0
)

// Figures are of one base.
type Figures struct {
	Name  string
	Texts int // that were compared
	// Distances are in the order of the questions that were measured.
	Distances                            []float64
	Mean, Low, High                      float64 // with the central 95 % of 10,000 resamples
	FirstQuartile, Median, ThirdQuartile float64
	// Histogram counts the questions by distance, in equal bins from 0 to [Farthest].
	Histogram [Bins]int
	// OwnPairs counts the questions that have a pair with the same question, which was left out for them.
	OwnPairs int
}

// Result is of questions measured in every base.
type Result struct {
	N       int // questions measured
	Unknown int // questions without a word that the encoder knows; they are left out
	Bases   []Figures
}

// ErrNothing says that there is nothing to measure.
var ErrNothing = errors.New("no distance can be measured")

const resamples = 10_000

// Measure returns the Euclidean distance of each question to the nearest text of each base. A pair whose question is
// the same question, after [eval.Normalize], is not compared with it.
func Measure(ctx context.Context, encode Encode, questions []string, bases []Base, seed uint64) (Result, error) {
	var r Result
	var vectors [][]float32
	var normal []string
	for _, q := range questions {
		v, known := encode(q)
		if !known {
			r.Unknown++
			continue
		}
		vectors, normal = append(vectors, v), append(normal, eval.Normalize(q))
	}
	if r.N = len(vectors); r.N == 0 {
		return r, fmt.Errorf("%w: no question has a word that the encoder knows", ErrNothing)
	}
	for _, base := range bases {
		rows, asked, err := encodeBase(ctx, encode, base, len(vectors[0]))
		if err != nil {
			return r, err
		}
		f := Figures{Name: base.Name, Texts: rows.Len(), Distances: make([]float64, r.N)}
		stored := make(map[string]bool, len(asked))
		for _, question := range asked {
			stored[question] = question != ""
		}
		par.Each(r.N, func(i int) {
			if ctx.Err() != nil {
				return
			}
			f.Distances[i] = math.NaN()
			nearest, err := rows.NearestL2Where(vectors[i], 1, func(row int) bool { return asked[row] == "" || asked[row] != normal[i] })
			if err == nil && len(nearest) > 0 {
				f.Distances[i] = float64(nearest[0].Distance)
			}
		})
		if err := ctx.Err(); err != nil {
			return r, err
		}
		for i, d := range f.Distances {
			if math.IsNaN(d) {
				return r, fmt.Errorf("%w: %s has no text to compare with", ErrNothing, base.Name)
			}
			if stored[normal[i]] {
				f.OwnPairs++
			}
		}
		f.summarise(seed)
		r.Bases = append(r.Bases, f)
	}
	return r, nil
}

// encodeBase returns the vectors of a base's texts, and of each the stored question, normalised; empty of a passage.
func encodeBase(ctx context.Context, encode Encode, base Base, dim int) (*vecmath.Rows, []string, error) {
	vectors := make([][]float32, len(base.Texts))
	asked := make([]string, len(base.Texts))
	par.Each(len(base.Texts), func(i int) {
		if ctx.Err() != nil {
			return
		}
		if v, known := encode(base.Texts[i].Text); known {
			vectors[i], asked[i] = v, eval.Normalize(base.Texts[i].Question)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	rows := vecmath.NewRows(dim)
	var kept []string
	for i, v := range vectors {
		if v == nil {
			continue
		}
		if err := rows.Append(v); err != nil {
			return nil, nil, fmt.Errorf("encode a text of %s: %w", base.Name, err)
		}
		kept = append(kept, asked[i])
	}
	return rows, kept, nil
}

func (f *Figures) summarise(seed uint64) {
	f.Mean = mean(f.Distances)
	f.Low, f.High = eval.Bootstrap(f.Distances, mean, resamples, seed)
	sorted := slices.Sorted(slices.Values(f.Distances))
	f.FirstQuartile, f.Median, f.ThirdQuartile = quantile(sorted, .25), quantile(sorted, .5), quantile(sorted, .75)
	for _, d := range f.Distances {
		f.Histogram[min(max(int(d/Farthest*Bins), 0), Bins-1)]++
	}
}

// Closer compares two bases question by question.
type Closer struct {
	Share, Low, High float64 // of the questions for which the first base is strictly nearer
	Ties             int
	// Difference is the first mean less the second, paired, with its interval.
	Difference, DifferenceLow, DifferenceHigh float64
}

// Compare tells how often and by how much base a is nearer than base b.
func (r Result) Compare(a, b int, seed uint64) Closer {
	var nearer, differences []float64
	c := Closer{}
	for i, d := range r.Bases[a].Distances {
		other := r.Bases[b].Distances[i]
		is := 0.0
		switch cmp.Compare(d, other) {
		case -1:
			is = 1
		case 0:
			c.Ties++
		}
		nearer, differences = append(nearer, is), append(differences, d-other)
	}
	c.Share, c.Difference = mean(nearer), mean(differences)
	c.Low, c.High = eval.Bootstrap(nearer, mean, resamples, seed)
	c.DifferenceLow, c.DifferenceHigh = eval.Bootstrap(differences, mean, resamples, seed)
	return c
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile interpolates between the two nearest of sorted values.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	below := int(at)
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}
