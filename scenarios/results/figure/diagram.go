package figure

import (
	"image/color"
	"math"
	"path/filepath"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"starling/actors/atomicfile"
	"starling/scenarios/metric"
	"starling/scenarios/results/diagram"
)

// The colours of diagrams, as their SVG has them.
var (
	diagramInk  = color.NRGBA{0x1D, 0x21, 0x26, 0xFF}
	diagramNode = color.NRGBA{0x0B, 0x5F, 0xA5, 0xFF}
	// The line and the inside of Byzantine nodes.
	diagramRed  = color.NRGBA{0xB3, 0x26, 0x1E, 0xFF}
	diagramPink = color.NRGBA{0xFB, 0xE3, 0xE0, 0xFF}
	diagramRule = color.NRGBA{0xD9, 0xDD, 0xE2, 0xFF}
	// The rim and the number of nodes that take no part.
	diagramAway     = color.NRGBA{0x8A, 0x94, 0xA0, 0xFF}
	diagramAwayText = color.NRGBA{0x69, 0x73, 0x7E, 0xFF}
)

// The widths of lines of diagrams, in units of the sheet.
const (
	edgeWidth  = 1.2
	nodeWidth  = 1.6
	frameWidth = 1
)

// digitHeight is the height of a digit beside the size of its letters.
const digitHeight = 0.72

// SaveDiagram writes a sheet to a file, whole or not at all, in the format of its extension,
// as wide as a full figure. An SVG has the titles of its edges, for readers who point at them.
func SaveDiagram(s *diagram.Sheet, path string) error {
	if filepath.Ext(path) == ".svg" {
		return atomicfile.Put(path, []byte(s.SVG()))
	}
	unit := pageOf(metric.FullSize).width / vg.Length(s.Width)
	return savePicture(path, pageOf(metric.FullSize).width, vg.Length(s.Height)*unit, 1, func(page draw.Canvas) {
		page.SetColor(color.White)
		page.Fill(page.Rectangle.Path())
		for part := s; part != nil; part = part.Beside {
			drawSheet(part, &page, s.Height, float64(unit))
		}
	})
}

// drawSheet draws the picture and the texts of a sheet on a page of a height.
func drawSheet(s *diagram.Sheet, page *draw.Canvas, height, unit float64) {
	d := drawnSheet{s, page, height, unit, unit * s.Side / (s.Picture.To - s.Picture.From)}
	for i := range s.Picture.Items {
		d.item(&s.Picture.Items[i])
	}
	for i := range s.Texts {
		d.text(&s.Texts[i])
	}
}

// drawnSheet draws a sheet on a page.
type drawnSheet struct {
	*diagram.Sheet
	page *draw.Canvas
	// height is the height of the page in units of the sheet.
	height float64
	// unit is a unit of the sheet in points, and scale a unit of its picture.
	unit, scale float64
}

// at is the place on the page of a place in the picture. The y axis of pages points up.
func (d *drawnSheet) at(p diagram.Point) vg.Point {
	return vg.Point{
		X: vg.Length(float64(d.unit*d.Left) + float64(d.scale*(p.X-d.Picture.From))),
		Y: vg.Length(float64(d.unit*(d.height-d.Top)) - float64(d.scale*(p.Y-d.Picture.From))),
	}
}

// item draws the shapes of an item.
func (d *drawnSheet) item(i *diagram.Item) {
	ink := diagramInk
	ink.A = uint8(math.Round(math.MaxUint8 * i.Opacity))
	if i.Class == diagram.Cells { // at once, so that cells do not darken each other's edges
		var cells vg.Path
		for k := range i.Shapes {
			cells = append(cells, d.path(&i.Shapes[k])...)
		}
		d.page.SetColor(ink)
		d.page.Fill(cells)
		return
	}
	for k := range i.Shapes {
		d.shape(i, &i.Shapes[k], ink)
	}
}

