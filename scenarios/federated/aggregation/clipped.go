package aggregation

import (
	"slices"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
)

// Clients may have bounds of their own on the vectors of a sum that hides them. An observer of the sum
// that knows all messages but u, of which one is the client's, sees them with the noise of u shares at
// least, which is Gaussian and depends on no data. Client i moves the sum by C_i, its own bound, or by
// less: to the observer it is one Gaussian mechanism of sensitivity C_i and of the deviation of u shares. No
// bound of another client is in it. In a round with fewer messages than survivors nobody learns
// anything.
//
// No other value of a client changes its loss there. The server knows the sender of each message, so
// that a sample of clients is no secret and amplifies nothing. Noise that differs between clients adds up to the same
// sum for all clients, and protects them by the least deviation that the shares in a round can have, not
// by their own. The groups of a shuffled batch would have to be known to have messages enough of their
// own: the bounds in use are for batches of messages of one law.

// clipped reports whether clients have bounds of their own, and noise.
func (s *Sharing) clipped() bool { return s.of.Clips != nil && s.shares != nil }

// ClipOf is the 2-norm that the vectors of a client are clipped to.
func (s *Sharing) ClipOf(client messages.NodeID) float64 {
	if s.of.Clips == nil {
		return s.of.Clip
	}
	return s.of.Clips[client-1]
}

// longest is the largest of these bounds.
func (s *Sharing) longest() float64 {
	if s.of.Clips == nil {
		return s.of.Clip
	}
	return slices.Max(s.of.Clips)
}

// among is the loss of a client's message to an observer of the sum that knows all messages but so many,
// of clients with bounds of their own.
func (s *Sharing) among(client messages.NodeID, unknown int) accountant.Loss {
	return s.shares.Among(unknown).Loss(s.ClipOf(client))
}

// Clipped returns one client, from 0, of each bound of their own, in the order of clients; nil where
// there is one bound.
func (s *Sharing) Clipped() (first []int) {
	known := map[float64]bool{}
	for client, clip := range s.of.Clips {
		if !known[clip] {
			known[clip] = true
			first = append(first, client)
		}
	}
	return first
}

// MessageAmong is the loss of a round of a client, with bounds of their own, to an observer of the sum.
func (s *Sharing) MessageAmong(client messages.NodeID) accountant.Loss {
	return s.among(client, s.Least())
}

// worthAmong turns payments into the losses to an observer of sums that knows a number of messages
// besides the liars', of clients with bounds of their own.
func (s *Sharing) worthAmong(known int) *ledger.Worth {
	unknown := s.unknown(known)
	most, _, err := s.round(unknown)
	if err != nil { // the sharing was priced by the same
		most = accountant.NotPrivate()
	}
	return &ledger.Worth{
		Of: func(_ uint64, client messages.NodeID, _ int, _ accountant.Loss) accountant.Loss {
			return s.among(client, unknown)
		},
		Most: func(int, accountant.Loss) accountant.Loss { return most },
	}
}
