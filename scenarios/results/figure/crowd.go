package figure

import (
	"cmp"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The look of crowded charts: of curves in the background, and of the points behind a smooth line.
const (
	faintWidth = vg.Length(0.9)
	rawWidth   = vg.Length(0.5)
	rawAlpha   = 0x50
	numberSize = vg.Length(8.5) // of the number at the end of a curve
	numberLine = vg.Length(9.5) // from a number to the next
	// numberLeader is the distance of a number from the axes, for the line that leads to it.
	numberLeader = vg.Length(14)
)

var faintColor = color.NRGBA{R: 0xA8, G: 0xA8, B: 0xA8, A: 0xFF}

// key is the value or the name under which the legend has a curve.
func (s *Series) key() string { return cmp.Or(s.Hue, s.Shown()) }

// faints are the keys of curves in the background, in their order; their numbers begin with 1.
func (f *Figure) faints() (keys []string) {
	for _, p := range f.Charts() {
		for i := range p.Series {
			if s := &p.Series[i]; s.Faint && s.key() != "" && !slices.Contains(keys, s.key()) {
				keys = append(keys, s.key())
			}
		}
	}
	return keys
}

// styled returns the style of a series with a stroke.
func (s *Series) styled(p stroke) style {
	st := styleOf(p)
	if s.Faint {
		st.line.Color, st.line.Width, st.line.Dashes, st.glyph.Color = faintColor, faintWidth, nil, faintColor
	}
	return st
}

// smoothed returns the series as its line is drawn: each point the mean of those near it, and so its
// band. Points that the axes do not show have no part in a mean.
func (s *Series) smoothed(logX, logY bool) Series {
	if s.Smooth == 0 {
		return *s
	}
	out := *s
	out.Y = slices.Clone(s.Y)
	if s.Low != nil {
		out.Low, out.High = slices.Clone(s.Low), slices.Clone(s.High)
	}
	for i := range s.X {
		if !Drawable(s.X[i], logX) || !Drawable(s.Y[i], logY) {
			continue
		}
		var y, low, high, count float64
		for k := max(0, i-s.Smooth); k <= min(len(s.X)-1, i+s.Smooth); k++ {
			if !Drawable(s.X[k], logX) || !Drawable(s.Y[k], logY) {
				continue
			}
			y, count = y+s.Y[k], count+1
			if s.Low != nil {
				low, high = low+s.Low[k], high+s.High[k]
			}
		}
		out.Y[i] = y / count
		if s.Low != nil {
			out.Low[i], out.High[i] = low/count, high/count
		}
	}
	return out
}

// raw returns the style of the points behind a smooth line.
func raw(st style) style {
	c := color.NRGBAModel.Convert(st.line.Color).(color.NRGBA)
	c.A = rawAlpha
	st.line.Color, st.line.Width, st.line.Dashes = c, rawWidth, nil
	return st
}

// numberRoom is the room for the numbers of curves in the background, to the right of the axes of each chart.
func (f *Figure) numberRoom(height vg.Length) vg.Length {
	most := 0
	for _, p := range f.Charts() {
		faint, bars := 0, f.endBars(p.Series)
		for i := range p.Series {
			if p.Series[i].Faint && !slices.Contains(bars, i) {
				faint++
			}
		}
		most = max(most, faint)
	}
	if most == 0 {
		return 0
	}
	style := textStyle(numberSize)
	rows := max(1, int(height/numberLine))
	beside := (most + rows - 1) / rows // numbers of a label
	return numberLeader + vg.Length(vg.Length(beside)*style.Width(strconv.Itoa(most)+", "))
}

// endNumbers writes the numbers of the curves in the background beside the chart, each at the height of
// its end or as near to it as the others leave room, with a line from the end to the number. Curves with an
// interval beside the axes have theirs there.
type endNumbers struct {
	list       []Series
	keys       []string
	logX, logY bool
	bars       []int     // numbers of curves with an interval
	room       vg.Length // of the intervals
}

// endNumber is a label at the ends of curves: a number, or several where a chart is too low for a line each.
type endNumber struct {
	text string
	ends []vg.Point
	// at is the height of the middle of the label.
	at vg.Length
}

// labels returns the labels of the ends of curves, from the lowest to the highest, numberLine apart between
// two heights.
func (n *endNumbers) labels(toX, toY func(float64) vg.Length, low, high vg.Length) []endNumber {
	var list []endNumber
	for i := range slices.Backward(n.list) { // of equal ends the first is above
		s := &n.list[i]
		if at := s.last(n.logX, n.logY); s.Faint && at >= 0 && !slices.Contains(n.bars, i) {
			end := vg.Point{X: toX(s.X[at]), Y: toY(s.Y[at])}
			list = append(list, endNumber{strconv.Itoa(1 + slices.Index(n.keys, s.key())), []vg.Point{end}, end.Y})
		}
	}
	slices.SortStableFunc(list, func(a, b endNumber) int { return cmp.Compare(a.at, b.at) })
	low, high = low+numberLine/2, high-numberLine/2
	for len(list) > 1 && vg.Length(vg.Length(len(list)-1)*numberLine) > high-low {
		list = joinNearest(list)
	}
	heights := make([]float64, len(list))
	for i, l := range list {
		heights[i] = float64(l.at)
	}
	for i, at := range apart(heights, float64(numberLine), float64(low), float64(high)) {
		list[i].at = vg.Length(at)
	}
	return list
}

// joinNearest makes one label of the two neighbours with the least distance, or of those with the fewest ends
// where several have it.
func joinNearest(list []endNumber) []endNumber {
	best := 0
	for i := range list[1:] {
		order := cmp.Or(
			cmp.Compare(list[i+1].at-list[i].at, list[best+1].at-list[best].at),
			cmp.Compare(len(list[i].ends)+len(list[i+1].ends), len(list[best].ends)+len(list[best+1].ends)),
		)
		if order < 0 {
			best = i
		}
	}
	a, b := list[best], list[best+1]
	all := vg.Length(len(a.ends) + len(b.ends))
	mean := (vg.Length(a.at*vg.Length(len(a.ends))) + vg.Length(b.at*vg.Length(len(b.ends)))) / all
	return slices.Replace(list, best, best+2, endNumber{a.text + ", " + b.text, slices.Concat(a.ends, b.ends), mean})
}

// Plot implements plot.Plotter.
func (n *endNumbers) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	style := textStyle(numberSize)
	style.XAlign, style.YAlign, style.Color = draw.XLeft, draw.YCenter, color.Gray{Y: 0x50}
	line := draw.LineStyle{Color: faintColor, Width: rawWidth}
	inside := line // of a curve that ends before the edge; it must not look like a curve
	inside.Dashes = []vg.Length{1, 2.5}
	for _, l := range n.labels(toX, toY, c.Min.Y, c.Max.Y) {
		for _, end := range l.ends {
			edge := vg.Point{X: c.Max.X, Y: end.Y}
			c.StrokeLines(inside, []vg.Point{end, edge})
			c.StrokeLines(line, []vg.Point{edge, {X: c.Max.X + n.room, Y: end.Y}, {X: c.Max.X + n.room + numberLeader - leaderGap, Y: l.at}})
		}
		c.FillText(style, vg.Point{X: c.Max.X + n.room + numberLeader, Y: l.at}, l.text)
	}
}
