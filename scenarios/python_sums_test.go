package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// sumsOf has gradients row by row, and sums of them where clients keep their data. CLIPPED is
// how the sums scale gradients down.
const sumsOf = `
import numpy as np

class Base:
    common_tests = True
    def __init__(self, seed, nodes, horizon, dimension):
        self.centres = np.random.default_rng(seed).standard_normal((horizon, nodes, dimension))
        self.nodes = nodes
    def start(self):
        return np.full(self.centres.shape[2], 0.25)
    def loss(self, x, nodes, step):
        return 0.5 * ((x - self.centres[step - 1, nodes]) ** 2).sum(axis=1)
    def gradient(self, x, nodes, step):
        return x - self.centres[step - 1, nodes]
    def test_loss(self, x, nodes, step):
        assert len(nodes) in (1, self.nodes)
        return self.asked(nodes) + (x * x).sum(axis=1)
    def asked(self, nodes):
        return 0.0

class Sums(Base):
    def losses(self, x, models, nodes, steps):
        return 0.5 * ((x[models] - self.centres[steps - 1, nodes]) ** 2).sum(axis=1)
    def sums(self, x, models, nodes, steps, clip):
        sums, clipped = np.zeros(x.shape), np.zeros(len(x))
        for j, (model, g) in enumerate(zip(models, x[models] - self.centres[steps - 1, nodes])):
            length = np.sqrt((g * g).sum())
            clipped[model] += length > clip
            sums[model] += CLIPPED
        return {"sums": sums, "clipped": clipped}
`

// clippedRight is the rule of sums.
const clippedRight = "g * min(1, clip / length)"

// freshAlone has runs record the losses on fresh data, which are recorded where they are named.
const freshAlone = "measure={metrics: [loss.fresh]}"

// kept is a scenario of a family whose clients keep their data, of a class of sumsOf.
func kept(t *testing.T, family, class, offers, clipped string) (text string, sets []string) {
	t.Helper()
	text, sets = servedBy(written(t, strings.ReplaceAll(sumsOf, "CLIPPED", clipped), class, offers), family)
	return text, append(sets, "measure={every: 3, metrics: [loss.train, loss.fresh, clip.share]}")
}

// Sums and losses that a class computes by model give the values that come from single gradients,
// and the same bits for any number of shards; a start is where models begin.
func TestPythonSums(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	for i, family := range []string{"dpfl", "central", "dp-fedavg", "dp-scaffold-records", "ali-dpfl"} {
		if !testneeds.Some(i, 2) {
			continue
		}
		text, sets := kept(t, family, "Base", ", offers: [start, test_loss]", clippedRight)
		want := measured(t, text, sets...)
		text, sets = kept(t, family, "Sums", ", offers: [start, test_loss, sums, losses]", clippedRight)
		s := loadText(t, text, sets...)
		got := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		if len(got.Rows) == 0 || len(got.Rows) != len(want.Rows) {
			t.Fatalf("%s: %d and %d rows", family, len(got.Rows), len(want.Rows))
		}
		for i, row := range got.Rows {
			if of := want.Rows[i]; row.Metric != of.Metric || math.Abs(row.Value-of.Value) > 1e-9*max(1, math.Abs(of.Value)) {
				t.Errorf("%s: %s at %d is %v, and %s %v by gradients", family, row.Metric, row.Step, row.Value, of.Metric, of.Value)
			}
		}
		for _, shards := range []int{1, 3} {
			if again := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: shards}); again.Digest != got.Digest {
				t.Errorf("%s: digest %s with %d shards, want %s", family, again.Digest, shards, got.Digest)
			}
		}
	}
}

// Models begin where the class has them begin, which models that do not move show.
func TestPythonStart(t *testing.T) {
	testneeds.Python(t)
	still := func(offers string) float64 {
		text, sets := kept(t, "fedavg", "Base", offers, clippedRight)
		m := measured(t, text, append(sets, "algorithm.learning_rate=1e-300", freshAlone)...)
		return scenariotest.ValuesOf(m.Rows, "loss.fresh")[0]
	}
	if zero, own := still(", offers: [test_loss]"), still(", offers: [test_loss, start]"); zero != 0 || math.Abs(own-3*0.25*0.25) > 1e-12 {
		t.Errorf("the first losses on fresh data are %v at 0 and %v at the start of the class, want 0 and %v", zero, own, 3*0.25*0.25)
	}
}

