package gauge

import (
	"sync/atomic"

	"starling/messages"
)

var rounds = Measure{
	Metric: Of(Rounds),
	New:    func(_ *Measure, r *Run) Gauge { return &talks{every: max(1, r.RoundSteps)} },
}

// talks counts the rounds in which something was sent: in the last of their steps. A round has
// every steps.
type talks struct {
	every int
	span  *Span
	sent  []atomic.Uint64 // a bit a round
}

// Begin implements Gauge.
func (t *talks) Begin(s *Span) []Column {
	t.span, t.sent = s, make([]atomic.Uint64, s.Steps()/t.every/64+1)
	return []Column{{Metric: Of(Rounds), Value: func(point int) (rounds float64) {
		for round := range (s.Points[point] - s.First + 1) / t.every {
			rounds += float64(t.sent[round/64].Load() >> (round % 64) & 1)
		}
		return rounds
	}}}
}

// Final implements Early.
func (*talks) Final(points int) int { return points }

// Sent implements Sendings.
func (t *talks) Sent(at At, messages, _ int64) {
	if steps := at.Step - t.span.First + 1; messages > 0 && steps%t.every == 0 {
		round := steps/t.every - 1
		t.sent[round/64].Or(1 << (round % 64))
	}
}

// State implements Gauge.
func (t *talks) State(c *messages.Codec) {
	for i := range t.sent {
		c.Bits("sent", &t.sent[i])
	}
}
