package view

import (
	"math"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
)

// TestLossColumns checks the columns of privacy: epsilons, beside them the units where arms protect several, letters of
// their kinds where the units are the same, and letters of the conditions where one has several epsilons.
func TestLossColumns(t *testing.T) {
	kind := func(epsilon, unit, delta string) Condition {
		about := " at delta " + delta + " for a " + unit + ", against wire"
		return Condition{Privacy: "epsilon " + epsilon + about, Key: epsilon + about, Epsilon: epsilon, Pattern: "epsilon " + EpsilonMark + about, Unit: unit}
	}
	none := Condition{Privacy: noPrivacy, Key: noPrivacy}
	for name, test := range map[string]struct {
		conditions      []Condition
		epsilons, kinds string
		head, legend    string
	}{
		"one kind":     {[]Condition{none, kind("2", "record", "0"), kind("3", "record", "0")}, "inf 2 3", "  ", letterHead, "epsilon: of the whole run at delta 0 for a record, against eavesdropper (wire)."},
		"two units":    {[]Condition{kind("2", "record", "0"), kind("2", "client", "0")}, "2 2", "record client", unitHead, "epsilon: of the whole run.|per record: at delta 0 for a record, against eavesdropper (wire).|per client: at delta 0 for a client, against eavesdropper (wire)."},
		"two deltas":   {[]Condition{kind("2", "record", "0"), kind("2", "record", "0.1")}, "2 2", "a b", letterHead, "epsilon: of the whole run.|a: at delta 0 for a record, against eavesdropper (wire).|b: at delta 0.1 for a record, against eavesdropper (wire)."},
		"nothing lost": {[]Condition{kind("0", "client", "0"), kind("2", "record", "0")}, "0 2", " ", letterHead, "epsilon: of the whole run at delta 0 for a record, against eavesdropper (wire)."},
		"two epsilons": {[]Condition{none, {Privacy: "epsilon 1 and 2", Key: "k"}}, " ", "a b", letterHead, "Privacy over the whole run:|a: " + noPrivacy + "|b: epsilon 1 and 2"},
	} {
		c := (&Baseline{Conditions: test.conditions}).losses()
		var legend []string
		for _, line := range c.legend {
			legend = append(legend, line.text)
		}
		if got := strings.Join(legend, "|"); strings.Join(c.epsilons, " ") != test.epsilons || strings.Join(c.kinds, " ") != test.kinds || c.head != test.head || got != test.legend {
			t.Errorf("%s: %q, %s %q, %s", name, c.epsilons, c.head, c.kinds, got)
		}
	}
}

// TestBestFirst has the baseline first, then the best, and an arm without a value last.
func TestBestFirst(t *testing.T) {
	rows := []comparison.Row{{Arm: 1, Value: 2}, {Arm: 2, Value: math.NaN()}, {Arm: 3, Value: 3}, {Arm: 0, Value: 9, Baseline: true}, {Arm: 4, Value: 1}}
	for better, want := range map[metric.Direction][]int{metric.LowerIsBetter: {0, 4, 1, 3, 2}, metric.HigherIsBetter: {0, 3, 1, 4, 2}} {
		var got []int
		for _, row := range bestFirst(metric.Metric{Better: better}, rows) {
			got = append(got, row.Arm)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is better: %v, want %v", better, got, want)
		}
	}
}
