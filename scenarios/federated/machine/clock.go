package machine

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/section/networks"
)

// Quantities that a client records for its part of a round, or the server for a round: the time in seconds, and
// the energy in joules where clients have a power.
const (
	QuantitySeconds = "seconds"
	QuantityJoules  = "joules"
)

// Quantities that a server records where clients check in: the work so far whose reports were not used, in
// seconds and in joules, abandoned attempts so far, the least number of rounds from one of a client to its next, the reports of
// the time zone with the fewest, and the late reports so far that were used.
const (
	QuantityWasted    = "time.wasted"
	QuantityLost      = "energy.wasted"
	QuantityAbandoned = "rounds.abandoned"
	QuantityApart     = "apart.least"
	QuantityZone      = "zones.fewest"
	QuantityLate      = "reports.late"
)

// Clock gives the rounds of a server their seconds. It is immutable.
type Clock struct {
	Speeds *networks.Speeds
	// Down and Up are the sizes of the messages of the server and of a client in bytes, as numbers.
	Down, Up int
	// Powered reports whether clients have a power.
	Powered bool
	// Batch is the mean size of a batch of a client, from 0.
	Batch func(client int) float64
}

// Effort is the time and the energy of a client, from 1, for its part of a round, with a message of numbers.
func (at *Setting) Effort(client messages.NodeID, step int) networks.Effort {
	return at.effort(client, step, at.Clock.Up)
}

// effort is Effort with a message of so many bytes.
func (at *Setting) effort(client messages.NodeID, step, up int) networks.Effort {
	c, i := at.Clock, int(client)-1
	samples := float64(at.Steps.Done(i, step)) * c.Batch(i)
	return c.Speeds.Effort(client, step, networks.Work{Down: c.Down, Up: up, Samples: samples})
}

// timed records the time and the energy of a client that is about to send its message of a round. A step that
// waits for no single client has them from the server.
func (at *Setting) timed(t *algorithm.Turn, client messages.NodeID, v *messages.Vector) {
	if at.Clock == nil || at.Arrivals != nil {
		return
	}
	e := at.effort(client, t.Step, v.WireSize())
	t.Record(QuantitySeconds, e.Seconds)
	if at.Clock.Powered && (at.Seats == nil || at.Seats.Timeline == nil) {
		t.Record(QuantityJoules, e.Joules)
	}
}

// tell records the seconds of a round of clients that check in, and its energy where they have a power.
func tell(t *algorithm.Turn, of *aggregation.Timeline, powered bool) {
	t.Record(QuantitySeconds, of.Seconds(t.Step))
	t.Record(QuantityWasted, of.Wasted(t.Step))
	if powered {
		t.Record(QuantityJoules, of.Joules(t.Step))
		t.Record(QuantityLost, of.WastedJoules(t.Step))
	}
	t.Record(QuantityAbandoned, float64(of.Abandoned(t.Step)))
	if apart := of.Apart(t.Step); apart > 0 {
		t.Record(QuantityApart, float64(apart))
	}
	t.Record(QuantityZone, of.Zone(t.Step))
	if of.Arrivals != nil {
		t.Record(QuantityLate, float64(of.Late(t.Step)))
	}
}
