package pyalgorithm_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/actors/lockstep"
	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/testneeds"
)

// bad are classes that do what they should not: the body of step, and what is said. An
// empty text is none: what they do does no harm.
var bad = map[string]struct{ body, want string }{
	"short":            {"g = yield turn.play(x[:2])", "play of node 1 has shape (2,); want (4,)"},
	"row of rows":      {"g = yield turn.play(x[None])", "play of node 1 has shape (1, 4); want (4,)"},
	"number":           {"g = yield turn.play(x)\n        return 0.0", "what it returned of node 1 has shape (); want (4,)"},
	"complex":          {"g = yield turn.play(x + 0j)", "play of node 1 has dtype complex128; want numbers that float64 holds"},
	"text":             {"g = yield turn.play(['a', 'b', 'c', 'd'])", "play of node 1 has dtype <U1"},
	"float32":          {"g = yield turn.play(x.astype('f4'))\n        return x", ""},
	"list":             {"g = yield turn.play([0, 0, 0, 0])\n        return x", ""},
	"NaN":              {"g = yield turn.play(x + np.nan)", "play of node 1 is nan at [0]; want finite numbers"},
	"infinite release": {"g = yield turn.play(x)\n        return x / 0.0", "what it returned of node 1 is"},
	"outside":          {"g = yield turn.play(x + 10)", "outside"},
	"twice played":     {"g = yield turn.play(x)\n        g = yield turn.play(x)", "played twice in one step"},
	"oracle early":     {"g = yield turn.gradient(x)", "asked the oracle before playing"},
	"never played":     {"yield turn.project(x)\n        return x", "step 1, node 1: played no decision in this step"},
	"no yield":         {"return x", "step has no yield: it has to play a decision"},
	"other yield":      {"g = yield x", "step has yielded ndarray of node 1; want turn.play"},
	"raw of sums":      {"g = yield turn.play(x)\n        yield turn.raw(x)", "inbox = True"},
	"returns an ask":   {"g = yield turn.play(x)\n        return turn.play(x)", "step has returned turn.play of node 1; it is to be yielded"},
	"raises":           {"g = yield turn.play(x)\n        return x[17]", "IndexError: index 17 is out of bounds for axis 0 with size 4, of node 1\nTraceback"},
	"prints":           {"if turn.step + turn.node == 1: print('words'); os.write(1, b'more')\n        g = yield turn.play(x)\n        return x", ""},
	"reads":            {"sys.stdin.read()\n        g = yield turn.play(x)\n        return x", ""},
	"exits":            {"sys.exit(3)\n        yield", "SystemExit: 3"},
	"dies":             {"os._exit(3)\n        yield", "the process ended: exit status 3"},
	"sleeps":           {"time.sleep(60)\n        yield", "it took more than 2s, and was ended"},
	"forks":            {"if turn.step == 2: os.fork()\n        g = yield turn.play(x)\n        return x", ""},
	"a view":           {"g = yield turn.play(x)\n        turn.state['x'] = turn.state['x'][::-1][::-1]\n        return turn.state['x']", ""},
	"in place":         {"g = yield turn.play(x)\n        turn.state['x'] -= 0 * g\n        return turn.state['x']", ""},
	"changes heard":    {"if turn.step > 1: turn.heard[0] = 1\n        g = yield turn.play(x)\n        return x", "ValueError: assignment destination is read-only, of node 1"},
	"state of words":   {"turn.state['word'] = 'a'\n        g = yield turn.play(x)", "the state word has dtype <U1; want numbers, truth values or bytes"},
	"state no more":    {"turn.state = 3\n        g = yield turn.play(x)", "a state is a dictionary whose keys are names"},
	"large integer":    {"turn.state['n'] = 2**60\n        g = yield turn.play(x)", "the state n has whole numbers beyond 2^53"},
	"other names":      {"turn.state['s%d' % turn.node] = 1\n        g = yield turn.play(x)", "participants have states of several names"},
	"other dtypes":     {"turn.state['x'] = x if turn.node % 2 else x > 0\n        g = yield turn.play(x)", "the state x has several dtypes"},
	"NaN in state":     {"g = yield turn.play(x)\n        turn.state['n'] = np.nan\n        return x", ""},
	"says nothing":     {"g = yield turn.play(x)", ""},
}

// head begins the file of a class.
const head = `
import os, sys, time
import numpy as np
np.seterr(all="ignore")
`

// classOf is a class with a body of step.
func classOf(body string) string { return head + named("Mine", body) }

// named is a class with a name.
func named(name, body string) string {
	return `
class ` + name + `:
    def state(self, start):
        return {"x": start}

    def step(self, turn):
        x = turn.state["x"]
        ` + body + "\n"
}

