package vecmath

import "math"

// point is the image of a vector under one of the bound's maps, in float64.
type point struct {
	coordinates []float64
	tail        float64
	inexact     float64 // at most this far from the true image
	uncodable   bool    // too long or too short to be coded
}

// codes holds the points of all rows, coded: a byte a coordinate with one scale a row. Rows are
// padded with zeros to the kernels' width, and the last group with rows at an infinite distance.
type codes struct {
	width  int
	bytes  []int8
	groups []group
}

func newCodes(rows, coordinates int) *codes {
	width, padded := paddedTo(coordinates, codeUnit), paddedTo(rows, groupRows)
	c := &codes{width, make([]int8, padded*width), make([]group, padded/groupRows)}
	for row := rows; row < padded; row++ {
		c.groups[row/groupRows].err[row%groupRows] = float32(math.Inf(-1))
	}
	return c
}

// paddedTo rounds n up to a multiple of unit.
func paddedTo(n, unit int) int { return (n + unit - 1) / unit * unit }

// row returns the code of a row.
func (c *codes) row(row int) []int8 { return c.bytes[row*c.width : (row+1)*c.width] }

// span returns the codes of the rows from up to to.
func (c *codes) span(from, to int) []int8 { return c.bytes[from*c.width : to*c.width] }

// encode codes the point of a row. The scale makes the largest coordinate the largest code.
//
// The error is the proof's: coordinates less scale times code are exact products of 24 and 7
// bits and one rounding of the difference, relative to itself; the sum of their squares and its
// root add roundings that roundedUp counts.
func (c *codes) encode(row int, p *point) {
	g, at := &c.groups[row/groupRows], row%groupRows
	if p.uncodable {
		g.err[at] = math.MaxFloat32 // and all else zero: no bound ever leaves it out
		return
	}
	largest := 0.0
	for _, x := range p.coordinates {
		largest = max(largest, math.Abs(x))
	}
	scale, code := float32(largest/maxCode), c.row(row)
	var length, lost float64
	for i, x := range p.coordinates {
		digit := digitOf(x, scale, maxCode)
		code[i] = int8(digit)
		length += digit * digit
		rest := x - float64(scale)*digit
		lost += rest * rest
	}
	tail := float32(p.tail)
	rest := p.tail - float64(tail)
	lost += rest * rest
	g.scale[at], g.tail[at] = scale, tail
	g.square[at] = squareOf(scale, length, tail)
	g.err[at] = roundedUp(math.Sqrt(lost) + p.inexact)
}

// digitOf returns the whole number of scales nearest to x.
func digitOf(x float64, scale float32, largest float64) float64 {
	if scale == 0 {
		return 0
	}
	return min(max(math.RoundToEven(x/float64(scale)), -largest), largest)
}

// squareOf returns the squared length of a coded point whose codes have a squared length: exact in float64
// except for three roundings, far below the one to float32.
func squareOf(scale float32, length float64, tail float32) float32 {
	return float32(float64(scale)*float64(scale)*length + float64(tail)*float64(tail))
}

// query is a coded query.
type query struct {
	digits []int16
	terms  queryTerms
}

const (
	maxDigit = 1<<15 - 1
	// maxDigits bounds the sum of the digits' magnitudes, so that no inner product with codes
	// leaves 32 bits.
	maxDigits = (1<<31 - 1) / maxCode
)

// encode codes the point of a query, which must be codable. It has the error of codes.encode.
func (q *query) encode(p *point) {
	largest, sum := 0.0, 0.0
	for _, x := range p.coordinates {
		largest = max(largest, math.Abs(x))
		sum += math.Abs(x)
	}
	// Each digit is at most a half larger than its coordinate, and the scale loses u by rounding:
	// 64 is more than enough for that.
	room := float64(maxDigits - len(p.coordinates) - 64)
	scale := float32(max(largest/maxDigit, sum/room))
	var length, lost float64
	for i, x := range p.coordinates {
		digit := digitOf(x, scale, maxDigit)
		q.digits[i] = int16(digit)
		length += digit * digit
		rest := x - float64(scale)*digit
		lost += rest * rest
	}
	clear(q.digits[len(p.coordinates):])
	tail := float32(p.tail)
	rest := p.tail - float64(tail)
	lost += rest * rest
	q.terms = queryTerms{
		square:   squareOf(scale, length, tail),
		twoScale: 2 * scale,
		twoTail:  2 * tail,
		err:      roundedUp(math.Sqrt(lost) + p.inexact),
	}
}
