package plot

import (
	"fmt"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// TestColoursOfAStudy draws figures of some arms: each arm has the colour of its algorithm in the figure of
// all, in a figure over steps and in one against epsilon, and the line of arms without noise is grey.
func TestColoursOfAStudy(t *testing.T) {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	for i, kind := range []string{"x", "y", "z"} {
		for _, epsilon := range []string{"1", "2", "none"} {
			arm := results.ArmEntry{Name: kind + ",epsilon=" + epsilon, Values: []results.Value{
				{Path: "algorithm.kind", Value: kind}, {Path: "match", Value: "{epsilon: " + epsilon + "}"},
			}}
			run.Arms = append(run.Arms, arm)
			for step := range 3 {
				take(&run, results.SummaryRow{Arm: arm.Name, Step: int64(step + 1), Metric: gauge.RegretRun, Mean: float64(10*i + step), N: 3})
			}
		}
	}
	colours := func(o study.PlotOptions) map[string]string {
		o.Metric, o.Band = gauge.RegretRun, study.NoBand
		f, err := Figure([]Run{run}, o)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for i, line := range f.Lines()[0] {
			found[f.Series[i].Shown()] = line.Hex()
		}
		return found
	}
	steps := colours(study.PlotOptions{Arms: []string{"y,epsilon=none", "z,epsilon=none"}})
	if steps["y, no noise"] != "#D55E00" || steps["z, no noise"] != "#009E73" {
		t.Errorf("the second and the third algorithm over steps: %v", steps)
	}
	private := colours(study.PlotOptions{Arms: []string{"z*"}, X: "match.epsilon", By: "algorithm.kind"})
	if private["z"] != "#009E73" || private["no noise"] != "" && private["no noise"] != "#606060" {
		t.Errorf("the third algorithm against epsilon: %v", private)
	}
}

// TestOneStyleOfAnArm draws metrics that all arms have and that some have, and a choice of arms: each arm has one colour
// and one dash, and the only arm without noise is black and solid.
func TestOneStyleOfAnArm(t *testing.T) {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "off"} {
		epsilon := "1"
		if name == "off" {
			epsilon = "none"
		}
		arm := results.ArmEntry{Name: name, Values: []results.Value{{Path: "mechanism.epsilon", Value: epsilon}, {Path: "own." + name, Value: name}}}
		run.Arms = append(run.Arms, arm)
		for step := range 3 {
			take(&run, results.SummaryRow{Arm: name, Step: int64(step + 1), Metric: gauge.RegretRun, Mean: float64(10*i + step), N: 3})
			if i > 2 {
				take(&run, results.SummaryRow{Arm: name, Step: int64(step + 1), Metric: gauge.Consensus, Mean: float64(10*i + step), N: 3})
			}
		}
	}
	styles := map[string]string{}
	for _, o := range []study.PlotOptions{{Metric: gauge.RegretRun}, {Metric: gauge.Consensus}, {Metric: gauge.RegretRun, Arms: []string{"d", "b", "off"}}} {
		o.Band = study.NoBand
		f, err := Figure([]Run{run}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range f.Lines()[0] {
			name, style := f.Series[i].Name, fmt.Sprint(line.Hex(), line.Dash)
			if known := styles[name]; known != "" && known != style {
				t.Errorf("%s of %v: %s, and %s elsewhere", name, o.Arms, style, known)
			}
			styles[name] = style
		}
	}
	if styles["off"] != "#000000[]" || styles["b"] == "" || styles["b"] == "#D55E00[]" {
		t.Errorf("styles %v; want black for the baseline, and dashes beside many colours", styles)
	}
}
