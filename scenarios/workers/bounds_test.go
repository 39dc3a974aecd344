package workers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"starling/actors/remote"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/workers"
)

// states is a worker that sends a piece of a state so many times, and then fails.
func states(t *testing.T, count int) (address string) {
	return impostor(t, func(l *remote.Link, m *workers.ToWorker) {
		if m.GetStudy() != nil {
			sayReady(l)
		} else if job := m.GetJob(); job != nil {
			for i := range count {
				say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_State{State: &workers.State{Index: job.Index, Bytes: []byte("nonsense"), Last: i == count-1}}})
			}
			say(l, &workers.ToCoordinator{Kind: &workers.ToCoordinator_Failed{Failed: &workers.Failed{Index: job.Index, Reason: []byte("out of luck")}}})
		}
	})
}

// TestStatesHaveABound has a worker be sent a state that is longer than it takes, and one send a
// state without end: both are refused with the reason, and the run fails by name. A worker held
// states of any size in memory, and a refusal after the scenario was what nobody asked for.
func TestStatesHaveABound(t *testing.T) {
	file, overrides, load := write(t, scenariotest.Base, "seeds.count=1")
	run := func(o runner.RunOptions, address string, bound int64) error {
		p, _ := pool(t, file, workers.Options{Overrides: overrides, Patience: 3 * time.Second, State: bound}, address)
		o.Elsewhere = p
		_, err := runner.Run(load(), t.Context(), o)
		return err
	}
	check := func(err error, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want an error that says %q", err, want)
			}
		}
	}
	o := options(t, nil)
	check(run(o, states(t, 4), 20), "no worker is left", "refused: the state of the job of arm base, seed 1 that it sends has more than 20 bytes")
	check(run(o, states(t, 2), 20), "out of luck") // and leaves 16 bytes
	w := start(t, settings{State: 10})
	check(run(o, w.address, 0), "no worker is left", w.address, "refused: the state that a job is to go on from has more than the 10 bytes that this worker takes")
	w = start(t, settings{State: 16})
	check(run(o, w.address, 0), "the checkpoint cannot be read")
}

// TestCallersHaveABound has strangers call a worker by tokens of no run, and leave: few tokens are
// kept. Each had a room for good.
func TestCallersHaveABound(t *testing.T) {
	w := start(t, settings{})
	n, err := remote.Start(remote.Options{Listen: "127.0.0.1:0", Identity: identity()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	refused := func(token string) bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		l, err := n.Open(ctx, w.address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close("gone")
		text, err := proto.Marshal(&workers.ToWorker{Kind: &workers.ToWorker_Peer{Peer: &workers.Peer{Token: []byte(token)}}})
		if err == nil {
			err = l.Send(ctx, text)
		}
		if err != nil {
			t.Fatal(err)
		}
		soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err = l.Receive(soon)
		var closed *remote.ClosedError
		return errors.As(err, &closed) && strings.Contains(closed.Reason, "too many have called of whom")
	}
	if !refused(strings.Repeat("long", 1000)) {
		t.Error("a token of 4000 bytes is kept")
	}
	for i := range 16 {
		if refused(fmt.Sprint(i)) {
			t.Fatalf("caller %d is refused", i)
		}
	}
	if !refused("one more") {
		t.Error("callers have no bound")
	}
}
