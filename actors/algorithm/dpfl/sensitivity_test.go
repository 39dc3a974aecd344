package dpfl_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/messages"
)

// wild are losses that turn over a tiny distance and are far beyond any bound, so
// that a sample does all that it can. In training, which clips at another norm,
// they do nothing. One sample can be left out of all sums.
type wild struct {
	samples
	training float64 // the clipping norm
	without  int
}

func newWild(training float64, without int) wild {
	phase := func(w []float64, s int) float64 { return 1e6*w[0] + float64(s*s) }
	return wild{samples{20, func(w []float64, s int) float64 { return 1e6 * math.Sin(phase(w, s)) }, func(dst, w []float64, s int) {
		clear(dst)
		dst[0] = 1e6 * math.Cos(phase(w, s))
	}}, training, without}
}

func (d wild) rest(list []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(s int) bool { return s == d.without })
}

func (d wild) SumClipped(dst, w []float64, list []int, clip float64) int {
	if clip == d.training {
		list = nil
	}
	return d.samples.SumClipped(dst, w, d.rest(list), clip)
}

func (d wild) SumLossChanges(from, to []float64, list []int, bound float64) float64 {
	return d.samples.SumLossChanges(from, to, d.rest(list), bound)
}

// released are what client 1 releases for the choice after round 2, before noise
// and in the units of the noise: the pair and the gradient.
func released(t *testing.T, o dpfl.Options) (pair, gradient []float64) {
	a, size := o.Adaptive, float64(o.Clients[0].Size())
	var local []float64
	w := &lockstep.Watcher{Node: 1, Visit: func(w *lockstep.Watched) error {
		sent := w.Outbox.Singles(0)
		values := func(k int) []float64 { return slices.Clone(sent[k].Payload.(*messages.Vector).Values) }
		switch {
		case w.Hop == 2:
			gradient = values(0)
			for k := range gradient {
				gradient[k] *= size / a.Clip
			}
		case len(sent) == 2:
			distance := norm(minus(local, w.Inbox[0].Payload.(*messages.Vector).Values))
			pair = values(1)
			pair[0] *= size / (math.Sqrt2 * a.Lipschitz)
			pair[1] *= size * distance / (math.Sqrt2 * 2 * a.Clip)
		case w.Step == 1:
			local = values(0)
		}
		return nil
	}}
	if err := lockstep.Watch(context.Background(), newRun(o, runtimetest.Silent{}), w); err != nil {
		t.Fatal(err)
	}
	return pair, gradient
}

// Private statistics pay for a 2-norm sensitivity of 1 a release, in units of their
// noise: leaving a sample out moves none by more, and some by as much. The second
// client is there for the mean not to be the first one's model.
func TestSensitivityOfStatistics(t *testing.T) {
	var most [2]float64 // of pairs, of gradients
	for start := range 10 {
		of := func(without int) (pair, gradient []float64) {
			return released(t, adaptive(private, func(o *dpfl.Options) {
				o.Clients = []dpfl.Data{newWild(o.Clip, without), wide(20)}
				o.Start, o.Rounds, o.Adaptive.Sigma = []float64{float64(start), 0}, 3, 1e-9
			}))
		}
		pair, gradient := of(-1)
		for s := range 20 {
			otherPair, otherGradient := of(s)
			for k, moved := range []float64{norm(minus(pair, otherPair)), norm(minus(gradient, otherGradient))} {
				if moved > 1+1e-6 {
					t.Errorf("start %d: release %d moves by %v without sample %d", start, k+1, moved, s)
				}
				most[k] = max(most[k], moved)
			}
		}
	}
	if most[0] < 0.99 || most[1] < 0.99 {
		t.Errorf("releases move by %v at most: this shows little", most)
	}
}
