package runner_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/jobs"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// TestFirstFailuresAreReported checks that of the jobs of an arm that fail the first in the
// canonical order is reported, whatever runs beside it and however.
func TestFirstFailuresAreReported(t *testing.T) {
	const fails = "sweep={list: [{name: well, set: {}}, {name: late, set: {algorithm.theta: 0.8}}, {name: early, set: {algorithm.theta: 0.01}}]}"
	s := scenariotest.LoadText(t, scenariotest.Base, fails, "seeds.count=5", "horizon=40", "mechanism.epsilon=none")
	var want string
	for _, procs := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, options := range scenariotest.SomeEngines(s) {
			for range 2 {
				options.Out = t.TempDir()
				outcome, err := runner.Run(s, t.Context(), options)
				if err != nil {
					t.Fatal(err)
				}
				got := outcome.Manifest.Failed() + outcome.Manifest.Digest
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%s, %d shards, GOMAXPROCS %d: failures\n%s\nwant\n%s", options.Engine, options.Shards, procs, got, want)
				}
			}
		}
	}
	const late, early = "2 of 3 arms failed and are left out:\n  arm late, seed 1: step ", "\n  arm early, seed 1: step 1, node 1: the gradient has length "
	if !strings.HasPrefix(want, late) || !strings.Contains(want, early) {
		t.Errorf("failures %s\nwant %s...%s...", want, late, early)
	}
}

// panicking is a machine that panics in its turn.
type panicking struct{ algorithm.Machine }

func (panicking) Step(*algorithm.Turn) error { panic("lost its head") }

// panickingGraphs has no graph of later steps: a panic outside of any machine's
// turn.
type panickingGraphs struct{ topology.Sequence }

func (g panickingGraphs) At(step int) *topology.Graph {
	if step > 3 {
		panic("no graph")
	}
	return g.Sequence.At(step)
}

// Epoch and Period have every step ask for its graph.
func (g panickingGraphs) Epoch(step int) int { return step }

func (g panickingGraphs) Period() (int, bool) { return 0, false }

// TestStackOfAPanicIsLogged checks that a run that panics, in a machine or beside
// them, fails with the place, and that the log, which the error names, has the
// stack.
func TestStackOfAPanicIsLogged(t *testing.T) {
	inMachine := func(j *study.Job) { j.Run.Machines[1] = panicking{j.Run.Machines[1]} }
	beside := func(j *study.Job) { j.Run.Graphs = panickingGraphs{j.Run.Graphs} }
	for _, engine := range []runner.Engine{runner.Actors, runner.Lockstep} {
		for _, test := range []struct {
			name    string
			spoil   func(*study.Job)
			message string
		}{
			{"in a machine", inMachine, "scenario base, arm base, seed 1: step 1, node 2: panic: lost its head"},
			{"beside machines", beside, "scenario base, arm base, seed 1: "},
		} {
			t.Run(test.name+", "+string(engine), func(t *testing.T) {
				s := scenariotest.LoadText(t, scenariotest.Base)
				scenariotest.Rig(s.Arms[0], nil, func(seed uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
					j, err := own(seed)
					if err == nil {
						test.spoil(j)
					}
					return j, err
				})
				out := t.TempDir()
				_, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: engine, Out: out})
				log := filepath.Join(out, "base", runner.Hash(s, ""), "log.jsonl")
				if err == nil || !strings.HasPrefix(err.Error(), test.message) || !strings.HasSuffix(err.Error(), "\nthe stack of the panic is in "+log) {
					t.Fatalf("error %v, want %q and where the stack is", err, test.message)
				}
				text, err := os.ReadFile(log)
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(strings.TrimSpace(string(text)), "\n")
				if last := lines[len(lines)-1]; !strings.Contains(last, `"stack":"goroutine `) || !strings.Contains(last, ".go:") {
					t.Errorf("the log ends with\n%s\nwant a stack", last)
				}
			})
		}
	}
}

