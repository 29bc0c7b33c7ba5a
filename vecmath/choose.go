package vecmath

import (
	"math"
	"slices"
)

// What a head is chosen by.
const (
	fewestForHead = 20_000 // rows; the codes of fewer are read in less time than a query is projected
	triedRows     = 16_384 // a sample
	triedQueries  = 24     // of the sample
	typicalRoom   = 10     // neighbours
	worthwhile    = 0.85   // of the bytes; a head that saves less is left out
)

// headSizes are what a head can have, ascending.
var headSizes = []int{32, 64, 96, 128, 192, 256}

// chooseHead returns the size of the head that saves most bytes, and as many orthonormal vectors,
// or 0. It takes rows of a sample as queries and counts for each size how many other rows of the
// sample the head's bound would not leave out.
func chooseHead(rows *Rows, mean []float32) (size int, vectors []float64) {
	sizes := slices.Clone(headSizes)
	sizes = slices.DeleteFunc(sizes, func(size int) bool { return size > rows.dim/2 })
	if rows.Len() < fewestForHead || len(sizes) == 0 {
		return 0, nil
	}
	vectors = principal(rows, mean, sizes[len(sizes)-1])
	perRow := float64(rows.dim + groupBytes)
	least := worthwhile * perRow
	for i, share := range survivors(rows, mean, vectors, sizes) {
		cost := float64(sizes[i]+groupBytes) + share*perRow*scattered
		if cost < least {
			size, least = sizes[i], cost
		}
	}
	return size, vectors
}

const (
	groupBytes = 16 // of a row in its group
	// scattered is how much longer a row takes that is read alone than one among others (measured
	// with 768 components).
	scattered = 6
)

// survivors returns for each size the share of the sample's rows that a head without rounding
// would not leave out.
func survivors(rows *Rows, mean []float32, vectors []float64, sizes []int) []float64 {
	count := min(rows.Len(), triedRows)
	sample := make([]point, count)
	basis := &head{size: sizes[len(sizes)-1], dim: rows.dim, basis: vectors}
	inParallel(count, func(from, to int) {
		shifted := make([]float64, rows.dim)
		for i := from; i < to; i++ {
			sample[i].coordinates = make([]float64, basis.size)
			square := 0.0
			for j, c := range rows.Row(i * rows.Len() / count) {
				shifted[j] = float64(c) - float64(mean[j])
				square += shifted[j] * shifted[j]
			}
			basis.project(&sample[i], shifted, math.Sqrt(square))
		}
	})
	// The nearest of all rows are nearer than those of the sample.
	room := max(1, typicalRoom*count/rows.Len())
	left := make([]int, len(sizes))
	for n := range triedQueries {
		query := n * count / triedQueries
		nearest := heap{room: room}
		for i := range count {
			if i != query {
				nearest.offer(Neighbor{i, Distance(rows.Row(query*rows.Len()/count), rows.Row(i*rows.Len()/count))})
			}
		}
		limit := float64(nearest.list[0].Distance)
		for i := range count {
			countSurvivor(left, sizes, &sample[query], &sample[i], limit*limit)
		}
	}
	shares := make([]float64, len(sizes))
	for i, n := range left {
		shares[i] = float64(n) / float64(count*triedQueries)
	}
	return shares
}

// countSurvivor adds one to each size whose head leaves a row within the limit of a query. What
// exceeds a smaller head belongs to its tail.
func countSurvivor(left, sizes []int, query, row *point, squaredLimit float64) {
	tailQ, tailR := query.tail*query.tail, row.tail*row.tail
	at := len(query.coordinates)
	for i := len(sizes) - 1; i >= 0; i-- {
		for ; at > sizes[i]; at-- {
			q, r := query.coordinates[at-1], row.coordinates[at-1]
			tailQ += q * q
			tailR += r * r
		}
		square := 0.0
		for j := range at {
			d := query.coordinates[j] - row.coordinates[j]
			square += d * d
		}
		tails := math.Sqrt(tailQ) - math.Sqrt(tailR)
		if square+tails*tails <= squaredLimit {
			left[i]++
		}
	}
}
