package placement

import (
	"slices"

	"starling/actors/topology"
)

// Links is a graph seen between shards, a shard's edges to itself left out.
type Links struct {
	// Sources has for each shard from how many others it receives: so many batches it
	// waits for.
	Sources []int32
	// Targets has for each shard to which others it sends, ascending: so many batches it
	// sends.
	Targets [][]int32
}

// Links finds which shards send to which along the edges of a graph.
func (p *Placement) Links(graph *topology.Graph) *Links {
	shards := p.Shards()
	if shards == 1 {
		return alone
	}
	l := &Links{Sources: make([]int32, shards), Targets: make([][]int32, shards)}
	seen := make([]int, shards) // by shard: one more than the last it was found to send to
	// One pass over the edges, by receiver, up to that by which a shard has heard all
	// others: a sender's shard is noted once for each receiving shard, and targets come
	// out in ascending order.
	for to := range shards {
		for _, i := range p.Nodes[to].All() {
			if int(l.Sources[to]) == shards-1 {
				break
			}
			from, _ := graph.In(i)
			for _, j := range from {
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
var alone = &Links{Sources: make([]int32, 1), Targets: make([][]int32, 1)}

// Sends tells whether a shard's messages reach another shard.
func (l *Links) Sends(from, to int) bool {
	_, found := slices.BinarySearch(l.Targets[from], int32(to))
	return found
}
