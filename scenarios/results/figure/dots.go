package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The measures of dots in points.
const (
	dotRow      = vg.Length(17) // the height of a row
	leastDotRow = vg.Length(12)
	dotRadius   = vg.Length(3.6)
	numberRise  = vg.Length(1.3) // of a number, whose digits have no part below their line
	// leastDots is about the least width of the axes of a column.
	leastDots = vg.Length(78)
	// mostNames is the greatest part of the page for the names of rows, and namesBeside the part above which a name has two
	// lines, beside several columns.
	mostNames   = 0.4
	namesBeside = 0.2
	// numberedColumns is the most columns with numbers beside their dots.
	numberedColumns = 2
)

// The colours of dots: of the best values, and of the others where some are the best. They are the colours of no arm, which
// has one of its own in other figures.
var (
	dotColor      = color.NRGBA{A: 0xFF}
	otherDotColor = color.NRGBA{R: 0x9A, G: 0x9A, B: 0x9A, A: 0xFF}
)

// layDots lays out cells as dots with intervals: a chart for each column, all with one x axis, and a line for
// each row. Rows across are lines from the top of each chart to its foot.
func (c *chart) layDots(f *Figure) {
	cells := f.Cells
	c.legend.columns = 1 // of no entry
	names, widest, lines := c.namesOfDots(cells)
	left := c.edge() + max(numbersRoom, cellGap+widest)
	c.divideDots(len(cells.Columns), c.width-left-c.edge(), cells.numbersRoom())
	across := cells.spanOfDots()
	across.shared = f.Share && !across.log && cells.within(0, 1)
	across.cut()
	most := max(2, int((c.width-left)/vg.Length(c.columns)/vg.Inch*1.6))
	for k, title := range cells.Columns {
		drawn := panel{title: title, plot: plot.New()}
		drawn.plot.BackgroundColor = nil
		c.xLabel = setAxis(&drawn.plot.X, across.widened(0.04), f.YLabel, min(c.xTicks, most))
		setRows(&drawn.plot.Y, names)
		drawn.plot.X.Tick.Label.XAlign, drawn.plot.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
		drawn.plot.Y.Tick.Label.XAlign, drawn.plot.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
		line := draw.LineStyle{Color: gridColor, Width: 0.6}
		drawn.plot.Add(&plotter.Grid{Vertical: line, Horizontal: line}, &dots{cells: cells, column: k, log: across.log, shared: across.shared, numbered: c.numbers > 0})
		c.panels = append(c.panels, drawn)
	}
	c.heightOfDots(f, len(names), lines)
}

// namesOfDots returns the names of rows with a line, in one or two lines of their part of the page, with the widest line,
// and the most lines of a name.
func (c *chart) namesOfDots(cells *Cells) (names []string, widest vg.Length, most int) {
	style, room := textStyle(tickSize), mostNames*c.width
	line := room // above which a name has two lines
	if len(cells.Columns) > 1 {
		line = namesBeside * c.width
	}
	for i, name := range cells.Rows {
		if cells.Across[i] {
			continue
		}
		lines := rowLines(name, line, style)
		for k, line := range lines {
			lines[k] = elide(line, room, style)
			widest = max(widest, style.Width(lines[k]))
		}
		names, most = append(names, strings.Join(lines, "\n")), max(most, len(lines))
	}
	return names, widest, most
}

// divideDots lays out so many charts beside each other in a width, in rows of equal length. A few charts have
// numbers beside their dots, which take a room, where all have a place with them in one row.
func (c *chart) divideDots(n int, width, numbers vg.Length) {
	fitting := func(numbers vg.Length) int { return max(1, min(n, int(width/(leastDots+numbers)))) }
	c.columns = fitting(0)
	if n == 1 || n <= numberedColumns && fitting(numbers) == n {
		c.numbers = numbers
	}
	rows := (n + c.columns - 1) / c.columns
	c.columns = (n + rows - 1) / rows
}

// setRows gives a y axis the names of rows, the first on top.
func setRows(a *plot.Axis, names []string) {
	ticks := make([]plot.Tick, len(names))
	for i, name := range slices.Backward(names) {
		at := len(names) - 1 - i
		ticks[at] = plot.Tick{Value: float64(at), Label: name}
	}
	a.Min, a.Max, a.Padding = -0.6, float64(len(names))-0.4, 0
	a.Tick.Marker = plot.ConstantTicks(ticks)
	a.LineStyle = draw.LineStyle{Color: axisColor, Width: 0.8}
	a.Tick.LineStyle, a.Tick.Length = draw.LineStyle{}, 0
	a.Tick.Label = textStyle(tickSize)
}

