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
