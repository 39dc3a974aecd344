package opestoch_test

import (
	"testing"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/algorithmtest"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

var (
	noisePurpose  = rng.PurposeOf("opestoch.test noise")
	samplePurpose = rng.PurposeOf("opestoch.test samples")
	lossPurpose   = rng.PurposeOf("opestoch.test losses")
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

// squares are (<l, x> - 1/2)^2 with the vectors l: convex, gradients in [-1, 1],
// and 2-smooth in the 1-norm.
type squares struct{ vectors }

func (s squares) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	slope := 2 * (s.vectors.Loss(node, step, x) - 0.5)
	s.vectors.Gradient(dst, node, step, x)
	for n := range dst {
		dst[n] *= slope
	}
}

// linearOptions are a small run on vectors.
func linearOptions() opestoch.Options {
	return opestoch.Options{
		Clients: 3, Experts: 4, Horizon: 37, Variant: opestoch.Local, Epsilon: 2, Alpha: 1, Batch: opestoch.Corollary1,
		NoisePurpose: noisePurpose, SamplePurpose: samplePurpose,
	}
}

// convexOptions are a small run on squares, with trees of several depths.
func convexOptions() opestoch.Options {
	o := linearOptions()
	o.Horizon, o.Beta, o.Signed, o.Batch, o.Losses = 1100, 2, true, opestoch.Theorem1, squares{}
	o.Trees = 3
	return o
}

func approximate(o opestoch.Options) opestoch.Options {
	o.Variant, o.Delta = opestoch.Approximate, 1e-4
	return o
}

func central(o opestoch.Options) opestoch.Options {
	o.Variant = opestoch.Central
	return o
}

// released has the noise of every release calibrated by itself, to a level of 0.5.
func released(o opestoch.Options, law noise.Law) opestoch.Options {
	o.Release = noise.Calibration{Law: law, Level: 0.5}
	return o
}

// spec is a run of the options; costs are what the oracle shows.
func spec(o opestoch.Options, costs algorithm.Costs, meter algorithm.Meter) *algorithm.Run {
	machines, schedule, err := opestoch.New(o)
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
func run(t testing.TB, o opestoch.Options, costs algorithm.Costs) (*algorithm.Run, *algorithmtest.Diary) {
	t.Helper()
	d := algorithmtest.NewDiary(o.Clients + 1)
	r := spec(o, costs, d)
	if err := algorithmtest.Lockstep(r); err != nil {
		t.Fatalf("run: %v", err)
	}
	return r, d
}

// fresh makes runs of the options with a meter that writes everything down.
func fresh(o opestoch.Options, costs algorithm.Costs) algorithmtest.Fresh {
	return func() (*algorithm.Run, *runtimetest.Meter) {
		meter := runtimetest.NewMeter(o.Clients + 1)
		return spec(o, costs, meter), meter
	}
}
