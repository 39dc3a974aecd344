package fedsvt_test

import (
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithmtest"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
)

var (
	noisePurpose = rng.PurposeOf("fedsvt.test noise")
	startPurpose = rng.PurposeOf("fedsvt.test start")
	lossPurpose  = rng.PurposeOf("fedsvt.test losses")
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// vectors are linear losses in [0, 1]: uniform, a function of client, step and
// expert.
type vectors struct{}

func (vectors) Gradient(dst []float64, node messages.NodeID, step int, _ []float64) {
	for n := range dst {
		dst[n] = rng.NewKey(3, lossPurpose).Uniform(int(node), step, n)
	}
}

func (v vectors) Loss(node messages.NodeID, step int, x []float64) (loss float64) {
	l := make([]float64, len(x))
	v.Gradient(l, node, step, x)
	for n := range x {
		loss += l[n] * x[n]
	}
	return loss
}

// near are losses of which those of the last expert are 0 and the others as in
// vectors: it is realizable.
type near struct{ vectors }

func (v near) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	v.vectors.Gradient(dst, node, step, x)
	dst[len(dst)-1] = 0
}

// options are a small run.
func options() fedsvt.Options {
	return fedsvt.Options{
		Clients: 3, Experts: 5, Horizon: 100, Interval: 7, Variant: fedsvt.Pure, Epsilon: 20, Kappa: 3.5,
		NoisePurpose: noisePurpose, StartPurpose: startPurpose,
	}
}

// spec is a run of the options; costs are what the oracle shows.
func spec(o fedsvt.Options, costs algorithm.Costs, meter algorithm.Meter) *algorithm.Run {
	machines, schedule, err := fedsvt.New(o)
	if err != nil {
		panic(err)
	}
	return &algorithm.Run{
		Seed: 11, FirstStep: 1, Steps: o.Horizon, FirstLabel: 0,
		Graphs: must(topology.Star{Leaves: o.Clients}.Sequence()), Machines: machines, Costs: costs, Meter: meter,
		Hops: schedule.Hops, Acts: schedule.Acts,
	}
}

// run runs to the end on lockstep and returns the run and what was played.
func run(t testing.TB, o fedsvt.Options, costs algorithm.Costs) (*algorithm.Run, *algorithmtest.Diary) {
	t.Helper()
	d := algorithmtest.NewDiary(o.Clients + 1)
	r := spec(o, costs, d)
	if err := algorithmtest.Lockstep(r); err != nil {
		t.Fatalf("run: %v", err)
	}
	return r, d
}

// fresh makes runs of the options with a meter that writes everything down.
func fresh(o fedsvt.Options, costs algorithm.Costs) algorithmtest.Fresh {
	return func() (*algorithm.Run, *runtimetest.Meter) {
		meter := runtimetest.NewMeter(o.Clients + 1)
		return spec(o, costs, meter), meter
	}
}
