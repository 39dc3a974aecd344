package diagram

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

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

func (i *Item) isNode() bool { return i.Class == Node || i.Class == Byzantine || i.Class == Server }

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
	case Label:
		return fmt.Sprintf(`<text x="%s" y="%s" font-size="%s">%s</text>`, append(at, coordinate(s.Size), html.EscapeString(s.Text))...)
	}
	panic("diagram: a shape of no item that has several")
}
