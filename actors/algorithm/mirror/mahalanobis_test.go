package mirror

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// At d = 2 the solution is one of a few candidates: the minimizer without
// constraints, if it is in the set, and the minimizers on the edges, closed
// forms, or on the circle, by a scan and a bisection of the derivative. The step
// must be one of them, and none may be better by more than its tolerance times
// the gradient there explains: near ties of candidates are not told apart.
func TestMahalanobisPlane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := positiveDefinite(2, 4).Draw(t, "Q")
		m := must(NewMahalanobis(rows))
		set := sets(2).Draw(t, "set")
		z := vectors(2, math.Pow(10, rapid.Float64Range(-1, 4).Draw(t, "log10 z"))).Draw(t, "z")
		g := vectors(2, 10).Draw(t, "g")
		alpha := rapid.Float64Range(0, 2).Draw(t, "alpha")
		solver := must(NewSolver(m, set))
		got := solve(t, solver, z, g, alpha)
		delta := allowed(solver, m, set, z, g, alpha)
		plane := quadratic{rows: rows, z: z, pull: []float64{alpha * g[0], alpha * g[1]}}
		smooth, _ := m.Smoothness()
		nearest := math.Inf(1)
		for _, candidate := range plane.candidates(set, delta) {
			nearest = min(nearest, distance2(got, candidate))
			slope := max(norm2(plane.gradient(got)), norm2(plane.gradient(candidate)))
			if gain := plane.difference(got, candidate); gain > 2*delta*(slope+smooth*delta) {
				t.Fatalf("%s: the candidate %v is better than %v by %v", set.Kind(), candidate, got, gain)
			}
		}
		if nearest > 2*delta {
			t.Fatalf("%s: %v is %v away from the nearest candidate", set.Kind(), got, nearest)
		}
	})
}

// quadratic is the objective (x-z)'Q(x-z) + <pull, x> at d = 2.
type quadratic struct {
	rows    [][]float64
	z, pull []float64
}

func (q quadratic) gradient(x []float64) []float64 {
	u, v := x[0]-q.z[0], x[1]-q.z[1]
	return []float64{
		2*(q.rows[0][0]*u+q.rows[0][1]*v) + q.pull[0],
		2*(q.rows[1][0]*u+q.rows[1][1]*v) + q.pull[1],
	}
}

// difference is the objective at x less that at y: the gradient of a quadratic
// at the middle is the mean gradient, which keeps the digits that a difference
// of values loses.
func (q quadratic) difference(x, y []float64) float64 {
	slope := q.gradient([]float64{(x[0] + y[0]) / 2, (x[1] + y[1]) / 2})
	return slope[0]*(x[0]-y[0]) + slope[1]*(x[1]-y[1])
}

func (q quadratic) candidates(set Set, delta float64) [][]float64 {
	determinant := q.rows[0][0]*q.rows[1][1] - q.rows[0][1]*q.rows[1][0]
	free := []float64{
		q.z[0] - (q.rows[1][1]*q.pull[0]-q.rows[0][1]*q.pull[1])/(2*determinant),
		q.z[1] - (q.rows[0][0]*q.pull[1]-q.rows[1][0]*q.pull[0])/(2*determinant),
	}
	var list [][]float64
	if set.Violation(free) <= delta {
		list = append(list, free)
	}
	if ball, ok := set.(*L2Ball); ok {
		return append(list, q.circleMinima(ball)...)
	}
	corners := extremes(set)
	for i, a := range corners {
		for _, b := range corners[:i] { // edges, and diagonals, which do no harm
			list = append(list, q.minimizeSegment(a, b))
		}
	}
	return list
}

