package messages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Stateful is a type with a state: a machine, a meter, a stream of noise.
type Stateful interface {
	// State goes through the fields of the state: every field once, by its name, always in the
	// same order. The set of fields may depend on options and on earlier fields, since these
	// are the same for the state that is written and the one that is read. While a codec
	// reads, fields change; State computes derived values after the fields that they derive
	// from.
	State(*Codec)
}

// StateFunc is a function that goes through the fields of a state.
type StateFunc func(*Codec)

// State implements Stateful.
func (f StateFunc) State(c *Codec) { f(c) }

// Codec goes through the fields of a state, and writes them, reads them or lists them: the
// calls are the same, so that no field is named twice. Each call takes the field's name and
// where the field is.
//
// The form is little-endian: 8 bytes an integer and a number, 4 an Int32, 1 a Bool; lists and
// slices have their length before them in 8 bytes, texts and frames in 4. Names are not
// written. The first thing that is missing or out of range fails the codec with an error that
// names the field; fields after it keep their values, so that a State need not look at the
// error. Reading takes no more memory than in proportion to the bytes that are there. A codec
// that writes or lists changes nothing of the state.
type Codec struct {
	// reads is set while the codec sets fields from src; otherwise it appends them to
	// dst.
	reads bool
	// src holds the bytes that have not been read yet.
	src []byte
	// err is the error of the first field that could not be read. It stops the reading of all
	// others.
	err error
	// dst holds the bytes that have been written, or those of them that the sink has not been
	// handed.
	dst []byte
	// sink takes written bytes; nil keeps all of them in dst.
	sink *sink
	// lists is set where written fields are noted in fields too: for tools that show
	// states.
	lists  bool
	fields []Field
	places []place // around the field, outermost first; kept while reading and listing
}

// place is a part of a state: its name, and its index where there are several.
type place struct {
	name  string
	index int // -1 where there is one
}

// errState is wrapped by the errors of bytes that cannot be read.
var errState = errors.New("malformed state")

// Write appends the state to dst.
func Write(dst []byte, s Stateful) []byte {
	c := Codec{dst: dst}
	s.State(&c)
	return c.dst
}

// Read sets the state to one that Write wrote of a Stateful with the same options. src is not
// kept. After an error, which names its field, the state is neither the old one nor another.
func Read(src []byte, s Stateful) error {
	c := Codec{reads: true, src: src}
	s.State(&c)
	c.end("")
	return c.err
}

// Reading reports whether the codec reads fields.
func (c *Codec) Reading() bool { return c.reads }

// Failed reports whether a field could not be read: those after it are not either.
func (c *Codec) Failed() bool { return c.err != nil }

// Check fails a codec that reads unless ok is true of the fields read. The format and its
// arguments describe the fault.
func (c *Codec) Check(ok bool, format string, args ...any) {
	if c.reads && !ok {
		c.fail("", fmt.Errorf(format, args...))
	}
}

// fail makes err the error of a field, "" for the part that the codec is in, unless there is
// an error already.
func (c *Codec) fail(name string, err error) {
	if c.err != nil {
		return
	}
	if path := strings.TrimSuffix(c.path(name), "."); path != "" {
		err = fmt.Errorf("%s: %w", path, err)
	}
	c.err, c.src = err, nil
}

// path is the name of a field after the names of the parts that it is in.
func (c *Codec) path(name string) string {
	if len(c.places) == 0 {
		return name
	}
	var b strings.Builder
	for _, p := range c.places {
		if p.name == "" {
			continue
		}
		b.WriteString(p.name)
		if p.index >= 0 {
			fmt.Fprintf(&b, "[%d]", p.index)
		}
		b.WriteByte('.')
	}
	b.WriteString(name)
	return b.String()
}

// Enter begins a part of the state: names up to Leave are within it. An index
// below 0 is none.
func (c *Codec) Enter(name string, index int) {
	if c.reads || c.lists {
		c.places = append(c.places, place{name, index})
	}
}

// Leave ends the part that Enter began last.
func (c *Codec) Leave() {
	if c.reads || c.lists {
		c.places = c.places[:len(c.places)-1]
	} else if c.sink != nil {
		c.hand()
	}
}

// Part goes through the state of a part. Without a name its fields count as fields of the
// whole.
func (c *Codec) Part(name string, s Stateful) {
	c.Enter(name, -1)
	s.State(c)
	c.Leave()
}

// Frame is Part with the length of the part's state before it, which the part
// has to use up. Writing panics beyond 4 GiB, which no part comes near.
func (c *Codec) Frame(name string, s Stateful) {
	if c.reads {
		frame := c.take(name, c.length32(name, 1))
		rest := c.src
		c.src = frame
		c.Part(name, s)
		c.end(name)
		if c.err == nil {
			c.src = rest
		}
		return
	}
	if c.sink != nil {
		c.frame(name, s)
		return
	}
	// The length is not known before the part is written: four bytes are kept free for
	// it.
	at := len(c.dst)
	c.dst = append(c.dst, 0, 0, 0, 0)
	c.Part(name, s)
	binary.LittleEndian.PutUint32(c.dst[at:], length32(len(c.dst)-at-4))
}

