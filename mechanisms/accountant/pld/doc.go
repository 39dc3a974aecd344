// Package pld composes privacy loss distributions on a grid by fast Fourier
// transform, and reads epsilon at a delta off their sums.
//
// A Distribution is a loss and its probabilities. The importers put the loss of
// a mechanism on a grid, from above or from below. The package does so for one
// mechanism itself, the Poisson-sampled Gaussian mechanism (SampledGaussian):
// the moments of its privacy loss, which are Rényi divergences, and bounds on
// the epsilon of many steps, by the discretised loss of its dominating pairs.
//
// It is not the interface for users of an accountant, and refuses nothing: its
// arguments are valid.
package pld
