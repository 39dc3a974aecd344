// Package dpfl is what is measured of a run of differentially private federated learning:
// the model that the server plays after each round, local steps, and clipping.
//
// A step is a round, from 1. A run that has ended early keeps the model that it has, and
// what it has paid: nobody learns any more, and what is measured after is the model that
// is left.
package dpfl

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Tau is the local steps of the round, and of the last one after the end.
const Tau = "tau"

// Metrics are those that are measured of these runs.
func Metrics() metric.List {
	return metric.Join(gauge.Declared(gauge.AccuracyTest), metric.List{tau}, gauge.Declared(gauge.LossTrain, gauge.Rounds, gauge.ClipShare), gauge.OfTraffic())
}

var tau = metric.Metric{
	Name: Tau, Summary: "local steps of the round; after a run has ended, of its last round",
	Label: "local steps tau", Level: metric.OfRun,
	Chart: metric.Chart{Name: "tau", Title: "local steps in a round"},
}

// Options say what to measure.
type Options struct {
	Clients, Rounds int
	// Accuracy is that of a model on fresh data, nil where there are none, or no
	// labels, and Loss its mean loss over all clients' data.
	Accuracy, Loss func(params []float64) (float64, error)
	// Start is the initial model, which is what there is before a round has
	// ended.
	Start []float64
}

// Validate reports the first thing that keeps the options from describing a
// run.
func (o *Options) Validate() error {
	if o.Clients < 1 || o.Rounds < 1 {
		return fmt.Errorf("measure: %d clients in %d rounds, want at least 1 of each", o.Clients, o.Rounds)
	}
	if o.Loss == nil || len(o.Start) == 0 {
		return errors.New("measure: the loss on data and start are needed")
	}
	return nil
}

// Gauges are those of a run, without a network. It panics if Validate refuses the options:
// scenarios are checked before their runs are made.
func Gauges(o Options) []gauge.Gauge {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	model := &gauge.Model{Start: o.Start}
	if o.Accuracy != nil {
		model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.AccuracyTest), Of: o.Accuracy})
	}
	model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.LossTrain), Of: o.Loss})
	return []gauge.Gauge{
		model,
		&gauge.Latest{Metric: tau, Quantity: dpfl.Tau},
		&gauge.Latest{Metric: gauge.Of(gauge.Rounds), Quantity: dpfl.Rounds},
		gauge.Paid(),
		&clips{clients: make([]client, o.Clients)},
		&gauge.Traffic{},
		&Choices{rounds: o.Rounds},
	}
}

// clips is the mean share of clipped gradients, over clients and their rounds so far.
type clips struct {
	clients []client   // by client
	at      []snapshot // by point, then by client: what it was last; zero where nothing was new
	now     []client   // at the point of the rows
}

// client is what is kept of one. Its calls are one after the other.
type client struct {
	clip  float64 // the sum of its rounds' shares of clipped gradients
	rated int     // rounds with a share
}

// snapshot is a client at a point.
type snapshot struct {
	client
	set bool
}

// Begin implements gauge.Gauge.
func (m *clips) Begin(s *gauge.Span) []gauge.Column {
	m.at, m.now = make([]snapshot, len(s.Points)*len(m.clients)), make([]client, len(m.clients))
	return []gauge.Column{{Metric: gauge.Of(gauge.ClipShare), Value: m.share}}
}

// Recorded implements gauge.Quantities.
func (m *clips) Recorded(node messages.NodeID, at gauge.At, quantity string, value float64) {
	if quantity != dpfl.Clipped {
		return
	}
	i := int(node) - 1
	if i < 0 || i >= len(m.clients) {
		panic(fmt.Sprintf("clip.share: participant %d is none of %d clients", node, len(m.clients)))
	}
	m.clients[i].clip += value
	m.clients[i].rated++
	m.at[at.Point*len(m.clients)+i] = snapshot{m.clients[i], true}
}

// Carry implements gauge.Carrier.
func (m *clips) Carry(point int) {
	for i := range m.now {
		if s := &m.at[point*len(m.now)+i]; s.set {
			m.now[i] = s.client
		}
	}
}

// share adds up in the order of the clients.
func (m *clips) share(int) float64 {
	var sum, rounds float64
	for _, c := range m.now {
		sum += c.clip
		rounds += float64(c.rated)
	}
	return sum / rounds
}

// State implements gauge.Gauge.
func (m *clips) State(c *messages.Codec) {
	messages.Each(c, "client", m.clients, func(one *client) { one.state(c) })
	messages.Each(c, "snapshot", m.at, func(at *snapshot) {
		c.Bool("set", &at.set)
		at.client.state(c)
	})
}

func (one *client) state(c *messages.Codec) {
	c.Float("clip", &one.clip)
	c.Int("rated", &one.rated)
}
