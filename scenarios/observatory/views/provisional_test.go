package views

import (
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/results/live"
	"starling/scenarios/study"
)

// TestInstead announces a statistic over all seeds where it is to come, and where no run has its quantity none.
func TestInstead(t *testing.T) {
	known := gauge.RegretMetrics()
	list := []study.PlotOptions{{Metric: gauge.RegretExpected}, {Metric: "accuracy.instant"}}
	for _, test := range []struct {
		named, recorded string
		comes           bool
	}{{"", "accuracy.instant", false}, {gauge.RegretExpected, "accuracy.instant", true}, {"", gauge.RegretRun, true}} {
		text := instead(list, "accuracy.instant", []string{test.named}, []live.Curve{{Metric: test.recorded}}, known)
		if (text != "") != test.comes {
			t.Errorf("%+v: %q", test, text)
		}
	}
}
