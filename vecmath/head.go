package vecmath

import (
	"math"
	"math/rand/v2"

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
	basis     []float64 // size vectors of dim numbers, one after the other
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

// dot64 is the inner product of two vectors of one length that are not empty.
func dot64(x, y []float64) float64 {
	if accelerated {
		return vek.Dot(x, y)
	}
	return plainDot(x, y)
}
