package algorithm_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// halved is Laplace noise of scale 2 on what moves by 1.
func halved() algorithm.Release {
	return algorithm.Release{
		Noise: noise.Additive{Law: noise.LaplaceLaw, Scale: 2}, Moves: noise.Moves{L1: 1, L2: 1}, Purpose: rng.PurposeOf("test"),
	}
}

// Release pays before it draws, takes the noise of the keyed stream, and marks by what
// it paid; the mass of push-sum has no noise.
func TestRelease(t *testing.T) {
	rule := &inbox.Rule{Start: []float64{0, 0, 1}, PushSum: true}
	for _, pushSum := range []bool{false, true} {
		b := newBench(t, nil)
		var want []float64
		_, outbox, failure := b.step(1, func(turn *algorithm.Turn) error {
			want = []float64{1, 2, 3}
			heard, secret := (*inbox.Inbox)(nil), want
			if pushSum {
				kept := inbox.NewInbox(rule)
				heard, secret = &kept, want[:2]
			}
			r := halved()
			first := r.Purpose.Again(0)
			var stream rng.Stream
			if _, err := r.Noise.Release(secret, stream.Open(rng.NewKey(9, first), 1, 1, 0), r.Moves, func(accountant.Loss) error { return nil }); err != nil {
				return err
			}
			return turn.ReleaseTo(0, r, &messages.Vector{Values: []float64{1, 2, 3}}, heard)
		})
		if failure != nil {
			t.Fatal(failure)
		}
		sent := outbox.Singles(0)[0].Payload.(*messages.Vector)
		if !slices.Equal(sent.Values, want) || sent.Exposure != messages.Released || pushSum != (sent.Values[2] == 3) {
			t.Errorf("push-sum %v: sent %v, %v; want %v", pushSum, sent.Values, sent.Exposure, want)
		}
		if line := fmt.Sprintf("node 1 spent %v in step 1", halved().Noise.Loss(halved().Moves)); !slices.Contains(b.meter.lines, line) {
			t.Errorf("%q; want %q", b.meter.lines, line)
		}
	}
}

// Vectors to several neighbours are one release, which is paid for once: each takes noise of
// its own.
func TestReleaseEach(t *testing.T) {
	b := newBench(t, nil)
	var want []float64
	_, outbox, failure := b.step(0, func(turn *algorithm.Turn) error {
		r := halved()
		want = []float64{1, 2, 3, 4}
		first := r.Purpose.Again(0)
		var stream rng.Stream
		if _, err := r.Noise.Release(want, stream.Open(rng.NewKey(9, first), 0, 1, 0), r.Moves, func(accountant.Loss) error { return nil }); err != nil {
			return err
		}
		if err := turn.ReleaseEach(nil, r, nil); err != nil {
			return err
		}
		return turn.ReleaseEach([]messages.NodeID{1, 2}, r, []float64{1, 2, 3, 4})
	})
	if failure != nil {
		t.Fatal(failure)
	}
	for i, to := range []messages.NodeID{1, 2} {
		if sent := outbox.Singles(to)[0].Payload.(*messages.Vector); !slices.Equal(sent.Values, want[2*i:2*i+2]) || sent.Exposure != messages.Released {
			t.Errorf("node %d was sent %v, %v; want %v", to, sent.Values, sent.Exposure, want[2*i:2*i+2])
		}
	}
	paid := 0
	for _, line := range b.meter.lines {
		if line == fmt.Sprintf("node 0 spent %v in step 1", halved().Noise.Loss(halved().Moves)) {
			paid++
		}
	}
	if paid != 1 {
		t.Errorf("paid %d times: %q", paid, b.meter.lines)
	}
}

// A budget that is spent ends the node's part; any other refusal fails the run. Neither
// sends anything.
func TestReleaseThatIsRefused(t *testing.T) {
	for _, refusal := range []error{accountant.ErrBudget, errors.New("the book is closed")} {
		b := newBench(t, nil)
		b.meter.refuse = refusal
		kept := inbox.NewInbox(&inbox.Rule{Start: []float64{7}, Missing: inbox.MissingRenormalise})
		before := messages.Write(nil, keeper{&kept})
		stopped, outbox, failure := b.step(1, func(turn *algorithm.Turn) error {
			return turn.Release(halved(), &messages.Vector{Values: []float64{1}}, &kept)
		})
		budget := errors.Is(refusal, accountant.ErrBudget)
		if stopped != budget || (failure == nil) != budget || !outbox.Empty() || !slices.Equal(messages.Write(nil, keeper{&kept}), before) {
			t.Errorf("%v: stopped %v, %v, outbox %+v", refusal, stopped, failure, outbox)
		}
	}
}

// keeper is the state of what is kept.
type keeper struct{ *inbox.Inbox }

func (k keeper) State(c *messages.Codec) { k.Keep(c) }

// What data move is not public, and raw is what the verb says.
func TestReleasesSayWhatTheyShow(t *testing.T) {
	b := newBench(t, nil)
	_, outbox, failure := b.step(1, func(turn *algorithm.Turn) error {
		r := halved()
		r.Public = "the weather"
		return turn.Release(r, &messages.Vector{Values: []float64{1}}, nil)
	})
	if failure == nil || !outbox.Empty() {
		t.Errorf("released as public what moves: %v", failure)
	}
	_, outbox, failure = b.step(1, func(turn *algorithm.Turn) error {
		r := halved()
		r.Public, r.Moves = "the weather", noise.Moves{}
		return errors.Join(turn.Release(r, &messages.Vector{Values: []float64{1}}, nil), turn.SendRaw(0, &messages.Vector{Values: []float64{2}}))
	})
	if failure != nil || outbox.Broadcast.Kind().Exposure() != messages.Public || outbox.Singles(0)[0].Payload.Kind().Exposure() != messages.Raw {
		t.Errorf("%v, sent %+v", failure, outbox)
	}
}
