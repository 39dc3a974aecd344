package accountant

import "starling/messages"

// Converter turns many totals into epsilons. It converts each total once, and
// computes the Rényi divergences of a sampled Gaussian step once for each rate and
// noise. The zero value is ready. Not for concurrent use.
type Converter struct {
	steps map[sampledKey]Curve // of one step each
	known map[conversion]float64
}

// conversion is all that an epsilon is computed from.
type conversion struct {
	total string // binary
	delta float64
	by    Method
}

type sampledKey struct {
	rate, noise float64
	orders      int     // how many
	first       float64 // of them: no two lists that are as long begin alike
}

// Epsilon is t.Epsilon(delta, by), up to rounding.
func (c *Converter) Epsilon(t *Total, delta float64, by Method) (float64, error) {
	key := conversion{string(messages.Write(nil, t)), delta, by}
	if epsilon, ok := c.known[key]; ok {
		return epsilon, nil
	}
	epsilon, err := t.convert(delta, by, c.add)
	if err != nil {
		return 0, err
	}
	if c.known == nil {
		c.known = map[conversion]float64{}
	}
	c.known[key] = epsilon
	return epsilon, nil
}

func (c *Converter) add(to Curve, s SampledGaussian) error {
	key := sampledKey{s.Rate, s.Noise, len(to.Orders), to.Orders[0]}
	one, ok := c.steps[key]
	if !ok {
		one = NewCurve(to.Orders)
		if err := one.AddSampled(SampledGaussian{Rate: s.Rate, Noise: s.Noise, Steps: 1}); err != nil {
			return err
		}
		if c.steps == nil {
			c.steps = map[sampledKey]Curve{}
		}
		c.steps[key] = one
	}
	for i, rdp := range one.RDP {
		to.RDP[i] += float64(float64(s.Steps) * rdp)
	}
	return nil
}