// length32 is a length as 4 bytes hold it.
func length32(n int) uint32 {
	if uint64(n) > math.MaxUint32 {
		panic(fmt.Sprintf("messages: a length of %d, which 4 bytes do not hold", n))
	}
	return uint32(n)
}

// end fails a codec that has read a part and has bytes left.
func (c *Codec) end(name string) {
	if len(c.src) > 0 {
		c.fail(name, fmt.Errorf("%w: %d bytes too many", errState, len(c.src)))
	}
}

// take reads n bytes of a field, a part of the source; nil where they are missing.
func (c *Codec) take(name string, n int) []byte {
	if c.err == nil && n > len(c.src) {
		c.fail(name, fmt.Errorf("%w: %d bytes wanted, %d left", errState, n, len(c.src)))
	}
	if c.err != nil {
		return nil
	}
	part := c.src[:n:n]
	c.src = c.src[n:]
	return part
}

// length32 reads a length in 4 bytes, of entries of at least size bytes. One that
// the rest of the source cannot hold is an error.
func (c *Codec) length32(name string, size int) int {
	b := c.take(name, 4)
	if b == nil {
		return 0
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n)*uint64(size) > uint64(len(c.src)) {
		c.fail(name, fmt.Errorf("%w: %d entries announced, %d bytes left", errState, n, len(c.src)))
		return 0
	}
	return int(n)
}

// length is the length of a list of entries of at least size bytes, at most limit of them: the
// list's own where the codec writes, else the one read, 0 where it is out of range.
func (c *Codec) length(name string, n, size, limit int) int {
	if !c.reads {
		c.dst = binary.LittleEndian.AppendUint64(c.dst, uint64(n))
		return n
	}
	b := c.take(name, 8)
	if b == nil {
		return 0
	}
	switch announced := binary.LittleEndian.Uint64(b); {
	case announced > uint64(max(limit, 0)):
		c.fail(name, fmt.Errorf("%d entries, want at most %d", int64(announced), limit))
		return 0
	// A hostile file cannot make the reader allocate: a list is never longer than the
	// bytes that are left can hold.
	case announced > uint64(len(c.src)/size):
		c.fail(name, fmt.Errorf("%w: %d entries announced, %d bytes left", errState, announced, len(c.src)))
		return 0
	default:
		return int(announced)
	}
}

// word is 8 bytes: those read, or w where the codec writes or has failed.
func (c *Codec) word(name string, k kind, w uint64) uint64 {
	if c.reads {
		if b := c.take(name, 8); b != nil {
			return binary.LittleEndian.Uint64(b)
		}
		return w
	}
	c.dst = binary.LittleEndian.AppendUint64(c.dst, w)
	c.note(name, k, 8)
	return w
}

// Int is an integer in 8 bytes.
func (c *Codec) Int(name string, v *int) { Integer(c, name, v) }

// Integer is an integer in 8 bytes. One that the type cannot hold is an error.
func Integer[T ~int | ~int32 | ~int64](c *Codec, name string, v *T) {
	wide := int64(c.word(name, integers, uint64(int64(*v))))
	switch {
	case !c.reads:
	case int64(T(wide)) != wide:
		c.fail(name, fmt.Errorf("%w: %d is out of range", errState, wide))
	default:
		*v = T(wide)
	}
}

// Int32 is an integer in 4 bytes.
func (c *Codec) Int32(name string, v *int32) {
	if c.reads {
		if b := c.take(name, 4); b != nil {
			*v = int32(binary.LittleEndian.Uint32(b))
		}
		return
	}
	c.dst = binary.LittleEndian.AppendUint32(c.dst, uint32(*v))
	c.note(name, shorts, 4)
}

// Uint64 is an integer without a sign, or any 8 bytes.
func (c *Codec) Uint64(name string, v *uint64) {
	if w := c.word(name, words, *v); c.reads {
		*v = w
	}
}

// Counter is a number that several goroutines count with; *atomic.Int64 is one.
type Counter interface {
	Load() int64
	Store(int64)
}

// Count is a counter.
func (c *Codec) Count(name string, v Counter) {
	if w := int64(c.word(name, integers, uint64(v.Load()))); c.reads {
		v.Store(w)
	}
}

// Bits are 8 bytes that change as a whole; *atomic.Uint64 is such.
func (c *Codec) Bits(name string, v interface {
	Load() uint64
	Store(uint64)
}) {
	if w := c.word(name, words, v.Load()); c.reads {
		v.Store(w)
	}
}

// Same is a number that the states written and read must have in common, such as how many
// parts they have. It is no field of the states.
func (c *Codec) Same(name string, n int) {
	if !c.reads {
		c.dst = binary.LittleEndian.AppendUint64(c.dst, uint64(n))
		return
	}
	if b := c.take(name, 8); b != nil {
		if theirs := int64(binary.LittleEndian.Uint64(b)); theirs != int64(n) {
			c.fail(name, fmt.Errorf("%d, want %d", theirs, n))
		}
	}
}

