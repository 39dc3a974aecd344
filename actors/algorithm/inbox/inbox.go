// Package inbox makes one vector of the messages that a node hears from its neighbours:
// weighted sums, ratios of push-sum, rules that bear lies, and substitutes for missing
// messages. It neither delivers messages nor accounts for the privacy loss of releases.
package inbox

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/mechanisms/robust"
	"starling/messages"
)

// Inbox is the memory of a node of messages and of its own releases, from turn to turn: part
// of the state of its machine.
type Inbox struct {
	rule *Rule
	mass float64   // of push-sum, else 1
	last []float64 // the node's own last release; nil where no rule asks for it
	held table     // the last that arrived from each neighbour, of MissingHold and MissingRunningSum
	said table     // the sums that were sent along links, of MissingRunningSum
	own  []float64 // the node's share of its releases since it last heard, of MissingRunningSum
	owed owed      // of Accumulates
}

// owed are the moves of local steps since the last release.
type owed struct {
	steps int32 // without a release
	moves noise.Moves
}

// Running reports whether messages are running sums. It is false for nil.
func (h *Inbox) Running() bool { return h != nil && h.rule.Missing == MissingRunningSum }

// NewInbox returns the memory of a node that has heard and released nothing yet.
func NewInbox(rule *Rule) Inbox {
	h := Inbox{rule: rule, mass: 1}
	if rule.Missing == MissingRenormalise || rule.PushSum || rule.Combine != nil || rule.KeepsOwn {
		h.last = slices.Clone(rule.Start)
	}
	if h.Running() {
		h.own = make([]float64, len(rule.Start))
	}
	return h
}

// QuantityMass is the node's mass of push-sum, which machines record in every step. Where
// nothing is lost or late and all nodes are up, the masses of a step sum to the number of
// nodes.
const QuantityMass = "mass"

// Mass is the node's own mass, by which Receive last divided; 1 without push-sum.
func (h *Inbox) Mass() float64 { return h.mass }

// Weigh records the mass under push-sum: once in every step.
func (h *Inbox) Weigh(by interface {
	Record(quantity string, value float64)
}) {
	if h.rule.PushSum {
		by.Record(QuantityMass, h.mass)
	}
}

// Vector returns the release of the value x, which is copied: x, or under push-sum its mass
// times x and its mass. Where a release is longer than x, the entries between the two are
// arbitrary. The vector is one of a turn's.
func (h *Inbox) Vector(of interface{ Vector(d int) *messages.Vector }, x []float64) *messages.Vector {
	v := of.Vector(len(h.rule.Start))
	kernel.Scale(v.Values[:len(x)], h.mass, x)
	if h.rule.PushSum {
		v.Values[len(v.Values)-1] = h.mass
	}
	return v
}

// Secret is the part of a release that depends on data: all but the entries that are clear
// and the mass.
func (h *Inbox) Secret(release []float64) []float64 {
	n := len(release) - h.rule.Clear
	if h.rule.PushSum {
		n--
	}
	return release[:n]
}

// Released has the node keep its release, as others hear it.
func (h *Inbox) Released(release []float64) { copy(h.last, release) }

// Accumulates is Rule.Accumulates. It is false for nil.
func (h *Inbox) Accumulates() bool { return h != nil && h.rule.Accumulates }

// Owe adds the moves of a step and returns the moves of all steps since the last release. grown
// is true if there are others than this one.
func (h *Inbox) Owe(moves noise.Moves) (all noise.Moves, grown bool) {
	grown = h.owed.steps > 0
	h.owed.steps++
	h.owed.moves = h.owed.moves.Plus(moves)
	return h.owed.moves, grown
}

// Settle is for a node that has made its release: it owes nothing.
func (h *Inbox) Settle() { h.owed = owed{} }

// Say is for MissingRunningSum. It adds a release, with its weight, to the sum of releases
// along a link, and returns the sum, which is read only.
func (h *Inbox) Say(to messages.NodeID, weight float64, release []float64) []float64 {
	return h.said.Add(to, weight, release)
}

// Share is for MissingRunningSum. It has the node keep its own share of a release, the message
// that it sends itself. The share is there when the node hears again, however long it is down.
// A message to itself would be lost if it is down in the next turn.
func (h *Inbox) Share(weight float64, release []float64) []float64 {
	kernel.Axpy(h.own, weight, release)
	return h.own
}

