package dpfl

import (
	"errors"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
)

// statisticsData is the data from which a client, 0 .. N-1, computes its statistics.
func (o *Options) statisticsData(i int) Data {
	if o.Adaptive.Statistics == Public {
		return o.Adaptive.Public[i]
	}
	return o.Clients[i]
}

// statisticsSize is the expected number of samples of these data in a turn, 0 without
// statistics.
func (o *Options) statisticsSize(i int) int {
	switch {
	case o.Adaptive == nil:
		return 0
	case o.Adaptive.Samples > 0:
		return o.Adaptive.Samples
	}
	return o.statisticsData(i).Size()
}

// statisticsRate is the rate at which they are sampled.
func (o *Options) statisticsRate(i int) float64 {
	return float64(o.statisticsSize(i)) / float64(o.statisticsData(i).Size())
}

// statistics holds the inputs for the statistics of a client in a turn. A mean over the
// samples is their sum over size, for any number of samples drawn, as with the gradient of a
// local step.
type statistics struct {
	*Adaptive
	data    Data
	samples []int
	size    float64
	rate    float64
	r       *rng.Rand
	consult batch.Consult
}

func (c *client) statistics(t *algorithm.Turn) statistics {
	o := &c.shared.Options
	s := statistics{
		Adaptive: o.Adaptive, data: o.statisticsData(c.index), rate: o.statisticsRate(c.index),
		size: float64(o.statisticsSize(c.index)), r: t.Rand(o.StatisticsPurpose), consult: t.Consult,
	}
	c.samples = sample(c.samples[:0], s.r, s.data.Size(), s.rate)
	s.samples = c.samples
	return s
}

// publicStatistics is the reason why statistics of public data show nothing more than the
// models that they are taken at.
const publicStatistics algorithm.Reason = "the statistics are of public data, at models that clients have released"

// release makes x fit to be sent; one sample moves the 2-norm of x by at most 1. Private
// statistics are perturbed, statistics as printed are not private. Statistics are taken at
// models, so that where models are raw they are too.
func (c *client) release(t *algorithm.Turn, s *statistics, x []float64) (algorithm.Mark, error) {
	switch s.Statistics {
	case Private:
		receipt, err := s.noise(s.rate).Release(x, s.r, t.Spend)
		if !c.shared.protected() {
			return algorithm.Raw(), err
		}
		return algorithm.Released(receipt), err
	case AsPrinted:
		return algorithm.Raw(), t.Spend(accountant.NotPrivate())
	}
	if !c.shared.protected() {
		return algorithm.Raw(), nil
	}
	return t.Follows(publicStatistics), nil
}

// estimates are rho_i and beta_i of a client.
type estimates struct {
	values []float64
	mark   algorithm.Mark
}

// sameModel is how far two models that differ by rounding alone may be apart, over
// their length.
const sameModel = 1e-12

// estimate returns rho_i and beta_i from the client's last model and the mean that it was
// given: line 4 of Algorithm 2. Both are ratios over the distance of models that have been
// sent, so that only the numerators need protection. If the client's model is the mean, to
// rounding, there are none, and it returns nil: the client was alone in the round.
func (c *client) estimate(t *algorithm.Turn) (*estimates, error) {
	work := t.Scratch(2 * c.shared.dim)
	difference, other := work[:c.shared.dim], work[c.shared.dim:]
	distance := kernel.Distance(c.local, c.mean)
	if distance <= sameModel*kernel.Norm(c.mean) {
		return nil, nil
	}
	s := c.statistics(t)
	bound, clip := math.Inf(1), math.Inf(1)
	if s.Statistics == Private {
		bound, clip = s.Lipschitz*distance, s.Clip
	}
	change, err := s.compare(other, difference, c.mean, c.local, clip, bound)
	if err != nil {
		return nil, err
	}
	smoothness := kernel.Distance(difference, other)
	e := &estimates{}
	if s.Statistics == Private {
		// One sample moves the sum of changes by up to bound, and the difference
		// of two sums of gradients by up to 2 clip.
		unit := [2]float64{math.Sqrt2 * bound, math.Sqrt2 * 2 * clip}
		x := [2]float64{change / unit[0], smoothness / unit[1]}
		if e.mark, err = c.release(t, &s, x[:]); err != nil {
			return nil, err
		}
		change, smoothness = x[0]*unit[0], max(0, x[1]*unit[1])
	} else if e.mark, err = c.release(t, &s, nil); err != nil {
		return nil, err
	}
	unit := s.size * distance
	e.values = []float64{math.Abs(change) / unit, smoothness / unit}
	return e, nil
}

// compare is Comparer.SumChanges, also for data that are no Comparer.
func (s *statistics) compare(atFrom, atTo, from, to []float64, clip, bound float64) (change float64, err error) {
	if data, ok := s.data.(Comparer); ok {
		return data.SumChanges(atFrom, atTo, from, to, s.samples, clip, bound), nil
	}
	if _, err := s.consult.SumClipped(s.data, atFrom, from, s.samples, clip); err != nil {
		return 0, err
	}
	if _, err := s.consult.SumClipped(s.data, atTo, to, s.samples, clip); err != nil {
		return 0, err
	}
	return s.consult.SumLossChanges(s.data, from, to, s.samples, bound)
}

// answer sends the gradient at the new mean, from which the server forms xi_i:
// line 17.
func (c *client) answer(t *algorithm.Turn) error {
	s := c.statistics(t)
	clip, unit := math.Inf(1), 1.0
	if s.Statistics == Private {
		clip, unit = s.Clip, s.Clip
	}
	sent := t.Vector(c.shared.dim)
	if _, err := s.consult.SumClipped(s.data, sent.Values, c.mean, s.samples, clip); err != nil {
		return err
	}
	kernel.Scale(sent.Values, 1/unit, sent.Values)
	mark, err := c.release(t, &s, sent.Values)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil
	} else if err != nil {
		return err
	}
	kernel.Scale(sent.Values, unit/s.size, sent.Values)
	return t.Send(server, sent, mark)
}
