package pyalgorithm

import (
	"encoding/json"
	"math"

	"starling/messages"
)

// state is the memory of a participant, in the order of the names.
type state struct{ entries []entry }

// entry is an array, a number or bytes of a state.
type entry struct {
	name   string
	kind   int   // its kind in Python; see participants.py
	shape  []int // lengths of its dimensions
	values []float64
}

// layout is the codec's description of an entry before its values.
type layout struct {
	Name  string `json:"name"`
	Kind  int    `json:"kind"`
	Shape []int  `json:"shape"`
}

// mostEntries is the largest number of entries of a state.
const mostEntries = 300

// State implements messages.Stateful. Each entry is a field with its own name, so that viewers
// of a run find it under that name.
func (s *state) State(c *messages.Codec) {
	var text string
	if !c.Reading() {
		text = s.layout()
	}
	if c.Text("layout", &text); c.Reading() {
		s.lay(c, text)
	}
	for i := range s.entries {
		e := &s.entries[i]
		c.List(e.name, &e.values, math.MaxInt32)
		size := 1
		for _, length := range e.shape {
			size *= max(length, -1)
		}
		c.Check(len(e.values) == size, "%s has %d entries, which is not its shape %v", e.name, len(e.values), e.shape)
	}
}

// layout returns the layout of the entries as text.
func (s *state) layout() string {
	list := make([]layout, len(s.entries))
	for i, e := range s.entries {
		list[i] = layout{e.name, e.kind, e.shape}
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // cannot fail: texts and numbers
	}
	return string(text)
}

// lay makes entries of a layout. Their values follow in the codec.
func (s *state) lay(c *messages.Codec, text string) {
	var list []layout
	err := json.Unmarshal([]byte(text), &list)
	c.Check(c.Failed() || err == nil && len(list) <= mostEntries, "the layout of the state cannot be read")
	s.entries = nil
	if c.Failed() {
		return
	}
	for _, l := range list {
		s.entries = append(s.entries, entry{name: l.Name, kind: l.Kind, shape: l.Shape})
	}
}
