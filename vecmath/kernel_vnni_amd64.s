#include "textflag.h"

// The integer loops with AVX-512 VNNI: as those with AVX2, but 32 codes a step, and one instruction
// multiplies, adds neighbours and adds to the sums. The sums cannot saturate, and VPDPWSSD does not.

// func dotsVNNI(out *int32, codes *int8, query *int16, width, rows int)
TEXT ·dotsVNNI(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ codes+8(FP), R8
	MOVQ query+16(FP), DX
	MOVQ width+24(FP), CX
	MOVQ rows+32(FP), BX

four:
	CMPQ   BX, $4
	JLT    one
	LEAQ   (R8)(CX*1), R9
	LEAQ   (R9)(CX*1), R10
	LEAQ   (R10)(CX*1), R11
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	XORQ   AX, AX

fourStep:
	PREFETCHT0 4096(R8)(AX*4)
	PREFETCHT0 4160(R8)(AX*4)
	VMOVDQU32 (DX)(AX*2), Z4
	VPMOVSXBW (R8)(AX*1), Z5
	VPMOVSXBW (R9)(AX*1), Z6
	VPMOVSXBW (R10)(AX*1), Z7
	VPMOVSXBW (R11)(AX*1), Z8
	VPDPWSSD  Z4, Z5, Z0
	VPDPWSSD  Z4, Z6, Z1
	VPDPWSSD  Z4, Z7, Z2
	VPDPWSSD  Z4, Z8, Z3
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       fourStep

	VEXTRACTI64X4 $1, Z0, Y4
	VEXTRACTI64X4 $1, Z1, Y5
	VEXTRACTI64X4 $1, Z2, Y6
	VEXTRACTI64X4 $1, Z3, Y7
	VPADDD        Y4, Y0, Y0
	VPADDD        Y5, Y1, Y1
	VPADDD        Y6, Y2, Y2
	VPADDD        Y7, Y3, Y3
	VPHADDD       Y1, Y0, Y0
	VPHADDD       Y3, Y2, Y2
	VPHADDD       Y2, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VMOVDQU       X0, (DI)
	ADDQ          $16, DI
	LEAQ          (R11)(CX*1), R8
	SUBQ          $4, BX
	JMP           four

one:
	TESTQ  BX, BX
	JZ     done
	VPXORD Z0, Z0, Z0
	XORQ   AX, AX

oneStep:
	VMOVDQU32 (DX)(AX*2), Z4
	VPMOVSXBW (R8)(AX*1), Z5
	VPDPWSSD  Z4, Z5, Z0
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       oneStep

	VEXTRACTI64X4 $1, Z0, Y4
	VPADDD        Y4, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPHADDD       X0, X0, X0
	VPHADDD       X0, X0, X0
	VMOVD         X0, (DI)
	ADDQ          $4, DI
	ADDQ          CX, R8
	DECQ          BX
	JMP           one

done:
	VZEROUPPER
	RET

// func dotsOfTwoVNNI(outA, outB *int32, codes *int8, queryA, queryB *int16, width, rows int)
TEXT ·dotsOfTwoVNNI(SB), NOSPLIT, $0-56
	MOVQ outA+0(FP), DI
	MOVQ outB+8(FP), SI
	MOVQ codes+16(FP), R8
	MOVQ queryA+24(FP), DX
	MOVQ queryB+32(FP), R12
	MOVQ width+40(FP), CX
	MOVQ rows+48(FP), BX

four:
	CMPQ   BX, $4
	JLT    one
	LEAQ   (R8)(CX*1), R9
	LEAQ   (R9)(CX*1), R10
	LEAQ   (R10)(CX*1), R11
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	XORQ   AX, AX

fourStep:
	VMOVDQU32 (DX)(AX*2), Z8
	VMOVDQU32 (R12)(AX*2), Z9
	VPMOVSXBW (R8)(AX*1), Z10
	VPMOVSXBW (R9)(AX*1), Z11
	VPMOVSXBW (R10)(AX*1), Z12
	VPMOVSXBW (R11)(AX*1), Z13
	VPDPWSSD  Z8, Z10, Z0
	VPDPWSSD  Z9, Z10, Z4
	VPDPWSSD  Z8, Z11, Z1
	VPDPWSSD  Z9, Z11, Z5
	VPDPWSSD  Z8, Z12, Z2
	VPDPWSSD  Z9, Z12, Z6
	VPDPWSSD  Z8, Z13, Z3
	VPDPWSSD  Z9, Z13, Z7
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       fourStep

	VEXTRACTI64X4 $1, Z0, Y8
	VEXTRACTI64X4 $1, Z1, Y9
	VEXTRACTI64X4 $1, Z2, Y10
	VEXTRACTI64X4 $1, Z3, Y11
	VPADDD        Y8, Y0, Y0
	VPADDD        Y9, Y1, Y1
	VPADDD        Y10, Y2, Y2
	VPADDD        Y11, Y3, Y3
	VPHADDD       Y1, Y0, Y0
	VPHADDD       Y3, Y2, Y2
	VPHADDD       Y2, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VMOVDQU       X0, (DI)
	VEXTRACTI64X4 $1, Z4, Y8
	VEXTRACTI64X4 $1, Z5, Y9
	VEXTRACTI64X4 $1, Z6, Y10
	VEXTRACTI64X4 $1, Z7, Y11
	VPADDD        Y8, Y4, Y4
	VPADDD        Y9, Y5, Y5
	VPADDD        Y10, Y6, Y6
	VPADDD        Y11, Y7, Y7
	VPHADDD       Y5, Y4, Y4
	VPHADDD       Y7, Y6, Y6
	VPHADDD       Y6, Y4, Y4
	VEXTRACTI128  $1, Y4, X5
	VPADDD        X5, X4, X4
	VMOVDQU       X4, (SI)
	ADDQ          $16, DI
	ADDQ          $16, SI
	LEAQ          (R11)(CX*1), R8
	SUBQ          $4, BX
	JMP           four

one:
	TESTQ  BX, BX
	JZ     done
	VPXORD Z0, Z0, Z0
	VPXORD Z4, Z4, Z4
	XORQ   AX, AX

oneStep:
	VMOVDQU32 (DX)(AX*2), Z8
	VMOVDQU32 (R12)(AX*2), Z9
	VPMOVSXBW (R8)(AX*1), Z10
	VPDPWSSD  Z8, Z10, Z0
	VPDPWSSD  Z9, Z10, Z4
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       oneStep

	VEXTRACTI64X4 $1, Z0, Y8
	VPADDD        Y8, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPHADDD       X0, X0, X0
	VPHADDD       X0, X0, X0
	VMOVD         X0, (DI)
	VEXTRACTI64X4 $1, Z4, Y8
	VPADDD        Y8, Y4, Y4
	VEXTRACTI128  $1, Y4, X5
	VPADDD        X5, X4, X4
	VPHADDD       X4, X4, X4
	VPHADDD       X4, X4, X4
	VMOVD         X4, (SI)
	ADDQ          $4, DI
	ADDQ          $4, SI
	ADDQ          CX, R8
	DECQ          BX
	JMP           one

done:
	VZEROUPPER
	RET
