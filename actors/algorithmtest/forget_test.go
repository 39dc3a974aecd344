package algorithmtest

import (
	"fmt"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

// heavy is a ball that rolls: its position x follows its velocity v, which the
// second of them forgets to name as a part of its state.
type heavy struct {
	forgets bool
	x, v    []float64
}

func (h *heavy) Step(t *algorithm.Turn) error {
	for k := range h.x {
		h.v[k] += float64(k) / 4
		h.x[k] += h.v[k]
	}
	return t.Play(h.x)
}

func (h *heavy) State(c *messages.Codec) {
	c.Floats("x", h.x)
	if !h.forgets {
		c.Floats("v", h.v)
	}
}

// balls are a run of three, of which one may forget.
func balls(forgets bool) Fresh {
	return func() (*algorithm.Run, *runtimetest.Meter) {
		meter := runtimetest.NewMeter(3)
		graph, err := topology.Complete{Nodes: 3}.Sequence()
		if err != nil {
			panic(err)
		}
		run := &algorithm.Run{FirstStep: 1, Steps: 5, FirstLabel: 1, Graphs: graph, Meter: meter}
		for i := range 3 {
			run.Machines = append(run.Machines, &heavy{forgets: forgets && i == 1, x: make([]float64, 2), v: make([]float64, 2)})
		}
		return run, meter
	}
}

// caught is a test that keeps what it fails with.
type caught struct {
	testing.TB
	text string
}

func (c *caught) Fatalf(format string, args ...any) {
	c.text = fmt.Sprintf(format, args...)
	panic(c)
}

// fails returns what a check of a run fails with, "" if it passes.
func fails(t *testing.T, check func(t testing.TB)) string {
	t.Helper()
	c := &caught{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(c) {
				panic(p)
			}
		}()
		check(c)
	}()
	return c.text
}

// A machine that forgets a field of its state fails the checks, which say where
// its run first differs: node, turn, field, index and both values.
func TestForgottenFieldsAreFound(t *testing.T) {
	host := NewHost(t)
	reborn := func(f Fresh) string {
		return fails(t, func(t testing.TB) { f.CheckReborn(t, "balls") })
	}
	resumed := func(f Fresh) string {
		return fails(t, func(t testing.TB) { f.CheckResumes(t, host, "balls", 3) })
	}
	// The velocity is 1/4 in step 1 and 1/2 in step 2, where it begins anew.
	if got, want := reborn(balls(true)), "balls (-whole +reborn):\nnode 2, step 2, hop 0: x[1] is 0.5, want 0.75\n"; !strings.HasPrefix(got, want) {
		t.Errorf("reborn: %s\nwant %s", got, want)
	}
	if got, want := resumed(balls(true)), "balls, lockstep from pause 1 on (-straight +resumed):\nnode 2, step 4, hop 0: x[1] is 1.75, want 2.5\n"; !strings.HasPrefix(got, want) {
		t.Errorf("resumed: %s\nwant %s", got, want)
	}
	if got := reborn(balls(false)) + resumed(balls(false)); got != "" {
		t.Errorf("machines that forget nothing: %s", got)
	}
}
