package messages_test

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
)

// parts are counters, list after list, each list and each counter in as many frames as
// asked for.
type parts struct {
	lists  [][]int
	frames int
}

func (p *parts) State(c *messages.Codec) {
	for i := range p.lists {
		framed(c, p.frames, messages.StateFunc(func(c *messages.Codec) {
			messages.Slice(c, "part", &p.lists[i], len(p.lists[i]), func(n *int) {
				framed(c, p.frames, messages.StateFunc(func(c *messages.Codec) { c.Int("n", n) }))
			})
		}))
	}
}

func framed(c *messages.Codec, frames int, s messages.Stateful) {
	if frames == 0 {
		c.Part("", s)
		return
	}
	c.Frame("frame", messages.StateFunc(func(c *messages.Codec) { framed(c, frames-1, s) }))
}

// taker keeps what it is given, and how much the largest part was. It fails from a number
// of bytes on.
type taker struct {
	bytes.Buffer
	most, full int
}

var errFull = errors.New("full")

func (t *taker) Write(part []byte) (int, error) {
	if t.most = max(t.most, len(part)); t.Len()+len(part) > t.full {
		return 0, errFull
	}
	return t.Buffer.Write(part)
}

// What WriteTo hands on is what Write gives, whatever frames there are, and of one level
// of them never more than a mebibyte and a part is held.
func TestWriteToIsWrite(t *testing.T) {
	const room = 1 << 30
	for frames := range 3 {
		p := &parts{frames: frames, lists: [][]int{make([]int, 300_000), nil, make([]int, 5), make([]int, 200_000)}}
		p.lists[3][7] = -1
		want := messages.Write(nil, p)
		got := taker{full: room}
		if err := messages.WriteTo(&got, p); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%d frames: %d bytes, error %v; want the %d bytes of Write", frames, got.Len(), err, len(want))
		}
		if limit := 1<<20 + 100; frames < 2 && got.most > limit {
			t.Errorf("%d frames: %d bytes at a time, want at most %d", frames, got.most, limit)
		}
		if err := messages.WriteTo(&taker{full: 1 << 21}, p); !errors.Is(err, errFull) {
			t.Errorf("%d frames: error %v, want that of the writer", frames, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		e := drawEverything(t)
		got := taker{full: room}
		if err := messages.WriteTo(&got, e); err != nil || !bytes.Equal(got.Bytes(), messages.Write(nil, e)) {
			t.Fatalf("% x, error %v; Write gives % x", got.Bytes(), err, messages.Write(nil, e))
		}
	})
}
