package figure

import (
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/scenarios/metric"
)

// The measures of a legend in points.
const (
	sampleWidth  = vg.Length(34) // of the line before a name
	sampleGap    = vg.Length(6)  // between that and the name
	entryHeight  = vg.Length(16)
	entryGap     = vg.Length(18) // between columns
	legendMargin = vg.Length(12) // between chart and legend
)

// legend lies outside the axes, so that it covers no data: beside them where
// its names are short and few, below them in columns otherwise.
type legend struct {
	// entries are the series with a name, in their order.
	entries []legendEntry
	text    text.Style
	// onRight places the legend beside the axes; else it is below them.
	onRight bool
	// columns is the number of columns in which entries run down.
	columns int
	// width is the width of one column, without the gap.
	width vg.Length
	// inside places the legend in the place of the panel that is missing in the last row.
	inside bool
	// ends are names at the ends of curves; there are no entries then.
	ends []endName
	// bars is the room between axes and names for intervals at the ends of curves, a part of width.
	bars vg.Length
}

type legendEntry struct {
	name   string
	stroke stroke
	// marked entries show the sign of the points of a short series, banded ones the
	// colour of the band.
	marked bool
	banded bool
	// dots entries have no line.
	dots bool
	// number is the number of a curve in the background, in place of its line; 0 is none.
	number int
	// second entries come after the entries of colours.
	second bool
}

// newLegend lays a legend out for a chart of that size with that range of its x axis.
func newLegend(f *Figure, p *page, across span) legend {
	width, height := p.width-2*p.edge(), p.height-2*p.edge()
	most := vg.Length(0.3)
	if p.compact {
		most = 0.36
	}
	l := legend{text: textStyle(10.5)}
	l.text.YAlign = draw.YCenter
	l.ends = f.endNames(across)
	for _, end := range l.ends {
		l.width = max(l.width, leaderWidth+leaderGap+l.text.Width(end.name))
	}
	if l.bars = f.endBarRoom(); l.bars > 0 {
		l.width, most = l.width+l.bars, most+0.05
	}
	if len(l.ends) > 0 && l.width <= most*width && vg.Length(len(l.ends))*endHeight <= 0.7*height {
		l.onRight, l.columns = true, 1
		return l
	}
	l.ends, l.width, l.bars = nil, 0, 0
	for _, entry := range f.numbered(f.entries()) {
		entry.name = elide(entry.name, width-sampleWidth-sampleGap, l.text)
		l.width = max(l.width, sampleWidth+sampleGap+l.text.Width(entry.name))
		l.entries = append(l.entries, entry)
	}
	n := len(l.entries)
	l.onRight = n > 1 && l.width <= 0.26*width && vg.Length(n)*entryHeight <= 0.8*height
	if f.Legend != "" {
		l.onRight = f.Legend == metric.LegendRight
	}
	l.columns = 1
	if !l.onRight {
		l.columns = max(1, min(n, int((width+entryGap)/(l.width+entryGap))))
		if f.Height == 0 && l.rows() > p.mostRows() {
			l.narrow(width, p.mostRows())
		}
		l.columns = (n + l.rows() - 1) / max(1, l.rows()) // those that have entries
	}
	return l
}

// mostRows is the most entries below each other of a legend below the axes: half of the highest page is for these.
func (p *page) mostRows() int {
	return max(1, int((p.most()-min(p.height, p.most()/2)-legendMargin)/entryHeight))
}

// narrow cuts names in their middle, so that a legend of a width has so few rows.
func (l *legend) narrow(width vg.Length, rows int) {
	l.columns = (len(l.entries) + rows - 1) / rows
	l.width = (width+entryGap)/vg.Length(l.columns) - entryGap
	for i := range l.entries {
		l.entries[i].name = elide(l.entries[i].name, l.width-sampleWidth-sampleGap, l.text)
	}
}

// entries returns the entries of the legend: each curve with a name once, or the values that
// give curves their colours, then the values that give them their dashes.
func (f *Figure) entries() (list []legendEntry) {
	if f.Legend == metric.LegendNone {
		return nil
	}
	if f.factored() {
		return f.valueEntries()
	}
	strokes := f.strokes()
	for k, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			if len(f.Panels) == 0 && s.Name != "" { // two curves of one name are two
				list = append(list, legendEntry{name: s.Shown(), stroke: strokes[k][i], marked: s.marked(), banded: s.banded(), dots: s.Dots})
			} else {
				list = addEntry(list, s.Shown(), strokes[k][i], s)
			}
		}
	}
	return list
}

// numbered gives the entries of curves in the background their numbers, and puts them last.
func (f *Figure) numbered(list []legendEntry) []legendEntry {
	keys := f.faints()
	for i := range list {
		list[i].number = 1 + slices.Index(keys, list[i].name)
	}
	slices.SortStableFunc(list, func(a, b legendEntry) int {
		return min(a.number, 1)*len(keys) + a.number - min(b.number, 1)*len(keys) - b.number
	})
	return list
}

// addEntry adds an entry with a name that is not there yet.
func addEntry(list []legendEntry, name string, p stroke, s *Series) []legendEntry {
	if name == "" || slices.ContainsFunc(list, func(e legendEntry) bool { return e.name == name }) {
		return list
	}
	return append(list, legendEntry{name: name, stroke: p, marked: s.marked(), banded: s.banded(), dots: s.Dots})
}

