package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/scenarios/results/tabular"
)

// The measures of panels in points.
const (
	panelTitle = vg.Length(17) // the room for the title of a panel
	panelGap   = vg.Length(14) // between panels
	noteSize   = vg.Length(9)
	noteLine   = vg.Length(12)
	// panelRatio is the height of a panel, with its title, beside its width.
	panelRatio = 0.74
	// leastPanel is about the least width of a panel.
	leastPanel = 2.3 * vg.Inch
	// stackedHeight is the height of a stacked panel, with its title.
	stackedHeight = 1.6 * vg.Inch
	// stackedTicks is about the number of marks of the y axis of a stacked panel.
	stackedTicks = 4
)

// panel is one chart of a figure.
type panel struct {
	title string
	plot  *plot.Plot
	// empty is true if there is no point to draw; the panel then says so.
	empty bool
	// data is the place of the data on the page, once it is drawn.
	data vg.Rectangle
}

// emptyPanel reports whether none of the series has a point on the axes of a figure.
func emptyPanel(f *Figure, list []Series) bool {
	x, _ := f.spansOf(list)
	return x.min > x.max
}

// stackedSpan returns the range of the y axis of a stacked panel.
func (f *Figure) stackedSpan(p Panel) span {
	_, y := f.spansOf(p.Series)
	if p.FromZero && y.min <= y.max {
		y.include(0)
		if y.min == y.max { // nothing but 0
			y.include(1)
		}
	}
	return y
}

// spansOf returns the ranges of some series on the axes of the figure.
func (f *Figure) spansOf(list []Series) (x, y span) {
	return spans(&Figure{LogX: f.LogX, LogY: f.LogY, Series: list})
}

// divide lays out the panels of a figure that has several: as many beside each other as have
// room, in rows of equal length as far as that goes; stacked panels have a row each. A figure
// without a requested height gets the height that its rows need.
func (c *chart) divide(f *Figure) {
	c.columns = 1
	n := len(f.Panels)
	if n == 0 {
		return
	}
	most := c.mostColumns(n)
	if f.Stacked {
		most = 1
	}
	rows := (n + most - 1) / most
	c.columns = (n + rows - 1) / rows
	height := c.slot() * panelRatio
	if f.Stacked {
		height = stackedHeight
	}
	if f.Height == 0 && !c.fixed && (n > 1 || f.Stacked) {
		c.height = vg.Length(vg.Length(rows)*height) + 2*border + titleSpace + labelSpace
	}
}

// slot is the width of the page for a column of panels.
func (c *chart) slot() vg.Length { return (c.width - 2*border) / vg.Length(c.columns) }

// chooseTicks chooses the numbers of marks of the axes of panels.
func (c *chart) chooseTicks(f *Figure) {
	n := len(f.Panels)
	if n == 0 {
		return
	}
	rows := (n + c.columns - 1) / c.columns
	c.xTicks = min(c.xTicks, max(2, int(c.slot()/vg.Inch*1.5)))
	c.yTicks = min(c.yTicks, max(3, int(c.height/vg.Length(rows)/vg.Inch*2)))
	if f.Stacked {
		c.yTicks = stackedTicks
	}
}

// mostColumns is the most panels beside each other. A column of a page has small ones from the third on, and a
// page of fixed height a grid of about its shape.
func (c *chart) mostColumns(panels int) int {
	switch {
	case c.fixed:
		return min(6, int(math.Ceil(math.Sqrt(float64(panels)/slidesRatio*panelRatio))))
	case c.compact && panels > 12:
		return 3
	case c.compact && panels > 2:
		return 2
	}
	return min(4, max(1, int(c.width/leastPanel)))
}

