package engine

import (
	"slices"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
	"starling/actors/spread"
	"starling/messages"
)

// router is the actor of one shard: it gives its participants their turns and tells the other
// shards when its messages for them have been sent.
type router struct {
	run   *run
	shard int
	self  *actor.PID

	box          *mailbox
	participants []participant
	stepper      *algorithm.Stepper
	lanes        *algorithm.Lanes
	// relay keeps the calls of participants to the coordinator's meter in a spread run; nil
	// elsewhere.
	relay *spread.Relay
	// packed is how many entries of vectors a batch for another process has had at most.
	packed int
	// inbox is working memory for the participant that has its turn.
	inbox []messages.Envelope

	// clock is at the turn in progress, or at the next where none is.
	clock algorithm.Clock
	// first is the run's first turn: 0 unless the run resumes from a checkpoint.
	first int
	// busy means that a turn is in progress.
	busy bool
	// frame holds the parts of the turn in progress.
	frame frame
	// past has the graphs of earlier turns with messages that can still arrive, by turn modulo
	// its length. It is nil unless the network has effects.
	past []turnGraph
	// blocks has the sums of folders where the network has effects.
	blocks map[messages.NodeID]*messages.Blocks
	// turn hands the frame to the participants.
	turn fanout
	// used bounds the participants that may have messages in a row of outboxes, by turn modulo
	// its length.
	used []span
	// stopped counts the participants that have ended their part.
	stopped int
	// folded is how many of the shard's blocks of senders have been folded in this turn.
	folded int
	// low is the lowest turn that is not finished everywhere, as last heard.
	low int
	// arrived counts by turn, modulo its length, the shards that have reported that they
	// finished the turn.
	arrived []int32
	// mixed counts the shards among them with messages that were not plain.
	mixed []int32
	// plain means that the shard's own messages of the turn before are plain, and heard that
	// all messages to it then are.
	plain, heard bool
	// ready has the graphs that the topologist has sent, by offset modulo its length.
	ready []graphReady
	// builder builds the graphs where there is one shard and no short period.
	builder *builder
	// batches are the messages to other routers, by turn modulo its length. A message is used
	// again when no router can still read it.
	batches []batch
	// failure is the first of this shard in the turn in progress, by node.
	failure *algorithm.Failure
	// held means that the run pauses before the next turn.
	held bool
	// ended means that no further turn will start.
	ended bool
	// draining: the participants are being stopped, leaving are yet to stop.
	draining bool
	leaving  int
}

// span is a range of a shard's participants, counted from 0, end excluded.
type span struct{ first, end int }

// Messages between routers and the coordinator. The messages of a turn are reused when no
// receiver can still read them.
type (
	// batch tells a router that a shard's messages of a turn are all there, and whether
	// they are plain; see algorithm.Stepper.Plain.
	batch struct {
		turn  int
		plain bool
	}
	// report tells the coordinator how many turns a shard has finished.
	report struct {
		shard, finished int
		ended           bool
		failure         *algorithm.Failure
		log             []byte // of the relay
	}
	// watermark has the lowest turn not finished everywhere.
	watermark struct {
		low    int
		offset int // of the step that turn is in
	}
	// drain tells a router to stop its participants and then itself.
	drain struct{}
	// begin tells a router that all routers exist.
	begin struct{}
	// proceed ends a pause.
	proceed struct{}
	// over tells a router that its participants have all had the turn in progress.
	over struct{}
)

// turnOver is the one value of over, which is empty.
var turnOver any = &over{}

