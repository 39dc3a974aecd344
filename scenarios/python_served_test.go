package scenarios_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/messages"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// served are the families of a server with a problem whose costs a class computes, by name:
// the sections algorithm and mechanism, and what else is set.
var served = map[string][]string{
	"ofl":                 {"{kind: ofl, tau: 3, local_step: 0.1}", "{kind: tree, epsilon: 2, delta: 1e-5}"},
	"ofl-1":               {"{kind: ofl, version: 1, tau: 3, local_step: 0.1}", "{kind: toeplitz, epsilon: 2, delta: 1e-5}"},
	"ofl-effects":         {"{kind: ofl, tau: 3, local_step: 0.1}", "{kind: independent, epsilon: 2, delta: 1e-5}", "network={kind: effects, loss: {probability: 0.2}, delay: {longest: 2}}"},
	"dpfl":                {"{kind: dpfl, tau: 2, learning_rate: 0.5, clip: 0.3, samples: 9, batch: 4}", "{kind: sampled-gaussian, sigma: 1, delta: 1e-3}"},
	"dpfl-effects":        {"{kind: dpfl, tau: 2, learning_rate: 0.5, clip: 1, samples: 9, batch: 4}", "{kind: none}", "network={kind: effects, loss: {probability: 0.2}, delay: {longest: 2}}"},
	"ali-dpfl":            {"{kind: ali-dpfl, learning_rate: 0.5, clip: 1, samples: 9, batch: 4, statistics: private, statistics_sigma: 1, statistics_lipschitz: 1, statistics_clip: 1, control: 1}", "{kind: sampled-gaussian, sigma: 1, delta: 1e-3}"},
	"fedavg":              {"{kind: fedavg, tau: 2, learning_rate: 0.5, samples: 9, batch: 4}", "{kind: none}"},
	"central":             {"{kind: central, learning_rate: 0.5, clip: 1, samples: 9, batch: 30}", "{kind: sampled-gaussian, sigma: 1, delta: 1e-3}"},
	"dp-ftrl":             {"{kind: dp-ftrl, learning_rate: 0.1, clip: 1, samples: 9, groups: 2}", "{kind: blt, epsilon: 2, delta: 1e-3}"},
	"dp-fedavg":           {"{kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 9, tau: 2, rate: 0.5}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"},
	"opestoch":            {"{kind: opestoch, batch: corollary-1}", "{kind: laplace, epsilon: 2}", onSimplex, "problem.smoothness=0.25", "problem.gradient_bound=1", "horizon=20"},
	"dp-scaffold-records": {"{kind: dp-scaffold, level: record, batch: 4, learning_rate: 0.1, clip: 1, samples: 9, tau: 2, rate: 0.5}", "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"},
}

// onSimplex has decisions be from the simplex.
const onSimplex = "problem.set={kind: simplex, dimension: 3}"

// inGo is the problem logistic for a family, in place of one in Python.
func inGo(sets []string) string {
	if slices.Contains(sets, onSimplex) {
		return "problem={kind: logistic, set: {kind: simplex, dimension: 3}}"
	}
	return "problem={kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}"
}

// servedBy is a scenario in Python as that of a family of a server, and the values that make it
// so.
func servedBy(text, family string) (string, []string) {
	of := served[family]
	text = strings.Replace(text, "topology: {kind: ring}", "topology: {kind: star}", 1)
	return text, append([]string{"algorithm=" + of[0], "mechanism=" + of[1], "measure={every: 3}"}, of[2:]...)
}

// Clients and learners of a server that wait for each other's answers have the bits of those
// that ask one by one.
func TestPythonServedDigests(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for family := range served {
		t.Run(family, func(t *testing.T) {
			text, sets := servedBy(inPython, family)
			s := loadText(t, text, sets...)
			want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			if len(want.Rows) == 0 {
				t.Fatal("nothing is recorded")
			}
			shards := []int{1, 2, 8}
			if testing.Short() {
				shards = shards[1:2]
			}
			for _, shards := range shards {
				if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); got.Digest != want.Digest {
					t.Errorf("digest %s in lockstep and %s with %d shards", want.Digest, got.Digest, shards)
				}
			}
		})
	}
}

