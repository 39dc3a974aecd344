// Package dpfl measures a run of differentially private federated learning from
// beside the machines: it gets the model that the server plays after each round
// evaluates the model, and is never read by a machine.
//
// A step is a round, from 1. What is not asked for is not computed, and what is
// added in floating point is kept by client until the end.
package dpfl

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/messages"
	"starling/scenarios/meter"
)

// Options say what to measure.
type Options struct {
	Clients, Rounds int
	// Points are the rounds at which metrics are recorded, from 1, strictly
	// ascending; the last is the last round.
	Points []int
	// Accuracy is that of a model on fresh data, nil where there are none, or no
	// labels, and Loss its mean loss over all clients' data.
	Accuracy, Loss func(params []float64) (float64, error)
	// Start is the initial model, which is what there is before a round has
	// ended.
	Start []float64
	// Effects tells that the network has effects, and that what becomes of
	// messages and who takes part is recorded; Limited that the bandwidth of its
	// edges is limited.
	Effects, Limited bool
	// Wanted tells which metrics are recorded; nil is all.
	Wanted meter.Wanted
}

// Validate reports the first thing that keeps the options from describing a
// run.
func (o *Options) Validate() error {
	if o.Clients < 1 || o.Rounds < 1 {
		return fmt.Errorf("measure: %d clients in %d rounds, want at least 1 of each", o.Clients, o.Rounds)
	}
	if err := meter.CheckPoints(1, o.Rounds, o.Points); err != nil {
		return err
	}
	if o.Loss == nil || len(o.Start) == 0 {
		return errors.New("measure: the loss on data and start are needed")
	}
	return nil
}

// Meter measures one run. Participants are those of package
// dpfl: the server, then the clients.
type Meter struct {
	Options
	meter.StopList
	meter.Sending
	clients []client     // by client
	at      []snapshot   // by point, then by client: what it was last; zero where nothing was new
	rounds  []round      // by point: of the server
	fates   *meter.Fates // nil without Effects
	last    []float64    // the model of the last round there was, len d
	ended   int          // that round; 0 before the first
	// chosen and free are, by choice, tau* and what the budgets alone would
	// choose.
	chosen, free []float64
	// done is how many local steps a client has taken, and statistics are those of
	// the last choice.
	done       int
	statistics Statistics
}

// Statistics are what tau was chosen by: rho, beta and xi, weighted over clients.
type Statistics struct{ Rho, Beta, Xi float64 }

// client is what the meter keeps of one. Its calls are one after the other.
type client struct {
	clip  float64 // the sum of its rounds' shares of clipped gradients
	rated int     // rounds with a share
}

// snapshot is a client at a point.
type snapshot struct {
	client
	set bool
}

// round is what the server leaves at a point: NaN where it has not been there.
type round struct {
	accuracy, loss, tau, rounds float64
	failed                      error
}

// New returns the meter of a run. It panics if Validate refuses the options:
// scenarios are checked before their meters are made.
func New(options Options) *Meter {
	if err := options.Validate(); err != nil {
		panic(err)
	}
	n := len(options.Points)
	m := &Meter{
		Options: options,
		Sending: meter.NewSending(1, options.Points),
		clients: make([]client, options.Clients),
		at:      make([]snapshot, n*options.Clients),
		rounds:  make([]round, n),
		last:    append([]float64(nil), options.Start...),
	}
	if options.Effects {
		m.fates = meter.NewFates(n, options.Limited)
	}
	for i := range m.rounds {
		nan := math.NaN()
		m.rounds[i] = round{accuracy: nan, loss: nan, tau: nan, rounds: nan}
	}
	return m
}

// clientOf is the client that a participant is, from 0.
func (m *Meter) clientOf(node messages.NodeID) int {
	i := int(node) - 1
	if i < 0 || i >= m.Clients {
		panic(fmt.Sprintf("dpfl meter: participant %d is none of %d clients", node, m.Clients))
	}
	return i
}

// keep notes what a client is at a round.
func (m *Meter) keep(i, round int) {
	point, _ := m.At(round)
	m.at[point*m.Clients+i] = snapshot{m.clients[i], true}
}

// Played implements algorithm.Meter. x is the model that a round leaves. A point
// in whose round the server was down has the model of the last round before.
func (m *Meter) Played(_ messages.NodeID, step int, x []float64) {
	if m.ended > 0 {
		if point, exact := m.At(m.ended); !exact && m.Points[point] < step {
			m.look(point)
		}
	}
	copy(m.last, x)
	m.ended = step
	if point, exact := m.At(step); exact {
		m.look(point)
	}
}

// look evaluates the last model there was for a point.
func (m *Meter) look(point int) {
	r := &m.rounds[point]
	r.accuracy, r.loss, r.failed = m.evaluate(m.last)
}

// evaluate computes what is wanted of a model.
func (m *Meter) evaluate(x []float64) (accuracy, loss float64, err error) {
	accuracy, loss = math.NaN(), math.NaN()
	if m.Accuracy != nil && m.Wanted.Any(AccuracyTest) {
		accuracy, err = m.Accuracy(x)
	}
	if err == nil && m.Wanted.Any(LossTrain) {
		loss, err = m.Loss(x)
	}
	return accuracy, loss, err
}

// Recorded implements algorithm.Meter. Quantities of other names are not measured
// here.
func (m *Meter) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	point, _ := m.At(step)
	r := &m.rounds[point]
	switch quantity {
	case dpfl.Tau:
		r.tau = value
	case dpfl.Rounds:
		r.rounds = value
	case dpfl.Participants:
		m.fates.Attend(point, value)
	case dpfl.TauChosen:
		m.chosen = append(m.chosen, value)
	case dpfl.TauFree:
		m.free = append(m.free, value)
	case dpfl.Steps:
		m.done = int(value)
	case dpfl.Rho:
		m.statistics.Rho = value
	case dpfl.Beta:
		m.statistics.Beta = value
	case dpfl.Xi:
		m.statistics.Xi = value
	case dpfl.Clipped:
		i := m.clientOf(node)
		m.clients[i].clip += value
		m.clients[i].rated++
		m.keep(i, step)
	}
}

// Case tells what decided tau. The run must be over.
func (m *Meter) Case() dpfl.Case { return dpfl.CaseOf(m.chosen, m.free) }

// LastChoice is the tau* that the server chose last and what it chose it by, and
// how many local steps a client took in all. Nothing was chosen where tau is 0. The
// run must be over.
func (m *Meter) LastChoice() (tau, steps int, by Statistics) {
	if n := len(m.chosen); n > 0 {
		tau = int(m.chosen[n-1])
	}
	return tau, m.done, m.statistics
}

// Fates implements algorithm.NetworkMeter.
func (m *Meter) Fates(step int, f algorithm.Fates) {
	point, exact := m.At(step)
	m.fates.Add(point, exact, f)
}
