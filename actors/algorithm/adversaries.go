package algorithm

import (
	"errors"
	"fmt"
	"slices"

	"starling/messages"
)

// Adversaries are participants with messages that are changed on their way to others; see
// Attack. Payments and exposures belong to the vectors that liars computed: a lie follows from
// those. Messages and bytes are counted as they were sent, and lies have no codec.
//
// With adversaries no machine is given sums in place of messages: each message has to be seen.
type Adversaries struct {
	Liars  messages.Nodes
	Attack Attack // nil of liars that send nothing
	// Clear is how many entries at the end of every vector stay true, such as the mass of
	// push-sum: receivers need them to read a message.
	Clear int
}

// silent reports whether the messages of a node reach only itself.
func (a *Adversaries) silent(node messages.NodeID) bool {
	return a != nil && a.Attack == nil && a.Liars.Has(node)
}

// Deceive replaces the messages of liars to a node by lies. It changes the inbox, not the
// payloads. A liar hears the truth. The error names a lie that is no number, by the label of its node.
func (a *Adversaries) Deceive(node messages.NodeID, inbox []messages.Envelope, label func(messages.NodeID) int) error {
	if a == nil || a.Attack == nil || a.Liars.Has(node) {
		return nil
	}
	var lies, honest [][]float64
	var at []int // of the lies
	exposure := messages.Public
	for i := range inbox {
		v := inbox[i].Payload.(*messages.Vector)
		said := v.Values[:len(v.Values)-a.Clear]
		liar := a.Liars.Has(inbox[i].From)
		if liar {
			said = slices.Clone(said)
			lies, at = append(lies, said), append(at, i)
		} else {
			honest = append(honest, said)
		}
		if liar || a.Attack.Knows() {
			exposure = min(exposure, v.Kind().Exposure()) // the worst is the least
		}
	}
	if len(lies) == 0 {
		return nil
	}
	a.Attack.Lie(lies, honest)
	for k, i := range at {
		values := inbox[i].Payload.(*messages.Vector).Values
		lie := &messages.Vector{Values: append(lies[k], values[len(values)-a.Clear:]...)}
		if err := lie.CheckFinite(); err != nil {
			return fmt.Errorf("the lie of node %d: %w", label(inbox[i].From), err)
		}
		lie.Expose(exposure)
		inbox[i].Payload = lie
	}
	return nil
}

// keep has a silent node hear its own payload, which is encoded.
func (t *Turn) keep(p messages.Payload, mark *Mark) {
	p.Expose(mark.exposure)
	if t.View.CanSend(t.node) {
		t.outbox.Append(t.node, p)
	}
}

// validateAdversaries refuses machines that see sums of their messages.
func (r *Run) validateAdversaries() error {
	if r.Adversaries == nil {
		return nil
	}
	for _, machine := range r.Machines {
		if _, ok := machine.(Folder); ok {
			return errors.New("adversaries lie to a machine that is given sums in place of messages")
		}
	}
	return nil
}
