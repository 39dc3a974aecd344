// Package record audits clients that protect their samples by one of these, the canary: it is
// absent, or in the batches that it is drawn for. A client has Samples samples, how many is
// public, and the audit has Rounds rounds of the local steps of the arm, up to Steps, so that it
// sees how they compose.
//
// It knows no family: a family says what a run of its machines with a canary is (Runs), and has
// its data take a Canary in.
package record

import (
	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/machine"
)

const (
	// Samples are those of a client; the first is the canary.
	Samples = 2
	// Steps are the local steps of a round at most.
	Steps = 4
	// Rounds are those of an audit.
	Rounds = 2
)

// Batch is what is expected of the samples in a local step: half of them where the audit is of
// the sampling, or all.
func Batch(sampled bool) int {
	if sampled {
		return Samples / 2
	}
	return Samples
}

// Canary is the first sample of a client.
type Canary struct {
	In machine.Presence
	// Direction, of length d and 2-norm at most 1, is that of its gradient, over what gradients
	// are clipped to.
	Direction []float64
	// Drawn is told of the samples of every local step; nil where nobody asks.
	Drawn func(samples []int)
}

// Size is how many samples the client has.
func (Canary) Size() int { return Samples }

// Seen tells whether the canary is in a batch, and what else is: a part of samples.
func (c Canary) Seen(samples []int) (there bool, others []int) {
	others = samples
	if len(samples) > 0 && samples[0] == 0 {
		others = samples[1:]
	}
	return c.In.Counts(len(others) < len(samples)), others
}

// Add adds the gradient of the canary to the sum of clipped gradients of a batch, where it is in
// that.
func (c Canary) Add(sum []float64, samples []int, clip float64) {
	if c.Drawn != nil {
		c.Drawn(samples)
	}
	if there, _ := c.Seen(samples); there {
		kernel.Axpy(sum, clip, c.Direction)
	}
}

// Runs makes a run under a seed with its noise scaled, and a canary that is in batches as in
// says, and is told of what is drawn.
type Runs func(seed uint64, scale float64, in machine.Presence, drawn func(samples []int)) (*algorithm.Run, error)

// Of gives an audit its inputs and runs. Batches take samples with a rate, and a round has so
// many local steps. Shadows without noise have the canary in every batch or in none; where there
// is a sample to draw, a quiet run draws it as the run does, and its coins are which samples are
// in the batches of the first round: 1 or 0, Samples of each local step.
func (of Runs) Of(r *auditing.Run, rate float64, steps int) {
	r.Inputs = "one sample of a client, absent or there"
	r.Run = func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		in := machine.Absent
		switch {
		case other && scale == 0:
			in = machine.Certain
		case other:
			in = machine.AsTaken
		}
		return of(seed, scale, in, nil)
	}
	if rate == 1 {
		return
	}
	r.Rate = rate
	r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
		var coins []float64
		in := machine.Absent
		if other {
			in = machine.AsTaken
		}
		run, err := of(seed, 0, in, func(samples []int) {
			if len(coins) == Samples*steps {
				return
			}
			drawn := make([]float64, Samples)
			for _, k := range samples {
				drawn[k] = 1
			}
			coins = append(coins, drawn...)
		})
		return run, func() []float64 { return coins }, err
	}
}