// drawPanels draws the panels and returns the rectangle of their data. Only panels at the
// left have labels at the y axis, and only those with nothing below at the x axis.
func (c *chart) drawPanels(axes draw.Canvas) draw.Canvas {
	if len(c.panels) == 1 && c.panels[0].title == "" {
		p := &c.panels[0]
		axes = draw.Crop(axes, 0, -c.numbers, 0, 0)
		spacedBoth(p.plot, p.plot.DataCanvas(axes).Size())
		p.plot.Draw(axes)
		data := p.plot.DataCanvas(axes)
		p.sayEmpty(data)
		return data
	}
	all := c.panels[0].plot.DataCanvas(draw.Crop(axes, 0, 0, 0, -panelTitle))
	for i := range c.panels { // of stacked panels the numbers of one axis may be the widest
		all.Min.X = max(all.Min.X, c.panels[i].plot.DataCanvas(axes).Min.X)
	}
	all.Max.X = axes.Max.X - max(3*panelGap/4, c.numbers) // the last label of the axis reaches beyond it
	rows := (len(c.panels) + c.columns - 1) / c.columns
	size := all.Size()
	across := max(panelGap, widest(&c.panels[0].plot.X)+4, c.numbers+4) // labels at the ends of two axes do not meet
	width := (size.X - vg.Length(vg.Length(c.columns-1)*across)) / vg.Length(c.columns)
	height := (size.Y - vg.Length(vg.Length(rows-1)*(panelGap+panelTitle))) / vg.Length(rows)
	for i := range c.panels {
		p := &c.panels[i]
		column, row := i%c.columns, i/c.columns
		left := all.Min.X + vg.Length(vg.Length(column)*(width+across))
		top := all.Max.Y - vg.Length(vg.Length(row)*(height+panelGap+panelTitle))
		data := draw.Canvas{Canvas: axes.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: left, Y: top - height}, Max: vg.Point{X: left + width, Y: top},
		}}
		spacedBoth(p.plot, vg.Point{X: width, Y: height})
		if column > 0 {
			unlabelled(&p.plot.Y)
		}
		if i+c.columns < len(c.panels) {
			unlabelled(&p.plot.X)
		}
		p.plot.Draw(around(p.plot, data))
		p.data = data.Rectangle
		p.sayEmpty(data)
		title := bold(textStyle(tickSize))
		title.XAlign, title.YAlign = draw.XCenter, draw.YBottom
		at := vg.Point{X: data.Center().X, Y: top + 3 + title.FontExtents().Descent}
		room := width + across - 4
		for title.Width(p.title) > room && title.Font.Size > leastHead {
			title.Font.Size -= 0.5
		}
		data.FillText(title, at, elide(p.title, room, title))
	}
	return all
}

// freePlace is the place right of the last panel, as panels are drawn.
func (c *chart) freePlace(page draw.Canvas) draw.Canvas {
	last, above := c.panels[len(c.panels)-1].data, c.panels[len(c.panels)-c.columns].data
	page.Rectangle = vg.Rectangle{
		Min: vg.Point{X: above.Min.X, Y: last.Min.Y}, Max: vg.Point{X: above.Max.X, Y: last.Max.Y},
	}
	return page
}

// widest is the width of the widest label of an axis.
func widest(a *plot.Axis) (width vg.Length) {
	for _, tick := range a.Tick.Marker.(plot.ConstantTicks) {
		width = max(width, a.Tick.Label.Width(tick.Label))
	}
	return width
}

// sayEmpty writes that a panel has nothing to draw.
func (p *panel) sayEmpty(data draw.Canvas) {
	if p.empty {
		label := textStyle(labelSize)
		label.XAlign, label.YAlign = draw.XCenter, draw.YCenter
		data.FillText(label, data.Center(), "no data to draw")
	}
}

// unlabelled takes the labels from the marks of an axis.
func unlabelled(a *plot.Axis) {
	ticks := append([]plot.Tick{}, a.Tick.Marker.(plot.ConstantTicks)...)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = " " // a mark without a label is a short one
		}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// around is the canvas on which a plot has its data where it is wanted. The room that the axes
// take depends on the canvas, and so the canvas is approached step by step. The first one is wider where the names of
// rows would leave no room for data: the library then places the data nowhere.
func around(p *plot.Plot, data draw.Canvas) draw.Canvas {
	canvas := data
	if names := widest(&p.Y); names >= data.Size().X/2 {
		canvas.Min.X -= names
	}
	for range 4 {
		got := p.DataCanvas(canvas)
		canvas.Min.X += data.Min.X - got.Min.X
		canvas.Min.Y += data.Min.Y - got.Min.Y
		canvas.Max.X += data.Max.X - got.Max.X
		canvas.Max.Y += data.Max.Y - got.Max.Y
	}
	return canvas
}

// noteLines are the lines of the note.
func (c *chart) noteLines() []string {
	if c.note == "" {
		return nil
	}
	// A letter is about half as wide as it is high.
	return tabular.Wrap(c.note, int((c.width-2*border)/(noteSize*0.5)))
}

// below is the height that the note adds under legend and chart.
func (c *chart) below() vg.Length {
	return vg.Length(vg.Length(len(c.noteLines())) * noteLine)
}

// drawNote writes the note at the bottom of the page.
func (c *chart) drawNote(page draw.Canvas) {
	style := textStyle(noteSize)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	lines := c.noteLines()
	for i, line := range lines {
		y := page.Min.Y + border/2 + vg.Length(vg.Length(len(lines)-1-i)*noteLine)
		page.FillText(style, vg.Point{X: page.Center().X, Y: y + style.FontExtents().Descent}, elide(line, page.Size().X-border, style))
	}
}
