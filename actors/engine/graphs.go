package engine

import (
	"slices"

	"starling/actors/topology"
	"starling/messages"

	"github.com/asynkron/protoactor-go/actor"
)

// turnGraph is a graph with what routers ask of it: which shards' messages
// reach which. It is immutable and shared.
type turnGraph struct {
	graph *topology.Graph
	links *links
}

// links is a graph seen between shards, a shard's edges to itself left out.
type links struct {
	// sources has for each shard from how many others it receives: so many batches it
	// waits for.
	sources []int32
	// targets has for each shard to which others it sends, ascending: so many batches it
	// sends.
	targets [][]int32
}

func newTurnGraph(graph *topology.Graph, place placement) turnGraph {
	return turnGraph{graph: graph, links: newLinks(graph, place)}
}

func newLinks(graph *topology.Graph, place placement) *links {
	shards := place.shards
	l := &links{sources: make([]int32, shards), targets: make([][]int32, shards)}
	if shards == 1 {
		return l
	}
	seen := make([]int, shards) // by shard: one more than the last it was found to send to
	// One pass over all edges, by receiver: a sender's shard is noted once for each
	// receiving shard, and targets come out in ascending order.
	for to := range shards {
		first, count := place.nodes(to)
		for i := first; i < first+messages.NodeID(count); i++ {
			from, _ := graph.In(i)
			for _, j := range from {
				if s := place.shardOf(j); s != to && seen[s] != to+1 {
					seen[s] = to + 1
					l.targets[s] = append(l.targets[s], int32(to))
					l.sources[to]++
				}
			}
		}
	}
	return l
}

// sends tells whether a shard's messages reach another shard.
func (l *links) sends(from, to int) bool {
	_, found := slices.BinarySearch(l.targets[from], int32(to))
	return found
}

// graphs holds the graphs of a run's steps. For a sequence with a short period
// they are all built before the start and never change. Otherwise a
// topologist actor builds each ahead of need and tells the routers.
type graphs struct {
	periodic []turnGraph // by offset modulo its length; nil if built on the way
}

// maximumPeriod bounds the graphs that are kept for a whole run.
const maximumPeriod = 64

func newGraphs(sequence topology.Sequence, place placement) graphs {
	period, ok := sequence.Period()
	if !ok || period > maximumPeriod {
		return graphs{}
	}
	g := graphs{periodic: make([]turnGraph, period)}
	for k := range g.periodic {
		g.periodic[k] = newTurnGraph(sequence.At(k), place)
	}
	return g
}

// graphReady tells routers the graph of one step.
type graphReady struct {
	offset int
	graph  turnGraph
}

// graphFault tells the coordinator that there is no graph of a step, and so no turn from
// its first on.
type graphFault struct {
	turn int
	err  error
}

// topologist builds the graphs of a run that has no short period, once for
// all shards, as far ahead as the lookahead lets anybody run.
type topologist struct {
	run   *run
	next  int // offset of the step to build for next
	epoch int // of the graph built last
	last  turnGraph
	// built are the graphs that somebody may still read, with the last step of each.
	built  []graphReady
	failed bool // there is no graph of the next step
}

// Receive implements actor.Actor.
func (t *topologist) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		clock := t.run.spec.Clock()
		// Of the turns before the first in which something may have been sent.
		t.next = max(0, clock.Offset-1-t.run.reach)
		t.build(ctx, clock.Offset)
	case *watermark:
		t.recycle(m.offset)
		t.build(ctx, m.offset)
	}
}

// build announces the graphs of every step that a router may start while the
// lowest unfinished turn is in the step at offset low: turns that far ahead are
// at most as many steps ahead.
func (t *topologist) build(ctx actor.Context, low int) {
	sequence := t.run.spec.Graphs
	for !t.failed && t.next <= low+t.run.lookahead && t.next < t.run.spec.Steps {
		if epoch := sequence.Epoch(t.next); t.last.graph == nil || epoch != t.epoch {
			graph, err := topology.GraphAt(sequence, t.next)
			if err != nil {
				t.failed = true
				ctx.Send(t.run.coordinator, &graphFault{t.run.firstTurn(t.next), err})
				return
			}
			t.epoch, t.last = epoch, newTurnGraph(graph, t.run.place)
			t.built = append(t.built, graphReady{graph: t.last})
		}
		t.built[len(t.built)-1].offset = t.next
		ready := &graphReady{offset: t.next, graph: t.last}
		for _, pid := range t.run.routers {
			ctx.Send(pid, ready)
		}
		t.next++
	}
}

// recycle gives graphs back that nobody reads any more. While the lowest unfinished turn
// is in the step at offset low, what was sent up to reach turns and one before it may
// still arrive: at most as many steps before.
func (t *topologist) recycle(low int) {
	done := 0
	for done < len(t.built)-1 && t.built[done].offset < low-1-t.run.reach {
		t.built[done].graph.graph.Recycle()
		done++
	}
	t.built = slices.Delete(t.built, 0, done)
}
