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
	"starling/bench/workload"
	"starling/messages"
)

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
				run := &algorithm.Run{Steps: 2, Graphs: topology.Static(graph), Machines: machines, Meter: workload.NoMeter{}}
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
