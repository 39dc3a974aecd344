package vector_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
)

// rows are data for a model, and the mean loss over them.
func (d drawn) rows(t *rapid.T) (data []float64, mean func(x []float64) float64) {
	count := rapid.IntRange(1, 12).Draw(t, "rows")
	for range count {
		data = append(data, d.datum(t)...)
	}
	kept, width := slices.Clone(data), len(data)/count
	return data, func(x []float64) (sum float64) {
		for at := 0; at < len(kept); at += width {
			sum += d.Loss(x, kept[at:at+width])
		}
		return sum / float64(count)
	}
}

func drawSet(t *rapid.T, dim int) mirror.Set {
	radius := rapid.Float64Range(0.1, 5).Draw(t, "radius of the set")
	var set mirror.Set
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "set") {
	case 0:
		set, err = mirror.NewL2Ball(dim, radius, nil)
	case 1:
		set, err = mirror.NewL1Ball(dim, radius, nil)
	case 2:
		set, err = mirror.NewSimplex(dim)
	case 3:
		lower, upper := make([]float64, dim), make([]float64, dim)
		for k := range lower {
			lower[k], upper[k] = -radius, radius/2
		}
		set, err = mirror.NewBox(lower, upper)
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// What is claimed of a least loss holds: it is the loss at a point of the set, and
// no other point does better by more than the gap, which is small.
func TestLeastLossesAreCertified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, "linear", "huber", "hinge", "softmax", "cosh")
		var set mirror.Set
		other := within(t, "other", d.Dim(), d.radius)
		if rapid.Bool().Draw(t, "on a set") {
			set = drawSet(t, d.Dim())
			set.Project(other, other, make([]float64, set.WorkSize()))
		}
		best := d.Within(set)
		if best == nil {
			if set != nil || d.StrongConvexity() > 0 {
				t.Fatal("no least loss")
			}
			return
		}
		data, mean := d.rows(t)
		got := best.Minimum(data)
		const rounding = 1e-5 // of float32; others have less
		gap := 1e-3
		if d.kind == "cosh" { // may be too steep for the search to end, which its status says
			gap = math.Inf(1)
		}
		if set != nil && set.Violation(got.X) > 1e-9 || math.Abs(mean(got.X)-got.Value) > rounding || got.Gap > gap || got.Gap > 1e-3 && got.Status == stream.Solved {
			t.Fatalf("%+v, where the mean loss is %v", got, mean(got.X))
		}
		if value := mean(other); value < got.Value-got.Gap-rounding {
			t.Fatalf("the loss %v at %v is below %v by more than the gap %v", value, other, got.Value, got.Gap)
		}
	})
}

// Least losses on R^d by the simplex method of Nelder and Mead, which sees the losses
// only, from several starts.
func TestLeastLossesByAnotherMethod(t *testing.T) {
	data := []float64{1, 0.2, 1, -0.5, 1, 0, 0.3, -1, 1, 0.9, 0.9, 0, -1, -0.2, 1, 0.4, -0.7, 0, 2, 1, 0}
	for _, c := range []struct {
		kind string
		l2   float64
	}{{"linear", 0}, {"linear", 0.2}, {"huber", 0}, {"huber", 0.2}, {"hinge", 0.2}, {"logistic", 0.2}, {"softmax", 0.2}, {"cosh", 0.2}} {
		m, err := options{Kind: c.kind, L2: c.l2, Delta: 0.3}.section().Model(vector.Data{Features: 2, FeatureNorm: 3, LabelSize: 1, Classes: 2})
		if err != nil {
			t.Fatal(err)
		}
		rows := slices.Clone(data)
		if m.Predicts() == vector.Sign {
			for at := 2; at < len(rows); at += 3 {
				rows[at] = 2*rows[at] - 1
			}
		}
		want := math.Inf(1)
		for start := range 3 {
			found, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) (sum float64) {
				for at := 0; at < len(rows); at += 3 {
					sum += m.Loss(x, rows[at:at+3])
				}
				return sum / 7
			}}, slices.Repeat([]float64{float64(start) - 1}, m.Dim()),
				&optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e-13, Iterations: 500}}, &optimize.NelderMead{})
			if err != nil {
				t.Fatal(err)
			}
			want = min(want, found.F)
		}
		if got := m.Within(nil).Minimum(slices.Clone(rows)); got.Status != stream.Solved || math.Abs(got.Value-want) > 3e-6 {
			t.Errorf("%s with l2 = %v: %+v, want %v", c.kind, c.l2, got, want)
		}
	}
}

// A least hinge loss on a box is a linear program: the least mean of xi_j >= 0 with
// xi_j >= 1 - <z_j, x>.
func TestLeastHingeByLinearProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawModel(t, "hinge")
		if d.StrongConvexity() > 0 {
			return
		}
		data, _ := d.rows(t)
		dim, width := d.Dim(), d.Dim()+1
		count, radius := len(data)/width, d.radius
		// Of x + radius, xi, and the slacks of both constraints, all at least 0.
		columns := dim + count + count + dim
		cost, b := make([]float64, columns), make([]float64, count+dim)
		a := mat.NewDense(count+dim, columns, nil)
		for j := range count {
			cost[dim+j] = 1 / float64(count)
			datum := data[j*width : (j+1)*width]
			b[j] = 1 + radius*datum[dim]*floats.Sum(datum[:dim])
			for k, v := range datum[:dim] {
				a.Set(j, k, v*datum[dim])
			}
			a.Set(j, dim+j, 1)
			a.Set(j, dim+count+j, -1)
		}
		lower, upper := make([]float64, dim), make([]float64, dim)
		for k := range dim {
			lower[k], upper[k] = -radius, radius
			a.Set(count+k, k, 1)
			a.Set(count+k, dim+2*count+k, 1)
			b[count+k] = 2 * radius
		}
		want, _, err := lp.Simplex(cost, a, b, 1e-10, nil)
		if err != nil {
			return // the other method is at its end
		}
		box, err := mirror.NewBox(lower, upper)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Within(box).Minimum(data); math.Abs(got.Value-want) > got.Gap+1e-7 || got.Gap > 1e-3 {
			t.Fatalf("%+v, want %v", got, want)
		}
	})
}

// Squared losses by the normal equations, of more data than features.
func TestLeastSquares(t *testing.T) {
	m, err := (&vector.Linear{}).Model(vector.Data{Features: 2, FeatureNorm: 10, LabelSize: 10})
	if err != nil {
		t.Fatal(err)
	}
	got := m.Within(nil).Minimum([]float64{1, 0, 1, 1, 1, 3, 1, 2, 4, 1, 3, 8})
	// y = 0.7 + 2.2 a: residuals 0.3, -0.1, -1.1, 0.7... by hand: sums 4, 6, 14 and 16, 35.
	if !floats.EqualApprox(got.X, []float64{0.7, 2.2}, 1e-9) || got.Status != stream.Solved {
		t.Errorf("%+v", got)
	}
}
