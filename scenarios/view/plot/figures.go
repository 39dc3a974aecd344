package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// MostCurves is the number of curves that a chart can hold and still be read.
const MostCurves = 12

// Usual draws the metrics of a run that has just ended: a figure for each metric, one of the
// headline metric against privacy, and one of all nodes' regret where there is one arm. nodes are
// the estimates of each node's regret by
// step; nil leaves their figure out. Metrics without a chart, or without a point, have no
// figure.
func (r *Run) Usual(s *study.Scenario, nodes [][]gauge.RegretEstimate) []figure.Named {
	var figures []figure.Named
	of, arms := r.Of, r.Arms
	metrics := s.Kinds.AllMetrics()
	x, known := UsualAxis(s), ArmLabels(arms)
	for _, c := range metrics.Charted() {
		title := c.Chart.Title
		if r.Windows(c.Name) {
			title += windowTitle
		}
		f := newFigure(s, title, accounts.EpsilonAxis(metrics.Label(c.Name, c.PerStep), c.Name, of.Among(arms)))
		f.XLabel = axisLabel(&study.PlotOptions{X: x, Known: metrics})
		var labels []string
		for _, arm := range s.Arms {
			series := r.Curve(arm.Name, c.Name, x, c.PerStep)
			if len(series.X) > 0 {
				f.Series = append(f.Series, series)
				labels = append(labels, known[arm.Name])
			}
		}
		addLabels(f.Series, labels)
		if Drawn(f.Series) {
			if f.Share = c.Unit == metric.Share && !c.PerStep; f.Share {
				cutShares(&f)
			}
			f.LogX, f.LogY = x != study.AxisStep && Spread(f.Series), Logarithmic(c.Unit, f.Series)
			mark := func(name string) string { return of.Mark(name, c.Name, name, arms) }
			if !r.Arrange(&f) {
				limit(&f)
				if len(s.Arms) == 1 { // one curve needs no legend
					f.Series[0].Name, f.Series[0].Label = "", ""
					mark = func(string) string { return of.Mark("", c.Name, s.Arms[0].Name, arms) }
				}
			}
			joined := joinAlike(&f)
			background(&f, &study.PlotOptions{Metric: c.Name, Known: metrics})
			thinBands(&f, &study.PlotOptions{Metric: c.Name, Known: metrics})
			switch {
			case !bandsDrawn(&f):
			case r.Windows(c.Name):
				f.Note = strings.TrimSpace(f.Note + " " + windowNote)
			default:
				prepend(&f, bandNote([]Run{*r}, &study.PlotOptions{Metric: c.Name, Band: study.UsualBand, Known: metrics}))
			}
			for _, panel := range f.Charts() {
				for i := range panel.Series {
					s := &panel.Series[i]
					name, label := mark(s.Name), of.MarkLabel(s.Shown(), c.Name, s.Name, arms)
					if s.Label != "" || label != s.Name && name != s.Name {
						s.Label = label
					}
					s.Name = name
				}
			}
			markGaps(&f, s.Arms[0].Name, &study.PlotOptions{Metric: c.Name})
			o := study.PlotOptions{Metric: c.Name, X: x, PerStep: c.PerStep, Band: study.UsualBand, Known: metrics}
			noteObservers(&f, []Run{*r}, &o)
			f.Caption = caption([]Run{*r}, &f, &o)
			f.Caption = withJoined(f.Caption, joined)
			figures = append(figures, figure.Named{Name: c.Chart.Name, Figure: f})
		}
	}
	if f, ok := r.TradeOff(s); ok {
		figures = append(figures, f)
	}
	if len(nodes) > 1 {
		f := nodeFigure(s, nodes)
		f.Figure.Caption = caption([]Run{*r}, &f.Figure, &study.PlotOptions{Metric: gauge.RegretNode, PerStep: true, Known: metrics})
		figures = append(figures, f)
	}
	return figures
}

// limit leaves out curves that colour and dash cannot tell apart from the others; the title
// has their number.
func limit(f *figure.Figure) {
	if n := len(f.Series); n > figure.Distinct {
		f.Series = f.Series[:figure.Distinct]
		f.Title += fmt.Sprintf(" (the first %d of %d arms)", figure.Distinct, n)
	}
}

// newFigure returns an empty figure over the steps.
func newFigure(s *study.Scenario, title, label string) figure.Figure {
	return figure.Figure{Title: fmt.Sprintf("%s: %s", s.Name, title), XLabel: "step t", YLabel: label}
}

