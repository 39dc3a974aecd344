package auditing

import (
	"context"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/messages"
)

// Place is the place in a run at which a vector is sent.
type Place struct {
	// Node counts from 0.
	Node messages.NodeID
	// label is the label of the node in results.
	label     int
	Step, Hop int
	// number is the number of vectors that the node has sent before.
	number int
	// Begins marks the first vector of the node, or the first since a restart lost its state.
	Begins bool
	// Length is the length of the vector.
	Length int
	// Weight is the weight of the link that the vector goes along; 1 for a broadcast.
	Weight float64
}

// Noise is the noise that a vector is stated to carry.
type Noise struct {
	// Law is the stated law of the entries, each independently of the others.
	Law noise.Law
	// Scale is the scale of the law; 0 for a vector without noise.
	Scale float64
	// Length is the number of entries with noise: the first ones.
	Length int
}

// Observed is an audit's record of a run.
type Observed struct {
	// Sent are the vectors of the audited node. First and Second are the vectors that it would
	// have sent without noise with the canary on either side. They have a row a vector.
	Sent, First, Second [][]float64
	// Releases are of all nodes that add noise, by node, then turn.
	Releases []Release
	// Coins are the random draws besides the noise: whether samples held a record.
	Coins []float64
	// Bare are the steps in which the canary moves an entry without noise of the node's
	// vectors, if there are to be none. shown is the logarithm of the likelihood ratio of
	// these.
	Bare  []int
	shown float64
}

// Release is a vector with noise, all over the scale of the noise.
type Release struct {
	Place
	law noise.Law
	// Residual is the noise that the vector carries.
	Residual []float64
	// Middle is the vector less the mean of its two sides.
	Middle []float64
	// Moved is one side less the other; nil for other nodes, which the canary does not move.
	Moved []float64
	// plain are Middle and Moved before correlated noise was made independent; nil for noise
	// that is independent as sent.
	plain *[2][]float64
}

// watchedNode is a node with its vectors and its shadows, for comparison.
type watchedNode struct {
	sent   [][]float64
	places []Place
	// released are the releases of the node in its turn, with noise.
	released [][]float64
	// sides are the shadows with the canary on either side, for the audited node only. quiet
	// is the shadow of the run as it is.
	sides [2]*shadow
	quiet *shadow
}

// Observe makes one run and steps shadows of the nodes with noise through it.
func (a *Run) Observe(seed uint64, other bool, noise float64) (*Observed, error) {
	return a.observe(seed, other, noise, nil)
}

// observe is Observe for a run of a meeting; nil is none.
func (a *Run) observe(seed uint64, other bool, noise float64, m *meeting) (*Observed, error) {
	run, err := a.Run(seed, other, noise)
	if err != nil {
		return nil, err
	}
	run.Meter = &Ledger{Node: a.Node, pays: a.Stops.pay}
	nodes, coins, err := a.shadows(seed, other)
	if err != nil {
		return nil, err
	}
	watched := a.watched()
	run.Released = func(node messages.NodeID, entries []float64) {
		if i := slices.Index(watched, node); i >= 0 {
			nodes[i].released = append(nodes[i].released, slices.Clone(entries))
		}
	}
	if m != nil {
		run.Through = m.through
		for _, n := range nodes {
			for _, s := range []*shadow{n.sides[0], n.sides[1], n.quiet} {
				if s != nil {
					s.run.Through = m.through
				}
			}
		}
	}
	w := &lockstep.Watcher{Node: a.Node, Others: a.Others, Visit: func(w *lockstep.Watched) error {
		return nodes[slices.Index(watched, w.Node)].visit(run, w, a.heard(nodes, w))
	}}
	if err := lockstep.Watch(context.Background(), run, w); err != nil {
		return nil, err
	}
	main := nodes[0]
	o := &Observed{Sent: main.sent, First: main.sides[0].sent, Second: main.sides[1].sent}
	if coins != nil {
		o.Coins = coins()
	}
	for _, n := range nodes {
		if err := n.matches(); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		if a.Bare && n == main {
			o.Bare, o.shown = a.bare(n)
		}
		if a.Known != nil {
			for k, at := range n.places {
				a.Known(seed, noise, at, n.sent[k])
			}
		}
		o.Releases = append(o.Releases, a.releases(n)...)
	}
	if a.Jointly != nil {
		a.separate(o.Releases)
	}
	return o, nil
}

