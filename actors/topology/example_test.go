package topology_test

import (
	"fmt"

	"starling/actors/topology"
)

// The network of the printed experiment, checked before a run: three graphs
// that take turns, of which the third alone keeps odd and even nodes apart.
func Example() {
	a1, a2, a3 := topology.Printed()
	var graphs []*topology.Graph
	for _, a := range [][][]float64{a1, a2, a3} {
		g, err := topology.FromDense(a)
		if err != nil {
			fmt.Println(err)
			return
		}
		graphs = append(graphs, g)
	}
	seq, err := topology.NewPeriodic(graphs...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("weights:", topology.CheckSequence(seq, 500, 1e-9))
	B, err := topology.SmallestWindow(seq, 500)
	fmt.Println("smallest B:", B, err)
	c, lambda, err := topology.Contraction(seq, 500)
	fmt.Printf("C = %.4f, lambda = %.4f, %v\n", c, lambda, err)
	fmt.Println(topology.CheckWindows(seq, 500, 1))
	// Output:
	// weights: <nil>
	// smallest B: 2 <nil>
	// C = 0.8333, lambda = 0.4000, <nil>
	// the union of the graphs over steps [3..3] is not strongly connected: node 1 does not reach nodes 2, 4, 6; node 1 is not reached from nodes 2, 4, 6
}

// Moving nodes, of which one crashes for a while and half are cut off, with
// Metropolis weights: a crashed node keeps to itself.
func ExampleScript() {
	moving, err := topology.Geometric{Nodes: 12, Radius: 0.5, SpeedMin: 0.02, SpeedMax: 0.1, Seed: 1}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	cut, err := topology.Script{Events: []topology.Event{
		{At: 11, Partition: [][]int{{1, 2, 3, 4, 5, 6}}},
		{At: 31, Heal: true, Crash: 7},
		{At: 36, Recover: 7},
	}}.Apply(moving)
	if err != nil {
		fmt.Println(err)
		return
	}
	seq, err := topology.Weighting{Scheme: topology.Metropolis}.Over(cut, 60)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("weights:", topology.CheckSequence(seq, 60, 1e-12))
	before, err := topology.SmallestWindow(moving, 60)
	fmt.Println("smallest B before:", before, err)
	after, err := topology.SmallestWindow(seq, 60)
	fmt.Println("smallest B after:", after, err)
	fmt.Println("weight of node 7 to itself at step 33:", seq.At(32).Weight(6, 6))
	// Output:
	// weights: <nil>
	// smallest B before: 1 <nil>
	// smallest B after: 21 <nil>
	// weight of node 7 to itself at step 33: 1
}
