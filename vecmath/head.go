package vecmath

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/viterin/vek"
)

// head is the map of the bound that keeps only some coordinates of a vector: its inner products
// with the vectors of a basis, and as tail the length of what they leave. When the basis is
// orthonormal this never lengthens a distance: by Pythagoras
//
//	|q-x|^2 = |head(q)-head(x)|^2 + |rest(q)-rest(x)|^2,  |rest(q)-rest(x)| >= ||rest(q)|-|rest(x)||.
//
// # Rounding of the head
//
// No basis of float64 numbers P is quite orthonormal. The map is defined by the orthonormal basis
// that is nearest to it, the polar factor Q of P: P = QH, where H has the singular values of P, so
// that |P-Q| = max|σ-1| <= max|σ^2-1| <= |PP'-I| <= skew, in the Frobenius norm. What is computed
// differs from the map of the true shifted row x, of which p is the rounded one, |p-x| <= 1.01v|p|:
//
//   - inner products of n numbers, whatever the order of their sums, are off by 1.01nv|p|(1+skew)
//     each (Higham, 3.5), so m of them by no more than 2*sqrt(m)*n*v*|p|;
//   - the basis adds skew*|p|, and the rounding of p 1.01v|p|.
//
// So the coordinates h are within ε|p| of Qx, with ε = 2*sqrt(m)*n*v + skew + 2v. The tail t is the
// root of |p|^2-|h|^2. The true one squared is |x|^2-|Qx|^2. The two squares differ by at most
// (2+2ε)ε|p|^2 for h, and (n+m+4)*1.01v|p|^2 <= 2ε|p|^2 for the sums of squares, the rounding of p
// and the subtraction: less than D = 5ε|p|^2. Of two numbers not negative whose squares differ by D
// the difference is at most D/t, where t is one of them, and at most sqrt(D). The root's own
// rounding, v*t <= ε|p|, makes the whole error 2ε|p| + min(D/t, sqrt(D)).
type head struct {
	size, dim int
	basis     []float64 // size vectors of dim numbers, concatenated
	skew      float64
}

// newHead makes the head of the given orthonormal vectors. They are mixed by a random rotation,
// because their coordinates have very different sizes and one scale is to fit all of a row.
func newHead(vectors []float64, size, dim int) *head {
	random := rand.New(rand.NewPCG(1, uint64(size)))
	rotation := randomBasis(random, size, size)
	h := &head{size: size, dim: dim, basis: make([]float64, size*dim)}
	for i := range size {
		row := h.basis[i*dim : (i+1)*dim]
		for j := range size {
			plainAddScaled(row, vectors[j*dim:(j+1)*dim], rotation[i*size+j])
		}
	}
	orthonormalize(h.basis, dim, random)
	h.skew = skewOf(h.basis, dim)
	return h
}

// skewOf bounds the Frobenius norm of PP'-I: as computed, with the rounding of each inner product
// of two vectors of about unit length added.
func skewOf(basis []float64, dim int) float64 {
	size, squares := len(basis)/dim, 0.0
	for i := range size {
		for j := range i + 1 {
			d := dot64(basis[i*dim:(i+1)*dim], basis[j*dim:(j+1)*dim])
			if i == j {
				d = (d - 1) / math.Sqrt2 // counted twice below
			}
			squares += 2 * d * d
		}
	}
	return math.Sqrt(squares)*(1+0x1p-30) + float64(size*dim)*0x1p-52
}

// project fills in the image of a shifted vector of a length.
func (h *head) project(image *point, shifted []float64, length float64) {
	square := length * length
	for i := range h.size {
		x := dot64(h.basis[i*h.dim:(i+1)*h.dim], shifted)
		image.coordinates[i] = x
		square -= x * x
	}
	ε := 2*math.Sqrt(float64(h.size))*float64(h.dim)*0x1p-53 + h.skew + 0x1p-52
	image.tail = math.Sqrt(max(square, 0))
	off := 5 * ε * length * length
	image.inexact = 2 * ε * length
	if image.tail*image.tail > off {
		image.inexact += off / image.tail
	} else {
		image.inexact += math.Sqrt(off)
	}
}

// dot64 returns the inner product of two nonempty vectors of one length.
func dot64(x, y []float64) float64 {
	if accelerated {
		return vek.Dot(x, y)
	}
	return plainDot(x, y)
}

