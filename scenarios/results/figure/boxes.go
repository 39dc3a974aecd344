package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// wideSpread is the ratio of the largest to the least value of maps from which on their scale is
// logarithmic.
const wideSpread = 20

// Axis is the scale of the values of maps: of their colours, and of the axis of their boxes.
type Axis struct{ span }

// Spread returns the scale of the finite values of all maps and boxes. It is logarithmic where all
// are positive and far from each other, and begins at 0 otherwise.
func (h *Heat) Spread() Axis { return Axis{h.spread()} }

// Share returns the part of the scale below a value, from 0 to 1.
func (a Axis) Share(v float64) float64 { return float64(a.share(v)) }

// Ends returns the ends of the scale.
func (a Axis) Ends() (low, high float64) { return a.min, a.max }

// Logarithmic reports whether the scale is logarithmic.
func (a Axis) Logarithmic() bool { return a.log }

// Marks returns the values that have a number.
func (a Axis) Marks() (list []float64) {
	ticks, _ := a.ticks(6)
	for _, tick := range ticks {
		if tick.Label == "" || tick.Value < a.min || tick.Value > a.max {
			continue
		}
		if tick.Value == 0 {
			tick.Value = 0 // without the sign of a product
		}
		list = append(list, tick.Value)
	}
	return list
}

// Color returns the colour of a value, such as #0072B2: NaN is no value, and an infinite one has a
// colour of its own.
func (a Axis) Color(v float64) string {
	c := a.color(v)
	return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)
}

// color returns the colour of a value.
func (s span) color(v float64) color.NRGBA {
	if math.IsNaN(v) || math.IsInf(v, 1) {
		return heatColor(v, 1)
	}
	return heatColor(float64(s.share(v)), 1)
}

// least returns the least finite value of all maps, 0 where there is none.
func (h *Heat) least() float64 { low, _ := h.ends(); return low }

// flat reports whether all finite values of the maps are one number to readers.
func (h *Heat) flat() bool {
	low, high := h.ends()
	return cellNumber(low, 3) == cellNumber(high, 3)
}

// ends returns the least and the largest finite value of all maps; 0 where there is none.
func (h *Heat) ends() (low, high float64) {
	s := emptySpan(false)
	for i := range h.Maps {
		for _, row := range h.Maps[i].Values {
			for _, v := range row {
				if !math.IsNaN(v) && !math.IsInf(v, 1) {
					s.include(v)
				}
			}
		}
	}
	if s.min > s.max {
		return 0, 0
	}
	return s.min, s.max
}

// spread returns the scale of the finite values of all maps and boxes.
func (h *Heat) spread() span {
	s := emptySpan(false)
	include := func(v float64) {
		if !math.IsNaN(v) && !math.IsInf(v, 1) {
			s.include(v)
		}
	}
	for i := range h.Maps {
		for _, row := range h.Maps[i].Values {
			for _, v := range row {
				include(v)
			}
		}
		for _, box := range h.Maps[i].Boxes {
			for _, q := range box.Quartiles {
				include(q)
			}
		}
	}
	if s.min > s.max { // no finite value
		return span{min: 0, max: 1}
	}
	if s.log = s.min > 0 && s.max > wideSpread*s.min; !s.log {
		s.min = min(0, s.min)
	}
	if s.min == s.max {
		s.max = s.min + 1
	}
	return s
}

// share is the part of an axis below a value.
func (s span) share(v float64) vg.Length {
	if s.log {
		return vg.Length(portable.Log(v/s.min) / portable.Log(s.max/s.min))
	}
	return vg.Length((v - s.min) / (s.max - s.min))
}

