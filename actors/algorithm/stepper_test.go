package algorithm_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/messages"
)

func TestFailureSaysWhere(t *testing.T) {
	b := newBench(t, func(r *algorithm.Run) {
		r.FirstStep, r.FirstLabel = 0, 10
		r.Hops = func(int) int { return 3 }
	})
	for range 5 {
		b.next()
	}
	cause := errors.New("no descent")
	_, _, failure := b.step(2, func(*algorithm.Turn) error { return cause })
	want := algorithm.Failure{Turn: 5, Step: 1, Hop: 2, Node: 2, Label: 12, Cause: cause}
	if failure == nil || failure.Turn != want.Turn || failure.Step != want.Step || failure.Hop != want.Hop ||
		failure.Node != want.Node || failure.Label != want.Label || failure.Cause != cause || failure.Stack != nil {
		t.Errorf("got %+v, want %+v", failure, want)
	}
	if !errors.Is(failure, cause) {
		t.Error("the failure hides its cause")
	}
}

// explode is named so that the test can find it in the stack.
func explode(*algorithm.Turn) error {
	var none []float64
	_ = none[3]
	return nil
}

func TestPanicBecomesAFailureWithItsStack(t *testing.T) {
	b := newBench(t, nil)
	_, _, failure := b.step(1, explode)
	if failure == nil {
		t.Fatal("no failure")
	}
	if want := "step 1, node 2: panic: runtime error: index out of range [3] with length 0"; failure.Error() != want {
		t.Errorf("failure %q, want %q", failure, want)
	}
	if !strings.Contains(string(failure.Stack), "explode") {
		t.Errorf("the stack does not show where:\n%s", failure.Stack)
	}
	b.must(t, 2, func(*algorithm.Turn) error { return nil }) // the stepper is still of use
}

func TestGoexitIsNotMistakenForSuccess(t *testing.T) {
	b := newBench(t, nil)
	returned := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.step(1, func(*algorithm.Turn) error { runtime.Goexit(); return nil })
		returned = true
	}()
	<-done
	if returned {
		t.Error("a machine that ended its goroutine was taken for one that returned")
	}
}

// Before is a strict total order on (turn, node).
func TestFailuresAreOrderedByTurnThenNode(t *testing.T) {
	draw := rapid.Custom(func(t *rapid.T) *algorithm.Failure {
		return &algorithm.Failure{Turn: rapid.IntRange(0, 3).Draw(t, "turn"), Node: messages.NodeID(rapid.IntRange(0, 3).Draw(t, "node"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		position := func(f *algorithm.Failure) int { return 10*f.Turn + int(f.Node) }
		if got, want := a.Before(b), position(a) < position(b); got != want {
			t.Fatalf("%+v before %+v is %v", a, b, got)
		}
	})
}

// A vector stays as it was sent for `lifetime` turns, its own counted: then its
// memory comes back.
func TestVectorsLiveForTheirLifetime(t *testing.T) {
	const d = 3
	b := newBench(t, nil)
	type sent struct {
		vector *messages.Vector
		first  float64
	}
	var history [][4]sent // by turn, by node
	for turn := range 5 * lifetime {
		var now [4]sent
		for node := range messages.NodeID(4) {
			b.must(t, node, func(turn *algorithm.Turn) error {
				v := turn.Vector(d)
				now[node] = sent{v, float64(100*len(history) + int(node))}
				for k := range v.Values {
					v.Values[k] = now[node].first + float64(k)/10
				}
				v.Exposure = messages.Released
				return turn.BroadcastRaw(v)
			})
		}
		history = append(history, now)
		for old := max(0, turn-lifetime+1); old <= turn; old++ {
			for node, s := range history[old] {
				for k, x := range s.vector.Values {
					if x != s.first+float64(k)/10 {
						t.Fatalf("turn %d: what node %d sent in turn %d is now %v", turn, node, old, s.vector.Values)
					}
				}
			}
		}
		if turn >= lifetime && now[0].vector != history[turn-lifetime][0].vector {
			t.Errorf("turn %d: the vector of turn %d was not reused", turn, turn-lifetime)
		}
		b.next()
	}
}

func TestVectorsAreFreshInLengthAndFlag(t *testing.T) {
	b := newBench(t, nil)
	// Lengths that shrink and grow, different for the nodes, over reused slabs.
	for turn := range 4 * lifetime {
		for node := range messages.NodeID(4) {
			d := (7*turn + 3*int(node)) % 11
			b.must(t, node, func(turn *algorithm.Turn) error {
				for range 3 { // the later ones come from the heap
					v := turn.Vector(d)
					if len(v.Values) != d || v.Exposure != messages.Raw {
						t.Fatalf("Vector(%d) has %d entries, exposure %v", d, len(v.Values), v.Exposure)
					}
					v.Exposure = messages.Released
				}
				return nil
			})
		}
		b.next()
	}
}

// No two vectors of a turn share memory, whoever takes them and however long
// they are, and appending to one reaches no other.
func TestVectorsOfATurnAreApart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, nil)
		for range rapid.IntRange(1, 2*lifetime).Draw(rt, "turns") {
			var vectors []*messages.Vector
			for node := range messages.NodeID(4) {
				b.must(t, node, func(turn *algorithm.Turn) error {
					for range rapid.IntRange(0, 3).Draw(rt, "vectors") {
						v := turn.Vector(rapid.IntRange(0, 5).Draw(rt, "length"))
						for k := range v.Values {
							v.Values[k] = float64(len(vectors))
						}
						_ = append(v.Values, -1)
						vectors = append(vectors, v)
					}
					return nil
				})
			}
			for i, v := range vectors {
				for _, x := range v.Values {
					if x != float64(i) {
						rt.Fatalf("vector %d holds %v", i, v.Values)
					}
				}
			}
			b.next()
		}
	})
}