// Bool is a truth value in one byte, 0 or 1.
func (c *Codec) Bool(name string, v *bool) {
	if c.reads {
		if b := c.take(name, 1); b != nil {
			if b[0] > 1 {
				c.fail(name, fmt.Errorf("%w: %d is neither true nor false", errState, b[0]))
			}
			*v = b[0] == 1
		}
		return
	}
	bit := byte(0)
	if *v {
		bit = 1
	}
	c.dst = append(c.dst, bit)
	c.note(name, bools, 1)
}

// Float is a number.
func (c *Codec) Float(name string, v *float64) {
	if w := c.word(name, floats, math.Float64bits(*v)); c.reads {
		*v = math.Float64frombits(w)
	}
}

// Floats are numbers, as many as there are.
func (c *Codec) Floats(name string, v []float64) {
	if !c.reads {
		for _, x := range v {
			c.dst = binary.LittleEndian.AppendUint64(c.dst, math.Float64bits(x))
		}
		c.note(name, floats, 8*len(v))
		return
	}
	if b := c.take(name, 8*len(v)); b != nil {
		for i := range v {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
}

// narrow are numbers of float32 in 4 bytes each, as many as there are. All are finite.
func (c *Codec) narrow(name string, v []float64) {
	if !c.reads {
		for _, x := range v {
			c.dst = binary.LittleEndian.AppendUint32(c.dst, math.Float32bits(float32(x)))
		}
		c.note(name, narrows, 4*len(v))
		return
	}
	if b := c.take(name, 4*len(v)); b != nil {
		for i := range v {
			v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
			c.Check(!math.IsNaN(v[i]) && !math.IsInf(v[i], 0), "%w: entry %d is %v", errState, i+1, v[i])
		}
	}
}

// List is numbers with their length before them, at most limit of them.
func (c *Codec) List(name string, v *[]float64, limit int) {
	n := c.length(name, len(*v), 8, limit)
	if c.reads {
		*v = resized(*v, n)
	}
	c.Floats(name, *v)
}

// resized is a list of length n, in the memory of another where that is enough.
func resized(v []float64, n int) []float64 {
	if n <= cap(v) {
		return v[:n]
	}
	return make([]float64, n)
}

// Integers are integers in 8 bytes each with their length before them, at most
// limit of them. One that the type cannot hold is an error.
func Integers[T ~int | ~int32](c *Codec, name string, list *[]T, limit int) {
	n := c.length(name, len(*list), 8, limit)
	if !c.reads {
		for _, v := range *list {
			c.dst = binary.LittleEndian.AppendUint64(c.dst, uint64(int64(v)))
		}
		c.note(name, integers, 8*n)
		return
	}
	*list = (*list)[:0]
	for range n {
		var one T
		Integer(c, name, &one)
		*list = append(*list, one)
	}
}

// Bytes are bytes, as many as there are.
func (c *Codec) Bytes(name string, v []byte) {
	if c.reads {
		copy(v, c.take(name, len(v)))
		return
	}
	c.dst = append(c.dst, v...)
	c.note(name, octets, len(v))
}

// Text is a text with its length before it.
func (c *Codec) Text(name string, v *string) {
	if c.reads {
		if b := c.take(name, c.length32(name, 1)); b != nil {
			*v = string(b)
		}
		return
	}
	c.dst = binary.LittleEndian.AppendUint32(c.dst, length32(len(*v)))
	c.dst = append(c.dst, *v...)
	c.note(name, texts, len(*v))
}

// Each goes through the parts of a state that are a list of fixed length. Parts are numbered
// from 0.
func Each[T any](c *Codec, name string, list []T, part func(*T)) {
	for i := range list {
		if c.err != nil {
			return
		}
		c.Enter(name, i)
		part(&list[i])
		c.Leave()
	}
}

// Slice goes through a list of parts, its length before it, at most limit of them.
// Each takes at least one byte. A part that is read starts as a zero value.
func Slice[T any](c *Codec, name string, list *[]T, limit int, part func(*T)) {
	at := len(c.dst)
	n := c.length(name, len(*list), 1, limit)
	if !c.reads {
		c.note(name, lengths, len(c.dst)-at)
		Each(c, name, *list, part)
		return
	}
	*list = (*list)[:0]
	for i := 0; i < n && c.err == nil; i++ {
		var one T
		c.Enter(name, i)
		part(&one)
		c.Leave()
		*list = append(*list, one)
	}
}

// Optional goes through a part that may be missing: nil means that it is.
func Optional[T any](c *Codec, name string, v **T, part func(*T)) {
	there := *v != nil
	c.Bool(name, &there)
	switch {
	case !there:
		*v = nil
		return
	case *v == nil:
		*v = new(T)
	}
	c.Enter(name, -1)
	part(*v)
	c.Leave()
}
