package runtimetest

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
	"starling/messages/compression"
)

// Scenario describes a run of mixers. It is data, so that the same run can be
// made anew for every runtime and setting.
type Scenario struct {
	// Steps may be 0: a run without a turn must end too.
	Nodes, Steps, FirstStep int
	Seed                    uint64
	Graphs                  topology.Sequence
	// Hops are the hops of the steps, again and again; nil is one each.
	Hops []int
	// Acts are the nodes that have a turn in the hops, again and again over the hops of all
	// steps (hop h of offset o is at o + h); nil is all.
	Acts []Range
	// Beside names by node the node that it belongs beside; nil is none.
	Beside []messages.NodeID
	// Stops is after how many turns each node stops, 0 or absent for never.
	Stops map[messages.NodeID]int
	// Gatherers are the nodes that have the runtime fold their messages.
	Gatherers map[messages.NodeID]bool
	// Fail is asked in every turn of a node; nil never fails.
	Fail func(messages.NodeID, *algorithm.Turn) error
	// Network is nil where it is ideal.
	Network algorithm.Network
	// Wire is nil where messages stay as they are.
	Wire *algorithm.Encoding
}

// Range is the nodes First .. End-1.
type Range struct{ First, End messages.NodeID }

func (s *Scenario) acts(offset, hop int) (first, end messages.NodeID) {
	r := s.Acts[(offset+hop)%len(s.Acts)]
	return r.First, r.End
}

// reads reports whether a node has a turn after the turn of a step and hop.
func (s *Scenario) reads(to messages.NodeID, offset, hop int) bool {
	if hop++; len(s.Hops) == 0 || hop >= s.Hops[offset%len(s.Hops)] {
		offset, hop = offset+1, 0
	}
	first, end := s.acts(offset, hop)
	return offset >= s.Steps || first <= to && to < end
}

// Run makes the scenario's run, with fresh machines and a fresh meter.
func (s *Scenario) Run() (*algorithm.Run, *Meter) {
	meter := NewMeter(s.Nodes)
	machines := make([]algorithm.Machine, s.Nodes)
	for i := range machines {
		node := messages.NodeID(i)
		m := Mixer{Node: node, LastTurn: s.Stops[node]}
		if s.Fail != nil {
			m.Fail = func(t *algorithm.Turn) error { return s.Fail(node, t) }
		}
		if s.Acts != nil {
			m.Reads = func(to messages.NodeID, t *algorithm.Turn) bool { return s.reads(to, t.Step-s.FirstStep, t.Hop) }
		}
		if s.Gatherers[node] {
			machines[i] = &Gatherer{m}
		} else {
			machines[i] = &m
		}
	}
	run := &algorithm.Run{
		Seed: s.Seed, FirstStep: s.FirstStep, Steps: s.Steps, FirstLabel: 1,
		Graphs: s.Graphs, Machines: machines, Costs: bowls{}, Meter: meter,
	}
	run.Network, run.Wire = s.Network, s.Wire
	if s.Acts != nil {
		run.Acts = s.acts
	}
	if s.Beside != nil {
		run.Beside = func(node messages.NodeID) messages.NodeID { return s.Beside[node] }
	}
	if s.Hops != nil {
		run.Hops = func(offset int) int { return s.Hops[offset%len(s.Hops)] }
	}
	return run, meter
}

// Outcome is the result of a run, which must not depend on how it was executed.
type Outcome struct {
	// States are by node; Books, Traffic and Fates are the meter's.
	States  [][]messages.Field
	Books   [][]string
	Traffic map[int][2]int64
	Fates   map[int]algorithm.Fates
	// Failure is "" where there was none.
	Failure string // "" where there was none

	again func(*Trace) // makes the run again, under a trace; nil if that cannot be done
}

// Execute makes the scenario's run, hands it to a runtime and returns its outcome. Where the
// run failed the outcome is the failure alone: how far the other nodes came is not settled.
func (s *Scenario) Execute(runtime func(*algorithm.Run) error) Outcome {
	again := func(trace *Trace) {
		run, _ := s.Run()
		_ = trace.Watch(runtime)(run) // the error is ignored: the trace shows the last turn that was reached
	}
	run, meter := s.Run()
	if err := runtime(run); err != nil {
		if f, ok := err.(*algorithm.Failure); ok {
			return Outcome{Failure: fmt.Sprintf("turn %d, step %d, hop %d, node %d, label %d: %v", f.Turn, f.Step, f.Hop, f.Node, f.Label, err)}
		}
		return Outcome{Failure: err.Error()}
	}
	return Left(run, meter, again)
}

// Left returns the outcome of a run that is over. again makes the same run once more, under a
// trace, for Diff to find where two runs part; without it Diff cannot.
func Left(run *algorithm.Run, meter *Meter, again func(*Trace)) Outcome {
	o := Outcome{Books: meter.Books, Traffic: meter.Traffic(), Fates: meter.AllFates(), again: again}
	for _, m := range run.Machines {
		o.States = append(o.States, messages.Fields(m))
	}
	return o
}

