//go:build amd64 || arm64

package vecmath

// dotsWith guards an assembly loop: what it is given is there.
func dotsWith(loop func(out *int32, codes *int8, query *int16, width, rows int)) func([]int32, []int8, []int16) {
	return func(out []int32, codes []int8, query []int16) {
		if len(out) == 0 {
			return
		}
		checkCodes(len(out), codes, query)
		loop(&out[0], &codes[0], &query[0], len(query), len(out))
	}
}

func checkCodes(rows int, codes []int8, query []int16) {
	if len(query) == 0 || len(query)%codeUnit != 0 {
		panic("vecmath: codes of an impossible width")
	}
	_ = codes[rows*len(query)-1]
}

// squareWith guards an assembly loop: of no numbers there is no first.
func squareWith(loop func(x, y *float32, n int) float32) func(x, y []float32) float32 {
	return func(x, y []float32) float32 {
		if len(x) == 0 {
			return 0
		}
		_ = y[len(x)-1]
		return loop(&x[0], &y[0], len(x))
	}
}
