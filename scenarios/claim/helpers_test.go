package claim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
)

// byArm is the values of a metric under seeds 1, 2, .. of each arm.
type byArm map[string][]float64

// testArms are the arms of hand-made runs, in the order of the run.
var testArms = []string{"a", "b", "c"}

// newData makes a run of arms a, b and c with a metric m at step 10.
func newData(t *testing.T, values byArm, notes ...results.Note) *Data {
	t.Helper()
	return newSteps(t, map[int64]byArm{10: values}, notes...)
}

// newSteps makes a run with a metric m at several steps.
func newSteps(t *testing.T, steps map[int64]byArm, notes ...results.Note) *Data {
	t.Helper()
	d := emptyData(notes...)
	var order []int64
	for step := range steps {
		order = append(order, step)
	}
	slices.Sort(order)
	for _, arm := range testArms {
		for _, step := range order {
			for i, value := range steps[step][arm] {
				d.AddRow(results.Row{Arm: arm, Seed: uint64(i + 1), Step: step, Metric: "m", Value: value})
			}
		}
	}
	return d
}

// emptyData is a run whose claims read the metrics m, over, whole, node, share, which is one,
// and traffic, which is derived.
func emptyData(notes ...results.Note) *Data {
	manifest := results.Manifest{Notes: notes}
	for _, arm := range testArms {
		manifest.Arms = append(manifest.Arms, results.ArmEntry{Name: arm})
	}
	var claims []Claim
	for _, name := range []string{"m", "over", "whole", "node", "share", "traffic"} {
		claims = append(claims, Claim{Test: &Ordered{Quantity: Quantity{Metric: name}}})
	}
	return NewData(manifest, claims, metric.List{{Name: "share", Unit: metric.Share}, {Name: "traffic", Derived: true}})
}

// newClaim reads a claim with a test in YAML, decided at 95 % if it states no
// level.
func newClaim(t *testing.T, test string) Claim {
	t.Helper()
	if !strings.Contains(test, "not-testable") && !strings.Contains(test, "level:") {
		test = "{level: 0.95, " + strings.TrimPrefix(test, "{")
	}
	text := "version: 1\nclaims:\n  - {id: x, source: {where: here}, says: so, test: " + test + "}\n"
	f, err := Decode("claims.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f.Claims[0]
}

// decided decides a claim whose test is given in YAML.
func decided(t *testing.T, d *Data, test string) Decision {
	t.Helper()
	decision, err := Decide(newClaim(t, test), d)
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

// states lists those of a decision's parts.
func states(d Decision) string {
	var list []string
	for _, p := range d.Parts {
		list = append(list, string(p.State))
	}
	return strings.Join(list, ", ")
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

// shifted are values that are larger by a number, up to 1 % of it.
func shifted(values []float64, by float64) []float64 {
	list := slices.Clone(values)
	for i := range list {
		list[i] += by * (0.99 + 0.02*float64(i%2))
	}
	return list
}

// derivedData is newData of a metric m that is derived and not measured.
func derivedData(t *testing.T, values byArm, notes ...results.Note) *Data {
	d := newData(t, values, notes...)
	d.declared = metric.List{{Name: "m", Derived: true}}
	return d
}

func note(arm, key, value string) results.Note {
	return results.Note{Arm: arm, Key: key, Value: value}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(got >= want-tolerance && got <= want+tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