// separate makes the noise of releases of different nodes independent, hop by hop. The audited
// node's releases come first.
func (a *Run) separate(releases []Release) {
	done := make([]bool, len(releases))
	for i := range releases {
		if done[i] {
			continue
		}
		var nodes []messages.NodeID
		var residuals, middles, moves [][]float64
		for j := len(releases) - 1; j >= i; j-- { // the audited node last
			r := &releases[j]
			if r.Step != releases[i].Step || r.Hop != releases[i].Hop {
				continue
			}
			done[j] = true
			r.Residual = slices.Clone(r.Residual) // a copy: the residuals of other nodes are also their middles
			move := r.Moved
			if move == nil {
				move = make([]float64, len(r.Middle))
			}
			r.plain = &[2][]float64{slices.Clone(r.Middle), slices.Clone(r.Moved)}
			nodes = append(nodes, r.Node)
			residuals, middles, moves = append(residuals, r.Residual), append(middles, r.Middle), append(moves, move)
		}
		for _, rows := range [][][]float64{residuals, middles, moves} {
			a.Jointly(releases[i].Place, nodes, rows)
		}
	}
}

// matches returns an error unless every shadow sends as many vectors as its node, of the same
// lengths.
func (n *watchedNode) matches() error {
	for _, s := range []*shadow{n.sides[0], n.sides[1], n.quiet} {
		if s != nil && !slices.EqualFunc(n.sent, s.sent, func(a, b []float64) bool { return len(a) == len(b) }) {
			return fmt.Errorf("node %d sends %d vectors; without noise it sends %d, or others", s.run.Label(s.node), len(n.sent), len(s.sent))
		}
	}
	return nil
}

// watched returns the nodes with noise, the audited one first.
func (a *Run) watched() []messages.NodeID {
	return append([]messages.NodeID{a.Node}, a.Others...)
}

// shadows returns machines without noise, which have not been stepped yet.
func (a *Run) shadows(seed uint64, other bool) (nodes []*watchedNode, coins func() []float64, err error) {
	var sides [2]*algorithm.Run
	for side := range sides {
		if sides[side], err = a.Run(seed, side == 1, 0); err != nil {
			return nil, nil, err
		}
	}
	main := &watchedNode{sides: [2]*shadow{a.newShadow(sides[0], a.Node), a.newShadow(sides[1], a.Node)}}
	side := 0
	if other {
		side = 1
	}
	quiet := sides[side]
	main.quiet = main.sides[side]
	if a.Quiet != nil {
		if quiet, coins, err = a.Quiet(seed, other); err != nil {
			return nil, nil, err
		}
		main.quiet = a.newShadow(quiet, a.Node)
	}
	nodes = append(nodes, main)
	for _, node := range a.Others {
		n := &watchedNode{quiet: a.newShadow(quiet, node)}
		if a.Fed {
			n.sides[side], n.sides[1-side] = n.quiet, a.newShadow(sides[1-side], node)
		}
		nodes = append(nodes, n)
	}
	return nodes, coins, nil
}

// heard returns the inbox of a node's shadow in a turn, given the shadow of each other node on
// the same side. It is the node's own inbox. If Fed is set, it has the vectors that the others
// would have sent without noise, in the turn in which they sent theirs.
func (a *Run) heard(nodes []*watchedNode, w *lockstep.Watched) func(of func(*watchedNode) *shadow) []messages.Envelope {
	if !a.Fed || w.Node != a.Node {
		return func(func(*watchedNode) *shadow) []messages.Envelope { return w.Inbox }
	}
	return func(of func(*watchedNode) *shadow) []messages.Envelope {
		inbox := slices.Clone(w.Inbox)
		for i := range inbox {
			if k := slices.Index(a.Others, inbox[i].From); k >= 0 {
				inbox[i].Payload = &messages.Vector{Values: of(nodes[k+1]).sentIn(int(inbox[i].Sent))}
			}
		}
		return inbox
	}
}

// visit gives all shadows of the node the turn that it has had, each with its own inbox.
func (n *watchedNode) visit(run *algorithm.Run, w *lockstep.Watched, heard func(of func(*watchedNode) *shadow) []messages.Envelope) error {
	view := w.Graph.View(w.Node)
	for i, s := range n.sides {
		if s != nil && s != n.quiet {
			if err := s.step(w, view, heard(func(other *watchedNode) *shadow { return other.sides[i] }), n.released); err != nil {
				return err
			}
		}
	}
	if err := n.quiet.step(w, view, heard(func(other *watchedNode) *shadow { return other.quiet }), n.released); err != nil {
		return err
	}
	n.released = n.released[:0]
	visitSent(view, w.Outbox, n.quiet.audit, func(values []float64, weight float64) {
		n.places = append(n.places, Place{
			Node: w.Node, label: run.Label(w.Node), Step: w.Step, Hop: w.Hop, number: len(n.sent), Begins: n.quiet.begins,
			Length: len(values), Weight: weight,
		})
		n.sent = append(n.sent, slices.Clone(values))
		n.quiet.begins = false
	})
	return nil
}

