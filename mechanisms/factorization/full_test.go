package factorization

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// dense is X = A'(B B')^(-1)A of dense factors.
func dense(t *testing.T, b *mat.Dense) *mat.Dense {
	t.Helper()
	n, _ := b.Dims()
	var covariance mat.SymDense
	covariance.SymOuterK(1, b)
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		t.Fatal("the covariance is not positive")
	}
	var solved, x mat.Dense
	if err := factor.SolveTo(&solved, triangle(n)); err != nil {
		t.Fatal(err)
	}
	x.Mul(triangle(n).T(), &solved)
	return &x
}

// fullKinds are all kinds at a size, those with parameters with few and many.
func fullKinds(n int) (list []Options) {
	for _, kind := range Kinds() {
		o := options(kind, n)
		list = append(list, o)
		switch kind {
		case BandedToeplitz:
			o.Bands = (n + 1) / 2
			list = append(list, o)
			o.Fit = Participation{Times: 2, Apart: 3}
			list = append(list, o)
		case BLT:
			o.Buffers = 2
			list = append(list, o)
			o.Fit = Participation{Times: 3, Apart: 2}
			list = append(list, o)
		case ARSum:
			o.Chains = 3
			list = append(list, o)
		}
	}
	return list
}

// Among all signs of inputs of one coordinate, which are the corners of what single
// numbers can do, none moves the release further than the sensitivity of full
// participation, and one as far: the square is convex in every input.
func TestFullSensitivityBySigns(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 10} {
		for _, o := range fullKinds(n) {
			f := build(t, o)
			b, _ := factors(t, o, f)
			x := dense(t, b)
			largest := 0.0
			for signs := range 1 << n {
				u := mat.NewVecDense(n, nil)
				for k := range n {
					u.SetVec(k, float64(2*(signs>>k&1)-1))
				}
				largest = max(largest, mat.Inner(u, x, u))
			}
			if got := f.FullSensitivity(); !near(got*got, largest, 1e-9) {
				t.Errorf("%+v: the square of the full sensitivity is %.12g, by all signs %.12g", o, got*got, largest)
			}
		}
	}
}

// No entry of X is negative, which the exact sensitivity rests on; its sum is the
// square; a record in every input moves no less than one in a single input, and no more
// than n of them.
func TestFullSensitivityOfDenseFactors(t *testing.T) {
	for _, n := range []int{6, 13, 32, 47} {
		for _, o := range fullKinds(n) {
			f := build(t, o)
			b, _ := factors(t, o, f)
			x := dense(t, b)
			if least := mat.Min(x); least < -1e-9 {
				t.Errorf("%+v: X has an entry of %v", o, least)
			}
			full := f.FullSensitivity()
			if want := mat.Sum(x); !near(full*full, want, 1e-8) {
				t.Errorf("%+v: the square of the full sensitivity is %.12g, the sum of X %.12g", o, full*full, want)
			}
			if single := f.Sensitivity(); full < single*(1-1e-9) || full > float64(n)*single*(1+1e-9) {
				t.Errorf("%+v: full sensitivity %v beside %v of one input", o, full, single)
			}
		}
	}
}

// Vectors of any directions and lengths up to 1 move the release no further.
func TestFullSensitivityOfVectors(t *testing.T) {
	type pair struct {
		f *Factorization
		x *mat.Dense
	}
	const n, d = 9, 3
	var list []pair
	for _, o := range fullKinds(n) {
		f := build(t, o)
		b, _ := factors(t, o, f)
		list = append(list, pair{f, dense(t, b)})
	}
	rapid.Check(t, func(r *rapid.T) {
		u := mat.NewDense(n, d, rapid.SliceOfN(rapid.Float64Range(-1, 1), n*d, n*d).Draw(r, "u"))
		for k := range n {
			row := u.RowView(k).(*mat.VecDense)
			row.ScaleVec(1/max(1, mat.Norm(row, 2)), row)
		}
		for _, one := range list {
			var moved, square mat.Dense
			moved.Mul(one.x, u)
			square.Mul(u.T(), &moved)
			if length := math.Sqrt(mat.Trace(&square)); length > one.f.FullSensitivity()*(1+1e-9) {
				r.Fatalf("%s: inputs move the release by %v, over %v", one.f.Kind(), length, one.f.FullSensitivity())
			}
		}
	})
}

// At n = 4 by hand. tree: the leaves 1 and 3, the node of 1 and 2, and the root are
// seen: 1 + 1 + 4 + 16. tree-full: all seven nodes: 4 + 8 + 16. toeplitz: running sums
// 1, 3/2, 15/8, 35/16. tree-online: leaves 1 and 3 move by 1, of variance 1; the node of
// 1 and 2, whose estimate has a third of each leaf, by 2 - 1/3, of variance 4/9 + 1/9;
// the root, of weight 3/7, by 4 - 3/7 (2 + 1/3), of variance 16/49 + 9/49 5/9.
func TestFullSensitivityOfFourSteps(t *testing.T) {
	for kind, want := range map[Kind]float64{
		Independent: 4,
		Tree:        22,
		TreeOnline:  2 + 25.0/9/(5.0/9) + 9/(21.0/49),
		TreeFull:    28,
		Toeplitz:    1 + 9.0/4 + 225.0/64 + 1225.0/256,
	} {
		if got := build(t, options(kind, 4)).FullSensitivity(); !near(got*got, want, 1e-14) {
			t.Errorf("%s: %.17g, want %.17g", kind, got*got, want)
		}
	}
}
