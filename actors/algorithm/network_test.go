package algorithm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
)

// slow is a network in which everything between different nodes takes delay
// turns more, what node 0 sends is lost, and node 2 is away in some turns.
type slow struct {
	delay, patience int
	away            []int
	forgets         bool
}

func (s slow) MaxDelay() int { return s.delay }
func (s slow) Patience() int { return s.patience }
func (s slow) Fate(from, to messages.NodeID, _ int) (int, bool) {
	if from == to {
		return 0, false
	}
	return s.delay, from == 0
}
func (s slow) Local(from, to messages.NodeID) bool { return from == to }
func (s slow) Up(node messages.NodeID, turn int) bool {
	return node != 2 || !slices.Contains(s.away, turn)
}
func (s slow) Restarts(node messages.NodeID, turn int) bool {
	return s.forgets && turn > 0 && s.Up(node, turn) && !s.Up(node, turn-1)
}
func (s slow) Forgets(node messages.NodeID) bool { return s.forgets && node == 2 }

func TestReach(t *testing.T) {
	run := counters(3) // 10 steps of 1 and 2 hops: 15 turns
	if got := run.Reach(); got != 0 {
		t.Errorf("an ideal network reaches %d turns", got)
	}
	run.Network = slow{delay: 3, patience: 2}
	if got := run.Reach(); got != 5 {
		t.Errorf("reach %d, want delay and patience", got)
	}
	run.Network = slow{delay: 1 << 20}
	if got := run.Reach(); got != 15 {
		t.Errorf("reach %d, want no more than the run has turns", got)
	}
	for offset, want := range []int{0, 1, 3, 4, 6} {
		if got := run.TurnOf(offset); got != want {
			t.Errorf("the step at offset %d begins with turn %d, want %d", offset, got, want)
		}
	}
}

// Who has a turn is the schedule's and the network's word, as far back and ahead
// as messages travel.
func TestAttendance(t *testing.T) {
	run := counters(3)
	run.Acts = func(offset, hop int) (first, end messages.NodeID) { return messages.NodeID(hop), 3 } // node 0: hop 0 only
	run.Network = slow{delay: 1, patience: 3, away: []int{4, 5, 6, 7}}
	a := run.Attendance()
	var since [3][]int
	for c := run.Clock(); !c.Done(); c.Next() {
		a.Begin(c.Turn)
		for node := range messages.NodeID(3) {
			since[node] = append(since[node], a.Since(node))
		}
		for turn := max(0, c.Turn-5); turn <= min(c.Turn+5, 14); turn++ {
			secondHop := turn%3 == 2
			if got := a.Acts(0, turn); got == secondHop {
				t.Errorf("turn %d seen from %d: node 0 acts %v", turn, c.Turn, got)
			}
			if got, want := a.Offset(turn), turn/3*2+min(turn%3, 1); got != want {
				t.Errorf("turn %d has offset %d, want %d", turn, got, want)
			}
		}
	}
	want := [3][]int{
		{-1, 0, 1, 1, 3, 4, 4, 6, 7, 7, 9, 10, 10, 12, 13},
		{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13},
		{-1, 0, 1, 2, 3, 3, 3, 3, 4, 8, 9, 10, 11, 12, 13},
	}
	if diff := cmp.Diff(want, since); diff != "" {
		t.Errorf("last turns before each (-want +got):\n%s", diff)
	}
}

