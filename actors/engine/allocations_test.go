package engine_test

import (
	"runtime"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/runtimetest"
	"starling/actors/topology"
)

// allocations returns how many a run makes, of whatever size.
func allocations(t *testing.T, host *engine.Host, spec *algorithm.Run, options engine.Options) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := on(host, options)(spec); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// What a message costs in steady state is the difference between a run and one
// of twice its length: spawning and warming up are in both. The limit leaves
// room for the few reports and watermarks of a turn, a graph that is drawn anew
// and whatever the Go runtime and the test binary allocate meanwhile.
func TestMessagesAllocateNothing(t *testing.T) {
	const n, degree, steps, limit = 600, 6, 60, 0.01
	frozen, err := topology.Permutations{Nodes: n, Degree: degree, Seed: 1}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	redrawn, err := topology.Permutations{Nodes: n, Degree: degree, Every: 3, Seed: 1}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	machines := make([]algorithm.Machine, n)
	for i := range machines {
		machines[i] = script(func(t *algorithm.Turn) error {
			v := t.Vector(4)
			for k := range v.Values {
				v.Values[k] = t.Rand(1).Float64()
			}
			for i := range t.Inbox {
				v.Values[0] += t.Inbox[i].Weight
			}
			if t.View.Self()%10 == 0 { // single messages too
				return t.SendRaw(t.View.Out()[0], v)
			}
			return t.BroadcastRaw(v)
		})
	}
	host := newHost(t, 0)
	for name, graphs := range map[string]topology.Sequence{"frozen": frozen, "redrawn": redrawn} {
		for _, shards := range []int{1, 4} {
			spec := &algorithm.Run{Steps: steps, Graphs: graphs, Machines: machines, Meter: runtimetest.Silent{}}
			options := engine.Options{Shards: shards}
			short := allocations(t, host, spec, options)
			spec.Steps *= 2
			long := allocations(t, host, spec, options)
			envelopes := float64(n * (degree + 1) * steps)
			if each := (float64(long) - float64(short)) / envelopes; each > limit {
				t.Errorf("%s, %d shards: %v allocations a message (%d in %d steps, %d in %d), want at most %v",
					name, shards, each, short, steps, long, 2*steps, limit)
			}
		}
	}
}
