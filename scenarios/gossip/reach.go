package gossip

import (
	"slices"

	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/study"
)

// reachWhy describes the view of named nodes where nodes make no release that nobody hears.
const reachWhy = "releases count from which a path of messages, in the order of time, leads to it"

// AccountNamed has the plan of an accumulating arm state the losses to the nodes that its scenario
// names.
func (e *Equals) AccountNamed() {
	if m := &e.File.Measure; m.Observers != nil || m.Pairs {
		e.Coalitions = study.Coalitions{Learns: e.reaching, Why: reachWhy}
	}
}

// reaching returns the losses to named nodes and coalitions in a job of an accumulating arm. A
// release counts if something of it can have reached a member: by a message to the member, or
// by way of other nodes, and of later releases of the node itself, which follow from it.
func (e *Equals) reaching(j *study.Job) ledger.Learns {
	var of ledger.View
	var until []int              // by node: the last step of a release that reaches the view
	var payments [][]paidRelease // by node, of the job
	step := 0
	return func(view ledger.View, unit messages.NodeID, end int) (total accountant.Total, said bool, err error) {
		if view.Members == nil {
			return total, false, nil
		}
		if payments == nil {
			payments = e.payments(j)
		}
		if until == nil || step != end || !slices.Equal(of.Members, view.Members) {
			of, step, until = view, end, reach(j.Graphs, view.Members, end)
		}
		for _, p := range payments[unit] {
			if p.step <= until[unit] {
				total.Add(p.loss)
			}
		}
		return total, true, nil
	}
}

// paidRelease is the loss of a release in a step, from 1.
type paidRelease struct {
	step int
	loss accountant.Loss
}

// payments returns the releases of each node in a job that has run, by step.
func (e *Equals) payments(j *study.Job) [][]paidRelease {
	at, list := e.hearing(j.Graphs, j.Run.Network), make([][]paidRelease, e.File.Nodes)
	for i := range list {
		node := messages.NodeID(i)
		last, _ := j.Meter.LastPaid(node)
		for s := 1; s <= last; s++ {
			if own, moves, ok := at.release(node, s); ok && !moves.None() {
				list[i] = append(list[i], paidRelease{s, own.Loss(moves)})
			}
		}
	}
	return list
}

// reach returns, by node, the last step up to an end, from 1, in which it can send something
// that reaches one of some members by the end; 0 is none. Nodes forget nothing that they hear.
func reach(graphs topology.Sequence, members []messages.NodeID, end int) (last []int) {
	n := graphs.Nodes()
	last = make([]int, n)
	carries := make([]bool, n) // nodes that pass on to a member what they hear in the step
	for _, member := range members {
		carries[member] = true
	}
	var found []messages.NodeID
	for s := end; s >= 1; s-- {
		graph := graphs.At(s - 1)
		found = found[:0]
		for i := range messages.NodeID(n) {
			if last[i] == 0 && slices.ContainsFunc(graph.Out(i), func(to messages.NodeID) bool { return to != i && carries[to] }) {
				found = append(found, i)
			}
		}
		for _, i := range found {
			last[i], carries[i] = s, true
		}
	}
	return last
}
