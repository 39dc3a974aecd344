// Package numeric has the numerical methods of mechanisms and of tests: the
// discrete Fourier transform of real numbers (Transform), distribution
// functions of the laws of tests and confidence limits, tails of the normal law
// whose logarithms are needed, rational approximations of x^(-1/2) (Rational),
// the natural cubic spline, the search of Nelder and Mead in the plane, descent
// along gradients, the acceleration of fixed points (Mixing), many steps at once
// of recurrences (Jump), bisection, the choice of numbers that are apart, and
// systems of linear equations and eigenproblems (Cholesky, LU, Eigen), of matrices of
// n x n numbers by rows.
//
// Results are the same to the last bit on every machine: operations have one
// order, each is rounded by itself, and elementary functions come from package
// portable. Results of a search have the same bits where the values of the
// function do.
//
// The package draws nothing. It knows no mechanism and no privacy parameter,
// and is no general library: transforms have powers of two as lengths, matrices
// have up to some hundred rows, without views, strides or blocks, and each
// method is here because a mechanism or a test needs it.
package numeric
