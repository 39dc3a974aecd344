package algorithm_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
)

func noCosts(r *algorithm.Run) { r.Costs = nil }

// What a machine does against the protocol of a turn fails the run, with the
// step and the paper's number of the node.
func TestBreachesOfTheProtocol(t *testing.T) {
	x := []float64{0.5}
	number := func(values ...float64) messages.Payload { return &messages.Vector{Values: values} }
	tests := []struct {
		name   string
		change func(*algorithm.Run)
		node   messages.NodeID
		step   machine
		want   string
	}{
		{"play twice", nil, 0, func(t *algorithm.Turn) error {
			return errors.Join(t.Play(x), t.Play(x))
		}, "step 1, node 1: played twice in one step"},
		{"loss before play", nil, 2, func(t *algorithm.Turn) error {
			_, err := t.Loss(x)
			return err
		}, "step 1, node 3: asked the oracle before playing the step's decision"},
		{"gradient before play", nil, 2, func(t *algorithm.Turn) error {
			return t.Gradient(make([]float64, 1), x)
		}, "step 1, node 3: asked the oracle before playing the step's decision"},
		{"no oracle, loss", noCosts, 0, func(t *algorithm.Turn) error {
			_, err := t.Loss(x)
			return errors.Join(t.Play(x), err)
		}, "step 1, node 1: this participant has no oracle"},
		{"no oracle, gradient", noCosts, 0, func(t *algorithm.Turn) error {
			return errors.Join(t.Play(x), t.Gradient(make([]float64, 1), x))
		}, "step 1, node 1: this participant has no oracle"},
		{"NaN decision", nil, 1, func(t *algorithm.Turn) error {
			return t.Play([]float64{0, 0, math.NaN()})
		}, "step 1, node 2: played a decision whose entry 3 is NaN"},
		{"infinite decision", nil, 1, func(t *algorithm.Turn) error {
			return t.Play([]float64{math.Inf(-1), math.NaN()})
		}, "step 1, node 2: played a decision whose entry 1 is -Inf"},
		{"broadcast twice", nil, 1, func(t *algorithm.Turn) error {
			return errors.Join(t.BroadcastRaw(number(1)), t.BroadcastRaw(number(1)))
		}, "step 1, node 2: broadcast twice in one turn"},
		{"broadcast nil", nil, 1, func(t *algorithm.Turn) error { return t.BroadcastRaw(nil) }, "step 1, node 2: sent a nil payload"},
		{"send nil", nil, 1, func(t *algorithm.Turn) error { return t.SendRaw(0, nil) }, "step 1, node 2: sent a nil payload"},
		{"broadcast NaN", nil, 1, func(t *algorithm.Turn) error {
			return t.BroadcastRaw(number(1, math.NaN()))
		}, "step 1, node 2: entry 2 of the sent vector is NaN"},
		{"send infinity", nil, 1, func(t *algorithm.Turn) error {
			return t.SendRaw(0, number(math.Inf(1)))
		}, "step 1, node 2: entry 1 of the sent vector is +Inf"},
		{"send to a node that does not listen", nil, 1, func(t *algorithm.Turn) error {
			return t.SendRaw(2, number(1))
		}, "step 1, node 2: sent to node 3, which is no out-neighbour in this turn"},
		{"send to oneself without a self-loop", nil, 1, func(t *algorithm.Turn) error {
			return t.SendRaw(1, number(1))
		}, "step 1, node 2: sent to node 2, which is no out-neighbour in this turn"},
		{"send to nobody", nil, 0, func(t *algorithm.Turn) error {
			return t.SendRaw(99, number(1))
		}, "step 1, node 1: sent to node 100, which is no out-neighbour in this turn"},
		{"negative loss", nil, 0, func(t *algorithm.Turn) error {
			return t.Spend(accountant.Loss{Epsilon: -1})
		}, "step 1, node 1: privacy loss epsilon = -1 is not a number >= 0"},
		{"NaN loss", nil, 0, func(t *algorithm.Turn) error {
			return t.Spend(accountant.Loss{Epsilon: math.NaN()})
		}, "step 1, node 1: privacy loss epsilon = NaN is not a number >= 0"},
		{"panic", nil, 3, func(*algorithm.Turn) error { panic("no such state") }, "step 1, node 4: panic: no such state"},
		{"papers that count from 0", func(r *algorithm.Run) { r.FirstStep, r.FirstLabel = 0, 0 }, 1, func(t *algorithm.Turn) error {
			return t.SendRaw(2, number(1))
		}, "step 0, node 1: sent to node 2, which is no out-neighbour in this turn"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, failure := newBench(t, test.change).step(test.node, test.step)
			if failure == nil || failure.Error() != test.want {
				t.Fatalf("failure %v, want %q", failure, test.want)
			}
			if (failure.Stack != nil) != (test.name == "panic") {
				t.Errorf("stack:\n%s", failure.Stack)
			}
		})
	}
}

