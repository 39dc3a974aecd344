package messages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Vector is a payload of real numbers. The zero value is raw.
type Vector struct {
	Exposure Exposure // what Values show, written by Expose; its kind tells it on the wire
	Values   []float64
}

// Kind implements Payload.
func (v *Vector) Kind() Kind {
	switch v.Exposure {
	case Released:
		return KindReleasedVector
	case Public:
		return KindPublicVector
	}
	return KindRawVector
}

// Expose implements Payload.
func (v *Vector) Expose(e Exposure) { v.Exposure = e }

// vectorHeader is the kind byte and the 32-bit length.
const vectorHeader = 1 + 4

// WireSize implements Payload: a header of 5 bytes and 8 bytes an entry.
func (v *Vector) WireSize() int { return vectorHeader + 8*len(v.Values) }

// AppendBinary implements Payload: kind, length, then the entries as IEEE 754
// doubles, all little-endian.
func (v *Vector) AppendBinary(dst []byte) ([]byte, error) {
	if uint64(len(v.Values)) > math.MaxUint32 {
		return dst, fmt.Errorf("vector of %d entries is too long for the wire", len(v.Values))
	}
	dst = append(dst, byte(v.Kind()))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v.Values)))
	for _, x := range v.Values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst, nil
}

// errWire is wrapped by every decoding error.
var errWire = errors.New("malformed payload")

// DecodeVector reads one vector from the front of src and returns it with the
// rest of src. The vector shares nothing with src.
func DecodeVector(src []byte) (*Vector, []byte, error) {
	if len(src) < vectorHeader {
		return nil, src, fmt.Errorf("%w: %d bytes, want at least %d", errWire, len(src), vectorHeader)
	}
	kind := Kind(src[0])
	if kind != KindReleasedVector && kind != KindRawVector && kind != KindPublicVector {
		return nil, src, fmt.Errorf("%w: kind %d is no vector", errWire, kind)
	}
	n := uint64(binary.LittleEndian.Uint32(src[1:]))
	body := src[vectorHeader:]
	if uint64(len(body)) < 8*n {
		return nil, src, fmt.Errorf("%w: %d entries announced, %d bytes left", errWire, n, len(body))
	}
	v := &Vector{Exposure: kind.Exposure(), Values: make([]float64, n)}
	for i := range v.Values {
		v.Values[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
	}
	return v, body[8*n:], nil
}

// CheckFinite implements Payload.
func (v *Vector) CheckFinite() error {
	// A sum that is finite has finite terms only, so one addition an entry
	// decides the usual case; four sums keep the adders busy. A sum of finite
	// terms that overflows is left to the loop after it.
	var s0, s1, s2, s3 float64
	x := v.Values
	for len(x) >= 4 {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
		x = x[4:]
	}
	for _, e := range x {
		s0 += e
	}
	if sum := (s0 + s1) + (s2 + s3); sum-sum == 0 {
		return nil
	}
	for i, e := range v.Values {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return fmt.Errorf("entry %d of the sent vector is %v", i+1, e)
		}
	}
	return nil
}
