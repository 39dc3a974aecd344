package inbox

import (
	"cmp"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/messages"
)

// table holds a vector for each link of a node: part of the state of its machine. The zero
// value holds none.
type table struct{ links []link } // ascending by node

// link is the vector held for the link to or from a node.
type link struct {
	node   messages.NodeID
	sent   int32 // turn in which the newest was sent; -1 of none
	values []float64
}

// Find returns the vector held for the link with a node: read only, and until the next change.
func (t *table) Find(node messages.NodeID) (values []float64, found bool) {
	i, found := t.search(node)
	if !found {
		return nil, false
	}
	return t.links[i].values, true
}

func (t *table) search(node messages.NodeID) (index int, found bool) {
	return slices.BinarySearchFunc(t.links, node, func(l link, node messages.NodeID) int { return cmp.Compare(l.node, node) })
}

// at returns the link with a node, with zeros where there was none.
func (t *table) at(node messages.NodeID, length int) *link {
	i, found := t.search(node)
	if !found {
		t.links = slices.Insert(t.links, i, link{node, -1, make([]float64, length)})
	}
	return &t.links[i]
}

// Keep has the vectors that arrived take the place of those held for their links. It leaves a
// vector out that is no newer than the held one.
func (t *table) Keep(inbox []messages.Envelope) {
	for i := range inbox {
		t.keep(&inbox[i], nil)
	}
}

// Gain is Keep of sums. It adds to z, as long, the growth of each, and the node's own share in
// the place of its message to itself, which is no sum.
func (t *table) Gain(z []float64, self messages.NodeID, own []float64, inbox []messages.Envelope) {
	added := false
	for i := range inbox {
		e := &inbox[i]
		if !added && e.From >= self {
			kernel.Axpy(z, 1, own)
			added = true
		}
		if e.From != self {
			t.keep(e, z)
		}
	}
	if !added {
		kernel.Axpy(z, 1, own)
	}
}

// keep is Keep of one vector. Unless gain is nil, it adds the difference from the held vector
// to gain.
func (t *table) keep(e *messages.Envelope, gain []float64) {
	values := e.Payload.(*messages.Vector).Values
	l := t.at(e.From, len(values))
	if e.Sent <= l.sent {
		return
	}
	for k := range gain {
		gain[k] += values[k] - l.values[k]
	}
	l.sent = e.Sent
	copy(l.values, values)
}

// Add adds weight times values to the vector held for the link, and returns the sum, read only
// and until the next change.
func (t *table) Add(node messages.NodeID, weight float64, values []float64) (sum []float64) {
	l := t.at(node, len(values))
	kernel.Axpy(l.values, weight, values)
	return l.values
}

// State goes through the vectors held, of a length, under a name, for the State of the
// machine. side names the node at the other end: from or to.
func (t *table) State(c *messages.Codec, name, side string, length int) {
	last := messages.NodeID(-1)
	messages.Slice(c, name, &t.links, math.MaxInt32, func(l *link) {
		messages.Integer(c, side, &l.node)
		messages.Integer(c, "sent", &l.sent)
		if l.values == nil {
			l.values = make([]float64, length)
		}
		c.Floats("q", l.values)
		c.Check(l.node > last, "the message held of node %d comes after the one of node %d", l.node, last)
		last = l.node
	})
}
