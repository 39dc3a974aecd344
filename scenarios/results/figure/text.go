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
	subscriptDrop   = 0.14 // of the size of the text, below the baseline
	superscriptRise = 0.38 // of the size of the text, above the baseline
)

// superscripts is a text handler that raises an integer, or a text in braces,
// after "^", and lowers a text in braces after "_". The fonts at hand lack some of Unicode's
// superscript digits.
type superscripts struct{ text.Plain }

// piece is a part of a line in one size: raised 1 is above the line, -1 below it, and 0 on
// it.
type piece struct {
	text   string
	raised int
}

// split cuts a line into its pieces: "10^3 m" is "10", the raised "3", and " m". A "^"
// without an integer or braces after it is an ordinary character, and so is a "_" without
// braces: names have them.
func split(line string) []piece {
	var pieces []piece
	for line != "" {
		base, script, raised, rest := cutScript(line)
		if base != "" {
			pieces = append(pieces, piece{text: greek(base)})
		}
		if script != "" {
			pieces = append(pieces, piece{text: greek(script), raised: raised})
		}
		line = rest
	}
	return pieces
}

// cutScript cuts a line before and after the first piece that is raised or lowered.
func cutScript(line string) (base, script string, raised int, rest string) {
	for i := range len(line) {
		tail := line[i+1:]
		switch line[i] {
		case '^':
			raised = 1
		case '_':
			raised = -1
		default:
			continue
		}
		if inside, after, ok := strings.Cut(tail, "}"); ok && strings.HasPrefix(inside, "{") && len(inside) > 1 {
			return line[:i], inside[1:], raised, after
		}
		sign := ""
		if strings.HasPrefix(tail, minus) {
			sign = minus
		}
		digits := len(tail) - len(strings.TrimLeft(tail[len(sign):], "0123456789"))
		if raised > 0 && digits > len(sign) {
			return line[:i], tail[:digits], raised, tail[digits:]
		}
	}
	return line, "", 0, ""
}

// letters are the Greek letters by their names. A name that begins another comes after it.
var letters = strings.NewReplacer(
	`\varepsilon`, "ε", `\epsilon`, "ε", `\alpha`, "α", `\beta`, "β", `\gamma`, "γ", `\delta`, "δ", `\zeta`, "ζ", `\theta`, "θ", `\eta`, "η",
	`\iota`, "ι", `\kappa`, "κ", `\lambda`, "λ", `\mu`, "μ", `\nu`, "ν", `\xi`, "ξ", `\pi`, "π", `\rho`, "ρ", `\sigma`, "σ", `\tau`, "τ", `\upsilon`, "υ",
	`\phi`, "φ", `\chi`, "χ", `\psi`, "ψ", `\omega`, "ω", `\Gamma`, "Γ", `\Delta`, "Δ", `\Theta`, "Θ", `\Lambda`, "Λ", `\Xi`, "Ξ", `\Pi`, "Π",
	`\Sigma`, "Σ", `\Phi`, "Φ", `\Psi`, "Ψ", `\Omega`, "Ω",
)

// greek is a text with its Greek letters in place of their names.
func greek(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return letters.Replace(text)
}

// face returns the font of a piece, smaller for one that is raised or lowered.
func (s superscripts) face(p piece, base font.Font) font.Face {
	if p.raised != 0 {
		base.Size *= superscriptSize
	}
	return s.Fonts.Lookup(base, base.Size)
}

// Lines implements text.Handler.
func (s superscripts) Lines(txt string) []string { return strings.Split(txt, "\n") }

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
	if strings.TrimSpace(txt) == "" {
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

	pt.Y += vg.Length(vg.Length(style.YAlign)*style.Height(txt)) - s.Extents(style.Font).Ascent
	lines := s.Lines(txt)
	for i, line := range lines {
		s.drawLine(c, line, style, pt.Add(vg.Point{Y: vg.Length(len(lines)-i) * style.Font.Size}))
	}
}

// drawLine draws a line at the height of a point.
func (s superscripts) drawLine(c vg.Canvas, line string, style text.Style, pt vg.Point) {
	width, _, _ := s.Box(line, style.Font)
	pt.X += vg.Length(vg.Length(style.XAlign) * width)
	for _, p := range split(line) {
		face, at := s.face(p, style.Font), pt
		switch p.raised {
		case 1:
			at.Y += vg.Length(superscriptRise * style.Font.Size)
		case -1:
			at.Y -= vg.Length(subscriptDrop * style.Font.Size)
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

// TextWidth returns the width in points of a line of plain text of a size in a figure.
func TextWidth(line string, size float64, strong bool) float64 {
	style := textStyle(vg.Length(size))
	if strong {
		style = bold(style)
	}
	return style.Width(line).Points()
}
