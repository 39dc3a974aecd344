package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/messages"
)

const degree = 6

func gossipRun(b *testing.B, n, d, steps int) *algorithm.Run {
	b.Helper()
	graphs, err := topology.Permutations{Nodes: n, Degree: min(degree, n-1), Every: 1 << 30, Seed: 1}.Sequence()
	if err != nil {
		b.Fatal(err)
	}
	graphs, err = topology.NewPeriodic(graphs.At(0))
	if err != nil {
		b.Fatal(err)
	}
	machines := make([]algorithm.Machine, n)
	for i, x := range start(n, d) {
		machines[i] = &gossip{x: x}
	}
	return &algorithm.Run{Seed: 1, FirstStep: 1, FirstLabel: 1, Steps: steps, Graphs: graphs, Machines: machines, Meter: noMeter{}}
}

// plainGossip is the loop a person would write: two goroutines, half of the
// nodes each, two buffers, a barrier a step.
func plainGossip(graph *topology.Graph, x [][]float64, steps int) {
	n := len(x)
	d := len(x[0])
	sent := [2][][]float64{start(n, d), start(n, d)}
	barrier := newBarrier(2)
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
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
	wg.Wait()
}

// barrier is a reusable barrier for a fixed number of goroutines.
type barrier struct {
	mu      sync.Mutex
	cond    sync.Cond
	parties int
	waiting int
	round   int
}

func newBarrier(parties int) *barrier {
	b := &barrier{parties: parties}
	b.cond.L = &b.mu
	return b
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.waiting++; b.waiting == b.parties {
		b.waiting = 0
		b.round++
		b.cond.Broadcast()
		return
	}
	for b.round == round {
		b.cond.Wait()
	}
}

func BenchmarkGossip(b *testing.B) {
	for _, d := range []int{2, 100} {
		for _, n := range []int{6, 1000, 10000} {
			steps := max(100, 40_000_000/(n*(d+20)))
			name := fmt.Sprintf("d=%d/n=%d", d, n)
			b.Run("loop/"+name, func(b *testing.B) {
				run := gossipRun(b, n, d, steps)
				graph := run.Graphs.At(0)
				x := start(n, d)
				b.ReportAllocs()
				for b.Loop() {
					plainGossip(graph, x, steps)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*steps), "ns/node-step")
			})
			b.Run("actors/"+name, func(b *testing.B) {
				run := gossipRun(b, n, d, steps)
				host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
				if err != nil {
					b.Fatal(err)
				}
				defer host.Close()
				b.ReportAllocs()
				for b.Loop() {
					if err := host.Run(context.Background(), run, engine.Options{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*steps), "ns/node-step")
			})
			b.Run("lockstep/"+name, func(b *testing.B) {
				run := gossipRun(b, n, d, steps)
				for b.Loop() {
					if err := lockstep.Run(context.Background(), run); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n*steps), "ns/node-step")
			})
		}
	}
}
