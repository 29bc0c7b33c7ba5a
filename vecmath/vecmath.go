// Package vecmath does arithmetic on float32 vectors and nothing else: exact nearest rows by L2
// distance and the few products that training and attention need. It is the only user of vek,
// which panics on empty or unequal slices; lengths are checked here, once.
//
// [Rows] are searched by measuring all of them. An [Index] finds the same, bit by bit, and measures
// only rows that a bound cannot leave out: begin with bound.go, which says what the bound is and
// proves it, then see search.go for the order of the work. The loops that take the time are in
// assembly (kernel.go), each with a version in plain Go.
//
// How many lanes a sum is taken in depends on the processor, so distances agree between machines
// only to about six digits. On one machine they always agree.
package vecmath

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
)

// Dot returns the inner product of two vectors of equal length; 0 if they are empty.
func Dot(x, y []float32) float32 {
	checkLengths(len(x), len(y))
	if len(x) == 0 {
		return 0
	}
	return dot(x, y)
}

// Dots sets each number of out to the inner product of x and a row; the rows have the length of x and
// follow one another. It gives what [Dot] gives, to the last bit, in about half the time.
func Dots(out, x, rows []float32) {
	checkLengths(len(rows), len(out)*len(x))
	if len(x) == 0 {
		clear(out)
		return
	}
	done := 0
	if accelerated && best.dotPairs != nil && len(x)%pairUnit == 0 {
		best.dotPairs(out, x, rows)
		done = len(out) / 2 * 2
	}
	for i := done; i < len(out); i++ {
		out[i] = dot(x, rows[i*len(x):(i+1)*len(x)])
	}
}

// dot is Dot of two vectors of one length that are not empty.
func dot(x, y []float32) float32 {
	if !accelerated {
		return plainDot(x, y)
	}
	return vek32.Dot(x, y)
}

// Norm returns the Euclidean length of a vector.
func Norm(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	return vek32.Norm(x)
}

// Distance returns the Euclidean distance of two vectors of one length, infinite where its square
// is beyond float32.
func Distance(x, y []float32) float32 {
	checkLengths(len(x), len(y))
	return sqrt32(best.square(x, y))
}

// Scale multiplies a vector by a number in place.
func Scale(x []float32, by float32) {
	if len(x) > 0 {
		vek32.MulNumber_Inplace(x, by)
	}
}

// AddScaled adds by times x to dst, which must not overlap x.
func AddScaled(dst, x []float32, by float32) {
	checkLengths(len(dst), len(x))
	best.addScaled(dst, x, by)
}

// Exp replaces each number x by e to the power of x.
func Exp(x []float32) {
	if len(x) > 0 {
		vek32.Exp_Inplace(x)
	}
}

// Sum returns the sum of the numbers.
func Sum(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	return vek32.Sum(x)
}

// MulTransposed multiplies a matrix by the transpose of another: dst[i*m+j] becomes the inner
// product of row i of a and row j of b, where m is the number of b's rows. Rows have dim numbers
// and follow one another without gaps; dst must hold exactly the product.
//
// It takes inner products over blocks that fit the cache, in the calling goroutine. That is more
// than twice as fast as vek's MatMul, which also starts goroutines of its own.
func MulTransposed(dst, a, b []float32, dim int) {
	n, m := rows(a, dim), rows(b, dim)
	checkLengths(len(dst), n*m)
	for from := 0; from < m; from += cachedRows {
		to := min(from+cachedRows, m)
		for i := range n {
			row := a[i*dim : (i+1)*dim]
			for j := from; j < to; j++ {
				dst[i*m+j] = dot(row, b[j*dim:(j+1)*dim])
			}
		}
	}
}

// cachedRows of 256 numbers are 32 KB, which a first-level cache holds.
const cachedRows = 32

// Transpose writes the transpose of a matrix of rows of dim numbers into dst of the same size.
func Transpose(dst, x []float32, dim int) {
	checkLengths(len(dst), len(x))
	n := rows(x, dim)
	for i := range n {
		for j, value := range x[i*dim : (i+1)*dim] {
			dst[j*n+i] = value
		}
	}
}

// rows is the number of rows of a matrix.
func rows(x []float32, dim int) int {
	if dim <= 0 || len(x)%dim != 0 {
		panic("vecmath: matrix is not made of whole rows")
	}
	return len(x) / dim
}

// checkLengths stops a mistake of the caller, as the built-in slices would.
func checkLengths(got, want int) {
	if got != want {
		panic("vecmath: vectors of different lengths")
	}
}

// accelerated says whether vek uses vector instructions. Without them its loops wait for one sum;
// the loops below keep four going.
var accelerated = vek.Info().Acceleration

// inParallel calls f for parts of n rows that together are all, on all processors.
func inParallel(n int, f func(from, to int)) {
	const part = 512
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+part-1)/part) {
		group.Go(func() {
			for {
				to := int(next.Add(part))
				if to-part >= n {
					return
				}
				f(to-part, min(to, n))
			}
		})
	}
	group.Wait()
}
