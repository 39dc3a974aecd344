// Package diagram lays out the graph of a network: its nodes at their places with arrows between
// them, or, of many nodes, its weight matrix as a map of cells.
//
//	graphs --Arrange--> places, where the topology has none of its own      shape.go
//	Graph --nodes, matrix-->  Picture --Pieces-->  SVG inside a page      svg.go
//	                             |
//	                        NewSheet: title, numbers, captions            sheet.go
//	                             +--> Sheet.SVG, a file; figure.SaveDiagram, PNG and PDF
//
// A picture is a list of shapes, and every format draws the same list. The package chooses no
// font and writes no file, and it knows no kind of topology: the caller gives the places, the
// same for pictures of different steps, so that these can be compared.
package diagram

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
)

// The largest numbers of nodes and edges of a graph that is drawn as circles and arrows, and
// of nodes of a graph that is drawn as a picture of its matrix.
const (
	mostDrawn  = 120
	mostArrows = 1500
	// Above fewNodes nodes a mean degree above mostDegree makes a picture of nodes a black ball.
	fewNodes   = 24
	mostDegree = 8
	// MostNodes is the largest number of nodes of a graph that has a picture.
	MostNodes = 400
)

// Graph is a graph to draw.
type Graph struct {
	// Title names it, such as "Step 3".
	Title string
	Graph *topology.Graph
	// FirstLabel is the number that the first node has in print.
	FirstLabel int
	// Total is true if the weights are totals over several steps: an edge is then the wider,
	// too, the larger its weight, and self-loops are not drawn. Self-loops that all nodes have
	// are not drawn as circles either.
	Total bool
	// Places are the places of the nodes in the unit square, two entries for each node: the first
	// goes right, the second down. nil stands for the places that Arrange returns.
	Places []float64
	// Byzantine are nodes that do not follow the protocol, ascending; their numbers begin with 0.
	Byzantine []int
	// Servers are nodes that are servers, numbered in the same way. A server in Names has its name there
	// in place of its number.
	Servers []int
	Names   map[int]string
	// Absent are nodes that take no part, ascending: they are faint, and their edges are dashed.
	Absent []int
	// Share is true if the weights are shares of some steps, in which an edge is there; Total is
	// true then, too.
	Share bool
	// Fresh reports whether an edge is new since the picture before; such edges are stronger than
	// the others. nil stands for a picture without one before.
	Fresh func(from, to messages.NodeID) bool
	// Blocks are groups of nodes with a coloured ground and a name.
	Blocks []Block
	// Located means that the places are those at which nodes are, such as sensors in a box.
	Located bool
	// Note is a line below the title of a small picture, such as measures of the graph; empty for none.
	Note string
	// Zoom is the size of nodes, lines and letters of a small picture beside the usual one; 0 is 1.
	Zoom float64
}

// Block is a group of nodes.
type Block struct {
	Name  string
	Nodes []int
}

// Many reports whether a graph has too many nodes or edges to be drawn as nodes and arrows: its
// picture is its matrix.
func Many(g *topology.Graph) bool {
	n := g.Nodes()
	return n > mostDrawn || g.Edges() > mostArrows || n > fewNodes && g.Edges()-g.SelfLoops() > mostDegree*n
}

// Caption describes a graph in sentences: its sizes, self-loops that are not drawn, and its
// Byzantine nodes.
func Caption(g *Graph) string {
	text := Describe(g.Graph)
	if n := g.Graph.Nodes(); n > 0 && n <= MostNodes && !Many(g.Graph) && g.Graph.SelfLoops() == n {
		text += " Each node has a self-loop, which is not drawn."
	}
	return text + g.says()
}

// Picture is a graph as shapes in a square, drawn in their order. Coordinates go right and
// down.
type Picture struct {
	// Matrix is true for a map of cells, false for nodes and arrows.
	Matrix bool
	// Title is the graph's, with a description.
	Title string
	// From and To are the ends of the square, in both directions.
	From, To float64
	Items    []Item
}

// Class is the kind of an item, which decides its colours.
type Class string

// The classes of items, as the classes of SVG have them.
const (
	Edge Class = "edge"
	Node Class = "node"
	// Byzantine is the class of nodes that do not follow the protocol.
	Byzantine Class = "node byzantine"
	Server    Class = "node server"
	// Absent and Idle are the classes of nodes that take no part, and of servers that hear nobody.
	Absent Class = "node absent"
	Idle   Class = "node server absent"
	// Ground is the class of the ground of a block, and Bar of the steps in which a node is there.
	Ground Class = "ground"
	Bar    Class = "bar"
	Cells  Class = "cells"
	Frame  Class = "frame"
)

