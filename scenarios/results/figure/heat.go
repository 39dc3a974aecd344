package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/scenarios/metric"
	"starling/scenarios/results/tabular"
)

// Heat is matrices as maps of cells, side by side under one scale of colours: the darker, the
// larger.
type Heat struct {
	Title, XLabel, YLabel string
	// Label describes the values, beside the scale.
	Label string
	Maps  []HeatMap
	// BoxTitle stands above boxes, BoxLabel is the label of their x axis, and BoxNote is a sentence on their values.
	BoxTitle, BoxLabel, BoxNote string
	// Note are sentences below the maps.
	Note string
	// Size, Width in inches and Look are of the page, as in Figure.
	Size  metric.FigureSize
	Width float64
	Look  metric.FigureLook
}

// HeatMap is one matrix.
type HeatMap struct {
	Name string
	// Columns and Rows are the numbers that the axes have, in the order of the cells.
	Columns, Rows []int32
	// Values are by row and column, not negative; NaN is none, and +Inf has a colour of its own.
	Values [][]float64
	// Boxes are spreads of the values, drawn beside the map, by ascending At; empty for none.
	Boxes []Box
}

// Box is the spread of some values at a place of an axis.
type Box struct {
	At, Count int
	// Quartiles are the least, the lower quartile, the median, the upper quartile and the most;
	// an infinite one is not drawn.
	Quartiles [5]float64
}

// The sizes of heat maps, in points before the page is scaled.
const (
	mostHeatSide  = vg.Length(320) // of a map
	leastHeatSide = vg.Length(60)
	heatMargin    = vg.Length(36) // below and left of each, for numbers
	heatTop       = vg.Length(24) // above each, for its name
	heatBar       = vg.Length(10) // the width of the scale, with as much before it
	heatNumbers   = vg.Length(46) // right of the scale
	heatAcross    = 3             // maps in a row
	heatTicks     = 10            // numbers of an axis at most
	heatSeam      = vg.Length(0.5)
	boxPart       = 0.55          // the width of the boxes beside a map, of its side
	boxSpace      = vg.Length(40) // between a map and its boxes, for numbers
	noteSpace     = vg.Length(13) // of a line of the note
	noteLetters   = 0.5           // the width of a letter beside its size
)

var (
	heatNone     = color.NRGBA{0xE3, 0xC9, 0x8F, 0xFF} // sand, which no value has: 0 is white
	heatGrid     = color.NRGBA{0xE8, 0xE8, 0xE8, 0xFF}
	heatInfinite = color.NRGBA{0x88, 0x22, 0x55, 0xFF}
	heatStops    = []color.NRGBA{{0xFF, 0xFF, 0xFF, 0xFF}, {0x9E, 0xCA, 0xE9, 0xFF}, {0x00, 0x72, 0xB2, 0xFF}, {0x04, 0x1E, 0x42, 0xFF}}
)

// noneText describes cells without a value: the node itself where no other cell is without one.
func (h *Heat) noneText() string {
	for _, m := range h.Maps {
		for i, row := range m.Values {
			for k, v := range row {
				if math.IsNaN(v) && m.Rows[i] != m.Columns[k] {
					return "none"
				}
			}
		}
	}
	return "itself"
}

// heatColor is the colour of a value on a scale up to most.
func heatColor(v, most float64) color.NRGBA {
	switch {
	case math.IsNaN(v):
		return heatNone
	case math.IsInf(v, 1):
		return heatInfinite
	case most == 0:
		return heatStops[0]
	}
	last := len(heatStops) - 1
	at := float64(min(max(v/most, 0), 1) * float64(last))
	k := min(int(at), last-1)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + float64((at-float64(k))*(float64(b)-float64(a)))))
	}
	a, b := heatStops[k], heatStops[k+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xFF}
}

// Unbounded reports whether a value is infinite.
func (h *Heat) Unbounded() bool {
	return slices.ContainsFunc(h.Maps, func(m HeatMap) bool {
		return slices.ContainsFunc(m.Values, func(row []float64) bool {
			return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 1) })
		})
	})
}