// given has the data of a problem in Go, which the test writes to a file, and their losses:
// log(1 + exp(-y <a, x>)), and mean squared errors for what it offers beside.
const given = `
import numpy as np

class Given:
    def __init__(self, seed, nodes, horizon, dimension, data, steps):
        self.rows = np.fromfile(data).reshape(nodes, steps, dimension + 1)
    def at(self, x, nodes, step):
        assert type(step) is int and nodes.dtype == np.int64
        rows = self.rows[nodes, step - 1]
        return rows[:, :-1], rows[:, -1], (rows[:, :-1] * x).sum(axis=1)
    def loss(self, x, nodes, step):
        a, y, z = self.at(x, nodes, step)
        return np.logaddexp(0, -y * z)
    def gradient(self, x, nodes, step):
        a, y, z = self.at(x, nodes, step)
        return a * (-y / (1 + np.exp(y * z)))[:, None]
    def minimum(self, first, last):
        return 0.25 * first + last
`

// drawnBy writes the data of a problem of nodes without a server under the seed 1 to a file.
func drawnBy(t *testing.T, p problem.Problem, nodes, steps int) string {
	t.Helper()
	in, err := p.Draw(1, steps)
	if err != nil {
		t.Fatal(err)
	}
	streamed := in.(problem.Data)
	datum := make([]float64, streamed.Width())
	var bytes []byte
	for node := range nodes {
		for step := range steps {
			streamed.Datum(datum, messages.NodeID(node), step+1)
			for _, v := range datum {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
			}
		}
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// A class that has the data and the losses of a problem in Go has its decisions, up to
// rounding, and pays the same for them.
func TestPythonEqualsGo(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	equals := loadText(t, strings.Replace(inPython, "problem: {kind: python, file: library/logistic.py, name: Logistic, ", "problem: {kind: logistic, ", 1), "problem={kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}")
	data := drawnBy(t, equals.Arms[0].Problem, 9, 20)
	for family := range served {
		t.Run(family, func(t *testing.T) {
			text, sets := servedBy(written(t, given, "Given", fmt.Sprintf(", options: {data: %q, steps: 20}", data)), family)
			sets = append(sets, "problem.gradient_bound=1")
			inPython := scenariotest.WatchServer(t, text, sets...)
			inGo := scenariotest.WatchServer(t, text, append(slices.DeleteFunc(slices.Clone(sets), func(set string) bool { return strings.HasPrefix(set, "problem.") }), inGo(sets))...)
			equalRuns(t, inGo, inPython)
		})
	}
}

// equalRuns holds that two runs decide the same, up to rounding, and pay the same.
func equalRuns(t *testing.T, inGo, inPython *scenariotest.Served) {
	t.Helper()
	if diff := cmp.Diff(inGo.Paid, inPython.Paid); diff != "" {
		t.Errorf("what is paid (-Go +Python):\n%s", diff)
	}
	if len(inGo.Models) == 0 || len(inGo.Models) != len(inPython.Models) {
		t.Fatalf("%d decisions in Go and %d in Python", len(inGo.Models), len(inPython.Models))
	}
	for i, want := range inGo.Models {
		for k, v := range inPython.Models[i] {
			if !(math.Abs(v-want[k]) <= 1e-9) {
				t.Fatalf("entry %d of decision %d is %v in Python and %v in Go", k, i, v, want[k])
			}
		}
	}
}

// givenLosses has losses of experts from a file, which the class pays as <l, x>.
const givenLosses = `
import numpy as np

class Losses:
    def __init__(self, seed, nodes, horizon, dimension, data, curved=0.0):
        self.losses, self.curved = np.fromfile(data).reshape(nodes, horizon, dimension), curved
    def loss(self, x, nodes, step):
        return (self.losses[nodes, step - 1] * x).sum(axis=1)
    def gradient(self, x, nodes, step):
        return self.losses[nodes, step - 1] + self.curved * x
`

// Losses of experts from a class are those of Go: in fedsvt, and in opestoch without and with
// trees. Losses that are not linear, or are over the bound, are refused.
func TestPythonExperts(t *testing.T) {
	testneeds.Python(t)
	const inGo = "version: 1\nname: in-python\nhorizon: 40\nnodes: 3\nalgorithm: {kind: fedsvt, interval: 2, kappa: 3}\nproblem: {kind: linear, experts: 4, gap: 0.3}\ntopology: {kind: star}\nmechanism: {kind: sparse-vector, epsilon: 5}\nmeasure: {every: 10}\n"
	adversary, err := experts.NewLinear(experts.LinearOptions{Gap: 0.3}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	in, err := adversary.Draw(1, 40)
	if err != nil {
		t.Fatal(err)
	}
	datum := make([]float64, 4)
	var bytes []byte
	for client := range 3 {
		for step := range 40 {
			in.Datum(datum, messages.NodeID(client), step+1)
			for _, v := range datum {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
			}
		}
	}
	dir := t.TempDir()
	data, code := filepath.Join(dir, "data"), filepath.Join(dir, "losses.py")
	if err := errors.Join(os.WriteFile(data, bytes, 0o644), os.WriteFile(code, []byte(givenLosses), 0o644)); err != nil {
		t.Fatal(err)
	}
	inPython := fmt.Sprintf("problem={kind: python, file: %q, name: Losses, options: {data: %q}, dimension: 4, gradient_bound: 1, linear: true}", code, data)
	stochastic := []string{"algorithm={kind: opestoch}", "mechanism={kind: laplace, epsilon: 5}"}
	for name, sets := range map[string][]string{"fedsvt": nil, "opestoch": stochastic} {
		equalRuns(t, scenariotest.WatchServer(t, inGo, sets...), scenariotest.WatchServer(t, inGo, append(slices.Clone(sets), inPython)...))
		s := loadText(t, inGo, append(slices.Clone(sets), inPython)...)
		want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		for _, shards := range []int{1, 2, 4} {
			if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); got.Digest != want.Digest {
				t.Errorf("%s: digest %s in lockstep and %s with %d shards", name, want.Digest, got.Digest, shards)
			}
		}
		paid := scenariotest.ValuesOf(want.Rows, "loss.client")
		if len(paid) != 4 || !(paid[3] > 0) {
			t.Errorf("%s: clients have paid %v", name, paid)
		}
	}
	curved := strings.Replace(inPython, "options: {", "options: {curved: 0.1, ", 1)
	for want, set := range map[string]string{
		"the losses of Losses are no linear ones, of node 0 at step 1: its gradient is ": curved,
		"outside [0, 1]": strings.Replace(inPython, "file:", "timeout: 60, file:", 1),
	} {
		if want == "outside [0, 1]" {
			bytes = binary.LittleEndian.AppendUint64(bytes[:len(bytes)-8], math.Float64bits(1.5)) // of client 3 at the last step
			if err := os.WriteFile(data, bytes, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := runner.Run(loadText(t, inGo, set), t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "seed 1: ") {
			t.Errorf("%v\nwant %q in it", err, want)
		}
	}
	for want, set := range map[string]string{
		"give linear: true, if they are":                         strings.Replace(inPython, ", linear: true", ", smoothness: 1", 1),
		"these are up to 2; give gradient_bound: 1, or less":     strings.Replace(inPython, "gradient_bound: 1", "gradient_bound: 2", 1),
		"prediction on the simplex needs gradient_bound":         strings.Replace(inPython, ", linear: true", "", 1),
		"losses of experts need gradient_bound":                  strings.Replace(inPython, ", gradient_bound: 1", "", 1),
		"this algorithm decides on the simplex; give set: {kind": strings.Replace(inPython, "dimension: 4", "set: {kind: l2-ball, dimension: 4, radius: 1}", 1),
	} {
		_, err := scenariotest.LoadError(t, inGo, set)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q in it", err, want)
		}
	}
}

// What a class offers is measured of a server's families, too, and agrees with what Go
// measures of the same losses.
func TestPythonServedMetrics(t *testing.T) {
	testneeds.Python(t)
	equals := loadText(t, inPython, "problem={kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}")
	data := drawnBy(t, equals.Arms[0].Problem, 9, 12)
	for family, metrics := range map[string][]string{
		"ofl": {"loss.mean"}, "dpfl": {"loss.train", "loss.mean"}, "central": {"loss.train"}, "dp-ftrl": {"loss.train"}, "dp-fedavg": {"loss.train", "loss.mean"},
	} {
		text, sets := servedBy(written(t, given, "Given", fmt.Sprintf(", options: {data: %q, steps: 12}, offers: [minimum]", data)), family)
		sets = append(sets, "problem.gradient_bound=1", "measure={every: 3, metrics: ["+strings.Join(append(metrics, "regret.fixed"), ", ")+"]}")
		inPython := measured(t, text, sets...)
		inGo := measured(t, text, append(sets, "problem={kind: logistic, set: {kind: l2-ball, dimension: 3, radius: 2}}")...)
		for _, metric := range metrics {
			got, want := scenariotest.ValuesOf(inPython.Rows, metric), scenariotest.ValuesOf(inGo.Rows, metric)
			if len(want) == 0 || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 }) {
				t.Errorf("%s: %s is %v in Python and %v in Go", family, metric, got, want)
			}
		}
		steps := 12.0 // of a stream; data that stay have samples
		if family != "ofl" {
			steps = 9
		}
		fixed, last := scenariotest.ValuesOf(inPython.Rows, "regret.fixed"), scenariotest.ValuesOf(inPython.Rows, metrics[len(metrics)-1])
		if want := scenariotest.Last(last) - (0.25 + steps); len(metrics) == 2 && (len(fixed) != 1 || math.Abs(fixed[0]-want) > 1e-12) {
			t.Errorf("%s: regret %v against what the class says, want %v", family, fixed, want)
		}
	}
}

// What a class says of fresh data and of least losses is what ofl records.
func TestPythonLearnersMetrics(t *testing.T) {
	testneeds.Python(t)
	code := squares + "    def classify(self, x, nodes, step):\n        return np.tile((nodes % 2 == 0)[:, None], 3)\n    def test_loss(self, x, nodes, step):\n        return nodes + 100.0 * step\n"
	text, sets := servedBy(written(t, code, "Squares", ", offers: [classify, test_loss, minimum]"), "ofl")
	m := measured(t, text, append(sets, "measure={every: 3, metrics: [accuracy.test, accuracy.final, regret.static, regret.dynamic, loss.mean, loss.fresh]}")...)
	for metric, want := range map[string][]float64{
		"accuracy.test": {5. / 9, 5. / 9, 5. / 9, 5. / 9}, "accuracy.final": {5. / 9}, "loss.fresh": {304, 604, 904, 1204},
	} {
		if got := scenariotest.ValuesOf(m.Rows, metric); !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%s is %v, want %v", metric, got, want)
		}
	}
	mean := scenariotest.ValuesOf(m.Rows, "loss.mean")
	if got, want := scenariotest.Last(scenariotest.ValuesOf(m.Rows, "regret.static")), scenariotest.Last(mean)+1201; math.Abs(got-want) > 1e-9 {
		t.Errorf("static regret %v, want %v", got, want)
	}
	least := 0.0 // of rounds of 3 steps: -(first + 100 last)
	for _, first := range []float64{1, 4, 7, 10} {
		least -= 3 * (first + 100*(first+2))
	}
	if got, want := scenariotest.Last(scenariotest.ValuesOf(m.Rows, "regret.dynamic")), scenariotest.Last(mean)-least/12; math.Abs(got-want) > 1e-9 {
		t.Errorf("dynamic regret %v, want %v", got, want)
	}
}

