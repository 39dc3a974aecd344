package bench

import (
	"testing"

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
	svtClients  = 1000
	svtExperts  = 100
	svtInterval = 10
)

// BenchmarkFedSVT compares Fed-SVT with a plain loop over slices that draws the
// same losses, adds them up, and sums the clients' at an exchange. Target: ratio
// at most 1.5.
func BenchmarkFedSVT(b *testing.B) {
	steps := 400
	if testing.Short() {
		steps = 2 * svtInterval
	}
	adversary, err := experts.NewUniformZero(experts.UniformZeroOptions{}, svtClients, svtExperts)
	if err != nil {
		b.Fatal(err)
	}
	losses, err := adversary.Draw(1, steps)
	if err != nil {
		b.Fatal(err)
	}
	compare(b, svtClients*steps, plainSVT(losses, steps), func() *algorithm.Run { return svtRun(b, losses, steps) })
}

func svtRun(b *testing.B, losses experts.Instance, steps int) *algorithm.Run {
	b.Helper()
	graphs, err := topology.Star{Leaves: svtClients}.Sequence()
	if err != nil {
		b.Fatal(err)
	}
	machines, schedule, err := fedsvt.New(fedsvt.Options{
		Clients: svtClients, Experts: svtExperts, Horizon: steps, Interval: svtInterval, Variant: fedsvt.Pure, Epsilon: 10,
		NoisePurpose: rng.PurposeOf("bench.noise"), StartPurpose: rng.PurposeOf("bench.start"),
	})
	if err != nil {
		b.Fatal(err)
	}
	return &algorithm.Run{
		Seed: 1, FirstStep: 1, Steps: steps, Graphs: graphs, Machines: machines, Costs: losses, Meter: noMeter{},
		Hops: schedule.Hops, Acts: schedule.Acts,
	}
}

// plainSVT is the loop a person would write: two goroutines, half of the clients
// each, and a barrier before and after the server's part.
func plainSVT(losses experts.Instance, steps int) func() {
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
					axpy(sums[i], 1, loss)
				}
				if step%svtInterval != 0 {
					continue
				}
				barrier.wait()
				if w == 0 {
					for _, sum := range sums {
						axpy(total, 1, sum)
						clear(sum)
					}
				}
				barrier.wait()
			}
		})
	}
}
