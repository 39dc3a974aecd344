package mirror

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// SolveRows has the bits of Solve of each row, and refuses where that fails for one.
func TestSolveRowsIsSolveOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, count := rapid.IntRange(1, 4).Draw(t, "d"), rapid.IntRange(1, 5).Draw(t, "rows")
		p := pairs(dim).Draw(t, "pair")
		solver := must(NewSolver(p.divergence, p.set))
		var z, g []float64
		for range count {
			z = append(z, p.origin(t, dim, 5)...)
			g = append(g, vectors(dim, 5).Draw(t, "g")...)
		}
		alpha := rapid.Float64Range(0, 2).Draw(t, "alpha")
		if rapid.IntRange(0, 3).Draw(t, "fault") == 0 {
			g[rapid.IntRange(0, len(g)-1).Draw(t, "at")] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1)}).Draw(t, "what")
		}
		want, work := make([]float64, len(z)), make([]float64, solver.WorkSize())
		var failure error
		for i := 0; i < len(z) && failure == nil; i += dim {
			failure = solver.Solve(want[i:i+dim], z[i:i+dim], g[i:i+dim], alpha, work)
		}
		got := make([]float64, len(z))
		if ok := SolveRows(solver, got, z, g, dim, alpha, work); ok != (failure == nil) || ok && !slices.Equal(got, want) {
			t.Fatalf("%v, %v; want %v, %v", got, ok, want, failure)
		}
	})
}
