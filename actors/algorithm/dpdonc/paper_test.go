package dpdonc_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/algorithmtest"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
)

// The claims of the paper ("Privacy-Preserving Distributed Online Mirror Descent
// for Nonconvex Optimization"), one test each. Those on the costs of section 5,
// which need a problem, and on the ledger are with the meter.

// Algorithm 1, lines 4 to 6, over the three printed matrices.
func TestAlgorithm1(t *testing.T) {
	const steps = 60
	for _, schedule := range []noise.Schedule{dpdonc.AsPrinted, dpdonc.Shifted} {
		for _, epsilon := range []float64{1, math.Inf(1)} {
			t.Run(fmt.Sprintf("%s, epsilon %v", schedule, epsilon), func(t *testing.T) {
				o := printedOptions()
				o.Noise, o.Calibration.Level = schedule, epsilon
				r := spec(o, gradients(ranging), steps)
				got, want := runLockstep(t, r), transcription(o, r.Seed, steps)
				var largest, moved float64
				for i := range o.Nodes {
					for step := 1; step <= steps; step++ {
						x := got.Decisions[i][step-1]
						largest = max(largest, norm(2, minus(x, want[step][i][:])))
						moved = max(moved, norm(2, x))
					}
				}
				if largest > 1e-12 || moved < 0.1 {
					t.Errorf("decisions, up to %v long, differ by up to %v", moved, largest)
				}
			})
		}
	}
}

// What the other tests look at in slow motion is what lockstep runs.
func TestBenchIsLockstep(t *testing.T) {
	const steps = 20
	want := runLockstep(t, spec(printedOptions(), gradients(ranging), steps))
	b := newBench(spec(printedOptions(), gradients(ranging), steps))
	for range steps {
		b.turn(t)
	}
	for i := range want.Decisions {
		for s := range want.Decisions[i] {
			if !slices.Equal(b.Decisions[i][s], want.Decisions[i][s]) {
				t.Fatalf("node %d, step %d: %v, lockstep %v", i+1, s+1, b.Decisions[i][s], want.Decisions[i][s])
			}
		}
	}
}

// Lemma 1, (8): with the observations fixed, two sets of costs of a node that
// differ in every step move x_{t+1} by at most Delta(t) in the 1-norm, whatever
// is observed: q far outside Omega, and negative for the entropy, included.
func TestLemma1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 4).Draw(t, "d")
		o := optionsFor(t, geometries(d).Draw(t, "geometry"))
		steps := rapid.IntRange(2, 4).Draw(t, "steps")
		inboxes := make([][]messages.Envelope, steps)
		for s := 1; s < steps; s++ {
			inboxes[s] = inboxOf([]float64{0.5, 0.3, 0.2}, entries(d, 6).Draw(t, "q"), entries(d, 6).Draw(t, "q"), entries(d, 6).Draw(t, "q"))
		}
		play := func() [][]float64 {
			g := make([][]float64, steps)
			for s := range g {
				g[s] = entries(d, 1).Draw(t, "gradient")
				scaleTo(g[s], o.Theta*rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "length"))
			}
			costs := gradients(func(dst []float64, _ messages.NodeID, step int, _ []float64) { copy(dst, g[step-1]) })
			return solo(t, must(dpdonc.New(o))[0], costs, inboxes)
		}
		x, other := play(), play()
		solver := must(mirror.NewSolver(o.Divergence, o.Set))
		reach := o.Set.MaxDistance(make([]float64, d))
		for s := 1; s < steps; s++ {
			delta := sensitivity(o, s)
			// Either decision may miss the minimizer by the solver's tolerance
			// in the 2-norm, and by rounding.
			scale := norm(2, mean(inboxes[s], d)) + delta + reach
			slack := 2 * math.Sqrt(float64(d)) * (solver.Tolerance() + 1e-13) * scale
			if moved := norm(1, minus(x[s], other[s])); moved > delta+slack {
				t.Fatalf("x_%d moves by %v, more than Delta(%d) = %v", s+1, moved, s, delta)
			}
		}
	})
}

// (8) is attained, so no smaller scale would do: opposite gradients of length
// theta along the diagonal, z well inside the set. The loss that follows for
// release 2 is eps alpha_1/alpha_2 = 1.41 eps as printed, not the eps of
// Theorem 1, and eps with the shifted scale.
func TestLemma1IsTight(t *testing.T) {
	const d = 4
	o := printedOptions()
	o.Set, o.Start = must(mirror.NewL1Ball(d, 1000, nil)), make([]float64, d)
	play := func(sign float64) []float64 {
		half := sign * o.Theta / 2 // four entries: length theta
		inboxes := [][]messages.Envelope{nil, inboxOf([]float64{1}, make([]float64, d))}
		return solo(t, must(dpdonc.New(o))[0], constant(half, half, half, half), inboxes)[1]
	}
	moved := norm(1, minus(play(1), play(-1)))
	algorithmtest.CloseTo(t, "the movement of x_2", moved, sensitivity(o, 1), 1e-14)
	for schedule, want := range map[noise.Schedule]float64{dpdonc.AsPrinted: math.Sqrt2 * o.Calibration.Level, dpdonc.Shifted: o.Calibration.Level} {
		o.Noise = schedule
		mechanism, _ := o.Release(2)
		algorithmtest.CloseTo(t, string(schedule)+" noise: log density ratio", moved/mechanism.Scale, want, 1e-14)
	}
}

