package federated

import (
	"math"

	"starling/messages"
)

// State goes through all that the meter has taken in. It must not be called while
// the meter is; what reads is a new meter with the same options.
func (m *Meter) State(c *messages.Codec) {
	for i := range m.learners {
		c.Float("loss of a learner", &m.learners[i].loss)
	}
	c.List("left", &m.left, math.MaxInt32)
	c.Floats("loss", m.loss)
	c.Floats("noise", m.noise)
	for i := range m.rounds {
		c.Enter("round", i)
		c.Count("samples", &m.rounds[i].samples)
		c.Count("correct", &m.rounds[i].correct)
		c.Leave()
	}
	for point := range m.Points {
		c.Enter("point", point)
		c.Count("tests", &m.tests[point].samples)
		c.Count("correct", &m.tests[point].correct)
		at := &m.counted[point]
		c.Count("decisions", &at.decisions)
		c.Count("gradients", &at.gradients)
		c.Count("clipped", &at.clipped)
		c.Leave()
	}
	m.fates.State(c)
	m.Sending.State(c)
	m.StopList.State(c)
}
