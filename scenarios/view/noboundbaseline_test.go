package view

import (
	"math"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
)

// TestBaselineWithoutBound leaves out differences and ratios of losses where the baseline has no finite one, and writes
// measured values without an interval with four digits.
func TestBaselineWithoutBound(t *testing.T) {
	row := func(arm int, value, difference float64) comparison.Row {
		return comparison.Row{Arm: arm, Baseline: arm == 0, Value: value, Half: math.NaN(), Difference: difference, Low: math.NaN(), High: math.NaN(),
			Ratio: comparison.Ratio{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}, P: math.NaN(), Holm: math.NaN()}
	}
	b := &Baseline{Against: &comparison.Against{}, Arms: []BaselineArm{{Shown: "a"}, {Shown: "b"}}, Conditions: make([]Condition, 1)}
	losses := comparison.OfMetric{Metric: metric.Metric{Name: "epsilon.total"}, Rows: []comparison.Row{row(0, math.Inf(1), 0), row(1, 2.51234, math.Inf(-1))}}
	table := b.table(&losses)
	if got := strings.Join(table.Header, "|") + " " + strings.Join(table.Rows[1], "|"); got != "arm|value b|2.512" {
		t.Error(got)
	}
	regrets := comparison.OfMetric{Metric: metric.Metric{Name: "regret.run"}, Rows: []comparison.Row{row(0, 343.907, 0), row(1, 315.191, -28.7166)}}
	if got := strings.Join(b.table(&regrets).Rows[1], "|"); got != "b|315.2|-28.72|-" {
		t.Error(got)
	}
}

// TestConditionsOfOneArm compares with the first arm where every condition has one arm.
func TestConditionsOfOneArm(t *testing.T) {
	b := &Baseline{Arms: []BaselineArm{{}, {Baseline: 1}, {Baseline: 2}}}
	if !b.apart() {
		t.Error("arms of their own conditions are compared")
	}
	if b.Arms[2].Baseline = 1; b.apart() {
		t.Error("an arm with another of its condition is not compared")
	}
}
