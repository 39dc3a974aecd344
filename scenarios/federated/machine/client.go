package machine

import (
	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
)

// client is the machine of a client.
type client struct {
	at   *Setting
	own  Client
	node messages.NodeID
	to   messages.NodeID // its server
	part aggregation.Attendance
	said []float64 // the server's last message
	// filter bounds the client's loss in a run; nil is none.
	filter *aggregation.Filter
	// sent is a Keeper's message of the round before; empty where it has sent none, or knows
	// already whether the round was aborted.
	sent []float64
}

// State implements algorithm.Machine.
func (c *client) State(codec *messages.Codec) {
	c.part.State(codec)
	codec.Floats("w", c.said)
	if c.at.Keeps && c.at.Sharing != nil {
		codec.List("sent", &c.sent, c.at.Width)
	}
	if c.filter != nil {
		c.filter.State(codec)
	}
	c.own.State(codec)
}

// Step implements algorithm.Machine.
func (c *client) Step(t *algorithm.Turn) error {
	if !c.hear(t) {
		t.Stop("the server has stopped")
		return nil
	}
	round, there := c.at.Calendar.Round(t.Step)
	if !there {
		return nil
	}
	if err := c.pay(t, round); err != nil {
		return stopped(t, err)
	}
	if !c.at.Participation.Takes(t, c.node, round, &c.part) {
		return nil
	}
	return c.answer(t)
}

// answer takes the local steps of a client in a round that it takes part in, and sends its vector.
func (c *client) answer(t *algorithm.Turn) error {
	of := c.at.Sharing
	if of != nil && of.Drops(t) || c.at.Steps.Done(int(c.node)-1, t.Step) == 0 {
		return nil
	}
	w := c.at.Width
	v := t.Vector(c.at.Sent())
	copy(v.Values[w:], c.said[w:]) // the version
	receipt, err := c.own.Update(t, v.Values[:w], c.said[:w])
	if err != nil {
		return stopped(t, err)
	}
	if c.at.Record {
		if _, keeps := c.own.(Keeper); keeps {
			t.Made(v.Values)
		}
		c.keep(v.Values)
		c.at.timed(t, c.node, v)
		return t.Send(c.to, v, algorithm.Released(receipt))
	}
	clipped := 0.0
	clip := c.at.clipOf(c.node)
	if update := v.Values[:w]; kernel.Norm(update) > clip {
		kernel.Scale(update, clip/kernel.Norm(update), update)
		clipped = 1
	}
	t.Record(QuantityClipped, clipped)
	if c.filter != nil {
		shorten(c.filter, v.Values[:w])
	}
	c.keep(v.Values[:w])
	if of == nil {
		c.at.timed(t, c.node, v)
		return t.SendRaw(c.to, v)
	}
	return c.share(t, v)
}

// pay has a client whose loss is its own pay for the round: before its draw, for the loss of a sample
// is of clients that are not drawn, too.
func (c *client) pay(t *algorithm.Turn, round int) error {
	if c.at.Individual == nil {
		return nil
	}
	loss := c.at.Individual.Pays(c.node, round, c.filter)
	if loss == (accountant.Loss{}) {
		return nil
	}
	if c.filter != nil {
		c.filter.Turns++
	}
	return t.Spend(loss)
}

// shorten shortens a vector to the bound of a filter, in place, and has the filter note it. It is
// recorded nowhere, for it shows how much is left.
func shorten(of *aggregation.Filter, update []float64) {
	norm, bound := kernel.Norm(update), of.Bound()
	if norm <= bound {
		of.Pay(norm, false)
		return
	}
	kernel.Scale(update, bound/norm, update)
	of.Pay(bound, true)
}

// keep has a Keeper go on from its message: at once, or once it knows that the round was not
// aborted.
func (c *client) keep(sent []float64) {
	keeper, ok := c.own.(Keeper)
	switch {
	case !ok:
	case c.at.Sharing == nil:
		keeper.Keep(sent)
	default:
		c.sent = append(c.sent[:0], sent...)
	}
}

// share sends a vector with the client's own noise. Without noise it pays an infinite loss, as
// nothing bounds the losses to others.
func (c *client) share(t *algorithm.Turn, v *messages.Vector) error {
	if !c.at.Sharing.Private() {
		if err := t.Spend(accountant.NotPrivate()); err != nil {
			return stopped(t, err)
		}
		c.at.timed(t, c.node, v)
		return t.SendRaw(c.to, v)
	}
	receipt, err := c.at.Sharing.Release(t, v)
	if err != nil {
		return stopped(t, err)
	}
	if err := c.at.Sharing.Encode(v); err != nil {
		return err
	}
	c.at.timed(t, c.node, v)
	return t.Send(c.to, v, algorithm.Released(receipt))
}

// hear takes the server's message. It is false if the server has stopped. A server with a
// buffer sends nothing in many rounds, and its messages can come late: the newest counts.
func (c *client) hear(t *algorithm.Turn) bool {
	if c.at.Buffer == nil {
		if len(t.Inbox) > 0 {
			said := t.Inbox[len(t.Inbox)-1].Payload.(*messages.Vector).Values
			if w := c.at.Width; len(c.sent) > 0 && said[w] > c.said[w] { // not aborted
				c.own.(Keeper).Keep(c.sent)
			}
			c.sent = c.sent[:0]
			copy(c.said, said)
		}
		return len(t.Inbox) > 0 || !c.at.Calendar.Has(t.Step-1)
	}
	for i := range t.Inbox {
		if said := t.Inbox[i].Payload.(*messages.Vector).Values; said[c.at.Width] > c.said[c.at.Width] {
			copy(c.said, said)
		}
	}
	return true
}
