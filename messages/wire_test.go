package messages_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
)

// An outbox that went through its wire form answers every accessor as before.
func TestOutboxesSurviveTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		actions := drawActions(t)
		var sent messages.Outbox
		fill(&sent, actions)
		text := messages.Write([]byte{9}, &sent)
		var got messages.Outbox
		if err := messages.Read(text[1:], &got); err != nil {
			t.Fatalf("%d messages were not read: %v", len(actions), err)
		}
		if again := messages.Write([]byte{9}, &got); !bytes.Equal(text, again) {
			t.Fatalf("written again: %x, want %x", again, text)
		}
		for to := range messages.NodeID(6) {
			if a, b := sent.Singles(to), got.Singles(to); len(a) != len(b) {
				t.Fatalf("%d messages to node %d, want %d", len(b), to, len(a))
			}
		}
		if (sent.Broadcast == nil) != (got.Broadcast == nil) || sent.BroadcastSeq() != got.BroadcastSeq() {
			t.Fatal("the broadcast is another")
		}
	})
}

// No prefix of an outbox is one, and none makes the reader panic.
func TestOutboxRefusesEveryPrefix(t *testing.T) {
	var o messages.Outbox
	o.Append(3, &messages.Vector{Values: []float64{1, 2}})
	o.SetBroadcast(&messages.Vector{Exposure: messages.Released, Values: []float64{5}})
	o.Append(1, &messages.Vector{})
	o.Seal()
	text := messages.Write(nil, &o)
	for n := range text {
		if messages.Read(text[:n], new(messages.Outbox)) == nil {
			t.Errorf("%d bytes of %d are an outbox", n, len(text))
		}
	}
}

func FuzzOutbox(f *testing.F) {
	var o messages.Outbox
	o.Append(3, &messages.Vector{Values: []float64{1, 2}})
	o.SetBroadcast(&messages.Vector{Exposure: messages.Released, Values: []float64{5}})
	f.Add(messages.Write(nil, &o))
	f.Add([]byte{0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		var o messages.Outbox
		if messages.Read(text, &o) != nil {
			return
		}
		if again := messages.Write(nil, &o); !bytes.Equal(text, again) {
			t.Errorf("%x reads as an outbox that writes %x", text, again)
		}
	})
}
