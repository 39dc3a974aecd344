package topology

import (
	"starling/mechanisms/rng"
)

// Redraw is when a random graph is drawn: options that all random generators
// have.
type Redraw struct {
	Every int    `yaml:"every" unit:"steps" range:"at least 1" doc:"steps between draws of a new graph; absent, one draw a run"`
	Seed  uint64 // of the run; each generator draws under a purpose of its own
}

// Validate reports the first option that is out of range.
func (r Redraw) Validate() error { return atLeast("every", r.Every, 0) }

// sequence returns the draws of a generator: draw makes a graph from the numbers
// of one epoch, and must be a pure function of them. With Every > 0 the sequence
// has no period, and At builds a graph on every call.
func (r Redraw) sequence(name string, nodes int, draw func(*rng.Rand) *Graph) Sequence {
	d := redrawn{key: topologyKey(r.Seed, name), nodes: nodes, every: r.Every, draw: draw}
	if r.Every == 0 {
		return Static(d.At(0))
	}
	return d
}

// topologyKey is the key of the numbers of a generator.
func topologyKey(seed uint64, name string) rng.Key {
	return rng.NewKey(seed, rng.PurposeOf("topology/"+name))
}

// redrawn is a sequence of independent draws. Its fields are read only, and the
// generator of numbers is local to each draw.
type redrawn struct {
	key          rng.Key
	nodes, every int
	draw         func(*rng.Rand) *Graph
}

// Nodes implements Sequence.
func (d redrawn) Nodes() int { return d.nodes }

// At implements Sequence.
func (d redrawn) At(step int) *Graph {
	var stream rng.Stream
	return d.draw(stream.Open(d.key, 0, d.Epoch(step), 0))
}

// Period implements Sequence: there is none.
func (d redrawn) Period() (int, bool) { return 0, false }

// Epoch implements Sequence.
func (d redrawn) Epoch(step int) int { return step / max(d.every, 1) }

// PartSeed returns a seed for one of several generators that are combined in a
// run of the given seed: two of one kind would draw the same under one seed.
func PartSeed(seed uint64, part int) uint64 {
	return topologyKey(seed, "part").Bits(part, 0, 0)
}
