package figure

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"starling/mechanisms/portable"
)

const (
	superscriptSize = 0.7  // relative to the text
	superscriptRise = 0.38 // of the size of the text, above the baseline
)

// superscripts is a text handler for single lines that raises an integer after
// "^". The fonts at hand lack some of Unicode's superscript digits.
type superscripts struct{ text.Plain }

// piece is a part of a line in one size.
type piece struct {
	text   string
	raised bool
}

// split cuts a line into its pieces: "10^3 m" is "10", the raised "3", and " m". A "^"
// without an integer after it is an ordinary character.
func split(line string) []piece {
	var pieces []piece
	for line != "" {
		base, exponent, rest := cutExponent(line)
		if base != "" {
			pieces = append(pieces, piece{text: base})
		}
		if exponent != "" {
			pieces = append(pieces, piece{text: exponent, raised: true})
		}
		line = rest
	}
	return pieces
}

// cutExponent cuts a line before and after its first exponent.
func cutExponent(line string) (base, exponent, rest string) {
	for i := range len(line) {
		if line[i] != '^' {
			continue
		}
		tail := line[i+1:]
		sign := ""
		if strings.HasPrefix(tail, minus) {
			sign = minus
		}
		digits := len(tail) - len(strings.TrimLeft(tail[len(sign):], "0123456789"))
		if digits > len(sign) {
			return line[:i], tail[:digits], tail[digits:]
		}
	}
	return line, "", ""
}

// face returns the font of a piece, smaller for one that is raised.
func (s superscripts) face(p piece, base font.Font) font.Face {
	if p.raised {
		base.Size *= superscriptSize
	}
	return s.Fonts.Lookup(base, base.Size)
}

// Lines implements text.Handler: a text is one line.
func (s superscripts) Lines(txt string) []string { return []string{txt} }

// Box implements text.Handler.
func (s superscripts) Box(txt string, base font.Font) (width, height, depth vg.Length) {
	for _, p := range split(txt) {
		face := s.face(p, base)
		width += face.Width(p.text)
	}
	extents := s.Extents(base)
	return width, extents.Ascent, extents.Descent
}

// Draw implements text.Handler, with the placement of text.Plain.
func (s superscripts) Draw(c vg.Canvas, txt string, style text.Style, pt vg.Point) {
	if txt == "" {
		return
	}
	c.SetColor(style.Color)
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(style.Rotation)
	}
	sin64, cos64 := portable.Sincos(style.Rotation)
	sin, cos := vg.Length(sin64), vg.Length(cos64)
	pt.X, pt.Y = vg.Length(pt.Y*sin)+vg.Length(pt.X*cos), vg.Length(pt.Y*cos)-vg.Length(pt.X*sin)

	width, _, _ := s.Box(txt, style.Font)
	pt.X += vg.Length(vg.Length(style.XAlign) * width)
	pt.Y += vg.Length(vg.Length(style.YAlign)*style.Height(txt)) - s.Extents(style.Font).Ascent + style.Font.Size
	for _, p := range split(txt) {
		face, at := s.face(p, style.Font), pt
		if p.raised {
			at.Y += vg.Length(superscriptRise * style.Font.Size)
		}
		c.FillString(face, at, p.text)
		pt.X += face.Width(p.text)
	}
}

// elide shortens a text to a width by taking out its middle, which "…" stands for: the
// names of arms differ at either end.
func elide(txt string, width vg.Length, style text.Style) string {
	runes := []rune(txt)
	for cut := 0; cut < len(runes); cut++ {
		if cut > 0 {
			keep := len(runes) - cut
			txt = string(runes[:(keep+1)/2]) + "…" + string(runes[len(runes)-keep/2:])
		}
		if style.Width(txt) <= width {
			break
		}
	}
	return txt
}
