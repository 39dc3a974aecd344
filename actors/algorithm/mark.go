package algorithm

import (
	"errors"
	"fmt"

	"starling/mechanisms/accountant"
	"starling/messages"
)

// Mark says how much a payload shows of protected data, and why. Every sending has one. The
// zero value is Raw. A machine gets a mark from Raw, Public, Released or Turn.Follows, and the
// turn that sends the payload writes the mark's exposure into the payload: an exposure that a
// machine writes there itself counts for nothing.
type Mark struct {
	exposure messages.Exposure
	reason   Reason
	receipt  accountant.Receipt
	kind     markKind
}

type markKind uint8

const (
	markRaw markKind = iota
	markPublic
	markReleased
	markFollows
)

// Reason is why a payload that no receipt covers shows no protected data. The plan
// of a run lists the reasons that its algorithm has, and a ledger refuses others.
type Reason string

// Raw marks data, or results computed from them without protection.
func Raw() Mark { return Mark{} }

// Public marks a payload that depends on no protected data, for a stated reason.
func Public(reason Reason) Mark {
	return Mark{exposure: messages.Public, reason: reason, kind: markPublic}
}

// Released marks a mechanism's release, and payloads that follow from it: by the receipt that
// the mechanism gave. A receipt of a mechanism without noise leaves the payload raw.
func Released(receipt accountant.Receipt) Mark {
	m := Mark{receipt: receipt, kind: markReleased}
	if receipt.Protects() {
		m.exposure = messages.Released
	}
	return m
}

// Reported returns a mark that another process reports to a meter. It has no receipt, and no
// turn accepts it.
func Reported(exposure messages.Exposure, reason Reason) Mark {
	return Mark{exposure: exposure, reason: reason, kind: markReleased}
}

// Follows marks a payload that follows, for a stated reason, from releases of others that were
// sent to this node: from the messages of this turn, and of earlier turns from releases alone.
// The payload is raw if a message of this turn was.
func (t *Turn) Follows(reason Reason) Mark {
	m := t.FollowsFrom(reason, func(*messages.Envelope) bool { return true })
	if t.Blocks != nil && t.Blocks.Raw() {
		m.exposure = messages.Raw
	}
	return m
}

// FollowsFrom is Follows for a payload made of some messages of this turn only, for which used
// returns true, and of none of its blocks.
func (t *Turn) FollowsFrom(reason Reason, used func(*messages.Envelope) bool) Mark {
	m := Mark{exposure: messages.Released, reason: reason, kind: markFollows}
	inbox := t.received()
	for i := range inbox {
		if e := &inbox[i]; used(e) && e.Payload.Kind().Exposure() == messages.Raw {
			m.exposure = messages.Raw
			return m
		}
	}
	return m
}

// Exposure is the exposure of the payload.
func (m Mark) Exposure() messages.Exposure { return m.exposure }

// Reason is the stated reason; "" where a receipt or nothing covers the payload.
func (m Mark) Reason() Reason { return m.reason }

// Errors of marks that the turn does not accept.
var (
	errNoReason  = errors.New("sent a payload as public without a reason")
	errNoReceipt = errors.New("sent a payload as released without a receipt")
)

// check refuses a nil payload, and a mark without its ground: public or following without a
// reason, released without a receipt or with one of a release that the node has not paid for
// in this turn. Receipts that stand for many releases were paid for once; a ledger checks
// them.
func (t *Turn) check(p messages.Payload, m *Mark) error {
	if p == nil {
		return errPayloadMissing
	}
	switch m.kind {
	case markPublic, markFollows:
		if m.reason == "" {
			return errNoReason
		}
	case markReleased:
		if !m.receipt.Written() {
			return errNoReceipt
		}
		if !m.receipt.Stands() && !t.stepper.tally.HasPaid(m.receipt.Loss()) {
			return fmt.Errorf("sent a payload as released by a receipt for a loss of %s, which it has not paid in this turn", m.receipt.Loss())
		}
	}
	return nil
}