// heightOfDots makes the page as high as its rows need, unless it has a height of its own: then rows are as low
// as names can be read.
func (c *chart) heightOfDots(f *Figure, rows, most int) {
	lines := (len(c.panels) + c.columns - 1) / c.columns
	room, _ := c.labels()
	rest := 2*c.edge() + space(c.title, titleSpace) + room + numbersRoom + c.below()
	if c.panels[0].title != "" {
		rest += vg.Length(vg.Length(lines)*(panelTitle+panelGap)) - panelGap
	}
	taller := vg.Length(vg.Length(most-1) * (tickSize - 1))
	high := func(row vg.Length) vg.Length {
		row += taller
		return rest + vg.Length(vg.Length(lines)*row*(vg.Length(rows)+0.2))
	}
	if f.Height > 0 || c.fixed {
		c.height = max(c.height, high(leastDotRow))
		return
	}
	c.height = max(min(high(dotRow), c.most()), high(leastDotRow))
}

// numbersRoom is the room beside the axes for the widest number of a dot.
func (c *Cells) numbersRoom() (room vg.Length) {
	style := textStyle(tickSize)
	for i := range c.Rows {
		for k := range c.Columns {
			if !c.Across[i] {
				room = max(room, style.Width(c.beside(i, k))+2*cellGap)
			}
		}
	}
	return room
}

// beside is the text beside a dot: its number, interval and mark.
func (c *Cells) beside(i, k int) string {
	v := c.Values[i][k]
	if math.IsNaN(v) {
		return "–"
	}
	text := c.number(v) + c.interval(v, c.Half[i][k])
	if c.Marks != nil && c.Marks[i][k] != "" {
		text += " " + c.Marks[i][k]
	}
	return text
}

// spanOfDots is the range of the values with their intervals, on a logarithmic axis where one value is several
// times another. Intervals widen it by a part of the range of the values at each end, and are cut there.
func (c *Cells) spanOfDots() span {
	least, most := math.Inf(1), math.Inf(-1)
	each := func(visit func(v, half float64)) {
		for i, row := range c.Values {
			for k, v := range row {
				if Drawable(v, false) && (!c.Across[i] || k == 0) {
					visit(v, c.Half[i][k])
				}
			}
		}
	}
	each(func(v, _ float64) { least, most = math.Min(least, v), math.Max(most, v) })
	s := emptySpan(least > 0 && most > logDots*least)
	if least > most {
		return s
	}
	s.include(least)
	s.include(most)
	bound := s.widened(mostWider)
	if s.log {
		bound = s.widened(mostWiderLog)
	}
	if s.min == s.max { // the intervals alone have a range
		bound = span{min: math.Inf(-1), max: math.Inf(1)}
	}
	each(func(v, half float64) {
		for _, end := range []float64{v - half, v + half} {
			if half > 0 && Drawable(end, false) {
				s.include(math.Max(bound.min, math.Min(bound.max, end)))
			}
		}
	})
	return s
}

// mostWider and mostWiderLog are the parts of the range of the values by which intervals widen an axis at each end, a
// logarithmic one less, which would lose its marks.
const (
	mostWider    = 1.5
	mostWiderLog = 0.6
)

// logDots is the ratio of the largest value to the least from which on their axis is logarithmic.
const logDots = 5

// dots draws the values of a column of cells.
type dots struct {
	cells    *Cells
	column   int
	log      bool
	shared   bool // the axis ends where values do, at 0 and 1
	numbered bool
}

// Plot implements plot.Plotter.
func (d *dots) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	last := 0
	for _, across := range d.cells.Across {
		if !across {
			last++
		}
	}
	row, lines := last-1, 0
	for i := range d.cells.Rows {
		if v := d.cells.Values[i][0]; d.cells.Across[i] {
			lines++
			if Drawable(v, d.log) {
				line := draw.LineStyle{Color: axisColor, Width: barWidth, Dashes: dashes[lines%len(dashes)]}
				c.StrokeLine2(line, toX(v), c.Min.Y, toX(v), c.Max.Y)
			}
			continue
		}
		d.draw(&c, i, toX, toY(float64(row)))
		row--
	}
}

