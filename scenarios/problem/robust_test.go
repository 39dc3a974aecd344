package problem

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/rng"
)

// rho(r) = (r^2/2)/(1 + (r/c)^2) in its textbook form, where that is exact
// enough, and its limits 0 and c^2/2.
func TestGemanMcClure(t *testing.T) {
	for _, c := range []float64{0.5, 1, 3} {
		g := gemanMcClure{scale: c}
		for r := -20.0; r <= 20; r += 0.37 {
			want := r * r / 2 / (1 + (r/c)*(r/c))
			if got := g.loss(r+1, 1); !scalar.EqualWithinAbsOrRel(got, want, 1e-12, 1e-12) {
				t.Errorf("c = %v: rho(%v) = %v, want %v", c, r, got, want)
			}
			slope := fd.Derivative(func(z float64) float64 { return g.loss(z, 1) }, r+1, &fd.Settings{Formula: fd.Central, Step: 1e-5})
			if got := g.slope(r+1, 1); math.Abs(got-slope) > 1e-8 {
				t.Errorf("c = %v: rho'(%v) = %v, differences %v", c, r, got, slope)
			}
		}
		if got := g.loss(1e200, 0); got != c*c/2 {
			t.Errorf("c = %v: rho(1e200) = %v, want c^2/2", c, got)
		}
		if got := g.slope(1e200, 0); got != 0 {
			t.Errorf("c = %v: rho'(1e200) = %v, want 0", c, got)
		}
		if got := g.loss(c, 0); math.Abs(got-c*c/4) > 1e-15 {
			t.Errorf("c = %v: rho(c) = %v, want half of the limit", c, got)
		}
	}
}

// theta and beta are the largest first and second derivative of rho on a fine
// grid.
func TestRobustBoundsAreTight(t *testing.T) {
	for _, c := range []float64{0.5, 1, 3} {
		p := must(NewRobustRegression(robustOptions(func(o *RobustRegressionOptions) { o.Scale = c }), 2, must(mirror.NewL2Ball(2, 1, nil))))
		g := gemanMcClure{scale: c}
		var first, second float64
		const h = 1e-4
		for r := -5 * c; r <= 5*c; r += c / 1000 {
			first = max(first, math.Abs(g.slope(r, 0)))
			second = max(second, math.Abs(g.slope(r+h, 0)-g.slope(r-h, 0))/(2*h))
		}
		if theta := p.GradientBound(); first > theta || first < 0.9999*theta {
			t.Errorf("c = %v: largest |rho'| %v, theta %v", c, first, theta)
		}
		if beta, finite := p.Smoothness(); !finite || second > beta || second < 0.9999*beta {
			t.Errorf("c = %v: largest second derivative %v, beta %v", c, second, beta)
		}
	}
}

// Residuals at x_star: a Binomial(n, share) number of outliers of the given
// size, half of them up, and Gaussian noise on all. Counts stay within 5
// standard deviations (chance of a false failure 6e-7 each), the noise within
// its chi-square law (1e-7). An outlier of 10 and noise of 0.1 cannot be
// confused.
func TestContamination(t *testing.T) {
	const nodes, horizon, dim, share, size, deviation = 10, 500, 4, 0.2, 10.0, 0.1
	p := must(NewRobustRegression(robustOptions(func(o *RobustRegressionOptions) {
		o.OutlierShare, o.OutlierSize, o.NoiseDeviation, o.Truth.Drift = share, size, deviation, 0.05
	}), nodes, must(mirror.NewL2Ball(dim, 2, nil))))
	in := must(p.Draw(21, horizon)).(*robustRegression)
	var up, down, squares float64
	var moments [dim]float64
	for step := 1; step <= horizon; step++ {
		in.all(step, func(a []float64, y float64) {
			if norm := floats.Norm(a, 2); math.Abs(norm-1) > 1e-12 {
				t.Fatalf("step %d: features of norm %v", step, norm)
			}
			for k := range a {
				moments[k] += a[k] * a[k]
			}
			e := y - floats.Dot(a, in.Target(step))
			switch {
			case e > size/2:
				up, e = up+1, e-size
			case e < -size/2:
				down, e = down+1, e+size
			}
			squares += e * e / (deviation * deviation)
		})
	}
	const n = nodes * horizon
	if off := math.Abs(up + down - share*n); off > 5*math.Sqrt(n*share*(1-share)) {
		t.Errorf("%v outliers of %d, share %v", up+down, n, share)
	}
	if math.Abs(up-down) > 5*math.Sqrt(n*share) {
		t.Errorf("%v outliers up, %v down", up, down)
	}
	if !inChiSquare(squares, n) {
		t.Errorf("sum of squared noise %v, want chi-square of %d", squares, n)
	}
	// On the sphere a_k^2 is Beta(1/2, (d-1)/2): mean 1/d, variance
	// 2 (d-1)/(d^2 (d+2)).
	for k, m := range moments {
		if off := math.Abs(m/n - 1.0/dim); off > 5*math.Sqrt(2.0*(dim-1)/(dim*dim*(dim+2))/n) {
			t.Errorf("mean square of feature %d is %v, want 1/%d", k+1, m/n, dim)
		}
	}
}

// x_star starts where it is told, or a quarter of the diameter from the centre
// of a ball; drifts by steps of the stated length, shortened at the border
// only; and never leaves the set.
func TestTruthPath(t *testing.T) {
	const horizon, drift = 400, 0.1
	set := must(mirror.NewL2Ball(3, 1, []float64{1, 0, 0}))
	key := rng.NewKey(4, rng.PurposeOf("data.target"))
	path := TruthOptions{Drift: drift}.path(key, horizon, set)
	if got := floats.Distance(path.at(1), []float64{1, 0, 0}, 2); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("drawn start %v from the centre, want 0.5", got)
	}
	full := 0
	for step := 2; step <= horizon; step++ {
		if v := set.Violation(path.at(step)); v > 1e-12 {
			t.Fatalf("step %d leaves the set by %v", step, v)
		}
		length := floats.Distance(path.at(step-1), path.at(step), 2)
		if length > drift+1e-12 {
			t.Fatalf("step %d of length %v", step, length)
		}
		if math.Abs(length-drift) < 1e-12 {
			full++
		}
	}
	if full < horizon/4 || full == horizon-1 {
		t.Errorf("%d of %d steps at full length, want most inside and some on the border", full, horizon-1)
	}
	start := []float64{1, 0.5, 0}
	for _, step := range []int{1, horizon} {
		if got := (TruthOptions{Start: start}).path(key, horizon, set).at(step); !floats.Equal(got, start) {
			t.Errorf("step %d of a fixed truth at %v, want %v", step, got, start)
		}
	}
}
