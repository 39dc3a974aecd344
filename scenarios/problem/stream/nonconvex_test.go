package stream

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
)

// robust is a loss that is not convex, and whose constants are known: the loss of
// Geman and McClure around a center c with a ridge term, and a pull e that is of the
// datum (c, e), s = ||x - c||:
//
//	f(x) = s^2/2 + 3 s^2/(1 + s^2) + <e, x - c>.
//
// Pulls of a round add up to 0, so that f^r is the loss without pull, least at c, where
// it is 0. The second derivatives of f^r away from c are 1 + 6/(1 + s^2)^2 across and
// 1 + 6 (1 - 3 s^2)/(1 + s^2)^3 along x - c, least at s = 1 and largest at 0.
type robust struct{ dim int }

const (
	robustSmoothness = 7.0 // L, at s = 0
	robustWeakness   = 0.5 // mu_WC, at s = 1: the loss is not convex
	robustGrowth     = 1.0 // c_QG, as s grows
)

// robustMu is the largest mu of Assumption IV.4 for an alpha of at most 4, by hand: with
// v = 1/(1 + s^2) the assumption is mu <= 2 + 12 v^2 - alpha - 6 alpha v, which is least
// at v = alpha/4.
func robustMu(alpha float64) float64 { return 2 - alpha - 0.75*alpha*alpha }

func (m robust) Dim() int { return m.dim }

func (m robust) offset(x, datum []float64) (offset []float64, square float64) {
	offset = floats.SubTo(make([]float64, m.dim), x, datum[:m.dim])
	return offset, floats.Dot(offset, offset)
}

func (m robust) Loss(x, datum []float64) float64 {
	offset, square := m.offset(x, datum)
	return square/2 + 3*square/(1+square) + floats.Dot(datum[m.dim:], offset)
}

func (m robust) Gradient(dst, x, datum []float64) {
	offset, square := m.offset(x, datum)
	floats.ScaleTo(dst, 1+6/((1+square)*(1+square)), offset)
	floats.Add(dst, datum[m.dim:])
}

// swaying are data of the robust loss: the center of even rounds is to the one side
// of (1, 1, ..) by a distance, that of odd rounds to the other.
type swaying struct {
	robust
	Shape
	away float64
}

func (s swaying) Width() int { return 2 * s.dim }

func (s swaying) Datum(dst []float64, node messages.NodeID, step int) {
	learner, step := int(node), step-1
	round := step / s.Tau
	for k := range s.dim {
		dst[k], dst[s.dim+k] = 1, 0
	}
	dst[0] += s.away * float64(1-2*(round%2))
	key := rng.NewKey(3, rng.PurposeOf("stream.test.pulls"))
	for k := range s.dim {
		mean := 0.0
		for i := range s.Learners {
			for t := round * s.Tau; t < (round+1)*s.Tau; t++ {
				mean += key.Uniform(i, t, k) / float64(s.Learners*s.Tau)
			}
		}
		dst[s.dim+k] = key.Uniform(learner, step, k) - mean
	}
}

// Assumptions IV.1 and IV.4 by the losses themselves, at pairs of points; that the loss
// is not convex; and that no constant is larger than the loss needs.
func TestRobustLossIsOfTheClass(t *testing.T) {
	m := robust{3}
	key := rng.NewKey(5, rng.PurposeOf("stream.test.points"))
	point := func(i, j int) []float64 {
		p := make([]float64, 3)
		for k := range p {
			p[k] = 6*key.Uniform(i, j, k) - 3
		}
		return p
	}
	if robustMu(1) != 0.25 {
		t.Fatalf("mu = %v at alpha = 1, want 1/4", robustMu(1))
	}
	datum := []float64{0.5, -0.25, 1, 0, 0, 0}
	pulled := []float64{0.5, -0.25, 1, 0.3, -0.2, 0.1}
	smooth, weak, class := math.Inf(-1), math.Inf(-1), math.Inf(-1) // the largest excess over the constants
	for i := range 20000 {
		x, y, slope := point(i, 0), point(i, 1), make([]float64, 3)
		m.Gradient(slope, x, pulled)
		if i < 100 {
			want := fd.Gradient(nil, func(x []float64) float64 { return m.Loss(x, pulled) }, x, &fd.Settings{Formula: fd.Central})
			if !floats.EqualApprox(slope, want, 1e-6) {
				t.Fatalf("gradient %v, want %v", slope, want)
			}
		}
		step := floats.SubTo(make([]float64, 3), y, x)
		curvature := 2 * (m.Loss(y, pulled) - m.Loss(x, pulled) - floats.Dot(slope, step)) / floats.Dot(step, step)
		smooth, weak = max(smooth, curvature), max(weak, -curvature)
		offset, square := m.offset(x, datum)
		m.Gradient(slope, x, datum)
		class = max(class, (m.Loss(x, datum)-floats.Dot(slope, offset))/square+robustMu(1)/2)
	}
	if smooth > robustSmoothness || weak > robustWeakness || class > 1e-12 {
		t.Errorf("curvature up to %v and down to %v; Assumption IV.4 fails by %v", smooth, -weak, class)
	}
	if weak < 0.01 || class < -0.01 {
		t.Errorf("curvature down to %v only, Assumption IV.4 with %v to spare: the points show nothing", -weak, -class)
	}
}

