package messages_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/messages"
)

// action is one message as a machine sends it; broadcasts have no receiver.
type action struct {
	broadcast bool
	to        messages.NodeID
	payload   messages.Payload
}

// drawActions draws up to 20 messages to nodes 0 .. 5, at most one of them the
// broadcast, each with a payload of its own.
func drawActions(t *rapid.T) []action {
	actions := make([]action, rapid.IntRange(0, 20).Draw(t, "messages"))
	for i := range actions {
		actions[i] = action{
			to:      messages.NodeID(rapid.IntRange(0, 5).Draw(t, "to")),
			payload: &messages.Vector{Values: []float64{float64(i)}},
		}
	}
	if len(actions) > 0 && rapid.Bool().Draw(t, "broadcasts") {
		actions[rapid.IntRange(0, len(actions)-1).Draw(t, "broadcast")].broadcast = true
	}
	return actions
}

// fill plays the actions into an outbox and seals it.
func fill(o *messages.Outbox, actions []action) {
	for _, a := range actions {
		if a.broadcast {
			o.SetBroadcast(a.payload)
		} else {
			o.Append(a.to, a.payload)
		}
	}
	o.Seal()
}

// checkOutbox compares every accessor with the list of actions, whose index is
// the order of sending.
func checkOutbox(t *rapid.T, o *messages.Outbox, actions []action) {
	var broadcast messages.Payload
	singles := 0
	for i, a := range actions {
		if !a.broadcast {
			singles++
			continue
		}
		broadcast = a.payload
		if o.BroadcastSeq() != int32(i) {
			t.Fatalf("the broadcast has position %d, want %d", o.BroadcastSeq(), i)
		}
	}
	if o.Broadcast != broadcast {
		t.Fatalf("broadcast %v, want %v", o.Broadcast, broadcast)
	}
	if o.HasSingles() != (singles > 0) || o.Empty() != (len(actions) == 0) {
		t.Fatalf("HasSingles %v, Empty %v with %d messages, %d of them single", o.HasSingles(), o.Empty(), len(actions), singles)
	}
	for to := messages.NodeID(-1); to <= 6; to++ { // one beyond either end
		var want []messages.Single
		for i, a := range actions {
			if !a.broadcast && a.to == to {
				want = append(want, messages.Single{To: to, Seq: int32(i), Payload: a.payload})
			}
		}
		if got := o.Singles(to); !slices.Equal(got, want) { // payloads by identity
			t.Fatalf("Singles(%d) = %v, want %v", to, got, want)
		}
	}
}

func TestOutboxAgreesWithAFilter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o messages.Outbox
		// The same outbox again and again, as the runtimes use it.
		for range rapid.IntRange(1, 4).Draw(t, "turns") {
			o.Reset()
			checkOutbox(t, &o, nil)
			actions := drawActions(t)
			fill(&o, actions)
			checkOutbox(t, &o, actions)
		}
	})
}

func TestOutboxOrder(t *testing.T) {
	p := func(x float64) messages.Payload { return &messages.Vector{Values: []float64{x}} }
	var o messages.Outbox
	o.Append(7, p(0))
	o.Append(2, p(1))
	o.SetBroadcast(p(2))
	o.Append(7, p(3))
	o.Append(2, p(4))
	o.Seal()
	if got := o.BroadcastSeq(); got != 2 {
		t.Errorf("the broadcast between the singles has position %d, want 2", got)
	}
	if diff := cmp.Diff([]messages.Single{{To: 2, Seq: 1, Payload: p(1)}, {To: 2, Seq: 4, Payload: p(4)}}, o.Singles(2)); diff != "" {
		t.Errorf("singles to node 2 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]messages.Single{{To: 7, Seq: 0, Payload: p(0)}, {To: 7, Seq: 3, Payload: p(3)}}, o.Singles(7)); diff != "" {
		t.Errorf("singles to node 7 (-want +got):\n%s", diff)
	}
}

// A payload that the outbox kept after Reset would be kept from the garbage
// collector, and a reused vector from being told apart.
func TestResetKeepsNothing(t *testing.T) {
	var o messages.Outbox
	o.Append(1, &messages.Vector{})
	o.SetBroadcast(&messages.Vector{})
	o.Append(1, &messages.Vector{})
	o.Seal()
	held := o.Singles(1)
	o.Reset()
	if !o.Empty() || o.HasSingles() || o.Broadcast != nil || o.BroadcastSeq() != 0 || len(o.Singles(1)) != 0 {
		t.Errorf("after Reset: %+v", o)
	}
	for i, s := range held { // the outbox's own memory
		if s != (messages.Single{}) {
			t.Errorf("single %d is still there: %+v", i, s)
		}
	}
}

func TestOutboxAllocatesNothingInSteadyState(t *testing.T) {
	var o messages.Outbox
	payload := &messages.Vector{}
	turn := func() {
		o.Reset()
		for to := range messages.NodeID(8) {
			o.Append(7-to, payload)
		}
		o.SetBroadcast(payload)
		o.Seal()
		if len(o.Singles(3)) != 1 {
			t.Fatal("message lost")
		}
	}
	turn()
	if n := testing.AllocsPerRun(100, turn); n != 0 {
		t.Errorf("%v allocations a turn", n)
	}
}
