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
	// smallest B before: 4 <nil>
	// smallest B after: 21 <nil>
	// weight of node 7 to itself at step 33: 1
}

// A graph from a list of edges: weight a_ij is what node i gives to what it hears from
// node j.
func ExampleFromEdges() {
	g, err := topology.FromEdges(3, []topology.Edge{
		{From: 0, To: 0, Weight: 0.5}, {From: 2, To: 0, Weight: 0.5},
		{From: 0, To: 1, Weight: 1},
		{From: 1, To: 2, Weight: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	from, weights := g.In(0)
	fmt.Println("node 0 hears", from, "with weights", weights, "and reaches", g.Out(0))
	fmt.Println(topology.CheckWeights(g, 1e-12))
	// Output:
	// node 0 hears [0 2] with weights [0.5 0.5] and reaches [0 1]
	// column 1 sums to 1.5, want 1 within 1e-12 (what node 1 is given by those that hear it)
}

// How fast does a network average? The spectral gap of 16 nodes on a ring, on the
// exponential graph, and of all with all.
func ExampleSpectralGap() {
	ring, _ := topology.Ring{Nodes: 16}.Sequence()
	exponential, _ := topology.Exponential{Nodes: 16}.Sequence()
	complete, _ := topology.Complete{Nodes: 16}.Sequence()
	for _, network := range []struct {
		name   string
		seq    topology.Sequence
		scheme topology.Scheme
	}{
		{"ring", ring, topology.Given}, // it has weights of its own
		{"exponential", exponential, topology.Metropolis},
		{"complete", complete, topology.Metropolis},
	} {
		g, err := topology.Weighting{Scheme: network.scheme}.Apply(network.seq.At(0))
		if err != nil {
			fmt.Println(err)
			return
		}
		gap, err := topology.SpectralGap(g)
		fmt.Printf("%-11s %.3f %v\n", network.name, gap, err)
	}
	// Output:
	// ring        0.019 <nil>
	// exponential 0.500 <nil>
	// complete    1.000 <nil>
}

// One peer a step, and after log2 N steps everybody has the exact average.
func ExampleOnePeer() {
	peers, err := topology.OnePeer{Nodes: 8}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	seq, err := topology.Weighting{Scheme: topology.Metropolis}.Over(peers, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for steps := 1; steps <= 3; steps++ {
		left, err := topology.WindowContraction(seq, 0, steps)
		fmt.Printf("after %d steps: %.3f of the disagreement, %v\n", steps, left, err)
	}
	// Output:
	// after 1 steps: 1.000 of the disagreement, <nil>
	// after 2 steps: 1.000 of the disagreement, <nil>
	// after 3 steps: 0.000 of the disagreement, <nil>
}

// A random graph, drawn anew every ten steps, and its degrees.
func ExampleErdosRenyi() {
	seq, err := topology.ErdosRenyi{Nodes: 100, Probability: 0.1, Redraw: topology.Redraw{Every: 10, Seed: 1}}.Sequence()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range []int{0, 9, 10} {
		d := topology.Degrees(seq.At(step))
		fmt.Printf("step %d: %d to %d neighbours, %.1f in the mean\n", step, d.MinIn, d.MaxIn, d.Mean)
	}
	// Output:
	// step 0: 3 to 19 neighbours, 9.8 in the mean
	// step 9: 3 to 19 neighbours, 9.8 in the mean
	// step 10: 4 to 16 neighbours, 10.0 in the mean
}

// A network from a file of edges over time, as a spreadsheet exports it.
func ExampleEdgeList() {
	text := []byte("step,from,to\n1,1,2\n1,2,1\n4,2,3\n4,3,2\n")
	seq, err := topology.EdgeList{Nodes: 3, Hold: true}.Parse("edges.csv", text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("step 3:", seq.At(2).HasEdge(0, 1), seq.At(2).HasEdge(1, 2))
	fmt.Println("step 4:", seq.At(3).HasEdge(0, 1), seq.At(3).HasEdge(1, 2))
	_, err = topology.EdgeList{Nodes: 3}.Parse("edges.csv", []byte("step,from,to\n1,1,4\n"))
	fmt.Println(err)
	// Output:
	// step 3: true false
	// step 4: false true
	// edges.csv:2:5: to is 4, want 1 to 3
}

// Who is cut off from whom: the strongly connected components of a graph.
func ExampleComponents() {
	g, err := topology.FromEdges(4, []topology.Edge{
		{From: 0, To: 1, Weight: 1}, {From: 1, To: 0, Weight: 1},
		{From: 1, To: 2, Weight: 1},
		{From: 2, To: 3, Weight: 1}, {From: 3, To: 2, Weight: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	label, count := topology.Components(g)
	fmt.Println(count, "components, of nodes 0 to 3:", label[0] == label[1], label[1] == label[2], label[2] == label[3])
	// Output:
	// 2 components, of nodes 0 to 3: true false true
}
