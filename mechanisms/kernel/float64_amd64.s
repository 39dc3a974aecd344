//go:build amd64 && !purego && !noasm

#include "textflag.h"

// Four qwords of ones and then of zeros: what begins 4-r qwords in selects the first r of
// four numbers.
DATA tails<>+0(SB)/8, $-1
DATA tails<>+8(SB)/8, $-1
DATA tails<>+16(SB)/8, $-1
DATA tails<>+24(SB)/8, $-1
DATA tails<>+32(SB)/8, $0
DATA tails<>+40(SB)/8, $0
DATA tails<>+48(SB)/8, $0
DATA tails<>+56(SB)/8, $0
GLOBL tails<>(SB), RODATA|NOPTR, $64

// Lanes 0-3, 4-7, 8-11 and 12-15 are in Y0 to Y3, in all reductions.
#define CLEAR \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3

#define ACCUMULATE \
	VADDPD Y4, Y0, Y0 \
	VADDPD Y5, Y1, Y1 \
	VADDPD Y6, Y2, Y2 \
	VADDPD Y7, Y3, Y3

// A mask of the CX numbers that are left, less than four, to Y15.
#define MASK \
	NEGQ    CX                 \
	LEAQ    tails<>+32(SB), R8 \
	VMOVUPD (R8)(CX*8), Y15

#define LOADX \
	VMOVUPD (SI), Y4   \
	VMOVUPD 32(SI), Y5 \
	VMOVUPD 64(SI), Y6 \
	VMOVUPD 96(SI), Y7

#define SQUARE \
	VMULPD Y4, Y4, Y4 \
	VMULPD Y5, Y5, Y5 \
	VMULPD Y6, Y6, Y6 \
	VMULPD Y7, Y7, Y7

#define SUBTRACT \
	VSUBPD (DI), Y4, Y4   \
	VSUBPD 32(DI), Y5, Y5 \
	VSUBPD 64(DI), Y6, Y6 \
	VSUBPD 96(DI), Y7, Y7

// Y8 has all bits but the sign.
#define SIGNMASK \
	VPCMPEQD X8, X8, X8      \
	VPSRLQ   $1, X8, X8      \
	VINSERTF128 $1, X8, Y8, Y8

#define ABSOLUTE(mask) \
	VANDPD mask, Y4, Y4 \
	VANDPD mask, Y5, Y5 \
	VANDPD mask, Y6, Y6 \
	VANDPD mask, Y7, Y7

// Lanes fold 8 apart, 4 apart, 2 apart, and 1 apart, to X0.
#define FOLD \
	VADDPD       Y2, Y0, Y0 \
	VADDPD       Y3, Y1, Y1 \
	VADDPD       Y1, Y0, Y0 \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPD       X1, X0, X0 \
	VPERMILPD    $1, X0, X1 \
	VADDSD       X1, X0, X0 \
	VZEROUPPER