// draw draws the dot of a row at a height, with its interval and number.
func (d *dots) draw(c *draw.Canvas, i int, toX func(float64) vg.Length, y vg.Length) {
	v, half := d.cells.Values[i][d.column], d.cells.Half[i][d.column]
	if d.numbered {
		style := textStyle(tickSize)
		style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
		if d.cells.chosen(i, d.column) {
			style = bold(style)
		}
		c.FillText(style, vg.Point{X: c.Max.X + cellGap, Y: y + numberRise}, d.cells.beside(i, d.column))
	}
	if !Drawable(v, d.log) {
		return
	}
	tint, open := d.cells.tint(i, d.column)
	if half > 0 {
		low, high := c.Min.X, min(c.Max.X, toX(v+half))
		if Drawable(v-half, d.log) {
			low = min(high, max(low, toX(v-half)))
		}
		c.StrokeLine2(draw.LineStyle{Color: tint, Width: lineWidth}, low, y, high, y)
		if !d.shared && (!Drawable(v-half, d.log) || toX(v-half) < c.Min.X-tooLittle) {
			arrowhead(c, tint, vg.Point{X: c.Min.X, Y: y}, -1)
		}
		if !d.shared && toX(v+half) > c.Max.X+tooLittle {
			arrowhead(c, tint, vg.Point{X: c.Max.X, Y: y}, 1)
		}
	}
	at := vg.Point{X: toX(v), Y: y}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: tint, Radius: dotRadius, Shape: draw.CircleGlyph{}}, at)
	if open {
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: dotRadius - 1.3, Shape: draw.CircleGlyph{}}, at)
	}
}

// tooLittle is a length in points beyond an axis that nobody sees.
const tooLittle = vg.Length(0.5)

// arrowhead marks the end of an interval that goes on beyond an axis: to the right for a sign of 1, else to the left.
func arrowhead(c *draw.Canvas, tint color.Color, tip vg.Point, sign vg.Length) {
	long, wide := vg.Length(-5*sign), vg.Length(3)
	c.FillPolygon(tint, []vg.Point{tip, {X: tip.X + long, Y: tip.Y + wide}, {X: tip.X + long, Y: tip.Y - wide}})
}

// Cut reports whether an interval of dots goes on beyond their axis.
func (c *Cells) Cut() bool {
	s := c.spanOfDots()
	for i, row := range c.Values {
		for k, v := range row {
			half := c.Half[i][k]
			if c.Across[i] || !(half > 0) || !Drawable(v, s.log) {
				continue
			}
			if !Drawable(v-half, s.log) || v-half < s.min || v+half > s.max {
				return true
			}
		}
	}
	return false
}

// chosen reports whether a value is marked as the best of those that compare, or is the best of its column where
// there are no marks.
func (c *Cells) chosen(i, k int) bool {
	if c.Marks != nil && slices.ContainsFunc(c.Marks, func(row []string) bool { return slices.Contains(row, bestSign) }) {
		return c.Marks[i][k] == bestSign
	}
	return c.Best[i][k]
}

// bestSign is the mark of the best value.
const bestSign = "*"

// tint is the colour of a dot, and reports whether it is open: a value with another mark than the best.
func (c *Cells) tint(i, k int) (tint color.NRGBA, open bool) {
	switch {
	case c.Better == "", c.chosen(i, k):
		return dotColor, false
	case c.Marks != nil && c.Marks[i][k] != "":
		return dotColor, true
	}
	return otherDotColor, false
}

// SortRows puts the rows inside of the grid in the order of their mean ranks over the columns, by the better side, or by
// the larger values where there is none, as findings do. Rows without a value come last.
func (c *Cells) SortRows() {
	ranks := make([]float64, len(c.Rows))
	for i := range c.Inside {
		ranks[i] = c.meanRank(i)
	}
	order := make([]int, len(c.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order[:c.Inside], func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) })
	c.Rows, c.Values, c.Half = picked(c.Rows, order), picked(c.Values, order), picked(c.Half, order)
	c.Best, c.Across, c.Marks = picked(c.Best, order), picked(c.Across, order), picked(c.Marks, order)
}

// meanRank is the mean number of rows that are ahead of a row in the columns where it has a value; +Inf for a row without
// any.
func (c *Cells) meanRank(row int) float64 {
	columns, ahead := 0, 0
	for k, v := range c.Values[row] {
		if math.IsNaN(v) {
			continue
		}
		columns++
		for i := range c.Inside {
			if other := c.Values[i][k]; other > v && c.Better != Lower || other < v && c.Better == Lower {
				ahead++
			}
		}
	}
	if columns == 0 {
		return math.Inf(1)
	}
	return float64(ahead) / float64(columns)
}

// picked returns elements of a list in an order; nil of nil.
func picked[T any](list []T, order []int) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(order))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}
