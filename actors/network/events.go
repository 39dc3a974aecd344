package network

import (
	"fmt"
	"math"
	"slices"

	"starling/messages"
)

// Forever is the end of an interval that has none.
const Forever = math.MaxInt

// Interval is the turns First .. End-1.
type Interval struct{ First, End int }

func (i Interval) has(turn int) bool { return i.First <= turn && turn < i.End }

func (i Interval) validate() error {
	if i.First < 0 || i.End <= i.First {
		return fmt.Errorf("turns %d .. %d, want an interval that begins at 0 or later and is not empty", i.First, i.End)
	}
	return nil
}

// Outage is a time in which nodes are down: they take no turn and send nothing. One that
// begins with turn 0 is a late joining, one that ends Forever a leaving. A message that a node
// sent before it goes down still arrives.
type Outage struct {
	// Nodes are the nodes that are down during the interval.
	Nodes []messages.NodeID
	Interval
	// Forget means that the nodes lose their state and begin again in their initial state.
	Forget bool
}

// Churn takes nodes down at random: one that is up goes down with probability
// Fail a turn, one that is down comes up with probability Recover, each node on
// its own. In turn 0 all are up. In turn t a node is down with probability
//
//	Fail/(Fail+Recover) (1 - (1-Fail-Recover)^t)
type Churn struct {
	// Fail and Recover are probabilities a turn. In the long run a share of
	// Fail/(Fail+Recover) of the nodes is down, for 1/Recover turns in the mean.
	Fail, Recover float64
	// Nodes are the nodes that it takes down; nil is all.
	Nodes []messages.NodeID
	// Forget means, as in Outage, that nodes begin again in their initial state.
	Forget bool
}

// Partition is a time in which nodes of different groups cannot reach each other: messages
// between them are lost. Messages sent before still arrive.
type Partition struct {
	// Groups are disjoint lists of nodes. Nodes in none of them make one more group.
	Groups [][]messages.NodeID
	Interval
}

// Straggling is a time in which messages of nodes come late, by so many turns in addition to
// the delay of the edge. Of several at once the longest counts.
type Straggling struct {
	// Nodes are the senders that are late.
	Nodes []messages.NodeID
	Interval
	// Turns is the extra delay in turns, 0 to MostTurns.
	Turns int
}

// checkNodes refuses a list with a node that does not exist.
func checkNodes(list []messages.NodeID, nodes int) error {
	for _, node := range list {
		if err := checkNode(node, nodes); err != nil {
			return err
		}
	}
	return nil
}

// parted is a partition by node: the group of each, 0 for those in none.
type parted struct {
	Interval
	group []int32
}

func newParted(p *Partition, nodes int) parted {
	q := parted{Interval: p.Interval, group: make([]int32, nodes)}
	for g, list := range p.Groups {
		for _, node := range list {
			q.group[node] = int32(g) + 1
		}
	}
	return q
}

func (p *Partition) validate(nodes int) error {
	if err := p.Interval.validate(); err != nil {
		return err
	}
	var all []messages.NodeID
	for _, list := range p.Groups {
		if err := checkNodes(list, nodes); err != nil {
			return err
		}
		all = append(all, list...)
	}
	slices.Sort(all)
	for k := 1; k < len(all); k++ {
		if all[k] == all[k-1] {
			return fmt.Errorf("node %d, counted from 0, is given twice", all[k])
		}
	}
	return nil
}

// byNode lists events by the nodes that they concern, nil where there are none.
func byNode[T any](events []T, nodes int, concerned func(*T) []messages.NodeID) [][]*T {
	if len(events) == 0 {
		return nil
	}
	lists := make([][]*T, nodes)
	for k := range events {
		for _, node := range concerned(&events[k]) {
			lists[node] = append(lists[node], &events[k])
		}
	}
	return lists
}
