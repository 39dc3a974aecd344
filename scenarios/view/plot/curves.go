package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/scenarios/accounts"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/comparison"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/study"
)

// inName returns a mark in the form that names of curves have.
func inName(mark string) string { return " (" + mark + ")" }

// Unmarked returns the name of a curve without its marks.
func Unmarked(name string) string {
	for _, mark := range slices.Backward(report.Marks()) {
		name = strings.TrimSuffix(name, inName(mark))
		name = strings.TrimSuffix(name, inName(mark)[1:]) // of a curve without a name
	}
	return name
}

// markGaps marks the curves of a figure with points that are not drawn. A curve without a name
// gets nameless before its marks. Where the legend lists values, and not curves, the note
// names these curves. A curve of several panels has one name.
func markGaps(f *figure.Figure, nameless string, o *study.PlotOptions) {
	marks := map[string][]string{} // by name; the map is only looked up
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			for _, gap := range report.Gaps(s, f.LogX, f.LogY) {
				marks[s.Name] = append(marks[s.Name], gap.Mark)
			}
		}
	}
	if f.Keys() != nil {
		noteGaps(f, o)
	}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			name := s.Name
			for _, mark := range report.Marks() {
				if !slices.Contains(marks[name], mark) {
					continue
				}
				if s.Name = strings.TrimPrefix(cmp.Or(s.Name, nameless)+inName(mark), " "); s.Label != "" {
					s.Label += inName(mark)
				}
			}
		}
	}
}

// mostGapNames is the greatest number of curves with gaps that the note names.
const mostGapNames = 3

// noteGaps adds to the note the curves with points that are not drawn, and the reason: names, or the
// number of many.
func noteGaps(f *figure.Figure, o *study.PlotOptions) {
	value, noun := "the value", "arms"
	if accounts.IsEpsilon(o.Metric) {
		value = "ε"
	}
	if o.OfNodes() {
		noun = "curves"
	}
	all, reasons := gapsOf(f)
	for _, gap := range reasons {
		subject := fmt.Sprintf("%d of %d %s", len(gap.names), all, noun)
		if names := gapNames(f, gap.names); len(names) <= mostGapNames {
			subject = strings.Join(names, "; ")
		}
		text := fmt.Sprintf("Some points are not drawn: %s (%s).", subject, gap.reason)
		if gap.whole {
			text = fmt.Sprintf("Not drawn: %s (%s is %s).", subject, value, gap.reason)
		}
		f.Note = strings.TrimSpace(f.Note + " " + text)
	}
}

// gapsOfReason are the names of the curves with points that are not drawn for one reason. whole is set where
// no other points of them are.
type gapsOfReason struct {
	reason string
	names  []string
	whole  bool
}

// gapsOf returns the number of curves of a figure, and those with gaps by reason.
func gapsOf(f *figure.Figure) (all int, list []gapsOfReason) {
	seen := map[string]bool{}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			seen[s.Name] = true
			for _, gap := range report.Gaps(s, f.LogX, f.LogY) {
				k := slices.IndexFunc(list, func(g gapsOfReason) bool { return g.reason == gap.Reason })
				if k < 0 {
					k, list = len(list), append(list, gapsOfReason{reason: gap.Reason, whole: true})
				}
				g := &list[k]
				g.whole = g.whole && gap.Points == len(s.Y)
				if !slices.Contains(g.names, s.Name) {
					g.names = append(g.names, s.Name)
				}
			}
		}
	}
	return len(seen), list
}

// gapNames returns the labels of curves of some names: the values that no other curve has, or the
// labels of the curves.
func gapNames(f *figure.Figure, names []string) (labels []string) {
	undrawn := f.Undrawn()
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			if !slices.Contains(names, s.Name) {
				continue
			}
			label := s.Shown()
			for _, value := range []string{s.Dash, s.Hue} {
				if slices.Contains(undrawn, value) {
					label = value
				}
			}
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	return labels
}

