package vecmath

import "math"

// Search leaves a row out when a bound shows that its distance, as [Distance] computes it, is
// larger than the distances of k other rows. This file has the bound and the proof that only such rows
// are left out. In it u is 2^-24, the largest relative error of a float32 operation, and v is 2^-53, the
// largest of a float64 operation.
//
// # The bound
//
// Let f be a map that never lengthens a distance: |f(q)-f(x)| <= |q-x|. Let y be a point near f(x)
// that few bytes describe (codes.go), z one near f(q), and e and g bounds of the two errors,
// |f(x)-y| <= e and |f(q)-z| <= g. Then by the triangle inequality
//
//	|q-x| >= |f(q)-f(x)| >= |z-y| - e - g.
//
// A point has coded coordinates and one coordinate more, its tail, as it is: y = (s*c, r) with a
// scale s, integers c of 8 bits and a tail r, and z = (t*d, w) with integers d of 16 bits; s, r, t
// and w are float32 numbers, and exact because they are what defines y and z. So
//
//	|z-y|^2 = (|t*d|^2 + w^2) + (|s*c|^2 + r^2) - 2*t*s*<d,c> - 2*w*r,
//
// where <d,c> is an integer that the kernels compute without error: query.encode keeps the sum of
// |d| below 2^31/127, so no partial sum leaves 32 bits. Two maps are used, both exact in theory and
// with their rounding counted in e and g where it occurs:
//
//   - the shift by the mean of all rows, which keeps every distance (codes.go), and
//   - the head: some coordinates in an orthonormal basis, and the length of the rest (head.go).
//
// # Rounding of |z-y|^2
//
// Let S be the first bracket and A the second. They are stored as float32, each with an error of u
// relative to itself. By 2ab <= a^2+b^2 the last two terms are together at most S+A. Of the
// computed sum (lowerBound), S and A pass the rounding they were stored with, their addition and
// three subtractions: 5 roundings; the term of <d,c> passes its conversion, two products (twice t
// is exact) and three subtractions: 6; the tail a product and two subtractions: 3. By the usual
// analysis (Higham, Accuracy and Stability of Numerical Algorithms, 3.1) the sum differs from
// |z-y|^2 by at most
//
//	6u/(1-6u) * (S + A + S+A) < 12.001u * (S+A),
//
// also where a processor fuses a product with a subtraction, which saves a rounding. The slack,
// 16u*(S+A), is computed from the rounded S and A with two roundings more, and subtracting it
// rounds a number of at most 2(S+A): 15.999u - 2.001u > 12.001u + u, so what remains is at most
// |z-y|^2, with u*(S+A) to spare.
//
// Products can underflow, and then err by up to 2^-150; what the product of s and <d,c> loses is
// multiplied by 2t. Vectors are coded only if they are zero or of a length in 2^-40..2^40 and have
// at most 2^16 components (codable, maxDim). Both maps keep lengths, and of a coded point the largest
// of coordinates and tail is right to a hundredth, because its code is 127 and its digit at least 255.
// So S and A are zero or at least (2^-41/2^8)^2 = 2^-98, and the u*(S+A) that remain of the slack
// are far more than the 2^-148 that is lost where t <= 1; where t > 1 at most 2^-115 is lost, since
// t < 2^40, and S is at least 255^2. If S and A are zero, all terms are.
//
// # Rounding of the bound
//
// Let B <= |z-y|^2 be what the slack left, or 0. Errors are stored enlarged by at least 8u (see
// roundedUp), so their float32 sum E is at least (1+6u)(e+g). The root is rounded, at most
// (1+u)*sqrt(B), and so is the difference: where it is positive the bound is
//
//	L <= (1+u) * ((1+u)*sqrt(B) - (1+6u)(e+g)) <= (1+u)^2 * (sqrt(B) - e - g) <= (1+u)^2 * |q-x|.
//
// # From the bound to computed distances
//
// [Distance] adds n squares of differences in some order of its own and takes the root. A
// difference has one rounding and counts twice, its square one, and a sum passes at most n+3
// additions with the lanes' own; all terms are positive, so the computed square is at least
// |q-x|^2 * (1-(n+6)u) - n*2^-149, the last for squares that underflow; one that overflows makes
// an infinite distance, which is larger than any finite one. The root's rounding takes another u.
// With |q-x|^2 >= L^2*(1-4u), a computed distance is larger than D whenever
//
//	L^2 > (D^2*(1+3u) + n*2^-149) / (1-(n+10)u).
//
// limitOf returns a float32 number not below the root of that: it has (n+16)u in the denominator,
// of which 3u stand for the factor of D^2 and 3u for its own rounding, in float64 and then to
// float32.

// queryTerms holds what a bound needs of a query: |t*d|^2 + w^2, 2t, 2w and g of the proof. The
// kernels read them in this order.
type queryTerms struct {
	square, twoScale, twoTail, err float32
}

// group holds what a bound needs of eight rows: s, |s*c|^2 + r^2, r and e of the proof. The
// kernels read them in this order.
type group struct {
	scale, square, tail, err [groupRows]float32
}

const groupRows = 8

// slack is 16u.
const slack = 0x1p-20

// lowerBound is a lower bound of the distance between a query and the row at a place of a group,
// given the inner product of their codes; it may be negative.
func lowerBound(dot int32, g *group, at int, q *queryTerms) float32 {
	squares := q.square + g.square[at]
	square := squares - q.twoScale*(g.scale[at]*float32(dot)) - q.twoTail*g.tail[at] - slack*squares
	return sqrt32(max(square, 0)) - (g.err[at] + q.err)
}

// limitOf returns a number such that a row whose bound is larger has a computed distance larger
// than that given. Vectors have n numbers.
func limitOf(distance float32, n int) float32 {
	square := float64(distance)*float64(distance) + float64(n)*0x1p-149
	return float32(math.Sqrt(square / (1 - float64(n+16)*unit)))
}

// unit is u.
const unit = 0x1p-24

// roundedUp enlarges an error computed in float64 by 16u and makes it a float32: 8u that the proof
// asks for, u for the conversion, and the rest for the at most 2^17 roundings behind it, which are
// 2^-36 together.
func roundedUp(err float64) float32 { return float32(err * (1 + 16*unit)) }

// codable says of which length a vector can be coded.
func codable(length float64) bool {
	return length == 0 || length >= 0x1p-40 && length <= 0x1p40
}

// maxDim is the largest dimension for which the proof holds.
const maxDim = 1 << 16

// sqrt32 returns the correctly rounded square root: rounding the float64 root once more changes
// nothing for so few bits (Figueroa, When is double rounding innocuous?, 1995).
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
