package topology

import "starling/messages"

// DegreeSummary describes the degrees of a graph, self-loops not counted.
type DegreeSummary struct {
	MinIn, MaxIn   int
	MinOut, MaxOut int
	Mean           float64 // of in-degrees, and so of out-degrees
	In, Out        []int   // how many nodes have degree k, len largest degree + 1
}

// Degrees summarizes the degrees of g, which has at least one node.
func Degrees(g *Graph) DegreeSummary {
	in, out := histogram(g.in), histogram(g.out)
	s := DegreeSummary{In: in, Out: out, MaxIn: len(in) - 1, MaxOut: len(out) - 1}
	s.MinIn, s.MinOut = firstFilled(in), firstFilled(out)
	s.Mean = float64(g.Edges()-g.SelfLoops()) / float64(g.Nodes())
	return s
}

// histogram counts the rows of each length, an entry for the row itself left
// out.
func histogram(a adjacency) (count []int) {
	for v := range messages.NodeID(a.nodes()) {
		degree := 0
		for _, w := range a.row(v) {
			if w != v {
				degree++
			}
		}
		for len(count) <= degree {
			count = append(count, 0)
		}
		count[degree]++
	}
	return count
}

func firstFilled(count []int) int {
	for k, c := range count {
		if c > 0 {
			return k
		}
	}
	return 0
}
