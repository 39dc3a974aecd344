package federated_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
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

// TestPopulationRefusesAtOnce: a thousand million clients with values of their own are refused before
// any value of one of them is in memory: a refusal takes 0.2 MB in all, and a byte for each would be a
// thousand MB.
func TestPopulationRefusesAtOnce(t *testing.T) {
	for set, want := range map[string]string{
		"algorithm.rates=[{first: 1, last: 100, value: 0.5}]":                                                                         "algorithm.rates: draw: server holds",
		"algorithm.clips={law: uniform, from: 1, to: 2}":                                                                              "algorithm.clips: draw: server holds",
		"mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-9, by: rate, groups: [{first: 1, last: 100, epsilon: 1}]}":            "mechanism.by: draw: server holds",
		"mechanism={kind: gaussian, epsilon: 1, delta: 1e-9, groups: [{first: 1, last: 100, epsilon: 2}]}":                            "mechanism.groups: draw: server holds",
		"algorithm.level=record|mechanism={kind: sampled-gaussian, sigma: 1, delta: 1e-9, sigmas: [{first: 1, last: 100, value: 1}]}": "mechanism.sigmas: draw: server holds",
		"mechanism={kind: none}|budget={epsilon: 1, delta: 1e-5, on: stop, groups: [{first: 1, last: 2, epsilon: 2}]}":                "budget.groups: draw: server holds",
		"adversaries={kind: sign-flip, share: 0.5}":                                                                                   "adversaries: draw: server holds",
		"network={kind: effects, churn: {fail: 0.1, recover: 0.5}}":                                                                   "network: draw: server holds",
		"measure={by: group}":    "measure.by: draw: server holds",
		"algorithm.rate=1":       "algorithm.rate: a round has up to 1000000000 clients",
		"algorithm.draw=clients": "nodes: 1000000000 nodes",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := scenariotest.LoadError(t, populationText, append([]string{"nodes=1000000000", "algorithm.rate=1e-7"}, strings.Split(set, "|")...)...)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", set, err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1e6 {
			t.Errorf("%s: %d bytes in all", set, took)
		}
	}
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
