package dpfl_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"starling/actors/algorithm/dpfl"
)

// closedForm is h of (10) as the text has it: with (11) set right.
func closedForm(b dpfl.Bound, x float64) float64 {
	return (b.Xi+b.Noise)/b.Beta*(math.Pow(b.LearningRate*b.Beta+1, x)-1) - b.LearningRate*(b.Xi+b.Noise)*x
}

// g is (13) for a lambda, and phi such that phi lambda^2 is the control constant;
// positive tells whether Theorem 2, condition 2, holds.
func g(b dpfl.Bound, lambda float64, tau, T int) (value float64, positive bool) {
	phi := b.Control / (lambda * lambda)
	bracket := b.LearningRate*phi - b.Rho*closedForm(b, float64(tau))/(float64(tau)*lambda*lambda)
	return 1/(float64(T)*bracket) + math.Sqrt(3)/3, bracket > 0
}

func drawBound(t *rapid.T) dpfl.Bound {
	positive := func(name string) float64 { return math.Exp(rapid.Float64Range(-3, 2).Draw(t, name)) }
	return dpfl.Bound{
		Rho: positive("rho"), Beta: positive("beta"), Xi: positive("xi"), Noise: positive("c"),
		LearningRate: positive("eta"), Control: positive("c_G"),
	}
}

// (10), (22), (24): the sum of the increments is the closed form.
func TestHIsTheClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, x := drawBound(t), rapid.IntRange(0, 40).Draw(t, "x")
		// The closed form subtracts numbers of this size.
		size := (b.Xi+b.Noise)/b.Beta*math.Pow(b.LearningRate*b.Beta+1, float64(x)) + 1
		if want, got := closedForm(b, float64(x)), b.H(x); math.Abs(got-want) > 1e-12*size {
			t.Fatalf("h(%d) = %v, want %v", x, got, want)
		}
	})
}

// Section III.D: h(0) = h(1) = 0 and, by Bernoulli's inequality, h(x) >= 0; it
// grows. As printed (11) has its last xi over B, and then h(1) is not 0.
func TestHOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBound(t)
		if b.H(0) != 0 || b.H(1) != 0 {
			t.Fatalf("h(0) = %v, h(1) = %v", b.H(0), b.H(1))
		}
		for x := 1; x < 100; x++ {
			if !(b.H(x+1) > b.H(x)) {
				t.Fatalf("h(%d) = %v, h(%d) = %v", x, b.H(x), x+1, b.H(x+1))
			}
		}
		const B = 75.0
		printed := b.LearningRate*(b.Xi+b.Noise) - b.LearningRate*(b.Xi+b.Noise*B)/B
		if want := b.LearningRate * b.Xi * (1 - 1/B); math.Abs(printed-want) > 1e-12*(b.Xi+b.Noise)*b.LearningRate || want == 0 {
			t.Fatalf("h(1) as printed is %v, want %v", printed, want)
		}
		b.Beta = 0
		if b.H(50) != 0 {
			t.Fatalf("without curvature h(50) = %v", b.H(50))
		}
	})
}

// Section IV.B: tau* minimises G(tau) of (13) over 1 .. min(2 tau*, 100), among
// those for which Theorem 2's bracket is positive, whatever lambda is.
func TestChooseMinimisesG(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBound(t)
		last := rapid.IntRange(1, 100).Draw(t, "last")
		rounds, steps := rapid.IntRange(1, 50).Draw(t, "rounds"), rapid.IntRange(1, 2000).Draw(t, "steps")
		lambda := rapid.Float64Range(0.1, 1).Draw(t, "lambda")
		chosen := b.Choose(last, rounds, steps)
		if chosen < 1 || chosen > min(2*last, 100) {
			t.Fatalf("tau* = %d after %d", chosen, last)
		}
		least, ok := g(b, lambda, chosen, min(chosen*rounds, steps))
		if !ok && chosen > 1 {
			t.Fatalf("tau* = %d, where the bracket is not positive", chosen)
		}
		for tau := 1; tau <= min(2*last, 100); tau++ {
			if other, ok := g(b, lambda, tau, min(tau*rounds, steps)); ok && other < least-1e-9*math.Abs(least) {
				t.Fatalf("tau* = %d with G = %v; %d has %v", chosen, least, tau, other)
			}
		}
	})
}

// Section VI.B, condition I: where R_s >= R_c, tau = 1 is best.
func TestEnoughRoundsChooseOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBound(t)
		steps := rapid.IntRange(1, 500).Draw(t, "steps")
		rounds := steps + rapid.IntRange(0, 500).Draw(t, "more")
		if tau := b.Choose(rapid.IntRange(1, 100).Draw(t, "last"), rounds, steps); tau != 1 {
			t.Fatalf("tau* = %d with %d rounds left for %d steps", tau, rounds, steps)
		}
		b.Control = math.Inf(1)
		if tau := b.Choose(100, rounds, steps); tau != 1 {
			t.Fatalf("on ties tau* = %d", tau)
		}
	})
}

// Condition II: where R_s < R_c, a large c_G spends both budgets exactly, as soon
// as doubling allows it; a small one always chooses 1.
func TestFewRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBound(t)
		rounds := rapid.IntRange(20, 200).Draw(t, "rounds")
		steps := rapid.IntRange(rounds, 5*rounds).Draw(t, "steps")
		for _, test := range []struct {
			control float64
			want    int // steps
		}{{1e12, steps}, {1e-12, rounds}} {
			b.Control = test.control
			tau, taken, used := 1, 2, 2 // rounds 1 and 2
			for ; used < rounds && taken < steps; used++ {
				tau = b.Choose(tau, rounds-used, steps-taken)
				taken += min(tau, steps-taken)
			}
			if used != rounds || taken != test.want {
				t.Fatalf("c_G = %v: %d of %d rounds with %d of %d steps", test.control, used, rounds, taken, steps)
			}
		}
	})
}

// The overview (section IV.A) has the server minimise h, which would always
// choose 1: h(1) = 0 and h grows. It is (13) that is minimised.
func TestMinimisingHChoosesOne(t *testing.T) {
	b := dpfl.Bound{Rho: 0.1, Beta: 0.5, Xi: 0.2, Noise: 0.3, LearningRate: 0.5, Control: 1}
	if b.Choose(2, 10, 1000) == 1 || b.H(1) >= b.H(2) {
		t.Errorf("tau* = %d, h(2) = %v", b.Choose(2, 10, 1000), b.H(2))
	}
	if b.Choose(60, 10, dpfl.Unlimited) > 100 || b.Choose(3, 10, dpfl.Unlimited) > 6 {
		t.Error("tau* beyond min(2 tau*, 100)")
	}
	b.Rho = 0
	if got := b.Choose(60, 10, dpfl.Unlimited); got != 100 {
		t.Errorf("with nothing against it tau* = %d after 60, want 100", got)
	}
}

func TestCaseOf(t *testing.T) {
	for _, test := range []struct {
		chosen, free []float64
		want         dpfl.Case
	}{
		{nil, nil, dpfl.BudgetsDecide},
		{[]float64{1, 1}, []float64{1, 1}, dpfl.BudgetsDecide},
		{[]float64{2, 3}, []float64{2, 3}, dpfl.BudgetsDecide},
		{[]float64{1, 1}, []float64{2, 1}, dpfl.PenaltyDecides},
		{[]float64{2, 3}, []float64{2, 4}, dpfl.BothDecide},
	} {
		if got := dpfl.CaseOf(test.chosen, test.free); got != test.want {
			t.Errorf("%v of %v: %q, want %q", test.chosen, test.free, got, test.want)
		}
	}
}