// boxed reports whether a map has boxes, which all then have room for.
func (h *Heat) boxed() bool {
	return slices.ContainsFunc(h.Maps, func(m HeatMap) bool { return len(m.Boxes) > 0 })
}

// heatPage is the layout of maps on a page.
type heatPage struct {
	*Heat
	// width and height are of the page before it is scaled by scale, and side is of a map.
	width, height, side vg.Length
	scale               float64
	// across is the number of maps in a row, and each the width of one with its numbers and boxes.
	across int
	each   vg.Length
	// boxes is the width of the boxes of a map, 0 for none; below puts them below the map.
	boxes vg.Length
	below bool
	notes []string
	// all is the number of maps, also of those that have no place, and blank the height of the page beyond its content.
	all   int
	blank vg.Length
	// names are the names of the maps in lines, and top is the room above each map for them.
	names [][]string
	top   vg.Length
}

// boxesText explains boxes.
const boxesText = "Boxes: least, quartiles, median and most of the losses between nodes so many edges apart."

// nameLine is the height of a line of a name above a map, and nameOver the width by which it may be wider than the map.
const (
	nameLine = vg.Length(12)
	nameOver = vg.Length(12)
)

// nameStyle is the style of the names of maps: smaller where one of them is long.
func (p *heatPage) nameStyle() text.Style {
	style := textStyle(labelSize)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	for style.Font.Size > leastLabel && slices.ContainsFunc(p.Maps, func(m HeatMap) bool { return style.Width(m.Name) > p.nameRoom() }) {
		style.Font.Size -= 0.5
	}
	return style
}

// nameRoom is the width for the name of a map.
func (p *heatPage) nameRoom() vg.Length {
	if p.below || p.boxes == 0 {
		return p.each - 6
	}
	return p.side + nameOver
}

// wrapNames divides names that are wider than their maps into lines, and makes room for these.
func (p *heatPage) wrapNames() {
	style := p.nameStyle()
	p.names, p.top = nil, heatTop
	for _, m := range p.Maps {
		lines := []string{m.Name}
		if style.Width(m.Name) > p.nameRoom() {
			lines = tabular.Wrap(m.Name, int(p.nameRoom()/(noteLetters*style.Font.Size)))
		}
		p.names = append(p.names, lines)
		p.top = max(p.top, heatTop+vg.Length(vg.Length(len(lines)-1)*nameLine))
	}
}

// drawName writes the name of a map above its cells.
func (p *heatPage) drawName(page *draw.Canvas, i int, cells vg.Rectangle) {
	style := p.nameStyle()
	for k, line := range slices.Backward(p.names[i]) {
		y := cells.Max.Y + 5 + vg.Length(vg.Length(len(p.names[i])-1-k)*nameLine)
		page.FillText(style, vg.Point{X: (cells.Min.X + cells.Max.X) / 2, Y: y}, elide(line, p.nameRoom(), style))
	}
}

// page lays the maps out on a page of at most the greatest height, or on a slide. Maps that have no place are left out, and
// the note says so.
func (h *Heat) page() *heatPage {
	inches := 8.
	switch {
	case h.Width > 0:
		inches = h.Width
	case h.Size == metric.ColumnSize:
		inches = 3.4
	}
	if inches < narrow {
		if h.boxed() && len(h.Maps) > 1 {
			h = h.unboxed()
		}
		across := 1 + min(1, len(h.Maps)/3)
		return h.pageOf(inches, columnScale, mostPage, across)
	}
	if h.Look == metric.SlidesLook {
		return h.slide(inches)
	}
	across := min(heatAcross, len(h.Maps))
	if h.boxed() {
		across = min(2, across)
	}
	return h.pageOf(inches, paperScale, mostPage, across)
}

