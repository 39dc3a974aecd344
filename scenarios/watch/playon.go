package watch

import (
	"math"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

// PlayOn stands before the meter of a run whose nodes can end their part, because
// their budget is spent. A node that has ended its part still has to decide in every
// step: it decides as it did last, learns nothing more, and pays for that. So regret,
// losses and distances are those of all nodes over all steps, and a run that stopped
// early is compared with one that did not over the same steps.
type PlayOn struct {
	Meter
	end  int        // the step after the last
	last []decision // by participant
}

// decision is the last of a participant.
type decision struct {
	step int
	x    []float64 // len d; nil before the first
}

// NewPlayOn stands before a meter of so many participants; end is the step after the
// last.
func NewPlayOn(m Meter, end, participants int) *PlayOn {
	return &PlayOn{Meter: m, end: end, last: make([]decision, participants)}
}

// Beneath implements Wrapper.
func (p *PlayOn) Beneath() Meter { return p.Meter }

// Played implements algorithm.Meter.
func (p *PlayOn) Played(node messages.NodeID, step int, x []float64) {
	d := &p.last[node]
	d.step, d.x = step, append(d.x[:0], x...)
	p.Meter.Played(node, step, x)
}

// Fates implements Network.
func (p *PlayOn) Fates(step int, f algorithm.Fates) {
	if m, ok := p.Meter.(Network); ok {
		m.Fates(step, f)
	}
}

// Finish implements Meter. It plays the rest of the run step by step, so that a
// meter need not keep the decisions of many.
func (p *PlayOn) Finish(r gauge.Sheet) {
	stops := p.Stops()
	if len(stops) > 0 {
		for step := stops[0].Step; step < p.end; step++ {
			for _, s := range stops {
				if d := &p.last[s.Node]; d.x != nil && step > d.step {
					p.Meter.Played(s.Node, step, d.x)
				}
			}
		}
	}
	p.Meter.Finish(r)
}

// State implements Meter.
func (p *PlayOn) State(c *messages.Codec) {
	messages.Each(c, "last", p.last, func(d *decision) {
		c.Int("step", &d.step)
		c.List("x", &d.x, math.MaxInt32)
	})
	c.Part("", p.Meter)
}
