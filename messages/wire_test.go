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
		text, err := sent.AppendBinary([]byte{9})
		if err != nil {
			t.Fatal(err)
		}
		r := messages.NewReader(append(text[1:], 7))
		got := messages.ReadOutbox(r)
		if r.Err() != nil || r.Byte() != 7 || r.End() != nil {
			t.Fatalf("%d messages were not read to their end: %v", len(actions), r.Err())
		}
		again, err := got.AppendBinary([]byte{9})
		if err != nil || !bytes.Equal(text, again) {
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
func TestReadOutboxRefusesEveryPrefix(t *testing.T) {
	var o messages.Outbox
	o.Append(3, &messages.Vector{Values: []float64{1, 2}})
	o.SetBroadcast(&messages.Vector{Exposure: messages.Released, Values: []float64{5}})
	o.Append(1, &messages.Vector{})
	o.Seal()
	text, err := o.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		r := messages.NewReader(text[:n])
		if messages.ReadOutbox(r); r.Err() == nil {
			t.Errorf("%d bytes of %d are an outbox", n, len(text))
		}
	}
}

func FuzzReadOutbox(f *testing.F) {
	var o messages.Outbox
	o.Append(3, &messages.Vector{Values: []float64{1, 2}})
	o.SetBroadcast(&messages.Vector{Exposure: messages.Released, Values: []float64{5}})
	text, _ := o.AppendBinary(nil)
	f.Add(text)
	f.Add([]byte{0, 0, 0, 0, 0, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, text []byte) {
		r := messages.NewReader(text)
		o := messages.ReadOutbox(r)
		if r.End() != nil {
			return
		}
		again, err := o.AppendBinary(nil)
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("%x reads as an outbox that writes %x (%v)", text, again, err)
		}
	})
}
