package projection

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"lacuna/knowledge/par"
)

// Agreement says how often a point's nearest neighbours have its label.
type Agreement struct {
	N      int
	Share  float64 // mean share of the neighbours
	Chance float64 // what labels dealt out at random have on average
	// P is the probability of at least that share with labels dealt out at random, by 10,000 deals. Points share their
	// neighbours, so that an interval by resampled points would be too narrow.
	P float64
}

const deals = 10_000

// Agree returns how far equal labels lie together among the k nearest neighbours of each point, in the dimensions given.
// The seed deals labels out. Figures are NaN for fewer than two points.
func Agree(points [][]float32, labels []string, k int, seed uint64) Agreement {
	n := len(points)
	a := Agreement{N: n, Share: math.NaN(), Chance: math.NaN(), P: math.NaN()}
	if n < 2 {
		return a
	}
	k = min(k, n-1)
	nearest := make([][]int, n)
	par.Each(n, func(i int) {
		squared := squares(points, i)
		for j := range points {
			if j != i {
				nearest[i] = append(nearest[i], j)
			}
		}
		slices.SortStableFunc(nearest[i], func(x, y int) int { return cmp.Compare(squared[x], squared[y]) })
		nearest[i] = nearest[i][:k]
	})
	counts, number := make(map[string]int), make([]int, n) // labels as numbers, which compare faster
	numbers := make(map[string]int)
	for i, l := range labels {
		if _, known := numbers[l]; !known {
			numbers[l] = len(numbers)
		}
		number[i] = numbers[l]
		counts[l]++
	}
	same := 0
	for _, c := range counts {
		same += c * (c - 1)
	}
	observed := agreeing(nearest, number)
	a.Share = float64(observed) / float64(n*k)
	a.Chance = float64(same) / float64(n*(n-1))
	random := rand.New(rand.NewPCG(seed, 0xdea1))
	atLeast := 1 // the labels as they are
	for range deals {
		random.Shuffle(n, func(i, j int) { number[i], number[j] = number[j], number[i] })
		if agreeing(nearest, number) >= observed {
			atLeast++
		}
	}
	a.P = float64(atLeast) / (deals + 1)
	return a
}

// agreeing counts the neighbours with the label of their point.
func agreeing(nearest [][]int, label []int) int {
	n := 0
	for i, own := range nearest {
		for _, j := range own {
			if label[i] == label[j] {
				n++
			}
		}
	}
	return n
}
