package runner_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/actors/algorithm"
	"starling/scenarios/jobs"
	"starling/scenarios/results"
	"starling/scenarios/results/runs"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
)

// diverging is a machine that fails at a step.
type diverging struct {
	algorithm.Machine
	at int
}

func (d diverging) Step(t *algorithm.Turn) error {
	if t.Step == d.at {
		return errors.New("the gradient has length +Inf")
	}
	return d.Machine.Step(t)
}

// spoil has the job of an arm and seed fail: its second node, at a step.
func spoil(s *study.Scenario, arm int, seed uint64, step int) {
	scenariotest.Rig(s.Arms[arm], nil, func(of uint64, own func(uint64) (*study.Job, error)) (*study.Job, error) {
		j, err := own(of)
		if err == nil && of == seed {
			j.Run.Machines[1] = diverging{j.Run.Machines[1], step}
		}
		return j, err
	})
}

// rowsOf lists the summary of the arms with a name.
func summaryOf(t *testing.T, dir string, arms ...string) (rows []results.SummaryRow) {
	t.Helper()
	run, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = run.Summary(func(row results.SummaryRow) error {
		for _, arm := range arms {
			if row.Arm == arm {
				rows = append(rows, row)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// An arm of which one job fails is left out with all its seeds, whatever runs beside it; the
// others are what they are without it; and running again goes on with what failed.
func TestFailedArmIsLeftOut(t *testing.T) {
	load := func() *study.Scenario {
		return scenariotest.LoadText(t, scenariotest.Base, "sweep={list: [{name: a, set: {}}, {name: b, set: {mechanism.epsilon: 2}}, {name: c, set: {mechanism.epsilon: 3}}]}", "seeds.count=3")
	}
	whole := scenariotest.DrawnIn(t, load(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep})
	step, node := int64(5), int32(2)
	want := []results.Failure{{Arm: "b", Seed: 2, Step: &step, Node: &node, Cause: "the gradient has length +Inf"}}
	digest := ""
	for _, procs := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, options := range scenariotest.SomeEngines(load()) {
			options.Out = t.TempDir()
			s := load()
			spoil(s, 1, 2, 5)
			spoil(s, 1, 3, 4)
			outcome, err := runner.Run(s, t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			m := &outcome.Manifest
			if diff := cmp.Diff(want, m.Failures); diff != "" || m.Status != results.StatusFailed || len(m.Arms) != 2 || m.Arms[1].Name != "c" || len(outcome.Failures) != 1 {
				t.Fatalf("status %s, %d arms, failures (-want +got):\n%s", m.Status, len(m.Arms), diff)
			}
			if digest == "" {
				digest = m.Digest
			}
			if m.Digest != digest || digest == whole.Manifest.Digest {
				t.Errorf("%s: digest %s, want %s, and another than that of all arms", options.Engine, m.Digest, digest)
			}
			if diff := cmp.Diff(summaryOf(t, whole.Dir, "a", "c"), summaryOf(t, outcome.Dir, "a", "b", "c"), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("summary (-of all arms +without b):\n%s", diff)
			}
			checkFailedRun(t, outcome.Dir)
			// What made it fail is gone: the same command goes on, and ends as if it had not been.
			again := scenariotest.DrawnIn(t, load(), options)
			if diff := cmp.Diff(whole.Manifest.Digest, again.Manifest.Digest); diff != "" || again.Existing || again.Adopted != 7 || len(again.Failures) != 0 {
				t.Errorf("%d jobs were there, want 7; digest (-want +got):\n%s", again.Adopted, diff)
			}
		}
	}
}

// checkFailedRun holds what a list of runs says.
func checkFailedRun(t *testing.T, dir string) {
	t.Helper()
	r := runs.Of(dir)
	if r.Status != runs.Failed || !r.Shown || r.Runs.All != 9 || r.Runs.Done != 6 || !strings.HasPrefix(r.Reason, "1 of 3 arms failed and is left out: arm b, seed 2: step 5, node 2: the gradient") {
		t.Errorf("%+v", r)
	}
	if log, err := os.ReadFile(filepath.Join(dir, results.LogFile)); err != nil || !strings.Contains(string(log), `"level":"error","failed":"1 of 3 arms failed`) {
		t.Errorf("%v: log\n%s", err, log)
	}
}

// Failures of numbers are those of an arm: the place and the cause, on both runtimes and where
// the run is divided into parts. They are no panics.
func TestWhatFailsAnArm(t *testing.T) {
	const equals, served = "{kind: complete, self_loops: true}", "{kind: star}"
	file := filepath.Join(t.TempDir(), "rows.csv")
	rows := "party,label,x\n"
	for k := range 60 {
		rows += fmt.Sprintf("%d,%d,%d\n", k%3, k%7-3, k%5-2)
	}
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	table := "{kind: table, file: " + file + ", party: party, label: label, features: [x], reuse: cycle, model: {kind: linear}"
	images := "{kind: images, data: synthetic, train: 60, test: 20, model: {kind: softmax}, partition: {kind: iid}}"
	for name, test := range map[string]struct {
		algorithm, topology, problem, mechanism, bad string
		want                                         string
	}{
		"a message":               {"{kind: dsgd, learning_rate: 0.01, decay: 0}", equals, table + ", set: {kind: l2-ball, radius: 1e300}}", "{kind: none}", "learning_rate: 1e200", "of the sent vector is"},
		"a decision":              {"{kind: local, learning_rate: 0.01, decay: 0}", equals, table + ", set: {kind: l2-ball, radius: 1e300}}", "{kind: none}", "learning_rate: 1e200", "played a decision whose entry"},
		"a gradient or a message": {"{kind: fedavg, learning_rate: 0.01, tau: 5}", served, table + "}", "{kind: none}", "learning_rate: 1e6", ""},
		"a server's gradient":     {"{kind: central, learning_rate: 0.01, clip: none}", served, table + "}", "{kind: none}", "learning_rate: 1e200", "is"},
		"a model in float32":      {"{kind: fedavg, learning_rate: 0.01, tau: 2}", served, images, "{kind: none}", "learning_rate: 1e300", "a parameter is not finite in float32"},
		"a clipped gradient":      {"{kind: ofl, tau: 1, local_step: 0.01, gradient_bound: 1}", served, table + "}", "{kind: none}", "local_step: 1e308", "which no clipping brings to the bound 1"},
		"noise":                   {"{kind: dp-ftrl, learning_rate: 0.01, clip: 1}", served, table + "}", "{kind: tree, epsilon: 1, delta: 1e-5}", "learning_rate: 1e308", "entry"},
		"a bound":                 {"{kind: dsgd, learning_rate: 0.01, theta: 1e4, gradient_bound: error}", equals, table + ", set: {kind: l2-ball, radius: 1}}", "{kind: laplace, epsilon: 1}", "theta: 0.001", "over the bound 0.001"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "version: 1\nname: fails\nhorizon: 20\nnodes: 3\nalgorithm: " + test.algorithm + "\nproblem: " + test.problem + "\ntopology: " + test.topology + "\nmechanism: " + test.mechanism +
				"\nmeasure: {every: 10}\nplots: []\nseeds: {base: 1, count: 2}\nsweep: {list: [{name: bad, set: {algorithm." + test.bad + "}}, {name: good, set: {}}]}\n"
			load := func() *study.Scenario { return scenariotest.LoadText(t, text) }
			outcome, err := runner.Run(load(), t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep})
			if err != nil {
				t.Fatal(err)
			}
			m := &outcome.Manifest
			if len(m.Failures) != 1 || m.Failures[0].Arm != "bad" || m.Failures[0].Seed != 1 || m.Failures[0].Step == nil || !strings.Contains(m.Failures[0].Cause, test.want) || strings.Contains(m.Failed(), "panic") {
				t.Fatalf("%s, want %s", m.Failed(), test.want)
			}
			actors, err := runner.Run(load(), t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Actors, Shards: 2})
			if err != nil {
				t.Fatal(err)
			}
			var dirs []string
			for k := range 3 {
				dirs = append(dirs, runPart(t, load(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep}, k+1, 3))
			}
			merged, err := runner.Merge(t.Context(), dirs, scenariotest.Loader(t), runner.RunOptions{Out: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			for how, other := range map[string]*runner.Outcome{"actors": actors, "parts": merged} {
				if diff := cmp.Diff(manifestOf(t, outcome), manifestOf(t, other)); diff != "" {
					t.Errorf("manifest (-lockstep +%s):\n%s", how, diff)
				}
			}
		})
	}
}

// Jobs that a part did not make, since an arm had failed, are not missed by a merge; others are.
func TestMergeMissesWhatDidNotFail(t *testing.T) {
	load := func() *study.Scenario {
		return scenariotest.LoadText(t, scenariotest.Base, "sweep={list: [{name: a, set: {}}, {name: b, set: {algorithm.theta: 0.01}}]}", "seeds.count=6", "mechanism.epsilon=none")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that later seeds of b do not begin
	out := t.TempDir()
	first := runPart(t, load(), runner.RunOptions{Out: out, Engine: runner.Lockstep}, 1, 2)
	if outcome, err := runner.RunPart(load(), t.Context(), runner.RunOptions{Out: out, Engine: runner.Lockstep, Part: jobs.Share{Part: 1, Parts: 2}}); err != nil || len(outcome.Failures) != 1 {
		t.Fatalf("%+v, %v: the failure of b is to be told each time", outcome, err)
	}
	if _, err := runner.Merge(t.Context(), []string{first}, scenariotest.Loader(t), runner.RunOptions{Out: out}); err == nil || !strings.Contains(err.Error(), "part 2/2 is missing") {
		t.Errorf("%v", err)
	}
	second := runPart(t, load(), runner.RunOptions{Out: out, Engine: runner.Lockstep}, 2, 2)
	outcome, err := runner.Merge(t.Context(), []string{first, second}, scenariotest.Loader(t), runner.RunOptions{Out: out})
	if err != nil || len(outcome.Failures) != 1 || outcome.Failures[0].Seed != 1 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

// Where all arms fail there is nothing to show, and the first failure is the error.
func TestAllArmsFail(t *testing.T) {
	s := scenariotest.LoadText(t, scenariotest.Base, "sweep={grid: {mechanism.epsilon: [1, 2]}}")
	spoil(s, 0, 2, 3)
	spoil(s, 1, 1, 2)
	out := t.TempDir()
	_, err := runner.Run(s, t.Context(), runner.RunOptions{Out: out, Engine: runner.Lockstep})
	const want = "scenario base, arm epsilon=1, seed 2: step 3, node 2: the gradient has length +Inf\nall other arms, 1, failed, too"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if r := runs.Of(filepath.Join(out, "base", runner.Hash(s, ""))); r.Status != runs.Failed || r.Shown || r.Reason != want {
		t.Errorf("%+v", r)
	}
}

// What a seed draws that the scenario cannot do with fails its arm, where the check of the file
// has not come to that seed: here the scenario gets its later seeds after that check.
func TestSeedsThatArmsCannotDoWith(t *testing.T) {
	const equals = "{kind: dsgd, learning_rate: 0.1}"
	logistic := "{kind: logistic, set: {kind: l2-ball, dimension: 2, radius: 1}}"
	images := "{kind: images, data: synthetic, train: 60, test: 20, model: {kind: softmax}, partition: "
	for name, test := range map[string]struct{ algorithm, problem, topology, bad, want string }{
		"graphs that stay":       {equals, logistic, "{kind: permutations, degree: 2}", "topology: {kind: permutations, degree: 1}", `fails.yaml:12:44: topology: the union of the graphs over steps [1..20] is not strongly connected: node 1 `},
		"graphs drawn anew":      {equals, logistic, "{kind: permutations, degree: 2, every: 1}", "topology: {kind: permutations, degree: 1, every: 9, window: 9}", `topology.window: the union of the graphs over steps [`},
		"weights":                {equals, logistic, "{kind: erdos-renyi, probability: 0.9}", "topology: {kind: erdos-renyi, directed: true, probability: 0.75, weighting: {scheme: sinkhorn}}", `topology.weighting: `},
		"data of a server":       {"{kind: fedavg, learning_rate: 0.1}", images + "{kind: dirichlet, alpha: 100}}", "{kind: star}", "problem.partition.alpha: 0.05", `partition: client `},
		"data of online clients": {"{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "{kind: images, data: synthetic, train: 200, test: 20, model: {kind: softmax}, partition: {kind: iid}}", "{kind: star}", "problem.partition: {kind: dirichlet, alpha: 0.3}", `partition: learner `},
	} {
		t.Run(name, func(t *testing.T) {
			text := "version: 1\nname: fails\nhorizon: 20\nnodes: 4\nalgorithm: " + test.algorithm + "\nproblem: " + test.problem + "\ntopology: " + test.topology + "\nmechanism: {kind: none}\n" +
				"measure: {every: 10}\nplots: []\nseeds: {base: BASE, count: 1}\nsweep: {list: [{name: bad, set: {" + test.bad + "}}, {name: good, set: {}}]}\n"
			load := func() *study.Scenario { return seeded(t, text, 12) }
			outcome, err := runner.Run(load(), t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Lockstep})
			if err != nil {
				t.Fatal(err)
			}
			m := &outcome.Manifest
			if len(m.Failures) != 1 || m.Failures[0].Arm != "bad" || m.Failures[0].Step != nil || !strings.Contains(m.Failures[0].Cause, test.want) {
				t.Fatalf("%s, want %s", m.Failed(), test.want)
			}
			actors, err := runner.Run(load(), t.Context(), runner.RunOptions{Out: t.TempDir(), Engine: runner.Actors, Shards: 2})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(manifestOf(t, outcome), manifestOf(t, actors)); diff != "" {
				t.Errorf("manifest (-lockstep +actors):\n%s", diff)
			}
		})
	}
}

// seeded is a scenario whose first seed, the least that BASE can be, is all right, with so many.
func seeded(t *testing.T, text string, count int) *study.Scenario {
	t.Helper()
	for base := 1; base < 30; base++ {
		of := strings.Replace(text, "BASE", fmt.Sprint(base), 1)
		s, err := scenariotest.Loader(t).LoadText("fails.yaml", []byte(of))
		if err != nil {
			continue
		}
		s.Seeds.Count = count
		for _, arm := range s.Arms {
			arm.File.Seeds.Count = count
		}
		return s
	}
	t.Fatal("no seed is all right")
	return nil
}
