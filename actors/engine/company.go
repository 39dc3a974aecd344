package engine

import (
	"strconv"

	"github.com/asynkron/protoactor-go/actor"
)

// company holds the actors of a run in one process, for the coordinator or a deputy.
type company struct {
	run  *run
	self *actor.PID
	// graphs is the topologist. It is nil where all graphs are built before the start, or by
	// the only shard.
	graphs *actor.PID
	// draining is set once the actors are being stopped.
	draining bool
	// routers is how many there are in this process, and left how many have stopped.
	routers, left int
}

// assemble spawns the routers of this process, and begins to listen to others.
func (c *company) assemble(ctx actor.Context) {
	c.self = ctx.Self()
	r := c.run
	r.coordinator = c.self
	r.routers = make([]*actor.PID, r.place.Shards())
	for s := range r.routers {
		if !r.local(s) {
			continue
		}
		box := r.host.newMailbox()
		r.routers[s] = r.host.spawn(ctx, &router{run: r, shard: s, box: box}, box, "s"+strconv.Itoa(s))
		c.routers++
	}
	if r.spread != nil {
		r.spread.Wires.Listen(r.take)
	}
}

// follow spawns the topologist where one is needed. Routers exist by then, so that no graph
// is sent to one that does not.
func (c *company) follow(ctx actor.Context) {
	if r := c.run; r.graphs.periodic == nil && !r.alone() {
		c.graphs = r.host.spawn(ctx, &topologist{newBuilder(r)}, r.host.newMailbox(), "graphs")
	}
}

// broadcast sends a message to all routers of this process.
func (c *company) broadcast(ctx actor.Context, message any) {
	for _, pid := range c.run.routers {
		if pid != nil {
			ctx.Send(pid, message)
		}
	}
}

// drain stops all actors of this process, leaves first.
func (c *company) drain(ctx actor.Context) {
	if c.draining {
		return
	}
	c.draining = true
	c.run.draining.Store(true)
	if c.graphs != nil {
		ctx.Stop(c.graphs)
	}
	c.broadcast(ctx, &drain{})
	c.leave(ctx)
}

// terminated counts the actors that have stopped.
func (c *company) terminated(ctx actor.Context, who *actor.PID) {
	if c.graphs != nil && who.Id == c.graphs.Id {
		c.graphs = nil
	} else {
		c.left++
	}
	c.leave(ctx)
}

// leave stops the actor itself once all others have stopped. Its end is the end of Run.
func (c *company) leave(ctx actor.Context) {
	if c.left == c.routers && c.graphs == nil {
		ctx.Stop(c.self)
	}
}
