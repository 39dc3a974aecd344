package factorization

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"starling/messages"
)

// strategyOf returns the strategy with the lower triangle of a matrix.
func strategyOf(t interface{ Fatal(...any) }, c *mat.Dense) *Strategy {
	n, _ := c.Dims()
	rows := make([]StrategyRow, n)
	for i := range n {
		first := 0
		for first < i && c.At(i, first) == 0 {
			first++
		}
		rows[i] = StrategyRow{first, slices.Clone(c.RawRowView(i)[first : i+1])}
	}
	s, err := NewStrategy(rows)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A strategy with the numbers of a kind has the errors, the sensitivities and the noise of the kind.
func TestStrategyOfAKind(t *testing.T) {
	for _, o := range []Options{options(Independent, 9), options(Toeplitz, 24), {Kind: BandedToeplitz, N: 30, Bands: 4}} {
		want := build(t, o)
		_, c := factors(t, o, want)
		got := build(t, Options{Kind: Own, N: o.N, Strategy: strategyOf(t, c)})
		if !near(got.Sensitivity(), want.Sensitivity(), 1e-12) || !near(got.MSE(), want.MSE(), 1e-10) || !near(got.MaxError(), want.MaxError(), 1e-10) {
			t.Errorf("%+v: sensitivity %v, mse %v, largest %v; want %v, %v, %v", o, got.Sensitivity(), got.MSE(), got.MaxError(), want.Sensitivity(), want.MSE(), want.MaxError())
		}
		for _, p := range []Participation{{3, 2, true}, {2, 5, false}, {o.N, 1, true}} {
			a, err := got.SensitivityOf(p)
			b, other := want.SensitivityOf(p)
			if err != nil || other != nil || p.Even && !near(a, b, 1e-10) || a < b*(1-1e-12) {
				t.Errorf("%+v, %+v: %v, %v; want %v, %v", o, p, a, err, b, other)
			}
		}
		if o.Kind != Toeplitz && got.MemoryPerCoordinate() != want.MemoryPerCoordinate() {
			t.Errorf("%+v: %d numbers a coordinate, want %d", o, got.MemoryPerCoordinate(), want.MemoryPerCoordinate())
		}
	}
}

// Increments are C^(-1) Z, for matrices with entries of both signs; a state that was written and read goes on with
// the same bits. Errors are those of dense factors. No set of directions in the plane moves the release further than
// the sensitivity.
func TestStrategyOfBothSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		bands := rapid.IntRange(1, n).Draw(t, "bands")
		c := mat.NewDense(n, n, nil)
		for i := range n {
			for j := max(0, i-bands+1); j < i; j++ {
				c.Set(i, j, rapid.Float64Range(-2, 2).Draw(t, "c"))
			}
			c.Set(i, i, rapid.SampledFrom([]float64{-1.5, 0.5, 1, 2}).Draw(t, "diagonal"))
		}
		f, err := New(Options{Kind: Own, N: n, Strategy: strategyOf(t, c)})
		if err != nil {
			t.Fatal(err)
		}
		var inverse, b, x mat.Dense
		if err := inverse.Inverse(c); err != nil {
			t.Skip(err)
		}
		b.Mul(triangle(n), &inverse)
		total := 0.0
		for norm := range f.RowNorms() {
			total += norm
		}
		if want := mat.Norm(&b, 2); !near(total, want*want, 1e-9) {
			t.Errorf("squared error %v, want %v", total, want*want)
		}
		for column := range n {
			s, _ := f.Stream(1)
			z := &probe{one: column}
			var y [1]float64
			for step := range n {
				if step == n/2 { // a checkpoint
					written := messages.Write(nil, s)
					if s, _ = f.Stream(1); messages.Read(written, s) != nil {
						t.Fatal("the state is not read")
					}
				}
				if err := s.Next(y[:], z); err != nil || !near(y[0], inverse.At(step, column), 1e-9) {
					t.Fatalf("increment %d by number %d: %v, want %v", step, column, y[0], inverse.At(step, column))
				}
			}
		}
		x.Mul(c.T(), c)
		p := Participation{rapid.IntRange(1, n).Draw(t, "times"), rapid.IntRange(1, n).Draw(t, "apart"), rapid.Bool().Draw(t, "even")}
		moved, err := f.SensitivityOf(p)
		if err != nil {
			t.Fatal(err)
		}
		angles := make([]float64, n)
		for k := range angles {
			angles[k] = rapid.Float64Range(0, 2*math.Pi).Draw(t, "angle")
		}
		for set := range uint(1) << n {
			if !allowed(set, p) {
				continue
			}
			sum := 0.0
			for i := range n {
				for j := range n {
					if set>>i&1 == 1 && set>>j&1 == 1 {
						sum += x.At(i, j) * math.Cos(angles[i]-angles[j])
					}
				}
			}
			if sum > moved*moved*(1+1e-9) {
				t.Errorf("%+v: inputs %b move the release by %v, and the sensitivity is %v", p, set, math.Sqrt(sum), moved)
			}
		}
	})
}

// By hand: of C = (1; -1 1) both inputs together move the release by the root of 2 + 1 + 2, whatever their signs.
func TestStrategyByHand(t *testing.T) {
	s, err := NewStrategy([]StrategyRow{{0, []float64{1}}, {0, []float64{-1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	f := build(t, Options{Kind: Own, N: 2, Strategy: s})
	if all, err := f.SensitivityOf(Participation{2, 1, true}); err != nil || !near(all, math.Sqrt(5), 1e-15) || !near(f.Sensitivity(), math.Sqrt2, 1e-15) {
		t.Errorf("sensitivities %v and %v, %v; want the roots of 5 and 2", all, f.Sensitivity(), err)
	}
	if one := build(t, Options{Kind: Own, N: 1, Strategy: s}); one.Sensitivity() != 1 || one.MSE() != 1 {
		t.Errorf("the first row has the sensitivity %v and the error %v", one.Sensitivity(), one.MSE())
	}
}

// Matrices that are none are refused.
func TestStrategyRefuses(t *testing.T) {
	for want, rows := range map[string][]StrategyRow{
		"want 1 to 2048":               {},
		"row 2 of C ends":              {{0, []float64{1}}, {0, []float64{1}}},
		"on its diagonal, is 0":        {{0, []float64{0}}},
		"entry (2, 1) of C is NaN":     {{0, []float64{1}}, {0, []float64{math.NaN(), 1}}},
		"row 1 of C ends before its d": {{1, nil}},
	} {
		if _, err := NewStrategy(rows); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", rows, err, want)
		}
	}
	one, _ := NewStrategy([]StrategyRow{{0, []float64{1}}})
	for want, o := range map[string]Options{
		"C has 1 rows, and there are 2 sums": {Kind: Own, N: 2, Strategy: one},
		"has no strategy C":                  {Kind: Own, N: 2},
		"has no strategy of its own":         {Kind: Tree, N: 1, Strategy: one},
	} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}
