package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// localOf has local steps that are those of gradients over all data of a client, which are quadratic
// about the mean of its centres. Data of a client have the size that SIZES says.
const localOf = `
import numpy as np

class Base:
    common_tests = True
    def __init__(self, seed, nodes, horizon, dimension):
        self.of = [seed, horizon, dimension]
    def centres(self, node):
        rng = np.random.default_rng([self.of[0], int(node)])
        return rng.standard_normal((self.of[1], self.of[2]))[:SIZES]
    def centre(self, nodes, step):
        return np.stack([self.centres(node)[step - 1] for node in nodes])
    def loss(self, x, nodes, step):
        return 0.5 * ((x - self.centre(nodes, step)) ** 2).sum(axis=1)
    def gradient(self, x, nodes, step):
        return x - self.centre(nodes, step)

class Local(Base):
    def losses(self, x, models, nodes, steps):
        return np.array([0.5 * ((x[m] - self.centres(node)[step - 1]) ** 2).sum() for m, node, step in zip(models, nodes, steps)])
    def local(self, x, nodes, round, steps, rate, batch):
        x = x.copy()
        for i, node in enumerate(nodes):
            for _ in range(steps[i]):
                x[i] -= rate * (x[i] - self.centres(node).mean(axis=0))
        return x
    gradient = loss = None
`

// uneven are nine clients with other numbers of samples.
const (
	uneven      = ", sizes: [9, 1, 2, 3, 4, 5, 6, 7, 8]"
	unevenSizes = "(int(node) or 9)"
)

// localBy is a scenario of a family with a class of localOf, whose clients have the sizes.
func localBy(t *testing.T, family, class, offers, sizes string) (text string, sets []string) {
	t.Helper()
	text, sets = servedBy(written(t, strings.ReplaceAll(localOf, "SIZES", sizes), class, offers), family)
	return text, append(sets, "measure={every: 3, metrics: [loss.train]}")
}

// Local steps that a class takes give the values of the same steps by gradients, with the noise, the
// draws and the weights of their algorithm, for clients of one size and of others, and the same bits for any
// number of shards.
func TestPythonLocalSteps(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for i, family := range []string{"fedavg", "dp-fedavg", "dp-ftrl", "fedbuff"} {
		for _, sizes := range []string{"", uneven} {
			if !testneeds.Some(i, 2) {
				continue
			}
			own := map[string]string{"": "9", uneven: unevenSizes}[sizes]
			whole := localSets(family, sizes)
			text, sets := localBy(t, "dp-fedavg", "Base", sizes, own)
			want := measured(t, text, append(sets, whole...)...)
			text, sets = localBy(t, "dp-fedavg", "Local", ", offers: [local, losses]"+sizes, own)
			s := loadText(t, text, append(sets, whole...)...)
			got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
			if len(got.Rows) == 0 || len(got.Rows) != len(want.Rows) {
				t.Fatalf("%s: %d and %d rows", family, len(got.Rows), len(want.Rows))
			}
			for i, row := range got.Rows {
				if of := want.Rows[i]; row.Metric != of.Metric || math.Abs(row.Value-of.Value) > 1e-9*max(1, math.Abs(of.Value)) {
					t.Errorf("%s%s: %s at %d is %v, and %s %v by gradients", family, sizes, row.Metric, row.Step, row.Value, of.Metric, of.Value)
				}
			}
			for _, shards := range []int{1, 3} {
				if again := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); again.Digest != got.Digest {
					t.Errorf("%s%s: digest %s with %d shards, want %s", family, sizes, again.Digest, shards, got.Digest)
				}
			}
		}
	}
}

// localSets are the values of a family whose batches are all data of a client.
func localSets(family, sizes string) []string {
	of := map[string]string{
		"fedavg":    "{kind: fedavg, tau: 2, learning_rate: 0.5}",
		"dp-fedavg": "{kind: dp-fedavg, learning_rate: 0.1, clip: 1, tau: 2, rate: 0.5}",
		"dp-ftrl":   "{kind: dp-ftrl, learning_rate: 0.1, clip: 1, tau: 2, groups: 2}",
		"fedbuff":   "{kind: fedbuff, learning_rate: 0.1, clip: 1, tau: 2, rate: 0.5, buffer: 3}",
	}[family]
	if sizes == "" {
		of = strings.Replace(of, "}", ", samples: 9}", 1)
	}
	noise := map[string]string{"fedavg": "{kind: none}", "dp-ftrl": "{kind: blt, epsilon: 2, delta: 1e-3}"}[family]
	if noise == "" {
		noise = "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"
	}
	return []string{"algorithm=" + of, "mechanism=" + noise}
}

