package mirror

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// bregman is D_phi(x, y) from its definition, with phi and its gradient written
// out apart from the code under test.
func bregman(d Divergence, x, y []float64) float64 {
	phi, gradient := potential(d)
	slope := gradient(y)
	value := phi(x) - phi(y)
	for k := range x {
		value -= slope[k] * (x[k] - y[k])
	}
	return value
}

func potential(d Divergence) (phi func([]float64) float64, gradient func([]float64) []float64) {
	if _, ok := d.(Entropy); ok {
		phi = func(x []float64) float64 {
			var sum float64
			for _, v := range x {
				if v > 0 {
					sum += v * math.Log(v)
				}
			}
			return sum
		}
		gradient = func(x []float64) []float64 {
			slope := make([]float64, len(x))
			for k, v := range x {
				slope[k] = math.Log(v) + 1
			}
			return slope
		}
		return phi, gradient
	}
	matrix := func(dim int) *mat.Dense {
		if m, ok := d.(*Mahalanobis); ok {
			return mat.NewDense(dim, dim, m.q)
		}
		scaled := mat.NewDense(dim, dim, nil)
		for k := range dim {
			scaled.Set(k, k, d.(Euclidean).Scale)
		}
		return scaled
	}
	gradient = func(x []float64) []float64 {
		var product mat.VecDense
		product.MulVec(matrix(len(x)), mat.NewVecDense(len(x), x))
		product.ScaleVec(2, &product)
		return product.RawVector().Data
	}
	phi = func(x []float64) float64 { return dot(gradient(x), x) / 2 }
	return phi, gradient
}

// Value is the Bregman divergence of phi by definition, non-negative, 0 at
// x = y, and between (omega/2) and (M/2) times the squared 2-norm.
func TestDivergenceValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(1, 5).Draw(t, "dim")
		x, y := vectors(dim, 3).Draw(t, "x"), vectors(dim, 3).Draw(t, "y")
		var d Divergence
		switch rapid.IntRange(0, 2).Draw(t, "divergence") {
		case 0:
			d = Euclidean{Scale: rapid.Float64Range(0.1, 5).Draw(t, "scale")}
		case 1:
			d = must(NewMahalanobis(positiveDefinite(dim, 3).Draw(t, "Q")))
		case 2:
			d = Entropy{}
			x, y = softmax(x), softmax(y)
		}
		value := d.Value(x, y)
		if value < 0 || d.Value(x, x) != 0 {
			t.Fatalf("D(x, y) = %v, D(x, x) = %v", value, d.Value(x, x))
		}
		square := distance2(x, y) * distance2(x, y)
		size := 1.0
		if m, ok := d.Smoothness(); ok {
			size = m * (1 + dot(x, x) + dot(y, y))
			if value > m/2*square+1e-12*size {
				t.Fatalf("D = %v > (M/2)||x - y||^2 = %v", value, m/2*square)
			}
		}
		if want := bregman(d, x, y); math.Abs(value-want) > 1e-12*size {
			t.Fatalf("D = %v, by definition %v", value, want)
		}
		if value < d.StrongConvexity()/2*square-1e-12*size {
			t.Fatalf("D = %v < (omega/2)||x - y||^2 = %v", value, d.StrongConvexity()/2*square)
		}
	})
}

// softmax is a point inside the simplex.
func softmax(v []float64) []float64 {
	p := make([]float64, len(v))
	var sum float64
	for k := range v {
		p[k] = math.Exp(v[k])
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

func TestEntropyAtTheFaces(t *testing.T) {
	for _, test := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{0, 1}, []float64{0.5, 0.5}, math.Ln2},
		{[]float64{0, 1}, []float64{0, 1}, 0},
		{[]float64{0.5, 0.5}, []float64{0, 1}, math.Inf(1)},
		{[]float64{-0.5, 1.5}, []float64{0.5, 0.5}, math.Inf(1)},
	} {
		if got := (Entropy{}).Value(test.x, test.y); got != test.want && !(math.Abs(got-test.want) <= 1e-15) {
			t.Errorf("D(%v, %v) = %v, want %v", test.x, test.y, got, test.want)
		}
	}
	if got := (Entropy{}).Value([]float64{math.NaN()}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("D(NaN, 1) = %v", got)
	}
	if _, ok := (Entropy{}).Smoothness(); ok {
		t.Error("the entropy claims a bound M")
	}
}

func TestMahalanobisErrors(t *testing.T) {
	for _, test := range []struct {
		rows [][]float64
		want string
	}{
		{nil, "mahalanobis: dim is 0, want at least 1"},
		{[][]float64{{1, 0}, {0}}, "mahalanobis: Q[1] has 1 entries, want 2"},
		{[][]float64{{1, 0}, {0, math.NaN()}}, "mahalanobis: Q[1][1] is NaN, want a finite number"},
		{[][]float64{{1, 2}, {3, 9}}, "mahalanobis: Q is not symmetric: Q[1][0] is 3, Q[0][1] is 2"},
		{[][]float64{{1, 0}, {0, -2}}, "mahalanobis: Q is not positive definite: its smallest eigenvalue is -2"},
		{[][]float64{{1, 0}, {0, 1e9}}, "mahalanobis: Q has the condition number 1e+09, want at most 1e+08"},
	} {
		_, err := NewMahalanobis(test.rows)
		wantError(t, err, test.want)
	}
}

// The eigenvalues of [[2, 1], [1, 2]] are 1 and 3.
func TestMahalanobisConstants(t *testing.T) {
	m := must(NewMahalanobis([][]float64{{2, 1}, {1, 2}}))
	bound, ok := m.Smoothness()
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"omega", m.StrongConvexity(), 2}, {"M", bound, 6}, {"condition", m.Condition(), 3},
		{"D", m.Value([]float64{1, 2}, []float64{0, 0}), 14},
	} {
		if math.Abs(test.got-test.want) > 1e-14*test.want || !ok {
			t.Errorf("%s = %v, want %v", test.name, test.got, test.want)
		}
	}
}