// What a class does wrong fails the run, with the seed, the arm, the step and the nodes.
func TestPythonServedFails(t *testing.T) {
	testneeds.Python(t)
	class := func(gradient string) string {
		return "import numpy as np\nclass Bad:\n    def __init__(self, **given): pass\n    def loss(self, x, nodes, step): return x.sum(axis=1)\n    def gradient(self, x, nodes, step):\n        " + gradient + "\n"
	}
	for _, test := range []struct {
		family, gradient string
		want             []string
	}{
		{"ofl", "return x[:, :2]", []string{"code.py: Bad.gradient of 9 data of nodes 0 to 8 at step 1: it returned an array of shape (9, 2); want (9, 3)"}},
		{"ofl", "return x / (step != 4)", []string{"step 3, node 1: ", "at step 4: it returned "}}, // steps of ofl are from 0
		{"ofl", "raise KeyError('lost')", []string{"KeyError: 'lost'", "Traceback", "code.py\", line 6, in gradient"}},
		{"ofl", "return x + (nodes == 5)[:, None] * 1e300", []string{"the gradient has length +Inf"}},
		{"dpfl", "return x[:, :2]", []string{"code.py: Bad.gradient of ", " data of nodes 0 to 8 at steps 1 to 9: it returned an array of shape (", "2); want (", ", 3), at step 1"}},
		{"dpfl", "return x * (np.nan if step == 7 else 1)", []string{"it returned NaN for node ", " at step 7, of whose decision the first entry is "}},
		{"dpfl", "return x[nodes, 17 + step]", []string{"IndexError: index ", ", at step 1", "Traceback"}},
		{"dpfl", "return x + (nodes == 5)[:, None] * 1e300", []string{"node 5 at step ", "the gradient has length +Inf"}},
		{"dp-ftrl", "return None", []string{"it returned no array, at step 1"}},
		{"central", "return np.where(nodes[:, None] == 3, np.inf, x)", []string{"it returned +Inf for node 3 at step "}},
	} {
		text, sets := servedBy(written(t, class(test.gradient), "Bad"), test.family)
		s := loadText(t, text, append(sets, "measure={metrics: [messages.sent]}")...)
		for _, options := range []runner.RunOptions{{Engine: runner.Lockstep}, {Engine: runner.Actors, Shards: 1}} {
			options.Out = t.TempDir()
			_, err := runner.Run(s, t.Context(), options)
			for _, part := range append(test.want, "scenario in-python, arm base, seed 1: step ") {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%s, %s: %v\nwant %q in it", test.family, test.gradient, err, part)
				}
			}
		}
	}
}

