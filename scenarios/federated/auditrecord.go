package federated

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
)

// auditedRecord audits the first client by one of its samples, in the local steps of a few
// rounds. No gradient depends on the model, so that the noise of a client's message is the sum
// of the noise of its steps.
func (p *plan) auditedRecord() (*auditing.Run, error) {
	small := *p.at.Steps
	small.Data = nil
	for _, data := range p.at.Steps.Data {
		small.Data = append(small.Data, newCanarySample(data, p.at.Start))
	}
	protected := *small.Record
	protected.Rates, small.Record = small.Rates(), &protected
	planned, all := protected.Of(0).Loss(), 0
	for step := range p.at.Horizon {
		all += small.Done(0, step+1)
	}
	planned.Sampled.Steps *= all
	claim, err := ledger.EpsilonOf(planned.Total(), p.deltaOf(0), p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	step := p.common.Local.LearningRate / small.Expected(0) * p.sigmaOf(0) * p.at.Clip // of one local step
	steps := ""
	if small.Tau > 1 {
		steps = fmt.Sprintf(" of %d local steps", small.Tau)
	}
	r := &auditing.Run{
		Node: canaryClient, Others: []messages.NodeID{canaryClient + 1}, Delta: p.deltaOf(0), Private: true,
		Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for one sample of a client added or removed", claim, p.deltaOf(0)),
		Mechanism: fmt.Sprintf("%s, q = %.6g, %s%s%s", p.mechanism.Kind, small.Rate(0), document.Counted(p.rounds, "round"), steps, p.remark),
		// Other parts of the message follow from the change of the model.
		Noise: func(at auditing.Place) auditing.Noise {
			scale := step * math.Sqrt(float64(small.Done(int(at.Node)-1, at.Step)))
			return auditing.Noise{Law: noise.GaussianLaw, Scale: scale, Length: p.at.Dim}
		},
	}
	CanaryRuns(func(seed uint64, scale float64, in machine.Presence, drawn func([]int)) (*algorithm.Run, error) {
		at, steps := *p.at, small
		steps.Data = slices.Clone(steps.Data)
		canary := steps.Data[0].(canarySample)
		canary.In, canary.Drawn = in, drawn
		steps.Data[0] = canary
		at.Steps = &steps
		return p.auditedRun(seed, &at, scale, nil)
	}).Of(r, small.Rate(0), small.Done(0, p.at.Calendar.First()))
	return r, nil
}

// canarySample is the data of a client, with the canary as first sample. The gradients of the
// others are 0: no gradient depends on the model.
type canarySample struct {
	problems.Samples
	SampleCanary
}

// newCanarySample returns data without the canary.
func newCanarySample(data problems.Samples, model []float64) canarySample {
	direction := make([]float64, len(model))
	direction[0] = problems.ClippedLength(data, model)
	return canarySample{data, SampleCanary{In: machine.Absent, Direction: direction}}
}

// Size implements problems.Samples.
func (c canarySample) Size() int { return c.SampleCanary.Size() }

// SumClipped implements problems.Samples.
func (c canarySample) SumClipped(dst, _ []float64, samples []int, clip float64) int {
	clear(dst)
	c.Add(dst, samples, clip)
	return 0
}
