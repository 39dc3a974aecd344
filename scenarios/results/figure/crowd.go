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
	numberSize = vg.Length(7.5) // of the number at the end of a curve
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

// endNumbers writes the numbers of the curves in the background at their ends, inside the chart, each at the height of
// its end or as near to it as the others leave room.
type endNumbers struct {
	list       []Series
	keys       []string
	logX, logY bool
}

// Plot implements plot.Plotter.
func (n *endNumbers) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	type end struct {
		at     vg.Point
		number string
	}
	var ends []end
	for i := range n.list {
		s := &n.list[i]
		if at := s.last(n.logX, n.logY); s.Faint && at >= 0 {
			ends = append(ends, end{vg.Point{X: toX(s.X[at]), Y: toY(s.Y[at])}, strconv.Itoa(1 + slices.Index(n.keys, s.key()))})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.at.Y, b.at.Y) })
	heights := make([]float64, len(ends))
	for i, e := range ends {
		heights[i] = float64(e.at.Y)
	}
	size := min(numberSize, c.Size().Y/vg.Length(max(1, len(ends))))
	heights = apart(heights, float64(size), float64(c.Min.Y), float64(c.Max.Y))
	style := textStyle(size)
	style.XAlign, style.YAlign, style.Color = draw.XLeft, draw.YCenter, color.Gray{Y: 0x50}
	for i, e := range ends {
		c.FillText(style, vg.Point{X: e.at.X + 2, Y: vg.Length(heights[i])}, e.number)
	}
}
