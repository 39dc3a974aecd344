package dpfl_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// noiseless are options of plain federated averaging: whole data, no clipping, no
// noise.
func noiseless(clients []dpfl.Data, tau, rounds int, start ...float64) dpfl.Options {
	return dpfl.Options{
		Clients: clients, Rounds: rounds, Tau: tau, LearningRate: 0.3, Batch: clients[0].Size(),
		Clip: math.Inf(1), Start: start, SamplePurpose: samplePurpose, NoisePurpose: noisePurpose,
	}
}

// meanGradient is grad F_i(w).
func meanGradient(d dpfl.Data, w []float64) []float64 {
	g := make([]float64, len(w))
	d.SumClipped(g, w, all(d.Size()), math.Inf(1))
	for k := range g {
		g[k] /= float64(d.Size())
	}
	return g
}

// (5) to (7) with tau = 1: the mean of one local step is one step of gradient
// descent on F, as h(1) = 0 says.
func TestOneLocalStepIsCentral(t *testing.T) {
	clients := []dpfl.Data{softmax(1, 12, 2), softmax(2, 12, 2)}
	o := noiseless(clients, 1, 5, 0.1, -0.2, 0.3, 0, 0.2, -0.1)
	w := slices.Clone(o.Start)
	for k, model := range runLockstep(t, o).models {
		a, b := meanGradient(clients[0], w), meanGradient(clients[1], w)
		axpy(w, -0.3/2, a)
		axpy(w, -0.3/2, b)
		compare(t, fmt.Sprintf("round %d", k+1), model, w, 1e-13)
	}
}

// Theorem 1: after x local steps the mean is within h(x) of central descent from
// the same point, F_i being beta-smooth and xi_i bounding ||grad F_i - grad F|| on
// the way. There is no noise here, and c = 0.
func TestTheorem1(t *testing.T) {
	const beta = 1.7
	clients := []dpfl.Data{quadratic(1, 10, 3, 0.2), quadratic(2, 10, 3, beta), quadratic(3, 10, 3, 0.9)}
	start := []float64{2, -1, 0.5}
	least := math.Inf(1)
	for tau := 1; tau <= 12; tau++ {
		model := runLockstep(t, noiseless(clients, tau, 1, start...)).models[0]
		v, xi := slices.Clone(start), make([]float64, len(clients))
		for range tau {
			mean := make([]float64, 3)
			for _, data := range clients {
				axpy(mean, 1.0/3, meanGradient(data, v))
			}
			for i, data := range clients {
				xi[i] = max(xi[i], norm(minus(meanGradient(data, v), mean)))
			}
			axpy(v, -0.3, mean)
		}
		b := dpfl.Bound{Beta: beta, Xi: (xi[0] + xi[1] + xi[2]) / 3, LearningRate: 0.3}
		gap, h := norm(minus(model, v)), b.H(tau)
		if gap > h+1e-14 {
			t.Errorf("tau = %d: %v from central descent, h = %v", tau, gap, h)
		}
		if tau > 1 {
			least = min(least, h/gap)
		}
	}
	if least > 20 {
		t.Errorf("h is %v times the gap at least: this shows little", least)
	}
}

// (1), (7): the mean is weighted by |D_i|. A client whose data do not move it
// drags by its share.
func TestMeanIsWeightedBySize(t *testing.T) {
	still := samples{30, nil, func(dst, _ []float64, _ int) { clear(dst) }}
	pushing := samples{10, nil, func(dst, _ []float64, _ int) { dst[0] = -2 }}
	o := noiseless([]dpfl.Data{pushing, still}, 4, 3, 0)
	o.Batch = 10 // the other samples, and moves by nothing
	want := []float64{0.3 * 2 * 4 / 4, 2 * 0.3 * 2 * 4 / 4, 3 * 0.3 * 2 * 4 / 4}
	for k, model := range runLockstep(t, o).models {
		compare(t, "model", model, want[k:k+1], 1e-14)
	}
}

// wide are data of the size of the paper's clients with nothing in them.
func wide(size int) dpfl.Data {
	return samples{size, func([]float64, int) float64 { return 0 }, func(dst, _ []float64, _ int) { clear(dst) }}
}

