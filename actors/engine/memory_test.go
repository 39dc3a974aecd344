package engine_test

import (
	"runtime"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/topology"
)

// heldAt runs a machine on every node of a sequence and returns how many bytes a
// participant the run holds in a step, beside its machines and graphs.
func heldAt(t *testing.T, graphs topology.Sequence, step int, machine script) float64 {
	t.Helper()
	var before, during runtime.MemStats
	n := graphs.Nodes()
	machines := make([]algorithm.Machine, n)
	for i := range machines {
		machines[i] = machine
	}
	last := machines[n-1].(script)
	machines[n-1] = script(func(turn *algorithm.Turn) error {
		if turn.Step == step {
			runtime.GC()
			runtime.ReadMemStats(&during)
		}
		return last(turn)
	})
	graphs.At(0)
	// All of a run's memory but that of its machines comes after this.
	host, err := engine.NewHost(engine.HostOptions{Workers: 1, Logger: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	runtime.GC()
	runtime.GC() // what finalizers and pools held goes with the second
	runtime.ReadMemStats(&before)
	spec := &algorithm.Run{Steps: step + 2, Graphs: graphs, Machines: machines, Meter: runtimetest.Silent{}}
	if err := on(host, engine.Options{})(spec); err != nil {
		t.Fatal(err)
	}
	return (float64(during.HeapAlloc) - float64(before.HeapAlloc)) / float64(n)
}

// A participant that does nothing takes at most 512 bytes, the books of the actor runtime
// included. One that sends a vector of length d takes besides, for as many turns as what
// is sent stays unchanged, its entries and the vector's header. Nothing grows with the
// number of steps.
func TestBytesPerParticipant(t *testing.T) {
	const most, least = 512, 100
	idle := script(func(*algorithm.Turn) error { return nil })
	if lonely := heldAt(t, regular(t, 100_000, 1), 1, idle); lonely > most || lonely < least {
		t.Errorf("%.0f bytes for an idle participant, want %d to %d", lonely, least, most)
	}

	const n, degree, d, slack = 10_000, 6, 10, 8
	const sent = (engine.DefaultLookahead + 2) * (8*d + 40)
	graphs := regular(t, n, degree)
	base := heldAt(t, graphs, 1, idle)
	speak := script(func(t *algorithm.Turn) error {
		v := t.Vector(d)
		clear(v.Values)
		return t.BroadcastRaw(v)
	})
	early, late := heldAt(t, graphs, 6, speak), heldAt(t, graphs, 60, speak)
	// The allocator rounds large slices up by an eighth at most.
	if extra := late - base; extra < sent-slack || extra > sent*9/8+slack {
		t.Errorf("sending takes %.1f bytes a participant, want %d", extra, sent)
	}
	if late > early+slack {
		t.Errorf("%.1f bytes a participant in step 6, %.1f in step 60", early, late)
	}
}

// regular is a graph of n nodes that each send so many others.
func regular(t *testing.T, n, degree int) topology.Sequence {
	t.Helper()
	graphs, err := topology.Permutations{Nodes: n, Degree: degree, Seed: 1}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	return graphs
}
