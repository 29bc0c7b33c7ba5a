package gate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lacuna/knowledge/gate/trees"
)

// advantage tells from features by how much the second answer is better than the first: the mean of
// trees for each answer, trees for the difference, and a linear model of it, calibrated for each model.
// It is immutable and safe for concurrent use.
type advantage struct {
	names  []string // of the features
	models []string // that the features tell apart, in order
	trees  *trees.Model
	linear ridge
	lines  map[string]line
}

// line is a calibration: what a raw score, and being a question to answer by yes or no, are worth.
type line struct {
	Base  float64 `json:"base"`
	YesNo float64 `json:"yesno"`
	Slope float64 `json:"slope"`
}

func (l line) of(score float64, yesNo bool) float64 {
	v := l.Base + l.Slope*score
	if yesNo {
		v += l.YesNo
	}
	return v
}

// lesson is one past question to learn the advantage from.
type lesson struct {
	item Item
	row  sheet
	// score of both answers; that of the second with the fallback in place.
	score [2]float64
}

const (
	advantageFolds = 4 // of the calibration's scores
	treeSeeds      = 2
	yesNoPenalty   = 5
)

// fitAdvantage trains on all lessons, and calibrates on the scores of models that had not seen them.
func fitAdvantage(ctx context.Context, lessons []lesson, o trees.Options, seed uint64) (*advantage, error) {
	scores := make([]float64, len(lessons))
	for fold := range advantageFolds {
		var seen []lesson
		for _, l := range lessons {
			if foldOf(l.item, advantageFolds) != fold {
				seen = append(seen, l)
			}
		}
		if len(seen) < leastGroup {
			return nil, nil
		}
		a, err := trainAdvantage(ctx, seen, o, seed)
		if err != nil {
			return nil, err
		}
		for n, l := range lessons {
			if foldOf(l.item, advantageFolds) == fold {
				scores[n] = a.raw(l.item.Model, l.row)
			}
		}
	}
	a, err := trainAdvantage(ctx, lessons, o, seed)
	if err != nil {
		return nil, err
	}
	a.lines = make(map[string]line)
	for _, model := range a.models {
		a.lines[model] = calibrate(model, lessons, scores)
	}
	return a, nil
}

// trainAdvantage trains without calibrating.
func trainAdvantage(ctx context.Context, lessons []lesson, o trees.Options, seed uint64) (*advantage, error) {
	a := &advantage{names: lessons[0].row.names}
	for _, l := range lessons {
		if !slices.Contains(a.models, l.item.Model) {
			a.models = append(a.models, l.item.Model)
		}
	}
	slices.Sort(a.models)
	rows := make([][]float64, len(lessons))
	var first, second, more []float64
	for n, l := range lessons {
		rows[n] = a.row(l.item.Model, l.row)
		first, second, more = append(first, l.score[0]), append(second, l.score[1]), append(more, l.score[1]-l.score[0])
	}
	var parts []*trees.Model
	var weights []float64
	for n, targets := range [][]float64{first, second, more} {
		for round := range treeSeeds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			o.Seed = seed + uint64(round)
			m, _, err := trees.Train(rows, targets, o)
			if err != nil {
				return nil, fmt.Errorf("train the advantage of retrieval: %w", err)
			}
			parts, weights = append(parts, m), append(weights, [3]float64{-1, 1, 1}[n]/(3*treeSeeds))
		}
	}
	var err error
	if a.trees, err = trees.Sum(parts, weights); err != nil {
		return nil, fmt.Errorf("train the advantage of retrieval: %w", err)
	}
	a.linear = fitRidge(rows, more, ridgePenalty)
	return a, nil
}

// row is a row of features with an indicator for each model.
func (a *advantage) row(model string, s sheet) []float64 {
	row := append([]float64(nil), s.values...)
	for _, m := range a.models {
		is := 0.0
		if m == model {
			is = 1
		}
		row = append(row, is)
	}
	return row
}

// raw is the score before the calibration.
func (a *advantage) raw(model string, s sheet) float64 {
	if !slices.Equal(s.names, a.names) { // of another version of the program
		return math.NaN()
	}
	row := a.row(model, s)
	v, err := a.trees.Predict(row)
	if err != nil {
		return math.NaN()
	}
	return v + a.linear.predict(row)/3
}

// of is by how much the second answer raises the expected score; NaN for a model that was never seen.
func (a *advantage) of(q Question, s sheet) float64 {
	l, known := a.lines[q.Model]
	if !known {
		return math.NaN()
	}
	return l.of(a.raw(q.Model, s), ShapeOf(q) == YesNo)
}

// calibrate fits a line to the scores of one model by least squares, with a penalty on what a yes or
// no question is worth by itself. A slope below 0 says that the score is worth nothing.
func calibrate(model string, lessons []lesson, scores []float64) line {
	var rows [][3]float64
	var gains []float64
	for n, l := range lessons {
		if l.item.Model != model {
			continue
		}
		yesNo := 0.0
		if ShapeOf(l.item.Question) == YesNo {
			yesNo = 1
		}
		rows, gains = append(rows, [3]float64{1, yesNo, scores[n]}), append(gains, l.score[1]-l.score[0])
	}
	matrix := [][]float64{{1e-9, 0, 0}, {0, yesNoPenalty, 0}, {0, 0, 1e-9}}
	right := make([]float64, 3)
	for n, row := range rows {
		for i := range row {
			right[i] += row[i] * gains[n]
			for j := 0; j <= i; j++ {
				matrix[i][j] += row[i] * row[j]
			}
		}
	}
	x := solve(matrix, right)
	if !(x[2] >= 0) {
		return line{Base: mean(gains)}
	}
	return line{Base: x[0], YesNo: x[1], Slope: x[2]}
}
