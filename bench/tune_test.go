package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"starling/scenarios"
	"starling/scenarios/forecast"
	"starling/scenarios/loading"
	"starling/scenarios/problem/table"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// mostTuning is the longest time that 240 trials of a table of 5,000 rows may take on two cores.
const mostTuning = 10 * time.Second

// tunedAlgorithms are learners of a stream, and clients that take all of their rows in each step.
var tunedAlgorithms = map[string]string{
	"ofl":  "{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}",
	"dpfl": "{kind: dpfl, tau: 1, learning_rate: 0.1, clip: 1}",
}

// tuned is a scenario of an algorithm with 240 trials.
const tuned = `version: 1
name: tuned
horizon: 100
nodes: 20
algorithm: ALGORITHM
problem: {kind: table, file: FILE, party: client, step: step, label: y, test: {share: 0.2}, validation: 0.25, model: {kind: logistic}}
topology: {kind: star}
mechanism: {kind: gaussian, epsilon: 5, delta: 1e-3}
seeds: {base: 1, count: 1}
plots: []
tune:
  metric: validation.loss
  seeds: {base: 100}
  grid:
    rate: [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 10]
    problem.model.l2: [0, 0.001, 0.01, 0.1]
    clip: [0.2, 0.5, 1, 2, 4]
`

// Trials of a table share it: 240 of them are read, checked and run within mostTuning. With dpfl
// most of the time are gradients.
func TestTuningIsQuick(t *testing.T) {
	for name, algorithm := range tunedAlgorithms {
		t.Run(name, func(t *testing.T) {
			if name == "dpfl" {
				testneeds.Slow(t)
			}
			testTuning(t, algorithm)
		})
	}
}

func testTuning(t *testing.T, algorithm string) {
	folder := t.TempDir()
	file, err := os.Create(filepath.Join(folder, "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := (table.Example{Clients: 20, Rows: 250, Features: 10, Seed: 1}).Write(file); err != nil {
		t.Fatal(err)
	}
	file.Close()
	scenario := filepath.Join(folder, "tuned.yaml")
	if err := os.WriteFile(scenario, []byte(strings.NewReplacer("FILE", "rows.csv", "ALGORITHM", algorithm).Replace(tuned)), 0o600); err != nil {
		t.Fatal(err)
	}
	began := forecast.ProcessorTime()
	s, err := scenarios.Load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	p, err := study.NewTuningPlan(s)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, len(p.Trials))
	for k := range all {
		all[k] = k
	}
	round, err := scenarios.Load(scenario, overridesOf(p.Round([][]int{all}, 0))...)
	if err != nil {
		t.Fatal(err)
	}
	o, err := runner.Run(round, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: filepath.Join(folder, "results")})
	if err != nil {
		t.Fatal(err)
	}
	// Jobs keep two cores busy: half of the time of processors is the time on the clock of a machine
	// with two of them and no other work, and other work does not change it much.
	took := (forecast.ProcessorTime() - began) / 2
	if len(round.Arms) != 240 || len(o.Summary) < 240 {
		t.Fatalf("%d trials, %d results", len(round.Arms), len(o.Summary))
	}
	t.Logf("%d trials took %v", len(round.Arms), took)
	if took > mostTuning {
		t.Errorf("%d trials took %v, want at most %v", len(round.Arms), took, mostTuning)
	}
}

// overridesOf returns settings as overrides.
func overridesOf(settings []study.Setting) (list []loading.Override) {
	for _, s := range settings {
		list = append(list, loading.Override{Path: s.Path, Text: s.Text, Source: "tune " + s.Path})
	}
	return list
}