// Diff returns how two outcomes differ, "" if they do not: first where the states
// of their machines do, then the rest.
func Diff(want, got Outcome) string {
	again := [2]func(*Trace){want.again, got.again}
	want.again, got.again = nil, nil
	if reflect.DeepEqual(want, got) { // much quicker than cmp, and the usual case
		return ""
	}
	states := firstDifference(want.States, got.States, again)
	want.States, got.States = nil, nil
	return states + cmp.Diff(want, got, cmpopts.IgnoreUnexported(Outcome{}))
}

// firstDifference says where the states of two runs first differ: it makes both
// again for the turn.
func firstDifference(want, got [][]messages.Field, again [2]func(*Trace)) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	if again[0] != nil && again[1] != nil {
		first, second := traced(again[0]), traced(again[1])
		if d := second.Difference(first); d != "" {
			return d + "\n"
		}
	}
	for i := range min(len(want), len(got)) {
		if d := messages.Difference(want[i], got[i]); d != "" {
			return fmt.Sprintf("machine %d, at the end: %s\n", i, d)
		}
	}
	return fmt.Sprintf("states of %d machines, want %d\n", len(got), len(want))
}

// traced makes a run again under a trace. A panic then, as of a runtime that looks for its own
// machines, leaves the trace short.
func traced(again func(*Trace)) (trace *Trace) {
	trace = &Trace{}
	defer func() { _ = recover() }()
	again(trace)
	return trace
}

// Graphs returns sequences on n nodes, by name, one of every sort that a
// runtime may treat in a way of its own: connected and not, of a short period,
// of one too long to keep, redrawn without end.
func Graphs(n int) map[string]topology.Sequence {
	sequences := map[string]topology.Sequence{
		"edgeless":    topology.Static(must(topology.FromEdges(n, nil))),
		"self-loops":  topology.Static(digraph(n, 0, func(from, to int) bool { return from == to })),
		"complete":    topology.Static(digraph(n, 0, func(_, _ int) bool { return true })),
		"one way":     topology.Static(digraph(n, 0, func(from, to int) bool { return to == from+1 })),
		"two halves":  topology.Static(digraph(n, 0, func(from, to int) bool { return (from < n/2) == (to < n/2) })),
		"period of 3": periodic(n, 3),
		"long period": periodic(n, 70),
		// Node 1 hears the thirds of the nodes in turn; no other node hears anything.
		"thirds in turn": must(topology.NewPeriodic(third(n, 0), third(n, 1), third(n, 2))),
	}
	if n >= 2 {
		sequences["star"] = must(topology.Star{Leaves: n - 1}.Sequence())
		sequences["redrawn every step"] = must(topology.Permutations{Nodes: n, Degree: min(3, n-1), Every: 1, Seed: 5}.Sequence())
		sequences["redrawn every third step"] = must(topology.Permutations{Nodes: n, Degree: min(2, n-1), Every: 3, Seed: 5}.Sequence())
	}
	return sequences
}

func third(n, p int) *topology.Graph {
	return digraph(n, p, func(from, to int) bool { return to == 0 && 3*from/n == p })
}

// periodic returns sparse digraphs that take turns, each with edges of its own.
func periodic(n, period int) topology.Sequence {
	graphs := make([]*topology.Graph, period)
	for p := range graphs {
		graphs[p] = digraph(n, p, func(from, to int) bool { return (from*from+3*to+p)%5 == 0 || (from+p)%n == to })
	}
	return must(topology.NewPeriodic(graphs...))
}

