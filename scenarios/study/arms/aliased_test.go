package arms

import (
	"testing"

	"pgregory.net/rapid"
)

// The records of a periodic sequence are written down, and the period of the list is looked for:
// it is aliased unless it is the period of the sequence, or every record is of the same graph.
func TestAliasedPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		every, period := rapid.IntRange(1, 60).Draw(t, "every"), rapid.IntRange(1, 60).Draw(t, "period")
		var seen []int // the graphs of records
		for k := 1; k <= 2*period; k++ {
			seen = append(seen, k*every%period)
		}
		repeats := 1
		for !same(seen[repeats:], seen[:len(seen)-repeats]) {
			repeats++
		}
		want := repeats > 1 && repeats*every != period
		got, aliased := aliasedPeriod(every, period)
		if aliased != want || aliased && got != repeats*every {
			t.Fatalf("records every %d of period %d: %d, aliased %v; they repeat every %d", every, period, got, aliased, repeats*every)
		}
	})
	if _, aliased := aliasedPeriod(5, 0); aliased {
		t.Error("graphs without a period have none")
	}
	for _, test := range []struct {
		every, period int
		want          string
	}{{5, 3, "3 or 6"}, {2, 3, "1 or 3"}, {250, 3, "249 or 252"}} {
		if got := remedy(test.every, test.period); got != test.want {
			t.Errorf("every %d of %d: %s, want %s", test.every, test.period, got, test.want)
		}
	}
}

func same(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
