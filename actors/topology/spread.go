package topology

import (
	"math"
	"math/bits"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

const (
	// spreadSources is how many sources Spread follows at most, diameterSources
	// EffectiveDiameters from each start.
	spreadSources   = 1024
	diameterSources = 256
	// spreadWork bounds the words of 64 sources that are joined, over all starts (some
	// seconds), and buildWork is the cost to draw a graph, in such words a node or edge.
	spreadWork = 1 << 30
	buildWork  = 8
)

// Spreading is how far news has spread by each step.
type Spreading struct {
	// Reached[k] is the fraction of the pairs of a source and another node in
	// which the node has heard of the source after k steps; Reached[0] is 0, but
	// 1 where there is one node only. It ends when all are reached, or at the
	// last step looked at.
	Reached []float64
	Sources int  // how many nodes were followed
	Sampled bool // whether these are not all of them
	Cut     bool // whether it ends early because the work reached its limit
}

// Spread follows news from every node, set free at step first, along the edges of each step,
// one edge a step: nodes that have heard tell all nodes that hear them. It is breadth-first
// search in time. Self-loops and weights do not matter, for nodes forget nothing. It looks at
// the steps first .. horizon-1, and at fewer where that is more work than to join 2^30 words
// of 64 sources. Above 1024 nodes it follows 1024 sources drawn by a fixed key; each fraction
// is then off by more than 0.058 with probability below 0.001 over the draw (Hoeffding, the
// sources' own fractions being between 0 and 1 and drawn without replacement).
func Spread(seq Sequence, first, horizon int) (Spreading, error) {
	return Measures{}.Spread(seq, first, horizon)
}

// Spread is the function Spread.
func (m Measures) Spread(seq Sequence, first, horizon int) (Spreading, error) {
	work := spreadWork
	return m.spread(seq, first, horizon, sampleNodes(seq.Nodes(), spreadSources), &work)
}

// spread is Spread from these sources, and takes its cost off the work left.
func (m Measures) spread(seq Sequence, first, horizon int, sources []messages.NodeID, work *int) (Spreading, error) {
	if first < 0 || first >= horizon {
		return Spreading{}, option.Errorf("first", "first is %d, want 0 to %d: below the horizon", first, horizon-1)
	}
	n := seq.Nodes()
	words := (len(sources) + 63) / 64
	// Row v of heard has a bit for each source that v has heard of.
	heard, next := make([]uint64, n*words), make([]uint64, n*words)
	for k, v := range sources {
		heard[int(v)*words+k/64] |= 1 << (k % 64)
	}
	s := Spreading{Reached: []float64{0}, Sources: len(sources), Sampled: len(sources) < n}
	pairs := len(sources) * (n - 1)
	if pairs == 0 {
		s.Reached[0] = 1
	}
	var g *Graph
	for step := first; step < horizon && s.Reached[len(s.Reached)-1] < 1; step++ {
		if s.Cut = *work <= 0; s.Cut {
			break
		}
		if g == nil || seq.Epoch(step) != seq.Epoch(step-1) {
			if err := m.stopped(); err != nil {
				return s, err
			}
			g = seq.At(step)
			*work -= (g.Edges() + n) * buildWork
		}
		if err := m.spreadStep(next, heard, g, words); err != nil {
			return s, err
		}
		heard, next = next, heard
		*work -= (g.Edges() + n) * words
		reached := -len(sources) // each has heard of itself
		for _, word := range heard {
			reached += bits.OnesCount64(word)
		}
		s.Reached = append(s.Reached, float64(reached)/float64(pairs))
	}
	return s, nil
}

// Diameters are effective diameters over time.
type Diameters struct {
	// Steps are the effective diameters of the starts, +Inf where the horizon
	// comes first; fewer than there are starts, where the work came to its limit.
	Steps   []float64
	Sources int  // how many nodes were followed from each
	Sampled bool // whether these are not all of them
}

// EffectiveDiameters returns the effective diameter of news set free at each of
// the starts, as Spread and Spreading.EffectiveDiameter have it. Above 256 nodes
// it follows 256 sources drawn by a fixed key, and all starts together take no
// more work than one Spread may.
func EffectiveDiameters(seq Sequence, starts []int, horizon int, fraction float64) (Diameters, error) {
	return Measures{}.EffectiveDiameters(seq, starts, horizon, fraction)
}

// EffectiveDiameters is the function EffectiveDiameters.
func (m Measures) EffectiveDiameters(seq Sequence, starts []int, horizon int, fraction float64) (Diameters, error) {
	n, work := seq.Nodes(), spreadWork
	sources := sampleNodes(n, diameterSources)
	d := Diameters{Sources: len(sources), Sampled: len(sources) < n}
	for _, first := range starts {
		s, err := m.spread(seq, first, horizon, sources, &work)
		if err != nil {
			return d, err
		}
		steps, reached := s.EffectiveDiameter(fraction)
		if s.Cut && !reached {
			break
		}
		d.Steps = append(d.Steps, steps)
	}
	return d, nil
}

// spreadBlock is how many nodes hear news between two calls of Stop.
const spreadBlock = 1 << 15

// spreadStep sets next to the news that the nodes have heard after a step.
func (m Measures) spreadStep(next, heard []uint64, g *Graph, words int) error {
	copy(next, heard)
	for i := range messages.NodeID(g.Nodes()) {
		if i%spreadBlock == 0 {
			if err := m.stopped(); err != nil {
				return err
			}
		}
		row := next[int(i)*words : (int(i)+1)*words]
		for _, j := range g.in.row(i) {
			for k, word := range heard[int(j)*words : (int(j)+1)*words] {
				row[k] |= word
			}
		}
	}
	return nil
}

// EffectiveDiameter returns the number of steps in which the given fraction of
// the pairs is reached, interpolated between steps as is customary for the 90 %
// quantile (Leskovec, Kleinberg and Faloutsos, KDD 2005), and whether it is
// reached at all; 0 < fraction <= 1.
func (s Spreading) EffectiveDiameter(fraction float64) (steps float64, reached bool) {
	before := 0.
	for k, after := range s.Reached {
		if after >= fraction && k == 0 {
			return 0, true
		}
		if after >= fraction {
			return float64(k-1) + (fraction-before)/(after-before), true
		}
		before = after
	}
	return math.Inf(1), false
}

// sampleNodes returns all nodes or, where there are more than most, that many different ones,
// ascending, drawn by a fixed key: measurements from a sample of a network must not depend on
// the run.
func sampleNodes(n, most int) []messages.NodeID {
	if n <= most {
		all := make([]messages.NodeID, n)
		for v := range all {
			all[v] = messages.NodeID(v)
		}
		return all
	}
	var stream rng.Stream
	r := stream.Open(topologyKey(0, "sample"), 0, 0, 0)
	sample := make([]messages.NodeID, 0, most)
	// Each node is taken with probability (still wanted)/(still to come).
	for v := 0; len(sample) < most; v++ {
		if r.IntN(n-v) < most-len(sample) {
			sample = append(sample, messages.NodeID(v))
		}
	}
	return sample
}
