package mirror

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"
)

// pairs draws a divergence and a set that NewSolver has a method for, with
// condition numbers of Q up to 1e4.
func pairs(dim int) *rapid.Generator[pair] {
	return rapid.Custom(func(t *rapid.T) pair {
		switch rapid.IntRange(0, 2).Draw(t, "divergence") {
		case 0:
			scale := rapid.Float64Range(0.1, 5).Draw(t, "scale")
			return pair{Euclidean{Scale: scale}, sets(dim).Draw(t, "set")}
		case 1:
			m := must(NewMahalanobis(positiveDefinite(dim, 4).Draw(t, "Q")))
			return pair{m, sets(dim).Draw(t, "set")}
		}
		return pair{Entropy{}, must(NewSimplex(dim))}
	})
}

type pair struct {
	divergence Divergence
	set        Set
}

// origin draws z, positive where the divergence wants it so.
func (p pair) origin(t *rapid.T, dim int, size float64) []float64 {
	z := vectors(dim, size).Draw(t, "z")
	if _, ok := p.divergence.(Entropy); ok {
		for k := range z {
			z[k] = math.Abs(z[k]) + 1e-12
		}
	}
	return z
}

// The step is in the set and satisfies the variational inequality of (7),
// <grad D(x*, z) + alpha g, v - x*> >= 0 for all v in the set. An error delta of
// x* moves the left side by at most delta (M ||v - x*|| + ||gradient||). For the
// entropy M is unbounded, but there the gradient is constant to rounding.
func TestVariationalInequality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 6).Draw(t, "dim")
		p := pairs(dim).Draw(t, "pair")
		decades := 4.0
		if _, ok := p.divergence.(Entropy); ok {
			decades = 2 // no entry of x* underflows, so its logarithm can be taken
		}
		z := p.origin(t, dim, math.Pow(10, rapid.Float64Range(-1, 6).Draw(t, "log10 z")))
		g := vectors(dim, math.Pow(10, rapid.Float64Range(-1, decades).Draw(t, "log10 g"))).Draw(t, "g")
		alpha := rapid.Float64Range(0, 2).Draw(t, "alpha")
		solver := must(NewSolver(p.divergence, p.set))
		x := solve(t, solver, z, g, alpha)
		if v := p.set.Violation(x); v > 1e-14 {
			t.Fatalf("x* = %v violates the set by %v", x, v)
		}
		_, slope := potential(p.divergence)
		at, from := slope(x), slope(z)
		gradient := make([]float64, dim)
		for k := range gradient {
			gradient[k] = at[k] - from[k] + alpha*g[k]
		}
		smooth, _ := p.divergence.Smoothness()
		delta := allowed(solver, p.divergence, p.set, z, g, alpha)
		slack := delta * (smooth*p.set.Diameter() + norm2(gradient) + 1)
		for _, v := range extremes(p.set) {
			var product float64
			for k := range x {
				product += gradient[k] * (v[k] - x[k])
			}
			if product < -slack {
				t.Fatalf("x* = %v: <gradient, v - x*> = %v, want at least %v for v = %v", x, product, -slack, v)
			}
		}
	})
}

// Lemma 1 of DPDO-NC: the same z and two gradients of norm at most theta give
// steps no more than 2 alpha theta / omega apart in the 2-norm. By strong
// convexity alpha ||g - g'|| / omega bounds it too, which is checked.
func TestSensitivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		p := pairs(dim).Draw(t, "pair")
		z := p.origin(t, dim, 5)
		g, other := vectors(dim, 3).Draw(t, "g"), vectors(dim, 3).Draw(t, "other g")
		alpha := rapid.Float64Range(0, 2).Draw(t, "alpha")
		solver := must(NewSolver(p.divergence, p.set))
		moved := distance2(solve(t, solver, z, g, alpha), solve(t, solver, z, other, alpha))
		slack := allowed(solver, p.divergence, p.set, z, g, alpha) +
			allowed(solver, p.divergence, p.set, z, other, alpha)
		omega := p.divergence.StrongConvexity()
		if bound := alpha * distance2(g, other) / omega; moved > bound+slack {
			t.Fatalf("the step moved by %v, more than alpha ||g - g'|| / omega = %v", moved, bound)
		}
		theta := max(norm2(g), norm2(other))
		if bound := 2 * alpha * theta / omega; moved > bound+slack {
			t.Fatalf("the step moved by %v, more than 2 alpha theta / omega = %v", moved, bound)
		}
	})
}