// (11), ||x_{t+1} - z_t|| <= alpha_t theta/omega, by hand: z = (4, 3) is
// sqrt(8) from the printed set, more than alpha_1 theta = 7/6. (8) survives at
// the same z: gradients along the face move x_2 by Delta(1) exactly.
func TestEquation11FailsOutsideTheSet(t *testing.T) {
	o := printedOptions()
	z := []float64{4, 3}
	play := func(length float64) []float64 {
		costs := constant(length/math.Sqrt2, -length/math.Sqrt2)
		return solo(t, must(dpdonc.New(o))[0], costs, [][]messages.Envelope{nil, inboxOf([]float64{1}, z)})[1]
	}
	limit := o.Step.At(1, o.Nodes) * o.Theta
	x, other := play(o.Theta), play(-o.Theta)
	if distance := norm(2, minus(x, z)); distance < math.Sqrt(8) || distance <= limit {
		t.Errorf("x_2 = %v is %v from z = %v, want at least sqrt 8 and so more than %v", x, distance, z, limit)
	}
	algorithmtest.CloseTo(t, "the movement of x_2", norm(1, minus(x, other)), sensitivity(o, 1), 1e-14)
}

// (11) in a run at eps = 0.5, the strongest noise of Figure 1: it holds wherever
// z is in the set, and fails often in the first steps, each time with z outside.
func TestEquation11InARun(t *testing.T) {
	const steps = 30
	o := printedOptions()
	o.Calibration.Level = 0.5
	b := newBench(spec(o, gradients(ranging), steps))
	outside, failed := 0, 0
	for step := 1; step <= steps; step++ {
		b.turn(t)
		if step == 1 {
			continue
		}
		limit := o.Step.At(step-1, o.Nodes) * o.Theta
		for i := range o.Nodes {
			z := mean(b.inboxes[i], 2)
			in := o.Set.Violation(z) == 0
			if !in {
				outside++
			}
			if norm(2, minus(b.Decisions[i][step-1], z)) <= limit+1e-12 {
				continue
			}
			failed++
			if in {
				t.Errorf("step %d, node %d: (11) fails at z = %v in the set", step-1, i+1, z)
			}
		}
	}
	t.Logf("of %d updates, z was outside in %d and (11) failed in %d", (steps-1)*o.Nodes, outside, failed)
	if failed < (steps-1)*o.Nodes/10 {
		t.Errorf("(11) failed in %d of %d updates, want a tenth at least", failed, (steps-1)*o.Nodes)
	}
}

// sigma_t = 2 sqrt(d) alpha_t theta/(omega eps), line 1 of Algorithm 1, and the
// shifted scale, for divergences of several omega.
func TestNoiseScale(t *testing.T) {
	for omega, divergence := range map[float64]mirror.Divergence{
		1: mirror.Euclidean{Scale: 0.5},
		6: mirror.Euclidean{Scale: 3},
		2: must(mirror.NewMahalanobis([][]float64{{2, 1}, {1, 2}})), // the eigenvalues are 1 and 3
	} {
		o := printedOptions()
		o.Divergence, o.Calibration.Level = divergence, 0.5
		for step := 1; step <= 5; step++ {
			sigma := func(t int) float64 { return 2 * math.Sqrt2 / (6 * math.Sqrt(float64(t))) * 7 / (omega * 0.5) }
			printed, delta := o.Release(step)
			algorithmtest.CloseTo(t, fmt.Sprintf("omega %v: sigma_%d", omega, step), printed.Scale, sigma(step), 1e-14)
			o.Noise = dpdonc.Shifted
			shifted, same := o.Release(step)
			o.Noise = dpdonc.AsPrinted
			want := 0.0 // x_1 is public
			if step > 1 {
				want = sigma(step - 1)
			}
			algorithmtest.CloseTo(t, fmt.Sprintf("omega %v: shifted sigma_%d", omega, step), shifted.Scale, want, 1e-14)
			algorithmtest.CloseTo(t, fmt.Sprintf("omega %v: sensitivity of x_%d", omega, step), delta.L1, want*0.5, 1e-14)
			if same != delta {
				t.Errorf("the sensitivity of x_%d depends on the noise: %v and %v", step, delta, same)
			}
		}
	}
}

