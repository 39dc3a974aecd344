package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"starling/actors/topology"
	"starling/mechanisms/portable"
	"starling/messages"
	"starling/scenarios/document"
)

// The largest numbers of nodes and edges of a graph that is drawn as circles and arrows, and
// of nodes of a graph that is drawn as a picture of its matrix. Of larger graphs only the
// degrees are shown.
const (
	mostDrawn  = 60
	mostArrows = 1500
	mostMatrix = 400
)

// describe is a graph in a sentence.
func describe(g *topology.Graph) string {
	d := topology.Degrees(g)
	text := fmt.Sprintf("%s, %s, %s; in-degree %s, out-degree %s", document.Counted(g.Nodes(), "node"),
		document.Counted(g.Edges()-g.SelfLoops(), "edge"), document.Counted(g.SelfLoops(), "self-loop"),
		span(d.MinIn, d.MaxIn), span(d.MinOut, d.MaxOut))
	if d.MinIn < d.MaxIn || d.MinOut < d.MaxOut {
		text += ", " + short(d.Mean) + " on average"
	}
	return text + "."
}

// span is a range, or one number where its ends are equal.
func span(low, high int) string {
	if low == high {
		return strconv.Itoa(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

// short is a number in four significant digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// coordinate is a length in a drawing, to a hundredth of its unit.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// drawing is the picture of a graph, or nothing for one too large. Every text
// in it is a number.
func drawing(g *Graph) template.HTML { return template.HTML(strings.Join(cutDrawing(g), "")) }

// cutDrawing is the picture in pieces, which pictures of similar graphs share.
func cutDrawing(g *Graph) []string {
	switch n := g.Graph.Nodes(); {
	case n == 0 || n > mostMatrix:
		return nil
	case n > mostDrawn || g.Graph.Edges() > mostArrows:
		return []string{matrixPicture(g)}
	}
	return newCircle(g).pieces()
}

// pictureStyle stands in for the page's style, and its paper, where a graph is by
// itself.
const pictureStyle = `<style>.edge{fill:none;stroke:#1d2126;stroke-width:1.2}.edge .head{fill:#1d2126;stroke:none}` +
	`.node circle{fill:#fff;stroke:#0b5fa5;stroke-width:1.6}.node text{fill:#1d2126;text-anchor:middle;dominant-baseline:central;font-family:sans-serif}` +
	`.matrix rect{fill:none;stroke:#d9dde2}.matrix path{fill:#1d2126}.matrix{shape-rendering:crispEdges}` +
	`.caption{fill:#1d2126;text-anchor:middle;font-family:sans-serif}</style><rect width="100%" height="100%" fill="#fff"/>`

// Picture draws a graph as an SVG file, with its title above and its caption below: around a
// circle, or as a picture of its matrix where there are too many nodes or edges for that. It
// is empty for more than 400 nodes.
func Picture(g Graph) string {
	inner := string(drawing(&g))
	if inner == "" {
		return ""
	}
	legend := "An arrow leads from a sender to a receiver, a line both ways"
	if g.Graph.Nodes() > mostDrawn || g.Graph.Edges() > mostArrows {
		legend = "Row: the receiver; column: the sender"
	}
	legend += fmt.Sprintf("; the darker, the larger the weight, up to %s.", short(largestWeight(g.Graph)))
	var out strings.Builder
	out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="720" height="816" viewBox="0 0 360 408">` + pictureStyle)
	for _, line := range []struct {
		y, size float64
		text    string
	}{{20, 11, g.Title}, {379, 8, describe(g.Graph)}, {394, 8, legend}} {
		// A letter is about 0.55 of the size wide.
		size := min(line.size, 340/(0.55*float64(len([]rune(line.text)))))
		fmt.Fprintf(&out, `<text class="caption" x="180" y="%s" font-size="%s">%s</text>`,
			coordinate(line.y), coordinate(size), template.HTMLEscapeString(line.text))
	}
	out.WriteString(strings.Replace(inner, "<svg ", `<svg x="20" y="34" width="320" height="330" `, 1))
	out.WriteString("</svg>")
	return out.String()
}

// circle draws a graph with its nodes around a circle, the first at the top,
// clockwise, in a square of 320 units.
type circle struct {
	graph *Graph
	n     int
	// node is the radius of a node, which shrinks with their number.
	node float64
	// ring is the radius of the circle on which the nodes lie.
	ring float64
	// weight is the largest of an edge: the darkest.
	weight float64
	// out collects the picture; pieces cuts it.
	out strings.Builder
}

const half = 160.0 // of the square

// newCircle chooses the sizes so that neighbours on the circle do not touch.
func newCircle(g *Graph) *circle {
	c := &circle{graph: g, n: g.Graph.Nodes(), weight: largestWeight(g.Graph)}
	c.node = min(15, max(3.5, 0.85*math.Pi*115/float64(c.n)))
	c.ring = half - float64(2.6*c.node) - 8
	if c.n == 1 {
		c.ring = 0
	}
	return c
}

// largestWeight is the largest of a graph's weights without their signs.
func largestWeight(g *topology.Graph) (largest float64) {
	for i := range messages.NodeID(g.Nodes()) {
		_, weights := g.In(i)
		for _, w := range weights {
			largest = max(largest, math.Abs(w))
		}
	}
	return largest
}

// at is the place of a node and the direction from the middle to it.
func (c *circle) at(node int) (x, y, dx, dy float64) {
	angle := 2 * math.Pi * float64(node) / float64(c.n)
	dx, dy = portable.Sin(angle), -portable.Cos(angle)
	return half + float64(c.ring*dx), half + float64(c.ring*dy), dx, dy
}

// label is a node's number in the paper.
func (c *circle) label(node messages.NodeID) int { return int(node) + c.graph.FirstLabel }

// pieces are the picture, cut so that pictures of similar graphs share pieces:
// the beginning, each edge, the nodes and the end.
func (c *circle) pieces() (list []string) {
	cut := func() {
		list = append(list, c.out.String())
		c.out.Reset()
	}
	fmt.Fprintf(&c.out, `<svg class="graph" viewBox="0 0 320 320" role="img"><title>%s: %s</title>`,
		template.HTMLEscapeString(c.graph.Title), describe(c.graph.Graph))
	cut()
	for i := range messages.NodeID(c.n) {
		from, weights := c.graph.Graph.In(i)
		for k, j := range from {
			mutual := j != i && c.graph.Graph.Weight(j, i) == weights[k]
			if mutual && j > i {
				continue // drawn with the edge back
			}
			c.edge(j, i, weights[k], mutual)
			cut()
		}
	}
	for i := range c.n {
		c.drawNode(i)
	}
	c.out.WriteString("</svg>")
	cut()
	return list
}

// edge draws the edge from one node to another. mutual means that two edges join the nodes, of
// one weight: they are one line without heads. Two edges of different weights both bend to
// their left, so that neither hides the other. Edges that have nodes between their ends bend
// towards the middle of the circle, away from them.
func (c *circle) edge(from, to messages.NodeID, weight float64, mutual bool) {
	strength := 0.25 + 0.75*math.Abs(weight)/c.weight // an edge has a weight, so the largest is not 0
	direction := "to"
	if mutual {
		direction = "and"
	}
	fmt.Fprintf(&c.out, `<g class="edge" opacity="%s"><title>%d %s %d: weight %s</title>`,
		coordinate(strength), c.label(from), direction, c.label(to), short(weight))
	x1, y1, dx, dy := c.at(int(from))
	if from == to {
		r := 0.75 * c.node
		fmt.Fprintf(&c.out, `<circle cx="%s" cy="%s" r="%s"/></g>`,
			coordinate(x1+float64(dx*(c.node+float64(0.7*r)))), coordinate(y1+float64(dy*(c.node+float64(0.7*r)))), coordinate(r))
		return
	}
	x2, y2, _, _ := c.at(int(to))
	length := portable.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	bend := 0.0
	if !mutual && c.graph.Graph.HasEdge(to, from) {
		bend = min(14, 0.12*length)
	}
	inward := 0.2
	if gap := int(max(from, to) - min(from, to)); gap == 1 || gap == c.n-1 {
		inward = 0 // no node is between
	}
	mx, my := half+float64((1-inward)*(float64((x1+x2)/2)-half))+float64(bend*uy), half+float64((1-inward)*(float64((y1+y2)/2)-half))-float64(bend*ux) // the control point
	if mutual {
		c.line(x1, y1, mx, my, x2, y2)
	} else {
		c.arrow(x1, y1, mx, my, x2, y2)
	}
	c.out.WriteString("</g>")
}

// line draws a quadratic curve from node to node, from rim to rim.
func (c *circle) line(x1, y1, mx, my, x2, y2 float64) {
	sx, sy := toward(x1, y1, mx, my, c.node)
	tx, ty := toward(x2, y2, mx, my, c.node)
	fmt.Fprintf(&c.out, `<path d="M%s %sQ%s %s %s %s"/>`,
		coordinate(sx), coordinate(sy), coordinate(mx), coordinate(my), coordinate(tx), coordinate(ty))
}

// arrow draws a quadratic curve from node to node, from rim to rim, with a head.
func (c *circle) arrow(x1, y1, mx, my, x2, y2 float64) {
	sx, sy := toward(x1, y1, mx, my, c.node)
	tipX, tipY := toward(x2, y2, mx, my, c.node+1)
	head := max(3.5, 0.5*c.node)
	baseX, baseY := toward(tipX, tipY, mx, my, head)
	wx, wy := float64(0.42*(baseY-tipY)), float64(-0.42*(baseX-tipX))
	fmt.Fprintf(&c.out, `<path d="M%s %sQ%s %s %s %s"/><path class="head" d="M%s %sL%s %sL%s %sz"/>`,
		coordinate(sx), coordinate(sy), coordinate(mx), coordinate(my), coordinate(baseX), coordinate(baseY),
		coordinate(tipX), coordinate(tipY), coordinate(baseX+wx), coordinate(baseY+wy), coordinate(baseX-wx), coordinate(baseY-wy))
}

// toward is the point at a distance from (x, y) in the direction of (tx, ty).
func toward(x, y, tx, ty, distance float64) (float64, float64) {
	length := portable.Hypot(tx-x, ty-y)
	if length == 0 {
		return x, y
	}
	return x + (tx-x)*distance/length, y + (ty-y)*distance/length
}

// drawNode draws a node, with its number where there is room for it.
func (c *circle) drawNode(i int) {
	x, y, _, _ := c.at(i)
	label := c.label(messages.NodeID(i))
	fmt.Fprintf(&c.out, `<g class="node"><title>node %d</title><circle cx="%s" cy="%s" r="%s"/>`,
		label, coordinate(x), coordinate(y), coordinate(c.node))
	if c.node >= 6 {
		fmt.Fprintf(&c.out, `<text x="%s" y="%s" font-size="%s">%d</text>`,
			coordinate(x), coordinate(y), coordinate(min(13, 1.1*c.node)), label)
	}
	c.out.WriteString("</g>")
}

// shades is the number of steps of darkness in which the weights of a matrix are shown.
const shades = 5

// shadeOf is the shade of a weight, 0 the lightest.
func shadeOf(weight, largest float64) int {
	return min(shades-1, int(shades*math.Abs(weight)/largest))
}

// matrixPicture shows the matrix: the receiver i down, the sender j across, the
// darker the larger a_ij. Cells of
// one shade are one path, neighbours in a row one rectangle of it.
func matrixPicture(g *Graph) string {
	n := g.Graph.Nodes()
	largest := largestWeight(g.Graph)
	var cells [shades]strings.Builder
	for i := range messages.NodeID(n) {
		from, weights := g.Graph.In(i)
		for k := 0; k < len(from); {
			shade := shadeOf(weights[k], largest)
			length := 1
			for k+length < len(from) && int(from[k+length]) == int(from[k])+length && shadeOf(weights[k+length], largest) == shade {
				length++
			}
			fmt.Fprintf(&cells[shade], "M%d %dh%dv1h-%dz", from[k], i, length, length)
			k += length
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="graph matrix" viewBox="-1 -1 %d %d" role="img"><title>%s: weight matrix, receivers down, senders across. %s</title>`,
		n+2, n+2, template.HTMLEscapeString(g.Title), describe(g.Graph))
	fmt.Fprintf(&out, `<rect width="%d" height="%d" vector-effect="non-scaling-stroke"/>`, n, n)
	for shade := range cells {
		if cells[shade].Len() > 0 {
			fmt.Fprintf(&out, `<path opacity="%s" d="%s"/>`, coordinate(float64(shade+2)/(shades+1)), cells[shade].String())
		}
	}
	out.WriteString("</svg>")
	return out.String()
}
