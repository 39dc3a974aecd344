package diagram

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/mechanisms/portable"
	"starling/messages"
)

// circle draws a graph with its nodes around a circle, the first at the top,
// clockwise, in a square of 320 units.
type circle struct {
	*Graph
	n int
	// node is the radius of a node, which shrinks with their number.
	node float64
	// ring is the radius of the circle on which the nodes lie.
	ring float64
	// weight is the largest of an edge: the darkest.
	weight float64
}

const half = 160.0 // of the square

// The widths of edges of totals: of the smallest weights and of the largest.
const (
	thinnest = 0.5
	widest   = 3.5
)

// newCircle chooses the sizes so that neighbours on the circle do not touch.
func newCircle(g *Graph) *circle {
	c := &circle{Graph: g, n: g.Graph.Nodes(), weight: g.largestWeight()}
	c.node = min(15, max(3.5, 0.85*math.Pi*115/float64(c.n)))
	c.ring = half - float64(2.6*c.node) - 8
	if c.n == 1 {
		c.ring = 0
	}
	return c
}

// at is the place of a node and the direction from the middle to it.
func (c *circle) at(node int) (x, y, dx, dy float64) {
	angle := 2 * math.Pi * float64(node) / float64(c.n)
	dx, dy = portable.Sin(angle), -portable.Cos(angle)
	return half + float64(c.ring*dx), half + float64(c.ring*dy), dx, dy
}

// label is a node's number in print.
func (c *circle) label(node messages.NodeID) int { return int(node) + c.FirstLabel }

// picture has the edges below the nodes; of totals the heavier lie above the lighter.
func (c *circle) picture() Picture {
	p := Picture{Title: c.Title + ": " + Describe(c.Graph.Graph), To: 2 * half}
	for i := range messages.NodeID(c.n) {
		from, weights := c.Graph.Graph.In(i)
		for k, j := range from {
			mutual := j != i && c.Graph.Graph.Weight(j, i) == weights[k]
			if mutual && j > i || !c.drawn(j, i) {
				continue // drawn with the edge back, or not at all
			}
			p.Items = append(p.Items, c.edge(j, i, weights[k], mutual))
		}
	}
	if c.Total {
		slices.SortStableFunc(p.Items, func(a, b Item) int { return cmp.Compare(a.Opacity, b.Opacity) })
	}
	for i := range c.n {
		p.Items = append(p.Items, c.nodeItem(i))
	}
	return p
}

// edge draws the edge from one node to another. mutual means that two edges join the nodes, of
// one weight: they are one line without heads. Two edges of different weights both bend to
// their left, so that neither hides the other. Edges that have nodes between their ends bend
// towards the middle of the circle, away from them.
func (c *circle) edge(from, to messages.NodeID, weight float64, mutual bool) Item {
	share := math.Abs(weight) / c.weight // an edge has a weight, so the largest is not 0
	item := Item{Class: Edge, Opacity: 0.25 + float64(0.75*share)}
	if c.Total {
		item.Width = thinnest + float64((widest-thinnest)*share)
	}
	direction := "to"
	if mutual {
		direction = "and"
	}
	item.Title = fmt.Sprintf("%d %s %d: weight %s", c.label(from), direction, c.label(to), short(weight))
	x1, y1, dx, dy := c.at(int(from))
	if from == to {
		r := 0.75 * c.node
		middle := Point{x1 + float64(dx*(c.node+float64(0.7*r))), y1 + float64(dy*(c.node+float64(0.7*r)))}
		item.Shapes = []Shape{{Kind: Circle, Points: []Point{middle}, Size: r}}
		return item
	}
	x2, y2, _, _ := c.at(int(to))
	length := portable.Hypot(x2-x1, y2-y1)
	ux, uy := (x2-x1)/length, (y2-y1)/length
	bend := 0.0
	if !mutual && c.Graph.Graph.HasEdge(to, from) {
		bend = min(14, 0.12*length)
	}
	inward := 0.2
	if gap := int(max(from, to) - min(from, to)); gap == 1 || gap == c.n-1 {
		inward = 0 // no node is between
	}
	control := Point{
		half + float64((1-inward)*(float64((x1+x2)/2)-half)) + float64(bend*uy),
		half + float64((1-inward)*(float64((y1+y2)/2)-half)) - float64(bend*ux),
	}
	if mutual {
		item.Shapes = c.line(Point{x1, y1}, control, Point{x2, y2})
	} else {
		item.Shapes = c.arrow(Point{x1, y1}, control, Point{x2, y2}, item.Width)
	}
	return item
}

// line is a quadratic curve from node to node, from rim to rim.
func (c *circle) line(from, control, to Point) []Shape {
	return []Shape{{Kind: Curve, Points: []Point{from.toward(control, c.node), control, to.toward(control, c.node)}}}
}

// arrow is a quadratic curve from node to node, from rim to rim, with a head that is larger on
// a wide line.
func (c *circle) arrow(from, control, to Point, width float64) []Shape {
	tip := to.toward(control, c.node+1)
	base := tip.toward(control, max(3.5, 0.5*c.node, 2.5*width))
	wing := Point{float64(0.42 * (base.Y - tip.Y)), float64(-0.42 * (base.X - tip.X))}
	return []Shape{
		{Kind: Curve, Points: []Point{from.toward(control, c.node), control, base}},
		{Kind: Head, Points: []Point{tip, {base.X + wing.X, base.Y + wing.Y}, {base.X - wing.X, base.Y - wing.Y}}},
	}
}

// toward is the point at a distance in the direction of another.
func (p Point) toward(other Point, distance float64) Point {
	length := portable.Hypot(other.X-p.X, other.Y-p.Y)
	if length == 0 {
		return p
	}
	return Point{p.X + (other.X-p.X)*distance/length, p.Y + (other.Y-p.Y)*distance/length}
}

// nodeItem draws a node, with its number where there is room for it.
func (c *circle) nodeItem(i int) Item {
	x, y, _, _ := c.at(i)
	label := strconv.Itoa(c.label(messages.NodeID(i)))
	item := Item{Class: Node, Title: "node " + label, Opacity: 1, Shapes: []Shape{{Kind: Circle, Points: []Point{{x, y}}, Size: c.node}}}
	if c.node >= 6 {
		item.Shapes = append(item.Shapes, Shape{Kind: Label, Points: []Point{{x, y}}, Size: min(13, 1.1*c.node), Text: label})
	}
	return item
}
