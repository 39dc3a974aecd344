package messages_test

import (
	"fmt"

	"starling/messages"
)

// A vector goes over the wire and comes back, with what it shows.
func ExampleDecode() {
	sent := &messages.Vector{Values: []float64{0.5, -1}}
	sent.Expose(messages.Released)
	wire, err := sent.AppendBinary(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	received, rest, err := messages.Decode(wire)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(wire) == sent.WireSize(), len(rest))
	fmt.Println(received.Kind(), received.(*messages.Vector).Values)
	// Output:
	// true 0
	// released-vector [0.5 -1]
}

// What a participant hands out in a turn: one message to all that it reaches, and
// others to single receivers.
func ExampleOutbox() {
	var out messages.Outbox
	out.Append(3, &messages.Vector{Values: []float64{1}})
	out.SetBroadcast(&messages.Vector{Values: []float64{2}})
	out.Append(1, &messages.Vector{Values: []float64{3}})
	out.Append(3, &messages.Vector{Values: []float64{4}})
	out.Seal()
	fmt.Println("broadcast sent as number", out.BroadcastSeq())
	for _, single := range out.Singles(3) {
		fmt.Println("to 3:", single.Payload.(*messages.Vector).Values, "sent as number", single.Seq)
	}
	// Output:
	// broadcast sent as number 1
	// to 3: [1] sent as number 0
	// to 3: [4] sent as number 3
}

// A reader keeps its first error, so that code checks once, at the end.
func ExampleReader() {
	state := messages.AppendFloats(messages.AppendInt(nil, 7), 0.5, 0.25)
	r := messages.NewReader(state)
	step, values := r.Int(), make([]float64, 2)
	r.Floats(values)
	fmt.Println(step, values, r.End())

	short := messages.NewReader(state[:12])
	short.Int()
	short.Floats(values)
	fmt.Println(short.End() != nil)
	// Output:
	// 7 [0.5 0.25] <nil>
	// true
}

// Sums of many messages are taken by blocks of senders, so that they have the same
// bits wherever the senders are.
func ExampleBlocks() {
	blocks := messages.NewBlocks(100, 1)
	add := func(sum []float64, e *messages.Envelope) { sum[0] += e.Payload.(*messages.Vector).Values[0] }
	for i := range blocks.Len() {
		first, end := blocks.Senders(i)
		var inbox []messages.Envelope
		for from := first; from < min(end, 100); from++ {
			inbox = append(inbox, messages.Envelope{From: from, Payload: &messages.Vector{Values: []float64{1}}})
		}
		blocks.Fill(i, inbox, add)
		sum, count := blocks.Block(i)
		fmt.Println("senders from", first, "sum", sum, "of", count)
	}
	// Output:
	// senders from 0 sum [64] of 64
	// senders from 64 sum [36] of 36
}
