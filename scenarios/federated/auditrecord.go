package federated

import (
	"fmt"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
)

// auditedSamples are those of a client in audits; the first is the canary.
const auditedSamples = 2

// auditedRecord audits the first client by one of its samples, in one local step.
func (p *plan) auditedRecord(sampled bool) (*auditing.Run, error) {
	small := *p.at.Steps
	small.data = nil
	for _, data := range p.at.Steps.data {
		small.data = append(small.data, fewSamples{data})
	}
	planned := small.price(0)
	claim, err := ledger.EpsilonOf(planned.Total(), p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	scale := p.common.Local.LearningRate / small.batch(0) * p.mechanism.Sigma * p.at.Clip
	r := &auditing.Run{
		Node: canaryNode, Others: []messages.NodeID{canaryNode + 1}, Delta: p.mechanism.Delta, Private: true,
		Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for one sample of a client added or removed", claim, p.mechanism.Delta),
		Mechanism: fmt.Sprintf("%s, q = %.6g, 1 round%s", p.mechanism.Kind, small.rate(0), p.remark),
		Inputs:    "one sample of a client, absent or there",
		// What is sent beside the change of the model is made of it.
		Noise: func(auditing.Place) auditing.Noise {
			return auditing.Noise{Law: audit.GaussianLaw, Scale: scale, Length: p.at.Dim}
		},
	}
	of := func(seed uint64, scale float64, in presence, drawn func([]int)) (*algorithm.Run, error) {
		at, steps := *p.at, small
		steps.data = slices.Clone(steps.data)
		steps.data[0] = canarySample{steps.data[0], in, drawn}
		at.Steps = &steps
		made, err := p.assemble(seed, &at, scale, nil)
		if err != nil {
			return nil, err
		}
		return &algorithm.Run{Seed: seed, FirstStep: 1, Steps: 1, Graphs: made.graphs, Machines: made.machines, Hops: hops, Acts: acts(at.Clients)}, nil
	}
	r.Run = func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		in := absent
		if other {
			if in = asTaken; sampled && scale == 0 {
				in = certain
			}
		}
		return of(seed, scale, in, nil)
	}
	if sampled {
		r.Rate = small.rate(0)
		r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			coins, in := make([]float64, auditedSamples), absent
			if other {
				in = asTaken
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
	in    presence
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
	if c.in == certain || taken && c.in != absent {
		dst[0] += clip
	}
	return clipped
}
