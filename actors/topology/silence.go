package topology

import (
	"fmt"

	"starling/messages"
)

// silent returns the first node, from a given one on, that hears no node, not even itself, and
// N where there is none.
func (g *Graph) silent(from messages.NodeID) messages.NodeID {
	n := messages.NodeID(g.Nodes())
	if g.selfLoops == int(n) {
		return n
	}
	for start := g.in.start; from < n && start[from] < start[from+1]; {
		from++
	}
	return from
}

// withoutSilence returns the graph in which every node with an empty row hears itself, with
// weight 1: g itself where there is none.
func (g *Graph) withoutSilence() *Graph {
	n := messages.NodeID(g.Nodes())
	next := g.silent(0)
	if next == n {
		return g
	}
	in := adjacency{make([]int32, 1, n+1), make([]messages.NodeID, 0, g.Edges()+1)}
	weights := make([]float64, 0, g.Edges()+1)
	for i := range n {
		from, w := g.In(i)
		in.to, weights = append(in.to, from...), append(weights, w...)
		if i == next {
			in.to, weights = append(in.to, i), append(weights, 1)
			next = g.silent(i + 1)
		}
		in.start = append(in.start, int32(len(in.to)))
	}
	return fromRows(in, weights)
}

// Heeded is a sequence in which no node is left without a point: in each step a node with an
// empty row, which hears no node, not even itself, hears itself with weight 1, and so averages
// with itself. Rows that have an entry stay as they are. The columns of such nodes sum to 1
// more than before, so that push-sum, which shares masses out, is not for it. Build one with
// Heed.
type Heeded struct {
	Sequence                // as it was given
	kept     map[int]*Graph // by epoch: the graphs of a short period
}

// Heed returns the sequence in which no node is left without a point. Graphs of a period of at
// most 64 steps are made at once; else a graph with empty rows is made anew on every call. It
// returns the error for a graph of such a period.
func Heed(seq Sequence) (*Heeded, error) {
	h := &Heeded{Sequence: seq}
	period, periodic := seq.Period()
	if !periodic || period > mostKept {
		return h, nil
	}
	kept := make(map[int]*Graph, period)
	for step := range period {
		epoch := seq.Epoch(step)
		if _, there := kept[epoch]; there {
			continue
		}
		g, err := h.GraphAt(step)
		if err != nil {
			return nil, err
		}
		g.Keep()
		kept[epoch] = g
	}
	h.kept = kept
	return h, nil
}

// At implements Sequence.
func (h *Heeded) At(step int) *Graph {
	if g, ok := h.kept[h.Epoch(step)]; ok {
		return g
	}
	return heeded(h.Sequence.At(step))
}

// GraphAt implements Failing.
func (h *Heeded) GraphAt(step int) (*Graph, error) {
	if g, ok := h.kept[h.Epoch(step)]; ok {
		return g, nil
	}
	g, err := GraphAt(h.Sequence, step)
	if err != nil {
		return nil, err
	}
	return heeded(g), nil
}

// heeded is withoutSilence of a graph that no other reader has.
func heeded(g *Graph) *Graph {
	filled := g.withoutSilence()
	if filled != g {
		g.Recycle()
	}
	return filled
}

// Silences are the rows of a sequence that are empty, over some steps.
type Silences struct {
	// Steps is how many steps have such a row; 0 is none, and then the others are 0 too.
	Steps int
	// First is the first of these steps, from 0, and Node the first node with an empty row in
	// it.
	First int
	Node  messages.NodeID
}

// Silences looks for rows that are empty in the graphs of the steps 0 .. horizon-1, as they
// were given. It asks for the graph of every distinct epoch once more.
func (h *Heeded) Silences(horizon int) (s Silences, err error) {
	silent := false // in the step before
	for step := range horizon {
		if step == 0 || h.Epoch(step) != h.Epoch(step-1) {
			g, err := GraphAt(h.Sequence, step)
			if err != nil {
				return Silences{}, fmt.Errorf("rows without weights: %w", err)
			}
			node := g.silent(0)
			silent = int(node) < g.Nodes()
			if silent && s.Steps == 0 {
				s.First, s.Node = step, node
			}
			g.Recycle()
		}
		if silent {
			s.Steps++
		}
	}
	return s, nil
}
