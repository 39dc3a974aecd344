package pld

// SampledGaussian is a number of steps of the Poisson-sampled Gaussian mechanism (Mironov,
// Talwar, Zhang 2019): every record enters with probability Rate, in (0, 1], and the sum of
// the records that entered gets Gaussian noise of standard deviation Noise > 0 times its
// sensitivity to one record.
type SampledGaussian struct {
	Rate, Noise float64
	Steps       int // at least 1
}
