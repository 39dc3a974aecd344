package figure

import (
	"cmp"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The measures of intervals beside the axes in points. Curves without a band have their interval there, at the height of
// their end.
const (
	endBarGap    = vg.Length(6)   // from the axes to the first interval
	endBarStep   = vg.Length(5)   // from an interval to the next
	nearBarStep  = vg.Length(3.4) // the same, in figures of many charts
	numberedStep = vg.Length(6)   // the same, where intervals have the numbers of their curves
	barNumber    = vg.Length(7.5) // size of the number of an interval
	barNumberGap = vg.Length(2)   // from an interval to its number
	endBarCap    = vg.Length(1.6) // half of the stroke at an end
	endBarRadius = vg.Length(1.9) // of the dot at a curve's end
	endBarHead   = vg.Length(2.2) // half of the width of an arrowhead
	// mostEndBars is the most intervals beside a chart of which each is told apart: of more, curves in the background have
	// none. mostFrontBars is the most of the others.
	mostEndBars   = 8
	mostFrontBars = 24
	// leastWidth is the least width of a chart's data that has intervals beside it.
	leastWidth = vg.Length(60)
)

// drawnNote is the note of a figure, with a sentence on intervals beside the axes, which other forms of the figure lack.
func (f *Figure) drawnNote() string {
	if !f.HasEndBars() {
		return f.Note
	}
	text := " Right of the axes: at their ends."
	if f.faintUnbarred() {
		text = " Right of the axes: the intervals at the ends of curves in colour, and the numbers of the others."
	}
	return strings.TrimSpace(f.Note + text)
}

// endBars returns the numbers of the curves of a chart with an interval beside the axes, from the curve that ends
// lowest to the one that ends highest. It is nil for charts where all intervals are bands.
func (f *Figure) endBars(list []Series) (at []int) {
	if f.Bare || f.Stacked || f.Categories != nil || !slices.ContainsFunc(list, func(s Series) bool { return s.Unbanded && s.Low != nil }) {
		return nil
	}
	for i := range list {
		s := &list[i]
		last := s.last(f.LogX, f.LogY)
		if s.Low == nil || s.Reference || s.Bars || last < 0 || !Drawable(s.High[last], f.LogY) || s.High[last] == s.Low[last] {
			continue
		}
		at = append(at, i)
	}
	if len(at) > mostEndBars {
		at = slices.DeleteFunc(at, func(i int) bool { return list[i].Faint })
	}
	if len(at) > mostFrontBars {
		return nil
	}
	slices.SortStableFunc(at, func(a, b int) int {
		return cmp.Compare(list[a].Y[list[a].last(f.LogX, f.LogY)], list[b].Y[list[b].last(f.LogX, f.LogY)])
	})
	return at
}

// faintUnbarred reports whether curves in the background have no intervals beside the axes, where others have them.
func (f *Figure) faintUnbarred() bool {
	return slices.ContainsFunc(f.Charts(), func(p Panel) bool {
		at := f.endBars(p.Series)
		faint, barred := 0, 0
		for i := range p.Series {
			if p.Series[i].Faint && p.Series[i].Low != nil {
				faint++
				if slices.Contains(at, i) {
					barred++
				}
			}
		}
		return len(at) > 0 && barred < faint
	})
}

// HasEndBars reports whether some intervals of the figure stand beside the axes.
func (f *Figure) HasEndBars() bool {
	return slices.ContainsFunc(f.Charts(), func(p Panel) bool { return len(f.endBars(p.Series)) > 0 })
}

// endBarRoom is the room for intervals right of the axes of each chart.
func (f *Figure) endBarRoom() (room vg.Length) {
	for _, p := range f.Charts() {
		if n := len(f.endBars(p.Series)); n > 0 {
			room = max(room, 2*endBarGap+vg.Length(vg.Length(n-1)*f.barStep()))
		}
	}
	return room
}

// barStep is the distance from an interval beside the axes to the next.
func (f *Figure) barStep() vg.Length {
	switch {
	case len(f.faints()) > 0 && len(f.Panels) > 2:
		return endBarStep
	case len(f.faints()) > 0:
		return numberedStep
	case len(f.Panels) > 2:
		return nearBarStep
	}
	return endBarStep
}

// endPlaces are the distances of the intervals of a chart from the axes, by the number of the curve.
func endPlaces(at []int, step vg.Length) map[int]vg.Length {
	places := make(map[int]vg.Length, len(at))
	for k, i := range at {
		places[i] = endBarGap + vg.Length(vg.Length(k)*step)
	}
	return places
}

// endBarsOf draws the intervals at the ends of curves beside the axes.
type endBarsOf struct {
	// list are the curves as they are drawn, at the numbers, and styles theirs.
	list   []Series
	at     []int
	styles []style
	// keys are the keys of curves in the background, whose intervals have their numbers.
	keys []string
	logX bool
	logY bool
	step vg.Length
}

// Plot implements plot.Plotter.
func (e *endBarsOf) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	places := endPlaces(e.at, e.step)
	for place, i := range e.at {
		s, st := &e.list[i], e.styles[i]
		k := s.last(e.logX, e.logY)
		x := c.Max.X + places[i]
		line := st.line
		line.Dashes, line.Width = nil, barWidth
		low, high := c.Min.Y, min(toY(s.High[k]), c.Max.Y)
		if Drawable(s.Low[k], e.logY) {
			low = max(low, toY(s.Low[k]))
		}
		c.StrokeLine2(line, x, low, x, high)
		for _, end := range []vg.Length{low, high} {
			if end > c.Min.Y && end < c.Max.Y {
				c.StrokeLine2(line, x-endBarCap, end, x+endBarCap, end)
			}
		}
		e.arrows(c, s, k, x, toY, line.Color)
		dot := st.glyph
		dot.Radius, dot.Shape = endBarRadius, draw.CircleGlyph{}
		c.DrawGlyphNoClip(dot, vg.Point{X: x, Y: toY(s.Y[k])})
		if s.Faint && len(e.keys) > 0 {
			writeNumber(c, strconv.Itoa(1+slices.Index(e.keys, s.key())), x, low, high, place%2 == 0)
		}
	}
}

