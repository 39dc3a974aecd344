package opestoch_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
	"starling/mechanisms/rng"
	"starling/messages"
)

// transcription is Algorithms 1 to 5 typed from the paper, without machines,
// turns or messages: vertices of trees by their names s, losses as functions,
// all clients side by side. It shares with the machines the keys of the random
// streams and what the schedule says of T1, b and the noise, which other tests
// check. x is by client, then by step.
type transcription struct {
	o     opestoch.Options
	costs algorithm.Costs
	seed  uint64
}

func (a *transcription) stream(purpose rng.Purpose, node, step, hop int) *rng.Rand {
	return new(rng.Stream).Open(rng.NewKey(a.seed, purpose), node, step, hop)
}

func (a *transcription) run(s *opestoch.Schedule) (x [][][]float64) {
	m, d := a.o.Clients, a.o.Experts
	x = make([][][]float64, m+1)
	iterate := make([]float64, d) // the same for all clients: they hear the same vertices
	for n := range iterate {
		iterate[n] = 1 / float64(d)
	}
	for p := range s.Phases {
		phase := &s.Phases[p]
		if phase.Number > 1 {
			a.phase(phase, &s.Phases[p-1], iterate)
		}
		for i := 1; i <= m; i++ {
			for t := phase.First; t <= phase.Last; t++ { // lines 14 and 15
				x[i] = append(x[i], append([]float64(nil), iterate...))
			}
		}
	}
	return x
}

// phase moves the iterate through all leaves of a phase.
func (a *transcription) phase(phase, before *opestoch.Phase, iterate []float64) {
	m := a.o.Clients
	samples := make([][]int, m+1) // steps, in the order of drawing
	for i := 1; i <= m; i++ {
		hop := 2 * before.Leaves()
		if before.Number == 1 {
			hop = 1
		}
		r := a.stream(samplePurpose, i, before.First, hop)
		left := make([]int, phase.Available)
		for k := range left {
			left[k] = before.First + k
		}
		for range phase.Drawn { // choose, swap to the front, go on behind it
			at := r.IntN(len(left))
			left[0], left[at] = left[at], left[0]
			samples[i] = append(samples[i], left[0])
			left = left[1:]
		}
	}
	k := 1
	for j := 1; j <= phase.Trees; j++ {
		v, point := make([]map[string][]float64, m+1), map[string][]float64{} // by s; x_s is the same for all
		for i := range v {
			v[i] = map[string][]float64{}
		}
		for _, s := range depthFirst("", j) {
			parent := s[:max(0, len(s)-1)]
			switch {
			case s == "": // lines 3 to 5
				point[s] = append([]float64(nil), iterate...)
				for i := 1; i <= m; i++ {
					v[i][s] = a.mean(i, a.take(samples, i, phase.Batch), point[s], nil)
				}
			case strings.HasSuffix(s, "0"): // line 9
				point[s] = point[parent]
				for i := 1; i <= m; i++ {
					v[i][s] = v[i][parent]
				}
			default: // lines 11 and 12
				point[s] = append([]float64(nil), iterate...)
				size := int(math.Pow(2, -float64(len(s))) * float64(phase.Batch))
				for i := 1; i <= m; i++ {
					v[i][s] = a.mean(i, a.take(samples, i, size), point[s], point[parent])
					for n := range v[i][s] {
						v[i][s][n] += v[i][parent][n]
					}
				}
			}
			if len(s) == j { // a leaf: Algorithm 1, lines 8 to 11
				w := a.answer(phase, j, k, func(i int) []float64 { return v[i][s] })
				eta := 2 / (float64(k) + 1)
				for n := range iterate {
					iterate[n] = (1-eta)*iterate[n] + eta*w[n]
				}
				k++
			}
		}
	}
}

// depthFirst lists the vertices below and with s.
func depthFirst(s string, depth int) []string {
	list := []string{s}
	if len(s) < depth {
		list = append(list, depthFirst(s+"0", depth)...)
		list = append(list, depthFirst(s+"1", depth)...)
	}
	return list
}

func (a *transcription) take(samples [][]int, i, size int) []int {
	batch := samples[i][:size]
	samples[i] = samples[i][size:]
	return batch
}

// mean is the mean gradient over a batch at x, less that at y if there is one.
func (a *transcription) mean(i int, batch []int, x, y []float64) []float64 {
	sum := make([]float64, len(x))
	g := make([]float64, len(x))
	for _, t := range batch {
		a.costs.Gradient(g, messages.NodeID(i), t, x)
		for n := range sum {
			sum[n] += g[n] / float64(len(batch))
		}
		if y != nil {
			a.costs.Gradient(g, messages.NodeID(i), t, y)
			for n := range sum {
				sum[n] -= g[n] / float64(len(batch))
			}
		}
	}
	return sum
}

// answer is (1), or (6) for the central variant, as a vertex of the simplex.
func (a *transcription) answer(phase *opestoch.Phase, j, k int, v func(i int) []float64) []float64 {
	d, m := a.o.Experts, a.o.Clients
	mean := make([]float64, d)
	for i := 1; i <= m; i++ {
		r := a.stream(noisePurpose, i, phase.First, 2*(k-1))
		for n := range d {
			xi := 0.0
			if a.o.Variant != opestoch.Central {
				xi = phase.Scales[j-1] * r.Laplace()
			}
			mean[n] += (v(i)[n] + xi) / float64(m)
		}
	}
	if a.o.Variant == opestoch.Central {
		r := a.stream(noisePurpose, 0, phase.First, 2*(k-1)+1)
		for n := range d {
			mean[n] -= phase.Scales[j-1] * r.Laplace() // Lap is symmetric
		}
	}
	best := 0
	for n := range d {
		if mean[n] < mean[best] {
			best = n
		}
	}
	w := make([]float64, d)
	w[best] = 1
	return w
}

// The machines play what the algorithms, typed from the paper, play.
func TestMachinesAreTheTranscription(t *testing.T) {
	small := linearOptions()
	small.Clients, small.Experts, small.Horizon = 1, 2, 9
	theorem := linearOptions()
	theorem.Batch, theorem.Beta, theorem.Horizon = opestoch.Theorem1, 5, 300
	silent := convexOptions()
	silent.Epsilon = math.Inf(1)
	for name, test := range map[string]struct {
		o     opestoch.Options
		costs algorithm.Costs
	}{
		"linear":              {linearOptions(), vectors{}},
		"one client":          {small, vectors{}},
		"theorem-1":           {theorem, vectors{}},
		"convex":              {convexOptions(), squares{}},
		"convex, no noise":    {silent, squares{}},
		"convex, approximate": {approximate(convexOptions()), squares{}},
		"central":             {central(linearOptions()), vectors{}},
		"convex, central":     {central(convexOptions()), squares{}},
	} {
		t.Run(name, func(t *testing.T) {
			_, d := run(t, test.o, test.costs)
			a := &transcription{o: test.o, costs: test.costs, seed: 11}
			want := a.run(must(opestoch.NewSchedule(&test.o)))
			for i := 1; i <= test.o.Clients; i++ {
				if len(d.Decisions[i]) != test.o.Horizon {
					t.Fatalf("client %d played %d times", i, len(d.Decisions[i]))
				}
				for step, x := range d.Decisions[i] {
					for n := range x {
						algorithmtest.CloseTo(t, fmt.Sprintf("client %d, step %d, entry %d", i, step+1, n+1), x[n], want[i][step][n], 1e-12)
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}