// A message to a node that has no turn in the next hop would not be read, which
// both know beforehand. Hops of step 1 are for node 1 and for nodes 2 to 3; after
// the last turn everything may be sent.
func TestSendingToWhoDoesNotAct(t *testing.T) {
	schedule := func(r *algorithm.Run) {
		r.Steps, r.Hops = 1, func(int) int { return 2 }
		r.Acts = func(_, hop int) (first, end messages.NodeID) {
			if hop == 0 {
				return 0, 1
			}
			return 1, 3
		}
	}
	v := &messages.Vector{}
	tests := []struct {
		name string
		step machine
		want string
	}{
		{"single message that is read", func(t *algorithm.Turn) error {
			return errors.Join(t.SendRaw(1, v), t.SendRaw(2, v))
		}, ""},
		{"beyond the range", func(t *algorithm.Turn) error { return t.SendRaw(3, v) }, "step 1, node 1: sent to node 4, which has no turn in the next hop, and would not read it"},
		{"before the range", func(t *algorithm.Turn) error { return t.SendRaw(0, v) }, "step 1, node 1: sent to node 1, which has no turn in the next hop, and would not read it"},
		{"broadcast that some do not read", func(t *algorithm.Turn) error { return t.BroadcastRaw(v) }, "step 1, node 1: broadcast to node 1, which has no turn in the next hop, and would not read it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, outbox, failure := newBench(t, schedule).step(0, test.step)
			if test.want == "" && failure == nil {
				return
			}
			if failure == nil || failure.Error() != test.want || !outbox.Empty() {
				t.Errorf("failure %v, outbox %+v, want %q", failure, outbox, test.want)
			}
		})
	}
	b := newBench(t, schedule)
	b.next()
	b.must(t, 1, func(t *algorithm.Turn) error { return t.BroadcastRaw(v) })
}

// What a refused message or decision leaves: nothing sent, nothing metered.
func TestRefusedMovesHaveNoEffect(t *testing.T) {
	b := newBench(t, nil)
	bad := &messages.Vector{Values: []float64{math.NaN()}}
	_, outbox, failure := b.step(1, func(t *algorithm.Turn) error {
		return errors.Join(t.BroadcastRaw(bad), t.BroadcastRaw(nil), t.SendRaw(0, bad), t.SendRaw(2, &messages.Vector{}), t.Play(bad.Values), t.Spend(accountant.Loss{Epsilon: -1}))
	})
	if failure == nil || strings.Count(failure.Error(), "\n") != 5 {
		t.Fatalf("failure %v, want six causes", failure)
	}
	b.stepper.Flush()
	if !outbox.Empty() || len(b.meter.lines) != 0 {
		t.Errorf("outbox %+v, meter %q", outbox, b.meter.lines)
	}
}

// A decision that was refused is not played: the oracle stays shut even for a
// machine that ignores the error.
func TestRefusedDecisionDoesNotOpenTheOracle(t *testing.T) {
	_, _, failure := newBench(t, nil).step(0, func(t *algorithm.Turn) error {
		_ = t.Play([]float64{math.NaN()})
		_, err := t.Loss([]float64{1})
		return err
	})
	if failure == nil {
		t.Error("the oracle answered though no decision was played")
	}
}

