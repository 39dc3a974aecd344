package topology

import "starling/mechanisms/rng"

// Redraw says when a random graph is drawn: the options that all random generators have.
type Redraw struct {
	Every int    `yaml:"every" unit:"steps" range:"at least 1" doc:"steps between draws of a new graph; absent, one draw a run"`
	Seed  uint64 // of the run; each generator draws under a purpose of its own
}

// Validate reports the first option that is out of range.
func (r Redraw) Validate() error { return atLeast("every", r.Every, 0) }

// sequence returns the draws of a generator: draw makes a draft from the numbers of one
// epoch, and must be a pure function of them. With Every > 0 the sequence has no period,
// and At builds a graph on every call.
func (r Redraw) sequence(name string, nodes int, draw func(*rng.Rand, *draft)) Sequence {
	return redraws(topologyKey(r.Seed, name), nodes, r.Every, draw)
}

// redraws is Redraw.sequence under a key.
func redraws(key rng.Key, nodes, every int, draw func(*rng.Rand, *draft)) Sequence {
	d := redrawn{key: key, nodes: nodes, every: every, draw: draw, desk: newDesk()}
	if every == 0 {
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
	draw         func(*rng.Rand, *draft)
	desk         desk
}

// drafts is implemented by sequences that can weight a graph as they make it, without
// the pattern below.
type drafts interface {
	// weightedAt returns the result of Apply for the graph of a step.
	weightedAt(step int, w Weighting) (*Graph, error)
}

// weightedGraph weights the graph of a step.
func weightedGraph(seq Sequence, step int, w Weighting) (*Graph, error) {
	if d, ok := seq.(drafts); ok {
		return d.weightedAt(step, w)
	}
	return w.Apply(seq.At(step))
}

// Nodes implements Sequence.
func (d redrawn) Nodes() int { return d.nodes }

// At implements Sequence.
func (d redrawn) At(step int) *Graph {
	t := d.drawn(step)
	defer d.desk.leave(t)
	return t.pattern()
}

// weightedAt implements drafts.
func (d redrawn) weightedAt(step int, w Weighting) (*Graph, error) {
	t := d.drawn(step)
	defer d.desk.leave(t)
	return t.weighted(w)
}

// drawn returns the draft of a step.
func (d redrawn) drawn(step int) *draft {
	t := d.desk.take()
	d.draw(t.stream.Open(d.key, 0, d.Epoch(step), 0), t)
	return t
}

// Period implements Sequence: there is none.
func (d redrawn) Period() (int, bool) { return 0, false }

// Epoch implements Sequence.
func (d redrawn) Epoch(step int) int { return step / max(d.every, 1) }

// desk is where a sequence draws: a draft that a draw takes and puts back, and the memory of
// graphs. Of several draws at once all but one get drafts of their own.
type desk struct {
	idle  chan *draft
	spare chan *memory
}

func newDesk() desk { return desk{make(chan *draft, 1), make(chan *memory, mostSpare)} }

func (d desk) take() *draft {
	select {
	case t := <-d.idle:
		return t
	default:
		return &draft{spare: d.spare}
	}
}

func (d desk) leave(t *draft) {
	select {
	case d.idle <- t:
	default:
	}
}

// PartSeed returns a seed for one of several generators that are combined in a
// run of the given seed: two of one kind would draw the same under one seed.
func PartSeed(seed uint64, part int) uint64 {
	return topologyKey(seed, "part").Bits(part, 0, 0)
}
