package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

// What an axis and the curves can be besides swept keys and metrics.
const (
	PlotStep = "step" // x: the steps
	PlotArm  = "arm"  // by: a curve for each arm, or for what arms differ in besides x
	PlotNode = "node" // by: a curve for each measured node
	PlotRun  = "run"  // by: a curve for each run
)

// PlotOptions say what a plot shows.
type PlotOptions struct {
	Metric string // y
	// X is PlotStep, a swept key such as mechanism.epsilon, or a metric; ""
	// is PlotStep. On an axis of a swept key the points are the arms' values
	// at a step; on one of a metric they are the steps.
	X string
	// By is PlotArm, a swept key, PlotNode or PlotRun; "" is PlotArm.
	By string
	// Arms are the arms to show; nil is all. A name that ends in * is the
	// beginning of names.
	Arms       []string
	At         int64 // the step of an axis of a swept key; 0 is each arm's last
	Band       Band
	PerStep    bool // divide y by the step
	LogX, LogY bool
	Title      string // "" makes one
	Size       figure.Size
}

// Validate reports a band that does not exist, and a step that no axis has.
func (o *PlotOptions) Validate() error {
	if !slices.Contains(Bands(), o.Band) {
		return document.At("band", "unknown band %q; known: %s, %s, %s", o.Band, BandSE, BandSD, BandNone)
	}
	if o.At < 0 {
		return document.At("at", "step %d", o.At)
	}
	if o.At > 0 && !o.keyed() {
		return document.At("at", "only an axis of a swept key shows one step; x is %s", o.x())
	}
	return nil
}

func (o *PlotOptions) x() string {
	if o.X == "" {
		return PlotStep
	}
	return o.X
}

func (o *PlotOptions) by() string {
	if o.By == "" {
		return PlotArm
	}
	return o.By
}

// keyed reports whether x is a swept key.
func (o *PlotOptions) keyed() bool {
	_, metric := FindMetric(o.X)
	return o.x() != PlotStep && !metric
}

// plotRow is a statistic over the seeds of an arm at a step.
type plotRow struct {
	arm      string
	step     int64
	metric   string
	node     int32 // noNode for a metric of the run
	mean, se float64
	n        int64
}

// noNode marks a row of a run; the paper's numbers of nodes are not negative.
const noNode int32 = -1

// plotRun is what a plot takes from a run.
type plotRun struct {
	scenario string
	label    string // that tells it from other runs
	arms     []results.Arm
	of       relations
	rows     []plotRow // of the metrics that the plot shows; ascending steps of each arm
}

// Plot is a figure of a metric of one or more runs. Where there are several,
// the names of the curves begin with the run's scenario and the beginning of
// its hash. What cannot be plotted is an InputError.
func Plot(runs []*results.Run, options PlotOptions) (figure.Figure, error) {
	if err := options.Validate(); err != nil {
		return figure.Figure{}, BadInput(err)
	}
	var sources []plotRun
	for i, run := range runs {
		for _, other := range runs[:i] {
			if other.Manifest.Scenario == run.Manifest.Scenario && other.Manifest.Hash == run.Manifest.Hash {
				return figure.Figure{}, BadInput(fmt.Errorf("%s and %s are the same run", other.Dir, run.Dir))
			}
		}
		source, err := readPlot(run, &options)
		if err != nil {
			return figure.Figure{}, err
		}
		sources = append(sources, source)
	}
	f, err := plotFigure(sources, options)
	if err != nil {
		return figure.Figure{}, BadInput(err)
	}
	return f, nil
}

// readPlot reads what a plot needs of a run.
func readPlot(run *results.Run, o *PlotOptions) (plotRun, error) {
	p := plotRun{
		scenario: run.Manifest.Scenario,
		label:    fmt.Sprintf("%s %s", run.Manifest.Scenario, shortHash(run)),
		arms:     run.Manifest.Arms,
		of:       relationsOf(run.Manifest.Ledger),
	}
	if o.by() == PlotNode {
		nodes := newNodeStatistics(o.Metric)
		if err := run.Rows(func(row results.Row) error { nodes.add(row); return nil }); err != nil {
			return p, err
		}
		if p.rows = nodes.rows(); len(p.rows) == 0 {
			return p, BadInput(fmt.Errorf("%s: no metric %q of nodes", run.Dir, o.Metric))
		}
		return p, nil
	}
	var known []string
	err := run.Summary(func(row results.SummaryRow) error {
		if !slices.Contains(known, row.Metric) {
			known = append(known, row.Metric)
		}
		p.take(row, o)
		return nil
	})
	if err != nil {
		return p, err
	}
	for _, metric := range []string{o.Metric, o.X} {
		if _, isMetric := FindMetric(metric); (metric == o.Metric || isMetric) && !slices.Contains(known, metric) {
			return p, BadInput(notInSummary(run, metric, known))
		}
	}
	return p, nil
}

// take adds a row of the summary if the plot shows its metric.
func (p *plotRun) take(row results.SummaryRow, o *PlotOptions) {
	if row.Metric == o.Metric || row.Metric == o.X {
		p.rows = append(p.rows, newPlotRow(row))
	}
}

func newPlotRow(row results.SummaryRow) plotRow {
	return plotRow{row.Arm, row.Step, row.Metric, noNode, row.Mean, row.SE, row.N}
}

// shortHash is as much of a run's hash as people need to tell runs apart.
func shortHash(run *results.Run) string {
	return run.Manifest.Hash[:min(len(run.Manifest.Hash), 8)]
}

