package stream

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// The gradient of the ridge term by central differences of the loss, and the
// losses of Loss and Evaluate to the last bit.
func TestRidgeGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "d")
		l2 := rapid.Float64Range(0.01, 3).Draw(t, "l2")
		plain := NewLogistic(d, math.Inf(1))
		model := plain.Ridge(l2)
		entries := rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d)
		x := entries.Draw(t, "x")
		datum := append(entries.Draw(t, "a"), rapid.SampledFrom([]float64{-1, 1}).Draw(t, "b"))
		if got, want := model.Loss(x, datum)-plain.Loss(x, datum), l2/2*floats.Dot(x, x); math.Abs(got-want) > 1e-12*(1+want) {
			t.Fatalf("ridge term %v, want %v", got, want)
		}
		if loss, correct := model.Evaluate(x, datum); loss != model.Loss(x, datum) || correct != model.Correct(x, datum) {
			t.Fatalf("evaluated to %v, %v", loss, correct)
		}
		got := make([]float64, d)
		model.Gradient(got, x, datum)
		want := fd.Gradient(nil, func(x []float64) float64 { return model.Loss(x, datum) }, x, &fd.Settings{Formula: fd.Central})
		if !floats.EqualApprox(got, want, 1e-6) {
			t.Fatalf("gradient %v, want %v", got, want)
		}
	})
}

// The constants of a ridge-regularised loss with ||a|| = 1: gradients have no
// bound, L is 1/4 + l2 and mu is l2.
func TestRidgeConstants(t *testing.T) {
	model := NewLogistic(3, 1).Ridge(0.5)
	if !math.IsInf(model.GradientBound(), 1) || model.Smoothness() != 0.75 || model.StrongConvexity() != 0.5 {
		t.Errorf("B_g %v, L %v, mu %v", model.GradientBound(), model.Smoothness(), model.StrongConvexity())
	}
	if plain := NewLogistic(3, 1).Ridge(0); plain != NewLogistic(3, 1) {
		t.Errorf("without weight: %+v", plain)
	}
	for l2, ok := range map[float64]bool{0: true, 0.5: true, -0.1: false, math.Inf(1): false, math.NaN(): false} {
		o := DefaultSyntheticOptions()
		o.L2 = l2
		if err := o.Validate(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "want a finite number >= 0") {
			t.Errorf("l2 = %v: %v", l2, err)
		}
	}
}

// coinOptimum is the least of p log(1 + e^x) + (1-p) log(1 + e^-x) + l2/2 x^2,
// where the derivative 1/(1 + e^-x) - (1-p) + l2 x, which ascends, is 0, by
// bisection.
func coinOptimum(p, l2 float64) (x, value float64) {
	low, high := -40.0, 40.0
	for range 200 {
		if x = (low + high) / 2; 1/(1+math.Exp(-x))-(1-p)+l2*x < 0 {
			low = x
		} else {
			high = x
		}
	}
	return x, p*math.Log1p(math.Exp(x)) + (1-p)*math.Log1p(math.Exp(-x)) + l2/2*x*x
}

// The data of TestComparatorByHand with a ridge term. Also those of round 0, which
// are separable, have one minimiser; C_R is the sum of squared distances.
func TestRidgeComparatorByHand(t *testing.T) {
	const l2 = 0.3
	in := &counted{flip: func(_, step int) bool { return step%4 < step/4 }}
	c := NewComparator(NewLogistic(1, math.Inf(1)).Ridge(l2), in, Shape{Learners: 1, Rounds: 3, Tau: 4})
	best, value := coinOptimum(0.25, l2)
	if got := c.Static(); got.Status != Solved || math.Abs(got.X[0]-best) > 1e-4 || math.Abs(got.Value-value) > 2*Tolerance {
		t.Errorf("static %+v, want %v at %v", got, value, best)
	}
	want := 0.0
	for r := range 3 {
		x, value := coinOptimum(float64(r)/4, l2)
		want += (x - best) * (x - best)
		if got := c.Round(r); got.Status != Solved || math.Abs(got.X[0]-x) > 1e-4 || math.Abs(got.Value-value) > 2*Tolerance {
			t.Errorf("round %d: %+v, want %v at %v", r, got, value, x)
		}
	}
	if got := c.Drift(); math.Abs(got-want) > 1e-3 {
		t.Errorf("C_R = %v, want %v", got, want)
	}
	if got := c.Rounds(); got.Separable != 0 || got.Undecided != 0 {
		t.Errorf("rounds %+v", got)
	}
	plain := NewComparator(NewLogistic(1, math.Inf(1)), in, Shape{Learners: 1, Rounds: 3, Tau: 4})
	if got := plain.Drift(); !math.IsNaN(got) {
		t.Errorf("C_R = %v without a ridge term, want NaN", got)
	}
}

// The gap that is reported bounds how far the value is from that of any point,
// and the gradient at X is that of the definition.
func TestRidgeMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 3).Draw(t, "d")
		data := drawIntegers(t, d)
		l2 := rapid.Float64Range(0.05, 2).Draw(t, "l2")
		model := NewLogistic(d, math.Inf(1)).Ridge(l2)
		loss := func(x []float64) (sum float64) {
			for j := 0; j < len(data); j += d + 1 {
				sum += model.Loss(x, data[j:j+d+1])
			}
			return sum / float64(len(data)/(d+1))
		}
		got := model.Minimum(slices.Clone(data))
		if got.Status != Solved || math.Abs(got.Value-loss(got.X)) > 1e-12 {
			t.Fatalf("%+v, whose loss is %v", got, loss(got.X))
		}
		slope := fd.Gradient(nil, loss, got.X, &fd.Settings{Formula: fd.Central})
		if floats.Norm(slope, 2) > 1e-4 {
			t.Fatalf("gradient %v at the minimiser", slope)
		}
		other := rapid.SliceOfN(rapid.Float64Range(-3, 3), d, d).Draw(t, "x")
		// Strong convexity: f(x) is at least f* + l2/2 ||x - x*||^2.
		if least := got.Value - got.Gap + l2/2*floats.Distance(other, got.X, 2)*floats.Distance(other, got.X, 2); loss(other) < least-1e-4 {
			t.Fatalf("%v at %v, want at least %v", loss(other), other, least)
		}
	})
}

