package gauge

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/messages"
	"starling/scenarios/problem"
)

// OwnData are the answers of a run's problem about the model of a server on the data of single
// clients. A nil function is a question without an answer.
type OwnData struct {
	Start []float64 // the initial model of the server, len d
	// Loss returns the mean loss of a model on the data of a client, from 0, and Accuracy the
	// share of its data that the model classifies right.
	Loss, Accuracy func(client int, x []float64) (float64, error)
	// Predict adds the fresh data of a client to a sample of the form of the probe, with the
	// predictions of a model, and PredictValidation its validation rows.
	Predict, PredictValidation func(s *problem.Predictions, client int, x []float64) error
}

// addOwners adds the gauges of the quantities of participants that ask the problem, and of
// their messages. The family's own gauge has the accuracies of deciders, and the ledger has the
// epsilons.
func (r *Run) addOwners() {
	p := r.Owners
	switch asked := append(LossOf.Names(), RegretOf.Names()...); {
	case r.OwnData != nil:
		r.gauges = append(r.gauges, &ofClients{Model: Model{Start: r.OwnData.Start}, data: r.OwnData, best: r.BestPoint, of: p})
	case r.Met != nil && p.Decide(r.Who) && r.Wanted.Any(asked...):
		l := r.lost()
		l.decisions = new(ByNode)
		r.gauges = append(r.gauges, &ofDeciders{losses: l, probe: r.Probe, of: p})
	}
	r.addScores()
	r.gauges = append(r.gauges, &senders{of: p})
}

// lastValues are the values of participants at the last point, for several columns: they are
// computed once, when the run is over.
type lastValues struct{ values []float64 }

// get returns the values; compute makes them for the first caller.
func (l *lastValues) get(compute func() []float64) []float64 {
	if l.values == nil {
		l.values = compute()
	}
	return l.values
}

// ofDeciders are the losses and the regrets of deciders. It takes in nothing itself.
type ofDeciders struct {
	losses *losses
	probe  *Probe
	of     *Owners
	ended  lastValues // the regrets
}

// Begin implements Gauge.
func (o *ofDeciders) Begin(s *Span) []Column {
	columns := o.of.Columns(&LossOf, s, func(int) []float64 { return o.means() })
	if o.probe.BestPoint != nil {
		columns = append(columns, o.of.Columns(&RegretOf, s, func(point int) []float64 {
			return o.ended.get(func() []float64 { return o.regrets(point) })
		})...)
	}
	return columns
}

// means returns the mean loss so far of each decider, NaN before its first decision.
func (o *ofDeciders) means() []float64 {
	means := make([]float64, o.of.Count)
	for i, loss := range o.losses.loss.Now() {
		means[i] = loss / o.losses.decisions.Now()[i]
	}
	return means
}

// regrets returns the regret of each decider against the best point of all data. A decider that did
// not decide in every step has none.
func (o *ofDeciders) regrets(point int) []float64 {
	best := o.probe.BestPoint()
	if best == nil {
		return Undefined(o.of.Count)
	}
	regrets, steps := o.means(), o.losses.points[point]-o.losses.first+1
	for i := range regrets {
		if o.losses.decisions.Now()[i] != float64(steps) {
			regrets[i] = math.NaN()
			continue
		}
		var sum float64
		node := o.of.First + messages.NodeID(i)
		if !o.of.measures(node) {
			continue
		}
		for step := o.losses.first; step <= o.losses.points[point]; step++ {
			sum += o.probe.Met(node, step, best)
		}
		regrets[i] -= sum / float64(steps)
	}
	return regrets
}

// WithoutRegret returns the numbers of the measured participants without a regret, ascending, where
// others have one. Statistics leave them out. The rows of the run have been handed over.
func (m *Meter) WithoutRegret() (numbers []int) {
	o, ok := Find[*ofDeciders](m)
	if !ok || len(o.of.measured(o.ended.values)) == 0 {
		return nil
	}
	for i, value := range o.ended.values {
		if node := o.of.First + messages.NodeID(i); o.of.measures(node) && math.IsNaN(value) {
			numbers = append(numbers, int(node)+o.of.Label)
		}
	}
	return numbers
}

