package dpdonc

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
)

// Missing says what z_t is where messages are missing that the graph would have
// brought: lost, late, or never sent because the neighbour is down. Where all
// are there the three are the same, to the last bit. All are functions of what
// was released and of public values, so no privacy rests on them. Under push-sum
// the policy applies to value and mass together. z_t is therefore still a weighted
// average of released points; missing messages only change the weights.
type Missing string

const (
	// MissingDrop sums what arrived with its weights, which is Algorithm 1
	// taken by the letter. It is what the zero value means. Of push-sum the
	// mass that is lost is lost for good: masses shrink, steps and the error of
	// noise grow as much, and a run that has lost all but nothing fails.
	MissingDrop Missing = "drop"
	// MissingRenormalise scales what arrived to the weight of what was
	// expected; where nothing arrived, the node's own last release takes its
	// place. Of push-sum masses stay about 1.
	MissingRenormalise Missing = "renormalise"
	// MissingHold takes the last release that arrived from each neighbour,
	// and the public x_1 before the first. A node's state grows with the
	// number of its neighbours.
	MissingHold Missing = "hold"
)

// Late says what becomes of a message that arrives in a later turn than the one
// after its own.
type Late string

const (
	// LateUse takes it as it arrives, with the weight it was sent with, beside
	// those that are in time; MissingHold takes the newest of a neighbour. It
	// is what the zero value means.
	LateUse Late = "use"
	// LateDrop ignores it.
	LateDrop Late = "drop"
)

// held is the last release that arrived from a neighbour.
type held struct {
	from messages.NodeID
	sent int32
	q    []float64
}

// weightTolerance is how far the weights that a node gives may sum from 1.
const weightTolerance = 1e-9

// average writes z_t to z, as long as a release: (6) of the paper, of what arrived.
func (n *node) average(z []float64, t *algorithm.Turn) error {
	s := n.shared
	inbox := t.Inbox
	if s.Late == LateDrop {
		inbox = inTime(t)
	}
	if err := s.checkWeights(t, inbox); err != nil {
		return err
	}
	clear(z)
	if s.Missing == MissingHold {
		n.hold(inbox)
		n.addHeld(z, t)
	} else {
		for i := range inbox {
			s.add(z, inbox[i].Weight, inbox[i].Payload.(*messages.Vector).Values)
		}
		if s.Missing == MissingRenormalise {
			n.renormalise(z, t, inbox)
		}
	}
	if s.pushSum {
		if err := n.ratio(z); err != nil {
			return err
		}
	}
	z = z[:len(n.x)]
	if s.dual {
		for k := range z {
			z[k] = math.Exp(z[k])
		}
	} else if s.entropy {
		clip(z, s.Floor)
	}
	return nil
}

// checkWeights holds the weights of a turn to what they are to be: numbers above
// 0, for a weight of 0 is no edge, and with AverageRows a sum of 1 over all that
// the graph has the node hear. Graphs are checked before a run; this is what was
// delivered.
func (s *shared) checkWeights(t *algorithm.Turn, inbox []messages.Envelope) error {
	for i := range inbox {
		if w := inbox[i].Weight; !(w > 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("the weight it gives node %d is %v, want a number above 0", inbox[i].From+1, w)
		}
	}
	if !s.AverageRows {
		return nil
	}
	var sum float64
	_, weights := t.Expected()
	for _, w := range weights {
		sum += w
	}
	if !(math.Abs(sum-1) <= weightTolerance) {
		return fmt.Errorf("the weights it gives those it hears sum to %v, want 1 within %v", sum, weightTolerance)
	}
	return nil
}

// add computes z += w q, or z += w log max(q, floor) where dual points are
// averaged.
func (s *shared) add(z []float64, w float64, q []float64) {
	if s.pushSum {
		s.addPushed(z, w, q)
		return
	}
	if s.dual {
		for k := range z {
			z[k] += float64(w * math.Log(max(q[k], s.Floor)))
		}
		return
	}
	for k := range z {
		z[k] += float64(w * q[k])
	}
}

func clip(z []float64, floor float64) {
	for k := range z {
		z[k] = max(z[k], floor)
	}
}

// inTime returns the messages of the turn before, in the inbox's own memory.
func inTime(t *algorithm.Turn) []messages.Envelope {
	n := 0
	for i := range t.Inbox {
		if !t.Late(&t.Inbox[i]) {
			t.Inbox[n] = t.Inbox[i]
			n++
		}
	}
	return t.Inbox[:n]
}

// renormalise scales the sum z of what arrived. Both weights are added up in the
// order of the senders, so that they are equal where nothing is missing or late.
func (n *node) renormalise(z []float64, t *algorithm.Turn, inbox []messages.Envelope) {
	var arrived, expected float64
	for i := range inbox {
		arrived += inbox[i].Weight
	}
	_, weights := t.Expected()
	for _, w := range weights {
		expected += w
	}
	switch {
	case arrived == expected:
	case arrived == 0:
		n.shared.add(z, expected, n.q)
	default:
		for k := range z {
			z[k] *= expected / arrived
		}
	}
}

// hold keeps the newest of what arrived from each neighbour.
func (n *node) hold(inbox []messages.Envelope) {
	for i := range inbox {
		e := &inbox[i]
		k, found := n.find(e.From)
		if !found {
			n.held = slices.Insert(n.held, k, held{e.From, -1, make([]float64, n.shared.width())})
		}
		if h := &n.held[k]; e.Sent > h.sent {
			h.sent = e.Sent
			copy(h.q, e.Payload.(*messages.Vector).Values)
		}
	}
}

func (n *node) find(from messages.NodeID) (index int, found bool) {
	return slices.BinarySearchFunc(n.held, from, func(h held, from messages.NodeID) int { return cmp.Compare(h.from, from) })
}

// addHeld adds up what is held of the neighbours of the turn before.
func (n *node) addHeld(z []float64, t *algorithm.Turn) {
	from, weights := t.Expected()
	for i, j := range from {
		q := n.shared.first
		if k, found := n.find(j); found {
			q = n.held[k].q
		}
		n.shared.add(z, weights[i], q)
	}
}

// heldState goes through what is held.
func (n *node) heldState(c *messages.Codec) {
	last := messages.NodeID(-1)
	messages.Slice(c, "held", &n.held, math.MaxInt32, func(h *held) {
		messages.Integer(c, "from", &h.from)
		messages.Integer(c, "sent", &h.sent)
		if h.q == nil {
			h.q = make([]float64, n.shared.width())
		}
		c.Floats("q", h.q)
		c.Check(h.from > last, "what is held of node %d comes after that of node %d", h.from, last)
		last = h.from
	})
}
