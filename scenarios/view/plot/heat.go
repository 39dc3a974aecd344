package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
)

// The bounds of heat maps.
const (
	mostHeatColumns = 12
	mostHeatRows    = 30
)

// heatName is the name of the heat map of a run.
const heatName = "heat-map"

// HeatMap draws the last value of the headline metric of a run that has just ended as a heat map of
// the two keys in which its arms differ. The boolean is false where they differ otherwise, where
// curves over numbers show more, or where the scenario has a figure of the name.
func (r *Run) HeatMap(s *study.Scenario) (figure.Named, bool) {
	o, ok := r.headline(s, s.Kinds.AllMetrics())
	if !ok || slices.ContainsFunc(s.Plots, func(p study.PlotSection) bool { return p.Name == heatName }) {
		return figure.Named{}, false
	}
	o.PerStep = false // the value of the finding
	f, ok := r.heatMap(o)
	return figure.Named{Name: heatName, Figure: f}, ok
}

// LastMetric returns the metric of the heat map and the dots of a run that has just ended. The boolean is false
// where the run has neither.
func (r *Run) LastMetric(s *study.Scenario) (string, bool) {
	_, heat := r.HeatMap(s)
	if _, dots := r.Dots(s); !heat && !dots {
		return "", false
	}
	o, ok := r.headline(s, s.Kinds.AllMetrics())
	return o.Metric, ok
}

// heatGrid returns the grid of a heat map with the keys of its rows and columns. The boolean is false
// where the arms have none, or where curves show them better.
func (r *Run) heatGrid() (g Grid, rows string, columns []string, ok bool) {
	rows, columns = r.gridKeys()
	if g, ok = r.Full(); !ok || len(g.ColumnLabels) > mostHeatColumns || len(g.RowLabels) > mostHeatRows {
		return g, rows, columns, false
	}
	numbers := len(columns) == 1 && len(degrees(r.Arms, columns[0])) >= leastDegrees
	curves := rows != study.EachName && degrees(r.Arms, rows) != nil || numbers && len(g.RowLabels) <= fewColours
	return g, rows, columns, !curves
}

// HeatKeys returns the keys of the columns of heat maps of a run, then the key of their rows, which is
// study.EachName where rows are names of arms; nil where the run has no heat map.
func (r *Run) HeatKeys() []string {
	_, rows, columns, ok := r.heatGrid()
	if !ok {
		return nil
	}
	return append(slices.Clone(columns), rows)
}

// heatMap returns the heat map of a metric: a row for each choice and a column for each condition.
func (r *Run) heatMap(o study.PlotOptions) (f figure.Figure, ok bool) {
	g, rows, columns, ok := r.heatGrid()
	asked := o.Across() == study.AxisStep || o.Keyed() && (o.X == rows || slices.Contains(columns, o.X))
	if !ok || !asked || o.OfNodes() {
		return f, false
	}
	f, h, ok := r.cellsOf(g, columns, &o)
	if !ok {
		return f, false
	}
	h.frame()
	if rows == study.EachName || degrees(r.Arms, rows) == nil { // numbers stay in their order
		f.Cells.SortRows()
	}
	f.XLabel, f.Note = cmp.Or(o.XLabel, axisKeyOf(columns)), h.note()
	f.Caption = caption([]Run{*r}, &f, &o)
	return f, true
}

// cellsOf returns a figure of a metric of the arms of a grid, whose columns are conditions by some keys. The
// boolean is false where no arm has a finite value.
func (r *Run) cellsOf(g Grid, columns []string, o *study.PlotOptions) (f figure.Figure, h heat, ok bool) {
	f = figure.Figure{Size: o.Size, Width: o.Width, Height: o.Height, Look: o.Look}
	if f.Validate() != nil {
		return f, h, false
	}
	m, _ := o.Known.Find(o.Metric)
	f.Share = m.Unit == metric.Share && !o.PerStep
	f.Cells = &figure.Cells{Columns: g.ColumnLabels, Better: sides[m.Better], Share: f.Share}
	h = heat{run: r, o: o, cells: f.Cells, rows: byArm(r.Rows[o.Metric]), at: compared([]Run{*r}, o)}
	if r.Marks != nil && r.Marks.Metric == o.Metric {
		h.marks = r.Marks
	}
	for i, label := range g.namedRows() {
		h.add(label, g.Arms[i], false)
	}
	f.Cells.Inside = len(g.RowLabels)
	if !slices.ContainsFunc(f.Cells.Values, func(row []float64) bool { return slices.ContainsFunc(row, finite) }) {
		return f, h, false
	}
	f.YLabel = cmp.Or(o.YLabel, o.Known.Label(o.Metric, o.PerStep))
	h.others(g, columns)
	if f.Title = o.Title; f.Title == "" && o.Look != metric.PaperLook && o.Size != metric.ColumnSize {
		f.Title = r.Scenario + ": " + o.Known.Label(o.Metric, false) + h.when()
	}
	return f, h, true
}

// axisKeyOf names the axis of the columns.
func axisKeyOf(keys []string) string {
	if len(keys) == 1 && isEpsilon(keys[0]) {
		return "ε"
	}
	var names []string
	for _, key := range keys {
		names = append(names, axisKey(key))
	}
	return strings.Join(names, ", ")
}

// finite reports whether a value is a finite number.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// heat fills the cells of a heat map.
type heat struct {
	run   *Run
	o     *study.PlotOptions
	cells *figure.Cells
	// rows are the rows of the metric by arm, and at is the step that is shown; 0 is the last of each.
	rows map[string][]results.SummaryRow
	at   int64
	// marks are of the metric; nil is none. steps are the steps of the values, each once.
	marks *Marks
	steps []int64
}

