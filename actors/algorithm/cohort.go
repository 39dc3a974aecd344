package algorithm

import (
	"fmt"

	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Joiner is a machine that can move together with the machines of the nodes after it.
type Joiner interface {
	Machine
	// Join returns the cohort that moves the machines of consecutive nodes, of which this is
	// the first. It returns nil where they do not move together.
	Join(machines []Machine) Cohort
	// Width is how many entries the machine computes with: a cohort has so many nodes that the
	// entries of all stay in the cache of a core.
	Width() int
}

// Cohort moves machines of consecutive nodes in one call. Where vectors are short, the move of
// each machine costs little, and the work around the moves is then done once for all.
type Cohort interface {
	// Move makes the moves of all of the machines in one turn, to the bits of the Step of
	// each, or of none: where it returns false nothing has changed, and every machine is to
	// make its own. It changes no machine before CohortTurn.Release or BroadcastRaw has
	// returned true, and it must not keep the turn or anything that it hands out.
	Move(*CohortTurn) bool
}

// CohortMeter is a meter that takes equal payments and broadcasts of many nodes in one call.
// The nodes first .. end-1 are always the same ones together, and their calls come one after
// the other.
type CohortMeter interface {
	ExposureMeter
	// SpentAll is Spent of each of the nodes. If it returns false it has charged none of them,
	// and Spent is to be called for each.
	SpentAll(first, end messages.NodeID, step int, loss accountant.Loss) bool
	// ExposedAll is Exposed of a broadcast of each of the nodes to others. It follows a
	// SpentAll of the step that has charged them.
	ExposedAll(first, end messages.NodeID, step int, mark *Mark)
	// PlayedAll is Played of first and the nodes after it: x has their decisions, of
	// length d, side by side.
	PlayedAll(first messages.NodeID, step int, x []float64, d int)
}

// RowCosts are Costs that take gradients of many nodes at once.
type RowCosts interface {
	Costs
	// Gradients is Gradient of first and the nodes after it: dst and x have rows of
	// length d side by side.
	Gradients(dst []float64, first messages.NodeID, step int, x []float64)
}

// cohorts are the cohorts of a stepper.
type cohorts struct {
	meter CohortMeter // nil where the meter is none
	first messages.NodeID
	size  int // nodes of each but the last
	list  []Cohort
	turn  CohortTurn
	// origin is the point 0 of R^d.
	origin []float64
}

// A cohort has as many nodes as have rowEntries entries together, and at most mostMembers.
const (
	rowEntries  = 2048
	mostMembers = 256
)

// newCohorts returns the cohorts of a stepper's nodes; nil where they are to move one by one:
// they are not consecutive, the network has effects, the schedule does not give all of them a
// turn, not all of them decide, some lie, they wait for each other, Run.Released gets the
// release of each, or the meter counts the messages of each.
func newCohorts(run *Run, nodes messages.Nodes) *cohorts {
	first, end, whole := nodes.Whole()
	if !whole || run.Network != nil || run.Acts != nil || run.Together() || run.Adversaries != nil || run.Released != nil || EachSender(run.Meter) {
		return nil
	}
	joiner, ok := run.Machines[first].(Joiner)
	if !ok {
		return nil
	}
	c := &cohorts{first: first, size: min(max(rowEntries/max(1, joiner.Width()), 1), mostMembers)}
	c.meter, _ = run.Meter.(CohortMeter)
	if d := run.Decisions; d != nil {
		if first < d.First || end > d.End {
			return nil
		}
		c.origin = make([]float64, d.Dim)
	}
	for machines := run.Machines[first:end]; len(machines) > 0; {
		size := min(c.size, len(machines))
		joiner, ok := machines[0].(Joiner)
		if !ok {
			return nil
		}
		cohort := joiner.Join(machines[:size])
		if cohort == nil {
			return nil
		}
		c.list, machines = append(c.list, cohort), machines[size:]
	}
	return c
}

// Cohorts reports whether there are any.
func (s *Stepper) Cohorts() bool { return s.cohorts != nil }

// Move moves the cohort that begins with a node in the turn begun, if all of its machines take
// part, and returns the number of them. 0 means that they have not moved, and each is to be
// stepped. graph is the graph of the turn, and outboxes are by node. It needs a turn that Hear
// was called in, or the first of all, of a stepper with cohorts.
func (s *Stepper) Move(node messages.NodeID, graph *topology.Graph, outboxes []messages.Outbox) (moved int, failure *Failure) {
	c := s.cohorts
	if int(node-c.first)%c.size != 0 {
		return 0, nil
	}
	at := int(node-c.first) / c.size
	t := &c.turn
	*t = CohortTurn{Step: s.turn.Step, turn: &s.turn, cohorts: c, graph: graph, outboxes: outboxes, scratch: t.scratch}
	t.First, t.Count = node, min(c.size, len(s.played)-at*c.size)
	s.turn.node = node
	if err := s.move(c.list[at], t); err != nil {
		return 0, s.failure(err)
	}
	if !t.moved {
		return 0, nil
	}
	return t.Count, nil
}

// move calls the cohort. It drops the panic of a cohort that has changed no machine: the
// machine's own step will panic in its place.
func (s *Stepper) move(c Cohort, t *CohortTurn) (err error) {
	defer func() {
		if p := Recovered(recover()); p != nil && t.charged {
			err = p
		}
	}()
	c.Move(t)
	return t.broken
}

// CohortTurn is one turn of the machines of a cohort.
type CohortTurn struct {
	// Step is the paper's time index.
	Step int
	// First is the first of Count consecutive nodes.
	First messages.NodeID
	Count int

	turn     *Turn // the stepper's
	cohorts  *cohorts
	graph    *topology.Graph
	outboxes []messages.Outbox
	scratch  []float64
	charged  bool // the nodes have paid for their releases
	moved    bool
	broken   error // of turn.node, once they have paid
}

// end is the node after the last.
func (t *CohortTurn) end() messages.NodeID { return t.First + messages.NodeID(t.Count) }

// Scratch returns n numbers of working memory, valid until the end of the turn or the next
// call. Its entries are arbitrary.
func (t *CohortTurn) Scratch(n int) []float64 {
	if cap(t.scratch) < n {
		t.scratch = make([]float64, n)
	}
	return t.scratch[:n]
}

// Receive is Turn.Receive of each node: z has rows as long as a release side by side. It
// returns false where the messages have to be looked at one by one.
func (t *CohortTurn) Receive(r *inbox.Rule, z []float64) bool {
	own := t.turn
	if own.heard == nil || r.Map != nil || r.Missing == inbox.MissingHold || r.PushSum {
		return false
	}
	start, _, weights := own.before.Rows(t.First, t.end())
	looked := t.Count
	if own.before.Even() {
		looked = 1
	}
	for i, lo := range start[:looked] {
		sum, positive := 0.0, true
		for _, w := range weights[lo:start[i+1]] {
			sum += w
			positive = positive && w > 0
		}
		if !r.Accepts(sum, positive) {
			return false
		}
	}
	return t.Sum(z, len(r.Start))
}

// Sum is Turn.Sum of each node: z has rows of length d side by side. It returns false where
// the messages have to be looked at one by one.
func (t *CohortTurn) Sum(z []float64, d int) bool {
	heard := t.turn.heard
	if heard == nil || d < 1 || d > heard.Width {
		return false
	}
	start, from, weights := t.turn.before.Rows(t.First, t.end())
	kernel.MultiplyRows(z, d, start, weights, from, heard.Entries, heard.Width)
	return true
}

// Differentiate is Turn.PlayAndDifferentiate of each node, except that the decisions x are
// played when the nodes release: g and x have rows of length d side by side. It returns false
// where one of them would fail.
func (t *CohortTurn) Differentiate(g, x []float64, bound Bound) bool {
	s, d := t.turn.stepper, t.turn.stepper.run.Decisions
	if d == nil || d.Dim < 1 || s.costs == nil || t.cohorts.meter == nil || d.Dim*t.Count != len(x) || !d.CheckRows(x) {
		return false
	}
	if costs, ok := s.costs.(RowCosts); ok {
		costs.Gradients(g, t.First, t.Step, x)
	} else {
		for i := range t.Count {
			row := i * d.Dim
			s.costs.Gradient(g[row:row+d.Dim], t.First+messages.NodeID(i), t.Step, x[row:row+d.Dim])
		}
	}
	within := bound.Square()
	for {
		if g = g[kernel.RowsNear(g, t.cohorts.origin, within)*d.Dim:]; len(g) == 0 {
			return true
		}
		if _, err := bound.Enforce(g[:d.Dim]); err != nil {
			return false
		}
		g = g[d.Dim:]
	}
}

// Release plays the decisions x, rows of length d side by side, which Differentiate has
// accepted, and is Turn.Release of each: all nodes pay before noise is drawn for one. It
// returns false, and nothing has changed, where they do not all pay the same.
func (t *CohortTurn) Release(r *Release, x []float64) bool {
	s, d := t.turn.stepper, t.turn.stepper.run.Decisions.Dim
	others, each := t.graph.Others(t.First, t.end())
	rows := t.rows(x, d)
	if r.Public != "" && !r.Moves.None() || !each || rows == nil {
		return false
	}
	pay := func(loss accountant.Loss) error {
		if loss.Validate() != nil {
			return errNotTogether
		}
		t.charged = true // from here on no panic belongs to a machine
		if t.charged = t.cohorts.meter.SpentAll(t.First, t.end(), t.Step, loss); !t.charged {
			return errNotTogether
		}
		return nil
	}
	receipt, err := r.Noise.ReleaseRows(noise.Rows{
		Entries: rows, Width: d, Key: s.streamKey(r.Purpose), First: int(t.First), Step: t.Step, Hop: t.turn.Hop,
	}, r.Moves, pay)
	if err != nil {
		return false
	}
	mark := Released(receipt)
	if r.Public != "" {
		mark = Public(r.Public)
	}
	t.cohorts.meter.PlayedAll(t.First, t.Step, x, d)
	if t.broken = t.encode(rows); t.broken != nil {
		return false
	}
	t.broadcast(&mark, others)
	t.cohorts.meter.ExposedAll(t.First, t.end(), t.Step, &mark)
	played := s.played[t.First-t.cohorts.first:][:t.Count]
	for i := range played {
		played[i] = s.offset
	}
	return true
}

// BroadcastRaw is Turn.BroadcastRaw of each node, of machines that decide nothing: x has rows
// of length d side by side. It returns false, and nothing has changed, where a meter needs a
// call for each.
func (t *CohortTurn) BroadcastRaw(x []float64, d int) bool {
	s := t.turn.stepper
	rows := t.rows(x, d)
	if rows == nil || s.exposure != nil || s.run.Decisions != nil || t.encode(rows) != nil {
		return false
	}
	others, _ := t.graph.Others(t.First, t.end())
	raw := Raw()
	t.broadcast(&raw, others)
	return true
}

// rows copies the vectors of the nodes, of length d each, to the memory that they are sent
// from. It returns nil where that has to be done one by one.
func (t *CohortTurn) rows(x []float64, d int) []float64 {
	s := t.turn.stepper
	if s.next.First > 0 || int(s.next.End) < len(s.run.Machines) || len(x) != d*t.Count || s.run.Wire.Compresses() {
		return nil
	}
	rows := s.vectors.Rows(t.First, t.Count, d)
	if rows != nil {
		copy(rows, x)
	}
	return rows
}

// errNotTogether is the error of nodes that each have to pay for themselves.
var errNotTogether = fmt.Errorf("the nodes of a cohort do not pay as one")

// broadcast puts the vector of each node in its outbox. others is the number of messages of
// all together.
func (t *CohortTurn) broadcast(mark *Mark, others int) {
	s := t.turn.stepper
	list, outboxes := s.vectors.Taken(t.First)[:t.Count], t.outboxes[t.First:t.end()]
	for i := range list {
		list[i].Exposure, list[i].Float32 = mark.exposure, s.run.Wire != nil
		outboxes[i].Reset()
		outboxes[i].SetBroadcast(&list[i])
	}
	s.count(others, list[0].WireSize())
	s.plain += t.Count
	t.moved = true
}

// streamKey is the key of a purpose's streams.
func (s *Stepper) streamKey(purpose rng.Purpose) rng.Key {
	if purpose != s.keyed || s.key == (rng.Key{}) {
		s.keyed, s.key = purpose, rng.NewKey(s.seed, purpose)
	}
	return s.key
}
