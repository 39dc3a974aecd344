package topology

import "starling/messages"

// reach is the reachability of nodes in a union of graphs, in few arcs: the arcs are a cycle
// through each strongly connected component and one arc between each two components that an
// edge joins, so reach of a union of reaches is reach of the union of the graphs. It is
// immutable; nil is the union of no graphs.
type reach struct {
	// A reach has at most as many arcs as nodes in its cycles, and one for each pair of
	// components that is joined: a union of thousands of graphs stays small.
	nodes int
	arcs  []arc
	// count is the number of strongly connected components.
	count int
	// connected means that there is one; the arcs are then left out.
	connected bool
}

type arc struct{ from, to messages.NodeID }

// reachOfGraph reduces a graph to the reach of its nodes.
func reachOfGraph(g *Graph) *reach {
	label, count := Components(g)
	return newReach(g.out, label, count)
}

// newReach reduces a graph, or a union of reaches, to the reach of its nodes, given its
// components.
func newReach(a adjacency, label []int32, count int) *reach {
	r := &reach{nodes: a.nodes(), count: count, connected: count == 1}
	if r.connected {
		return r
	}
	component := groups(label, count)
	r.arcs = make([]arc, 0, r.nodes) // about: the cycles have at most as many
	joined := make([]int32, count)   // 1 + the last component with an arc to it
	for c := range int32(count) {
		members := component.row(messages.NodeID(c))
		head := members[0]
		for k, v := range members {
			if len(members) > 1 {
				r.arcs = append(r.arcs, arc{v, members[(k+1)%len(members)]})
			}
			for _, w := range a.row(v) {
				if d := label[w]; d != c && joined[d] != c+1 {
					joined[d] = c + 1
					r.arcs = append(r.arcs, arc{head, component.row(messages.NodeID(d))[0]})
				}
			}
		}
	}
	return r
}

// groups returns the members of each component, ascending.
func groups(label []int32, count int) adjacency {
	g := adjacency{make([]int32, count+1), make([]messages.NodeID, len(label))}
	for _, c := range label {
		g.start[c]++
	}
	countsToOffsets(g.start)
	for v, c := range label {
		g.to[g.start[c]] = messages.NodeID(v)
		g.start[c]++
	}
	cursorsToOffsets(g.start)
	return g
}

// join returns the reach of the union of the graphs that r and s stand for.
func (r *reach) join(s *reach) *reach {
	switch {
	case r == nil || r == s:
		return s
	case s == nil || r.connected:
		return r
	case s.connected:
		return s
	}
	union := adjacencyOf(r.nodes, r.arcs, s.arcs)
	label, count := components(union)
	return newReach(union, label, count)
}

// adjacencyOf collects arcs into rows.
func adjacencyOf(nodes int, lists ...[]arc) adjacency {
	a := adjacency{start: make([]int32, nodes+1)}
	total := 0
	for _, arcs := range lists {
		total += len(arcs)
		for _, e := range arcs {
			a.start[e.from]++
		}
	}
	a.to = make([]messages.NodeID, total)
	countsToOffsets(a.start)
	for _, arcs := range lists {
		for _, e := range arcs {
			a.to[a.start[e.from]] = e.to
			a.start[e.from]++
		}
	}
	cursorsToOffsets(a.start)
	return a
}

// unreached returns the nodes that no path from root leads to, ascending.
func unreached(a adjacency, root messages.NodeID) (missing []messages.NodeID) {
	reached := reachable([]adjacency{a}, root)
	for v := range messages.NodeID(a.nodes()) {
		if !reached.has(v) {
			missing = append(missing, v)
		}
	}
	return missing
}

// slidingUnion is the union over a window of consecutive steps that moves forward at both
// ends. Unions cannot be taken apart, so the window is kept as two stacks, as a queue made of
// stacks is: each step enters at most two unions besides those that method union makes, and
// the cost does not grow with the window.
type slidingUnion struct {
	// front holds unions of the older steps: the last entry is the union of all
	// of them, the one before leaves out the oldest step, and so on.
	front []*reach
	// steps are the newer ones, oldest first, and back is their union.
	steps []*reach
	// left, right and joined below are the latest union: joined is left and right
	// together.
	back *reach

	left, right, joined *reach // the latest union: joined is left and right
}

// push adds the step after the newest.
func (w *slidingUnion) push(step *reach) {
	if k := len(w.steps); k == 0 || w.steps[k-1] != step {
		w.back = w.back.join(step)
	}
	w.steps = append(w.steps, step)
}

// extend pushes a step of a sequence. It returns the error of Stop.
func (w *slidingUnion) extend(source *stepReach, step int) error {
	r, err := source.at(step)
	if err == nil {
		w.push(r)
	}
	return err
}

// pop drops the oldest step; there must be one.
func (w *slidingUnion) pop() {
	if len(w.front) == 0 {
		var union *reach
		for k := len(w.steps) - 1; k >= 0; k-- {
			if k+1 == len(w.steps) || w.steps[k] != w.steps[k+1] {
				union = w.steps[k].join(union)
			}
			w.front = append(w.front, union)
		}
		w.steps, w.back = w.steps[:0], nil
	}
	w.front = w.front[:len(w.front)-1]
}

// union returns the union over the window, nil if it holds no step.
func (w *slidingUnion) union() *reach {
	var older *reach
	if k := len(w.front); k > 0 {
		older = w.front[k-1]
	}
	if w.joined == nil || older != w.left || w.back != w.right {
		w.left, w.right, w.joined = older, w.back, older.join(w.back)
	}
	return w.joined
}

// stepReach gives the reach of single steps, computed once for a run of steps of equal epoch.
// It passes on the error of Stop.
type stepReach struct {
	measures Measures
	seq      Sequence
	epoch    int
	last     *reach
}

func (s *stepReach) at(step int) (*reach, error) {
	if err := s.measures.stopped(); err != nil {
		return nil, err
	}
	if epoch := s.seq.Epoch(step); s.last == nil || epoch != s.epoch {
		s.epoch, s.last = epoch, reachOfGraph(s.seq.At(step))
	}
	return s.last, nil
}
