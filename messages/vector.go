package messages

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/kernel"
	"starling/messages/compression"
)

// Vector is a payload of real numbers: gradients, models, or any list that a protocol
// exchanges. The zero value is raw. The wire form is a byte for the kind, 4 bytes for the
// length, and 8 bytes an entry, or 4 where all are numbers of float32, little-endian; of a
// vector that is compressed the length is that of its form, which follows.
type Vector struct {
	// Exposure is what Values show, written by Expose. On the wire the kind tells it.
	Exposure Exposure
	// Finite tells that Values are somebody else's, who has found them to be finite: they
	// need no check when they are sent, and are never changed. It is on no wire.
	Finite bool
	// Float32 tells that Values are numbers of float32, written by Narrow. On the wire the
	// kind tells it.
	Float32 bool
	// Encoded is the form that Values were decoded from, written by Compress; nil or empty
	// where Values cross wires themselves. On the wire the kind tells it. It is a pointer, for
	// millions of vectors have none.
	Encoded *Form
	// Values are read by all receivers at once: nobody may change them after sending.
	Values []float64
}

// Form is bytes of package compression, in memory that is used again.
type Form struct {
	Bytes []byte
	// Plain are the entries before they were encoded, where compression.Work.Keep asks for
	// them; else empty. They cross no wire.
	Plain []float64
}

// Plain returns the entries as they were before they were compressed, where they were kept,
// and else as receivers have them. They are the vector's own.
func (v *Vector) Plain() []float64 {
	if v.Encoded.Len() > 0 && len(v.Encoded.Plain) > 0 {
		return v.Encoded.Plain
	}
	return v.Values
}

// Clear makes the form empty; nil is empty.
func (f *Form) Clear() {
	if f != nil {
		f.Bytes, f.Plain = f.Bytes[:0], f.Plain[:0]
	}
}

// Len is how many bytes there are.
func (f *Form) Len() int {
	if f == nil {
		return 0
	}
	return len(f.Bytes)
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
	switch {
	case v.Encoded.Len() > 0:
		kind += KindReleasedEncoded - KindReleasedVector
	case v.Float32:
		kind += KindReleasedNarrow - KindReleasedVector
	}
	return kind
}

// Expose implements Payload.
func (v *Vector) Expose(e Exposure) { v.Exposure = e }

// vectorHeader is the kind byte and the 32-bit length.
const vectorHeader = 1 + 4

// WireSize implements Payload: a header of 5 bytes, and 8 or 4 bytes an entry or the form.
func (v *Vector) WireSize() int {
	if n := v.Encoded.Len(); n > 0 {
		return vectorHeader + n
	}
	return vectorHeader + v.entrySize()*len(v.Values)
}

// entrySize is how many bytes an entry has on the wire.
func (v *Vector) entrySize() int {
	if v.Float32 {
		return 4
	}
	return 8
}

// State implements Payload: kind, length, then the entries as numbers of IEEE 754, or their
// form.
func (v *Vector) State(c *Codec) {
	kind := [1]byte{byte(v.Kind())}
	c.Bytes("kind", kind[:])
	if c.reads && c.err == nil {
		k := Kind(kind[0])
		c.Check(k.IsVector(), "%w: kind %d is no vector", errState, k)
		v.Exposure, v.Float32, v.Encoded = k.Exposure(), k.Narrow(), nil
		if k.Encoded() {
			v.decode(c)
			return
		}
		v.Values = make([]float64, c.length32("values", v.entrySize()))
	} else if n := v.Encoded.Len(); n > 0 {
		c.dst = binary.LittleEndian.AppendUint32(c.dst, length32(n))
		c.Bytes("encoded", v.Encoded.Bytes)
		return
	} else if !c.reads {
		c.dst = binary.LittleEndian.AppendUint32(c.dst, length32(len(v.Values)))
	}
	if v.Float32 {
		c.narrow("values", v.Values)
	} else {
		c.Floats("values", v.Values)
	}
}

// decode reads the form of the values.
func (v *Vector) decode(c *Codec) {
	form := make([]byte, c.length32("encoded", 1))
	c.Bytes("encoded", form)
	if c.err != nil {
		return
	}
	var err error
	v.Float32, v.Encoded = compression.IsNarrow(form), &Form{Bytes: form}
	if v.Values, err = compression.Decode(nil, form); err != nil {
		c.fail("encoded", fmt.Errorf("%w: %w", errState, err))
	}
}

// Compress implements Payload. Values that are somebody else's are copied.
func (v *Vector) Compress(codec compression.Codec, w *compression.Work) (err error) {
	if v.Encoded.Len() > 0 {
		return nil
	}
	if v.Encoded == nil {
		v.Encoded = &Form{}
	}
	if v.Finite {
		v.Values = slices.Clone(v.Values)
	}
	w.Narrow = v.Float32
	if w.Keep {
		v.Encoded.Plain = append(v.Encoded.Plain, v.Values...)
	}
	if v.Encoded.Bytes, err = codec.Encode(v.Encoded.Bytes, v.Values, w); err == nil {
		v.Values, err = compression.Decode(v.Values, v.Encoded.Bytes)
	}
	return err
}

// Narrow implements Payload. Values that are somebody else's are copied.
func (v *Vector) Narrow() error {
	if v.Float32 || v.Encoded.Len() > 0 {
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
