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
	"starling/scenarios/results/figure/layout"
	"starling/scenarios/study"
	"starling/scenarios/study/plots"
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
	if !ok || slices.ContainsFunc(s.Plots, func(p plots.Section) bool { return p.Name == heatName }) {
		return figure.Named{}, false
	}
	o.BandFree = true
	f, ok := r.heatMap(o)
	return figure.Named{Name: heatName, Figure: f}, ok
}

// heatMap returns the heat map of a metric: a row for each choice and a column for each condition.
func (r *Run) heatMap(o plots.Options) (f figure.Figure, ok bool) {
	rows, columns := r.gridKeys()
	g, ok := r.Grid()
	asked := o.Across() == plots.Step || o.Keyed() && (o.X == rows || slices.Contains(columns, o.X))
	if !ok || !asked || o.OfNodes() || len(g.ColumnLabels) > mostHeatColumns || len(g.RowLabels) > mostHeatRows {
		return f, false
	}
	numbers := len(columns) == 1 && len(degrees(r.Arms, columns[0])) >= leastDegrees
	if rows != plots.Name && degrees(r.Arms, rows) != nil || numbers && len(g.RowLabels) <= fewColours {
		return f, false // curves show numbers better
	}
	if o.BandFree {
		o.Band = plots.CI
	}
	f = figure.Figure{Size: o.Size, Width: o.Width, Height: o.Height, Look: o.Look}
	if f.Validate() != nil {
		return f, false
	}
	f.Cells = &figure.Cells{Columns: g.ColumnLabels}
	h := heat{r, &o, f.Cells, byArm(r.Rows[o.Metric]), compared([]Run{*r}, &o)}
	for i, label := range g.RowLabels {
		h.add(label, g.Arms[i], false)
	}
	f.Cells.Inside = len(g.RowLabels)
	h.best()
	h.others(g, columns)
	if !slices.ContainsFunc(f.Cells.Values[:len(g.RowLabels)], func(row []float64) bool { return slices.ContainsFunc(row, finite) }) {
		return f, false
	}
	f.XLabel = cmp.Or(o.XLabel, axisKeyOf(columns))
	f.YLabel = cmp.Or(o.YLabel, o.Known.Label(o.Metric, o.PerStep))
	if f.Title = o.Title; f.Title == "" && o.Look != layout.Paper && o.Size != layout.Column {
		f.Title = r.Scenario + ": " + o.Known.Label(o.Metric, false) + h.when()
	}
	f.Note = h.note()
	f.Caption = caption([]Run{*r}, &f, &o)
	return f, true
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
	o     *plots.Options
	cells *figure.Cells
	// rows are the rows of the metric by arm, and at is the step that is shown; 0 is the last of each.
	rows map[string][]results.SummaryRow
	at   int64
}

// add adds a row of cells, of the arms in its columns. An arm across holds for all columns.
func (h *heat) add(label string, arms []string, across bool) {
	c := h.cells
	values, half := make([]float64, len(c.Columns)), make([]float64, len(c.Columns))
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
		p := placed(0, row, h.o)
		values[k], half[k] = p.y, p.half
	}
	c.Rows, c.Values, c.Half = append(c.Rows, label), append(c.Values, values), append(c.Half, half)
	c.Best, c.Across = append(c.Best, make([]bool, len(c.Columns))), append(c.Across, across)
}

// best marks the best value of each column.
func (h *heat) best() {
	m, _ := h.o.Known.Find(h.o.Metric)
	for k := range h.cells.Columns {
		best := -1
		for i, row := range h.cells.Values {
			better := best < 0 || m.Better == metric.LowerIsBetter && row[k] < h.cells.Values[best][k] || m.Better == metric.HigherIsBetter && row[k] > h.cells.Values[best][k]
			if finite(row[k]) && better {
				best = i
			}
		}
		if best >= 0 && (m.Better == metric.LowerIsBetter || m.Better == metric.HigherIsBetter) {
			h.cells.Best[best][k] = true
		}
	}
}

// others adds rows below the grid for arms outside of it, such as a baseline: in the column of the
// value that they set, or across all columns.
func (h *heat) others(g Grid, columns []string) {
	p := plotter{options: &plots.Options{Dash: columns[0]}, runs: []Run{*h.run}}
	for _, name := range g.Others {
		arm := &h.run.Arms[slices.IndexFunc(h.run.Arms, func(arm results.ArmEntry) bool { return arm.Name == name })]
		arms, label := make([]string, len(g.ColumnLabels)), shortLabel(arm, columns...)
		at := slices.Index(g.ColumnLabels, p.conditionOf(arm, columns))
		across := at < 0
		if across {
			label, at = shortLabel(arm), 0
		}
		arms[at] = name
		h.add(label, arms, across)
	}
}

// shortLabel returns the values that an arm sets besides some keys, or its name where some of them is
// a mapping.
func shortLabel(arm *results.ArmEntry, keys ...string) string {
	if slices.ContainsFunc(arm.Values, func(v results.Value) bool { return strings.ContainsAny(v.Value, "{[") }) {
		return arm.Name
	}
	return cmp.Or(restLabel(arm, keys...), arm.Name)
}

// when names the step of the values, and their intervals.
func (h *heat) when() (text string) {
	if h.cells.Banded() {
		text = bandMark(h.o.Band)
	}
	if h.at > 0 {
		return text + fmt.Sprintf(" at step %d", h.at)
	}
	return text + " at the last step"
}

// note explains frames and colours.
func (h *heat) note() string {
	var list []string
	if slices.ContainsFunc(h.cells.Best, func(row []bool) bool { return slices.Contains(row, true) }) {
		list = append(list, "Framed: the best of each column.")
	}
	if h.cells.Logarithmic() {
		list = append(list, "Colours: darker is larger, on a logarithmic scale.")
	} else {
		list = append(list, "Colours: darker is larger.")
	}
	return strings.Join(list, " ")
}

// bandMark is the part of a title on bands.
func bandMark(band plots.Band) string {
	if band == plots.CI {
		return " ± 95 % CI"
	}
	return " ± " + strings.ToUpper(string(band))
}
