package views

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
	"starling/scenarios/loading"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/live"
	"starling/scenarios/results/report"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// Query holds the settings of a figure: Metric, X, By, Facet, Hue, Dash, Band, Arms, At,
// PerStep, LogX and LogY have the meaning that they have for a plot.
type Query struct {
	study.PlotOptions
	// Among are the arms among which the styles of curves are chosen; empty is all arms. Arms are some of them.
	Among []string
}

// Figure is the charts of a metric: one chart, or one for each value of a facet.
type Figure struct {
	Charts []report.Chart `json:"charts"`
	// Facets are the values of the facet, one for each chart; empty where there is one chart.
	Facets []string `json:"facets"`
	// Remarks explain colours, and name arms that are not drawn.
	Remarks []string `json:"remarks"`
	// AtPauses is true if the metric of runs under way moves only when they pause to save
	// their state.
	AtPauses bool `json:"at_pauses,omitempty"`
	// Picture describes a figure of cells, which is shown as a table or a file; nil where there are charts.
	Picture *Picture `json:"picture,omitempty"`
	// drawn is the figure that the charts show.
	drawn figure.Figure
}

// Picture are the texts beside the file of a figure.
type Picture struct {
	Title string `json:"title"`
	// Text describes the figure for readers without the picture, and Caption is below it.
	Text    string `json:"text"`
	Caption string `json:"caption,omitempty"`
	// Cells are the numbers of a heat map, which the page shows in place of the file; nil for other figures.
	Cells *Cells `json:"cells,omitempty"`
}

// newPicture describes a figure of cells; nil for charts.
func newPicture(f *figure.Figure) *Picture {
	p := &Picture{Title: f.Title, Caption: strings.Join(f.Caption, " ")}
	named := func(what string, names []string) string {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
		if len(names) == 0 {
			return ""
		}
		return " " + what + ": " + strings.Join(names, "; ") + "."
	}
	c := f.Cells
	if c == nil {
		return nil
	}
	p.Text = "Heat map of " + f.YLabel + "." + named("Columns, "+f.XLabel, c.Columns) + named("Rows", c.Rows) + named("Values", c.Texts())
	p.Cells = newCells(f)
	return p
}

// newFigure makes the charts of a figure.
func newFigure(f figure.Figure, metric string) *Figure {
	out := &Figure{Facets: []string{}, Remarks: []string{}, drawn: f}
	if out.Picture = newPicture(&f); out.Picture != nil { // a file has the note
		out.Charts = []report.Chart{}
		if out.Picture.Cells != nil && f.Note != "" {
			out.Remarks = append(out.Remarks, cellsNote(f.Note))
		}
		return out
	}
	if f.Note != "" {
		out.Remarks = append(out.Remarks, f.Note)
	}
	for _, panel := range f.Panels {
		out.Facets = append(out.Facets, panel.Title)
	}
	f.Note = "" // which stands in the remarks, once
	if len(f.Panels) > 0 {
		f.Title = ""
	}
	out.Charts = report.NewCharts(&report.Figure{Figure: f, Metric: metric})
	return out
}

// Figure draws a metric of a run, finished or not.
func (f *Folder) Figure(id string, q Query) (*Figure, error) {
	q.PlotOptions = q.Named()
	s, err := f.source(id, q.CurvesBy() == study.EachNode)
	if err != nil {
		return nil, err
	}
	q.Known = s.Known
	if err := q.Validate(); err != nil {
		return nil, document.BadInput(err)
	}
	if s.Source == nil && len(s.Rows[q.Metric]) == 0 {
		// It is no error: a run that goes on, or begins anew, will record it.
		return &Figure{Charts: []report.Chart{}, Facets: []string{}, Remarks: []string{"The run has recorded no " + q.Metric + " yet."}}, nil
	}
	return s.figure(q)
}

// source holds the values from which figures of a run are drawn.
type source struct {
	view.Run
	// loader reads the scenario of a finished run again, for statistics over its seeds.
	loader loading.Loader
	// base are the values that the scenario sets, without its sweep, by key.
	base map[string]string
	// seeds is the number of seeds of an unfinished run; 0 for a finished one.
	seeds int
	// pauses are the metrics that move at pauses of runs under way.
	pauses map[string]bool
	// reports are the arms of an unfinished run that have recorded the metric of a figure.
	reports map[string]bool
}

// source reads the values for figures of a run: the summary of a finished one, or the curves
// that an unfinished one has left so far.
func (f *Folder) source(id string, nodes bool) (*source, error) {
	e, err := f.entry(id)
	if err != nil {
		return nil, err
	}
	if e.Shown {
		o, err := f.opened(id)
		if err != nil {
			return nil, err
		}
		return &source{Run: *o.Run, loader: f.loader, base: f.baseValues(id)}, nil
	}
	if nodes {
		return nil, document.BadInput(errors.New("metrics of nodes are shown when the run is complete"))
	}
	progress, err := live.Read(e.Dir)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = &live.Run{} // not written yet, or removed as the run ends
	}
	s := &source{Run: view.Run{Run: plot.Run{Scenario: e.Scenario, Rows: map[string][]results.SummaryRow{}}, Known: f.known}, seeds: progress.Seeds.Count, pauses: map[string]bool{}}
	if text, err := f.text(id, results.ScenarioFile); err == nil {
		s.Emphasis, _ = statedIn(string(text))
	}
	s.Arms = armsOf(e.Arms)
	for i := range progress.Curves {
		c := &progress.Curves[i]
		s.pauses[c.Metric] = s.pauses[c.Metric] || c.AtPauses
		for k, step := range c.Steps {
			s.Rows[c.Metric] = append(s.Rows[c.Metric], results.SummaryRow{
				Arm: c.Arm, Step: step, Metric: c.Metric, Mean: float64(c.Mean[k]), SE: float64(c.SE[k]), N: int64(c.N[k]),
			})
		}
	}
	return s, nil
}

