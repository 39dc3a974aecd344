package lockstep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/messages"
)

func run(r *algorithm.Run) error { return lockstep.Run(context.Background(), r) }

// script is a machine that is a function.
type script func(*algorithm.Turn) error

func (s script) Step(t *algorithm.Turn) error { return s(t) }
func (script) State(*messages.Codec)          {}

func mustGraph(t testing.TB, n int, edges ...topology.Edge) *topology.Graph {
	t.Helper()
	graph, err := topology.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

// The reference itself, turn by turn against what was worked out by hand: two
// nodes, a graph that turns round every step. What is sent in a turn arrives in
// the next, by the edges and with the weights of the turn of sending.
func TestTranscript(t *testing.T) {
	there := mustGraph(t, 2, topology.Edge{From: 0, To: 1, Weight: 0.25}, topology.Edge{From: 0, To: 0, Weight: 0.5})
	back := mustGraph(t, 2, topology.Edge{From: 1, To: 0, Weight: 0.75})
	graphs, err := topology.NewPeriodic(there, back)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	machine := script(func(turn *algorithm.Turn) error {
		line := fmt.Sprintf("step %d hop %d node %d:", turn.Step, turn.Hop, turn.View.Self()+1)
		for _, e := range turn.Inbox {
			line += fmt.Sprintf(" %v*%v from %d of turn %d", e.Weight, e.Payload.(*messages.Vector).Values, e.From+1, e.Sent)
		}
		got = append(got, line)
		if turn.Step == 3 && turn.View.Self() == 0 {
			turn.Stop("enough")
		}
		v := turn.Vector(1)
		v.Values[0] = float64(10*turn.Step + int(turn.View.Self()) + 1)
		return turn.BroadcastRaw(v)
	})
	spec := &algorithm.Run{
		FirstStep: 1, Steps: 4, FirstLabel: 1, Graphs: graphs, Meter: runtimetest.Silent{},
		Machines: []algorithm.Machine{machine, machine},
		Hops:     func(offset int) int { return 1 + offset%2 },
	}
	if err := run(spec); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"step 1 hop 0 node 1:",
		"step 1 hop 0 node 2:",
		"step 2 hop 0 node 1: 0.5*[11] from 1 of turn 0",
		"step 2 hop 0 node 2: 0.25*[11] from 1 of turn 0",
		"step 2 hop 1 node 1: 0.75*[22] from 2 of turn 1",
		"step 2 hop 1 node 2:",
		"step 3 hop 0 node 1: 0.75*[22] from 2 of turn 2",
		"step 3 hop 0 node 2:",
		// Node 1 has stopped; its last message still arrives.
		"step 4 hop 0 node 2: 0.25*[31] from 1 of turn 3",
		"step 4 hop 1 node 2:",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// The same loop written without any of the runtime's parts but the stepper:
// messages are kept per receiver from the moment they are sent. Both must leave
// the same.
func TestAgreesWithAnEagerLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := runtimetest.DrawScenario(t, 12, 12)
		if rapid.Bool().Draw(t, "effects") {
			s.Network = runtimetest.DrawNetwork(t, s.Nodes, 12)
		}
		if diff := runtimetest.Diff(s.Execute(eager), s.Execute(run)); diff != "" {
			t.Fatalf("eager against lockstep:\n%s", diff)
		}
	})
}

// eager posts at the moment of sending, copies every payload and gives every
// node and turn what it needs anew.
func eager(r *algorithm.Run) error {
	n := len(r.Machines)
	mail := make([][]letter, n)
	stopped := make([]bool, n)
	steppers := make([]*algorithm.Stepper, n)
	initial := make([][]byte, n)
	for i := range steppers {
		steppers[i] = algorithm.NewStepper(r, messages.Range(messages.NodeID(i), 1), 1)
		initial[i] = messages.Write(nil, r.Machines[i])
	}
	var before *topology.Graph
	for clock := r.Clock(); !clock.Done(); clock.Next() {
		graph := r.Graphs.At(clock.Offset)
		arriving := make([][]messages.Envelope, n)
		for i := range n {
			node := messages.NodeID(i)
			if !stopped[i] && r.Network != nil && r.Network.Restarts(node, clock.Turn) {
				if err := messages.Read(initial[i], r.Machines[i]); err != nil {
					return err
				}
			}
			if !stopped[i] && acts(r, &clock, node) {
				arriving[i] = open(r, &mail[i], clock.Turn)
			}
		}
		for i := range n {
			node := messages.NodeID(i)
			if stopped[i] || !acts(r, &clock, node) {
				continue
			}
			var outbox messages.Outbox
			var failure *algorithm.Failure
			steppers[i].Begin(&clock)
			steppers[i].Follows(before)
			if folder, ok := r.Machines[i].(algorithm.Folder); ok {
				blocks := func() *messages.Blocks { return inBlocks(folder, n, clock.Turn, arriving[i]) }
				stopped[i], failure = steppers[i].StepFolder(folder, graph.View(node), blocks, &outbox)
			} else {
				stopped[i], failure = steppers[i].Step(r.Machines[i], graph.View(node), arriving[i], &outbox)
			}
			if failure != nil {
				return failure
			}
			steppers[i].Flush()
			post(r, mail, graph, node, clock.Turn, &outbox)
		}
		before = graph
	}
	return nil
}

