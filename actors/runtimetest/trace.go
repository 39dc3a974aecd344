package runtimetest

import (
	"cmp"
	"fmt"
	"slices"

	"starling/actors/algorithm"
	"starling/messages"
)

// Trace keeps the state in which every turn of a run left its machine.
type Trace struct {
	labels []int     // by machine
	turns  [][]trail // by machine, in the order of its turns
}

// trail is the state after a turn.
type trail struct {
	step, hop int
	state     []messages.Field
}

// Watch returns a runtime that plays a run as another does and keeps its trace.
// A trace is of one run.
func (tr *Trace) Watch(runtime func(*algorithm.Run) error) func(*algorithm.Run) error {
	return func(run *algorithm.Run) error {
		tr.turns, tr.labels = make([][]trail, len(run.Machines)), make([]int, len(run.Machines))
		for i, m := range run.Machines {
			tr.labels[i] = run.Label(messages.NodeID(i))
			run.Machines[i] = watch(m, &tr.turns[i])
		}
		return runtime(run)
	}
}

// Difference says where the trace first differs from the one wanted: node, turn,
// field, index and both values; "" if no turn that both have left another state.
func (tr *Trace) Difference(want *Trace) string {
	type part struct {
		trail
		label int
		text  string
	}
	var parts []part
	for i := range min(len(tr.turns), len(want.turns)) {
		wanted := map[[2]int][]messages.Field{}
		for _, w := range want.turns[i] {
			wanted[[2]int{w.step, w.hop}] = w.state
		}
		for _, turn := range tr.turns[i] {
			state, ok := wanted[[2]int{turn.step, turn.hop}]
			if d := messages.Difference(state, turn.state); ok && d != "" {
				parts = append(parts, part{turn, tr.labels[i], d})
				break
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	p := slices.MinFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.hop, b.hop), cmp.Compare(a.label, b.label))
	})
	return fmt.Sprintf("node %d, step %d, hop %d: %s", p.label, p.step, p.hop, p.text)
}

// watched is a machine that has its states kept.
type watched struct {
	algorithm.Machine
	turns *[]trail
}

// watch keeps the states of a machine; a folder stays one, for runtimes treat folders in
// their own way.
func watch(m algorithm.Machine, turns *[]trail) algorithm.Machine {
	w := watched{m, turns}
	if f, ok := m.(algorithm.Folder); ok {
		return watchedFolder{w, f}
	}
	return w
}

// Step implements algorithm.Machine.
func (w watched) Step(t *algorithm.Turn) error {
	err := w.Machine.Step(t)
	*w.turns = append(*w.turns, trail{t.Step, t.Hop, messages.Fields(w.Machine)})
	return err
}

// watchedFolder is watched for a folder.
type watchedFolder struct {
	watched
	folder algorithm.Folder
}

// FoldLength implements algorithm.Folder.
func (w watchedFolder) FoldLength() int { return w.folder.FoldLength() }

// Fold implements algorithm.Folder.
func (w watchedFolder) Fold(sum []float64, e *messages.Envelope) { w.folder.Fold(sum, e) }

// Replace returns a machine in place of another, watched if that one is.
func Replace(old, by algorithm.Machine) algorithm.Machine {
	switch w := old.(type) {
	case watched:
		return watch(by, w.turns)
	case watchedFolder:
		return watch(by, w.turns)
	}
	return by
}