// func dotAVX(x, y *float64, n int) float64
TEXT ·dotAVX(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	CLEAR
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	VMULPD (DI), Y4, Y4
	VMULPD 32(DI), Y5, Y5
	VMULPD 64(DI), Y6, Y6
	VMULPD 96(DI), Y7, Y7
	ACCUMULATE
	ADDQ   $128, SI
	ADDQ   $128, DI
	SUBQ   $16, CX
	JGE    loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y0, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y2, Y2
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VMULPD Y9, Y4, Y4
	VADDPD Y4, Y0, Y0

fold:
	FOLD
	VMOVSD X0, ret+24(FP)
	RET

// func squaredNormAVX(x *float64, n int) float64
TEXT ·squaredNormAVX(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	CLEAR
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	SQUARE
	ACCUMULATE
	ADDQ $128, SI
	SUBQ $16, CX
	JGE  loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y0, Y0
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y1, Y1
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y2, Y2
	ADDQ $32, SI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y0, Y0

fold:
	FOLD
	VMOVSD X0, ret+16(FP)
	RET

// func sumAVX(x *float64, n int) float64
TEXT ·sumAVX(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	CLEAR
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	ACCUMULATE
	ADDQ $128, SI
	SUBQ $16, CX
	JGE  loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VADDPD Y4, Y0, Y0
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VADDPD Y4, Y1, Y1
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VADDPD Y4, Y2, Y2
	ADDQ $32, SI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VADDPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VADDPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VADDPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VADDPD Y4, Y0, Y0

fold:
	FOLD
	VMOVSD X0, ret+16(FP)
	RET

// func norm1AVX(x *float64, n int) float64
TEXT ·norm1AVX(SB), NOSPLIT, $0-24
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	CLEAR
	SIGNMASK
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	ABSOLUTE(Y8)
	ACCUMULATE
	ADDQ $128, SI
	SUBQ $16, CX
	JGE  loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y0, Y0
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y1, Y1
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y2, Y2
	ADDQ $32, SI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y0, Y0

fold:
	FOLD
	VMOVSD X0, ret+16(FP)
	RET

// func squaredDistanceAVX(x, y *float64, n int) float64
TEXT ·squaredDistanceAVX(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	CLEAR
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	SUBTRACT
	SQUARE
	ACCUMULATE
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y0, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y2, Y2
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VMULPD Y4, Y4, Y4
	VADDPD Y4, Y0, Y0

fold:
	FOLD
	VMOVSD X0, ret+24(FP)
	RET

// func distance1AVX(x, y *float64, n int) float64
TEXT ·distance1AVX(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ n+16(FP), CX
	CLEAR
	SIGNMASK
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	SUBTRACT
	ABSOLUTE(Y8)
	ACCUMULATE
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JGE  loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y0, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y1, Y1
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VMOVUPD (DI), Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y2, Y2
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VMASKMOVPD (DI), Y15, Y9
	VSUBPD Y9, Y4, Y4
	VANDPD Y8, Y4, Y4
	VADDPD Y4, Y0, Y0

fold:
	FOLD
	VMOVSD X0, ret+24(FP)
	RET

// v - v is 0 of a finite v and else NaN, whose bits are not all 0.
#define DIFFER(v, acc) \
	VSUBPD v, v, v   \
	VORPD  v, acc, acc

// func allFiniteAVX(x *float64, n int) bool
TEXT ·allFiniteAVX(SB), NOSPLIT, $0-17
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	CLEAR
	SUBQ $16, CX
	JL   tail

loop:
	LOADX
	DIFFER(Y4, Y0)
	DIFFER(Y5, Y1)
	DIFFER(Y6, Y2)
	DIFFER(Y7, Y3)
	ADDQ $128, SI
	SUBQ $16, CX
	JGE  loop

tail:
	ADDQ $16, CX
	JZ   fold
	CMPQ CX, $4
	JL   rest0
	VMOVUPD (SI), Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y0, Y0
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest1
	VMOVUPD (SI), Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y1, Y1
	ADDQ $32, SI
	SUBQ $4, CX
	CMPQ CX, $4
	JL   rest2
	VMOVUPD (SI), Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y2, Y2
	ADDQ $32, SI
	SUBQ $4, CX
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y3, Y3
	JMP fold

rest2:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y2, Y2
	JMP fold

rest1:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y1, Y1
	JMP fold

rest0:
	TESTQ CX, CX
	JZ fold
	MASK
	VMASKMOVPD (SI), Y15, Y4
	VSUBPD Y4, Y4, Y4
	VORPD Y4, Y0, Y0

fold:
	VORPD  Y2, Y0, Y0
	VORPD  Y3, Y1, Y1
	VORPD  Y1, Y0, Y0
	VPTEST Y0, Y0
	SETEQ  ret+16(FP)
	VZEROUPPER
	RET

// func axpyAVX(dst *float64, a float64, x *float64, n int)
TEXT ·axpyAVX(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JL           four

loop:
	VMULPD  (SI), Y0, Y4
	VMULPD  32(SI), Y0, Y5
	VMULPD  64(SI), Y0, Y6
	VMULPD  96(SI), Y0, Y7
	VADDPD  (DI), Y4, Y4
	VADDPD  32(DI), Y5, Y5
	VADDPD  64(DI), Y6, Y6
	VADDPD  96(DI), Y7, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     loop

four:
	ADDQ $12, CX
	JL   one

fours:
	VMULPD  (SI), Y0, Y4
	VADDPD  (DI), Y4, Y4
	VMOVUPD Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     fours

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMULSD (SI), X0, X4
	VADDSD (DI), X4, X4
	VMOVSD X4, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func addAVX(dst, x *float64, n int)
TEXT ·addAVX(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	SUBQ $16, CX
	JL   four

loop:
	LOADX
	VADDPD  (DI), Y4, Y4
	VADDPD  32(DI), Y5, Y5
	VADDPD  64(DI), Y6, Y6
	VADDPD  96(DI), Y7, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     loop

four:
	ADDQ $12, CX
	JL   one

fours:
	VMOVUPD (SI), Y4
	VADDPD  (DI), Y4, Y4
	VMOVUPD Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     fours

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMOVSD (SI), X4
	VADDSD (DI), X4, X4
	VMOVSD X4, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func scaleAVX(dst *float64, a float64, x *float64, n int)
TEXT ·scaleAVX(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         n+24(FP), CX
	SUBQ         $16, CX
	JL           four

loop:
	VMULPD  (SI), Y0, Y4
	VMULPD  32(SI), Y0, Y5
	VMULPD  64(SI), Y0, Y6
	VMULPD  96(SI), Y0, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     loop

four:
	ADDQ $12, CX
	JL   one

fours:
	VMULPD  (SI), Y0, Y4
	VMOVUPD Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     fours

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMULSD (SI), X0, X4
	VMOVSD X4, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DI
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func scaledDifferenceAVX(dst *float64, a float64, x, y *float64, n int)
TEXT ·scaledDifferenceAVX(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	VBROADCASTSD a+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         y+24(FP), DX
	MOVQ         n+32(FP), CX
	SUBQ         $16, CX
	JL           four

loop:
	LOADX
	VSUBPD  (DX), Y4, Y4
	VSUBPD  32(DX), Y5, Y5
	VSUBPD  64(DX), Y6, Y6
	VSUBPD  96(DX), Y7, Y7
	VMULPD  Y4, Y0, Y4
	VMULPD  Y5, Y0, Y5
	VMULPD  Y6, Y0, Y6
	VMULPD  Y7, Y0, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DX
	ADDQ    $128, DI
	SUBQ    $16, CX
	JGE     loop

four:
	ADDQ $12, CX
	JL   one

fours:
	VMOVUPD (SI), Y4
	VSUBPD  (DX), Y4, Y4
	VMULPD  Y4, Y0, Y4
	VMOVUPD Y4, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, DI
	SUBQ    $4, CX
	JGE     fours

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMOVSD (SI), X4
	VSUBSD (DX), X4, X4
	VMULSD X4, X0, X4
	VMOVSD X4, (DI)
	ADDQ   $8, SI
	ADDQ   $8, DX
	ADDQ   $8, DI
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func axpy4AVX(dst *float64, a *[4]float64, x0, x1, x2, x3 *float64, n int)
TEXT ·axpy4AVX(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), AX
	MOVQ         x0+16(FP), R8
	MOVQ         x1+24(FP), R9
	MOVQ         x2+32(FP), R10
	MOVQ         x3+40(FP), R11
	MOVQ         n+48(FP), CX
	VBROADCASTSD (AX), Y0
	VBROADCASTSD 8(AX), Y1
	VBROADCASTSD 16(AX), Y2
	VBROADCASTSD 24(AX), Y3
	XORQ         BX, BX
	SUBQ         $8, CX
	JL           four

loop:
	VMOVUPD (DI)(BX*8), Y4
	VMOVUPD 32(DI)(BX*8), Y5
	VMULPD  (R8)(BX*8), Y0, Y6
	VMULPD  32(R8)(BX*8), Y0, Y7
	VADDPD  Y6, Y4, Y4
	VADDPD  Y7, Y5, Y5
	VMULPD  (R9)(BX*8), Y1, Y6
	VMULPD  32(R9)(BX*8), Y1, Y7
	VADDPD  Y6, Y4, Y4
	VADDPD  Y7, Y5, Y5
	VMULPD  (R10)(BX*8), Y2, Y6
	VMULPD  32(R10)(BX*8), Y2, Y7
	VADDPD  Y6, Y4, Y4
	VADDPD  Y7, Y5, Y5
	VMULPD  (R11)(BX*8), Y3, Y6
	VMULPD  32(R11)(BX*8), Y3, Y7
	VADDPD  Y6, Y4, Y4
	VADDPD  Y7, Y5, Y5
	VMOVUPD Y4, (DI)(BX*8)
	VMOVUPD Y5, 32(DI)(BX*8)
	ADDQ    $8, BX
	SUBQ    $8, CX
	JGE     loop

four:
	ADDQ $4, CX
	JL   one
	VMOVUPD (DI)(BX*8), Y4
	VMULPD  (R8)(BX*8), Y0, Y6
	VADDPD  Y6, Y4, Y4
	VMULPD  (R9)(BX*8), Y1, Y6
	VADDPD  Y6, Y4, Y4
	VMULPD  (R10)(BX*8), Y2, Y6
	VADDPD  Y6, Y4, Y4
	VMULPD  (R11)(BX*8), Y3, Y6
	VADDPD  Y6, Y4, Y4
	VMOVUPD Y4, (DI)(BX*8)
	ADDQ    $4, BX
	SUBQ    $4, CX

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMOVSD (DI)(BX*8), X4
	VMULSD (R8)(BX*8), X0, X6
	VADDSD X6, X4, X4
	VMULSD (R9)(BX*8), X1, X6
	VADDSD X6, X4, X4
	VMULSD (R10)(BX*8), X2, X6
	VADDSD X6, X4, X4
	VMULSD (R11)(BX*8), X3, X6
	VADDSD X6, X4, X4
	VMOVSD X4, (DI)(BX*8)
	INCQ   BX
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func addProductAVX(dst, c, x, y *float64, n int)
TEXT ·addProductAVX(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ c+8(FP), R9
	MOVQ x+16(FP), SI
	MOVQ y+24(FP), R8
	MOVQ n+32(FP), CX
	XORQ AX, AX
	SUBQ $16, CX
	JL   four

loop:
	VMOVUPD (SI)(AX*8), Y4
	VMOVUPD 32(SI)(AX*8), Y5
	VMOVUPD 64(SI)(AX*8), Y6
	VMOVUPD 96(SI)(AX*8), Y7
	VMULPD  (R8)(AX*8), Y4, Y4
	VMULPD  32(R8)(AX*8), Y5, Y5
	VMULPD  64(R8)(AX*8), Y6, Y6
	VMULPD  96(R8)(AX*8), Y7, Y7
	VADDPD  (R9)(AX*8), Y4, Y4
	VADDPD  32(R9)(AX*8), Y5, Y5
	VADDPD  64(R9)(AX*8), Y6, Y6
	VADDPD  96(R9)(AX*8), Y7, Y7
	VMOVUPD Y4, (DI)(AX*8)
	VMOVUPD Y5, 32(DI)(AX*8)
	VMOVUPD Y6, 64(DI)(AX*8)
	VMOVUPD Y7, 96(DI)(AX*8)
	ADDQ    $16, AX
	SUBQ    $16, CX
	JGE     loop

four:
	ADDQ $12, CX
	JL   one

fours:
	VMOVUPD (SI)(AX*8), Y4
	VMULPD  (R8)(AX*8), Y4, Y4
	VADDPD  (R9)(AX*8), Y4, Y4
	VMOVUPD Y4, (DI)(AX*8)
	ADDQ    $4, AX
	SUBQ    $4, CX
	JGE     fours

one:
	ADDQ $4, CX
	JZ   done

ones:
	VMOVSD (SI)(AX*8), X4
	VMULSD (R8)(AX*8), X4, X4
	VADDSD (R9)(AX*8), X4, X4
	VMOVSD X4, (DI)(AX*8)
	INCQ   AX
	DECQ   CX
	JNZ    ones

done:
	VZEROUPPER
	RET

// func axpyRowsAVX(dst *float64, n int, a *float64, rows int, x *float64, stride int)
TEXT ·axpyRowsAVX(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ a+16(FP), R9
	MOVQ rows+24(FP), R11
	MOVQ x+32(FP), SI
	MOVQ stride+40(FP), R13
	SHLQ $3, R13

	// As many entries as there are registers for take all rows before the next.

eights:
	CMPQ CX, $32
	JL   fours
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	VMOVUPD 128(DI), Y4
	VMOVUPD 160(DI), Y5
	VMOVUPD 192(DI), Y6
	VMOVUPD 224(DI), Y7
	MOVQ SI, R8
	MOVQ R9, R10
	MOVQ R11, R12

eightsrows:
	VBROADCASTSD (R10), Y15
	VMULPD (R8), Y15, Y8
	VADDPD Y8, Y0, Y0
	VMULPD 32(R8), Y15, Y9
	VADDPD Y9, Y1, Y1
	VMULPD 64(R8), Y15, Y10
	VADDPD Y10, Y2, Y2
	VMULPD 96(R8), Y15, Y11
	VADDPD Y11, Y3, Y3
	VMULPD 128(R8), Y15, Y12
	VADDPD Y12, Y4, Y4
	VMULPD 160(R8), Y15, Y13
	VADDPD Y13, Y5, Y5
	VMULPD 192(R8), Y15, Y8
	VADDPD Y8, Y6, Y6
	VMULPD 224(R8), Y15, Y9
	VADDPD Y9, Y7, Y7
	ADDQ R13, R8
	ADDQ $8, R10
	DECQ R12
	JNZ  eightsrows
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $32, CX
	JMP  eights

fours:
	CMPQ CX, $16
	JL   twos
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3
	MOVQ SI, R8
	MOVQ R9, R10
	MOVQ R11, R12

foursrows:
	VBROADCASTSD (R10), Y15
	VMULPD (R8), Y15, Y8
	VADDPD Y8, Y0, Y0
	VMULPD 32(R8), Y15, Y9
	VADDPD Y9, Y1, Y1
	VMULPD 64(R8), Y15, Y10
	VADDPD Y10, Y2, Y2
	VMULPD 96(R8), Y15, Y11
	VADDPD Y11, Y3, Y3
	ADDQ R13, R8
	ADDQ $8, R10
	DECQ R12
	JNZ  foursrows
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $16, CX
	JMP  fours

twos:
	CMPQ CX, $8
	JL   ones
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	MOVQ SI, R8
	MOVQ R9, R10
	MOVQ R11, R12

twosrows:
	VBROADCASTSD (R10), Y15
	VMULPD (R8), Y15, Y8
	VADDPD Y8, Y0, Y0
	VMULPD 32(R8), Y15, Y9
	VADDPD Y9, Y1, Y1
	ADDQ R13, R8
	ADDQ $8, R10
	DECQ R12
	JNZ  twosrows
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JMP  twos

ones:
	CMPQ CX, $4
	JL   tail
	VMOVUPD (DI), Y0
	MOVQ SI, R8
	MOVQ R9, R10
	MOVQ R11, R12

onesrows:
	VBROADCASTSD (R10), Y15
	VMULPD (R8), Y15, Y8
	VADDPD Y8, Y0, Y0
	ADDQ R13, R8
	ADDQ $8, R10
	DECQ R12
	JNZ  onesrows
	VMOVUPD Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JMP  ones

tail:
	TESTQ CX, CX
	JZ    done
	NEGQ  CX
	LEAQ  tails<>+32(SB), R8
	VMOVUPD    (R8)(CX*8), Y14
	VMASKMOVPD (DI), Y14, Y0

tailrows:
	VBROADCASTSD (R9), Y15
	VMASKMOVPD   (SI), Y14, Y8
	VMULPD       Y8, Y15, Y8
	VADDPD       Y8, Y0, Y0
	ADDQ         R13, SI
	ADDQ         $8, R9
	DECQ         R11
	JNZ          tailrows
	VMASKMOVPD   Y0, Y14, (DI)

done:
	VZEROUPPER
	RET
