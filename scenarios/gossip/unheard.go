package gossip

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Accumulates reports whether nodes of an arm may make no release where no other node hears
// them, if their algorithm allows it: the weight that a node gives itself is then at most 1, and
// nothing but sums stands between its vector and the next. It is false where some other node
// hears each node in every step, for then there is nothing to accumulate.
//
// Rows need not sum to 1. Let y be the vector of a node in a step in which nobody hears it, and w the
// weight that it gives itself. All that it hears of others are releases, which are given: two
// vectors y a distance D apart lead to sums a distance w D <= D apart, whatever the other weights
// are. The step after moves the next vector by D and its own move at most, and so on until a
// release. Scaling by the weights that arrive is another matter: it makes of w as much as the sum of
// the row, which must be 1 then.
func (c *Common) Accumulates(arm *study.Arm, nodes *study.Nodes, combine robust.Rule) bool {
	switch t := nodes.Topology; {
	case t == nil || t.Heard():
		return false
	case combine != nil: // a rule may choose another vector for a small move
		return false
	case arm.Wire.Compresses(): // so may a codec
		return false
	case arm.Adversaries != nil: // who may know vectors that stay with their nodes
		return false
	case c.Missing == inbox.MissingHold && arm.Effects != nil:
		// A node that is down loses its message to itself. It would hold an earlier vector of its
		// own, without noise, whose moves a release since then has settled.
		return false
	case nodes.Weights == topology.PushSum: // columns sum to 1, and running sums are no sums of a step
		return c.Missing != inbox.MissingRunningSum && c.Missing != inbox.MissingRenormalise
	default:
		return t.Demand(nodes.Weights).Rows || t.Keeps() && c.Missing != inbox.MissingRenormalise
	}
}

// keepsNote describes weights for which nodes pay for releases that nobody hears, in an algorithm
// that could accumulate. It is false where there are none.
func (e *Equals) keepsNote() (note study.Note, ok bool) {
	t := e.Nodes.Topology
	if !e.Could || e.Accumulates || !t.Given() || t.Heard() || t.Keeps() || t.Demand(e.Nodes.Weights).Rows {
		return note, false
	}
	return study.Note{Key: "unheard", Value: "a node pays for every step, heard or not: no weighting of the topology holds the weight that a node gives itself to at most 1"}, true
}

// CheckSchedule returns an error if an arm has a schedule, and its algorithm, of a name, does not
// accumulate. why is the algorithm's reason. could is true if it is a setting of the arm that
// does not.
func CheckSchedule(name, why string, could bool, t *topologies.Plan) error {
	if t == nil || !t.Scheduled() || t.Heard() {
		return nil
	}
	switch {
	case could:
		why = "sums of moves bound what a release shows of several steps where nodes take averages: without combine, adversaries, compression, hold in a network with effects, running sums, renormalised masses and weights of nodes for themselves that may exceed 1"
	case why == "":
		why = "there is no bound on what a release shows of several steps"
	}
	return document.At("topology.schedule", "the algorithm %s has a release in every step: %s", name, why)
}

// Timing says when the nodes of an arm can make releases that data move.
type Timing struct {
	accumulates bool
	plan        *topologies.Plan
	span        topologies.Span
}

// TimingOf returns the timing of an arm with releases from a first step on, from 1.
func TimingOf(accumulates bool, nodes *study.Nodes, f *study.ArmFile, first int) Timing {
	return Timing{accumulates, nodes.Topology, topologies.Span{First: f.Seeds.Base, Seeds: f.Seeds.Count, From: first - 1, Horizon: f.Horizon}}
}

// busiest returns the steps in which the node with the most releases makes one, under the seed in
// which it has the most; nil means that it may in every step.
func (t Timing) busiest() *topologies.Busy {
	if !t.accumulates {
		return nil
	}
	return t.plan.Busiest(t.span)
}

// Releases returns the largest number of releases of a node under one of the seeds.
func (t Timing) Releases() int {
	if busy := t.busiest(); busy != nil {
		return busy.Count
	}
	return t.span.Horizon - t.span.From
}

// sums returns the sums of the weights of steps, from 1; nil means that a node may make a release in
// every step.
func (t Timing) sums(weight func(step int) float64) *topologies.Sums {
	if !t.accumulates {
		return nil
	}
	return t.plan.Sums(t.span, func(step int) float64 { return weight(step + 1) })
}

// Sums is a mechanisms.ReleaseSums.
func (t Timing) Sums(weight func(step int) float64) (of func(node int) float64) {
	if sums := t.sums(weight); sums != nil {
		return func(node int) float64 { return sums.Of(messages.NodeID(node)) }
	}
	all := 0.0
	for step := t.span.From + 1; step <= min(t.span.Horizon, limits.Steps); step++ {
		all += weight(step)
	}
	return func(int) float64 { return all }
}

