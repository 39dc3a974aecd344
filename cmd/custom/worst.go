package main

import (
	"slices"

	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// worstLoss is the metric loss.largest, for every algorithm and problem: the average loss of the
// node that has lost the most. measure.metrics: [loss.largest] records it.
var worstLoss = gauge.Measure{
	Metric: metric.Metric{
		Name: "loss.largest", Summary: "mean loss so far of the node that has lost the most; where measure.metrics names it",
		Label: "mean loss of the worst node", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true,
		Chart: metric.Chart{Name: "worst", Title: "the node that has lost the most"},
	},
	Needs: []gauge.Answers{{Met: true}}, // the loss of a decision at the data that a node meets
	New: func(m *gauge.Measure, r *gauge.Run) gauge.Gauge {
		return &gauge.Folded{Measure: m, Who: r.Who, Of: r.Met, Fold: slices.Max[[]float64]}
	},
}