// Section VI.B: budgets and the local steps that they support, at q = 75/5000,
// sigma = 1.1, delta = 1e-5. What is printed is a little over budget: the plan has
// the last step within. The row (3.75, 1585) fits nothing.
func TestStepsOfThePaper(t *testing.T) {
	budgets := []float64{1.55, 1.65, 1.75, 1.85, 2, 2.25, 2.5, 2.75, 3.25}
	printed := []int{79, 122, 177, 231, 317, 457, 598, 775, 1123}
	o := dpfl.Options{
		Clients: slices.Repeat([]dpfl.Data{wide(5000)}, 10), Rounds: 100, Tau: 1, LearningRate: 0.5, Batch: 75, Clip: 0.1, Noise: noise.OnSamples(1.1, 0.1), Start: []float64{0},
	}
	for i, epsilon := range budgets {
		budget(epsilon)(&o)
		plan := must(dpfl.NewPlan(&o))
		if plan.Steps >= printed[i] || printed[i]-plan.Steps > 5 || plan.Epsilon > epsilon || plan.Client != 1 {
			t.Errorf("epsilon %v: %+v; printed are %d", epsilon, plan, printed[i])
		}
	}
	// Fashion-MNIST has 6000 samples a client, and more steps; a sharper
	// accountant several times as many.
	budget(1.55)(&o)
	loose := must(dpfl.NewPlan(&o)).Steps
	o.Budget.Method = accountant.PLD
	sharp := must(dpfl.NewPlan(&o)).Steps
	o.Budget.Method = accountant.RDP
	o.Clients[3] = wide(6000)
	if mixed := must(dpfl.NewPlan(&o)); mixed.Steps != loose || mixed.Client != 1 {
		t.Errorf("one client with more samples: %+v, want %d steps", mixed, loose)
	}
	o.Clients = []dpfl.Data{wide(6000)}
	if more := must(dpfl.NewPlan(&o)).Steps; more <= loose || sharp < 4*loose {
		t.Errorf("%d steps at 5000 samples, %d at 6000, %d by PLD", loose, more, sharp)
	}
}

// Section VI.B, condition I: with R_s = R_c and R_s = 2 R_c every tau is 1, and the
// run ends with the privacy budget. Condition II: with R_c/2 and R_c/5 it is not,
// and a large control constant spends both budgets exactly.
func TestConditionsOfThePaper(t *testing.T) {
	spends := func(rounds func(steps int) int, control float64) (taus []float64, models, steps int) {
		o := adaptive(budget(10.5), func(o *dpfl.Options) { o.Adaptive.Control = control })
		steps = must(dpfl.NewPlan(&o)).Steps
		o.Rounds = rounds(steps)
		d := runLockstep(t, o)
		return d.values[0][dpfl.Tau], len(d.models), steps
	}
	for _, rounds := range []func(int) int{func(steps int) int { return steps }, func(steps int) int { return 2 * steps }} {
		for _, control := range []float64{0.001, 1, 1e9} {
			taus, models, steps := spends(rounds, control)
			if slices.Max(taus) != 1 || models != steps {
				t.Errorf("condition I: taus %v in %d rounds, %d steps", taus, models, steps)
			}
		}
	}
	for _, part := range []int{2, 5} {
		rounds := func(steps int) int { return steps / part }
		taus, models, steps := spends(rounds, 1e9)
		var taken float64
		for _, tau := range taus {
			taken += tau
		}
		if models != steps/part || taken != float64(steps) || taus[0] != 1 || taus[1] != 1 {
			t.Errorf("condition II: taus %v: %v of %d steps in %d rounds of %d", taus, taken, steps, models, steps/part)
		}
	}
}

// Rounds 1 and 2 have tau = 1, for there is no w_i to compare before.
func TestFirstChoiceIsAfterRound2(t *testing.T) {
	o := adaptive(func(o *dpfl.Options) { o.Adaptive.Control = 1e9 })
	d := runLockstep(t, o)
	compare(t, "tau", d.values[0][dpfl.Tau], []float64{1, 1, 2, 4, 8, 16, 32, 64}, 0)
	if n := len(d.values[0][dpfl.TauChosen]); n != 6 {
		t.Errorf("%d choices in 8 rounds", n)
	}
}

// Where the sampled data are the same, private statistics whose bounds hold nothing
// and whose noise is next to none are those as printed.
func TestPrivateStatisticsAreThoseAsPrinted(t *testing.T) {
	for _, some := range []int{0, 15} {
		printed := adaptive(func(o *dpfl.Options) { o.Rounds, o.Adaptive.Samples = 3, some })
		quiet := adaptive(private, func(o *dpfl.Options) {
			o.Rounds, o.Adaptive.Samples = 3, some
			o.Adaptive.Sigma, o.Adaptive.Lipschitz, o.Adaptive.Clip = 1e-12, 100, 100
		})
		want, got := runLockstep(t, printed).values[0], runLockstep(t, quiet).values[0]
		for _, metric := range []string{dpfl.Rho, dpfl.Beta, dpfl.Xi} {
			compare(t, metric, got[metric], want[metric], 1e-8)
		}
	}
}

