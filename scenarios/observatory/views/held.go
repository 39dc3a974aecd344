package views

import (
	"math"
	"regexp"
	"slices"

	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/report"
	"starling/scenarios/study"
)

// beyond is a step that no run reaches.
const beyond int64 = 1 << 40

// holdPlaces gives each arm of an unfinished run a row beyond all steps. So names, colours and dashes
// of curves are chosen among all arms of the scenario, and stay when further arms report. The row has
// the value of the arm's last one, which keeps the order of the curves, and a step of its own: curves
// that coincide so far stay apart. heldFigure removes the points again.
func (s *source) holdPlaces(o *study.PlotOptions) {
	s.reports = map[string]bool{}
	rows := slices.Clone(s.Rows[o.Metric])
	for i, arm := range s.Arms {
		step := beyond + int64(i)
		held := results.SummaryRow{Arm: arm.Name, Step: step, Metric: o.Metric, Mean: 1, SE: math.NaN()}
		for _, row := range s.Rows[o.Metric] {
			if row.Arm == arm.Name && !math.IsNaN(row.Mean) {
				s.reports[arm.Name] = true
				held.Mean = row.Mean
				if o.PerStep && row.Step > 0 {
					held.Mean *= float64(step) / float64(row.Step)
				}
			}
		}
		rows = append(rows, held)
	}
	s.Rows[o.Metric] = rows
}

// inAll matches the accounted loss in the label of a value, which a run that goes on has not lost yet.
var inAll = regexp.MustCompile(` \([^()]* in all\)`)

// heldFigure makes the charts of a figure of which rows held places, and takes their points out of it.
// Curves without other points stay in the legends.
func (s *source) heldFigure(f figure.Figure, metric string) *Figure {
	plain := func(text string) string { return inAll.ReplaceAllString(text, "") }
	for i := range f.Ramp {
		f.Ramp[i] = plain(f.Ramp[i])
	}
	for i := range f.Panels {
		f.Panels[i].Title = plain(f.Panels[i].Title)
	}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			c := &panel.Series[i]
			c.Name, c.Hue, c.Dash = plain(c.Name), plain(c.Hue), plain(c.Dash)
		}
	}
	out := newFigure(f, metric)
	for k, panel := range f.Charts() {
		chart := &out.Charts[k]
		known := chart.X
		chart.X = nil
		for i := range panel.Series {
			n := s.recorded(panel.Series[i].X)
			cut(&panel.Series[i], n)
			l := &chart.Series[i]
			x := known[l.X]
			n = s.recorded(x)
			l.Y, l.Low, l.High = l.Y[:n], l.Low[:min(n, len(l.Low))], l.High[:min(n, len(l.High))]
			if l.X = slices.IndexFunc(chart.X, func(other report.Values) bool { return slices.Equal(other, x[:n]) }); l.X < 0 {
				l.X = len(chart.X)
				chart.X = append(chart.X, x[:n])
			}
		}
	}
	out.drawn = f
	if len(f.Panels) > 1 {
		x, y := f.Ranges()
		for k := range out.Charts {
			out.Charts[k].RangeX, out.Charts[k].RangeY = x[:], y[:]
		}
	}
	return out
}

// recorded returns the number of points that an arm has recorded, of places of its points.
func (s *source) recorded(x []float64) int {
	n := slices.IndexFunc(x, func(x float64) bool { return x >= float64(beyond) })
	if n < 0 {
		return len(x)
	}
	if !s.reports[s.Arms[int64(x[n])-beyond].Name] {
		return 0 // a stair has points before
	}
	return n
}

// cut leaves the first n points to a curve.
func cut(c *figure.Series, n int) {
	c.X, c.Y = c.X[:n], c.Y[:n]
	if c.Low != nil {
		c.Low, c.High = c.Low[:n], c.High[:n]
	}
}

// held reports whether a figure of a run needs rows that hold places.
func (s *source) held(o *study.PlotOptions) bool {
	return s.Source == nil && o.Across() == study.AxisStep && !o.Keyed() && o.At == 0
}
