package engine

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// layout describes the division of a run among processes.
type layout struct {
	// Nodes is how many participants each process has.
	Nodes []int
	// Edges is how many edges a graph has between different participants, and Crossing how
	// many of them lead from one process to another.
	Edges, Crossing int
}

// Layout is the layout of shards by owning process, for the edges of a graph.
func (p *placement) Layout(graph *topology.Graph, owners []int, processes int) layout {
	l := layout{Nodes: make([]int, processes)}
	for shard, owner := range owners {
		l.Nodes[owner] += p.Nodes[shard].Len()
	}
	for to := range messages.NodeID(p.N) {
		from, _ := graph.In(to)
		for _, j := range from {
			if j == to {
				continue
			}
			l.Edges++
			if owners[p.ShardOf(j)] != owners[p.ShardOf(to)] {
				l.Crossing++
			}
		}
	}
	return l
}

// placeSpread is placeShards for a run on the given number of processes. The placement is as in
// one process, unless that would leave a process with no shard or with much more than others.
func placeSpread(n, shards, processes int, beside func(messages.NodeID) messages.NodeID) *placement {
	p := placeShards(n, shards, beside)
	if p.Shards() < processes || shards == 0 && p.Shards() < 2*processes {
		p = placeShards(n, 4*processes, beside)
	}
	return p
}

// nodeWork is the work of a node as a multiple of the work of an edge.
const nodeWork = 8

// slack is the part of a process's share by which a cut may be off to have fewer edges cross.
const slack = 0.1

// Divide gives each process shards that follow one another. All get about the same work, which
// is the work of nodes and of edges that come in. Of the cuts that this leaves, Divide takes
// those that the fewest edges cross. Where there are fewer shards than processes the last
// processes have none. The result depends on the placement and the graph alone.
func (p *placement) Divide(graph *topology.Graph, processes int) (owners []int) {
	shards := p.Shards()
	processes = min(processes, shards)
	// work has the work of the shards before each, and crossing the edges that a cut before it
	// parts.
	work, crossing := make([]int, shards+1), make([]int, shards+2)
	for to := range messages.NodeID(p.N) {
		from, _ := graph.In(to)
		a := p.ShardOf(to)
		many := len(from) > messages.BlockSize
		if work[a+1] += nodeWork; !many {
			work[a+1] += len(from)
		}
		for _, j := range from {
			b := p.ShardOf(j)
			if many { // it is summed beside the senders
				work[b+1]++
			}
			if a != b {
				crossing[min(a, b)+1]++
				crossing[max(a, b)+1]--
			}
		}
	}
	for s := range shards {
		work[s+1] += work[s]
		crossing[s+1] += crossing[s]
	}
	owners = make([]int, shards)
	total, cut := work[shards], 0
	for process := 1; process < processes; process++ {
		ideal := float64(total) * float64(process) / float64(processes)
		least, most := cut+1, shards-(processes-process)
		best := least
		for s := least; s <= most; s++ {
			if better(s, best, ideal, slack*float64(total)/float64(processes), work, crossing) {
				best = s
			}
		}
		cut = best
		for s := cut; s < shards; s++ {
			owners[s] = process
		}
	}
	return owners
}

// better reports whether a cut before shard s is better than one before shard t: it is within
// the slack and fewer edges cross it, or it is nearer to the ideal.
func better(s, t int, ideal, slack float64, work, crossing []int) bool {
	far := func(s int) float64 {
		d := float64(work[s]) - ideal
		if d < 0 {
			d = -d
		}
		return d
	}
	if far(s) <= slack && far(t) <= slack {
		return crossing[s] < crossing[t]
	}
	return far(s) < far(t)
}

// LayoutOf is the layout of a run, asked for the given number of shards, on the given number
// of processes, for the edges of its first step.
func LayoutOf(spec *algorithm.Run, shards, processes int) (layout, error) {
	graph, err := topology.GraphAt(spec.Graphs, 0)
	if err != nil {
		return layout{}, err
	}
	place := placeSpread(len(spec.Machines), shards, processes, spec.Beside)
	return place.Layout(graph, place.Divide(graph, processes), processes), nil
}
