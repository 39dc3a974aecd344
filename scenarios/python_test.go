package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// inPython is a scenario of nodes whose costs a class computes.
const inPython = `version: 1
name: in-python
horizon: 12
nodes: 9
algorithm: {kind: dsgd}
problem: {kind: python, file: library/logistic.py, name: Logistic, set: {kind: l2-ball, dimension: 3, radius: 2}, gradient_bound: 1, offers: [classify, test_loss]}
topology: {kind: ring}
mechanism: {kind: laplace, epsilon: 2}
measure: {every: 3, metrics: [regret.*, loss.mean, loss.fresh, accuracy.test, consensus.error]}
`

// Runs have the same bits in lockstep and on actors, for any number of shards: what the class
// sums it sums row by row.
func TestPythonDigests(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for _, algorithm := range []string{"{kind: dsgd}", "{kind: dsgd, feedback: {kind: two-point, radius: 0.1}}", "{kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}", "{kind: local}"} {
		mechanism := "{kind: laplace, epsilon: 2}"
		if strings.Contains(algorithm, "local") {
			mechanism = "{kind: none}"
		}
		s := loadText(t, inPython, "algorithm="+algorithm, "mechanism="+mechanism)
		want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		if len(want.Rows) == 0 {
			t.Fatalf("%s records nothing", algorithm)
		}
		for _, shards := range []int{1, 2, 8} {
			if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); got.Digest != want.Digest {
				t.Errorf("%s: digest %s in lockstep and %s with %d shards", algorithm, want.Digest, got.Digest, shards)
			}
		}
	}
}

// powers has gradients whose bits depend on how the entries of a row are summed.
const powers = `
import numpy as np

class Powers:
    def __init__(self, seed, nodes, horizon, dimension):
        self.rows = np.random.default_rng(seed).random((nodes, dimension))
    def loss(self, x, nodes, step):
        return (x**2).sum(axis=1) ** 2 / 4 + (self.rows[nodes] * x).sum(axis=1)
    def gradient(self, x, nodes, step):
        return (x**2).sum(axis=1)[:, None] * x + self.rows[nodes]
`

// What is asked about all nodes at one decision has the bits of what is asked about each
// node at its own: rows lie side by side however a call is made.
func TestPythonRows(t *testing.T) {
	testneeds.Python(t)
	s := loadText(t, written(t, powers, "Powers"), "problem.set.dimension=40", "measure={every: 1, metrics: [regret.*, loss.mean]}")
	want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	for _, shards := range []int{1, 3, 9} {
		if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); got.Digest != want.Digest {
			t.Errorf("digest %s in lockstep and %s with %d shards", want.Digest, got.Digest, shards)
		}
	}
}

// Nodes that are lost, late and down, and a budget that ends, leave the bits the same, too.
func TestPythonNetwork(t *testing.T) {
	testneeds.Python(t)
	s := loadText(t, inPython, "network={kind: effects, loss: {probability: 0.2}, delay: {longest: 2}}", "budget={epsilon: 9, on: stop}")
	want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 4}); got.Digest != want.Digest {
		t.Errorf("digest %s in lockstep and %s with actors", want.Digest, got.Digest)
	}
}

// squares has costs that Go computes in the test: 0.5 ||x - c||^2 with c by node and step.
const squares = `
import numpy as np

class Squares:
    def __init__(self, seed, nodes, horizon, dimension, **options):
        self.dimension = dimension
    def centre(self, nodes, step):
        return ((nodes[:, None] + 2 * step + 3 * np.arange(self.dimension)) % 7) / 14.0
    def loss(self, x, nodes, step):
        return 0.5 * ((x - self.centre(nodes, step)) ** 2).sum(axis=1)
    def gradient(self, x, nodes, step):
        return x - self.centre(nodes, step)
    def target(self, step):
        return np.full(self.dimension, 0.25)
    def minimum(self, first, last):
        return -float(first + 100 * last)
`

// written writes code beside a scenario, and returns the scenario's text.
func written(t testing.TB, code, class string, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "code.py")
	if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(inPython, "library/logistic.py, name: Logistic", fmt.Sprintf("%q, name: %s%s", file, class, strings.Join(more, "")), 1)
	return strings.NewReplacer(", offers: [classify, test_loss]", "", "gradient_bound: 1", "gradient_bound: 10").Replace(text)
}

