package scenarios

import (
	"fmt"
	"math"

	"starling/scenarios/meter"
	"starling/scenarios/meter/dpfl"
	"starling/scenarios/meter/experts"
	"starling/scenarios/meter/federated"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
)

// mostCurves is how many curves a figure can hold and still be read.
const mostCurves = 12

// namedFigure is a figure and the name of its files.
type namedFigure struct {
	name   string
	figure figure.Figure
}

// charted are the metrics that get a figure of one curve an arm.
var charted = []struct {
	metric, name, title string
	perStep             bool // divided by the step, as the catalog of metrics has it
}{
	{meter.RegretExpected, "regret", "regret per step", true},
	{meter.Consensus, "consensus", "distance between the nodes", false},
	{meter.TargetError, "target", "distance from the target", false},
	{federated.AccuracyInstant, "accuracy", "accuracy before learning", false},
	{federated.AccuracyTest, "test", "accuracy on fresh data", false},
	{federated.RegretDynamic, "dynamic-regret", "dynamic regret per step", false},
	{federated.NoisePrefix, "noise", "noise on the sums of gradients", false},
	{experts.RegretClient, "client-regret", "regret of a client", false},
	{experts.CommunicationUp, "communication", "scalars sent to the server", false},
	{dpfl.Tau, "tau", "local steps in a round", false},
	{dpfl.LossTrain, "training", "training loss", false},
	{dpfl.EpsilonSpent, "spent", "privacy loss of the local steps", false},
	{meter.EpsilonTotal, "privacy", "accounted privacy loss of a node", false},
}

// figures draws what the summary has: a figure a metric, and one of all nodes'
// regret where there is one arm.
func (s *Scenario) figures(summary []results.SummaryRow, nodes [][]meter.Estimate) []namedFigure {
	var figures []namedFigure
	of, arms := s.relations(), s.resultArms()
	for _, c := range charted {
		f := s.newFigure(c.title, epsilonAxis(metricLabel(c.metric, c.perStep), c.metric, of.among(arms)))
		for _, arm := range s.Arms[:min(len(s.Arms), mostCurves)] {
			series := curve(arm.Name, summary, c.metric, c.perStep)
			if len(s.Arms) == 1 {
				series.Name = ""
			}
			series.Name = of.mark(series.Name, c.metric, arm.Name, arms)
			if len(series.X) > 0 {
				f.Series = append(f.Series, series)
			}
		}
		if drawn(f.Series) {
			f.LogY = logarithmic(c.metric, f.Series)
			figures = append(figures, namedFigure{c.name, f})
		}
	}
	if len(nodes) > 1 {
		figures = append(figures, s.nodeFigure(nodes))
	}
	return figures
}

func (s *Scenario) newFigure(title, label string) figure.Figure {
	if len(s.Arms) > mostCurves {
		title += fmt.Sprintf(" (the first %d of %d arms)", mostCurves, len(s.Arms))
	}
	return figure.Figure{Title: fmt.Sprintf("%s: %s", s.Name, title), XLabel: "step t", YLabel: label}
}

// curve is a metric of an arm over its steps, with a band of one standard error
// to each side where there is one.
func curve(arm string, summary []results.SummaryRow, metric string, perStep bool) figure.Series {
	options := PlotOptions{Metric: metric, Band: BandSE, PerStep: perStep}
	c := plotCurve{name: arm}
	for _, row := range summary {
		if row.Arm == arm && row.Metric == metric {
			c.points = append(c.points, placed(float64(row.Step), newPlotRow(row), &options))
		}
	}
	return c.series(&options)
}

// nodeFigure is the regret of every node, as in Fig. 2 of DPDO-NC. It has no
// bands: the nodes' lie on top of each other.
func (s *Scenario) nodeFigure(nodes [][]meter.Estimate) namedFigure {
	arm := s.Arms[0]
	options := PlotOptions{Band: BandNone, PerStep: true}
	f := s.newFigure("regret of each node per step", "expected regret of the node / t")
	for k, estimates := range nodes {
		c := plotCurve{name: fmt.Sprintf("node %d", arm.labels(arm.measured)[k])}
		for _, e := range estimates {
			row := plotRow{step: int64(e.Step), mean: e.Mean, se: e.SE, n: int64(e.Runs)}
			c.points = append(c.points, placed(float64(e.Step), row, &options))
		}
		f.Series = append(f.Series, c.series(&options))
	}
	f.LogY = logarithmic(meter.RegretNode, f.Series)
	return namedFigure{"nodes", f}
}

// drawn reports whether any point of the series can be drawn.
func drawn(series []figure.Series) bool {
	for _, s := range series {
		for _, y := range s.Y {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				return true
			}
		}
	}
	return false
}

// logarithmic tells whether a logarithmic axis suits the metric and shows its
// curves whole: no value is negative, which a regret can be, and some are
// positive. A zero, such as the distance between nodes that start at one point,
// only interrupts a curve.
func logarithmic(metric string, series []figure.Series) bool {
	if m, ok := FindMetric(metric); ok && m.Unit == share {
		return false
	}
	positive := false
	for _, s := range series {
		for _, y := range s.Y {
			if y < 0 {
				return false
			}
			positive = positive || y > 0 && !math.IsInf(y, 1)
		}
	}
	return positive
}
