package bench

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"starling/actors/topology"
	"starling/bench/workload"
)

// degree is how many neighbours a node has.
const degree = 6

// network is a network of the workloads in a benchmark.
type network struct{ workload.Network }

// networksOf are the networks with n nodes.
func networksOf(b *testing.B, n int) (list []network) {
	b.Helper()
	all, err := workload.Networks(n, degree)
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range all {
		list = append(list, network{one})
	}
	return list
}

func sequenceOf(b *testing.B, generator interface {
	Sequence() (topology.Sequence, error)
}) topology.Sequence {
	b.Helper()
	sequence, err := generator.Sequence()
	if err != nil {
		b.Fatal(err)
	}
	return sequence
}

// stepTimes is what a step takes, by some clock.
type stepTimes struct{ build, weights, check time.Duration }

func (t stepTimes) total() time.Duration { return t.build + t.weights + t.check }

// step draws the graph of a step, weights it, holds the weights to what is asked
// of them, and counts the strongly connected components.
func (w network) step(b *testing.B, step int, clock func() time.Duration) (*topology.Graph, stepTimes) {
	b.Helper()
	t0 := clock()
	g := w.Graphs.At(step)
	t1 := clock()
	g, err := w.Weighting.Apply(g)
	if err != nil {
		b.Fatal(err)
	}
	t2 := clock()
	if err := w.Check(g); err != nil {
		b.Fatal(err)
	}
	return g, stepTimes{t1 - t0, t2 - t1, clock() - t2}
}

// onTheWall is the time that passes.
func onTheWall() time.Duration { return time.Since(started) }

var started = time.Now()