// digraph returns the graph of a relation, with weights that differ between its edges and from
// other graphs.
func digraph(n, salt int, edge func(from, to int) bool) *topology.Graph {
	var edges []topology.Edge
	for from := range n {
		for to := range n {
			if edge(from, to) {
				edges = append(edges, topology.Edge{From: messages.NodeID(from), To: messages.NodeID(to), Weight: 1 / float64(1+len(edges)+salt)})
			}
		}
	}
	return must(topology.FromEdges(n, edges))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// DrawScenario draws a run of at most the given numbers of nodes and steps.
func DrawScenario(t *rapid.T, nodes, steps int) *Scenario {
	s := &Scenario{
		Nodes:     rapid.IntRange(1, nodes).Draw(t, "nodes"),
		Steps:     rapid.IntRange(0, steps).Draw(t, "steps"),
		FirstStep: rapid.IntRange(0, 1).Draw(t, "first step"),
		Seed:      rapid.Uint64().Draw(t, "seed"),
		Hops:      rapid.SliceOfN(rapid.IntRange(1, 3), 1, 4).Draw(t, "hops"),
		Stops:     map[messages.NodeID]int{},
		Gatherers: map[messages.NodeID]bool{},
	}
	s.Graphs = drawGraphs(t, s.Nodes)
	for i := range s.Nodes {
		if rapid.IntRange(0, 3).Draw(t, "stops") == 0 {
			s.Stops[messages.NodeID(i)] = rapid.IntRange(1, steps).Draw(t, "last turn")
		}
	}
	if rapid.Bool().Draw(t, "some act") {
		for range rapid.IntRange(1, 3).Draw(t, "ranges") {
			first := rapid.IntRange(0, s.Nodes).Draw(t, "first") // possibly none
			end := rapid.IntRange(first, s.Nodes).Draw(t, "end")
			s.Acts = append(s.Acts, Range{messages.NodeID(first), messages.NodeID(end)})
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "gatherers") {
		s.Gatherers[messages.NodeID(rapid.IntRange(0, s.Nodes-1).Draw(t, "gatherer"))] = true
	}
	if rapid.Bool().Draw(t, "some belong beside others") {
		s.Beside = DrawBeside(t, s.Nodes)
	}
	if rapid.IntRange(0, 1).Draw(t, "encoded") == 0 {
		s.Wire = drawWire(t)
	}
	return s
}

// drawWire draws how vectors cross wires: rounded, compressed, or both.
func drawWire(t *rapid.T) *algorithm.Encoding {
	codec := rapid.SampledFrom([]compression.Codec{
		nil, nil, compression.TopK{Share: 0.5}, compression.RandomK{Share: 0.3, Unbiased: true}, compression.Dithering{Levels: 7}, compression.Sign{},
	}).Draw(t, "codec")
	return &algorithm.Encoding{
		Float32: codec == nil || rapid.Bool().Draw(t, "float32"), Codec: codec,
		Local: func(from, to messages.NodeID) bool { return from+1 == to },
	}
}

// DrawBeside draws for each of so many nodes the node that it belongs beside.
func DrawBeside(t *rapid.T, nodes int) []messages.NodeID {
	beside := make([]messages.NodeID, nodes)
	for i := range beside {
		beside[i] = messages.NodeID(i)
		if at := messages.NodeID(rapid.IntRange(0, i).Draw(t, "beside")); beside[at] == at && rapid.Bool().Draw(t, "belongs") {
			beside[i] = at
		}
	}
	return beside
}

func drawGraphs(t *rapid.T, n int) topology.Sequence {
	kind := rapid.IntRange(0, 3).Draw(t, "graphs")
	switch {
	case kind == 0 && n >= 2:
		return must(topology.Star{Leaves: n - 1}.Sequence())
	case kind == 1 && n >= 2:
		return must(topology.Permutations{
			Nodes: n, Degree: rapid.IntRange(1, min(6, n-1)).Draw(t, "degree"),
			Every: rapid.IntRange(1, 4).Draw(t, "every"), Seed: rapid.Uint64().Draw(t, "graph seed"),
		}.Sequence())
	}
	graphs := make([]*topology.Graph, rapid.SampledFrom([]int{1, 2, 3, 65}).Draw(t, "period"))
	for p := range graphs { // three of them drawn, so that drawing stays quick
		if p < 3 {
			graphs[p] = drawDigraph(t, n, p)
		} else {
			graphs[p] = graphs[p%3]
		}
	}
	return must(topology.NewPeriodic(graphs...))
}

func drawDigraph(t *rapid.T, n, salt int) *topology.Graph {
	present := map[[2]int]bool{}
	for range rapid.IntRange(0, 4*n).Draw(t, "edges") {
		present[[2]int{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")}] = true
	}
	return digraph(n, salt, func(from, to int) bool { return present[[2]int{from, to}] })
}

// Snapshot is the state of a run at a pause.
type Snapshot struct {
	state []byte
	meter *Meter
}

// Pause has a run pause after every so many steps, and append a snapshot to the list at each
// pause.
func Pause(run *algorithm.Run, meter *Meter, every int, list *[]Snapshot) {
	run.Pauses = algorithm.Pauses{Every: every, Save: func(state *algorithm.State) error {
		*list = append(*list, Snapshot{messages.Write(nil, run.At(state)), meter.Clone()})
		return nil
	}}
}

// Restore has a run that has not begun, and its meter, go on from the pause.
func (s Snapshot) Restore(run *algorithm.Run, meter *Meter) error {
	meter.Set(s.meter)
	return messages.Read(s.state, run.At(nil))
}

// ExecuteWithPauses is Execute with a pause after every so many steps. It returns a snapshot
// of the run at each.
func (s *Scenario) ExecuteWithPauses(every int, runtime func(*algorithm.Run) error) (Outcome, []Snapshot) {
	var list []Snapshot
	o := s.Execute(func(run *algorithm.Run) error {
		Pause(run, run.Meter.(*Meter), every, &list)
		return runtime(run)
	})
	return o, list
}

// ExecuteFrom is Execute from a pause on.
func (s *Scenario) ExecuteFrom(at Snapshot, runtime func(*algorithm.Run) error) Outcome {
	return s.Execute(func(run *algorithm.Run) error {
		if err := at.Restore(run, run.Meter.(*Meter)); err != nil {
			return err
		}
		return runtime(run)
	})
}

// Difference describes the difference of two snapshots; "" if there is none.
func (s Snapshot) Difference(other Snapshot) string {
	if !bytes.Equal(s.state, other.state) {
		return fmt.Sprintf("states of %d and %d bytes", len(s.state), len(other.state))
	}
	return cmp.Diff(other.meter, s.meter, cmp.AllowUnexported(Meter{}), cmpopts.IgnoreFields(Meter{}, "mu"))
}