// curvePoint is a point of a curve. half is half the width of its band, in the unit of y; 0 is
// no band, and NaN the band of a single seed. x is a step, a metric's mean or a swept number,
// according to the axis.
type curvePoint struct {
	x, y, half float64
	step       int64 // of its row
	// ends is true if the band is from low to high.
	low, high float64
	ends      bool
	// text stands beside the point; empty is none.
	text string
}

// plotCurve is a curve that is being made.
type plotCurve struct {
	// name is its name in the legend. Points of several arms may share a curve on an axis of a
	// swept key.
	name string
	// label is the name for readers.
	label string
	// points are in the order of the rows.
	points []curvePoint
	// from are the arms of the curve; on an axis of a swept key each has one point, in this order.
	from []origin
}

// origin is an arm of a run that has points in a curve.
type origin struct {
	run *Run
	arm *results.ArmEntry
}

// plotter sorts the rows of runs into curves. A curve is found by its name: rows of equal
// names share a curve on an axis of a swept key, and are an error on any other, where they
// would lie on top of each other.
type plotter struct {
	// options are the figure's, the same for all runs and not changed.
	options *study.PlotOptions
	// runs are all runs of the figure.
	runs []Run
	// several is true if there are several runs; names of curves then begin with a run's name.
	several bool
	// relations are the neighbouring relations of all arms. Where there are several, curves of
	// epsilons name theirs.
	relations []string
	// curves are the curves of the chart that is being drawn.
	curves []*plotCurve
	// without counts the arms without a point.
	without int
	// apart are arms without noise, which have no place on an axis of a swept key.
	apart []reference
	// at is the step that an axis of a swept key shows; 0 is the last step of each arm.
	at int64
	// categories are the values of an axis without numbers; nil is an axis of numbers.
	categories []string
	// choiceOf is the choice of the study that a curve stands for, by the name of the curve.
	choiceOf map[string]string
	// study are the arms of the study, of which a figure may show some; nil for several runs.
	study []results.ArmEntry
	// armOf is the arm that a curve stands for, by the name of the curve; empty for several.
	armOf map[string]string
	// losses are the last privacy losses of each run by arm; nil until a label asks for them.
	losses []map[string]results.SummaryRow
}

// run adds the curves of a run, arm by arm, and node by node where the figure shows nodes. An
// arm without a row of the metric, such as an arm of another family, is counted and is no
// error.
func (p *plotter) run(run *Run) error {
	parts := run.parts(p.options)
	for i := range run.Arms {
		arm := &run.Arms[i]
		shown, err := p.arm(run, arm, parts[arm.Name])
		if err != nil {
			return err
		}
		if !shown {
			p.without++
		}
	}
	return nil
}

// arm adds the curves of an arm, and reports whether there are any points.
func (p *plotter) arm(run *Run, arm *results.ArmEntry, parts []part) (shown bool, err error) {
	if p.options.Dotted() {
		return p.dots(run, arm, parts)
	}
	for _, part := range parts {
		some, err := p.trace(run, arm, part)
		if err != nil {
			return false, err
		}
		shown = shown || some
	}
	return shown, nil
}

// trace adds the points of an arm, or of one of its nodes, to its curve, and reports whether
// there are any. Two points of one curve at the same x are an error: readers would see one of
// them.
func (p *plotter) trace(run *Run, arm *results.ArmEntry, rows part) (bool, error) {
	points, err := p.points(run, arm, rows)
	if err != nil || len(points) == 0 {
		return false, err
	}
	name, err := p.name(run, arm, rows.node, &asName)
	if err != nil {
		return false, err
	}
	label, err := p.name(run, arm, rows.node, &asLabel)
	if err != nil {
		return false, err
	}
	// A curve is identified by its name: readers of the figure have nothing else.
	i := slices.IndexFunc(p.curves, func(c *plotCurve) bool { return c.name == name })
	if i < 0 {
		p.choiceOf[name] = withoutEpsilon(arm)
		if before, ok := p.armOf[name]; !ok {
			p.armOf[name] = arm.Name
		} else if before != arm.Name { // in another chart
			p.armOf[name] = ""
		}
		p.curves = append(p.curves, &plotCurve{name: name, label: label, points: points, from: []origin{{run, arm}}})
		return true, nil
	}
	c := p.curves[i]
	if c.from[0].arm.Name != arm.Name {
		p.armOf[name] = ""
	}
	for _, point := range points {
		at := slices.IndexFunc(c.points, func(other curvePoint) bool { return other.x == point.x })
		if !p.options.Keyed() {
			at = 0
		}
		if at >= 0 && !p.options.Accounted() {
			return false, document.At("by", "the arms %s and %s would be the same curve%s; tell them apart", c.from[at].arm.Name, arm.Name, p.where(point.x))
		}
	}
	c.points, c.from = append(c.points, points...), append(c.from, origin{run, arm})
	return true, nil
}

