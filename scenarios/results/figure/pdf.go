package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"regexp"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// WritePDF writes the figure as PDF of its printed size, with its texts as
// outlines.
func WritePDF(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	chart := newChart(&f)
	canvas := &outlines{Canvas: vgpdf.New(chart.printed())}
	chart.drawScaled(canvas)
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	if canvas.err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, canvas.err)
	}
	_, err := w.Write(pdfDate.ReplaceAll(text.Bytes(), []byte("/$1 (D:20000101000000)")))
	return err
}

// pdfDate is a time in the document's information. It gives way to a fixed one
// of the same length, so that equal figures give equal bytes.
var pdfDate = regexp.MustCompile(`/(CreationDate|ModDate) \(D:\d{14}\)`)

// outlines is a PDF canvas that draws texts as the outlines of their letters:
// the canvas beneath knows the letters of Windows-1252 only, which lack the
// minus sign and infinity. It also keeps the colours of what is translucent.
type outlines struct {
	*vgpdf.Canvas
	// err is the first error: FillString has no way to return one.
	err error
}

// SetColor implements vg.Canvas.
func (c *outlines) SetColor(clr color.Color) {
	c.Canvas.SetColor(straight{color.NRGBAModel.Convert(clr).(color.NRGBA)})
}

// straight is a colour that gives its red, green and blue as they are, where
// color.Color wants them multiplied by alpha. The canvas beneath takes them so,
// and alpha once more: bands would all turn grey.
type straight struct{ c color.NRGBA }

// RGBA gives red, green, blue and alpha, each up to 0xFFFF.
func (s straight) RGBA() (r, g, b, a uint32) {
	const wide = 0x101
	return uint32(s.c.R) * wide, uint32(s.c.G) * wide, uint32(s.c.B) * wide, uint32(s.c.A) * wide
}

// FillString implements vg.Canvas.
func (c *outlines) FillString(face plotfont.Face, at vg.Point, text string) {
	var buffer sfnt.Buffer
	// One pixel per font unit: coordinates come unrounded and unhinted.
	units := fixed.I(int(face.Face.UnitsPerEm()))
	scale := face.Font.Size / vg.Length(face.Face.UnitsPerEm())
	for _, letter := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, letter)
		if err != nil {
			c.fail(letter, err)
			return
		}
		segments, err := face.Face.LoadGlyph(&buffer, glyph, units, nil)
		if err != nil {
			c.fail(letter, err)
			return
		}
		c.Fill(outline(segments, at, scale))
		advance, err := face.Face.GlyphAdvance(&buffer, glyph, units, font.HintingNone)
		if err != nil {
			c.fail(letter, err)
			return
		}
		at.X += vg.Length(scale * length(advance))
	}
}

// fail keeps the first error.
func (c *outlines) fail(letter rune, err error) {
	if c.err == nil {
		c.err = fmt.Errorf("letter %q: %w", letter, err)
	}
}

// length is a length of a font, in 64ths of a pixel, as one of the page.
func length(x fixed.Int26_6) vg.Length { return vg.Length(x) / 64 }

// outline is the path of a letter whose origin is at a point. The y axis of a
// font's segments points down.
func outline(segments sfnt.Segments, at vg.Point, scale vg.Length) vg.Path {
	var path vg.Path
	for i, s := range segments {
		point := func(k int) vg.Point {
			return vg.Point{X: at.X + vg.Length(scale*length(s.Args[k].X)), Y: at.Y - vg.Length(scale*length(s.Args[k].Y))}
		}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if i > 0 {
				path.Close()
			}
			path.Move(point(0))
		case sfnt.SegmentOpLineTo:
			path.Line(point(0))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(0), point(1))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(0), point(1), point(2))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}
