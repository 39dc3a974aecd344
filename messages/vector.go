package messages

import (
	"encoding/binary"
	"fmt"
	"math"

	"starling/mechanisms/kernel"
)

// Vector is a payload of real numbers: gradients, models, or any list that a protocol
// exchanges. The zero value is raw. The wire form is a byte for the kind, 4 bytes for the
// length, and 8 bytes an entry, little-endian.
type Vector struct {
	// Exposure is what Values show, written by Expose. On the wire the kind tells it.
	Exposure Exposure
	// Finite tells that Values were found to be finite before, and need no check when they
	// are sent. It is on no wire.
	Finite bool
	// Values are read by all receivers at once: nobody may change them after sending.
	Values []float64
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
func (v *Vector) WireSize() int { return VectorSize(len(v.Values)) }

// VectorSize is the WireSize of a vector of d entries.
func VectorSize(d int) int { return vectorHeader + 8*d }

// State implements Payload: kind, length, then the entries as IEEE 754 doubles.
func (v *Vector) State(c *Codec) {
	kind := [1]byte{byte(v.Kind())}
	c.Bytes("kind", kind[:])
	if c.reads && c.err == nil {
		k := Kind(kind[0])
		c.Check(k == KindReleasedVector || k == KindRawVector || k == KindPublicVector, "%w: kind %d is no vector", errState, k)
		v.Exposure = k.Exposure()
		v.Values = make([]float64, c.length32("values", 8))
	} else if !c.reads {
		c.dst = binary.LittleEndian.AppendUint32(c.dst, length32(len(v.Values)))
	}
	c.Floats("values", v.Values)
}

// CheckFinite implements Payload.
func (v *Vector) CheckFinite() error {
	if v.Finite || kernel.AllFinite(v.Values) {
		return nil
	}
	for i, e := range v.Values {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return fmt.Errorf("entry %d of the sent vector is %v", i+1, e)
		}
	}
	return nil
}
