package scenarios_test

import (
	"math"
	"strings"
	"testing"

	"starling/mechanisms/accountant"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/runner"
)

// Noise that is calibrated to a release costs what two releases do, and noise that is
// calibrated to a run what that is to cost: linear losses have
// trees of two leaves, and each of them uses a loss of the root. The metrics, the note
// and the ledger say the same; decisions cost as much as messages with Gaussian noise.
func TestNoiseOfReleases(t *testing.T) {
	sigma, err := accountant.GaussianSigma(2, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	gaussian, err := accountant.GaussianEpsilon(sigma/math.Sqrt2, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mechanism            string
		wire, public, delta  float64
		budget, within, over string
	}{
		// An index costs two of d = 4 numbers.
		{"{kind: laplace, epsilon: 2}", 4, 2, 0, "", "4", "3.9"},
		{"{kind: gaussian, epsilon: 2, delta: 1e-3}", gaussian, gaussian, 1e-3, "delta: 1e-3, ", "3.1", "2.9"},
		{"{kind: independent, epsilon: 2, delta: 1e-3, calibration: exact}", 2, 2, 1e-3, "delta: 1e-3, ", "2.01", "1.99"},
	} {
		s := loadText(t, stochastic, "mechanism="+c.mechanism, "seeds.count=1")
		m := metricsOf(t, s, runner.RunOptions{Engine: runner.Lockstep})
		last := map[string]float64{}
		for _, row := range m.Rows {
			last[row.Metric] = row.Value
		}
		if math.Abs(last[ledger.EpsilonTotal]/c.wire-1) > 1e-9 || last[ledger.Delta] != c.delta {
			t.Errorf("%s: epsilon %v at delta %v, want %v", c.mechanism, last[ledger.EpsilonTotal], last[ledger.Delta], c.wire)
		}
		rows, _ := privacyOf(t, s)
		for _, row := range rows[len(rows)-4:] { // of the last point
			want := c.wire
			if row.Observer == "peer" || row.Observer == "public" {
				want = c.public
			}
			if math.Abs(row.Epsilon/want-1) > 1e-9 || row.Delta != c.delta {
				t.Errorf("%s: %+v, want %v", c.mechanism, row, want)
			}
		}
		for limit, refused := range map[string]bool{c.within: false, c.over: true} {
			text := edited(t, stochastic, "{kind: dp-fw, epsilon: 2}", c.mechanism, "seeds: {", "budget: {epsilon: "+limit+", "+c.budget+"on: refuse}\nseeds: {")
			doc, err := document.Parse("s.yaml", []byte(text))
			if err == nil {
				_, err = testLoader(t).Check(doc)
			}
			if (err != nil) != refused || refused && !strings.Contains(err.Error(), "over the budget of") {
				t.Errorf("%s under a budget of %s: %v", c.mechanism, limit, err)
			}
		}
	}
}
