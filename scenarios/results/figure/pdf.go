package figure

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"starling/mechanisms/portable"
)

// WritePDF writes the figure as PDF of its printed size. Its texts are text, which can be
// selected and searched, and the letters that they use are embedded.
func WritePDF(f Figure, w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	chart := newChart(&f)
	canvas := newPDF(chart.printed())
	chart.drawScaled(canvas)
	canvas.doc.TransformEnd()
	var text bytes.Buffer
	if err := errors.Join(canvas.err, canvas.doc.Output(&text)); err != nil {
		return fmt.Errorf("figure %q: %w", f.Title, err)
	}
	_, err := w.Write(text.Bytes())
	return err
}

// pdfDate is the date of every document, so that equal figures give equal bytes.
var pdfDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// pdf is a canvas of one page. The canvas of the plotting library knows the letters of
// Windows-1252 only, which lack the minus sign, infinity and Greek; this one embeds the
// letters of a text by their numbers in Unicode. Its y axis points up, as on canvases, and not
// down, as in the library of documents.
type pdf struct {
	doc *fpdf.Fpdf
	// width is the widths of lines, by the number of calls of Push; a line of width 0 is not
	// drawn.
	width []vg.Length
	// fonts are the fonts that the document has.
	fonts map[string]bool
	// err is the first error: the methods of canvases have no way to return one.
	err error
}

// newPDF is an empty page.
func newPDF(width, height vg.Length) *pdf {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()}})
	doc.SetCatalogSort(true)
	doc.SetCreationDate(pdfDate)
	doc.SetModificationDate(pdfDate)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	c := &pdf{doc: doc, width: []vg.Length{0}, fonts: map[string]bool{}}
	vg.Initialize(c)
	doc.TransformBegin()
	doc.TransformTranslate(0, height.Points())
	doc.TransformScale(100, -100, 0, 0)
	return c
}

// SetLineWidth implements vg.Canvas.
func (c *pdf) SetLineWidth(width vg.Length) {
	c.width[len(c.width)-1] = width
	c.doc.SetLineWidth(width.Points())
}

// SetLineDash implements vg.Canvas.
func (c *pdf) SetLineDash(pattern []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(pattern))
	for i, length := range pattern {
		lengths[i] = length.Points()
	}
	c.doc.SetDashPattern(lengths, offset.Points())
}

// SetColor implements vg.Canvas. The document wants red, green and blue as they are, and
// alpha besides.
func (c *pdf) SetColor(clr color.Color) {
	straight := color.NRGBAModel.Convert(clr).(color.NRGBA)
	r, g, b := int(straight.R), int(straight.G), int(straight.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(straight.A)/math.MaxUint8, "Normal")
}

// Rotate implements vg.Canvas.
func (c *pdf) Rotate(angle float64) { c.doc.TransformRotate(-angle*180/math.Pi, 0, 0) }

// Translate implements vg.Canvas.
func (c *pdf) Translate(to vg.Point) { c.doc.TransformTranslate(to.X.Points(), to.Y.Points()) }

// Scale implements vg.Canvas.
func (c *pdf) Scale(x, y float64) { c.doc.TransformScale(x*100, y*100, 0, 0) }

// Push implements vg.Canvas.
func (c *pdf) Push() {
	c.width = append(c.width, c.width[len(c.width)-1])
	c.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (c *pdf) Pop() {
	c.doc.TransformEnd()
	c.width = c.width[:len(c.width)-1]
}

// Stroke implements vg.Canvas.
func (c *pdf) Stroke(path vg.Path) {
	if c.width[len(c.width)-1] > 0 {
		c.trace(path, "D")
	}
}

// Fill implements vg.Canvas.
func (c *pdf) Fill(path vg.Path) { c.trace(path, "F") }

// trace draws a path: "D" its line, "F" its inside.
func (c *pdf) trace(path vg.Path, style string) {
	for _, part := range path {
		x, y := part.Pos.X.Points(), part.Pos.Y.Points()
		switch part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.CurveComp:
			p := part.Control
			switch len(p) {
			case 1:
				c.doc.CurveTo(p[0].X.Points(), p[0].Y.Points(), x, y)
			case 2:
				c.doc.CurveBezierCubicTo(p[0].X.Points(), p[0].Y.Points(), p[1].X.Points(), p[1].Y.Points(), x, y)
			default:
				c.fail(fmt.Errorf("a curve with %d control points", len(p)))
			}
		case vg.ArcComp:
			c.arc(part)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}

// arc adds a part of a circle to the path, as curves that each turn by a quarter at most.
func (c *pdf) arc(part vg.PathComp) {
	at := func(angle float64) (x, y float64) {
		sin, cos := portable.Sincos(angle)
		return part.Pos.X.Points() + float64(part.Radius.Points()*cos), part.Pos.Y.Points() + float64(part.Radius.Points()*sin)
	}
	pieces := max(1, int(math.Ceil(math.Abs(part.Angle)/(math.Pi/2)-1e-9)))
	turn := part.Angle / float64(pieces)
	sin, cos := portable.Sincos(turn / 2)
	// The length of the tangents of a cubic curve that lies on a circle.
	reach := 4. / 3 * (1 - cos) / sin * part.Radius.Points()
	x, y := at(part.Start)
	c.doc.LineTo(x, y)
	for i := range pieces {
		from, to := part.Start+float64(float64(i)*turn), part.Start+float64(float64(i+1)*turn)
		sinA, cosA := portable.Sincos(from)
		sinB, cosB := portable.Sincos(to)
		x1, y1 := at(from)
		x2, y2 := at(to)
		c.doc.CurveBezierCubicTo(x1-float64(reach*sinA), y1+float64(reach*cosA), x2+float64(reach*sinB), y2-float64(reach*cosB), x2, y2)
	}
}

// FillString implements vg.Canvas. A letter that the font lacks is an empty box, as in the
// other formats that draw letters themselves.
func (c *pdf) FillString(face font.Face, at vg.Point, text string) {
	if face.Font.Size == 0 || text == "" {
		return
	}
	name := face.Name()
	if !c.fonts[name] {
		c.fonts[name] = true
		var file bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &file); err != nil {
			c.fail(fmt.Errorf("font %s: %w", name, err))
			return
		}
		c.doc.AddUTF8FontFromBytes(name, "", file.Bytes())
	}
	c.doc.SetFont(name, "", face.Font.Size.Points())
	c.Push()
	c.Translate(at)
	c.Scale(1, -1)
	c.doc.Text(0, 0, strings.Map(basic, text))
	c.Pop()
}

// basic is a letter that documents can have: one of the first 65,536 of Unicode.
func basic(letter rune) rune {
	if letter > math.MaxUint16 {
		return '\uFFFD'
	}
	return letter
}

// DrawImage implements vg.Canvas. No figure has an image.
func (c *pdf) DrawImage(vg.Rectangle, image.Image) {
	c.fail(errors.New("images are not drawn"))
}

// fail keeps the first error.
func (c *pdf) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}
