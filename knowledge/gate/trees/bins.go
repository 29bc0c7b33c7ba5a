package trees

import (
	"math"
	"slices"
)

// binned is a feature in bins: bin b holds the values up to bounds[b] that are above bounds[b-1]; the
// last bin has no upper bound.
type binned struct {
	bins   []uint8   // one for each row
	bounds []float64 // one fewer than there are bins
}

// leastPerBin is how many rows a bin gets where a feature has more values than bins.
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

// between is a bound that separates two different values also after rounding.
func between(a, b float64) float64 {
	mid := a + (b-a)/2
	if mid >= b || math.IsInf(mid, 0) {
		return a
	}
	return mid
}
