package scenarios_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// heavyBall has local steps with a momentum that each client keeps from round to round. The loss of a client is
// half the squared distance from its number, plus one, in every entry.
const heavyBall = `
import os
import numpy as np

class Ball:
    common_tests = True
    def __init__(self, **given): pass
    def losses(self, x, models, nodes, steps):
        return 0.5 * ((x[models] - (nodes + 1)[:, None]) ** 2).sum(axis=1)
    def local(self, x, nodes, round, steps, rate, batch, state):
        x, state = x.copy(), state.copy()
        for i, node in enumerate(nodes):
            for _ in range(steps[i]):
                state[i] = 0.5 * state[i] + (x[i] - (node + 1))
                x[i] -= rate * state[i]
        return {"models": x, "state": state}
`

// ballOf is a scenario of heavyBall: nine clients of dp-fedavg in three dimensions, without noise.
func ballOf(t *testing.T, code, state, more string) (text string, sets []string) {
	t.Helper()
	text, _ = servedBy(written(t, code, "Ball", ", offers: [local, losses]"+state), "dp-fedavg")
	return text, []string{"algorithm={kind: dp-fedavg, learning_rate: 0.05, clip: 1e9, samples: 2, tau: 2, " + more + "}", "mechanism={kind: none}", "measure={every: 1, metrics: [loss.train]}", "problem.set=null", "problem.dimension=3"}
}

// TestPythonState has the losses of a plain loop over clients that keep their momentum; a population keeps it as
// clients that are held do, and engines, shards and a kill in a round change no bit.
func TestPythonState(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	text, sets := ballOf(t, heavyBall, ", state: 3", "rate: 1")
	s := loadText(t, text, sets...)
	got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	const clients, dim, rate = 9, 3, 0.05
	w, velocity := 0.0, make([]float64, clients) // all entries are equal
	for step, loss := range scenariotest.ValuesOf(got.Rows, "loss.train") {
		change, want := 0.0, 0.0
		for i := range velocity {
			x := w
			for range 2 {
				velocity[i] = 0.5*velocity[i] + x - float64(i+1)
				x -= rate * velocity[i]
			}
			change += x - w
		}
		w += change / clients
		for i := range velocity {
			want += dim * 0.5 * (w - float64(i+1)) * (w - float64(i+1)) / clients
		}
		if math.Abs(loss-want) > 1e-9 {
			t.Errorf("the loss after step %d is %v, want %v", step+1, loss, want)
		}
	}
	for _, shards := range []int{1, 3} {
		if again := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); again.Digest != got.Digest {
			t.Errorf("digest %s with %d shards, want %s", again.Digest, shards, got.Digest)
		}
	}
	held := scenariotest.ValuesOf(got.Rows, "loss.train")
	text, sets = ballOf(t, heavyBall, ", state: 3", "cohort: 9, draw: server")
	for i, loss := range scenariotest.ValuesOf(measured(t, text, sets...).Rows, "loss.train") {
		if math.Abs(loss-held[i]) > 1e-9 {
			t.Errorf("the loss after step %d is %v of a population, and %v of clients that are held", i+1, loss, held[i])
		}
	}
	for _, more := range []string{"rate: 0.5", "cohort: 4, draw: server"} {
		ballResumes(t, more)
	}
}

// ballResumes kills the class of a run in its round 5; the run goes on from a checkpoint, with the same digest.
func ballResumes(t *testing.T, more string) {
	t.Helper()
	text, sets := ballOf(t, heavyBall, ", state: 3", more)
	sets = append(sets, "checkpoint.every=2")
	want := measured(t, text, sets...).Digest
	mark := filepath.Join(t.TempDir(), "mark")
	kill := fmt.Sprintf("        if round == 5 and not os.path.exists(%q):\n            open(%q, 'w').close(); os.kill(os.getpid(), 9)\n        x, state =", mark, mark)
	text, _ = ballOf(t, strings.Replace(heavyBall, "        x, state =", kill, 1), ", state: 3", more)
	s, options := loadText(t, text, sets...), runner.RunOptions{Engine: runner.Actors, Shards: 2, Out: t.TempDir()}
	if _, err := runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Fatal(more, err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Fatal(err)
	}
	outcome, err := runner.Run(s, t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome.Manifest.Digest; got != want {
		t.Errorf("%s: digest %s after a kill, want %s", more, got, want)
	}
}

// TestPythonStateRefused refuses states that are not kept, and answers of another form.
func TestPythonStateRefused(t *testing.T) {
	text, sets := ballOf(t, heavyBall, "", "rate: 1")
	base := strings.Join(sets, "|") + "|"
	scenariotest.Refuses(t, text, map[string]string{
		base + "problem.state=3|problem.offers=[losses]":    "problem.state: clients keep numbers for the local steps of a class; want offers: [local], or leave this out",
		base + "problem.state=0":                            "problem.state: 0 numbers of state; want 1 to 100000000",
		base + "problem.state=50000000":                     "problem.state: 9 clients keep 50000000 numbers each; want at most",
		base + "problem.state=3|algorithm.kind=dp-scaffold": "and those of dp-scaffold correct each step by their state",
		base + "problem.state=3|algorithm={kind: fedbuff, learning_rate: 0.1, clip: 1, samples: 2, buffer: 3, cohort: 4, draw: server}": "problem.state: draw: server holds only the clients of a round: a client of a buffer may report after another has its place",
	})
	testneeds.Python(t)
	for answer, want := range map[string]string{
		"x":                                      "it returned \"result\"; want a dictionary of models and state",
		"{'models': x, 'state': state[:, 1:]}":   "state has the shape [9 2]; want [9 3]",
		"{'models': x}":                          "it returned no dictionary of models and state",
		"{'models': x, 'state': state * np.nan}": "the state of client 0 has a number that is not finite",
	} {
		code := strings.Replace(heavyBall, `{"models": x, "state": state}`, answer, 1)
		text, sets := ballOf(t, code, ", state: 3", "rate: 1")
		_, err := runner.Run(loadText(t, text, sets...), t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		for _, want := range []string{want, "code.py: Ball.local of 9 clients from 0 to 8 in round 1"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nwant %q in it", answer, err, want)
			}
		}
	}
}
