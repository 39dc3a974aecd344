package aggregation

import (
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
)

// Records is the noise of clients that protect their samples: a sum of gradients that are
// clipped to Clip has noise of the standard deviation Sigma Clip in every local step. Sigma is
// 0 without noise, and Clip may be +Inf then.
type Records struct {
	Sigma, Clip float64
	// Steps are the local steps of a round.
	Steps int
	// Rates are the sampling rates of a step, by client, from 0.
	Rates []float64
	// Most is the largest participation of a client.
	Most factorization.Participation
}

// Noise is the noise of a local step: none where nothing is clipped.
func (r *Records) Noise() noise.Gaussian {
	if r.Sigma == 0 {
		return noise.Gaussian{}
	}
	return noise.Gaussian{Scale: r.Sigma * r.Clip}
}

// Price is the loss of a client, from 0, in one local step.
func (r *Records) Price(client int) accountant.Loss {
	return r.Noise().SampledLoss(r.Clip, r.Rates[client])
}

// Loss implements Noise: the client with the largest rate, which has the fewest samples, pays
// the most for a step.
func (r *Records) Loss(round int) accountant.Loss {
	if !pays(r.Most, round) {
		return accountant.Loss{}
	}
	largest := 0
	for i, rate := range r.Rates {
		if rate > r.Rates[largest] {
			largest = i
		}
	}
	loss := r.Price(largest)
	loss.Sampled.Steps *= r.Steps
	return loss
}

// Bill implements Noise: clients pay for every local step of the rounds that they take part in.
func (r *Records) Bill(node messages.NodeID, _ int, _ ledger.Moment) ledger.ExpectedPayment {
	if node == 0 {
		return ledger.ExpectedPayment{}
	}
	return ledger.Pays(r.Price(int(node)-1), r.Steps, r.Steps)
}

// Drowning implements Noise. It returns zeros for noise in local steps.
func (*Records) Drowning() (size, signal float64) { return 0, 0 }

// Metrics implements Noise.
func (*Records) Metrics() metric.List { return nil }