// Receive implements actor.Actor.
func (r *router) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *over:
		if !r.draining {
			r.finish(ctx)
			r.advance()
		}
	case *batch:
		r.arrived[m.turn%len(r.arrived)]++
		if !m.plain {
			r.mixed[m.turn%len(r.mixed)]++
		}
		r.advance()
	case *watermark:
		r.low = m.low
		r.advance()
	case *graphReady:
		r.ready[m.offset%len(r.ready)] = *m
		r.advance()
	case *actor.Started:
		r.spawn(ctx)
	case *begin:
		r.advance()
	case *proceed:
		r.held = false
		r.advance()
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
	nodes := r.run.place.Nodes[r.shard]
	strand := r.box.strand
	r.participants = make([]participant, nodes.Len())
	r.turn.router = r
	next := 0
	props := actor.PropsFromProducer(
		func() actor.Actor { return &r.participants[next] },
		actor.WithDispatcher(strand),
		actor.WithMailbox(func() actor.Mailbox { return &r.participants[next].mailbox }),
	)
	prefix := r.self.Id + "/"
	var node messages.NodeID
	for next, node = range nodes.All() {
		stopped := r.run.stopped[node]
		r.participants[next] = participant{mailbox: mailbox{strand: strand}, router: r, node: node, stopped: stopped, absent: stopped}
		if stopped {
			r.stopped++
		}
		if _, err := actor.DefaultSpawner(ctx.ActorSystem(), prefix+strconv.Itoa(r.run.spec.Label(node)), props, ctx); err != nil {
			panic(err) // names are unique by construction
		}
	}
	spec := r.run.spec
	if r.run.spread != nil {
		own := *spec
		r.relay, own.Meter = spread.NewRelay(own.Meter)
		spec = &own
	}
	r.stepper = algorithm.NewStepper(spec, nodes, r.run.lifetime)
	r.lanes = algorithm.NewLanes(spec, r.stepper, r.published)
	if r.run.vectors != nil {
		r.stepper.Share(r.run.vectors)
	}
	r.clock = r.run.spec.Clock()
	r.first, r.low = r.clock.Turn, r.clock.Turn
	r.arrived, r.mixed = make([]int32, r.run.lifetime), make([]int32, r.run.lifetime)
	r.batches = make([]batch, r.run.lifetime)
	r.used = slices.Repeat([]span{{0, nodes.Len()}}, r.run.lifetime) // a run that resumes has filled some
	r.ready = make([]graphReady, r.run.lifetime)
	if r.run.alone() && r.run.graphs.periodic == nil {
		own := newBuilder(r.run)
		r.builder = &own
	}
	if r.run.effects {
		r.past = make([]turnGraph, r.run.lifetime)
		r.blocks = map[messages.NodeID]*messages.Blocks{}
	}
	ctx.Send(r.run.coordinator, &report{shard: r.shard})
}

// advance starts the next turn, unless one is in progress.
func (r *router) advance() {
	if !r.busy && !r.held && !r.ended && !r.run.draining.Load() {
		r.start()
	}
}

// start starts the next turn if all it needs is there.
func (r *router) start() {
	turn := r.clock.Turn
	// Any further ahead, others would still read the row of outboxes for this turn.
	if turn > r.low+r.run.lookahead {
		return
	}
	if r.clock.Done() {
		if r.hears(turn) {
			r.close()
		}
		return
	}
	if r.builder != nil && !r.build() {
		return
	}
	graph, ok := r.graphAt(r.clock.Offset)
	if !ok || !r.informed(turn) {
		return
	}
	if r.run.queues != nil && turn > 0 {
		r.route(turn)
	}
	// The old frame's turn becomes the turn before.
	r.frame = frame{
		graph:     graph,
		sent:      turn - 1,
		sentGraph: r.frame.graph,
		sentLinks: r.frame.links,
		sentBoxes: r.frame.outboxes,
		sentBy:    r.frame.Senders,
		outboxes:  r.run.outboxes[turn%len(r.run.outboxes)],
	}
	r.stepper.Begin(&r.clock)
	r.stepper.Follows(r.frame.sentGraph.graph)
	if r.heard {
		r.stepper.Hear()
	}
	r.exchange()
	r.busy = true
	r.call()
	if r.run.effects {
		r.remember(turn, graph)
		r.keepAway()
	}
	r.folded = 0
	// A turn in which no node acts ends by way of the strand, too: ending it here would recur
	// once for each such turn.
	r.box.strand.multicast(&r.turn)
}

// exchange finds the senders and readers of the turn begun, and the links of their shards.
func (r *router) exchange() {
	f := &r.frame
	f.links, f.Senders, f.Readers = f.graph.links, r.run.place.All(), r.run.place.All()
	f.folding = len(r.run.folds) > 0
	if !r.run.scheduled {
		return
	}
	f.Senders.First, f.Senders.End = r.clock.Acting()
	f.Readers.First, f.Readers.End = r.clock.Following()
	f.links = f.graph.some.Between(f.exchange)
	f.folding = slices.ContainsFunc(r.run.folds, func(fold fold) bool { return f.Readers.Has(fold.node) })
	if r.run.vectors == nil && len(f.links.Targets[r.shard]) == 0 {
		r.stepper.Stays()
	}
}

// build builds the graphs up to the graph of the turn to start. Where there is none the
// shard's part ends.
func (r *router) build() bool {
	offset := r.clock.Offset
	r.builder.recycle(offset)
	fault := r.builder.build(offset, func(ready graphReady) { r.ready[ready.offset%len(r.ready)] = ready })
	if fault == nil {
		return true
	}
	r.ended = true
	root := r.run.host.system.Root
	root.Send(r.run.coordinator, fault)
	root.Send(r.run.coordinator, &report{shard: r.shard, finished: r.clock.Turn, ended: true})
	return false
}

// informed reports whether all messages that the shard needs of the turns before are there.
func (r *router) informed(turn int) bool {
	switch {
	case turn > r.first:
		return r.hears(turn)
	case turn > 0: // the run resumes
		return r.recall(turn)
	}
	return true
}

