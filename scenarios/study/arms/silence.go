package arms

import (
	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// remarkOnSilence adds warnings about a schedule that stops before the end of the run, and about
// steps of its file beyond that.
func remarkOnSilence(b *study.Builder, arm *study.Arm) {
	if arm.Topology == nil {
		return
	}
	for _, text := range []string{arm.Topology.Falls(arm.File.Horizon), arm.Topology.Beyond(arm.File.Horizon)} {
		if text != "" {
			b.Remark(metric.Warning{Code: "schedule", Arm: arm.Name, Message: text})
		}
	}
}