// The mean loss over clients of other sizes counts each sample once: a model that does not move has the loss
// of a plain loop over its numbers.
func TestPythonSizes(t *testing.T) {
	testneeds.Python(t)
	text, sets := localBy(t, "fedavg", "Base", uneven, unevenSizes)
	still := append(sets, "algorithm={kind: fedavg, tau: 1, learning_rate: 1e-300}")
	count := strings.NewReplacer("SIZES", unevenSizes, "0.5 * ((x - self.centre(nodes, step)) ** 2).sum(axis=1)", "100 * nodes + step + 0.0").Replace(localOf)
	text = strings.Replace(text, codeOf(text), codeOf(written(t, count, "Base", uneven)), 1)
	want, samples := 0.0, 0
	for node, size := range []int{9, 1, 2, 3, 4, 5, 6, 7, 8} {
		for step := 1; step <= size; step++ {
			want += float64(100*node + step)
			samples++
		}
	}
	if got := scenariotest.ValuesOf(measured(t, text, still...).Rows, "loss.train")[0]; math.Abs(got-want/float64(samples)) > 1e-9 {
		t.Errorf("the mean loss is %v, want %v", got, want/float64(samples))
	}
}

// codeOf is the file that a scenario names.
func codeOf(text string) string {
	_, rest, _ := strings.Cut(text, "file: ")
	file, _, _ := strings.Cut(rest, ",")
	return file
}

// Clients that a server draws are the same ones as clients that are held: a round with all of them has the
// same models.
func TestPythonPopulation(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	algorithm := "algorithm={kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 9, tau: 2, %s}"
	var rows [2][]float64
	for _, class := range []string{"Base", "Local"} {
		for _, sizes := range []string{"", uneven} {
			own := map[string]string{"": "9", uneven: unevenSizes}[sizes]
			offers := sizes + map[string]string{"Base": "", "Local": ", offers: [local, losses]"}[class]
			for i, draw := range []string{"rate: 1", "cohort: 9, draw: server"} {
				text, sets := localBy(t, "dp-fedavg", class, offers, own)
				of := fmt.Sprintf(algorithm, draw)
				if sizes != "" {
					of = strings.Replace(of, " samples: 9,", "", 1)
				}
				rows[i] = scenariotest.ValuesOf(measured(t, text, append(sets, of, "mechanism={kind: none}")...).Rows, "loss.train")
			}
			for i, want := range rows[0] {
				if math.Abs(rows[1][i]-want) > 1e-12*want {
					t.Errorf("%s%s: losses are %v of a population, and %v held", class, sizes, rows[1], rows[0])
				}
			}
		}
	}
	text, sets := localBy(t, "dp-fedavg", "Local", ", offers: [local, losses]", "9")
	sets = append(sets, fmt.Sprintf(algorithm, "cohort: 9, draw: server"), "nodes=1000000000")
	s := loadText(t, text, sets...)
	want := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep}).Digest
	if got := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}).Digest; got != want {
		t.Errorf("digest %s with 3 shards, want %s", got, want)
	}
}

// What clients with local steps of their own, with sizes, and of populations do not have is refused.
func TestPythonLocalStepsNotTaken(t *testing.T) {
	text, _ := servedBy(inPython, "fedavg")
	text = scenariotest.Edited(t, text, "algorithm: {kind: dsgd}", "algorithm: {kind: dp-fedavg, learning_rate: 0.1, clip: 1, tau: 2, rate: 0.5}",
		"offers: [classify, test_loss]", "offers: [local]", "mechanism: {kind: laplace, epsilon: 2}", "mechanism: {kind: sampled-gaussian, sigma: 2, delta: 1e-5}")
	const own = "clients take local steps of their own, "
	scenariotest.Refuses(t, text, map[string]string{
		"algorithm.level=record":                                                              "algorithm.level: " + own + "in which a sample has neither a bound nor noise: want user, or gradients of samples",
		"algorithm.kind=dp-scaffold":                                                          "algorithm.kind: " + own + "and those of dp-scaffold correct each step by their state: want gradients of samples",
		"algorithm={kind: dpfl, tau: 2, learning_rate: 0.5, clip: 1}":                         "algorithm.kind: " + own + "and those of dpfl compute each from gradients of samples; want fedavg, or dp-fedavg",
		"algorithm={kind: fedavg, tau: 2, learning_rate: 0.5, mu: 1}|mechanism.kind=none":     "algorithm.kind: " + own + "and fedavg pulls each step back to the model of the round: want gradients of samples",
		"problem.sizes=[1, 2]":                                                                "problem.sizes: 2 sizes of 9 clients; want one for each",
		"problem.sizes=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]":                                       "problem.sizes: 10 sizes of 9 clients; want one for each",
		"problem.sizes=[1, 2, 3, 4, 0, 6, 7, 8, 9]":                                           "problem.sizes[4]: a client has 0 samples; want at least 1",
		"problem.sizes=[1, 2, 3, 4, 5, 6, 7, 8, 9]|algorithm.samples=3":                       "algorithm.samples: problem.sizes has the number of samples of each client; leave one of the two out",
		"problem.sizes=[1, 2, 3]|algorithm.draw=server":                                       "problem.sizes: 3 sizes of 9 clients; want one for each",
		"problem.sizes=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]|algorithm.draw=server":                 "problem.sizes: 10 sizes of 9 clients; want one for each",
		"problem.sizes=[1, 2, 3, 4, 5, 6, 7, 8, 9]|algorithm.draw=server|algorithm.samples=3": "algorithm.samples: problem.sizes has the number of samples of each client; leave one of the two out",
	})
	scenariotest.Refuses(t, scenariotest.Edited(t, inPython, "offers: [classify, test_loss]", "sizes: [1, 2, 3]"), map[string]string{
		"name=a": "problem.sizes: sizes are of clients that keep their data, and this algorithm meets a cost a step; leave it out",
	})
}

