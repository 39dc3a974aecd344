package engine

import (
	"starling/actors/topology"
	"starling/messages"
)

// placement says which participant is in which shard. It decides which participants work
// beside each other, never the results. It is fixed before a run's actors start, and shared.
//
// Participants 0 .. n-1 are cut into ranges of equal size, the last possibly smaller. Where
// the run has nodes belong beside others (algorithm.Run.Beside), the nodes that belong beside
// none are cut so, and each other node is in the shard of the one it belongs beside:
//
//	shard        0             1             2
//	nodes        0 .. 63       64 .. 127     128 .. 130      belong beside none
//	             131 .. 193    194 .. 257    258 .. 260      belong beside one of them
//
// Shards are numbered by their lowest node.
type placement struct {
	// N is how many participants there are.
	N int
	// size is how many nodes a range has.
	size int
	// beside is algorithm.Run.Beside, nil if no node belongs beside another. Otherwise numbers
	// has the shard of each range.
	beside  func(messages.NodeID) messages.NodeID
	numbers []int32
	// Nodes has the participants of each shard.
	Nodes []messages.Nodes
	// Blocks has for each shard the blocks of senders that are in it whole, ascending, and
	// Owners for each block the shard that it is in whole, or scattered.
	Blocks [][]int32
	Owners []int32
}

// scattered stands for the shard of a block with senders in several shards.
const scattered = -1

// placeShards places the n participants of a run in about the given number of shards,
// at most n; 0 takes the default for n.
func placeShards(n, shards int, beside func(messages.NodeID) messages.NodeID) *placement {
	return place(n, shards, usualShards, besideShard, beside)
}

// placeTogether is placeShards by default for a run if algorithm.Run.Together is true.
func placeTogether(n int, beside func(messages.NodeID) messages.NodeID) *placement {
	return place(n, 0, gatheringShards, largestShard, beside)
}

// place places participants. usual is the default number of shards, unless they would be too
// small, or too large: of more than gathered nodes with the nodes that belong beside them.
func place(n, shards, usual, gathered int, beside func(messages.NodeID) messages.NodeID) *placement {
	p := &placement{N: n, beside: beside}
	ranged := n // the nodes below this one include all that belong beside none
	if beside != nil {
		for ranged > 0 && beside(messages.NodeID(ranged-1)) != messages.NodeID(ranged-1) {
			ranged--
		}
	}
	p.size = rangeSize(ranged, n, shards, usual, gathered)
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

// gatheringShards is the default where participants wait for each other's questions: questions
// asked together cost less, and while one shard waits for its answer others are worked on.
const gatheringShards = 3

// besideShard is how many nodes, with those that belong beside them, have their data of a few
// turns in the cache of a core: where a run looks far ahead, a shard goes through them turn
// after turn.
const besideShard = 128

// Where nodes belong beside each other, a shard has turns in which it waits for no other
// shard, and does them one after the other while their data are in the cache: its run looks so
// many turns ahead, three steps of two. Problems keep the data of a few steps for later
// readers: further ahead they would be drawn again. Messages take memory for each turn, so
// runs of more nodes do without.
const (
	besideLookahead = 6
	besideNodes     = 1 << 16
)

// rangeSize is how many of the first `ranged` nodes are in a shard of the n of a run. It
// keeps whole blocks of senders together where it has the choice, so that they are folded
// where they are sent.
func rangeSize(ranged, n, shards, usual, gathered int) int {
	if shards > 0 {
		shards = min(shards, ranged)
		return (ranged + shards - 1) / shards
	}
	largest := largestShard
	if ranged < n && n <= besideNodes {
		largest = gathered
	}
	size := min(max(smallestShard, (ranged+usual-1)/usual), largest)
	return (size + messages.BlockSize - 1) / messages.BlockSize * messages.BlockSize
}

// cut cuts all nodes into ranges.
func (p *placement) cut() {
	for first := 0; first < p.N; first += p.size {
		p.Nodes = append(p.Nodes, messages.Range(messages.NodeID(first), min(p.size, p.N-first)))
	}
}

// gather puts each node in the shard of the one that it belongs beside.
func (p *placement) gather() {
	p.numbers = make([]int32, (p.N+p.size-1)/p.size)
	for i := range p.numbers {
		p.numbers[i] = scattered
	}
	for node := range messages.NodeID(p.N) {
		number := &p.numbers[int(p.beside(node))/p.size]
		if *number == scattered {
			*number = int32(len(p.Nodes))
			p.Nodes = append(p.Nodes, messages.Nodes{})
		}
		p.Nodes[*number].Add(node)
	}
}

// own finds the blocks that are in one shard whole.
func (p *placement) own() {
	p.Owners = make([]int32, (p.N+messages.BlockSize-1)/messages.BlockSize)
	for b := range p.Owners {
		p.Owners[b] = scattered
	}
	p.Blocks = make([][]int32, len(p.Nodes))
	for shard := range p.Nodes {
		for first, end := range p.Nodes[shard].Spans() {
			for b := (int(first) + messages.BlockSize - 1) / messages.BlockSize; min((b+1)*messages.BlockSize, p.N) <= int(end) && b < len(p.Owners); b++ {
				p.Owners[b] = int32(shard)
				p.Blocks[shard] = append(p.Blocks[shard], int32(b))
			}
		}
	}
}

// Shards is how many there are.
func (p *placement) Shards() int { return len(p.Nodes) }

// ShardOf returns the shard that a participant is in.
func (p *placement) ShardOf(node messages.NodeID) int {
	if p.beside == nil {
		return int(node) / p.size
	}
	return int(p.numbers[int(p.beside(node))/p.size])
}

// Crossing counts the edges of a graph between nodes of different shards: a message along any
// other edge stays with the core that works on the shard.
func (p *placement) Crossing(graph *topology.Graph) (edges int) {
	for to := range messages.NodeID(p.N) {
		from, _ := graph.In(to)
		for _, j := range from {
			if p.ShardOf(j) != p.ShardOf(to) {
				edges++
			}
		}
	}
	return edges
}
