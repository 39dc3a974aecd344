package gauge

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/messages"
)

// Participation counts the steps with participation, in a run with network effects: steps in which a
// node decided or, in a federated algorithm, at the end of which the server averaged
// something. A run without participation ends like any other. It records no metric.
type Participation struct {
	Of      Attendance
	present []atomic.Uint64 // a bit a step
	// sent is the number of messages between different nodes, and gone the number that never
	// arrived.
	sent, gone atomic.Int64
}

// Attendance is the extent of a run in which participants can take part.
type Attendance struct {
	FirstStep, Steps int
	Server           bool // participant 0 is a server, and its rounds count
	RoundSteps       int  // steps in a round of the server
}

// Begin implements Gauge.
func (t *Participation) Begin(*Span) []Column {
	t.present = make([]atomic.Uint64, (t.Of.Steps+63)/64)
	return nil
}

// note notes participation in a step.
func (t *Participation) note(step int) {
	at := step - t.Of.FirstStep
	t.present[at/64].Or(1 << (at % 64))
}

// Played implements Decisions. A participant that plays on takes part no more.
func (t *Participation) Played(_ messages.NodeID, at At, _ []float64) {
	if !t.Of.Server && !at.Over {
		t.note(at.Step)
	}
}

// Digest implements Digesting: the fact that there was a decision is enough.
func (t *Participation) Digest(dst []float64, _ messages.NodeID, _ At, _ []float64) []float64 {
	return dst
}

// Take implements Digesting.
func (t *Participation) Take(node messages.NodeID, at At, _ []float64) { t.Played(node, at, nil) }

// Recorded implements Quantities.
func (t *Participation) Recorded(_ messages.NodeID, at At, quantity string, value float64) {
	if t.Of.Server && quantity == Participants && value > 0 {
		t.note(at.Step)
	}
}

// Sent implements Sendings.
func (t *Participation) Sent(_ At, messages, _ int64) { t.sent.Add(messages) }

// Fates implements Network.
func (t *Participation) Fates(_ At, f algorithm.Fates) { t.gone.Add(f.Lost + f.Dropped + f.Underway) }

// Absence returns a text if nobody took part in most rounds, or if no message arrived; empty
// otherwise. Steps after the first of stops do not count. The run must be over.
func (t *Participation) Absence(stops []Stop) string {
	p := &t.Of
	steps, attended := p.Steps, 0
	if len(stops) > 0 {
		steps = stops[0].Step - p.FirstStep + 1
	}
	for i := range t.present {
		attended += bits.OnesCount64(t.present[i].Load())
	}
	rounds, what := steps, "steps nobody took part, for the network kept everybody down"
	if p.Server {
		rounds = steps / max(1, p.RoundSteps)
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

// State implements Gauge.
func (t *Participation) State(c *messages.Codec) {
	for i := range t.present {
		c.Bits("present", &t.present[i])
	}
	c.Count("sent", &t.sent)
	c.Count("gone", &t.gone)
}
