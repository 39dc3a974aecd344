package federated_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"starling/actors/lockstep"
	"starling/scenarios/accounts"
	"starling/scenarios/scenariotest"
)

// allocated is the number of bytes that loading, planning and running populationText takes in all, of so
// many clients of which 200 are expected in a round.
func allocated(t *testing.T, clients int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := scenariotest.LoadText(t, populationText, fmt.Sprint("nodes=", clients), fmt.Sprint("algorithm.rate=", 200/float64(clients)))
	j := scenariotest.JobOf(t, s)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	if err := j.Meter.Settled(0); err != nil {
		t.Fatal(err)
	}
	if rows, err := accounts.PrivacyRows(s.Arms[0], 1, j.Meter); err != nil || len(rows) == 0 || int(rows[0].Units) != clients {
		t.Fatalf("%d clients: rows %v, error %v", clients, rows, err)
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// TestPopulationDoesNotGrow: a run allocates as many bytes of a thousand million clients as of ten
// thousand, within a tenth: a single byte for each client would be a hundred times as many.
func TestPopulationDoesNotGrow(t *testing.T) {
	allocated(t, 10_000) // what a process makes once
	small := allocated(t, 10_000)
	for _, clients := range []int{1_000_000, 1_000_000_000} {
		if large := allocated(t, clients); large > 1.1*small {
			t.Errorf("%d clients: %.4g bytes in all, and %.4g of 10,000", clients, large, small)
		} else {
			t.Logf("%d clients: %.4g bytes in all, and %.4g of 10,000", clients, large, small)
		}
	}
}
