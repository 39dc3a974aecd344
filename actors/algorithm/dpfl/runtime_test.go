package dpfl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/mechanisms/accountant"
	"starling/messages"
)

// ledger is a meter that writes everything down and refuses those of some clients from a step on.
type ledger struct {
	*runtimetest.Meter
	refused map[messages.NodeID]int
}

func (l *ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if from, ok := l.refused[node]; ok && step >= from {
		return fmt.Errorf("%w: nothing is left", accountant.ErrBudget)
	}
	return l.Meter.Spent(node, step, loss)
}

// fresh makes runs of the options in which some clients are refused from a step
// on, each changed before it begins or goes on.
func fresh(o dpfl.Options, refused map[messages.NodeID]int, changes ...func(*algorithm.Run)) algorithmtest.Fresh {
	return func() (*algorithm.Run, *runtimetest.Meter) {
		meter := &ledger{runtimetest.NewMeter(len(o.Clients) + 1), refused}
		run := newRun(o, meter)
		for _, change := range changes {
			change(run)
		}
		return run, meter.Meter
	}
}

// refusals are which clients are refused, from which step on.
func refusals() []map[messages.NodeID]int {
	return []map[messages.NodeID]int{nil, {2: 3}, {1: 1, 2: 4, 3: 4}}
}

// Both runtimes leave the same bits, however participants are sharded.
func TestRuntimesAgree(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for name, o := range sampleRuns() {
		for _, refused := range refusals() {
			fresh(o, refused).CheckRuntimes(t, host, fmt.Sprintf("%s, refused %v", name, refused), 1, 2, 4)
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
		want := fresh(o, nil).Finish(t, algorithmtest.Lockstep)
		var passes atomic.Int64
		for _, list := range []*[]dpfl.Data{&o.Clients, &o.Adaptive.Public} {
			wrapped := slices.Clone(*list)
			for i, data := range wrapped {
				wrapped[i] = comparer{data.(samples), &passes}
			}
			*list = wrapped
		}
		got := fresh(o, nil).Finish(t, algorithmtest.Lockstep)
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
	host := algorithmtest.NewHost(t)
	var clients []dpfl.Data
	for i := range 150 {
		clients = append(clients, softmax(i%5, 12+i%7, 2))
	}
	for _, o := range []dpfl.Options{
		fixed(func(o *dpfl.Options) { o.Clients, o.Rounds, o.Tau = clients, 3, 1 }),
		adaptive(func(o *dpfl.Options) { o.Clients, o.Rounds = clients, 4 }),
	} {
		fresh(o, nil).CheckRuntimes(t, host, "many participants", 1, 3, 64)
	}
}

// A run that goes on from any of its rounds, on either runtime, ends as the run
// that never paused.
func TestResumedRunsAreTheSame(t *testing.T) {
	host := algorithmtest.NewHost(t)
	for name, o := range sampleRuns() {
		for _, refused := range refusals() {
			if pauses := fresh(o, refused).CheckResumes(t, host, name, 1); pauses != o.Rounds-1 {
				t.Errorf("%s: %d pauses, want %d", name, pauses, o.Rounds-1)
			}
		}
	}
}

// A state is complete between the hops of a round too.
func TestStateIsCompleteInEveryTurn(t *testing.T) {
	for name, o := range sampleRuns() {
		fresh(o, nil).CheckReborn(t, name)
	}
}

// A state that no run has is refused.
func TestRestoreRefuses(t *testing.T) {
	for name, o := range map[string]dpfl.Options{"fixed": fixed(budget(9)), "adaptive": adaptive(budget(9))} {
		for i, m := range newRun(o, runtimetest.Silent{}).Machines {
			state := messages.Write(nil, m)
			for cut := range state {
				if messages.Read(state[:cut], m) == nil {
					t.Fatalf("%s, node %d: %d of %d bytes are accepted", name, i, cut, len(state))
				}
			}
			if messages.Read(append(slices.Clone(state), 0), m) == nil {
				t.Errorf("%s, node %d: a byte more is accepted", name, i)
			}
			// Both begin with two counts: rounds or tau, and local steps.
			for _, counts := range [][2]int{{-1, 0}, {1 << 40, 1 << 40}, {1, -1}, {1, 22}} {
				wrong := messages.Write(nil, messages.StateFunc(func(c *messages.Codec) {
					c.Int("", &counts[0])
					c.Int("", &counts[1])
				}))
				if err := messages.Read(append(wrong, state[len(wrong):]...), m); err == nil || !strings.HasPrefix(err.Error(), "state of ") {
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
		outcome := fresh(o, nil).Finish(t, algorithmtest.Lockstep)
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
		"no noise":   {sampleRuns()["no noise"], false, false},
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
					if (v.Exposure == messages.Released) != want || v.Exposure == messages.Public {
						t.Errorf("%s: round %d, hop %d, node %d receives %v, exposure %v", name, w.Step, w.Hop, node, v.Values, v.Exposure)
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
	err := algorithmtest.Lockstep(newRun(o, runtimetest.Silent{}))
	if err == nil || err.Error() != "step 1, node 2: entry 1 of the sent vector is NaN" {
		t.Errorf("error %v", err)
	}
}