func TestOracleIsTheNodesOwn(t *testing.T) {
	b := newBench(t, nil)
	b.next() // step 2
	for node := range messages.NodeID(4) {
		b.must(t, node, func(turn *algorithm.Turn) error {
			x, gradient := []float64{5}, make([]float64, 1)
			if err := turn.Play([]float64{float64(node)}); err != nil {
				return err
			}
			loss, err := turn.Loss(x)
			if err := errors.Join(err, turn.Gradient(gradient, x)); err != nil {
				return err
			}
			distance := 5 - float64(node)
			if loss != 2*distance*distance || gradient[0] != 4*distance {
				t.Errorf("node %d: loss %v, gradient %v", node, loss, gradient[0])
			}
			return nil
		})
	}
}

// A decision that is played again was checked in the step before. Where the node did not
// play in that it is checked; and it is one decision a step as any other.
func TestPlayAgain(t *testing.T) {
	b := newBench(t, nil)
	bad := []float64{math.NaN()}
	again := func(x []float64) machine { return func(t *algorithm.Turn) error { return t.PlayAgain(x) } }
	if _, _, failure := b.step(0, again(bad)); failure == nil {
		t.Error("a first decision was not checked")
	}
	b.must(t, 0, again([]float64{1}))
	if _, _, failure := b.step(0, again([]float64{1})); failure == nil {
		t.Error("played twice in one step")
	}
	b.next()
	b.must(t, 0, again([]float64{1}))
	b.next()
	b.next() // a step without a decision between
	if _, _, failure := b.step(0, again(bad)); failure == nil {
		t.Error("a decision was not checked after a step without one")
	}
}

// One decision a step, however many hops it has, and the oracle stays open
// until the step ends; nodes do not share the flag.
func TestPlayIsOnceAStepAcrossHops(t *testing.T) {
	b := newBench(t, func(r *algorithm.Run) { r.Hops = func(offset int) int { return 2 + offset } })
	play := machine(func(t *algorithm.Turn) error { return t.Play([]float64{1}) })
	loss := machine(func(t *algorithm.Turn) error { _, err := t.Loss([]float64{1}); return err })
	b.must(t, 0, play)
	if _, _, failure := b.step(1, loss); failure == nil {
		t.Error("node 2 asked the oracle on node 1's decision")
	}
	b.next() // hop 1 of step 1
	b.must(t, 0, loss)
	if _, _, failure := b.step(0, play); failure == nil || failure.Hop != 1 {
		t.Errorf("failure %+v, want played twice in hop 1", failure)
	}
	b.must(t, 1, play) // late, and for the first time
	b.next()           // hop 0 of step 2
	if _, _, failure := b.step(0, loss); failure == nil {
		t.Error("the oracle of step 2 opened on the decision of step 1")
	}
	b.must(t, 0, play)
	b.next()
	b.next() // hop 2 of step 2
	b.must(t, 0, loss)
	want := []string{"node 0 played [1] in step 1", "node 1 played [1] in step 1", "node 0 played [1] in step 2"}
	if diff := cmp.Diff(want, b.meter.lines); diff != "" {
		t.Errorf("meter (-want +got):\n%s", diff)
	}
}

// A turn's generator is the stream of (seed, purpose, node, step, hop), and another
// one for every further call with the same purpose: noise that is drawn twice in a
// turn is not the same noise.
func TestRandIsTheKeyedStream(t *testing.T) {
	b := newBench(t, func(r *algorithm.Run) { r.Hops = func(int) int { return 2 }; r.FirstStep = 5 })
	purpose := rng.PurposeOf("test")
	for turn := range 4 {
		for node := range messages.NodeID(4) {
			want := new(rng.Stream).Open(rng.NewKey(9, purpose), int(node), 5+turn/2, turn%2).Uint64()
			b.must(t, node, func(turn *algorithm.Turn) error {
				first, other := turn.Rand(purpose).Uint64(), turn.Rand(rng.PurposeOf("other")).Uint64()
				second, third := turn.Rand(purpose).Uint64(), turn.Rand(purpose).Uint64()
				all := []uint64{first, other, second, third}
				slices.Sort(all)
				if first != want || len(slices.Compact(all)) != 4 {
					t.Errorf("node %d: %#x, %#x, %#x, %#x; want %#x first, and all different", node, first, other, second, third, want)
				}
				return nil
			})
		}
		b.next()
	}
}

