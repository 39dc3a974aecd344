package topology

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// RandomRegular draws a graph in which every node has Degree neighbours or, if
// directed, hears Degree others and is heard by as many. No self-loops.
//
// Directed, it is Permutations without the weights. Undirected, the nodes'
// Degree ends each are paired at random (Bollobas, European Journal of
// Combinatorics 1, 1980), and the few pairs that join a node with itself or
// repeat another are removed by switches with random pairs. It is random and
// regular, not exactly uniform. A pattern; for Degree of 3 and more it is
// connected with a probability that goes to 1 with the nodes.
type RandomRegular struct {
	Nodes    int    // at least 2
	Degree   int    `yaml:"degree,required" unit:"nodes" range:"1 to the number of nodes less one" doc:"neighbours of every node, fewer than nodes; nodes times degree is even unless directed"`
	Directed bool   `yaml:"directed" doc:"every node hears as many others as hear it, but not the same ones"`
	Redraw   Redraw `yaml:",inline"`
}

// Validate reports the first option that is out of range.
func (g RandomRegular) Validate() error {
	if err := checkRegular(g.Nodes, g.Degree); err != nil {
		return err
	}
	if !g.Directed && g.Nodes%2 != 0 && g.Degree%2 != 0 {
		return option.Errorf("degree", "degree is %d with %d nodes, want one of them even", g.Degree, g.Nodes)
	}
	return g.Redraw.Validate()
}

// Sequence returns the draws.
func (g RandomRegular) Sequence() (Sequence, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g.Redraw.sequence("random-regular", g.Nodes, g.draw), nil
}

// draw draws rows if directed, and otherwise pairs.
func (g RandomRegular) draw(r *rng.Rand, d *draft) {
	absent := g.Nodes - 1 - g.Degree
	switch {
	case g.Directed:
		Permutations{Nodes: g.Nodes, Degree: g.Degree}.draw(r, d)
	case absent < g.Degree:
		// Where a node has more neighbours than not, those it has not are drawn:
		// there is more room for switches.
		d.pairs(g.Nodes, anyOrder)
		d.arcs = regularPairs(r, g.Nodes, absent)
		d.invert()
	default:
		d.pairs(g.Nodes, anyOrder)
		d.arcs = regularPairs(r, g.Nodes, g.Degree)
	}
}

// invert puts in the place of pairs all others, in time quadratic in the nodes: for
// dense graphs.
func (d *draft) invert() {
	g := newPattern(d.nodes, d.arcs, true)
	d.pairs(d.nodes, byFrom)
	for v := range messages.NodeID(d.nodes) {
		out := g.Out(v)
		for w := range messages.NodeID(d.nodes) {
			if len(out) > 0 && out[0] == w {
				out = out[1:]
			} else if v < w {
				d.arcs = append(d.arcs, arc{v, w})
			}
		}
	}
}

// regularPairs draws the pairs of an undirected regular graph. Where there is
// little room, as with a handful of nodes, the switches may find no way out;
// then it draws anew, and as every such graph comes from some pairing it ends.
func regularPairs(r *rng.Rand, n, degree int) []arc {
	ends := make([]messages.NodeID, n*degree)
	for k := range ends {
		ends[k] = messages.NodeID(k / degree)
	}
	pairs := make([]arc, len(ends)/2)
	for {
		r.Shuffle(len(ends), func(a, b int) { ends[a], ends[b] = ends[b], ends[a] })
		for k := range pairs {
			pairs[k] = arc{ends[2*k], ends[2*k+1]}
		}
		if repairPairs(r, pairs) {
			return pairs
		}
	}
}

// ordered returns the pair with the lower node first.
func (e arc) ordered() arc { return arc{min(e.from, e.to), max(e.from, e.to)} }

// repairPairs switches ends between pairs until no pair joins a node with itself
// or repeats another; it reports whether it got there.
func repairPairs(r *rng.Rand, pairs []arc) bool {
	present := make(map[arc]struct{}, len(pairs))
	var bad []int
	isBad := make([]bool, len(pairs))
	for k, p := range pairs {
		if _, repeats := present[p.ordered()]; repeats || p.from == p.to {
			bad, isBad[k] = append(bad, k), true
			continue
		}
		present[p.ordered()] = struct{}{}
	}
	for _, k := range bad {
		if !switchPair(r, pairs, isBad, present, k) {
			return false
		}
	}
	return true
}

// switchPair exchanges an end of the bad pair k with one of a random pair that
// is not bad, so that both are good.
func switchPair(r *rng.Rand, pairs []arc, isBad []bool, present map[arc]struct{}, k int) bool {
	for range 100 + 4*len(pairs) {
		j := r.IntN(len(pairs))
		other := pairs[j]
		if r.Uint64()&1 == 0 {
			other = arc{other.to, other.from}
		}
		one, two := arc{pairs[k].from, other.from}, arc{pairs[k].to, other.to}
		if isBad[j] || one.from == one.to || two.from == two.to {
			continue
		}
		// The two new pairs can be alike only where they are the old ones, which
		// are present.
		_, first := present[one.ordered()]
		_, second := present[two.ordered()]
		if first || second {
			continue
		}
		delete(present, other.ordered())
		present[one.ordered()], present[two.ordered()] = struct{}{}, struct{}{}
		pairs[k], pairs[j], isBad[k] = one, two, false
		return true
	}
	return false
}
