package workload

import (
	"context"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// degree is the number of neighbours of a node of a gossip, besides itself.
const degree = 6

// averager averages the vectors that it receives and sends the result: the arithmetic of
// consensus and nothing else.
type averager struct {
	x     []float64 // len d
	all   []float64 // of all nodes, side by side
	index int
}

// Step implements algorithm.Machine.
func (g *averager) Step(t *algorithm.Turn) error {
	if t.Step > 1 {
		t.Sum(g.x)
	}
	q := t.Vector(len(g.x))
	copy(q.Values, g.x)
	return t.BroadcastRaw(q)
}

// Join implements algorithm.Joiner.
func (g *averager) Join(machines []algorithm.Machine) algorithm.Cohort {
	d := len(g.x)
	return &averagers{g.all[g.index*d : (g.index+len(machines))*d], d}
}

// Width implements algorithm.Joiner.
func (g *averager) Width() int { return len(g.x) }

// averagers are consecutive averagers.
type averagers struct {
	x []float64
	d int
}

// Move implements algorithm.Cohort.
func (g *averagers) Move(t *algorithm.CohortTurn) bool {
	z := t.Scratch(len(g.x))
	if t.Step == 1 {
		copy(z, g.x)
	} else if !t.Sum(z, g.d) {
		return false
	}
	if !t.BroadcastRaw(z, g.d) {
		return false
	}
	copy(g.x, z)
	return true
}

// Sums implements algorithm.Summer.
func (*averager) Sums() {}

// State implements algorithm.Machine.
func (*averager) State(*messages.Codec) {}

// prepareGossip averages in n nodes over a fixed graph.
func prepareGossip(ctx context.Context, n, d, steps int) (*Prepared, error) {
	sequence, err := topology.Permutations{Nodes: n, Degree: min(degree, n-1), Seed: 1}.Sequence()
	if err != nil {
		return nil, err
	}
	graph, x := sequence.At(0), start(n, d)
	return onEngine(ctx, n*steps, func() { plainGossip(graph, x, steps) }, func() (*algorithm.Run, error) {
		return gossipRun(graph, d, steps), nil
	})
}

func gossipRun(graph *topology.Graph, d, steps int) *algorithm.Run {
	n := graph.Nodes()
	nodes := make([]averager, n)
	machines := make([]algorithm.Machine, n)
	all := slices.Concat(start(n, d)...)
	for i := range nodes {
		nodes[i] = averager{x: all[i*d : (i+1)*d : (i+1)*d], all: all, index: i}
		machines[i] = &nodes[i]
	}
	return &algorithm.Run{Seed: 1, FirstStep: 1, FirstLabel: 1, Steps: steps, Graphs: topology.Static(graph), Machines: machines, Meter: NoMeter{}}
}

// plainGossip is the loop a person would write: two goroutines, half of the
// nodes each, two buffers, a barrier a step.
func plainGossip(graph *topology.Graph, x [][]float64, steps int) {
	n := len(x)
	d := len(x[0])
	sent := [2][][]float64{zeros(n, d), zeros(n, d)}
	halves(func(w int, barrier *barrier) {
		for step := range steps {
			to, from := sent[step%2], sent[(step+1)%2]
			for i := w * n / 2; i < (w+1)*n/2; i++ {
				if step > 0 {
					clear(x[i])
					senders, weights := graph.In(messages.NodeID(i))
					for k, j := range senders {
						Axpy(x[i], weights[k], from[j])
					}
				}
				copy(to[i], x[i])
			}
			barrier.wait()
		}
	})
}
