package ofl

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// start is x^0 under a seed.
func (p *oflPlan) start(seed uint64) []float64 {
	if p.section.Start != nil {
		return p.section.Start
	}
	return p.stream.Start(seed)
}

// assemble makes a run under a seed, without meter and network: of a model on data, with the
// noise of the plan times a factor. Studies and audits run this.
func (p *oflPlan) assemble(seed uint64, model ofl.Model, data ofl.Data, noised float64) (*algorithm.Run, error) {
	options := p.options
	options.Model, options.Data, options.Start = model, data, p.start(seed)
	options.Tiers = p.levels(seed)
	n, err := p.noise()
	if err != nil {
		return nil, err
	}
	options.Noise = n.Scaled(noised)
	for learner := range p.factors {
		options.Own = append(options.Own, p.of(learner, n).Scaled(noised))
	}
	sequence, err := p.graphs.Sequence(seed)
	if err != nil {
		return nil, err
	}
	machines, err := ofl.New(options)
	if err != nil {
		return nil, err
	}
	return &algorithm.Run{
		Seed: seed, Steps: options.Steps(), Graphs: sequence, Machines: machines, Hops: options.Hops, Acts: options.Acts, Beside: ofl.Beside(options.Learners),
	}, nil
}

// Job implements study.Plan: it draws everything that depends on the seed. The model and the
// noise are the plan's, data and graphs the seed's. The job owns its machines and may be run
// once.
func (p *oflPlan) Job(seed uint64) (*study.Job, error) {
	arm := p.arm
	instance, err := p.stream.Kept(arm.Cache, seed, p.shape, p.reads())
	if err != nil {
		return nil, err
	}
	model := stream.Under(instance, p.stream.Model)
	run, err := p.assemble(seed, model, instance, 1)
	if err != nil {
		return nil, err
	}
	start := p.start(seed)
	measured := GaugeOptions{
		Shape: p.shape, Model: model, Instance: instance, Start: p.decision(start), Many: p.many(instance),
	}
	if p.stream.Asked != nil && p.stream.Asked.Best {
		measured.Comparator = instance.(Comparator)
	}
	if p.stream.Minimiser != nil {
		c := p.comparator(seed, instance)
		measured.Comparator = c
		measured.Bounds = p.bounds(c, start)
	}
	m := study.Measured(arm, slices.Concat(Gauges(measured), study.EffectGauges(arm)))
	j := study.JobOf(arm, *run, study.WithReplay(arm, study.WithProbe(arm, m, p.probe(instance, measured.Comparator))))
	return study.Ready(arm, j, p.bills(), instance)
}

// probe returns the values of decisions of learners, which are numbered from 1, on the data of
// a seed.
func (p *oflPlan) probe(instance problem.Data, best Comparator) gauge.Probe {
	data := make([][]float64, p.shape.Learners) // by learner: scratch
	for i := range data {
		data[i] = make([]float64, instance.Width())
	}
	model := stream.Under(instance, p.stream.Model)
	probe := gauge.Probe{
		Met: func(node messages.NodeID, step int, x []float64) float64 {
			return model.Loss(x, stream.Row(instance, data[node-1], node-1, step+1))
		},
	}
	if p.stream.Asked != nil {
		return p.askedProbe(probe, instance, best)
	}
	if tests, ok := instance.(stream.Tester); ok {
		h := p.heldOut(tests, data)
		probe.Fresh, probe.Tests, probe.Predict, probe.Form = h.Fresh, h.Tests, h.Predict, p.stream.Predictions()
	}
	if rows := stream.ValidationOf(instance); rows != nil {
		probe.Validation, probe.Form = p.heldOut(rows, data), p.stream.Predictions()
	}
	if best, ok := best.(*stream.Comparator); ok {
		probe.Best = func() float64 { return best.Static().Value }
		probe.BestIn = func(first, last int) float64 { return best.Interval(first+1, last+1) }
		probe.Begin = func(first, last int) { best.Begin(first+1, last+1) }
		probe.BestPoint = func() []float64 { return best.Static().Point() }
	}
	return probe
}

// heldOut returns the answers about decisions of learners, which are numbered from 1, on their
// fresh data. data are scratch, by learner.
func (p *oflPlan) heldOut(tests stream.Tester, data [][]float64) *gauge.HeldOut {
	h := &gauge.HeldOut{
		Fresh: func(node messages.NodeID, step int, x []float64) (mean float64) {
			datum, tests := data[node-1], problem.At(tests, step+1)
			samples := tests.TestSamples(node - 1)
			for index := range samples {
				mean += p.stream.Model.Loss(x, stream.TestRow(tests, datum, node-1, index))
			}
			return mean / float64(samples)
		},
		Tests: func(node messages.NodeID) int { return tests.TestSamples(node - 1) },
	}
	if p.stream.Predictions().Any() {
		h.Predict = func(s *problem.Predictions, node messages.NodeID, step int, x []float64) {
			stream.PredictFresh(s, p.stream.Model.(problem.Predictor), problem.At(tests, step+1), make([]float64, tests.Width()), node-1, x)
		}
	}
	return h
}