// letter is a message on its way.
type letter struct {
	due int
	messages.Envelope
}

// open takes out of a node's mail what is due, and throws away what has waited
// for too long.
func open(r *algorithm.Run, mail *[]letter, turn int) []messages.Envelope {
	patience := 0
	if r.Network != nil {
		patience = r.Network.Patience()
	}
	var inbox []messages.Envelope
	var rest []letter
	for _, l := range *mail {
		switch {
		case l.due > turn:
			rest = append(rest, l)
		case l.due >= turn-patience:
			inbox = append(inbox, l.Envelope)
		}
	}
	*mail = rest
	slices.SortFunc(inbox, func(a, b messages.Envelope) int {
		return slices.Compare([]int32{int32(a.From), a.Sent, a.Seq}, []int32{int32(b.From), b.Sent, b.Seq})
	})
	return inbox
}

// acts asks the schedule and the network directly.
func acts(r *algorithm.Run, clock *algorithm.Clock, node messages.NodeID) bool {
	if r.Network != nil && !r.Network.Up(node, clock.Turn) {
		return false
	}
	if r.Acts == nil {
		return true
	}
	first, end := r.Acts(clock.Offset, clock.Hop)
	return first <= node && node < end
}

// inBlocks folds an inbox by blocks of 64 senders, nil in the first turn.
func inBlocks(folder algorithm.Folder, n, turn int, inbox []messages.Envelope) *messages.Blocks {
	if turn == 0 {
		return nil
	}
	blocks := messages.NewBlocks(n, folder.FoldLength())
	for b := range blocks.Len() {
		var part []messages.Envelope
		for _, e := range inbox {
			if int(e.From)/64 == b {
				part = append(part, e)
			}
		}
		blocks.Fill(b, part, folder.Fold)
	}
	return blocks
}

// post puts an outbox into the mail of its receivers, by counting through the
// order of sending.
func post(r *algorithm.Run, mail [][]letter, graph *topology.Graph, from messages.NodeID, turn int, outbox *messages.Outbox) {
	for _, to := range graph.Out(from) {
		due := turn + 1
		if r.Network != nil {
			delay, lost := r.Network.Fate(from, to, turn)
			if lost {
				continue
			}
			due += delay
		}
		singles := outbox.Singles(to)
		e := messages.Envelope{From: from, Sent: int32(turn), Weight: graph.Weight(to, from)}
		for seq := int32(0); seq < 1000; seq++ {
			var payload messages.Payload
			if outbox.Broadcast != nil && outbox.BroadcastSeq() == seq {
				payload = outbox.Broadcast
			}
			for _, s := range singles {
				if s.Seq == seq {
					payload = s.Payload
				}
			}
			if payload != nil {
				v := payload.(*messages.Vector)
				e.Seq, e.Payload = seq, &messages.Vector{Exposure: v.Exposure, Float32: v.Float32, Encoded: kept(v.Encoded), Values: append([]float64(nil), v.Values...)}
				mail[to] = append(mail[to], letter{due, e})
			}
		}
	}
}

// Several blocks, the last of them not full.
func TestFoldsAgreeWithAnEagerLoop(t *testing.T) {
	for name, graphs := range runtimetest.Graphs(150) {
		s := runtimetest.Scenario{
			Nodes: 150, Steps: 5, Seed: 1, Graphs: graphs, Hops: []int{1, 2},
			Gatherers: map[messages.NodeID]bool{0: true, 77: true}, Stops: map[messages.NodeID]int{77: 4, 3: 2},
		}
		if diff := runtimetest.Diff(s.Execute(eager), s.Execute(run)); diff != "" {
			t.Errorf("%s, eager against lockstep:\n%s", name, diff)
		}
	}
}

