// Package trees trains gradient-boosted regression trees and reads and writes them in LightGBM's text
// format. It is the learner of the response quality model of the CCSK paper.
//
// Trees grow leaf by leaf on histograms with squared loss: each round fits a tree to the residuals,
// always splitting the leaf whose best split lowers the loss most. Equal data and options give equal
// trees, bit for bit.
//
// Begin with [Train] and [Model.Predict].
package trees

import (
	"fmt"
	"math"
)

// Options configures a training. The zero value has the settings of the CCSK paper, 31 leaves, a learning rate
// of 0.03 and an end after 30 rounds without improvement, and where the paper is silent 2,000 rounds, 255 bins
// and 20 rows in a leaf.
type Options struct {
	Leaves   int     // of one tree at most; 0 means 31
	Rate     float64 // of learning, in 0..1; 0 means 0.03
	Rounds   int     // trees at most; 0 means 2000
	Patience int     // rounds without improvement on the held-out rows; 0 means 30
	Bins     int     // of a feature's histogram, 2..255; 0 means 255
	MinRows  int     // in a leaf; 0 means 20
	HeldOut  float64 // share of the rows that decide when to stop; 0 means none, and all rounds run
	Seed     uint64
}

func (o Options) defaults() (Options, error) {
	set := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	set(&o.Leaves, 31)
	set(&o.Rounds, 2000)
	set(&o.Patience, 30)
	set(&o.Bins, 255)
	set(&o.MinRows, 20)
	if o.Rate == 0 {
		o.Rate = .03
	}
	switch {
	case o.Leaves < 2 || o.Rounds < 1 || o.Patience < 1 || o.MinRows < 1:
		return o, fmt.Errorf("tree options out of range: %+v", o)
	case o.Bins < 2 || o.Bins > 255:
		return o, fmt.Errorf("%d bins, want 2..255", o.Bins)
	case o.Rate <= 0 || o.Rate > 1 || o.HeldOut < 0 || o.HeldOut > .5:
		return o, fmt.Errorf("shares out of range: %+v", o)
	}
	return o, nil
}

// Model is a sum of trees. It is immutable and safe for concurrent use.
type Model struct {
	Features int // length of the rows it predicts from
	Names    []string
	Trees    []Tree
}

// Tree is one tree. Its inner nodes are numbered from the root, 0; a negative child c is the leaf ^c. A tree
// of one leaf has no inner nodes.
type Tree struct {
	Nodes  []Node
	Leaves []Leaf
	Rate   float64 // by which its values have already been multiplied
}

// Node sends a row to the left if its feature is at most the threshold.
type Node struct {
	Feature     int
	Threshold   float64
	Left, Right int
	Gain        float64 // by which the split lowered the sum of squares
	Value       float64 // mean of what the tree was fitted to, shrunk; only for the reader of a model
	Rows        int
	// MissingLeft says where a row without the feature goes, if the node was read from a file and knows
	// missing values. Other nodes take NaN as 0.
	Missing, MissingLeft bool
}

// Leaf is where a row ends.
type Leaf struct {
	Value float64
	Rows  int
}

// Predict returns the prediction for one row of Features values.
func (m *Model) Predict(row []float64) (float64, error) {
	if len(row) != m.Features {
		return 0, fmt.Errorf("row of %d features, the model has %d", len(row), m.Features)
	}
	sum := 0.0
	for i := range m.Trees {
		sum += m.Trees[i].predict(row)
	}
	return sum, nil
}

func (t *Tree) predict(row []float64) float64 {
	if len(t.Nodes) == 0 {
		return t.Leaves[0].Value
	}
	at := 0
	for at >= 0 {
		n := &t.Nodes[at]
		if n.left(row[n.Feature]) {
			at = n.Left
		} else {
			at = n.Right
		}
	}
	return t.Leaves[^at].Value
}

func (n *Node) left(v float64) bool {
	if math.IsNaN(v) {
		if n.Missing {
			return n.MissingLeft
		}
		v = 0
	}
	return v <= n.Threshold
}