// Received holds the messages that a node hears in a turn.
type Received struct {
	Node messages.NodeID
	// Messages are ordered by senders. Receive overwrites them.
	Messages []messages.Envelope
	// Since is the turn before. Messages sent earlier are late.
	Since int
	// From are the nodes that it hears by the graph, ascending, and Weights theirs.
	From    []messages.NodeID
	Weights []float64
	// Label is the number of a node in errors.
	Label func(messages.NodeID) int
}

// Work is working memory of Receive. It may be used for one node after the other.
type Work struct {
	list []robust.Vector
	rule robust.Work
}

// Combined is how many vectors the rule combined last.
func (w *Work) Combined() int { return len(w.list) }

// Plain reports whether Receive can be replaced by a weighted sum and Finish, where no message
// is missing or late.
func (h *Inbox) Plain() bool {
	r := h.rule
	return r.Map == nil && r.Combine == nil && r.Missing != MissingHold && !h.Running()
}

// Accepts reports whether the weights that a node gives pass the checks of Receive, by their
// sum. If the sum is at most the largest number, so is each weight.
func (r *Rule) Accepts(sum float64, positive bool) bool {
	return positive && sum <= math.MaxFloat64 && (!r.Rows || math.Abs(sum-1) <= weightTolerance)
}

// Rule is the node's rule.
func (h *Inbox) Rule() *Rule { return h.rule }

// Receive sums the messages of a node in a turn, each with its weight, in the order of the
// senders, to z, as long as a release; with Combine the rule makes z. Under push-sum z is the
// ratio, and its last entry the node's new mass. It returns an error for weights that fail the
// rule's checks of the graph.
func (h *Inbox) Receive(z []float64, in *Received, work *Work) error {
	r := h.rule
	if !r.Late {
		in.Messages = inTime(in)
	}
	if err := r.checkWeights(in); err != nil {
		return err
	}
	if r.Combine != nil {
		h.combine(z, in, work)
		return nil
	}
	clear(z)
	switch r.Missing {
	case MissingHold:
		h.held.Keep(in.Messages)
		h.addHeld(z, in)
	case MissingRunningSum:
		h.held.Gain(z, in.Node, h.own, in.Messages)
		clear(h.own)
	default:
		r.addAll(z, in.Messages)
		switch {
		case r.Missing == MissingRenormalise:
			h.renormalise(z, in)
		case r.KeepsOwn && len(in.Messages) == 0 && !r.PushSum: // push-sum does in any case
			r.add(z, 1, h.last)
		}
	}
	return h.Finish(z)
}

// Finish turns z, the weighted sum of all messages that the node hears by the graph, into the
// result of Receive, where Plain is true.
func (h *Inbox) Finish(z []float64) error {
	if h.rule.PushSum {
		return h.divide(z)
	}
	return nil
}

// Restate turns z, the result of Receive, into a message: a receiver that hears it alone, with weight
// 1, has z of it. A server that averages for others sends it.
func (h *Inbox) Restate(z []float64) {
	values := z
	if h.rule.PushSum {
		values = z[:len(z)-1]
	}
	for k := range values {
		if h.rule.Inverse != nil {
			values[k] = h.rule.Inverse(values[k])
		}
		if h.rule.PushSum {
			values[k] *= h.mass
		}
	}
}

// Add adds up messages, each with its weight, to z.
func Add(z []float64, inbox []messages.Envelope) { new(Rule).addAll(z, inbox) }

// weightTolerance is how far the weights that a node gives may sum from 1.
const weightTolerance = 1e-9

// checkWeights checks the weights of a turn: they are numbers above 0, for a weight of 0 is no
// edge, and with Rows they sum to 1 over all nodes that the node hears by the graph. Graphs
// are checked before a run; this checks delivered messages.
func (r *Rule) checkWeights(in *Received) error {
	for i := range in.Messages {
		if w := in.Messages[i].Weight; !(w > 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("the weight it gives node %d is %v, want a number above 0", in.Label(in.Messages[i].From), w)
		}
	}
	if !r.Rows {
		return nil
	}
	if sum := expectedWeight(in); !(math.Abs(sum-1) <= weightTolerance) {
		return fmt.Errorf("its weights for the nodes that it hears sum to %v, want 1 within %v", sum, weightTolerance)
	}
	return nil
}

// expectedWeight adds up the weights of all nodes that the node hears by the graph, in the
// order of the senders.
func expectedWeight(in *Received) (sum float64) {
	for _, w := range in.Weights {
		sum += w
	}
	return sum
}

