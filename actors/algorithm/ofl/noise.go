package ofl

import (
	"fmt"

	"starling/actors/option"
)

// validateNoise refuses noise that does not fit the run, and a sensitivity below the least of
// any model: one gradient alone moves its input by up to 2 B_g in version 2 and 2 B_g/tau in
// version 1.
func (o *Options) validateNoise() error {
	n := o.Noise
	var found option.Faults
	least := 2 * o.GradientBound
	if o.Version == PerRound {
		least /= float64(max(1, o.Tau))
	}
	moved := "C G"
	switch {
	case !n.Once():
		return option.Errorf("kind", "noise that each input pays for; want noise that is paid for once")
	case !n.Correlated():
		moved = fmt.Sprintf("an input, in %d-norm,", n.Law().Norm())
		least *= n.Law().Norm().Ball(o.Model.Dim())
	case n.Factorization() == nil:
		return option.Errorf("kind", "correlated noise without a factorization")
	default:
		f := n.Factorization()
		found.Check(f.N() == o.Inputs(), "kind", "the noise is made for %d inputs, the run has %d", f.N(), o.Inputs())
		least *= f.Sensitivity()
	}
	found.Check(positive(n.Scale()), "epsilon", "noise of standard deviation %v; want a finite number > 0", n.Scale())
	switch moves := n.Sensitivity(); {
	case !positive(moves):
		found.Check(false, "gradient_bound", "sensitivity %v; want a finite number > 0", moves)
	case moves < least*(1-1e-9): // up to rounding
		found.Check(false, "gradient_bound", "sensitivity %v; one datum moves %s by up to %v", moves, moved, least)
	}
	return found.Err()
}
