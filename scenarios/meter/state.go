package meter

import (
	"starling/messages"
)

// State goes through all that the meter has taken in. It must not be called while
// the meter is; what reads is a new meter with the same options.
func (m *Meter) State(c *messages.Codec) {
	for k := range m.running {
		if m.runningState(c, k); c.Failed() {
			return
		}
	}
	for point := range m.Points {
		c.Enter("point", point)
		c.Float("consensus", &m.spread[point].consensus)
		c.Float("target", &m.spread[point].target)
		c.Leave()
	}
	for point := range m.tests {
		c.Enter("tests", point)
		c.Count("samples", &m.tests[point].samples)
		c.Count("correct", &m.tests[point].correct)
		c.Leave()
	}
	messages.Each(c, "moves", m.moves, func(at *moves) {
		c.Bits("largest", &at.largest)
		c.Count("count", &at.count)
		c.Count("over", &at.over)
	})
	m.decisionsState(c)
	m.fates.State(c)
	m.Sending.State(c)
	m.StopList.State(c)
}

// runningState goes through the sums of the k-th measured node.
func (m *Meter) runningState(c *messages.Codec, k int) {
	c.Enter("measured", k)
	defer c.Leave()
	c.Float("inner", &m.running[k].inner)
	c.Floats("gradient", m.running[k].gradient)
	messages.Integer(c, "kept", &m.kept[k])
	c.Check(m.kept[k] >= 0 && int(m.kept[k]) <= len(m.Points), "%d points of %d are noted", m.kept[k], len(m.Points))
	for point := 0; point < int(m.kept[k]) && !c.Failed(); point++ {
		c.Floats("linear", m.linearAt(point, k))
	}
}

// decisionsState goes through the points whose decisions are not all there: those
// of nodes that ended their part never come.
func (m *Meter) decisionsState(c *messages.Codec) {
	var open []int
	for point, d := range m.decisions {
		if d != nil {
			open = append(open, point)
		}
	}
	messages.Integers(c, "open", &open, len(m.decisions))
	for _, point := range open {
		if c.Check(point >= 0 && point < len(m.decisions), "decisions of point %d of %d", point, len(m.decisions)); c.Failed() {
			return
		}
		d := m.decisionsAt(point)
		c.Enter("decisions", point)
		c.Count("count", &d.count)
		c.Check(d.count.Load() >= 0 && d.count.Load() < int64(m.Nodes), "%d decisions of %d nodes", d.count.Load(), m.Nodes)
		c.Floats("x", d.x)
		c.Leave()
	}
}

// State goes through the part. What reads is a part of the same length.
func (p *Part) State(c *messages.Codec) {
	c.Same("length", len(p.linear))
	c.Floats("linear", p.linear)
}

// PartLength is how many numbers the part of a run has.
func (o Options) PartLength() int { return len(o.Points) * len(o.Measured) * (o.Problem.Dim() + 1) }

// NewPart returns a part of that many numbers, for one that is read.
func NewPart(length int) Part { return Part{linear: make([]float64, length)} }
