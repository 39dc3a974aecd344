package dpfl

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Tau is the number of local steps of the round, and of the last one after the end.
const Tau = "tau"

// GaugeMetrics returns the metrics of these runs.
func GaugeMetrics() metric.List {
	return metric.Join(gauge.Declared(gauge.AccuracyTest), metric.List{tau}, gauge.Declared(gauge.LossTrain, gauge.Rounds, gauge.ClipShare), gauge.OfTraffic())
}

var tau = metric.Metric{
	Name: Tau, Summary: "number of local steps of the round, tau. After the end of a run it is the number of its last round",
	Label: "local steps tau", Level: metric.OfRun, Course: metric.State,
	Chart: metric.Chart{Name: "tau", Title: "local steps in a round"},
}

// GaugeOptions select the measurements.
type GaugeOptions struct {
	Clients, Rounds int
	// Accuracy returns the accuracy of a model on fresh data; it is nil if there are none, or
	// no labels. Loss returns its mean loss over all clients' data.
	Accuracy, Loss func(params []float64) (float64, error)
	// Others are measurements of models by the problem itself.
	Others []gauge.Evaluation
	// Start is the initial model, which is the model before a round has ended.
	Start []float64
}

// Validate returns an error for the first option that cannot describe a run.
func (o *GaugeOptions) Validate() error {
	if o.Clients < 1 || o.Rounds < 1 {
		return fmt.Errorf("measure: %d clients in %d rounds, want at least 1 of each", o.Clients, o.Rounds)
	}
	if o.Loss == nil || len(o.Start) == 0 {
		return errors.New("measure: the loss on data and start are needed")
	}
	return nil
}

// Gauges returns the gauges of a run, without a network. It panics if Validate refuses the
// options: scenarios are checked before their runs are made.
func Gauges(o GaugeOptions) []gauge.Gauge {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	model := &gauge.Model{Start: o.Start}
	if o.Accuracy != nil {
		model.Of = append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.AccuracyTest), Of: o.Accuracy})
	}
	model.Of = append(append(model.Of, gauge.Evaluation{Metric: gauge.Of(gauge.LossTrain), Of: o.Loss}), o.Others...)
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
	clients []client // by client
	// share is the sum of a client's rounds' shares of clipped gradients, and rated the
	// number of its rounds with a share.
	share, rated gauge.ByNode
}

// client is the data of one client. Its calls are one after the other.
type client struct{ share, rated float64 }

// Begin implements gauge.Gauge.
func (m *clips) Begin(s *gauge.Span) []gauge.Column {
	m.share, m.rated = gauge.NewByNode(len(s.Points), len(m.clients)), gauge.NewByNode(len(s.Points), len(m.clients))
	return []gauge.Column{{Metric: gauge.Of(gauge.ClipShare), Value: func(int) float64 { return m.share.Sum() / m.rated.Sum() }}}
}

// Listens implements gauge.Listening.
func (m *clips) Listens(quantity string) bool { return quantity == dpfl.Clipped }

// Recorded implements gauge.Quantities.
func (m *clips) Recorded(node messages.NodeID, at gauge.At, quantity string, value float64) {
	if quantity != dpfl.Clipped {
		return
	}
	i := int(node) - 1
	if i < 0 || i >= len(m.clients) {
		panic(fmt.Sprintf("clip.share: participant %d is none of %d clients", node, len(m.clients)))
	}
	one := &m.clients[i]
	one.share += value
	one.rated++
	m.share.Put(at.Point, i, one.share)
	m.rated.Put(at.Point, i, one.rated)
}

// Carry implements gauge.Carrier.
func (m *clips) Carry(point int) {
	m.share.Carry(point)
	m.rated.Carry(point)
}

// Final implements gauge.Early.
func (*clips) Final(points int) int { return points }

// State implements gauge.Gauge.
func (m *clips) State(c *messages.Codec) {
	messages.Each(c, "client", m.clients, func(one *client) {
		c.Float("share", &one.share)
		c.Float("rated", &one.rated)
	})
	c.Part("shares", &m.share)
	c.Part("rounds", &m.rated)
}
