package engine

import (
	"slices"

	"starling/actors/topology"

	"github.com/asynkron/protoactor-go/actor"
)

// turnGraph is a graph with the links that routers need: which shards' messages reach which.
// It is immutable and shared.
type turnGraph struct {
	graph *topology.Graph
	// links holds the links of a turn in which all nodes act, followed by another such turn.
	// some holds the links of other turns.
	links *shardLinks
	some  *linkStore
}

func (r *run) newTurnGraph(graph *topology.Graph) turnGraph {
	store := r.place.newStore(graph, r.cut())
	return turnGraph{graph: graph, links: store.All(), some: store}
}

// graphs holds the graphs of a run's steps. For a sequence with a short period
// they are all built before the start and never change. Otherwise a
// topologist actor builds each ahead of need and tells the routers.
type graphs struct {
	periodic []turnGraph // by offset modulo its length; nil if built on the way
}

// maximumPeriod bounds the graphs that are kept for a whole run.
const maximumPeriod = 64

func (r *run) newGraphs() graphs {
	sequence := r.spec.Graphs
	period, ok := sequence.Period()
	if !ok || period > maximumPeriod {
		return graphs{}
	}
	g := graphs{periodic: make([]turnGraph, period)}
	for k := range g.periodic {
		g.periodic[k] = r.newTurnGraph(sequence.At(k))
	}
	return g
}

// graphReady tells routers the graph of one step.
type graphReady struct {
	offset int
	graph  turnGraph
}

// graphFault tells the coordinator that a step has no graph, and so there is no turn from the
// step's first on.
type graphFault struct {
	turn int
	err  error
}

// builder builds the graphs of a run that has no short period, one after the other.
type builder struct {
	run   *run
	next  int // offset of the step to build for next
	epoch int // of the graph built last
	last  turnGraph
	// built are the graphs that a shard may still read, with the last step of each.
	built  []graphReady
	failed bool // there is no graph of the next step
}

// newBuilder returns the builder of the graphs from the first that a run needs.
func newBuilder(r *run) builder {
	// The first graph is for the turns before the first, which can have sent messages.
	return builder{run: r, next: max(0, r.spec.Clock().Offset-1-r.reach)}
}

// build builds the graphs up to the graph of the step at offset last, and hands each over. The
// fault is for the first step that has no graph, and is returned once.
func (b *builder) build(last int, ready func(graphReady)) *graphFault {
	sequence := b.run.spec.Graphs
	for !b.failed && b.next <= last && b.next < b.run.spec.Steps {
		if epoch := sequence.Epoch(b.next); b.last.graph == nil || epoch != b.epoch {
			graph, err := topology.GraphAt(sequence, b.next)
			if err != nil {
				b.failed = true
				return &graphFault{max(b.run.spec.TurnOf(b.next), b.run.spec.Clock().Turn), err}
			}
			b.epoch, b.last = epoch, b.run.newTurnGraph(graph)
			b.built = append(b.built, graphReady{graph: b.last})
		}
		b.built[len(b.built)-1].offset = b.next
		ready(graphReady{offset: b.next, graph: b.last})
		b.next++
	}
	return nil
}

// recycle gives graphs back that are not read any more. While the lowest unfinished turn is in
// the step at offset low, messages sent up to reach turns and one before it may still arrive:
// at most as many steps before.
func (b *builder) recycle(low int) {
	done := 0
	for done < len(b.built)-1 && b.built[done].offset < low-1-b.run.reach {
		b.built[done].graph.graph.Recycle()
		done++
	}
	if done > 0 {
		b.built = slices.Delete(b.built, 0, done)
	}
}

// topologist is the actor that builds the graphs for several shards, as far ahead as the
// lookahead lets any shard run. A single shard builds its own.
type topologist struct{ builder }

// Receive implements actor.Actor.
func (t *topologist) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		t.announce(ctx, t.run.spec.Clock().Offset)
	case *watermark:
		t.recycle(m.offset)
		t.announce(ctx, m.offset)
	}
}

// announce announces the graphs of every step that a router may start while the
// lowest unfinished turn is in the step at offset low: turns that far ahead are
// at most as many steps ahead.
func (t *topologist) announce(ctx actor.Context, low int) {
	fault := t.build(low+t.run.lookahead, func(ready graphReady) {
		for _, pid := range t.run.routers {
			if pid != nil {
				ctx.Send(pid, &ready)
			}
		}
	})
	if fault != nil {
		ctx.Send(t.run.coordinator, fault)
	}
}
