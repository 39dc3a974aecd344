package dpdonc_test

import (
	"errors"
	"math"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/network"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

var noisePurpose = rng.PurposeOf("dpdonc.test")

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// gradients are costs that are their gradients: the machines ask for no more.
type gradients func(dst []float64, node messages.NodeID, step int, x []float64)

func (gradients) Loss(messages.NodeID, int, []float64) float64 { panic("a machine asked for a loss") }

func (g gradients) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	g(dst, node, step, x)
}

// constant are linear costs: the same gradient everywhere.
func constant(g ...float64) gradients {
	return func(dst []float64, _ messages.NodeID, _ int, _ []float64) { copy(dst, g) }
}

// ranging are the costs of Example 1, d = 2: sensor i stands at
// 4 (cos i, sin i) and knows its distance from a target on the unit circle, up
// to 0.001. No sensor is in the printed set.
func ranging(dst []float64, node messages.NodeID, step int, x []float64) {
	place, at := float64(node), float64(step)/50
	s := [2]float64{4 * math.Cos(place), 4 * math.Sin(place)}
	measured := math.Hypot(s[0]-math.Cos(at), s[1]-math.Sin(at)) + 0.0005
	distance := math.Hypot(x[0]-s[0], x[1]-s[1])
	for k := range dst {
		dst[k] = (distance - measured) * (x[k] - s[k]) / distance
	}
}

// printedOptions are those of the printed experiment (DPDO-NC, section 5) at
// epsilon 1; theta, which is not printed, bounds the gradients of ranging.
func printedOptions() dpdonc.Options {
	return dpdonc.Options{
		Nodes:        6,
		Divergence:   mirror.Euclidean{Scale: 0.5},
		Set:          must(mirror.NewL1Ball(2, 3, nil)),
		Step:         dpdonc.StepSize{Scale: 1},
		Calibration:  noise.Calibration{Law: noise.LaplaceLaw, Level: 1},
		Theta:        7,
		Bound:        algorithm.BoundError,
		Noise:        dpdonc.AsPrinted,
		Start:        []float64{0, 0},
		NoisePurpose: noisePurpose,
	}
}

// entropyOptions are printedOptions with the negative entropy on the simplex in
// R^3.
func entropyOptions(positivity dpdonc.Positivity) dpdonc.Options {
	o := printedOptions()
	o.Divergence, o.Set = mirror.Entropy{}, must(mirror.NewSimplex(3))
	o.Start = []float64{0.5, 0.25, 0.25}
	o.Positivity, o.Floor = positivity, 1e-3
	return o
}

// printedGraphs are A1, A2, A3, again and again.
func printedGraphs() topology.Sequence {
	a1, a2, a3 := topology.Printed()
	return must(topology.NewPeriodic(must(topology.FromDense(a1)), must(topology.FromDense(a2)), must(topology.FromDense(a3))))
}

// spec is a run of the options on the printed graphs.
func spec(o dpdonc.Options, costs algorithm.Costs, steps int) *algorithm.Run {
	return &algorithm.Run{
		Seed: 11, FirstStep: 1, Steps: steps, FirstLabel: 1,
		Graphs: printedGraphs(), Machines: must(dpdonc.New(o)), Costs: costs,
	}
}

// runLockstep runs to the end and returns what was played and spent.
func runLockstep(t algorithmtest.Fataler, r *algorithm.Run) *algorithmtest.Diary {
	d := algorithmtest.NewDiary(len(r.Machines))
	r.Meter = d
	if err := algorithmtest.Lockstep(r); err != nil {
		t.Fatalf("run: %v", err)
	}
	return d
}

// bench is lockstep in slow motion: it steps one turn at a time and shows what
// was received and sent.
type bench struct {
	*algorithmtest.Diary
	run     *algorithm.Run
	stepper *algorithm.Stepper
	clock   algorithm.Clock
	inboxes [][]messages.Envelope // of the last turn, by node
	sent    []*messages.Vector    // in the last turn, by node
	graph   *topology.Graph       // of the last turn
}

