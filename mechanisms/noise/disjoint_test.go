package noise_test

import (
	"errors"
	"slices"
	"testing"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
)

// A stream of vectors of which a unit moves one costs what one costs, once, has the
// noise of releases by themselves, and tells what it has added.
func TestDisjoint(t *testing.T) {
	moves := noise.Moves{L1: 3, L2: 2}
	for law, want := range map[noise.Law]accountant.Loss{
		noise.LaplaceLaw: {Epsilon: 1.5, Laplace: 1.5}, noise.GaussianLaw: {Rho: 0.5},
	} {
		alone := noise.Additive{Law: law, Scale: 2}
		d := noise.Disjoint{Additive: alone, Moves: moves}
		var paid []accountant.Loss
		pay := func(l accountant.Loss) error { paid = append(paid, l); return nil }
		if d.Receipt().Written() {
			t.Errorf("%s: a receipt before anything is paid", law)
		}
		r, other := generator(5), generator(5)
		for k := range 3 {
			x, drawn, single := []float64{1, -2}, []float64{9, 9}, []float64{0, 0}
			receipt, err := d.Release(x, drawn, r, pay)
			if err != nil || receipt.Loss() != want || !receipt.Stands() {
				t.Fatalf("%s: release %d: receipt of %v, %v", law, k, receipt.Loss(), err)
			}
			if _, err := alone.Release(single, other, moves, accept); err != nil || !slices.Equal(drawn, single) || x[0] != 1+drawn[0] || x[1] != -2+drawn[1] {
				t.Errorf("%s: release %d is %v with noise %v, want noise %v", law, k, x, drawn, single)
			}
		}
		if !slices.Equal(paid, []accountant.Loss{want}) {
			t.Errorf("%s: paid %v, want %v once", law, paid, want)
		}
	}
}

// What is not paid for, has no law, or has no room for its noise is not released.
func TestDisjointRefuses(t *testing.T) {
	spent := errors.New("spent")
	x := []float64{1, 2}
	for name, test := range map[string]struct {
		noise noise.Disjoint
		drawn []float64
		pay   func(accountant.Loss) error
	}{
		"nobody pays":  {noise.Disjoint{Additive: noise.Additive{Law: noise.LaplaceLaw, Scale: 1}, Moves: noise.Moves{L1: 1}}, make([]float64, 2), func(accountant.Loss) error { return spent }},
		"no law":       {noise.Disjoint{Additive: noise.Additive{Scale: 1}}, make([]float64, 2), accept},
		"other length": {noise.Disjoint{Additive: noise.Additive{Law: noise.LaplaceLaw, Scale: 1}}, make([]float64, 3), accept},
	} {
		if _, err := test.noise.Release(x, test.drawn, generator(0), test.pay); err == nil || test.noise.Paid || x[0] != 1 || x[1] != 2 {
			t.Errorf("%s: %v, paid %v, %v", name, err, test.noise.Paid, x)
		}
	}
}
