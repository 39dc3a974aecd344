package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pointGap is the distance of a text from its point, in points of the page.
const pointGap = vg.Length(6)

// pointNames writes the texts beside the points of a series.
type pointNames struct {
	series     *Series
	logX, logY bool
	// shift is the shift of the curve.
	shift vg.Length
}

// Plot implements plot.Plotter. A text stands to the right of its point, the last one to the left, on the
// side of the curve that the line leaves free.
func (n *pointNames) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	s := n.series
	for i := range s.X {
		if !Drawable(s.X[i], n.logX) || !Drawable(s.Y[i], n.logY) {
			continue
		}
		last := i == len(s.X)-1
		from, to := i, i+1
		if last {
			from, to = max(0, i-1), i
		}
		above := s.Y[to] <= s.Y[from] != last
		style := textStyle(tickSize)
		at := vg.Point{X: toX(s.X[i]) + n.shift + pointGap, Y: toY(s.Y[i]) + pointGap/2}
		style.XAlign, style.YAlign = draw.XLeft, draw.YBottom
		if last {
			at.X, style.XAlign = at.X-2*pointGap, draw.XRight
		}
		if !above {
			at.Y, style.YAlign = at.Y-pointGap, draw.YTop
		}
		c.FillText(style, at, s.Points[i])
	}
}
