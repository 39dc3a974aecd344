package scenarios

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
)

// Band is what a plot's bands show to each side of the mean over the seeds.
type Band string

// The bands.
const (
	BandSE   Band = "se"   // the standard error of the mean
	BandSD   Band = "sd"   // the standard deviation of a seed: se·√n
	BandNone Band = "none" // no band
)

// Bands lists the bands.
func Bands() []Band { return []Band{BandSE, BandSD, BandNone} }

// PlotOptions say what a plot shows.
type PlotOptions struct {
	Metric     string // one of the runs' summaries
	Band       Band
	PerStep    bool // divide by the step
	LogX, LogY bool
	Size       figure.Size
}

// Validate reports a band that does not exist.
func (o *PlotOptions) Validate() error {
	if slices.Contains(Bands(), o.Band) {
		return nil
	}
	return fmt.Errorf("unknown band %q; known: %s, %s, %s", o.Band, BandSE, BandSD, BandNone)
}

// Plot is a figure of a metric over the steps: a curve for every arm of every
// run that has the metric. Where there are several runs, the names of the
// curves begin with the run's scenario and the beginning of its hash. What
// cannot be plotted is an InputError.
func Plot(runs []*results.Run, options PlotOptions) (figure.Figure, error) {
	if err := options.Validate(); err != nil {
		return figure.Figure{}, BadInput(err)
	}
	f := figure.Figure{
		XLabel: "step t", YLabel: metricLabel(options.Metric, options.PerStep),
		LogX: options.LogX, LogY: options.LogY, Size: options.Size,
	}
	arms := 0
	for i, run := range runs {
		for _, other := range runs[:i] {
			if other.Manifest.Scenario == run.Manifest.Scenario && other.Manifest.Hash == run.Manifest.Hash {
				return figure.Figure{}, BadInput(fmt.Errorf("%s and %s are the same run", other.Dir, run.Dir))
			}
		}
		series, err := runCurves(run, len(runs) > 1, options)
		if err != nil {
			return figure.Figure{}, err
		}
		f.Series = append(f.Series, series...)
		arms += len(run.Manifest.Arms)
	}
	if n := len(f.Series); n > figure.Distinct {
		return figure.Figure{}, BadInput(fmt.Errorf("%d curves; at most %d can be told apart", n, figure.Distinct))
	}
	if !drawable(&f) {
		return figure.Figure{}, BadInput(fmt.Errorf("%s has no number that these axes can show", options.Metric))
	}
	if arms == 1 && f.Series[0].Name == runs[0].Manifest.Arms[0].Name { // there is nothing to tell apart
		f.Series[0].Name = ""
	}
	f.Title = plotTitle(runs, options, f.Series, arms)
	return f, nil
}

// runCurves are the curves of a run's arms, in the order of the run.
func runCurves(run *results.Run, prefixed bool, options PlotOptions) ([]figure.Series, error) {
	var rows []results.SummaryRow // of the metric
	var metrics []string
	err := run.Summary(func(row results.SummaryRow) error {
		if !slices.Contains(metrics, row.Metric) {
			metrics = append(metrics, row.Metric)
		}
		if row.Metric == options.Metric {
			rows = append(rows, banded(row, options.Band))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, BadInput(unknownMetric(run, options.Metric, metrics))
	}
	var list []figure.Series
	for _, arm := range run.Manifest.Arms {
		series := curve(arm.Name, rows, options.Metric, options.PerStep)
		if len(series.X) == 0 {
			continue
		}
		if prefixed {
			series.Name = fmt.Sprintf("%s %s %s", run.Manifest.Scenario, shortHash(run), series.Name)
		}
		list = append(list, series)
	}
	return list, nil
}

// banded puts the half width of the band in place of the standard error.
func banded(row results.SummaryRow, band Band) results.SummaryRow {
	switch band {
	case BandSD:
		row.SE *= math.Sqrt(float64(row.N))
	case BandNone:
		row.SE = 0
	}
	return row
}

func unknownMetric(run *results.Run, metric string, known []string) error {
	slices.Sort(known)
	hint := ""
	if nearest, ok := document.Nearest(metric, known); ok {
		hint = fmt.Sprintf("; did you mean %q?", nearest)
	}
	text := fmt.Sprintf("%s: no metric %q in the summary%s\nknown: %s", run.Dir, metric, hint, strings.Join(known, ", "))
	return errors.New(text)
}

// shortHash is as much of a run's hash as people need to tell runs apart.
func shortHash(run *results.Run) string {
	return run.Manifest.Hash[:min(len(run.Manifest.Hash), 8)]
}

// plotTitle says what the axes do not: whose numbers these are, what the bands
// show, and whether an arm is missing.
func plotTitle(runs []*results.Run, options PlotOptions, series []figure.Series, arms int) string {
	title := options.Metric
	if len(runs) == 1 {
		title = runs[0].Manifest.Scenario + ": " + title
	}
	if slices.ContainsFunc(series, func(s figure.Series) bool { return s.Low != nil }) {
		title += " ± " + strings.ToUpper(string(options.Band))
	}
	if len(series) < arms {
		title += fmt.Sprintf(" (%d of %d arms have it)", len(series), arms)
	}
	return title
}

// metricLabel is the label of an axis that shows a metric.
func metricLabel(metric string, perStep bool) string {
	label := metric
	for _, c := range charted {
		if c.metric == metric {
			label = c.label
		}
	}
	if perStep {
		label += " / t"
	}
	return label
}

// drawable reports whether the axes can show any point of the figure.
func drawable(f *figure.Figure) bool {
	for _, s := range f.Series {
		for i, y := range s.Y {
			if figure.Drawable(s.X[i], f.LogX) && figure.Drawable(y, f.LogY) {
				return true
			}
		}
	}
	return false
}
