package accountant

import "fmt"

// SampledGaussian is a number of steps of the sampled Gaussian mechanism
// (Mironov, Talwar, Zhang 2019): every record enters with probability Rate,
// independently, and the sum of what entered gets Gaussian noise of standard
// deviation Noise times its sensitivity to one record. Neighbours differ by
// adding or removing one record. The zero value is no step at all.
type SampledGaussian struct {
	Rate  float64 // q in [0, 1]
	Noise float64 // sigma >= 0, the noise multiplier; 0 protects nothing
	Steps int     // >= 0
}

// Validate refuses what no such mechanism has.
func (s SampledGaussian) Validate() error {
	switch {
	case !(s.Rate >= 0 && s.Rate <= 1):
		return fmt.Errorf("sampling rate q = %v is not in [0, 1]", s.Rate)
	case !(s.Noise >= 0):
		return fmt.Errorf("noise multiplier sigma = %v is not a number >= 0", s.Noise)
	case s.Steps < 0:
		return fmt.Errorf("steps = %d is below 0", s.Steps)
	}
	return nil
}

// idle tells whether nothing about any record comes out.
func (s SampledGaussian) idle() bool { return s.Steps == 0 || s.Rate == 0 }

func (s SampledGaussian) private() bool { return s.idle() || s.Noise > 0 }

// compose dominates both: sampling at q < q' is sampling at q' followed by
// sampling of what came out, and noise of sigma > sigma' is noise of sigma' and
// then more, so the larger rate and the smaller noise can only leak more.
func (s SampledGaussian) compose(other SampledGaussian) SampledGaussian {
	switch {
	case other.Steps == 0:
		return s
	case s.Steps == 0:
		return other
	}
	return SampledGaussian{max(s.Rate, other.Rate), min(s.Noise, other.Noise), s.Steps + other.Steps}
}
