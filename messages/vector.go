package messages

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
)

// Vector is a payload of real numbers: gradients, models, or any list that a protocol
// exchanges. The zero value is raw. The wire form is a byte for the kind, 4 bytes for the
// length, and 8 bytes an entry, or 4 where all are numbers of float32, little-endian.
type Vector struct {
	// Exposure is what Values show, written by Expose. On the wire the kind tells it.
	Exposure Exposure
	// Finite tells that Values are somebody else's, who has found them to be finite: they
	// need no check when they are sent, and are never changed. It is on no wire.
	Finite bool
	// Float32 tells that Values are numbers of float32, written by Narrow. On the wire the
	// kind tells it.
	Float32 bool
	// Values are read by all receivers at once: nobody may change them after sending.
	Values []float64
}

// Kind implements Payload.
func (v *Vector) Kind() Kind {
	kind := KindRawVector
	switch v.Exposure {
	case Released:
		kind = KindReleasedVector
	case Public:
		kind = KindPublicVector
	}
	if v.Float32 {
		kind += KindReleasedNarrow - KindReleasedVector
	}
	return kind
}

// Expose implements Payload.
func (v *Vector) Expose(e Exposure) { v.Exposure = e }

// vectorHeader is the kind byte and the 32-bit length.
const vectorHeader = 1 + 4

// WireSize implements Payload: a header of 5 bytes and 8 or 4 bytes an entry.
func (v *Vector) WireSize() int { return vectorHeader + v.entrySize()*len(v.Values) }

// entrySize is how many bytes an entry has on the wire.
func (v *Vector) entrySize() int {
	if v.Float32 {
		return 4
	}
	return 8
}

// State implements Payload: kind, length, then the entries as numbers of IEEE 754.
func (v *Vector) State(c *Codec) {
	kind := [1]byte{byte(v.Kind())}
	c.Bytes("kind", kind[:])
	if c.reads && c.err == nil {
		k := Kind(kind[0])
		c.Check(k.IsVector(), "%w: kind %d is no vector", errState, k)
		v.Exposure, v.Float32 = k.Exposure(), k.Narrow()
		v.Values = make([]float64, c.length32("values", v.entrySize()))
	} else if !c.reads {
		c.dst = binary.LittleEndian.AppendUint32(c.dst, length32(len(v.Values)))
	}
	if v.Float32 {
		c.narrow("values", v.Values)
	} else {
		c.Floats("values", v.Values)
	}
}

// Narrow implements Payload. Values that are somebody else's are copied.
func (v *Vector) Narrow() error {
	if v.Float32 {
		return nil
	}
	if v.Finite {
		v.Values = slices.Clone(v.Values)
	}
	v.Float32 = true
	if i := NarrowAll(v.Values); i >= 0 {
		return fmt.Errorf("entry %d of the sent vector is %v, beyond the largest number of float32", i+1, v.Values[i])
	}
	return nil
}

// NarrowAll rounds entries to the nearest numbers of float32, ties to even, and returns the
// index of the first that is beyond the largest; -1 where none is.
func NarrowAll(values []float64) (beyond int) {
	for i, x := range values {
		narrow := float64(float32(x))
		if math.IsInf(narrow, 0) {
			return i
		}
		values[i] = narrow
	}
	return -1
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