// dots adds the points of an arm, one for each node: of the last step that has both metrics. It
// reports whether there are any.
func (p *plotter) dots(run *Run, arm *results.ArmEntry, nodes []part) (bool, error) {
	c := &plotCurve{from: []origin{{run, arm}}}
	for _, node := range nodes {
		if list := along(node.y, node.x, false, p.options); len(list) > 0 {
			last := list[len(list)-1]
			last.half = 0
			c.points = append(c.points, last)
		}
	}
	if len(c.points) == 0 {
		return false, nil
	}
	var err error
	if c.name, err = p.name(run, arm, noNode, &asName); err != nil {
		return false, err
	}
	c.label, err = p.name(run, arm, noNode, &asLabel)
	p.curves = append(p.curves, c)
	return true, err
}

// where names the x at which two points coincide, for errors.
func (p *plotter) where(x float64) string {
	if p.options.Keyed() && p.categories != nil {
		return fmt.Sprintf(", at %s = %s", p.options.X, p.categories[int(x)])
	}
	if p.options.Keyed() {
		return fmt.Sprintf(", at %s = %g", p.options.X, x)
	}
	return ""
}

// points returns the points of one arm or node. They depend on the x axis:
//
//	step            a point for each step that has the metric
//	a swept key     one point, of the last step or the options' step, at the arm's value
//	another metric  a point for each step that has both
func (p *plotter) points(run *Run, arm *results.ArmEntry, part part) (points []curvePoint, err error) {
	o := p.options
	rows := slices.DeleteFunc(slices.Clone(part.y), func(row results.SummaryRow) bool { return averageless(row.Step, o.PerStep) })
	// The arm does not record the metric. Its value on the axis is not looked up then, for it
	// may have none.
	if len(rows) == 0 {
		return nil, nil
	}
	if o.Keyed() {
		x, ok, err := p.axis(run, arm)
		if err != nil || math.IsNaN(x) {
			return nil, err
		}
		row, err := rowAt(arm, rows, o.Metric, p.at)
		if !ok && err == nil && part.node == noNode {
			line := []curvePoint{placed(0, row, o)}
			run.resample(arm.Name, line, o)
			p.apart = append(p.apart, reference{origin{run, arm}, line[0]})
		}
		if !ok {
			return nil, err
		}
		points := []curvePoint{placed(x, row, o)}
		run.resample(arm.Name, points, o)
		return points, err
	}
	var ends map[int64][2]float64
	if part.node == noNode && !o.PerStep {
		rows, ends = run.window(arm.Name, o, rows)
	}
	points = along(rows, part.x, o.Across() == study.AxisStep, o)
	run.resample(arm.Name, points, o)
	within(points, ends)
	if o.PerStep && o.Across() == study.AxisStep && (o.Size == metric.ColumnSize || o.Look == metric.SlidesLook) {
		points = settled(points)
	}
	return points, nil
}

// stair returns the points of a privacy loss over the steps as an upper stair: between two records
// the loss is at most the later one. Other points are returned as they are.
func stair(points []curvePoint, o *study.PlotOptions) []curvePoint {
	if o.Across() != study.AxisStep || o.PerStep || o.Dotted() || !growing[o.Metric] || len(points) == 0 {
		return points
	}
	var steps, losses []float64
	for _, p := range points {
		steps, losses = append(steps, p.x), append(losses, p.y)
	}
	x, y := accounts.UpperStair(steps, losses, math.Min(1, steps[0]))
	corners := make([]curvePoint, 0, len(x))
	for i := range x[1:] { // without the beginning at no loss, which has no place on a logarithmic axis
		corners = append(corners, curvePoint{x: x[i+1], y: y[i+1]})
	}
	return corners
}

