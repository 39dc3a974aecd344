package workload

import (
	"context"
	"fmt"

	"starling/actors/topology"
	"starling/mechanisms/rng"
)

// graphNodes is the number of nodes of the graphs that are drawn, and graphSteps the number of
// graphs.
const (
	graphNodes = 100_000
	graphSteps = 2
)

// Network is a sequence of graphs, the weighting of their edges, and the demand on the
// weights.
type Network struct {
	Name      string
	Graphs    topology.Sequence
	Weighting topology.Weighting
	Demand    topology.Demand
}

// Networks are digraphs of the given degree that are drawn anew at every step. One is k-out,
// with the weights that push-sum demands: columns that sum to 1. The other is permutations,
// which are doubly stochastic.
func Networks(nodes, degree int) ([]Network, error) {
	out, err := topology.KOut{Nodes: nodes, Degree: degree, Directed: true, Redraw: topology.Redraw{Every: 1, Seed: 1}}.Sequence()
	if err != nil {
		return nil, err
	}
	permutations, err := topology.Permutations{Nodes: nodes, Degree: degree, Every: 1, Seed: 1}.Sequence()
	return []Network{
		{"k-out", out, topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}, topology.PushSum},
		{"permutations", permutations, topology.Weighting{Scheme: topology.Given}, topology.DoublyStochastic},
	}, err
}

// tolerance is the largest difference of sums of weights from 1.
const tolerance = 1e-9

// Check compares the weights of a graph with the demand, and counts its strongly connected
// components.
func (n *Network) Check(g *topology.Graph) error {
	if err := n.Demand.Check(g, tolerance); err != nil {
		return err
	}
	topology.Components(g)
	return nil
}

// graphs are graphs as a run draws, weights and checks them at every step.
func graphs() (list []Workload) {
	for i, name := range []string{"k-out", "permutations"} {
		list = append(list, Workload{
			Name: "graphs/" + name, Unit: edgeUnit, Summary: fmt.Sprintf("graphs: %s of %d nodes and degree %d, drawn, weighted and checked", name, graphNodes, degree),
			prepare: func(_ context.Context, e *Environment) (*Prepared, error) {
				nodes := e.sized(graphNodes)
				all, err := Networks(nodes, degree)
				if err != nil {
					return nil, err
				}
				loop := func() error {
					for step := range graphSteps {
						PlainDigraph(nodes, degree, step)
					}
					return nil
				}
				return &Prepared{Units: graphSteps * nodes * degree, Run: all[i].draw, Loop: loop}, nil
			},
		})
	}
	return list
}

// draw draws, weights and checks the graphs.
func (n *Network) draw() error {
	for step := range graphSteps {
		g, err := n.Weighting.Apply(n.Graphs.At(step))
		if err == nil {
			err = n.Check(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PlainDigraph is the loop a person would write: every node draws k others,
// those that repeat again; lists of receivers and of senders with 1/(k+1) for
// each; and whether the first node reaches all and is reached by all.
func PlainDigraph(n, k, step int) (connected bool) {
	var stream rng.Stream
	r := stream.Open(rng.NewKey(1, rng.PurposeOf("bench.digraph")), 0, step, 0)
	out, in := make([][]int32, n), make([][]int32, n)
	weights := make([][]float64, n)
	for j := range n {
		for len(out[j]) < k {
			if i := drawOther(r, n, j, out[j]); i >= 0 {
				out[j] = append(out[j], int32(i))
				in[i] = append(in[i], int32(j))
				weights[i] = append(weights[i], 1/float64(k+1))
			}
		}
	}
	return reachesAll(out) && reachesAll(in)
}

// drawOther draws a node other than j that is not chosen yet; -1 is another try.
func drawOther(r *rng.Rand, n, j int, chosen []int32) int {
	i := r.IntN(n)
	if i == j {
		return -1
	}
	for _, c := range chosen {
		if int(c) == i {
			return -1
		}
	}
	return i
}

func reachesAll(lists [][]int32) bool {
	seen := make([]bool, len(lists))
	seen[0] = true
	queue := []int32{0}
	for at := 0; at < len(queue); at++ {
		for _, w := range lists[queue[at]] {
			if !seen[w] {
				seen[w] = true
				queue = append(queue, w)
			}
		}
	}
	return len(queue) == len(lists)
}