// several loads a scenario with an arm for each of several classes of a file, whose texts are
// made for the names that they get: a file takes one process of Python.
func several(t *testing.T, head string, classes []func(name string) string, overrides ...string) (*study.Scenario, error) {
	t.Helper()
	text, names := head, make([]string, len(classes))
	for i, class := range classes {
		names[i] = fmt.Sprint("Mine", i)
		text += class(names[i])
	}
	return load(t, text, "Mine0", append(overrides, "sweep={grid: {algorithm.name: ["+strings.Join(names, ", ")+"]}}")...)
}

// runArm runs an arm under seed 1.
func runArm(t *testing.T, arm *study.Arm) error {
	t.Helper()
	job, err := arm.Algorithm.Job(1)
	if err != nil {
		t.Fatal(err)
	}
	return lockstep.Run(t.Context(), &job.Run)
}

// All that is wrong with what a class does is said in a sentence, with the step and the
// node where one is to blame, and what does no harm does none.
func TestBadClasses(t *testing.T) {
	var classes []func(string) string
	names := slices.Sorted(maps.Keys(bad))
	for _, name := range names {
		classes = append(classes, func(class string) string { return named(class, bad[name].body) })
	}
	s, err := several(t, head, classes, "algorithm.timeout=2")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		want := bad[name].want
		err := runArm(t, s.Arms[i])
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "step ")) {
			t.Errorf("%s: %v\nwant %q, and a step", name, err, want)
		}
	}
}

// What goes wrong with all of a shard at once.
func TestBadRows(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"fewer rows":      {"g = yield turns.play(x[1:])", "play has shape (4, 4); want (5, 4)"},
		"one row":         {"g = yield turns.play(x[0])", "play has shape (4,); want (5, 4)"},
		"fewer of state":  {"turns.state['x'] = x[1:]\n        g = yield turns.play(x)", "the state x has 4 rows; want 5, one for each participant"},
		"number in state": {"turns.state['n'] = 1.0\n        g = yield turns.play(x)", "the state n has 0 rows"},
		"NaN":             {"x[3, 1] = np.nan\n        g = yield turns.play(x)", "play is nan at [3, 1]"},
		"good":            {"g = yield turns.play(x)\n        return x", ""},
		"one fails":       {"x[3] += 10\n        g = yield turns.play(x)\n        return x", "step 1, node 4"},
	}
	var classes []func(string) string
	names := slices.Sorted(maps.Keys(tests))
	for _, name := range names {
		classes = append(classes, func(class string) string {
			return strings.NewReplacer("step(self, turn)", "step_all(self, turns)", "turn.state", "turns.state").Replace(named(class, tests[name].body))
		})
	}
	s, err := several(t, head, classes)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		want := tests[name].want
		if err := runArm(t, s.Arms[i]); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", name, err, want)
		}
	}
}

// What is wrong with a class is said before a run, at the key that names it.
func TestBadScenarios(t *testing.T) {
	noisy := "mechanism={kind: laplace, epsilon: 1}"
	good := classOf("g = yield turn.play(x)\n        return x")
	stating := func(what string) string {
		return good + "    def sensitivity(self, step, bound): return " + what + "\n"
	}
	for _, test := range []struct{ text, class, override, want string }{
		{good, "Yours", "", "5:33: algorithm.file: making a Yours of"},
		{"class Mine: pass", "Mine", "", "5:48: algorithm.name: the class Mine has no method step or step_all"},
		{"class Mine", "Mine", "", "SyntaxError"},
		{good + "    def step_all(self, turns): pass\n", "Mine", "", "has both step and step_all; want one"},
		{good, "Mine", "algorithm.options={rate: 1}", "TypeError: Mine() takes no arguments"},
		{good, "Mine", "algorithm.options=[1]", "expected values by name, got [1]"},
		{good, "Mine", "algorithm.timeout=0", "a timeout of 0 seconds; want"},
		{good, "Mine", "algorithm.file=nowhere.py", "algorithm.file: there is no file"},
		{good, "Mine", noisy, "algorithm.name: the class Mine has no method sensitivity(step, bound), which noise is scaled by"},
		{stating("0.0"), "Mine", noisy, "the sensitivity of step 1 is 0.0; want a finite number above 0"},
		{stating("float('nan')"), "Mine", noisy, "want a finite number above 0"},
		{stating("[1, 2]"), "Mine", noisy, "want a finite number above 0"},
		{stating("{'l3': 1}"), "Mine", noisy, "the sensitivity of step 1 has 'l3'; want l1 and l2"},
		{stating("1 / (step - 1)"), "Mine", noisy, "ZeroDivisionError"},
		{stating("2 * bound"), "Mine", noisy, ""},
		{strings.Replace(good, "class Mine:", "class Mine:\n    inbox = True", 1), "Mine", "algorithm.missing=hold", "the class Mine reads its inbox itself"},
		{"class Mine:\n    step = 3", "Mine", "", "has no method step"},
	} {
		var overrides []string
		if test.override != "" {
			overrides = append(overrides, test.override)
		}
		_, err := load(t, test.text, test.class, overrides...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v\nwant %q", test.class, test.override, err, test.want)
		}
	}
}

