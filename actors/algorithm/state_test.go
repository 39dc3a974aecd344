package algorithm_test

import (
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/messages"
)

// counter is a machine whose state is one byte.
type counter struct{ n byte }

func (c *counter) Step(*algorithm.Turn) error { c.n++; return nil }
func (c *counter) State(codec *messages.Codec) {
	n := [1]byte{c.n}
	codec.Bytes("n", n[:])
	c.n = n[0]
}

func counters(n int) *algorithm.Run {
	run := &algorithm.Run{FirstLabel: 1, Steps: 10, Hops: func(offset int) int { return 1 + offset%2 }}
	for i := range n {
		run.Machines = append(run.Machines, &counter{byte(i)})
	}
	return run
}

func stateOf(t *testing.T, run *algorithm.Run, offset int) []byte {
	t.Helper()
	s := &algorithm.State{Offset: offset, Stopped: make([]bool, len(run.Machines)), Sent: make([]messages.Outbox, len(run.Machines))}
	s.Stopped[1] = true
	s.Sent[0].SetBroadcast(&messages.Vector{Values: []float64{4}})
	return messages.Write(nil, run.At(s))
}

func TestRunIsRestored(t *testing.T) {
	text := stateOf(t, counters(3), 5)
	run := counters(3)
	for _, m := range run.Machines {
		m.(*counter).n = 77
	}
	if err := messages.Read(text, run.At(nil)); err != nil {
		t.Fatal(err)
	}
	for i, m := range run.Machines {
		if m.(*counter).n != byte(i) {
			t.Errorf("machine %d was restored to %d", i, m.(*counter).n)
		}
	}
	if s := run.Resume; s.Stopped[0] || !s.Stopped[1] || s.Sent[0].Broadcast == nil || !s.Sent[2].Empty() {
		t.Errorf("restored %+v", s)
	}
	// Steps 0 .. 4 have 1, 2, 1, 2, 1 hops.
	if c := run.Clock(); c.Turn != 7 || c.Offset != 5 || c.Hop != 0 {
		t.Errorf("the clock goes on at turn %d, offset %d, hop %d", c.Turn, c.Offset, c.Hop)
	}
}

func TestRunRefusesStates(t *testing.T) {
	text := stateOf(t, counters(3), 5)
	tests := []struct {
		name string
		run  *algorithm.Run
		text []byte
		want string
	}{
		{"another number of machines", counters(4), text, "machines: 3, want 4"},
		{"before the first step", counters(3), stateOf(t, counters(3), 0), "state after 0 steps of 10"},
		{"after the last step", counters(3), stateOf(t, counters(3), 10), "state after 10 steps of 10"},
		{"a rest", counters(3), append(text, 0), "1 bytes too many"},
	}
	for _, test := range tests {
		if err := messages.Read(test.text, test.run.At(nil)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	for n := range text {
		if err := messages.Read(text[:n], counters(3).At(nil)); err == nil {
			t.Errorf("%d bytes of %d are a state", n, len(text))
		}
	}
}

func TestPauses(t *testing.T) {
	run := counters(1)
	run.Pauses.Every = 4
	var offsets []int
	for c := run.Clock(); !c.Done(); c.Next() {
		if c.Pauses() {
			offsets = append(offsets, c.Offset)
		}
	}
	if len(offsets) != 2 || offsets[0] != 4 || offsets[1] != 8 {
		t.Errorf("pauses after %v steps, want 4 and 8", offsets)
	}
}
