package algorithm

import (
	"errors"
	"fmt"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Release is the noise of one release, and what the release is.
type Release struct {
	Noise noise.Additive
	// Moves is by how much neighbouring data move what is released, all that was
	// released before being the same: what it costs follows from it.
	Moves noise.Moves
	// Purpose keys the stream that the noise is drawn from.
	Purpose rng.Purpose
	// Public, unless it is empty, is why the release shows nothing of any data, with
	// noise or without; Moves must then be zero.
	Public Reason
}

// Release adds noise to v in place and broadcasts it with the mark of the receipt: it
// pays before it draws, from the turn's stream of the purpose. Where the budget is
// spent nothing is sent, the node's part ends, and the error is nil. heard, unless it
// is nil, keeps what was released, for its rule; under push-sum the last entry of v is
// a mass and takes no noise.
func (t *Turn) Release(r Release, v *messages.Vector, heard *Heard) error {
	mark, paid, err := t.protect(r, v, heard)
	if err != nil || !paid {
		return err
	}
	return t.Broadcast(v, mark)
}

// ReleaseTo is Release to one out-neighbour of this turn.
func (t *Turn) ReleaseTo(to messages.NodeID, r Release, v *messages.Vector, heard *Heard) error {
	mark, paid, err := t.protect(r, v, heard)
	if err != nil || !paid {
		return err
	}
	return t.Send(to, v, mark)
}

// protect pays for the release and adds its noise. Where the budget refuses, v is as it
// was and the machine stops.
func (t *Turn) protect(r Release, v *messages.Vector, heard *Heard) (mark Mark, paid bool, err error) {
	if r.Public != "" && r.Moves != (noise.Moves{}) {
		return mark, false, fmt.Errorf("released what data move by %v as public: %s", r.Moves, r.Public)
	}
	secret := v.Values
	if heard != nil {
		secret = heard.secret(secret)
	}
	receipt, err := r.Noise.Release(secret, t.Rand(r.Purpose), r.Moves, t.Spend)
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return mark, false, nil
	}
	if err != nil {
		return mark, false, err
	}
	if heard != nil {
		copy(heard.last, v.Values)
	}
	if r.Public != "" {
		return Public(r.Public), true, nil
	}
	return Released(receipt), true, nil
}

// SendRaw sends data, or what was computed from them without protection, to one
// out-neighbour of this turn.
func (t *Turn) SendRaw(to messages.NodeID, p messages.Payload) error { return t.Send(to, p, Raw()) }

// BroadcastRaw sends data, or what was computed from them without protection, to every
// out-neighbour of this turn.
func (t *Turn) BroadcastRaw(p messages.Payload) error { return t.Broadcast(p, Raw()) }
