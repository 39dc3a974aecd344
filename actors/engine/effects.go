package engine

import (
	"starling/actors/algorithm"
	"starling/actors/network"
	"starling/messages"
)

// The part of a router that serves networks with effects: messages come from several turns,
// and nodes are down. A router that starts a turn has waited, in the turn after each of those,
// for all shards that sent to it then, so that late messages are there without any more
// waiting.

// remember keeps the graph of a turn for as long as its messages can arrive.
func (r *router) remember(turn int, graph turnGraph) {
	r.past[turn%len(r.past)] = graph
	if r.shard == 0 {
		r.run.sentGraphs[turn%len(r.run.sentGraphs)] = graph.graph
	}
}

// keepAway marks the participants that are absent in the turn in progress, empties their
// outboxes, and restarts participants that lost their state.
func (r *router) keepAway() {
	spec, turn := r.run.spec, r.clock.Turn
	for i := range r.participants {
		p := &r.participants[i]
		if p.stopped {
			continue
		}
		// A restart comes before the check for absence: a node that is up again begins in its
		// initial state whether or not it acts in this turn.
		if failure := r.stepper.Restart(spec.Machines[p.node], p.node); failure != nil {
			r.fail(failure)
		}
		if p.absent = !spec.Network.Up(p.node, turn); !p.absent {
			continue
		}
		// The outbox still holds the node's messages from the last use of the row.
		r.frame.outboxes[p.node].Reset()
	}
}

// route puts the messages of a turn to the shard's nodes into their queues: the frame is still
// the frame of the turn of sending.
func (r *router) route(turn int) {
	r.stepper.Route(turn-1, r.run.queues, func(dst []messages.Envelope, node messages.NodeID) []messages.Envelope {
		return network.Inbox(dst, r.frame.graph.graph, node, turn-1, r.frame.outboxes)
	})
}

// close ends the shard's part after the last turn, once its messages are in the queues.
func (r *router) close() {
	r.route(r.clock.Turn)
	r.ended = true
	r.run.host.system.Root.Send(r.run.coordinator, &report{shard: r.shard, finished: r.clock.Turn, ended: true, log: r.told()})
}

// receive collects the messages to a node in the turn in progress, in the memory that the
// router's participants share.
func (r *router) receive(node messages.NodeID) []messages.Envelope {
	turn := r.clock.Turn
	r.inbox = r.inbox[:0]
	if turn == 0 {
		return r.inbox
	}
	if r.run.queues != nil {
		r.inbox = r.run.queues[node].Receive(r.inbox, turn)
		network.Order(r.inbox)
		return r.inbox
	}
	// Without queues nothing is kept for a message on its way: its fate is a pure
	// function, and the outboxes of the turns within reach are looked through again. A
	// message is taken in the first turn in which the node is there after the message is
	// due.
	after := r.stepper.Attendance().Since(node)
	for sent := max(0, turn-1-r.run.reach); sent < turn; sent++ {
		graph, outboxes := r.past[sent%len(r.past)].graph, r.run.outboxes[sent%len(r.run.outboxes)]
		r.inbox = network.Due(r.inbox, r.run.spec.Network, graph, node, sent, outboxes, after, turn)
	}
	network.Order(r.inbox)
	return r.inbox
}

// receiveFor collects the messages to a machine. Folders have their messages folded in their
// own turn: late messages were sent in turns whose blocks are gone.
func (r *router) receiveFor(machine algorithm.Machine, node messages.NodeID) (blocks func() *messages.Blocks) {
	if folder, ok := machine.(algorithm.Folder); ok {
		return func() *messages.Blocks { return r.foldReceived(folder, node) }
	}
	r.receive(node)
	return nil
}

// foldReceived folds the messages to a folder in the turn in progress, nil in the first.
func (r *router) foldReceived(folder algorithm.Folder, node messages.NodeID) *messages.Blocks {
	if r.clock.Turn == 0 {
		return nil
	}
	blocks := r.blocks[node]
	if blocks == nil {
		blocks = messages.NewBlocks(r.run.place.N, folder.FoldLength())
		r.blocks[node] = blocks
	}
	network.Fill(blocks, r.receive(node), folder.Fold)
	return blocks
}