// Corollary IV.7 of version 1: the constants that it gives a loss which grows
// quadratically, and is weakly convex by less, are within those that the loss has.
func TestCorollaryIV7OfVersion1(t *testing.T) {
	most := (robustGrowth - robustWeakness) / robustSmoothness
	for _, share := range []float64{0.01, 0.3, 0.7, 0.99} {
		alpha := share * most
		if mu := (robustGrowth - robustWeakness - alpha*robustSmoothness) / 2; !(mu > 0 && mu <= robustMu(alpha)) {
			t.Errorf("alpha = %v: mu = %v, the loss has %v", alpha, mu, robustMu(alpha))
		}
	}
}

// decisions keeps what the learners play.
type decisions struct {
	played [][][]float64 // by learner and step
}

func (d *decisions) Played(node messages.NodeID, _ int, x []float64) {
	if node < ofl.Learner(0) { // the server, at last
		return
	}
	d.played[node-ofl.Learner(0)] = append(d.played[node-ofl.Learner(0)], append([]float64(nil), x...))
}
func (*decisions) Spent(messages.NodeID, int, accountant.Loss) error { return nil }
func (*decisions) Recorded(messages.NodeID, int, string, float64)    {}
func (*decisions) Stopped(messages.NodeID, int, string)              {}
func (*decisions) Sent(int, int64, int64)                            {}

// robustRun is version 1 on swaying data. The centers are on a line and close enough
// for their losses to add up to one that is strictly convex between them, so that its
// one optimum is in the middle.
type robustRun struct {
	kind  factorization.Kind // empty for no noise
	data  swaying
	step  float64 // eta~
	scale float64 // V_i
}

// eta_g is large, as local steps are then small.
const robustGlobalStep = 20.0

func (r *robustRun) options() (ofl.Options, error) {
	o := ofl.Options{
		Version: ofl.PerRound, Learners: r.data.Learners, Rounds: r.data.Rounds, Tau: r.data.Tau,
		LocalStep: r.step / (robustGlobalStep * float64(r.data.Tau)), GlobalStep: robustGlobalStep,
		Start: make([]float64, r.data.dim), GradientBound: 4, Bound: ofl.BoundError, // a longer gradient fails the run
		NoisePurpose: rng.PurposeOf("stream.test.noise"), Model: r.data.robust, Data: r.data,
	}
	o.Start[0] = -1.5 // outside of where the loss is not convex, seen from the centers
	if r.kind == "" {
		return o, nil
	}
	f, err := factorization.New(factorization.Options{Kind: r.kind, N: o.Inputs()})
	if err != nil {
		return o, err
	}
	o.Noise = noise.OnPrefixes(r.scale, 2*o.GradientBound*f.Sensitivity(), f)
	return o, nil
}

// regret is the dynamic regret per step of a run by the definition: the loss of x^r,
// as the learners play it, on every datum, above the least of the round, which is 0.
// closest and furthest are the distances of x^r from the middle.
func (r *robustRun) regret(seed uint64) (regret, closest, furthest float64, err error) {
	o, err := r.options()
	if err != nil {
		return 0, 0, 0, err
	}
	machines, err := ofl.New(o)
	if err != nil {
		return 0, 0, 0, err
	}
	graphs, err := ofl.Graph(o.Learners)
	if err != nil {
		return 0, 0, 0, err
	}
	d := &decisions{played: make([][][]float64, o.Learners)}
	run := &algorithm.Run{Seed: seed, Steps: o.Steps(), Graphs: graphs, Machines: machines, Meter: d, Hops: o.Hops, Acts: o.Acts}
	if err := lockstep.Run(context.Background(), run); err != nil {
		return 0, 0, 0, err
	}
	middle, datum := make([]float64, r.data.dim), make([]float64, r.data.Width())
	floats.AddConst(1, middle)
	closest = math.Inf(1)
	for i := range o.Learners {
		for step, x := range d.played[i] {
			r.data.Datum(datum, messages.NodeID(i), step+1)
			regret += r.data.Loss(x, datum) / float64(o.Learners*o.Steps())
			away := floats.Distance(x, middle, 2)
			closest, furthest = min(closest, away), max(furthest, away)
		}
	}
	return regret, closest, furthest, nil
}

