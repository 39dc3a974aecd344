package engine

import (
	"starling/actors/topology"
	"starling/messages"
)

// placement says which participant is in which shard. It decides who works beside whom,
// never what comes out. It is fixed before a run's actors start, and shared.
//
// Participants 0 .. n-1 are cut into ranges of equal size, the last possibly smaller.
// Where the run says who belongs beside whom (algorithm.Run.Beside), those who belong
// beside nobody are cut so, and the others are in the shards of whom they belong beside:
//
//	shard        0             1             2
//	nodes        0 .. 63       64 .. 127     128 .. 130      who belong beside nobody
//	             131 .. 193    194 .. 257    258 .. 260      who belong beside one of them
//
// Shards are numbered by their lowest node.
type placement struct {
	// n is how many participants there are, and size how many nodes a range has.
	n, size int
	// beside is algorithm.Run.Beside, nil for nobody; numbers has then the shard of each
	// range.
	beside  func(messages.NodeID) messages.NodeID
	numbers []int32
	// nodes has the participants of each shard.
	nodes []messages.Nodes
	// blocks has for each shard the blocks of senders that are in it whole, ascending, and
	// owners for each block the shard that it is in whole, or scattered.
	blocks [][]int32
	owners []int32
}

// scattered is in the place of the shard of a block of senders that are in several.
const scattered = -1

// newPlacement places the n participants of a run in about the given number of shards,
// at most n; 0 takes the default for n.
func newPlacement(n, shards int, beside func(messages.NodeID) messages.NodeID) *placement {
	p := &placement{n: n, beside: beside}
	ranged := n // the nodes below which all are that belong beside nobody
	if beside != nil {
		for ranged > 0 && beside(messages.NodeID(ranged-1)) != messages.NodeID(ranged-1) {
			ranged--
		}
	}
	p.size = rangeSize(ranged, n, shards)
	if beside == nil {
		p.cut()
	} else {
		p.gather()
	}
	p.own()
	return p
}

// Shards of a few hundred participants keep a turn's data in the cache of the
// core that works on it and its messages between shards few; a turn of fewer
// is too short to be worth waking a second worker for.
const (
	smallestShard = 64
	usualShards   = 8
	largestShard  = 8192
)

// rangeSize is how many of the first `ranged` nodes are in a shard of the n of a run. It
// keeps whole blocks of senders together where it has the choice, so that they are folded
// where they are sent.
func rangeSize(ranged, n, shards int) int {
	if shards > 0 {
		shards = min(shards, ranged)
		return (ranged + shards - 1) / shards
	}
	largest := max(largestShard*ranged/n, 1) // the others are in the shard, too
	size := min(max(smallestShard, (ranged+usualShards-1)/usualShards), largest)
	return (size + messages.BlockSize - 1) / messages.BlockSize * messages.BlockSize
}

// cut cuts all nodes into ranges.
func (p *placement) cut() {
	for first := 0; first < p.n; first += p.size {
		p.nodes = append(p.nodes, messages.Range(messages.NodeID(first), min(p.size, p.n-first)))
	}
}

// gather puts nodes where whom they belong beside is.
func (p *placement) gather() {
	p.numbers = make([]int32, (p.n+p.size-1)/p.size)
	for i := range p.numbers {
		p.numbers[i] = scattered
	}
	for node := range messages.NodeID(p.n) {
		number := &p.numbers[int(p.beside(node))/p.size]
		if *number == scattered {
			*number = int32(len(p.nodes))
			p.nodes = append(p.nodes, messages.Nodes{})
		}
		p.nodes[*number].Add(node)
	}
}

// own finds the blocks that are in one shard whole.
func (p *placement) own() {
	p.owners = make([]int32, (p.n+messages.BlockSize-1)/messages.BlockSize)
	for b := range p.owners {
		p.owners[b] = scattered
	}
	p.blocks = make([][]int32, len(p.nodes))
	for shard := range p.nodes {
		for first, end := range p.nodes[shard].Spans() {
			for b := (int(first) + messages.BlockSize - 1) / messages.BlockSize; min((b+1)*messages.BlockSize, p.n) <= int(end) && b < len(p.owners); b++ {
				p.owners[b] = int32(shard)
				p.blocks[shard] = append(p.blocks[shard], int32(b))
			}
		}
	}
}

// shards is how many there are.
func (p *placement) shards() int { return len(p.nodes) }

// shardOf returns the shard that a participant is in.
func (p *placement) shardOf(node messages.NodeID) int {
	if p.beside == nil {
		return int(node) / p.size
	}
	return int(p.numbers[int(p.beside(node))/p.size])
}

// crossing counts the edges of a graph between nodes of different shards: a message along
// any other stays with the core that works on the shard.
func (p *placement) crossing(graph *topology.Graph) (edges int) {
	for to := range messages.NodeID(p.n) {
		from, _ := graph.In(to)
		for _, j := range from {
			if p.shardOf(j) != p.shardOf(to) {
				edges++
			}
		}
	}
	return edges
}
