package workload

import (
	"fmt"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem"
)

// The gossip runs, as the scenario below has them.
const (
	gossipRate    = 0.5
	gossipRadius  = 10
	gossipEpsilon = 1
)

// gossip is a run of decentralised gradient descent over a graph that is redrawn at every
// step.
type gossip struct {
	nodes, dim, steps int
	noised            bool
}

// text is the scenario.
func (g gossip) text() string {
	epsilon := "none"
	if g.noised {
		epsilon = fmt.Sprint(gossipEpsilon)
	}
	return fmt.Sprintf(`version: 1
name: bench-gossip
horizon: %d
nodes: %d
algorithm: {kind: dsgd, learning_rate: %v, decay: 0.5}
problem: {kind: logistic, set: {kind: l2-ball, dimension: %d, radius: %d}}
topology: {kind: permutations, degree: %d, every: 1}
mechanism: {kind: laplace, epsilon: %s}
seeds: {base: 1, count: 1}
measure: {every: %d, metrics: [consensus.error]}
plots: []
`, g.steps, g.nodes, gossipRate, g.dim, gossipRadius, min(degree, g.nodes-1), epsilon, g.steps)
}

// descent is a run of gossip as a loop over arrays.
type descent struct {
	gossip
	costs       problem.Instance
	set         mirror.Set
	graphs      topology.Sequence
	calibration noise.Calibration
	x           [][]float64    // by node, len dim
	sent        [2][][]float64 // in this step and in the one before, by node
}

// loop is the run as a loop over arrays: two goroutines, half of the nodes each, two
// buffers, and a barrier a step. The first goroutine makes the graph of the next step.
// loop returns the decisions of the last step, by node.
func (g gossip) loop() ([][]float64, error) {
	l := &descent{gossip: g, x: zeros(g.nodes, g.dim), sent: [2][][]float64{zeros(g.nodes, g.dim), zeros(g.nodes, g.dim)}}
	l.calibration = noise.Calibration{Law: noise.LaplaceLaw, Level: gossipEpsilon}
	if !g.noised {
		l.calibration.Level = math.Inf(1)
	}
	ball, err := mirror.NewL2Ball(g.dim, gossipRadius, make([]float64, g.dim))
	if err != nil {
		return nil, err
	}
	l.set = ball
	p, err := problem.NewLogistic(problem.DefaultLogisticOptions(), g.nodes, ball)
	if err != nil {
		return nil, err
	}
	if l.costs, err = p.Draw(1, g.steps); err != nil {
		return nil, err
	}
	l.graphs, err = topology.Permutations{Nodes: g.nodes, Degree: min(degree, g.nodes-1), Every: 1, Seed: 1}.Sequence()
	if err != nil {
		return nil, err
	}
	var graphs [2]*topology.Graph
	halves(func(w int, barrier *barrier) {
		node := newStepper(l)
		for step := 1; step <= g.steps; step++ {
			for i := w * g.nodes / 2; i < (w+1)*g.nodes/2; i++ {
				node.step(i, step, graphs[step%2])
			}
			if w == 0 && step < g.steps {
				// The other goroutine reads the other graph.
				graphs[(step+1)%2] = l.graphs.At(step - 1)
			}
			barrier.wait()
		}
	})
	return l.x, nil
}

// stepper is the memory of a goroutine of the loop.
type stepper struct {
	*descent
	g, work []float64
	draws   rng.Stream
}

func newStepper(l *descent) *stepper {
	return &stepper{descent: l, g: make([]float64, l.dim), work: make([]float64, l.set.WorkSize())}
}

// step is a step of a node, from 1: it averages the vectors that came over heard, the graph of
// the step before, projects, and sends the point after a step against its gradient, with
// noise.
func (s *stepper) step(i, step int, heard *topology.Graph) {
	to, from, x := s.sent[step%2][i], s.sent[(step+1)%2], s.x[i]
	if step > 1 {
		clear(s.g)
		senders, weights := heard.In(messages.NodeID(i))
		for k, j := range senders {
			Axpy(s.g, weights[k], from[j])
		}
		s.set.Project(x, s.g, s.work)
	}
	s.costs.Gradient(s.g, messages.NodeID(i), step, x)
	copy(to, x)
	alpha := gossipRate / math.Sqrt(float64(step))
	Axpy(to, -alpha, s.g)
	if s.noised {
		// The error is of scales and budgets, which are fixed here.
		moves := noise.MovesL2(2*alpha, s.dim)
		_, _ = s.calibration.Fit(moves).Release(to, s.draws.Open(noiseKey, i, step, 0), moves, free)
	}
}