// Item is an edge, a node, the cells of one shade or the frame of a matrix.
type Item struct {
	Class Class
	// Title is shown where a reader points at the item; it may be empty.
	Title string
	// Opacity is between 0 and 1, and Width is the width of lines; 0 is the width of the class.
	Opacity, Width float64
	// Dashed lines are of edges that carry nothing.
	Dashed bool
	// Tint is the number of the colour of a ground, from 0.
	Tint   int
	Shapes []Shape
}

// Kind is the kind of a shape.
type Kind int

// The kinds of shapes.
const (
	// Circle is a circle around Points[0] of radius Size.
	Circle Kind = iota
	// Diamond is a square on its corner around Points[0], Size from its middle to a corner.
	Diamond
	// Box is a square around Points[0], Size from its middle to a side.
	Box
	// Curve is a quadratic curve from Points[0] to Points[2] with the control point Points[1].
	Curve
	// Head is a filled triangle.
	Head
	// Row is a row of cells: its upper left corner is Points[0], its length Size, its height 1.
	Row
	// Square is the outline of a square: its upper left corner is Points[0], its side Size.
	Square
	// Label is Text in letters of Size, with its middle at Points[0].
	Label
	// Field is a filled rectangle with the corners Points[0] and Points[1].
	Field
)

// Shape is a part of an item.
type Shape struct {
	Kind   Kind
	Points []Point
	Size   float64
	Text   string
}

// Point is a place in the square of a picture.
type Point struct{ X, Y float64 }

// New lays a graph out. The boolean is false for a graph without nodes or with more than
// MostNodes: it has no picture.
func New(g *Graph) (p Picture, ok bool) {
	switch n := g.Graph.Nodes(); {
	case n == 0 || n > MostNodes:
		return p, false
	case Many(g.Graph):
		p = matrix(g)
	default:
		p = newNodes(g).picture()
	}
	return p, true
}

// Describe is a graph in a sentence.
func Describe(g *topology.Graph) string {
	d := topology.Degrees(g)
	edges := g.Edges() - g.SelfLoops()
	joined := document.Counted(edges, "edge")
	if edges > 0 && g.Symmetric() { // a line is drawn for two edges
		joined = document.Counted(edges/2, "link") + " both ways"
	}
	text := fmt.Sprintf("%s, %s, %s; in-degree %s, out-degree %s", document.Counted(g.Nodes(), "node"),
		joined, document.Counted(g.SelfLoops(), "self-loop"),
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

// largestWeight is the largest of the weights that are drawn, without their signs.
func (g *Graph) largestWeight() (largest float64) {
	for i := range messages.NodeID(g.Graph.Nodes()) {
		from, weights := g.Graph.In(i)
		for k, w := range weights {
			if g.drawn(from[k], i) {
				largest = max(largest, math.Abs(w))
			}
		}
	}
	return largest
}

// leastWeight is the least of the weights that largestWeight compares.
func (g *Graph) leastWeight() float64 {
	least := math.Inf(1)
	for i := range messages.NodeID(g.Graph.Nodes()) {
		from, weights := g.Graph.In(i)
		for k, w := range weights {
			if g.drawn(from[k], i) {
				least = min(least, math.Abs(w))
			}
		}
	}
	return least
}

// directions reports whether some edges are arrows, and some lines both ways.
func (g *Graph) directions() (arrows, lines bool) {
	for i := range messages.NodeID(g.Graph.Nodes()) {
		from, weights := g.Graph.In(i)
		for k, j := range from {
			if j != i {
				mutual := g.mutual(j, i, weights[k])
				arrows, lines = arrows || !mutual, lines || mutual
			}
		}
	}
	return arrows, lines
}

// mutual reports whether an edge of a weight has one back, which is drawn with it: of the same weight,
// where weights have a meaning.
func (g *Graph) mutual(from, to messages.NodeID, weight float64) bool {
	if from == to {
		return false
	}
	if len(g.Servers) > 0 {
		return g.Graph.HasEdge(to, from)
	}
	return g.Graph.Weight(from, to) == weight
}

// drawn reports whether an edge is drawn. A self-loop at every node would say nothing between
// circles; on the diagonal of a matrix it hides nothing.
func (g *Graph) drawn(from, to messages.NodeID) bool {
	return from != to || !g.Total && (g.Graph.SelfLoops() < g.Graph.Nodes()-len(g.Servers) || Many(g.Graph))
}