// How the directions of most energy are found. Four times as many rows and five times as many
// iterations raise the share of energy in 128 directions of 384 from 0.815 to 0.822 (measured).
const (
	learntFrom = 4096 // rows, spread over all
	iterations = 12
)

// principal returns size orthonormal vectors close to the directions in which the rows, shifted by
// their mean, have most energy, the most first: subspace iteration on the covariance of a sample
// (Golub & Van Loan, Matrix Computations, 8.2.4). Any orthonormal vectors make a right head, so
// nothing depends on how close they are but time.
func principal(rows *Rows, mean []float32, size int) []float64 {
	dim := rows.dim
	covariance := covarianceOf(rows, mean)
	basis := randomBasis(rand.New(rand.NewPCG(2, uint64(size))), size, dim)
	narrow, product := make([]float32, len(basis)), make([]float32, len(basis))
	for range iterations {
		for i, x := range basis {
			narrow[i] = float32(x)
		}
		MulTransposed(product, narrow, covariance, dim)
		for i, x := range product {
			basis[i] = float64(x)
		}
		orthonormalize(basis, dim, rand.New(rand.NewPCG(3, uint64(size))))
	}
	return basis
}

// covarianceOf returns the covariance of a sample of the rows, scaled so that no number is large.
func covarianceOf(rows *Rows, mean []float32) []float32 {
	dim, count := rows.dim, min(rows.Len(), learntFrom)
	sample, largest := make([]float32, count*dim), float32(0)
	for i := range count {
		row := rows.Row(i * rows.Len() / count)
		for j, x := range row {
			sample[i*dim+j] = x - mean[j]
			largest = max(largest, x-mean[j], mean[j]-x)
		}
	}
	if largest > 0 && !notFinite(1/largest) {
		Scale(sample, 1/largest)
	}
	columns, covariance := make([]float32, len(sample)), make([]float32, dim*dim)
	Transpose(columns, sample, dim)
	MulTransposed(covariance, columns, columns, count)
	return covariance
}

// randomBasis returns size orthonormal vectors of dim numbers, any as likely as any other.
func randomBasis(random *rand.Rand, size, dim int) []float64 {
	basis := make([]float64, size*dim)
	for i := range basis {
		basis[i] = random.NormFloat64()
	}
	orthonormalize(basis, dim, random)
	return basis
}

// orthonormalize makes vectors orthonormal by Gram and Schmidt's method. A vector that depends on the ones
// before it, except for rounding, is replaced by a random one.
func orthonormalize(basis []float64, dim int, random *rand.Rand) {
	for i := 0; i < len(basis); i += dim {
		for !orthogonalize(basis[i:i+dim], basis[:i]) {
			for j := range dim {
				basis[i+j] = random.NormFloat64()
			}
		}
	}
}

// orthogonalize makes a vector orthogonal to orthonormal ones, and of unit length. Doing it twice
// is enough (Giraud, Langou & Rozložník 2005). It reports whether enough was left of the vector.
func orthogonalize(vector, others []float64) bool {
	dim, length := len(vector), math.Sqrt(dot64(vector, vector))
	for range 2 {
		for j := 0; j < len(others); j += dim {
			other := others[j : j+dim]
			plainAddScaled(vector, other, -dot64(vector, other))
		}
	}
	rest := math.Sqrt(dot64(vector, vector))
	if !(rest > 1e-9*length) { // nor a number
		return false
	}
	for j := range vector {
		vector[j] /= rest
	}
	return true
}

// What a head is chosen by.
const (
	fewestForHead = 20_000 // rows; the codes of fewer are read in less time than a query is projected
	triedRows     = 16_384 // a sample
	triedQueries  = 24     // of the sample
	typicalRoom   = 10     // neighbours
	worthwhile    = 0.85   // of the bytes; a head that saves less is left out
)

// headSizes lists the sizes a head can have, ascending.
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
	// The nearest of all rows are nearer than the nearest of the sample.
	room := max(1, typicalRoom*count/rows.Len())
	left := make([]int, len(sizes))
	for n := range triedQueries {
		query := n * count / triedQueries
		nearest := heap{room: room}
		for i := range count {
			if i != query {
				nearest.push(Neighbor{i, Distance(rows.Row(query*rows.Len()/count), rows.Row(i*rows.Len()/count))})
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