// BenchmarkRedrawn draws, weights and checks a digraph of 100,000 nodes and
// degree 6, as a run does at every step of a network that is redrawn, and
// compares the processor time with that of a plain loop that makes lists of
// senders and searches them from the first node, forwards and backwards. Target:
// at most 60 ms a step, which processor-ms tells where the machine is busy.
func BenchmarkRedrawn(b *testing.B) {
	n := 100_000
	if testing.Short() {
		n = 1000
	}
	for _, w := range networksOf(b, n) {
		b.Run(fmt.Sprintf("%s/n=%d", w.Name, n), func(b *testing.B) {
			w.step(b, 0, onTheWall) // once, uncounted
			var builds, weights, checks, totals, work, ratios, allocations, bytes []float64
			var before, after runtime.MemStats
			for step := 1; b.Loop(); step++ {
				runtime.GC()
				runtime.ReadMemStats(&before)
				p0 := processorTime()
				_, t := w.step(b, step, onTheWall)
				p1 := processorTime()
				runtime.ReadMemStats(&after)
				p2 := processorTime()
				workload.PlainDigraph(n, degree, step)
				p3 := processorTime()
				builds, weights = append(builds, milliseconds(t.build)), append(weights, milliseconds(t.weights))
				checks, totals = append(checks, milliseconds(t.check)), append(totals, milliseconds(t.total()))
				work = append(work, milliseconds(p1-p0))
				ratios = append(ratios, float64(p1-p0)/float64(p3-p2))
				allocations = append(allocations, float64(after.Mallocs-before.Mallocs))
				bytes = append(bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(n*degree))
			}
			b.ReportMetric(0, "ns/op") // the sum with the loop says nothing
			b.ReportMetric(median(builds), "build-ms/step")
			b.ReportMetric(median(weights), "weights-ms/step")
			b.ReportMetric(median(checks), "check-ms/step")
			b.ReportMetric(median(totals), "ms/step")
			b.ReportMetric(median(work), "processor-ms/step")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(median(allocations), "allocs/step")
			b.ReportMetric(median(bytes), "alloc-bytes/edge")
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// windowSequences are graphs of 10,000 nodes: of the first every step is all
// but strongly connected, of the others none is, and some steps together are.
func windowSequences(b *testing.B, n, steps int) map[string]topology.Sequence {
	redraw := topology.Redraw{Every: 1, Seed: 1}
	sequences := map[string]topology.Sequence{
		"k-out=6":  sequenceOf(b, topology.KOut{Nodes: n, Degree: degree, Directed: true, Redraw: redraw}),
		"k-out=1":  sequenceOf(b, topology.KOut{Nodes: n, Degree: 1, Directed: true, Redraw: redraw}),
		"matching": sequenceOf(b, topology.Matching{Nodes: n, Redraw: redraw}),
	}
	for name, sequence := range sequences {
		graphs := make([]*topology.Graph, steps) // what is timed draws nothing
		for step := range graphs {
			graphs[step] = sequence.At(step)
		}
		kept, err := topology.NewPeriodic(graphs...)
		if err != nil {
			b.Fatal(err)
		}
		sequences[name] = kept
	}
	return sequences
}

// BenchmarkConnectivity counts the strongly connected components of the union of
// 5 steps of 10,000 nodes, of one window by itself and of each of 60 in a row,
// and finds the smallest window that holds over as many steps. Target: at most
// 5 ms of processor time a window.
func BenchmarkConnectivity(b *testing.B) {
	const length, windows, repeated = 5, 60, 10
	n := 10_000
	if testing.Short() {
		n = 100
	}
	sequences := windowSequences(b, n, windows+length-1)
	for _, name := range []string{"k-out=6", "k-out=1", "matching"} {
		b.Run(fmt.Sprintf("%s/n=%d/B=%d", name, n, length), func(b *testing.B) {
			graphs, horizon := sequences[name], windows+length-1
			components := func(horizon int) {
				if _, err := topology.WindowComponents(graphs, horizon, length); err != nil {
					b.Fatal(err)
				}
			}
			var alone, sliding, smallest []float64
			for b.Loop() {
				t0 := processorTime()
				for range repeated {
					components(length)
				}
				t1 := processorTime()
				components(horizon)
				t2 := processorTime()
				if _, err := topology.SmallestWindow(graphs, horizon); err != nil {
					b.Fatal(err)
				}
				alone = append(alone, milliseconds(t1-t0)/repeated)
				sliding = append(sliding, milliseconds(t2-t1)/windows)
				smallest = append(smallest, milliseconds(processorTime()-t2)/float64(horizon))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(alone), "alone-ms/window")
			b.ReportMetric(median(sliding), "sliding-ms/window")
			b.ReportMetric(median(smallest), "smallest-ms/step")
		})
	}
}

// BenchmarkGrowth fits exponents to the processor time of a step as the nodes
// grow from 1,000 to 1,000,000 at degree 6: time = c N^exponent, by least squares
// in logarithms. The work is linear; what is beyond 1 is memory that is further
// away, which the plain loop's exponent shows too. window is the connectivity of
// the union of two steps, their drawing included. bytes/edge is what a graph
// holds, weights included, at the fewest and the most nodes. Targets: no exponent
// 0.1 above the loop's, and bytes/edge the same within 5 %.
func BenchmarkGrowth(b *testing.B) {
	sizes := []int{1000, 10_000, 100_000, 1_000_000}
	steps := []int{100, 30, 5, 1} // the clock may tick in milliseconds
	if testing.Short() {
		sizes = sizes[:2]
	}
	bySize := make([][]network, len(sizes))
	for k, n := range sizes {
		bySize[k] = networksOf(b, n)
	}
	for i, test := range bySize[0] {
		b.Run(test.Name, func(b *testing.B) {
			fits := map[string][]float64{}
			for b.Loop() {
				times := map[string][]float64{}
				for k := range sizes {
					for part, seconds := range bySize[k][i].seconds(b, steps[k]) {
						times[part] = append(times[part], seconds)
					}
				}
				for part, seconds := range times {
					fits[part] = append(fits[part], exponent(sizes, seconds))
				}
			}
			b.ReportMetric(0, "ns/op")
			for part, fit := range fits {
				b.ReportMetric(median(fit), part+"-exponent")
			}
			b.ReportMetric(test.bytesPerEdge(b), "fewest-bytes/edge")
			b.ReportMetric(bySize[len(sizes)-1][i].bytesPerEdge(b), "most-bytes/edge")
		})
	}
}

// seconds is the processor time of so many steps, one by one: their parts, the
// connectivity of a window, and the plain loop.
func (w network) seconds(b *testing.B, steps int) map[string]float64 {
	b.Helper()
	var total struct{ step, build, window, loop time.Duration }
	clocked := func(sum *time.Duration, work func(step int)) {
		runtime.GC()
		t0 := processorTime()
		for step := range steps {
			work(step)
		}
		*sum = processorTime() - t0
	}
	clocked(&total.build, func(step int) { w.Graphs.At(step) })
	clocked(&total.step, func(step int) { w.step(b, step, onTheWall) })
	clocked(&total.window, func(int) {
		if _, err := topology.WindowComponents(w.Graphs, 2, 2); err != nil {
			b.Fatal(err)
		}
	})
	clocked(&total.loop, func(step int) { workload.PlainDigraph(w.Graphs.Nodes(), degree, step) })
	perStep := func(d time.Duration) float64 { return d.Seconds() / float64(steps) }
	return map[string]float64{
		"build": perStep(total.build), "check": perStep(max(total.step-total.build, 1)),
		"window": perStep(total.window), "loop": perStep(total.loop),
	}
}

// bytesPerEdge is what the graph of a step holds.
func (w network) bytesPerEdge(b *testing.B) float64 {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g, _ := w.step(b, 0, onTheWall)
	runtime.GC()
	runtime.ReadMemStats(&after)
	held := float64(after.HeapAlloc) - float64(before.HeapAlloc)
	runtime.KeepAlive(g)
	return held / float64(g.Edges())
}

// exponent is the slope of the line through the logarithms.
func exponent(sizes []int, seconds []float64) float64 {
	x, y := make([]float64, len(sizes)), make([]float64, len(sizes))
	for k, n := range sizes {
		x[k], y[k] = math.Log(float64(n)), math.Log(seconds[k])
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}

// kinds are the graphs of mean degree 6 or so that are redrawn at every step, with
// weights as a run has them.
func kinds(b *testing.B, n int) []kindOfGraph {
	b.Helper()
	redraw := topology.Redraw{Every: 1, Seed: 1}
	base := sequenceOf(b, topology.RandomRegular{Nodes: n, Degree: 2 * degree, Redraw: topology.Redraw{Seed: 1}}).At(0)
	radius := math.Sqrt(degree / (math.Pi * float64(n)))
	share := degree / float64(n)
	column := topology.Weighting{Scheme: topology.UniformOut, SelfLoops: true}
	metropolis := topology.Weighting{Scheme: topology.Metropolis}
	return []kindOfGraph{
		{"random-regular", topology.RandomRegular{Nodes: n, Degree: degree, Redraw: redraw}, metropolis},
		{"random-regular-directed", topology.RandomRegular{Nodes: n, Degree: degree, Directed: true, Redraw: redraw}, column},
		{"permutations", topology.Permutations{Nodes: n, Degree: degree, Every: 1, Seed: 1}, topology.Weighting{Scheme: topology.Given}},
		{"erdos-renyi", topology.ErdosRenyi{Nodes: n, Probability: share, Redraw: redraw}, metropolis},
		{"erdos-renyi-directed", topology.ErdosRenyi{Nodes: n, Probability: share, Directed: true, Redraw: redraw}, column},
		{"k-out", topology.KOut{Nodes: n, Degree: degree / 2, Redraw: redraw}, metropolis},
		{"k-out-directed", topology.KOut{Nodes: n, Degree: degree, Directed: true, Redraw: redraw}, column},
		{"small-world", topology.SmallWorld{Nodes: n, Neighbours: degree, Rewire: 0.1, Redraw: redraw}, metropolis},
		{"preferential-attachment", topology.PreferentialAttachment{Nodes: n, Edges: degree / 2, Redraw: redraw}, metropolis},
		{"matching", topology.Matching{Nodes: n, Redraw: redraw}, metropolis},
		{"matching-on-base", topology.Matching{Nodes: n, Base: base, Redraw: redraw}, metropolis},
		{"stochastic-block", topology.StochasticBlock{Nodes: n, Blocks: 10, Within: 5 * share, Between: share / 2, Drift: 0.01, Redraw: redraw}, metropolis},
		{"geometric", topology.Geometric{Nodes: n, Radius: radius, SpeedMin: radius / 10, SpeedMax: radius, Seed: 1}, metropolis},
		{"markov-edges", topology.MarkovEdges{On: 0.1, Off: 0.1, Base: base, Seed: 1}, metropolis},
	}
}

// kindOfGraph is a generator and what weights its graphs.
type kindOfGraph struct {
	name      string
	generator interface {
		Sequence() (topology.Sequence, error)
	}
	weighting topology.Weighting
}

// weighted is the sequence of the kind with its weights.
func (k kindOfGraph) weighted(b *testing.B) topology.Sequence {
	b.Helper()
	sequence, err := k.weighting.OnTheWay(sequenceOf(b, k.generator))
	if err != nil {
		b.Fatal(err)
	}
	return sequence
}

// BenchmarkKinds builds the weighted graphs of every kind that is redrawn, step by
// step, at 10,000 nodes: the processor time for each entry of the matrix, and its
// ratio to that of workload.PlainDigraph for an edge. Target: at most 60 ns an edge of
// random-regular.
func BenchmarkKinds(b *testing.B) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	const repeated = 10
	for _, kind := range kinds(b, n) {
		b.Run(fmt.Sprintf("%s/n=%d", kind.name, n), func(b *testing.B) {
			graphs := kind.weighted(b)
			graphs.At(0) // once, uncounted
			var entries, ratios, allocations, bytes []float64
			var before, after runtime.MemStats
			for step := 1; b.Loop(); {
				runtime.ReadMemStats(&before)
				p0, edges := processorTime(), 0
				for range repeated {
					g := graphs.At(step)
					edges += g.Edges()
					step++
				}
				p1 := processorTime()
				runtime.ReadMemStats(&after)
				p2 := processorTime()
				workload.PlainDigraph(n, degree, step)
				plain := float64(processorTime()-p2) / float64(n*degree)
				each := float64(p1-p0) / float64(edges)
				entries, ratios = append(entries, each), append(ratios, each/plain)
				allocations = append(allocations, float64(after.Mallocs-before.Mallocs)/repeated)
				bytes = append(bytes, float64(after.TotalAlloc-before.TotalAlloc)/float64(edges))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(entries), "ns/entry")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(median(allocations), "allocs/graph")
			b.ReportMetric(median(bytes), "alloc-bytes/entry")
		})
	}
}
