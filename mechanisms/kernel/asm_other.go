//go:build !amd64 || purego || noasm

package kernel

// assembly reports whether there is any, and a processor that runs it.
const assembly = false

// These are never called where there is no assembly.
func dotAVX(*float64, *float64, int) float64                                      { panic(noAssembly) }
func squaredNormAVX(*float64, int) float64                                        { panic(noAssembly) }
func sumAVX(*float64, int) float64                                                { panic(noAssembly) }
func norm1AVX(*float64, int) float64                                              { panic(noAssembly) }
func squaredDistanceAVX(*float64, *float64, int) float64                          { panic(noAssembly) }
func distance1AVX(*float64, *float64, int) float64                                { panic(noAssembly) }
func allFiniteAVX(*float64, int) bool                                             { panic(noAssembly) }
func addAVX(*float64, *float64, int)                                              { panic(noAssembly) }
func axpyAVX(*float64, float64, *float64, int)                                    { panic(noAssembly) }
func scaleAVX(*float64, float64, *float64, int)                                   { panic(noAssembly) }
func scaledDifferenceAVX(*float64, float64, *float64, *float64, int)              { panic(noAssembly) }
func addProductAVX(*float64, *float64, *float64, *float64, int)                   { panic(noAssembly) }
func axpyRowsAVX(*float64, int, *float64, int, *float64, int)                     { panic(noAssembly) }
func axpy4AVX(*float64, *[4]float64, *float64, *float64, *float64, *float64, int) { panic(noAssembly) }
func allFinite32AVX(*float32, int) bool                                           { panic(noAssembly) }
func squaredNorm32AVX(*float32, int) float64                                      { panic(noAssembly) }
func axpy32AVX(*float32, float32, *float32, int)                                  { panic(noAssembly) }
func axpy4x32AVX(*float32, *[4]float32, *float32, *float32, *float32, *float32, int) {
	panic(noAssembly)
}
func dot1x4AVX(*[4]float32, *float32, *float32, *float32, *float32, *float32, int) { panic(noAssembly) }
func dot2x4AVX(*[8]float32, *float32, *float32, *float32, *float32, *float32, *float32, int) {
	panic(noAssembly)
}

const noAssembly = "kernel: no assembly on this processor"
