package engine

import (
	"slices"
	"sync"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// shardLinks is a graph seen between shards, a shard's edges to itself left out.
type shardLinks struct {
	// Sources has for each shard the number of other shards that it receives from: it waits
	// for so many batches.
	Sources []int32
	// Targets has for each shard the other shards that it sends to, ascending: it sends so
	// many batches.
	Targets [][]int32
	// Across has for each shard of this process its crossings to others; nil where the run is
	// in one process.
	Across [][]crossing
}

// exchange holds the senders of a turn, and the readers of its messages in the next: the nodes
// that have a turn.
type exchange struct{ Senders, Readers algorithm.Range }

// All are all participants.
func (p *placement) All() algorithm.Range { return algorithm.Range{End: messages.NodeID(p.N)} }

// linkStore keeps the links of a graph for a few exchanges: as many as a repeating schedule has.
// It is safe for concurrent use.
type linkStore struct {
	place *placement
	graph *topology.Graph
	cross func(*shardLinks, exchange) [][]crossing // nil for a run in one process
	mu    sync.Mutex
	known [8]struct {
		exchange exchange
		links    *shardLinks
	}
	next int // the place to be used next
}

// newStore returns the store of a graph, in the process that c describes; nil means that there
// is only one.
func (p *placement) newStore(graph *topology.Graph, c *cut) *linkStore {
	s := &linkStore{place: p, graph: graph}
	if c != nil {
		s.cross = func(l *shardLinks, e exchange) [][]crossing { return p.crossings(c, graph, l, e) }
	}
	return s
}

// All returns the links of a turn in which all nodes send and all read.
func (s *linkStore) All() *shardLinks { return s.Between(exchange{s.place.All(), s.place.All()}) }

// Between returns the links from the senders to the readers of an exchange.
func (s *linkStore) Between(e exchange) *shardLinks {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.known {
		if k := &s.known[i]; k.links != nil && k.exchange == e {
			return k.links
		}
	}
	k := &s.known[s.next%len(s.known)]
	s.next++
	k.exchange, k.links = e, s.place.Between(s.graph, e)
	if s.cross != nil {
		links := *k.links
		links.Across = s.cross(&links, e)
		k.links = &links
	}
	return k.links
}

// Between finds which shards send to which along the edges of a graph from the senders to the
// readers of an exchange.
func (p *placement) Between(graph *topology.Graph, e exchange) *shardLinks {
	shards := p.Shards()
	if shards == 1 {
		return alone
	}
	l := &shardLinks{Sources: make([]int32, shards), Targets: make([][]int32, shards)}
	seen := make([]int, shards) // by shard: one more than the last it was found to send to
	// One pass over the edges, by receiver, up to the edge by which a shard has heard all
	// others: a sender's shard is noted once for each receiving shard, and targets come out in
	// ascending order.
	for to := range shards {
		for _, i := range p.Nodes[to].All() {
			if int(l.Sources[to]) == shards-1 || i >= e.Readers.End {
				break
			}
			if !e.Readers.Has(i) {
				continue
			}
			from, _ := graph.In(i)
			for _, j := range from {
				if !e.Senders.Has(j) {
					continue
				}
				if s := p.ShardOf(j); s != to && seen[s] != to+1 {
					seen[s] = to + 1
					l.Targets[s] = append(l.Targets[s], int32(to))
					l.Sources[to]++
				}
			}
		}
	}
	return l
}

// alone is the links of one shard.
var alone = &shardLinks{Sources: make([]int32, 1), Targets: make([][]int32, 1)}

// Sends reports whether a shard's messages reach another shard.
func (l *shardLinks) Sends(from, to int) bool {
	_, found := slices.BinarySearch(l.Targets[from], int32(to))
	return found
}
