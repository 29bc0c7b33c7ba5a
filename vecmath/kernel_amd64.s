#include "textflag.h"

// The loops with AVX2 and FMA. Operands are in Go's order: sources first, destination last.

// func dotsAVX2(out *int32, codes *int8, query *int16, width, rows int)
//
// Four rows at a time, 16 codes a step: each code is widened to 16 bits, neighbouring products are
// added to 32 bits, and sums stay in Y0 to Y3, one register a row, until the row ends. Each step
// asks for a line of memory 4 KB ahead, in order, which the processor cannot guess from four rows read
// at once; without it codes outside the caches take nearly twice as long (measured).
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ codes+8(FP), R8
	MOVQ query+16(FP), DX
	MOVQ width+24(FP), CX
	MOVQ rows+32(FP), BX

four:
	CMPQ  BX, $4
	JLT   one
	LEAQ  (R8)(CX*1), R9
	LEAQ  (R9)(CX*1), R10
	LEAQ  (R10)(CX*1), R11
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

fourStep:
	PREFETCHT0 4096(R8)(AX*4)
	VMOVDQU   (DX)(AX*2), Y4
	VPMOVSXBW (R8)(AX*1), Y5
	VPMOVSXBW (R9)(AX*1), Y6
	VPMOVSXBW (R10)(AX*1), Y7
	VPMOVSXBW (R11)(AX*1), Y8
	VPMADDWD  Y4, Y5, Y5
	VPMADDWD  Y4, Y6, Y6
	VPMADDWD  Y4, Y7, Y7
	VPMADDWD  Y4, Y8, Y8
	VPADDD    Y5, Y0, Y0
	VPADDD    Y6, Y1, Y1
	VPADDD    Y7, Y2, Y2
	VPADDD    Y8, Y3, Y3
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       fourStep

	// The sums of the four registers, side by side in X0.
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $16, DI
	LEAQ         (R11)(CX*1), R8
	SUBQ         $4, BX
	JMP          four

one:
	TESTQ BX, BX
	JZ    done
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

oneStep:
	VPMOVSXBW (R8)(AX*1), Y5
	VPMADDWD  (DX)(AX*2), Y5, Y5
	VPADDD    Y5, Y0, Y0
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       oneStep

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPHADDD      X0, X0, X0
	VPHADDD      X0, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	ADDQ         CX, R8
	DECQ         BX
	JMP          one

done:
	VZEROUPPER
	RET

// func dotsOfTwoAVX2(outA, outB *int32, codes *int8, queryA, queryB *int16, width, rows int)
//
// As dotsAVX2, with sums of the first query in Y0 to Y3 and of the second in Y4 to Y7.
TEXT ·dotsOfTwoAVX2(SB), NOSPLIT, $0-56
	MOVQ outA+0(FP), DI
	MOVQ outB+8(FP), SI
	MOVQ codes+16(FP), R8
	MOVQ queryA+24(FP), DX
	MOVQ queryB+32(FP), R12
	MOVQ width+40(FP), CX
	MOVQ rows+48(FP), BX

four:
	CMPQ  BX, $4
	JLT   one
	LEAQ  (R8)(CX*1), R9
	LEAQ  (R9)(CX*1), R10
	LEAQ  (R10)(CX*1), R11
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	XORQ  AX, AX

fourStep:
	VMOVDQU   (DX)(AX*2), Y8
	VMOVDQU   (R12)(AX*2), Y9
	VPMOVSXBW (R8)(AX*1), Y10
	VPMOVSXBW (R9)(AX*1), Y11
	VPMADDWD  Y8, Y10, Y12
	VPMADDWD  Y9, Y10, Y13
	VPMADDWD  Y8, Y11, Y14
	VPMADDWD  Y9, Y11, Y15
	VPADDD    Y12, Y0, Y0
	VPADDD    Y13, Y4, Y4
	VPADDD    Y14, Y1, Y1
	VPADDD    Y15, Y5, Y5
	VPMOVSXBW (R10)(AX*1), Y10
	VPMOVSXBW (R11)(AX*1), Y11
	VPMADDWD  Y8, Y10, Y12
	VPMADDWD  Y9, Y10, Y13
	VPMADDWD  Y8, Y11, Y14
	VPMADDWD  Y9, Y11, Y15
	VPADDD    Y12, Y2, Y2
	VPADDD    Y13, Y6, Y6
	VPADDD    Y14, Y3, Y3
	VPADDD    Y15, Y7, Y7
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       fourStep

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	VPHADDD      Y5, Y4, Y4
	VPHADDD      Y7, Y6, Y6
	VPHADDD      Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VMOVDQU      X4, (SI)
	ADDQ         $16, DI
	ADDQ         $16, SI
	LEAQ         (R11)(CX*1), R8
	SUBQ         $4, BX
	JMP          four

