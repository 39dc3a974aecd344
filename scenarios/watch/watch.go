package watch

import (
	"starling/actors/algorithm"
	"starling/messages"
	"starling/scenarios/meter"
)

// Meter is the meter of a job, whatever the family.
type Meter interface {
	algorithm.Meter
	// Finish hands over the metrics, once the run is over.
	Finish(meter.Recorder)
	// Stops lists who ended its part early, by step, then node.
	Stops() []meter.Stop
	// State goes through all that the meter has taken in; what reads is a new meter
	// of the same job.
	messages.Stateful
}

// Wrapper is a meter that stands before another one of the same job.
type Wrapper interface{ Beneath() Meter }
