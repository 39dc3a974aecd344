package scenarios_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// Least numbers of pairs that go together. A change that lowers one takes something
// away from users.
const (
	leastProblemPairs   = 71
	leastMechanismPairs = 49
)

// pairedAlgorithms are the algorithms at a small size: the section, the topology that
// fits, and a problem and a mechanism that do.
var pairedAlgorithms = map[string]struct{ section, topology, problem, mechanism string }{
	"dpdonc":   {"{kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, theta: 1, gradient_bound: clip}", "ring", "logistic", "laplace"},
	"ofl":      {"{kind: ofl, tau: 1, local_step: 0.1, gradient_bound: 1}", "star", "synthetic-logistic", "tree"},
	"opestoch": {"{kind: opestoch}", "star", "linear", "dp-fw"},
	"fedsvt":   {"{kind: fedsvt, interval: 2, kappa: 3}", "star", "uniform-zero", "sparse-vector"},
	"dpfl":     {"{kind: dpfl, tau: 2, learning_rate: 0.1, samples: 20, batch: 4, clip: 1}", "star", "images", "sampled-gaussian"},
	"ali-dpfl": {"{kind: ali-dpfl, learning_rate: 0.5, samples: 20, batch: 8, clip: 0.1, statistics_samples: 20}", "star", "images", "sampled-gaussian"},
}

// pairedProblems are all problems at a small size, and under the name of an algorithm
// before a slash with the options that it needs. SET stands where dpdonc has a set.
var pairedProblems = map[string]string{
	"localization":            "{kind: localization, set: {kind: l1-ball, dimension: 2, radius: 3}, sensors: {circle: {radius: 4}}}",
	"logistic":                "{kind: logistic, set: {kind: l2-ball, dimension: 4, radius: 2}}",
	"opestoch/logistic":       "{kind: logistic, set: {kind: simplex, dimension: 4}}",
	"robust-regression":       "{kind: robust-regression, set: {kind: simplex, dimension: 3}}",
	"synthetic-logistic":      "{kind: synthetic-logistic, dimension: 4, test_samples: 5, SET: {kind: l2-ball, dimension: 4, radius: 2}}",
	"images":                  "{kind: images, data: synthetic, train: 120, test: 30, model: {kind: softmax}, partition: {kind: iid}, SET: {kind: l2-ball, dimension: 7850, radius: 2}}",
	"linear":                  "{kind: linear, experts: 4, gap: 0.2}",
	"gaussian-softmax":        "{kind: gaussian-softmax, experts: 4, loss: cross-entropy, floor: 0.1}",
	"fedsvt/gaussian-softmax": "{kind: gaussian-softmax, experts: 4, clip: 1}",
	"lower-bound-theorem-2":   "{kind: lower-bound-theorem-2, experts: 4}",
	"one-select":              "{kind: one-select, experts: 4, records: 3}",
	"lower-bound-theorem-3":   "{kind: lower-bound-theorem-3, experts: 4, epsilon: 0.1}",
	"uniform-zero":            "{kind: uniform-zero, experts: 4}",
	"movielens":               "{kind: movielens}",
	"from-file":               "{kind: from-file, file: testdata/losses.csv}",
}

// pairedMechanism is the section of a mechanism.
func pairedMechanism(kind string) string {
	switch kind {
	case "laplace", "dp-fw":
		return "{kind: " + kind + ", epsilon: 2}"
	case "none":
		return "{kind: none}"
	case "sparse-vector":
		return "{kind: sparse-vector, epsilon: 20}"
	case "sampled-gaussian":
		return "{kind: sampled-gaussian, sigma: 2, delta: 1e-5}"
	}
	return "{kind: " + kind + ", epsilon: 2, delta: 1e-3}"
}

var batch = regexp.MustCompile(", batch: [0-9]+")

// pairedText is the scenario of an algorithm with a problem and a mechanism.
func pairedText(t *testing.T, algorithm, problem, mechanism string) string {
	a, ok := pairedAlgorithms[algorithm]
	section, known := pairedProblems[algorithm+"/"+problem]
	if !known {
		section, known = pairedProblems[problem]
	}
	if !ok || !known {
		t.Fatalf("no example of %s with %s: add one to this test", algorithm, problem)
	}
	switch before, after, streams := strings.Cut(section, ", SET"); {
	case streams && (algorithm == "dpdonc" || algorithm == "ofl"):
		section = before + ", set" + after
	case streams:
		section = before + "}"
	}
	if mechanism != a.mechanism { // which may be for sums over all data
		a.section = batch.ReplaceAllString(a.section, "")
	}
	return "version: 1\nname: pair\nhorizon: 3\nnodes: 3\nalgorithm: " + a.section + "\nproblem: " + section +
		"\ntopology: {kind: " + a.topology + "}\nmechanism: " + pairedMechanism(mechanism) + "\nseeds: {base: 1, count: 1}\nplots: []\n"
}

// TestPairs runs every algorithm with every problem and mechanism that the table says
// it goes with, three steps on both runtimes, and has the others refused.
func TestPairs(t *testing.T) {
	catalog := scenarios.Catalog()
	counts := map[string]int{}
	for _, pair := range study.PairsOf(&catalog) {
		problem, mechanism := pairedAlgorithms[pair.Algorithm].problem, pairedAlgorithms[pair.Algorithm].mechanism
		if pair.Section == "problem" {
			problem = pair.Kind
		} else {
			mechanism = pair.Kind
		}
		text := pairedText(t, pair.Algorithm, problem, mechanism)
		if pair.Fits {
			counts[pair.Section]++
			t.Run(pair.Algorithm+"/"+pair.Kind, func(t *testing.T) { runPair(t, text) })
			continue
		}
		if pair.Why == "" {
			t.Errorf("%s does not go with %s, and no reason is given", pair.Algorithm, pair.Kind)
		}
		file := filepath.Join(t.TempDir(), "s.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := testLoader(t).Load(file); err == nil {
			t.Errorf("the table says that %s does not go with %s, and it loads", pair.Algorithm, pair.Kind)
		}
	}
	if counts["problem"] < leastProblemPairs || counts["mechanism"] < leastMechanismPairs {
		t.Errorf("%d pairs with problems and %d with mechanisms, want at least %d and %d", counts["problem"], counts["mechanism"], leastProblemPairs, leastMechanismPairs)
	}
	t.Logf("%d pairs with problems, %d with mechanisms", counts["problem"], counts["mechanism"])
}

// runPair holds that both runtimes give the same.
func runPair(t *testing.T, text string) {
	s := loadText(t, text)
	lockstep := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
	actors := metricsOf(t, s, runner.RunOptions{Engine: runner.Actors, Shards: 2})
	if lockstep.Digest != actors.Digest || len(lockstep.Rows) == 0 {
		t.Errorf("digest %s in lockstep and %s with actors, of %d rows", lockstep.Digest, actors.Digest, len(lockstep.Rows))
	}
}
