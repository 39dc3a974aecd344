package ledger

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/mechanisms/accountant"
)

// A total is within all limits, or within some, as it is by asking each limit: those that are left
// out, since another says as much, change no answer. Deltas of limits and of releases are near each other.
func TestClassesThatAreLeftOut(t *testing.T) {
	by := Account{By: accountant.PLD}
	rapid.Check(t, func(t *rapid.T) {
		delta := rapid.SampledFrom([]float64{6e-6, 8e-6, 1e-5})
		var budgets []accountant.Loss
		for range rapid.IntRange(1, 4).Draw(t, "limits") {
			budgets = append(budgets, accountant.Loss{Epsilon: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "epsilon"), Delta: delta.Draw(t, "delta")})
		}
		slices.SortFunc(budgets, func(a, b accountant.Loss) int {
			return cmp.Or(cmp.Compare(a.Epsilon, b.Epsilon), cmp.Compare(a.Delta, b.Delta))
		})
		var p Budget
		for _, budget := range budgets {
			p.classes = append(p.classes, newClass(budget, &by))
		}
		var total accountant.Total
		total.Add(accountant.Loss{Epsilon: rapid.SampledFrom([]float64{0.4, 0.9, 1.5}).Draw(t, "paid"), Delta: delta.Draw(t, "with delta")})
		all, some := true, false
		for k := range p.classes {
			within, err := p.allows(k, &total)
			if err != nil {
				t.Fatal(err)
			}
			all, some = all && within, some || within
		}
		if got, err := p.allowsAll(&total); err != nil || got != all {
			t.Errorf("%+v: within all limits %v, %v; asked one by one %v", budgets, got, err, all)
		}
		if got, err := p.Allows(&total); err != nil || got != some {
			t.Errorf("%+v: within a limit %v, %v; asked one by one %v", budgets, got, err, some)
		}
	})
}
