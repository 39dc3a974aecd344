package scenarios_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
)

// TestEpsilonPLD: the second accountant agrees with the first where that is exact,
// for Gaussian noise, to the half percent that its bounds are apart; of sampled
// Gaussian noise it finds less than the bound by Rényi divergences, and not much
// less. It is of the steps that were paid for: more of them cost more.
func TestEpsilonPLD(t *testing.T) {
	number := func(text, first string, overrides ...string) (pld, accounted float64) {
		run, err := results.Open(runIn(t, loadText(t, text, overrides...), runner.RunOptions{}).Dir)
		if err != nil {
			t.Fatal(err)
		}
		read := map[string]float64{}
		for _, n := range run.Manifest.Notes {
			word, _, _ := strings.Cut(n.Value, " ")
			if x, err := strconv.ParseFloat(strings.TrimSuffix(word, ","), 64); err == nil {
				read[n.Key] = x
			}
		}
		return read[study.EpsilonPLD], read[first]
	}
	for _, calibration := range []string{"exact", "zcdp"} {
		pld, exact := number(learning, "epsilon.accounted", "mechanism.calibration="+calibration)
		if !(pld >= exact && pld <= exact*1.006) || math.IsNaN(exact) {
			t.Errorf("Gaussian noise, %s: %v, exactly %v", calibration, pld, exact)
		}
	}
	few, fewRDP := number(trained, "epsilon.spent", "horizon=2")
	many, manyRDP := number(trained, "epsilon.spent", "horizon=4")
	if !(few > 0 && few <= fewRDP && few > fewRDP/3 && many <= manyRDP && many > few*1.05) {
		t.Errorf("sampled Gaussian noise: %v and %v, by Rényi divergences %v and %v", few, many, fewRDP, manyRDP)
	}
}
