package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
	"starling/scenarios/loading"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// The server moves as Algorithm 2 of the paper does, written down once more by closed sums.
func TestFedAdamServer(t *testing.T) {
	o := fedAdamOptions{ServerRate: 0.5, Beta1: 0.8, Beta2: 0.6, Tau: 0.1}
	server := fedAdam.Server(&o, &machine.Setting{Dim: 2})
	model, changes := []float64{1, -1}, [][]float64{{0.3, -2}, {0.1, 0}, {-0.5, 1}}
	want := slices.Clone(model)
	for round, change := range changes {
		server.Adopt(model, change)
		for k := range want {
			m, v := 0.0, math.Pow(o.Beta2, float64(round+1))*o.Tau*o.Tau
			for r, d := range changes[:round+1] {
				m += (1 - o.Beta1) * math.Pow(o.Beta1, float64(round-r)) * d[k]
				v += (1 - o.Beta2) * math.Pow(o.Beta2, float64(round-r)) * d[k] * d[k]
			}
			want[k] += o.ServerRate * m / (math.Sqrt(v) + o.Tau)
			if math.Abs(model[k]-want[k]) > 1e-12 {
				t.Errorf("round %d: %v, want %v", round+1, model, want)
			}
		}
	}
}

// The algorithm runs on both runtimes to the same bits, its ledger states what the planned
// noise costs, and its audit finds no more.
func TestFedAdam(t *testing.T) {
	catalog, err := scenarios.Catalog().With(kind.Catalog{Algorithms: []kind.Kind{fedAdamKind()}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := loading.Loader{Kinds: &catalog}.Load(scenariotest.File(t, fedAdamFile))
	if err != nil {
		t.Fatal(err)
	}
	lockstep := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	if actors := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2}); actors.Digest != lockstep.Digest {
		t.Errorf("%s in lockstep and %s with actors", lockstep.Digest, actors.Digest)
	}
	for _, a := range scenariotest.AuditIn(t, s, auditing.Options{Samples: 400, Confidence: 0.999, Noise: 1}) {
		if !a.NoiseAsStated() || a.Exceeded() || !(a.Accounted > 0) || math.IsInf(a.Accounted, 1) {
			t.Errorf("noise as stated: %v, %v of %v", a.NoiseAsStated(), a.Audited, a.Accounted)
		}
	}
}

// FedAdam of the library, in Python, has the values of this one in Go.
func TestFedAdamInPython(t *testing.T) {
	testneeds.Python(t)
	catalog, err := scenarios.Catalog().With(kind.Catalog{Algorithms: []kind.Kind{fedAdamKind()}})
	if err != nil {
		t.Fatal(err)
	}
	var rows []scenariotest.Measured
	for _, section := range []string{"{kind: fed-adam,", "{kind: own-server, file: library/own-server.py, name: Adam,"} {
		s, err := loading.Loader{Kinds: &catalog}.Load(scenariotest.File(t, strings.Replace(fedAdamFile, "{kind: fed-adam,", section, 1)))
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}))
	}
	if len(rows[0].Rows) == 0 || len(rows[0].Rows) != len(rows[1].Rows) {
		t.Fatalf("%d and %d rows", len(rows[0].Rows), len(rows[1].Rows))
	}
	for i, row := range rows[0].Rows {
		if got := rows[1].Rows[i]; got.Metric != row.Metric || math.Abs(got.Value-row.Value) > 1e-9*max(1, math.Abs(row.Value)) {
			t.Errorf("%s at %d is %v in Go, and %s %v in Python", row.Metric, row.Step, row.Value, got.Metric, got.Value)
		}
	}
}
