package engine

import (
	"sync"

	"starling/actors/spread"
	"starling/actors/topology"
	"starling/messages"
)

// spreading is the part of a run that concerns the processes that it is spread over.
type spreading struct {
	spread.Place
	// owners has the process of each shard.
	owners []int
	// nodes has the participants of each process.
	nodes [][]messages.NodeID
	// pieces has for each shard of another process the state of a batch of which a part has
	// come. The goroutine that takes items of that process uses it.
	pieces []struct{ begun, mixed bool }
	// mu orders the reads of rows by this process's shards before the writes of items that
	// come later. Other processes know that the shards have read a row, and so finished a turn,
	// only from the reports that this process has sent: hand takes the lock before it sends one.
	mu sync.Mutex
	// gathering is the states that are coming in at the coordinator, by process. The requests
	// are guarded by mu.
	gathering []gathering
}

// newSpreading divides the shards of a placement among processes.
func newSpreading(s *spread.Place, place *placement, graph *topology.Graph) *spreading {
	p := &spreading{Place: *s, owners: place.Divide(graph, s.Processes)}
	p.nodes = make([][]messages.NodeID, s.Processes)
	for shard, owner := range p.owners {
		for _, node := range place.Nodes[shard].All() {
			p.nodes[owner] = append(p.nodes[owner], node)
		}
	}
	p.pieces = make([]struct{ begun, mixed bool }, place.Shards())
	p.gathering = make([]gathering, s.Processes)
	return p
}

// local reports whether a shard is one of this process.
func (r *run) local(shard int) bool {
	return r.spread == nil || r.spread.owners[shard] == r.spread.Process
}

// hub reports whether this process has the coordinator of a spread run.
func (r *run) hub() bool { return r.spread != nil && r.spread.Process == r.spread.Processes }

// alone reports whether the run has one shard, which waits for no other.
func (r *run) alone() bool { return r.spread == nil && r.place.Shards() == 1 }

// cut is how the run is divided, as a process with shards sees it.
func (r *run) cut() *cut {
	if r.spread == nil || r.hub() {
		return nil
	}
	c := &cut{Process: r.spread.Process, Owners: r.spread.owners}
	for k := range r.folds {
		c.Folders = append(c.Folders, r.folds[k].node)
	}
	return c
}
