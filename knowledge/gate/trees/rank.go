package trees

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Group is a list of rows to be put in order, from row Start up to row End, with the weight that it has in
// training; 0 means 1.
type Group struct {
	Start, End int
	Weight     float64
}

const (
	depthOfList = 10   // places that count
	leastWeight = 1e-3 // of a row in a leaf, so that no division is by nothing
)

// Rank fits a model whose predictions put the rows of each group in order of their grades, the best first:
// LambdaMART (Burges 2010) with nDCG of the first ten places. Grades are 0 for what is not wanted. What a row
// has at the start, nil for nothing, is added to its prediction, which the trees then correct. A missing or
// infinite value is an error. HeldOut and Patience have no meaning here: all rounds run.
func Rank(rows [][]float64, grades, start []float64, groups []Group, o Options) (*Model, error) {
	o, err := o.defaults()
	if err != nil {
		return nil, err
	}
	if err := check(rows, grades); err != nil {
		return nil, err
	}
	for _, g := range groups {
		if g.Start < 0 || g.End > len(rows) || g.Start > g.End {
			return nil, fmt.Errorf("group of rows %d to %d of %d", g.Start, g.End, len(rows))
		}
	}
	fit, _ := holdOut(len(rows), 0, nil)
	b := &boosting{rows: rows, targets: grades, options: o, fit: fit,
		predictions: make([]float64, len(rows)), residuals: make([]float64, len(rows))}
	copy(b.predictions, start)
	grower := newGrower(b.binned(), b.residuals, o)
	grower.weights = make([]float64, len(rows))
	for range o.Rounds {
		for i := range rows {
			b.residuals[i], grower.weights[i] = 0, leastWeight
		}
		for _, g := range groups {
			b.pull(g, grower.weights)
		}
		all := slices.Clone(fit)
		tree := grower.grow(all)
		if len(tree.Nodes) == 0 {
			break
		}
		for i, row := range rows {
			b.predictions[i] += tree.predict(row)
		}
		b.trees = append(b.trees, tree)
	}
	return b.model(), nil
}

// pull adds up what each pair of rows of a group that stand in the wrong order, or nearly so, would gain by
// changing places.
func (b *boosting) pull(g Group, weights []float64) {
	n := g.End - g.Start
	order := make([]int, n)
	for i := range order {
		order[i] = g.Start + i
	}
	ideal := make([]float64, n)
	for i, row := range order {
		ideal[i] = b.targets[row]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.predictions[j], b.predictions[i]) })
	slices.SortFunc(ideal, func(x, y float64) int { return cmp.Compare(y, x) })
	best := 0.0
	for place, grade := range ideal[:min(depthOfList, n)] {
		best += gainOf(grade) / discount(place)
	}
	if best == 0 {
		return
	}
	factor := g.Weight
	if factor == 0 {
		factor = 1
	}
	for i, good := range order {
		for j, bad := range order {
			if b.targets[good] <= b.targets[bad] || min(i, j) >= depthOfList {
				continue
			}
			change := math.Abs((gainOf(b.targets[good])-gainOf(b.targets[bad]))*(worth(i)-worth(j))) / best
			wrong := 1 / (1 + math.Exp(b.predictions[good]-b.predictions[bad]))
			force := factor * change * wrong
			b.residuals[good] += force
			b.residuals[bad] -= force
			second := force * (1 - wrong)
			weights[good] += second
			weights[bad] += second
		}
	}
}

func gainOf(grade float64) float64 { return math.Exp2(grade) - 1 }

func discount(place int) float64 { return math.Log2(float64(place + 2)) }

// worth returns what a gain counts at a place; nothing below the first ones.
func worth(place int) float64 {
	if place >= depthOfList {
		return 0
	}
	return 1 / discount(place)
}
