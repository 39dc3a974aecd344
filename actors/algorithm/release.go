package algorithm

import (
	"errors"
	"fmt"

	"starling/actors/algorithm/inbox"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Release describes one release: its noise, the data that move it, and its keeper.
type Release struct {
	Noise noise.Additive
	// Shared, unless it is nil, is noise that the node has in common with others, beside
	// Noise, which is then its own, and Gaussian.
	Shared *noise.Shared
	// Moves is the amount by which neighbouring data move the release, all earlier releases
	// being the same. The loss of the release follows from it.
	Moves noise.Moves
	// Purpose keys the stream that the noise is drawn from.
	Purpose rng.Purpose
	// Public, unless it is empty, is the reason why the release shows nothing of any data,
	// with noise or without; Moves must then be zero.
	Public Reason
	// Refit fits noise to the moves of several steps, for inboxes that accumulate.
	Refit func(noise.Moves) noise.Additive
	// Kept, unless it is nil, takes the release before it is encoded for wires.
	Kept []float64
}

// Release adds noise to v in place and broadcasts it with the mark of the receipt: it pays
// before it draws, from the turn's stream of the purpose. Where the budget is spent nothing is
// sent, the node's part ends, and the error is nil. heard, unless it is nil, keeps the
// release, for its rule; under push-sum the last entry of v is a mass and takes no noise.
//
// If heard accumulates, a node that no other can hear in this turn makes no release: it pays
// nothing, draws no noise and hears its own vector as it is. The noise of its next release fits
// the moves of all steps since the last.
func (t *Turn) Release(r Release, v *messages.Vector, heard *inbox.Inbox) error {
	if heard.Accumulates() {
		moves, grown := heard.Owe(r.Moves)
		if t.View.Others() == 0 {
			return t.keepUnheard(v, heard)
		}
		if grown {
			r.Moves, r.Noise = moves, r.Refit(moves)
		}
	}
	mark, err := t.protect(&r, v, heard)
	if err != nil || mark == nil {
		return err
	}
	if heard.Accumulates() {
		heard.Settle()
	}
	if heard.Running() {
		return t.sendSums(heard, v, *mark)
	}
	return t.broadcast(v, mark)
}

// keepUnheard has a node that no other can hear go on from v, without noise and unencoded.
func (t *Turn) keepUnheard(v *messages.Vector, heard *inbox.Inbox) error {
	if t.outbox.Broadcast != nil {
		return errBroadcastTwice
	}
	if err := v.CheckFinite(); err != nil {
		return err
	}
	heard.Released(v.Values)
	v.Expose(messages.Raw)
	t.outbox.SetBroadcast(v) // which reaches the node itself alone
	return nil
}

// sendSums sends every out-neighbour the sum of all that was released along the link, each
// with its weight, a release included. The node itself, which loses nothing on the way, keeps
// its share.
func (t *Turn) sendSums(heard *inbox.Inbox, release *messages.Vector, mark Mark) error {
	for _, to := range t.View.Out() {
		v := &messages.Vector{Values: make([]float64, len(release.Values))}
		if weight := t.View.Weight(to); to == t.node {
			copy(v.Values, heard.Share(weight, release.Values))
		} else {
			copy(v.Values, heard.Say(to, weight, release.Values))
		}
		if err := t.Send(to, v, mark); err != nil {
			return err
		}
	}
	return nil
}

// ReleaseTo is Release to one out-neighbour of this turn.
func (t *Turn) ReleaseTo(to messages.NodeID, r Release, v *messages.Vector, heard *inbox.Inbox) error {
	mark, err := t.protect(&r, v, heard)
	if err != nil || mark == nil {
		return err
	}
	return t.Send(to, v, *mark)
}

// ReleaseEach is Release of a vector to each of several out-neighbours of this turn: one
// release of all of them side by side, of len(to) parts that are as long. Moves are the moves
// of all together, and they are paid for once. values is overwritten, and sent: it must not be
// changed after the call.
func (t *Turn) ReleaseEach(to []messages.NodeID, r Release, values []float64) error {
	if len(to) == 0 {
		return nil
	}
	mark, err := t.protect(&r, &messages.Vector{Values: values}, nil)
	if err != nil || mark == nil {
		return err
	}
	d := len(values) / len(to)
	for i, neighbour := range to {
		v := &messages.Vector{Values: values[i*d : (i+1)*d : (i+1)*d]}
		if err := t.Send(neighbour, v, *mark); err != nil {
			return err
		}
	}
	return nil
}

// Forward broadcasts v, which follows, for a stated reason, from the messages of others and
// the node's own releases; see Turn.Follows. It costs nothing. heard, unless it is nil, keeps
// it as the node's last release.
func (t *Turn) Forward(reason Reason, v *messages.Vector, heard *inbox.Inbox) error {
	mark := t.Follows(reason)
	if err := t.hold(v, heard); err != nil {
		return err
	}
	return t.broadcast(v, &mark)
}

// hold has heard keep a vector that is sent, as others hear it.
func (t *Turn) hold(v *messages.Vector, heard *inbox.Inbox) error {
	if heard == nil {
		return nil
	}
	if t.stepper.run.Wire != nil { // the vector that others hear, and its mark
		if err := t.encode(v, true); err != nil {
			return err
		}
	}
	heard.Released(v.Values)
	return nil
}

// made is a release that a node has made, with its receipt and the mark of its message: most
// nodes of a step make the same.
type made struct {
	Release
	receipt accountant.Receipt
	mark    Mark
}

// alike reports whether two releases are the same.
func (r *Release) alike(other *Release) bool {
	return r.Shared == nil && other.Shared == nil && r.Noise.Scale == other.Noise.Scale && r.Moves == other.Moves && r.Purpose == other.Purpose && r.Noise.Law == other.Noise.Law && r.Public == other.Public
}

// protect pays for the release and adds its noise. The mark is the stepper's own, until
// the next release, and nil where the budget refuses: v is then as it was, and the
// machine stops.
func (t *Turn) protect(r *Release, v *messages.Vector, heard *inbox.Inbox) (*Mark, error) {
	if r.Public != "" && !r.Moves.None() {
		return nil, fmt.Errorf("released a value that data move by %v as public: %s", r.Moves, r.Public)
	}
	secret := v.Values
	if heard != nil {
		secret = heard.Secret(secret)
	}
	last := &t.stepper.made
	var err error
	if last.receipt.Written() && last.alike(r) {
		err = r.Noise.Again(secret, t.Rand(r.Purpose), &last.receipt, t.pay)
	} else if last.receipt, err = t.add(r, secret); err == nil {
		last.Release, last.mark = *r, Released(last.receipt)
		if r.Public != "" {
			last.mark = Public(r.Public)
		}
	}
	if errors.Is(err, accountant.ErrBudget) {
		t.Stop(err.Error())
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t.Made(v.Values)
	copy(r.Kept, v.Values)
	return &last.mark, t.hold(v, heard)
}

// Made reports entries with their noise as the release of the node, for machines that add
// noise by themselves: an audit may change them, and the node goes on from them. See
// Run.Released.
func (t *Turn) Made(entries []float64) {
	if released := t.stepper.run.Released; released != nil {
		released(t.node, entries)
	}
}

// add pays for a release and adds its noise.
func (t *Turn) add(r *Release, secret []float64) (accountant.Receipt, error) {
	if r.Shared == nil {
		return r.Noise.Release(secret, t.Rand(r.Purpose), r.Moves, t.Spend)
	}
	// Both ends of an edge draw as often in a turn: the streams belong to the run.
	purpose := SharedPurpose(r.Purpose)
	key := t.stepper.streamKey(purpose.Again(t.stepper.tally.Draws(purpose)))
	from := noise.Drawing{Own: t.Rand(r.Purpose), Key: key, Node: t.drawer(), Step: t.Step, Hop: t.Hop}
	return r.Shared.Release(secret, from, r.Noise, r.Moves, t.Spend)
}

// SharedPurpose keys the streams of noise that nodes have in common, beside the streams of a
// purpose.
func SharedPurpose(own rng.Purpose) rng.Purpose { return own.Of("shared") }

// SendRaw sends data, or results computed from them without protection, to one out-neighbour
// of this turn.
func (t *Turn) SendRaw(to messages.NodeID, p messages.Payload) error { return t.Send(to, p, Raw()) }

// BroadcastRaw sends data, or results computed from them without protection, to every
// out-neighbour of this turn.
func (t *Turn) BroadcastRaw(p messages.Payload) error { return t.Broadcast(p, Raw()) }
