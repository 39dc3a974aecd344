package mirror

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/actors/option"
)

// must returns the value of a constructor that cannot fail on its arguments.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// vectors draws vectors of the given dimension with magnitudes up to size and,
// often, entries that coincide, are 0, or tiny.
func vectors(dim int, size float64) *rapid.Generator[[]float64] {
	entry := rapid.OneOf(
		rapid.Float64Range(-size, size),
		rapid.Map(rapid.IntRange(-3, 3), func(v int) float64 { return float64(v) * size / 3 }),
		rapid.Float64Range(-1e-9, 1e-9),
	)
	return rapid.SliceOfN(entry, dim, dim)
}

// sets draws one of the four sets in the given dimension.
func sets(dim int) *rapid.Generator[Set] {
	return rapid.Custom(func(t *rapid.T) Set {
		kind := rapid.IntRange(0, 3).Draw(t, "set")
		if kind == 3 {
			return must(NewSimplex(dim))
		}
		center := vectors(dim, 2).Draw(t, "center")
		radius := rapid.Float64Range(0.1, 4).Draw(t, "radius")
		switch kind {
		case 0:
			return must(NewL1Ball(dim, radius, center))
		case 1:
			return must(NewL2Ball(dim, radius, center))
		}
		widths := rapid.SliceOfN(rapid.Float64Range(0, 3), dim, dim).Draw(t, "widths")
		upper := make([]float64, dim)
		for k := range upper {
			upper[k] = center[k] + widths[k]
		}
		return must(NewBox(center, upper))
	})
}

// positiveDefinite draws the rows of a matrix U'diag(lambda)U with a condition
// number of at most 10^decades, U a product of plane rotations.
func positiveDefinite(dim int, decades float64) *rapid.Generator[[][]float64] {
	return rapid.Custom(func(t *rapid.T) [][]float64 {
		rotation := mat.NewDense(dim, dim, nil)
		for k := range dim {
			rotation.Set(k, k, 1)
		}
		for i := range dim {
			for j := range i {
				sine, cosine := math.Sincos(rapid.Float64Range(0, math.Pi).Draw(t, "angle"))
				for k := range dim {
					u, v := rotation.At(k, i), rotation.At(k, j)
					rotation.Set(k, i, cosine*u-sine*v)
					rotation.Set(k, j, sine*u+cosine*v)
				}
			}
		}
		values := make([]float64, dim)
		for k := range values {
			values[k] = math.Pow(10, rapid.Float64Range(-decades/2, decades/2).Draw(t, "log10 lambda"))
		}
		return compose(rotation, values)
	})
}

// compose returns the rows of U diag(values) U', exactly symmetric.
func compose(u *mat.Dense, values []float64) [][]float64 {
	rows := make([][]float64, len(values))
	for i := range rows {
		rows[i] = make([]float64, len(values))
		for j := range i + 1 {
			for k, v := range values {
				rows[i][j] += u.At(i, k) * v * u.At(j, k)
			}
			rows[j][i] = rows[i][j]
		}
	}
	return rows
}

// extremes lists points whose convex hull is the set: the vertices of a
// polytope, at d = 2 a fine polygon in the l2 ball, otherwise its poles.
func extremes(set Set) [][]float64 {
	var points [][]float64
	point := func(base []float64, k int, shift float64) {
		vertex := append([]float64(nil), base...)
		vertex[k] += shift
		points = append(points, vertex)
	}
	switch s := set.(type) {
	case *L1Ball:
		for k := range s.center {
			point(s.center, k, s.radius)
			point(s.center, k, -s.radius)
		}
	case *Simplex:
		for k := range s.dim {
			point(make([]float64, s.dim), k, 1)
		}
	case *Box:
		for mask := range 1 << len(s.lower) {
			vertex := append([]float64(nil), s.lower...)
			for k := range vertex {
				if mask>>k&1 == 1 {
					vertex[k] = s.upper[k]
				}
			}
			points = append(points, vertex)
		}
	case *L2Ball:
		if len(s.center) == 2 {
			for j := range polygon {
				sine, cosine := math.Sincos(2 * math.Pi * float64(j) / polygon)
				points = append(points, []float64{s.center[0] + s.radius*cosine, s.center[1] + s.radius*sine})
			}
			break
		}
		for k := range s.center {
			point(s.center, k, s.radius)
			point(s.center, k, -s.radius)
		}
	}
	return points
}

// polygon is the number of corners that stand for the disc: a linear function
// on the disc exceeds its maximum over them by at most the share
// 1 - cos(pi/polygon) < 5e-6 of the gradient's norm times the radius.
const polygon = 1000

// project and solve allocate what the code under test asks for.
func project(set Set, y []float64) []float64 {
	dst := make([]float64, len(y))
	set.Project(dst, y, make([]float64, set.WorkSize()))
	return dst
}

func solve(t interface{ Fatalf(string, ...any) }, s Solver, z, g []float64, alpha float64) []float64 {
	dst := make([]float64, len(z))
	if err := s.Solve(dst, z, g, alpha, make([]float64, s.WorkSize())); err != nil {
		t.Fatalf("Solve(z = %v, g = %v, alpha = %v): %v", z, g, alpha, err)
	}
	return dst
}

// allowed is the absolute error that a solver's Tolerance grants, and for
// rounding 1e-14 of the same scale.
func allowed(s Solver, d Divergence, set Set, z, g []float64, alpha float64) float64 {
	reach := set.MaxDistance(make([]float64, len(z)))
	return (s.Tolerance() + 1e-14) * (norm2(z) + alpha*norm2(g)/d.StrongConvexity() + reach)
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || option.Message(err) != want {
		t.Errorf("error is %q, want %q", err, want)
	}
}

// dot is <x, y>, summed in index order.
func dot(x, y []float64) (sum float64) {
	for k, v := range x {
		sum += v * y[k]
	}
	return sum
}
