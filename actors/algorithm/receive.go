package algorithm

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm/links"
	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/robust"
	"starling/messages"
)

// Missing says what Turn.Receive makes of messages that the graph would have
// brought, and that are not there: lost, late, or never sent because the neighbour is
// down. Where all are there the rules are the same, to the last bit. All are functions
// of what was released and of public values, so no privacy rests on them. Under
// push-sum the rule applies to value and mass together. The result is therefore still
// a weighted average of releases; missing messages only change the weights.
type Missing string

const (
	// MissingDrop sums what arrived with its weights. It is what the zero value means.
	// Of push-sum the mass that is lost is lost for good: masses shrink, and a run that
	// has lost all but nothing fails.
	MissingDrop Missing = "drop"
	// MissingRenormalise scales what arrived to the weight of what was expected; where
	// nothing arrived, the node's own last release takes its place. Of push-sum masses
	// stay about 1.
	MissingRenormalise Missing = "renormalise"
	// MissingHold takes the last release that arrived from each neighbour, and the
	// public start before the first. A node's state grows with the number of its
	// neighbours.
	MissingHold Missing = "hold"
	// MissingRunningSum is for push-sum, and loses no mass: a node sends along each link the
	// sum of all that it has ever released along it, each with its weight, of which the
	// receiver takes what is new to it. What is lost arrives with the next message of the
	// link (Hadjicostis, Vaidya, Dominguez-Garcia, IEEE TAC 61(6), 2016). A node's state
	// grows with the number of its links, and a node that forgot its own would break all
	// sums. It needs self-loops.
	MissingRunningSum Missing = "running-sum"
)

// missings lists the rules.
func missings() []Missing {
	return []Missing{MissingDrop, MissingRenormalise, MissingHold, MissingRunningSum}
}

// Known tells whether there is such a rule; the zero value is one.
func (m Missing) Known() bool { return m == "" || slices.Contains(missings(), m) }

// Rule is how the nodes of a run make one vector of what they hear: the same for all,
// and nothing changes it once there are machines.
type Rule struct {
	Missing Missing
	// Late is what becomes of a message that arrives in a later turn than the one after
	// its own. LateUse takes it as it arrives, with the weight it was sent with, beside
	// those that are in time; MissingHold then takes the newest of a neighbour.
	Late Late
	// Rows demands that the weights of what a node hears sum to 1 in every turn, as
	// those of doubly stochastic matrices do. A breach fails the run.
	Rows bool
	// Start, as long as a release, is what stands for the release of a neighbour that
	// nothing was heard of, and for a node's own before its first. It is public.
	Start []float64
	// Clear is how many entries at the end of a release, before its mass, take no noise:
	// they follow from what was released before and from public values.
	Clear int
	// PushSum has every release end with a mass, 1 in Start, and divides the sum of
	// what arrived by the sum of masses: for weights that are column stochastic only
	// (Kempe, Dobra, Gehrke, FOCS 2003).
	PushSum bool
	// Map, unless it is nil, is applied to every entry of a release, under push-sum to
	// every ratio, before they are summed.
	Map func(float64) float64
	// Combine, unless it is nil, takes the place of the sum that is weighted: of vectors of
	// which some may be lies. It needs a node that keeps what it releases, and neither masses
	// nor a Map. What it makes follows from releases as a sum does, and costs nothing more.
	Combine robust.Rule
}

// Check notes what is wrong, by the options missing and late.
func (r *Rule) Check(found *option.Faults) {
	found.Check(r.Missing.Known(), "missing", "unknown rule for missing messages %q; known: drop, renormalise, hold, running-sum", r.Missing)
	found.Check(r.Missing != MissingRunningSum || r.PushSum && r.Map == nil, "missing", "running-sum is for push-sum, which divides by the mass that arrives, and not for averages of logarithms")
	found.Check(r.Combine == nil || !r.PushSum, "combine", "push-sum divides a sum by the mass that arrives with it; want the mean")
	found.Check(r.Combine == nil || r.Map == nil, "combine", "averages of logarithms are means; want the mean")
	found.Check(r.Late.Known(), "late", "unknown rule for late messages %q; known: use, drop", r.Late)
}

