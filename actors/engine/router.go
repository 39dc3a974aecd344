package engine

import (
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
	"starling/messages"
)

// router is the actor of one shard: it gives its participants their turns and
// tells the other shards when what they need has been sent.
type router struct {
	run   *run
	shard int
	self  *actor.PID

	box          *mailbox // its own
	participants []participant
	pids         []*actor.PID
	stepper      *algorithm.Stepper
	inbox        []messages.Envelope // reused by every participant

	clock   algorithm.Clock // of the turn in progress or next
	busy    bool            // a turn is in progress
	pending int             // participants that have not published in it
	frame   frame
	turn    fanout             // hands the frame to the participants
	stopped int                // participants whose machine has ended its part
	low     int                // lowest turn not finished everywhere, as last heard
	arrived []int32            // by turn modulo its length: shards heard of that finished it
	ready   []graphReady       // by offset modulo its length
	batches []batch            // by turn modulo its length: what other routers are sent
	failure *algorithm.Failure // the first of this shard, by node
	ended   bool               // no further turn will start
	// draining: the participants are being stopped, leaving are yet to stop.
	draining bool
	leaving  int
}

// Messages between routers and the coordinator. Those of a turn are reused
// when no receiver can still read them.
type (
	// batch tells a router that a shard's messages of a turn are all there.
	batch struct{ turn int }
	// report tells the coordinator how many turns a shard has finished.
	report struct {
		shard, finished int
		ended           bool
		failure         *algorithm.Failure
	}
	// watermark tells the lowest turn not finished everywhere.
	watermark struct {
		low    int
		offset int // of the step that turn is in
	}
	// drain tells a router to stop its participants and then itself.
	drain struct{}
	// begin tells a router that all routers exist.
	begin struct{}
)

// Receive implements actor.Actor.
func (r *router) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *participant:
		r.published(ctx, r.box.takePublished())
	case *batch:
		r.arrived[m.turn%len(r.arrived)]++
		r.advance(ctx)
	case *watermark:
		r.low = m.low
		r.advance(ctx)
	case *graphReady:
		r.ready[m.offset%len(r.ready)] = *m
		r.advance(ctx)
	case *algorithm.Failure:
		if r.failure == nil || m.Before(r.failure) {
			r.failure = m
		}
		r.published(ctx, 1)
	case *actor.Started:
		r.spawn(ctx)
	case *begin:
		r.advance(ctx)
	case *drain:
		r.drain(ctx)
	case *actor.Terminated:
		r.left(ctx)
	}
}

// spawn starts the shard's participants. They are not children in Proto.Actor's
// books, which would cost a map entry each: the router stops and counts them
// itself, and supervises them all the same.
func (r *router) spawn(ctx actor.Context) {
	r.self = ctx.Self()
	first, count := r.run.place.nodes(r.shard)
	strand := r.box.strand
	r.participants = make([]participant, count)
	r.pids = make([]*actor.PID, count)
	boxes := make([]mailbox, count)
	r.turn = fanout{to: boxes, skip: r.participants, message: &r.frame}
	next := 0
	props := actor.PropsFromProducer(
		func() actor.Actor { return &r.participants[next] },
		actor.WithDispatcher(strand),
		actor.WithMailbox(func() actor.Mailbox { return &boxes[next] }),
	)
	prefix := r.self.Id + "/"
	for next = range count {
		node := first + messages.NodeID(next)
		r.participants[next] = participant{router: r, node: node}
		boxes[next].strand = strand
		pid, err := actor.DefaultSpawner(ctx.ActorSystem(), prefix+strconv.Itoa(r.run.spec.Label(node)), props, ctx)
		if err != nil {
			panic(err) // names are unique by construction
		}
		r.pids[next] = pid
	}
	r.stepper = algorithm.NewStepper(r.run.spec, first, count, r.run.lifetime)
	r.clock = r.run.spec.Clock()
	r.arrived = make([]int32, r.run.lifetime)
	r.batches = make([]batch, r.run.lifetime)
	r.ready = make([]graphReady, r.run.lifetime)
	ctx.Send(r.run.coordinator, &report{shard: r.shard})
}

// advance starts turns for as long as the next one's conditions hold.
func (r *router) advance(ctx actor.Context) {
	for !r.busy && !r.ended && r.start(ctx) {
		if r.pending == 0 { // all participants have ended their part
			r.finish(ctx)
		}
	}
}

// start starts the next turn if all it needs is there.
func (r *router) start(ctx actor.Context) bool {
	turn := r.clock.Turn
	if turn > r.low+r.run.lookahead {
		return false
	}
	graph, ok := r.graphAt(r.clock.Offset)
	if !ok {
		return false
	}
	if turn > 0 {
		arrived := &r.arrived[(turn-1)%len(r.arrived)]
		if *arrived < r.frame.graph.links.sources[r.shard] {
			return false
		}
		*arrived = 0
	}
	r.frame = frame{
		graph:     graph,
		sent:      turn - 1,
		sentGraph: r.frame.graph,
		sentBoxes: r.frame.outboxes,
		outboxes:  r.run.outboxes[turn%len(r.run.outboxes)],
	}
	r.busy, r.pending = true, len(r.participants)-r.stopped
	r.stepper.Begin(&r.clock)
	if r.stopped > 0 {
		r.silence()
	}
	if r.pending > 0 {
		r.box.strand.multicast(&r.turn)
	}
	return true
}

// silence empties the outboxes of participants that take no more turns: they
// still hold what was sent in an earlier one.
func (r *router) silence() {
	for i := range r.participants {
		if p := &r.participants[i]; p.stopped {
			r.frame.outboxes[p.node].Reset()
		}
	}
}

func (r *router) graphAt(offset int) (turnGraph, bool) {
	if p := r.run.graphs.periodic; p != nil {
		return p[offset%len(p)], true
	}
	slot := &r.ready[offset%len(r.ready)]
	return slot.graph, slot.graph.graph != nil && slot.offset == offset
}

// published notes that n participants have finished the turn in progress.
func (r *router) published(ctx actor.Context, n int) {
	if r.draining {
		return
	}
	if r.pending -= n; r.pending > 0 {
		return
	}
	r.finish(ctx)
	r.advance(ctx)
}

// finish ends the turn in progress.
func (r *router) finish(ctx actor.Context) {
	turn := r.clock.Turn
	r.busy = false
	if r.failure != nil {
		// The shard's messages of this turn are not complete: nobody who
		// needs them goes on.
		r.ended = true
		ctx.Send(r.run.coordinator, &report{shard: r.shard, finished: turn, ended: true, failure: r.failure})
		return
	}
	r.stepper.Flush()
	message := &r.batches[turn%len(r.batches)]
	message.turn = turn
	for _, to := range r.frame.graph.links.targets[r.shard] {
		ctx.Send(r.run.routers[to], message)
	}
	r.clock.Next()
	r.ended = r.clock.Done()
	if r.ended || r.run.reports(turn) {
		ctx.Send(r.run.coordinator, &report{shard: r.shard, finished: turn + 1, ended: r.ended})
	}
}

// drain stops the participants; the last one's end stops the router.
func (r *router) drain(ctx actor.Context) {
	r.ended, r.draining = true, true
	r.leaving = len(r.pids)
	for _, pid := range r.pids {
		ctx.Stop(pid)
	}
}

func (r *router) left(ctx actor.Context) {
	if r.leaving--; r.leaving == 0 {
		ctx.Stop(r.self)
	}
}