// growing are the metrics that are privacy losses so far.
var growing = map[string]bool{ledger.EpsilonTotal: true, ledger.EpsilonSpent: true}

// along returns a point for each row, over the step or over the metric of across, which has
// one value a step. Rows of steps without such a value have no point.
func along(rows, across []results.SummaryRow, step bool, o *study.PlotOptions) (points []curvePoint) {
	at := make(map[int64]float64, len(across)) // x by step
	for _, row := range across {
		at[row.Step] = row.Mean
	}
	for _, row := range rows {
		x, ok := at[row.Step]
		if step {
			x, ok = float64(row.Step), true
		}
		if ok {
			points = append(points, placed(x, row, o))
		}
	}
	return points
}

// rowAt returns an arm's row at the step of the plot, the last row where the plot names none.
// A step without a record is an error with the nearest one that has a record. rows has at
// least one row; all are for one arm or node and the metric, with ascending steps.
func rowAt(arm *results.ArmEntry, rows []results.SummaryRow, metric string, at int64) (results.SummaryRow, error) {
	if at == 0 {
		return rows[len(rows)-1], nil
	}
	nearest := rows[0].Step
	for _, row := range rows {
		if row.Step == at {
			return row, nil
		}
		if math.Abs(float64(row.Step-at)) < math.Abs(float64(nearest-at)) {
			nearest = row.Step
		}
	}
	return results.SummaryRow{}, document.At("at", "arm %s has no record of %s at step %d; the nearest is at %d", arm.Name, metric, at, nearest)
}

// averageless reports whether a step has no average over the steps: it is step 0, with which
// some families begin.
func averageless(step int64, perStep bool) bool { return perStep && step == 0 }

// placed returns a row on its axes. The band is the 95 % interval of the mean
// (comparison.HalfWidth), its standard error, or the standard deviation of a seed: the error times
// the square root of the number of seeds. Dividing by the step divides both. A single seed has the error NaN, and so the band.
func placed(x float64, row results.SummaryRow, o *study.PlotOptions) curvePoint {
	y, half := row.Mean, row.SE
	switch o.Band {
	case study.BandSD:
		half *= math.Sqrt(float64(row.N))
	case study.BandCI:
		half = comparison.HalfWidth(half, row.N)
	case study.NoBand:
		half = 0
	}
	if o.PerStep {
		y, half = y/float64(row.Step), half/float64(row.Step)
	}
	return curvePoint{x: x, y: y, half: half, step: row.Step}
}

// series returns the curve as a series of package figure, its points in ascending x on an axis
// of a swept key. It has no band where no point has one. The points are sorted in place; the
// series has slices of its own.
func (c *plotCurve) series(o *study.PlotOptions) figure.Series {
	s := figure.Series{Name: c.name, Dots: o.Dotted()}
	c.points = stair(c.points, o)
	if o.Keyed() {
		slices.SortFunc(c.points, func(a, b curvePoint) int { return cmp.Compare(a.x, b.x) })
	}
	banded := false
	for _, p := range c.points {
		s.X, s.Y = append(s.X, p.x), append(s.Y, p.y)
		if !p.ends {
			p.low, p.high = p.y-p.half, p.y+p.half
		}
		s.Low, s.High = append(s.Low, p.low), append(s.High, p.high)
		banded = banded || p.half > 0 || p.ends
	}
	if !banded {
		s.Low, s.High = nil, nil
	}
	s.Bars = banded && o.Keyed()
	if slices.ContainsFunc(c.points, func(p curvePoint) bool { return p.text != "" }) {
		for _, p := range c.points {
			s.Points = append(s.Points, p.text)
		}
	}
	return s
}