// shape draws a shape of an edge, a node or the frame.
func (d *drawnSheet) shape(i *diagram.Item, s *diagram.Shape, ink color.NRGBA) {
	if s.Kind == diagram.Label {
		size := s.Size * d.scale
		at := d.at(s.Points[0])
		colour := diagramInk
		switch i.Class {
		case diagram.Server:
			colour = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
		case diagram.Absent, diagram.Idle, diagram.Ground:
			colour = diagramAwayText
		}
		d.line(vg.Point{X: at.X, Y: at.Y - vg.Length(digitHeight/2*size)}, size, draw.XCenter, 0, s.Text, colour)
		return
	}
	path := d.path(s)
	line, width := ink, float64(edgeWidth*d.scale)
	var dashes []vg.Length
	if i.Dashed {
		dashes = []vg.Length{vg.Length(diagram.DashLength * d.scale), vg.Length(diagram.DashGap * d.scale)}
	}
	switch {
	case s.Kind == diagram.Head:
		d.page.SetColor(ink)
		d.page.Fill(path)
		return
	case s.Kind == diagram.Field:
		d.page.SetColor(diagramNode)
		d.page.Fill(path)
		return
	case i.Class == diagram.Ground:
		tint := i.TintOf()
		tint.A = uint8(math.Round(math.MaxUint8 * diagram.TintShare))
		d.page.SetColor(tint)
		d.page.Fill(path)
		return
	case i.Class == diagram.Absent, i.Class == diagram.Idle:
		d.page.SetColor(color.White)
		d.page.Fill(path)
		line, width = diagramAway, float64(edgeWidth*d.scale)
		dashes = []vg.Length{vg.Length(3 * d.scale), vg.Length(2.5 * d.scale)}
	case i.Class == diagram.Node:
		d.page.SetColor(color.White)
		d.page.Fill(path)
		line, width = diagramNode, float64(nodeWidth*d.scale)
	case i.Class == diagram.Server:
		d.page.SetColor(diagramNode)
		d.page.Fill(path)
		line, width = diagramNode, float64(nodeWidth*d.scale)
	case i.Class == diagram.Byzantine:
		d.page.SetColor(diagramPink)
		d.page.Fill(path)
		line, width = diagramRed, float64(nodeWidth*d.scale)
	case i.Class == diagram.Frame:
		line, width = diagramRule, frameWidth*d.unit
	case i.Width > 0:
		width = i.Width * d.scale
	}
	d.page.SetLineStyle(draw.LineStyle{Color: line, Width: vg.Length(width), Dashes: dashes})
	d.page.Stroke(path)
}

// path is the outline of a shape.
func (d *drawnSheet) path(s *diagram.Shape) (path vg.Path) {
	first := d.at(s.Points[0])
	switch s.Kind {
	case diagram.Circle:
		radius := vg.Length(s.Size * d.scale)
		path.Move(vg.Point{X: first.X + radius, Y: first.Y})
		path.Arc(first, radius, 0, 2*math.Pi)
	case diagram.Diamond:
		corner := vg.Length(s.Size * d.scale)
		path = through(vg.Point{X: first.X, Y: first.Y + corner}, vg.Point{X: first.X + corner, Y: first.Y},
			vg.Point{X: first.X, Y: first.Y - corner}, vg.Point{X: first.X - corner, Y: first.Y})
	case diagram.Box:
		half := vg.Length(s.Size * d.scale)
		path = through(vg.Point{X: first.X - half, Y: first.Y + half}, vg.Point{X: first.X + half, Y: first.Y + half},
			vg.Point{X: first.X + half, Y: first.Y - half}, vg.Point{X: first.X - half, Y: first.Y - half})
	case diagram.Curve:
		path.Move(first)
		path.QuadTo(d.at(s.Points[1]), d.at(s.Points[2]))
		return path
	case diagram.Head:
		path.Move(first)
		path.Line(d.at(s.Points[1]))
		path.Line(d.at(s.Points[2]))
	case diagram.Field:
		other := d.at(s.Points[1])
		path = through(first, vg.Point{X: other.X, Y: first.Y}, other, vg.Point{X: first.X, Y: other.Y})
	case diagram.Row, diagram.Square:
		height := 1.
		if s.Kind == diagram.Square {
			height = s.Size
		}
		p := s.Points[0]
		path.Move(first)
		for _, corner := range []diagram.Point{{X: p.X + s.Size, Y: p.Y}, {X: p.X + s.Size, Y: p.Y + height}, {X: p.X, Y: p.Y + height}} {
			path.Line(d.at(corner))
		}
	}
	path.Close()
	return path
}

// through is the open path around corners. It begins and ends in the middle of a side: a PNG has no corner where
// the ends of a path meet.
func through(corners ...vg.Point) (path vg.Path) {
	last := corners[len(corners)-1]
	path.Move(vg.Point{X: (corners[0].X + last.X) / 2, Y: (corners[0].Y + last.Y) / 2})
	for _, corner := range corners {
		path.Line(corner)
	}
	return path
}

// text writes a line of the sheet.
func (d *drawnSheet) text(t *diagram.Text) {
	align := map[string]text.XAlignment{"start": draw.XLeft, "middle": draw.XCenter, "end": draw.XRight}[t.Align]
	turn := 0.
	if t.Upright {
		turn = math.Pi / 2
	}
	d.line(vg.Point{X: vg.Length(t.At.X * d.unit), Y: vg.Length((d.height - t.At.Y) * d.unit)}, t.Size*d.unit, align, turn, t.Text, diagramInk)
}

// line writes a text in letters of a size in points, its baseline at a place.
func (d *drawnSheet) line(at vg.Point, size float64, align text.XAlignment, turn float64, txt string, colour color.NRGBA) {
	style := textStyle(vg.Length(size))
	style.Color, style.XAlign, style.Rotation = colour, align, turn
	d.page.FillText(style, at.Sub(vg.Point{Y: style.Font.Size - style.FontExtents().Ascent}), txt)
}
