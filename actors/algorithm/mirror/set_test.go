package mirror

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestConstructorErrors(t *testing.T) {
	err := func(_ any, err error) error { return err }
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		err  error
		want string
	}{
		{err(NewL1Ball(0, 1, nil)), "l1-ball: dim is 0, want at least 1"},
		{err(NewL1Ball(2, 0, nil)), "l1-ball: radius is 0, want a positive finite number"},
		{err(NewL1Ball(2, nan, nil)), "l1-ball: radius is NaN, want a positive finite number"},
		{err(NewL1Ball(2, 1, []float64{1})), "l1-ball: center has 1 entries, want dim = 2"},
		{err(NewL1Ball(2, 1, []float64{1, inf})), "l1-ball: center[1] is +Inf, want a finite number"},
		{err(NewL2Ball(-1, 1, nil)), "l2-ball: dim is -1, want at least 1"},
		{err(NewL2Ball(2, inf, nil)), "l2-ball: radius is +Inf, want a positive finite number"},
		{err(NewBox(nil, nil)), "box: dim is 0, want at least 1"},
		{err(NewBox([]float64{1}, []float64{2, 3})), "box: upper has 2 entries, lower has 1"},
		{err(NewBox([]float64{nan}, []float64{2})), "box: lower[0] is NaN, want a finite number"},
		{err(NewBox([]float64{1, 1}, []float64{2, inf})), "box: upper[1] is +Inf, want a finite number"},
		{err(NewBox([]float64{1, 3}, []float64{2, 2})), "box: lower[1] is 3, above upper[1] = 2"},
		{err(NewSimplex(0)), "simplex: dim is 0, want at least 1"},
	} {
		wantError(t, test.err, test.want)
	}
}

// The projections below are worked out by hand. In the huge ones a threshold
// subtracted at the size of y, whose spacing is 2 there, would be off by whole
// units.
func TestProjectByHand(t *testing.T) {
	l1 := must(NewL1Ball(2, 3, nil))
	simplex := must(NewSimplex(3))
	for _, test := range []struct {
		name    string
		set     Set
		y, want []float64
	}{
		{"l1, to a face", l1, []float64{4, 2}, []float64{2.5, 0.5}},
		{"l1, signs", l1, []float64{-4, 2}, []float64{-2.5, 0.5}},
		{"l1, to a vertex", l1, []float64{9, -1}, []float64{3, 0}},
		{"l1, inside", l1, []float64{0.1, -0.2}, []float64{0.1, -0.2}},
		{"l1, huge", l1, []float64{1e16 + 2, -1e16}, []float64{2.5, -0.5}},
		{"l1, sum overflows", l1, []float64{math.MaxFloat64, -math.MaxFloat64}, []float64{1.5, -1.5}},
		{"l1, centre", must(NewL1Ball(2, 3, []float64{10, 20})), []float64{14, 22}, []float64{12.5, 20.5}},
		{"l2", must(NewL2Ball(2, 5, nil)), []float64{6, 8}, []float64{3, 4}},
		{"l2, squares overflow", must(NewL2Ball(2, 5, nil)), []float64{6e300, 8e300}, []float64{3, 4}},
		{"l2, centre", must(NewL2Ball(2, 5, []float64{1, 1})), []float64{7, 9}, []float64{4, 5}},
		{"box", must(NewBox([]float64{0, 0}, []float64{1, 2})), []float64{-1e300, 1}, []float64{0, 1}},
		{"simplex, to a face", simplex, []float64{1, 0.5, -3}, []float64{0.75, 0.25, 0}},
		{"simplex, huge", simplex, []float64{1e15, 1e15 + 0.5, -1e300}, []float64{0.25, 0.75, 0}},
		{"simplex, negative", simplex, []float64{-8, -8, -8.5}, []float64{0.5, 0.5, 0}},
	} {
		if diff := cmp.Diff(test.want, project(test.set, test.y)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.name, diff)
		}
	}
}

// The projection is in the set, leaves points inside exactly alone, is
// idempotent, non-expansive, satisfies the variational inequality
// <y - P(y), v - P(y)> <= 0 for every v in the set, which defines it, and may
// write over its argument.
func TestProjectProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 6).Draw(t, "dim")
		set := sets(dim).Draw(t, "set")
		size := math.Pow(10, rapid.Float64Range(-2, 9).Draw(t, "log10 size"))
		x, y := vectors(dim, size).Draw(t, "x"), vectors(dim, size).Draw(t, "y")
		px, py := project(set, x), project(set, y)
		if v := set.Violation(px); v > 1e-14 {
			t.Fatalf("P(x) = %v violates the set by %v", px, v)
		}
		if set.Violation(x) == 0 && !cmp.Equal(px, x) {
			t.Fatalf("x = %v is inside, but P(x) = %v", x, px)
		}
		if again := project(set, px); distance2(again, px) > 1e-14 {
			t.Fatalf("P(P(x)) = %v, P(x) = %v", again, px)
		}
		if near, far := distance2(px, py), distance2(x, y); near > far+1e-14 {
			t.Fatalf("||P(x) - P(y)|| = %v > ||x - y|| = %v", near, far)
		}
		// Both factors carry rounding errors: 1e-14 of the set times the
		// distance, and that of the products.
		slack := 1e-13 * (distance2(x, px) + 1) * (set.Diameter() + 1)
		for _, v := range extremes(set) {
			var product float64
			for k := range x {
				product += (x[k] - px[k]) * (v[k] - px[k])
			}
			if product > slack {
				t.Fatalf("<x - P(x), v - P(x)> = %v for v = %v, P(x) = %v", product, v, px)
			}
		}
		set.Project(x, x, make([]float64, set.WorkSize()))
		if !cmp.Equal(x, px) {
			t.Fatalf("in place: %v, want %v", x, px)
		}
	})
}