func notInSummary(run *results.Run, metric string, known []string) error {
	if m, ok := FindMetric(metric); ok && m.Level == OfNode {
		return fmt.Errorf("%s is a metric of nodes; it needs by: %s", metric, PlotNode)
	}
	slices.Sort(known)
	hint := document.Suggest(metric, known, "")
	text := fmt.Sprintf("%s: no metric %q in the summary%s\nknown: %s", run.Dir, metric, hint, strings.Join(known, ", "))
	return errors.New(text)
}

// plotFigure draws the runs. An error that is about one of the options names it
// by a method Field.
func plotFigure(runs []plotRun, options PlotOptions) (figure.Figure, error) {
	f := figure.Figure{LogX: options.LogX, LogY: options.LogY, Size: options.Size}
	p := plotter{options: &options, several: len(runs) > 1}
	alone := len(runs) == 1 && len(runs[0].arms) == 1
	runs, err := chooseArms(runs, options.Arms)
	if err != nil {
		return f, err
	}
	p.relations = relationsShown(runs)
	f.XLabel = epsilonAxis(axisLabel(&options), options.X, p.relations)
	f.YLabel = epsilonAxis(metricLabel(options.Metric, options.PerStep), options.Metric, p.relations)
	arms := 0
	for i := range runs {
		if err := p.run(&runs[i]); err != nil {
			return f, err
		}
		arms += len(runs[i].arms)
	}
	for i := range p.curves {
		f.Series = append(f.Series, p.curves[i].series(&options))
	}
	if n := len(f.Series); n > figure.Distinct {
		return f, fmt.Errorf("%d curves; at most %d can be told apart", n, figure.Distinct)
	}
	if !drawable(&f) {
		return f, fmt.Errorf("%s has no number that these axes can show", options.Metric)
	}
	if len(f.Series) == 1 && alone && options.by() == PlotArm && strings.HasPrefix(f.Series[0].Name, runs[0].arms[0].Name) && !strings.HasSuffix(f.Series[0].Name, infinite) {
		f.Series[0].Name = "" // there is nothing to tell apart
	}
	if f.Title = options.Title; f.Title == "" {
		f.Title = plotTitle(runs, options, f.Series, arms-p.without, arms)
	}
	return f, nil
}

// relationsShown are the relations of the arms of runs, each once.
func relationsShown(runs []plotRun) (list []string) {
	for i := range runs {
		for _, relation := range runs[i].of.among(runs[i].arms) {
			if !slices.Contains(list, relation) {
				list = append(list, relation)
			}
		}
	}
	return list
}

// chooseArms returns the runs with only the arms that the names select. A name
// that selects none is an error, for its arm would be missed in the figure.
func chooseArms(runs []plotRun, names []string) ([]plotRun, error) {
	if names == nil {
		return runs, nil
	}
	used := make([]bool, len(names))
	chosen := slices.Clone(runs)
	for i := range chosen {
		chosen[i].arms = slices.DeleteFunc(slices.Clone(chosen[i].arms), func(arm results.Arm) bool {
			shown := false
			for k, name := range names {
				if selectsArm(name, arm.Name) {
					used[k], shown = true, true
				}
			}
			return !shown
		})
	}
	if k := slices.Index(used, false); k >= 0 {
		return nil, document.At(fmt.Sprintf("arms[%d]", k), "%s", unknownArm(names[k], runs))
	}
	return chosen, nil
}

// selectsArm tells whether a name, or a beginning of names that ends in *, is an
// arm's.
func selectsArm(name, arm string) bool {
	if beginning, ok := strings.CutSuffix(name, "*"); ok {
		return strings.HasPrefix(arm, beginning)
	}
	return name == arm
}

// unknownArm says that no arm has a name.
func unknownArm(name string, runs []plotRun) string {
	var known []string
	for _, run := range runs {
		for _, arm := range run.arms {
			known = append(known, arm.Name)
		}
	}
	return document.Unknown("arm", name, known)
}

// metricLabel is the label of an axis that shows a metric.
func metricLabel(metric string, perStep bool) string {
	label := metric
	if m, ok := FindMetric(metric); ok {
		label = m.Label
	}
	if perStep {
		label += " / t"
	}
	return label
}

func axisLabel(o *PlotOptions) string {
	switch _, metric := FindMetric(o.X); {
	case o.x() == PlotStep:
		return "step t"
	case metric:
		return metricLabel(o.X, false)
	}
	return o.X
}

// plotTitle says what the axes do not: whose numbers these are, of which step,
// what the bands show, and whether an arm is missing.
func plotTitle(runs []plotRun, options PlotOptions, series []figure.Series, shown, arms int) string {
	title := options.Metric
	if len(runs) == 1 {
		title = runs[0].scenario + ": " + title
	}
	if slices.ContainsFunc(series, func(s figure.Series) bool { return s.Low != nil }) {
		title += " ± " + strings.ToUpper(string(options.Band))
	}
	switch {
	case options.At > 0:
		title += fmt.Sprintf(" at step %d", options.At)
	case options.keyed():
		title += " at the last step"
	}
	if shown < arms {
		have := "have it"
		if options.keyed() {
			have = "have a place"
		}
		title += fmt.Sprintf(" (%d of %d arms %s)", shown, arms, have)
	}
	return title
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

// decimal is the form of a number on an axis.
var decimal = regexp.MustCompile(`^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)

// axisNumber reads a swept value as a number, a fraction included.
func axisNumber(text string) (float64, bool) {
	if decimal.MatchString(text) {
		value, err := strconv.ParseFloat(text, 64)
		return value, err == nil
	}
	if parts := fraction.FindStringSubmatch(text); parts != nil {
		above, _ := strconv.ParseFloat(parts[1], 64) // at most 15 digits
		below, _ := strconv.ParseFloat(parts[2], 64)
		return above / below, below != 0
	}
	return 0, false
}
