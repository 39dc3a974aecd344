package messages_test

import (
	"fmt"

	"starling/messages"
)

// A vector goes over the wire and comes back, with what it shows.
func ExampleVector() {
	sent := &messages.Vector{Values: []float64{0.5, -1}}
	sent.Expose(messages.Released)
	wire := messages.Write(nil, sent)
	var received messages.Vector
	if err := messages.Read(wire, &received); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(wire) == sent.WireSize())
	fmt.Println(received.Kind(), received.Values)
	// Output:
	// true
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

// ball is something with a state, which names every field once.
type ball struct {
	bounces int
	x       [2]float64
}

func (b *ball) State(c *messages.Codec) {
	c.Int("bounces", &b.bounces)
	c.Floats("x", b.x[:])
	c.Check(b.bounces >= 0, "a ball with %d bounces", b.bounces)
}

// One list of fields writes a state, reads it, and says where two differ. What
// cannot be read is an error that names the field.
func ExampleCodec() {
	thrown := &ball{7, [2]float64{0.5, 0.25}}
	state := messages.Write(nil, thrown)
	var caught ball
	fmt.Println(messages.Read(state, &caught), caught)
	fmt.Println(messages.Read(state[:20], &caught))
	caught = ball{7, [2]float64{0.5, 0.75}}
	fmt.Println(messages.Difference(messages.Fields(thrown), messages.Fields(&caught)))
	// Output:
	// <nil> {7 [0.5 0.25]}
	// x: malformed state: 16 bytes wanted, 12 left
	// x[1] is 0.75, want 0.25
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