// Final implements Early: the losses are as final as the gauge that has them.
func (o *ofDeciders) Final(points int) int { return o.losses.Final(points) }

// State implements Gauge: there is none.
func (*ofDeciders) State(*messages.Codec) {}

// ofClients are the losses, accuracies and regrets of the clients of a server that decides: of
// the server's newest model on the data of each.
type ofClients struct {
	Model // with the losses of all clients, then their accuracies
	data  *OwnData
	best  func() []float64 // see Probe.BestPoint
	of    *Owners
	ended lastValues // the regrets
}

// Begin implements Gauge.
func (o *ofClients) Begin(s *Span) (columns []Column) {
	add := func(q *Quantity, of func(client int, x []float64) (float64, error)) {
		if of == nil {
			return
		}
		first := len(o.Of)
		if s.Wanted.Any(q.Names()...) {
			for i := range o.of.Count {
				o.Of = append(o.Of, Evaluation{Of: func(x []float64) (float64, error) { return of(i, x) }})
			}
		}
		columns = append(columns, o.of.Columns(q, s, func(int) []float64 { return o.now.values[first : first+o.of.Count] })...)
	}
	add(&LossOf, o.data.Loss)
	add(&AccuracyOf, o.data.Accuracy)
	if o.data.Loss != nil && o.best != nil {
		columns = append(columns, o.of.Columns(&RegretOf, s, func(int) []float64 { return o.ended.get(o.regrets) })...)
	}
	o.Model.Begin(s)
	for i := range o.takes {
		o.takes[i] = true // they have no names of their own
	}
	return columns
}

// again implements everyStep: values of single participants have no windows.
func (*ofClients) again() everyStep { return nil }

// regrets returns the loss of the last model on the data of each client, less the loss there of
// the model that is best for the data of all.
func (o *ofClients) regrets() []float64 {
	regrets, best := Undefined(o.of.Count), o.best()
	if best == nil {
		return regrets
	}
	for i := range regrets {
		own, err := o.data.Loss(i, o.last)
		least, fault := o.data.Loss(i, best)
		if err = errors.Join(err, fault); err != nil {
			panic(batch.Failure{Err: fmt.Errorf("the data of a client: %w", err)})
		}
		regrets[i] = own - least
	}
	return regrets
}

// senders counts the messages that each participant sends.
type senders struct {
	of      *Owners
	running []float64 // by participant
	sent    ByNode
}

// Begin implements Gauge.
func (c *senders) Begin(s *Span) []Column {
	c.running, c.sent = make([]float64, c.of.Count), NewByNode(len(s.Points), c.of.Count)
	return c.of.Columns(&MessagesOf, s, func(int) []float64 { return c.sent.Now() })
}

// Listens implements Listening.
func (*senders) Listens(quantity string) bool { return quantity == algorithm.QuantityMessages }

// Recorded implements Quantities.
func (c *senders) Recorded(node messages.NodeID, at At, quantity string, value float64) {
	i, ok := c.of.at(node)
	if !ok || quantity != algorithm.QuantityMessages {
		return
	}
	c.running[i] += value
	c.sent.Put(at.Point, i, c.running[i])
}

// Carry implements Carrier.
func (c *senders) Carry(point int) { c.sent.Carry(point) }

// Final implements Early.
func (*senders) Final(points int) int { return points }

// State implements Gauge.
func (c *senders) State(codec *messages.Codec) {
	codec.Floats("running", c.running)
	codec.Part("sent", &c.sent)
}

// EachSender implements algorithm.SenderMeter.
func (m *Meter) EachSender() bool {
	_, counts := Find[*senders](m)
	return counts
}
