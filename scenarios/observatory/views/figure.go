package views

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/live"
	"starling/scenarios/results/report"
	"starling/scenarios/results/runs"
	"starling/scenarios/show"
	"starling/scenarios/study"
)

// Query says what a figure shows. Metric, X, By, Band, Arms, At, PerStep, LogX and LogY are
// those of a plot; the rest is of the page.
type Query struct {
	study.PlotOptions
	// Facet is a key that arms set: each of its values has a chart of its own. Hue and Dash
	// are keys by whose values curves have their colours and dashes. All may be empty.
	Facet, Hue, Dash string
}

// mostFacets is how many charts a figure has.
const mostFacets = 24

// Figure is the charts of a metric, one or one for each value of a facet.
type Figure struct {
	Charts []report.Chart `json:"charts"`
	// Facets are the values that the charts are of, empty where there is one.
	Facets []string `json:"facets"`
	// Remarks say what a reader must know of colours, and of arms that are not drawn.
	Remarks []string `json:"remarks"`
	figures []figure.Figure
}

// Figure draws a metric of a run, finished or not.
func (f *Folder) Figure(id string, q Query) (*Figure, error) {
	q.Known = f.known
	q.PlotOptions = q.Named()
	if err := q.Validate(); err != nil {
		return nil, document.BadInput(err)
	}
	s, err := f.source(id, q.CurvesBy() == study.PlotNode)
	if err != nil {
		return nil, err
	}
	if s.run == nil && len(s.rows[q.Metric]) == 0 {
		// It is no error: a run that goes on, or begins anew, will record it.
		return &Figure{Charts: []report.Chart{}, Facets: []string{}, Remarks: []string{"The run has recorded no " + q.Metric + " yet."}}, nil
	}
	return s.figure(q)
}

// source is what figures of a run are drawn from.
type source struct {
	scenario string
	arms     []results.Arm
	of       accounts.Relations
	// rows are by metric.
	rows map[string][]results.SummaryRow
	// run is nil of an unfinished one. Metrics of nodes are read from its rows.
	run *results.Run
	// seeds is how many an unfinished run has; 0 of a finished one.
	seeds int
}

// source reads what figures of a run are drawn from: the summary of a finished one, or the
// curves that an unfinished one has left so far.
func (f *Folder) source(id string, nodes bool) (*source, error) {
	e, err := f.entry(id)
	if err != nil {
		return nil, err
	}
	if e.Status == runs.Complete {
		o, err := f.opened(id)
		if err != nil {
			return nil, err
		}
		m := &o.run.Manifest
		return &source{scenario: m.Scenario, arms: m.Arms, of: o.relationsOf(), rows: o.rows, run: o.run}, nil
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
	s := &source{scenario: e.Scenario, rows: map[string][]results.SummaryRow{}, seeds: progress.Seeds.Count}
	for _, arm := range e.Arms {
		s.arms = append(s.arms, results.Arm{Name: arm.Name, Values: arm.Values})
	}
	for i := range progress.Curves {
		c := &progress.Curves[i]
		for k, step := range c.Steps {
			s.rows[c.Metric] = append(s.rows[c.Metric], results.SummaryRow{
				Arm: c.Arm, Step: step, Metric: c.Metric, Mean: float64(c.Mean[k]), SE: float64(c.SE[k]), N: int64(c.N[k]),
			})
		}
	}
	return s, nil
}

// figure draws the charts.
func (s *source) figure(q Query) (*Figure, error) {
	groups, names, err := s.facets(q)
	if err != nil {
		return nil, err
	}
	out := &Figure{Charts: []report.Chart{}, Facets: names, Remarks: []string{}}
	for i, arms := range groups {
		f, drawn, err := s.draw(q.PlotOptions, arms)
		if err != nil {
			return nil, document.BadInput(err)
		}
		if len(names) > 0 {
			f.Title = names[i]
		}
		out.figures = append(out.figures, f)
		chart := report.NewChart(&report.Figure{Figure: f, Metric: q.Metric})
		styles := &styles{hue: q.Hue, dash: q.Dash}
		var curves []report.Line
		for k := range chart.Series {
			if f.Series[k].Reference {
				chart.Series[k].Color, chart.Series[k].Dash = "#59626d", []float64{2, 4}
				continue
			}
			styles.give(&chart.Series[k], drawn[k])
			curves = append(curves, chart.Series[k])
		}
		out.remark(s.soFar(q.Metric)...)
		out.remark(repeated(curves)...)
		out.Charts = append(out.Charts, chart)
	}
	return out, nil
}

// soFar says over how many seeds the points of an unfinished run are.
func (s *source) soFar(metric string) []string {
	rows := s.rows[metric]
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
	return []string{fmt.Sprintf("Each point is over the seeds that have recorded its step, done or under way: %s of %d.", over, s.seeds)}
}

func (f *Figure) remark(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(f.Remarks, text) {
			f.Remarks = append(f.Remarks, text)
		}
	}
}