// valueEntries are the values that give curves their colours, then those that give them
// their dashes, in grey, and curves that no value gives either.
func (f *Figure) valueEntries() (list []legendEntry) {
	strokes, charts, doubled := f.strokes(), f.Charts(), f.doubled()
	for k, panel := range charts {
		for i := range panel.Series {
			s, p := &panel.Series[i], strokes[k][i]
			if s.Dash != "" && s.Hue != s.Dash && !doubled && p.hue != uncoloured {
				p.dash = 0
			}
			list = addEntry(list, s.Hue, p, s)
		}
	}
	hues := len(list)
	if len(f.Ramp) > 0 { // in its order, and others after it
		rank := func(e legendEntry) int { return (slices.Index(f.Ramp, e.name) + len(f.Ramp) + 1) % (len(f.Ramp) + 1) }
		slices.SortStableFunc(list, func(a, b legendEntry) int { return rank(a) - rank(b) })
	}
	for k, panel := range charts {
		for i := range panel.Series {
			s, p := &panel.Series[i], strokes[k][i]
			if s.Hue == "" && s.Dash == "" {
				list = addEntry(list, s.Shown(), p, s)
			} else {
				list = addEntry(list, s.Dash, stroke{hue: uncoloured, dash: p.dash}, s)
			}
		}
	}
	for i := hues; i < len(list); i++ {
		list[i].second = true
	}
	undrawn := f.Undrawn()
	drawn := slices.DeleteFunc(slices.Clone(list), func(e legendEntry) bool { return slices.Contains(undrawn, e.name) })
	if len(drawn) == 0 { // a figure of nothing else
		return list
	}
	return drawn
}

// Undrawn returns the values that give colours and dashes to curves alone of which no point is drawn. The
// legend leaves them out: nothing is drawn of them.
func (f *Figure) Undrawn() (names []string) {
	var drawn []string
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			list := &names
			if s.last(f.LogX, f.LogY) >= 0 {
				list = &drawn
			}
			for _, name := range []string{s.Hue, s.Dash} {
				if name != "" && !slices.Contains(*list, name) {
					*list = append(*list, name)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(drawn, name) })
}

// Key is an entry of a legend of values, for others that draw the same figure.
type Key struct {
	Name string
	Line Line
	// Second means that the value gives no colour: it gives a dash, or is the name of a curve
	// that no value gives either.
	Second bool
	// Curves are the series that have the value, by panel, as Charts has them.
	Curves [][]int
}

// Keys are the entries of the legend where values give curves their colours and dashes. They
// are nil where each curve has its own.
func (f *Figure) Keys() (keys []Key) {
	if !f.factored() {
		return nil
	}
	for _, e := range f.valueEntries() {
		key := Key{Name: e.name, Line: e.stroke.line(), Second: e.second}
		for _, panel := range f.Charts() {
			var curves []int
			for i, s := range panel.Series {
				if e.name == s.Hue || e.name == s.Dash || s.Hue == "" && s.Dash == "" && e.name == s.Shown() {
					curves = append(curves, i)
				}
			}
			key.Curves = append(key.Curves, curves)
		}
		keys = append(keys, key)
	}
	return keys
}

// beside is the width the legend takes from the chart.
func (l *legend) beside() vg.Length {
	switch {
	case !l.onRight || l.inside:
		return 0
	case len(l.ends) > 0:
		return l.width
	}
	return l.width + legendMargin
}

// below is the height the legend adds under the chart.
func (l *legend) below() vg.Length {
	if l.onRight || l.inside || len(l.entries) == 0 {
		return 0
	}
	return vg.Length(vg.Length(l.rows())*entryHeight) + legendMargin
}

// rows is the largest number of entries of a column.
func (l *legend) rows() int { return (len(l.entries) + l.columns - 1) / l.columns }

// draw puts the legend on the page, which holds the data area at data. Entries
// run down the columns.
func (l *legend) draw(page, data draw.Canvas) {
	rows := l.rows()
	total := vg.Length(vg.Length(l.columns)*(l.width+entryGap)) - entryGap
	left, top := page.Center().X-vg.Length(total/2), page.Min.Y+vg.Length(vg.Length(rows)*entryHeight)
	if l.onRight {
		left, top = page.Max.X-l.width, data.Max.Y
	}
	if l.inside { // data is the place of the panel
		left, top = data.Min.X, data.Max.Y
	}
	for i, entry := range l.entries {
		x := left + vg.Length(vg.Length(i/rows)*(l.width+entryGap))
		y := top - vg.Length((vg.Length(i%rows)+0.5)*entryHeight)
		l.drawEntry(&page, entry, x, y)
	}
}

// drawEntry draws one entry with its left end at x and its middle at y.
func (l *legend) drawEntry(c *draw.Canvas, entry legendEntry, x, y vg.Length) {
	style := styleOf(entry.stroke)
	if entry.number > 0 {
		number := l.text
		number.XAlign, number.Color = draw.XRight, color.Gray{Y: 0x50}
		c.FillText(number, vg.Point{X: x + sampleWidth, Y: y + l.text.FontExtents().Descent}, strconv.Itoa(entry.number))
		c.FillText(l.text, vg.Point{X: x + sampleWidth + sampleGap, Y: y + l.text.FontExtents().Descent}, entry.name)
		return
	}
	if entry.banded {
		half := 0.3 * entryHeight
		c.FillPolygon(style.band, []vg.Point{
			{X: x, Y: y - half}, {X: x + sampleWidth, Y: y - half},
			{X: x + sampleWidth, Y: y + half}, {X: x, Y: y + half},
		})
	}
	if !entry.dots {
		c.StrokeLine2(style.line, x, y, x+sampleWidth, y)
	}
	if entry.marked {
		c.DrawGlyphNoClip(style.glyph, vg.Point{X: x + sampleWidth/2, Y: y})
	}
	c.FillText(l.text, vg.Point{X: x + sampleWidth + sampleGap, Y: y + l.text.FontExtents().Descent}, entry.name)
}
