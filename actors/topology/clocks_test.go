package topology_test

import (
	"math"
	"strings"
	"testing"

	"starling/actors/topology"
	"starling/messages"
)

// TestPairsByClocks: in a step a node whose clock ticks exchanges with a neighbour at random. The edge of i and j is
// there with probability (r_i/d_i + r_j/d_j)/R, R the sum of all rates and d the degrees, within 5 standard
// deviations over 20,000 steps.
func TestPairsByClocks(t *testing.T) {
	const nodes, steps = 6, 20_000
	rates := []float64{1, 1, 1, 3, 3, 3}
	for name, c := range map[string]struct {
		base   topology.Sequence
		degree func(messages.NodeID) float64
	}{
		"complete": {nil, func(messages.NodeID) float64 { return nodes - 1 }},
		"path": {mustSequence(t, topology.Path{Nodes: nodes}), func(i messages.NodeID) float64 {
			return map[bool]float64{true: 1, false: 2}[i == 0 || i == nodes-1]
		}},
	} {
		m := topology.Matching{Nodes: nodes, Ticks: topology.Ticks{Clocks: []float64{1, 3}}, Redraw: topology.Redraw{Every: 1, Seed: 5}}
		if c.base != nil {
			m.Base = c.base.At(0)
		}
		seq, counts := mustSequence(t, m), map[[2]messages.NodeID]float64{}
		for step := range steps {
			g, edges := seq.At(step), 0
			for i := range messages.NodeID(nodes) {
				for j := range i {
					if g.HasEdge(i, j) && g.HasEdge(j, i) {
						counts[[2]messages.NodeID{i, j}]++
						edges++
					}
				}
			}
			if edges != 1 {
				t.Fatalf("%s: %d exchanges in step %d", name, edges, step)
			}
		}
		for i := range messages.NodeID(nodes) {
			for j := range i {
				want := 0.0
				if m.Base == nil || m.Base.HasEdge(i, j) {
					want = (rates[i]/c.degree(i) + rates[j]/c.degree(j)) / 12
				}
				if got := counts[[2]messages.NodeID{i, j}] / steps; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/steps) {
					t.Errorf("%s: nodes %d and %d exchange in a share %v of steps, want %v", name, i+1, j+1, got, want)
				}
			}
		}
	}
}

// TestPairsComeTogether: of pairs on the complete graph of n nodes with clocks of one rate the mean square distance
// from the mean falls by 1 - 1/(n-1) a tick in expectation, since a matrix of one exchange is a projection (Boyd et al.
// 2006). Bounds are 5 standard errors over 4000 seeds.
func TestPairsComeTogether(t *testing.T) {
	const nodes, ticks, seeds = 8, 10, 4000
	sum, squares := 0.0, 0.0
	for seed := range uint64(seeds) {
		seq, err := topology.Weighting{Scheme: topology.Metropolis}.Over(mustSequence(t, topology.Matching{Nodes: nodes, Ticks: topology.Ticks{Clocks: []float64{1}}, Redraw: topology.Redraw{Every: 1, Seed: seed}}), ticks)
		if err != nil {
			t.Fatal(err)
		}
		x := [nodes]float64{1, -1}
		for step := range ticks {
			g, next := seq.At(step), [nodes]float64{}
			for i := range messages.NodeID(nodes) {
				for j := range messages.NodeID(nodes) {
					next[i] += g.Weight(i, j) * x[j]
				}
			}
			x = next
		}
		square := 0.0
		for _, v := range x {
			square += v * v / 2
		}
		sum += square
		squares += square * square
	}
	mean, want := sum/seeds, math.Pow(1-1.0/(nodes-1), ticks)
	if math.Abs(mean-want) > 5*math.Sqrt((squares/seeds-mean*mean)/seeds) {
		t.Errorf("a mean square of %v after %d ticks, want %v", mean, ticks, want)
	}
}

// TestPairsByClocksRefuse: clocks that do not tick, and rates that are none, are refused.
func TestPairsByClocksRefuse(t *testing.T) {
	for want, m := range map[string]topology.Matching{
		"every: clocks tick in the course of a run": {Nodes: 4, Ticks: topology.Ticks{Clocks: []float64{1}}},
		"clocks: 3 rates for 2 nodes":               {Nodes: 2, Ticks: topology.Ticks{Clocks: []float64{1, 1, 1}}, Redraw: topology.Redraw{Every: 1}},
		"clocks[0]: a rate of -1":                   {Nodes: 2, Ticks: topology.Ticks{Clocks: []float64{-1}}, Redraw: topology.Redraw{Every: 1}},
	} {
		if _, err := m.Sequence(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestTickTimes: the times between ticks are exponential with the sum of the rates of all nodes: their mean is
// 1/rate, and a share of exp(-1) is longer. Ticks of 10^4 steps are beyond 5 deviations with a chance of 6e-7 each.
func TestTickTimes(t *testing.T) {
	const steps, rate = 10_000, 3*0.5 + 3*2 // of two groups of three nodes
	gap, other := topology.TickTimes([]float64{0.5, 2}, 6, 1), topology.TickTimes([]float64{0.5, 2}, 6, 2)
	sum, longer, equal := 0.0, 0.0, 0
	for step := range steps {
		g := gap(step)
		if g < 0 || g != gap(step) {
			t.Fatalf("step %d takes %v s, and then %v", step, g, gap(step))
		}
		if sum += g; g > 1/rate {
			longer++
		}
		if g == other(step) {
			equal++
		}
	}
	if mean := sum / steps; math.Abs(mean-1/rate) > 5/rate/math.Sqrt(steps) {
		t.Errorf("a mean of %v s, want %v", mean, 1/rate)
	}
	share := math.Exp(-1)
	if got := longer / steps; math.Abs(got-share) > 5*math.Sqrt(share*(1-share)/steps) {
		t.Errorf("a share of %v is longer than the mean, want %v", got, share)
	}
	if equal > 0 {
		t.Errorf("%d times are those of another seed", equal)
	}
}