// A state holds of earlier turns what has yet to arrive, and nothing else.
func TestStateHoldsWhatIsUnderway(t *testing.T) {
	complete, err := topology.Complete{Nodes: 3}.Sequence()
	if err != nil {
		t.Fatal(err)
	}
	graph := complete.At(0)
	run := counters(3)
	run.Network = slow{delay: 2}
	state := &algorithm.State{Offset: 4, Stopped: make([]bool, 3), Sent: make([]messages.Outbox, 3)} // before turn 6
	for sent := 4; sent >= 3; sent-- {
		outboxes := make([]messages.Outbox, 3)
		for i := range outboxes {
			outboxes[i].SetBroadcast(&messages.Vector{Values: []float64{float64(sent), float64(i)}})
		}
		state.Earlier = append(state.Earlier, algorithm.Sending{Graph: graph, Outboxes: outboxes})
	}
	state.Earlier[0].Outboxes[2].Reset()
	text := messages.Write(nil, run.At(state))
	restored := counters(3)
	restored.Network = run.Network
	if err := messages.Read(text, restored.At(nil)); err != nil {
		t.Fatal(err)
	}
	var got [][]bool
	for _, earlier := range restored.Resume.Earlier {
		var there []bool
		for i := range earlier.Outboxes {
			there = append(there, !earlier.Outboxes[i].Empty())
		}
		got = append(got, there)
	}
	// What node 0 sends is lost; node 2 sent nothing in turn 4.
	if diff := cmp.Diff([][]bool{{false, true, false}, {false, true, true}}, got); diff != "" {
		t.Errorf("kept of turns 4 and 3 (-want +got):\n%s", diff)
	}
	other := counters(3)
	other.Network = slow{delay: 1}
	if err := messages.Read(text, other.At(nil)); err == nil || err.Error() != "earlier turns: 2, want 1" {
		t.Errorf("the state of another network: %v", err)
	}
	for n := range text {
		cut := counters(3)
		cut.Network = run.Network
		if err := messages.Read(text[:n], cut.At(nil)); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(text))
		}
	}
}

// A run that resumes knows its machines' initial states only if Run.At has
// seen them.
func TestResumeWithoutInitialStates(t *testing.T) {
	run := counters(3)
	run.Graphs = topology.Static(must(topology.FromEdges(3, nil)))
	run.Resume = &algorithm.State{Offset: 3, Stopped: make([]bool, 3), Sent: make([]messages.Outbox, 3)}
	run.Network = slow{}
	if err := run.Validate(); err != nil {
		t.Errorf("nobody forgets: %v", err)
	}
	run.Network = slow{forgets: true}
	if err := run.Validate(); err == nil || !strings.Contains(err.Error(), "without the initial states") {
		t.Errorf("a node forgets: %v", err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// What a machine is told of messages that are missing or late.
func TestExpected(t *testing.T) {
	before := must(topology.FromEdges(4, []topology.Edge{{From: 0, To: 1, Weight: 0.25}, {From: 3, To: 1, Weight: 0.5}, {From: 1, To: 2, Weight: 1}}))
	run := &algorithm.Run{FirstStep: 1, Steps: 9, Machines: make([]algorithm.Machine, 4), Meter: &diary{}}
	stepper, clock := algorithm.NewStepper(run, messages.Range(0, 4), 2), run.Clock()
	for range 6 {
		clock.Next()
	}
	var from []messages.NodeID
	var weights []float64
	var late []bool
	look := machine(func(turn *algorithm.Turn) error {
		from, weights = turn.Expected()
		for _, sent := range []int32{5, 4, 0} {
			late = append(late, turn.Late(&messages.Envelope{Sent: sent}))
		}
		return nil
	})
	step := func() {
		if _, failure := stepper.Step(look, before.View(1), nil, &messages.Outbox{}); failure != nil {
			t.Fatal(failure)
		}
	}
	stepper.Begin(&clock)
	step()
	if from != nil || weights != nil {
		t.Errorf("expected %v, %v without a turn before", from, weights)
	}
	stepper.Follows(before)
	step()
	if !slices.Equal(from, []messages.NodeID{0, 3}) || !slices.Equal(weights, []float64{0.25, 0.5}) {
		t.Errorf("expected %v, %v", from, weights)
	}
	if want := []bool{false, true, true}; !slices.Equal(late[:3], want) {
		t.Errorf("late %v, want %v", late[:3], want)
	}
}