// sides are the better sides of metrics.
var sides = map[metric.Direction]figure.Side{metric.LowerIsBetter: figure.Lower, metric.HigherIsBetter: figure.Higher}

// add adds a row of cells, of the arms in its columns. An arm across holds for all columns.
func (h *heat) add(label string, arms []string, across bool) {
	c := h.cells
	values, half, marks := make([]float64, len(c.Columns)), make([]float64, len(c.Columns)), make([]string, len(c.Columns))
	for k := range values {
		values[k], half[k] = math.NaN(), math.NaN()
		rows := h.rows[arms[k]]
		if arms[k] == "" || len(rows) == 0 {
			continue
		}
		row, err := rowAt(&results.ArmEntry{Name: arms[k]}, rows, h.o.Metric, h.at)
		if err != nil || averageless(row.Step, h.o.PerStep) {
			continue
		}
		p := []curvePoint{placed(0, row, h.o)}
		h.run.resample(arms[k], p, h.o)
		values[k], half[k] = p[0].y, p[0].half
		if !slices.Contains(h.steps, row.Step) {
			h.steps = append(h.steps, row.Step)
		}
		if h.marks != nil {
			marks[k] = h.marks.Of[arms[k]]
		}
	}
	c.Rows, c.Values, c.Half = append(c.Rows, label), append(c.Values, values), append(c.Half, half)
	c.Best, c.Across = append(c.Best, make([]bool, len(c.Columns))), append(c.Across, across)
	if h.marks != nil {
		c.Marks = append(c.Marks, marks)
	}
}

// frame marks the best value of each column, and all that are equal to it.
func (h *heat) frame() {
	c := h.cells
	for k := range c.Columns {
		best := math.NaN()
		for _, row := range c.Values[:c.Inside] {
			better := math.IsNaN(best) || c.Better == figure.Lower && row[k] < best || c.Better == figure.Higher && row[k] > best
			if finite(row[k]) && better {
				best = row[k]
			}
		}
		for i, row := range c.Values[:c.Inside] {
			c.Best[i][k] = c.Better != "" && row[k] == best
		}
	}
}

// others adds rows below the grid for arms outside of it, such as a baseline: in the column of the
// value that they set, or across all columns.
func (h *heat) others(g Grid, columns []string) {
	if len(columns) == 0 {
		return
	}
	p := plotter{options: &study.PlotOptions{Dash: columns[0]}, runs: []Run{*h.run}}
	for _, name := range g.Others {
		arm := &h.run.Arms[slices.IndexFunc(h.run.Arms, func(arm results.ArmEntry) bool { return arm.Name == name })]
		arms, label := make([]string, len(g.ColumnLabels)), shortLabel(arm, columns...)
		at := slices.Index(g.ColumnLabels, p.conditionOf(h.run, arm, columns))
		across := at < 0
		if across {
			label, at = shortLabel(arm), 0
		}
		arms[at] = name
		h.add(label+h.lossOf(name), arms, across)
	}
}

// lossOf returns the privacy loss of an arm as an addition to its label: the worst to any observer.
// It is empty where the losses of the run are not known, or no arm has a bound.
func (h *heat) lossOf(arm string) string {
	facts := h.run.Facts
	if facts == nil || !slices.ContainsFunc(h.run.Arms, func(arm results.ArmEntry) bool { return facts.private(arm.Name) }) {
		return ""
	}
	most := facts.strongest(arm)
	switch {
	case math.IsInf(most, -1):
		return ""
	case math.IsInf(most, 1):
		return ", ε = ∞"
	}
	return ", ε = " + tabular.FormatValue(most)
}

// shortLabel returns the values that an arm sets besides some keys, or its label where some of them is
// a mapping.
func shortLabel(arm *results.ArmEntry, keys ...string) string {
	if slices.ContainsFunc(arm.Values, func(v results.Value) bool { return strings.ContainsAny(v.Value, "{[") }) {
		return armLabel(arm)
	}
	return cmp.Or(restLabel(arm, keys...), arm.Name)
}

// when names the step of the values.
func (h *heat) when() string {
	switch {
	case h.at > 0:
		return fmt.Sprintf(" at step %d", h.at)
	case len(h.steps) == 1:
		return fmt.Sprintf(" at step %d", h.steps[0])
	}
	return " at the last step of each arm"
}

// note explains intervals, frames, marks and colours; in a narrow figure frames and marks, in few words.
func (h *heat) note() string {
	list := []string{h.intervals()}
	c := h.cells
	if narrow(h.o) {
		if c.Better != "" {
			list = append(list, "Framed: the best of each column.")
		}
		if h.marks != nil {
			list = append(list, "* best; ~ not significantly different from it.")
		}
		return strings.TrimSpace(strings.Join(list, " "))
	}
	if c.Better != "" {
		list = append(list, fmt.Sprintf("Framed: the best mean of each column (%s is better).", c.Better))
	}
	if h.marks != nil {
		list = append(list, h.marks.Text+".")
	}
	text := "Darker is larger"
	if c.Better != "" {
		text = "Darker is better"
	}
	if c.Logarithmic() {
		text += ", on a logarithmic scale"
	}
	list = append(list, text+".")
	if len(c.Rows) > c.Inside {
		list = append(list, "Below the grid: arms outside of the scale of colours.")
	}
	return strings.TrimSpace(strings.Join(list, " "))
}

// intervals says what the intervals of the cells are.
func (h *heat) intervals() string {
	if !h.cells.Banded() {
		return ""
	}
	return bandNote([]Run{*h.run}, h.o)
}
