package plot

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// Draw is DrawMarked without marks, and with intervals of Student's t alone.
func Draw(runs []*results.Run, options study.PlotOptions) (figure.Figure, error) {
	return DrawMarked(runs, options, nil, nil)
}

// DrawMarked returns a figure of a metric of one or more finished runs, of which it reads the rows
// that the figure shows. A heat map has the marks of its metric; nil is none. halves are the intervals of
// statistics over all seeds of a run; nil leaves intervals of Student's t. See Overlay.
func DrawMarked(runs []*results.Run, options study.PlotOptions, marks *Marks, halves func(*results.Run) Halves) (figure.Figure, error) {
	list := make([]Run, len(runs))
	mean, least, most := metric.WindowNames(options.Metric)
	read := []string{options.Metric, options.X, ledger.EpsilonTotal, mean, least, most}
	for i, run := range runs {
		var err error
		if list[i], err = Read(run, func(metric string) bool { return slices.Contains(read, metric) }); err != nil {
			return figure.Figure{}, err
		}
		if list[i].Facts, err = FactsOf(run); err != nil {
			return figure.Figure{}, err
		}
		if list[i].Marks = marks; halves != nil {
			list[i].Halves = halves(run)
		}
	}
	return Overlay(list, options)
}

// Overlay returns a figure of a metric of one or more finished runs. Where there are several,
// the names of the curves begin with the run's scenario and the beginning of its hash. Options
// that cannot be plotted are an InputError. The figure has a title and labels; the caller
// writes its files. runs are not changed.
func Overlay(runs []Run, options study.PlotOptions) (figure.Figure, error) {
	if err := options.Validate(); err != nil {
		return figure.Figure{}, document.BadInput(err)
	}
	runs = slices.Clone(runs)
	for i := range runs {
		// One run twice would give two curves that hide each other.
		for _, other := range runs[:i] {
			if other.Source.Manifest.Scenario == runs[i].Scenario && other.Source.Manifest.Hash == runs[i].Source.Manifest.Hash {
				return figure.Figure{}, document.BadInput(fmt.Errorf("%s and %s are the same run", other.Source.Dir, runs[i].Source.Dir))
			}
		}
		if err := runs[i].complete(&options); err != nil {
			return figure.Figure{}, err
		}
	}
	if options.X == study.EachArm {
		return overlaidDots(runs, options)
	}
	if options.Heat && len(runs) == 1 {
		if chosen, err := chooseArms(runs, options.Arms); err == nil { // else Figure says so
			if f, ok := chosen[0].heatMap(options); ok {
				return f, nil
			}
		}
	}
	f, err := Figure(runs, options)
	if err != nil {
		return figure.Figure{}, document.BadInput(err)
	}
	return f, nil
}

