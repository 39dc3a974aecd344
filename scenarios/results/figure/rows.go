package figure

import (
	"math"
	"slices"
)

// inRows returns a figure over categories with a row of dots for each point, below each other, as Cells draw them: names
// of any length have a place beside their rows. Where several series have a point at a category, the row has the
// name of the series, too. Lines across stay lines across.
func (f *Figure) inRows() *Figure {
	g := *f
	g.Categories, g.Series, g.XLabel = nil, nil, ""
	g.Cells = &Cells{Columns: []string{""}, Share: f.Share, Dots: true}
	for place, name := range f.Categories {
		var at []int
		for k := range f.Series {
			if !f.Series[k].Reference && slices.Contains(f.Series[k].X, float64(place)) {
				at = append(at, k)
			}
		}
		for _, k := range at {
			s, label := &f.Series[k], name
			if shown := s.Shown(); len(at) > 1 && shown != "" {
				label += ", " + shown
			}
			g.Cells.addRow(label, s, slices.Index(s.X, float64(place)), false)
		}
	}
	g.Cells.Inside = len(g.Cells.Rows)
	for k := range f.Series {
		if s := &f.Series[k]; s.Reference && len(s.Y) > 0 {
			g.Cells.addRow(s.Shown(), s, 0, true)
		}
	}
	return &g
}

// addRow adds a row of one column with a point of a series and its interval.
func (c *Cells) addRow(label string, s *Series, point int, across bool) {
	half := math.NaN()
	if s.Low != nil && !s.Unbanded {
		half = (s.High[point] - s.Low[point]) / 2
	}
	c.Rows, c.Values, c.Half = append(c.Rows, label), append(c.Values, []float64{s.Y[point]}), append(c.Half, []float64{half})
	c.Best, c.Across = append(c.Best, []bool{false}), append(c.Across, across)
}

// mostSlanted is the width in points of a slanted name from which on categories are rows.
const mostSlanted = 90

// rowed reports whether categories are drawn as rows: their names are too long to stand below an axis, and there is one
// chart.
func (f *Figure) rowed() bool {
	if f.Categories == nil || len(f.Panels) > 0 || f.Cells != nil {
		return false
	}
	style := textStyle(tickSize)
	return slices.ContainsFunc(f.Categories, func(name string) bool { return style.Width(name) > mostSlanted })
}