// pageOf lays the maps out, so many in a row, on a page of a width in inches and a greatest height in print.
func (h *Heat) pageOf(inches, scale float64, most vg.Length, across int) *heatPage {
	p := &heatPage{Heat: h, scale: scale, all: len(h.Maps), across: across, below: inches < narrow}
	p.width = vg.Length(inches) * vg.Inch / vg.Length(p.scale)
	room := p.width - 2*border - labelSpace - 2*heatBar - heatNumbers
	p.each = room / vg.Length(p.across)
	p.side = p.each - heatMargin
	if h.boxed() && !p.below {
		p.side = (p.each - heatMargin - boxSpace) / (1 + boxPart)
	}
	p.side = min(p.side, mostHeatSide)
	p.wrapNames()
	p.fit(most / vg.Length(p.scale))
	return p
}

// unboxed returns the maps without their boxes, for a page that has no room for them; the note says so.
func (h *Heat) unboxed() *Heat {
	kept := *h
	kept.Maps, kept.Note = slices.Clone(h.Maps), strings.TrimSpace(h.Note+" A wider figure has boxes by distance.")
	for i := range kept.Maps {
		kept.Maps[i].Boxes = nil
	}
	return &kept
}

// fit chooses the side of the maps, and their number, for a page of a greatest height.
func (p *heatPage) fit(most vg.Length) {
	if p.boxed() {
		p.boxes = vg.Length(boxPart * p.side)
		if p.below {
			p.boxes = p.side
		}
	}
	rest := 2*border + space(p.title(), titleSpace)
	note := p.Note
	if p.boxed() {
		note = strings.Join(slices.DeleteFunc([]string{note, boxesText, p.BoxNote}, func(text string) bool { return text == "" }), " ")
	}
	for {
		p.notes = nil
		if note != "" {
			p.notes = tabular.Wrap(note, int((p.width-2*border)/(noteLetters*tickSize)))
		}
		down := vg.Length((len(p.Maps) + p.across - 1) / p.across)
		room := (most-rest-vg.Length(vg.Length(len(p.notes))*noteSpace))/down - heatMargin - p.top
		if p.below && p.boxes > 0 {
			room = (room - heatMargin - heatTop) / (1 + boxPart)
		}
		p.side = min(p.side, max(room, leastHeatSide))
		before := p.top
		if p.wrapNames(); p.top > before { // smaller maps have names in more lines
			continue
		}
		p.height = vg.Length(down*p.high()) + rest + vg.Length(vg.Length(len(p.notes))*noteSpace)
		if p.height <= most || len(p.Maps) <= p.across {
			return
		}
		kept := *p.Heat
		kept.Maps = p.Maps[:len(p.Maps)-1]
		p.Heat, note = &kept, strings.TrimSpace(fmt.Sprintf("Drawn: the first %d arms. ", len(kept.Maps))+p.Note)
	}
}

// title is the title of the page; a figure for a paper or a column has none.
func (p *heatPage) title() string {
	if p.Look == metric.PaperLook || p.Size == metric.ColumnSize {
		return ""
	}
	return p.Title
}

// high is the height of a map with its numbers and the boxes below it.
func (p *heatPage) high() vg.Length {
	high := p.side + heatMargin + p.top
	if p.below && p.boxes > 0 {
		high += vg.Length(boxPart*p.side) + heatMargin + heatTop
	}
	return high
}

// SaveHeat writes heat maps to a file, whole or not at all, in the format of its extension.
func SaveHeat(h Heat, path string) error {
	if len(h.Maps) == 0 {
		return errors.New("figure: there is no map to draw")
	}
	p := h.page()
	return savePicture(path, p.width, p.height, p.scale, p.draw)
}

