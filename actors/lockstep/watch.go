package lockstep

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// Watcher follows one node through a run, or a few.
type Watcher struct {
	Node   messages.NodeID
	Others []messages.NodeID // followed beside Node
	// Visit is called after each turn that such a node has. What it is given is
	// valid only during the call. An error ends the run and is what it
	// returns.
	Visit func(*Watched) error
}

// Watched is a turn of the node that is watched.
type Watched struct {
	Node            messages.NodeID
	Turn, Step, Hop int
	Machine         algorithm.Machine
	Stopped         bool                // the machine has ended its part
	Inbox           []messages.Envelope // also for a folder, which has its blocks instead
	Before          *topology.Graph     // of the turn before; nil in the first
	Graph           *topology.Graph     // under which Outbox is sent
	Outbox          *messages.Outbox
}

// follows tells whether a node is watched.
func (w *Watcher) follows(node messages.NodeID) bool {
	return w.Node == node || slices.Contains(w.Others, node)
}

// watched describes the turn that a watched node has just had.
func (l *loop) watched(clock *algorithm.Clock, node messages.NodeID, machine algorithm.Machine, outbox *messages.Outbox) *Watched {
	return &Watched{
		Node: node, Turn: clock.Turn, Step: clock.Step, Hop: clock.Hop,
		Machine: machine, Stopped: l.stopped[node],
		Inbox:  l.receive(nil, node, clock.Turn),
		Before: l.lastGraph, Graph: l.graphAt(clock.Offset), Outbox: outbox,
	}
}