// arrows draws heads at the edges of the chart where the interval of a point goes on.
func (e *endBarsOf) arrows(c draw.Canvas, s *Series, k int, x vg.Length, toY func(float64) vg.Length, fill color.Color) {
	head := func(tip, base vg.Length) {
		c.FillPolygon(fill, []vg.Point{{X: x, Y: tip}, {X: x - endBarHead, Y: base}, {X: x + endBarHead, Y: base}})
	}
	if Drawable(s.High[k], e.logY) && toY(s.High[k]) > c.Max.Y+endBarCap {
		head(c.Max.Y, c.Max.Y-2*endBarHead)
	}
	if !Drawable(s.Low[k], e.logY) || toY(s.Low[k]) < c.Min.Y-endBarCap {
		head(c.Min.Y, c.Min.Y+2*endBarHead)
	}
}

// writeNumber writes the number of a curve above its interval, or below it: of neighbours one is above and one below, so
// that they do not overlap. An interval up to an edge of the chart has its number at its other end.
func writeNumber(c draw.Canvas, text string, x, low, high vg.Length, above bool) {
	style := textStyle(barNumber)
	style.XAlign, style.Color = draw.XCenter, color.Gray{Y: 0x50}
	room := barNumber + barNumberGap
	if up, down := high+room <= c.Max.Y, low-room >= c.Min.Y; up != down {
		above = up
	}
	at := vg.Point{X: x, Y: low - barNumberGap}
	style.YAlign = draw.YTop
	if above {
		at.Y, style.YAlign = high+barNumberGap, draw.YBottom
	}
	c.FillText(style, at, text)
}
