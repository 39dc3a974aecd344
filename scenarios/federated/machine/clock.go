package machine

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/section/networks"
)

// QuantitySeconds is the time that a client records for its part of a round, in seconds.
const QuantitySeconds = "seconds"

// Clock gives the rounds of a server their seconds. It is immutable.
type Clock struct {
	Speeds *networks.Speeds
	// Down and Up are the sizes of the messages of the server and of a client in bytes, as numbers.
	Down, Up int
	// Batch is the mean size of a batch of a client, from 0.
	Batch func(client int) float64
}

// Seconds is the time of a client, from 1, for its part of a round, with a message of numbers.
func (at *Setting) Seconds(client messages.NodeID, step int) float64 {
	return at.seconds(client, step, at.Clock.Up)
}

// seconds is Seconds with a message of so many bytes.
func (at *Setting) seconds(client messages.NodeID, step, up int) float64 {
	c, i := at.Clock, int(client)-1
	samples := float64(at.Steps.Done(i, step)) * c.Batch(i)
	return c.Speeds.Seconds(client, step, networks.Work{Down: c.Down, Up: up, Samples: samples})
}

// timed records the time of a client that is about to send its message of a round.
func (at *Setting) timed(t *algorithm.Turn, client messages.NodeID, v *messages.Vector) {
	if at.Clock != nil {
		t.Record(QuantitySeconds, at.seconds(client, t.Step, v.WireSize()))
	}
}
