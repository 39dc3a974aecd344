package engine

import (
	"github.com/asynkron/protoactor-go/actor"
)

// mailbox is the entrance of one actor to its strand. It holds no queue: the
// strand's two queues serve all of its actors, so that a participant's mailbox
// is a few words and a message allocates nothing.
type mailbox struct {
	// All posts go to the strand; the mailbox only knows their receiver.
	strand  *strand
	invoker actor.MessageInvoker
	// suspended is set by a failure, which is final: nothing is restarted.
	suspended bool
}

// RegisterHandlers implements actor.Mailbox.
func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// PostUserMessage implements actor.Mailbox.
func (m *mailbox) PostUserMessage(message any) {
	m.strand.post(post{to: m, message: message})
}

// PostSystemMessage implements actor.Mailbox.
func (m *mailbox) PostSystemMessage(message any) {
	m.strand.post(post{to: m, message: message, system: true})
}

// self is the address of the mailbox's actor, of which Proto.Actor's context keeps the
// only copy.
func (m *mailbox) self() *actor.PID { return m.invoker.(interface{ Self() *actor.PID }).Self() }

// Start implements actor.Mailbox.
func (m *mailbox) Start() {}

// UserMessageCount implements actor.Mailbox. It serves Proto.Actor's metrics
// only, which are off.
func (m *mailbox) UserMessageCount() int { return 0 }

// fanout is one message for many actors of a strand: a turn for a router's participants. The
// strand takes it as one post and hands the turn to each of them in order, without
// Proto.Actor's books for each: those record the props, the watchers and the end of an actor,
// and a turn changes none of these.
type fanout struct {
	router *router
	// first and end bound the shard's participants that the turn is for, end excluded.
	first, end int
}

// multicast posts a fanout. Only an actor of the strand may call it.
func (s *strand) multicast(f *fanout) { s.local.Push(post{message: f}) }

// deliver hands the turn to each participant, or to dozens at once, and then tells the router.
// After a failure of a cohort no participant goes on.
func (f *fanout) deliver(s *strand) {
	r := f.router
	// Nodes move together in a network without effects, if none is absent and all messages are
	// heard where they lie.
	joint := r.stepper.Cohorts() && r.run.vectors != nil && r.stopped == 0 && (r.frame.sent < 0 || r.heard) && len(r.run.folds) == 0
	for i := f.first; i < f.end; i++ {
		p := &r.participants[i]
		s.current.to = &p.mailbox
		if joint {
			moved, failure := r.stepper.Move(p.node, r.frame.graph.graph, r.frame.outboxes)
			if failure != nil {
				r.fail(failure)
				break
			}
			if moved > 0 {
				i += moved - 1
				continue
			}
		}
		if !p.absent {
			p.take(&r.frame)
		}
	}
	r.lanes.Answer()
	s.local.Push(post{to: r.box, message: turnOver})
}

// handle delivers one message to the actor, on the strand's worker.
func (m *mailbox) handle(p post) {
	if p.system {
		switch p.message.(type) {
		case *actor.SuspendMailbox:
			m.suspended = true
		case *actor.ResumeMailbox:
		default:
			m.invoker.InvokeSystemMessage(p.message)
		}
		return
	}
	if _, drains := p.message.(*drain); m.suspended && !drains {
		return // it has failed: it can only end
	}
	m.invoker.InvokeUserMessage(p.message)
}
