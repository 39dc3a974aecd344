package engine

import (
	"github.com/asynkron/protoactor-go/actor"

	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/messages"
)

// participant is the actor of one machine. It lives on its router's strand and
// works with the router's stepper, which is why both are used by one worker at
// a time.
type participant struct {
	mailbox
	router *router
	node   messages.NodeID
	// stopped is set for good once the machine has ended its part.
	stopped bool
	// absent means that the participant has no turn now: it has stopped, or is down in the
	// turn in progress.
	absent bool
}

// frame is one turn as a router hands it to its participants: the messages of the turn before,
// and the outboxes for messages of this turn. A router reuses its frame when all have
// published.
type frame struct {
	// graph is the graph of the turn: its messages go along its edges, from senders to
	// readers, and so between the shards of links.
	graph turnGraph
	links *shardLinks
	exchange
	// folding means that a folder reads the messages of this turn, where folders' messages are
	// summed beside the senders.
	folding bool
	// sent is the turn before, -1 in the first; sentGraph and sentBoxes are its graph and
	// outboxes, by node, sentLinks its links and sentBy its senders. The outboxes of others
	// are not read: their shards may be at other turns.
	sent      int
	sentGraph turnGraph
	sentLinks *shardLinks
	sentBoxes []messages.Outbox
	sentBy    algorithm.Range
	// outboxes is the row of the table for this turn, by node. A participant writes its
	// own entry.
	outboxes []messages.Outbox
}

// inbox appends to dst the messages to a node of the turn before.
func (f *frame) inbox(dst []messages.Envelope, node messages.NodeID) []messages.Envelope {
	if by := f.sentBy; by.First > 0 || int(by.End) < len(f.sentBoxes) {
		return network.InboxFrom(dst, by.First, max(by.First, by.End), f.sentGraph.graph, node, f.sent, f.sentBoxes)
	}
	return network.Inbox(dst, f.sentGraph.graph, node, f.sent, f.sentBoxes)
}

// Receive implements actor.Actor. Turns come by fanout.deliver. Only the messages of the
// actor's life cycle come here, and they are ignored.
func (p *participant) Receive(actor.Context) {}

// take gives the machine its turn. Three ways lead to an inbox: a network with effects
// collects due messages, a folder gets sums, and any other machine gets the envelopes of the
// turn before, in memory that all participants of the shard share. A summer needs no inbox
// where all messages to the shard are plain.
func (p *participant) take(f *frame) {
	r, machine := p.router, p.router.run.spec.Machines[p.node]
	view, outbox := f.graph.graph.View(p.node), &f.outboxes[p.node]
	outbox.Reset()
	r.inbox = r.inbox[:0]
	var blocks func() *messages.Blocks
	if r.run.effects {
		blocks = r.receiveFor(machine, p.node)
	} else if fold := r.run.foldOf(p.node); fold != nil {
		blocks = func() *messages.Blocks { return r.sums(fold) }
	} else if f.sent >= 0 && !r.heard {
		r.inbox = f.inbox(r.inbox, p.node)
	}
	r.lanes.Step(machine, view, r.inbox, blocks, outbox)
}

// published takes up the outcome of a participant's turn: it has published its outbox, or its
// failure if it has failed.
func (r *router) published(node messages.NodeID, stopped bool, failure *algorithm.Failure) {
	if stopped {
		p := &r.participants[r.run.place.Nodes[r.shard].Below(node)]
		p.stopped, p.absent = true, true
		r.run.stopped[node] = true
		r.stopped++
	}
	if failure != nil {
		r.fail(failure)
	} else if r.frame.folding && !r.run.spec.Together() {
		r.foldSent(node)
	}
}
