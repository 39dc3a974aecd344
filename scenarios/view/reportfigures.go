package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// figures returns the figures of a run's section, in two lists. Shown has the scenario's own
// figures, then the figures of the metrics that usually have a plot, then the regret of each
// node. Others has one of the headline metric and of every metric that Shown lacks, for a reader to choose from. Another
// metric is drawn once: where the scenario's figures show it for all arms over the steps, it has no other in
// Shown.
func (r *reported) figures(privacy *report.Ledger) (f report.Figures, err error) {
	asked, covered := r.asked()
	f.Shown = asked
	for _, c := range r.Known.Charted() {
		if c.Name == ledger.EpsilonTotal || covered[c.Name] != "" || r.Rows[c.Name] == nil {
			continue // it is in the ledger, or in the scenario's own figures
		}
		if shown := r.metricFigure(c.Name); drawn(&shown) {
			r.referencesApart(&shown.Figure)
			f.Shown = append(f.Shown, shown)
		}
	}
	f.Shown = append(f.Shown, r.quantiles()...)
	nodes, err := r.nodeFigure()
	if err != nil {
		return report.Figures{}, err
	}
	if len(nodes.Series) > 0 {
		f.Shown = append(f.Shown, nodes)
	}
	if covered[ledger.EpsilonTotal] != "" {
		privacy.Figures.Shown = nil
	}
	// A metric that has a figure already is not drawn again among the others, unless it is the headline in several small charts.
	headline, elsewhere := r.headlineMetric(), slices.Concat(f.Shown, privacy.Figures.Shown)
	for _, metric := range r.Metrics() {
		shown := func(shown report.Figure) bool { return shown.Metric == metric }
		again := covered[metric] == wholly || slices.ContainsFunc(elsewhere, shown)
		if again && metric != headline {
			continue
		}
		if other := r.metricFigure(metric); drawn(&other) && (!again || len(other.Panels) > 1) { // else the figure would be empty, or be there twice
			f.Others = append(f.Others, other)
		}
	}
	// The first of the others is shown before a reader chooses.
	whole := WithoutWindows(r.Metrics())
	rank := func(f *report.Figure) int {
		m, _ := r.Known.Find(f.Metric)
		switch {
		case f.Metric == headline:
			return 0
		case telling(f) && m.Better != "" && slices.Contains(whole, f.Metric):
			return 1
		case telling(f):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(f.Others, func(a, b report.Figure) int { return rank(&a) - rank(&b) })
	return f, nil
}

// headlineMetric is the metric of the run's finding; empty where it has no better side.
func (r *reported) headlineMetric() string {
	if ranking := r.ranking(); ranking != nil {
		return ranking.Metric
	}
	return ""
}

// telling reports whether the curves of a figure go over several steps, and differ where they are several.
func telling(f *report.Figure) bool {
	return slices.ContainsFunc(f.Charts(), func(p figure.Panel) bool {
		long := slices.IndexFunc(p.Series, func(s figure.Series) bool { return len(s.X) > 1 && plot.Drawn([]figure.Series{s}) })
		if long < 0 {
			return false
		}
		return len(p.Series) == 1 || slices.ContainsFunc(p.Series, func(s figure.Series) bool {
			return !slices.Equal(s.Y, p.Series[long].Y) && plot.Drawn([]figure.Series{s})
		})
	})
}

// drawn reports whether any chart of a figure has a point.
func drawn(f *report.Figure) bool {
	return slices.ContainsFunc(f.Charts(), func(p figure.Panel) bool { return plot.Drawn(p.Series) })
}

// How figures of the scenario cover a metric: one shows all arms, or several do
// so together.
const (
	wholly  = "wholly"
	jointly = "jointly"
)

// asked returns the scenario's own figures, and how they cover metrics. Figures of nodes, and
// figures with curves that turn back because a metric is drawn over another, stay in the
// folder plots alone: the page's figures need an x that ascends.
func (r *reported) asked() (list []report.Figure, covered map[string]string) {
	covered = map[string]string{} // by metric
	if r.scenario == nil {
		return nil, covered
	}
	arms := map[string][]string{} // shown over the steps, by metric
	for _, p := range r.scenario.Plots {
		options := p.Options(r.Known)
		if options.OfNodes() {
			continue
		}
		f, ok := r.askedFigure(&options)
		if !ok {
			continue
		}
		r.referencesApart(&f)
		list = append(list, report.Figure{Figure: f, Metric: "plots/" + p.Name})
		if _, _, _, _, perStep := described(r.Known, p.Y); options.Across() != plot.UsualAxis(r.scenario) || options.PerStep != perStep {
			continue
		}
		shown := r.selected(p.Arms)
		arms[p.Y] = append(arms[p.Y], shown...)
		switch all := r.selected(nil); {
		case len(shown) == len(all):
			covered[p.Y] = wholly
		case covered[p.Y] == "" && !slices.ContainsFunc(all, func(arm string) bool { return !slices.Contains(arms[p.Y], arm) }):
			covered[p.Y] = jointly
		}
	}
	return list, covered
}

// selected returns the run's arms that names of a plot select, all for nil.
func (r *reported) selected(names []string) (arms []string) {
	for _, arm := range r.manifest.Arms {
		if names == nil || slices.ContainsFunc(names, func(name string) bool { return plot.SelectsArm(name, arm.Name) }) {
			arms = append(arms, arm.Name)
		}
	}
	return arms
}

// askedFigure returns one of the scenario's own figures. The boolean is false where the page
// cannot show it, or where the run has nothing to draw; the run then has a warning.
func (r *reported) askedFigure(options *study.PlotOptions) (figure.Figure, bool) {
	f, err := plot.Figure([]plot.Run{r.Run.Run}, *options)
	if err != nil {
		return f, false // the run lacks this plot, too, and has a warning with the reason
	}
	return r.onPage(f)
}

// onPage returns a figure of plots as the page shows it. The boolean is false where it cannot.
func (r *reported) onPage(f figure.Figure) (figure.Figure, bool) {
	if f.Cells != nil || f.Categories != nil { // the page has axes of numbers
		return f, false
	}
	for _, panel := range f.Charts() {
		if slices.ContainsFunc(panel.Series, func(s figure.Series) bool { return !slices.IsSorted(s.X) }) {
			return f, false
		}
		for i := range panel.Series {
			s := &panel.Series[i]
			s.Name = cmp.Or(plot.Unmarked(s.Name), panel.Title, r.manifest.Arms[0].Name)
		}
	}
	f.Title = strings.TrimPrefix(f.Title, r.manifest.Scenario+": ")
	return f, true
}

// quantiles returns the figures of quantiles over the participants, as the folder plots has them.
func (r *reported) quantiles() (list []report.Figure) {
	if r.scenario == nil {
		return nil
	}
	for _, own := range r.Quantiles(r.scenario) {
		if slices.ContainsFunc(r.scenario.Plots, func(p study.PlotSection) bool { return p.Name == own.Name }) {
			continue
		}
		if f, ok := r.onPage(own.Figure); ok {
			list = append(list, report.Figure{Figure: f, Metric: "plots/" + own.Name, Caption: "Participants at each record, means over the seeds; the band goes from quantile 0.1 to 0.9."})
		}
	}
	return list
}

// described returns the properties of a metric's plot: title, label, unit, whether the metric
// usually has a plot, and whether the plot divides it by the step. A metric without a plot has
// its own name as title and label.
func described(known metric.List, name string) (title, label, unit string, plotted, perStep bool) {
	if m, ok := known.Find(name); ok && m.Chart != (metric.Chart{}) {
		return m.Chart.Title, known.Label(name, m.PerStep), m.Unit, true, m.PerStep
	}
	return name, name, "", false, false
}

// metricFigure returns a figure with a curve for every arm that has the metric.
func (r *reported) metricFigure(metric string) report.Figure {
	x := study.AxisStep
	if r.scenario != nil && metric != gauge.DataSeen && r.Rows[gauge.DataSeen] != nil {
		x = plot.UsualAxis(r.scenario)
	}
	f := newReportFigure(r.Known, metric, r.curves(metric, x), &r.Run.Run, r.ranking(), r.Windows(metric))
	if x != study.AxisStep {
		f.XLabel, f.LogX = r.Known.Label(x, false), plot.Spread(f.Series)
	}
	f.YLabel = accounts.EpsilonAxis(f.YLabel, metric, r.Of.Among(r.manifest.Arms))
	for _, panel := range f.Charts() { // curves beside the values in the legend have the names of the other figures
		for i := range panel.Series {
			if s := &panel.Series[i]; s.Hue == "" && s.Label == "" {
				s.Name = r.label(s.Name)
			}
		}
	}
	return f
}

// ranking is the order of the arms in the finding; nil where there is none.
func (r *reported) ranking() *plot.Ranking {
	if r.scenario == nil {
		return nil
	}
	return r.Ranked(r.scenario, r.Known)
}

// newReportFigure draws curves of a metric. There are at most as many curves as colours and
// dashes can tell apart; the caption gives the number of those left out. The
// values that the arms of a run set give curves their colours, dashes and charts; run is nil for
// curves of several runs. In crowded charts the best arms of a ranking stand in front. Only a metric that
// usually has a plot may have a logarithmic axis; cumulative counts read better on a linear
// one. windows is true if curves are of the steps of records; see plot.Run.Windows.
func newReportFigure(known metric.List, metric string, series []figure.Series, run *plot.Run, ranking *plot.Ranking, windows bool) report.Figure {
	title, label, unit, plotted, perStep := described(known, metric)
	f := report.Figure{Metric: metric}
	f.Figure = figure.Figure{Title: title, XLabel: "step t", YLabel: label, Series: series}
	logarithmic := plotted && plot.Logarithmic(unit, f.Series)
	banded := slices.ContainsFunc(f.Series, func(s figure.Series) bool { return s.Low != nil })
	if n := len(f.Series); (run == nil || !run.Arrange(&f.Figure)) && n > figure.Distinct {
		f.Series = f.Series[:figure.Distinct]
		f.Caption = fmt.Sprintf("The first %d of %d curves: more cannot be distinguished.", figure.Distinct, n)
	}
	if run != nil && len(f.Panels) > 0 {
		plot.FewBands(&f.Figure, metric, known, ranking)
	}
	if banded {
		bands := fmt.Sprintf("Bands: the %g %% confidence interval of the mean over the seeds (Student's t). ", 100*comparison.Confidence)
		if run != nil {
			resampled := run.ResampledText(&study.PlotOptions{Metric: metric, Band: study.UsualBand, Known: known}, "Bands", run.Source.Manifest.Seeds.Count, true)
			if resampled != "" {
				bands = resampled + " "
			}
		}
		if windows {
			bands = "Curves: the mean over the steps of each record. Bands: from the least to the most of these steps. Each is the mean over the seeds. "
		}
		f.Caption = strings.TrimSpace(bands + f.Caption)
	}
	if !banded && run != nil && f.Caption == "" {
		f.Caption = withoutBands(run, metric)
	}
	f.LogY, f.Share = logarithmic, isShare(unit) && !perStep
	if banded && f.Clipped() {
		f.Caption = strings.TrimSpace(f.Caption + " " + plot.ClippedText)
	}
	return f
}

// withoutBands says why the curves of a metric have no bands.
func withoutBands(run *plot.Run, metric string) string {
	rows := run.Rows[metric]
	switch n := run.Source.Manifest.Seeds.Count; {
	case n == 1:
		return "Without bands: the run has one seed."
	case !slices.ContainsFunc(rows, func(row results.SummaryRow) bool { return row.SE != 0 }):
		return "Without bands: all seeds have the same values."
	case slices.ContainsFunc(rows, func(row results.SummaryRow) bool { return math.IsNaN(row.SE) && row.N > 1 }):
		return "Without bands: it is one value over all seeds, of which there is no interval here."
	}
	return ""
}

// isShare reports whether a unit is of parts of a whole.
func isShare(unit string) bool { return unit == metric.Share }

// curves returns a metric of the arms over the steps, in the order of the run. The names are
// the arms': the page marks infinite values itself.
func (r *reported) curves(metric, x string) (list []figure.Series) {
	_, _, _, _, perStep := described(r.Known, metric)
	for _, arm := range r.manifest.Arms {
		series := r.Curve(arm.Name, metric, x, perStep)
		series.Name = r.Of.Mark(arm.Name, metric, arm.Name, r.manifest.Arms)
		if len(series.X) > 0 {
			list = append(list, series)
		}
	}
	return list
}

// nodeFigure returns the figure of every node's regret, where there is one arm and the nodes
// are few, as in the plots; otherwise it has no series.
func (r *reported) nodeFigure() (report.Figure, error) {
	if len(r.manifest.Arms) > 1 {
		return report.Figure{}, nil
	}
	nodes, err := r.NodeCurves(r.Arms[0].Name, gauge.RegretNode)
	if err != nil || len(nodes) < 2 || len(nodes) > plot.MostCurves {
		return report.Figure{}, err
	}
	f := newReportFigure(r.Known, gauge.RegretNode, nodes, nil, nil, false)
	f.Title, f.YLabel = "regret of each node per step", "regret of the node / t"
	f.LogY = plot.Logarithmic("", nodes)
	f.Caption = "The mean of regret.node over the seeds. The plot of that name takes the mean before the maximum over points, and so lies lower."
	return f, nil
}

// sharedFigures returns figures that overlay the runs, of every metric that at least two
// of them have. Metrics that usually have a plot are shown; the others can be selected.
// One run has none.
func sharedFigures(list []*reported) (f report.Figures) {
	if len(list) < 2 {
		return f
	}
	known, names := list[0].Known, runNames(list)
	metrics := known.Charted().Names()
	charted := len(metrics)
	for _, r := range list {
		for _, metric := range r.Metrics() {
			if !slices.Contains(metrics, metric) {
				metrics = append(metrics, metric)
			}
		}
	}
	slices.Sort(metrics[charted:])
	for i, metric := range metrics {
		var series []figure.Series
		having := 0
		for n, r := range list {
			curves := r.curves(metric, study.AxisStep)
			for k := range curves {
				label := r.label(curves[k].Name)
				if curves[k].Name = names[n] + ": " + label; len(r.Arms) == 1 {
					curves[k].Name = names[n]
				}
			}
			if len(curves) > 0 {
				having++
			}
			series = append(series, curves...)
		}
		windows := slices.ContainsFunc(list, func(r *reported) bool { return r.Windows(metric) })
		if having < 2 || !plot.Drawn(series) {
			continue
		}
		drawn := newReportFigure(known, metric, series, nil, nil, windows)
		if list[0].overSeeds(metric) && list[0].Halves != nil {
			drawn.Caption = strings.Replace(drawn.Caption, "of the mean over the seeds (Student's t)", "of the statistic (bootstrap over the seeds)", 1)
		}
		if i < charted {
			f.Shown = append(f.Shown, drawn)
		} else {
			f.Others = append(f.Others, drawn)
		}
	}
	return f
}

// runNames names runs by their scenarios, or, where some have one scenario, by the settings in which they differ.
func runNames(list []*reported) (names []string) {
	var together []plot.Run
	for _, r := range list {
		names, together = append(names, r.manifest.Scenario), append(together, r.Run.Run)
	}
	sorted := slices.Sorted(slices.Values(names))
	if len(slices.Compact(sorted)) < len(names) {
		return plot.RunNames(together)
	}
	return names
}

// label names a curve of an arm for people, with the mark that it may have.
func (r *reported) label(curve string) string {
	labels := plot.ArmLabels(r.Arms)
	for _, arm := range r.Arms {
		if mark, ok := strings.CutPrefix(curve, arm.Name); ok && (mark == "" || strings.HasPrefix(mark, " (")) {
			return cmp.Or(labels[arm.Name], arm.Name) + mark
		}
	}
	return curve
}

// overSeeds reports whether a metric is a statistic over all seeds.
func (r *reported) overSeeds(name string) bool {
	m, _ := r.Known.Find(name)
	return m.Level == metric.OfSummary
}

// The size in inches of a figure beside the table of a finding: a larger one is scaled down, and its letters with it.
const besideWidth, besideHeight = 4.2, 3.2

// pictures returns the figures that show a finding: the heat map of the arms, their dots with intervals, and the headline
// metric against privacy, as the folder plots has them.
func (r *reported) pictures(statistics comparison.Statistics) (list []figure.Figure, err error) {
	if r.scenario == nil {
		return nil, nil
	}
	run := r.Run.Run
	if run.Facts, err = plot.FactsOf(r.Source); err != nil {
		return nil, err
	}
	if name, ok := run.LastMetric(r.scenario); ok {
		if run.Marks, err = r.MarksOf(name, statistics); err != nil {
			return nil, err
		}
		if f, ok := run.HeatMap(r.scenario); ok {
			list = append(list, f.Figure)
		}
	}
	if f, ok := run.Dots(r.scenario); ok { // beside a heat map, which the page has as a table
		if len(f.Figure.Cells.Columns) == 1 {
			f.Figure.Width = besideWidth
		}
		list = append(list, f.Figure)
	}
	if r.scenario.Plots != nil { // which replace the usual figures
		return list, nil
	}
	if f, ok := run.TradeOff(r.scenario); ok {
		f.Figure.Width, f.Figure.Height = besideWidth, besideHeight
		list = append(list, f.Figure)
	}
	return list, nil
}
