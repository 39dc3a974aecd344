package ofl_test

import (
	"fmt"
	"math"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/mechanisms/accountant"
	family "starling/scenarios/family/ofl"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/stream"
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

const dim = 3

// row is a recorded number of a run.
type row struct {
	step   int
	metric string
}

// rows is a recorder. It keeps the order of the steps, too.
type rows struct {
	values map[row]float64
	steps  []int
}

func (r *rows) Add(step int, metric string, value float64) {
	key := row{step, metric}
	if _, twice := r.values[key]; twice {
		panic(fmt.Sprintf("%+v is recorded twice", key))
	}
	r.values[key] = value
	r.steps = append(r.steps, step)
}

func (r *rows) AddNode(step, node int, metric string, _ float64) {
	panic(fmt.Sprintf("%s of node %d at step %d: this meter has none of a node", metric, node, step))
}

// finish returns what a meter records.
func finish(l *ledger.Ledger) *rows {
	r := &rows{values: map[row]float64{}}
	l.Finish(r)
	return r
}

// delta is where what is paid is stated.
const delta = 1e-3

// options are those of a meter.
type options struct {
	family.GaugeOptions
	points []int
	wanted gauge.Wanted
}

func meterOf(o options) *gauge.Meter {
	return gauge.New(gauge.Span{Points: o.points, Wanted: o.wanted}, family.Gauges(o.GaugeOptions))
}

// paying is a ledger before a new meter.
func paying(o options) *ledger.Ledger {
	n := 1 + 2*o.Learners // with the clients of learners
	return ledger.New(meterOf(o), ledger.Options{
		Server: true, Participants: n, Units: o.Learners, Points: o.points, Wanted: o.wanted,
		Accounts: []ledger.Account{{Delta: delta, By: accountant.PLD}}, Stated: ledger.Statement{Metrics: stated},
	})
}

// stated are the metrics of what is paid.
var stated = []string{ledger.EpsilonTotal, ledger.Delta}

// bits makes rows comparable to the last bit.
func (r *rows) bits() map[row]uint64 {
	list := map[row]uint64{}
	for key, v := range r.values {
		list[key] = math.Float64bits(v)
	}
	return list
}

// move is what one learner does in one step.
type move struct {
	x       []float64
	clipped bool
	noise   float64 // metricOf the prefix; negative where none is recorded
	spent   []accountant.Loss
	sent    int64 // messages, of 10 bytes each
}

// history is what the learners of a run do, by learner, then by step; one that
// stops has fewer steps.
type history struct {
	options options
	moves   [][]move
	left    []float64 // the server's last model; nil where it never had a turn
}

// drawHistory draws a run. Where early is true, learners may stop.
func drawHistory(t *rapid.T, early bool) *history {
	shape := stream.Shape{
		Learners: rapid.IntRange(1, 4).Draw(t, "n"), Rounds: rapid.IntRange(1, 5).Draw(t, "R"), Tau: rapid.IntRange(1, 3).Draw(t, "tau"),
	}
	p := must(stream.NewSyntheticLogistic(stream.SyntheticOptions{Dimension: dim, Alpha: 1, Beta: 1, Normalise: true, TestSamples: 4}, shape.Learners))
	in := p.Draw(rapid.Uint64().Draw(t, "seed"))
	h := &history{options: options{GaugeOptions: family.GaugeOptions{
		Shape: shape, Model: p.Model(), Instance: in, Comparator: stream.NewComparator(p.Model(), in, shape),
	}}}
	last := shape.Steps() - 1
	for step := range last {
		if rapid.Bool().Draw(t, "point") {
			h.options.points = append(h.options.points, step)
		}
	}
	h.options.points = append(h.options.points, last)
	vector := rapid.SliceOfN(rapid.Float64Range(-9, 9), dim, dim)
	if rapid.Bool().Draw(t, "start") {
		h.options.Start = vector.Draw(t, "x0")
	}
	if rapid.Bool().Draw(t, "server") {
		h.left = vector.Draw(t, "left")
	}
	for range shape.Learners {
		steps := last + 1
		if early {
			steps = rapid.IntRange(0, steps).Draw(t, "steps of the learner")
		}
		var moves []move
		for range steps {
			v := move{x: vector.Draw(t, "x"), clipped: rapid.Bool().Draw(t, "clipped"), noise: rapid.Float64Range(-3, 9).Draw(t, "noise")}
			for range rapid.IntRange(0, 2).Draw(t, "releases") {
				v.spent = append(v.spent, accountant.Loss{Rho: rapid.Float64Range(0, 2).Draw(t, "rho")})
			}
			v.sent = rapid.Int64Range(0, 3).Draw(t, "sent")
			moves = append(moves, v)
		}
		h.moves = append(h.moves, moves)
	}
	return h
}

// serve tells a meter of the models of a server: two, the last of which counts.
func (h *history) serve(m algorithm.Meter) {
	if h.left != nil {
		m.Played(0, 0, make([]float64, dim))
		m.Played(0, h.options.Steps()-1, h.left)
	}
}

// tell tells a meter of one step of a learner.
func (h *history) tell(m algorithm.Meter, learner, step int) {
	node, v := ofl.Learner(learner), h.moves[learner][step]
	m.Played(node, step, v.x)
	for _, loss := range v.spent {
		if err := m.Spent(node, step, loss); err != nil {
			panic(err)
		}
	}
	clipped := 0.0
	if v.clipped {
		clipped = 1
	}
	m.Recorded(node, step, ofl.Clipped, clipped)
	if v.noise >= 0 {
		m.Recorded(node, step, ofl.PrefixNoise, v.noise)
	}
	if v.sent > 0 {
		m.Sent(step, v.sent, 10*v.sent)
	}
	if ended := len(h.moves[learner]); step == ended-1 && ended < h.options.Steps() {
		m.Stopped(node, step, "drawn")
	}
}

// measure plays the history to a meter in the order in which pick names
// learners, given those that have steps left.
func (h *history) measure(m *ledger.Ledger, pick func(left []int) int) {
	h.serve(m)
	at := make([]int, h.options.Learners)
	for {
		var left []int
		for i := range at {
			if at[i] < len(h.moves[i]) {
				left = append(left, i)
			}
		}
		if left == nil {
			return
		}
		i := pick(left)
		h.tell(m, i, at[i])
		at[i]++
	}
}

// first plays learner after learner.
func first(left []int) int { return left[0] }

// measured is a meter of the whole history.
func (h *history) measured() *ledger.Ledger {
	m := paying(h.options)
	h.measure(m, first)
	return m
}

var _ gauge.Recorder = (*rows)(nil)
