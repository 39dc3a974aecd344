package arms

import (
	"fmt"
	"slices"

	"starling/scenarios/metric"
	"starling/scenarios/study"
)

// remarkOnRecords warns if records of an arm show a period that its graphs do not have. Graphs that
// repeat every p steps move metrics of single steps with that period. Records every k steps then
// repeat after lcm(k, p) steps. This is p if k divides p, and records see each graph alike if p
// divides k. In every other case lcm(k, p) > p is a period of the records alone.
func remarkOnRecords(b *study.Builder, arm *study.Arm) {
	if arm.Topology == nil || arm.File.Measure.Window || !drawsMoments(b, arm) {
		return
	}
	every, period := interval(&arm.File), arm.Topology.Period
	seen, aliased := aliasedPeriod(every, period)
	if !aliased || arm.File.Horizon < 2*seen {
		return // no period is seen that does not come twice
	}
	b.Remark(metric.Warning{Code: "aliased", Arm: arm.Name, Message: fmt.Sprintf(
		"records every %d steps of graphs that repeat every %d: metrics of single steps, such as consensus.error, seem to repeat every %d; set measure.every to %s, or measure.window",
		every, period, seen, remedy(every, period))})
}

// drawsMoments reports whether an arm records a metric of single steps, and a figure draws it: one that the scenario asks
// for, or, where it asks for none, the usual ones.
func drawsMoments(b *study.Builder, arm *study.Arm) bool {
	plots := arm.File.Plots
	return slices.ContainsFunc(b.Kinds.AllMetrics(), func(m metric.Metric) bool {
		if m.Course == metric.Cumulative || !study.RecordsMetric(arm, m.Name) {
			return false
		}
		return len(plots) == 0 || slices.ContainsFunc(plots, func(p study.PlotSection) bool { return p.Y == m.Name })
	})
}

// aliasedPeriod returns the period of records every so many steps of graphs with a period, in
// steps. aliased is true if the graphs do not have it. A period of 0 is none.
func aliasedPeriod(every, period int) (seen int, aliased bool) {
	if period == 0 || every%period == 0 || period%every == 0 {
		return period, false
	}
	a, b := every, period
	for b != 0 {
		a, b = b, a%b
	}
	return every / a * period, true
}

// remedy names the multiples of a period around a number of steps; below the period, 1 and the
// period.
func remedy(every, period int) string {
	below := every / period * period
	return fmt.Sprintf("%d or %d", max(1, below), below+period)
}
