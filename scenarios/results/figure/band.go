package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// The room that bands have on the y axis beyond the curves, to each side: a part of the range of the curves, or a
// multiple of the median width of a band, whichever is more. A few wide bands do not flatten all curves.
const (
	bandPart   = 0.5
	bandWidths = 1.5
	// endPart is the same for intervals beside the axes, which have arrows where they go on.
	endPart = 0.25
)

// steep is the quotient of the least point of all curves and the lower end of a band from which on a logarithmic axis
// has no room for that end: the band goes to the edge of the chart there.
const steep = 10

// drawable reports whether point i has a place on the axes.
func (s *Series) drawable(i int, logX, logY bool) bool {
	return Drawable(s.X[i], logX) && Drawable(s.Y[i], logY)
}

// height is a value in the unit of the y axis.
func (f *Figure) height(y float64) float64 {
	if f.LogY {
		return portable.Log(y)
	}
	return y
}

// least is the least point of all curves.
func (f *Figure) least() float64 {
	least := math.Inf(1)
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			for k, y := range s.Y {
				if s.drawable(k, f.LogX, f.LogY) {
					least = min(least, y)
				}
			}
		}
	}
	return least
}

// intervals are the ends of bands, of bars, and of the intervals beside the axes that an axis has to show, and half the
// widths of bands and of these intervals in its unit.
type intervals struct {
	bands, bars, ends span
	halves, endHalves []float64
}

// intervals returns the ends of the drawn bands and bars.
func (f *Figure) intervals() (v intervals) {
	v = intervals{bands: emptySpan(f.LogY), bars: emptySpan(f.LogY), ends: emptySpan(f.LogY)}
	least := f.least()
	for _, panel := range f.Charts() {
		for i := range panel.Series {
			s := &panel.Series[i]
			if s.Low == nil || s.Unbanded {
				v.end(f, s, least)
				continue
			}
			to := &v.bands
			if s.Bars {
				to = &v.bars
			}
			for k := range s.X {
				if !s.drawable(k, f.LogX, f.LogY) {
					continue
				}
				if high := s.High[k]; Drawable(high, f.LogY) {
					to.include(high)
					v.halves = append(v.halves, f.height(high)-f.height(s.Y[k]))
				}
				if low := s.Low[k]; Drawable(low, f.LogY) && (!f.LogY || low >= least/steep) {
					to.include(low)
					v.halves = append(v.halves, f.height(s.Y[k])-f.height(low))
				}
			}
		}
	}
	return v
}

// end takes the interval at the end of a curve without a band, which stands beside the axes.
func (v *intervals) end(f *Figure, s *Series, least float64) {
	k := s.last(f.LogX, f.LogY)
	if s.Low == nil || s.Reference || k < 0 {
		return
	}
	for _, end := range []float64{s.Low[k], s.High[k]} {
		if Drawable(end, f.LogY) && (!f.LogY || end >= least/steep) {
			v.ends.include(end)
			v.endHalves = append(v.endHalves, math.Abs(f.height(end)-f.height(s.Y[k])))
		}
	}
}

// bandsIn widens the range of the curves to their bars, and to their bands and the intervals beside the axes as far as
// these have room.
func (f *Figure) bandsIn(y *span) {
	v := f.intervals()
	low, high := f.height(y.min), f.height(y.max)
	if v.bands.min <= v.bands.max {
		f.widen(y, v.bands, math.Max(bandPart*(high-low), bandWidths*median(v.halves)))
	}
	if v.ends.min <= v.ends.max {
		room := endPart * (high - low)
		if most := median(v.endHalves); most > high-low { // the curves have little of the chart anyway
			room = most
		}
		f.widen(y, v.ends, room)
	}
	if v.bars.min <= v.bars.max {
		y.include(v.bars.min)
		y.include(v.bars.max)
	}
}

// widen widens a range to another, by at most a room on both sides.
func (f *Figure) widen(y *span, to span, room float64) {
	least, most := f.height(y.min)-room, f.height(y.max)+room
	if f.LogY {
		least, most = portable.Exp(least), portable.Exp(most)
	}
	low, high := y.min, y.max
	y.include(math.Max(to.min, math.Min(least, low)))
	y.include(math.Min(to.max, math.Max(most, high)))
}

// median returns the middle of some numbers, which it sorts.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// Clipped reports whether the lower end of a band or bar has no place on a logarithmic y axis.
func (f *Figure) Clipped() bool {
	if !f.LogY || f.Stacked {
		return false
	}
	least := f.least()
	return f.anyInterval(func(s *Series, k int) bool {
		return s.Low[k] < least/steep && !math.IsInf(s.Low[k], 0)
	})
}

// Beyond reports whether a band goes beyond the y axis, which is long enough for the curves, and is cut there.
func (f *Figure) Beyond() bool {
	if f.Stacked {
		return false
	}
	_, y := spans(f)
	least := f.least()
	return f.anyInterval(func(s *Series, k int) bool {
		low := s.Low[k]
		return !s.Bars && (s.High[k] > y.max || low < y.min && (!f.LogY || low >= least/steep))
	})
}

// anyInterval reports whether something holds for the interval of some point.
func (f *Figure) anyInterval(holds func(s *Series, k int) bool) bool {
	return slices.ContainsFunc(f.Charts(), func(p Panel) bool {
		return slices.ContainsFunc(p.Series, func(s Series) bool {
			for k := range s.Low {
				if !s.Unbanded && s.drawable(k, f.LogX, f.LogY) && holds(&s, k) {
					return true
				}
			}
			return false
		})
	})
}

