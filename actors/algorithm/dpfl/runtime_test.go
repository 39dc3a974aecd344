package dpfl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/engine"
	"starling/actors/internal/runtimetest"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
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

// ledger is a meter that writes everything down, the sampled steps of payments
// included, and refuses those of some clients from a step on.
type ledger struct {
	*runtimetest.Meter
	refused map[messages.NodeID]int
}

func (l *ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if from, ok := l.refused[node]; ok && step >= from {
		return fmt.Errorf("%w: nothing is left", accountant.ErrBudget)
	}
	return l.Meter.Spent(node, step, accountant.Loss{Epsilon: loss.Epsilon + loss.Sampled.Rate + loss.Sampled.Noise})
}

// snapshot is what a run left at a pause.
type snapshot struct {
	state []byte
	meter *runtimetest.Meter
}

// execute runs from a snapshot, or from the beginning where that is nil, with a
// pause after every so many steps, and returns all that must not depend on how it
// was executed. change replaces machines of the run.
func execute(t fataler, o dpfl.Options, refused map[messages.NodeID]int, from *snapshot, every int, runtime func(*algorithm.Run) error, change ...func(*algorithm.Run)) (runtimetest.Outcome, []*snapshot) {
	t.Helper()
	meter := &ledger{runtimetest.NewMeter(len(o.Clients) + 1), refused}
	run := newRun(o, meter)
	if from != nil {
		if err := run.RestoreState(from.state); err != nil {
			t.Fatalf("restoring: %v", err)
		}
		meter.Set(from.meter)
	}
	for _, c := range change {
		c(run)
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

// refusals are which clients are refused, from which step on.
func refusals() []map[messages.NodeID]int {
	return []map[messages.NodeID]int{nil, {2: 3}, {1: 1, 2: 4, 3: 4}}
}

// Both runtimes leave the same bits, however participants are sharded.
func TestRuntimesAgree(t *testing.T) {
	host := newHost(t)
	for name, o := range sampleRuns() {
		for _, refused := range refusals() {
			want, _ := execute(t, o, refused, nil, 0, sequential)
			for _, shards := range []int{1, 2, 4} {
				got, _ := execute(t, o, refused, nil, 0, on(host, shards))
				if diff := runtimetest.Diff(want, got); diff != "" {
					t.Fatalf("%s, refused %v, %d shards (-lockstep +actors):\n%s", name, refused, shards, diff)
				}
			}
		}
	}
}

// comparer are samples that are compared in one pass.
type comparer struct {
	samples
	passes *atomic.Int64
}

func (c comparer) SumChanges(atFrom, atTo, from, to []float64, list []int, clip, bound float64) float64 {
	c.passes.Add(1)
	c.SumClipped(atFrom, from, list, clip)
	c.SumClipped(atTo, to, list, clip)
	return c.SumLossChanges(from, to, list, bound)
}

// Data that are compared in one pass leave the same bits as data that are not,
// and are compared by every client in every round after which tau is chosen.
func TestComparer(t *testing.T) {
	for _, sort := range []func(*dpfl.Options){func(*dpfl.Options) {}, private, public} {
		o := adaptive(sort)
		want, _ := execute(t, o, nil, nil, 0, sequential)
		var passes atomic.Int64
		for _, list := range []*[]dpfl.Data{&o.Clients, &o.Adaptive.Public} {
			wrapped := slices.Clone(*list)
			for i, data := range wrapped {
				wrapped[i] = comparer{data.(samples), &passes}
			}
			*list = wrapped
		}
		got, _ := execute(t, o, nil, nil, 0, sequential)
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Errorf("%s statistics (-three calls +one pass):\n%s", o.Adaptive.Statistics, diff)
		}
		if want := int64(len(o.Clients) * (o.Rounds - 2)); passes.Load() != want {
			t.Errorf("%s statistics: %d comparisons, want %d", o.Adaptive.Statistics, passes.Load(), want)
		}
	}
}

// What a server with many clients sums does not depend on shards: 150 clients are
// three blocks of senders.
func TestManyClients(t *testing.T) {
	host := newHost(t)
	var clients []dpfl.Data
	for i := range 150 {
		clients = append(clients, softmax(i%5, 12+i%7, 2))
	}
	for _, o := range []dpfl.Options{
		fixed(func(o *dpfl.Options) { o.Clients, o.Rounds, o.Tau = clients, 3, 1 }),
		adaptive(func(o *dpfl.Options) { o.Clients, o.Rounds = clients, 4 }),
	} {
		want, _ := execute(t, o, nil, nil, 0, sequential)
		for _, shards := range []int{1, 3, 64} {
			got, _ := execute(t, o, nil, nil, 0, on(host, shards))
			if diff := runtimetest.Diff(want, got); diff != "" {
				t.Fatalf("%d shards (-lockstep +actors):\n%s", shards, diff)
			}
		}
	}
}

// A run that goes on from any of its rounds, on either runtime, ends as the run
// that never paused.
func TestResumedRunsAreTheSame(t *testing.T) {
	host := newHost(t)
	for name, o := range sampleRuns() {
		for _, refused := range refusals() {
			want, _ := execute(t, o, refused, nil, 0, sequential)
			got, pauses := execute(t, o, refused, nil, 1, on(host, 2))
			if diff := runtimetest.Diff(want, got); diff != "" || len(pauses) != o.Rounds-1 {
				t.Fatalf("%s: %d pauses (-straight +paused):\n%s", name, len(pauses), diff)
			}
			for k, pause := range pauses {
				for runtime, run := range map[string]func(*algorithm.Run) error{"lockstep": sequential, "actors": on(host, 3)} {
					got, _ := execute(t, o, refused, pause, 0, run)
					if diff := runtimetest.Diff(want, got); diff != "" {
						t.Fatalf("%s, %s from round %d (-straight +resumed):\n%s", name, runtime, k+2, diff)
					}
				}
			}
		}
	}
}

// reborn is a machine that is replaced, before every turn, by a new one restored
// from its state.
type reborn struct {
	algorithm.Machine
	fresh func() algorithm.Machine
}

func (b *reborn) Step(t *algorithm.Turn) error {
	state := b.AppendState(nil)
	b.Machine = b.fresh()
	if err := b.RestoreState(state); err != nil {
		return err
	}
	return b.Machine.Step(t)
}

// rebornFolder is reborn for a folder.
type rebornFolder struct{ *reborn }

func (b rebornFolder) FoldLength() int { return b.Machine.(algorithm.Folder).FoldLength() }

func (b rebornFolder) Fold(sum []float64, e *messages.Envelope) {
	b.Machine.(algorithm.Folder).Fold(sum, e)
}

// A state is complete between the hops of a round too.
func TestStateIsCompleteInEveryTurn(t *testing.T) {
	for name, o := range sampleRuns() {
		want, _ := execute(t, o, nil, nil, 0, sequential)
		got, _ := execute(t, o, nil, nil, 0, sequential, func(r *algorithm.Run) {
			for i, m := range r.Machines {
				b := &reborn{m, func() algorithm.Machine { return newRun(o, runtimetest.Silent{}).Machines[i] }}
				r.Machines[i] = b
				if _, ok := m.(algorithm.Folder); ok {
					r.Machines[i] = rebornFolder{b}
				}
			}
		})
		if diff := runtimetest.Diff(want, got); diff != "" {
			t.Fatalf("%s (-whole +reborn):\n%s", name, diff)
		}
	}
}

// A state that no run has is refused.
func TestRestoreRefuses(t *testing.T) {
	for name, o := range map[string]dpfl.Options{"fixed": fixed(budget(9)), "adaptive": adaptive(budget(9))} {
		for i, m := range newRun(o, runtimetest.Silent{}).Machines {
			state := m.AppendState(nil)
			for cut := range state {
				if m.RestoreState(state[:cut]) == nil {
					t.Fatalf("%s, node %d: %d of %d bytes are accepted", name, i, cut, len(state))
				}
			}
			if m.RestoreState(append(slices.Clone(state), 0)) == nil {
				t.Errorf("%s, node %d: a byte more is accepted", name, i)
			}
			// Both begin with two counts: rounds or tau, and local steps.
			for _, counts := range [][2]int{{-1, 0}, {1 << 40, 1 << 40}, {1, -1}, {1, 22}} {
				wrong := messages.AppendInt(messages.AppendInt(nil, counts[0]), counts[1])
				if err := m.RestoreState(append(wrong, state[len(wrong):]...)); err == nil || !strings.HasPrefix(err.Error(), "state of ") {
					t.Errorf("%s, node %d: counts %v gave %v", name, i, counts, err)
				}
			}
		}
	}
}

// Messages by formula, n clients and d parameters: n models up and n down a round.
// A choice adds n pairs, n gradients and n taus. A vector of k numbers has 5 + 8 k
// bytes.
func TestTraffic(t *testing.T) {
	size := func(k int64) int64 { return 5 + 8*k }
	for name, o := range sampleRuns() {
		outcome, _ := execute(t, o, nil, nil, 0, sequential)
		n, d := int64(len(o.Clients)), int64(len(o.Start))
		for round := 1; round <= o.Rounds; round++ {
			want := [2]int64{2 * n, 2 * n * size(d)}
			if o.Adaptive != nil && round >= 2 && round < o.Rounds {
				want = [2]int64{5 * n, n * (3*size(d) + size(2) + size(1))}
			}
			if got := outcome.Traffic[round]; got != want {
				t.Errorf("%s, round %d: %d messages, bytes, want %d", name, round, got, want)
			}
		}
	}
}

// What a ledger of messages sees: models are protected where there is noise, the
// statistics and the tau that they decide unless they are as printed.
func TestProtection(t *testing.T) {
	for name, test := range map[string]struct {
		options            dpfl.Options
		models, statistics bool
	}{
		"fixed":      {fixed(), true, true},
		"no noise":   {sampleRuns()["no noise"], false, true},
		"as printed": {adaptive(), true, false},
		"private":    {adaptive(private), true, true},
		"public":     {adaptive(public), true, true},
	} {
		for node := range messages.NodeID(4) {
			w := &lockstep.Watcher{Node: node, Visit: func(w *lockstep.Watched) error {
				for i := range w.Inbox {
					v := w.Inbox[i].Payload.(*messages.Vector)
					want := test.models
					if w.Hop == 3 || w.Hop == 1 && w.Inbox[i].Seq == 1 || w.Hop == 0 && len(v.Values) == 1 {
						want = test.statistics
					}
					if v.Protected != want {
						t.Errorf("%s: round %d, hop %d, node %d receives %v, protected %v", name, w.Step, w.Hop, node, v.Values, v.Protected)
					}
				}
				return nil
			}}
			if err := lockstep.Watch(context.Background(), newRun(test.options, runtimetest.Silent{}), w); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Gradients that are no numbers fail the run, in the client's name.
func TestBadGradientsFail(t *testing.T) {
	broken := samples{30, nil, func(dst, _ []float64, _ int) { dst[0] = 0 / dst[len(dst)-1] }}
	o := fixed(func(o *dpfl.Options) { o.Clients[1] = broken })
	err := sequential(newRun(o, runtimetest.Silent{}))
	if err == nil || err.Error() != "step 1, node 2: entry 1 of the sent vector is NaN" {
		t.Errorf("error %v", err)
	}
}