func newBench(r *algorithm.Run) *bench {
	n := len(r.Machines)
	b := &bench{Diary: algorithmtest.NewDiary(n), run: r, clock: r.Clock(), inboxes: make([][]messages.Envelope, n), sent: make([]*messages.Vector, n)}
	r.Meter = b.Diary
	b.stepper = algorithm.NewStepper(r, messages.Range(0, n), 2)
	return b
}

// turn steps every node once.
func (b *bench) turn(t algorithmtest.Fataler) {
	graph, last := b.run.Graphs.At(b.clock.Offset), make([]messages.Outbox, len(b.sent))
	for i, v := range b.sent {
		if v != nil {
			last[i].SetBroadcast(v)
		}
	}
	next := make([]*messages.Vector, len(b.sent))
	b.stepper.Begin(&b.clock)
	for i, machine := range b.run.Machines {
		node := messages.NodeID(i)
		b.inboxes[i] = nil
		if b.graph != nil {
			b.inboxes[i] = network.Inbox(nil, b.graph, node, b.clock.Turn-1, last)
		}
		var outbox messages.Outbox
		if _, failure := b.stepper.Step(machine, graph.View(node), b.inboxes[i], &outbox); failure != nil {
			t.Fatalf("%v\n%s", failure, failure.Stack)
		}
		next[i] = outbox.Broadcast.(*messages.Vector)
	}
	b.sent, b.graph = next, graph
	b.clock.Next()
}

// mean is z, the weighted mean of an inbox: line 5 of Algorithm 1.
func mean(inbox []messages.Envelope, d int) []float64 {
	z := make([]float64, d)
	for _, e := range inbox {
		for k, q := range e.Payload.(*messages.Vector).Values {
			z[k] += e.Weight * q
		}
	}
	return z
}

// solo steps one machine alone, each turn with an inbox of the caller's making,
// and returns its decisions. There are as many turns as inboxes.
func solo(t algorithmtest.Fataler, m algorithm.Machine, costs algorithm.Costs, inboxes [][]messages.Envelope) [][]float64 {
	meter := algorithmtest.NewDiary(1)
	run := &algorithm.Run{Seed: 5, FirstStep: 1, Steps: len(inboxes), FirstLabel: 1, Machines: []algorithm.Machine{m}, Costs: costs, Meter: meter}
	stepper := algorithm.NewStepper(run, messages.Range(0, 1), 1)
	view := must(topology.FromEdges(1, []topology.Edge{{Weight: 1}})).View(0)
	clock := run.Clock()
	for _, inbox := range inboxes {
		var outbox messages.Outbox
		stepper.Begin(&clock)
		if _, failure := stepper.Step(m, view, inbox, &outbox); failure != nil {
			t.Fatalf("%v\n%s", failure, failure.Stack)
		}
		clock.Next()
	}
	return meter.Decisions[0]
}

// inboxOf is an inbox of vectors with the given weights.
func inboxOf(weights []float64, vectors ...[]float64) []messages.Envelope {
	inbox := make([]messages.Envelope, len(vectors))
	for i, q := range vectors {
		inbox[i] = messages.Envelope{From: messages.NodeID(i), Weight: weights[i], Payload: &messages.Vector{Values: q}}
	}
	return inbox
}

// norm is the p-norm of x, p = 1 or 2.
func norm(p int, x []float64) (sum float64) {
	for _, v := range x {
		if p == 1 {
			sum += math.Abs(v)
		} else {
			sum += v * v
		}
	}
	if p == 2 {
		return math.Sqrt(sum)
	}
	return sum
}

func minus(x, y []float64) []float64 {
	difference := make([]float64, len(x))
	for k := range x {
		difference[k] = x[k] - y[k]
	}
	return difference
}

// entries draws a vector of the given length with entries up to size.
func entries(d int, size float64) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Float64Range(-size, size), d, d)
}

// miser is a meter that refuses every release.
type miser struct{ *algorithmtest.Diary }

func (miser) Spent(messages.NodeID, int, accountant.Loss) error { return errors.New("budget spent") }
