package messages

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Reader reads what the Append functions of encoding/binary wrote, in
// little-endian order: states and wire forms. The first thing that is missing
// or out of range is its error; after that it returns zeros, so that a caller
// checks once, at the end.
type Reader struct {
	src []byte
	err error
}

// NewReader returns a reader of src, which it does not keep copies of.
func NewReader(src []byte) *Reader { return &Reader{src: src} }

// Err is the first error.
func (r *Reader) Err() error { return r.err }

// Fail makes err the error, unless there is one.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
		r.src = nil
	}
}

// Rest reads all that is left. It is a part of the source.
func (r *Reader) Rest() []byte { return r.Bytes(len(r.src)) }

// End returns the error, or one if not all was read.
func (r *Reader) End() error {
	if r.err == nil && len(r.src) > 0 {
		r.Fail(fmt.Errorf("%w: %d bytes too many", errWire, len(r.src)))
	}
	return r.err
}

// Bytes reads n bytes. They are a part of the source.
func (r *Reader) Bytes(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.src)) {
		r.Fail(fmt.Errorf("%w: %d bytes wanted, %d left", errWire, n, len(r.src)))
	}
	if r.err != nil {
		return nil
	}
	part := r.src[:n:n]
	r.src = r.src[n:]
	return part
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 reads an unsigned integer.
func (r *Reader) Uint32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads an unsigned integer.
func (r *Reader) Uint64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Int reads an integer that AppendInt wrote.
func (r *Reader) Int() int { return int(int64(r.Uint64())) }

// Float reads a number.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Uint64()) }

// Floats reads len(dst) numbers.
func (r *Reader) Floats(dst []float64) {
	b := r.Bytes(8 * len(dst))
	if b == nil {
		return
	}
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// Length reads a number of things that take at least size bytes each. One that
// the rest of the source cannot hold is an error, found before memory is taken
// for them.
func (r *Reader) Length(size int) int {
	n := r.Uint32()
	if r.err == nil && uint64(n)*uint64(size) > uint64(len(r.src)) {
		r.Fail(fmt.Errorf("%w: %d entries announced, %d bytes left", errWire, n, len(r.src)))
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// Framed reads bytes that AppendFramed wrote. They are a part of the source.
func (r *Reader) Framed() []byte { return r.Bytes(r.Length(1)) }

// AppendInt appends an integer.
func AppendInt(dst []byte, v int) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(int64(v)))
}

// AppendFloats appends numbers, bit by bit, without their count.
func AppendFloats(dst []byte, values ...float64) []byte {
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return dst
}

// AppendFramed appends what fill appends, with its length before it. It panics
// beyond 4 GiB, which no part of a state comes near.
func AppendFramed(dst []byte, fill func(dst []byte) []byte) []byte {
	at := len(dst)
	dst = fill(append(dst, 0, 0, 0, 0))
	n := len(dst) - at - 4
	if uint64(n) > math.MaxUint32 {
		panic(fmt.Sprintf("messages: a frame of %d bytes", n))
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(n))
	return dst
}
