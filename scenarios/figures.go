package scenarios

import (
	"fmt"

	"starling/scenarios/meter"
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
	metric, name, title, label string
	perStep                    bool // divided by the step
	log                        bool
}{
	{meter.RegretExpected, "regret", "Regret per step", "max_i E[R^i] / t", true, true},
	{meter.Consensus, "consensus", "Distance between the nodes", "root mean square distance from the mean", false, true},
	{meter.TargetError, "target", "Distance from the target", "mean distance from the target", false, true},
	{meter.EpsilonTotal, "privacy", "Accounted privacy loss of a node", "epsilon so far", false, true},
}

// figures draws what the summary has: a figure a metric, and one of all nodes'
// regret where there is one arm.
func (s *Scenario) figures(summary []results.SummaryRow, nodes [][]meter.Estimate) []namedFigure {
	var figures []namedFigure
	for _, c := range charted {
		f := figure.Figure{Title: fmt.Sprintf("%s: %s", s.Name, c.title), XLabel: "step t", YLabel: c.label, LogY: c.log}
		for i, arm := range s.Arms {
			if i == mostCurves {
				break
			}
			series := curve(arm.Name, summary, c.metric, c.perStep)
			if len(series.X) > 0 {
				f.Series = append(f.Series, series)
			}
		}
		if len(f.Series) > 0 {
			figures = append(figures, namedFigure{c.name, f})
		}
	}
	if len(nodes) > 1 {
		figures = append(figures, s.nodeFigure(nodes))
	}
	return figures
}

// curve is a metric of an arm over its steps, with a band of one standard error
// to each side.
func curve(arm string, summary []results.SummaryRow, metric string, perStep bool) figure.Series {
	series := figure.Series{Name: arm}
	for _, row := range summary {
		if row.Arm != arm || row.Metric != metric {
			continue
		}
		series = point(series, float64(row.Step), row.Mean, row.SE, perStep)
	}
	return series
}

// nodeFigure is the regret of every node, as in Fig. 2 of DPDO-NC.
func (s *Scenario) nodeFigure(nodes [][]meter.Estimate) namedFigure {
	arm := s.Arms[0]
	f := figure.Figure{Title: s.Name + ": Regret of each node", XLabel: "step t", YLabel: "E[R^i] / t", LogY: true}
	for k, estimates := range nodes {
		series := figure.Series{Name: fmt.Sprintf("node %d", arm.labels(arm.measured)[k])}
		for _, e := range estimates {
			series = point(series, float64(e.Step), e.Mean, e.SE, true)
		}
		f.Series = append(f.Series, series)
	}
	return namedFigure{"nodes", f}
}

func point(s figure.Series, step, mean, se float64, perStep bool) figure.Series {
	if perStep {
		mean, se = mean/step, se/step
	}
	s.X, s.Y = append(s.X, step), append(s.Y, mean)
	s.Low, s.High = append(s.Low, mean-se), append(s.High, mean+se)
	return s
}
