package workload

import (
	"context"
	"fmt"

	"starling/actors/algorithm"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// methods are the algorithms, each with a small problem that it is meant for: the sections of
// a scenario besides horizon, seeds, and measured metrics. steps is the horizon.
var methods = []struct {
	name, about string
	steps       int
	sections    string
}{
	{"dpdonc", "DPDO-NC of 6 sensors, d = 2, Laplace noise", 10000, `nodes: 6
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}
problem: {kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}
topology: {kind: printed}
mechanism: {kind: laplace, epsilon: 1}
`},
	{"ofl", "online federated learning of 20 learners, d = 100, noise by trees", 2000, `nodes: 20
algorithm: {kind: ofl, tau: 4, local_step: 0.1}
problem: {kind: synthetic-logistic, dimension: 100}
topology: {kind: star}
mechanism: {kind: tree, epsilon: 2, delta: 1e-3, calibration: zcdp}
`},
	{"opestoch", "Fed-DP-OPE-Stoch of 10 clients, 100 experts", 4000, `nodes: 10
algorithm: {kind: opestoch}
problem: {kind: uniform-zero, experts: 100}
topology: {kind: star}
mechanism: {kind: dp-fw, epsilon: 10}
`},
	{"dpfl", "DPFL of 10 clients, softmax on images of 28 x 28, tau = 2, batches of 8", 60, `nodes: 10
algorithm: {kind: dpfl, tau: 2, learning_rate: 0.1, batch: 8, clip: 1}
problem: {kind: images, data: synthetic, train: 3000, test: 500, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: sampled-gaussian, sigma: 1.1, delta: 1e-3}
`},
	{"fedavg", "FedAvg of 10 clients, softmax on images of 28 x 28, tau = 2, batches of 8", 60, `nodes: 10
algorithm: {kind: fedavg, tau: 2, learning_rate: 0.1, batch: 8}
problem: {kind: images, data: synthetic, train: 3000, test: 500, model: {kind: softmax}, partition: {kind: iid}}
topology: {kind: star}
mechanism: {kind: none}
`},
	{"dsgd", "decentralised gradient descent of 20 nodes, d = 100, Laplace noise", 1000, `nodes: 20
algorithm: {kind: dsgd}
problem: {kind: logistic, set: {kind: l2-ball, dimension: 100, radius: 10}}
topology: {kind: permutations, degree: 6}
mechanism: {kind: laplace, epsilon: 1}
`},
}

// algorithms are jobs: machines, data, noise and metrics on the actor engine, without a
// folder of results.
func algorithms() (list []Workload) {
	for _, m := range methods {
		list = append(list, Workload{
			Name: "algorithms/" + m.name, Unit: turnUnit, Summary: "job: " + m.about,
			prepare: func(ctx context.Context, e *Environment) (*Prepared, error) {
				steps := federatedTau * e.steps(m.steps, federatedTau) // whole rounds
				s, err := e.scenario(m.name, fmt.Sprintf("version: 1\nname: bench-%s\nhorizon: %d\nseeds: {base: 1, count: 1}\nmeasure: {every: %d}\nplots: []\n%s", m.name, steps, max(1, steps/10), m.sections))
				if err != nil {
					return nil, err
				}
				return ofArm(ctx, s.Arms[0], steps)
			},
		})
	}
	return append(list, fedSVT())
}

// ofArm runs a job of the arm, and takes its metrics.
func ofArm(ctx context.Context, arm *study.Arm, steps int) (*Prepared, error) {
	var job *study.Job
	seed := arm.File.Seeds.Base
	p, err := onEngine(ctx, arm.Extent.Participants*steps, nil, func() (_ *algorithm.Run, err error) {
		if job, err = arm.Algorithm.Job(seed); err != nil {
			return nil, err
		}
		return &job.Run, nil
	})
	if err != nil {
		return nil, err
	}
	run := p.Run
	p.Run = func() error {
		if err := run(); err != nil {
			return err
		}
		return jobs.MetricsOf(job, arm, seed).Err()
	}
	return p, nil
}
