package figure

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// columnWidth is the width of a pixel of the PNG of a full page. A curve with more points than
// that is thinned to the points that a column of pixels can show.
const columnWidth = vg.Inch / fullPixels

// curve draws the line of a series. Points that have no place on the axes, such as 0 on a
// logarithmic one, interrupt the line: a line across the gap would show values that were never
// measured.
type curve struct {
	// A series is drawn in runs, which points that have no place interrupt.
	// series is not changed. It is drawn in runs between interruptions.
	series     *Series
	style      style
	logX, logY bool
	// shift moves the points to the right, where others have the same x.
	shift vg.Length
}

// Plot implements plot.Plotter.
func (v *curve) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	var run []vg.Point
	end := func() {
		if v.series.Dots {
			run = run[:0]
			return
		}
		if n := len(run); v.series.Reference && n > 1 && run[0] == run[n-1] { // all curves have one x
			run[0].X, run[n-1].X = c.Min.X, c.Max.X
		}
		if len(run) == 1 { // no line to see it by
			c.DrawGlyphNoClip(v.style.glyph, run[0])
		}
		line, kept := v.style.line, thin(run)
		if winding(kept) {
			line.Width = windingWidth
		}
		c.StrokeLines(line, kept)
		run = run[:0]
	}
	for i, x := range v.series.X {
		y := v.series.Y[i]
		if !Drawable(x, v.logX) || !Drawable(y, v.logY) {
			end()
			continue
		}
		run = append(run, vg.Point{X: toX(x) + v.shift, Y: toY(y)})
		if v.series.marked() {
			c.DrawGlyphNoClip(v.style.glyph, run[len(run)-1])
		}
	}
	end()
}

// winding reports whether a line goes up and down so much that at full width its strokes would
// run together: it is four times as long as it is wide, and four inches at least.
func winding(points []vg.Point) bool {
	var length, width float64
	for i := 1; i < len(points); i++ {
		step := points[i].Sub(points[i-1])
		length += portable.Hypot(float64(step.X), float64(step.Y))
		width += math.Abs(float64(step.X))
	}
	return length > 4*width && length > 4*float64(vg.Inch)
}

// thin reduces the consecutive points in one column to the first, the lowest, the highest and
// the last; or, where they lie within the width of the line, to one in their middle, so that
// invisible noise does not fill up the dashes. The ends of the line stay, and so do the corners of
// a stair: without its low steps it would be a slope, below the stair.
func thin(points []vg.Point) []vg.Point {
	kept := make([]vg.Point, 0, len(points))
	for start := 0; start < len(points); {
		end := columnEnd(points, start)
		low, high := start, start
		for i := start; i < end; i++ {
			if points[i].Y < points[low].Y {
				low = i
			}
			if points[i].Y > points[high].Y {
				high = i
			}
		}
		corner := end == start+2 && points[start].X == points[start+1].X // of a stair
		if inner := start > 0 && end < len(points); inner && !corner && points[high].Y-points[low].Y <= lineWidth {
			kept = append(kept, vg.Point{X: points[start].X, Y: (points[low].Y + points[high].Y) / 2})
			start = end
			continue
		}
		// The four in the order of their index, each once: a curve that rises and one
		// that falls look different in a column too.
		last := -1
		for _, i := range []int{start, min(low, high), max(low, high), end - 1} {
			if i > last {
				kept = append(kept, points[i])
				last = i
			}
		}
		start = end
	}
	return kept
}

// columnEnd is the index after the last of the points that follow start in its
// column.
func columnEnd(points []vg.Point, start int) int {
	column := math.Floor(float64(points[start].X / columnWidth))
	end := start + 1
	for end < len(points) && math.Floor(float64(points[end].X/columnWidth)) == column {
		end++
	}
	return end
}

// band draws the area between Low and High of a series, below all curves. The area is
// interrupted where the series is.
type band struct {
	series     *Series
	style      style
	logX, logY bool
	// shift is the shift of the curve.
	shift vg.Length
}

// bounds returns Low and High of point i within the chart, where floor is the height of its
// lower edge; ok is false where there is no band. On a logarithmic axis a band with 0 or less, or below the
// edge, is cut: it begins at the curve, and a bar at the edge. A band down to the edge at some points would be spikes.
func (b *band) bounds(i int, floor float64) (low, high float64, cut, ok bool) {
	low, high = b.series.Low[i], b.series.High[i]
	if cut = b.logY && low < floor && !math.IsInf(low, 0); cut {
		low = b.series.Y[i]
		if b.series.Bars {
			low = floor
		}
	}
	ok = Drawable(b.series.X[i], b.logX) && Drawable(b.series.Y[i], b.logY) &&
		Drawable(low, b.logY) && Drawable(high, b.logY) && high >= low
	return low, high, cut, ok
}

// Plot implements plot.Plotter.
func (b *band) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
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
	c.FillPolygon(b.style.band, ring)
}

// bar draws an interval as a vertical line with a short stroke at either end, but for one that is cut.
func (b *band) bar(c *draw.Canvas, low, high vg.Point, cut bool) {
	line := b.style.line
	line.Dashes, line.Width = nil, barWidth
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
