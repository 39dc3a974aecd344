package workload

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/scenarios"
	"starling/scenarios/jobs"
	"starling/scenarios/study"
)

// played runs the scenario of a text and returns its finished job.
func played(t *testing.T, text string) (*study.Arm, *study.Job) {
	t.Helper()
	e := Environment{Loader: scenarios.NewLoader("")}
	s, err := e.scenario("test", text)
	if err != nil {
		t.Fatal(err)
	}
	j, err := s.Arms[0].Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := lockstep.Run(context.Background(), &j.Run); err != nil {
		t.Fatal(err)
	}
	return s.Arms[0], j
}

// vector is the decision x that a machine ends with.
func vector(t *testing.T, m algorithm.Machine) []float64 {
	t.Helper()
	all := algorithm.Quantities(m)
	i := slices.IndexFunc(all, func(q algorithm.Quantity) bool { return q.Name == "x" })
	if i < 0 {
		t.Fatalf("no x in %v", all)
	}
	return all[i].Values
}

// distance is that of two vectors, largest entry.
func distance(x, y []float64) (most float64) {
	for k := range x {
		most = max(most, math.Abs(x[k]-y[k]))
	}
	return most
}

// TestFederatedLoop: without noise, the plain loop of a whole run ends with the model of
// the run, and with its mean loss.
func TestFederatedLoop(t *testing.T) {
	for _, n := range []int{6, 130} {
		f := federated{learners: n, rounds: 5}
		model, loss, err := f.loop()
		if err != nil {
			t.Fatal(err)
		}
		arm, job := played(t, f.text())
		if got := distance(model, vector(t, job.Run.Machines[0])); got > 1e-12 || distance(model, make([]float64, federatedDim)) == 0 {
			t.Errorf("n = %d: the loop ends %v away from the run", n, got)
		}
		found := 0
		for row := range jobs.MetricsOf(job, arm, 1).Rows() {
			if row.Metric == "loss.mean" {
				if found++; math.Abs(row.Value-loss) > 1e-12 {
					t.Errorf("n = %d: the loop has a loss of %v, the run %v", n, loss, row.Value)
				}
			}
		}
		if found != 1 {
			t.Errorf("n = %d: %d mean losses", n, found)
		}
	}
}

// TestGossipLoop: without noise, the nodes of the plain loop of a whole run end with the
// decisions of the run.
func TestGossipLoop(t *testing.T) {
	for _, g := range []gossip{{nodes: 6, dim: 2, steps: 9}, {nodes: 70, dim: 100, steps: 6}} {
		x, err := g.loop()
		if err != nil {
			t.Fatal(err)
		}
		_, job := played(t, g.text())
		for i, m := range job.Run.Machines {
			if got := distance(x[i], vector(t, m)); got > 1e-12 || distance(x[i], make([]float64, g.dim)) == 0 {
				t.Errorf("%+v, node %d: the loop ends %v away from the run", g, i+1, got)
			}
		}
	}
}

// TestWorkloads: names and summaries are there, no name twice, and each workload runs, as
// does its loop; what differs in size alone runs in the smaller sizes. The start of the
// program is tested where the program is.
func TestWorkloads(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range All() {
		if seen[w.Name] || !strings.Contains(w.Name, "/") || w.Summary == "" || w.Unit == "" {
			t.Errorf("a workload %+v", w)
		}
		seen[w.Name] = true
		if strings.HasPrefix(w.Name, "program/") || strings.HasSuffix(w.Name, "/n=10000") {
			continue
		}
		e := &Environment{Loader: scenarios.NewLoader(""), Folder: t.TempDir(), Part: 200}
		p, err := w.Prepare(t.Context(), e)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, do := range []func() error{p.Before, p.Run, p.Loop} {
			if do == nil {
				continue
			}
			if err := do(); err != nil {
				t.Errorf("%s: %v", w.Name, err)
			}
		}
		if p.Units < 1 {
			t.Errorf("%s: %d units", w.Name, p.Units)
		}
		p.Close()
	}
	if len(seen) < 25 {
		t.Errorf("%d workloads", len(seen))
	}
}