// dst may be z or g, and a step of 0 from a point of the set stays there.
func TestAliasAndZeroStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		p := pairs(dim).Draw(t, "pair")
		solver := must(NewSolver(p.divergence, p.set))
		z, g := p.origin(t, dim, 3), vectors(dim, 3).Draw(t, "g")
		work := make([]float64, solver.WorkSize())
		want := solve(t, solver, z, g, 0.5)
		overZ, overG := append([]float64(nil), z...), append([]float64(nil), g...)
		if err := errors.Join(
			solver.Solve(overZ, overZ, g, 0.5, work),
			solver.Solve(overG, z, overG, 0.5, work),
		); err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(overZ, want) || !cmp.Equal(overG, want) {
			t.Fatalf("dst = z: %v, dst = g: %v, want %v", overZ, overG, want)
		}
		inside := make([]float64, dim)
		p.set.Center(inside)
		still := solve(t, solver, inside, g, 0)
		if moved := distance2(still, inside); moved > allowed(solver, p.divergence, p.set, inside, g, 0) {
			t.Fatalf("a step of 0 moved the centre by %v", moved)
		}
	})
}

// The Euclidean step by hand: z - alpha g / (2c) = (4, 2), whose projection on
// the l1 ball of radius 3 is (2.5, 0.5).
func TestEuclideanByHand(t *testing.T) {
	solver := must(NewSolver(Euclidean{Scale: 0.25}, must(NewL1Ball(2, 3, nil))))
	got := solve(t, solver, []float64{5, 1}, []float64{1, -1}, 0.5)
	if diff := cmp.Diff([]float64{2.5, 0.5}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The multiplicative update agrees with a numeric minimization of the
// definition over the simplex, in the coordinates of a softmax. Nelder-Mead
// stops at a relative change of the objective of 1e-14 or so, which leaves x
// within sqrt(2e-14/omega) = 1.4e-7; checked at 1e-6.
func TestEntropyAgainstMinimization(t *testing.T) {
	for _, test := range []struct {
		z, g  []float64
		alpha float64
	}{
		{[]float64{0.2, 0.3, 0.5}, []float64{1, -2, 0.5}, 0.3},
		{[]float64{4, 1e-3, 0.7}, []float64{2, -1, 0}, 1.5}, // z is not normalized
		{[]float64{1, 1, 1}, []float64{0, 0, 0}, 1},
	} {
		problem := optimize.Problem{Func: func(v []float64) float64 {
			x := softmax([]float64{v[0], v[1], 0})
			return Entropy{}.Value(x, test.z) + test.alpha*dot(test.g, x)
		}}
		settings := &optimize.Settings{Converger: &optimize.FunctionConverge{Relative: 1e-15, Iterations: 200}}
		result, err := optimize.Minimize(problem, []float64{0, 0}, settings, &optimize.NelderMead{})
		if err != nil {
			t.Fatal(err)
		}
		want := softmax([]float64{result.X[0], result.X[1], 0})
		got := solve(t, must(NewSolver(Entropy{}, must(NewSimplex(3)))), test.z, test.g, test.alpha)
		if distance := distance2(got, want); distance > 1e-6 {
			t.Errorf("z = %v, g = %v: %v, the minimization gives %v", test.z, test.g, got, want)
		}
	}
}

// In log space nothing overflows: the exponents differ by 2000.
func TestEntropyExtremes(t *testing.T) {
	solver := must(NewSolver(Entropy{}, must(NewSimplex(3))))
	got := solve(t, solver, []float64{1e300, 1e300, 1e-300}, []float64{-1000, -1000, 1000}, 1)
	if diff := cmp.Diff([]float64{0.5, 0.5, 0}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// NewSolver works for exactly the pairs listed, and its refusal lists them.
func TestPairs(t *testing.T) {
	allSets := []Set{
		must(NewL1Ball(2, 1, nil)), must(NewL2Ball(2, 1, nil)),
		must(NewBox([]float64{0, 0}, []float64{1, 1})), must(NewSimplex(2)),
	}
	listed := make(map[[2]string]bool)
	for _, p := range Pairs() {
		listed[[2]string{p.Divergence, p.Set}] = true
	}
	q := must(NewMahalanobis([][]float64{{2, 1}, {1, 2}}))
	for _, d := range []Divergence{Euclidean{Scale: 1}, q, Entropy{}} {
		for _, set := range allSets {
			_, err := NewSolver(d, set)
			if works := listed[[2]string{d.Kind(), set.Kind()}]; works != (err == nil) {
				t.Errorf("%s on %s: listed %v, error %v", d.Kind(), set.Kind(), works, err)
			}
		}
	}
	_, err := NewSolver(Entropy{}, allSets[0])
	wantError(t, err, "no solver for the divergence entropy on the set l1-ball; these work: "+
		"euclidean on l1-ball, euclidean on l2-ball, euclidean on box, euclidean on simplex, "+
		"mahalanobis on l1-ball, mahalanobis on l2-ball, mahalanobis on box, mahalanobis on simplex, "+
		"entropy on simplex")
	var unsupported *UnsupportedPairError
	if !errors.As(err, &unsupported) || *unsupported != (UnsupportedPairError{"entropy", "l1-ball"}) {
		t.Errorf("error is %#v", err)
	}
}

func TestNewSolverErrors(t *testing.T) {
	q := must(NewMahalanobis([][]float64{{2, 1}, {1, 2}}))
	_, err := NewSolver(q, must(NewL1Ball(3, 1, nil)))
	wantError(t, err, "mahalanobis: Q is of order 2, the set l1-ball has dimension 3")
	_, err = NewSolver(q, must(NewL2Ball(1, 1, nil)))
	wantError(t, err, "mahalanobis: Q is of order 2, the set l2-ball has dimension 1")
	for scale, want := range map[float64]string{
		0: "0", -1: "-1", math.Inf(1): "+Inf",
	} {
		_, err = NewSolver(Euclidean{Scale: scale}, must(NewSimplex(2)))
		wantError(t, err, "euclidean: scale is "+want+", want a positive finite number")
	}
}

// Every error names the argument and leaves dst alone.
func TestSolveErrors(t *testing.T) {
	simplex := must(NewSimplex(2))
	ball := must(NewL1Ball(2, 1, nil))
	euclidean := must(NewSolver(Euclidean{Scale: 0.5}, ball))
	entropy := must(NewSolver(Entropy{}, simplex))
	rows := [][]float64{{2, 1}, {1, 2}}
	mahalanobis := must(NewSolver(must(NewMahalanobis(rows)), ball))
	secular := must(NewSolver(must(NewMahalanobis(rows)), must(NewL2Ball(2, 1, nil))))
	ones, three := []float64{1, 1}, []float64{1, 1, 1}
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		solver Solver
		z, g   []float64
		alpha  float64
		want   string
	}{
		{euclidean, three, ones, 1, "mirror step: z has 3 entries, want 2"},
		{entropy, ones, three, 1, "mirror step: g has 3 entries, want 2"},
		{mahalanobis, ones, ones, -1, "mirror step: alpha is -1, want a finite number of at least 0"},
		{secular, ones, ones, nan, "mirror step: alpha is NaN, want a finite number of at least 0"},
		{mahalanobis, []float64{1, inf}, ones, 1, "mirror step: z[1] is +Inf, want a finite number"},
		{secular, ones, []float64{nan, 1}, 1, "mirror step: g[0] is NaN, want a finite number"},
		{euclidean, ones, []float64{1, 1e300}, 1e300, "mirror step: z - alpha g / (2c)[1] is -Inf, want a finite number"},
		{entropy, ones, []float64{1, -1e300}, 1e300, "mirror step: log z - alpha g[1] is +Inf, want a finite number"},
		{entropy, []float64{1, 0}, ones, 1, "mirror step: z[1] is 0, want a positive number for the entropy"},
		{entropy, []float64{-2, 1}, ones, 1, "mirror step: z[0] is -2, want a positive number for the entropy"},
		{mahalanobis, ones, []float64{1, 1e300}, 1e300,
			"mirror step: mahalanobis on l1-ball: z or alpha g is too large for floating-point numbers"},
	} {
		dst := []float64{7, 8}
		err := test.solver.Solve(dst, test.z, test.g, test.alpha, make([]float64, test.solver.WorkSize()))
		wantError(t, err, test.want)
		if diff := cmp.Diff([]float64{7, 8}, dst); diff != "" {
			t.Errorf("dst changed (-want +got)\n%s", diff)
		}
	}
	wantError(t, euclidean.Solve(three, ones, ones, 1, nil), "mirror step: dst has 3 entries, want 2")
	wantError(t, euclidean.Solve(ones, ones, ones, 1, nil), "mirror step: work has 0 entries, want at least 4")
}

// benchmarkPairs is one problem per pair, with z outside the set.
func benchmarkPairs(dim int) map[string]pair {
	rows := make([][]float64, dim)
	lower, upper := make([]float64, dim), make([]float64, dim)
	for i := range rows {
		rows[i] = make([]float64, dim)
		for j := range rows[i] {
			rows[i][j] = 0.5
		}
		rows[i][i] = 2 + float64(i)
		lower[i], upper[i] = -1, 1
	}
	q := must(NewMahalanobis(rows))
	all := []Set{
		must(NewL1Ball(dim, 3, nil)), must(NewL2Ball(dim, 3, nil)), must(NewBox(lower, upper)), must(NewSimplex(dim)),
	}
	problems := map[string]pair{"entropy/simplex": {Entropy{}, all[3]}}
	for _, set := range all {
		problems["euclidean/"+set.Kind()] = pair{Euclidean{Scale: 0.5}, set}
		problems["mahalanobis/"+set.Kind()] = pair{q, set}
	}
	return problems
}

// problem returns the arguments of Solve for a pair.
func (p pair) problem() (solver Solver, dst, z, g, work []float64) {
	solver = must(NewSolver(p.divergence, p.set))
	dim := p.set.Dim()
	z, g = make([]float64, dim), make([]float64, dim)
	for k := range z {
		z[k], g[k] = 2+float64(k%5), 1-float64(k%3)
	}
	return solver, make([]float64, dim), z, g, make([]float64, solver.WorkSize())
}

func TestSolveDoesNotAllocate(t *testing.T) {
	for name, p := range benchmarkPairs(5) {
		solver, dst, z, g, work := p.problem()
		allocations := testing.AllocsPerRun(100, func() {
			if err := solver.Solve(dst, z, g, 0.3, work); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%s: %v allocations a call", name, allocations)
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, p := range Pairs() {
		name := p.Divergence + "/" + p.Set
		b.Run(name, func(b *testing.B) {
			solver, dst, z, g, work := benchmarkPairs(2)[name].problem()
			b.ReportAllocs()
			for b.Loop() {
				if err := solver.Solve(dst, z, g, 0.3, work); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
