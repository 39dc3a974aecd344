package dpfl

import (
	"errors"

	"starling/messages"
)

// State goes through all that the meter has taken in. It must not be called while
// the meter is; what reads is a new meter with the same options.
func (m *Meter) State(c *messages.Codec) {
	messages.Each(c, "client", m.clients, func(one *client) { one.state(c) })
	messages.Each(c, "snapshot", m.at, func(at *snapshot) {
		c.Bool("set", &at.set)
		at.client.state(c)
	})
	messages.Each(c, "round", m.rounds, func(r *round) { r.state(c) })
	m.fates.State(c)
	c.Floats("last", m.last)
	c.Int("ended", &m.ended)
	c.List("chosen", &m.chosen, m.Rounds)
	c.List("free", &m.free, m.Rounds)
	c.Check(len(m.chosen) == len(m.free), "%d choices, and %d without rho", len(m.chosen), len(m.free))
	c.Int("done", &m.done)
	c.Float("rho", &m.statistics.Rho)
	c.Float("beta", &m.statistics.Beta)
	c.Float("xi", &m.statistics.Xi)
	m.Sending.State(c)
	m.StopList.State(c)
}

func (one *client) state(c *messages.Codec) {
	c.Float("clip", &one.clip)
	c.Int("rated", &one.rated)
}

func (r *round) state(c *messages.Codec) {
	c.Float("accuracy", &r.accuracy)
	c.Float("loss", &r.loss)
	c.Float("tau", &r.tau)
	c.Float("rounds", &r.rounds)
	failed := ""
	if r.failed != nil {
		failed = r.failed.Error()
	}
	if c.Text("failed", &failed); c.Reading() && failed != "" {
		r.failed = errors.New(failed)
	}
}
