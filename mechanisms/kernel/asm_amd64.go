//go:build amd64 && !purego && !noasm

package kernel

import "golang.org/x/sys/cpu"

// assembly reports whether the processor runs the assembly.
var assembly = cpu.X86.HasAVX

//go:noescape
func dotAVX(x, y *float64, n int) float64

//go:noescape
func squaredNormAVX(x *float64, n int) float64

//go:noescape
func sumAVX(x *float64, n int) float64

//go:noescape
func norm1AVX(x *float64, n int) float64

//go:noescape
func squaredDistanceAVX(x, y *float64, n int) float64

//go:noescape
func distance1AVX(x, y *float64, n int) float64

//go:noescape
func allFiniteAVX(x *float64, n int) bool

//go:noescape
func addAVX(dst, x *float64, n int)

//go:noescape
func axpyAVX(dst *float64, a float64, x *float64, n int)

//go:noescape
func scaleAVX(dst *float64, a float64, x *float64, n int)

//go:noescape
func scaledDifferenceAVX(dst *float64, a float64, x, y *float64, n int)

//go:noescape
func addProductAVX(dst, c, x, y *float64, n int)

//go:noescape
func axpyRowsAVX(dst *float64, n int, a *float64, rows int, x *float64, stride int)

//go:noescape
func axpy4AVX(dst *float64, a *[4]float64, x0, x1, x2, x3 *float64, n int)

//go:noescape
func allFinite32AVX(x *float32, n int) bool

//go:noescape
func squaredNorm32AVX(x *float32, n int) float64

//go:noescape
func axpy32AVX(dst *float32, a float32, x *float32, n int)

//go:noescape
func axpy4x32AVX(dst *float32, a *[4]float32, x0, x1, x2, x3 *float32, n int)

//go:noescape
func dot1x4AVX(to *[4]float32, x, y0, y1, y2, y3 *float32, n int)

//go:noescape
func dot2x4AVX(to *[8]float32, x0, x1, y0, y1, y2, y3 *float32, n int)
