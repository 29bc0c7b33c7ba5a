package vecmath

import "golang.org/x/sys/cpu"

// processorKernels asks for the operating system's support of the wide registers too: package cpu
// reports AVX-512 only where the system saves them.
func processorKernels() []kernel {
	var list []kernel
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		avx2 := kernel{"avx2", dotsWith(dotsAVX2), dotsOfTwoWith(dotsOfTwoAVX2), boundsWithAVX2, squareWith(squareAVX2), addScaledWithAVX2, dotPairsWithAVX2}
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

// dotsOfTwoWith guards an assembly loop as dotsWith does.
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

func boundsWithAVX2(out []float32, dots []int32, groups []group, q *queryTerms) float32 {
	rows := len(groups) * groupRows
	_, _ = out[rows-1], dots[rows-1]
	return boundsAVX2(&out[0], &dots[0], &groups[0], len(groups), q)
}

func addScaledWithAVX2(dst, x []float32, by float32) {
	if len(x) == 0 {
		return
	}
	_ = dst[len(x)-1]
	addScaledAVX2(&dst[0], &x[0], len(x), by)
}

func dotPairsWithAVX2(out, x, rows []float32) {
	if len(out) < 2 {
		return
	}
	_ = rows[len(out)/2*2*len(x)-1]
	dotPairsAVX2(&out[0], &x[0], &rows[0], len(x), len(out)/2)
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

//go:noescape
func addScaledAVX2(dst, x *float32, n int, by float32)

//go:noescape
func dotPairsAVX2(out, x, rows *float32, n, pairs int)
