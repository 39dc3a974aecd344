package noise_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
)

// Rows get the noise that each gets alone, and cost as much; whoever does not pay gets none.
func TestReleaseRowsIsReleaseOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, count := rapid.IntRange(1, 5).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "rows")
		a := rapid.SampledFrom([]noise.Additive{{}, {Law: noise.LaplaceLaw, Scale: 2}, {Law: noise.GaussianLaw, Scale: 3}, {Law: noise.LaplaceLaw}}).Draw(t, "noise")
		moves := noise.MovesL1(rapid.Float64Range(0, 2).Draw(t, "moves"), 1)
		rows := noise.Rows{
			Entries: rapid.SliceOfN(rapid.Float64Range(-1, 1), width*count, width*count).Draw(t, "entries"), Width: width,
			Key: rng.NewKey(7, 8), First: rapid.IntRange(0, 9).Draw(t, "first"), Step: 4, Hop: 1,
		}
		want, before := slices.Clone(rows.Entries), slices.Clone(rows.Entries)
		var paid accountant.Loss
		pay := func(loss accountant.Loss) error { paid = loss; return nil }
		var expected accountant.Receipt
		var stream rng.Stream
		for i := range count {
			var err error
			if expected, err = a.Release(want[i*width:(i+1)*width], stream.Open(rows.Key, rows.First+i, 4, 1), moves, pay); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.ReleaseRows(rows, moves, func(accountant.Loss) error { return accountant.ErrBudget }); err != accountant.ErrBudget || !slices.Equal(rows.Entries, before) {
			t.Fatalf("refused with %v: %v, before %v", err, rows.Entries, before)
		}
		paid = accountant.Loss{}
		receipt, err := a.ReleaseRows(rows, moves, pay)
		if err != nil || receipt != expected || paid != expected.Loss() || !slices.Equal(rows.Entries, want) {
			t.Fatalf("%v, paid %v, receipt %v, %v; want %v, receipt %v", rows.Entries, paid, receipt, err, want, expected)
		}
	})
}
