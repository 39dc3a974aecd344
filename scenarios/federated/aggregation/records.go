package aggregation

import (
	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/federated/participation"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Records is the noise of clients that protect their samples: Noise, on the sum of gradients of
// 2-norm Clip at most of every local step. Clip may be +Inf without noise.
type Records struct {
	Noise noise.Released
	Clip  float64
	// Steps are the local steps for each step since the round before, and Stragglers take fewer;
	// nil is none.
	Steps      int
	Stragglers *algorithm.DrawnStragglers
	Calendar   *participation.Calendar
	// Rates are the sampling rates of a step, by client, from 0.
	Rates []float64
	// Most is the largest participation of a client.
	Most factorization.Participation
}

// Of is the noise of a client, from 0, in one local step.
func (r *Records) Of(client int) noise.Released { return r.Noise.At(r.Rates[client]) }

// Loss implements Noise: the client with the largest rate, which has the fewest samples, pays
// the most for a step. It is planned for as a client that is never a straggler.
func (r *Records) Loss(step int) accountant.Loss {
	if !pays(r.Most, r.Calendar, step) {
		return accountant.Loss{}
	}
	largest := 0
	for i, rate := range r.Rates {
		if rate > r.Rates[largest] {
			largest = i
		}
	}
	loss := r.Of(largest).Loss()
	loss.Sampled.Steps *= r.Steps * r.Calendar.Since(step)
	return loss
}

// Bill implements Noise: clients pay for every local step that they take.
func (r *Records) Bill(node messages.NodeID, step int, _ ledger.Moment) ledger.ExpectedPayment {
	if node == 0 || int(node) > len(r.Rates) || !r.Calendar.Has(step) { // or a server
		return ledger.ExpectedPayment{}
	}
	steps := r.Stragglers.Steps(node, step, r.Steps*r.Calendar.Since(step))
	return ledger.Pays(r.Of(int(node)-1).Loss(), steps, steps)
}

// Drowning implements Noise. It returns zeros for noise in local steps.
func (*Records) Drowning() (size, signal float64) { return 0, 0 }

// Metrics implements Noise.
func (*Records) Metrics() metric.List { return nil }
