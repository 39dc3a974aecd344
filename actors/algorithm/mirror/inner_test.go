package mirror

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"starling/mechanisms/rng"
)

// Every point at the radius of one of the inner set lies in the set, and the inner set is the
// set scaled by 1 - radius/r: Flaxman, Kalai, McMahan 2005, Observation 3.2.
func TestInner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "d")
		center := rapid.SliceOfN(rapid.Float64Range(-10, 10), d, d).Draw(t, "center")
		size := rapid.Float64Range(0.1, 5).Draw(t, "size")
		lower, upper := make([]float64, d), make([]float64, d)
		for k, c := range center {
			half := size * rapid.Float64Range(1, 3).Draw(t, "width")
			lower[k], upper[k] = c-half, c+half
		}
		share := rapid.Float64Range(0.01, 0.99).Draw(t, "share")
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		for _, test := range []struct {
			set    Set
			radius float64
		}{
			{must(NewL2Ball(d, size, center)), share * size},
			{must(NewL1Ball(d, size, center)), share * size / math.Sqrt(float64(d))},
			{must(NewBox(lower, upper)), share * size},
		} {
			inner, err := Inner(test.set, test.radius)
			if err != nil {
				t.Fatal(err)
			}
			x, u := make([]float64, d), make([]float64, d)
			for range 20 {
				// A point of the border, where balls stick out the most.
				r.FillNormal(u)
				for k := range x {
					x[k] = center[k] + 100*u[k]
				}
				inner.Project(x, x, make([]float64, inner.WorkSize()))
				r.FillNormal(u)
				for k, v := range u {
					x[k] += test.radius * v / floats.Norm(u, 2)
				}
				if v := test.set.Violation(x); v > 1e-12*(1+size) {
					t.Fatalf("%s: outside by %v", test.set.Kind(), v)
				}
			}
			if want := (1 - share) * test.set.Diameter(); test.set.Kind() != KindBox && math.Abs(inner.Diameter()-want) > 1e-9 {
				t.Fatalf("%s: diameter %v, want %v", test.set.Kind(), inner.Diameter(), want)
			}
		}
	})
}

// What has no inner set.
func TestNoInner(t *testing.T) {
	simplex, ball, flat := must(NewSimplex(3)), must(NewL1Ball(4, 2, nil)), must(NewBox([]float64{0, 1}, []float64{1, 1}))
	for _, test := range []struct {
		set    Set
		radius float64
		want   string
	}{
		{simplex, 0.1, "the simplex holds no ball"},
		{ball, 1, "the largest ball in the l1-ball has radius 1,"},
		{flat, 0.1, "the largest ball in the box has radius 0,"},
		{ball, 0, "radius 0;"},
		{ball, math.NaN(), "radius NaN;"},
	} {
		if _, err := Inner(test.set, test.radius); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %v: %v, want %q", test.set.Kind(), test.radius, err, test.want)
		}
	}
}
