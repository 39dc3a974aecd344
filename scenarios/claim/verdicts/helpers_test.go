package verdicts

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/claim"
	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// byArm is the values of a metric under seeds 1, 2, .. of each arm.
type byArm map[string][]float64

// testArms are the arms of hand-made runs, in the order of the run.
var testArms = []string{"a", "b", "c"}

// newData makes a run of arms a, b and c with a metric m at step 10.
func newData(values byArm, notes ...results.Note) *claim.Data {
	manifest := results.Manifest{Notes: notes}
	for _, arm := range testArms {
		manifest.Arms = append(manifest.Arms, results.ArmEntry{Name: arm})
	}
	d := claim.NewData(manifest, []claim.Claim{{Test: &claim.Ordered{Quantity: claim.Quantity{Metric: "m"}}}}, metric.List{{Name: "m", Derived: true}})
	for _, arm := range testArms {
		for i, value := range values[arm] {
			d.AddRow(results.Row{Arm: arm, Seed: uint64(i + 1), Step: 10, Metric: "m", Value: value})
		}
	}
	return d
}

// decided decides a claim whose test is given in YAML, at 95 % if it states no level.
func decided(t *testing.T, d *claim.Data, test string) claim.Decision {
	t.Helper()
	if !strings.Contains(test, "not-testable") {
		test = "{level: 0.95, " + strings.TrimPrefix(test, "{")
	}
	f, err := claim.Decode("claims.yaml", []byte("version: 1\nclaims:\n  - {id: x, source: {where: here}, says: so, test: "+test+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	decision, err := claim.Decide(f.Claims[0], d)
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

// around are values with a mean and a standard error of se, n of them, n even.
func around(mean, se float64, n int) []float64 {
	// ±s about the mean has the sample variance s²n/(n-1).
	s := se * math.Sqrt(float64(n-1))
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + s
		if i%2 == 1 {
			values[i] = mean - s
		}
	}
	return values
}

func note(arm, key, value string) results.Note {
	return results.Note{Arm: arm, Key: key, Value: value}
}
