package federated

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
)

const (
	// auditedSamples are those of a client in audits; the first is the canary.
	auditedSamples = 2
	// auditedSteps are the local steps of a round at most.
	auditedSteps = 4
)

// auditedRecord audits the first client by one of its samples, in the local steps of a round. No
// gradient depends on the model, so that the noise of what a client sends is the sum of that of
// its steps.
func (p *plan) auditedRecord(sampled bool) (*auditing.Run, error) {
	small := *p.at.Steps
	small.Data = nil
	for _, data := range p.at.Steps.Data {
		small.Data = append(small.Data, newCanarySample(data, p.at.Start))
	}
	record := *small.Record
	record.Rates, small.Record = small.Rates(), &record
	planned := record.Price(0)
	planned.Sampled.Steps *= small.Tau
	claim, err := ledger.EpsilonOf(planned.Total(), p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	scale := p.common.Local.LearningRate / small.Expected(0) * p.mechanism.Sigma * p.at.Clip * math.Sqrt(float64(small.Tau))
	steps := ""
	if small.Tau > 1 {
		steps = fmt.Sprintf(" of %d local steps", small.Tau)
	}
	r := &auditing.Run{
		Node: canaryClient, Others: []messages.NodeID{canaryClient + 1}, Delta: p.mechanism.Delta, Private: true,
		Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for one sample of a client added or removed", claim, p.mechanism.Delta),
		Mechanism: fmt.Sprintf("%s, q = %.6g, 1 round%s%s", p.mechanism.Kind, small.Rate(0), steps, p.remark),
		Inputs:    "one sample of a client, absent or there",
		// What is sent beside the change of the model is made of it.
		Noise: func(auditing.Place) auditing.Noise {
			return auditing.Noise{Law: audit.GaussianLaw, Scale: scale, Length: p.at.Dim}
		},
	}
	of := func(seed uint64, scale float64, in machine.Presence, drawn func([]int)) (*algorithm.Run, error) {
		at, steps := *p.at, small
		steps.Data = slices.Clone(steps.Data)
		canary := steps.Data[0].(canarySample)
		canary.in, canary.drawn = in, drawn
		steps.Data[0] = canary
		at.Steps = &steps
		made, err := p.assemble(seed, &at, scale, nil)
		if err != nil {
			return nil, err
		}
		return &algorithm.Run{Seed: seed, FirstStep: 1, Steps: 1, Graphs: made.graphs, Machines: made.machines, Hops: machine.Hops, Acts: machine.Acts(at.Clients)}, nil
	}
	r.Run = func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		in := machine.Absent
		if other {
			if in = machine.AsTaken; sampled && scale == 0 {
				in = machine.Certain
			}
		}
		return of(seed, scale, in, nil)
	}
	if sampled {
		r.Rate = small.Rate(0)
		r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			coins, in := []float64(nil), machine.Absent
			if other {
				in = machine.AsTaken
			}
			run, err := of(seed, 0, in, func(samples []int) {
				drawn := make([]float64, auditedSamples)
				for _, k := range samples {
					drawn[k] = 1
				}
				coins = append(coins, drawn...)
			})
			return run, func() []float64 { return coins }, err
		}
	}
	return r, nil
}

// canarySample is the data of a client of auditedSamples samples, how many is public, of which the
// first is the canary. Its gradient is as long as the data clip one, in one direction, and those
// of the others are 0: no gradient depends on the model.
type canarySample struct {
	problems.Samples
	in    machine.Presence
	drawn func(samples []int) // told of every sample; nil where nobody asks
	// length is that of a clipped gradient over what it is clipped to: 1.
	length float64
}

// newCanarySample is data without a canary.
func newCanarySample(data problems.Samples, model []float64) canarySample {
	return canarySample{Samples: data, in: machine.Absent, length: problems.ClippedLength(data, model)}
}

// Size implements problems.Samples.
func (canarySample) Size() int { return auditedSamples }

// SumClipped implements problems.Samples.
func (c canarySample) SumClipped(dst, _ []float64, samples []int, clip float64) int {
	if c.drawn != nil {
		c.drawn(samples)
	}
	clear(dst)
	if c.in.Counts(len(samples) > 0 && samples[0] == 0) {
		dst[0] = c.length * clip
	}
	return 0
}