// What a class offers becomes metrics, and what it does not is not recorded.
func TestPythonMetrics(t *testing.T) {
	testneeds.Python(t)
	text := written(t, squares, "Squares", ", offers: [target, minimum]")
	m := measured(t, text, "measure.metrics=[loss.mean, target.error, regret.fixed, accuracy.test]")
	loss, fixed := scenariotest.Last(scenariotest.ValuesOf(m.Rows, "loss.mean")), scenariotest.ValuesOf(m.Rows, "regret.fixed")
	if want := loss + 1 + 100*12; len(fixed) != 1 || fixed[0] != want {
		t.Errorf("regret against what the class says is %v, want %v", fixed, want)
	}
	if target := scenariotest.ValuesOf(m.Rows, "target.error"); len(target) == 0 || !(target[0] > 0) {
		t.Errorf("distances from the target: %v", target)
	}
	if accuracy := scenariotest.ValuesOf(m.Rows, "accuracy.test"); len(accuracy) > 0 {
		t.Errorf("accuracies %v of a class that does not classify", accuracy)
	}
}

// What a user's code does wrong is told with the seed, the arm, the step and the call.
func TestPythonFails(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	class := func(gradient string) string {
		return "import numpy as np, os, sys, time, random\nclass Bad:\n    def __init__(self, **given): self.calls = 0\n    def loss(self, x, nodes, step): return x.sum(axis=1)\n    def gradient(self, x, nodes, step):\n        " + gradient + "\n"
	}
	for gradient, want := range map[string][]string{
		"return x[:, :2]":            {"Bad.gradient of 9 nodes from 0 to 8 at step 1: it returned an array of shape (9, 2); want (9, 3)"},
		"return x[1:]":               {"it returned an array of shape (8, 3); want (9, 3)"},
		"return x + 1j":              {"what it returned has dtype complex128; want numbers that float64 holds"},
		"return x * np.nan":          {"it returned NaN for node 0, of whose decision the first entry is 0"},
		"return x / (step < 3)":      {"at step 3: it returned "},
		"return None":                {"it returned no array"},
		"return {'a': x}":            {"it returned a dictionary; want one array"},
		"return [[1.0], [2.0, 3.0]]": {"ValueError"},
		"return x[nodes > 4][17]":    {"IndexError: index 17 is out of bounds", "Traceback", "code.py\", line 6, in gradient", "return x[nodes > 4][17]"},
		"sys.exit(2)":                {"SystemExit: 2"},
		"x += 1; return x":           {"ValueError: output array is read-only"},
		"os._exit(7)":                {"the process ended: exit status 7"},
		"time.sleep(60)":             {"it took more than 5s, and was ended"},
		"return x + 50.0":            {"the gradient has length 86.6025404, over the bound 10 that its privacy rests on"},
	} {
		timeout := ", timeout: 60"
		if strings.Contains(gradient, "sleep") {
			timeout = ", timeout: 5"
		}
		s := loadText(t, written(t, class(gradient), "Bad", timeout), "measure={metrics: [consensus.error]}", "problem.options={a: 1, b: [x, 2.5]}")
		options := runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}
		if len(gradient)%2 == 0 { // both runtimes tell the same
			options.Engine, options.Shards = runner.Actors, 1
		}
		_, err := runner.Run(s, t.Context(), options)
		for _, part := range append(want, "scenario in-python, arm base, seed 1: step ") {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v\nwant %q in it", gradient, err, part)
			}
		}
	}
}

// TestPythonMemory has a class take more memory than the run may: its arm fails with the cause.
func TestPythonMemory(t *testing.T) {
	testneeds.Python(t)
	pyproblem.LimitMemory(400 << 20)
	t.Cleanup(func() { pyproblem.LimitMemory(0) })
	class := "import numpy as np\nclass Bad:\n    def __init__(self, **given): pass\n    def loss(self, x, nodes, step): return x.sum(axis=1)\n    def gradient(self, x, nodes, step):\n        if step == 3: self.kept = np.ones(1 << 26)\n        return x\n"
	s := loadText(t, written(t, class, "Bad", ""), "measure={metrics: [consensus.error]}")
	_, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
	for _, want := range []string{"scenario in-python, arm base, seed 1: step 3", "MemoryError", "a process of Python may take 400 MiB of memory (--memory)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q in it", err, want)
		}
	}
}