one:
	TESTQ BX, BX
	JZ    done
	VPXOR Y0, Y0, Y0
	VPXOR Y4, Y4, Y4
	XORQ  AX, AX

oneStep:
	VPMOVSXBW (R8)(AX*1), Y10
	VPMADDWD  (DX)(AX*2), Y10, Y12
	VPMADDWD  (R12)(AX*2), Y10, Y13
	VPADDD    Y12, Y0, Y0
	VPADDD    Y13, Y4, Y4
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       oneStep

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPHADDD      X0, X0, X0
	VPHADDD      X0, X0, X0
	VMOVD        X0, (DI)
	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VPHADDD      X4, X4, X4
	VPHADDD      X4, X4, X4
	VMOVD        X4, (SI)
	ADDQ         $4, DI
	ADDQ         $4, SI
	ADDQ         CX, R8
	DECQ         BX
	JMP          one

done:
	VZEROUPPER
	RET

// 2^-20 in binary32, the slack of bound.go.
DATA slack<>+0(SB)/4, $0x35800000
GLOBL slack<>(SB), RODATA|NOPTR, $4

DATA infinity<>+0(SB)/4, $0x7F800000
GLOBL infinity<>(SB), RODATA|NOPTR, $4

// func boundsAVX2(out *float32, dots *int32, groups *group, n int, q *queryTerms) float32
//
// The formula of lowerBound for the eight rows of a group at once.
TEXT ·boundsAVX2(SB), NOSPLIT, $0-44
	MOVQ         out+0(FP), DI
	MOVQ         dots+8(FP), SI
	MOVQ         groups+16(FP), R8
	MOVQ         n+24(FP), CX
	MOVQ         q+32(FP), DX
	VBROADCASTSS 0(DX), Y8           // square
	VBROADCASTSS 4(DX), Y9           // twoScale
	VBROADCASTSS 8(DX), Y10          // twoTail
	VBROADCASTSS 12(DX), Y11         // err
	VBROADCASTSS slack<>(SB), Y12
	VXORPS       Y13, Y13, Y13
	VBROADCASTSS infinity<>(SB), Y14 // the least so far

eight:
	VCVTDQ2PS (SI), Y0
	VMULPS    (R8), Y0, Y0           // scale * dot
	VMULPS    Y9, Y0, Y0             // * twoScale
	VADDPS    32(R8), Y8, Y1         // the squares
	VMULPS    Y12, Y1, Y2            // their slack
	VMULPS    64(R8), Y10, Y3        // tails
	VSUBPS    Y0, Y1, Y1
	VSUBPS    Y3, Y1, Y1
	VSUBPS    Y2, Y1, Y1
	VMAXPS    Y13, Y1, Y1
	VSQRTPS   Y1, Y1
	VADDPS    96(R8), Y11, Y4        // errors
	VSUBPS    Y4, Y1, Y1
	VMOVUPS   Y1, (DI)
	VMINPS    Y1, Y14, Y14
	ADDQ      $32, SI
	ADDQ      $32, DI
	ADDQ      $128, R8
	DECQ      CX
	JNZ       eight

	VEXTRACTF128 $1, Y14, X0
	VMINPS       X0, X14, X0
	VPSHUFD      $0x4E, X0, X1
	VMINPS       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VMINPS       X1, X0, X0
	VMOVSS       X0, ret+40(FP)
	VZEROUPPER
	RET

// func squareAVX2(x, y *float32, n int) float32
//
// Four registers of eight sums; what is left over is added number by number.
TEXT ·squareAVX2(SB), NOSPLIT, $0-28
	MOVQ   x+0(FP), SI
	MOVQ   y+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ   $32, CX
	JLT    eights

wide:
	VMOVUPS     (SI), Y4
	VMOVUPS     32(SI), Y5
	VMOVUPS     64(SI), Y6
	VMOVUPS     96(SI), Y7
	VSUBPS      (DI), Y4, Y4
	VSUBPS      32(DI), Y5, Y5
	VSUBPS      64(DI), Y6, Y6
	VSUBPS      96(DI), Y7, Y7
	VFMADD231PS Y4, Y4, Y0
	VFMADD231PS Y5, Y5, Y1
	VFMADD231PS Y6, Y6, Y2
	VFMADD231PS Y7, Y7, Y3
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX
	JGE         wide

