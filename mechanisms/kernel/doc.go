// Package kernel is the arithmetic of vectors in runs: inner products, norms, sums of scaled
// vectors, products of small matrices. The result of a kernel is the same to the last bit on
// every processor, with assembly and without.
//
// It is no library of linear algebra: there are no strides, no decompositions and no views.
// Package portable has the elementary functions.
//
// # Order
//
// A floating-point sum depends on its order, so each reduction has one. Reductions of float64
// have 16 lanes, and reductions of float32 have 8. Lane j begins at 0 and adds, in ascending
// order, the terms k with k = j mod 16 (8). Then lane j adds lane j+8, for j below 8; lane j
// adds lane j+4, for j below 4; and so on down to lane 0, which is the result. A tail needs no
// rule of its own: its terms go to the lanes that they are of.
//
// Kernels that write a vector compute each entry by itself, with the operations in the
// order that the documentation prints. Each product, sum and difference is rounded by
// itself: nothing is fused.
//
// Where a result is not a number it is a NaN everywhere, but which of the NaNs depends
// on the processor.
//
// # Assembly
//
// On amd64 with AVX kernels are assembly; elsewhere, and with the build tags purego or
// noasm, they are Go. AVX has no fused multiply-add, and none is used where there is one.
package kernel
