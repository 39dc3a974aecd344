package plot

import (
	"maps"
	"math"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
)

func TestGeometricGridsHaveALogarithmicAxis(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{0.5, 1, 5}, true},
		{[]float64{1, 2, 4, 8}, true},
		{[]float64{0.1, 0.3, 1, 3, 10}, true},
		{[]float64{1, 2, 4}, false}, // a range of 4
		{[]float64{1, 10}, false},   // two values
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false},
		{[]float64{0, 1, 10}, false}, // 0 has no place
		{[]float64{1, 1.01, 100}, false},
	} {
		if got := geometric(c.values); got != c.want {
			t.Errorf("%v: %v", c.values, got)
		}
	}
}

func TestRelationsAreOfArmsWithALoss(t *testing.T) {
	rows := map[string][]results.SummaryRow{ledger.EpsilonTotal: {{Arm: "a", Mean: 1}, {Arm: "b", Mean: math.Inf(1)}}}
	of := accounts.Relations{"a": "replace", "b": "add-or-remove"}
	if got := withLoss(of, rows); !maps.Equal(got, accounts.Relations{"a": "replace"}) {
		t.Errorf("%v", got)
	}
	rows[ledger.EpsilonTotal][0].Mean = math.Inf(1)
	if got := withLoss(of, rows); !maps.Equal(got, of) {
		t.Errorf("of losses without a bound: %v", got)
	}
}
