package topology

import "starling/messages"

// Failing is implemented by sequences that may find no graph for a step, or one at
// fault, when they come to it. Their At panics there.
type Failing interface {
	Sequence
	// GraphAt returns the graph of a step, as At, or why there is none: a *StepError, or an
	// error of the sequence's checks.
	GraphAt(step int) (*Graph, error)
}

// GraphAt returns the graph of a step of any sequence. Code that runs over a sequence calls
// it.
func GraphAt(seq Sequence, step int) (*Graph, error) {
	if f, ok := seq.(Failing); ok {
		return f.GraphAt(step)
	}
	return seq.At(step), nil
}

// Inspection checks the graphs of a sequence while a run comes to them, one step after the
// other. It finds the faults that Demand.CheckSequence, CheckWindows and SmallestWindow find
// beforehand, for a horizon, without a pass of its own. It keeps the reach of the nodes in the
// steps of a window, and no graph. Set its exported fields first. It is not safe for
// concurrent use.
type Inspection struct {
	// Horizon is how many steps there are, at least 1.
	Horizon int
	// Demand is the demand on weights, within Tolerance; nil where they meet it by their
	// construction.
	Demand    *Demand
	Tolerance float64
	// Length is B, over which the graphs are strongly connected, 1 to Horizon; 0 seeks the
	// smallest.
	Length int

	step   int // the next
	last   *reach
	search search
	union  slidingUnion
	first  int // step of the union
	// rises are the first steps from which a longer window is needed than from any
	// before.
	rises []rise
}

// rise is a step and how many steps from it on are together strongly connected.
type rise struct{ first, length int }

// Add takes the graph of the next step, which is only read; same means that it equals the
// graph of the step before. It returns a *StepError that wraps a *WeightError, or a
// *ConnectivityError of the first window of Length steps that is not strongly connected.
func (i *Inspection) Add(g *Graph, same bool) error {
	step := i.step
	i.step++
	if !same || i.last == nil {
		if i.Demand != nil {
			if err := i.Demand.Check(g, i.Tolerance); err != nil {
				return &StepError{Step: step, Base: printedBase, Err: err}
			}
		}
		i.last = i.search.reachOf(g)
	}
	i.union.push(i.last)
	if i.Length > 0 {
		return i.slide(step)
	}
	for u := i.union.union(); u != nil && u.connected; u = i.union.union() {
		if length := step + 1 - i.first; len(i.rises) == 0 || length > i.rises[len(i.rises)-1].length {
			i.rises = append(i.rises, rise{i.first, length})
		}
		i.union.pop()
		i.first++
	}
	return nil
}

// Settled reports whether no graph to come can be at fault: weights meet the demand by their
// construction, no length is asked for, and the graphs so far are strongly connected together.
func (i *Inspection) Settled() bool { return i.Demand == nil && i.Length == 0 && i.first > 0 }

// slide checks the window that ends with a step.
func (i *Inspection) slide(step int) error {
	if step+1 < i.Length {
		return nil
	}
	u := i.union.union()
	i.union.pop()
	if !u.connected {
		return disconnected(u, step+1-i.Length, step)
	}
	return nil
}

// Smallest returns the smallest length of windows that holds, after all steps of the horizon
// and where Length is 0. If there is none, it returns the error of SmallestWindow.
func (i *Inspection) Smallest() (int, error) {
	if i.first == 0 {
		return 0, disconnected(i.union.union(), 0, i.Horizon-1)
	}
	// A length holds if it is enough from every step that leaves room for it.
	for length := 1; ; length++ {
		last, longest := i.Horizon-length, 0
		for _, r := range i.rises {
			if r.first <= last {
				longest = r.length
			}
		}
		if last < i.first && longest <= length {
			return length, nil // at the latest the horizon, which leaves room from one step
		}
	}
}

// search checks whether graphs are strongly connected, in its own working memory.
type search struct {
	fresh []uint8 // by node: 1 until it is found
	queue []messages.NodeID
	whole *reach // of all graphs that are strongly connected
}

// reachOf is reachOfGraph, made anew only for graphs that are not strongly connected.
func (s *search) reachOf(g *Graph) *reach {
	if !s.covers(g.out) || !g.sharesHalves() && !s.covers(g.in) {
		return reachOfGraph(g)
	}
	if s.whole == nil {
		s.whole = &reach{nodes: g.Nodes(), count: 1, connected: true}
	}
	return s.whole
}

// covers reports whether node 0 reaches all nodes. Every neighbour is put at the end of the
// queue, which grows by those that are found for the first time: no processor can predict
// these, and a branch would cost more than the work.
func (s *search) covers(a adjacency) bool {
	n := a.nodes()
	s.fresh, s.queue = sized(s.fresh, n), sized(s.queue, n+1)
	for v := range s.fresh {
		s.fresh[v] = 1
	}
	queue, fresh := s.queue, s.fresh
	queue[0], fresh[0] = 0, 0
	found := 1
	for at := 0; at < found && found < n; at++ {
		for _, w := range a.row(queue[at]) {
			queue[found] = w
			found += int(fresh[w])
			fresh[w] = 0
		}
	}
	return found == n
}

// sharesHalves reports whether both halves are one, as in drawn undirected graphs.
func (g *Graph) sharesHalves() bool {
	return len(g.in.to) > 0 && len(g.out.to) > 0 && &g.in.to[0] == &g.out.to[0]
}
