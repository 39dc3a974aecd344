package messages_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
)

// everything has a field of every sort.
type everything struct {
	step    int
	node    messages.NodeID
	short   int32
	word    uint64
	done    bool
	x       float64
	vector  [3]float64
	list    []float64
	drawn   []int32
	text    string
	digest  [2]byte
	count   atomic.Int64
	bits    atomic.Uint64
	held    []held
	missing *held
	single  held
}

type held struct {
	from int
	q    []float64
}

func (h *held) State(c *messages.Codec) {
	c.Int("from", &h.from)
	c.List("q", &h.q, 5)
}

func (e *everything) State(c *messages.Codec) {
	c.Int("step", &e.step)
	messages.Integer(c, "node", &e.node)
	c.Int32("short", &e.short)
	c.Uint64("word", &e.word)
	c.Bool("done", &e.done)
	c.Same("size", 3)
	c.Float("x", &e.x)
	c.Floats("vector", e.vector[:])
	c.List("list", &e.list, 5)
	messages.Integers(c, "drawn", &e.drawn, 5)
	c.Text("text", &e.text)
	c.Bytes("digest", e.digest[:])
	c.Count("count", &e.count)
	c.Bits("bits", &e.bits)
	each := func(h *held) { h.State(c) }
	messages.Slice(c, "held", &e.held, 4, each)
	messages.Optional(c, "missing", &e.missing, each)
	c.Frame("single", &e.single)
	c.Check(e.step >= 0, "step %d is below 0", e.step)
}

func drawHeld(t *rapid.T) held {
	return held{rapid.Int().Draw(t, "from"), rapid.SliceOfN(anyDouble(), 0, 5).Draw(t, "q")}
}

func drawEverything(t *rapid.T) *everything {
	e := &everything{
		step: rapid.IntRange(0, math.MaxInt).Draw(t, "step"), node: messages.NodeID(rapid.Int32().Draw(t, "node")),
		short: rapid.Int32().Draw(t, "short"), word: rapid.Uint64().Draw(t, "word"), done: rapid.Bool().Draw(t, "done"),
		x: anyDouble().Draw(t, "x"), list: rapid.SliceOfN(anyDouble(), 0, 5).Draw(t, "list"),
		drawn: rapid.SliceOfN(rapid.Int32(), 0, 5).Draw(t, "drawn"), text: rapid.String().Draw(t, "text"),
		digest: [2]byte{rapid.Byte().Draw(t, "digest")}, single: drawHeld(t),
	}
	copy(e.vector[:], rapid.SliceOfN(anyDouble(), 3, 3).Draw(t, "vector"))
	e.count.Store(rapid.Int64().Draw(t, "count"))
	e.bits.Store(rapid.Uint64().Draw(t, "bits"))
	for range rapid.IntRange(0, 4).Draw(t, "held") {
		e.held = append(e.held, drawHeld(t))
	}
	if rapid.Bool().Draw(t, "missing") {
		h := drawHeld(t)
		e.missing = &h
	}
	return e
}

// What is read is what was written, whatever was there before, and no prefix of
// a state is one.
func TestStatesAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, got := drawEverything(t), drawEverything(t)
		text := messages.Write([]byte{9}, e)
		if text[0] != 9 || !bytes.Equal(text[1:], messages.Write(nil, e)) {
			t.Fatal("what was there before makes a difference")
		}
		source := slices.Clone(text[1:])
		if err := messages.Read(source, got); err != nil {
			t.Fatal(err)
		}
		clear(source) // must not be kept
		if again := messages.Write([]byte{9}, got); !bytes.Equal(again, text) {
			t.Fatalf("written again:\n%x, want\n%x", again, text)
		}
		if d := messages.Difference(messages.Fields(e), messages.Fields(got)); d != "" {
			t.Fatal(d)
		}
		n := rapid.IntRange(1, len(text)-1).Draw(t, "cut")
		if messages.Read(text[1:n], new(everything)) == nil {
			t.Fatalf("the first %d of %d bytes are a state", n-1, len(text)-1)
		}
	})
}

// plain is a state with a vector, parts and a text.
func plain() *everything {
	e := &everything{step: 4, vector: [3]float64{1, 0.5, -2}, text: "why", held: []held{{from: 1}, {from: 7, q: []float64{3, 4}}}}
	return e
}

