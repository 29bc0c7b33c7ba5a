package vecmath

import (
	"math"
	"math/rand/v2"
)

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

// orthonormalize makes vectors orthonormal by Gram and Schmidt's method. One that depends on those
// before it, but for rounding, is replaced by a random one.
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
