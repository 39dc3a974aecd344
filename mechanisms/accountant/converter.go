package accountant

import (
	"sync"

	"starling/messages"
)

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
	// Shared, where it is not nil, keeps what takes longest for other Converters too.
	Shared *Shared

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

// Epsilon is t.Epsilon(delta, by), up to rounding: k steps have k times the divergence of
// one here, and are computed as k steps there. Errors are those of Total.Epsilon, and are
// not kept.
func (c *Converter) Epsilon(t *Total, delta float64, by Method) (float64, error) {
	key := conversion{string(messages.Write(nil, t)), delta, by}
	if epsilon, ok := c.known[key]; ok {
		return epsilon, nil
	}
	convert := func() (float64, error) { return t.convert(delta, by, c.add) }
	var epsilon float64
	var err error
	if c.Shared != nil && by == PLD && len(t.sampled) > 0 {
		epsilon, err = c.Shared.get(key, convert)
	} else {
		epsilon, err = convert()
	}
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

// Shared keeps epsilons by privacy loss distributions of sampled steps, each of which takes a
// tenth of a second or so, for the Converters of jobs that differ in their seeds and so mostly
// have equal totals. It keeps the first mostShared, and is safe for concurrent use. The zero
// value is ready.
type Shared struct {
	mu    sync.Mutex
	known map[conversion]float64 // guarded by mu
}

// mostShared are some 10 MB.
const mostShared = 1 << 15

// get is the epsilon of a key, by convert where it is not known. Two that ask for the same at
// one time both convert it.
func (s *Shared) get(key conversion, convert func() (float64, error)) (float64, error) {
	s.mu.Lock()
	epsilon, ok := s.known[key]
	s.mu.Unlock()
	if ok {
		return epsilon, nil
	}
	epsilon, err := convert()
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[conversion]float64{}
	}
	if len(s.known) < mostShared {
		s.known[key] = epsilon
	}
	return epsilon, nil
}