// Heard is what a node keeps of what it heard and released, from turn to turn: part of
// the state of its machine.
type Heard struct {
	rule *Rule
	mass float64     // of push-sum, else 1
	last []float64   // released by the node itself; nil where no rule asks for it
	held links.Table // the last that arrived from each neighbour, of MissingHold and MissingRunningSum
	said links.Table // the sums that were sent along links, of MissingRunningSum
}

// running tells whether messages are running sums.
func (h *Heard) running() bool { return h != nil && h.rule.Missing == MissingRunningSum }

// NewHeard is of a node that has heard and released nothing yet.
func NewHeard(rule *Rule) Heard {
	h := Heard{rule: rule, mass: 1}
	if rule.Missing == MissingRenormalise || rule.PushSum || rule.Combine != nil {
		h.last = slices.Clone(rule.Start)
	}
	return h
}

// Quantities that machines of equals record, for meters.
const (
	// QuantityMass is the node's mass of push-sum, in every step. Where nothing is lost or
	// late and all nodes are up, those of a step sum to the number of nodes.
	QuantityMass = "mass"
	// QuantityMove is how far a mirror step goes, as a multiple of the most that a proof
	// allows.
	QuantityMove = "move"
	// QuantityFew is how many vectors there were, in a step in which they were fewer than
	// Rule.Combine takes.
	QuantityFew = "combine.few"
)

// Mass is the node's own, by which Receive last divided; 1 without push-sum.
func (h *Heard) Mass() float64 { return h.mass }

// Weigh records the mass of push-sum, if that is the rule: once in every step.
func (h *Heard) Weigh(t *Turn) {
	if h.rule.PushSum {
		t.Record(QuantityMass, h.mass)
	}
}

// Vector is what the node has to release to say x, which is copied: x, or under push-sum
// its mass times x and its mass. Where a release is longer than x, the entries between the
// two are arbitrary.
func (h *Heard) Vector(t *Turn, x []float64) *messages.Vector {
	v := t.Vector(len(h.rule.Start))
	kernel.Scale(v.Values[:len(x)], h.mass, x)
	if h.rule.PushSum {
		v.Values[len(v.Values)-1] = h.mass
	}
	return v
}

// secret is the part of a release that depends on data: all but the entries that are clear
// and the mass.
func (h *Heard) secret(release []float64) []float64 {
	n := len(release) - h.rule.Clear
	if h.rule.PushSum {
		n--
	}
	return release[:n]
}

// Remember has a node believe that its last release was that of another, which
// MissingRenormalise takes in later turns where nothing arrives, and MissingRunningSum adds to. For audits, which step
// a machine without noise through what one with noise has received.
func (h *Heard) Remember(of *Heard) {
	copy(h.last, of.last)
	h.said.Copy(&of.said)
}

// Hearer is a machine that keeps what it hears; its Heard is the machine's own.
type Hearer interface{ Memory() *Heard }

// Memory has every machine that embeds what it keeps be a Hearer.
func (h *Heard) Memory() *Heard { return h }

// Receive sums what the node hears in this turn, each message with its weight, in the
// order of the senders, to z, as long as a release; with Combine that makes z. Under push-sum z is the ratio, and
// its last entry the node's new mass. The errors are of weights that are not what the
// graph was to have.
func (t *Turn) Receive(h *Heard, z []float64) error {
	r := h.rule
	if t.heard != nil && r.Map == nil && r.Combine == nil && r.Missing != MissingHold && !h.running() && t.sumHeard(r, z) {
		if r.PushSum {
			return h.divide(z)
		}
		return nil
	}
	inbox := t.received()
	if r.Late != LateUse {
		inbox = inTime(t, inbox)
	}
	if err := r.checkWeights(t, inbox); err != nil {
		return err
	}
	if r.Combine != nil {
		h.combine(z, t, inbox)
		return nil
	}
	clear(z)
	switch r.Missing {
	case MissingHold:
		h.held.Keep(inbox)
		h.addHeld(z, t)
	case MissingRunningSum:
		h.held.Gain(z, t.node, inbox)
	default:
		r.addAll(z, inbox)
		if r.Missing == MissingRenormalise {
			h.renormalise(z, t, inbox)
		}
	}
	if r.PushSum {
		return h.divide(z)
	}
	return nil
}

