package algorithm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// exposed is a diary that is told of payloads, too.
type exposed struct{ *diary }

func (e exposed) Exposed(from, to messages.NodeID, step int, mark *algorithm.Mark) {
	what := map[messages.Exposure]string{messages.Raw: "raw", messages.Released: "released", messages.Public: "public"}[mark.Exposure()]
	if mark.Reason() != "" {
		what += ", for " + string(mark.Reason())
	}
	e.add("node %d showed node %d something %s in step %d", from, to, what, step)
}

// release pays for noise of a scale, and returns the receipt.
func release(t *algorithm.Turn, scale float64) (accountant.Receipt, error) {
	return noise.Laplace{Scale: scale}.Release([]float64{0}, t.Rand(1), 1, t.Spend)
}

// A meter is told of payloads that leave a node, of a broadcast the first and the
// last receiver, and the wire says the same, whatever the machine wrote into the
// payload.
func TestMarks(t *testing.T) {
	told := &diary{}
	b := newBench(t, func(r *algorithm.Run) { r.Meter = exposed{told} })
	v := func() *messages.Vector { return &messages.Vector{Values: []float64{1}} }
	lying := &messages.Vector{Exposure: messages.Released, Values: []float64{1}}
	b.must(t, 0, func(t *algorithm.Turn) error {
		receipt, err := release(t, 2)
		return errors.Join(err, t.BroadcastRaw(lying), t.SendRaw(0, v()), t.Send(2, v(), algorithm.Released(receipt)))
	})
	quiet := v()
	b.must(t, 1, func(t *algorithm.Turn) error {
		receipt, err := release(t, 0)
		return errors.Join(err, t.Send(0, quiet, algorithm.Released(receipt)), t.Send(0, v(), algorithm.Public("a test")))
	})
	b.must(t, 2, func(t *algorithm.Turn) error { return t.Broadcast(v(), t.Follows("nothing")) })
	want := []string{
		"node 0 spent 0.5 in step 1",
		"node 0 showed node 1 something raw in step 1",
		"node 0 showed node 3 something raw in step 1",
		"node 0 showed node 2 something released in step 1",
		"node 1 spent not private in step 1",
		"node 1 showed node 0 something raw in step 1",
		"node 1 showed node 0 something public, for a test in step 1",
		"node 2 showed node 0 something released, for nothing in step 1",
	}
	if diff := cmp.Diff(want, told.lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if lying.Exposure != messages.Raw || quiet.Exposure != messages.Raw {
		t.Errorf("on the wire: %v and %v, want raw", lying.Exposure, quiet.Exposure)
	}
}

// A release that was paid for once opens no gate: the receipt of another turn, of
// another loss or of nobody marks nothing, and neither does a reason that is not
// given.
func TestMarksNeedTheirGround(t *testing.T) {
	v := &messages.Vector{Values: []float64{1}}
	var kept accountant.Receipt
	half := func(t *algorithm.Turn) func(accountant.Loss) error {
		return func(l accountant.Loss) error { return t.Spend(accountant.Loss{Epsilon: l.Epsilon / 2}) }
	}
	pays := machine(func(t *algorithm.Turn) (err error) {
		if kept, err = release(t, 2); err != nil {
			return err
		}
		return t.Broadcast(v, algorithm.Released(kept))
	})
	for name, test := range map[string]struct {
		step machine
		want string
	}{
		"no receipt":         {func(t *algorithm.Turn) error { return t.Broadcast(v, algorithm.Released(accountant.Receipt{})) }, "without a receipt"},
		"of the turn before": {func(t *algorithm.Turn) error { return t.Send(0, v, algorithm.Released(kept)) }, "a loss of 0.5, which it has not paid in this turn"},
		"paid, without a draw": {func(t *algorithm.Turn) error {
			return errors.Join(t.Spend(accountant.Loss{Epsilon: 0.5}), t.Broadcast(v, algorithm.Released(accountant.Receipt{})))
		}, "without a receipt"},
		"public without reason": {func(t *algorithm.Turn) error { return t.Broadcast(v, algorithm.Public("")) }, "without a reason"},
		"follows, no reason":    {func(t *algorithm.Turn) error { return t.Broadcast(v, t.Follows("")) }, "without a reason"},
		"half the loss paid": {func(t *algorithm.Turn) error {
			receipt, err := noise.Laplace{Scale: 2}.Release([]float64{0}, t.Rand(1), 1, half(t))
			return errors.Join(err, t.Broadcast(v, algorithm.Released(receipt)))
		}, "a loss of 0.5, which it has not paid in this turn"},
	} {
		b := newBench(t, nil)
		b.must(t, 1, pays)
		b.next()
		if _, _, failure := b.step(1, test.step); failure == nil || !strings.Contains(failure.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, failure, test.want)
		}
	}
}

