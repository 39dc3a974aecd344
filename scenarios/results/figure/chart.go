package figure

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// The measures of a page in points, before it is scaled to its size.
const (
	border     = vg.Length(10) // the white edge
	titleSize  = vg.Length(13)
	labelSize  = vg.Length(12)
	tickSize   = vg.Length(10.5)
	leastLabel = vg.Length(9)
	titleSpace = vg.Length(26) // above the axes
	labelSpace = vg.Length(20) // beside and below the tick labels
)

// chart is a figure laid out on a page. Title and axis labels are drawn here and not by
// plot.Plot, which reserves room for labels as if every axis were linear.
//
//	+--------------------------------------------+
//	|                  title                     |  titleSpace
//	|   +----------------------------------+     |
//	| y |                                  |  l  |  the legend, beside the axes
//	|   |  curves, their bands below them  |  e  |  or below them
//	|   +----------------------------------+  g  |
//	|                  x                         |  labelSpace
//	+--------------------------------------------+
type chart struct {
	// The page is laid out at its own size, and scaled when it is drawn.
	page
	title, xLabel, yLabel, note string
	panels                      []panel
	// columns is the number of panels beside each other.
	columns int
	legend  legend
	// numbers is the room for intervals at the ends of curves and the numbers of curves in the background, right of
	// the axes.
	numbers vg.Length
	// cells are a heat map in place of panels.
	cells *cellsPage
	// blank is the height of a page beyond its content, half of it above and half below.
	blank vg.Length
}

// newChart lays a figure out: ranges first, then the legend, then the ticks that fit. Below the
// axes the legend makes the page higher, and never the axes smaller.
func newChart(f *Figure) *chart {
	if f.rowed() {
		f = f.inRows()
	}
	x, y := spans(f)
	if f.Stacked && x.min == x.max { // a single step stands in the middle
		x.include(x.min - 1)
		x.include(x.max + 1)
	}
	if f.Cells != nil {
		return newCells(f)
	}
	c := &chart{page: f.page(), title: f.Title, note: f.drawnNote()}
	c.numbers = f.endBarRoom() + f.numberRoom(c.height)
	c.arrange(f, x.widened(0.02))
	if wide, _ := c.panelSize(len(f.Charts()), f.titled()); wide < leastWidth && f.HasEndBars() {
		bare := *f
		bare.Bare = true
		return newChart(&bare)
	}
	c.numbers = 0
	strokes := f.strokes()
	if len(c.legend.ends) > 0 {
		dashReferences(strokes[0], f.Series)
		c.note = strings.TrimSpace(c.note + " " + f.dashNote())
	}
	moved := false
	x = x.widened(max(0.02, c.dodge(f)))
	for i, p := range f.Charts() {
		drawn := panel{title: p.Title, plot: plot.New(), empty: emptyPanel(f, p.Series)}
		if f.Stacked {
			y = f.stackedSpan(p)
		}
		drawn.plot.BackgroundColor = nil // the page is white
		c.xLabel = setAxis(&drawn.plot.X, x, f.XLabel, c.xTicks)
		across := c.width / vg.Length(c.columns)
		if label := setAxis(&drawn.plot.Y, y.widened(0.04), f.YLabel, c.yTicks); f.Stacked {
			drawn.title = strings.TrimSpace(drawn.title + " " + label)
		} else {
			c.yLabel = label
		}
		drawn.plot.X.Tick.Label.XAlign, drawn.plot.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
		drawn.plot.Y.Tick.Label.XAlign, drawn.plot.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
		if f.LogX {
			setMarks(&drawn.plot.X, f.XMarks, c.xTicks)
		}
		if f.Categories != nil {
			setCategories(&drawn.plot.X, f.Categories, (across-c.legend.beside()-60)/vg.Length(len(f.Categories)))
		}
		shifts := f.shifts(p.Series, across)
		moved = moved || besides(p.Series, shifts)
		addSeries(drawn.plot, f, p.Series, strokes[i], shifts, len(c.legend.ends) > 0)
		c.panels = append(c.panels, drawn)
	}
	if moved && f.Categories == nil {
		c.note = strings.TrimSpace(c.note + " Points at the same x stand beside each other, so that all can be seen.")
	}
	if !c.fixed {
		c.height += c.legend.below() + c.below()
		if f.Height == 0 {
			c.height = min(c.height, c.most())
		}
	}
	c.grow()
	if len(c.legend.ends) == 0 {
		rows := (len(c.panels) + c.columns - 1) / c.columns
		c.numbers = f.endBarRoom() + f.numberRoom((c.height-c.legend.below()-c.below()-2*border-2*titleSpace)/vg.Length(rows)-panelTitle)
	}
	return c
}

