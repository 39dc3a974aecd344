package ofl_test

import (
	"context"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

var noisePurpose, dataPurpose = rng.PurposeOf("ofl.test.noise"), rng.PurposeOf("ofl.test.data")

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// logistic is the loss log(1 + exp(-b a x)) of a datum (a, b), a of that many
// entries.
type logistic int

func (m logistic) Dim() int { return int(m) }

func (m logistic) Gradient(dst, x, datum []float64) {
	a, b := datum[:m], datum[m]
	var margin float64
	for k := range a {
		margin += float64(a[k] * x[k])
	}
	weight := -b / (1 + math.Exp(b*margin))
	for k := range dst {
		dst[k] = float64(weight * a[k])
	}
}

// model is a model of its gradient.
type model struct {
	d        int
	gradient func(dst, x, datum []float64)
}

func (m model) Dim() int                         { return m.d }
func (m model) Gradient(dst, x, datum []float64) { m.gradient(dst, x, datum) }

// given are linear losses: the gradient is the datum, wherever it is taken.
func given(d int) model { return model{d, func(dst, _, datum []float64) { copy(dst, datum) }} }

// data are a function of learners and steps, both from 0 as in the paper.
type data struct {
	width int
	datum func(dst []float64, learner, step int)
}

func (d data) Width() int { return d.width }
func (d data) Datum(dst []float64, node messages.NodeID, step int) {
	d.datum(dst, int(node), step-1)
}

// labelled are data of the logistic loss: features uniform in [-1, 1]^d and a
// label of -1 or 1.
func labelled(d int) data {
	key := rng.NewKey(1, dataPurpose)
	return data{d + 1, func(dst []float64, learner, step int) {
		for k := range dst {
			dst[k] = 2*key.Uniform(learner, step, k) - 1
		}
		dst[d] = math.Copysign(1, dst[d])
	}}
}

// table are data that are listed, by learner and step.
func table(rows ...[][]float64) data {
	return data{len(rows[0][0]), func(dst []float64, learner, step int) { copy(dst, rows[learner][step]) }}
}

// logisticOptions are a run without noise in which some gradients, not all, are
// clipped. Nothing in it is 1 or 0, where a wrong formula might hide.
func logisticOptions(changes ...func(*ofl.Options)) ofl.Options {
	o := ofl.Options{
		Version: ofl.PerStep, Learners: 3, Rounds: 6, Tau: 4, LocalStep: 0.3, GlobalStep: 0.7,
		Start: []float64{0.5, -0.25, 0.125}, GradientBound: 0.4, Bound: ofl.BoundClip,
		NoisePurpose: noisePurpose, Model: logistic(3), Data: labelled(3),
	}
	for _, change := range changes {
		change(&o)
	}
	return o
}

// withNoise adds noise of a kind, calibrated to nothing in particular.
func withNoise(kind factorization.Kind) func(*ofl.Options) {
	return func(o *ofl.Options) {
		switch string(kind) {
		case noise.LaplaceLaw.String():
			o.Noise = noise.OnDisjoint(noise.Additive{Law: noise.LaplaceLaw, Scale: 0.5}, noise.MovesL2(2*o.GradientBound, o.Model.Dim()))
			return
		case noise.GaussianLaw.String():
			o.Noise = noise.OnDisjoint(noise.Additive{Law: noise.GaussianLaw, Scale: 0.5}, noise.MovesL2(2*o.GradientBound, o.Model.Dim()))
			return
		}
		f := must(factorization.New(mechanism(kind, o.Inputs())))
		o.Noise = noise.OnPrefixes(0.5, 2*o.GradientBound*f.Sensitivity(), f)
	}
}

// resized returns noise for a run that a datum moves by sensitivity, in the norm of the law.
func resized(n noise.Released, scale, sensitivity float64) noise.Released {
	if n.Correlated() {
		return noise.OnPrefixes(scale, sensitivity, n.Factorization())
	}
	return noise.OnDisjoint(noise.Additive{Law: n.Law(), Scale: scale}, noise.MovesL1(sensitivity, 1))
}

// moved returns noise that is as large, for a datum that moves a run by times as much.
func moved(n noise.Released, times float64) noise.Released {
	return resized(n, n.Scale(), n.Sensitivity()*times)
}

// mechanism are the options of a small factorization.
func mechanism(kind factorization.Kind, n int) factorization.Options {
	o := factorization.Options{Kind: kind, N: n}
	switch kind {
	case factorization.ARSum:
		o.Chains = 3
	case factorization.BandedToeplitz:
		o.Bands = min(3, n)
	case factorization.BLT:
		o.Buffers = 2
	}
	return o
}

// newRun is a run with fresh machines.
func newRun(o ofl.Options, meter algorithm.Meter) *algorithm.Run {
	return &algorithm.Run{
		Seed: 7, Steps: o.Steps(), Graphs: must(ofl.GraphOf(o.Learners, o.Tiers)), Machines: must(ofl.New(o)),
		Meter: meter, Hops: o.Hops, Acts: o.Acts, Beside: ofl.Beside(o.Learners),
	}
}

// diary is a meter that keeps what it is told, and refuses to pay for some.
type diary struct {
	runtimetest.Silent
	refused map[messages.NodeID]error // what they are told
	played  map[messages.NodeID][][]float64
	spent   map[messages.NodeID][]payment
	values  map[messages.NodeID]map[string][]float64
	stopped map[messages.NodeID]string
}

type payment struct {
	Step int
	Loss accountant.Loss
}

func newDiary() *diary {
	return &diary{
		refused: map[messages.NodeID]error{}, played: map[messages.NodeID][][]float64{},
		spent: map[messages.NodeID][]payment{}, values: map[messages.NodeID]map[string][]float64{}, stopped: map[messages.NodeID]string{},
	}
}

func (d *diary) Played(node messages.NodeID, _ int, x []float64) {
	d.played[node] = append(d.played[node], slices.Clone(x))
}

func (d *diary) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if err := d.refused[node]; err != nil {
		return err
	}
	d.spent[node] = append(d.spent[node], payment{step, loss})
	return nil
}

