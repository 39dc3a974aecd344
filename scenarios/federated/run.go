package federated

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/gauge"
	"starling/scenarios/gauge/decisions"
	"starling/scenarios/metric"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
	"starling/scenarios/study/remarks"
)

// assembled holds the parts of a run.
type assembled struct {
	graphs   topology.Sequence
	machines []algorithm.Machine
	noise    aggregation.Noise
}

// assemble makes a run in a setting under a seed, with its noise scaled. A study takes scale
// 1; audits take other scales, and must detect them. canary is for audits alone.
func (p *plan) assemble(seed uint64, at *machine.Setting, scale float64, canary *machine.Canary) (r assembled, err error) {
	trusted, err := p.trusted(true)
	if err != nil {
		return r, err
	}
	trusted = trusted.Scaled(scale)
	if scale != 1 {
		if at, err = scaled(at, scale); err != nil {
			return r, err
		}
	}
	r.noise = p.noise(at, &trusted)
	if r.graphs, err = p.graphs.Sequence(seed); err != nil {
		return r, err
	}
	drawn, err := trusted.Drawn()
	if err != nil {
		return r, err
	}
	r.machines, err = machine.Assemble(machine.Parts{
		At: at, Server: p.server(at), Client: func(i int) machine.Client { return p.client(at, i) }, Noise: drawn,
		Listens: p.combine != nil || p.arm.Adversaries != nil, Combine: p.combine, Canary: canary, Known: p.known,
	})
	return r, err
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
		steps, record := *at.Steps, *at.Steps.Record
		record.Sigma *= by
		steps.Record, own.Steps = &record, &steps
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
	r, err := own.assemble(seed, own.at, 1, nil)
	if err != nil {
		return nil, err
	}
	j := study.NewJob(p.arm, seed, r.graphs, r.machines, study.Asking(p.arm, study.Measured(p.arm, own.gauges(data)), own.probe(data)))
	j.Meter.Bills = r.noise.Bill
	j.Run.Hops, j.Run.Acts = machine.Hops, machine.Acts(own.at.Clients)
	if err := study.Affect(p.arm, j, seed); err != nil {
		return nil, err
	}
	return j, study.Use(j, data.Outside)
}

// gauges are the measurements of every run.
func (p *plan) gauges(data *problems.Divided) []gauge.Gauge {
	model := &gauge.Model{Start: p.at.Start}
	if data.Accuracy != nil {
		model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.AccuracyTest), Of: data.Accuracy})
	}
	model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.LossTrain), Of: data.Loss})
	list := []gauge.Gauge{model, &gauge.Latest{Metric: clientsOfRound, Quantity: machine.QuantityClients}, gauge.Paid()}
	if !p.at.Record {
		list = append(list, &gauge.Means{Name: machine.QuantityClipped, Nodes: p.at.Clients + 1})
	}
	of := p.planned().Metrics()
	if p.buffer != nil {
		of = metric.Join(of, machine.BufferMetrics())
	}
	for _, recorded := range of { // under its own name
		list = append(list, &gauge.Latest{Metric: recorded, Quantity: recorded.Name})
		if recorded.Name == aggregation.QuantityWrapped {
			list = append(list, &gauge.Wraps{Quantity: recorded.Name})
		}
	}
	return slices.Concat(list, []gauge.Gauge{&gauge.Traffic{}}, study.EffectGauges(p.arm))
}

// probe returns the values of the models of rounds on the data: a round meets the data of all
// clients.
func (p *plan) probe(data *problems.Divided) decisions.Probe {
	value := func(loss float64, err error) float64 {
		if err != nil {
			panic(err) // the data are checked before they are divided
		}
		return loss
	}
	size := 0.0
	for i := range p.at.Steps.Data {
		size += p.at.Steps.Expected(i) / float64(p.at.Clients)
	}
	probe := decisions.Probe{
		Seen: machine.QuantitySeen, Size: size, Best: data.Least, Same: true,
		Met: func(_ messages.NodeID, _ int, x []float64) float64 { return value(data.Loss(x)) },
	}
	if data.FreshLoss != nil {
		probe.Fresh = func(_ messages.NodeID, _ int, x []float64) float64 { return value(data.FreshLoss(x)) }
	}
	return probe
}

// Shares implements study.Sharer.
func (p *plan) Shares(seed uint64) []cache.Need {
	if p.corpus.Needs == nil {
		return nil
	}
	return p.corpus.Needs(seed, p.file.Nodes)
}

// Notes implements study.Plan.
func (p *plan) Notes(j *study.Job) (notes []study.Note, warnings []study.Warning) {
	notes, warnings = remarks.OfStart(p.corpus.Before(accountant.AddOrRemove))
	notes, warnings = append(notes, p.corpus.Notes...), append(warnings, p.corpus.Warnings...)
	add := func(key, format string, args ...any) {
		notes = append(notes, study.Note{Key: key, Value: fmt.Sprintf(format, args...)})
	}
	if p.corpus.Shares != nil {
		notes = append(notes, p.corpus.Shares(j.Run.Seed, p.at.Clients)...)
	}
	if p.buffer == nil {
		add("participation", "%.6g clients expected in a round; a client is in %d rounds at most, at least %d apart", p.at.Expected, p.most.Times, p.most.Apart)
	} else {
		add("participation", "the server takes a step when the buffer has vectors of %d clients; a client is in %d buffers at most, and once in each: further vectors are dropped", p.buffer.Size, p.most.Times)
		add("model", "sent to all clients at the end of a round in which the server has taken a step, and in no other")
		add("neighbours", "the vectors of a client, or zeros in their place, at the same times: that a client is there at all, and when it is heard of, is not protected, as later buffers depend on it")
	}
	if p.at.Sharing != nil {
		add("aggregation", "%s", p.at.Sharing.Text())
	}
	add("epsilon.claimed", "%s", p.claim())
	if !p.private() {
		return notes, append(warnings, study.Warning{Code: "not-private", Message: "this arm runs without noise: what clients send, and the models, show their data"})
	}
	if !p.at.Record && p.at.Sharing == nil {
		warnings = append(warnings, study.Warning{Code: "trusted-server", Message: "clients send what is not protected: the server, and whoever reads the wire, see it; the models are private"})
	}
	n, err := p.trusted(true) // the job has made the same
	if err != nil || n.Prefix == nil {
		return notes, warnings
	}
	f := n.Prefix.Factorization
	root := math.Sqrt(f.MSE()) / f.Sensitivity() // of the mean square on prefix sums, at a deviation of 1
	add("noise", "standard deviation %.6g, which makes %.6g on the sum of rounds so far, the root of the mean square", n.Prefix.Scale, n.Prefix.Scale*root)
	if moved, err := p.moved(f); err == nil {
		add("factorization", "error %.6g times what a vector moves, sensitivity %.6g, %s a coordinate", moved*root, moved, document.Counted(f.MemoryPerCoordinate(), "number"))
	}
	if n.Amplified.Steps > 0 {
		add("amplified", "%d steps of the sampled Gaussian mechanism at rate %.6g, noise multiplier %.6g", p.most.Times, n.Amplified.Rate, n.Amplified.Noise)
	}
	return notes, warnings
}