// A run is a function of its description: seeds and graphs matter, and nothing
// else does.
func TestRunsRepeatAndSeedsMatter(t *testing.T) {
	for name, graphs := range runtimetest.Graphs(9) {
		s := runtimetest.Scenario{Nodes: 9, Steps: 12, FirstStep: 1, Seed: 1, Graphs: graphs, Hops: []int{1, 3}}
		first := s.Execute(run)
		if diff := runtimetest.Diff(first, s.Execute(run)); diff != "" {
			t.Errorf("%s: a run and its repetition:\n%s", name, diff)
		}
		s.Seed++
		if other := s.Execute(run); reflect.DeepEqual(first.States, other.States) {
			t.Errorf("%s: seeds 1 and 2 end in the same states", name)
		}
	}
}

// The mixer serves as a probe only if its state is complete: one that is
// restored into the middle of a run ends like one that was never interrupted.
func TestMixerStateIsComplete(t *testing.T) {
	s := runtimetest.Scenario{Nodes: 6, Steps: 1, Seed: 3, Graphs: runtimetest.Graphs(6)["star"]}
	original, _ := s.Run()
	restored, _ := s.Run()
	if err := run(original); err != nil {
		t.Fatal(err)
	}
	for i, m := range original.Machines {
		if err := messages.Read(messages.Write(nil, m), restored.Machines[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []*algorithm.Run{original, restored} {
		r.FirstStep, r.Steps = 2, 5
		if err := run(r); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range original.Machines {
		if !bytes.Equal(messages.Write(nil, m), messages.Write(nil, restored.Machines[i])) {
			t.Errorf("node %d goes on differently", i+1)
		}
	}
	if err := messages.Read([]byte{1}, original.Machines[0]); err == nil {
		t.Error("half a state was accepted")
	}
}

func TestFirstFailureEndsTheRun(t *testing.T) {
	cause := errors.New("no descent")
	var stepped int
	s := runtimetest.Scenario{Nodes: 5, Steps: 9, FirstStep: 1, Graphs: runtimetest.Graphs(5)["complete"]}
	s.Fail = func(node messages.NodeID, turn *algorithm.Turn) error {
		stepped++
		if turn.Step == 4 && node >= 2 {
			return cause
		}
		return nil
	}
	spec, _ := s.Run()
	err := run(spec)
	var failure *algorithm.Failure
	if !errors.As(err, &failure) || failure.Node != 2 || failure.Turn != 3 || !errors.Is(err, cause) {
		t.Fatalf("error %v, want a failure of node 3 in step 4", err)
	}
	if stepped != 3*5+3 {
		t.Errorf("%d moves were made, want all up to the failure and none after it", stepped)
	}
}

func TestCancelReturnsTheCause(t *testing.T) {
	cause := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(context.Background())
	last := 0
	s := runtimetest.Scenario{Nodes: 3, Steps: 1 << 30, Graphs: runtimetest.Graphs(3)["star"]}
	s.Fail = func(node messages.NodeID, turn *algorithm.Turn) error {
		if last = turn.Step; last == 7 && node == 0 {
			cancel(cause)
		}
		return nil
	}
	spec, _ := s.Run()
	if err := lockstep.Run(ctx, spec); err != cause {
		t.Fatalf("error %v, want the cause", err)
	}
	if last != 7 {
		t.Errorf("cancelled in step 7, ran on to step %d", last)
	}
}

func TestNothingToDo(t *testing.T) {
	none := runtimetest.Scenario{Nodes: 2, Steps: 0, Graphs: runtimetest.Graphs(2)["star"]}
	if o := none.Execute(run); o.Failure != "" || o.Books[0] != nil {
		t.Errorf("a run of no steps: %+v", o)
	}
	stopped := runtimetest.Scenario{Nodes: 2, Steps: 50, FirstStep: 1, Graphs: runtimetest.Graphs(2)["star"], Stops: map[messages.NodeID]int{0: 1, 1: 1}}
	o := stopped.Execute(run)
	for node, book := range o.Books {
		if o.Failure != "" || len(book) != 4 {
			t.Errorf("node %d did more than play, record, pay and stop: %q", node+1, book)
		}
	}
}

// Memory does not grow with the horizon.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	graphs := runtimetest.Graphs(16)["complete"]
	machines := make([]algorithm.Machine, 16)
	for i := range machines {
		machines[i] = script(func(t *algorithm.Turn) error { return t.BroadcastRaw(t.Vector(3)) })
	}
	allocations := func(steps int) float64 {
		spec := &algorithm.Run{Steps: steps, Graphs: graphs, Machines: machines, Meter: runtimetest.Silent{}}
		return testing.AllocsPerRun(5, func() {
			if err := run(spec); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocations(10), allocations(1000); short != long {
		t.Errorf("%v allocations in 10 steps, %v in 1000", short, long)
	}
}

// kept is a copy of a form, whose memory is used again.
func kept(f *messages.Form) *messages.Form {
	if f == nil {
		return nil
	}
	return &messages.Form{Bytes: bytes.Clone(f.Bytes)}
}