// A point strictly inside, between the centre and an extreme point, has no
// violation, one beyond the extreme point has, and so has one that is NaN.
func TestViolation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		set := sets(dim).Draw(t, "set")
		center, inside, outside := make([]float64, dim), make([]float64, dim), make([]float64, dim)
		set.Center(center)
		vertex := rapid.SampledFrom(extremes(set)).Draw(t, "vertex")
		for k := range center {
			inside[k] = center[k] + 0.9*(vertex[k]-center[k])
			outside[k] = center[k] + 1.1*(vertex[k]-center[k])
		}
		if v := set.Violation(inside); v > 1e-15 {
			t.Fatalf("violation inside is %v", v)
		}
		gap := distance2(vertex, outside)
		if v := set.Violation(outside); gap > 1e-9 && v < gap/math.Sqrt(float64(dim))/2 {
			t.Fatalf("violation at the distance %v is %v", gap, v)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			inside[dim-1] = bad
			if v := set.Violation(inside); !math.IsInf(v, 1) {
				t.Fatalf("violation with the entry %v is %v, want +Inf", bad, v)
			}
		}
	})
}

// Support is the maximum of -<g, x> over the extreme points, and Maximizer a
// point of the set that attains it.
func TestSupport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		set := sets(dim).Draw(t, "set")
		g := vectors(dim, 10).Draw(t, "g")
		best := math.Inf(-1)
		for _, v := range extremes(set) {
			best = max(best, -dot(g, v))
		}
		slack := 1e-13 * (1 + norm2(g)) * (1 + set.MaxDistance(make([]float64, dim)))
		support, upper := set.Support(g), best+slack
		if set.Kind() == "l2-ball" && dim > 1 {
			upper = math.Inf(1) // the extreme points are some of many
			if dim == 2 {
				upper = best + 5e-6*norm2(g)*set.Diameter() + slack
			}
		}
		if support < best-slack || support > upper {
			t.Fatalf("Support(%v) = %v, the extreme points give %v", g, support, best)
		}
		x := make([]float64, dim)
		set.Maximizer(x, g)
		if v := set.Violation(x); v > 1e-14 {
			t.Fatalf("Maximizer(%v) = %v violates the set by %v", g, x, v)
		}
		if got := -dot(g, x); math.Abs(got-support) > slack {
			t.Fatalf("Maximizer attains %v, Support is %v", got, support)
		}
		set.Maximizer(g, g)
		if !cmp.Equal(g, x) {
			t.Fatalf("in place: %v, want %v", g, x)
		}
	})
}

func TestMaximizerTies(t *testing.T) {
	box := must(NewBox([]float64{-1, -2}, []float64{3, 4}))
	for _, test := range []struct {
		set     Set
		g, want []float64
	}{
		{must(NewL1Ball(3, 3, nil)), []float64{1, -2, 2}, []float64{0, 3, 0}},
		{must(NewL1Ball(2, 3, nil)), []float64{0, 0}, []float64{-3, 0}},
		{must(NewL2Ball(2, 3, []float64{1, 2})), []float64{0, 0}, []float64{1, 2}},
		{box, []float64{0, -1}, []float64{-1, 4}},
		{must(NewSimplex(3)), []float64{2, 1, 1}, []float64{0, 1, 0}},
	} {
		got := make([]float64, len(test.g))
		test.set.Maximizer(got, test.g)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s, g = %v: (-want +got)\n%s", test.set.Kind(), test.g, diff)
		}
	}
}

// Diameter and MaxDistance are attained at extreme points; MinDistance is a
// lower bound on the distance of every point, attained at the projection.
func TestDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 4).Draw(t, "dim")
		set := sets(dim).Draw(t, "set")
		s := vectors(dim, 5).Draw(t, "s")
		points := extremes(set)
		if set.Kind() == "l2-ball" {
			// Rounding apart, the farthest and nearest points are on the line
			// through s and the centre.
			center := make([]float64, dim)
			set.Center(center)
			towards := make([]float64, dim)
			for k := range s {
				towards[k] = center[k] - s[k]
			}
			for range 2 {
				point := make([]float64, dim)
				set.Maximizer(point, towards)
				points = append(points, point)
				for k := range towards {
					towards[k] = -towards[k]
				}
			}
		}
		var diameter, farthest float64
		for i, v := range points {
			farthest = max(farthest, distance2(s, v))
			if v := distance2(s, v); v < set.MinDistance(s)-1e-13 {
				t.Fatalf("MinDistance(%v) = %v, an extreme point is at %v", s, set.MinDistance(s), v)
			}
			for _, w := range points[:min(i, 40)] {
				diameter = max(diameter, distance2(v, w))
			}
		}
		if got := set.MaxDistance(s); math.Abs(got-farthest) > 1e-13*(1+got) {
			t.Fatalf("MaxDistance(%v) = %v, want %v", s, got, farthest)
		}
		if got, want := set.MinDistance(s), distance2(s, project(set, s)); math.Abs(got-want) > 1e-13*(1+want) {
			t.Fatalf("MinDistance(%v) = %v, the projection is at %v", s, got, want)
		}
		if got := set.Diameter(); math.Abs(got-diameter) > 1e-4*(1+got) {
			t.Fatalf("Diameter = %v, want %v", got, diameter)
		}
	})
}
