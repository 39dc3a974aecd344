package watch

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/gauge"
)

// Meter is the meter of a job, whatever the family: algorithm.Meter but for payments,
// which the ledger takes.
type Meter interface {
	Played(node messages.NodeID, step int, x []float64)
	Recorded(node messages.NodeID, step int, quantity string, value float64)
	Stopped(node messages.NodeID, step int, reason string)
	Sent(step int, messages, bytes int64)
	// Finish hands over the metrics, once the run is over.
	Finish(gauge.Sheet)
	// Stops lists who ended its part early, by step, then node.
	Stops() []gauge.Stop
	// State goes through all that the meter has taken in; what reads is a new meter
	// of the same job.
	messages.Stateful
}

// Network is a Meter that is told what becomes of messages; see algorithm.NetworkMeter.
type Network interface {
	Fates(step int, f algorithm.Fates)
}

// Wrapper is a meter that stands before another one of the same job.
type Wrapper interface{ Beneath() Meter }
