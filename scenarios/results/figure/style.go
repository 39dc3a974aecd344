package figure

import (
	"image/color"
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is the palette of Okabe and Ito ("Color Universal Design", 2008) without its yellow,
// which is too pale for a line on white, and without its black, which baselines have; and seven more for
// figures of more curves. No colour is a grey: curves in the background have greys. Of the first
// twelve, those that have the same dash lie apart in lightness, so that they can be told apart in grey.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}, // blue
	{R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}, // vermillion
	{R: 0x00, G: 0x9E, B: 0x73, A: 0xFF}, // bluish green
	{R: 0xE6, G: 0x9F, B: 0x00, A: 0xFF}, // orange
	{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF}, // reddish purple
	{R: 0x56, G: 0xB4, B: 0xE9, A: 0xFF}, // sky blue
	{R: 0x33, G: 0x22, B: 0x88, A: 0xFF}, // indigo
	{R: 0x88, G: 0x22, B: 0x55, A: 0xFF}, // wine
	{R: 0x22, G: 0x55, B: 0x22, A: 0xFF}, // dark green
	{R: 0x80, G: 0x80, B: 0x00, A: 0xFF}, // olive
	{R: 0x7F, G: 0x4F, B: 0x1E, A: 0xFF}, // brown
	{R: 0xC8, G: 0x50, B: 0x7A, A: 0xFF}, // rose
	{R: 0x2F, G: 0x8F, B: 0xA0, A: 0xFF}, // teal
}

// ramp are colours from dark to light at equal distances, the first four fifths of the map
// viridis of Smith and van der Walt (2015), of even lightness. Its yellow is too pale for
// a line on white.
var ramp = []color.NRGBA{
	{R: 0x44, G: 0x01, B: 0x54, A: 0xFF},
	{R: 0x48, G: 0x24, B: 0x75, A: 0xFF},
	{R: 0x41, G: 0x44, B: 0x87, A: 0xFF},
	{R: 0x35, G: 0x5F, B: 0x8D, A: 0xFF},
	{R: 0x2A, G: 0x78, B: 0x8E, A: 0xFF},
	{R: 0x21, G: 0x91, B: 0x8C, A: 0xFF},
	{R: 0x22, G: 0xA8, B: 0x84, A: 0xFF},
	{R: 0x44, G: 0xBF, B: 0x70, A: 0xFF},
	{R: 0x7A, G: 0xD1, B: 0x51, A: 0xFF},
}

// rampOnDark are the colours of a ramp on a dark page: viridis from its middle to its yellow. The
// darkest has a contrast above 3 with the page.
var rampOnDark = append(slices.Clone(ramp[4:]),
	color.NRGBA{R: 0xBD, G: 0xDF, B: 0x26, A: 0xFF},
	color.NRGBA{R: 0xFD, G: 0xE7, B: 0x25, A: 0xFF},
)

// rampColor is the colour of a degree, from 0, of several on a ramp: the greatest is the darkest.
func rampColor(ramp []color.NRGBA, degree, of int) color.NRGBA {
	if of == 1 {
		return ramp[len(ramp)/2]
	}
	at := float64(of-1-degree) / float64(of-1) * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	part := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-part) + float64(float64(b)*part))) }
	a, b := ramp[i], ramp[i+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xFF}
}

// Distinct is the number of series of a figure that can be told apart by colour and dash.
const Distinct = 42

// dashes are the line patterns in points, drawn and left out in turn. The number of dashes and
// the number of colours have no common divisor, so Distinct series differ in the pair, the
// first thirteen in colour and the first six in either.
var dashes = [][]vg.Length{
	nil,
	{7, 3},
	{1.6, 2},
	{8, 2.5, 1.6, 2.5},
	{14, 3},
	{8, 2, 1.6, 2, 1.6, 2},
}

// glyphs mark the points of short series.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
}

const (
	lineWidth    = vg.Length(1.7)
	windingWidth = vg.Length(1) // of a line with much noise
	barWidth     = vg.Length(1) // of an interval at a point
	glyphRadius  = vg.Length(3)
	bandAlpha    = 0x26
	// markedPoints is the length of the longest series with points that are marked one by one:
	// more are beads, which hide the line.
	markedPoints = 12
)

var (
	gridColor = color.Gray{Y: 0xDC}
	axisColor = color.Gray{Y: 0x40}
)

// style is the style of one series.
type style struct {
	// line and glyph are opaque; band is the same colour, mostly transparent.
	line  draw.LineStyle
	glyph draw.GlyphStyle
	band  color.Color
}

// marked reports whether the points of a series are marked one by one.
func (s *Series) marked() bool {
	return s.Dots || len(s.X) <= markedPoints && !s.Reference
}

// banded reports whether a band is drawn around a curve.
func (s *Series) banded() bool { return s.Low != nil && !s.Bars && !s.Unbanded }

// styleOf is the style of a curve with a stroke.
func styleOf(p stroke) style {
	c := p.color()
	band := c
	band.A = bandAlpha
	return style{
		line:  draw.LineStyle{Color: c, Width: lineWidth, Dashes: dashes[p.dash%len(dashes)]},
		glyph: draw.GlyphStyle{Color: c, Radius: glyphRadius, Shape: glyphs[p.mark%len(glyphs)]},
		band:  band,
	}
}

// textStyle returns dark sans-serif text of a size in points.
func textStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   color.Black,
		Font:    font.Font{Typeface: plot.DefaultFont.Typeface, Variant: "Sans", Size: size},
		Handler: superscripts{text.Plain{Fonts: font.DefaultCache}},
	}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = xfont.WeightBold
	return s
}
