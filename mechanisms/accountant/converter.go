package accountant

import "starling/messages"

// Converter turns many totals into epsilons. It converts each total once, and
// computes the Rényi divergences of a sampled Gaussian step once for each rate and
// noise. The zero value is ready. Not for concurrent use.
// Reports ask for the epsilon of the same total many times: for every observer, every
// seed and every recorded step. A Converter makes that cheap in two ways. It keeps each
// answer by the total's binary form, so that equal totals of different parties are
// converted once. And it keeps the divergences of one sampled step by rate and noise,
// because the divergence of k steps is k times as large.
//
// Memory grows by one entry for each different total; nothing is ever dropped.
type Converter struct {
	steps map[sampledKey]Curve // of one step each
	known map[conversion]float64
}

// conversion is all that an epsilon is computed from.
type conversion struct {
	total    string // binary
	delta    float64
	by       Method
	relation Relation
}

type sampledKey struct {
	rate, noise float64
	orders      int     // the number of orders
	first       float64 // of them: no two lists that are as long begin alike
}

// Epsilon is t.Epsilon(delta, by), up to rounding: k steps have k times the divergence of one
// here, and are computed as k steps there. Errors are as for Total.Epsilon, and are not kept.
func (c *Converter) Epsilon(t *Total, delta float64, by Method) (float64, error) {
	return c.keep(conversion{string(messages.Write(nil, t)), delta, by, AddOrRemove}, func() (float64, error) {
		return t.convert(delta, by, means{c.add, PLDEpsilon})
	})
}

// keep converts, unless the answer is known.
func (c *Converter) keep(key conversion, convert func() (float64, error)) (float64, error) {
	if epsilon, ok := c.known[key]; ok {
		return epsilon, nil
	}
	epsilon, err := convert()
	if err != nil {
		return 0, err
	}
	if c.known == nil {
		c.known = map[conversion]float64{}
	}
	c.known[key] = epsilon
	return epsilon, nil
}

// add is Curve.AddSampled by way of the divergences that are known of one step. The
// product is rounded before it is added (the conversion to float64 forbids a fused
// multiply-add), so that all machines get the same bits.
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