// minimizeSegment minimizes over a + t (b - a), 0 <= t <= 1.
func (q quadratic) minimizeSegment(a, b []float64) []float64 {
	u, v := b[0]-a[0], b[1]-a[1]
	slope := q.gradient(a)
	curvature := 2 * (u*(q.rows[0][0]*u+q.rows[0][1]*v) + v*(q.rows[1][0]*u+q.rows[1][1]*v))
	if curvature == 0 {
		return a
	}
	share := min(1, max(0, -(slope[0]*u+slope[1]*v)/curvature))
	return []float64{a[0] + share*u, a[1] + share*v}
}

// circleMinima lists the local minimizers on the circle.
func (q quadratic) circleMinima(ball *L2Ball) [][]float64 {
	at := func(angle float64) []float64 {
		sine, cosine := math.Sincos(angle)
		return []float64{ball.center[0] + ball.radius*cosine, ball.center[1] + ball.radius*sine}
	}
	derivative := func(angle float64) float64 {
		sine, cosine := math.Sincos(angle)
		slope := q.gradient(at(angle))
		return slope[1]*cosine - slope[0]*sine
	}
	const cells = 2000
	var minima [][]float64
	for j := range cells {
		// The scan starts off the axes, where minima are unlikely to fall on
		// its end, which rounding may hide.
		low, high := 0.7+2*math.Pi*float64(j)/cells, 0.7+2*math.Pi*float64(j+1)/cells
		if !(derivative(low) <= 0 && derivative(high) >= 0) {
			continue
		}
		for range 60 {
			if middle := (low + high) / 2; derivative(middle) < 0 {
				low = middle
			} else {
				high = middle
			}
		}
		minima = append(minima, at(low))
	}
	return minima
}

// Q = c I is the Euclidean divergence of scale c, by another method.
func TestMahalanobisScalarIsEuclidean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 6).Draw(t, "dim")
		set := sets(dim).Draw(t, "set")
		scale := rapid.Float64Range(0.1, 5).Draw(t, "scale")
		rows := make([][]float64, dim)
		for k := range rows {
			rows[k] = make([]float64, dim)
			rows[k][k] = scale
		}
		m := must(NewMahalanobis(rows))
		z, g := vectors(dim, 20).Draw(t, "z"), vectors(dim, 20).Draw(t, "g")
		solver := must(NewSolver(m, set))
		got := solve(t, solver, z, g, 0.7)
		want := solve(t, must(NewSolver(Euclidean{Scale: scale}, set)), z, g, 0.7)
		if distance := distance2(got, want); distance > 1e-4*allowed(solver, m, set, z, g, 0.7) {
			t.Fatalf("%s: %v, the Euclidean step is %v", set.Kind(), got, want)
		}
	})
}

// The bound the certificate rests on: for any x, the projected gradient step
// P(x) is within (kappa - 1) ||x - P(x)|| of x*.
func TestCertificateBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		m := must(NewMahalanobis(positiveDefinite(dim, 2).Draw(t, "Q")))
		set := sets(dim).Draw(t, "set")
		z, g, x := vectors(dim, 5).Draw(t, "z"), vectors(dim, 5).Draw(t, "g"), vectors(dim, 5).Draw(t, "x")
		solver := must(NewSolver(m, set))
		best := solve(t, solver, z, g, 0.7)
		c := must(newCertificate(m, set))
		c.tolerance = 1e10 // any x is accepted, so that dst is P(x)
		dst := make([]float64, dim)
		if err := c.finish(dst, x, z, g, 0.7, make([]float64, c.workSize())); err != nil {
			t.Fatal(err)
		}
		bound := (m.Condition() - 1) * distance2(x, dst)
		rounding := allowed(solver, m, set, z, g, 0.7) + 1e-14*norm2(x)
		if away := distance2(dst, best); away > bound+rounding {
			t.Fatalf("P(x) = %v is %v from x* = %v, the bound is %v", dst, away, best, bound)
		}
	})
}

