package figure

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/mechanisms/portable"
)

// The measures of names at the ends of curves in points, and the most curves that have them.
const (
	leaderWidth = vg.Length(12) // from the edge of the axes to a name
	leaderGap   = vg.Length(3)
	endHeight   = vg.Length(14) // of a name
	mostEnds    = 12
	// nearEdge is the least part of the x axis at which a curve that has its name there ends.
	nearEdge = 0.96
)

// endName is the name of a curve, to be written where the curve ends.
type endName struct {
	name string
	// x and y are the last point of the curve.
	x, y   float64
	stroke stroke
	faint  bool
	// bar is the distance of the curve's interval from the axes; 0 is none.
	bar vg.Length
}

// endNames returns the names of curves that can be written at their ends, in place of a
// legend: of one chart with few curves, each of which ends at its right edge. It is nil
// otherwise. across is the range of the x axis.
func (f *Figure) endNames(across span) (names []endName) {
	if f.Legend != "" || len(f.Panels) > 0 {
		return nil
	}
	strokes, bars := f.strokes()[0], endPlaces(f.endBars(f.Series), f.barStep())
	for i := range f.Series {
		s := &f.Series[i]
		name := s.Shown()
		if s.Hue != "" && s.Dash == "" {
			name = s.Hue
		}
		at := s.last(f.LogX, f.LogY)
		switch {
		case s.Reference && s.Hue != "" && s.Dash != "": // it has the colour of a curve, and one of them its dash as a name
			if at >= 0 && !slices.ContainsFunc(names, func(n endName) bool { return n.name == s.Dash }) {
				names = append(names, endName{s.Dash, s.X[at], s.Y[at], stroke{hue: uncoloured, dash: 1}, false, 0})
			}
			continue
		case name == "" && f.factored(), s.Dots, s.Hue != "" && s.Dash != "":
			return nil
		case name == "", at < 0 && f.factored(): // the note names what is not drawn
			continue
		case at < 0 || across.part(s.X[at]) < nearEdge || slices.ContainsFunc(names, func(n endName) bool { return n.name == name }):
			return nil
		}
		names = append(names, endName{name, s.X[at], s.smoothed(f.LogX, f.LogY).Y[at], strokes[i], s.Faint, bars[i]})
	}
	if len(names) == 0 || len(names) > mostEnds || len(f.Series) < 2 {
		return nil
	}
	return names
}

// dashNote explains the dashes of several references, of which one has its name at its end.
func (f *Figure) dashNote() string {
	var seen, values []string
	for _, s := range f.Series {
		if !s.Reference || s.Dash == "" {
			continue
		}
		if slices.Contains(seen, s.Dash) && !slices.Contains(values, s.Dash) {
			values = append(values, s.Dash)
		}
		seen = append(seen, s.Dash)
	}
	if len(values) == 0 {
		return ""
	}
	return "Dashed: " + strings.Join(values, "; ") + "."
}

// last is the index of the last point of a series that the axes show, -1 for none. Of a series
// that does not ascend it may lie anywhere.
func (s *Series) last(logX, logY bool) int {
	for i, x := range slices.Backward(s.X) {
		if Drawable(x, logX) && Drawable(s.Y[i], logY) {
			return i
		}
	}
	return -1
}

// part is the place of a value on the axis, from 0 at its beginning to 1 at its end.
func (s span) part(v float64) float64 {
	if s.log {
		return portable.Log(v/s.min) / portable.Log(s.max/s.min)
	}
	return (v - s.min) / (s.max - s.min)
}

// drawEnds writes the names beside the axes, each at the height at which its curve ends, or as
// near to it as the others leave room, with a line from the curve to the name.
// intervals beside the axes take room, and lines begin at them.
func drawEnds(c draw.Canvas, data draw.Canvas, p *plot.Plot, names []endName, room vg.Length, style text.Style) {
	toX, toY := p.Transforms(&data)
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b endName) int { return cmp.Compare(a.y, b.y) })
	heights := make([]float64, len(names))
	for i, n := range names {
		heights[i] = float64(toY(n.y))
	}
	// The upper and the lower name may reach beyond the axes by half their height.
	heights = apart(heights, float64(endHeight), float64(data.Min.Y), float64(data.Max.Y))
	for i, n := range names {
		at, line := vg.Length(heights[i]), styleOf(n.stroke).line
		line.Dashes, line.Width = nil, barWidth
		if n.faint {
			line.Color = faintColor
		}
		from, edge := vg.Point{X: toX(n.x), Y: toY(n.y)}, data.Max.X+room
		if n.bar > 0 {
			from.X = data.Max.X + n.bar
		}
		c.StrokeLines(line, []vg.Point{
			from, {X: max(from.X, edge), Y: from.Y}, {X: edge + leaderWidth - leaderGap, Y: at}, {X: edge + leaderWidth, Y: at},
		})
		c.FillText(style, vg.Point{X: edge + leaderWidth + leaderGap, Y: at + style.FontExtents().Descent}, n.name)
	}
}

// apart returns ascending heights moved by as little as possible, in squares, so that they are
// gap apart and lie between low and high. It is the isotonic regression of the heights less
// their places times gap, by pooling adjacent violators.
func apart(heights []float64, gap, low, high float64) []float64 {
	type pool struct {
		mean  float64
		count int
	}
	var pools []pool
	for i, h := range heights {
		pools = append(pools, pool{h - float64(float64(i)*gap), 1})
		for n := len(pools); n > 1 && pools[n-2].mean > pools[n-1].mean; n = len(pools) {
			a, b := pools[n-2], pools[n-1]
			mean := (float64(a.mean*float64(a.count)) + float64(b.mean*float64(b.count))) / float64(a.count+b.count)
			pools = append(pools[:n-2], pool{mean, a.count + b.count})
		}
	}
	moved := make([]float64, 0, len(heights))
	highest := high - float64(float64(len(heights)-1)*gap)
	for _, p := range pools {
		for range p.count {
			moved = append(moved, max(low, min(p.mean, highest))+float64(float64(len(moved))*gap))
		}
	}
	return moved
}
