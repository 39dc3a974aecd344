package ofl

import (
	"starling/actors/algorithm"
	"starling/messages"
)

// client is a client that meets a learner: another one in every step, which
// sends the learner what it holds and leaves. The actor of one that left serves
// the next; who it is follows from learner and step.
type client struct {
	shared  *shared
	learner int
	met     int // clients that have come and gone, by the schedule
}

// Step sends the datum, as it is: a learner is trusted with its clients' data,
// and the noise is the learner's to add.
func (c *client) Step(t *algorithm.Turn) error {
	c.met = t.Step // not all of them, where the network has effects
	datum := t.Vector(c.shared.width)
	c.shared.Data.Datum(datum.Values, c.learner, c.met)
	c.met++
	return t.SendRaw(Learner(c.learner), datum)
}

// State implements algorithm.Machine.
func (c *client) State(s *messages.Codec) { s.Int("met", &c.met) }