func TestProgressEndsAtTheTotals(t *testing.T) {
	for _, text := range []string{scenariotest.Base, scenariotest.Large} {
		s := scenariotest.LoadText(t, text)
		for _, options := range scenariotest.Engines(s) {
			options.Progress = &runner.Progress{}
			scenariotest.MetricsOf(t, s, options)
			if ran, steps := options.Progress.Jobs.Load(), options.Progress.Steps.Load(); ran != int64(jobs.Count(s)) || steps != jobs.Steps(s, jobs.Share{}) {
				t.Errorf("%s, %d shards: %d jobs and %d steps, want %d and %d", options.Engine, options.Shards, ran, steps, jobs.Count(s), jobs.Steps(s, jobs.Share{}))
			}
		}
	}
}

// TestResultsFolder checks what a run leaves: a folder that results.Open takes,
// with the rows of every arm, seed, point, node and metric.
func TestResultsFolder(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base, "measure={every: 5}", "sweep={grid: {mechanism.epsilon: [1, none], nodes: [3]}}")
	outcome := scenariotest.DrawnIn(t, s, runner.RunOptions{Build: "b1", Version: "v1"})
	if want := filepath.Join("base", runner.Hash(s, "b1")); !strings.HasSuffix(outcome.Dir, want) {
		t.Errorf("folder %s, want .../%s", outcome.Dir, want)
	}
	m := outcome.Manifest
	got := fmt.Sprintln(m.Scenario, m.Status, m.Seeds, m.FirstStep, m.Horizon, m.MeasuredNodes.All, m.Versions.Starling, m.Arms)
	want := "base complete {1 2} 1 12 true v1 [{epsilon=1,nodes=3 mechanism.epsilon=1,nodes=3 [{mechanism.epsilon 1} {nodes 3}] <nil> <nil>} {epsilon=none,nodes=3 mechanism.epsilon=none,nodes=3 [{mechanism.epsilon none} {nodes 3}] <nil> <nil>}]\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
	count := map[string]int{}
	for _, row := range scenariotest.RowsOf(t, outcome.Dir) {
		node := ""
		if row.Node != nil {
			node = fmt.Sprint(" node ", *row.Node)
		}
		count[row.Metric+node]++
		if row.Step != 5 && row.Step != 10 && row.Step != 12 {
			t.Errorf("a row at step %d", row.Step)
		}
	}
	all := 2 * 2 * 3 // arms, seeds, points
	wantCount := map[string]int{
		"regret.run": all, "regret.node node 1": all, "regret.node node 2": all, "regret.node node 3": all,
		"consensus.error": all, "target.error": all, "messages.sent": all, "bytes.sent": all, "epsilon.step": all, "epsilon.total": all,
	}
	if diff := cmp.Diff(wantCount, count); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, name := range []string{"regret", "consensus", "target", "privacy"} {
		for _, ext := range []string{".svg", ".png", ".json"} {
			if _, err := os.Stat(filepath.Join(outcome.Dir, "plots", name+ext)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestCounts checks the counted metrics against the ring of three nodes: each
// sends a vector of two entries to its neighbour in every step.
func TestCounts(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base, "measure={every: 4}")
	size := float64((&messages.Vector{Values: make([]float64, 2)}).WireSize())
	for _, row := range scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Summary {
		switch row.Metric {
		case gauge.MessagesSent:
			if want := float64(3 * row.Step); row.Mean != want || row.SE != 0 {
				t.Errorf("step %d: %v ± %v messages, want %v", row.Step, row.Mean, row.SE, want)
			}
		case gauge.BytesSent:
			if want := float64(3*row.Step) * size; row.Mean != want || row.SE != 0 {
				t.Errorf("step %d: %v ± %v bytes, want %v", row.Step, row.Mean, row.SE, want)
			}
		case ledger.EpsilonStep:
			// As printed the scale is taken from alpha_t and the sensitivity is
			// that of alpha_{t-1}: eps sqrt(t/(t-1)).
			step := float64(row.Step)
			if want := math.Sqrt(step / (step - 1)); math.Abs(row.Mean-want) > 1e-12 {
				t.Errorf("step %d: epsilon.step %v, want %v", row.Step, row.Mean, want)
			}
		}
	}
}

// TestSummary checks the summary against the rows, and that the expected regret
// is not above the mean regret of the runs: the maximum of a mean is not above
// the mean of the maxima.
func TestSummary(t *testing.T) {
	for _, text := range []string{scenariotest.Base, scenariotest.Large} {
		s := scenariotest.LoadText(t, text, "seeds.count=6")
		m := scenariotest.MetricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		type key struct {
			arm  string
			step int64
		}
		sum, expected := map[key]float64{}, map[key]float64{}
		for _, row := range m.Rows {
			if row.Metric == gauge.RegretRun {
				sum[key{row.Arm, row.Step}] += row.Value
			}
		}
		for _, row := range m.Summary {
			at := key{row.Arm, row.Step}
			if row.N != 6 {
				t.Errorf("%v %s: n = %d", at, row.Metric, row.N)
			}
			switch row.Metric {
			case gauge.RegretExpected:
				expected[at] = row.Mean
			case gauge.RegretRun:
				if mean := sum[at] / 6; math.Abs(row.Mean-mean) > 1e-9*math.Abs(mean) {
					t.Errorf("%v: mean regret.run %v, of the rows %v", at, row.Mean, mean)
				}
			}
		}
		if points := len(s.Arms) * 12; len(expected) != points || len(sum) != points {
			t.Errorf("%d points of regret.expected and %d of regret.run, want %d", len(expected), len(sum), points)
		}
		for at, value := range expected {
			// The slack is for rounding.
			if mean := sum[at] / 6; !(value <= mean+1e-9*math.Abs(mean)) {
				t.Errorf("%v: regret.expected %v is above the mean %v of regret.run", at, value, mean)
			}
		}
	}
}

// TestRunAgain checks that complete results are shown and not computed again,
// unless asked, and that what they depend on gives another folder.
func TestRunAgain(t *testing.T) {
	out := t.TempDir()
	options := runner.RunOptions{Out: out, Build: "b1"}
	s := scenariotest.LoadText(t, scenariotest.Base)
	first := scenariotest.RunIn(t, s, options)
	second := scenariotest.RunIn(t, s, runner.RunOptions{Out: out, Build: "b1", Engine: runner.Actors, Shards: 2})
	if first.Existing || !second.Existing || second.Dir != first.Dir {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if diff := cmp.Diff(first.Summary, second.Summary, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("summary shown (-computed +shown):\n%s", diff)
	}
	if diff := cmp.Diff(first.Manifest.Files, second.Manifest.Files); diff != "" {
		t.Errorf("files (-computed +shown):\n%s", diff)
	}
	options.Again = true
	if third := scenariotest.RunIn(t, s, options); third.Existing || third.Manifest.Digest != first.Manifest.Digest {
		t.Errorf("again: existing %v, digest %s", third.Existing, third.Manifest.Digest)
	}
	for _, other := range []*runner.Outcome{
		scenariotest.RunIn(t, s, runner.RunOptions{Out: out, Build: "b2"}),
		scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base, "seeds.count=3"), runner.RunOptions{Out: out, Build: "b1"}),
		scenariotest.RunIn(t, scenariotest.LoadText(t, scenariotest.Base, "mechanism.epsilon=2"), runner.RunOptions{Out: out, Build: "b1"}),
	} {
		if other.Existing || other.Dir == first.Dir {
			t.Errorf("another scenario, seeds or build has the folder %s too", other.Dir)
		}
	}
}

// TestRunDamaged checks that damaged results are neither shown nor replaced
// unless asked.
func TestRunDamaged(t *testing.T) {
	options := runner.RunOptions{Out: t.TempDir()}
	s := scenariotest.LoadText(t, scenariotest.Base)
	dir := scenariotest.RunIn(t, s, options).Dir
	if err := os.WriteFile(filepath.Join(dir, "metrics.parquet"), []byte("PAR1"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := runner.Run(s, t.Context(), runner.RunOptions{Out: options.Out, Engine: runner.Lockstep})
	if err == nil || !strings.Contains(err.Error(), "metrics.parquet is damaged: it has 4 bytes") || !strings.HasSuffix(err.Error(), "; run again with --again to replace it") {
		t.Errorf("error %v", err)
	}
	options.Again = true
	if outcome := scenariotest.RunIn(t, s, options); outcome.Existing {
		t.Error("not run again")
	}
}

// TestFailedRunCanBeRepeated checks that what a failed run leaves is in nobody's
// way, and is no result.
func TestFailedRunCanBeRepeated(t *testing.T) {
	out := t.TempDir()
	s := scenariotest.LoadText(t, scenariotest.Base, "algorithm.theta=0.01")
	for range 2 {
		if _, err := runner.Run(s, t.Context(), runner.RunOptions{Out: out, Engine: runner.Actors}); err == nil {
			t.Fatal("no error")
		}
	}
	dir := filepath.Join(out, "base", runner.Hash(s, ""))
	if _, err := results.Open(dir); !errors.Is(err, results.ErrUnfinished) {
		t.Errorf("error %v, want an unfinished run", err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	if err != nil || strings.Count(string(log), `"error":"scenario base, arm base, seed 1: step 1, node 1: the gradient has length`) != 2 {
		t.Errorf("log %s, error %v: want the cause of both failures", log, err)
	}
}

// TestCancel checks that a run ends soon after its context, leaves no goroutine
// and no complete results: in the middle of a long job, and between jobs.
func TestCancel(t *testing.T) {
	defer noGoroutineLeft(t)
	long := scenariotest.LoadText(t, scenariotest.Large, "horizon=1000000", "measure.every=100000", "topology={kind: ring}")
	many := scenariotest.LoadText(t, scenariotest.Base, "horizon=500", "seeds.count=100000", "measure.every=500")
	for _, s := range []*study.Scenario{long, many} {
		for _, options := range scenariotest.Engines(s) {
			options.Out = t.TempDir()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			began := time.Now()
			_, err := runner.Run(s, ctx, options)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, %s, %d shards: error %v", s.Name, options.Engine, options.Shards, err)
			}
			// To draw a seed's data takes a second at most, and is not
			// interrupted; the job itself would take minutes.
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("%s, %s, %d shards: ended after %s", s.Name, options.Engine, options.Shards, took)
			}
			if complete, err := results.IsComplete(filepath.Join(options.Out, s.Name, runner.Hash(s, ""))); complete || err != nil {
				t.Errorf("%s, %s, %d shards: the results are complete", s.Name, options.Engine, options.Shards)
			}
		}
	}
}

// noGoroutineLeft fails the test if goroutines are left. Proto.Actor has one
// that ends within a second of the last dead letter.
func noGoroutineLeft(t *testing.T) {
	t.Helper()
	err := goleak.Find()
	for deadline := time.Now().Add(10 * time.Second); err != nil && time.Now().Before(deadline); {
		err = goleak.Find()
	}
	if err != nil {
		t.Error(err)
	}
}

func TestRunOptions(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base)
	for want, options := range map[string]runner.RunOptions{
		`unknown engine "lock"; known: actors, lockstep`: {Engine: "lock"},
		"-1 shards; want at least 1, or 0 to choose":     {Engine: runner.Actors, Shards: -1},
		"the lockstep engine has no shards":              {Engine: runner.Lockstep, Shards: 2},
	} {
		out := filepath.Join(t.TempDir(), "out")
		options.Out = out
		_, err := runner.Run(s, t.Context(), options)
		var input *document.InputError
		if !errors.As(err, &input) || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something was written", want)
		}
	}
}