// Theorem 1 claims eps a step. Release t perturbs x_t, which (8) bounds with
// alpha_{t-1}, by noise from alpha_t: it costs eps alpha_{t-1}/alpha_t = eps
// sqrt(t/(t-1)), 1.41 eps at t = 2; x_1 is public and costs nothing. Shifted
// noise makes the claim exact, and no noise protects nothing that is not public.
func TestTheorem1StepLoss(t *testing.T) {
	for _, epsilon := range []float64{0.5, 1, 5, math.Inf(1)} {
		o := printedOptions()
		o.Calibration.Level = epsilon
		for _, schedule := range []noise.Schedule{dpdonc.AsPrinted, dpdonc.Shifted} {
			o.Noise = schedule
			got := runLockstep(t, spec(o, constant(0, 0), 10))
			for i, losses := range got.Losses {
				for s, loss := range losses {
					step, want := float64(s+1), epsilon
					switch {
					case s == 0:
						want = 0
					case schedule == dpdonc.AsPrinted:
						want *= math.Sqrt(step / (step - 1))
					}
					algorithmtest.CloseTo(t, fmt.Sprintf("%s, epsilon %v, node %d: loss of step %v", schedule, epsilon, i+1, step), loss.Epsilon, want, 1e-14)
					if loss.Delta != 0 || loss.Rho != 0 || loss.Sampled != (accountant.SampledGaussian{}) {
						t.Errorf("%s, epsilon %v, node %d: step %v costs %+v, which is not pure", schedule, epsilon, i+1, step, loss)
					}
				}
			}
		}
		if got := o.Claim().Epsilon; got != epsilon {
			t.Errorf("claimed %v a step, want %v", got, epsilon)
		}
	}
}

// The proof of Theorem 1 composes to sum_t Delta(t)/sigma_t; in truth release t
// moves by Delta(t-1).
func TestTheorem1Total(t *testing.T) {
	const horizon = 500
	for _, schedule := range []noise.Schedule{dpdonc.AsPrinted, dpdonc.Shifted} {
		o := printedOptions()
		o.Calibration.Level, o.Noise = 0.5, schedule
		var want float64
		for step := 2; step <= horizon; step++ {
			scale := sensitivity(o, step) / o.Calibration.Level // Theorem 1's sigma_t
			if schedule == dpdonc.Shifted {
				scale = sensitivity(o, step-1) / o.Calibration.Level
			}
			want += sensitivity(o, step-1) / scale
		}
		claimed, accounted := dpdonc.Totals(&o, horizon)
		algorithmtest.CloseTo(t, string(schedule)+": the claimed total", claimed.Epsilon, 250, 0)
		algorithmtest.CloseTo(t, string(schedule)+": the accounted total", accounted.Epsilon, want, 1e-13)
		var spent accountant.Loss
		for _, loss := range runLockstep(t, spec(o, constant(0, 0), horizon)).Losses[3] {
			spent = spent.Compose(loss)
		}
		if spent != accounted {
			t.Errorf("%s: a node spent %+v, Totals has %+v", schedule, spent, accounted)
		}
	}
	o := printedOptions()
	o.Calibration.Level = math.Inf(1)
	if _, first := dpdonc.Totals(&o, 1); first.Epsilon != 0 {
		t.Errorf("without noise step 1 costs %v, want 0: x_1 is public", first.Epsilon)
	}
	if claimed, second := dpdonc.Totals(&o, 2); claimed.Private() || second.Private() {
		t.Errorf("without noise two steps claim %v and cost %v, want +Inf", claimed, second)
	}
}

// Theorem 2, (28), against sums of its terms worked out in rational numbers and
// roots for N = 4, d = 9, omega = 2, M = 2, theta = 3, eta = 4, beta = 5, C = 6,
// lambda = 1/2, ||x_1|| = 1, so ||X_1|| = 2: beta eta + 2 theta = 26 and
//
//	U1 = 2*8*3*6*26*2/(1/2) = 29952
//	U2 = 8 sqrt(8)*9*9/(2 eps) + 2*2*9/2 + 2*16/2 + 8*81*2*9/(4 eps^2)
//	     + 8 sqrt(2)*27*4*6*3*26/(2 eps/2) + 4*3*4*6*3*26/(2/2)
//	   = 648 sqrt(2)/eps + 18 + 16 + 2916/eps^2 + 404352 sqrt(2)/eps + 22464.
func TestTheorem2(t *testing.T) {
	start := make([]float64, 9)
	start[0], start[8] = -0.6, 0.8
	o := dpdonc.Options{
		Nodes: 4, Divergence: mirror.Euclidean{Scale: 1}, Set: must(mirror.NewL2Ball(9, 2, nil)),
		Theta: 3, Start: start,
	}
	k := dpdonc.BoundConstants{Beta: 5, Smoothness: 2, C: 6, Lambda: 0.5}
	for _, test := range []struct {
		epsilon float64
		horizon int
		want    float64
	}{
		{1, 100, 29952 + 10*(648*math.Sqrt2+18+16+2916+404352*math.Sqrt2+22464)},
		{0.5, 1, 29952 + (1296*math.Sqrt2 + 18 + 16 + 11664 + 808704*math.Sqrt2 + 22464)},
		{math.Inf(1), 400, 29952 + 20*(18+16+22464)},
		{2, 0, 29952},
	} {
		o.Calibration.Level = test.epsilon
		algorithmtest.CloseTo(t, fmt.Sprintf("the bound at epsilon %v, T = %d", test.epsilon, test.horizon), dpdonc.Theorem2(&o, k, test.horizon), test.want, 1e-14)
	}
	if got := dpdonc.TrivialBound(&o, 100); got != 4*100*3*4 {
		t.Errorf("N T theta eta = %v, want 4800", got)
	}
}