// Figure returns the figure of runs. An error about one of
// the options has a method Field that names it, so that the verb can name the flag and a
// scenario its line. More curves than can be told apart are an error, and so is a figure
// without a point. runs and options are not changed.
func Figure(runs []Run, options study.PlotOptions) (figure.Figure, error) {
	f := figure.Figure{
		LogX: options.LogX, LogY: options.LogY, Size: options.Size, Width: options.Width, Height: options.Height, Look: options.Look, Legend: options.Legend,
	}
	if err := f.Validate(); err != nil {
		return f, err
	}
	// This depends on the run before arms are chosen: a chosen arm keeps its name.
	alone := len(runs) == 1 && len(runs[0].Arms) == 1
	several := len(runs) > 1
	if options.X == study.EachRun {
		runs, several = alongRuns(runs), false // the axis tells them apart
	}
	entire := runs[0].Arms
	runs, err := chooseArms(runs, options.Arms)
	if err != nil {
		return f, err
	}
	by := styled(runs, &options)
	options.Facet, options.Hue, options.Dash = by.facet, by.hue, by.dash
	categories := categoriesOf(runs, &options)
	if categories != nil && options.LogX {
		return f, document.At("log_x", "%s has values that are no numbers", options.X)
	}
	m, _ := options.Known.Find(options.Metric)
	f.Share = m.Unit == metric.Share && !options.PerStep
	p := plotter{categories: categories, options: &options, runs: runs, several: several, relations: neighbouring(runs, options.Metric), at: compared(runs, &options), choiceOf: map[string]string{}, armOf: map[string]string{}}
	if !several {
		p.study = entire
	}
	p.chooseAcross(&f)
	f.XLabel = cmp.Or(options.XLabel, accounts.EpsilonAxis(axisLabel(&options), acrossMetric(&options), p.relations))
	f.YLabel = cmp.Or(options.YLabel, accounts.EpsilonAxis(options.Known.Label(options.Metric, options.PerStep), options.Metric, p.relations))
	f.Ramp, f.Categories = p.ramp(), p.categoryLabels()
	groups, err := facets(runs, &options)
	if err != nil {
		return f, err
	}
	for _, group := range groups {
		series, err := p.panel(group.runs)
		if err != nil {
			return f, err
		}
		if options.Facet == "" {
			f.Series = series
		} else {
			f.Panels = append(f.Panels, figure.Panel{Title: group.title, Series: series})
		}
	}
	p.chooseMetric(&f)
	if !several {
		p.colour(&f, entire)
	}
	if err := p.checkStyles(&f); err != nil {
		return f, err
	}
	if !drawable(&f) {
		return f, fmt.Errorf("%s has no number that these axes can show", options.Metric)
	}
	if f.Share {
		cutShares(&f)
	}
	joined := p.thin(&f)
	if len(f.Series) == 1 && alone && options.CurvesBy() == study.EachArm && strings.HasPrefix(f.Series[0].Name, runs[0].Arms[0].Name) && Unmarked(f.Series[0].Name) == f.Series[0].Name {
		f.Series[0].Name, f.Series[0].Label = "", "" // a single curve needs no name
	}
	switch {
	case !bandsDrawn(&f):
	case overWindows(runs, &options):
		f.Note = strings.TrimSpace(f.Note + " " + windowNote)
	default:
		prepend(&f, bandNote(runs, &options))
	}
	if f.Title = options.Title; f.Title == "" && options.Look != metric.PaperLook && options.Size != metric.ColumnSize {
		arms := 0
		for i := range runs {
			arms += len(runs[i].Arms)
		}
		f.Title = plotTitle(runs, options, &f, arms-p.without, arms, p.at)
	}
	noteObservers(&f, runs, &options)
	f.Caption = withJoined(caption(runs, &f, &options), joined)
	return f, nil
}

// panel returns the curves of a chart, and the lines across it for arms that have no curve.
func (p *plotter) panel(runs []Run) (list []figure.Series, err error) {
	p.curves, p.apart = nil, nil
	for i := range runs {
		if err := p.run(&runs[i]); err != nil {
			return nil, err
		}
	}
	var labels []string
	for _, c := range p.curves {
		labels = append(labels, c.label)
		series := c.series(p.options)
		series.Dots = series.Dots || p.categories != nil
		if series.Hue, series.Dash, err = p.styles(c); err != nil {
			return nil, err
		}
		list = append(list, series)
	}
	addLabels(list, labels)
	lines, err := p.references(list)
	if slices.ContainsFunc(lines, func(s figure.Series) bool { return s.Hue != "" }) && p.options.Hue == "" && p.options.Dash == "" {
		for i := range list { // a line has the colour of its curve
			list[i].Hue = list[i].Shown()
		}
	}
	return append(list, lines...), err
}

// compared returns the step at which a figure compares arms on an axis of a swept key. It is
// the step that the figure names. If it names none and budgets stopped arms at different
// steps, it is the last step that all arms have; else 0.
func compared(runs []Run, o *study.PlotOptions) int64 {
	var arms []results.ArmEntry
	steps := map[string][]int64{} // by run and arm
	for i, run := range runs {
		for _, arm := range run.Arms {
			// Arms of different runs may have one name.
			name := fmt.Sprintf("%d %s", i, arm.Name)
			arms = append(arms, results.ArmEntry{Name: name, StoppedAt: arm.StoppedAt})
		}
	}
	if _, apart := comparison.StoppedApart(arms); !apart || o.At != 0 {
		return o.At
	}
	for i, run := range runs {
		for _, row := range run.shown(o) {
			name := fmt.Sprintf("%d %s", i, row.Arm)
			steps[name] = append(steps[name], row.Step)
		}
	}
	if step, ok := comparison.CommonStep(arms, steps); ok {
		return step
	}
	return 0
}

