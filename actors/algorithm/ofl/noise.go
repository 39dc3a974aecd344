package ofl

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/option"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Noise is that of a run. All learners have the same, each with draws of its own. It is
// correlated over time where there is a factorization, and else each input of the
// mechanism has noise of its own: a datum is in one input, and the run costs it what one
// release costs.
type Noise struct {
	// Factorization is A = BC over R tau inputs (PerStep) or R (PerRound); nil for noise
	// of its own on each input.
	Factorization *factorization.Factorization
	// Law is that of the noise where there is no factorization.
	Law noise.Law
	// Scale is V_i, the standard deviation of the entries of xi_i, or the scale of the
	// law.
	Scale float64
	// Sensitivity is how far one client's datum moves C G_i in 2-norm or, where there is
	// no factorization, an input: in 1-norm for Laplace noise, in 2-norm for Gaussian.
	Sensitivity float64
}

// Loss is what the noise of a run costs a client's datum.
func (n *Noise) Loss() accountant.Loss {
	if n.Factorization == nil {
		return n.disjoint().Loss()
	}
	return n.correlated().Loss()
}

func (n *Noise) correlated() *noise.Correlated {
	return &noise.Correlated{Scale: n.Scale, Sensitivity: n.Sensitivity}
}

func (n *Noise) disjoint() *noise.Disjoint {
	return &noise.Disjoint{Additive: noise.Additive{Law: n.Law, Scale: n.Scale}, Moves: noise.Moves{L1: n.Sensitivity, L2: n.Sensitivity}}
}

// Scaled is the noise times a factor, for audits, which hold it against the loss of the
// noise itself. Times 0 it is nil, none.
func (n *Noise) Scaled(by float64) *Noise {
	if n == nil || by == 0 {
		return nil
	}
	scaled := *n
	scaled.Scale *= by
	return &scaled
}

// L1Over2 is how much longer a vector of d entries can be in 1-norm than in 2-norm.
func L1Over2(d int) float64 { return math.Sqrt(float64(d)) }

// validateNoise refuses noise that does not fit the run, and a sensitivity
// that is less than what any model has: one gradient alone moves its input by
// up to 2 B_g in version 2 and 2 B_g/tau in version 1.
func (o *Options) validateNoise() error {
	n := o.Noise
	var found option.Faults
	least := 2 * o.GradientBound
	if o.Version == PerRound {
		least /= float64(max(1, o.Tau))
	}
	moved := "C G"
	switch {
	case n.Factorization != nil:
		found.Check(n.Factorization.N() == o.Inputs(), "kind", "the noise is made for %d inputs, the run has %d", n.Factorization.N(), o.Inputs())
		least *= n.Factorization.Sensitivity()
	case n.Law == noise.LaplaceLaw:
		moved = "an input, in 1-norm,"
		least *= L1Over2(o.Model.Dim())
	case n.Law == noise.GaussianLaw:
		moved = "an input"
	default:
		return option.Errorf("kind", "noise without a factorization or a law of its own")
	}
	found.Check(positive(n.Scale), "epsilon", "noise of standard deviation %v; want a finite number > 0", n.Scale)
	switch {
	case !positive(n.Sensitivity):
		found.Check(false, "gradient_bound", "sensitivity %v; want a finite number > 0", n.Sensitivity)
	case n.Sensitivity < least*(1-1e-9): // up to rounding
		found.Check(false, "gradient_bound", "sensitivity %v; one datum moves %s by up to %v", n.Sensitivity, moved, least)
	}
	return found.Err()
}

// protection is the noise of one learner.
type protection interface {
	// pay pays for the noise of the whole run, unless it is paid for.
	pay(t *algorithm.Turn) error
	// add adds the next increment (b^{r,t} - b^{r,t-1}) xi_i to v, and to the noise on the
	// prefix sum. row is scratch; all have length d.
	add(t *algorithm.Turn, purpose rng.Purpose, v, prefix, row []float64) error
	// Receipt is that of all releases, once they are paid for.
	Receipt() accountant.Receipt
	state(c *messages.Codec)
}

// protection is a learner's own; nil without noise.
func (n *Noise) protection(dim int) (protection, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.Factorization == nil:
		return &ownNoise{*n.disjoint()}, nil
	}
	stream, err := n.Factorization.Stream(dim)
	return &correlatedNoise{*n.correlated(), stream}, err
}

// correlatedNoise draws increments of B xi_i from the stream of a factorization.
type correlatedNoise struct {
	noise.Correlated
	stream *factorization.Stream
}

func (c *correlatedNoise) pay(t *algorithm.Turn) error { return c.Pay(t.Spend) }

func (c *correlatedNoise) add(t *algorithm.Turn, purpose rng.Purpose, v, prefix, row []float64) error {
	if err := c.stream.Next(row, t.Rand(purpose)); err != nil {
		return err
	}
	if _, err := c.Release(v, row, t.Spend); err != nil {
		return err
	}
	for k, z := range row {
		prefix[k] += float64(c.Scale * z)
	}
	return nil
}

func (c *correlatedNoise) state(s *messages.Codec) {
	s.Bool("paid", &c.Paid)
	s.Frame("noise", c.stream)
}

// ownNoise is noise of its own on each input, which is the increment.
type ownNoise struct{ noise.Disjoint }

func (o *ownNoise) pay(t *algorithm.Turn) error { return o.Pay(t.Spend) }

func (o *ownNoise) add(t *algorithm.Turn, purpose rng.Purpose, v, prefix, row []float64) error {
	if _, err := o.Release(v, row, t.Rand(purpose), t.Spend); err != nil {
		return err
	}
	for k, z := range row {
		prefix[k] += z
	}
	return nil
}

func (o *ownNoise) state(s *messages.Codec) { s.Bool("paid", &o.Paid) }
