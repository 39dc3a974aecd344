package results

import (
	"math"

	"starling/messages"
)

// State goes through the rows of the job. What reads is a new job of the same arm
// and seed.
func (j *Job) State(c *messages.Codec) {
	metrics := j.metrics
	if c.Reading() {
		metrics = nil
	}
	messages.Slice(c, "metric", &metrics, math.MaxInt32, func(name *string) { c.Text("", name) })
	if c.Reading() {
		for _, name := range metrics {
			j.intern(name)
		}
	}
	messages.Slice(c, "row", &j.samples, math.MaxInt32, func(s *sample) {
		messages.Integer(c, "step", &s.step)
		c.Float("value", &s.value)
		c.Int32("node", &s.node)
		c.Int32("metric", &s.metric)
		if s.metric < 0 || int(s.metric) >= len(j.metrics) {
			c.Check(false, "metric %d of %d", s.metric, len(j.metrics))
		}
	})
}
