package prediction

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/batch"
	"starling/actors/algorithm/fedsvt"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
)

// GaugeOptions select the measurements.
type GaugeOptions struct {
	Clients int             // m; participant 0 is the server and participant i client i
	Losses  algorithm.Costs // metricOf this run's seed
	// Fresh, unless it is nil, tries decisions on fresh data; client i is node i-1.
	Fresh problem.Classifier
	// Best returns the comparator of regret: the best fixed decision at each point. It is
	// called at most once, when the run is over. If it is nil, the losses of clients are
	// recorded in place of regret and the best expert.
	Best func() (*experts.Best, error)
	// Tries, unless it is nil, tries decisions of many clients on fresh data, two numbers
	// each, as gauge.Accuracy takes them.
	Tries gauge.Many
	// Switches is true if the algorithm has switches to record.
	Switches bool
}

// Validate returns an error for the first option that cannot describe a run.
func (o *GaugeOptions) Validate() error {
	if o.Clients < 1 {
		return fmt.Errorf("measure: %d clients, want at least 1", o.Clients)
	}
	if o.Losses == nil {
		return errors.New("measure: no losses")
	}
	return nil
}

// Gauges returns the gauges of a run with the first step 1. It panics if Validate refuses the
// options: scenarios are checked before their runs are made.
func Gauges(o GaugeOptions) []gauge.Gauge {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	paid := &pays{clients: o.Clients, losses: o.Losses}
	list := []gauge.Gauge{paid}
	if o.Fresh != nil {
		list = append(list, &gauge.Accuracy{Try: gauge.Trying(o.Fresh, 1)})
	} else if o.Tries != nil {
		list = append(list, &gauge.Accuracy{Later: &gauge.Later{Most: o.Clients, Ask: o.Tries}})
	}
	list = append(list, &scalars{})
	if o.Switches { // the server alone has any
		list = append(list, &gauge.Latest{Metric: metricOf(Switches), Quantity: fedsvt.QuantitySwitches, FromZero: true})
	}
	if o.Best != nil {
		paid.best = gauge.Once(func() *experts.Best {
			best, err := o.Best()
			if err != nil {
				panic(fmt.Sprintf("the best expert: %v", err)) // the points were checked
			}
			return best
		})
		list = append(list, gauge.Derived{{Metric: metricOf(BestExpert), Value: func(point int) float64 { return float64(paid.best().Expert[point]) }}})
	}
	return append(list, &gauge.Traffic{}, gauge.Paid())
}

// pays is the losses of clients: as regret if the best decision is known.
type pays struct {
	clients int
	losses  algorithm.Costs
	best    func() *experts.Best // nil if it is not known
	tally   *experts.Tally
	total   []float64    // by point, when the run is over
	later   *gauge.Later // nil if each loss is asked for at once
}

// Begin implements gauge.Gauge.
func (p *pays) Begin(s *gauge.Span) []gauge.Column {
	var err error
	if p.tally, err = experts.NewTally(p.losses, p.clients, s.Points); err != nil {
		panic(err) // losses, clients and points were checked
	}
	if many, ok := p.losses.(batch.Costs); ok {
		p.later = &gauge.Later{Most: p.clients, Width: 1, Ask: many.Losses, Take: func(node messages.NodeID, at gauge.At, _, loss []float64) {
			p.tally.Take(node, at.Step, loss[0])
		}}
	}
	name := RegretClient
	if p.best == nil {
		name = LossClient
	}
	return []gauge.Column{{Metric: metricOf(name), Value: func(point int) float64 { return p.total[point] }}}
}

// Played implements gauge.Decisions. x is the client's decision before it sees
// the step's loss.
func (p *pays) Played(node messages.NodeID, at gauge.At, x []float64) {
	if node < 1 || int(node) > p.clients {
		panic(fmt.Sprintf("regret of a client: participant %d is none of %d clients", node, p.clients))
	}
	if p.later != nil {
		p.later.Add(node, at, x)
		return
	}
	p.tally.Played(node, at.Step, x)
}

// End implements gauge.Ender.
func (p *pays) End() {
	p.later.Flush()
	if p.best == nil {
		p.total = p.tally.Paid()
		return
	}
	var err error
	if p.total, err = p.tally.Regret(p.best()); err != nil {
		panic(fmt.Sprintf("regret of a client: %v", err)) // the points were checked
	}
}

// State implements gauge.Gauge.
func (p *pays) State(c *messages.Codec) {
	p.later.Flush()
	c.Part("tally", p.tally)
}

// scalars counts the scalars that are sent.
type scalars struct{ up, down gauge.Counter }

// Begin implements gauge.Gauge.
func (n *scalars) Begin(s *gauge.Span) []gauge.Column {
	n.up, n.down = make(gauge.Counter, len(s.Points)), make(gauge.Counter, len(s.Points))
	return []gauge.Column{{Metric: metricOf(CommunicationUp), Value: n.up.SoFar()}, {Metric: metricOf(CommunicationDown), Value: n.down.SoFar()}}
}

// Recorded implements gauge.Quantities.
func (n *scalars) Recorded(node messages.NodeID, at gauge.At, quantity string, value float64) {
	switch {
	case quantity != algorithm.QuantityScalars:
	case node == 0:
		n.down[at.Point].Add(int64(value))
	default:
		n.up[at.Point].Add(int64(value))
	}
}

// Final implements gauge.Early.
func (*scalars) Final(points int) int { return points }

// State implements gauge.Gauge.
func (n *scalars) State(c *messages.Codec) {
	n.up.Go(c, "up")
	n.down.Go(c, "down")
}
