package workload

import (
	"context"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem/experts"
)

// The size that Fed-SVT is measured at: m clients, d experts, an exchange every
// N steps.
const (
	svtSteps    = 100
	svtClients  = 1000
	svtExperts  = 100
	svtInterval = 10
)

// fedSVT is Fed-SVT beside a plain loop that draws the same losses, adds them up, and
// sums the clients' at an exchange.
func fedSVT() Workload {
	return Workload{
		Name: fmt.Sprintf("algorithms/fedsvt/n=%d", svtClients), Unit: turnUnit,
		Summary: fmt.Sprintf("algorithm: Fed-SVT of %d clients, %d experts, an exchange every %d steps, on losses as they are drawn", svtClients, svtExperts, svtInterval),
		prepare: func(ctx context.Context, e *Environment) (*Prepared, error) {
			steps := max(2*svtInterval, e.sized(svtSteps))
			adversary, err := experts.NewUniformZero(experts.UniformZeroOptions{}, svtClients, svtExperts)
			if err != nil {
				return nil, err
			}
			in, err := adversary.Draw(1, steps)
			if err != nil {
				return nil, err
			}
			losses := experts.LossesOf(in)
			return onEngine(ctx, svtClients*steps, plainSVT(losses, steps), func() (*algorithm.Run, error) { return svtRun(losses, steps) })
		},
	}
}

func svtRun(losses algorithm.Costs, steps int) (*algorithm.Run, error) {
	graphs, err := topology.Star{Leaves: svtClients}.Sequence()
	if err != nil {
		return nil, err
	}
	machines, schedule, err := fedsvt.New(fedsvt.Options{
		Clients: svtClients, Experts: svtExperts, Horizon: steps, Interval: svtInterval, Variant: fedsvt.Pure, Epsilon: 10,
		NoisePurpose: rng.PurposeOf("bench.noise"), StartPurpose: rng.PurposeOf("bench.start"),
	})
	if err != nil {
		return nil, err
	}
	return &algorithm.Run{
		Seed: 1, FirstStep: 1, Steps: steps, Graphs: graphs, Machines: machines, Costs: losses, Meter: NoMeter{},
		Hops: schedule.Hops, Acts: schedule.Acts,
	}, nil
}

// plainSVT is the loop a person would write: two goroutines, half of the clients
// each, and a barrier before and after the server's part.
func plainSVT(losses algorithm.Costs, steps int) func() {
	sums := zeros(svtClients, svtExperts)
	total := make([]float64, svtExperts)
	decision := make([]float64, svtExperts)
	decision[0] = 1
	return func() {
		halves(func(w int, barrier *barrier) {
			loss := make([]float64, svtExperts)
			for step := 1; step <= steps; step++ {
				for i := w * svtClients / 2; i < (w+1)*svtClients/2; i++ {
					losses.Gradient(loss, messages.NodeID(i+1), step, decision)
					Axpy(sums[i], 1, loss)
				}
				if step%svtInterval != 0 {
					continue
				}
				barrier.wait()
				if w == 0 {
					for _, sum := range sums {
						Axpy(total, 1, sum)
						clear(sum)
					}
				}
				barrier.wait()
			}
		})
	}
}