// band draws the area between Low and High of a series, below all curves. The area is
// interrupted where the series is.
type band struct {
	series     *Series
	style      style
	logX, logY bool
	// shift is the shift of the curve.
	shift vg.Length
	// pale bars are thin and mostly transparent: dark bars of many curves would hide the points.
	pale bool
}

// The most curves of a chart whose bars are opaque, and the style of the bars of more.
const (
	mostBarred = 6
	paleBar    = vg.Length(0.7)
	paleAlpha  = 0x68
)

// manyBars reports whether a chart has so many curves with bars that these hide each other.
func manyBars(list []Series) bool {
	count := 0
	for i := range list {
		if s := &list[i]; s.Low != nil && s.Bars && !s.Reference {
			count++
		}
	}
	return count > mostBarred
}

// beyondPage is a distance in points beyond any page, where the ends of bands are cut: with ends at 10^300 points no cut of
// an edge is a number.
const beyondPage = vg.Length(1e9)

// bounds returns Low and High of point i within the chart, where floor is the height of its
// lower edge; ok is false where there is no band. A point that goes below a logarithmic axis is cut there.
func (b *band) bounds(i int, floor float64) (low, high float64, cut, ok bool) {
	low, high = b.series.Low[i], b.series.High[i]
	if b.logY && low < floor && !math.IsInf(low, 0) {
		low, cut = floor, true
	}
	ok = b.series.drawable(i, b.logX, b.logY) && Drawable(low, b.logY) && Drawable(high, b.logY) && high >= low
	return low, high, cut, ok
}

// Plot implements plot.Plotter.
func (b *band) Plot(c draw.Canvas, p *plot.Plot) {
	toX, height := p.Transforms(&c)
	toY := func(v float64) vg.Length { return max(-beyondPage, min(beyondPage, height(v))) }
	var lower, upper []vg.Point
	end := func() {
		b.fill(&c, lower, upper)
		lower, upper = lower[:0], upper[:0]
	}
	for i, x := range b.series.X {
		low, high, cut, ok := b.bounds(i, p.Y.Min)
		if !ok {
			end()
			continue
		}
		from, to := vg.Point{X: toX(x) + b.shift, Y: toY(low)}, vg.Point{X: toX(x) + b.shift, Y: toY(high)}
		if b.series.Bars {
			b.bar(&c, from, to, cut)
			continue
		}
		lower, upper = append(lower, from), append(upper, to)
	}
	end()
}

// fill draws one uninterrupted stretch. A single point becomes an error bar.
func (b *band) fill(c *draw.Canvas, lower, upper []vg.Point) {
	switch len(lower) {
	case 0:
		return
	case 1:
		b.bar(c, lower[0], upper[0], false)
		return
	}
	ring := envelope(upper, func(a, b vg.Length) bool { return a > b })
	bottom := envelope(lower, func(a, b vg.Length) bool { return a < b })
	for i := len(bottom) - 1; i >= 0; i-- {
		ring = append(ring, bottom[i])
	}
	if ring = within(ring, c.Min.Y, c.Max.Y); len(ring) > 2 {
		c.FillPolygon(b.style.band, ring)
	}
}

// bar draws an interval as a vertical line with a short stroke at either end, but for one that is cut.
func (b *band) bar(c *draw.Canvas, low, high vg.Point, cut bool) {
	line := b.style.line
	line.Dashes, line.Width = nil, barWidth
	if ink, ok := line.Color.(color.NRGBA); ok && b.pale {
		ink.A = paleAlpha
		line.Color, line.Width = ink, paleBar
	}
	c.StrokeLine2(line, low.X, low.Y, high.X, high.Y)
	for _, end := range []vg.Point{high, low} {
		if cut && end == low {
			break
		}
		c.StrokeLine2(line, end.X-glyphRadius, end.Y, end.X+glyphRadius, end.Y)
	}
}

// envelope keeps, of the consecutive points in one column of pixels, the outermost height
// at the first and the last place. beyond tells the outer of two heights. A band of a
// million points is drawn with as many corners as the page has columns.
func envelope(points []vg.Point, beyond func(a, b vg.Length) bool) []vg.Point {
	var kept []vg.Point
	for start := 0; start < len(points); {
		end := columnEnd(points, start)
		outermost := points[start].Y
		for _, pt := range points[start:end] {
			if beyond(pt.Y, outermost) {
				outermost = pt.Y
			}
		}
		kept = append(kept, vg.Point{X: points[start].X, Y: outermost})
		if end-start > 1 {
			kept = append(kept, vg.Point{X: points[end-1].X, Y: outermost})
		}
		start = end
	}
	return kept
}

// within cuts a polygon at two heights.
func within(ring []vg.Point, low, high vg.Length) []vg.Point {
	if !slices.ContainsFunc(ring, func(p vg.Point) bool { return p.Y < low || p.Y > high }) {
		return ring
	}
	above := func(p vg.Point) bool { return p.Y >= low }
	below := func(p vg.Point) bool { return p.Y <= high }
	return cutAt(cutAt(ring, low, above), high, below)
}

// cutAt leaves the part of a polygon to one side of a height.
func cutAt(ring []vg.Point, height vg.Length, inside func(vg.Point) bool) (kept []vg.Point) {
	for i, p := range ring {
		next := ring[(i+1)%len(ring)]
		if inside(p) {
			kept = append(kept, p)
		}
		if inside(p) != inside(next) {
			share := vg.Length((height - p.Y) / (next.Y - p.Y))
			kept = append(kept, vg.Point{X: p.X + vg.Length(share*(next.X-p.X)), Y: height})
		}
	}
	return kept
}
