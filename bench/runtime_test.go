package bench

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/topology"
	"starling/messages"
)

// turns is how many turns of a participant a compared run has, so many that
// starting and stopping the participants is a small part of it.
const turns = 4_000_000

// BenchmarkGossip compares averaging over 6 neighbours and oneself. Targets:
// ratio at most 1.4 at d = 100; at d = 2 at most 3.5 for n >= 1000 and 7 for
// n = 6.
func BenchmarkGossip(b *testing.B) {
	for _, d := range []int{2, 100} {
		for _, n := range []int{6, 1000, 10000} {
			b.Run(fmt.Sprintf("d=%d/n=%d", d, n), func(b *testing.B) {
				steps := turns / n
				if testing.Short() {
					steps = 10
				}
				graph := gossipGraph(b, n)
				x := start(n, d)
				envelopes := steps * graph.Edges()
				compare(b, n*steps, func() { plainGossip(graph, x, steps) },
					func() *algorithm.Run { return gossipRun(graph, d, steps) })
				b.ReportMetric(steadyAllocations(b, envelopes, func(factor int) *algorithm.Run {
					return gossipRun(graph, d, factor*steps)
				}), "allocs/envelope")
			})
		}
	}
}

// BenchmarkStar compares federated averaging with localSteps gradient steps a
// client and round. Target: ratio at most 1.2 for n >= 1000.
func BenchmarkStar(b *testing.B) {
	for _, n := range []int{20, 1000, 10000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rounds := turns / n
			if testing.Short() {
				rounds = 2
			}
			compare(b, n*rounds, plainStar(n, rounds), func() *algorithm.Run { return starRun(b, n, rounds) })
			b.ReportMetric(steadyAllocations(b, 2*n*rounds, func(factor int) *algorithm.Run {
				return starRun(b, n, factor*rounds)
			}), "allocs/envelope")
		})
	}
}

// idle is a machine that does nothing.
type idle struct{}

func (idle) Step(*algorithm.Turn) error { return nil }
func (idle) State(*messages.Codec)      {}

// BenchmarkSpawn starts participants, gives each one turn, and stops them.
// Targets for a million: at most 4 s and 600 bytes each.
func BenchmarkSpawn(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			graph, err := topology.FromEdges(n, []topology.Edge{{From: 0, To: 1, Weight: 1}})
			if err != nil {
				b.Fatal(err)
			}
			host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
			if err != nil {
				b.Fatal(err)
			}
			defer host.Close()
			machines := make([]algorithm.Machine, n)
			for i := range machines {
				machines[i] = idle{}
			}
			var started time.Duration
			var bytes uint64
			for b.Loop() {
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				machines[0] = &probe{at: time.Now(), started: &started, after: &after}
				run := &algorithm.Run{Steps: 2, Graphs: topology.Static(graph), Machines: machines, Meter: noMeter{}}
				if err := host.Run(context.Background(), run, engine.Options{}); err != nil {
					b.Fatal(err)
				}
				bytes = after.HeapAlloc - before.HeapAlloc
			}
			b.ReportMetric(started.Seconds(), "s-to-start")
			b.ReportMetric(float64(bytes)/float64(n), "bytes/participant")
		})
	}
}

// probe notes when it gets its first turn, at which all participants exist, and
// what memory is then in use.
type probe struct {
	at      time.Time
	started *time.Duration
	after   *runtime.MemStats
}

func (p *probe) Step(t *algorithm.Turn) error {
	if t.Step == 0 {
		*p.started = time.Since(p.at)
		runtime.GC()
		runtime.ReadMemStats(p.after)
	}
	return nil
}

func (*probe) State(*messages.Codec) {}

func gossipGraph(b *testing.B, n int) *topology.Graph {
	b.Helper()
	sequence, err := topology.Permutations{Nodes: n, Degree: min(degree, n-1), Seed: 1}.Sequence()
	if err != nil {
		b.Fatal(err)
	}
	return sequence.At(0)
}

func gossipRun(graph *topology.Graph, d, steps int) *algorithm.Run {
	n := graph.Nodes()
	nodes := make([]gossip, n)
	machines := make([]algorithm.Machine, n)
	for i, x := range start(n, d) {
		nodes[i] = gossip{x: x}
		machines[i] = &nodes[i]
	}
	return &algorithm.Run{Seed: 1, FirstStep: 1, FirstLabel: 1, Steps: steps, Graphs: topology.Static(graph), Machines: machines, Meter: noMeter{}}
}

// plainGossip is the loop a person would write: two goroutines, half of the
// nodes each, two buffers, a barrier a step.
func plainGossip(graph *topology.Graph, x [][]float64, steps int) {
	n := len(x)
	d := len(x[0])
	sent := [2][][]float64{zeros(n, d), zeros(n, d)}
	halves(func(w int, barrier *barrier) {
		for step := range steps {
			to, from := sent[step%2], sent[(step+1)%2]
			for i := w * n / 2; i < (w+1)*n/2; i++ {
				if step > 0 {
					clear(x[i])
					senders, weights := graph.In(messages.NodeID(i))
					for k, j := range senders {
						axpy(x[i], weights[k], from[j])
					}
				}
				copy(to[i], x[i])
			}
			barrier.wait()
		}
	})
}
