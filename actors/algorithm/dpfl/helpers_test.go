package dpfl_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/lockstep"
	"starling/actors/runtimetest"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

var (
	samplePurpose     = rng.PurposeOf("dpfl.test.sample")
	noisePurpose      = rng.PurposeOf("dpfl.test.noise")
	statisticsPurpose = rng.PurposeOf("dpfl.test.statistics")
	dataKey           = rng.NewKey(1, rng.PurposeOf("dpfl.test.data"))
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// samples are data of losses that are given one by one.
type samples struct {
	size     int
	loss     func(w []float64, s int) float64
	gradient func(dst, w []float64, s int)
}

func (d samples) Size() int { return d.size }

func (d samples) SumClipped(dst, w []float64, list []int, clip float64) (clipped int) {
	clear(dst)
	g := make([]float64, len(dst))
	for _, s := range list {
		d.gradient(g, w, s)
		length := norm(g)
		if length > clip {
			clipped++
		}
		axpy(dst, 1/max(1, length/clip), g)
	}
	return clipped
}

func (d samples) SumLossChanges(from, to []float64, list []int, bound float64) (sum float64) {
	for _, s := range list {
		sum += min(bound, max(-bound, d.loss(to, s)-d.loss(from, s)))
	}
	return sum
}

// quadratic are losses curvature/2 ||w - a_s||^2, the a_s uniform in a unit cube
// around a center of the client's own.
func quadratic(client, size, d int, curvature float64) samples {
	point := func(s, k int) float64 { return math.Sin(float64(3*client+k)) + dataKey.Uniform(client, s, k) }
	return samples{size, func(w []float64, s int) (loss float64) {
		for k := range d {
			loss += curvature / 2 * (w[k] - point(s, k)) * (w[k] - point(s, k))
		}
		return loss
	}, func(dst, w []float64, s int) {
		for k := range d {
			dst[k] = curvature * (w[k] - point(s, k))
		}
	}}
}

// softmax is regression on 3 classes and that many features: a parameter a pair.
// Classes differ in frequency from client to client.
func softmax(client, size, features int) samples {
	x := func(s, k int) float64 { return 2*dataKey.Uniform(client, s, k) - 1 }
	class := func(s int) int { return int(3*math.Pow(dataKey.Uniform(client, s, -1), 0.5+float64(client))) % 3 }
	chances := func(w []float64, s int) (p [3]float64) {
		var total float64
		for c := range p {
			for k := range features {
				p[c] += w[c*features+k] * x(s, k)
			}
			p[c] = math.Exp(p[c])
			total += p[c]
		}
		for c := range p {
			p[c] /= total
		}
		return p
	}
	return samples{size, func(w []float64, s int) float64 { return -math.Log(chances(w, s)[class(s)]) }, func(dst, w []float64, s int) {
		p := chances(w, s)
		p[class(s)]--
		for c := range p {
			for k := range features {
				dst[c*features+k] = p[c] * x(s, k)
			}
		}
	}}
}

// fixed are options of DPFL in which some gradients, not all, are clipped, with
// clients of different sizes.
func fixed(changes ...func(*dpfl.Options)) dpfl.Options {
	o := dpfl.Options{
		Clients: []dpfl.Data{softmax(1, 30, 2), softmax(2, 40, 2), softmax(3, 24, 2)},
		Rounds:  6, Tau: 3, LearningRate: 0.5, Batch: 6, Clip: 0.4, Noise: noise.OnSamples(1.1, 0.4),
		Start:         []float64{0.1, -0.2, 0.3, 0, 0.2, -0.1},
		SamplePurpose: samplePurpose, NoisePurpose: noisePurpose, StatisticsPurpose: statisticsPurpose,
	}
	for _, change := range changes {
		change(&o)
	}
	return o
}

// adaptive are options of ALI-DPFL in which both the budgets and the penalty on
// local steps decide.
func adaptive(changes ...func(*dpfl.Options)) dpfl.Options {
	return fixed(append([]func(*dpfl.Options){func(o *dpfl.Options) {
		o.Tau, o.Rounds = 0, 8
		o.Adaptive = &dpfl.Adaptive{Statistics: dpfl.AsPrinted, Control: 0.1}
	}}, changes...)...)
}

func private(o *dpfl.Options) {
	o.Adaptive.Statistics, o.Adaptive.Sigma, o.Adaptive.Lipschitz, o.Adaptive.Clip = dpfl.Private, 4, 2, 1.5
}

func public(o *dpfl.Options) {
	o.Adaptive.Statistics = dpfl.Public
	o.Adaptive.Public = []dpfl.Data{softmax(1, 50, 2), softmax(2, 31, 2), softmax(3, 20, 2)}
}

func someStatistics(o *dpfl.Options) { o.Adaptive.Samples = 15 }

func budget(epsilon float64) func(*dpfl.Options) {
	return func(o *dpfl.Options) {
		o.Budget = &dpfl.Budget{Epsilon: epsilon, Delta: 1e-5, Method: accountant.RDP}
	}
}

// ballRadius is that of inBall: starts are inside it, and runs without it go outside.
const ballRadius = 0.45

func inBall(o *dpfl.Options) {
	o.Set = must(mirror.NewL2Ball(len(o.Start), ballRadius, nil))
}

// gaussian has the noise of DP-SGD, for the clipping norm of the options.
func gaussian(sigma float64) func(*dpfl.Options) {
	return func(o *dpfl.Options) { o.Noise = noise.OnSamples(sigma, o.Clip) }
}

// allData has every local step sum over all of a client's data.
func allData(o *dpfl.Options) { o.Batch, o.LearningRate = 0, 2 }

func laplace(o *dpfl.Options) {
	allData(o)
	o.Noise = noise.OnEach(noise.Additive{Law: noise.LaplaceLaw, Scale: 1.5}, noise.MovesL2(o.Clip, len(o.Start)))
}

// correlated has noise on the prefix sums of a client's local steps.
func correlated(kind factorization.Kind) func(*dpfl.Options) {
	return func(o *dpfl.Options) {
		allData(o)
		o.Noise = prefix(o, kind, 1)
	}
}

// prefix is noise of so many times what a sample moves, over all that a run can have.
func prefix(o *dpfl.Options, kind factorization.Kind, sigma float64) noise.Released {
	options := factorization.Options{Kind: kind, N: o.MostSteps()}
	if kind == factorization.BLT {
		options.Buffers = 2
	}
	f := must(factorization.New(options))
	moved := o.Clip * f.FullSensitivity()
	return noise.OnPrefixes(sigma*moved, moved, f)
}

// sampleRuns are runs of every sort.
func sampleRuns() map[string]dpfl.Options {
	return map[string]dpfl.Options{
		"fixed":             fixed(),
		"fixed with budget": fixed(budget(9)),
		"no noise":          fixed(func(o *dpfl.Options) { o.Noise, o.Clip = noise.Released{}, math.Inf(1) }),
		"as printed":        adaptive(),
		"as printed, some":  adaptive(budget(9), someStatistics),
		"private":           adaptive(private),
		"private, some":     adaptive(private, budget(12), someStatistics),
		"public":            adaptive(public, budget(9)),
		"all data":          fixed(allData),
		"laplace":           fixed(laplace),
		"laplace, budget":   fixed(laplace, budget(11)),
		"laplace, private":  adaptive(laplace, private),
		"tree":              fixed(correlated(factorization.Tree), inBall),
		"tree, budget":      fixed(correlated(factorization.TreeOnline), budget(30)),
		"blt, public":       adaptive(correlated(factorization.BLT), public),
		"optimal, private":  adaptive(correlated(factorization.Optimal), private, budget(60)),
		"in a ball":         fixed(inBall),
		"private in a ball": adaptive(private, inBall),
		"two rounds":        adaptive(func(o *dpfl.Options) { o.Rounds = 2 }),
	}
}

// newRun is a run with fresh machines.
func newRun(o dpfl.Options, meter algorithm.Meter) *algorithm.Run {
	machines, _, err := dpfl.New(o)
	if err != nil {
		panic(err)
	}
	return &algorithm.Run{
		Seed: 7, FirstStep: 1, Steps: o.Steps(), Graphs: must(topology.Star{Leaves: len(o.Clients)}.Sequence()),
		Machines: machines, Meter: meter, Hops: o.Hops, Acts: o.Acts,
	}
}

// diary is a meter that keeps what it is told, and refuses to pay for a node's
// releases from a number of them on.
type diary struct {
	runtimetest.Silent
	pays    map[messages.NodeID]int // absent: for all
	models  [][]float64             // by round, from the server
	spent   map[messages.NodeID][]accountant.Loss
	steps   map[messages.NodeID][]int // in which those were spent
	values  map[messages.NodeID]map[string][]float64
	stopped map[messages.NodeID]string
}

func newDiary() *diary {
	return &diary{
		spent: map[messages.NodeID][]accountant.Loss{}, steps: map[messages.NodeID][]int{},
		values: map[messages.NodeID]map[string][]float64{}, stopped: map[messages.NodeID]string{},
	}
}

func (d *diary) Played(node messages.NodeID, step int, x []float64) {
	if node != 0 || step != len(d.models)+1 {
		panic(fmt.Sprintf("node %d played in step %d, after %d models", node, step, len(d.models)))
	}
	d.models = append(d.models, slices.Clone(x))
}

func (d *diary) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if pays, limited := d.pays[node]; limited && len(d.spent[node]) == pays {
		return fmt.Errorf("%w: %d releases are paid for", accountant.ErrBudget, pays)
	}
	d.spent[node], d.steps[node] = append(d.spent[node], loss), append(d.steps[node], step)
	return nil
}

func (d *diary) Recorded(node messages.NodeID, _ int, quantity string, value float64) {
	if d.values[node] == nil {
		d.values[node] = map[string][]float64{}
	}
	d.values[node][quantity] = append(d.values[node][quantity], value)
}

func (d *diary) Stopped(node messages.NodeID, step int, reason string) {
	d.stopped[node] = fmt.Sprintf("step %d: %s", step, reason)
}

// total is what a node has spent.
func (d *diary) total(node messages.NodeID) (total accountant.Total) {
	for _, loss := range d.spent[node] {
		total.Add(loss)
	}
	return total
}

// runLockstep runs to the end and returns what the meter was told.
func runLockstep(t algorithmtest.Fataler, o dpfl.Options, changes ...func(*diary)) *diary {
	t.Helper()
	d := newDiary()
	for _, change := range changes {
		change(d)
	}
	if err := lockstep.Run(context.Background(), newRun(o, d)); err != nil {
		t.Fatalf("run: %v", err)
	}
	return d
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

func minus(x, y []float64) []float64 {
	difference := slices.Clone(x)
	axpy(difference, -1, y)
	return difference
}

// all is 0 .. n-1.
func all(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}
