package networks

import (
	"starling/actors/algorithm"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Attackers are the nodes of an arm that lie; nil means none.
type Attackers struct {
	Kind   string
	Nodes  []int            // from 1, ascending; at least one, and not all
	Attack algorithm.Attack // nil for nodes that send nothing
}

// SilentAttack reports whether there are nodes that send nothing.
func (l *Attackers) Silent() bool { return l != nil && l.Attack == nil }

// Knows reports whether lies depend on the messages of honest nodes in the same turn.
func (l *Attackers) Knows() bool { return l != nil && l.Attack != nil && l.Attack.Knows() }

// Draw returns the liars among so many nodes: the nodes that the plan names, or Count nodes
// drawn from a seed. They are fewer than all nodes.
func (p *AttackPlan) Draw(nodes int, seed uint64) *Attackers {
	liars := &Attackers{Kind: p.Kind, Nodes: p.Nodes, Attack: p.Attack}
	if liars.Nodes == nil {
		var stream rng.Stream
		drawn := rng.Sample[int](stream.Open(rng.NewKey(seed, rng.PurposeOf("adversaries")), nodes, p.Count, 0), nodes, p.Count)
		for _, node := range drawn {
			liars.Nodes = append(liars.Nodes, node+1)
		}
	}
	return liars
}

// Count returns the number of liars.
func (l *Attackers) Count() int {
	if l == nil {
		return 0
	}
	return len(l.Nodes)
}

// IDs returns the ids of the liars, where first is the id of the first node.
func (l *Attackers) IDs(first messages.NodeID) (list []messages.NodeID) {
	if l == nil {
		return nil
	}
	for _, node := range l.Nodes {
		list = append(list, first+messages.NodeID(node-1))
	}
	return list
}

// Others turns numbers of nodes that do not lie, counted from 0 and ascending, into nodes,
// in place.
func (l *Attackers) Others(list []messages.NodeID) []messages.NodeID {
	liars, before := l.IDs(0), 0
	for i, k := range list {
		for before < len(liars) && liars[before] <= k+messages.NodeID(before) {
			before++
		}
		list[i] = k + messages.NodeID(before)
	}
	return list
}

// Run returns the liars as a run takes them. first is the id of the first node. clear is the
// number of entries at the end of every vector that stay true, such as the mass of push-sum.
func (l *Attackers) Run(first messages.NodeID, clear int) *algorithm.Adversaries {
	if l == nil {
		return nil
	}
	liars := &algorithm.Adversaries{Attack: l.Attack, Clear: clear}
	for _, node := range l.IDs(first) {
		liars.Liars.Add(node)
	}
	return liars
}
