package ofl_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/accounts"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

const (
	edges  = "topology={kind: tiers, fan: [2, 2], schedule: [{every: 3}]}"
	single = "topology={kind: tiers, fan: [1, 4]}"
)

// TestTiersPayAsAStar: losses to every observer are the losses with one server, and with one edge server
// the metrics are its metrics, bit by bit, except for messages and bounds.
func TestTiersPayAsAStar(t *testing.T) {
	for _, noise := range []string{"mechanism.kind=tree", "mechanism.kind=none", "mechanism={kind: laplace, epsilon: 0.5}"} {
		losses := func(topology string) map[accountant.Observer]map[int32]float64 {
			s := scenariotest.LoadText(t, scenariotest.Learning, "nodes=4", topology, noise)
			_, j := scenariotest.SentBy(t, s, 0, 1)
			return scenariotest.FinalRows(t, s.Arms[0], j)
		}
		star := losses("topology={kind: star}")
		for _, topology := range []string{edges, single, "topology={kind: tiers, fan: [2, 1, 2], schedule: [{probability: 0.5}, {every: 2}]}"} {
			got := losses(topology)
			if !maps.EqualFunc(got, star, maps.Equal) || len(star[accountant.Server]) == 0 {
				t.Errorf("%s, %s: losses %v, with one server %v", noise, topology, got, star)
			}
		}
		rows := func(topology string) map[string][]float64 {
			s := scenariotest.LoadText(t, scenariotest.Learning, "nodes=4", topology, noise, "seeds.count=1")
			list := map[string][]float64{}
			for _, row := range scenariotest.MetricsOf(t, s, runner.RunOptions{}).Rows {
				if !strings.HasPrefix(row.Metric, "messages.") && !strings.HasPrefix(row.Metric, "bytes.") && !strings.HasPrefix(row.Metric, "numbers.") && !strings.Contains(row.Metric, "bound") {
					list[row.Metric] = append(list[row.Metric], row.Value)
				}
			}
			return list
		}
		want, got := rows("topology={kind: star}"), rows(single)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if fmt.Sprint(want[name]) != fmt.Sprint(got[name]) {
				t.Errorf("%s: %s is %v below an edge server, and %v below the one server", noise, name, got[name], want[name])
			}
		}
		if len(want) < 5 || len(want["loss.mean"]) == 0 {
			t.Errorf("metrics %v", slices.Sorted(maps.Keys(want)))
		}
	}
}

// TestTiersLevels: no server and no link above the learners costs more than the learners pay, by hand one
// input of Laplace noise; without noise each costs everything. The links of clients to their learner are
// seen by nobody.
func TestTiersLevels(t *testing.T) {
	observers := []accountant.Observer{"level cloud", "wire below cloud", "level region", "wire below region", "level edge", "wire below edge"}
	for noise, want := range map[string]float64{"mechanism={kind: laplace, epsilon: 0.5}": 0.5, "mechanism.kind=none": math.Inf(1)} {
		s := scenariotest.LoadText(t, scenariotest.Learning, "nodes=4", "topology={kind: tiers, fan: [1, 2, 2], schedule: [{every: 4}, {every: 2}]}", noise, "measure.levels=true")
		_, j := scenariotest.SentBy(t, s, 0, 1)
		rows := scenariotest.FinalRows(t, s.Arms[0], j)
		if len(rows) != 4+len(observers) {
			t.Errorf("observers %v", rows)
		}
		for _, o := range observers {
			for learner, epsilon := range rows[o] {
				if epsilon != want {
					t.Errorf("%s: learner %d loses %v to %s, want %v", noise, learner, epsilon, o, want)
				}
			}
			if len(rows[o]) != 4 {
				t.Errorf("%s: %d learners of %s", noise, len(rows[o]), o)
			}
		}
		if list, err := accounts.Contradictions(s.Arms[0], j.Meter); err != nil || list != nil {
			t.Errorf("%s: %v, %v", noise, list, err)
		}
	}
}

// TestTiersResume: a run that is saved between rounds of the top goes on as it would have.
func TestTiersResume(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Learning, "nodes=4", edges, "checkpoint={every: 5}")
	scenariotest.Resumes(t, s, 5, 0, 1, 9, 10)
}

// TestTiersAudit: an audit does not refute the books, and does if half of the noise is missing.
func TestTiersAudit(t *testing.T) {
	testneeds.Slow(t)
	for _, topology := range []string{edges, "topology={kind: tiers, fan: [1, 2, 2], schedule: [{every: 4}, {every: 2}]}"} {
		s := scenariotest.LoadText(t, scenariotest.Learning, "nodes=4", topology, "mechanism={kind: tree, epsilon: 3, delta: 1e-2}")
		for _, scale := range []float64{1, 0.4} {
			o := scenariotest.AuditOptions(4000)
			o.Noise = scale
			for _, a := range scenariotest.AuditIn(t, s, o) {
				if a.Refuted() != (scale < 1) || math.IsInf(a.Accounted, 1) {
					t.Errorf("%s, noise %v: %s has at least %v of %v", topology, scale, a.Mechanism, a.Audited, a.Accounted)
				}
			}
		}
	}
}

// TestTiersRefuse: settings without a meaning for levels of servers are refused where they stand.
func TestTiersRefuse(t *testing.T) {
	for _, test := range []struct{ set, want string }{
		{"topology.fan=[3, 2]", "topology.fan: the servers have 6 clients, and there are 4 nodes"},
		{"topology.noise=edge", "topology.noise: learners add the noise; leave this out"},
		{"algorithm.late=use", "algorithm.late: levels of servers have no network effects"},
		{"network={kind: effects, loss: {probability: 0.1}}", "network.kind: each server waits"},
		{"network={kind: ideal, compression: {kind: sign}}", "network.compression: a codec is for messages to one server"},
		{"topology.schedule=[{every: 2}, {every: 3}]", "topology.schedule: 2 schedules for 1 levels of servers"},
		{"measure.nodes=2", "measure.nodes: the metrics of a federated algorithm"},
	} {
		_, err := scenariotest.LoadError(t, scenariotest.Learning, "nodes=4", edges, test.set)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.set, err, test.want)
		}
	}
}
