package plot

import (
	"math"
	"slices"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
)

// TestNeighbouring has the relations of losses, and the units where finite losses protect several: a loss without a bound,
// or of 0, compares with none.
func TestNeighbouring(t *testing.T) {
	run := func(record, participant float64) Run {
		r := Run{Arms: []results.ArmEntry{{Name: "a"}, {Name: "b"}}, Of: accounts.Relations{"a": "replace", "b": "replace"}, Units: map[string]string{"a": "record", "b": "participant"}, Rows: map[string][]results.SummaryRow{}}
		take(&r, results.SummaryRow{Arm: "a", Step: 1, Metric: ledger.EpsilonTotal, Mean: record})
		take(&r, results.SummaryRow{Arm: "b", Step: 1, Metric: ledger.EpsilonTotal, Mean: participant})
		return r
	}
	for _, test := range []struct {
		runs []Run
		want []string
	}{
		{[]Run{run(1, 2)}, []string{"replace of a record", "replace of a participant"}},
		{[]Run{run(1, math.Inf(1))}, []string{"replace"}},
		{[]Run{run(0, 2)}, []string{"replace"}},
		{[]Run{run(1, math.Inf(1)), run(math.Inf(1), 2)}, []string{"replace of a record", "replace of a participant"}},
	} {
		if got := neighbouring(test.runs, ledger.EpsilonTotal); !slices.Equal(got, test.want) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
