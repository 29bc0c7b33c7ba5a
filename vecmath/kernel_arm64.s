#include "textflag.h"

// The loops with NEON, which every arm64 processor has. The assembler does not know some of the
// instructions; operands are in its order all the same: sources first, destination last.

// SXTL widens the lower eight signed bytes to 16 bits, SXTL2 the upper eight.
#define SXTL(n, d) WORD $(0x0F08A400 | (n)<<5 | (d))
#define SXTL2(n, d) WORD $(0x4F08A400 | (n)<<5 | (d))

// SMLAL adds the products of the lower four signed 16-bit numbers to 32-bit sums, SMLAL2 of the upper.
#define SMLAL(m, n, d) WORD $(0x0E608000 | (m)<<16 | (n)<<5 | (d))
#define SMLAL2(m, n, d) WORD $(0x4E608000 | (m)<<16 | (n)<<5 | (d))

// FSUB subtracts four float32 numbers, m from n; FADDP adds neighbours of n and then of m.
#define FSUB(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FADDP(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d))

// STEP adds the products of 16 codes at address and the digits in V16 and V17 to sums, low and high.
#define STEP(address, low, high) \
	VLD1.P 16(address), [V4.B16] \
	SXTL(4, 5) \
	SXTL2(4, 6) \
	SMLAL(16, 5, low) \
	SMLAL2(16, 5, high) \
	SMLAL(17, 6, low) \
	SMLAL2(17, 6, high)

// func dotsNEON(out *int32, codes *int8, query *int16, width, rows int)
//
// Four rows at a time, 16 codes a step, with sums in V20 to V27, two registers a row.
TEXT ·dotsNEON(SB), NOSPLIT, $0-40
	MOVD out+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD query+16(FP), R2
	MOVD width+24(FP), R3
	MOVD rows+32(FP), R4

four:
	CMP  $4, R4
	BLT  one
	ADD  R3, R1, R5
	ADD  R3, R5, R6
	ADD  R3, R6, R7
	MOVD R2, R8
	MOVD R3, R9
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16

fourStep:
	VLD1.P 32(R8), [V16.H8, V17.H8]
	STEP(R1, 20, 21)
	STEP(R5, 22, 23)
	STEP(R6, 24, 25)
	STEP(R7, 26, 27)
	SUBS   $16, R9
	BNE    fourStep

	// The sums of the four rows, side by side.
	VADD   V21.S4, V20.S4, V20.S4
	VADD   V23.S4, V22.S4, V22.S4
	VADD   V25.S4, V24.S4, V24.S4
	VADD   V27.S4, V26.S4, V26.S4
	VADDP  V22.S4, V20.S4, V20.S4
	VADDP  V26.S4, V24.S4, V24.S4
	VADDP  V24.S4, V20.S4, V20.S4
	VST1.P [V20.S4], 16(R0)
	MOVD   R7, R1                  // behind the last row by now
	SUB    $4, R4
	B      four

one:
	CBZ  R4, done
	MOVD R2, R8
	MOVD R3, R9
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16

oneStep:
	VLD1.P 32(R8), [V16.H8, V17.H8]
	STEP(R1, 20, 21)
	SUBS   $16, R9
	BNE    oneStep

	VADD   V21.S4, V20.S4, V20.S4
	VADDV  V20.S4, V20
	VMOV   V20.S[0], R5
	MOVW.P R5, 4(R0)
	SUB    $1, R4
	B      one

done:
	RET

// func squareNEON(x, y *float32, n int) float32
//
// Four registers of four sums; what is left over is added number by number.
TEXT ·squareNEON(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16

wide:
	CMP    $16, R2
	BLT    sum
	VLD1.P 64(R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	FSUB(4, 0, 0)
	FSUB(5, 1, 1)
	FSUB(6, 2, 2)
	FSUB(7, 3, 3)
	VFMLA  V0.S4, V0.S4, V20.S4
	VFMLA  V1.S4, V1.S4, V21.S4
	VFMLA  V2.S4, V2.S4, V22.S4
	VFMLA  V3.S4, V3.S4, V23.S4
	SUB    $16, R2
	B      wide

sum:
	FADDP(21, 20, 20)
	FADDP(23, 22, 22)
	FADDP(22, 20, 20)
	FADDP(20, 20, 20)
	FADDP(20, 20, 20)

single:
	CBZ     R2, done
	FMOVS.P 4(R0), F0
	FMOVS.P 4(R1), F1
	FSUBS   F1, F0, F0
	FMADDS  F0, F20, F0, F20
	SUB     $1, R2
	B       single

done:
	FMOVS F20, ret+24(FP)
	RET