// hears reports whether all messages to the shard of the turn before are there, and if so
// resets the counts of shards that it heard from.
func (r *router) hears(turn int) bool {
	arrived := &r.arrived[(turn-1)%len(r.arrived)]
	if *arrived < r.frame.links.Sources[r.shard] {
		return false
	}
	mixed := &r.mixed[(turn-1)%len(r.mixed)]
	r.heard = r.run.vectors != nil && r.frame.Senders == r.run.place.All() && r.plain && *mixed == 0
	*arrived, *mixed = 0, 0
	return true
}

// recall takes up the graphs of the turns with messages that may still arrive in the first
// turn of a run that resumes, once the graphs are there.
func (r *router) recall(turn int) bool {
	graph, ok := r.graphAt(r.clock.Offset - 1)
	if !ok {
		return false
	}
	if r.run.effects {
		for sent := max(0, turn-1-r.run.reach); sent < turn; sent++ {
			earlier, ok := r.graphAt(r.stepper.Attendance().Offset(sent))
			if !ok {
				return false
			}
			r.remember(sent, earlier)
		}
	}
	r.frame.links, r.frame.Senders = graph.links, r.run.place.All()
	r.frame.graph, r.frame.outboxes = graph, r.run.outboxes[(turn-1)%len(r.run.outboxes)]
	return true
}

// call sets the shard's participants that the turn is for. It empties the outboxes of others
// that the row holds from when it was last used, if they are read: where shards wait by the
// schedule only a pause that shows the state reads them.
func (r *router) call() {
	nodes := &r.run.place.Nodes[r.shard]
	from, end := r.clock.Acting()
	r.turn.first = nodes.Below(from)
	r.turn.end = max(nodes.Below(end), r.turn.first)
	used, now := &r.used[r.clock.Turn%len(r.used)], span{r.turn.first, r.turn.end}
	if next := r.clock; r.run.scheduled && r.stopped == 0 {
		*used = span{0, len(r.participants)}
		if next.Next(); !next.Pauses() {
			return
		}
	}
	for i := used.first; i < used.end && (*used != now || r.stopped > 0); i++ {
		if p := &r.participants[i]; i < now.first || i >= now.end || p.stopped {
			r.frame.outboxes[p.node].Reset()
		}
	}
	*used = now
}

func (r *router) graphAt(offset int) (turnGraph, bool) {
	if p := r.run.graphs.periodic; p != nil {
		return p[offset%len(p)], true
	}
	// A slot may hold the graph of another step, earlier or, after a wrap, none.
	slot := &r.ready[offset%len(r.ready)]
	return slot.graph, slot.graph.graph != nil && slot.offset == offset
}

// fail keeps the first failure of the shard in the turn in progress.
func (r *router) fail(failure *algorithm.Failure) {
	if r.failure == nil || failure.Before(r.failure) {
		r.failure = failure
	}
}

// finish ends the turn in progress.
func (r *router) finish(ctx actor.Context) {
	turn := r.clock.Turn
	r.busy = false
	if r.failure != nil {
		// The shard's messages of this turn are not complete: no shard that needs them goes
		// on.
		r.ended = true
		ctx.Send(r.run.coordinator, &report{shard: r.shard, finished: turn, ended: true, failure: r.failure})
		return
	}
	if r.frame.folding {
		r.foldSent(r.participants[len(r.participants)-1].node)
	}
	// The payments and measurements of the participants are handed over before any other shard
	// can go on because of this turn.
	r.stepper.Flush()
	message := &r.batches[turn%len(r.batches)]
	r.plain = r.stepper.Plain()
	message.turn, message.plain = turn, r.plain
	for _, to := range r.frame.links.Targets[r.shard] {
		if pid := r.run.routers[to]; pid != nil {
			ctx.Send(pid, message)
		}
	}
	r.sendAcross(message)
	r.clock.Next()
	done := r.clock.Done()
	r.ended, r.held = done && r.run.queues == nil, r.clock.Pauses() // queues take up the last turn's messages
	if done || r.held || r.run.reports(turn) {
		ctx.Send(r.run.coordinator, &report{shard: r.shard, finished: turn + 1, ended: r.ended, log: r.told()})
	}
}

// told is the relay's log since the last report.
func (r *router) told() []byte {
	if r.relay == nil {
		return nil
	}
	return r.relay.Take()
}

// drain stops the participants; the last one's end stops the router.
func (r *router) drain(ctx actor.Context) {
	r.ended, r.draining = true, true
	r.leaving = len(r.participants)
	for i := range r.participants {
		ctx.Stop(r.participants[i].self())
	}
}

// left counts the participants that have stopped.
func (r *router) left(ctx actor.Context) {
	if r.leaving--; r.leaving == 0 {
		r.lanes.Close()
		ctx.Stop(r.self)
	}
}