// otherBound is that of TestRegretBoundByHand.
func otherBound() RegretBound {
	return RegretBound{
		Shape: Shape{Learners: 4, Rounds: 10, Tau: 2}, Dim: 3, LocalStep: 1.0 / 64, GlobalStep: 0.5,
		Smoothness: 2, GradientBound: 3, Alpha: 0.5, Mu: 0.25, Sigma: 1,
		Scale: 0.5, RoundRows: 7, LargestRow: 2, Start: 5, Drift: 6,
	}
}

// The other bounds, as fractions in rational arithmetic from the formulas as they
// are printed: (37) and after it of the second version, Lemma IV.9 and (39) of the
// first. Those on static regret, with alpha = 1 and theta = eta~ ln(R tau), were
// computed from (40) and what follows it in double precision.
func TestBoundsByHand(t *testing.T) {
	one := func(b RegretBound) RegretBound { b.Alpha = 1; return b }
	first := func(b RegretBound) RegretBound { b.PerRound = true; return b }
	for _, c := range []struct {
		name  string
		bound RegretBound
		terms func(*RegretBound) (BoundTerms, error)
		want  float64
	}{
		{"Corollary IV.11", otherBound(), (*RegretBound).Independent, 5041639.0 / 40960},
		{"version 1, Lemma IV.9", first(otherBound()), (*RegretBound).Dynamic, 2508389.0 / 20480},
		{"version 1, Corollary IV.11", first(otherBound()), (*RegretBound).Independent, 2508197.0 / 20480},
		{"Corollary IV.12", one(otherBound()), (*RegretBound).Static, 32.6382190284496},
		{"version 1, Corollary IV.12", first(one(otherBound())), (*RegretBound).Static, 32.39283785330426},
	} {
		got, err := c.terms(&c.bound)
		if err != nil || relative(got.Sum(), c.want) > 1e-14 {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func TestBoundsNeedSmallSteps(t *testing.T) {
	for want, c := range map[string]struct {
		change func(*RegretBound)
		terms  func(*RegretBound) (BoundTerms, error)
	}{
		"want at most 5 alpha/(48 L) = 0.026041666666666668 with independent noise": {func(b *RegretBound) { b.GlobalStep = 0.9 }, (*RegretBound).Independent},
		"want at most 1/(10 L ln 20) = 0.0166904":                                   {func(b *RegretBound) { b.Alpha, b.GlobalStep = 1, 0.6 }, (*RegretBound).Static},
		"alpha = 0.5, want 1, as for strongly convex losses":                        {func(*RegretBound) {}, (*RegretBound).Static},
		"mu = 0, want a finite number > 0":                                          {func(b *RegretBound) { b.Mu = 0 }, (*RegretBound).Static},
	} {
		b := otherBound()
		c.change(&b)
		if _, err := c.terms(&b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	b := otherBound()
	b.GlobalStep, b.PerRound = 0.9, true // where version 1 loses nothing
	if _, err := b.Independent(); err != nil {
		t.Error(err)
	}
}

// Corollary IV.12 with the constants of its proof holds for the quadratics of
// TestRegretBoundHoldsForQuadratics, on runs without noise.
func TestStaticBoundHoldsForQuadratics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shape{rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(2, 12).Draw(t, "R"), rapid.IntRange(1, 4).Draw(t, "tau")}
		data := rapid.SliceOfN(rapid.Float64Range(-5, 5), s.Learners*s.Steps(), s.Learners*s.Steps()).Draw(t, "a")
		most := min(0.125, 1/(10*math.Log(float64(s.Steps()))))
		b := RegretBound{
			Shape: s, Dim: 1, LocalStep: rapid.Float64Range(0.1, 0.999).Draw(t, "share") * most / float64(s.Tau), GlobalStep: 1,
			Smoothness: 1, Alpha: 1, Mu: 1,
		}
		best := floats.Sum(data) / float64(len(data))
		x, regret := rapid.Float64Range(-5, 5).Draw(t, "x^0"), 0.0
		b.Start = (x - best) * (x - best)
		per := s.Learners * s.Tau
		for r := range s.Rounds {
			round := data[r*per : (r+1)*per]
			center, next := floats.Sum(round)/float64(per), 0.0
			b.Drift += (center - best) * (center - best)
			for i := range s.Learners {
				z := x
				for k := range s.Tau {
					a := round[k*s.Learners+i]
					regret += ((x-a)*(x-a) - (best-a)*(best-a)) / (2 * float64(per*s.Rounds))
					b.GradientBound = max(b.GradientBound, math.Abs(z-a))
					z -= b.LocalStep * (z - a)
				}
				next += z / float64(s.Learners)
			}
			x = next
		}
		terms, err := b.Static()
		if err != nil {
			t.Fatal(err)
		}
		if regret > terms.Sum()+1e-9 {
			t.Fatalf("regret %v over the bound %v", regret, terms)
		}
	})
}