// drawBoxes draws a box for each place: from the lower to the upper quartile, a line at the
// median, and whiskers to the least and the most.
func (h *Heat) drawBoxes(page *draw.Canvas, area vg.Rectangle, boxes []Box, s span) {
	last := boxes[len(boxes)-1].At
	step := area.Size().X / vg.Length(last+1)
	y := func(v float64) vg.Length { return area.Min.Y + vg.Length(s.share(v)*area.Size().Y) }
	line := draw.LineStyle{Color: axisColor, Width: 0.5}
	page.StrokeLines(line, []vg.Point{{X: area.Min.X, Y: area.Max.Y}, area.Min, {X: area.Max.X, Y: area.Min.Y}})
	number := textStyle(tickSize)
	number.XAlign, number.YAlign = draw.XRight, draw.YCenter
	ticks, shared := s.ticks(6)
	for _, tick := range ticks {
		if tick.Label != "" && tick.Value >= s.min && tick.Value <= s.max {
			page.FillText(number, vg.Point{X: area.Min.X - 4, Y: y(tick.Value)}, tick.Label)
			page.StrokeLines(draw.LineStyle{Color: heatGrid, Width: 0.5}, []vg.Point{{X: area.Min.X, Y: y(tick.Value)}, {X: area.Max.X, Y: y(tick.Value)}})
		}
	}
	label := textStyle(tickSize)
	label.XAlign, label.YAlign = draw.XLeft, draw.YBottom
	page.FillText(label, vg.Point{X: area.Min.X, Y: area.Max.Y + 5}, elide(strings.TrimSpace(h.BoxTitle+" "+shared), area.Size().X+boxSpace/2, label))
	label.XAlign, label.YAlign = draw.XCenter, draw.YTop
	page.FillText(label, vg.Point{X: area.Min.X + area.Size().X/2, Y: area.Min.Y - 18}, elide(h.BoxLabel, area.Size().X+boxSpace, label))
	number.XAlign, number.YAlign = draw.XCenter, draw.YTop
	many := len(boxes) > mostBoxes
	if many {
		drawBand(page, boxes, step, area.Min.X, y)
	}
	for k, box := range boxes {
		x := area.Min.X + vg.Length((vg.Length(box.At)+0.5)*step)
		if k%every(len(boxes), area.Size().X, 1.8*tickSize) == 0 {
			page.FillText(number, vg.Point{X: x, Y: area.Min.Y - 4}, fmt.Sprint(box.At))
		}
		if !many {
			box.draw(page, x, min(7, 0.36*step), y)
		}
	}
}

// mostBoxes is the largest number of places that have a box each. More have a band.
const mostBoxes = 12

// drawBand draws steps in place of many boxes: light from the least to the most, darker between the quartiles, with a line
// at the median.
func drawBand(page *draw.Canvas, boxes []Box, step, left vg.Length, y func(float64) vg.Length) {
	blue := color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	for k, box := range boxes {
		q := box.Quartiles
		from, to := left+vg.Length(vg.Length(box.At)*step), left+vg.Length(vg.Length(box.At+1)*step)
		for _, part := range []struct {
			low, high int
			color     color.NRGBA
		}{{0, 4, heatGrid}, {1, 3, heatStops[1]}} {
			if !math.IsInf(q[part.high], 1) {
				page.FillPolygon(part.color, []vg.Point{{X: from, Y: y(q[part.low])}, {X: to, Y: y(q[part.low])}, {X: to, Y: y(q[part.high])}, {X: from, Y: y(q[part.high])}})
			}
		}
		if math.IsInf(q[2], 1) {
			continue
		}
		line := draw.LineStyle{Color: blue, Width: 1.5}
		page.StrokeLine2(line, from, y(q[2]), to, y(q[2]))
		if k > 0 && boxes[k-1].At+1 == box.At && !math.IsInf(boxes[k-1].Quartiles[2], 1) {
			page.StrokeLine2(line, from, y(boxes[k-1].Quartiles[2]), from, y(q[2]))
		}
	}
}

// draw draws a box around a place of the x axis; y is the height of a value.
func (b *Box) draw(page *draw.Canvas, x, half vg.Length, y func(float64) vg.Length) {
	q := b.Quartiles
	finite := 0
	for finite < len(q) && !math.IsInf(q[finite], 1) {
		finite++
	}
	line := draw.LineStyle{Color: color.NRGBA{0x00, 0x72, 0xB2, 0xFF}, Width: 1}
	if finite > 1 {
		page.StrokeLine2(line, x, y(q[0]), x, y(q[finite-1]))
	}
	if finite > 3 {
		corners := []vg.Point{{X: x - half, Y: y(q[1])}, {X: x + half, Y: y(q[1])}, {X: x + half, Y: y(q[3])}, {X: x - half, Y: y(q[3])}, {X: x - half, Y: y(q[1])}}
		page.FillPolygon(heatStops[1], corners)
		page.StrokeLines(line, corners)
	}
	if finite > 2 {
		line.Width = 2
		page.StrokeLine2(line, x-half, y(q[2]), x+half, y(q[2]))
	}
}
