package topology

import (
	"starling/actors/option"
	"starling/mechanisms/rng"
)

// MarkovEdges lets each edge of a base graph come and go on its own: one that is
// off comes on at the next step with probability On, one that is on goes off
// with probability Off. It begins in the stationary law, in which an edge is on
// with probability On/(On+Off); it stays on for 1/Off steps in the mean, and off
// for 1/On. A pattern with memory.
type MarkovEdges struct {
	On       float64 `yaml:"on,required" unit:"probability" range:"0 to 1" doc:"probability with which an edge that is off comes on at a step"`
	Off      float64 `yaml:"off,required" unit:"probability" range:"0 to 1" doc:"probability with which an edge that is on goes off at a step"`
	Directed bool    `yaml:"directed" doc:"the two edges between two nodes come and go apart; otherwise together, and the base is undirected"`
	// Seed is the run's.
	Seed uint64
	// Base is the graph of the edges that come and go; its self-loops and weights are left
	// out.
	Base *Graph
}

// Validate reports the first option that is out of range.
func (m MarkovEdges) Validate() error {
	if err := checkProbability("on", m.On); err != nil {
		return err
	}
	if err := checkProbability("off", m.Off); err != nil {
		return err
	}
	if m.On+m.Off == 0 {
		return option.Errorf("on", "on and off are 0, want one of them above")
	}
	if m.Base == nil || m.Base.Nodes() == 0 {
		return option.Errorf("base", "no base graph, want one")
	}
	if !m.Directed && !m.Base.Symmetric() {
		return option.Errorf("directed", "the base graph is directed, want directed: true or an undirected base")
	}
	return nil
}

// Sequence returns the sequence of a seed.
func (m MarkovEdges) Sequence() (Sequence, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	c := markovChain{MarkovEdges: m, key: topologyKey(m.Seed, "markov-edges"), arcs: m.Base.arcs(!m.Directed)}
	return remember(m.Base.Nodes(), 1, c), nil
}

// markovChain is the chain of MarkovEdges. Its state has a bit for each arc, set
// if the arc is on.
type markovChain struct {
	MarkovEdges
	key  rng.Key
	arcs []arc
}

// Uses of the numbers of an epoch, by the hop of their key.
const (
	markovFlips = 0
	markovStart = 1
)

// start draws the stationary law, so that the first step is like any other.
func (c markovChain) start() []uint64 {
	var stream rng.Stream
	r := stream.Open(c.key, 0, 0, markovStart)
	on := make([]uint64, (len(c.arcs)+63)/64)
	stationary := c.On / (c.On + c.Off)
	for k := range c.arcs {
		if r.Float64() < stationary {
			on[k/64] |= 1 << (k % 64)
		}
	}
	return on
}

// advance flips each edge with the probability of its state. It draws one number an edge and
// step in every state.
func (c markovChain) advance(on []uint64, epoch int) {
	var stream rng.Stream
	r := stream.Open(c.key, 0, epoch, markovFlips)
	flip := [2]float64{c.On, c.Off} // by whether the edge is on
	for k := range c.arcs {
		word, bit := &on[k/64], k%64
		if r.Float64() < flip[*word>>bit&1] {
			*word ^= 1 << bit
		}
	}
}

// draft has the edges that are on.
func (c markovChain) draft(on []uint64, _ int, d *draft) {
	d.pairs(c.Base.Nodes(), byFrom)
	d.symmetric = !c.Directed
	for k, e := range c.arcs {
		if on[k/64]>>(k%64)&1 == 1 {
			d.arcs = append(d.arcs, e)
		}
	}
}