// dashReferences makes lines across a chart with names at the ends of curves dashed, so that they are no curves.
func dashReferences(strokes []stroke, list []Series) {
	for i := range strokes {
		if list[i].Reference {
			strokes[i].dash = 1
		}
	}
}

// Ranges are the ends of the axes as they are drawn, margins included; the panels of a
// figure have them in common, unless they are stacked.
func (f *Figure) Ranges() (x, y [2]float64) {
	across, up := spans(f)
	across, up = across.widened(0.02), up.widened(0.04)
	return [2]float64{across.min, across.max}, [2]float64{up.min, up.max}
}

// spans returns the ranges of the points that can be drawn. Points without a place, such as infinities, have no part
// in it. Bands widen the range of the curves a little, and bars as far as they go; see bandsIn.
func spans(f *Figure) (x, y span) {
	x, y = emptySpan(f.LogX), emptySpan(f.LogY)
	x.whole = true
	if f.Categories != nil {
		x.include(-0.5)
		x.include(float64(len(f.Categories)) - 0.5)
	}
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			for k := range s.X {
				if s.drawable(k, f.LogX, f.LogY) {
					x.include(s.X[k])
					x.whole = x.whole && s.X[k] == math.Trunc(s.X[k])
					y.include(s.Y[k])
				}
			}
		}
	}
	if y.min <= y.max {
		y.shared = f.Share && !f.LogY && y.min >= 0 && y.max <= 1
		f.bandsIn(&y)
		y.cut()
	}
	return x, y
}

// addSeries adds grid, bands and curves; bands lie below all curves. named is set where the names of curves
// stand at their ends.
func addSeries(p *plot.Plot, f *Figure, list []Series, strokes []stroke, shifts []vg.Length, named bool) {
	line := draw.LineStyle{Color: gridColor, Width: 0.6}
	p.Add(&plotter.Grid{Vertical: line, Horizontal: line})
	smooth, pale := make([]Series, len(list)), manyBars(list)
	for i := range list {
		smooth[i] = list[i].smoothed(f.LogX, f.LogY)
		if s := &smooth[i]; s.Low != nil && !s.Unbanded {
			p.Add(&band{series: s, style: styleOf(strokes[i]), logX: f.LogX, logY: f.LogY, shift: shifts[i], pale: pale})
		}
	}
	for _, faint := range []bool{true, false} { // those in the background lie below the others
		for i := range list {
			if s := &list[i]; s.Faint != faint {
				continue
			} else if s.Smooth > 0 && !s.Faint {
				p.Add(&curve{series: s, style: raw(styleOf(strokes[i])), logX: f.LogX, logY: f.LogY, shift: shifts[i]})
			}
			p.Add(&curve{series: &smooth[i], style: list[i].styled(strokes[i]), logX: f.LogX, logY: f.LogY, shift: shifts[i]})
		}
	}
	bars, styles := f.endBars(list), make([]style, len(list))
	for i := range list {
		styles[i] = list[i].styled(strokes[i])
	}
	keys := f.faints()
	if named {
		keys = nil
	}
	p.Add(&endBarsOf{smooth, bars, styles, keys, f.LogX, f.LogY, f.barStep()})
	if len(keys) > 0 {
		p.Add(&endNumbers{smooth, keys, f.LogX, f.LogY, bars, f.endBarRoom()})
	}
	for i := range list {
		if list[i].Points != nil {
			p.Add(&pointNames{series: &list[i], logX: f.LogX, logY: f.LogY, shift: shifts[i]})
		}
	}
}

// setAxis gives an axis its range and marks and returns its label, which takes
// in the factor of the tick labels.
func setAxis(a *plot.Axis, s span, label string, most int) string {
	a.Min, a.Max = s.min, s.max
	if s.log {
		a.Scale = plot.LogScale{}
	}
	ticks, factor := s.ticks(most)
	a.Tick.Marker = plot.ConstantTicks(ticks)
	a.Padding = 0
	a.LineStyle = draw.LineStyle{Color: axisColor, Width: 0.8}
	a.Tick.LineStyle = a.LineStyle
	a.Tick.Length = 5
	a.Tick.Label = textStyle(tickSize)
	if factor != "" && label != "" {
		return label + " (" + factor + ")"
	}
	return label + factor
}

