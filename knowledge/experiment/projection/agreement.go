package projection

import (
	"cmp"
	"math"
	"slices"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/par"
)

// Agreement says how often a point's nearest neighbours have its label.
type Agreement struct {
	N                int
	Share, Low, High float64 // mean share of the neighbours, with the central 95 % of 10,000 resamples of the points
	Chance           float64 // what labels dealt out at random would have
}

// Agree returns how far equal labels lie together among the k nearest neighbours of each point, in the dimensions given.
// Figures are NaN for fewer than two points.
func Agree(points [][]float32, labels []string, k int, seed uint64) Agreement {
	n := len(points)
	a := Agreement{N: n, Share: math.NaN(), Low: math.NaN(), High: math.NaN(), Chance: math.NaN()}
	if n < 2 {
		return a
	}
	k = min(k, n-1)
	shares := make([]float64, n)
	par.Each(n, func(i int) {
		squared := squares(points, i)
		order := make([]int, 0, n-1)
		for j := range points {
			if j != i {
				order = append(order, j)
			}
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(squared[x], squared[y]) })
		for _, j := range order[:k] {
			if labels[j] == labels[i] {
				shares[i] += 1 / float64(k)
			}
		}
	})
	counts := make(map[string]int)
	for _, l := range labels {
		counts[l]++
	}
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	a.Share = mean(shares)
	a.Low, a.High = eval.Bootstrap(shares, mean, resamples, seed)
	same := 0
	for _, c := range counts {
		same += c * (c - 1)
	}
	a.Chance = float64(same) / float64(n*(n-1))
	return a
}

const resamples = 10_000
