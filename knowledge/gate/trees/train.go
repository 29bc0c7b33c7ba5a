package trees

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Report says how a training went.
type Report struct {
	Trees     int     // kept
	Grown     int     // before the best round was known
	TrainRMSE float64 // of the rows that were trained on
	HeldRMSE  float64 // of the held-out rows; NaN without any
}

// Train fits a model to rows of equal length and their targets. A missing or infinite value is an error.
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
		rows: rows, targets: targets, options: o, fit: fit, held: held,
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

// holdOut divides rows randomly into those to train on and those that decide when to stop.
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

// boosting is the state of a training.
type boosting struct {
	rows        [][]float64
	targets     []float64
	options     Options
	fit, held   []int32
	predictions []float64
	residuals   []float64 // of the rows of fit, in their order
	trees       []Tree
	mean        float64
	report      Report
}

func (b *boosting) run() {
	grower := newGrower(b.binned(), b.residuals, b.options)
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

// round adds one tree and reports whether there was anything to split. While a tree grows, rows are numbered
// within b.fit.
func (b *boosting) round(grower *grower) bool {
	for i, r := range b.fit {
		b.residuals[i] = b.targets[r] - b.predictions[r]
	}
	rows := make([]int32, len(b.fit))
	for i := range rows {
		rows[i] = int32(i)
	}
	tree := grower.grow(rows)
	if len(tree.Nodes) == 0 {
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

// cell is one bin of a histogram: the residuals of its rows, and the second derivatives of their loss. With
// squared loss these are 1, so that they sum to the number of rows.
type cell struct {
	sum    float64
	weight float64
	rows   int
}

func (c cell) less(other cell) cell {
	return cell{c.sum - other.sum, c.weight - other.weight, c.rows - other.rows}
}

// value returns what the rows of the cell would be predicted, and gain how much that lowers their loss.
func (c cell) value() float64 { return c.sum / c.weight }
func (c cell) gain() float64  { return c.sum * c.sum / c.weight }

// grower grows trees one after another on the same features and the current residuals.
type grower struct {
	features  []binned
	residuals []float64 // what the tree is fitted to
	weights   []float64 // second derivatives of the loss; nil where all are 1
	options   Options
	width     int      // cells of a histogram
	offsets   []int    // of each feature's cells
	spare     [][]cell // histograms of earlier leaves, to be used again
}

func newGrower(features []binned, residuals []float64, o Options) *grower {
	g := &grower{features: features, residuals: residuals, options: o}
	for _, f := range features {
		g.offsets = append(g.offsets, g.width)
		g.width += len(f.bounds) + 1
	}
	return g
}

// open is a leaf that may still be split.
type open struct {
	rows  []int32
	total cell
	cells []cell
	best  split
	// where the leaf hangs: the node and whether it is its left child; node is -1 at the root
	node int
	left bool
}

// split is a possible split: rows whose bin of the feature is at most bin go to the left.
type split struct {
	feature, bin int
	gain         float64 // 0: there is none
	left         cell
}

// grow grows a tree on the given rows.
func (g *grower) grow(rows []int32) Tree {
	root := &open{rows: rows, node: -1}
	root.cells = g.histogram(rows)
	for _, r := range rows {
		root.total.sum += g.residuals[r]
		root.total.weight += g.weight(r)
	}
	root.total.rows = len(rows)
	g.look(root)
	leaves := []*open{root}
	t := Tree{Rate: g.options.Rate}
	for len(leaves) < g.options.Leaves {
		at := 0
		for i, l := range leaves {
			if l.best.gain > leaves[at].best.gain {
				at = i
			}
		}
		parent := leaves[at]
		if parent.best.gain <= 0 {
			break
		}
		left, right := g.divide(parent, len(t.Nodes))
		t.Nodes = append(t.Nodes, g.node(parent))
		t.hang(parent, len(t.Nodes)-1)
		leaves[at] = left
		leaves = append(leaves, right)
	}
	for i, l := range leaves {
		t.hang(l, ^i)
		t.Leaves = append(t.Leaves, Leaf{Value: g.options.Rate * l.total.value(), Rows: l.total.rows})
		g.spare = append(g.spare, l.cells)
	}
	return t
}

// node returns the inner node that a leaf becomes.
func (g *grower) node(l *open) Node {
	return Node{
		Feature: l.best.feature, Threshold: g.features[l.best.feature].bounds[l.best.bin], Gain: l.best.gain,
		Value: g.options.Rate * l.total.value(), Rows: l.total.rows,
	}
}

// hang sets the child of the node that l hangs from.
func (t *Tree) hang(l *open, child int) {
	switch {
	case l.node < 0:
	case l.left:
		t.Nodes[l.node].Left = child
	default:
		t.Nodes[l.node].Right = child
	}
}

// divide splits a leaf at its best split. It counts the histogram of the smaller side only; the other is the
// rest of the parent's.
func (g *grower) divide(parent *open, node int) (left, right *open) {
	bins := g.features[parent.best.feature].bins
	left = &open{node: node, left: true, total: parent.best.left}
	right = &open{node: node, total: parent.total.less(left.total)}
	left.rows, right.rows = make([]int32, 0, left.total.rows), make([]int32, 0, right.total.rows)
	for _, r := range parent.rows {
		if int(bins[r]) <= parent.best.bin {
			left.rows = append(left.rows, r)
		} else {
			right.rows = append(right.rows, r)
		}
	}
	small, large := left, right
	if len(right.rows) < len(left.rows) {
		small, large = right, left
	}
	small.cells = g.histogram(small.rows)
	large.cells = parent.cells
	for i, c := range small.cells {
		large.cells[i] = large.cells[i].less(c)
	}
	g.look(left)
	g.look(right)
	return left, right
}

// histogram counts the residuals of rows by feature and bin.
func (g *grower) histogram(rows []int32) []cell {
	cells := g.cleared()
	for f, feature := range g.features {
		own := cells[g.offsets[f] : g.offsets[f]+len(feature.bounds)+1]
		for _, r := range rows {
			c := &own[feature.bins[r]]
			c.sum += g.residuals[r]
			c.weight += g.weight(r)
			c.rows++
		}
	}
	return cells
}

func (g *grower) weight(row int32) float64 {
	if g.weights == nil {
		return 1
	}
	return g.weights[row]
}

func (g *grower) cleared() []cell {
	if last := len(g.spare) - 1; last >= 0 {
		cells := g.spare[last]
		g.spare = g.spare[:last]
		clear(cells)
		return cells
	}
	return make([]cell, g.width)
}

// look finds the best split of a leaf: the one with the largest gain, of equal ones the lowest of the first
// feature.
func (g *grower) look(l *open) {
	least := g.options.MinRows
	if l.total.rows < 2*least {
		return
	}
	before := l.total.gain()
	for f, feature := range g.features {
		var left cell
		for b := range feature.bounds {
			c := l.cells[g.offsets[f]+b]
			if c.rows == 0 { // the same split as the bin before
				continue
			}
			left.sum += c.sum
			left.weight += c.weight
			left.rows += c.rows
			right := l.total.less(left)
			if left.rows < least {
				continue
			}
			if right.rows < least {
				break
			}
			gain := left.gain() + right.gain() - before
			if gain > l.best.gain && gain > leastGain {
				l.best = split{feature: f, bin: b, gain: gain, left: left}
			}
		}
	}
}

// leastGain keeps rounding errors from being taken for a gain.
const leastGain = 1e-12

// binned is a feature in bins: bin b holds the values up to bounds[b] that are above bounds[b-1]; the
// last bin has no upper bound.
type binned struct {
	bins   []uint8   // one for each row
	bounds []float64 // one fewer than there are bins
}

// leastPerBin is the minimum number of rows in a bin if a feature has more values than bins.
const leastPerBin = 3

// bin sorts the values of a feature into at most most bins of about equal numbers of rows. Bounds
// lie half-way between neighbouring values, as a new value is as likely to be on either side.
func bin(values []float64, most int) binned {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	var distinct []float64
	var counts []int
	for _, v := range sorted {
		if n := len(distinct); n > 0 && distinct[n-1] == v {
			counts[n-1]++
			continue
		}
		distinct, counts = append(distinct, v), append(counts, 1)
	}
	b := binned{bins: make([]uint8, len(values)), bounds: boundsOf(distinct, counts, most, len(values))}
	for i, v := range values {
		at, _ := slices.BinarySearch(b.bounds, v) // a value equal to a bound belongs to the bin below it
		b.bins[i] = uint8(at)
	}
	return b
}

func boundsOf(distinct []float64, counts []int, most, rows int) []float64 {
	var bounds []float64
	if len(distinct) <= most {
		for i := 1; i < len(distinct); i++ {
			bounds = append(bounds, between(distinct[i-1], distinct[i]))
		}
		return bounds
	}
	held, left := 0, rows
	for i := range len(distinct) - 1 {
		held += counts[i]
		open := most - len(bounds)
		if open > 1 && held >= max(leastPerBin, left/open) {
			bounds = append(bounds, between(distinct[i], distinct[i+1]))
			left -= held
			held = 0
		}
	}
	return bounds
}

// between returns a bound that separates two different values even after rounding.
func between(a, b float64) float64 {
	mid := a + (b-a)/2
	if mid >= b || math.IsInf(mid, 0) {
		return a
	}
	return mid
}
