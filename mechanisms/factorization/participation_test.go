package factorization

import (
	"math"
	"math/bits"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// allowed tells whether a record can be in a set of inputs, bits of a word.
func allowed(set uint, p Participation) bool {
	if bits.OnesCount(set) > p.Times {
		return false
	}
	for last := -1; set > 0; {
		t := bits.TrailingZeros(set)
		if apart := t - last; last >= 0 && (apart < p.Apart || p.Even && apart != p.Apart) {
			return false
		}
		last = t
		set &= set - 1
	}
	return true
}

// bySigns is the largest of u'X u for entries of u that are 1 or -1 in a set, and 0
// elsewhere.
func bySigns(x *mat.Dense, set uint) (largest float64) {
	n, _ := x.Dims()
	for signs := set; ; signs = (signs - 1) & set { // all subsets
		u := mat.NewVecDense(n, nil)
		for t := range n {
			if set>>t&1 == 1 {
				u.SetVec(t, float64(2*int(signs>>t&1)-1))
			}
		}
		largest = max(largest, mat.Inner(u, x, u))
		if signs == 0 {
			return largest
		}
	}
}

// Of all sets of inputs that a record can be in, and all signs of them, none moves the
// release further than the sensitivity, and where it is exact one as far. The bound of
// the others stays below the root of k times one input, with all signs alike.
func TestSensitivityByAllParticipations(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8} {
		for _, o := range fullKinds(n) {
			f := build(t, o)
			b, _ := factors(t, o, f)
			x := dense(t, b)
			_, toeplitz := f.spread.(columns)
			moved := make([]float64, 1<<n)
			for set := range moved {
				moved[set] = bySigns(x, uint(set))
			}
			for times := 1; times <= n+1; times++ {
				for apart := 1; apart <= n+1; apart++ {
					for _, even := range []bool{false, true} {
						p := Participation{times, apart, even}
						largest := 0.0
						for set, square := range moved {
							if allowed(uint(set), p) {
								largest = max(largest, square)
							}
						}
						got, err := f.SensitivityOf(p)
						exact := toeplitz || even || p.Within(n).Times == 1 || p.Within(n).Times == n
						if err != nil || got*got < largest*(1-1e-9) || exact && !near(got*got, largest, 1e-9) {
							t.Errorf("%+v, %+v: the square of the sensitivity is %.12g, %v; by all sets %.12g", o, p, got*got, err, largest)
						}
						if most := float64(p.Within(n).Times) * f.Sensitivity(); got > most*(1+1e-9) {
							t.Errorf("%+v, %+v: %v, over %v of inputs one by one", o, p, got, most)
						}
					}
				}
			}
		}
	}
}

// Entries of X one by one, at sizes where trees have several roots and chains are long.
func TestEntries(t *testing.T) {
	for _, n := range []int{1, 6, 13, 32, 47} {
		for _, o := range fullKinds(n) {
			f := build(t, o)
			b, _ := factors(t, o, f)
			x, entry := dense(t, b), f.spread.entries()
			for s := range n {
				for u := s; u < n; u++ {
					if got := entry(s, u); !near(got, x.At(s, u), 1e-8) {
						t.Fatalf("%+v: X at %d, %d is %.12g, want %.12g", o, s, u, got, x.At(s, u))
					}
				}
			}
		}
	}
}

