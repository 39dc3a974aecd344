package scenarios_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// decided is a gauge that keeps every node's decisions, by node and step.
type decided map[messages.NodeID]map[int][]float64

func (decided) Begin(*gauge.Span) []gauge.Column { return nil }
func (decided) State(*messages.Codec)            {}

func (d decided) Played(node messages.NodeID, at gauge.At, x []float64) {
	if d[node] == nil {
		d[node] = map[int][]float64{}
	}
	d[node][at.Step] = slices.Clone(x)
}

// rowsOfJob are the metrics of a job that has run, by metric, then by node, -1 for
// the whole run, then by step.
func rowsOfJob(j *study.Job, arm *study.Arm) map[string]map[int32]map[int64]float64 {
	list := map[string]map[int32]map[int64]float64{}
	for row := range jobs.MetricsOf(j, arm, 1).Rows() {
		node := int32(-1)
		if row.Node != nil {
			node = *row.Node
		}
		if list[row.Metric] == nil {
			list[row.Metric] = map[int32]map[int64]float64{}
		}
		if list[row.Metric][node] == nil {
			list[row.Metric][node] = map[int64]float64{}
		}
		list[row.Metric][node][row.Step] = row.Value
	}
	return list
}

// Nodes whose budget is spent decide as they did last, and pay for it: regret and
// distances are recomputed from the decisions that were made.
func TestStoppedNodesPlayOn(t *testing.T) {
	// Shifted, steps 2, 3, .. cost 1 each: a budget of 4.5 pays for step 5, and in
	// step 6 everybody decides for the last time.
	const ended = 6
	s := loadText(t, base, "mechanism={kind: laplace, epsilon: 1, noise: shifted}", "measure={every: 1}", "budget={epsilon: 4.5, on: stop}")
	arm, j := s.Arms[0], jobOf(t, s)
	record := decided{}
	j.Meter.Meter.Add(record)
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	saved := messages.Write(nil, j.Meter)
	got := rowsOfJob(j, arm)

	horizon, nodes := arm.File.Horizon, messages.NodeID(arm.File.Nodes)
	instance, err := arm.Problem.Draw(1, horizon)
	if err != nil {
		t.Fatal(err)
	}
	at := func(node messages.NodeID, step int) []float64 { return record[node][min(step, ended)] }
	for node := range nodes {
		if len(record[node]) != horizon || !slices.Equal(record[node][horizon], at(node, ended)) {
			t.Fatalf("node %d: %d decisions of %d, the last %v, want %v", node, len(record[node]), horizon, record[node][horizon], at(node, ended))
		}
		var inner float64
		dim := arm.Extent.Dim
		sum, gradient := make([]float64, dim), make([]float64, dim)
		for step := 1; step <= horizon; step++ {
			x := at(node, step)
			instance.SumGradient(gradient, step, x)
			for k, g := range gradient {
				inner += g * x[k]
				sum[k] += g
			}
			want := inner + arm.Problem.Set().Support(sum)
			if regret := got[gauge.RegretNode][int32(node)+1][int64(step)]; math.Abs(regret-want) > 1e-9*math.Abs(want) {
				t.Errorf("node %d has a regret of %v at step %d, want %v", node+1, regret, step, want)
			}
		}
	}
	for step := 1; step <= horizon; step++ {
		var square float64
		for k := range arm.Extent.Dim {
			var mean float64
			for node := range nodes {
				mean += at(node, step)[k] / float64(nodes)
			}
			for node := range nodes {
				square += math.Pow(at(node, step)[k]-mean, 2)
			}
		}
		want := math.Sqrt(square / float64(nodes))
		if c := got[gauge.Consensus][-1][int64(step)]; math.Abs(c-want) > 1e-12 {
			t.Errorf("consensus error %v at step %d, want %v", c, step, want)
		}
	}
	if regret := got[gauge.RegretRun][-1]; !(regret[int64(horizon)] > regret[ended]) {
		t.Errorf("regret %v at the end and %v where the budget was spent: deciding the same on costs nothing", regret[int64(horizon)], regret[ended])
	}
	// A run that goes on from a saved state leaves the same.
	restored := jobOf(t, s)
	if err := messages.Read(saved, restored.Meter); err != nil {
		t.Fatal(err)
	}
	again := rowsOfJob(restored, arm)
	for metric, byNode := range got {
		for node, values := range byNode {
			for step, v := range values {
				if w := again[metric][node][step]; math.Float64bits(w) != math.Float64bits(v) {
					t.Errorf("restored: %s of node %d at step %d is %v, want %v", metric, node, step, w, v)
				}
			}
		}
	}
	for cut := range 100 {
		if err := messages.Read(saved[:len(saved)*cut/100], jobOf(t, s).Meter); err == nil {
			t.Errorf("%d percent of a state are accepted", cut)
		}
	}
}

// Learners whose budget pays for no noise decide with x^0 in every step: the loss of
// zero is log 2, and all metrics are defined.
func TestStoppedLearnersPlayOn(t *testing.T) {
	s := loadText(t, learning, "budget={epsilon: 0.01, on: stop}", "measure={every: 1}")
	m := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}); got.Digest != m.Digest {
		t.Errorf("actors %s, lockstep %s", got.Digest, m.Digest)
	}
	seen := map[string]int{}
	check := func(row results.Row) {
		seen[row.Metric]++
		if row.Metric != "clip.share" && math.IsNaN(row.Value) {
			t.Errorf("%s at step %d is undefined", row.Metric, row.Step)
		}
		if row.Metric == "loss.mean" && math.Abs(row.Value-math.Ln2) > 1e-12 {
			t.Errorf("loss %v at step %d, want log 2", row.Value, row.Step)
		}
	}
	for _, row := range m.Rows {
		check(row)
	}
	if n := 2 * s.Arms[0].File.Horizon; seen["regret.dynamic"] != n || seen["accuracy.test"] != n || seen["accuracy.final"] != 2 {
		t.Errorf("recorded %v", seen)
	}
}

// The server's model that a budget leaves is measured in all rounds that would have
// been.
func TestStoppedRoundsKeepTheirModel(t *testing.T) {
	m := metricsOf(t, loadText(t, trained, "budget={epsilon: 2, on: stop}", "measure={every: 1}", "seeds.count=1"), runner.RunOptions{Engine: runner.Lockstep})
	values := map[string][]float64{}
	for _, row := range m.Rows {
		values[row.Metric] = append(values[row.Metric], row.Value)
	}
	rounds := values["rounds"]
	last := int(rounds[len(rounds)-1])
	if len(rounds) != 12 || last >= 12 || last < 1 {
		t.Fatalf("rounds %v: want a run of 12 that ends early", rounds)
	}
	for _, metric := range []string{"accuracy.test", "loss.train"} {
		for round, v := range values[metric] {
			if round >= last && v != values[metric][last-1] || math.IsNaN(v) {
				t.Errorf("%s is %v in round %d, want that of round %d, %v", metric, v, round+1, last, values[metric][last-1])
			}
		}
	}
}
