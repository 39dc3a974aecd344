package topology

import (
	"fmt"

	"starling/messages"
)

// Tiers is a tree of servers above clients, such as a cloud, edge servers and phones. Node 0 is
// the server at the top, nodes 1 .. Clients are the clients, and after them come the servers of
// the levels between, from the top, each level in the order of its clients. An edge goes each way
// between a node and the one above it, of weight 1, and there are no self-loops: the weights are
// not meant for averaging. Level 0 is the top.
type Tiers struct {
	// Fan is, by level from the top, the number of nodes directly below each server: the last
	// number is of clients. At least two numbers, each at least 1.
	Fan []int
}

// Validate reports the first option that is out of range.
func (g Tiers) Validate() error {
	if len(g.Fan) < 2 {
		return fmt.Errorf("%d levels of servers; want at least 2, or a star", len(g.Fan))
	}
	nodes := 1
	for level, n := range g.Fan {
		if err := atLeast(fmt.Sprintf("fan[%d]", level), n, 1); err != nil {
			return err
		}
		if nodes > maxEdges/n {
			return fmt.Errorf("a tree of over %d edges", maxEdges)
		}
		nodes *= n
	}
	if g.Nodes() > maxEdges/2 {
		return fmt.Errorf("a tree of over %d edges", maxEdges)
	}
	return nil
}

// Levels is the number of levels of servers.
func (g Tiers) Levels() int { return len(g.Fan) }

// Clients is the number of clients.
func (g Tiers) Clients() int { return g.size(len(g.Fan)) }

// Nodes is the number of all nodes.
func (g Tiers) Nodes() int {
	_, end := g.Servers(len(g.Fan) - 1)
	return int(end)
}

// size is the number of nodes of a level; the clients are the level after the last of servers.
func (g Tiers) size(level int) int {
	n := 1
	for _, fan := range g.Fan[:level] {
		n *= fan
	}
	return n
}

// Servers returns the nodes of a level of servers, first .. end-1.
func (g Tiers) Servers(level int) (first, end messages.NodeID) {
	if level == 0 {
		return 0, 1
	}
	start := 1 + g.Clients()
	for between := 1; between < level; between++ {
		start += g.size(between)
	}
	return messages.NodeID(start), messages.NodeID(start + g.size(level))
}

// Below returns the nodes directly below the server of a place in its level, from 0: clients, for
// the last level.
func (g Tiers) Below(level, place int) (first, end messages.NodeID) {
	start := messages.NodeID(1) // of the clients
	if level < len(g.Fan)-1 {
		start, _ = g.Servers(level + 1)
	}
	fan := messages.NodeID(g.Fan[level])
	first = start + messages.NodeID(place)*fan
	return first, first + fan
}

// Level returns the level of a node; clients are the level after the last of servers.
func (g Tiers) Level(node messages.NodeID) int {
	switch {
	case node == 0:
		return 0
	case int(node) <= g.Clients():
		return g.Levels()
	}
	level := 1
	for level < g.Levels()-1 {
		if _, end := g.Servers(level); node < end {
			break
		}
		level++
	}
	return level
}

// Parent returns the server directly above the node of a place in its level, from 0. Clients are the
// level after the last of servers; the level is at least 1.
func (g Tiers) Parent(level, place int) messages.NodeID {
	first, _ := g.Servers(level - 1)
	return first + messages.NodeID(place/g.Fan[level-1])
}

// Above returns the servers above a client, from 1: directly above it first, and the top last.
func (g Tiers) Above(client messages.NodeID) []messages.NodeID {
	place := int(client) - 1
	list := make([]messages.NodeID, 0, len(g.Fan))
	for level := len(g.Fan) - 1; level >= 0; level-- {
		place /= g.Fan[level]
		first, _ := g.Servers(level)
		list = append(list, first+messages.NodeID(place))
	}
	return list
}

// Sequence returns the tree at every step.
func (g Tiers) Sequence() (Sequence, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	graph, err := g.from(0)
	if err != nil {
		return nil, err
	}
	return Static(graph), nil
}

// from returns the edges below the servers of a level and of the levels under it.
func (g Tiers) from(highest int) (*Graph, error) {
	var edges []Edge
	for level := highest; level < len(g.Fan); level++ {
		first, end := g.Servers(level)
		for server := first; server < end; server++ {
			below, last := g.Below(level, int(server-first))
			for node := below; node < last; node++ {
				edges = append(edges, Edge{From: server, To: node, Weight: 1}, Edge{From: node, To: server, Weight: 1})
			}
		}
	}
	return FromEdges(g.Nodes(), edges)
}
