// Package portable has the elementary functions whose bits are the same on every
// machine: on every architecture and level of it, whatever the processor can do, and
// with or without assembly.
//
// The functions of package math are not: some are written in assembly for some
// architectures, exp chooses its instructions by the processor, and elsewhere the
// compiler may fuse a product with the sum that follows. Those functions of math
// that are exact (Sqrt, Floor, Ceil, Trunc, Round, Abs, Mod, Frexp, Ldexp, FMA) are
// the same everywhere, and are not repeated here.
//
// What makes the bits the same: only sums, differences, products, quotients and
// square roots, each rounded by itself. Every product that meets a sum stands in
// float64(...), since only an explicit conversion forbids a fused multiply-add; an
// assignment does not. The same rule holds for all code whose results must not
// depend on the machine.
//
// Each function states its error in ulp, units in the last place of the result. The
// bounds hold for results that are not subnormal, and are asserted by tests against
// references computed with math/big. Special values are those of package math. No
// function is claimed to be monotone.
//
// The package is not a library of special functions: it has what this module uses.
package portable
