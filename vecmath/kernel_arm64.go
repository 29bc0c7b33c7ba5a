package vecmath

// processorKernels has one, for NEON is everywhere. Its bounds are the plain ones, and queries are
// multiplied one by one: the codes of a block stay in the cache.
func processorKernels() []kernel {
	dots := dotsWith(dotsNEON)
	return []kernel{{
		name: "neon",
		dots: dots,
		dotsOfTwo: func(outA, outB []int32, codes []int8, queryA, queryB []int16) {
			dots(outA, codes, queryA)
			dots(outB, codes, queryB)
		},
		bounds: plainBounds,
		square: squareWith(squareNEON),

		addScaled: plainAddScaled[float32],
	}}
}

//go:noescape
func dotsNEON(out *int32, codes *int8, query *int16, width, rows int)

//go:noescape
func squareNEON(x, y *float32, n int) float32