// What a user's code does that is no harm changes nothing.
func TestPythonHarmless(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	want := measured(t, written(t, squares, "Squares")).Digest
	for _, line := range []string{
		"print('gradient', flush=True)", "if os.fork() == 0: time.sleep(0.01)", "os.write(1, b'words')", "sys.stdin.read()", "self.kept = x[::-1]",
	} {
		code := strings.Replace(squares, "        return x - ", "        "+line+"\n        return x - ", 1)
		code = "import os, sys, time\n" + code
		if got := measured(t, written(t, code, "Squares")).Digest; got != want {
			t.Errorf("%s: digest %s, want %s", line, got, want)
		}
	}
}

// A class that depends on chance or on what it was asked before is found where the run asks
// twice.
func TestPythonPure(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	loader := testLoader(t)
	loader.Twice = true
	for change, want := range map[string]string{
		"return x - ": "",
		"return np.random.random(x.shape) * 0 + ":                                          "",
		"return np.random.random(x.shape) - ":                                              "two equal calls gave different results: entry 0 of result is ",
		"self.shift = getattr(self, 'shift', 0) + 0.001\n        return self.shift + x - ": "two equal calls gave different results: ",
	} {
		text := written(t, strings.Replace(squares, "return x - ", change, 1), "Squares")
		s, err := loader.Load(scenariotest.File(t, text), parseSets(t, "measure={metrics: [consensus.error]}", "algorithm.theta=100", "problem.gradient_bound=100")...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// A child that is killed fails the job, and the run goes on from its last saved state to the
// digest of a run that nobody disturbed.
func TestPythonResumes(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	want := measured(t, written(t, squares, "Squares"), "checkpoint.every=2").Digest
	mark := filepath.Join(t.TempDir(), "mark")
	code := strings.Replace(squares, "        return x - ", fmt.Sprintf("        if step == 8 and not os.path.exists(%q):\n            open(%q, 'w').close(); os.kill(os.getpid(), 9)\n        return x - ", mark, mark), 1)
	s := loadText(t, written(t, "import os\n"+code, "Squares"), "checkpoint.every=2")
	options := runner.RunOptions{Engine: runner.Actors, Shards: 2, Out: t.TempDir()}
	if _, err := runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), "the process ended: signal: killed") {
		t.Fatal(err)
	}
	outcome, err := runner.Run(s, t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome.Manifest.Digest; got != want {
		t.Errorf("digest %s after a kill, want %s", got, want)
	}
}

// What is wrong in the scenario has its place in the file, and needs no Python.
func TestPythonRefused(t *testing.T) {
	for change, want := range map[string]string{
		"library/logistic.py=>nowhere.py":                      "6:",
		"name: Logistic=>name: _Logistic":                      `"_Logistic" is no name of a class for others`,
		"[classify, test_loss]=>[classify, test_los]":          `unknown method "test_los"; did you mean "test_loss"?`,
		"gradient_bound: 1,=>gradient_bound: -1,":              "gradient bound -1",
		"gradient_bound: 1,=>":                                 "the gradients of the problem python have no bound of their own: give algorithm.theta",
		"name: Logistic,=>name: Logistic, options: {seed: 3},": "every class gets seed already",
		"name: Logistic,=>name: Logistic, options: 3,":         "expected values by name, got 3",
		"name: Logistic,=>name: Logistic, timeout: 0,":         "timeout of 0 seconds",
		"set: {kind: l2-ball, dimension: 3, radius: 2},=>":     "nodes without a server decide in a compact set, which is missing",
		"{kind: dsgd}=>{kind: opestoch, batch: theorem-1}":     "this algorithm decides on the simplex; give set: {kind: simplex, dimension: 3}",
	} {
		from, to, _ := strings.Cut(change, "=>")
		_, err := scenariotest.LoadError(t, strings.Replace(inPython, from, to, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q in it", change, err, want)
		}
	}
}

// Code of others is run only where that is allowed.
func TestPythonConfined(t *testing.T) {
	loader := scenarios.NewLoader(t.TempDir())
	loader.Confined = true
	file := scenariotest.File(t, inPython)
	if _, err := loader.Load(file); err == nil || !strings.Contains(err.Error(), "s.yaml:6:17: problem.kind: this process runs no code that comes with scenarios; starling worker --python allows it") {
		t.Error(err)
	}
	loader.Code = true
	if _, err := loader.Load(file); err != nil {
		t.Error(err)
	}
}
