package algorithm_test

import (
	"fmt"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// machine is a machine that is a function.
type machine func(*algorithm.Turn) error

func (m machine) Step(t *algorithm.Turn) error { return m(t) }
func (machine) State(*messages.Codec)          {}

// diary is a meter that writes down what it is told, a line each.
type diary struct {
	lines  []string
	refuse error // answer to Spent
}

func (d *diary) add(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) Played(node messages.NodeID, step int, x []float64) {
	d.add("node %d played %v in step %d", node, x, step)
}

func (d *diary) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	d.add("node %d spent %v in step %d", node, loss, step)
	return d.refuse
}

func (d *diary) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	d.add("node %d recorded %s = %v in step %d", node, quantity, value, step)
}

func (d *diary) Stopped(node messages.NodeID, step int, reason string) {
	d.add("node %d stopped in step %d: %s", node, step, reason)
}

func (d *diary) Sent(step int, messages, bytes int64) {
	d.add("step %d sent %d messages of %d bytes", step, messages, bytes)
}

// squares are the costs f_t^i(x) = t (x_1 - i)^2.
type squares struct{}

func (squares) Loss(node messages.NodeID, step int, x []float64) float64 {
	return float64(step) * (x[0] - float64(node)) * (x[0] - float64(node))
}

func (squares) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	dst[0] = 2 * float64(step) * (x[0] - float64(node))
}

// star is the directed graph on nodes 0 .. 3 whose edges are 0 -> 1, 2, 3, the
// self-loop of 0, and 1, 2, 3 -> 0.
func star(t testing.TB) *topology.Graph {
	t.Helper()
	edges := []topology.Edge{{From: 0, To: 0, Weight: 1}}
	for i := messages.NodeID(1); i < 4; i++ {
		edges = append(edges, topology.Edge{From: 0, To: i, Weight: 1}, topology.Edge{From: i, To: 0, Weight: 1})
	}
	graph, err := topology.FromEdges(4, edges)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// bench is a stepper on the star with its clock: what a runtime holds.
type bench struct {
	run     *algorithm.Run
	graph   *topology.Graph
	stepper *algorithm.Stepper
	clock   algorithm.Clock
	meter   *diary
}

const lifetime = 3

func newBench(t testing.TB, change func(*algorithm.Run)) *bench {
	t.Helper()
	b := &bench{graph: star(t), meter: &diary{}}
	b.run = &algorithm.Run{
		Seed: 9, FirstStep: 1, Steps: 100, FirstLabel: 1,
		Graphs: topology.Static(b.graph), Machines: make([]algorithm.Machine, 4), Costs: squares{}, Meter: b.meter,
	}
	if change != nil {
		change(b.run)
	}
	b.stepper = algorithm.NewStepper(b.run, messages.Range(0, 4), lifetime)
	b.clock = b.run.Clock()
	b.stepper.Begin(&b.clock)
	return b
}

// step steps one node in the turn begun, with an outbox of its own.
func (b *bench) step(node messages.NodeID, m machine) (stopped bool, outbox *messages.Outbox, failure *algorithm.Failure) {
	outbox = &messages.Outbox{}
	stopped, failure = b.stepper.Step(m, b.graph.View(node), nil, outbox)
	return stopped, outbox, failure
}

// next ends the turn begun and begins the next.
func (b *bench) next() {
	b.stepper.Flush()
	b.clock.Next()
	b.stepper.Begin(&b.clock)
}

// must steps a node that has to succeed.
func (b *bench) must(t testing.TB, node messages.NodeID, m machine) {
	t.Helper()
	if _, _, failure := b.step(node, m); failure != nil {
		t.Fatalf("%v\n%s", failure, failure.Stack)
	}
}
