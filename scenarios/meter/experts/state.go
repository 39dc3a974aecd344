package experts

import "starling/messages"

// State goes through all that the meter has taken in. It must not be called while
// the meter is; what reads is a new meter with the same options.
func (m *Meter) State(c *messages.Codec) {
	if m.tally != nil {
		c.Part("tally", m.tally)
	}
	messages.Each(c, "point", m.counted, func(at *counts) {
		c.Count("up", &at.up)
		c.Count("down", &at.down)
		c.Count("tested", &at.tested)
		c.Count("correct", &at.correct)
		c.Count("switches", &at.switches)
	})
	m.Sending.State(c)
	m.StopList.State(c)
}