// A class that lacks a method is told of before the first step, and losses that fail are where
// a server's model is judged, too.
func TestPythonServedLacks(t *testing.T) {
	testneeds.Python(t)
	for _, family := range []string{"ofl", "dpfl", "dp-ftrl"} {
		text, sets := servedBy(written(t, strings.Replace(squares, "def gradient", "def gradients", 1), "Squares"), family)
		_, err := runner.Run(loadText(t, text, sets...), t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "seed 1: ") || !strings.Contains(err.Error(), "the class Squares lacks gradient") {
			t.Errorf("%s: %v", family, err)
		}
		text, sets = servedBy(written(t, strings.Replace(squares, "return 0.5 * ", "return np.nan * ", 1), "Squares"), family)
		_, err = runner.Run(loadText(t, text, sets...), t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "seed 1: ") || !strings.Contains(err.Error(), "Squares.loss of ") || !strings.Contains(err.Error(), "it returned NaN for node 0") {
			t.Errorf("%s: %v", family, err)
		}
	}
}

// A class is asked for nothing while a scenario is read.
func TestPythonServedReads(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	text := written(t, fmt.Sprintf("open(%q, 'w').close()\n%s", mark, squares), "Squares")
	for family := range served {
		text, sets := servedBy(text, family)
		loadText(t, text, sets...)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a scenario that was read has run its code")
	}
}

