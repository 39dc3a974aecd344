package dpfl_test

import (
	"context"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/lockstep"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// points are numbers; the loss of one is half the square of its distance from the
// model's one parameter.
type points []float64

func (p points) Size() int { return len(p) }

func (p points) SumClipped(dst, params []float64, samples []int, clip float64) (clipped int) {
	dst[0] = 0
	for _, s := range samples {
		g := params[0] - p[s]
		if math.Abs(g) > clip {
			g = math.Copysign(clip, g)
			clipped++
		}
		dst[0] += g
	}
	return clipped
}

func (p points) SumLossChanges(from, to []float64, samples []int, bound float64) (sum float64) {
	loss := func(w []float64, s int) float64 { return (w[0] - p[s]) * (w[0] - p[s]) / 2 }
	for _, s := range samples {
		sum += min(bound, max(-bound, loss(to, s)-loss(from, s)))
	}
	return sum
}

// A model and its data are bound by Data, a client each. The plan says how far the
// privacy budget goes before anything runs.
func Example() {
	o := dpfl.Options{
		Clients: []dpfl.Data{make(points, 1000), make(points, 2000)},
		Rounds:  20, Adaptive: &dpfl.Adaptive{Statistics: dpfl.Private, Sigma: 20, Lipschitz: 1, Clip: 1, Samples: 100},
		LearningRate: 0.1, Batch: 50, Clip: 1, Noise: noise.OnSamples(1.5, 1), Start: []float64{1},
		Budget:        &dpfl.Budget{Epsilon: 2, Delta: 1e-5, Method: accountant.RDP},
		SamplePurpose: rng.PurposeOf("batches"), NoisePurpose: rng.PurposeOf("noise"), StatisticsPurpose: rng.PurposeOf("statistics"),
	}
	machines, plan, err := dpfl.New(o)
	if err != nil {
		panic(err)
	}
	fmt.Printf("client %d reaches the budget after %d local steps, at epsilon %.3f\n", plan.Client, plan.Steps, plan.Epsilon)
	graphs, err := topology.Star{Leaves: len(o.Clients)}.Sequence()
	if err != nil {
		panic(err)
	}
	d := newDiary()
	run := &algorithm.Run{
		Seed: 1, FirstStep: 1, Steps: o.Steps(), Graphs: graphs, Machines: machines, Meter: d, Hops: o.Hops, Acts: o.Acts,
	}
	if err := lockstep.Run(context.Background(), run); err != nil {
		panic(err)
	}
	var steps float64
	for _, tau := range d.values[0][dpfl.Tau] {
		steps += tau
	}
	fmt.Printf("%d rounds, %v local steps: %s\n", len(d.models), steps, dpfl.CaseOf(d.values[0][dpfl.TauChosen], d.values[0][dpfl.TauFree]))
	// Output:
	// client 1 reaches the budget after 72 local steps, at epsilon 1.993
	// 20 rounds, 49 local steps: budgets and the penalty on local steps decide tau
}
