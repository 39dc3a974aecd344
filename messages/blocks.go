package messages

import "slices"

// BlockSize is how many consecutive senders make a block. It is a constant, not
// a matter of shards, because the order of a floating-point sum decides its
// last bits.
const BlockSize = 64

// Blocks holds the messages to one receiver in one turn, folded by blocks of senders: senders
// 0 .. BlockSize-1 in the first, and so on. A server of 10,000 clients reads 157 sums instead
// of 10,000 vectors. The sums of different blocks can be made by different workers; the
// receiver adds them in the order of the blocks, so that the result has the same bits for
// every division of the work.
type Blocks struct {
	// length is the length of a block's sum.
	length int
	// counts has how many messages are in each block; missing where the block could not
	// be folded.
	counts []int32
	// A sum with one raw message in it shows raw data.
	raw  []bool    // by block: whether a message in it was raw
	sums []float64 // by block, length numbers each
}

// NewBlocks returns empty blocks for senders 0 .. senders-1, with an
// accumulator of the given length each.
func NewBlocks(senders, length int) *Blocks {
	n := (senders + BlockSize - 1) / BlockSize
	return &Blocks{length: length, counts: make([]int32, n), raw: make([]bool, n), sums: make([]float64, n*length)}
}

// Len is the number of blocks.
func (b *Blocks) Len() int { return len(b.counts) }

// Block returns a block's accumulator, which is shared, and how many messages
// are in it.
func (b *Blocks) Block(i int) (sum []float64, count int) {
	return b.sums[i*b.length : (i+1)*b.length : (i+1)*b.length], int(b.counts[i])
}

// Senders returns the range of senders of a block, end excluded. It may reach
// beyond the last sender.
func (b *Blocks) Senders(i int) (first, end NodeID) {
	return NodeID(i * BlockSize), NodeID((i + 1) * BlockSize)
}

// Raw reports whether any of the messages was raw.
func (b *Blocks) Raw() bool { return slices.Contains(b.raw, true) }

// missing marks a block that could not be folded.
const missing = -1

// Lose marks a block as not folded, until it is filled.
func (b *Blocks) Lose(i int) { b.counts[i] = missing }

// Lost reports whether a block is marked as not folded.
func (b *Blocks) Lost(i int) bool { return b.counts[i] == missing }

// Fill replaces a block by the fold of envelopes in their order.
func (b *Blocks) Fill(i int, envelopes []Envelope, fold func(sum []float64, e *Envelope)) {
	sum, _ := b.Block(i)
	clear(sum)
	b.raw[i] = false
	for k := range envelopes {
		fold(sum, &envelopes[k])
		b.raw[i] = b.raw[i] || envelopes[k].Payload.Kind().Exposure() == Raw
	}
	b.counts[i] = int32(len(envelopes))
}

// RawBlock reports whether any of the messages of a block was raw.
func (b *Blocks) RawBlock(i int) bool { return b.raw[i] }

// Put replaces a block by one that was folded elsewhere. It returns false, and changes
// nothing, where the block cannot be one of these.
func (b *Blocks) Put(i int, sum []float64, count int32, raw bool) bool {
	if i < 0 || i >= b.Len() || len(sum) != b.length || count < 0 {
		return false
	}
	copy(b.sums[i*b.length:], sum)
	b.counts[i], b.raw[i] = count, raw
	return true
}
