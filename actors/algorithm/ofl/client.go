package ofl

import (
	"starling/actors/algorithm"
	"starling/messages"
)

// client is a client that meets a learner: another one in every step, which sends the learner
// its datum and leaves. The actor of one that left serves the next; its identity follows from
// learner and step.
type client struct {
	shared  *shared
	learner int
	met     int // clients that have come and gone, by the schedule
}

// Step sends the datum, as it is: a learner is trusted with its clients' data,
// and the noise is the learner's to add.
func (c *client) Step(t *algorithm.Turn) error {
	c.met = t.Step + 1 // with effects of the network the learner may have missed some
	return t.SendRaw(Learner(c.learner), c.datum(t))
}

// datum is the datum of this step's client: where the data are kept, or drawn.
func (c *client) datum(t *algorithm.Turn) *messages.Vector {
	if kept := c.shared.kept; kept != nil {
		if row := kept.Stored(messages.NodeID(c.learner), t.Step+1); row != nil {
			return t.Lend(row)
		}
	}
	datum := t.Vector(c.shared.width)
	c.shared.Data.Datum(datum.Values, messages.NodeID(c.learner), t.Step+1)
	return datum
}

// State implements algorithm.Machine.
func (c *client) State(s *messages.Codec) { s.Int("met", &c.met) }
