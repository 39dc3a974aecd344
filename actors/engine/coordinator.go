package engine

import (
	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
	"starling/actors/spread"
)

// coordinator is the actor that starts a run, follows its progress and ends it. It is not in
// the path of any message between participants.
type coordinator struct {
	company
	// spawned is how many routers have reported that their participants exist. The run begins
	// when all have.
	spawned int
	// finished has for each shard how many turns it has finished, as last reported.
	finished []int
	// ended holds for each shard whether it starts no turn any more: it is at the horizon, or
	// has failed.
	ended []bool
	// complete counts by turn, modulo its length, the shards that have finished the turn.
	// A turn that all have finished moves the watermark.
	complete []int
	// clock is at the lowest turn that is not finished everywhere.
	clock algorithm.Clock
	// failure is the first by turn, then node. Later reports can still bring an earlier
	// one.
	failure *algorithm.Failure
	// fault is the fault of a step that has no graph; nil where all steps have one.
	fault *graphFault
	// asked is the last state that processes were asked for, nil where none was, and awaited
	// how many have not answered.
	asked   *spread.Collect
	awaited int
}

// cancel tells the coordinator to end the run early; the cause is the run's.
type cancel struct{}

// Receive implements actor.Actor.
func (c *coordinator) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *report:
		c.report(ctx, m)
	case *actor.Started:
		c.start(ctx)
	case *proceed:
		if !c.draining {
			c.broadcast(ctx, m)
		}
	case *gathered:
		c.gathered(ctx)
	case *graphFault:
		c.fault = m
		c.end(ctx)
	case *cancel:
		c.drain(ctx)
	case *actor.Terminated:
		c.terminated(ctx, m.Who)
	case *actor.Stopped:
		c.run.finish(c.cause())
	}
}

func (c *coordinator) start(ctx actor.Context) {
	shards := c.run.place.Shards()
	c.finished, c.ended = make([]int, shards), make([]bool, shards)
	c.complete = make([]int, c.run.lifetime)
	c.clock = c.run.spec.Clock()
	for s := range c.finished {
		c.finished[s] = c.clock.Turn
	}
	c.assemble(ctx)
}

// begin starts the routers, once all of them exist.
func (c *coordinator) begin(ctx actor.Context) {
	c.follow(ctx)
	c.broadcast(ctx, &begin{})
}

func (c *coordinator) report(ctx actor.Context, m *report) {
	// The first report of a router says only that it is there.
	if m.finished == 0 && !m.ended {
		if c.spawned++; c.spawned == len(c.finished) && !c.draining {
			c.begin(ctx)
		}
		return
	}
	if m.failure != nil && (c.failure == nil || m.failure.Before(c.failure)) {
		c.failure = m.failure
	}
	c.ended[m.shard] = c.ended[m.shard] || m.ended
	c.progress(ctx, m.shard, m.finished)
	c.end(ctx)
}

// end ends the run if its outcome is known. A spread run that has not failed leaves the
// states of its machines first.
func (c *coordinator) end(ctx actor.Context) {
	switch {
	case c.draining || c.asked != nil && c.asked.Last || !c.over():
	case c.run.spread != nil && c.failure == nil && c.fault == nil:
		c.gather(&spread.Collect{Turn: int64(c.clock.Turn), Last: true})
	default:
		c.drain(ctx)
	}
}

// progress moves the watermark if a shard's progress allows it.
func (c *coordinator) progress(ctx actor.Context, shard, finished int) {
	// A report may cover many turns of a shard; each of them may complete a turn of the
	// run.
	low := c.clock.Turn
	for turn := c.finished[shard]; turn < finished; turn++ {
		c.complete[turn%len(c.complete)]++
		for done := &c.complete[c.clock.Turn%len(c.complete)]; *done == len(c.finished); done = &c.complete[c.clock.Turn%len(c.complete)] {
			*done = 0
			c.clock.Next()
		}
	}
	c.finished[shard] = finished
	if s := c.run.spread; s != nil && s.Heard != nil {
		s.Heard(s.owners[shard], shard, finished)
	}
	if c.clock.Turn == low {
		return
	}
	if p := c.run.progress; p != nil {
		p(c.clock.Offset)
	}
	if c.clock.Done() || c.draining {
		return
	}
	mark := &watermark{low: c.clock.Turn, offset: c.clock.Offset}
	c.broadcast(ctx, mark)
	if c.graphs != nil {
		ctx.Send(c.graphs, mark)
	}
	// All shards stop by themselves before a turn that pauses, so that no machine works
	// while the state is written; proceed lets them go on.
	if c.clock.Pauses() {
		c.pause(ctx)
	}
}

// pause has the run's state saved while no machine works.
func (c *coordinator) pause(ctx actor.Context) {
	switch due := c.run.spec.Pauses.Due; {
	case c.run.spread == nil:
		c.run.save(c.clock, c.self)
	case due == nil || due():
		c.gather(&spread.Collect{Turn: int64(c.clock.Turn)})
	default:
		c.broadcast(ctx, &proceed{})
	}
}

// over reports whether the outcome is known: every shard has ended or, after a failure, has
// got past the turn of the first failure, so that no earlier one can still come to light; or
// has come to the turn that has no graph.
func (c *coordinator) over() bool {
	for shard, ended := range c.ended {
		passed := c.failure != nil && c.finished[shard] > c.failure.Turn || c.fault != nil && c.finished[shard] >= c.fault.turn
		if !ended && !passed {
			return false
		}
	}
	return true
}

// broadcast tells all routers, in other processes too.
func (c *coordinator) broadcast(ctx actor.Context, message any) {
	c.company.broadcast(ctx, message)
	if c.run.spread != nil {
		c.run.tell(message)
	}
}

// drain stops all actors of the run.
func (c *coordinator) drain(ctx actor.Context) {
	if !c.draining && c.run.spread != nil {
		c.run.tell(&drain{})
	}
	c.company.drain(ctx)
}

// cause is the outcome as an error, nil for a run that reached its horizon.
func (c *coordinator) cause() error {
	if !c.over() {
		return errEndedEarly
	}
	if c.failure != nil {
		return c.failure // in a turn before any that has no graph
	}
	if c.fault != nil {
		return c.fault.err
	}
	return nil
}
