package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// The measures of the bar of colours below cells, in points, with the room for it.
const (
	barRoom   = vg.Length(24)
	barHeight = vg.Length(9)
	mostBar   = vg.Length(140)
	// infiniteRoom is the room for the colour of infinite values.
	infiniteRoom = vg.Length(44)
)

// Ratios of the largest to the least value above which a scale of colours is logarithmic: always,
// and where half of the values would share the first quarter of a linear scale.
const (
	wideColours   = 20
	skewedColours = 4
	crowded       = 0.25
)

// colours is a scale of colours from the least value to the largest, on a logarithmic scale where
// log is set.
type colours struct {
	low, high float64
	log       bool
}

// coloursOf returns the scale of the finite values of some lists.
func coloursOf(lists [][]float64) (c colours) {
	var values []float64
	for _, list := range lists {
		for _, v := range list {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return c
	}
	slices.Sort(values)
	c.low, c.high = values[0], values[len(values)-1]
	middle := values[(len(values)-1)/2]
	skewed := c.high > skewedColours*c.low && middle-c.low < crowded*(c.high-c.low)
	c.log = c.low > 0 && (c.high > wideColours*c.low || skewed)
	return c
}

// flat reports whether all values are one number to readers: a scale from one colour to another would show
// differences that there are not.
func (c colours) flat() bool { return cellNumber(c.low, 3) == cellNumber(c.high, 3) }

// share returns the place of a value on the scale, from 0 to 1; 0 for NaN. Values of a flat scale have its middle.
func (c colours) share(v float64) float64 {
	switch {
	case c.flat() && !math.IsNaN(v) && !math.IsInf(v, 0):
		return 0.5
	case c.high <= c.low || math.IsNaN(v) || v <= c.low:
		return 0
	case v >= c.high:
		return 1
	case c.log:
		return portable.Log(v/c.low) / portable.Log(c.high/c.low)
	}
	return (v - c.low) / (c.high - c.low)
}

// cellScale is the scale of the cells of a heat map, dark for better values.
type cellScale struct {
	colours
	better Side
}

// scale returns the scale of the cells inside of the grid.
func (c *Cells) scale() cellScale { return cellScale{coloursOf(c.Values[:c.Inside]), c.Better} }

// share returns the darkness of a value, from 0 to 1.
func (s cellScale) share(v float64) float64 {
	if s.better == Lower {
		return 1 - s.colours.share(v)
	}
	return s.colours.share(v)
}

// Shares returns the darkness of each cell inside of the grid, from 0 to 1, where 1 is the best value,
// or the largest where no side is better; NaN without a finite value.
func (c *Cells) Shares() [][]float64 {
	list := make([][]float64, c.Inside)
	for i := range list {
		s := c.scaleOf(i)
		for _, v := range c.Values[i] {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				list[i] = append(list[i], math.NaN())
				continue
			}
			list[i] = append(list[i], s.share(v))
		}
	}
	return list
}

// Logarithmic reports whether the colours are on a logarithmic scale: all values of the grid are
// positive, and a linear scale would give most of them nearly one colour.
func (c *Cells) Logarithmic() bool { return c.scale().log }

// cellColor is the colour of a cell of a darkness from 0 to 1: neither white nor black.
func cellColor(dark float64) color.NRGBA { return heatColor(0.05+float64(0.8*dark), 1) }

// Flat reports whether the finite values of the grid are one number to readers.
func (c *Cells) Flat() bool { return c.scale().flat() }

// unbounded reports whether a cell of the grid has no finite value.
func (c *Cells) unbounded() bool {
	return slices.ContainsFunc(c.Values[:c.Inside], func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return math.IsInf(v, 0) })
	})
}

// drawBar draws the colours from light to dark, between the numbers at their ends, and beside them
// the colour of infinite values.
func (p *cellsPage) drawBar(page *draw.Canvas, at vg.Point, wide vg.Length) {
	s := p.scale()
	if s.flat() {
		p.drawFlat(page, at)
		return
	}
	light, dark := s.low, s.high
	if p.Better == Lower {
		light, dark = dark, light
	}
	first, last := p.number(light), p.number(dark)
	if p.Blocks != nil {
		first, last = "least of the block", "most"
	}
	if p.Better != "" {
		first, last = "worst "+first, "best "+last
	}
	text := textStyle(tickSize - 1)
	text.XAlign, text.YAlign = draw.XLeft, draw.YCenter
	room := wide - text.Width(first) - text.Width(last) - 2*cellGap
	if p.unbounded() {
		room -= infiniteRoom
	}
	bar := min(mostBar, max(room, mostBar/4))
	middle := at.Y + barRoom/2
	page.FillText(text, vg.Point{X: at.X, Y: middle}, first)
	x := at.X + text.Width(first) + cellGap
	const parts = 40
	for k := range parts {
		page.SetColor(cellColor((float64(k) + 0.5) / parts))
		from := x + vg.Length(vg.Length(k)*bar/parts)
		page.Fill(vg.Rectangle{Min: vg.Point{X: from, Y: middle - barHeight/2}, Max: vg.Point{X: min(from+bar/parts+heatSeam, x+bar), Y: middle + barHeight/2}}.Path())
	}
	x += bar + cellGap
	page.FillText(text, vg.Point{X: x, Y: middle}, last)
	if !p.unbounded() {
		return
	}
	x += text.Width(last) + 2*cellGap
	swatch(page, vg.Point{X: x, Y: middle}, heatInfinite, cellNumber(math.Inf(1), 3))
}

// drawFlat draws the one colour of values that are one number, and the colour of infinite ones.
func (p *cellsPage) drawFlat(page *draw.Canvas, at vg.Point) {
	s, middle := p.scale(), at.Y+barRoom/2
	if slices.ContainsFunc(p.Values[:p.Inside], func(row []float64) bool {
		return slices.ContainsFunc(row, func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) })
	}) {
		at.X += swatch(page, vg.Point{X: at.X, Y: middle}, cellColor(s.share(s.low)), "all "+p.number(s.low)) + 2*cellGap
	}
	if p.unbounded() {
		swatch(page, vg.Point{X: at.X, Y: middle}, heatInfinite, cellNumber(math.Inf(1), 3))
	}
}

// swatch draws a colour and its meaning, from a place in their middle to the right, and returns their width.
func swatch(page *draw.Canvas, at vg.Point, c color.NRGBA, meaning string) vg.Length {
	text := textStyle(tickSize - 1)
	text.XAlign, text.YAlign = draw.XLeft, draw.YCenter
	page.SetColor(c)
	page.Fill(vg.Rectangle{Min: vg.Point{X: at.X, Y: at.Y - barHeight/2}, Max: vg.Point{X: at.X + barHeight, Y: at.Y + barHeight/2}}.Path())
	page.FillText(text, vg.Point{X: at.X + barHeight + cellGap/2, Y: at.Y}, meaning)
	return barHeight + cellGap/2 + text.Width(meaning)
}
