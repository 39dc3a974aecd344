package scenarios_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/runner"
)

// streamed is a small scenario in which equals learn from a stream of data.
const streamed = `version: 1
name: streamed
horizon: 40
nodes: 4
algorithm: {kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}, step: {per_node: false}}
problem: {kind: synthetic-logistic, dimension: 6, alpha: 0, beta: 0, set: {kind: l2-ball, dimension: 6, radius: 3}}
topology: {kind: one-peer}
mechanism: {kind: laplace, epsilon: none}
seeds: {base: 1, count: 3}
measure: {every: 1}
`

// Equals that learn from a stream of data without noise classify fresh data better at
// the end than at the start.
func TestEqualsLearnFromStreams(t *testing.T) {
	for _, overrides := range [][]string{
		nil,
		{"problem={kind: images, data: synthetic, train: 400, test: 200, model: {kind: softmax}, partition: {kind: iid}, set: {kind: l2-ball, dimension: 7850, radius: 5}}",
			"algorithm.theta=1", "algorithm.gradient_bound=clip", "seeds.count=1"},
	} {
		first, last := math.NaN(), math.NaN()
		for _, row := range metricsOf(t, loadText(t, streamed, overrides...), runner.RunOptions{Engine: runner.Lockstep}).Summary {
			switch {
			case row.Metric == "accuracy.test" && row.Step == 1:
				first = row.Mean
			case row.Metric == "accuracy.test" && row.Step == 40:
				last = row.Mean
			}
		}
		if !(last > first+0.1) {
			t.Errorf("%v: accuracy %v at first and %v at last", overrides, first, last)
		}
	}
}

// A stream without what the algorithm needs is refused where it lacks it.
func TestStreamsThatEqualsCannotTake(t *testing.T) {
	images := "problem={kind: images, data: synthetic, train: 400, test: 200, model: {kind: softmax}, partition: {kind: iid}, set: {kind: l2-ball, dimension: 7850, radius: 5}}"
	for _, test := range []struct {
		overrides []string
		want      string
	}{
		{[]string{"problem.set=null"}, "problem: nodes without a server decide in a compact set, which is missing: give problem.set, such as {kind: l2-ball, dimension: 6, radius: 2}"},
		{[]string{"problem.dimension=5"}, "problem.set: the set has dimension 6; the model has 5 parameters"},
		{[]string{"problem.normalise=false"}, "the gradients of the problem synthetic-logistic have no bound of their own: give algorithm.theta, with gradient_bound: clip"},
		{[]string{images}, "the gradients of the problem images have no bound of their own: give algorithm.theta, with gradient_bound: clip"},
		{[]string{images, "horizon=101"}, "problem.partition: learner 1 has 100 images for 101 steps, and meets none twice"},
		{[]string{images, "problem.model.weights=none"}, "problem.model.weights: the ledger of dpdonc is of all costs of a node"},
	} {
		file := filepath.Join(t.TempDir(), "s.yaml")
		if err := os.WriteFile(file, []byte(streamed), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := testLoader(t).Load(file, parseSets(t, test.overrides...)...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.overrides, err, test.want)
		}
	}
}
