package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/scenarios/results/tabular"
)

// Heat is matrices as maps of cells, side by side under one scale of colours: the darker, the
// larger.
type Heat struct {
	Title, XLabel, YLabel string
	// Label describes the values, beside the scale.
	Label string
	Maps  []HeatMap
	// BoxLabel is the label of the x axis of the boxes, and Note is a sentence below the maps.
	BoxLabel, Note string
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

// The sizes of heat maps, in points.
const (
	heatSide    = vg.Length(240) // of a map
	heatMargin  = vg.Length(40)  // below and left of each, for numbers
	heatTop     = vg.Length(24)  // above each, for its name
	heatScale   = vg.Length(16)  // the width of the scale, with as much before it
	heatNumbers = vg.Length(60)  // right of the scale
	heatAcross  = 3              // maps in a row
	heatTicks   = 10             // numbers of an axis at most
	heatSeam    = vg.Length(0.5)
	boxSide     = vg.Length(170) // the width of the boxes beside a map
	boxSpace    = vg.Length(58)  // between a map and its boxes, for numbers
	noteSpace   = vg.Length(16)  // of a line of the note
	noteLetters = 0.5            // the width of a letter beside its size
)

var (
	heatNone     = color.NRGBA{0xE8, 0xE8, 0xE8, 0xFF}
	heatInfinite = color.NRGBA{0x88, 0x22, 0x55, 0xFF}
	heatStops    = []color.NRGBA{{0xFF, 0xFF, 0xFF, 0xFF}, {0x9E, 0xCA, 0xE9, 0xFF}, {0x00, 0x72, 0xB2, 0xFF}, {0x04, 0x1E, 0x42, 0xFF}}
)

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

// across returns the number of maps in a row, and the width of each with its numbers and boxes.
func (h *Heat) across() (count int, width vg.Length) {
	if h.boxed() {
		return min(2, len(h.Maps)), heatSide + heatMargin + boxSpace + boxSide
	}
	return min(heatAcross, len(h.Maps)), heatSide + heatMargin
}

// size returns the size of the page.
func (h *Heat) size() (width, height vg.Length) {
	across, each := h.across()
	down := (len(h.Maps) + across - 1) / across
	width = vg.Length(vg.Length(across)*each) + 2*heatScale + heatNumbers + 2*border + labelSpace
	height = vg.Length(vg.Length(down)*(heatSide+heatMargin+heatTop)) + 2*border + titleSpace + labelSpace
	return width, height + vg.Length(vg.Length(len(h.note(width)))*noteSpace)
}

// note returns the lines of the note on a page of a width.
func (h *Heat) note(width vg.Length) []string {
	if h.Note == "" {
		return nil
	}
	return tabular.Wrap(h.Note, int(width/(noteLetters*labelSize)))
}

// SaveHeat writes heat maps to a file, whole or not at all, in the format of its extension.
func SaveHeat(h Heat, path string) error {
	if len(h.Maps) == 0 {
		return errors.New("figure: there is no map to draw")
	}
	width, height := h.size()
	return savePicture(path, width, height, h.draw)
}

// draw puts the maps on a page of their size.
func (h *Heat) draw(page draw.Canvas) {
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	inner := draw.Crop(page, border, -border, border, -border)
	title := fitTitle(h.Title, inner.Size().X)
	inner.FillText(title, vg.Point{X: inner.Center().X, Y: inner.Max.Y}, elide(h.Title, inner.Size().X, title))
	note := textStyle(labelSize)
	note.XAlign, note.YAlign = draw.XLeft, draw.YBottom
	lines := h.note(page.Size().X)
	for k, line := range lines {
		inner.FillText(note, vg.Point{X: inner.Min.X, Y: inner.Min.Y + vg.Length(vg.Length(len(lines)-1-k)*noteSpace)}, line)
	}
	inner = draw.Crop(inner, 0, 0, vg.Length(vg.Length(len(lines))*noteSpace), 0)
	area := draw.Crop(inner, labelSpace, -2*heatScale-heatNumbers, labelSpace, -titleSpace)
	across, each := h.across()
	spread := h.spread()
	label := textStyle(labelSize)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	for i := range h.Maps {
		x := area.Min.X + vg.Length(vg.Length(i%across)*each) + heatMargin
		y := area.Max.Y - vg.Length(vg.Length(i/across)*(heatSide+heatMargin+heatTop)) - heatTop
		cells := vg.Rectangle{Min: vg.Point{X: x, Y: y - heatSide}, Max: vg.Point{X: x + heatSide, Y: y}}
		h.Maps[i].draw(&page, cells, spread)
		if i+across >= len(h.Maps) { // the last of its column
			page.FillText(label, vg.Point{X: x + heatSide/2, Y: y - heatSide - heatMargin + 6}, h.XLabel)
		}
		if len(h.Maps[i].Boxes) > 0 {
			box := vg.Rectangle{Min: vg.Point{X: cells.Max.X + boxSpace, Y: cells.Min.Y}, Max: vg.Point{X: cells.Max.X + boxSpace + boxSide, Y: cells.Max.Y}}
			h.drawBoxes(&page, box, h.Maps[i].Boxes, spread)
		}
	}
	top := area.Max.Y - heatTop
	h.drawScale(&page, vg.Rectangle{Min: vg.Point{X: area.Max.X + heatScale, Y: top - heatSide}, Max: vg.Point{X: area.Max.X + 2*heatScale, Y: top}}, spread)
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	page.FillText(label, vg.Point{X: inner.Min.X, Y: area.Center().Y}, h.YLabel)
}

// draw fills the cells of a map, the first row at the top, and writes numbers and name.
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
	for k := 0; k < len(m.Columns); k += every(len(m.Columns)) {
		page.FillText(number, vg.Point{X: cells.Min.X + vg.Length((vg.Length(k)+0.5)*wide), Y: cells.Min.Y - 4}, fmt.Sprint(m.Columns[k]))
	}
	number.XAlign, number.YAlign = draw.XRight, draw.YCenter
	for i := 0; i < len(m.Rows); i += every(len(m.Rows)) {
		page.FillText(number, vg.Point{X: cells.Min.X - 4, Y: cells.Max.Y - vg.Length((vg.Length(i)+0.5)*high)}, fmt.Sprint(m.Rows[i]))
	}
	name := textStyle(labelSize)
	name.XAlign, name.YAlign = draw.XCenter, draw.YBottom
	page.FillText(name, vg.Point{X: (cells.Min.X + cells.Max.X) / 2, Y: cells.Max.Y + 5}, elide(m.Name, cells.Size().X, name))
}

