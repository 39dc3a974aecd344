package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/results"
)

// TestDifferences checks what two scenarios differ in, and what of it makes them
// different problems.
func TestDifferences(t *testing.T) {
	parse := func(text string) *document.Node {
		doc, err := document.Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return doc.Root()
	}
	a := parse("name: a\nhorizon: 1000\nnodes: 3\nproblem: {kind: k, data: {alpha: 0.5, beta: 1/2}, model: [1, 2]}\nplots: []\nbudget: {epsilon: 1}\n")
	b := parse("name: b\nhorizon: 1e3\nnodes: 4\nproblem: {kind: k, data: {alpha: 0.5, beta: 0.5, gamma: 1}, model: [1, 3]}\ndescription: d\nnetwork: {kind: ideal}\n")
	var d contrast
	d.compare("", a, b)
	arm := func(name, value string) results.ArmEntry {
		return results.ArmEntry{Name: name, Values: []results.Value{{Path: "problem.gap", Value: value}, {Path: "nodes", Value: value}}}
	}
	d.arms([]results.ArmEntry{arm("x", "1"), arm("y", "2"), arm("z", "1")}, []results.ArmEntry{arm("y", "3"), arm("x", "1.0")})
	want := contrast{
		{Path: "nodes", First: "3", Second: "4", Problem: false},
		{Path: "problem.data.gamma", First: "", Second: "1", Problem: true},
		{Path: "problem.model", First: "[1,2]", Second: "[1,3]", Problem: true},
		{Path: "budget", First: "{epsilon:1}", Second: "", Problem: false},
		{Path: "network", First: "", Second: "{kind:ideal}", Problem: false},
		{Path: "problem.gap of y", First: "2", Second: "3", Problem: true},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A wide interval has its ends, and one that is narrow has half of it.
func TestWideIntervals(t *testing.T) {
	for want, v := range map[string][2]float64{
		"596 (8 to 1184)": {596, 588}, "-596 (-1184 to -8)": {-596, 588}, "3435 ± 1334": {3435, 1334}, "0.50 (-0.10 to 1.10)": {0.5, 0.6}, "7": {7, 0},
	} {
		if got := withEnds("", v[0], v[1]); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
