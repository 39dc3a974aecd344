package numeric_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"starling/mechanisms/numeric"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// binomial is the chance of count or more successes in n, term by term.
func binomial(n, count int, p float64) (sum float64) {
	for k := count; k <= n; k++ {
		all, _ := math.Lgamma(float64(n + 1))
		some, _ := math.Lgamma(float64(k + 1))
		others, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(all - some - others + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return sum
}

func TestBeta(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40, 300} {
		for count := 1; count <= n; count += 1 + n/9 {
			for _, p := range []float64{1e-9, 0.003, 0.2, 0.5, 0.77, 0.999} {
				a, b := float64(count), float64(n-count+1)
				got := numeric.Beta(a, b, p)
				near(t, "Beta", got, binomial(n, count, p), 1e-11)
				if got > 1e-300 && got < 0.9 {
					near(t, "BetaQuantile", numeric.BetaQuantile(a, b, got), p, 1e-6)
				}
			}
		}
	}
	for _, test := range [][3]float64{{0.5, 3, 0.2}, {17.5, 0.5, 0.99}, {1e4, 2e4, 0.335}, {3, 1e6, 1e-6}} {
		near(t, "Beta", numeric.Beta(test[0], test[1], test[2]), mathext.RegIncBeta(test[0], test[1], test[2]), 1e-8)
	}
	for _, p := range []float64{1e-12, 0.001, 0.3, 0.9, 1 - 1e-9} {
		x := numeric.BetaQuantile(12, 340, p)
		near(t, "BetaQuantile", numeric.Beta(12, 340, x), p, 1e-12)
	}
	for _, x := range []float64{numeric.Beta(0, 1, 0.5), numeric.Beta(1, math.NaN(), 0.5), numeric.BetaQuantile(1, 1, 2)} {
		if !math.IsNaN(x) {
			t.Errorf("%v where nothing is defined", x)
		}
	}
}

// Student's law of 1 degree is Cauchy's, of 2 has a closed form; others are compared
// with another implementation.
func TestStudent(t *testing.T) {
	for _, x := range []float64{0.001, 0.3, 1, 2.5, 40} {
		near(t, "nu = 1", numeric.StudentSurvival(1, x), math.Atan(1/x)/math.Pi, 1e-12)
		near(t, "nu = 2", numeric.StudentSurvival(2, x), 1/(2+x*x+x*math.Sqrt(2+x*x)), 1e-12)
		near(t, "negative", numeric.StudentSurvival(7, -x), 1-numeric.StudentSurvival(7, x), 1e-14)
	}
	for _, nu := range []float64{1, 3, 9, 99, 999} {
		law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}
		for _, p := range []float64{0.2, 0.55, 0.9, 0.975, 0.99995} {
			got := numeric.StudentQuantile(nu, p)
			near(t, "quantile", got, law.Quantile(p), 1e-9)
			near(t, "survival", numeric.StudentSurvival(nu, got), 1-p, 1e-9)
		}
	}
	if got := numeric.StudentSurvival(3, math.Inf(1)); got != 0 {
		t.Errorf("infinity is exceeded with probability %v", got)
	}
}

func TestNormal(t *testing.T) {
	for _, x := range []float64{-30, -3, -0.1, 0, 0.1, 2, 9} {
		near(t, "Normal", numeric.NormalProbability(x), distuv.UnitNormal.CDF(x), 1e-13)
	}
}
