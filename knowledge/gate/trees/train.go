package trees

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Report says how a training went.
type Report struct {
	Trees     int     // kept
	Grown     int     // before the best round was known
	TrainRMSE float64 // of the rows that were trained on
	HeldRMSE  float64 // of the held-out rows; NaN without any
}

// Train fits a model to rows of equally many features and their targets. A missing or infinite value
// is an error, as is a row of another length.
func Train(rows [][]float64, targets []float64, o Options) (*Model, Report, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, Report{}, err
	}
	if err := check(rows, targets); err != nil {
		return nil, Report{}, err
	}
	random := rand.New(rand.NewPCG(o.Seed, 0x1acc))
	fit, held := holdOut(len(rows), o.HeldOut, random)
	b := &boosting{
		rows: rows, targets: targets, options: o, random: random, fit: fit, held: held,
		predictions: make([]float64, len(rows)), residuals: make([]float64, len(fit)),
	}
	b.run()
	return b.model(), b.report, nil
}

func check(rows [][]float64, targets []float64) error {
	if len(rows) == 0 || len(rows) != len(targets) {
		return fmt.Errorf("%d rows with %d targets", len(rows), len(targets))
	}
	if len(rows[0]) == 0 {
		return errors.New("rows without features")
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return fmt.Errorf("row %d has %d features, the first has %d", i, len(row), len(rows[0]))
		}
		for f, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d: feature %d is %v", i, f, v)
			}
		}
		if math.IsNaN(targets[i]) || math.IsInf(targets[i], 0) {
			return fmt.Errorf("row %d: target is %v", i, targets[i])
		}
	}
	return nil
}

// holdOut divides rows by chance into those to train on and those that decide when to stop.
func holdOut(n int, share float64, random *rand.Rand) (fit, held []int32) {
	if share == 0 {
		for i := range n {
			fit = append(fit, int32(i))
		}
		return fit, nil
	}
	order := random.Perm(n)
	out := make([]bool, n)
	for _, i := range order[:max(1, int(share*float64(n)))] {
		out[i] = true
	}
	for i := range n {
		if out[i] {
			held = append(held, int32(i))
		} else {
			fit = append(fit, int32(i))
		}
	}
	return fit, held
}

// boosting is a training on its way.
type boosting struct {
	rows        [][]float64
	targets     []float64
	options     Options
	random      *rand.Rand
	fit, held   []int32
	predictions []float64
	residuals   []float64 // of the rows of fit, in their order
	trees       []Tree
	mean        float64
	report      Report
}

func (b *boosting) run() {
	grower := newGrower(b.binned(), b.residuals, b.options, b.random)
	for _, r := range b.fit {
		b.mean += b.targets[r] / float64(len(b.fit))
	}
	for i := range b.predictions {
		b.predictions[i] = b.mean
	}
	best, bestRMSE := 0, b.rmse(b.held)
	for round := 0; round < b.options.Rounds; round++ {
		if !b.round(grower) {
			break
		}
		if len(b.held) == 0 {
			best = len(b.trees)
			continue
		}
		if rmse := b.rmse(b.held); rmse < bestRMSE {
			best, bestRMSE = len(b.trees), rmse
		}
		if len(b.trees)-best >= b.options.Patience {
			break
		}
	}
	b.report = Report{Grown: len(b.trees), Trees: best, HeldRMSE: bestRMSE}
	for _, t := range b.trees[best:] {
		for i, row := range b.rows {
			b.predictions[i] -= t.predict(row)
		}
	}
	b.trees = b.trees[:best]
	b.report.TrainRMSE = b.rmse(b.fit)
}

// binned sorts the features into bins, by the rows to train on alone.
func (b *boosting) binned() []binned {
	features := make([]binned, len(b.rows[0]))
	column := make([]float64, len(b.fit))
	for f := range features {
		for i, r := range b.fit {
			column[i] = b.rows[r][f]
		}
		features[f] = bin(column, b.options.Bins)
	}
	return features
}

// round adds one tree and reports whether it has found anything to split. Rows are numbered within
// b.fit while a tree grows.
func (b *boosting) round(grower *grower) bool {
	for i, r := range b.fit {
		b.residuals[i] = b.targets[r] - b.predictions[r]
	}
	var seen []int32
	for i := range b.fit {
		if b.options.RowShare >= 1 || b.random.Float64() < b.options.RowShare {
			seen = append(seen, int32(i))
		}
	}
	if len(seen) == 0 {
		return true
	}
	tree := grower.grow(seen)
	if len(tree.Nodes) == 0 && b.options.ColumnShare >= 1 && b.options.RowShare >= 1 {
		return false
	}
	for i, row := range b.rows {
		b.predictions[i] += tree.predict(row)
	}
	b.trees = append(b.trees, tree)
	return true
}

func (b *boosting) rmse(of []int32) float64 {
	if len(of) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, r := range of {
		d := b.targets[r] - b.predictions[r]
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(of)))
}

// model puts the mean into the first tree, as LightGBM does.
func (b *boosting) model() *Model {
	m := &Model{Features: len(b.rows[0]), Trees: b.trees}
	if len(m.Trees) == 0 {
		m.Trees = []Tree{{Leaves: []Leaf{{Rows: len(b.fit)}}, Rate: 1}}
	}
	first := &m.Trees[0]
	for i := range first.Leaves {
		first.Leaves[i].Value += b.mean
	}
	for i := range first.Nodes {
		first.Nodes[i].Value += b.mean
	}
	return m
}
