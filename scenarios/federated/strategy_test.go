package federated_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"starling/scenarios/scenariotest"
)

// ownText is a run with noise of a strategy matrix, by its first 10 coefficients of 3 bands.
const ownText = `version: 1
name: own
horizon: 10
nodes: 12
algorithm: {kind: dp-ftrl, learning_rate: 0.5, clip: 0.3, samples: 6, apart: 4}
problem: {kind: synthetic-logistic, dimension: 5, test_samples: 4}
topology: {kind: star}
mechanism: {kind: strategy, file: FILE, epsilon: 2, delta: 1e-5}
measure: {every: 1}
seeds: {base: 1, count: 1}
plots: []
`

// withStrategy returns the scenario with a file of the entries of C.
func withStrategy(t *testing.T, rows int, entry func(row, column int) float64) string {
	var text strings.Builder
	text.WriteString("row,column,value\n")
	for row := 1; row <= rows; row++ {
		for column := 1; column <= row; column++ {
			if x := entry(row, column); x != 0 {
				fmt.Fprintf(&text, "%d,%d,%v\n", row, column, x)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "c.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(ownText, "FILE", file, 1)
}

// bandsOf is the matrix of banded-toeplitz with 3 bands.
func bandsOf(row, column int) float64 {
	if row-column > 2 {
		return 0
	}
	return [...]float64{1, 0.5, 0.375}[row-column]
}

// TestStrategyOfBands: a strategy matrix with the numbers of banded-toeplitz makes its models and its losses. More
// rows than rounds change nothing.
func TestStrategyOfBands(t *testing.T) {
	text := withStrategy(t, 14, bandsOf)
	for _, more := range [][]string{nil, {"algorithm.times=1"}, {"algorithm.groups=5", "algorithm.apart=1"}} {
		own := scenariotest.WatchServer(t, text, more...)
		bands := append([]string{"mechanism={kind: banded-toeplitz, bands: 3, epsilon: 2, delta: 1e-5}"}, more...)
		want := scenariotest.WatchServer(t, text, bands...)
		if len(own.Models) != 10 {
			t.Fatalf("%d models", len(own.Models))
		}
		for round, x := range want.Models {
			if far := scenariotest.Far(x, own.Models[round]); far > 1e-12 {
				t.Errorf("%v: the model of round %d is %v from that of banded-toeplitz", more, round+1, far)
			}
		}
		of := func(sets []string, metric string) float64 {
			return scenariotest.Last(scenariotest.ValuesOf(scenariotest.MeasuredIn(t, text, sets...).Rows, metric))
		}
		if got, want := of(more, "epsilon.total"), of(bands, "epsilon.total"); got != want || !(got > 0) {
			t.Errorf("%v: epsilon %v, want %v", more, got, want)
		}
	}
	s := scenariotest.LoadText(t, text)
	scenariotest.OneDigest(t, s)
	scenariotest.Resumes(t, s, 4, 0)
}

// TestStrategyRefusesFewRows: a matrix needs a row for each round.
func TestStrategyRefusesFewRows(t *testing.T) {
	scenariotest.Refuses(t, withStrategy(t, 9, bandsOf), map[string]string{
		"horizon=10":                   "C has 9 rows, and there are 10 sums; want a row for each",
		"mechanism.fit=true|horizon=9": "factorization strategy is fitted to no participation",
	})
}
