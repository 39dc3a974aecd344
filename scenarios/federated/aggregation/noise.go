package aggregation

import (
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Noise is the noise of a round, with the participants that add it and pay for it: participant
// 0, the server, or the clients from 1. It is immutable.
type Noise interface {
	// Loss is the loss in the round of a step, from 1, of the participant that pays the most.
	Loss(step int) accountant.Loss
	// Bill is the bill of a participant in the round of a step in which it adds noise.
	Bill(node messages.NodeID, step int, moment ledger.Moment) ledger.ExpectedPayment
	// Drowning returns the noise of a round and the signal that it hides, both in 2-norm;
	// zeros where neither is informative.
	Drowning() (size, signal float64)
	// Metrics lists the metrics of the noise that runs record, each under its own name.
	Metrics() metric.List
}

var (
	_ Noise = (*Trusted)(nil)
	_ Noise = (*Records)(nil)
	_ Noise = (*Sharing)(nil)
)

// Quantities that machines record. With a trusted server: its noise on the sum of all rounds
// so far. With a server that is not trusted: the aborted rounds, and the entries that wrapped
// round.
const (
	QuantityNoise   = "noise.rounds"
	QuantityAborted = "rounds.aborted"
	QuantityWrapped = "aggregation.wrapped"
)

var (
	roundsNoise    = metric.Metric{Name: QuantityNoise, Summary: "noise of a trusted server on the sum of the mean vectors of all rounds so far: its root mean square over the coordinates", Label: "noise on the sum of rounds", Better: metric.LowerIsBetter, Level: metric.OfRun}
	abortedRounds  = metric.Metric{Name: QuantityAborted, Summary: "number of rounds so far that had too few messages for the stated noise, so that nobody learned from them. Recorded with secure aggregation", Label: "aborted rounds", Unit: "rounds", Better: metric.LowerIsBetter, Level: metric.OfRun}
	wrappedEntries = metric.Metric{Name: QuantityWrapped, Summary: "share of the entries of the round's sum that wrapped round the modulus of discrete shares, and are wrong, from 0 to 1. A message that wraps round by itself does no harm", Label: "wrapped entries", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.Rate}
)

// Metrics lists the metrics of all kinds of noise.
func Metrics() metric.List { return metric.List{roundsNoise, abortedRounds, wrappedEntries} }

// pays reports whether a client that takes part whenever it may pays in a step, from 1. Of
// the first r rounds it is in ceil(r/Apart) at most, and pays for so many.
func pays(most factorization.Participation, calendar *Calendar, step int) bool {
	round, there := calendar.Round(step)
	return there && (round-1)%most.Apart == 0 && (round-1)/most.Apart < most.Times
}