// At the printed sizes, with C and lambda measured on the printed graphs, the
// bound exceeds the trivial one even without noise.
func TestTheorem2IsNotInformativeAsPrinted(t *testing.T) {
	const horizon = 500
	o := printedOptions()
	o.Calibration.Level = math.Inf(1)
	c, lambda, err := topology.Contraction(printedGraphs(), horizon)
	if err != nil {
		t.Fatal(err)
	}
	bound := dpdonc.Theorem2(&o, dpdonc.BoundConstants{Beta: 6, Smoothness: 1, C: c, Lambda: lambda}, horizon)
	if trivial := dpdonc.TrivialBound(&o, horizon); trivial != 6*500*7*6 || bound < trivial {
		t.Errorf("bound %v; trivial bound %v, want 126000 and less than the bound", bound, trivial)
	}
}

// Line 4: q_t - x_t is Laplace with the scale sigma_t, entry by entry, for each
// of the first steps, in which a scale taken from the step before or after
// differs most. With n samples the empirical distribution function is further
// than e from that of the law with probability at most 2 exp(-2 n e^2)
// (Dvoretzky, Kiefer, Wolfowitz; Massart): 1e-9 for each step. The mean of
// |q_t - x_t|/sigma_t is 1 with the variance 1/n; six standard errors are
// exceeded with a probability of about 2e-9. The seed is fixed: what has passed
// passes for ever.
func TestNoiseIsLaplace(t *testing.T) {
	const nodes, steps, d = 10_000, 4, 4
	for _, schedule := range []noise.Schedule{dpdonc.AsPrinted, dpdonc.Shifted} {
		o := printedOptions()
		o.Nodes, o.Noise, o.Step.Unscaled = nodes, schedule, true
		o.Set, o.Start = must(mirror.NewL2Ball(d, 1, nil)), make([]float64, d)
		r := spec(o, constant(1, 0, 0, -1), steps)
		r.Graphs = must(topology.Ring{Nodes: nodes}.Sequence())
		b := newBench(r)
		for step := 1; step <= steps; step++ {
			b.turn(t)
			sigma := 2 * math.Sqrt(d) * o.Theta / (math.Sqrt(float64(step)) * o.Calibration.Level)
			if schedule == dpdonc.Shifted {
				if step == 1 {
					requireNoNoise(t, b)
					continue
				}
				sigma *= math.Sqrt(float64(step) / float64(step-1))
			}
			var residuals []float64
			for i, sent := range b.sent {
				for _, v := range minus(sent.Values, b.Decisions[i][step-1]) {
					residuals = append(residuals, v/sigma)
				}
			}
			checkStandardLaplace(t, fmt.Sprintf("%s, step %d", schedule, step), residuals)
		}
	}
}

func requireNoNoise(t *testing.T, b *bench) {
	t.Helper()
	for i, sent := range b.sent {
		if !slices.Equal(sent.Values, b.Decisions[i][0]) {
			t.Fatalf("node %d sent %v in step 1, want x_1 = %v as it is", i+1, sent.Values, b.Decisions[i][0])
		}
	}
}

func checkStandardLaplace(t *testing.T, name string, x []float64) {
	t.Helper()
	n := float64(len(x))
	slices.Sort(x)
	var distance, size float64
	for i, v := range x {
		p := math.Exp(-math.Abs(v)) / 2
		if v > 0 {
			p = 1 - p
		}
		distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
		size += math.Abs(v) / n
	}
	if e := math.Sqrt(math.Log(2/1e-9) / (2 * n)); distance > e {
		t.Errorf("%s: distance %v from the Laplace law, want at most %v", name, distance, e)
	}
	if e := 6 / math.Sqrt(n); math.Abs(size-1) > e {
		t.Errorf("%s: mean size %v of the scaled noise, want 1 within %v", name, size, e)
	}
}
