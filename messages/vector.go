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
// vector that is compressed the length is its form's, which follows.
type Vector struct {
	// Exposure is the exposure of Values, written by Expose. On the wire the kind determines
	// it.
	Exposure Exposure
	// Finite means that Values belong to another owner, which has found them to be finite:
	// they need no check when they are sent, and are never changed. It is on no wire.
	Finite bool
	// Float32 means that Values are numbers of float32, written by Narrow. On the wire the
	// kind determines it.
	Float32 bool
	// Encoded is the form that Values were decoded from, written by Compress; nil or empty
	// where Values cross wires themselves. On the wire the kind determines it. It is a
	// pointer, for millions of vectors have none.
	Encoded *Form
	// Values are read by all receivers at once: they must not be changed after sending.
	Values []float64
}

// Form is bytes of package compression, in memory that is used again.
type Form struct {
	Bytes []byte
	// Plain are the entries before they were encoded, where compression.Work.Keep asks for
	// them; else empty. They cross no wire.
	Plain []float64
	// Reduced are the entries, ascending, from which multiples of a modulus were subtracted
	// before they were encoded. They are for measures alone: receivers cannot know them. State
	// includes them, because a run may go on in another process, and WireSize does not.
	Reduced []Reduced
}

// Reduced is an entry that was reduced modulo a number, and how many times the modulus was
// subtracted.
type Reduced struct {
	Entry int32
	Times float64 // a whole number, and not 0
}

// Reduces sets the entries that are reduced, before they are encoded.
func (v *Vector) Reduces(entries []Reduced) {
	if len(entries) == 0 {
		return
	}
	if v.Encoded == nil {
		v.Encoded = &Form{}
	}
	v.Encoded.Reduced = append(v.Encoded.Reduced[:0], entries...)
}

// AddReduced adds for each entry how often the modulus was subtracted, len(Values) of them.
func (v *Vector) AddReduced(times []float64) {
	if v.Encoded == nil {
		return
	}
	for _, r := range v.Encoded.Reduced {
		times[r.Entry] += r.Times
	}
}

// Plain returns the entries as they were before they were compressed, where they were kept,
// and otherwise as receivers have them. They are the vector's own.
func (v *Vector) Plain() []float64 {
	if v.Encoded.Len() > 0 && len(v.Encoded.Plain) > 0 {
		return v.Encoded.Plain
	}
	return v.Values
}

// Clear makes the form empty; nil is empty.
func (f *Form) Clear() {
	if f != nil {
		f.Bytes, f.Plain, f.Reduced = f.Bytes[:0], f.Plain[:0], f.Reduced[:0]
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

// withReduced is added to the kind where entries that were reduced come after the form.
const withReduced = 1 << 7

// State implements Payload: kind, length, then the entries as numbers of IEEE 754, or their
// form and, where there are any, the entries that were reduced.
func (v *Vector) State(c *Codec) {
	kind := [1]byte{byte(v.Kind())}
	if v.reduced() {
		kind[0] |= withReduced
	}
	c.Bytes("kind", kind[:])
	if c.reads && c.err == nil {
		k, reduced := kindOf(kind[0])
		c.Check(k.IsVector() && (k.Encoded() || !reduced), "%w: kind %d is no vector", errState, kind[0])
		v.Exposure, v.Float32, v.Encoded = k.Exposure(), k.Narrow(), nil
		if k.Encoded() {
			v.decode(c)
			if reduced {
				v.stateReduced(c)
			}
			return
		}
		v.Values = make([]float64, c.length32("values", v.entrySize()))
	} else if n := v.Encoded.Len(); n > 0 {
		c.dst = binary.LittleEndian.AppendUint32(c.dst, length32(n))
		c.Bytes("encoded", v.Encoded.Bytes)
		if v.reduced() {
			v.stateReduced(c)
		}
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

// kindOf returns the kind of a first byte, and whether reduced entries come after the form.
func kindOf(first byte) (k Kind, reduced bool) {
	return Kind(first &^ withReduced), first&withReduced != 0
}

// reduced reports whether there are reduced entries beside the form.
func (v *Vector) reduced() bool { return v.Encoded.Len() > 0 && len(v.Encoded.Reduced) > 0 }

// stateReduced goes through the entries that were reduced.
func (v *Vector) stateReduced(c *Codec) {
	if c.Failed() {
		return
	}
	last := int32(-1)
	Slice(c, "reduced", &v.Encoded.Reduced, len(v.Values), func(r *Reduced) {
		c.Int32("entry", &r.Entry)
		c.Float("times", &r.Times)
		c.Check(r.Entry > last && int(r.Entry) < len(v.Values), "%w: entry %d of %d is reduced after %d", errState, r.Entry, len(v.Values), last)
		c.Check(r.Times != 0 && r.Times == math.Trunc(r.Times) && !math.IsInf(r.Times, 0), "%w: an entry is reduced %v times", errState, r.Times)
		last = r.Entry
	})
	c.Check(v.reduced(), "%w: no entry is reduced", errState)
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

// Compress implements Payload. Values that belong to another owner are copied.
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

// Narrow implements Payload. Values that belong to another owner are copied.
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