// releases returns the vectors of a node that carry noise.
func (a *Run) releases(n *watchedNode) (list []Release) {
	if a.Noise == nil {
		return nil
	}
	var residuals, middles, moves [][]float64
	for k, at := range n.places {
		stated := a.Noise(at)
		if stated.Scale == 0 || at.Step < a.From {
			continue
		}
		r := Release{Place: at, law: stated.Law}
		over := func(value func(i int) float64) []float64 {
			x := make([]float64, stated.Length)
			for i := range x {
				x[i] = value(i) / stated.Scale
			}
			return x
		}
		sent, quiet := n.sent[k], n.quiet.sent[k]
		r.Residual = over(func(i int) float64 { return sent[i] - quiet[i] })
		if r.Middle = r.Residual; n.sides[0] != nil {
			first, second := n.sides[0].sent[k], n.sides[1].sent[k]
			r.Middle = over(func(i int) float64 { return sent[i] - float64((first[i]+second[i])/2) })
			r.Moved = over(func(i int) float64 { return second[i] - first[i] })
			middles, moves = append(middles, r.Middle), append(moves, r.Moved)
		}
		residuals = append(residuals, r.Residual)
		list = append(list, r)
	}
	if a.Whiten != nil {
		for i := range list {
			list[i].plain = &[2][]float64{slices.Clone(list[i].Middle), slices.Clone(list[i].Moved)}
		}
		var places []Place
		for i := range list {
			places = append(places, list[i].Place)
		}
		a.Whiten(places, residuals)
		a.Whiten(places, middles)
		a.Whiten(places, moves)
	}
	return list
}

// Entries without noise are the same on both sides except for rounding. bareError is the
// largest such difference beside numbers of about 1. An entry that tells the sides apart
// counts bareRatio for its vector.
const (
	bareError = 1e-9
	bareRatio = 1e4
)

// bare looks at entries without noise of the audited node's vectors. It returns the steps in
// which the canary moves one, and the logarithm of the likelihood ratio of these, which is as
// good as infinite.
func (a *Run) bare(n *watchedNode) (steps []int, ratio float64) {
	for k, at := range n.places {
		noised := 0
		if stated := a.Noise(at); stated.Scale > 0 {
			noised = stated.Length
		}
		first, second, sent := n.sides[0].sent[k], n.sides[1].sent[k], n.sent[k]
		for i := noised; i < len(sent); i++ {
			if math.Abs(first[i]-second[i]) <= bareError*(1+math.Abs(sent[i])) {
				continue
			}
			steps = append(steps, at.Step)
			if math.Abs(sent[i]-second[i]) < math.Abs(sent[i]-first[i]) {
				ratio += bareRatio
			} else {
				ratio -= bareRatio
			}
			break
		}
	}
	return steps, ratio
}

// sent makes one run and returns the machine's vectors.
func (a *Run) sent(seed uint64, other bool, noise float64) (rows [][]float64, err error) {
	run, err := a.Run(seed, other, noise)
	if err != nil {
		return nil, err
	}
	run.Meter = &Ledger{Node: a.Node, pays: a.Stops.pay}
	err = lockstep.Watch(context.Background(), run, &lockstep.Watcher{Node: a.Node, Visit: func(w *lockstep.Watched) error {
		visitSent(w.Graph.View(a.Node), w.Outbox, a, func(values []float64, _ float64) { rows = append(rows, slices.Clone(values)) })
		return nil
	}})
	return rows, err
}

// visitSent visits the vectors of an outbox with the weights of their links: first a
// broadcast, then the vectors for one receiver each. If the audit has OneEach set, of the latter
// it visits only those to the first of the other nodes. It leaves out a vector that stays with
// the node.
func visitSent(view topology.View, outbox *messages.Outbox, audit *Run, visit func(values []float64, weight float64)) {
	if v, ok := outbox.Broadcast.(*messages.Vector); ok && !audit.stays(view) {
		visit(v.Plain(), 1)
	}
	if !outbox.HasSingles() {
		return
	}
	for _, to := range view.Out() {
		if audit.OneEach && to == view.Self() && view.Others() > 0 || audit.Sees != nil && !audit.Sees(to) {
			continue
		}
		for _, single := range outbox.Singles(to) {
			if v, ok := single.Payload.(*messages.Vector); ok {
				visit(v.Plain(), view.Weight(to))
			}
		}
		if audit.OneEach {
			return
		}
	}
}

// stays reports whether the vector that a node broadcasts stays with it; see Unheard.
func (a *Run) stays(view topology.View) bool { return a.Unheard && view.Others() == 0 }