// facets splits the arms that are shown by the value of a key. Without one they are one
// group without a name.
func (s *source) facets(q Query) (groups [][]results.Arm, names []string, err error) {
	shown := slices.DeleteFunc(slices.Clone(s.arms), func(arm results.Arm) bool {
		return len(q.Arms) > 0 && !slices.ContainsFunc(q.Arms, func(name string) bool { return show.SelectsArm(name, arm.Name) })
	})
	if len(shown) == 0 {
		return nil, nil, document.BadInput(errors.New("no arm is selected"))
	}
	if q.Facet == "" {
		return [][]results.Arm{shown}, []string{}, nil
	}
	for _, arm := range shown {
		name := q.Facet + " = " + valueOf(arm, q.Facet)
		i := slices.Index(names, name)
		if i < 0 {
			i = len(names)
			names, groups = append(names, name), append(groups, nil)
		}
		groups[i] = append(groups[i], arm)
	}
	if len(groups) > mostFacets {
		return nil, nil, document.BadInput(fmt.Errorf("%s has %d values; at most %d charts are drawn", q.Facet, len(groups), mostFacets))
	}
	return groups, names, nil
}

// valueOf is the text of what an arm sets a key to.
func valueOf(arm results.Arm, key string) string {
	for _, v := range arm.Values {
		if v.Path == key {
			return v.Value
		}
	}
	return "(not set)"
}

// draw is one figure of some arms, with the arm that each curve is of; the zero arm where a
// curve is of several. A figure has as many curves as can be told apart, and so arms
// are drawn that many at a time.
func (s *source) draw(o study.PlotOptions, arms []results.Arm) (f figure.Figure, of []results.Arm, err error) {
	if o.CurvesBy() == study.PlotNode {
		o.Arms = namesOf(arms)
		f, err = show.Plot([]*results.Run{s.run}, o)
		return f, make([]results.Arm, len(f.Series)), err
	}
	o.Arms = nil
	var failed error
	for _, some := range chunks(arms, o) {
		p := show.PlotRun{Scenario: s.scenario, Arms: some, Of: s.of}
		s.give(&p, &o)
		part, err := show.PlotFigure([]show.PlotRun{p}, o)
		if err != nil {
			failed = err
			continue
		}
		if f.Series == nil {
			f = part
			f.Series = nil
		}
		for _, series := range part.Series {
			arm := results.Arm{}
			if i := slices.IndexFunc(some, func(a results.Arm) bool { return strings.TrimSuffix(series.Name, show.Infinite) == a.Name }); i >= 0 {
				arm = some[i]
			} else if len(some) == 1 {
				arm = some[0]
			}
			if series.Name == "" { // nothing was there to tell it from, but lines may be added
				series.Name = "arms by " + o.X
				if len(some) == 1 {
					series.Name = some[0].Name
				}
			}
			f.Series, of = append(f.Series, series), append(of, arm)
		}
	}
	if f.Series == nil {
		return f, nil, failed
	}
	return f, of, nil
}

// give hands a plot the rows of its metrics, of its arms alone.
func (s *source) give(p *show.PlotRun, o *study.PlotOptions) {
	shown := map[string]bool{}
	for _, arm := range p.Arms {
		shown[arm.Name] = true
	}
	for _, metric := range slices.Compact([]string{o.Metric, o.X}) {
		for _, row := range s.rows[metric] {
			if shown[row.Arm] {
				p.Take(row, o)
			}
		}
	}
}

// chunks divides arms so that each has as many curves as a figure can hold. Points of
// several arms share a curve on an axis of a swept key, and stay together.
func chunks(arms []results.Arm, o study.PlotOptions) [][]results.Arm {
	if o.Keyed() || o.CurvesBy() != study.PlotArm {
		return [][]results.Arm{arms}
	}
	return slices.Collect(slices.Chunk(arms, figure.Distinct))
}

func namesOf(arms []results.Arm) (names []string) {
	for _, arm := range arms {
		names = append(names, arm.Name)
	}
	return names
}

// styles gives curves colours and dashes by what their arms set.
type styles struct {
	hue, dash    string
	hues, dashes []string // the values that were seen
}

// give styles a curve of an arm. Curves of several arms keep the style of their place.
func (s *styles) give(line *report.Line, arm results.Arm) {
	if s.hue == "" && s.dash == "" || arm.Name == "" {
		return
	}
	place := func(known *[]string, key string) int {
		if key == "" {
			return 0
		}
		value := valueOf(arm, key)
		i := slices.Index(*known, value)
		if i < 0 {
			i = len(*known)
			*known = append(*known, value)
		}
		return i
	}
	stroke, _ := figure.Stroke(place(&s.hues, s.hue))
	_, dashes := figure.Stroke(place(&s.dashes, s.dash))
	line.Color, line.Dash = hexadecimal(stroke), dashes
}

func hexadecimal(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// repeated says which curves nobody can tell apart by colour and dash.
func repeated(lines []report.Line) (texts []string) {
	names := map[string][]string{}
	for _, line := range lines {
		style := fmt.Sprint(line.Color, line.Dash)
		names[style] = append(names[style], line.Name)
	}
	several := 0
	example := ""
	for _, line := range lines { // in the order of the curves
		same := names[fmt.Sprint(line.Color, line.Dash)]
		if len(same) < 2 {
			continue
		}
		if several++; example == "" {
			example = fmt.Sprintf("%s and %s", same[0], same[1])
		}
	}
	if several > 0 {
		texts = append(texts, fmt.Sprintf("%d of %d curves share colour and dash with another, such as %s.", several, len(lines), example))
	}
	return texts
}