// draw puts the maps on a page of their size.
func (p *heatPage) draw(page draw.Canvas) {
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	page = draw.Crop(page, 0, 0, p.blank/2, -p.blank/2)
	inner := draw.Crop(page, border, -border, border, -border)
	title := fitTitle(p.title(), inner.Size().X)
	inner.FillText(title, vg.Point{X: inner.Center().X, Y: inner.Max.Y}, elide(p.title(), inner.Size().X, title))
	note := textStyle(tickSize)
	note.XAlign, note.YAlign = draw.XLeft, draw.YBottom
	for k, line := range p.notes {
		inner.FillText(note, vg.Point{X: inner.Min.X, Y: inner.Min.Y + vg.Length(vg.Length(len(p.notes)-1-k)*noteSpace)}, line)
	}
	inner = draw.Crop(inner, 0, 0, vg.Length(vg.Length(len(p.notes))*noteSpace), 0)
	area := draw.Crop(inner, labelSpace, -2*heatBar-heatNumbers, 0, -space(p.title(), titleSpace))
	spread := p.spread()
	label := textStyle(labelSize)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	for i := range p.Maps {
		x := area.Min.X + vg.Length(vg.Length(i%p.across)*p.each) + heatMargin
		y := area.Max.Y - vg.Length(vg.Length(i/p.across)*p.high()) - p.top
		cells := vg.Rectangle{Min: vg.Point{X: x, Y: y - p.side}, Max: vg.Point{X: x + p.side, Y: y}}
		p.Maps[i].draw(&page, cells, spread)
		p.drawName(&page, i, cells)
		if i+p.across >= len(p.Maps) || p.below { // the last of its column
			page.FillText(label, vg.Point{X: (cells.Min.X + cells.Max.X) / 2, Y: cells.Min.Y - heatMargin + 6}, elide(p.XLabel, p.side+heatMargin, label))
		}
		if len(p.Maps[i].Boxes) > 0 {
			p.drawBoxes(&page, p.boxesAt(cells), p.Maps[i].Boxes, spread)
		}
	}
	top := area.Max.Y - p.top
	p.drawScale(&page, vg.Rectangle{Min: vg.Point{X: area.Max.X + heatBar, Y: top - p.side}, Max: vg.Point{X: area.Max.X + 2*heatBar, Y: top}}, spread)
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	for k := range (len(p.Maps) + p.across - 1) / p.across { // beside the first of each row
		y := top - vg.Length(vg.Length(k)*p.high()) - p.side/2
		page.FillText(label, vg.Point{X: inner.Min.X, Y: y}, elide(p.YLabel, p.side+heatTop+heatMargin, label))
	}
}

// boxesAt is the place of the boxes of a map.
func (p *heatPage) boxesAt(cells vg.Rectangle) vg.Rectangle {
	if !p.below {
		left := cells.Max.X + boxSpace
		return vg.Rectangle{Min: vg.Point{X: left, Y: cells.Min.Y}, Max: vg.Point{X: left + p.boxes, Y: cells.Max.Y}}
	}
	top := cells.Min.Y - heatMargin - heatTop
	return vg.Rectangle{Min: vg.Point{X: cells.Min.X, Y: top - vg.Length(boxPart*p.side)}, Max: vg.Point{X: cells.Max.X, Y: top}}
}

// draw fills the cells of a map, the first row at the top, and writes numbers.
func (m *HeatMap) draw(page *draw.Canvas, cells vg.Rectangle, scale span) {
	wide, high := cells.Size().X/vg.Length(len(m.Columns)), cells.Size().Y/vg.Length(len(m.Rows))
	for i, row := range m.Values {
		for k, v := range row {
			at := vg.Point{X: cells.Min.X + vg.Length(vg.Length(k)*wide), Y: cells.Max.Y - vg.Length(vg.Length(i+1)*high)}
			page.SetColor(scale.color(v))
			// Cells reach a little under those that come after, so that no seams show.
			page.Fill(vg.Rectangle{
				Min: vg.Point{X: at.X, Y: max(at.Y-heatSeam, cells.Min.Y)}, Max: vg.Point{X: min(at.X+wide+heatSeam, cells.Max.X), Y: at.Y + high},
			}.Path())
		}
	}
	page.StrokeLines(draw.LineStyle{Color: axisColor, Width: 0.5}, []vg.Point{
		cells.Min, {X: cells.Max.X, Y: cells.Min.Y}, cells.Max, {X: cells.Min.X, Y: cells.Max.Y}, cells.Min,
	})
	number := textStyle(tickSize)
	number.XAlign, number.YAlign = draw.XCenter, draw.YTop
	step := m.step(cells.Size())
	for _, k := range marked(m.Columns, step) {
		page.FillText(number, vg.Point{X: cells.Min.X + vg.Length((vg.Length(k)+0.5)*wide), Y: cells.Min.Y - 4}, fmt.Sprint(m.Columns[k]))
	}
	number.XAlign, number.YAlign = draw.XRight, draw.YCenter
	for _, i := range marked(m.Rows, step) {
		page.FillText(number, vg.Point{X: cells.Min.X - 4, Y: cells.Max.Y - vg.Length((vg.Length(i)+0.5)*high)}, fmt.Sprint(m.Rows[i]))
	}
}