// A child that is killed in a run of a server fails it, and the run goes on from its last saved
// state to the digest of a run that nobody disturbed.
func TestPythonServedResumes(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for _, family := range []string{"ofl", "dpfl", "dp-ftrl"} {
		text, sets := servedBy(written(t, squares, "Squares"), family)
		sets = append(sets, "checkpoint.every=2")
		want := measured(t, text, sets...).Digest
		mark := filepath.Join(t.TempDir(), "mark")
		code := strings.Replace(squares, "        return x - ", fmt.Sprintf("        global calls\n        calls += 1\n        if calls > 60 and not os.path.exists(%q):\n            open(%q, 'w').close(); os.kill(os.getpid(), 9)\n        return x - ", mark, mark), 1)
		if family == "ofl" {
			code = strings.Replace(code, "calls > 60", "step == 8", 1)
		}
		text, _ = servedBy(written(t, "import os\ncalls = 0\n"+code, "Squares"), family)
		s := loadText(t, text, sets...)
		options := runner.RunOptions{Engine: runner.Actors, Shards: 1, Out: t.TempDir()}
		if _, err := runner.Run(s, t.Context(), options); err == nil || !strings.Contains(err.Error(), "the process ended: signal: killed") {
			t.Fatal(family, err)
		}
		outcome, err := runner.Run(s, t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome.Manifest.Digest; got != want {
			t.Errorf("%s: digest %s after a kill, want %s", family, got, want)
		}
	}
}