// figure draws the charts. A figure has all arms that the query names. If they are too many to
// be told apart, a remark says so.
func (s *source) figure(q Query) (*Figure, error) {
	o := q.PlotOptions
	o.Crowded, o.Coloured = true, s.Source == nil // the best arms change while a run goes on
	if len(o.Arms) == 0 {
		o.Arms = nil // nil is all arms
	}
	if o.OfNodes() {
		f, err := plot.Overlay([]plot.Run{s.Run.Run}, o)
		if err != nil {
			return nil, err
		}
		return newFigure(f, o.Metric), nil
	}
	run := s.Run.Run
	run.Label = "" // there is no other run to tell it from
	if o.Grouped {
		run.Arms = withValues(run.Arms, s.base, []string{o.Hue})
	}
	said := s.soFar(o.Metric)
	held := s.held(&o)
	if held {
		s.holdPlaces(&o)
	}
	draw := plot.Figure
	if o.Heat = heated(&o) && s.Source != nil; o.Heat {
		draw = plot.Overlay
		if err := s.complete(&run, &o); err != nil {
			return nil, err
		}
	}
	f, err := draw([]plot.Run{run}, o)
	if err != nil {
		return nil, document.BadInput(err)
	}
	if f.Cells == nil && f.Categories == nil {
		s.name(&f, &o)
	}
	charts := newFigure
	if held {
		charts = s.heldFigure
	}
	drawn := charts(f, o.Metric)
	if s.Source != nil && len(o.Arms) > 0 && drawn.Picture == nil {
		o.Arms = q.Among
		if len(o.Arms) == 0 {
			o.Arms = nil
		}
		if all, err := draw([]plot.Run{run}, o); err == nil { // else each curve keeps its own style
			s.name(&all, &o)
			drawn.wear(newFigure(all, o.Metric))
		}
	}
	if text := s.withoutIntervals(&o, drawn); text != "" {
		said = append(said, text)
	}
	drawn.AtPauses = s.pauses[o.Metric] || s.pauses[o.X]
	drawn.Remarks = append([]string{}, slices.Concat(said, drawn.Remarks)...) // never nil, which the page cannot read
	return drawn, nil
}

// withoutIntervals says why the curves of a statistic over the seeds of a finished run have no intervals; empty where they
// have, or the metric is none.
func (s *source) withoutIntervals(o *study.PlotOptions, f *Figure) string {
	banded := func(line report.Line) bool { return len(line.Low) > 0 }
	if s.Source == nil || f.Picture != nil || slices.ContainsFunc(f.Charts, func(c report.Chart) bool { return slices.ContainsFunc(c.Series, banded) }) {
		return ""
	}
	usual := *o
	usual.Band = cmp.Or(o.Band, study.UsualBand)
	return s.ResampledText(&usual, "Bands", s.Source.Manifest.Seeds.Count, false)
}

// complete gives a run the facts for captions of a heat map and, of the last values of all arms, the
// marks of its metric.
func (s *source) complete(run *plot.Run, o *study.PlotOptions) (err error) {
	if run.Facts, err = plot.FactsOf(s.Source); err != nil || o.At != 0 || len(o.Arms) > 0 {
		return err
	}
	parts := &runner.Parts{Loader: s.loader}
	defer parts.Close()
	run.Marks, err = s.MarksOf(o.Metric, parts.Statistic)
	return err
}

// heated reports whether a figure may be a heat map, as for the verb plot: nothing asks for curves.
func heated(o *study.PlotOptions) bool {
	return o.Keyed() && !o.LogX && o.By == "" && o.Facet == "" && o.Hue == "" && o.Dash == ""
}

// name names the curves as a chart does, which has marks of its own.
func (s *source) name(f *figure.Figure, o *study.PlotOptions) {
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			c := &panel.Series[i]
			c.Label = plot.Unmarked(c.Label)
			if c.Name = plot.Unmarked(c.Name); c.Name == "" { // nothing is there to tell it from, but lines may be added
				c.Name = unnamed(panel.Title, o, s.Arms)
			}
		}
	}
}

// soFar returns a remark on the number of seeds of the points of an unfinished run.
func (s *source) soFar(metric string) []string {
	rows := s.Rows[metric]
	if s.seeds == 0 || len(rows) == 0 {
		return nil
	}
	least, most := rows[0].N, rows[0].N
	for _, row := range rows {
		least, most = min(least, row.N), max(most, row.N)
	}
	over := fmt.Sprintf("%d", most)
	if least < most {
		over = fmt.Sprintf("%d to %d", least, most)
	}
	said := []string{fmt.Sprintf("Each point is over the seeds that have recorded its step, done or under way: %s of %d.", over, s.seeds)}
	if s.pauses[metric] {
		said = append(said, fmt.Sprintf("Of runs under way, %s moves only when they rest to save their state (checkpoint.every).", metric))
	}
	return said
}

// unnamed returns the name of the only curve of a chart.
func unnamed(title string, o *study.PlotOptions, arms []results.ArmEntry) string {
	switch {
	case o.Accounted():
		return "arms by ε of the run"
	case o.Keyed():
		return "arms by " + o.X
	case title != "":
		return title
	}
	return arms[0].Name
}
