package workload

import (
	"context"
	"fmt"
	"path/filepath"

	"starling/scenarios/runner"
)

// runTurns is the number of participant-steps of a whole run.
const runTurns = 120_000

// runs are whole runs: a scenario is read, its job runs on the actor engine with its data,
// noise and metrics, and its folder of results is written.
func runs() (list []Workload) {
	add := func(name, summary string, prepare func(ctx context.Context, e *Environment) (*Prepared, error)) {
		list = append(list, Workload{Name: "run/" + name, Summary: summary, Unit: turnUnit, prepare: prepare})
	}
	for _, n := range []int{6, 1000, 10_000} {
		for _, noised := range []bool{false, true} {
			name, with := "federated", "without noise"
			if noised {
				name, with = "federated-noise", "with normal noise on every local step"
			}
			add(fmt.Sprintf("%s/n=%d", name, n), fmt.Sprintf("whole run: %d learners of a server, d = %d, tau = %d, fresh data, %s", n, federatedDim, federatedTau, with),
				func(ctx context.Context, e *Environment) (*Prepared, error) {
					f := federated{learners: n, rounds: e.steps(runTurns, n*federatedTau), noised: noised}
					return e.whole(ctx, f.text(), n*f.rounds*federatedTau, func() error { _, _, err := f.loop(); return err })
				})
		}
	}
	for _, d := range []int{2, 100} {
		for _, n := range []int{6, 1000, 10_000} {
			add(fmt.Sprintf("gossip/d=%d/n=%d", d, n), fmt.Sprintf("whole run: %d nodes learn over %d neighbours, redrawn every step, d = %d, Laplace noise, one metric at the end", n, min(degree, n-1), d),
				func(ctx context.Context, e *Environment) (*Prepared, error) {
					g := gossip{nodes: n, dim: d, steps: e.steps(runTurns, n), noised: true}
					return e.whole(ctx, g.text(), n*g.steps, func() error { _, err := g.loop(); return err })
				})
		}
	}
	return list
}

// whole runs a scenario from its text to its folder.
func (e *Environment) whole(ctx context.Context, text string, turns int, loop func() error) (*Prepared, error) {
	options := runner.RunOptions{Out: filepath.Join(e.Folder, "runs"), Engine: runner.Actors, Again: true, Version: "bench", Build: "bench"}
	run := func() error {
		s, err := e.scenario("run", text)
		if err == nil {
			_, err = runner.Run(s, ctx, options)
		}
		return err
	}
	return &Prepared{Units: turns, Run: run, Loop: loop}, nil
}
