package ofl_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/rs/zerolog"
	"pgregory.net/rapid"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/engine"
	"starling/actors/internal/runtimetest"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/messages"
)

func sequential(r *algorithm.Run) error { return lockstep.Run(context.Background(), r) }

// on returns the actor runtime with so many shards.
func on(host *engine.Host, shards int) func(*algorithm.Run) error {
	return func(r *algorithm.Run) error {
		return host.Run(context.Background(), r, engine.Options{Shards: shards, Lookahead: 1 + shards%3})
	}
}

func newHost(t testing.TB) *engine.Host {
	t.Helper()
	host := must(engine.NewHost(engine.HostOptions{Workers: 3, Logger: zerolog.Nop()}))
	t.Cleanup(host.Close)
	return host
}

// ledger is a meter that writes everything down, the rho of payments included,
// and refuses those of some learners.
type ledger struct {
	*runtimetest.Meter
	refused map[messages.NodeID]bool
}

func (l *ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if l.refused[node] {
		return fmt.Errorf("%w: nothing is left", accountant.ErrBudget)
	}
	return l.Meter.Spent(node, step, accountant.Loss{Epsilon: loss.Rho})
}

// snapshot is what a run left at a pause.
type snapshot struct {
	state []byte
	meter *runtimetest.Meter
}

// execute runs from a snapshot, or from the beginning where that is nil, with a
// pause after every so many steps, and returns all that must not depend on how
// it was executed.
func execute(t fataler, o ofl.Options, refused map[messages.NodeID]bool, from *snapshot, every int, runtime func(*algorithm.Run) error) (runtimetest.Outcome, []*snapshot) {
	t.Helper()
	meter := &ledger{runtimetest.NewMeter(o.Participants()), refused}
	run := newRun(o, meter)
	if from != nil {
		if err := run.RestoreState(from.state); err != nil {
			t.Fatalf("restoring: %v", err)
		}
		meter.Set(from.meter)
	}
	var pauses []*snapshot
	run.Pauses = algorithm.Pauses{Every: every, Save: func(s *algorithm.State) error {
		state, err := run.AppendState(nil, s)
		pauses = append(pauses, &snapshot{state, meter.Clone()})
		return err
	}}
	if err := runtime(run); err != nil {
		t.Fatalf("run: %v", err)
	}
	outcome := runtimetest.Outcome{Books: meter.Books, Traffic: meter.Traffic()}
	for _, m := range run.Machines {
		outcome.States = append(outcome.States, m.AppendState(nil))
	}
	return outcome, pauses
}

// Both runtimes leave the same bits, however participants are sharded, with
// noise of every kind, in both versions, and where learners stop.
func TestRuntimesAgree(t *testing.T) {
	host := newHost(t)
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			for _, refused := range []map[messages.NodeID]bool{nil, {2: true}, {1: true, 2: true, 3: true}} {
				o := described(kind, func(o *ofl.Options) { o.Version, o.Rounds, o.Tau = version, 3, 2 })
				want, _ := execute(t, o, refused, nil, 0, sequential)
				for _, shards := range []int{1, 2, 3, o.Participants()} {
					got, _ := execute(t, o, refused, nil, 0, on(host, shards))
					if diff := runtimetest.Diff(want, got); diff != "" {
						t.Fatalf("%q, version %d, %d shards (-lockstep +actors):\n%s", kind, version, shards, diff)
					}
				}
			}
		}
	}
}

// A run that goes on from any of its steps, in the middle of a round or between
// two, on either runtime, ends as the run that never paused.
func TestResumedRunsAreTheSame(t *testing.T) {
	host := newHost(t)
	for _, kind := range kinds() {
		for _, version := range []ofl.Version{ofl.PerRound, ofl.PerStep} {
			for _, refused := range []map[messages.NodeID]bool{nil, {1: true}} {
				o := described(kind, func(o *ofl.Options) { o.Version, o.Rounds, o.Tau = version, 3, 3 })
				want, _ := execute(t, o, refused, nil, 0, sequential)
				got, pauses := execute(t, o, refused, nil, 1, on(host, 2))
				if diff := runtimetest.Diff(want, got); diff != "" || len(pauses) != o.Steps()-1 {
					t.Fatalf("%q, version %d: %d pauses (-straight +paused):\n%s", kind, version, len(pauses), diff)
				}
				for k, pause := range pauses {
					for name, runtime := range map[string]func(*algorithm.Run) error{"lockstep": sequential, "actors": on(host, 3)} {
						got, _ := execute(t, o, refused, pause, 0, runtime)
						if diff := runtimetest.Diff(want, got); diff != "" {
							t.Fatalf("%q, version %d, %s from step %d (-straight +resumed):\n%s", kind, version, name, k+1, diff)
						}
					}
				}
			}
		}
	}
}

// Any run at all: any shape, any kind, any shards, resumed anywhere.
func TestRandomRuns(t *testing.T) {
	host := newHost(t)
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
		want, pauses := execute(t, o, refused, nil, 1, sequential)
		shards := rapid.IntRange(1, o.Participants()).Draw(t, "shards")
		got, _ := execute(t, o, refused, nil, 0, on(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-lockstep +actors:\n%s", diff)
		}
		if len(pauses) == 0 {
			return
		}
		got, _ = execute(t, o, refused, rapid.SampledFrom(pauses).Draw(t, "pause"), 0, on(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("-straight +resumed:\n%s", diff)
		}
	})
}

// What the server sums does not depend on shards: 200 learners are senders of
// four blocks, which shards cut anywhere. The order of a sum of their gradients
// shows in its last bits.
func TestFoldOrder(t *testing.T) {
	host := newHost(t)
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
	want, _ := execute(t, o, nil, nil, 0, sequential)
	for _, shards := range []int{1, 2, 3, 7, 64, 401} {
		got, _ := execute(t, o, nil, nil, 0, on(host, shards))
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("%d shards (-lockstep +actors):\n%s", shards, diff)
		}
	}
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
			outcome, _ := execute(t, o, refused, nil, 0, sequential)
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