// bound are the constants of the run's bound, with those of the loss.
func (r *robustRun) bound(alpha float64) (RegretBound, error) {
	o, err := r.options()
	if err != nil {
		return RegretBound{}, err
	}
	middle := make([]float64, r.data.dim)
	floats.AddConst(1, middle)
	start := floats.Distance(o.Start, middle, 2)
	b := RegretBound{
		Shape: r.data.Shape, PerRound: true, Dim: r.data.dim, LocalStep: o.LocalStep, GlobalStep: o.GlobalStep,
		Smoothness: robustSmoothness, GradientBound: o.GradientBound, Alpha: alpha, Mu: robustMu(alpha),
		Start: start * start, Drift: float64(r.data.Rounds) * r.data.away * r.data.away,
	}
	if o.Noise.Private() {
		b.Scale = r.scale
		for norm := range o.Noise.Factorization().RowNorms() {
			b.RoundRows += norm
			b.LargestRow = max(b.LargestRow, norm)
		}
	}
	return b, nil
}

func (r *robustRun) String() string {
	return fmt.Sprintf("noise %q, eta~ = %v, R = %d", r.kind, r.step, r.data.Rounds)
}

// Lemma IV.9 and Corollary IV.11 of version 1 on losses that are not convex: the mean
// regret of runs that come from outside through where the loss is not convex to the
// optimum is at most the bound, which says something, being below the regret of who
// plays x^0 for ever. B_g is one on these runs: a longer gradient fails them.
func TestVersion1OnNonconvexLosses(t *testing.T) {
	shape := Shape{Learners: 3, Rounds: 400, Tau: 2}
	for _, test := range []struct {
		kind factorization.Kind
		by   func(*RegretBound) (BoundTerms, error)
	}{
		{"", (*RegretBound).Dynamic},
		{factorization.Tree, (*RegretBound).Dynamic},
		{factorization.Toeplitz, (*RegretBound).Dynamic},
		{factorization.Independent, (*RegretBound).Independent},
	} {
		r := &robustRun{test.kind, swaying{robust{2}, shape, 0.05}, 1.0 / 56, 1.5}
		mean, seeds := 0.0, 20
		for seed := range seeds {
			regret, closest, furthest, err := r.regret(uint64(seed + 1))
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			if closest > 0.5 || furthest < 2 {
				t.Errorf("%v, seed %d: x^r from %v to %v away from the optimum, not through where the loss is not convex", r, seed+1, furthest, closest)
			}
			mean += regret / float64(seeds)
		}
		b, err := r.bound(1)
		if err != nil {
			t.Fatal(err)
		}
		terms, err := test.by(&b)
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		standing := robust{2}.Loss([]float64{-1.5, 0}, []float64{1, 1, 0, 0})
		t.Logf("%v: regret %.4g, bound %v, standing still %.4g", r, mean, terms, standing)
		if !(mean <= terms.Sum()) || !(terms.Sum() < standing) {
			t.Errorf("%v: regret %v, bound %v, standing still %v", r, mean, terms, standing)
		}
	}
}

// Theorem IV.10 of version 1 on losses that are not convex: with the steps of the
// theorem the regret per step is of the order (ln R/R)^(2/3) where the optimum stays
// (C_R = 0), and so is the bound.
func TestTheoremIV10OfVersion1OnNonconvexLosses(t *testing.T) {
	var first, firstBound float64
	for i, rounds := range []int{400, 1600, 6400} {
		size, log := float64(rounds), math.Log(float64(rounds))
		rate := math.Pow(log/size, 2.0/3)
		r := &robustRun{
			kind: factorization.Toeplitz, data: swaying{robust{2}, Shape{Learners: 3, Rounds: rounds, Tau: 2}, 0},
			step: 0.4 * math.Pow(size, -1.0/3) * math.Pow(log, -2.0/3), scale: 1.5,
		}
		mean, seeds := 0.0, 6
		for seed := range seeds {
			regret, _, _, err := r.regret(uint64(seed + 1))
			if err != nil {
				t.Fatalf("%v: %v", r, err)
			}
			mean += regret / float64(seeds)
		}
		b, err := r.bound(1)
		if err != nil {
			t.Fatal(err)
		}
		terms, err := b.Dynamic()
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		t.Logf("%v: regret %.4g, %.4g of the order, bound %v, %.4g of the order", r, mean, mean/rate, terms, terms.Sum()/rate)
		if mean > terms.Sum() {
			t.Errorf("%v: regret %v, bound %v", r, mean, terms)
		}
		if i == 0 {
			first, firstBound = mean/rate, terms.Sum()/rate
		}
		if ratio := mean / rate / first; ratio < 0.8 || ratio > 1.25 {
			t.Errorf("%v: regret is %v of the order, %v at 400 rounds", r, mean/rate, first)
		}
		if ratio := terms.Sum() / rate / firstBound; ratio < 0.8 || ratio > 1.25 {
			t.Errorf("%v: the bound is %v of the order, %v at 400 rounds", r, terms.Sum()/rate, firstBound)
		}
	}
}
