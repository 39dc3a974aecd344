package watch

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Turnout stands before the meter of a run whose network has effects and counts the
// steps in which somebody took part: in which a node decided or, of a federated
// algorithm, at whose end the server averaged something. A run in which nobody does
// ends like any other.
type Turnout struct {
	Meter
	of      Attendance
	Present []atomic.Uint64 // a bit a step
	// MessagesSent are the messages between different nodes, and gone those of them that
	// never arrived.
	MessagesSent, Gone atomic.Int64
}

// Attendance says when somebody can take part.
type Attendance struct {
	FirstStep, Steps int
	Server           bool // participant 0 is one, whose rounds count
	RoundSteps       int  // steps in a round of the server
}

// NewTurnout returns a meter that counts who takes part, before the meter m.
func NewTurnout(m Meter, of Attendance) *Turnout {
	return &Turnout{Meter: m, of: of, Present: make([]atomic.Uint64, (of.Steps+63)/64)}
}

// Beneath implements Wrapper.
func (t *Turnout) Beneath() Meter { return t.Meter }

// note notes that somebody took part in a step.
func (t *Turnout) note(step int) {
	at := step - t.of.FirstStep
	t.Present[at/64].Or(1 << (at % 64))
}

// Played implements algorithm.Meter.
func (t *Turnout) Played(node messages.NodeID, step int, x []float64) {
	if !t.of.Server {
		t.note(step)
	}
	t.Meter.Played(node, step, x)
}

// Recorded implements algorithm.Meter.
func (t *Turnout) Recorded(node messages.NodeID, step int, quantity string, value float64) {
	if t.of.Server && quantity == gauge.Participants && value > 0 {
		t.note(step)
	}
	t.Meter.Recorded(node, step, quantity, value)
}

// Sent implements algorithm.Meter.
func (t *Turnout) Sent(step int, messages, bytes int64) {
	t.MessagesSent.Add(messages)
	t.Meter.Sent(step, messages, bytes)
}

// Fates implements Network.
func (t *Turnout) Fates(step int, f algorithm.Fates) {
	t.Gone.Add(f.Lost + f.Dropped + f.Underway)
	if m, ok := t.Meter.(Network); ok {
		m.Fates(step, f)
	}
}

// Absence says that for the most part nobody took part, or that no message arrived;
// empty where that is not so. Steps after somebody's budget was spent do not count.
// The run must be over.
func (t *Turnout) Absence() string {
	p := &t.of
	steps, attended := p.Steps, 0
	if stops := t.Stops(); len(stops) > 0 {
		steps = stops[0].Step - p.FirstStep + 1
	}
	for i := range t.Present {
		attended += bits.OnesCount64(t.Present[i].Load())
	}
	rounds, what := steps, "steps nobody took part, for the network kept everybody down"
	if p.Server {
		rounds = steps / max(1, p.RoundSteps)
		what = "rounds the server averaged nothing: what was sent was lost or came too late, or nobody was there to send it"
	}
	switch {
	case rounds > 0 && 2*attended < rounds:
		return fmt.Sprintf("in %d of %d %s", rounds-min(attended, rounds), rounds, what)
	case t.MessagesSent.Load() > 0 && t.MessagesSent.Load() == t.Gone.Load():
		return fmt.Sprintf("none of the %d messages sent arrived", t.MessagesSent.Load())
	}
	return ""
}

// State implements Meter.
func (t *Turnout) State(c *messages.Codec) {
	for i := range t.Present {
		c.Bits("present", &t.Present[i])
	}
	c.Count("sent", &t.MessagesSent)
	c.Count("gone", &t.Gone)
	c.Part("", t.Meter)
}
