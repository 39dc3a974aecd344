package algorithm_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/messages"
)

// exposed is a diary that is told of payloads, too.
type exposed struct{ *diary }

func (e exposed) Exposed(from, to messages.NodeID, step int, exposure messages.Exposure) {
	what := map[messages.Exposure]string{messages.Raw: "raw", messages.Released: "released"}[exposure]
	e.add("node %d showed node %d something %s in step %d", from, to, what, step)
}

// A meter is told of payloads that leave a node and are not public, of a broadcast
// the first and the last receiver, and of nothing else.
func TestExposed(t *testing.T) {
	told := &diary{}
	b := newBench(t, func(r *algorithm.Run) { r.Meter = exposed{told} })
	raw, released := &messages.Vector{Values: []float64{1}}, &messages.Vector{Exposure: messages.Released, Values: []float64{1}}
	public := &messages.Vector{Exposure: messages.Public, Values: []float64{1}}
	b.must(t, 0, func(t *algorithm.Turn) error {
		return errors.Join(t.Broadcast(raw), t.Send(0, raw), t.Send(2, released))
	})
	b.must(t, 1, func(t *algorithm.Turn) error { return errors.Join(t.Broadcast(released), t.Send(0, raw)) })
	b.must(t, 2, func(t *algorithm.Turn) error { return t.Broadcast(public) })
	want := []string{
		"node 0 showed node 1 something raw in step 1",
		"node 0 showed node 3 something raw in step 1",
		"node 0 showed node 2 something released in step 1",
		"node 1 showed node 0 something released in step 1",
		"node 1 showed node 0 something raw in step 1",
	}
	if diff := cmp.Diff(want, told.lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A message that is refused shows nothing.
func TestRefusedMessagesAreNotExposed(t *testing.T) {
	told := &diary{}
	b := newBench(t, func(r *algorithm.Run) { r.Meter = exposed{told} })
	raw := &messages.Vector{}
	_, _, failure := b.step(2, func(t *algorithm.Turn) error { return t.Send(1, raw) })
	if failure == nil || len(told.lines) > 0 {
		t.Errorf("%v, %q", failure, told.lines)
	}
}

// Telling a meter of payloads costs no memory.
func TestExposingAllocatesNothing(t *testing.T) {
	for name, exposure := range map[string]messages.Exposure{"raw": messages.Raw, "released": messages.Released, "public": messages.Public} {
		told := &counting{diary: &diary{}}
		b := newBench(t, func(r *algorithm.Run) { r.Meter = told })
		v := &messages.Vector{Exposure: exposure, Values: []float64{1}}
		send := machine(func(t *algorithm.Turn) error { return t.Broadcast(v) })
		outbox := &messages.Outbox{}
		if n := testing.AllocsPerRun(100, func() {
			outbox.Reset()
			if _, failure := b.stepper.Step(send, b.graph.View(0), nil, outbox); failure != nil {
				t.Fatal(failure)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if (told.count > 0) == (exposure == messages.Public) {
			t.Errorf("%s: told of %d payloads", name, told.count)
		}
	}
}

// counting counts what it is told of payloads.
type counting struct {
	*diary
	count int
}

func (c *counting) Exposed(messages.NodeID, messages.NodeID, int, messages.Exposure) { c.count++ }