// An error names the field that it is of.
func TestErrorsNameTheField(t *testing.T) {
	limited := func(limit int) messages.Stateful {
		return messages.StateFunc(func(c *messages.Codec) {
			c.Enter("node", 3)
			c.List("list", &[]float64{1, 2, 3}, limit)
			c.Leave()
		})
	}
	integer := func(v int) []byte {
		return messages.Write(nil, messages.StateFunc(func(c *messages.Codec) { c.Int("", &v) }))
	}
	var node messages.NodeID
	var truth bool
	var pieces []held
	tests := []struct {
		src  []byte
		to   messages.Stateful
		want string
	}{
		{messages.Write(nil, limited(3)), limited(2), "node[3].list: 3 entries, want at most 2"},
		{integer(3), limited(3), "node[3].list: malformed state: 3 entries announced, 0 bytes left"},
		{integer(-1), limited(3), "node[3].list: -1 entries, want at most 3"},
		{integer(1 << 40), messages.StateFunc(func(c *messages.Codec) { messages.Integer(c, "from", &node) }), "from: malformed state: 1099511627776 is out of range"},
		{[]byte{2}, messages.StateFunc(func(c *messages.Codec) { c.Bool("done", &truth) }), "done: malformed state: 2 is neither true nor false"},
		{integer(3), messages.StateFunc(func(c *messages.Codec) { c.Same("nodes", 2) }), "nodes: 3, want 2"},
		{append(integer(1), 5), messages.StateFunc(func(c *messages.Codec) {
			messages.Slice(c, "held", &pieces, 9, func(h *held) { h.State(c) })
		}), "held[0].from: malformed state: 8 bytes wanted, 1 left"},
		{append([]byte{17, 0, 0, 0}, make([]byte, 17)...), messages.StateFunc(func(c *messages.Codec) { c.Frame("one", &held{}) }), "one: malformed state: 1 bytes too many"},
		{append([]byte{9, 0, 0, 0}, make([]byte, 17)...), messages.StateFunc(func(c *messages.Codec) { c.Frame("one", &held{}) }), "one.q: malformed state: 8 bytes wanted, 1 left"},
		{messages.Write(nil, &everything{step: -2}), &everything{}, "step -2 is below 0"},
		{append(messages.Write(nil, plain()), 0), &everything{}, "malformed state: 1 bytes too many"},
	}
	for _, test := range tests {
		if err := messages.Read(test.src, test.to); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// A difference is named by field and index, with both values.
func TestDifferences(t *testing.T) {
	tests := []struct {
		change func(*everything)
		want   string
	}{
		{func(e *everything) { e.step = 5 }, "step is 5, want 4"},
		{func(e *everything) { e.vector[1] = math.Nextafter(0.5, 1) }, "vector[1] is 0.5000000000000001, want 0.5"},
		{func(e *everything) { e.vector[2] = math.NaN() }, "vector[2] is NaN of bits 7ff8000000000001, want -2"},
		{func(e *everything) { e.list = []float64{1} }, "list has 1 entries, want 0"},
		{func(e *everything) { e.text = "because" }, `text is "because", want "why"`},
		{func(e *everything) { e.done = true }, "done is true, want false"},
		{func(e *everything) { e.held[1].q[1] = 8 }, "held[1].q[1] is 8, want 4"},
		{func(e *everything) { e.held = e.held[:1] }, "held has 1 parts, want 2"},
		{func(e *everything) { e.single.from = -1 }, "single.from is -1, want 0"},
		{func(e *everything) { e.drawn = []int32{3, 4} }, "drawn has 2 entries, want 0"},
		{func(e *everything) { e.missing = &held{} }, "missing is true, want false"},
		{func(e *everything) { e.word = math.MaxUint64 }, "word is 18446744073709551615, want 0"},
		{func(e *everything) { e.digest[1] = 7 }, "digest[1] is 7, want 0"},
	}
	for _, test := range tests {
		changed := plain()
		test.change(changed)
		if got := messages.Difference(messages.Fields(plain()), messages.Fields(changed)); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if d := messages.Difference(messages.Fields(plain()), messages.Fields(plain())); d != "" {
		t.Errorf("equal states differ: %s", d)
	}
}

// Fields have the names of what they are in, and values where they are numbers.
func TestFields(t *testing.T) {
	var list []string
	for _, f := range messages.Fields(plain()) {
		if values := f.Values(); values != nil {
			list = append(list, fmt.Sprint(f.Name, values))
		}
	}
	const want = "step[4] node[0] short[0] word[0] done[0] x[0] vector[1 0.5 -2] list[] drawn[] count[0] bits[0] " +
		"held[0].from[1] held[0].q[] held[1].from[7] held[1].q[3 4] missing[0] single.from[0] single.q[]"
	if got := strings.Join(list, " "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// FuzzRead reads whatever bytes there are: an error, or a state that writes them.
func FuzzRead(f *testing.F) {
	f.Add(messages.Write(nil, plain()))
	f.Add(messages.Write(nil, &everything{}))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, src []byte) {
		var e everything
		if messages.Read(src, &e) != nil {
			return
		}
		if again := messages.Write(nil, &e); !bytes.Equal(again, src) {
			t.Errorf("%x reads as a state that writes %x", src, again)
		}
	})
}