// addAll adds up the messages that arrived, four at a time where there is no map: z is then
// read and written once for four messages, and each entry adds them in the order of the
// senders.
func (r *Rule) addAll(z []float64, inbox []messages.Envelope) {
	var weights [4]float64
	var values [4][]float64
	for ; r.Map == nil && len(inbox) >= len(values); inbox = inbox[len(values):] {
		for i := range values {
			weights[i], values[i] = inbox[i].Weight, inbox[i].Payload.(*messages.Vector).Values
		}
		kernel.Axpy4(z, &weights, &values)
	}
	for i := range inbox {
		r.add(z, inbox[i].Weight, inbox[i].Payload.(*messages.Vector).Values)
	}
}

// add computes z += w q, q mapped. The last entry of push-sum, the mass, is not mapped. The
// others are map(n/mass), times the mass.
func (r *Rule) add(z []float64, w float64, q []float64) {
	switch {
	case r.Map == nil:
		kernel.Axpy(z, w, q)
	case r.PushSum:
		d := len(z) - 1
		share := float64(w * q[d])
		for k := range z[:d] {
			z[k] += float64(share * r.Map(q[k]/q[d]))
		}
		z[d] += share
	default:
		for k := range z {
			z[k] += float64(w * r.Map(q[k]))
		}
	}
}

// inTime returns the messages of the turn before, in the inbox's own memory.
func inTime(in *Received) []messages.Envelope {
	n := 0
	for i := range in.Messages {
		if int(in.Messages[i].Sent) >= in.Since {
			in.Messages[n] = in.Messages[i]
			n++
		}
	}
	return in.Messages[:n]
}

// renormalise scales the sum z of the messages that arrived. Both weights are added up in the
// order of the senders, so that they are equal where nothing is missing or late.
func (h *Inbox) renormalise(z []float64, in *Received) {
	var arrived float64
	for i := range in.Messages {
		arrived += in.Messages[i].Weight
	}
	switch expected := expectedWeight(in); {
	case arrived == expected:
	case arrived == 0:
		h.rule.add(z, expected, h.last)
	default:
		kernel.Scale(z, expected/arrived, z)
	}
}

// addHeld adds up the vectors held of the neighbours of the turn before.
func (h *Inbox) addHeld(z []float64, in *Received) {
	for i, j := range in.From {
		h.rule.add(z, in.Weights[i], h.heldOf(j))
	}
}

// leastMass is the smallest mass that a node goes on with. Under MissingDrop a lost mass is
// lost for good, and all masses shrink; far above the smallest number, ratios are as exact as
// ever.
const leastMass = 1e-200

// divide divides the sums z by the mass that is their last entry, and makes that the node's
// own. Where nothing at all arrived the node goes on from its own last release and mass: both
// are public, and so privacy holds. A mass that is no positive number breaks the run:
// delivered weights differ from the checked ones, or next to everything is lost.
func (h *Inbox) divide(z []float64) error {
	d := len(z) - 1
	if z[d] == 0 && !h.Running() { // no message has a mass or weight of 0
		h.rule.add(z, 1, h.last)
	}
	mass := z[d]
	switch {
	case mass == 0:
		return errors.New("nothing new has arrived, not even from the node itself: missing: running-sum needs self-loops")
	case !(mass > 0) || math.IsInf(mass, 1):
		return fmt.Errorf("the mass of push-sum is %v, want a number above 0", mass)
	case mass < leastMass:
		return fmt.Errorf("the mass of push-sum is down to %v: dropped messages lose it for good; missing: renormalise or hold keeps it", mass)
	}
	for k := range z[:d] {
		z[k] /= mass
	}
	h.mass = mass
	return nil
}

// Keep goes through the memory of the node, for the State of the machine.
func (h *Inbox) Keep(c *messages.Codec) {
	if h.last != nil {
		c.Floats("q", h.last)
	}
	if h.rule.PushSum {
		c.Float(QuantityMass, &h.mass)
	}
	if h.rule.Missing == MissingHold || h.Running() {
		h.held.State(c, "held", "from", len(h.rule.Start))
	}
	if h.rule.Accumulates {
		c.Int32("owed.steps", &h.owed.steps)
		c.Float("owed.l1", &h.owed.moves.L1)
		c.Float("owed.l2", &h.owed.moves.L2)
		c.Int("owed.entries", &h.owed.moves.Entries)
	}
	if h.Running() {
		h.said.State(c, "said", "to", len(h.rule.Start))
		c.Floats("own", h.own)
	}
}