// Fresh data in common are asked for once; the mean over nodes is that of one.
func TestPythonCommonTests(t *testing.T) {
	testneeds.Python(t)
	once := strings.Replace(sumsOf, "return 0.0", "return len(nodes) - 1.0", 1)
	for text, want := range map[string]float64{once: 0, strings.Replace(once, "common_tests = True", "common_tests = False", 1): 8} {
		text, sets := servedBy(written(t, strings.ReplaceAll(text, "CLIPPED", clippedRight), "Base", ", offers: [test_loss]"), "fedavg")
		m := measured(t, text, append(sets, "algorithm.learning_rate=1e-300", freshAlone)...)
		if got := scenariotest.ValuesOf(m.Rows, "loss.fresh")[0]; got != want {
			t.Errorf("the mean loss is %v, want %v", got, want)
		}
	}
}

// A class whose sums are not those of its gradients, clipped one by one, is found at its first
// answer, with the numbers; and so are answers of another form.
func TestPythonSumsThatAreWrong(t *testing.T) {
	t.Parallel()
	testneeds.Python(t)
	answer := "return {\"sums\": sums, \"clipped\": clipped}"
	for clipped, test := range map[string][2]string{
		"g * min(1, clip / np.abs(g).sum())": {answer, "the sum is "},
		"g":                                  {answer, " has length "},
		clippedRight:                         {"return {\"sums\": sums}", "it returned no dictionary of sums and clipped"},
		clippedRight + " + 0":                {"return {\"sums\": sums[:, :2], \"clipped\": clipped}", "sums has the shape ["},
		clippedRight + " + 0 ":               {"return sums", "it returned \"result\"; want a dictionary of sums and clipped"},
		clippedRight + "  ":                  {"return {\"sums\": sums, \"clipped\": clipped + 0.5}", "gradients were scaled down"},
		clippedRight + " + 0  ":              {"return {\"sums\": sums * np.nan, \"clipped\": clipped}", "it returned a sum of length NaN"},
	} {
		code := strings.ReplaceAll(strings.Replace(sumsOf, answer, test[0], 1), "CLIPPED", clipped)
		text, sets := servedBy(written(t, code, "Sums", ", offers: [sums]"), "dpfl")
		s := loadText(t, text, append(sets, "measure={every: 3}")...)
		_, err := runner.Run(s, t.Context(), runner.RunOptions{Engine: runner.Lockstep, Out: t.TempDir()})
		for _, want := range []string{test[1], "code.py: Sums.sums of ", "scenario in-python, arm base, seed 1: "} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v\nwant %q in it", clipped, test[0], err, want)
			}
		}
	}
}

// Nodes that meet a cost a step have no use for methods of clients that keep their data.
func TestPythonSumsNotTaken(t *testing.T) {
	scenariotest.Refuses(t, strings.Replace(inPython, "offers: [classify, test_loss]", "offers: [classify, sums]", 1), map[string]string{
		"name=a": "problem.offers[1]: sums is asked of clients that keep their data, and this algorithm meets a cost a step; leave it out",
	})
}

// Arms are run one after the other: together they may have more models than a machine holds, and
// one alone may not.
func TestModelsOfArms(t *testing.T) {
	large := []string{"nodes=100", "problem.dimension=1000000", "problem.set=null", "algorithm={kind: dp-fedavg, learning_rate: 0.1, clip: 1, samples: 9, tau: 2, rate: 0.1}", "mechanism={kind: sampled-gaussian, sigma: 2, delta: 1e-5}"}
	text, _ := servedBy(inPython, "fedavg")
	if s := loadText(t, text, append(large, "sweep={grid: {algorithm.learning_rate: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}}")...); len(s.Arms) != 6 {
		t.Errorf("%d arms, want 6", len(s.Arms))
	}
	scenariotest.Refuses(t, scenariotest.Edited(t, text, "algorithm: {kind: dsgd}", "algorithm: {kind: fedavg, tau: 2, learning_rate: 0.1}", "mechanism: {kind: laplace, epsilon: 2}", "mechanism: {kind: none}"), map[string]string{
		"nodes=100000|problem.set=null|problem.dimension=1000000": "problem: the models of 100000 clients have 3e+11 coordinates; want at most 4.29e+09, which 1431 clients have",
	})
}
