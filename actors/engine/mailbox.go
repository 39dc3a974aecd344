package engine

import (
	"github.com/asynkron/protoactor-go/actor"
)

// mailbox is the entrance of one actor to its strand. It holds no queue: the
// strand's two queues serve all of its actors, so that a participant's mailbox
// is a few words and a message allocates nothing.
type mailbox struct {
	// Whatever is posted goes to the strand; the mailbox only knows whom it is for.
	strand  *strand
	invoker actor.MessageInvoker
	// published is how many participants have published since the router was last told.
	// It is used on the router's mailbox alone.
	published int32
	// suspended is set by a failure, which is final: nothing is restarted.
	suspended bool
}

// RegisterHandlers implements actor.Mailbox.
func (m *mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	m.invoker = invoker
}

// PostUserMessage implements actor.Mailbox. What participants send their router
// never leaves their strand: it is posted by the worker that runs it, and needs
// no lock. Participants that publish one after the other are told to the router
// as one message.
func (m *mailbox) PostUserMessage(message any) {
	if _, ok := message.(*participant); !ok {
		m.strand.post(post{to: m, message: message})
		return
	}
	if m.published == 0 {
		m.strand.local.push(post{to: m, message: message})
	}
	m.published++
}

// PostSystemMessage implements actor.Mailbox.
func (m *mailbox) PostSystemMessage(message any) {
	m.strand.post(post{to: m, message: message, system: true})
}

// Start implements actor.Mailbox.
func (m *mailbox) Start() {}

// UserMessageCount implements actor.Mailbox. It serves Proto.Actor's metrics
// only, which are off.
func (m *mailbox) UserMessageCount() int { return 0 }

// fanout is one message for many actors of a strand: a turn for a router's
// participants. Handed to the strand as one post, it is delivered to each of
// them in order.
type fanout struct {
	// to are the mailboxes of the shard's participants.
	to []mailbox
	// skip are the participants, in the same order; those that are absent are left out.
	skip []participant
	// first and end bound whom of them the turn is for, end excluded.
	first, end int
	message    *frame
}

// multicast posts a fanout. Only an actor of the strand may call it.
func (s *strand) multicast(f *fanout) { s.local.push(post{message: f}) }

// deliver hands the message to each actor.
func (f *fanout) deliver(s *strand) {
	for i := f.first; i < f.end; i++ {
		if f.skip[i].absent {
			continue
		}
		s.current.to = &f.to[i]
		f.to[i].invoker.InvokeUserMessage(f.message)
	}
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
		return // it has failed; all it can still do is to end
	}
	m.invoker.InvokeUserMessage(p.message)
}

// takePublished returns how many participants published since it was last
// called, by the router that owns the mailbox.
func (m *mailbox) takePublished() int {
	n := m.published
	m.published = 0
	return int(n)
}
