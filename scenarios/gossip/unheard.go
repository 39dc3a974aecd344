package gossip

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// Accumulates reports whether nodes of an arm may make no release where no other node hears
// them, if their algorithm allows it: the weight that a node gives itself is then at most 1, and
// nothing but sums stands between its vector and the next. It is false where some other node
// hears each node in every step, for then there is nothing to accumulate.
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
		return t.Demand(nodes.Weights).Rows
	}
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
		why = "sums of moves bound what a release shows of several steps where nodes take averages: without combine, adversaries, compression, hold in a network with effects, running sums, renormalised masses and weights of unknown sums"
	case why == "":
		why = "there is no bound on what a release shows of several steps"
	}
	return document.At("topology.schedule", "the algorithm %s has a release in every step: %s", name, why)
}

// Releases returns the largest number of releases of a node of an accumulating arm under one of
// its seeds, over the steps from a first one to the horizon.
func Releases(nodes *study.Nodes, f *study.ArmFile, first int) int {
	busy := busiest(nodes, f)
	if busy == nil {
		return f.Horizon + 1 - first
	}
	count := busy.Count
	for step := range first - 1 {
		if busy.Sends(step) {
			count--
		}
	}
	return count
}

// Sends returns Equals.Sends of an arm.
func Sends(accumulates bool, nodes *study.Nodes, f *study.ArmFile) func(step int) bool {
	if !accumulates {
		return nil
	}
	busy := busiest(nodes, f)
	if busy == nil {
		return nil
	}
	return func(step int) bool { return busy.Sends(step - 1) }
}

// MayRelease returns a function that reports whether a node may make a release that data move in
// a step, of which the first is given: by the schedule, where all nodes send in the same steps.
func MayRelease(accumulates bool, nodes *study.Nodes, f *study.ArmFile, first int) func(step int) bool {
	sends := Sends(accumulates && nodes.Topology.Together(), nodes, f)
	return func(step int) bool { return step >= first && (sends == nil || sends(step)) }
}

// busiest returns the steps in which the node with the most releases makes one, under the seed in
// which it has the most; nil means that it may in every step.
func busiest(nodes *study.Nodes, f *study.ArmFile) *topologies.Busy {
	return nodes.Topology.Busiest(f.Seeds.Base, f.Seeds.Count, f.Horizon)
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
