package compression

import "math/bits"

// bitWriter appends numbers of a few bits each, the lowest bits first.
type bitWriter struct {
	dst  []byte
	rest uint64 // not yet appended, in the lowest bits
	n    int    // how many those are, less than 8
}

// put appends the lowest width bits of v, which has no others; width is at most 32.
func (b *bitWriter) put(v uint64, width int) {
	b.rest |= v << b.n
	for b.n += width; b.n >= 8; b.n -= 8 {
		b.dst = append(b.dst, byte(b.rest))
		b.rest >>= 8
	}
}

// end appends the remaining bits, filled up with zeros, and returns all bytes.
func (b *bitWriter) end() []byte {
	if b.n > 0 {
		b.dst = append(b.dst, byte(b.rest))
	}
	return b.dst
}

// bitReader reads the bytes of a bitWriter. Lengths have been checked.
type bitReader struct {
	src  []byte
	rest uint64
	n    int
}

// take reads width bits, at most 32.
func (b *bitReader) take(width int) uint64 {
	for b.n < width {
		b.rest |= uint64(b.src[0]) << b.n
		b.src = b.src[1:]
		b.n += 8
	}
	v := b.rest & (1<<width - 1)
	b.rest >>= width
	b.n -= width
	return v
}

// bytesOf is how many bytes count numbers of width bits take.
func bytesOf(count, width int) uint64 { return (uint64(count)*uint64(width) + 7) / 8 }

// widthOf is how many bits the numbers 0 .. most take.
func widthOf(most int) int { return bits.Len(uint(most)) }
