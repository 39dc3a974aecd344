package ofl_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/runtimetest"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/messages"
)

// ledger is a meter that writes everything down and refuses those of some learners.
type ledger struct {
	*runtimetest.Meter
	refused map[messages.NodeID]bool
}

func (l *ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if l.refused[node] {
		return fmt.Errorf("%w: nothing is left", accountant.ErrBudget)
	}
	return l.Meter.Spent(node, step, loss)
}

// fresh makes runs of the options in which some learners are refused, each
// changed before it begins or goes on.
func fresh(o ofl.Options, refused map[messages.NodeID]bool, changes ...func(*algorithm.Run)) algorithmtest.Fresh {
	return func() (*algorithm.Run, *runtimetest.Meter) {
		meter := &ledger{runtimetest.NewMeter(o.Participants()), refused}
		run := newRun(o, meter)
		for _, change := range changes {
			change(run)
		}
		return run, meter.Meter
	}
}

// Both runtimes leave the same bits, however participants are sharded, with
// noise of every kind, in both versions, and where learners stop.
func TestRuntimesAgree(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			for _, refused := range []map[messages.NodeID]bool{nil, {2: true}, {1: true, 2: true, 3: true}} {
				o := described(kind, func(o *ofl.Options) { o.Version, o.Rounds, o.Tau = version, 3, 2 })
				fresh(o, refused).CheckRuntimes(t, host, fmt.Sprintf("%q, version %d", kind, version), 1, 2, 3, o.Participants())
			}
		}
	}
}

// A run that goes on from any of its steps, in the middle of a round or between
// two, on either runtime, ends as the run that never paused.
func TestResumedRunsAreTheSame(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			for _, refused := range []map[messages.NodeID]bool{nil, {1: true}} {
				o := described(kind, func(o *ofl.Options) { o.Version, o.Rounds, o.Tau = version, 3, 3 })
				name := fmt.Sprintf("%q, version %d", kind, version)
				if pauses := fresh(o, refused).CheckResumes(t, host, name, 1); pauses != o.Steps()-1 {
					t.Errorf("%s: %d pauses, want %d", name, pauses, o.Steps()-1)
				}
			}
		}
	}
}

// Any run at all: any shape, any kind, any shards, resumed anywhere.
func TestRandomRuns(t *testing.T) {
	host := algorithmtest.NewHost(t)
	rapid.Check(t, func(t *rapid.T) {
		o := described(rapid.SampledFrom(kinds()).Draw(t, "kind"), func(o *ofl.Options) {
			o.Version = rapid.SampledFrom([]ofl.Version{ofl.PerRound, ofl.PerStep}).Draw(t, "version")
			o.Learners = rapid.IntRange(1, 9).Draw(t, "n")
			o.Rounds = rapid.IntRange(1, 5).Draw(t, "R")
			o.Tau = rapid.IntRange(1, 5).Draw(t, "tau")
		})
		refused := map[messages.NodeID]bool{}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, o.Learners-1), 0, 2).Draw(t, "refused") {
			refused[ofl.Learner(i)] = true
		}
		want, pauses := fresh(o, refused).FinishWithPauses(t, 1, algorithmtest.Lockstep)
		shards := rapid.IntRange(1, o.Participants()).Draw(t, "shards")
		got := fresh(o, refused).Finish(t, algorithmtest.Actors(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
		if len(pauses) == 0 {
			return
		}
		got = fresh(o, refused).FinishFrom(t, rapid.SampledFrom(pauses).Draw(t, "pause"), algorithmtest.Actors(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-straight +resumed:\n%s", diff)
		}
	})
}

// What the server sums does not depend on shards: 200 learners are senders of
// four blocks, which shards cut anywhere. The order of a sum of their gradients
// shows in its last bits.
func TestFoldOrder(t *testing.T) {
	host := algorithmtest.NewHost(t)
	o := described(factorization.Independent, func(o *ofl.Options) { o.Learners, o.Rounds, o.Tau = 200, 3, 1 })
	var forwards, backwards [3]float64
	tr := newPaper(o, 7).algorithm1()
	for i := range o.Learners {
		axpy(forwards[:], 1, tr.sent[i][0])
		axpy(backwards[:], 1, tr.sent[o.Learners-1-i][0])
	}
	if forwards == backwards || math.IsNaN(forwards[0]) {
		t.Fatalf("the order of the sum %v does not show", forwards)
	}
	fresh(o, nil).CheckRuntimes(t, host, "many participants", 1, 2, 3, 7, 64, 401)
}

// Traffic by formula: in every step n data go to learners, and at the end of a
// round n vectors go up and n come down. A vector of d numbers has 5 + 8 d bytes.
// Of a learner that has stopped only the vector up is missing: neither its
// clients nor the server know.
func TestTraffic(t *testing.T) {
	for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
		o := described(factorization.Tree, func(o *ofl.Options) { o.Version = version })
		d, width := int64(len(o.Start)), int64(o.Data.Width())
		for _, refused := range []map[messages.NodeID]bool{nil, {2: true}} {
			outcome := fresh(o, refused).Finish(t, algorithmtest.Lockstep)
			n := int64(o.Learners)
			up := n - int64(len(refused))
			for step := range o.Steps() {
				want := [2]int64{n, n * (5 + 8*width)}
				if step%o.Tau == o.Tau-1 {
					want = [2]int64{n + up + n, want[1] + (up+n)*(5+8*d)}
				}
				if got := outcome.Traffic[step]; got != want {
					t.Errorf("version %d, %d refused, step %d: %d messages, bytes, want %d", version, len(refused), step, got, want)
				}
			}
		}
	}
}