// Anything but the solution is refused, and dst is left alone.
func TestCertificateRefuses(t *testing.T) {
	m := must(NewMahalanobis([][]float64{{1, 0}, {0, 100}}))
	ball := must(NewL1Ball(2, 1, nil))
	c := must(newCertificate(m, ball))
	z, g, dst := []float64{0.2, 0.1}, []float64{0, 0}, []float64{7, 8}
	err := c.finish(dst, []float64{0.2 + 1e-6, 0.1}, z, g, 1, make([]float64, c.workSize()))
	if err == nil || !strings.HasPrefix(err.Error(),
		"mirror step: mahalanobis on l1-ball (condition number 100): error bound 9.9e-07, want at most 1.2") {
		t.Errorf("error is %v", err)
	}
	if dst[0] != 7 || dst[1] != 8 {
		t.Errorf("dst changed to %v", dst)
	}
}

func TestStepLimit(t *testing.T) {
	m := must(NewMahalanobis([][]float64{{2, 1}, {1, 2}}))
	solver := must(newPolytopeSolver(m, must(NewL1Ball(2, 1, nil)))).(*polytopeSolver)
	solver.limit = 0
	err := solver.Solve(make([]float64, 2), []float64{5, 5}, []float64{0, 0}, 1, make([]float64, solver.WorkSize()))
	if !errors.Is(err, errStepLimit) {
		t.Errorf("error is %v", err)
	}
}

// A box 5e-10 wide, a million away and at the end of a long valley of Q: steps
// of 1e7 must not carry x through the side opposite to the active one.
func TestThinBox(t *testing.T) {
	m := must(NewMahalanobis([][]float64{
		{99.90239953289479, 3.122198209639045}, {3.122198209639045, 0.12218230714077362},
	}))
	upper := []float64{1.0006103525625, 1.4656612873077393e-9}
	solver := must(NewSolver(m, must(NewBox([]float64{1e-9, 1e-9}, upper))))
	got := solve(t, solver, []float64{1e6, -0.5}, []float64{0, 0}, 1)
	if diff := cmp.Diff(upper, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Up to the largest condition number, at dimensions up to 40 and for z inside,
// near and very far, the solvers meet their own certificate, which Solve
// checks; the tolerance is 1e-10 up to a condition number of 1e4.
func TestMahalanobisIllConditioned(t *testing.T) {
	for _, condition := range []float64{1e2, 1e4, 0.99e8} {
		for _, dim := range []int{2, 10, 40} {
			m := must(NewMahalanobis(sineMatrix(dim, condition)))
			lower, upper := make([]float64, dim), make([]float64, dim)
			for k := range upper {
				lower[k], upper[k] = -1, 0.5
			}
			for _, set := range []Set{
				must(NewL1Ball(dim, 3, nil)), must(NewL2Ball(dim, 3, nil)),
				must(NewBox(lower, upper)), must(NewSimplex(dim)),
			} {
				solver := must(NewSolver(m, set))
				if want := max(1e-10, 1e-14*condition); solver.Tolerance() > want*(1+1e-6) {
					t.Errorf("condition %g: tolerance %v, want %v", condition, solver.Tolerance(), want)
				}
				for trial, size := range []float64{0.01, 1, 1e3, 1e8} {
					z, g := make([]float64, dim), make([]float64, dim)
					for k := range z {
						z[k] = size * math.Sin(float64(3*k+trial+1))
						g[k] = math.Cos(float64(5*k + trial))
					}
					solve(t, solver, z, g, 0.5)
				}
			}
		}
	}
}

// sineMatrix returns a matrix with eigenvalues spaced evenly on a log scale
// from 1 to condition, in the basis of the discrete sine transform.
func sineMatrix(dim int, condition float64) [][]float64 {
	basis, values := mat.NewDense(dim, dim, nil), make([]float64, dim)
	for k := range dim {
		values[k] = math.Pow(condition, float64(k)/float64(dim-1))
		for j := range dim {
			angle := math.Pi * float64((j+1)*(k+1)) / float64(dim+1)
			basis.Set(j, k, math.Sqrt(2/float64(dim+1))*math.Sin(angle))
		}
	}
	return compose(basis, values)
}