// Answers of another form, and fresh data of single clients of a population, end the run with the call.
func TestPythonLocalStepsThatAreWrong(t *testing.T) {
	testneeds.Python(t)
	for answer, want := range map[string]string{
		"x[:, :2]":   "it returned an array of shape (9, 2); want (9, 3)",
		"x * np.nan": "the model of client 0 has a number that is not finite",
	} {
		code := strings.NewReplacer("SIZES", "9", "        return x\n    gradient", "        return "+answer+"\n    gradient").Replace(localOf)
		text, sets := servedBy(written(t, code, "Local", ", offers: [local, losses]"), "fedavg")
		s := loadText(t, text, append(sets, "algorithm={kind: fedavg, tau: 1, learning_rate: 1, samples: 9}", "measure={every: 3}")...)
		_, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		for _, want := range []string{want, "code.py: Local.local of 9 clients from 0 to 8 in round 1", "scenario in-python, arm base, seed 1: "} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nwant %q in it", answer, err, want)
			}
		}
	}
}

// Metrics that a class measures are recorded of the model of each record, as they are, in runs and in their window,
// and are no part of others.
func TestPythonMeasures(t *testing.T) {
	testneeds.Python(t)
	code := strings.NewReplacer("SIZES", "9", "    gradient = loss = None", `    gradient = loss = None
    def measure(self, x):
        assert x.shape == (3,)
        return {"first": x[0], "length": (x * x).sum() ** 0.5, "unknown": np.nan}`).Replace(localOf)
	const metrics = ", metrics: [{name: length, text: length of the model, better: lower}, {name: first, text: first number, unit: none}, {name: unknown, text: nothing}]"
	for _, algorithm := range []string{"{kind: fedavg, tau: 1, learning_rate: 0.5, samples: 9}", "{kind: dp-fedavg, tau: 1, learning_rate: 0.5, samples: 9, clip: 1, rate: 1}"} {
		text, sets := servedBy(written(t, code, "Local", ", offers: [local, losses]"+metrics), "fedavg")
		s := loadText(t, text, append(sets, "algorithm="+algorithm, "measure={every: 1, at: [1]}")...)
		got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		first, length := scenariotest.ValuesOf(got.Rows, "own.first"), scenariotest.ValuesOf(got.Rows, "own.length")
		if len(first) < 2 || len(length) != len(first) {
			t.Fatalf("%s: %d and %d values", algorithm, len(first), len(length))
		}
		for k := range first { // of a model that moves
			if math.Abs(first[k]) > length[k] || length[k] == 0 || k > 0 && length[k] == length[k-1] {
				t.Errorf("%s: record %d has %v of %v", algorithm, k, first[k], length[k])
			}
		}
		if again := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 3}); again.Digest != got.Digest {
			t.Errorf("digest %s with 3 shards, want %s", again.Digest, got.Digest)
		}
	}
	for answer, want := range map[string]string{
		"{\"first\": 1}": `it returned no "length"; want a dictionary with a number for each of ["length" "first" "unknown"]`,
		"{\"first\": 1, \"length\": x, \"unknown\": 0}":              "as length; want a number",
		"{\"first\": 1, \"length\": 1, \"unknown\": 0, \"more\": 1}": "it returned 4 numbers, and problem.metrics names 3",
	} {
		wrong := strings.Replace(code, `{"first": x[0], "length": (x * x).sum() ** 0.5, "unknown": np.nan}`, answer, 1)
		text, sets := servedBy(written(t, wrong, "Local", ", offers: [local, losses]"+metrics), "fedavg")
		s := loadText(t, text, append(sets, "algorithm={kind: fedavg, tau: 1, learning_rate: 0.5, samples: 9}")...)
		if _, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Local.measure") {
			t.Errorf("%s: %v\nwant %q in it", answer, err, want)
		}
	}
	kept, _ := servedBy(inPython, "fedavg")
	kept = scenariotest.Edited(t, kept, "algorithm: {kind: dsgd}", "algorithm: {kind: fedavg, learning_rate: 0.1, tau: 2}", "mechanism: {kind: laplace, epsilon: 2}", "mechanism: {kind: none}")
	scenariotest.Refuses(t, kept, map[string]string{
		"problem.metrics=[{name: A b, text: a}]":                   `problem.metrics[0].name: "A b" is no name: lower case letters, digits, _ and dots`,
		"problem.metrics=[{name: a, text: a}, {name: a, text: b}]": "problem.metrics[1].name: metrics[0] has this name, too",
		"problem.metrics=[{name: a}]":                              `problem.metrics[0]: missing required key "text"`,
	})
	scenariotest.Refuses(t, scenariotest.Edited(t, inPython, "offers: [classify, test_loss]", "metrics: [{name: a, text: a}]"), map[string]string{
		"name=a": "problem.metrics: metrics of your own are of the models of a server whose clients keep their data",
	})
}