// Messages and bytes are counted where they cross a wire, which a self-loop
// does not: Sent is what a network would carry.
func TestSentCountsWhatCrossesWires(t *testing.T) {
	b := newBench(t, nil)
	v := func(d int) *messages.Vector { return &messages.Vector{Values: make([]float64, d)} }
	b.must(t, 0, func(t *algorithm.Turn) error { // hears itself, and 1, 2, 3 hear it
		return errors.Join(t.BroadcastRaw(v(2)), t.SendRaw(0, v(100)), t.SendRaw(3, v(1)))
	})
	b.must(t, 1, func(t *algorithm.Turn) error { return t.BroadcastRaw(v(0)) })
	b.must(t, 2, func(*algorithm.Turn) error { return nil })
	b.next()
	b.next() // nothing sent, nothing said
	b.must(t, 1, func(t *algorithm.Turn) error { return t.SendRaw(0, v(1)) })
	b.next()
	want := []string{"step 1 sent 5 messages of 81 bytes", "step 3 sent 1 messages of 13 bytes"} // 3*21 + 13 + 5
	if diff := cmp.Diff(want, b.meter.lines); diff != "" {
		t.Errorf("meter (-want +got):\n%s", diff)
	}
}

func TestSentMessagesAreInTheOutbox(t *testing.T) {
	broadcast, single := &messages.Vector{}, &messages.Vector{}
	_, outbox, failure := newBench(t, nil).step(0, func(t *algorithm.Turn) error {
		return errors.Join(t.SendRaw(3, single), t.BroadcastRaw(broadcast), t.SendRaw(1, single), t.SendRaw(3, single))
	})
	if failure != nil {
		t.Fatal(failure)
	}
	// Sealed: each receiver finds its own by binary search.
	want := []messages.Single{{To: 3, Seq: 0, Payload: single}, {To: 3, Seq: 3, Payload: single}}
	if got := outbox.Singles(3); !slices.Equal(got, want) {
		t.Errorf("singles to node 4: %+v, want %+v", got, want)
	}
	if outbox.Broadcast != broadcast || outbox.BroadcastSeq() != 1 {
		t.Errorf("broadcast %p at %d, want %p at 1", outbox.Broadcast, outbox.BroadcastSeq(), broadcast)
	}
}

func TestSpendAsksTheMeter(t *testing.T) {
	b := newBench(t, nil)
	b.meter.refuse = errors.New("budget spent")
	_, _, failure := b.step(2, func(t *algorithm.Turn) error { return t.Spend(accountant.Loss{Epsilon: 0.5}) })
	if !errors.Is(failure, b.meter.refuse) {
		t.Errorf("failure %v, want the meter's refusal", failure)
	}
	if diff := cmp.Diff([]string{"node 2 spent 0.5 in step 1"}, b.meter.lines); diff != "" {
		t.Errorf("meter (-want +got):\n%s", diff)
	}
}

func TestStop(t *testing.T) {
	b := newBench(t, nil)
	stopped, outbox, failure := b.step(1, func(t *algorithm.Turn) error {
		t.Stop("done")
		return t.BroadcastRaw(&messages.Vector{}) // its last words
	})
	if !stopped || outbox.Empty() || failure != nil {
		t.Errorf("stopped %v, outbox %+v, failure %v", stopped, outbox, failure)
	}
	if stopped, _, _ := b.step(2, func(*algorithm.Turn) error { return nil }); stopped {
		t.Error("node 3 stopped because node 2 did")
	}
	if diff := cmp.Diff([]string{"node 1 stopped in step 1: done"}, b.meter.lines); diff != "" {
		t.Errorf("meter (-want +got):\n%s", diff)
	}
}

func TestScratch(t *testing.T) {
	b := newBench(t, nil)
	b.must(t, 0, func(turn *algorithm.Turn) error {
		for _, n := range []int{3, 0, 10, 7} {
			if got := len(turn.Scratch(n)); got != n {
				t.Errorf("Scratch(%d) has %d numbers", n, got)
			}
		}
		return nil
	})
}
