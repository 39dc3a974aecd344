package lockstep

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// Watcher follows one node through a run.
type Watcher struct {
	Node messages.NodeID
	// Visit is called after each turn that the node has. What it is given is
	// valid only during the call. An error ends the run and is what it
	// returns.
	Visit func(*Watched) error
}

// Watched is a turn of the node that is watched.
type Watched struct {
	Turn, Step, Hop int
	Machine         algorithm.Machine
	Stopped         bool                // the machine has ended its part
	Inbox           []messages.Envelope // also for a folder, which has its blocks instead
	Graph           *topology.Graph     // under which Outbox is sent
	Outbox          *messages.Outbox
}

// watched describes the turn that the watched node has just had.
func (l *loop) watched(clock *algorithm.Clock, machine algorithm.Machine, outbox *messages.Outbox) *Watched {
	node := l.watcher.Node
	return &Watched{
		Turn: clock.Turn, Step: clock.Step, Hop: clock.Hop,
		Machine: machine, Stopped: l.stopped[node],
		Inbox: l.receive(nil, node, clock.Turn),
		Graph: l.graphAt(clock.Offset), Outbox: outbox,
	}
}
