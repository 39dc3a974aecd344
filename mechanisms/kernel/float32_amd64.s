//go:build amd64 && !purego && !noasm

#include "textflag.h"

// Sixteen doublewords of ones and then of zeros: what begins 16-r doublewords in selects
// the first r of sixteen numbers.
DATA tails32<>+0(SB)/8, $-1
DATA tails32<>+8(SB)/8, $-1
DATA tails32<>+16(SB)/8, $-1
DATA tails32<>+24(SB)/8, $-1
DATA tails32<>+32(SB)/8, $-1
DATA tails32<>+40(SB)/8, $-1
DATA tails32<>+48(SB)/8, $-1
DATA tails32<>+56(SB)/8, $-1
DATA tails32<>+64(SB)/8, $0
DATA tails32<>+72(SB)/8, $0
DATA tails32<>+80(SB)/8, $0
DATA tails32<>+88(SB)/8, $0
DATA tails32<>+96(SB)/8, $0
DATA tails32<>+104(SB)/8, $0
DATA tails32<>+112(SB)/8, $0
DATA tails32<>+120(SB)/8, $0
GLOBL tails32<>(SB), RODATA|NOPTR, $128

// v - v is 0 of a finite v and else NaN, whose bits are not all 0.
#define DIFFER(v, acc) \
	VSUBPS v, v, v \
	VORPS  v, acc, acc

// func allFinite32AVX(x *float32, n int) bool
TEXT ·allFinite32AVX(SB), NOSPLIT, $0-17
	MOVQ   x+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	SUBQ   $16, CX
	JL     tail

loop:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	DIFFER(Y4, Y0)
	DIFFER(Y5, Y1)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JGE     loop

tail:
	ADDQ       $16, CX
	JZ         fold
	NEGQ       CX
	LEAQ       tails32<>+64(SB), R8
	VMOVUPS    (R8)(CX*4), Y12
	VMOVUPS    32(R8)(CX*4), Y13
	VMASKMOVPS (SI), Y12, Y4
	VMASKMOVPS 32(SI), Y13, Y5
	DIFFER(Y4, Y0)
	DIFFER(Y5, Y1)

fold:
	VORPS  Y1, Y0, Y0
	VPTEST Y0, Y0
	SETEQ  ret+16(FP)
	VZEROUPPER
	RET

// Four times four numbers of X4 to X7 to float64, squared, to the lanes Y0 to Y3.
#define SQUARES \
	VCVTPS2PD X4, Y4     \
	VCVTPS2PD X5, Y5     \
	VCVTPS2PD X6, Y6     \
	VCVTPS2PD X7, Y7     \
	VMULPD    Y4, Y4, Y4 \
	VMULPD    Y5, Y5, Y5 \
	VMULPD    Y6, Y6, Y6 \
	VMULPD    Y7, Y7, Y7 \
	VADDPD    Y4, Y0, Y0 \
	VADDPD    Y5, Y1, Y1 \
	VADDPD    Y6, Y2, Y2 \
	VADDPD    Y7, Y3, Y3

// func squaredNorm32AVX(x *float32, n int) float64
TEXT ·squaredNorm32AVX(SB), NOSPLIT, $0-24
	MOVQ   x+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	SUBQ   $16, CX
	JL     tail

loop:
	VMOVUPS (SI), X4
	VMOVUPS 16(SI), X5
	VMOVUPS 32(SI), X6
	VMOVUPS 48(SI), X7
	SQUARES
	ADDQ    $64, SI
	SUBQ    $16, CX
	JGE     loop

tail:
	ADDQ       $16, CX
	JZ         fold
	NEGQ       CX
	LEAQ       tails32<>+64(SB), R8
	VMOVUPS    (R8)(CX*4), X12
	VMOVUPS    16(R8)(CX*4), X13
	VMOVUPS    32(R8)(CX*4), X14
	VMOVUPS    48(R8)(CX*4), X15
	VMASKMOVPS (SI), X12, X4
	VMASKMOVPS 16(SI), X13, X5
	VMASKMOVPS 32(SI), X14, X6
	VMASKMOVPS 48(SI), X15, X7
	SQUARES

fold:
	VADDPD       Y2, Y0, Y0
	VADDPD       Y3, Y1, Y1
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VPERMILPD    $1, X0, X1
	VADDSD       X1, X0, X0
	VZEROUPPER
	VMOVSD       X0, ret+16(FP)
	RET

