package plot

import (
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// windowNote says below a figure of such curves that its bands are no confidence intervals.
const windowNote = "Bands and bars are no confidence intervals: they go from the least to the most of the steps of a record."

// windowTitle is the part of a title on such curves.
const windowTitle = ", mean over steps, from least to most"

// Windows reports whether a run has the values of a metric over the steps of its records. Curves
// over steps, or over another metric, then are of their means, and bands reach from the least to
// the most of them, each a mean over the seeds.
func (r *Run) Windows(name string) bool {
	mean, _, _ := metric.WindowNames(name)
	return len(r.Rows[mean]) > 0
}

// window returns the rows of the mean over the steps of records in place of the rows of an arm, and
// the ends of their bands by step. It returns the rows themselves, and no bands, where the arm has no
// such values.
func (r *Run) window(arm string, o *study.PlotOptions, rows []results.SummaryRow) ([]results.SummaryRow, map[int64][2]float64) {
	mean, least, most := metric.WindowNames(o.Metric)
	of := func(name string) []results.SummaryRow { return r.rowsOf(name, arm) }
	means := of(mean)
	if len(means) == 0 {
		return rows, nil
	}
	ends := map[int64][2]float64{}
	for _, row := range of(least) {
		ends[row.Step] = [2]float64{row.Mean}
	}
	for _, row := range of(most) {
		ends[row.Step] = [2]float64{ends[row.Step][0], row.Mean}
	}
	if o.Band == study.NoBand {
		ends = nil
	}
	return means, ends
}

// within puts the ends of bands in place of their errors.
func within(points []curvePoint, ends map[int64][2]float64) {
	for i := range points {
		if e, ok := ends[points[i].step]; ok {
			points[i].low, points[i].high, points[i].ends = e[0], e[1], true
		}
	}
}

// settled returns averages over the steps without the first, where it comes before the regular
// records: an average over very few steps is a hook at the beginning of a curve.
func settled(points []curvePoint) []curvePoint {
	if len(points) > 3 && points[1].x-points[0].x < points[2].x-points[1].x {
		return points[1:]
	}
	return points
}
