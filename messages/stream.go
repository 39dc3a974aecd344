package messages

import (
	"encoding/binary"
	"io"
)

// WriteTo writes the state to w, as Write has it, and holds little of it at a time: about a
// mebibyte, and the largest frame within a frame. Parts that states have side by side in outer
// frames, such as the participants of a run, are never all in memory together. It goes through
// the state twice, the first time to learn how long outer frames are. It returns the first
// error of w.
func WriteTo(w io.Writer, s Stateful) error {
	c := Codec{sink: &sink{to: w}}
	s.State(&c)
	c.flush()
	return c.sink.err
}

// size is how long the state is as Write has it.
func size(s Stateful) int {
	c := Codec{sink: &sink{}}
	s.State(&c)
	c.flush()
	return c.sink.written
}

// sink takes the bytes that a codec has written, part by part.
type sink struct {
	to      io.Writer // nil only counts
	written int       // bytes handed on
	err     error     // the first of to; nothing is handed on after it
	frames  int       // that the field is in
}

// chunk is how many bytes are handed on at a time, at least.
const chunk = 1 << 20

// hand hands on the written bytes where they are enough, and their frame, if any, does not
// wait for its length.
func (c *Codec) hand() {
	if len(c.dst) >= chunk && (c.sink.frames <= 1 || c.sink.to == nil) {
		c.flush()
	}
}

func (c *Codec) flush() {
	k := c.sink
	if k.to != nil && k.err == nil {
		_, k.err = k.to.Write(c.dst)
	}
	k.written += len(c.dst)
	c.dst = c.dst[:0]
}

// frame is Frame for a codec with a sink. The length of an outer frame is counted
// beforehand; one within waits for its own, as in Write.
func (c *Codec) frame(name string, s Stateful) {
	k := c.sink
	length := uint32(0)
	if k.frames == 0 && k.to != nil {
		length = length32(size(s))
	}
	at := len(c.dst)
	c.dst = binary.LittleEndian.AppendUint32(c.dst, length)
	k.frames++
	c.Part(name, s)
	if k.frames > 1 && k.to != nil {
		binary.LittleEndian.PutUint32(c.dst[at:], length32(len(c.dst)-at-4))
	}
	k.frames--
	c.hand()
}
