package workload

import (
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"starling/actors/algorithm"
	"starling/actors/engine"
)

// engineTurns is the number of turns of participants in a run of the engine, so many that
// starting and stopping the participants is a small part of it.
const engineTurns = 500_000

// engines are the workloads of the actor engine alone: no data, no noise, no meter.
func engines() (list []Workload) {
	for _, n := range []int{6, 1000, 10_000} {
		list = append(list, Workload{
			Name: fmt.Sprintf("engine/star/n=%d", n), Unit: turnUnit,
			Summary: fmt.Sprintf("actor engine: %d clients of a server, d = %d, %d local steps a round on data at hand", n, starDim, localSteps),
			prepare: func(ctx context.Context, e *Environment) (*Prepared, error) {
				rounds := e.steps(engineTurns, n)
				return onEngine(ctx, n*rounds, plainStar(n, rounds), func() (*algorithm.Run, error) { return starRun(n, rounds) })
			},
		})
	}
	for _, d := range []int{2, 100} {
		for _, n := range []int{6, 1000, 10_000} {
			list = append(list, Workload{
				Name: fmt.Sprintf("engine/gossip/d=%d/n=%d", d, n), Unit: turnUnit,
				Summary: fmt.Sprintf("actor engine: %d nodes average over %d neighbours, d = %d", n, min(degree, n-1), d),
				prepare: func(ctx context.Context, e *Environment) (*Prepared, error) {
					return prepareGossip(ctx, n, d, e.steps(engineTurns, n))
				},
			})
		}
	}
	return list
}

// onEngine runs the run that make returns on a host of its own, anew every time.
func onEngine(ctx context.Context, turns int, loop func(), make func() (*algorithm.Run, error)) (*Prepared, error) {
	host, err := engine.NewHost(engine.HostOptions{Logger: zerolog.Nop()})
	if err != nil {
		return nil, err
	}
	var next *algorithm.Run
	p := &Prepared{
		Units:  turns,
		Before: func() (err error) { next, err = make(); return err },
		Run:    func() error { return host.Run(ctx, next, engine.Options{}) },
		Close:  func() { host.Close() },
		Scales: loop != nil,
	}
	if loop != nil {
		p.Loop = func() error { loop(); return nil }
	}
	return p, nil
}