// step is the number of cells from one number to the next on both axes of a map of a size: 1, 2 or 5 times a power of ten.
func (m *HeatMap) step(size vg.Point) int {
	number := textStyle(tickSize).Width(fmt.Sprint(slices.Max(append([]int32{0}, m.Columns...))))
	return max(every(len(m.Columns), size.X, number+2*labelGap), every(len(m.Rows), size.Y, 1.3*tickSize))
}

// every is the number of cells of an axis of a length per number that takes some of it.
func every(cells int, length, taken vg.Length) int {
	most := max(2, min(heatTicks, int(length/taken)))
	return int(niceStep(math.Max(1, float64((cells+most-1)/most))))
}

// marked returns the cells of an axis that have their number: those of multiples of a step, or every so many where
// numbers are left out. Where they do not ascend none has one, which would say nothing.
func marked(numbers []int32, step int) (cells []int) {
	if !slices.IsSorted(numbers) {
		return nil
	}
	whole := len(numbers) > 0 && int(numbers[len(numbers)-1]-numbers[0]) == len(numbers)-1
	for k, n := range numbers {
		if whole && int(n)%step == 0 || !whole && k%step == 0 {
			cells = append(cells, k)
		}
	}
	if len(cells) == 0 && len(numbers) > 0 {
		return []int{0}
	}
	return cells
}

// drawScale draws the colours from the least to the largest value, with numbers.
func (h *Heat) drawScale(page *draw.Canvas, bar vg.Rectangle, scale span) {
	side := bar.Size().Y
	parts := 60
	if h.flat() { // all losses are one: the scale has no other colour
		parts = 1
		bar.Min.Y = bar.Max.Y - 2*tickSize
	}
	high := bar.Size().Y / vg.Length(parts)
	for k := range parts {
		y := bar.Min.Y + vg.Length(vg.Length(k)*high)
		page.SetColor(heatColor(float64((float64(k)+0.5)/float64(parts)), 1))
		if h.flat() {
			page.SetColor(scale.color(h.least()))
		}
		page.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: y}, Max: vg.Point{X: bar.Max.X, Y: min(y+high+heatSeam, bar.Max.Y)}}.Path())
	}
	number := textStyle(tickSize)
	number.XAlign, number.YAlign = draw.XLeft, draw.YCenter
	ticks, shared := scale.ticks(6)
	if h.flat() {
		ticks, shared = nil, ""
		page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: (bar.Min.Y + bar.Max.Y) / 2}, "all "+cellNumber(h.least(), 3))
	}
	if shared != "" {
		page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: bar.Max.Y + 10}, shared)
	}
	for _, tick := range ticks {
		if tick.Label != "" && tick.Value >= scale.min && tick.Value <= scale.max {
			page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: bar.Min.Y + vg.Length(scale.share(tick.Value)*bar.Size().Y)}, tick.Label)
		}
	}
	label := textStyle(labelSize)
	label.XAlign, label.YAlign, label.Rotation = draw.XCenter, draw.YBottom, math.Pi/2
	page.FillText(label, vg.Point{X: bar.Max.X + heatNumbers - 4, Y: bar.Max.Y - side/2}, elide(h.Label, side+heatTop, label))
	below := bar.Min.Y - 14
	for _, key := range []struct {
		shown bool
		color color.NRGBA
		text  string
	}{{h.Unbounded(), heatInfinite, "no bound"}, {true, heatNone, h.noneText()}} {
		if key.shown {
			page.SetColor(key.color)
			page.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: below - 5}, Max: vg.Point{X: bar.Max.X, Y: below + 5}}.Path())
			page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: below}, key.text)
			below -= 14
		}
	}
}