func (d *diary) Recorded(node messages.NodeID, _ int, quantity string, value float64) {
	if d.values[node] == nil {
		d.values[node] = map[string][]float64{}
	}
	d.values[node][quantity] = append(d.values[node][quantity], value)
}

func (d *diary) Stopped(node messages.NodeID, _ int, reason string) { d.stopped[node] = reason }

// runLockstep runs to the end and returns what the meter was told.
func runLockstep(t algorithmtest.Fataler, o ofl.Options) *diary {
	t.Helper()
	d := newDiary()
	if err := lockstep.Run(context.Background(), newRun(o, d)); err != nil {
		t.Fatalf("run: %v", err)
	}
	return d
}

// watch runs to the end and shows every turn of one node.
func watch(t algorithmtest.Fataler, run *algorithm.Run, node messages.NodeID, visit func(*lockstep.Watched)) {
	t.Helper()
	w := &lockstep.Watcher{Node: node, Visit: func(w *lockstep.Watched) error { visit(w); return nil }}
	if err := lockstep.Watch(context.Background(), run, w); err != nil {
		t.Fatalf("run: %v", err)
	}
}

// norm is the 2-norm.
func norm(x []float64) float64 {
	var square float64
	for _, v := range x {
		square += v * v
	}
	return math.Sqrt(square)
}

// axpy adds w y to x.
func axpy(x []float64, w float64, y []float64) {
	for k, v := range y {
		x[k] += w * v
	}
}

// combination is a x + b y.
func combination(a float64, x []float64, b float64, y []float64) []float64 {
	sum := make([]float64, len(x))
	axpy(sum, a, x)
	axpy(sum, b, y)
	return sum
}

func minus(x, y []float64) []float64 { return combination(1, x, -1, y) }