// A stepper of nodes 2 and 3 keeps their books apart from their index.
func TestStepperOfALaterRange(t *testing.T) {
	b := newBench(t, nil)
	b.stepper = algorithm.NewStepper(b.run, messages.Range(2, 2), lifetime)
	b.stepper.Begin(&b.clock)
	var vectors []*messages.Vector
	for node := messages.NodeID(2); node < 4; node++ {
		b.must(t, node, func(t *algorithm.Turn) error {
			vectors = append(vectors, t.Vector(1))
			return t.Play([]float64{1})
		})
	}
	if vectors[0] == vectors[1] {
		t.Error("two nodes were handed one vector")
	}
	if _, _, failure := b.step(3, func(t *algorithm.Turn) error { return t.Play([]float64{1}) }); failure == nil || failure.Node != 3 || failure.Label != 4 {
		t.Errorf("failure %+v, want one of node 4", failure)
	}
}

// What stays with the stepper's nodes has its memory used again two turns later; what does
// not, after the lifetime. In either case no sooner.
func TestStays(t *testing.T) {
	for stays, want := range map[bool]int{true: 2, false: lifetime} {
		b := newBench(t, nil)
		first := map[*messages.Vector]int{}
		for turn := range 3 * lifetime {
			if stays {
				b.stepper.Stays()
			}
			b.must(t, 2, func(t *algorithm.Turn) error {
				v := t.Vector(1)
				if at, again := first[v]; !again {
					first[v] = turn
				} else if turn < at+want {
					return fmt.Errorf("the vector of turn %d is handed out again in turn %d", at, turn)
				} else {
					first[v] = turn
				}
				return nil
			})
			b.next()
		}
		if len(first) != want {
			t.Errorf("stays %v: %d vectors, want %d", stays, len(first), want)
		}
	}
}

// folder is a machine that has its messages folded.
type folder struct{ machine }

func (folder) FoldLength() int                    { return 1 }
func (folder) Fold([]float64, *messages.Envelope) {}

// A folder finds the blocks it is given and an empty inbox; the next machine
// does not find them.
func TestStepFolder(t *testing.T) {
	b := newBench(t, nil)
	blocks := messages.NewBlocks(4, 1)
	var seen *messages.Blocks
	look := machine(func(turn *algorithm.Turn) error {
		seen = turn.Blocks
		if len(turn.Inbox) != 0 {
			t.Error("there is an inbox too")
		}
		turn.Stop("seen")
		return nil
	})
	stopped, failure := b.stepper.StepFolder(folder{look}, b.graph.View(1), func() *messages.Blocks { return blocks }, &messages.Outbox{})
	if !stopped || failure != nil || seen != blocks {
		t.Errorf("stopped %v, failure %v, blocks %p, want %p", stopped, failure, seen, blocks)
	}
	if b.must(t, 2, look); seen != nil {
		t.Error("the next machine was given the blocks")
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	b := newBench(t, nil)
	b.run.Meter, b.meter = nil, nil
	outboxes := make([]messages.Outbox, 4)
	x := make([]float64, 8)
	m := machine(func(t *algorithm.Turn) error {
		v := t.Vector(len(x))
		copy(v.Values, t.Scratch(len(x)))
		for i := range v.Values {
			v.Values[i] = t.Rand(1).Float64()
		}
		if err := t.SendRaw(0, v); err != nil {
			return err
		}
		return t.BroadcastRaw(v)
	})
	b.stepper = algorithm.NewStepper(b.run, messages.Range(0, 4), lifetime)
	b.stepper.Begin(&b.clock)
	turn := func() {
		for node := range messages.NodeID(4) {
			outboxes[node].Reset()
			if _, failure := b.stepper.Step(m, b.graph.View(node), nil, &outboxes[node]); failure != nil {
				t.Fatal(failure)
			}
		}
		b.clock.Next()
		b.stepper.Begin(&b.clock)
	}
	for range lifetime {
		turn()
	}
	if n := testing.AllocsPerRun(100, turn); n != 0 {
		t.Errorf("%v allocations a turn", n)
	}
}

// A run refuses a node that belongs beside none, or beside one that belongs elsewhere.
func TestBesideIsRefused(t *testing.T) {
	b := newBench(t, nil)
	for _, beside := range [][]messages.NodeID{{0, 1, 2, 4}, {0, 1, 2, -1}, {1, 2, 2, 3}} {
		b.run.Beside = func(node messages.NodeID) messages.NodeID { return beside[node] }
		if err := b.run.Validate(); err == nil {
			t.Errorf("%v is taken", beside)
		}
	}
	b.run.Beside = func(messages.NodeID) messages.NodeID { return 3 }
	if err := b.run.Validate(); err != nil {
		t.Error(err)
	}
}
