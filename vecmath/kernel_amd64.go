package vecmath

import "golang.org/x/sys/cpu"

// processorKernels asks for the operating system's support of the wide registers too: package cpu
// reports AVX-512 only where the system saves them.
func processorKernels() []kernel {
	var list []kernel
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		avx2 := kernel{"avx2", dotsWith(dotsAVX2), dotsOfTwoWith(dotsOfTwoAVX2), boundsWithAVX2, squareWithAVX2}
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
			vnni := avx2
			vnni.name = "avx512-vnni"
			vnni.dots, vnni.dotsOfTwo = dotsWith(dotsVNNI), dotsOfTwoWith(dotsOfTwoVNNI)
			list = append(list, vnni)
		}
		list = append(list, avx2)
	}
	return list
}

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

func dotsOfTwoWith(loop func(outA, outB *int32, codes *int8, queryA, queryB *int16, width, rows int)) func(a, b []int32, codes []int8, queryA, queryB []int16) {
	return func(outA, outB []int32, codes []int8, queryA, queryB []int16) {
		checkLengths(len(outB), len(outA))
		checkLengths(len(queryB), len(queryA))
		if len(outA) == 0 {
			return
		}
		checkCodes(len(outA), codes, queryA)
		loop(&outA[0], &outB[0], &codes[0], &queryA[0], &queryB[0], len(queryA), len(outA))
	}
}

func checkCodes(rows int, codes []int8, query []int16) {
	if len(query) == 0 || len(query)%codeUnit != 0 {
		panic("vecmath: codes of an impossible width")
	}
	_ = codes[rows*len(query)-1]
}

func boundsWithAVX2(out []float32, dots []int32, groups []group, q *queryTerms) float32 {
	rows := len(groups) * groupRows
	_, _ = out[rows-1], dots[rows-1]
	return boundsAVX2(&out[0], &dots[0], &groups[0], len(groups), q)
}

func squareWithAVX2(x, y []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	_ = y[len(x)-1]
	return squareAVX2(&x[0], &y[0], len(x))
}

//go:noescape
func dotsAVX2(out *int32, codes *int8, query *int16, width, rows int)

//go:noescape
func dotsOfTwoAVX2(outA, outB *int32, codes *int8, queryA, queryB *int16, width, rows int)

//go:noescape
func dotsVNNI(out *int32, codes *int8, query *int16, width, rows int)

//go:noescape
func dotsOfTwoVNNI(outA, outB *int32, codes *int8, queryA, queryB *int16, width, rows int)

//go:noescape
func boundsAVX2(out *float32, dots *int32, groups *group, n int, q *queryTerms) float32

//go:noescape
func squareAVX2(x, y *float32, n int) float32