// The receipt of a stream that is paid for marks releases of later turns.
func TestStandingReceipts(t *testing.T) {
	stream := must(noise.OnDisjoint(noise.Additive{Law: noise.GaussianLaw, Scale: 2}, noise.MovesL2(1, 1)).Stream(1))
	v := &messages.Vector{Values: []float64{1}}
	send := machine(func(t *algorithm.Turn) error {
		_, err := stream.Release(v.Values, []float64{1}, t.Rand(rng.PurposeOf("test")), t.Spend)
		return errors.Join(err, t.Broadcast(v, algorithm.Released(stream.Receipt())))
	})
	b := newBench(t, nil)
	if receipt := stream.Receipt(); receipt.Written() {
		t.Errorf("a stream that nobody paid for has the receipt %v", receipt)
	}
	for range 3 {
		b.must(t, 1, send)
		b.next()
	}
}

// What follows from messages of which one is raw is raw, in an inbox and in blocks.
func TestFollows(t *testing.T) {
	inbox := []messages.Envelope{
		{From: 1, Payload: &messages.Vector{Exposure: messages.Released}},
		{From: 2, Payload: &messages.Vector{}},
		{From: 3, Payload: &messages.Vector{Exposure: messages.Public}},
	}
	blocks := func(envelopes []messages.Envelope) *messages.Blocks {
		b := messages.NewBlocks(4, 1)
		b.Fill(0, inbox, func([]float64, *messages.Envelope) {})
		b.Fill(0, envelopes, func([]float64, *messages.Envelope) {})
		return b
	}
	not := func(node messages.NodeID) func(*messages.Envelope) bool {
		return func(e *messages.Envelope) bool { return e.From != node }
	}
	for name, test := range map[string]struct {
		turn *algorithm.Turn
		used func(*messages.Envelope) bool
		want messages.Exposure
	}{
		"nothing":              {&algorithm.Turn{}, nil, messages.Released},
		"raw":                  {&algorithm.Turn{Inbox: inbox}, nil, messages.Raw},
		"all but the raw":      {&algorithm.Turn{Inbox: inbox}, not(2), messages.Released},
		"of the raw":           {&algorithm.Turn{Inbox: inbox}, not(1), messages.Raw},
		"block with raw":       {&algorithm.Turn{Blocks: blocks(inbox)}, nil, messages.Raw},
		"block that had a raw": {&algorithm.Turn{Blocks: blocks(inbox[:1])}, nil, messages.Released},
		"none of the block":    {&algorithm.Turn{Blocks: blocks(inbox)}, not(0), messages.Released},
	} {
		got := test.turn.Follows("a test").Exposure()
		if test.used != nil {
			got = test.turn.FollowsFrom("a test", test.used).Exposure()
		}
		if got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// A message that is refused shows nothing.
func TestRefusedMessagesAreNotExposed(t *testing.T) {
	told := &diary{}
	b := newBench(t, func(r *algorithm.Run) { r.Meter = exposed{told} })
	_, _, failure := b.step(2, func(t *algorithm.Turn) error { return t.SendRaw(1, &messages.Vector{}) })
	if failure == nil || len(told.lines) > 0 {
		t.Errorf("%v, %q", failure, told.lines)
	}
}

// Paying, marking and telling a meter of payloads cost no memory.
func TestMarkingAllocatesNothing(t *testing.T) {
	told := &counting{}
	b := newBench(t, func(r *algorithm.Run) { r.Meter = told })
	v := &messages.Vector{Values: []float64{1}}
	send := machine(func(t *algorithm.Turn) error {
		receipt, err := release(t, 2)
		if err != nil {
			return err
		}
		return t.Broadcast(v, algorithm.Released(receipt))
	})
	outbox := &messages.Outbox{}
	if n := testing.AllocsPerRun(100, func() {
		outbox.Reset()
		if _, failure := b.stepper.Step(send, b.graph.View(0), nil, outbox); failure != nil {
			t.Fatal(failure)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if told.count == 0 {
		t.Error("told of nothing")
	}
}

// counting counts what it is told of payloads, and takes payments.
type counting struct {
	algorithm.Meter
	count int
}

func (c *counting) Exposed(_, _ messages.NodeID, _ int, _ *algorithm.Mark) { c.count++ }
func (c *counting) Spent(messages.NodeID, int, accountant.Loss) error      { return nil }