// sends returns the steps, from 1, in which a node may make a release, under the seed in which that
// costs the most; nil means every step.
func (t Timing) sends(node int, levels *mechanisms.Levels) func(step int) bool {
	var sends func(step int) bool
	if levels == nil {
		if busy := t.busiest(); busy != nil {
			sends = busy.Sends
		}
	} else if sums := t.sums(levels.Square); sums != nil {
		sends = sums.Sends(messages.NodeID(node))
	}
	if sends == nil {
		return nil
	}
	return func(step int) bool { return sends(step - 1) }
}

// Dearest is the node that pays the most of all nodes.
type Dearest struct {
	Node messages.NodeID
	// Sends reports whether it may make a release in a step, from 1; nil means in every step.
	Sends func(step int) bool
}

// mostCandidates is the largest number of nodes with payments that are compared.
const mostCandidates = 1 << 8

// dearest finds the node that pays the most. Without levels it is one with the most releases. A
// release costs the level of the node in the step, so no node pays more than one with a level and
// sums that are as high: the rest are compared by the losses of their releases. Of too many
// the highest level counts, with a release in every step.
func (e *Equals) dearest() Dearest {
	t := e.Timing
	if e.Levels == nil {
		return Dearest{Sends: t.sends(0, nil)}
	}
	list := e.Levels.Candidates(e.File.Nodes, t.Sums)
	bound := Dearest{Node: messages.NodeID(list[0])}
	if len(list) > mostCandidates {
		return bound
	}
	var most Dearest
	highest := -1.0
	for _, node := range list {
		d := Dearest{messages.NodeID(node), t.sends(node, e.Levels)}
		if len(list) == 1 {
			return d
		}
		var total accountant.Total
		for step := 1; step <= e.File.Horizon; step++ {
			total.Add(e.lossOf(d, step))
		}
		paid, err := ledger.EpsilonOf(total, e.delta(), e.By)
		if err != nil {
			return bound
		}
		if paid > highest {
			most, highest = d, paid
		}
	}
	return most
}

// hearing finds the releases of the nodes of an accumulating arm in a run. It is safe for
// concurrent use.
type hearing struct {
	e       *Equals
	graphs  topology.Sequence
	network algorithm.Network     // nil is ideal
	heard   *cache.Ring[[]uint64] // by epoch: a bit for each node that another can hear
}

// The heard nodes of at least leastHearings graphs are kept, and of as many more as heardBits
// hold, up to mostHearings: a node that is seldom heard looks back at all steps since it was.
const (
	leastHearings = 1 << 7
	mostHearings  = 1 << 17
	heardBits     = 1 << 27
)

// hearing returns the hearing of a run by its graphs and its network; nil is an ideal network.
func (e *Equals) hearing(graphs topology.Sequence, network algorithm.Network) *hearing {
	places := min(max(leastHearings, heardBits/e.File.Nodes), max(leastHearings, e.File.Horizon), mostHearings)
	return &hearing{e, graphs, byStep(network), cache.NewRing[[]uint64](places)}
}

// listening returns the hearing of an audit in a network; nil if nodes do not accumulate.
func (e *Equals) listening(network algorithm.Network) *hearing {
	if !e.Accumulates {
		return nil
	}
	return e.hearing(e.graphs, network)
}

// makes reports whether a node that is up makes a release in a step, from 1. A nil hearing has
// one in every step.
func (h *hearing) makes(node messages.NodeID, step int) bool { return h == nil || h.hears(node, step) }

// hears reports whether another node can hear a node in a step, from 1.
func (h *hearing) hears(node messages.NodeID, step int) bool {
	bits := h.heard.Get(h.graphs.Epoch(step-1), func() []uint64 {
		g := h.graphs.At(step - 1)
		bits := make([]uint64, (g.Nodes()+63)/64)
		for i := range messages.NodeID(g.Nodes()) {
			if g.View(i).Others() > 0 {
				bits[i/64] |= 1 << (i % 64)
			}
		}
		return bits
	})
	return bits[node/64]>>(node%64)&1 == 1
}

// release returns the noise of the release of a node in a step, from 1, and the moves of
// all steps since the release before, or since the node began. ok is false if it makes none.
func (h *hearing) release(node messages.NodeID, step int) (own noise.Additive, moves noise.Moves, ok bool) {
	e := h.e
	if !up(h.network, node, step) || !h.hears(node, step) {
		return own, moves, false
	}
	var steps []int // local steps that the release shows, the last first
	begins := true  // the first of them is the node's first of all, or since a restart
	for s := step; s >= 1; s-- {
		if !up(h.network, node, s) {
			continue
		}
		if s < step && h.hears(node, s) {
			begins = false
			break
		}
		if steps = append(steps, s); h.network != nil && h.network.Restarts(node, s-1) {
			break
		}
	}
	begins = begins && e.Start != nil // with a message that no data move
	for k, s := range slices.Backward(steps) {
		if k < len(steps)-1 || !begins {
			_, one := e.Release(node, s)
			moves = moves.Plus(one)
		}
	}
	switch own, _ = e.Release(node, step); {
	case len(steps) > 1:
		own = e.fit(node, step, moves)
	case begins:
		own = e.Start(node, step)
	}
	return own, moves, true
}