// weightTolerance is how far the weights that a node gives may sum from 1.
const weightTolerance = 1e-9

// checkWeights holds the weights of a turn to what they are to be: numbers above 0, for
// a weight of 0 is no edge, and with Rows a sum of 1 over all that the graph has the
// node hear. Graphs are checked before a run; this is what was delivered.
func (r *Rule) checkWeights(t *Turn, inbox []messages.Envelope) error {
	for i := range inbox {
		if w := inbox[i].Weight; !(w > 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("the weight it gives node %d is %v, want a number above 0", t.stepper.run.Label(inbox[i].From), w)
		}
	}
	if !r.Rows {
		return nil
	}
	if sum := expectedWeight(t); !(math.Abs(sum-1) <= weightTolerance) {
		return fmt.Errorf("the weights it gives those it hears sum to %v, want 1 within %v", sum, weightTolerance)
	}
	return nil
}

// expectedWeight adds up the weights of all that the graph has the node hear, in the
// order of the senders.
func expectedWeight(t *Turn) (sum float64) {
	_, weights := t.Expected()
	for _, w := range weights {
		sum += w
	}
	return sum
}

// addAll adds up what arrived, four at a time where there is no map: z is then read and
// written once for four messages, and each entry adds them in the order of the senders.
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

// add computes z += w q, q mapped. Of the last entry of push-sum, the mass, no map is
// taken, and of the others that of n/mass, times the mass.
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
func inTime(t *Turn, inbox []messages.Envelope) []messages.Envelope {
	n := 0
	for i := range inbox {
		if !t.Late(&inbox[i]) {
			inbox[n] = inbox[i]
			n++
		}
	}
	return inbox[:n]
}

// renormalise scales the sum z of what arrived. Both weights are added up in the order
// of the senders, so that they are equal where nothing is missing or late.
func (h *Heard) renormalise(z []float64, t *Turn, inbox []messages.Envelope) {
	var arrived float64
	for i := range inbox {
		arrived += inbox[i].Weight
	}
	switch expected := expectedWeight(t); {
	case arrived == expected:
	case arrived == 0:
		h.rule.add(z, expected, h.last)
	default:
		kernel.Scale(z, expected/arrived, z)
	}
}

// addHeld adds up what is held of the neighbours of the turn before.
func (h *Heard) addHeld(z []float64, t *Turn) {
	from, weights := t.Expected()
	for i, j := range from {
		h.rule.add(z, weights[i], h.heldOf(j))
	}
}

// leastMass is the smallest mass that a node goes on with. What a network loses under
// MissingDrop it loses for good, and all masses shrink; far above the smallest number,
// ratios are as exact as ever.
const leastMass = 1e-200

// divide divides the sums z by the mass that is their last entry, and makes that the
// node's own. Where nothing at all arrived the node goes on from its own last release
// and mass: both are public, and so privacy holds. A mass that is no positive number
// breaks the run: weights were not what they were checked to be, or next to everything
// is lost.
func (h *Heard) divide(z []float64) error {
	d := len(z) - 1
	if z[d] == 0 && !h.running() { // no message has a mass or weight of 0
		h.rule.add(z, 1, h.last)
	}
	mass := z[d]
	switch {
	case mass == 0:
		return errors.New("nothing new has arrived, not even from the node itself: missing: running-sum needs self-loops")
	case !(mass > 0) || math.IsInf(mass, 1):
		return fmt.Errorf("the mass of push-sum is %v, want a number above 0", mass)
	case mass < leastMass:
		return fmt.Errorf("the mass of push-sum is down to %v: what is dropped is lost for good; missing: renormalise or hold keeps it", mass)
	}
	for k := range z[:d] {
		z[k] /= mass
	}
	h.mass = mass
	return nil
}

// Keep goes through what is kept, for the State of the machine.
func (h *Heard) Keep(c *messages.Codec) {
	if h.last != nil {
		c.Floats("q", h.last)
	}
	if h.rule.PushSum {
		c.Float(QuantityMass, &h.mass)
	}
	if h.rule.Missing == MissingHold || h.running() {
		h.held.State(c, "held", "from", len(h.rule.Start))
	}
	if h.running() {
		h.said.State(c, "said", "to", len(h.rule.Start))
	}
}
