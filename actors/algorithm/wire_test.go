package algorithm_test

import (
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
)

// narrowed has messages be of float32, but for those from node 0 to node 1.
func narrowed(r *algorithm.Run) {
	r.Wire = &algorithm.Encoding{Float32: true, Local: func(from, to messages.NodeID) bool { return from == 0 && to == 1 }}
}

// What crosses a wire is rounded, and takes half of the bytes; what does not is as it was.
func TestFloat32OnWires(t *testing.T) {
	const tenth = float64(float32(0.1))
	data := []float64{0.1}
	b := newBench(t, narrowed)
	single := func(to messages.NodeID, v func(*algorithm.Turn) *messages.Vector) float64 {
		_, outbox, failure := b.step(0, func(t *algorithm.Turn) error { return t.SendRaw(to, v(t)) })
		if failure != nil {
			t.Fatal(failure)
		}
		return outbox.Singles(to)[0].Payload.(*messages.Vector).Values[0]
	}
	lent := func(t *algorithm.Turn) *messages.Vector { return t.Lend(data) }
	own := func(t *algorithm.Turn) *messages.Vector { return &messages.Vector{Values: []float64{0.1}} }
	if got := []float64{single(0, own), single(1, own), single(1, lent), single(2, own), single(2, lent), data[0]}; !slices.Equal(got, []float64{0.1, 0.1, 0.1, tenth, tenth, 0.1}) {
		t.Errorf("%v was sent", got)
	}
	_, outbox, _ := b.step(0, func(t *algorithm.Turn) error { return t.BroadcastRaw(own(t)) })
	if v := outbox.Broadcast.(*messages.Vector); v.Values[0] != tenth || !v.Float32 || v.WireSize() != 5+4 {
		t.Errorf("%v was broadcast", v)
	}
	b.next()
	if want := "step 1 sent 7 messages of 71 bytes"; !slices.Contains(b.meter.lines, want) { // 2 of 13 bytes, and 5 of 9
		t.Errorf("%q, want %q", b.meter.lines, want)
	}
}

// A number that float32 does not hold fails the run where it is sent.
func TestBeyondFloat32(t *testing.T) {
	b := newBench(t, narrowed)
	_, _, failure := b.step(2, func(t *algorithm.Turn) error { return t.SendRaw(0, &messages.Vector{Values: []float64{0, 1e39}}) })
	if want := "step 1, node 3: entry 2 of the sent vector is 1e+39, beyond the largest number of float32"; failure == nil || !strings.HasPrefix(failure.Error(), want) {
		t.Errorf("%v, want %q", failure, want)
	}
}