// By hand: noise on every input adds squares; columns of a band that do not meet are
// orthogonal; of a tree of 4 steps, inputs 0 and 2 are in the root together and in one and
// two nodes that are seen by themselves.
func TestSensitivityOfParticipationsByHand(t *testing.T) {
	banded := build(t, Options{Kind: BandedToeplitz, N: 12, Bands: 3})
	for _, c := range []struct {
		f    *Factorization
		p    Participation
		want float64
	}{
		{build(t, options(Independent, 10)), Participation{3, 2, false}, 3},
		{build(t, options(Independent, 10)), Participation{9, 4, false}, 3},
		{banded, Participation{2, 3, false}, 2 * (1 + 1.0/4 + 9.0/64)},
		{banded, Participation{4, 3, true}, 4 * (1 + 1.0/4 + 9.0/64)},
		{build(t, options(TreeFull, 4)), Participation{2, 2, true}, 4 + 4},
		{build(t, options(Tree, 4)), Participation{2, 2, true}, 2 + 1 + 4},
	} {
		got, err := c.f.SensitivityOf(c.p)
		if err != nil || !near(got*got, c.want, 1e-12) {
			t.Errorf("%s, %+v: the square is %v, %v; want %v", c.f.Kind(), c.p, got*got, err, c.want)
		}
	}
}

// A long run of a Toeplitz kind takes no time, evenly or not; what has no proof and what
// would take too long are refused.
func TestSensitivityOfManySteps(t *testing.T) {
	f := build(t, options(Toeplitz, 100000))
	one, err := f.SensitivityOf(Participation{10, 10000, true})
	if two := math.Sqrt(10) * f.Sensitivity(); err != nil || !(one > two) || !(one < 10*f.Sensitivity()) {
		t.Errorf("%v, %v; want over %v", one, err, two)
	}
	tree := build(t, options(Tree, 100000))
	if _, err := tree.SensitivityOf(Participation{10, 10000, false}); err == nil || !strings.Contains(err.Error(), "takes 1e+10 numbers; want at most 16777216") {
		t.Error(err)
	}
	if even, err := tree.SensitivityOf(Participation{10, 10000, true}); err != nil || even < tree.Sensitivity() {
		t.Errorf("%v, %v", even, err)
	}
	rising := *build(t, options(BLT, 8))
	rising.spread = columns{8, blt{scale: []float64{2}, decay: []float64{0.5}}.columns(8)}
	if _, err := rising.SensitivityOf(Participation{2, 3, false}); err == nil || !strings.Contains(err.Error(), "coefficient 1 of C is 2 after 1") {
		t.Error(err)
	}
	for _, p := range []Participation{{0, 1, false}, {1, 0, true}} {
		if _, err := f.SensitivityOf(p); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}

// Coefficients that are fitted to records that come back err less than those that are
// not, and two buffers come close to a hundred bands. The numbers are those of this
// search: they hold it in place, and tell of no paper.
func TestFitted(t *testing.T) {
	p := Participation{Times: 5, Apart: 100}
	root := func(o Options) float64 {
		f := build(t, o)
		s, err := f.SensitivityOf(p)
		if err != nil {
			t.Fatal(err)
		}
		return s * math.Sqrt(f.total/float64(f.n))
	}
	for _, test := range []struct {
		o    Options
		want float64
	}{
		{Options{Kind: Toeplitz}, 8.390255},
		{Options{Kind: BandedToeplitz, Bands: 100}, 6.948653},
		{Options{Kind: BandedToeplitz, Bands: 100, Fit: p}, 6.865761},
		{Options{Kind: BLT, Buffers: 2}, 7.764310},
		{Options{Kind: BLT, Buffers: 2, Fit: p}, 7.161824},
	} {
		test.o.N = 500
		if got := root(test.o); !near(got, test.want, 1e-5) {
			t.Errorf("%+v: root of the mean squared error %.7g, want %.7g", test.o, got, test.want)
		}
	}
	// For one participation no Toeplitz matrix is below the optimum of all matrices.
	one := build(t, Options{Kind: BandedToeplitz, N: 128, Bands: 128, Fit: Once}).MSE()
	best, square := build(t, Options{Kind: Optimal, N: 128}).MSE(), build(t, Options{Kind: Toeplitz, N: 128}).MSE()
	if !(best < one && one < square) {
		t.Errorf("optimum %v, fitted %v, square root %v", best, one, square)
	}
	for _, o := range []Options{{Kind: Toeplitz, N: 4, Fit: Once}, {Kind: BLT, N: 4, Buffers: 1, Fit: Participation{Times: 2}}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
