package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is matrices as maps of cells, side by side under one scale of colours: the darker, the
// larger.
type Heat struct {
	Title, XLabel, YLabel string
	// Label describes the values, beside the scale.
	Label string
	Maps  []HeatMap
}

// HeatMap is one matrix.
type HeatMap struct {
	Name string
	// Columns and Rows are the numbers that the axes have, ascending.
	Columns, Rows []int32
	// Values are by row and column, not negative; NaN is none, and +Inf has a colour of its own.
	Values [][]float64
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

// most returns the largest finite value. infinite is true if there is an infinite value.
func (h *Heat) most() (most float64, infinite bool) {
	for i := range h.Maps {
		for _, row := range h.Maps[i].Values {
			for _, v := range row {
				if math.IsInf(v, 1) {
					infinite = true
				} else if v > most {
					most = v
				}
			}
		}
	}
	return most, infinite
}

// size returns the size of the page.
func (h *Heat) size() (width, height vg.Length) {
	across := min(heatAcross, len(h.Maps))
	down := (len(h.Maps) + heatAcross - 1) / heatAcross
	width = vg.Length(vg.Length(across)*(heatSide+heatMargin)) + 2*heatScale + heatNumbers + 2*border + labelSpace
	return width, vg.Length(vg.Length(down)*(heatSide+heatMargin+heatTop)) + 2*border + titleSpace + labelSpace
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
	most, infinite := h.most()
	area := draw.Crop(inner, labelSpace, -2*heatScale-heatNumbers, labelSpace, -titleSpace)
	for i := range h.Maps {
		x := area.Min.X + vg.Length(vg.Length(i%heatAcross)*(heatSide+heatMargin)) + heatMargin
		y := area.Max.Y - vg.Length(vg.Length(i/heatAcross)*(heatSide+heatMargin+heatTop)) - heatTop
		cells := vg.Rectangle{Min: vg.Point{X: x, Y: y - heatSide}, Max: vg.Point{X: x + heatSide, Y: y}}
		h.Maps[i].draw(&page, cells, most)
	}
	top := area.Max.Y - heatTop
	h.drawScale(&page, vg.Rectangle{Min: vg.Point{X: area.Max.X + heatScale, Y: top - heatSide}, Max: vg.Point{X: area.Max.X + 2*heatScale, Y: top}}, most, infinite)
	label := textStyle(labelSize)
	label.XAlign, label.YAlign = draw.XCenter, draw.YBottom
	page.FillText(label, vg.Point{X: area.Center().X, Y: inner.Min.Y}, h.XLabel)
	label.Rotation, label.YAlign = math.Pi/2, draw.YTop
	page.FillText(label, vg.Point{X: inner.Min.X, Y: area.Center().Y}, h.YLabel)
}

// draw fills the cells of a map, the first row at the top, and writes numbers and name.
func (m *HeatMap) draw(page *draw.Canvas, cells vg.Rectangle, most float64) {
	wide, high := cells.Size().X/vg.Length(len(m.Columns)), cells.Size().Y/vg.Length(len(m.Rows))
	for i, row := range m.Values {
		for k, v := range row {
			at := vg.Point{X: cells.Min.X + vg.Length(vg.Length(k)*wide), Y: cells.Max.Y - vg.Length(vg.Length(i+1)*high)}
			page.SetColor(heatColor(v, most))
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

// drawScale draws the colours from 0 to the largest value, with numbers.
func (h *Heat) drawScale(page *draw.Canvas, bar vg.Rectangle, most float64, infinite bool) {
	const parts = 60
	high := bar.Size().Y / parts
	for k := range parts {
		y := bar.Min.Y + vg.Length(vg.Length(k)*high)
		page.SetColor(heatColor(float64((float64(k)+0.5)*most/parts), most))
		page.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: y}, Max: vg.Point{X: bar.Max.X, Y: min(y+high+heatSeam, bar.Max.Y)}}.Path())
	}
	number := textStyle(tickSize)
	number.XAlign, number.YAlign = draw.XLeft, draw.YCenter
	if most > 0 {
		ticks, _ := linearTicks(0, most, 6)
		for _, tick := range ticks {
			if tick.Label != "" && tick.Value <= most {
				page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: bar.Min.Y + vg.Length(vg.Length(tick.Value/most)*bar.Size().Y)}, tick.Label)
			}
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
	}{{infinite, heatInfinite, "no bound"}, {true, heatNone, "none"}} {
		if key.shown {
			page.SetColor(key.color)
			page.Fill(vg.Rectangle{Min: vg.Point{X: bar.Min.X, Y: below - 5}, Max: vg.Point{X: bar.Max.X, Y: below + 5}}.Path())
			page.FillText(number, vg.Point{X: bar.Max.X + 4, Y: below}, key.text)
			below -= 14
		}
	}
}
