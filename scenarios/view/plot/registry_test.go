package plot

import (
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
