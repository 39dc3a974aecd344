// Package portable has elementary functions with the same bits on every machine: on every
// architecture and level of it, for all features of the processor, and with or without
// assembly.
//
// The functions of package math are not: some are written in assembly for some
// architectures, exp chooses its instructions by the processor, and elsewhere the
// compiler may fuse a product with the sum that follows. Those functions of math
// that are exact (Sqrt, Floor, Ceil, Trunc, Round, Abs, Mod, Frexp, Ldexp, FMA) are
// the same everywhere, and are not repeated here.
//
// The reason why the bits are the same: the functions use only sums, differences, products,
// quotients and square roots, each rounded by itself. Every product that meets a sum stands in
// float64(...), since only an explicit conversion forbids a fused multiply-add; an assignment
// does not. The same rule holds for all code with results that must not depend on the machine.
//
// Each function states its error in ulp, units in the last place of the result. The bounds
// hold for results that are not subnormal, and are asserted by tests against references
// computed with math/big. Special values are as in package math. No function is claimed to be
// monotone.
//
// The package is not a library of special functions: it has the functions that this module
// uses.
package portable
