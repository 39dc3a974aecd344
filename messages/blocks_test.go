package messages_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
)

// appendValue makes an accumulator of the first values in their order.
func appendValue(sum []float64, e *messages.Envelope) {
	for k := range sum {
		if sum[k] == 0 {
			sum[k] = e.Payload.(*messages.Vector).Values[0]
			return
		}
	}
}

// Blocks 0, 1, .. hold senders 0 .. 63, 64 .. 127, ..: a constant of the form of
// results, since it decides the order of sums.
func TestBlocksCutTheSenders(t *testing.T) {
	for _, test := range []struct{ senders, blocks int }{{1, 1}, {64, 1}, {65, 2}, {128, 2}, {1000, 16}} {
		b := messages.NewBlocks(test.senders, 3)
		if b.Len() != test.blocks {
			t.Errorf("%d senders make %d blocks, want %d", test.senders, b.Len(), test.blocks)
		}
		for i := range b.Len() {
			first, end := b.Senders(i)
			if int(first) != 64*i || int(end) != 64*(i+1) {
				t.Errorf("block %d of %d senders holds %d .. %d", i, test.senders, first, end-1)
			}
			if sum, count := b.Block(i); count != 0 || !slices.Equal(sum, []float64{0, 0, 0}) {
				t.Errorf("new block %d holds %v of %d messages", i, sum, count)
			}
		}
	}
}

// Fill replaces its block, in the order of the envelopes, and no other.
func TestFillReplacesItsBlockOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const length = 4
		blocks := messages.NewBlocks(200, length)
		want := make([][]float64, blocks.Len())
		for range rapid.IntRange(1, 10).Draw(t, "fills") {
			i := rapid.IntRange(0, blocks.Len()-1).Draw(t, "block")
			want[i] = rapid.SliceOfN(rapid.Float64Range(1, 2), 0, length).Draw(t, "values")
			envelopes := make([]messages.Envelope, len(want[i]))
			for k, v := range want[i] {
				envelopes[k].Payload = &messages.Vector{Values: []float64{v}}
			}
			blocks.Fill(i, envelopes, appendValue)
			for j := range want {
				sum, count := blocks.Block(j)
				if count != len(want[j]) || !slices.Equal(sum[:count], want[j]) || slices.ContainsFunc(sum[count:], func(x float64) bool { return x != 0 }) {
					t.Fatalf("block %d holds %v of %d messages, want %v", j, sum, count, want[j])
				}
			}
		}
		if sum, _ := blocks.Block(0); cap(sum) != length {
			t.Fatal("appending to one accumulator reaches the next")
		}
	})
}
