package eval

import (
	"math"
	"testing"
)

func TestRankingMeasures(t *testing.T) {
	log := math.Log2
	for _, c := range []struct {
		name           string
		ranked         []string
		grades         map[string]int
		k              int
		ndcg, recall   float64
		reciprocalRank float64
	}{
		{"perfect", []string{"a", "b", "x"}, map[string]int{"a": 1, "b": 1}, 10, 1, 1, 1},
		{"second of one", []string{"x", "a"}, map[string]int{"a": 1}, 10, 1 / log(3), 1, 0.5},
		{"cut off", []string{"x", "a"}, map[string]int{"a": 1}, 1, 0, 0, 0},
		{"graded", []string{"b", "a"}, map[string]int{"a": 3, "b": 1}, 10, (1 + 3/log(3)) / (3 + 1/log(3)), 1, 1},
		{"more relevant than places", []string{"a"}, map[string]int{"a": 1, "b": 1, "c": 1}, 1, 1, 1. / 3, 1},
		{"a document twice", []string{"a", "a"}, map[string]int{"a": 1, "b": 1}, 10, 1 / (1 + 1/log(3)), 0.5, 1},
		{"grade 0 is not relevant", []string{"x", "a"}, map[string]int{"x": 0, "a": 2}, 10, 1 / log(3), 1, 0.5},
		{"nothing ranked", nil, map[string]int{"a": 1}, 10, 0, 0, 0},
		{"nothing relevant", []string{"a"}, nil, 10, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for measure, pair := range map[string][2]float64{
				"nDCG":            {NDCG(c.ranked, c.grades, c.k), c.ndcg},
				"recall":          {Recall(c.ranked, c.grades, c.k), c.recall},
				"reciprocal rank": {ReciprocalRank(c.ranked, c.grades, c.k), c.reciprocalRank},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-12 {
					t.Errorf("%s = %v, want %v", measure, pair[0], pair[1])
				}
			}
		})
	}
}
