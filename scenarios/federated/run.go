package federated

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// run makes a run in a setting under a seed, with its noise scaled, and returns it with its
// noise. A study takes scale 1; audits take other scales, and must detect them. canary is for
// audits alone.
func (p *plan) run(seed uint64, at *machine.Setting, scale float64, canary *machine.Canary) (*algorithm.Run, aggregation.Noise, error) {
	trusted, err := p.trusted(true)
	if err != nil {
		return nil, nil, err
	}
	trusted.Noise = trusted.Noise.Scaled(scale)
	if scale != 1 {
		if at, err = scaled(at, scale); err != nil {
			return nil, nil, err
		}
	}
	graphs, err := p.graphs.Sequence(seed)
	if err != nil {
		return nil, nil, err
	}
	drawn, err := trusted.Drawn()
	if err != nil {
		return nil, nil, err
	}
	machines, err := machine.Assemble(machine.Parts{
		At: at, Server: p.server(at), Client: func(i int) machine.Client { return p.client(at, i) }, Noise: drawn,
		Listens: p.combine != nil || p.arm.Adversaries != nil, Combine: p.combine, Canary: canary, Known: p.known,
	})
	run := &algorithm.Run{Seed: seed, FirstStep: 1, Steps: at.Horizon, Graphs: graphs, Machines: machines, Hops: at.Hops, Acts: at.Acts, Gathers: p.steps}
	if at.Seats != nil {
		run.Stands = at.Seats.Stands
	}
	return run, p.noise(at, &trusted), err
}

// scaled returns a setting in which the noise of clients is multiplied by a factor.
func scaled(at *machine.Setting, by float64) (*machine.Setting, error) {
	own := *at
	if at.Sharing != nil {
		var err error
		if own.Sharing, err = at.Sharing.Scaled(by); err != nil {
			return nil, err
		}
	}
	if at.Record {
		steps := *at.Steps
		steps.Record, own.Steps = at.Steps.Record.Scaled(by), &steps
	}
	return &own, nil
}

// Job implements study.Plan: it draws everything that depends on the seed. It has a plan of its
// own: the loss of a step depends on the number of samples of clients.
func (p *plan) Job(seed uint64) (*study.Job, error) {
	own := *p
	data, err := own.setting(seed)
	if err != nil {
		return nil, err
	}
	if own.at.Start, err = p.corpus.BeginOn(data, seed, p.common.Start); err != nil {
		return nil, err
	}
	if err := own.calibrateSums(); err != nil {
		return nil, err
	}
	if err := own.attend(seed); err != nil {
		return nil, err
	}
	run, noise, err := own.run(seed, own.at, 1, nil)
	if err != nil {
		return nil, err
	}
	j := study.JobOf(p.arm, *run, study.WithProbe(p.arm, study.Measured(p.arm, own.gauges(data)), own.probe(data)))
	return study.Ready(p.arm, j, noise.Bill, data.Outside)
}

// gauges are the measurements of every run.
func (p *plan) gauges(data *problems.Divided) []gauge.Gauge {
	model := &gauge.Model{Start: p.at.Start}
	if data.Accuracy != nil {
		model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.AccuracyTest), Of: data.Accuracy})
	}
	model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.LossTrain), Of: data.Loss})
	model.Of = slices.Concat(model.Of, errorsOf(data), p.inZones(data), p.corpus.Evaluations(data))
	var clients gauge.Gauge = &gauge.Latest{Metric: clientsOfRound, Quantity: machine.QuantityClients}
	if p.tiers != nil {
		clients = &gauge.Sums{Metric: clientsOfRound, Quantity: machine.QuantityClients}
	}
	list := []gauge.Gauge{model, clients, gauge.Paid()}
	if !p.at.Record {
		list = append(list, &gauge.Means{Metric: clippedUpdates, Nodes: p.at.Players() + 1})
	}
	for _, m := range p.declared {
		list = append(list, &gauge.Means{Metric: m, Nodes: p.at.Players() + 1})
	}
	of := p.planned().Metrics()
	if p.buffer != nil {
		of = metric.Join(of, p.bufferMetrics())
	}
	if p.seats != nil {
		of = metric.Join(of, metric.List{uniqueClients, mostVisits})
	}
	for _, recorded := range of { // under its own name
		list = append(list, &gauge.Latest{Metric: recorded, Quantity: recorded.Name})
		if recorded.Name == aggregation.QuantityWrapped {
			list = append(list, &gauge.Wraps{Quantity: recorded.Name})
		}
	}
	list = append(list, p.clockGauges()...)
	return slices.Concat(list, []gauge.Gauge{&gauge.Traffic{}}, study.EffectGauges(p.arm))
}

