package spread

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/messages"
)

// mostValues is how many entries of vectors a batch has before the rest goes into the next:
// 4 MiB, so that the receiver works on the first part while the second is on its way.
const mostValues = 512 << 10

// Pack appends the messages in the outboxes of nodes in a turn to a batch, up to the first
// that would make it too large, and returns how many nodes it has looked at. Vectors that are
// alone in their outbox, and not compressed, go side by side, all else as package messages
// writes it.
func Pack(b *Batch, nodes []messages.NodeID, outboxes []messages.Outbox) (done int) {
	for _, node := range nodes {
		if len(b.Values)+len(b.Narrow)/2 >= mostValues {
			break
		}
		done++
		outbox := &outboxes[node]
		if outbox.Empty() {
			continue
		}
		v, ok := outbox.Broadcast.(*messages.Vector)
		if !ok || outbox.HasSingles() || v.Kind().Encoded() {
			b.Others = append(b.Others, &Outbox{Node: int32(node), State: messages.Write(nil, outbox)})
			continue
		}
		b.Nodes = append(b.Nodes, int32(node))
		b.Kinds = append(b.Kinds, byte(v.Kind()))
		b.Lengths = append(b.Lengths, int32(len(v.Values)))
		if !v.Float32 {
			b.Values = append(b.Values, v.Values...)
			continue
		}
		for _, x := range v.Values {
			b.Narrow = append(b.Narrow, float32(x))
		}
	}
	// As a rule all vectors are of one length, which then stands once.
	for _, d := range b.Lengths {
		if d != b.Lengths[0] {
			return done
		}
	}
	b.Lengths = b.Lengths[:min(len(b.Lengths), 1)]
	return done
}

// Unpack puts the messages of a batch into the outboxes of its turn. The outboxes of its nodes
// are empty. Vectors go to shared, if it is not nil. Otherwise they lie in the batch, which
// then must not be changed. plain is true if all vectors are in their places there. accept
// reports whether the batch can have messages of a node.
func Unpack(b *Batch, outboxes []messages.Outbox, shared *algorithm.Memory, accept func(messages.NodeID) bool) (plain bool, err error) {
	if len(b.Kinds) != len(b.Nodes) || len(b.Lengths) > 1 && len(b.Lengths) != len(b.Nodes) || len(b.Lengths) == 0 && len(b.Nodes) > 0 {
		return false, fmt.Errorf("a batch of %d vectors has %d kinds and %d lengths", len(b.Nodes), len(b.Kinds), len(b.Lengths))
	}
	plain = shared != nil
	vectors := make([]messages.Vector, 0, len(b.Nodes))
	rest, narrow := b.Values, widened(b.Narrow)
	for i, node := range b.Nodes {
		node, kind := messages.NodeID(node), messages.Kind(b.Kinds[i])
		d := b.Lengths[min(i, len(b.Lengths)-1)]
		from := &rest
		if kind.Narrow() {
			from = &narrow
		}
		if !accept(node) || !kind.IsVector() || kind.Encoded() || d < 0 || int(d) > len(*from) {
			return false, fmt.Errorf("a batch has a vector of kind %d and %d entries of node %d, which cannot be", kind, d, node)
		}
		values := (*from)[:d:d]
		*from = (*from)[d:]
		var v *messages.Vector
		if shared != nil {
			var whole bool
			v, whole = shared.Put(int(b.Turn), node, values)
			plain = plain && whole
		} else {
			vectors = append(vectors, messages.Vector{Values: values})
			v = &vectors[len(vectors)-1]
		}
		v.Exposure, v.Float32, v.Encoded = kind.Exposure(), kind.Narrow(), nil
		outboxes[node].SetBroadcast(v)
	}
	for _, o := range b.Others {
		node := messages.NodeID(o.Node)
		if !accept(node) {
			return false, fmt.Errorf("a batch has an outbox of node %d, which is not of its shard", node)
		}
		if err := messages.Read(o.State, &outboxes[node]); err != nil {
			return false, fmt.Errorf("message of node %d: %w", node, err)
		}
	}
	if extra := len(rest) + len(narrow); extra > 0 {
		return false, fmt.Errorf("a batch has %d entries too many", extra)
	}
	return plain && len(b.Others) == 0, nil
}

// widened returns numbers of float32 as entries of vectors.
func widened(narrow []float32) []float64 {
	wide := make([]float64, len(narrow))
	for i, x := range narrow {
		wide[i] = float64(x)
	}
	return wide
}

// PackBlock is a block of sums for another process.
func PackBlock(node messages.NodeID, blocks *messages.Blocks, block int) *Block {
	sum, count := blocks.Block(block)
	return &Block{Node: int32(node), Block: int32(block), Count: int32(count), Raw: blocks.RawBlock(block), Sum: sum}
}

// UnpackBlocks puts the sums of a batch into the blocks of their folders. of returns the
// blocks of a node, nil where it takes none.
func UnpackBlocks(b *Batch, of func(messages.NodeID) *messages.Blocks) error {
	for _, block := range b.Blocks {
		blocks := of(messages.NodeID(block.Node))
		if blocks == nil || !blocks.Put(int(block.Block), block.Sum, block.Count, block.Raw) {
			return fmt.Errorf("a batch has block %d of the sums for node %d, which cannot be", block.Block, block.Node)
		}
	}
	return nil
}
