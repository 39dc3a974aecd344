// Package sampled is the Poisson-sampled Gaussian mechanism in numbers: the moments of its
// privacy loss, which are Rényi divergences, and bounds on the epsilon of many steps, by the
// discretised loss of its dominating pairs. It is not the interface for users of an
// accountant, and refuses nothing: its arguments are valid.
package sampled

// Gaussian is a number of steps of the mechanism (Mironov, Talwar, Zhang 2019): every record
// enters with probability Rate, in (0, 1], and the sum of the records that entered gets
// Gaussian noise of standard deviation Noise > 0 times its sensitivity to one record.
type Gaussian struct {
	Rate, Noise float64
	Steps       int // at least 1
}
