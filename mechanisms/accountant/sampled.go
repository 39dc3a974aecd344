package accountant

import "fmt"

// SampledGaussian is a number of steps of the sampled Gaussian mechanism (Mironov, Talwar,
// Zhang 2019): every record enters with probability Rate, independently, and the sum of the
// records that entered gets Gaussian noise of standard deviation Noise times its sensitivity
// to one record. Neighbours differ by adding or removing one record. The zero value is no step
// at all.
type SampledGaussian struct {
	// Rate is q in [0, 1], the chance that a record is in the sample of a step. 1 is no
	// sampling, and then the steps are plain Gaussian noise. A smaller rate costs less
	// than in proportion: small losses fall about as q^2.
	Rate float64
	// Noise is sigma >= 0, the noise multiplier: the standard deviation over the
	// sensitivity to one record, which is the clipping norm in DP-SGD. It has no unit. 0
	// protects nothing.
	Noise float64
	// Steps >= 0 is the number of samples that are drawn, each independently of the others.
	Steps int
}

// Validate refuses numbers that no such mechanism has.
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

// idle reports whether nothing about any record comes out.
func (s SampledGaussian) idle() bool { return s.Steps == 0 || s.Rate == 0 }

func (s SampledGaussian) private() bool { return s.idle() || s.Noise > 0 }

// compose dominates both: sampling at q < q' is sampling at q' followed by sampling of the
// result, and noise of sigma > sigma' is noise of sigma' and then more, so the larger rate and
// the smaller noise can only leak more.
func (s SampledGaussian) compose(other SampledGaussian) SampledGaussian {
	switch {
	case other.Steps == 0:
		return s
	case s.Steps == 0:
		return other
	}
	return SampledGaussian{max(s.Rate, other.Rate), min(s.Noise, other.Noise), s.Steps + other.Steps}
}
