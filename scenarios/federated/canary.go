package federated

import (
	"starling/actors/algorithm"
	"starling/mechanisms/kernel"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/machine"
)

const (
	// AuditSamples is the number of samples of a client; the first is the canary.
	AuditSamples = 2
	// AuditSteps are the local steps of a round at most.
	AuditSteps = 4
	// AuditRounds is the number of rounds of an audit.
	AuditRounds = 2
)

// AuditTaken is the number of local steps that stragglers of an audit have time for, where it is
// fixed: of the steps of the audit about the part that stragglers of the arm have of tau.
func AuditTaken(of *algorithm.Stragglers, tau int) int {
	if of == nil {
		return 1
	}
	return max(1, min(AuditSteps, tau)*min(of.Steps, tau)/tau)
}

// AuditBatch is the expected number of samples in a local step: half of them where the audit is of
// the sampling, or else all.
func AuditBatch(sampled bool) int {
	if sampled {
		return AuditSamples / 2
	}
	return AuditSamples
}

// SampleCanary is the first sample of a client. Clients that protect their samples are audited
// by it: it is absent, or in the batches for which it is drawn. A client has AuditSamples
// samples, a public number. An audit has AuditRounds rounds of the local steps of the arm, up
// to AuditSteps, so that it covers their composition. A family takes the canary into its data,
// and makes runs of its machines with it (CanaryRuns).
type SampleCanary struct {
	In machine.Presence
	// Direction, of length d and 2-norm at most 1, is the canary's gradient over the clipping
	// norm.
	Direction []float64
	// Drawn is called with the samples of every local step; nil means no call.
	Drawn func(samples []int)
}

// Size is the client's number of samples.
func (SampleCanary) Size() int { return AuditSamples }

// Seen reports whether the canary is in a batch, and returns the other samples of the batch: a
// part of samples.
func (c SampleCanary) Seen(samples []int) (there bool, others []int) {
	others = samples
	if len(samples) > 0 && samples[0] == 0 {
		others = samples[1:]
	}
	return c.In.Counts(len(others) < len(samples)), others
}

// Add adds the gradient of the canary to the sum of clipped gradients of a batch that contains
// it.
func (c SampleCanary) Add(sum []float64, samples []int, clip float64) {
	if c.Drawn != nil {
		c.Drawn(samples)
	}
	if there, _ := c.Seen(samples); there {
		kernel.Axpy(sum, clip, c.Direction)
	}
}

// CanaryRuns makes a run under a seed with its noise scaled. in decides the batches that contain the
// canary; drawn is called with the drawn samples.
type CanaryRuns func(seed uint64, scale float64, in machine.Presence, drawn func(samples []int)) (*algorithm.Run, error)

// Of gives an audit its inputs and runs. Batches take samples with rate rate, and a round has
// steps local steps. Shadows without noise have the canary in every batch or in none. Where
// there is a sample to draw, a quiet run draws it as the run does. Its coins are the samples
// in the batches of the first round: 1 or 0, Samples for each local step.
func (of CanaryRuns) Of(r *auditing.Run, rate float64, steps int) {
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
			if len(coins) == AuditSamples*steps {
				return
			}
			drawn := make([]float64, AuditSamples)
			for _, k := range samples {
				drawn[k] = 1
			}
			coins = append(coins, drawn...)
		})
		return run, func() []float64 { return coins }, err
	}
}
