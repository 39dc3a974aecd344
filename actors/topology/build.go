package topology

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/messages"
)

// maxEdges is the largest number of edges of a graph: offsets are 32-bit.
const maxEdges = math.MaxInt32

// Edge is one directed edge: messages of From reach To, which folds them with Weight, the
// entry a_ij of i = To and j = From.
type Edge struct {
	// Nodes count from 0 here, and from 1 in files and errors.
	From, To messages.NodeID
	Weight   float64
}

// EdgeError names the edge of a list that is at fault.
type EdgeError struct {
	// Index is the position in the list, from 0.
	Index int
	// Edge is the edge at fault, and Reason says why, in words.
	Edge   Edge
	Reason string
}

// Error numbers edges and nodes from 1.
func (e *EdgeError) Error() string {
	return fmt.Sprintf("edge %d, from node %d to node %d with weight %v: %s",
		e.Index+1, number(e.Edge.From), number(e.Edge.To), e.Edge.Weight, e.Reason)
}

// number is a node's number in print: papers and users count from 1.
func number(id messages.NodeID) int { return int(id) + 1 }

// FromDense builds the graph of a square matrix, a[i][j] = a_ij; an entry of
// zero is no edge. The matrix is copied. An entry that is not finite is a
// *WeightError; signs and sums are not judged here (see CheckWeights).
func FromDense(a [][]float64) (*Graph, error) {
	n := len(a)
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	edges := 0
	for i, row := range a {
		if len(row) != n {
			return nil, fmt.Errorf("row %d of the weight matrix has %d entries, want %d", i+1, len(row), n)
		}
		for j, w := range row {
			if !finite(w) {
				return nil, &WeightError{Kind: WeightNotFinite, Node: messages.NodeID(i), From: messages.NodeID(j), Value: w}
			}
			if w != 0 {
				edges++
			}
		}
	}
	if edges > maxEdges {
		return nil, tooManyEdges(edges)
	}
	in := adjacency{make([]int32, 1, n+1), make([]messages.NodeID, 0, edges)}
	weights := make([]float64, 0, edges)
	for _, row := range a {
		for j, w := range row {
			if w != 0 {
				in.to = append(in.to, messages.NodeID(j))
				weights = append(weights, w)
			}
		}
		in.start = append(in.start, int32(len(in.to)))
	}
	return fromRows(in, weights), nil
}

// FromEdges builds a graph on n nodes from its edges, in any order. The list is
// only read. An endpoint outside 0 .. n-1, a weight that is zero or not finite
// (a zero weight is no edge), or a second edge between the same two nodes is an
// *EdgeError. Time and memory are linear in n and the number of edges.
func FromEdges(n int, edges []Edge) (*Graph, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if len(edges) > maxEdges {
		return nil, tooManyEdges(len(edges))
	}
	for k, e := range edges {
		if reason := e.fault(n); reason != "" {
			return nil, &EdgeError{Index: k, Edge: e, Reason: reason}
		}
	}
	// Two stable counting sorts, by sender and then by receiver, leave each
	// receiver's senders ascending.
	order := bySender(n, edges)
	in := adjacency{make([]int32, n+1), make([]messages.NodeID, len(edges))}
	weights := make([]float64, len(edges))
	for _, e := range edges {
		in.start[e.To]++
	}
	countsToOffsets(in.start)
	last := make([]int32, n) // 1 + position of the receiver's latest edge
	for _, k := range order {
		e := edges[k]
		if p := last[e.To]; p > 0 && edges[p-1].From == e.From {
			return nil, &EdgeError{Index: int(k), Edge: e, Reason: fmt.Sprintf("edge %d joins the same nodes", p)}
		}
		last[e.To] = k + 1
		at := in.start[e.To]
		in.to[at], weights[at] = e.From, e.Weight
		in.start[e.To]++
	}
	cursorsToOffsets(in.start)
	return fromRows(in, weights), nil
}

// fault returns why e cannot be an edge on n nodes, empty if it can.
func (e Edge) fault(n int) string {
	switch {
	case e.From < 0 || int(e.From) >= n || e.To < 0 || int(e.To) >= n:
		return fmt.Sprintf("the nodes are 1 to %d", n)
	case !finite(e.Weight):
		return "the weight is not finite"
	case e.Weight == 0:
		return "a weight of zero is no edge"
	}
	return ""
}

// bySender returns the positions of the edges in order of From, equal ones in
// order of position.
func bySender(n int, edges []Edge) []int32 {
	next := make([]int32, n+1)
	for _, e := range edges {
		next[e.From]++
	}
	countsToOffsets(next)
	order := make([]int32, len(edges))
	for k, e := range edges {
		order[next[e.From]] = int32(k)
		next[e.From]++
	}
	return order
}

// fromRows completes a graph from its ascending in-rows, which it takes over.
func fromRows(in adjacency, weights []float64) *Graph {
	g := &Graph{in: in, weights: weights, out: in.transpose()}
	for i := range in.nodes() {
		if g.HasEdge(messages.NodeID(i), messages.NodeID(i)) {
			g.selfLoops++
		}
	}
	return g
}

// fromRegularRows completes a graph in which every node hears degree senders,
// all with weight 1/degree: senders holds degree entries a node, in any order,
// and is taken over.
func fromRegularRows(senders []messages.NodeID, degree int) *Graph {
	n := len(senders) / degree
	in := adjacency{make([]int32, n+1), senders}
	weights := make([]float64, len(senders))
	for k := range weights {
		weights[k] = 1 / float64(degree)
	}
	for i := range n {
		slices.Sort(senders[i*degree : (i+1)*degree])
		in.start[i+1] = int32((i + 1) * degree)
	}
	return fromRows(in, weights)
}

// checkNodes refuses a number of nodes that no graph can have.
func checkNodes(n int) error {
	if n < 1 {
		return errors.New("a graph needs at least one node")
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("%d nodes are too many, at most %d", n, math.MaxInt32)
	}
	return nil
}

func tooManyEdges(edges int) error {
	return fmt.Errorf("%d edges are too many, at most %d", edges, maxEdges)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