// probe returns the values of the models of rounds on the data.
func (p *plan) probe(data *problems.Divided) gauge.Probe {
	size := 0.0
	for i := range p.at.Steps.Data {
		size += p.at.Steps.Expected(i) / float64(p.at.Clients)
	}
	switch of := p.at.Steps; {
	case of.Sizes != nil:
		for i := range p.at.Clients {
			size += of.Expected(i) / float64(p.at.Clients)
		}
	case p.seats != nil: // all clients have one number of samples
		size = of.Expected(0)
	}
	probe := data.Probe(p.at.Start, machine.QuantitySeen, size)
	probe.Adds = true
	return probe
}

// Shares implements study.Sharer.
func (p *plan) Shares(seed uint64) []cache.Need {
	return append(p.corpus.Entries(seed, p.file.Nodes), p.attending(seed)...)
}

// Notes implements study.Plan.
func (p *plan) Notes(j *study.Job) ([]study.Note, []study.Warning) {
	r := p.corpus.Remarks()
	r.Append(p.remarks.Notes, p.remarks.Warnings)
	if p.corpus.Shares != nil {
		r.Append(p.corpus.Shares(j.Run.Seed, p.at.Clients), nil)
	}
	if p.buffer == nil {
		r.Add("participation", "%.6g clients expected in a round; a client is in %d rounds at most, at least %d apart", p.at.Expected, p.most.Times, p.most.Apart)
	} else {
		p.noteBuffer(&r)
	}
	p.noteAttendance(&r)
	if p.tiers != nil {
		r.Add("servers", "%s", p.tiers)
	}
	p.notePopulation(&r)
	p.noteClock(&r)
	if p.file.Clock != nil {
		p.noteZones(&r, j.Run.Seed)
	}
	if of := p.calendar(j.Run.Seed); of != nil {
		r.Add("rounds", "%d in %s; the longest has %s", of.Rounds(p.at.Horizon), document.Counted(p.at.Horizon, "step"), document.Counted(p.common.Local.Tau*of.Longest(), "local step"))
	}
	if s := p.common.Stragglers; s.Any(p.longest()) {
		r.Add("stragglers", "%s", s.Text(p.longest()))
	}
	if p.at.Sharing != nil {
		r.Add("aggregation", "%s", p.at.Sharing.Text())
	}
	r.Add("epsilon.claimed", "%s", p.claim())
	if note := p.mechanism.Calibration(); note != "" {
		r.Add("noise", "%s", note)
	}
	if p.at.Record && p.private() && p.corpus.Overlaps {
		r.Warn("shared-data", "clients draw their data from all, so that one row or image may be a sample of several clients; the account is of a sample of one client, and what a row pays at all of them together is more")
	}
	p.noteIndividual(&r)
	p.noteSigmas(&r)
	if !p.private() {
		r.Unprotected("messages of clients, and the models, show their data")
		return r.Notes, r.Warnings
	}
	switch of := p.tiers; {
	case p.at.Record || p.at.Sharing != nil:
	case of != nil && of.Noise > 0:
		r.Warn("trusted-server", fmt.Sprintf("clients send unprotected vectors, which servers of the level %s and eavesdroppers below them see; the models are private", of.Names[of.Noise]))
	default:
		r.Warn("trusted-server", "clients send unprotected vectors, which the server and an eavesdropper see; the models are private")
	}
	n, err := p.trusted(true) // the job has made the same
	if err != nil || !n.Noise.Correlated() {
		return r.Notes, r.Warnings
	}
	f, scale := n.Noise.Factorization(), n.Noise.Scale()
	root := math.Sqrt(f.MSE()) / f.Sensitivity() // of the mean square on prefix sums, at a deviation of 1
	r.Add("noise", "standard deviation %.6g, which makes %.6g on the sum of rounds so far, the root of the mean square", scale, scale*root)
	if moved, err := p.moved(f); err == nil {
		r.Add("factorization", "error %.6g times what a vector moves, sensitivity %.6g, %s a coordinate", moved*root, moved, document.Counted(f.MemoryPerCoordinate(), "number"))
	}
	if step := n.Noise.Loss().Sampled; step.Steps > 0 {
		r.Add("amplified", "%d steps of the sampled Gaussian mechanism at rate %.6g, noise multiplier %.6g", p.most.Times, step.Rate, step.Noise)
	}
	return r.Notes, r.Warnings
}