// chooseArms returns the runs with only the arms that the names select, in the order of
// the runs; nil selects all. A name that selects none is an error, for its arm would be
// missed in the figure. runs is not changed.
func chooseArms(runs []Run, names []string) ([]Run, error) {
	if names == nil {
		return runs, nil
	}
	used := make([]bool, len(names))
	chosen := slices.Clone(runs)
	for i := range chosen {
		chosen[i].Arms = slices.DeleteFunc(slices.Clone(chosen[i].Arms), func(arm results.ArmEntry) bool {
			shown := false
			for k, name := range names {
				if SelectsArm(name, arm.Name) {
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

// SelectsArm reports whether a name, or a beginning of names that ends in *, matches an arm's
// name.
func SelectsArm(name, arm string) bool {
	if beginning, ok := strings.CutSuffix(name, "*"); ok {
		return strings.HasPrefix(arm, beginning)
	}
	return name == arm
}

// unknownArm is the message that no arm has a name.
func unknownArm(name string, runs []Run) string {
	var known []string
	for _, run := range runs {
		for _, arm := range run.Arms {
			known = append(known, arm.Name)
		}
	}
	return document.Unknown("arm", name, known)
}

// axisLabel returns the label of the x axis.
func axisLabel(o *study.PlotOptions) string {
	switch _, metric := o.Known.Find(o.X); {
	case o.Accounted():
		return "accounted ε of the run"
	case o.Across() == study.AxisStep:
		return "step t"
	case metric:
		return o.Known.Label(o.X, false)
	}
	return axisKey(o.X)
}

// plotTitle returns a title for a figure without one. It has the facts that the axes do not
// show: the run, the step, the meaning of the bands, and the number of missing arms. shown of
// arms have a point in the figure. reached is the step at which arms are compared, 0 for the
// last step of each.
func plotTitle(runs []Run, options study.PlotOptions, f *figure.Figure, shown, arms int, reached int64) string {
	title := options.Known.Label(options.Metric, false)
	if m, ok := options.Known.Find(options.Metric); ok && m.Chart.Title != "" && m.PerStep == options.PerStep {
		title = m.Chart.Title
	}
	if len(runs) == 1 {
		title = runs[0].Scenario + ": " + title
	}
	if bandsDrawn(f) && overWindows(runs, &options) {
		title += windowTitle
	}
	switch {
	case options.Dotted():
		title += ", a dot each, at the last step"
	case options.At > 0:
		title += fmt.Sprintf(" at step %d", options.At)
	case options.Keyed() && reached > 0:
		title += fmt.Sprintf(" at step %d, which all reached", reached)
	case options.Keyed():
		title += " at the last step"
	}
	if shown < arms {
		have := "have it"
		if options.Keyed() {
			have = "have a place"
		}
		title += fmt.Sprintf(" (%d of %d arms %s)", shown, arms, have)
	}
	return title
}

// overWindows reports whether curves are means over the steps of records, with bands from the least to the most.
func overWindows(runs []Run, o *study.PlotOptions) bool {
	return !o.Keyed() && !o.Dotted() && !o.PerStep && slices.ContainsFunc(runs, func(r Run) bool { return r.Windows(o.Metric) })
}

// drawable reports whether the axes can show any point of the figure.
func drawable(f *figure.Figure) bool {
	for _, panel := range f.Charts() {
		for _, s := range panel.Series {
			for i, y := range s.Y {
				if figure.Drawable(s.X[i], f.LogX) && figure.Drawable(y, f.LogY) {
					return true
				}
			}
		}
	}
	return false
}

// decimal matches a number on an axis.
var decimal = regexp.MustCompile(`^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)

// AxisNumber reads a swept value as a number, such as 0.5, 1e-3 or the fraction 1/3. The
// boolean is false for anything else, words and infinities included.
func AxisNumber(text string) (float64, bool) {
	if decimal.MatchString(text) {
		value, err := strconv.ParseFloat(text, 64)
		return value, err == nil
	}
	if parts := document.Fraction.FindStringSubmatch(text); parts != nil {
		above, _ := strconv.ParseFloat(parts[1], 64) // at most 15 digits
		below, _ := strconv.ParseFloat(parts[2], 64)
		return above / below, below != 0
	}
	return 0, false
}
