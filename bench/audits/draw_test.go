package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// drawnInTests is how many scenarios the tests draw.
const drawnInTests = 100

// TestDraw checks that a scenario follows from its seed and number alone, and that the draws
// reach what the audits are about.
func TestDraw(t *testing.T) {
	var texts []string
	for number := range drawnInTests {
		d, err := draw(1, number)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, d.text)
	}
	again, err := draw(1, drawnInTests/2)
	if err != nil || again.text != texts[drawnInTests/2] {
		t.Errorf("drawn again, error %v, scenario %d is another:\n%s\nand before\n%s", err, drawnInTests/2, again.text, texts[drawnInTests/2])
	}
	if other, err := draw(2, drawnInTests/2); err != nil || other.text == again.text {
		t.Errorf("error %v, and two seeds give the same scenario", err)
	}
	algorithms := map[string]bool{}
	for _, text := range texts {
		_, rest, _ := strings.Cut(text, "algorithm:\n  kind: ")
		name, _, _ := strings.Cut(rest, "\n")
		algorithms[name] = true
	}
	if len(algorithms) < 12 {
		t.Errorf("%d algorithms in %d scenarios: %v", len(algorithms), drawnInTests, algorithms)
	}
	for _, part := range []string{"crash:", "churn:", "delay:", "loss:", "combine:", "adversaries:", "aggregation:", "budget:", "observer:", "rate:", "tau:", "compression:", "kind: tiers", "stragglers:"} {
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) }) {
			t.Errorf("none of %d scenarios has %s", drawnInTests, part)
		}
	}
}

// TestRun checks that a few audits are made and judged.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	refuted, err := run(t.Context(), options{seed: 1, count: 3, samples: 256, confidence: 0.999}, &out)
	if err != nil || refuted > 0 {
		t.Errorf("%d refuted, error %v:\n%s", refuted, err, out.String())
	}
	if strings.Count(out.String(), "not refuted, ") != 3 {
		t.Errorf("want three verdicts:\n%s", out.String())
	}
}