// UsualAxis returns the x axis of the usual figures: the step, or the data seen where arms are
// of different families.
func UsualAxis(s *study.Scenario) string {
	if study.Mixed(s) {
		return gauge.DataSeen
	}
	return study.AxisStep
}

// Curve returns the curve of a metric of an arm over its steps, or over another metric, with a
// usual band where there is one; see Windows. There are no points where the arm does not record the metric or x, and at step 0 if y would be divided by the step.
func (r *Run) Curve(arm, metric, x string, perStep bool) figure.Series {
	options := study.PlotOptions{Metric: metric, Band: study.UsualBand, PerStep: perStep}
	rows := slices.DeleteFunc(r.rowsOf(metric, arm), func(row results.SummaryRow) bool { return averageless(row.Step, perStep) })
	across := r.rowsOf(x, arm)
	var ends map[int64][2]float64
	if !perStep && len(rows) > 0 {
		rows, ends = r.window(arm, &options, rows)
	}
	c := plotCurve{name: arm, points: along(rows, across, x == study.AxisStep, &options)}
	r.resample(arm, c.points, &options)
	within(c.points, ends)
	return c.series(&options)
}

// rowsOf returns the rows of a metric of an arm; a new slice. Rows of other arms can be many, and are
// not copied.
func (r *Run) rowsOf(metric, arm string) (rows []results.SummaryRow) {
	all := r.Rows[metric]
	for i := range all {
		if all[i].Arm == arm {
			rows = append(rows, all[i])
		}
	}
	return rows
}

// NodeCurves returns a metric of nodes of an arm of a finished run, its mean over the seeds
// divided by the step: a curve for each node, ascending. They have no bands: bands of several
// nodes lie on top of each other.
func (r Run) NodeCurves(arm, metric string) (list []figure.Series, err error) {
	if err := r.readNodes(metric); err != nil {
		return nil, err
	}
	options := study.PlotOptions{Metric: metric, By: study.EachNode, Band: study.NoBand, PerStep: true}
	for _, part := range r.parts(&options)[arm] {
		c := plotCurve{name: nodeName(part.node), points: along(part.y, nil, true, &options)}
		list = append(list, c.series(&options))
	}
	return list, nil
}

// nodeName returns the name of the curve of a node.
func nodeName(node int32) string { return fmt.Sprintf("node %d", node) }

// nodeFigure draws the regret of every node, as in Fig. 2 of DPDO-NC. It has no bands: the
// nodes' bands lie on top of each other. nodes are by participant and then by recorded step.
func nodeFigure(s *study.Scenario, nodes [][]gauge.RegretEstimate) figure.Named {
	arm := s.Arms[0]
	options := study.PlotOptions{Band: study.NoBand, PerStep: true}
	f := newFigure(s, "regret of each node per step", "expected regret of the node / t")
	for k, estimates := range nodes {
		c := plotCurve{name: nodeName(study.NodeLabels(arm, arm.Measured)[k])}
		for _, e := range estimates {
			row := results.SummaryRow{Step: int64(e.Step), Mean: e.Mean, SE: e.SE, N: int64(e.Runs)}
			c.points = append(c.points, placed(float64(e.Step), row, &options))
		}
		f.Series = append(f.Series, c.series(&options))
	}
	f.LogY = Logarithmic("", f.Series)
	markGaps(&f, "", &options)
	return figure.Named{Name: "nodes", Figure: f}
}

// Drawn reports whether any point of the series can be drawn.
func Drawn(series []figure.Series) bool {
	for _, s := range series {
		for _, y := range s.Y {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				return true
			}
		}
	}
	return false
}

// spread is the factor between the ends of curves up to which they share a linear axis.
const spread = 5

// Spread reports whether curves end so far apart that only a logarithmic x axis shows all of
// them: an algorithm may see many times the data of another.
func Spread(series []figure.Series) bool {
	least, most := math.Inf(1), 0.0
	for _, s := range series {
		if n := len(s.X); n > 0 {
			least, most = min(least, s.X[n-1]), max(most, s.X[n-1])
		}
	}
	return least > 0 && most > spread*least
}

// Logarithmic reports whether a logarithmic axis suits a metric of a unit and shows its curves
// whole. No value may be negative, which a regret can be, and some value has to be positive. A
// zero, such as the distance between nodes that start at one point, only interrupts a curve.
// The curve is marked unless it begins with the zero.
func Logarithmic(unit string, series []figure.Series) bool {
	if unit == metric.Share {
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
