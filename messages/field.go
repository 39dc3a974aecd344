package messages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// Field is a field of a state, as a codec found it.
type Field struct {
	// Name is the field's, after the names of the parts that it is in: "held[2].sent".
	Name  string
	kind  kind
	bytes []byte
}

// kind is the type of the bytes of a field.
type kind uint8

const (
	floats   kind = iota
	narrows       // of float32
	integers      // of 8 bytes
	shorts        // integers of 4 bytes
	words         // 8 bytes without a sign
	bools
	octets
	texts
	lengths // of a slice: its parts follow as fields
)

// size is how many bytes an entry has.
func (k kind) size() int {
	switch k {
	case floats, integers, words, lengths:
		return 8
	case shorts, narrows:
		return 4
	}
	return 1
}

// Fields lists the fields of a state in their order. It shares nothing with it.
func Fields(s Stateful) []Field {
	c := Codec{lists: true}
	s.State(&c)
	return c.fields
}

// note keeps a field of n bytes that was just written, where the codec lists.
func (c *Codec) note(name string, k kind, n int) {
	if c.lists {
		end := len(c.dst)
		c.fields = append(c.fields, Field{c.path(name), k, c.dst[end-n : end : end]})
	}
}

// Values are the field's numbers: one where it is no vector, 0 and 1 for truth
// values, the nearest for integers beyond 2^53; nil where it is a text, bytes, or
// the length of a slice.
func (f *Field) Values() []float64 {
	if f.kind == octets || f.kind == texts || f.kind == lengths {
		return nil
	}
	values := make([]float64, len(f.bytes)/f.kind.size())
	for i := range values {
		at := f.bytes[i*f.kind.size():]
		switch f.kind {
		case floats:
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(at))
		case narrows:
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
		case integers:
			values[i] = float64(int64(binary.LittleEndian.Uint64(at)))
		case words:
			values[i] = float64(binary.LittleEndian.Uint64(at))
		case shorts:
			values[i] = float64(int32(binary.LittleEndian.Uint32(at)))
		case bools:
			values[i] = float64(at[0])
		}
	}
	return values
}

// entry is an entry of the field in words, to the last bit.
func (f *Field) entry(i int) string {
	at := f.bytes[i*f.kind.size():]
	switch f.kind {
	case floats:
		bits := binary.LittleEndian.Uint64(at)
		if v := math.Float64frombits(bits); !math.IsNaN(v) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
		return fmt.Sprintf("NaN of bits %x", bits)
	case narrows:
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(at))), 'g', -1, 32)
	case words:
		return strconv.FormatUint(binary.LittleEndian.Uint64(at), 10)
	case shorts:
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(at))))
	case bools:
		return strconv.FormatBool(at[0] == 1)
	case octets:
		return strconv.Itoa(int(at[0]))
	}
	return strconv.FormatInt(int64(binary.LittleEndian.Uint64(at)), 10)
}

// Difference describes where a state first differs from the one wanted: the field's name, the
// index within it, from 0, where it is a vector, and both values. It is "" if the states are
// the same to the last bit.
func Difference(want, got []Field) string {
	for i := range min(len(want), len(got)) {
		w, g := &want[i], &got[i]
		if w.Name != g.Name || w.kind != g.kind {
			return fmt.Sprintf("field %d is %s, want %s", i, g.Name, w.Name)
		}
		if !bytes.Equal(w.bytes, g.bytes) {
			return g.difference(w)
		}
	}
	switch {
	case len(got) > len(want):
		return "there is a field " + got[len(want)].Name + ", which is not wanted"
	case len(got) < len(want):
		return "there is no field " + want[len(got)].Name
	}
	return ""
}

// difference describes how a field differs from the one wanted, which has its name.
func (f *Field) difference(want *Field) string {
	n := len(f.bytes) / f.kind.size()
	switch m := len(want.bytes) / want.kind.size(); {
	case f.kind == texts:
		return fmt.Sprintf("%s is %q, want %q", f.Name, f.bytes, want.bytes)
	case n != m:
		return fmt.Sprintf("%s has %d entries, want %d", f.Name, n, m)
	case f.kind == lengths:
		return fmt.Sprintf("%s has %s parts, want %s", f.Name, f.entry(0), want.entry(0))
	case n == 1:
		return fmt.Sprintf("%s is %s, want %s", f.Name, f.entry(0), want.entry(0))
	}
	for i := range n {
		size := f.kind.size()
		if !bytes.Equal(f.bytes[i*size:(i+1)*size], want.bytes[i*size:(i+1)*size]) {
			return fmt.Sprintf("%s[%d] is %s, want %s", f.Name, i, f.entry(i), want.entry(i))
		}
	}
	return ""
}
