package topology

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// StochasticBlock is the stochastic block model with drifting blocks: an edge
// within a block is there with probability Within, one between blocks with
// Between, all drawn anew at every draw. The blocks begin as equal stretches of
// the nodes' numbers, and between draws each node moves with probability Drift
// to another block, drawn uniformly. A pattern, with memory unless it is drawn
// once.
type StochasticBlock struct {
	// Nodes is N, at least 1.
	Nodes    int
	Blocks   int     `yaml:"blocks,required" unit:"blocks" range:"1 to the number of nodes" doc:"how many blocks, at most as many as nodes"`
	Within   float64 `yaml:"within,required" unit:"probability" range:"0 to 1" doc:"probability of an edge inside a block"`
	Between  float64 `yaml:"between,required" unit:"probability" range:"0 to 1" doc:"probability of an edge between blocks"`
	Drift    float64 `yaml:"drift" unit:"probability" range:"0 to 1" doc:"probability with which a node changes its block between draws; absent, 0"`
	Directed bool    `yaml:"directed" doc:"the two edges between two nodes are drawn apart"`
	Redraw   Redraw  `yaml:",inline"`
}

// mostBlocks bounds the pairs of blocks, each of which costs time at every draw.
const mostBlocks = 1000

// Validate reports the first option that is out of range.
func (s StochasticBlock) Validate() error {
	if err := checkNodesOption(s.Nodes, 1); err != nil {
		return err
	}
	if most := min(s.Nodes, mostBlocks); s.Blocks < 1 || s.Blocks > most {
		return option.Errorf("blocks", "blocks is %d, want 1 to %d", s.Blocks, most)
	}
	for _, p := range []struct {
		option string
		value  float64
	}{{"within", s.Within}, {"between", s.Between}, {"drift", s.Drift}} {
		if err := checkProbability(p.option, p.value); err != nil {
			return err
		}
	}
	if s.Drift > 0 && s.Blocks == 1 {
		return option.Errorf("drift", "drift is %v with one block, want 0", s.Drift)
	}
	if s.Drift > 0 && s.Redraw.Every == 0 {
		return option.Errorf("drift", "drift is %v but the graph is drawn once, want every of at least 1", s.Drift)
	}
	pairs := float64(s.Nodes) * float64(s.Nodes)
	if err := checkExpectedSize("within", (s.Within/float64(s.Blocks)+s.Between)*pairs); err != nil {
		return err
	}
	return s.Redraw.Validate()
}

// Sequence returns the draws.
func (s StochasticBlock) Sequence() (Sequence, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	c := blockChain{StochasticBlock: s, key: topologyKey(s.Redraw.Seed, "stochastic-block")}
	if s.Redraw.Every == 0 {
		var d draft
		c.draft(c.start(), 0, &d)
		return Static(d.pattern()), nil
	}
	return remember(s.Nodes, s.Redraw.Every, c), nil
}

// blockChain is the chain of StochasticBlock. Its state is each node's block.
type blockChain struct {
	StochasticBlock
	key rng.Key
}

// Uses of the numbers of an epoch, by the hop of their key.
const (
	blockEdges = 0
	blockDrift = 1
)

// start gives each node a block: equal stretches of the nodes' numbers.
func (c blockChain) start() []int32 {
	block := make([]int32, c.Nodes)
	for v := range block {
		block[v] = int32(v * c.Blocks / c.Nodes)
	}
	return block
}

// advance moves nodes between draws. The gaps between those that move are drawn, and not
// each node's coin: drift is mostly small.
func (c blockChain) advance(block []int32, epoch int) {
	var stream rng.Stream
	r := stream.Open(c.key, 0, epoch, blockDrift)
	gap := newGaps(c.Drift)
	for v := gap.after(r, -1); v < len(block); v = gap.after(r, v) {
		other := int32(r.IntN(c.Blocks - 1))
		if other >= block[v] {
			other++
		}
		block[v] = other
	}
}

// draft draws the edges of an epoch, block by block.
func (c blockChain) draft(block []int32, epoch int, d *draft) {
	r := d.stream.Open(c.key, 0, epoch, blockEdges)
	members := groups(block, c.Blocks)
	d.pairs(c.Nodes, anyOrder)
	d.symmetric = !c.Directed
	for a := range messages.NodeID(c.Blocks) {
		one := members.row(a)
		if len(one) == 0 {
			continue
		}
		d.arcs = bernoulliPairs(d.arcs, r, one, len(one), c.Within, c.Directed)
		for b := range messages.NodeID(c.Blocks) {
			if a < b || c.Directed && a != b {
				d.arcs = bernoulliBetween(d.arcs, r, one, members.row(b), c.Between)
			}
		}
	}
}

// bernoulliBetween appends each arc from a node of one to a node of two with probability p, in
// time linear in the arcs appended.
func bernoulliBetween(arcs []arc, r *rng.Rand, one, two []messages.NodeID, p float64) []arc {
	gap := newGaps(p)
	pairs := len(one) * len(two)
	for k := gap.after(r, -1); k < pairs; k = gap.after(r, k) {
		arcs = append(arcs, arc{one[k/len(two)], two[k%len(two)]})
	}
	return arcs
}
