package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// validatedText is a scenario with metrics of validation rows and of fresh ones.
const validatedText = `version: 1
name: validated
horizon: 4
nodes: 3
algorithm: {kind: ofl, tau: 2, local_step: 1}
problem: PROBLEM
topology: {kind: star}
mechanism: {kind: none}
seeds: {base: 1, count: 1}
measure: {metrics: [validation.loss, loss.fresh, validation.accuracy, accuracy.test]}
plots: []
`

// apartRows is a class whose rows are of one class by their method: the label is that of rows that are
// learned from in test rows, and the other in validation rows.
const apartRows = `import numpy as np

class Apart:
    def __init__(self, seed, nodes, horizon, dimension):
        self.dimension = dimension

    def of(self, shape, label):
        rows = np.ones((*shape, self.dimension + 1))
        rows[..., -1] = label
        return rows

    def rows(self, nodes, step):
        return self.of((len(nodes),), 1)

    def test_rows(self, nodes, count):
        return self.of((len(nodes), count), 1)

    def validation_rows(self, nodes, count):
        return self.of((len(nodes), count), -1)
`

// Data that are drawn have validation rows of their own: of a stream such as its test rows, and of
// a class in Python those of a method. Other runs of the same data have the same results.
func TestValidationOfStreams(t *testing.T) {
	final := func(problem string, overrides ...string) map[string]float64 {
		s := loadText(t, strings.Replace(validatedText, "PROBLEM", problem, 1), overrides...)
		o := scenariotest.RunIn(t, s, runner.RunOptions{Engine: runner.Lockstep})
		values := map[string]float64{}
		for _, row := range o.Summary {
			values[row.Metric] = row.Mean
		}
		return values
	}
	const stream = "{kind: synthetic-logistic, dimension: 4, test_samples: 300, validation_samples: 300, set: {kind: l2-ball, dimension: 4, radius: 3}}"
	drawn := final(stream)
	if a, b := drawn["validation.loss"], drawn["loss.fresh"]; a == b || !(a > 0.8*b && a < 1.25*b) {
		t.Errorf("a loss of %v of validation rows, and %v of test rows of the same law", a, b)
	}
	other := final(stream, "problem.validation_samples=0", "measure.metrics=[loss.fresh]")
	if other["loss.fresh"] != drawn["loss.fresh"] {
		t.Errorf("validation rows change %v to %v", other["loss.fresh"], drawn["loss.fresh"])
	}

	testneeds.Python(t)
	file := filepath.Join(t.TempDir(), "apart.py")
	if err := os.WriteFile(file, []byte(apartRows), 0o600); err != nil {
		t.Fatal(err)
	}
	python := "{kind: python-rows, file: " + file + ", name: Apart, dimension: 2, tests: 5, validation: 7, feature_bound: 2, model: {kind: logistic}, set: {kind: l2-ball, radius: 3}}"
	if values := final(python); values["accuracy.test"] != 1 || values["validation.accuracy"] != 0 {
		t.Errorf("an accuracy of %v on test rows, which are as those that are learned from, and of %v on validation rows, which are not", values["accuracy.test"], values["validation.accuracy"])
	}
}

// A problem without validation rows is refused by its kind.
func TestNoValidationRows(t *testing.T) {
	const text = `version: 1
name: tuned
horizon: 4
nodes: 3
algorithm: {kind: dsgd, learning_rate: 0.1}
problem: {kind: robust-regression, set: {kind: l2-ball, dimension: 2, radius: 3}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: laplace, epsilon: 1}
seeds: {base: 1, count: 1}
tune: {metric: validation.loss, seeds: {base: 100}, grid: {rate: [0.1, 1]}}
`
	_, err := scenariotest.LoadError(t, text)
	if err == nil || !strings.Contains(err.Error(), "arm base has no validation.loss: its problem has no validation rows") || !strings.Contains(err.Error(), "(problem.kind: robust-regression)") {
		t.Error(err)
	}
}
