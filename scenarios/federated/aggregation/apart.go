package aggregation

import (
	"math"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/section/mechanisms"
)

// Clients may have noise of their own on their messages, which the server sees one by one. No
// other message hides theirs: each pays for its own, to every observer.

// noiseOf is the noise of a client's message.
func (s *Sharing) noiseOf(client messages.NodeID) noise.Additive {
	own := s.own
	if s.shares != nil {
		own = noise.Additive{Law: noise.GaussianLaw, Scale: s.shares.Share().Scale}
	}
	if s.of.Factors != nil {
		own.Scale *= s.of.Factors[client-1]
	}
	return own
}

// MessageOf is the loss of a client to an observer that sees its message by itself.
func (s *Sharing) MessageOf(client messages.NodeID) accountant.Loss {
	if s.of.Factors == nil {
		return s.Message()
	}
	return s.noiseOf(client).Loss(s.moves())
}

// dearest returns the client with the least noise, which pays the most.
func (s *Sharing) dearest() messages.NodeID {
	least := 0
	for i, factor := range s.of.Factors {
		if factor < s.of.Factors[least] {
			least = i
		}
	}
	return messages.NodeID(least + 1)
}

// paidFor is the worth of payments that are the losses to an observer.
var paidFor = &ledger.Worth{
	Of:   func(_ uint64, _ messages.NodeID, _ int, paid accountant.Loss) accountant.Loss { return paid },
	Most: func(_ int, paid accountant.Loss) accountant.Loss { return paid },
}

// weigh returns the weights of the messages of clients, with mean 1; nil means equal ones.
func (s *Sharing) weigh() []float64 {
	if s.Weights != InverseVariance || s.of.Factors == nil {
		return nil
	}
	return mechanisms.InverseVariance(s.of.Factors)
}

// Weight is the weight of a client's message in the mean of a round. It is 1 of nil.
func (s *Sharing) Weight(client messages.NodeID) float64 {
	if s == nil || s.weights == nil {
		return 1
	}
	return s.weights[client-1]
}

// strength is the root of the mean square of the factors of clients.
func (s *Sharing) strength() float64 {
	if s.of.Factors == nil {
		return 1
	}
	sum := 0.0
	for _, factor := range s.of.Factors {
		sum += float64(factor * factor)
	}
	return math.Sqrt(sum / float64(len(s.of.Factors)))
}