// For quadratic losses of one curvature beta_i is that curvature, exactly.
func TestBetaOfQuadratics(t *testing.T) {
	o := adaptive(func(o *dpfl.Options) {
		o.Clients = []dpfl.Data{quadratic(1, 20, 2, 0.7), quadratic(2, 30, 2, 1.9)}
		o.Start = []float64{0, 0}
	})
	want := (20*0.7 + 30*1.9) / 50
	for _, beta := range runLockstep(t, o).values[0][dpfl.Beta] {
		compare(t, "beta", []float64{beta}, []float64{want}, 1e-9)
	}
	// A client that is where the mean is has no rho_i and beta_i: with data that
	// move nothing and no noise there are none at all, and tau stays 1.
	o = adaptive(func(o *dpfl.Options) {
		o.Clients = []dpfl.Data{wide(20), wide(30)}
		o.Noise = noise.Released{}
	})
	if d := runLockstep(t, o); len(d.values[0][dpfl.TauChosen]) != 0 || slices.Max(d.values[0][dpfl.Tau]) != 1 || len(d.models) != 8 {
		t.Errorf("clients that never move: %v", d.values[0])
	}
}

// Algorithm 1, line 6: every sample is in a batch with probability B/|D_i|,
// independently of others. Over n = 5000 draws the counts of a sample and of a
// pair of neighbours are binomial; Hoeffding's inequality puts a frequency more
// than 0.04 off with chance 2 exp(-2 n 0.04^2) = 2.3e-7, below 2e-5 for all 79.
func TestBatches(t *testing.T) {
	const size, draws, rounds = 40, 5000, 50
	count, pairs, total := make([]int, size), make([]int, size-1), 0
	recorder := batches{wide(size), func(list []int) {
		total++
		for k, s := range list {
			count[s]++
			if k > 0 && list[k-1] >= s {
				t.Errorf("batch %v is not ascending", list)
			}
			if k > 0 && list[k-1] == s-1 {
				pairs[s-1]++
			}
		}
	}}
	o := fixed(func(o *dpfl.Options) {
		o.Clients, o.Batch, o.Rounds, o.Tau = []dpfl.Data{recorder}, 14, rounds, draws/rounds
	})
	runLockstep(t, o)
	if total != draws {
		t.Fatalf("%d batches, want %d", total, draws)
	}
	q := 14.0 / size
	for s, n := range count {
		if f := float64(n) / draws; math.Abs(f-q) > 0.04 {
			t.Errorf("sample %d is in %v of the batches, want %v", s, f, q)
		}
	}
	for s, n := range pairs {
		if f := float64(n) / draws; math.Abs(f-q*q) > 0.04 {
			t.Errorf("samples %d and %d are in %v of the batches, want %v", s, s+1, f, q*q)
		}
	}
}

// batches are data that show what is asked for.
type batches struct {
	dpfl.Data
	see func(list []int)
}

func (b batches) SumClipped(dst, w []float64, list []int, clip float64) int {
	b.see(list)
	return b.Data.SumClipped(dst, w, list, clip)
}

// Line 11: the noise on a local step has variance sigma^2 C^2 in every entry. With
// nothing to learn a step moves by eta/B times it. A round of tau
// steps moves by a normal of tau times the variance. Of n = 1200 such the mean is
// within 5/sqrt(n) of 0 but with chance 6e-7; n times the mean square has the law
// chi^2(n), which is within 6 sqrt(2 n) of n but with chance below 6e-7 (Laurent,
// Massart 2000, lemma 1).
func TestNoiseOfAStep(t *testing.T) {
	const d, rounds, tau = 20, 60, 50
	o := fixed(func(o *dpfl.Options) {
		o.Clients, o.Rounds, o.Tau, o.Start = []dpfl.Data{wide(24)}, rounds, tau, make([]float64, d)
	})
	var sum, square float64
	last := make([]float64, d)
	for _, model := range runLockstep(t, o).models {
		for k, v := range model {
			z := (v - last[k]) / (o.LearningRate / 6 * 1.1 * 0.4 * math.Sqrt(tau))
			sum, square = sum+z, square+z*z
		}
		last = model
	}
	const n = d * rounds
	if mean, variance := sum/n, square/n; math.Abs(mean) > 5/math.Sqrt(n) || math.Abs(variance-1) > 6*math.Sqrt(2.0/n) {
		t.Errorf("noise of mean %v and variance %v, want 0 and 1", mean, variance)
	}
}
