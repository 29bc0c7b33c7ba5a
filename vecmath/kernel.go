package vecmath

import "slices"

// A kernel is the loops that search spends its time in, for one kind of processor. The integer
// loops of all kernels give the same numbers; the bounds may differ in the last digits, and each
// is a bound all the same.
//
// Codes have the width of the query, a multiple of codeUnit, row after row.
type kernel struct {
	name string

	// dots sets out[i] to the inner product of the query and row i.
	dots func(out []int32, codes []int8, query []int16)

	// dotsOfTwo does the same with two queries while it has the codes at hand.
	dotsOfTwo func(outA, outB []int32, codes []int8, queryA, queryB []int16)

	// bounds sets out[i] to the lower bound of the distance to row i, as [lowerBound] does, and
	// returns the least. It takes whole groups.
	bounds func(out []float32, dots []int32, groups []group, q *queryTerms) float32

	// square returns the sum of the squared differences of two vectors of one length.
	square func(x, y []float32) float32

	// addScaled adds by times x to dst, which has its length; each product is rounded first.
	addScaled func(dst, x []float32, by float32)

	// dotPairs sets out[i] to the inner product of x and row i as vek computes it, except for the last of
	// an odd number of rows. Rows have the length of x, a multiple of pairUnit. It may be nil.
	dotPairs func(out, x, rows []float32)
}

// pairUnit is the count of numbers that dotPairs reads of a row in one step.
const pairUnit = 32

// codeUnit is the count of bytes that a kernel reads of a row in one step, or a multiple of it for every kernel.
const codeUnit = 32

// kernels lists the kernels that this processor can run, fastest first. The last is in plain Go.
var kernels = append(working(processorKernels()), kernel{"plain", plainDots, plainDotsOfTwo, plainBounds, plainSquare, plainAddScaled[float32], nil})

// working returns the kernels that multiply as plain Go does. All that ever ran did, but not every
// processor has been tried, and a wrong product would make search inexact without a sign.
func working(list []kernel) []kernel {
	const rows, width = 5, 3 * codeUnit
	codes, query := make([]int8, rows*width), make([]int16, width)
	for i := range codes {
		codes[i] = int8(i*i%(2*maxCode+1) - maxCode)
	}
	for i := range query {
		query[i] = int16(i*i*i%(2*maxDigit+1) - maxDigit)
	}
	var a, b, want [rows]int32
	plainDots(want[:], codes, query)
	return slices.DeleteFunc(list, func(k kernel) bool {
		k.dots(a[:], codes, query)
		if a != want {
			return true
		}
		k.dotsOfTwo(a[:], b[:], codes, query, query)
		return a != want || b != want
	})
}

// best is the kernel that serves where no test chooses another.
var best = &kernels[0]

// Instructions names the vector instructions that serve, or "plain" where the loops run in ordinary
// Go.
func Instructions() string { return best.name }

func plainDots(out []int32, codes []int8, query []int16) {
	for i := range out {
		out[i] = plainCodeDot(codes[i*len(query):], query)
	}
}

func plainDotsOfTwo(outA, outB []int32, codes []int8, queryA, queryB []int16) {
	plainDots(outA, codes, queryA)
	plainDots(outB, codes, queryB)
}

// plainCodeDot keeps four sums going, because each waits for its last addition.
func plainCodeDot(code []int8, query []int16) int32 {
	var a, b, c, d int32
	code = code[:len(query)]
	for len(code) >= 4 && len(query) >= 4 {
		a += int32(code[0]) * int32(query[0])
		b += int32(code[1]) * int32(query[1])
		c += int32(code[2]) * int32(query[2])
		d += int32(code[3]) * int32(query[3])
		code, query = code[4:], query[4:]
	}
	return a + b + c + d
}

func plainBounds(out []float32, dots []int32, groups []group, q *queryTerms) float32 {
	for i := range groups {
		for j := range groupRows {
			out[i*groupRows+j] = lowerBound(dots[i*groupRows+j], &groups[i], j, q)
		}
	}
	return slices.Min(out[:len(groups)*groupRows])
}

func plainSquare(x, y []float32) float32 {
	var a, b, c, d float32
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		e, f, g, h := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		a += e * e
		b += f * f
		c += g * g
		d += h * h
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += (v - y[i]) * (v - y[i])
	}
	return (a + b) + (c + d)
}

const maxCode = 127

func plainAddScaled[T float32 | float64](dst, x []T, by T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += T(by * v) // which the conversion keeps from being fused with the sum
	}
}

func plainDot[T float32 | float64](x, y []T) T {
	var a, b, c, d T
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}
