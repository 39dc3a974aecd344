package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/scenariotest"
	"starling/scenarios/testneeds"
)

// counting is a class that notes each of its calls in a file.
const counting = `
import numpy as np

class Counting:
    def __init__(self, seed, nodes, horizon, dimension):
        self.rows = np.random.default_rng(seed).standard_normal((horizon, nodes, dimension)) / 10
    def loss(self, x, nodes, step):
        return (self.rows[step - 1][nodes] * x).sum(axis=1)
    def gradient(self, x, nodes, step):
        with open(FILE, "a") as file: file.write(".")
        return self.rows[step - 1][nodes] * (1 + (x * x).sum(axis=1, keepdims=True))
`

// audited are algorithms in Go whose audits ask a problem in Python.
var audited = map[string][]string{
	"dsgd":   nil,
	"dpdonc": {"algorithm={kind: dpdonc, divergence: {kind: euclidean, scale: 0.5}}"},
	"ofl":    {"algorithm={kind: ofl, tau: 1, local_step: 0.1}", "mechanism={kind: tree, epsilon: 2, delta: 1e-5}", "topology={kind: star}"},
}

// Runs of an audit of a problem in Python ask together, in a tenth of the calls, and have the
// outcomes of runs that are made one after the other, to the last bit.
func TestPythonAuditTogether(t *testing.T) {
	testneeds.Slow(t)
	testneeds.Python(t)
	for name, sets := range audited {
		calls := filepath.Join(t.TempDir(), "calls")
		s := loadText(t, written(t, strings.Replace(counting, "FILE", strconv.Quote(calls), 1), "Counting"), sets...)
		for _, subject := range scenariotest.AuditRuns(t, s) {
			draw := func(together bool) (a, b []float64, count int) {
				a, b = scenariotest.Outcomes(t, subject, 20, together)
				text, err := os.ReadFile(calls)
				if err != nil {
					t.Fatal(err)
				}
				os.Remove(calls)
				return a, b, len(text)
			}
			draw(false) // with what the audit has asked before
			wantA, wantB, alone := draw(false)
			gotA, gotB, count := draw(true)
			if !slices.Equal(gotA, wantA) || !slices.Equal(gotB, wantB) || slices.Equal(wantA, wantB) {
				t.Errorf("%s: together %v, %v, one after the other %v, %v", name, gotA, gotB, wantA, wantB)
			}
			if count > alone/10 {
				t.Errorf("%s: %d calls together, %d one after the other", name, count, alone)
			}
		}
	}
}
