package stream

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// onesBound has every size 1, so that Lemma IV.9 can be read off by hand.
func onesBound() RegretBound {
	return RegretBound{
		Shape: Shape{Learners: 1, Rounds: 1, Tau: 1}, Dim: 1, LocalStep: 0.125, GlobalStep: 1,
		Smoothness: 1, GradientBound: 1, Alpha: 1, Mu: 1, Sigma: 1,
		Scale: 2, RoundRows: 3, LargestRow: 2, Start: 2, Drift: 5,
	}
}

// Lemma IV.9. By hand for onesBound: the start is 2/(1/8) = 16, the noise 24 * 2 *
// (1/64) * 3 * 4 = 9, the drift 13 * 5 = 65, and the local steps (1/8 + 1/12 + 1)
// * 2 * (1/64) * (2 + 8 * 2 * 4) = 2.4921875. The other value was computed in
// rational arithmetic.
func TestRegretBoundByHand(t *testing.T) {
	other := RegretBound{
		Shape: Shape{Learners: 4, Rounds: 10, Tau: 2}, Dim: 3, LocalStep: 1.0 / 64, GlobalStep: 0.5,
		Smoothness: 2, GradientBound: 3, Alpha: 0.5, Mu: 0.25, Sigma: 1,
		Scale: 0.5, RoundRows: 7, LargestRow: 2, Start: 5, Drift: 6,
	}
	for _, c := range []struct {
		bound RegretBound
		want  float64
	}{{onesBound(), 16 + 9 + 65 + 2.4921875}, {other, 126185.0 / 1024}} {
		got, err := c.bound.PerStep()
		if err != nil || relative(got, c.want) > 1e-14 {
			t.Errorf("%+v: %v, %v, want %v", c.bound, got, err, c.want)
		}
		total, err := c.bound.Total()
		if want := c.want * float64(c.bound.Rounds*c.bound.Tau); err != nil || relative(total, want) > 1e-14 {
			t.Errorf("total %v, %v, want %v", total, err, want)
		}
	}
}

func TestRegretBoundNeedsItsConstants(t *testing.T) {
	for want, change := range map[string]func(*RegretBound){
		"regret bound: mu = 0, want a finite number > 0":                              func(b *RegretBound) { b.Mu = 0 },
		"regret bound: L = +Inf, want a finite number > 0":                            func(b *RegretBound) { b.Smoothness = math.Inf(1) },
		"regret bound: C_R = NaN, want a finite number >= 0":                          func(b *RegretBound) { b.Drift = math.NaN() },
		"regret bound: n = 1, R = 0, tau = 1, d = 1, want at least 1 of each":         func(b *RegretBound) { b.Rounds = 0 },
		"regret bound: eta~ = eta eta_g tau = 0.25, want at most alpha/(8 L) = 0.125": func(b *RegretBound) { b.GlobalStep = 2 },
		"regret bound: V_i = -1, want a finite number >= 0":                           func(b *RegretBound) { b.Scale = -1 },
	} {
		b := onesBound()
		change(&b)
		if _, err := b.PerStep(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Lemma IV.9 holds for strongly convex quadratics f_i^{r,t}(x) = |x - a|^2/2,
// whose constants are known (L = mu = alpha = 1, sigma = 0 as each optimum is one
// point), on runs of equation (2) without noise: nothing is in expectation then.
func TestRegretBoundHoldsForQuadratics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Shape{rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(1, 8).Draw(t, "R"), rapid.IntRange(1, 4).Draw(t, "tau")}
		data := rapid.SliceOfN(rapid.Float64Range(-5, 5), s.Learners*s.Steps(), s.Learners*s.Steps()).Draw(t, "a")
		global := rapid.Float64Range(0.5, 2).Draw(t, "eta_g")
		b := RegretBound{
			Shape: s, Dim: 1, LocalStep: rapid.Float64Range(0.01, 1).Draw(t, "share") / (8 * global * float64(s.Tau)), GlobalStep: global,
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
					regret += ((x-a)*(x-a) - (center-a)*(center-a)) / (2 * float64(s.Learners))
					b.GradientBound = max(b.GradientBound, math.Abs(z-a))
					z -= b.LocalStep * (z - a)
				}
				next += (x - z) / (b.LocalStep * float64(s.Tau*s.Learners))
			}
			x -= b.Step() * next
		}
		most, err := b.Total()
		if err != nil {
			t.Fatal(err)
		}
		if regret > most+1e-9 {
			t.Fatalf("regret %v over the bound %v", regret, most)
		}
	})
}
