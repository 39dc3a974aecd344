package lockstep

import (
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// Watcher follows one node through a run, or several.
type Watcher struct {
	// Node is the first node to follow. Visit gets the node of each turn.
	Node messages.NodeID
	// Others are followed beside Node, from the same run.
	Others []messages.NodeID
	// From is the first step of the turns that are shown, by the paper's number; 0 shows all.
	From int
	// Visit is called after each turn that such a node has. Its argument is valid only during
	// the call. An error ends the run, which returns it.
	Visit func(*Watched) error
}

// Watched is a turn of the node that is watched.
type Watched struct {
	// Node is the node that had the turn.
	Node messages.NodeID
	// Turn counts over the whole run; Step and Hop are the paper's time and the exchange
	// within it.
	Turn, Step, Hop int
	// Machine is the node's own, after the turn. It must only be read.
	Machine algorithm.Machine
	// Stopped means that the machine has ended its part in this turn.
	Stopped bool
	// Inbox holds the messages that the node received. A folder's is listed too, although the
	// machine saw only the sums.
	Inbox []messages.Envelope
	// Before is the graph of the turn before, by which an ideal network delivered the
	// inbox; nil in the first turn.
	Before *topology.Graph
	// Graph is the graph of the turn, under which Outbox is sent.
	Graph *topology.Graph
	// Outbox holds the messages that the machine sent.
	Outbox *messages.Outbox
}

// follows reports whether the turns of a node in a step are watched.
func (w *Watcher) follows(node messages.NodeID, step int) bool {
	return step >= w.From && (w.Node == node || slices.Contains(w.Others, node))
}

// watched describes the turn that a watched node has just had.
func (l *loop) watched(clock *algorithm.Clock, node messages.NodeID, machine algorithm.Machine, outbox *messages.Outbox) *Watched {
	return &Watched{
		Node: node, Turn: clock.Turn, Step: clock.Step, Hop: clock.Hop,
		Machine: machine, Stopped: l.stopped[node],
		Inbox:  l.receive(nil, node, clock.Turn),
		Before: l.lastGraph, Graph: l.graph, Outbox: outbox,
	}
}
