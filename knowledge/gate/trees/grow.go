package trees

import (
	"math/rand/v2"
)

// cell is one bin of a histogram: the residuals of its rows. With squared loss the second derivative
// is 1, so that the number of rows stands for its sum.
type cell struct {
	sum  float64
	rows int
}

// grower grows trees, one after another, on the same features and the residuals as they are then.
type grower struct {
	features  []binned
	residuals []float64 // what the tree is fitted to
	options   Options
	random    *rand.Rand // nil when every split sees all features
	width     int        // cells of a histogram
	offsets   []int      // of each feature's cells
	spare     [][]cell   // histograms of earlier leaves, to be used again
}

func newGrower(features []binned, residuals []float64, o Options, random *rand.Rand) *grower {
	g := &grower{features: features, residuals: residuals, options: o}
	if o.ColumnShare < 1 {
		g.random = random
	}
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
	depth int
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
		t.Leaves = append(t.Leaves, Leaf{Value: g.options.Rate * l.total.sum / float64(l.total.rows), Rows: l.total.rows})
		g.spare = append(g.spare, l.cells)
	}
	return t
}

// node is the inner node that a leaf becomes.
func (g *grower) node(l *open) Node {
	return Node{
		Feature: l.best.feature, Threshold: g.features[l.best.feature].bounds[l.best.bin], Gain: l.best.gain,
		Value: g.options.Rate * l.total.sum / float64(l.total.rows), Rows: l.total.rows,
	}
}

// hang makes something the child of the node that l hangs from.
func (t *Tree) hang(l *open, child int) {
	switch {
	case l.node < 0:
	case l.left:
		t.Nodes[l.node].Left = child
	default:
		t.Nodes[l.node].Right = child
	}
}

// divide splits a leaf at its best split. Only the smaller side's histogram is counted; the other
// side's is what remains of the parent's.
func (g *grower) divide(parent *open, node int) (left, right *open) {
	bins := g.features[parent.best.feature].bins
	left = &open{node: node, left: true, depth: parent.depth + 1, total: parent.best.left}
	right = &open{node: node, depth: parent.depth + 1, total: cell{parent.total.sum - left.total.sum, parent.total.rows - left.total.rows}}
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
		large.cells[i].sum -= c.sum
		large.cells[i].rows -= c.rows
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
			c.rows++
		}
	}
	return cells
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

// look finds the best split of a leaf: that with the largest gain, of equal ones the first feature's
// lowest.
func (g *grower) look(l *open) {
	least := g.options.MinRows
	if l.total.rows < 2*least || g.options.Depth > 0 && l.depth >= g.options.Depth {
		return
	}
	before := l.total.sum * l.total.sum / float64(l.total.rows)
	for f, feature := range g.features {
		if g.random != nil && g.random.Float64() >= g.options.ColumnShare {
			continue
		}
		var left cell
		for b := range feature.bounds {
			c := l.cells[g.offsets[f]+b]
			if c.rows == 0 { // the same split as the bin before
				continue
			}
			left.sum += c.sum
			left.rows += c.rows
			right := cell{l.total.sum - left.sum, l.total.rows - left.rows}
			if left.rows < least {
				continue
			}
			if right.rows < least {
				break
			}
			gain := left.sum*left.sum/float64(left.rows) + right.sum*right.sum/float64(right.rows) - before
			if gain > l.best.gain && gain > leastGain {
				l.best = split{feature: f, bin: b, gain: gain, left: left}
			}
		}
	}
}

// leastGain keeps rounding errors from being taken for a gain.
const leastGain = 1e-12