// func axpy32AVX(dst *float32, a float32, x *float32, n int)
TEXT ·axpy32AVX(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSS a+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JL           eight

loop:
	VMULPS  (SI), Y0, Y4
	VMULPS  32(SI), Y0, Y5
	VADDPS  (DI), Y4, Y4
	VADDPS  32(DI), Y5, Y5
	VMOVUPS Y4, (DI)
	VMOVUPS Y5, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $16, CX
	JGE     loop

eight:
	ADDQ    $8, CX
	JL      four
	VMULPS  (SI), Y0, Y4
	VADDPS  (DI), Y4, Y4
	VMOVUPS Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX

four:
	ADDQ    $4, CX
	JL      one
	VMULPS  (SI), X0, X4
	VADDPS  (DI), X4, X4
	VMOVUPS X4, (DI)
	ADDQ    $16, SI
	ADDQ    $16, DI
	SUBQ    $4, CX

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMULSS (SI), X0, X4
	VADDSS (DI), X4, X4
	VMOVSS X4, (DI)
	ADDQ   $4, SI
	ADDQ   $4, DI
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func axpy4x32AVX(dst *float32, a *[4]float32, x0, x1, x2, x3 *float32, n int)
TEXT ·axpy4x32AVX(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), AX
	MOVQ         x0+16(FP), R8
	MOVQ         x1+24(FP), R9
	MOVQ         x2+32(FP), R10
	MOVQ         x3+40(FP), R11
	MOVQ         n+48(FP), CX
	VBROADCASTSS (AX), Y0
	VBROADCASTSS 4(AX), Y1
	VBROADCASTSS 8(AX), Y2
	VBROADCASTSS 12(AX), Y3
	XORQ         BX, BX
	SUBQ         $16, CX
	JL           eight

loop:
	VMOVUPS (DI)(BX*4), Y4
	VMOVUPS 32(DI)(BX*4), Y5
	VMULPS  (R8)(BX*4), Y0, Y6
	VMULPS  32(R8)(BX*4), Y0, Y7
	VADDPS  Y6, Y4, Y4
	VADDPS  Y7, Y5, Y5
	VMULPS  (R9)(BX*4), Y1, Y6
	VMULPS  32(R9)(BX*4), Y1, Y7
	VADDPS  Y6, Y4, Y4
	VADDPS  Y7, Y5, Y5
	VMULPS  (R10)(BX*4), Y2, Y6
	VMULPS  32(R10)(BX*4), Y2, Y7
	VADDPS  Y6, Y4, Y4
	VADDPS  Y7, Y5, Y5
	VMULPS  (R11)(BX*4), Y3, Y6
	VMULPS  32(R11)(BX*4), Y3, Y7
	VADDPS  Y6, Y4, Y4
	VADDPS  Y7, Y5, Y5
	VMOVUPS Y4, (DI)(BX*4)
	VMOVUPS Y5, 32(DI)(BX*4)
	ADDQ    $16, BX
	SUBQ    $16, CX
	JGE     loop

eight:
	ADDQ    $8, CX
	JL      four
	VMOVUPS (DI)(BX*4), Y4
	VMULPS  (R8)(BX*4), Y0, Y6
	VADDPS  Y6, Y4, Y4
	VMULPS  (R9)(BX*4), Y1, Y6
	VADDPS  Y6, Y4, Y4
	VMULPS  (R10)(BX*4), Y2, Y6
	VADDPS  Y6, Y4, Y4
	VMULPS  (R11)(BX*4), Y3, Y6
	VADDPS  Y6, Y4, Y4
	VMOVUPS Y4, (DI)(BX*4)
	ADDQ    $8, BX
	SUBQ    $8, CX

four:
	ADDQ    $4, CX
	JL      one
	VMOVUPS (DI)(BX*4), X4
	VMULPS  (R8)(BX*4), X0, X6
	VADDPS  X6, X4, X4
	VMULPS  (R9)(BX*4), X1, X6
	VADDPS  X6, X4, X4
	VMULPS  (R10)(BX*4), X2, X6
	VADDPS  X6, X4, X4
	VMULPS  (R11)(BX*4), X3, X6
	VADDPS  X6, X4, X4
	VMOVUPS X4, (DI)(BX*4)
	ADDQ    $4, BX
	SUBQ    $4, CX

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMOVSS (DI)(BX*4), X4
	VMULSS (R8)(BX*4), X0, X6
	VADDSS X6, X4, X4
	VMULSS (R9)(BX*4), X1, X6
	VADDSS X6, X4, X4
	VMULSS (R10)(BX*4), X2, X6
	VADDSS X6, X4, X4
	VMULSS (R11)(BX*4), X3, X6
	VADDSS X6, X4, X4
	VMOVSS X4, (DI)(BX*4)
	INCQ   BX
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// The eight lanes of each of four sums fold 4 apart, 2 apart and 1 apart, to the four
// entries of A.
#define FOLD4(YA, YB, YC, YD, A, B, C, D, S, T) \
	VEXTRACTF128 $1, YA, S \
	VADDPS       S, A, A    \
	VEXTRACTF128 $1, YB, S \
	VADDPS       S, B, B    \
	VEXTRACTF128 $1, YC, S \
	VADDPS       S, C, C    \
	VEXTRACTF128 $1, YD, S \
	VADDPS       S, D, D    \
	VUNPCKLPD    B, A, S    \
	VUNPCKHPD    B, A, T    \
	VADDPS       T, S, A    \
	VUNPCKLPD    D, C, S    \
	VUNPCKHPD    D, C, T    \
	VADDPS       T, S, B    \
	VSHUFPS      $0x88, B, A, S \
	VSHUFPS      $0xDD, B, A, T \
	VADDPS       T, S, A

// func dot1x4AVX(to *[4]float32, x, y0, y1, y2, y3 *float32, n int)
TEXT ·dot1x4AVX(SB), NOSPLIT, $0-56
	MOVQ   to+0(FP), AX
	MOVQ   x+8(FP), SI
	MOVQ   y0+16(FP), R8
	MOVQ   y1+24(FP), R9
	MOVQ   y2+32(FP), R10
	MOVQ   y3+40(FP), R11
	MOVQ   n+48(FP), CX
	XORQ   BX, BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	SUBQ   $8, CX
	JL     tail

loop:
	VMOVUPS (SI)(BX*4), Y8
	VMULPS  (R8)(BX*4), Y8, Y9
	VMULPS  (R9)(BX*4), Y8, Y10
	VMULPS  (R10)(BX*4), Y8, Y11
	VMULPS  (R11)(BX*4), Y8, Y12
	VADDPS  Y9, Y0, Y0
	VADDPS  Y10, Y1, Y1
	VADDPS  Y11, Y2, Y2
	VADDPS  Y12, Y3, Y3
	ADDQ    $8, BX
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ       $8, CX
	JZ         fold
	NEGQ       CX
	LEAQ       tails32<>+64(SB), DX
	VMOVUPS    (DX)(CX*4), Y15
	VMASKMOVPS (SI)(BX*4), Y15, Y8
	VMASKMOVPS (R8)(BX*4), Y15, Y9
	VMASKMOVPS (R9)(BX*4), Y15, Y10
	VMASKMOVPS (R10)(BX*4), Y15, Y11
	VMASKMOVPS (R11)(BX*4), Y15, Y12
	VMULPS     Y9, Y8, Y9
	VMULPS     Y10, Y8, Y10
	VMULPS     Y11, Y8, Y11
	VMULPS     Y12, Y8, Y12
	VADDPS     Y9, Y0, Y0
	VADDPS     Y10, Y1, Y1
	VADDPS     Y11, Y2, Y2
	VADDPS     Y12, Y3, Y3

fold:
	FOLD4(Y0, Y1, Y2, Y3, X0, X1, X2, X3, X8, X9)
	VMOVUPS X0, (AX)
	VZEROUPPER
	RET

// One row of four: y times x0 and times x1.
#define PAIR(y, to0, to1) \
	VMULPS y, Y8, Y11   \
	VMULPS y, Y9, Y12   \
	VADDPS Y11, to0, to0 \
	VADDPS Y12, to1, to1

// func dot2x4AVX(to *[8]float32, x0, x1, y0, y1, y2, y3 *float32, n int)
TEXT ·dot2x4AVX(SB), NOSPLIT, $0-64
	MOVQ   to+0(FP), AX
	MOVQ   x0+8(FP), SI
	MOVQ   x1+16(FP), DI
	MOVQ   y0+24(FP), R8
	MOVQ   y1+32(FP), R9
	MOVQ   y2+40(FP), R10
	MOVQ   y3+48(FP), R11
	MOVQ   n+56(FP), CX
	XORQ   BX, BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	SUBQ   $8, CX
	JL     tail

loop:
	VMOVUPS (SI)(BX*4), Y8
	VMOVUPS (DI)(BX*4), Y9
	VMOVUPS (R8)(BX*4), Y10
	PAIR(Y10, Y0, Y4)
	VMOVUPS (R9)(BX*4), Y13
	PAIR(Y13, Y1, Y5)
	VMOVUPS (R10)(BX*4), Y10
	PAIR(Y10, Y2, Y6)
	VMOVUPS (R11)(BX*4), Y13
	PAIR(Y13, Y3, Y7)
	ADDQ    $8, BX
	SUBQ    $8, CX
	JGE     loop

tail:
	ADDQ       $8, CX
	JZ         fold
	NEGQ       CX
	LEAQ       tails32<>+64(SB), DX
	VMOVUPS    (DX)(CX*4), Y15
	VMASKMOVPS (SI)(BX*4), Y15, Y8
	VMASKMOVPS (DI)(BX*4), Y15, Y9
	VMASKMOVPS (R8)(BX*4), Y15, Y10
	PAIR(Y10, Y0, Y4)
	VMASKMOVPS (R9)(BX*4), Y15, Y13
	PAIR(Y13, Y1, Y5)
	VMASKMOVPS (R10)(BX*4), Y15, Y10
	PAIR(Y10, Y2, Y6)
	VMASKMOVPS (R11)(BX*4), Y15, Y13
	PAIR(Y13, Y3, Y7)

fold:
	FOLD4(Y0, Y1, Y2, Y3, X0, X1, X2, X3, X8, X9)
	FOLD4(Y4, Y5, Y6, Y7, X4, X5, X6, X7, X8, X9)
	VMOVUPS X0, (AX)
	VMOVUPS X4, 16(AX)
	VZEROUPPER
	RET
