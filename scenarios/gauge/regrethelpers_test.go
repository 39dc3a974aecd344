package gauge_test

import (
	"fmt"
	"math"

	"pgregory.net/rapid"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/problem"
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// waves are smooth nonconvex costs that tell every node, step and entry apart:
// the k-th entry of the gradient is sin(x_k + j + 2t + k) + x_k/2. It is problem
// and instance in one, the same for all seeds.
type waves struct {
	nodes int
	set   mirror.Set
}

func (w *waves) Kind() string                                 { return "waves" }
func (w *waves) Dim() int                                     { return w.set.Dim() }
func (w *waves) Nodes() int                                   { return w.nodes }
func (w *waves) Set() mirror.Set                              { return w.set }
func (w *waves) GradientBound() float64                       { return math.NaN() }
func (w *waves) Smoothness() (float64, bool)                  { return 1.5, true }
func (w *waves) Draw(uint64, int) (problem.Instance, error)   { return w, nil }
func (w *waves) Loss(messages.NodeID, int, []float64) float64 { return math.NaN() }

func (w *waves) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	for k, v := range x {
		dst[k] = math.Sin(v+float64(int(node)+2*step+k)) + v/2
	}
}

func (w *waves) SumGradient(dst []float64, step int, x []float64) {
	clear(dst)
	one := make([]float64, len(x))
	for j := range w.nodes {
		w.Gradient(one, messages.NodeID(j), step, x)
		for k, v := range one {
			dst[k] += v
		}
	}
}

// hunted are waves with a target that moves along the diagonal.
type hunted struct{ waves }

func (h *hunted) Draw(uint64, int) (problem.Instance, error) { return h, nil }

func (h *hunted) Target(step int) []float64 {
	x := make([]float64, h.Dim())
	for k := range x {
		x[k] = float64(step) / 10
	}
	return x
}

// row is a recorded number; node is -1 where it is of the whole run.
type row struct {
	Step   int
	Node   int
	Metric string
	Value  float64
}

// rowsOfRun is a recorder.
type rowsOfRun []row

func (r *rowsOfRun) Add(step int, metric string, value float64) {
	*r = append(*r, row{step, -1, metric, value})
}

func (r *rowsOfRun) AddNode(step, node int, metric string, value float64) {
	*r = append(*r, row{step, node, metric, value})
}

// finish returns what a ledger and the meter behind it record.
func finish(l *ledger.Ledger) rowsOfRun {
	var r rowsOfRun
	l.Finish(&r)
	return r
}

// newMeter is the meter of a run with the options.
func newMeter(o gauge.RegretOptions) *gauge.Meter {
	return gauge.New(gauge.Span{First: o.FirstStep, Points: o.Points}, gauge.RegretGauges(o)...)
}

// partOf is what a run leaves for statistics over seeds.
func partOf(l *ledger.Ledger) gauge.RegretPart {
	linear, _ := gauge.Find[*gauge.LinearRegret](l.Meter)
	return linear.Part()
}

// paying is a ledger before a new meter, stating what is paid by its sum.
func paying(o gauge.RegretOptions) *ledger.Ledger { return ledger.New(newMeter(o), paid(o)) }

// paid are the options of such a ledger.
func paid(o gauge.RegretOptions) ledger.Options {
	return ledger.Options{
		Participants: o.Nodes, Units: o.Nodes, Points: o.Points, Accounts: []ledger.Account{{By: accountant.PLD}},
		Stated: ledger.Statement{Metrics: []string{ledger.EpsilonStep, ledger.EpsilonTotal}},
	}
}

// find returns the one number of a step, node and metric.
func (r rowsOfRun) find(step, node int, metric string) float64 {
	found := math.NaN()
	count := 0
	for _, v := range r {
		if v.Step == step && v.Node == node && v.Metric == metric {
			found = v.Value
			count++
		}
	}
	if count != 1 {
		panic(fmt.Sprintf("%d rows of %s at step %d, node %d", count, metric, step, node))
	}
	return found
}

// bits makes rows comparable to the last bit.
func (r rowsOfRun) bits() []string {
	text := make([]string, len(r))
	for i, v := range r {
		text[i] = fmt.Sprintf("step %d, node %d: %s %x", v.Step, v.Node, v.Metric, math.Float64bits(v.Value))
	}
	return text
}

// history is what the nodes of a run do, by node, then by step from the first;
// a node that stops early has fewer steps.
type history struct {
	options   gauge.RegretOptions
	decisions [][][]float64
	losses    [][][]float64 // the releases of a step
	messages  [][]int64     // sent; of 100 bytes each
}

// drawHistory draws a run on a set.
func drawHistory(t *rapid.T, set mirror.Set, early bool) *history {
	n, steps := rapid.IntRange(1, 6).Draw(t, "N"), rapid.IntRange(1, 12).Draw(t, "T")
	p := &hunted{waves{nodes: n, set: set}}
	h := &history{options: gauge.RegretOptions{Nodes: n, FirstStep: rapid.IntRange(0, 1).Draw(t, "first step"), Steps: steps, Problem: p, Instance: p}}
	h.options.Interval = rapid.IntRange(0, steps).Draw(t, "interval")
	last := h.options.FirstStep + steps - 1
	for step := h.options.FirstStep; step < last; step++ {
		if rapid.Bool().Draw(t, "point") {
			h.options.Points = append(h.options.Points, step)
		}
	}
	h.options.Points = append(h.options.Points, last)
	for i := range n {
		if rapid.Bool().Draw(t, "measured") || i == n-1 && h.options.Measured == nil {
			h.options.Measured = append(h.options.Measured, messages.NodeID(i))
		}
	}
	vector := rapid.SliceOfN(rapid.Float64Range(-3, 3), set.Dim(), set.Dim())
	losses := rapid.SliceOfN(rapid.Float64Range(0, 2), 0, 2)
	h.decisions, h.losses, h.messages = make([][][]float64, n), make([][][]float64, n), make([][]int64, n)
	for i := range n {
		part := steps
		if early {
			part = rapid.IntRange(0, steps).Draw(t, "steps of the node")
		}
		for range part {
			h.decisions[i] = append(h.decisions[i], vector.Draw(t, "x"))
			h.losses[i] = append(h.losses[i], losses.Draw(t, "losses"))
			h.messages[i] = append(h.messages[i], rapid.Int64Range(0, 3).Draw(t, "messages"))
		}
	}
	return h
}

// move tells a meter of one step of a node, s counted from the first.
func (h *history) move(m *ledger.Ledger, node, s int) {
	step := h.options.FirstStep + s
	m.Played(messages.NodeID(node), step, h.decisions[node][s])
	for _, loss := range h.losses[node][s] {
		if err := m.Spent(messages.NodeID(node), step, accountant.Loss{Epsilon: loss}); err != nil {
			panic(err)
		}
	}
	if sent := h.messages[node][s]; sent > 0 {
		m.Sent(step, sent, 100*sent)
	}
}

// measure plays the history in the order in which pick names nodes, given those
// that still have steps to play.
func (h *history) measure(pick func(left []int) int) *ledger.Ledger {
	m := paying(h.options)
	at := make([]int, h.options.Nodes)
	for {
		var left []int
		for i := range at {
			if at[i] < len(h.decisions[i]) {
				left = append(left, i)
			}
		}
		if left == nil {
			return m
		}
		i := pick(left)
		h.move(m, i, at[i])
		at[i]++
	}
}

// first plays node after node.
func first(left []int) int { return left[0] }