eights:
	ADDQ $24, CX
	JLT  sum

eight:
	VMOVUPS     (SI), Y4
	VSUBPS      (DI), Y4, Y4
	VFMADD231PS Y4, Y4, Y0
	ADDQ        $32, SI
	ADDQ        $32, DI
	SUBQ        $8, CX
	JGE         eight

sum:
	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VADDPS       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VADDSS       X1, X0, X0
	ADDQ         $8, CX
	JZ           done

single:
	VMOVSS      (SI), X4
	VSUBSS      (DI), X4, X4
	VFMADD231SS X4, X4, X0
	ADDQ        $4, SI
	ADDQ        $4, DI
	DECQ        CX
	JNZ         single

done:
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func addScaledAVX2(dst, x *float32, n int, by float32)
//
// Products are rounded before they are added, as those of two separate loops are.
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS by+24(FP), Y0
	SUBQ         $32, CX
	JLT          addEights

addWide:
	VMULPS  (SI), Y0, Y1
	VMULPS  32(SI), Y0, Y2
	VMULPS  64(SI), Y0, Y3
	VMULPS  96(SI), Y0, Y4
	VADDPS  (DI), Y1, Y1
	VADDPS  32(DI), Y2, Y2
	VADDPS  64(DI), Y3, Y3
	VADDPS  96(DI), Y4, Y4
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, 32(DI)
	VMOVUPS Y3, 64(DI)
	VMOVUPS Y4, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $32, CX
	JGE     addWide

addEights:
	ADDQ $24, CX
	JLT  addRest

addEight:
	VMULPS  (SI), Y0, Y1
	VADDPS  (DI), Y1, Y1
	VMOVUPS Y1, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JGE     addEight

addRest:
	ADDQ $8, CX
	JEQ  added

addOne:
	VMULSS (SI), X0, X1
	VADDSS (DI), X1, X1
	VMOVSS X1, (DI)
	ADDQ   $4, SI
	ADDQ   $4, DI
	DECQ   CX
	JNE    addOne

added:
	VZEROUPPER
	RET

// func dotPairsAVX2(out, x, rows *float32, n, pairs int)
//
// Two rows at a time share what is read of x. Each is summed as vek sums an inner product of a
// multiple of 32 numbers: in four registers, which are added in order and then folded in half.
TEXT ·dotPairsAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ rows+16(FP), R8
	MOVQ n+24(FP), CX
	MOVQ pairs+32(FP), BX
	SHLQ $2, CX

pair:
	LEAQ   (R8)(CX*1), R9
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ   AX, AX

pairStep:
	VMOVUPS     (SI)(AX*1), Y8
	VMOVUPS     32(SI)(AX*1), Y9
	VMOVUPS     64(SI)(AX*1), Y10
	VMOVUPS     96(SI)(AX*1), Y11
	VFMADD231PS (R8)(AX*1), Y8, Y0
	VFMADD231PS 32(R8)(AX*1), Y9, Y1
	VFMADD231PS 64(R8)(AX*1), Y10, Y2
	VFMADD231PS 96(R8)(AX*1), Y11, Y3
	VFMADD231PS (R9)(AX*1), Y8, Y4
	VFMADD231PS 32(R9)(AX*1), Y9, Y5
	VFMADD231PS 64(R9)(AX*1), Y10, Y6
	VFMADD231PS 96(R9)(AX*1), Y11, Y7
	ADDQ        $128, AX
	CMPQ        AX, CX
	JLT         pairStep

	VADDPS       Y0, Y1, Y0
	VADDPS       Y4, Y5, Y4
	VADDPS       Y0, Y2, Y0
	VADDPS       Y4, Y6, Y4
	VADDPS       Y0, Y3, Y0
	VADDPS       Y4, Y7, Y4
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y4, X5
	VADDPS       X1, X0, X0
	VADDPS       X5, X4, X4
	VPERMILPD    $1, X0, X1
	VPERMILPD    $1, X4, X5
	VADDPS       X1, X0, X0
	VADDPS       X5, X4, X4
	VMOVSHDUP    X0, X1
	VMOVSHDUP    X4, X5
	VADDSS       X1, X0, X0
	VADDSS       X5, X4, X4
	VMOVSS       X0, (DI)
	VMOVSS       X4, 4(DI)
	ADDQ         $8, DI
	LEAQ         (R9)(CX*1), R8
	DECQ         BX
	JNE          pair
	VZEROUPPER
	RET
