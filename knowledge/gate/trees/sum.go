package trees

import "errors"

// Sum returns one model that predicts the weighted sum of what several predict, which must be of rows
// of the same length.
func Sum(models []*Model, weights []float64) (*Model, error) {
	if len(models) == 0 || len(models) != len(weights) {
		return nil, errors.New("no models to sum up, or not as many weights")
	}
	sum := &Model{Features: models[0].Features, Names: models[0].Names}
	for n, m := range models {
		if m.Features != sum.Features {
			return nil, errors.New("models of different features cannot be summed up")
		}
		for _, t := range m.Trees {
			sum.Trees = append(sum.Trees, t.scaled(weights[n]))
		}
	}
	return sum, nil
}

// scaled is a tree whose values are multiplied with a weight.
func (t Tree) scaled(weight float64) Tree {
	s := Tree{Nodes: append([]Node(nil), t.Nodes...), Leaves: append([]Leaf(nil), t.Leaves...), Rate: t.Rate}
	for i := range s.Nodes {
		s.Nodes[i].Value *= weight
	}
	for i := range s.Leaves {
		s.Leaves[i].Value *= weight
	}
	return s
}
