package engine

import (
	"slices"

	"starling/actors/topology"
	"starling/messages"
)

// crossing holds the parts of a shard's messages for another process in a turn.
type crossing struct {
	Process int
	// Targets are the shards there that wait for it.
	Targets []int32
	// Rows are the participants with outboxes that some shard there reads, ascending.
	Rows []messages.NodeID
	// Sums are blocks of participants with messages that are summed beside them.
	Sums []blockSum
}

// blockSum is a block of senders. Their messages to a folder are summed by their shard.
type blockSum struct {
	Folder messages.NodeID
	Block  int
}

// Beside reports whether a block of messages to a folder is folded by the shard of its
// senders: they are all in one, and the folder's shard waits for it. Other blocks the folder's
// own shard folds.
func (p *placement) Beside(folder messages.NodeID, block int, links *shardLinks) bool {
	senders, own := int(p.Owners[block]), p.ShardOf(folder)
	// The second condition is about waiting, not about work: the folder's shard must wait for
	// the batch of a shard that writes into its blocks.
	return senders != scattered && (senders == own || links.Sends(senders, own))
}

// cut is the division of a run among processes, as one of them sees it.
type cut struct {
	// Process is this process, and Owners has the process of each shard.
	Process int
	Owners  []int
	// Folders are the nodes with messages that are summed where Beside returns true.
	Folders []messages.NodeID
}

// crossings returns the crossings of the shards of the process in an exchange along the edges
// of a graph with these links.
func (p *placement) crossings(c *cut, graph *topology.Graph, links *shardLinks, e exchange) [][]crossing {
	across := make([][]crossing, p.Shards())
	for shard, owner := range c.Owners {
		if owner == c.Process {
			across[shard] = p.crossing(shard, c, graph, links, e)
		}
	}
	return across
}

// crossing returns the crossings of one shard.
func (p *placement) crossing(shard int, c *cut, graph *topology.Graph, links *shardLinks, e exchange) (list []crossing) {
	owners := c.Owners
	at := map[int]int{} // by process: one more than its place in the list
	to := func(process int) *crossing {
		if at[process] == 0 {
			list = append(list, crossing{Process: process})
			at[process] = len(list)
		}
		return &list[at[process]-1]
	}
	for _, target := range links.Targets[shard] {
		if owners[target] != owners[shard] {
			c := to(owners[target])
			c.Targets = append(c.Targets, target)
		}
	}
	// A block that is folded here crosses even if no node in it sends anything: the old sum
	// there is of another turn.
	summed := map[blockSum]bool{}
	for _, folder := range c.Folders {
		owner := owners[p.ShardOf(folder)]
		for _, block := range p.Blocks[shard] {
			if sum := (blockSum{folder, int(block)}); owner != owners[shard] && e.Readers.Has(folder) && p.Beside(folder, sum.Block, links) {
				c := to(owner)
				c.Sums, summed[sum] = append(c.Sums, sum), true
			}
		}
	}
	last := make([]messages.NodeID, slices.Max(owners)+1) // by process: one more than the last row
	for _, node := range p.Nodes[shard].All() {
		if !e.Senders.Has(node) {
			continue
		}
		for _, receiver := range graph.Out(node) {
			owner := owners[p.ShardOf(receiver)]
			if owner == owners[shard] || !e.Readers.Has(receiver) || last[owner] == node+1 || summed[blockSum{receiver, int(node) / messages.BlockSize}] {
				continue
			}
			last[owner] = node + 1
			c := to(owner)
			c.Rows = append(c.Rows, node)
		}
	}
	return list
}