// every is the number of cells of an axis per number.
func every(cells int) int { return (cells + heatTicks - 1) / heatTicks }

// drawScale draws the colours from the least to the largest value, with numbers.
func (h *Heat) drawScale(page *draw.Canvas, bar vg.Rectangle, scale span) {
	const parts = 60
	high := bar.Size().Y / parts
	for k := range parts {
		y := bar.Min.Y + vg.Length(vg.Length(k)*high)
		page.SetColor(heatColor(float64((float64(k)+0.5)/parts), 1))
		page.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: y}, Max: vg.Point{X: bar.Max.X, Y: min(y+high+heatSeam, bar.Max.Y)}}.Path())
	}
	number := textStyle(tickSize)
	number.XAlign, number.YAlign = draw.XLeft, draw.YCenter
	ticks, shared := scale.ticks(6)
	if scale.log {
		shared = "log " + shared
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
	page.FillText(label, vg.Point{X: bar.Max.X + heatNumbers - 4, Y: (bar.Min.Y + bar.Max.Y) / 2}, elide(h.Label, bar.Size().Y, label))
	below := bar.Min.Y - 14
	for _, key := range []struct {
		shown bool
		color color.NRGBA
		text  string
	}{{h.Unbounded(), heatInfinite, "no bound"}, {true, heatNone, "none"}} {
		if key.shown {
			page.SetColor(key.color)
			page.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: below - 5}, Max: vg.Point{X: bar.Max.X, Y: below + 5}}.Path())
			page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: below}, key.text)
			below -= 14
		}
	}
}
