package diagram

import (
	"fmt"
	"html"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// DashLength and DashGap are the parts of dashed lines, in units of a picture.
const DashLength, DashGap = 4, 3

// coordinate is a length in a drawing, to a hundredth of its unit.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// Pieces is the picture of a graph as SVG for a page, whose style sheet gives the classes their
// colours: cut so that pictures of similar graphs share pieces. A matrix is one piece. It is
// nil for a graph that has no picture.
func Pieces(g *Graph) []string {
	p, ok := New(g)
	switch {
	case !ok:
		return nil
	case p.Matrix:
		return []string{p.text()}
	}
	list := []string{p.opening()}
	last := len(p.Items)
	for last > 0 && p.Items[last-1].isNode() {
		last--
	}
	for i := range p.Items[:last] {
		list = append(list, p.Items[i].text())
	}
	var nodes strings.Builder
	for i := range p.Items[last:] {
		nodes.WriteString(p.Items[last+i].text())
	}
	return append(list, nodes.String()+"</svg>")
}

// text is the picture as SVG.
func (p *Picture) text() string {
	var out strings.Builder
	out.WriteString(p.opening())
	for i := range p.Items {
		out.WriteString(p.Items[i].text())
	}
	return out.String() + "</svg>"
}

// opening is the tag that begins the picture, and its title.
func (p *Picture) opening() string {
	class := "graph"
	if p.Matrix {
		class = "graph matrix"
	}
	return fmt.Sprintf(`<svg class="%s" viewBox="%s %s %s %s" role="img"><title>%s</title>`, class,
		coordinate(p.From), coordinate(p.From), coordinate(p.To-p.From), coordinate(p.To-p.From), html.EscapeString(p.Title))
}

func (i *Item) isNode() bool {
	return i.Class == Node || i.Class == Byzantine || i.Class == Server || i.Class == Absent || i.Class == Idle
}

// Tints are the colours of the grounds of blocks, one after the other: of Okabe and Ito.
var Tints = []color.NRGBA{
	{0xE6, 0x9F, 0x00, 0xFF}, {0x00, 0x9E, 0x73, 0xFF}, {0x00, 0x72, 0xB2, 0xFF}, {0xCC, 0x79, 0xA7, 0xFF}, {0xD5, 0x5E, 0x00, 0xFF}, {0x56, 0xB4, 0xE9, 0xFF},
}

// TintShare is the darkness of the ground of a block.
const TintShare = 0.16

// TintOf is the colour of the ground of an item.
func (i *Item) TintOf() color.NRGBA { return Tints[i.Tint%len(Tints)] }

// text is an item as SVG.
func (i *Item) text() string {
	var out strings.Builder
	switch i.Class {
	case Frame:
		side := coordinate(i.Shapes[0].Size)
		return fmt.Sprintf(`<rect width="%s" height="%s" vector-effect="non-scaling-stroke"/>`, side, side)
	case Cells:
		for _, s := range i.Shapes {
			fmt.Fprintf(&out, "M%s %sh%[3]sv1h-%[3]sz", coordinate(s.Points[0].X), coordinate(s.Points[0].Y), coordinate(s.Size))
		}
		return fmt.Sprintf(`<path opacity="%s" d="%s"/>`, coordinate(i.Opacity), out.String())
	}
	fmt.Fprintf(&out, `<g class="%s"`, i.Class)
	if i.Opacity < 1 || i.Class == Edge {
		fmt.Fprintf(&out, ` opacity="%s"`, coordinate(i.Opacity))
	}
	if i.Width > 0 {
		fmt.Fprintf(&out, ` stroke-width="%s"`, coordinate(i.Width))
	}
	if i.Dashed {
		fmt.Fprintf(&out, ` stroke-dasharray="%d %d"`, DashLength, DashGap)
	}
	if i.Class == Ground {
		tint := i.TintOf()
		fmt.Fprintf(&out, ` fill="#%02x%02x%02x"`, tint.R, tint.G, tint.B)
	}
	fmt.Fprintf(&out, `><title>%s</title>`, html.EscapeString(i.Title))
	for _, s := range i.Shapes {
		out.WriteString(s.text())
	}
	return out.String() + "</g>"
}

// text is a shape of an edge or a node as SVG.
func (s *Shape) text() string {
	var at []any
	for _, p := range s.Points {
		at = append(at, coordinate(p.X), coordinate(p.Y))
	}
	switch s.Kind {
	case Circle:
		return fmt.Sprintf(`<circle cx="%s" cy="%s" r="%s"/>`, append(at, coordinate(s.Size))...)
	case Diamond:
		p, r := s.Points[0], s.Size
		return fmt.Sprintf(`<path d="M%s %sL%s %sL%s %sL%s %sz"/>`, coordinate(p.X), coordinate(p.Y-r), coordinate(p.X+r), coordinate(p.Y),
			coordinate(p.X), coordinate(p.Y+r), coordinate(p.X-r), coordinate(p.Y))
	case Box:
		p, r := s.Points[0], s.Size
		return fmt.Sprintf(`<path d="M%s %sh%[3]sv%[3]sh-%[3]sz"/>`, coordinate(p.X-r), coordinate(p.Y-r), coordinate(2*r))
	case Curve:
		return fmt.Sprintf(`<path d="M%s %sQ%s %s %s %s"/>`, at...)
	case Head:
		return fmt.Sprintf(`<path class="head" d="M%s %sL%s %sL%s %sz"/>`, at...)
	case Field:
		return fmt.Sprintf(`<path d="M%s %sH%sV%sH%sz"/>`, at[0], at[1], at[2], at[3], at[0])
	case Label:
		return fmt.Sprintf(`<text x="%s" y="%s" font-size="%s">%s</text>`, append(at, coordinate(s.Size), html.EscapeString(s.Text))...)
	}
	panic("diagram: a shape of no item that has several")
}