// Without an interpreter the scenario is refused, with what to do.
func TestNoInterpreter(t *testing.T) {
	t.Setenv(pyproblem.Variable, filepath.Join(t.TempDir(), "python"))
	_, err := scenarios.Load(scenariotest.File(t, own))
	if err == nil || !strings.Contains(err.Error(), "algorithm.file: there is no Python") || !strings.Contains(err.Error(), pyproblem.Variable) {
		t.Errorf("%v", err)
	}
}

// Asked twice, a class is held to what its turn says.
func TestCheckPure(t *testing.T) {
	testneeds.Python(t)
	wants := map[string]string{
		"g = yield turn.play(x)\n        return x - 0.1 * g + turn.random.standard_normal(4)":                          "",
		"g = yield turn.play(x)\n        return x - 0.1 * g + np.random.standard_normal(4)":                            "two equal calls gave different results",
		"g = yield turn.play(x + 0.01 * np.random.uniform(size=4))":                                                    "two equal calls gave different results",
		"self.count = getattr(self, 'count', 0) + 1\n        yield turn.play(x)\n        turn.state['n'] = self.count": "two equal calls gave different results",
		"g = yield turn.play(x)\n        turn.state['t'] = time.time()":                                                "two equal calls gave different results",
	}
	text, sweep := head, ""
	bodies := slices.Sorted(maps.Keys(wants))
	for i, body := range bodies {
		text, sweep = text+named(fmt.Sprint("Mine", i), body), sweep+fmt.Sprint(", Mine", i)
	}
	file := scenariotest.File(t, scenariotest.Edited(t, own, "library/own-algorithm.py", "mine.py", "name: DSGD", "name: Mine0", ", options: {learning_rate: 0.7, decay: 0.25}", ""))
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "mine.py"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	loader := scenarios.NewLoader("")
	loader.Twice = true
	s, err := loader.Load(file, scenariotest.ParseSets(t, "sweep={grid: {algorithm.name: ["+sweep[2:]+"]}}")...)
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range bodies {
		want := wants[body]
		if err := runArm(t, s.Arms[i]); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", body, err, want)
		}
	}
}

// A worker runs no program of a coordinator's choice, unless its owner says so.
func TestConfined(t *testing.T) {
	testneeds.Python(t)
	folder := t.TempDir()
	text, err := os.ReadFile("../../library/own-algorithm.py")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "mine.py"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	doc, err := document.Parse("s.yaml", []byte(strings.Replace(own, "library/own-algorithm.py", "mine.py", 1)))
	if err != nil {
		t.Fatal(err)
	}
	catalog := scenarios.Catalog()
	loader := loading.Loader{Kinds: &catalog, Data: folder, Confined: true}
	if _, err := loader.Check(doc); err == nil || !strings.Contains(err.Error(), "starling worker --python") {
		t.Errorf("%v", err)
	}
	loader.Code = true
	if _, err := loader.Check(doc); err != nil {
		t.Error(err)
	}
}

// A child that is killed fails the run, which goes on from a new one.
func TestKilledChild(t *testing.T) {
	dying := `
import os

class Mine:
    def state(self, start):
        return {"x": start}

    def step(self, turn):
        if turn.step == 9 and os.path.exists("MARK"):
            os.kill(os.getpid(), 9)
        g = yield turn.play(turn.state["x"])
        turn.state["x"] = yield turn.project(turn.state["x"] - 0.1 * g)
        return turn.state["x"]
`
	mark := filepath.Join(t.TempDir(), "mark")
	if err := os.WriteFile(mark, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := load(t, strings.Replace(dying, "MARK", mark, 1), "Mine", "seeds.count=1", "checkpoint.every=3")
	if err != nil {
		t.Fatal(err)
	}
	options := runner.RunOptions{Engine: runner.Actors, Out: t.TempDir()}
	_, err = runner.Run(scenariotest.Undrawn(s), t.Context(), options)
	if err == nil || !strings.Contains(err.Error(), "step 9, node 1: ") || !strings.Contains(err.Error(), "signal: killed") {
		t.Fatalf("%v", err)
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	resumed, err := runner.Run(scenariotest.Undrawn(s), t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if want := scenariotest.RunIn(t, s, runner.RunOptions{}); resumed.Manifest.Digest != want.Manifest.Digest {
		t.Errorf("digest %s, want %s", resumed.Manifest.Digest, want.Manifest.Digest)
	}
}
