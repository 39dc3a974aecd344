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