// setMarks replaces the marks of a logarithmic axis, if there are any and their labels have room.
func setMarks(a *plot.Axis, marks []float64, most int) {
	if len(marks) == 0 || len(marks) > most+2 {
		return
	}
	ticks := make([]plot.Tick, len(marks))
	for i, v := range marks {
		if i > 0 && portable.Log(v/marks[i-1])/portable.Log(a.Max/a.Min) < leastGap {
			return
		}
		ticks[i] = plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64)}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// leastGap is the least part of an axis between two of its marks.
const leastGap = 0.05

// draw puts the chart on a page of its width and height.
func (c *chart) draw(page draw.Canvas) {
	page = draw.Crop(page, 0, 0, c.blank/2, -c.blank/2)
	if c.cells != nil {
		c.drawCells(page)
		return
	}
	edge, room := c.edge(), vg.Length(0)
	inner := draw.Crop(page, edge, -edge, edge, -edge)
	inner = draw.Crop(inner, 0, 0, c.below(), 0)
	area := draw.Crop(inner, 0, -c.legend.beside(), c.legend.below(), 0)
	room, _ = c.labels()
	axes := draw.Crop(area, space(c.yLabel, room), 0, space(c.xLabel, room), -space(c.title, titleSpace))
	if c.compact {
		axes = draw.Crop(area, 0, 0, space(c.xLabel, room), -space(c.title, titleSpace-4)-space(c.yLabel, room))
		if c.legend.beside() == 0 { // half of the last number is beside the axes
			axes = draw.Crop(axes, 0, -edge, 0, 0)
		}
	}
	data := c.drawPanels(axes)
	c.drawTexts(inner, area, data)
	if len(c.legend.ends) > 0 {
		drawEnds(inner, data, c.panels[0].plot, c.legend.ends, c.legend.bars, c.legend.text)
	} else if c.legend.inside {
		c.legend.draw(inner, c.freePlace(inner))
	} else {
		c.legend.draw(inner, data)
	}
	c.drawNote(page)
}

// space is the room for a text, if there is one.
func space(txt string, size vg.Length) vg.Length {
	if txt == "" {
		return 0
	}
	return size
}

// drawTexts writes title and labels, centred on the data. A text that is too long for the page
// is made smaller, then cut in its middle.
func (c *chart) drawTexts(inner, area, data draw.Canvas) {
	middle := data.Center()
	title := fitTitle(c.title, inner.Size().X)
	shown := elide(c.title, inner.Size().X, title)
	half := vg.Length(title.Width(shown) / 2)
	at := min(max(middle.X, inner.Min.X+half), inner.Max.X-half)
	inner.FillText(title, vg.Point{X: at, Y: area.Max.Y}, shown)

	_, size := c.labels()
	label := textStyle(size)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	descent := label.FontExtents().Descent
	area.FillText(label, vg.Point{X: middle.X, Y: area.Min.Y + descent}, elide(c.xLabel, area.Size().X, label))
	if c.compact {
		label.XAlign, label.YAlign = draw.XLeft, draw.YTop
		inner.FillText(label, vg.Point{X: inner.Min.X, Y: area.Max.Y - space(c.title, titleSpace-4)}, elide(c.yLabel, inner.Size().X, label))
		return
	}
	upright := label
	upright.Rotation = math.Pi / 2
	upright.YAlign = draw.YTop
	// The label is centred on the axes, and as long as the page has room to either side.
	room := 2 * min(inner.Max.Y-middle.Y, middle.Y-inner.Min.Y)
	for upright.Width(c.yLabel) > room && upright.Font.Size > leastLabel {
		upright.Font.Size -= 0.5
	}
	area.FillText(upright, vg.Point{X: area.Min.X - descent, Y: middle.Y}, elide(c.yLabel, room, upright))
}

// fitTitle returns the style of a title, smaller where it is long.
func fitTitle(title string, width vg.Length) text.Style {
	style := bold(textStyle(titleSize))
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	for style.Width(title) > width && style.Font.Size > tickSize {
		style.Font.Size -= 0.5
	}
	return style
}

// drawScaled draws the chart on a canvas of its printed size.
func (c *chart) drawScaled(canvas vg.Canvas) {
	if c.scale != 1 {
		canvas.Scale(c.scale, c.scale)
	}
	page := draw.NewCanvas(canvas, c.width, c.height)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	c.draw(page)
}
