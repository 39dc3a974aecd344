package scenarios

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/meter"
)

// turnout stands before the meter of a run whose network has effects and counts the
// steps in which somebody took part: in which a node decided or, of a federated
// algorithm, at whose end the server averaged something. A run in which nobody does
// ends like any other.
type turnout struct {
	jobMeter
	of      attendance
	present []atomic.Uint64 // a bit a step
	// sent are the messages between different nodes, and gone those of them that
	// never arrived.
	sent, gone atomic.Int64
}

var _ algorithm.NetworkMeter = (*turnout)(nil)

// attendance says when somebody can take part.
type attendance struct {
	firstStep, steps int
	server           bool // participant 0 is one, whose rounds count
	roundSteps       int  // steps in a round of the server
}

func newTurnout(m jobMeter, of attendance) *turnout {
	return &turnout{jobMeter: m, of: of, present: make([]atomic.Uint64, (of.steps+63)/64)}
}

func (t *turnout) beneath() jobMeter { return t.jobMeter }

// note notes that somebody took part in a step.
func (t *turnout) note(step int) {
	at := step - t.of.firstStep
	t.present[at/64].Or(1 << (at % 64))
}

// Played implements algorithm.Meter.
func (t *turnout) Played(node messages.NodeID, step int, x []float64) {
	if !t.of.server {
		t.note(step)
	}
	t.jobMeter.Played(node, step, x)
}

// Recorded implements algorithm.Meter.
func (t *turnout) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if t.of.server && quantity == meter.Participants && value > 0 {
		t.note(step)
	}
	t.jobMeter.Recorded(node, step, quantity, value)
}

// Sent implements algorithm.Meter.
func (t *turnout) Sent(step int, messages, bytes int64) {
	t.sent.Add(messages)
	t.jobMeter.Sent(step, messages, bytes)
}

// Fates implements algorithm.NetworkMeter.
func (t *turnout) Fates(step int, f algorithm.Fates) {
	t.gone.Add(f.Lost + f.Dropped + f.Underway)
	if m, ok := t.jobMeter.(algorithm.NetworkMeter); ok {
		m.Fates(step, f)
	}
}

// absence says that for the most part nobody took part, or that no message arrived;
// empty where that is not so. Steps after somebody's budget was spent do not count.
// The run must be over.
func (t *turnout) absence() string {
	p := &t.of
	steps, attended := p.steps, 0
	if stops := t.Stops(); len(stops) > 0 {
		steps = stops[0].Step - p.firstStep + 1
	}
	for i := range t.present {
		attended += bits.OnesCount64(t.present[i].Load())
	}
	rounds, what := steps, "steps nobody took part, for the network kept everybody down"
	if p.server {
		rounds = steps / max(1, p.roundSteps)
		what = "rounds the server averaged nothing: what was sent was lost or came too late, or nobody was there to send it"
	}
	switch {
	case rounds > 0 && 2*attended < rounds:
		return fmt.Sprintf("in %d of %d %s", rounds-min(attended, rounds), rounds, what)
	case t.sent.Load() > 0 && t.sent.Load() == t.gone.Load():
		return fmt.Sprintf("none of the %d messages sent arrived", t.sent.Load())
	}
	return ""
}

// State implements jobMeter.
func (t *turnout) State(c *messages.Codec) {
	for i := range t.present {
		c.Bits("present", &t.present[i])
	}
	c.Count("sent", &t.sent)
	c.Count("gone", &t.gone)
	c.Part("", t.jobMeter)
}
