package engine

import (
	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/spread"
)

// deputy is the actor that stands for the coordinator of a spread run in another process: it
// starts and ends the actors there, hands on the coordinator's messages, and hands the
// coordinator their reports.
type deputy struct {
	company
	// over means that the coordinator has ended the run.
	over bool
}

// Receive implements actor.Actor.
func (d *deputy) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *report:
		d.run.hand(m)
	case *watermark:
		d.broadcast(ctx, m)
		if d.graphs != nil {
			ctx.Send(d.graphs, m)
		}
	case *actor.Started:
		d.assemble(ctx)
	case *begin:
		if !d.draining {
			d.follow(ctx)
			d.broadcast(ctx, m)
		}
	case *proceed:
		d.broadcast(ctx, m)
	case *spread.Collect:
		d.run.sendState(m)
	case *graphFault: // the coordinator meets the same fault
	case *drain:
		d.over = true
		d.drain(ctx)
	case *cancel:
		d.drain(ctx)
	case *actor.Terminated:
		d.terminated(ctx, m.Who)
	case *actor.Stopped:
		// The coordinator's process returns the outcome of the run.
		if d.over {
			d.run.finish(nil)
		} else {
			d.run.finish(errEndedEarly)
		}
	}
}
