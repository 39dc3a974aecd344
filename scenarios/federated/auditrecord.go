package federated

import (
	"fmt"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
)

// auditedSamples are those of a client in audits; the first is the canary.
const auditedSamples = 2

// auditedRecord audits the first client by one of its samples, in one local step.
func (p *plan) auditedRecord(sampled bool) (*auditing.Run, error) {
	small := *p.at.Steps
	small.Data = nil
	for _, data := range p.at.Steps.Data {
		small.Data = append(small.Data, fewSamples{data})
	}
	record := *small.Record
	record.Rates, small.Record = small.Rates(), &record
	planned := record.Price(0)
	claim, err := ledger.EpsilonOf(planned.Total(), p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	scale := p.common.Local.LearningRate / small.Expected(0) * p.mechanism.Sigma * p.at.Clip
	r := &auditing.Run{
		Node: machine.CanaryNode, Others: []messages.NodeID{machine.CanaryNode + 1}, Delta: p.mechanism.Delta, Private: true,
		Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for one sample of a client added or removed", claim, p.mechanism.Delta),
		Mechanism: fmt.Sprintf("%s, q = %.6g, 1 round%s", p.mechanism.Kind, small.Rate(0), p.remark),
		Inputs:    "one sample of a client, absent or there",
		// What is sent beside the change of the model is made of it.
		Noise: func(auditing.Place) auditing.Noise {
			return auditing.Noise{Law: audit.GaussianLaw, Scale: scale, Length: p.at.Dim}
		},
	}
	of := func(seed uint64, scale float64, in machine.Presence, drawn func([]int)) (*algorithm.Run, error) {
		at, steps := *p.at, small
		steps.Data = slices.Clone(steps.Data)
		steps.Data[0] = canarySample{steps.Data[0], in, drawn}
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
			coins, in := make([]float64, auditedSamples), machine.Absent
			if other {
				in = machine.AsTaken
			}
			run, err := of(seed, 0, in, func(samples []int) {
				for _, k := range samples {
					coins[k] = 1
				}
			})
			return run, func() []float64 { return coins }, err
		}
	}
	return r, nil
}

// fewSamples are the first that a client has. How many is public, and the same for all.
type fewSamples struct{ problems.Samples }

// Size implements problems.Samples.
func (fewSamples) Size() int { return auditedSamples }

// canarySample is data of which the first sample is the canary. Its gradient has exactly
// the length that gradients are clipped to.
type canarySample struct {
	problems.Samples
	in    machine.Presence
	drawn func(samples []int) // told of every sample; nil where nobody asks
}

// SumClipped implements problems.Samples.
func (c canarySample) SumClipped(dst, params []float64, samples []int, clip float64) int {
	if c.drawn != nil {
		c.drawn(samples)
	}
	taken := len(samples) > 0 && samples[0] == 0
	if taken {
		samples = samples[1:]
	}
	clipped := c.Samples.SumClipped(dst, params, samples, clip)
	if c.in == machine.Certain || taken && c.in != machine.Absent {
		dst[0] += clip
	}
	return clipped
}
