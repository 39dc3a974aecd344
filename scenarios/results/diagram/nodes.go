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

// nodes draws a graph as nodes at their places, in a square of 320 units.
type nodes struct {
	*Graph
	n int
	// node is the radius of a node, which shrinks with their number.
	node float64
	// at are the middles of the nodes.
	at []Point
	// weight is the largest of an edge: the darkest.
	weight float64
	// fade is the share of their darkness that edges have; they have its root of their width.
	fade float64
	// byzantine, servers and absent have the nodes of Byzantine, Servers and Absent.
	byzantine, servers, absent map[int]bool
	// zoom is Zoom, at least 1.
	zoom float64
	// weighed edges have their weights beside them.
	weighed bool
}

const side = 320.0 // of the square

// The widths of edges of totals: of the smallest weights and of the largest.
const (
	thinnest = 0.5
	widest   = 2.8
	usual    = 1.2 // of edges that are no totals
)

// Edges fade from the number on from which they would hide each other, at most to a share of
// their darkness.
const (
	clearEdges   = 40
	crowdedEdges = 4 // edges a node from which on all count
	leastFade    = 0.3
	fadeEach     = 0.6 // for each doubling of their number
	// leastShare is the darkness of the lightest edge beside the darkest.
	leastShare = 0.45
)

// Labels are of all nodes up to fewNodes or where they have room, else of some nodes, beside them.
const (
	fewWeights = 12 // the most lines with weights beside them
	weightSize = 7
	labelEvery = 8
	mostLabel  = 13
	leastLabel = 5.2
	besideSize = 6.5
	// labelRoom is the width of a number in a node beside the node's radius.
	labelRoom = 1.7
)

// The sizes of nodes: the radius beside the distance of near nodes, and its ends.
const (
	nodeShare = 0.36
	ringShare = 0.26 // of many nodes on a circle, so that edges between near ones are seen
	laneShare = 0.2  // where edges lie behind larger nodes
	mostLanes = 300  // the most edges for which that is looked at: more hide each other in any case
	leastRing = 16
	leastNode = 3.5
	mostNode  = 15
	// namedNode is the least radius of up to mostNamed nodes: so large that each has its number.
	namedNode = 5.2
	mostNamed = 64
	// leastServer is the least size of a server.
	leastServer = 9
)

// newNodes chooses sizes so that nodes do not touch where their places allow it.
func newNodes(g *Graph) *nodes {
	d := &nodes{Graph: g, n: g.Graph.Nodes(), weight: g.largestWeight(), byzantine: set(g.Byzantine), servers: set(g.Servers), absent: set(g.Absent), zoom: max(1, g.Zoom)}
	places := g.Places
	if places == nil {
		places = Arrange(g.Graph)
	}
	least := leastNode
	if d.n <= mostNamed {
		least = namedNode * d.zoom
	}
	share := nodeShare
	if d.n >= leastRing && circular(places) {
		share = ringShare
	}
	lines, apart := d.lines(), apartOf(places)
	d.place(places, min(mostNode*d.zoom, max(least, share*apart*(side-80))))
	for _, smaller := range []float64{ringShare, laneShare} {
		if radius := max(least, smaller*apart*(side-80)); lines <= mostLanes && radius < d.node && d.hidden() {
			d.place(places, radius)
		}
	}
	d.fade, d.weighed = fadeOf(d.crowded(lines)), d.zoom == 1 && lines <= fewWeights && g.leastWeight() < d.weight && len(g.Servers) == 0
	return d
}

// place puts nodes of a radius at their places, inside of the square.
func (d *nodes) place(places []float64, radius float64) {
	d.node = radius
	edge := float64(1.3*d.node) + 5
	if d.Graph.Graph.SelfLoops() > 0 && d.drawn(0, 0) || d.n > mostNamed { // the room for self-loops, and for labels beside nodes
		edge = float64(2.4*d.node) + 6
	}
	if len(d.Blocks) > 0 {
		edge += groundRoom * d.zoom
	}
	d.at = d.at[:0]
	for v := range d.n {
		d.at = append(d.at, Point{edge + float64(places[2*v]*(side-2*edge)), edge + float64(places[2*v+1]*(side-2*edge))})
	}
}

// hidden reports whether an edge passes behind a node that is no end of it.
func (d *nodes) hidden() bool {
	for i := range messages.NodeID(d.n) {
		from, weights := d.Graph.Graph.In(i)
		for k, j := range from {
			if j == i || !d.drawn(j, i) {
				continue
			}
			if _, _, clear := d.course(j, i, d.mutual(j, i, weights[k])); clear < d.node {
				return true
			}
		}
	}
	return false
}

// crowded is the number of lines that counts for their darkness: few lines a node do not hide each other, however many nodes
// there are.
func (d *nodes) crowded(lines int) int {
	return int(float64(lines) * min(1, float64(lines)/float64(crowdedEdges*d.n)))
}

// course returns the direction to the left of the edge between two nodes, the bend that keeps it off other nodes, and its
// least distance to the middle of one. Two edges of different weights both bend to their left, so that neither hides the
// other. Other edges are straight unless a node is in their way.
func (d *nodes) course(from, to messages.NodeID, mutual bool) (left Point, bend, clear float64) {
	a, b := d.at[from], d.at[to]
	length := max(portable.Hypot(b.X-a.X, b.Y-a.Y), 1e-9)
	left = Point{(b.Y - a.Y) / length, (a.X - b.X) / length}
	if !mutual && d.Graph.Graph.HasEdge(to, from) {
		bend = min(14, 0.12*length)
	}
	bend, clear = d.around(a, b, left, length, bend)
	return left, bend, clear
}

// set is a list of nodes as a set.
func set(nodes []int) map[int]bool {
	found := make(map[int]bool, len(nodes))
	for _, v := range nodes {
		found[v] = true
	}
	return found
}

// circular reports whether all places are on a circle around the middle of the square.
func circular(places []float64) bool {
	least, most := math.Inf(1), 0.0
	for v := range len(places) / 2 {
		away := portable.Hypot(places[2*v]-0.5, places[2*v+1]-0.5)
		least, most = min(least, away), max(most, away)
	}
	return most-least < 0.01
}

// lines is the number of lines between nodes: one for edges in both directions of one weight.
func (d *nodes) lines() (count int) {
	for i := range messages.NodeID(d.n) {
		from, weights := d.Graph.Graph.In(i)
		for k, j := range from {
			if j != i && !(j > i && d.mutual(j, i, weights[k])) {
				count++
			}
		}
	}
	return count
}

// fadeOf is the share of their darkness that a number of lines have. It has few values,
// so that pictures of steps with about as many edges share their pieces.
func fadeOf(lines int) float64 {
	fade := 1.0
	for most := clearEdges; most < lines && fade > leastFade; most *= 2 {
		fade = max(leastFade, fade*fadeEach)
	}
	return fade
}

// apartOf is the distance of a node to the nearest other one of which a quarter of the nodes has
// less, so that a few near nodes do not make all small, but no more than nodes that touch allow.
func apartOf(places []float64) float64 {
	n := len(places) / 2
	nearest := make([]float64, n)
	for v := range nearest {
		nearest[v] = 1
		for w := range n {
			if w != v {
				nearest[v] = min(nearest[v], portable.Hypot(places[2*v]-places[2*w], places[2*v+1]-places[2*w+1]))
			}
		}
	}
	slices.Sort(nearest)
	const touching = 1.15 // of the least distance: twice nodeShare of it is less than 1
	return min(nearest[n/4], touching*nearest[0])
}

// sincos is the sine and the cosine of an angle in turns.
func sincos(turns float64) (sin, cos float64) { return portable.Sincos(2 * math.Pi * turns) }

// label is a node's number in print.
func (d *nodes) label(node messages.NodeID) int { return int(node) + d.FirstLabel }

// picture has the edges below the nodes; of totals the heavier lie above the lighter.
func (d *nodes) picture() Picture {
	p := Picture{Title: d.Title + ": " + Caption(d.Graph), To: side, Items: d.grounds()}
	for i := range messages.NodeID(d.n) {
		from, weights := d.Graph.Graph.In(i)
		for k, j := range from {
			mutual := d.mutual(j, i, weights[k])
			if mutual && j > i || !d.drawn(j, i) {
				continue // drawn with the edge back, or not at all
			}
			p.Items = append(p.Items, d.edge(j, i, weights[k], mutual))
		}
	}
	if d.Total {
		slices.SortStableFunc(p.Items[len(d.Blocks):], func(a, b Item) int { return cmp.Compare(a.Opacity, b.Opacity) })
	}
	for i := range d.n {
		p.Items = append(p.Items, d.nodeItem(i))
	}
	return p
}

// edge draws the edge from one node to another. mutual means that two edges join the nodes, of
// one weight: they are one line without heads.
func (d *nodes) edge(from, to messages.NodeID, weight float64, mutual bool) Item {
	share := math.Abs(weight) / d.weight // an edge has a weight, so the largest is not 0
	item := Item{Class: Edge, Opacity: d.fade * (leastShare + float64((1-leastShare)*share))}
	thin := math.Sqrt(d.fade) * math.Sqrt(d.zoom)
	switch {
	case d.Total && d.leastWeight() == d.weight: // the widths would say nothing
		item.Width = thin * usual
	case d.Total:
		item.Width = thin * (thinnest + float64((widest-thinnest)*share))
	case thin != 1:
		item.Width = thin * usual
	}
	d.mark(&item, from, to, mutual)
	direction := "to"
	if mutual {
		direction = "and"
	}
	item.Title = fmt.Sprintf("%d %s %d: weight %s", d.label(from), direction, d.label(to), short(weight))
	if from == to {
		r := 0.6 * d.node
		out := d.free(from)
		away := d.node + float64(0.7*r)
		item.Shapes = []Shape{{Kind: Circle, Points: []Point{{d.at[from].X + float64(away*out.X), d.at[from].Y + float64(away*out.Y)}}, Size: r}}
		return item
	}
	a, b := d.at[from], d.at[to]
	left, bend, _ := d.course(from, to, mutual)
	control := Point{float64((a.X+b.X)/2) + float64(bend*left.X), float64((a.Y+b.Y)/2) + float64(bend*left.Y)}
	if mutual {
		item.Shapes = d.line(a, control, b)
	} else {
		item.Shapes = d.arrow(a, control, b, item.Width)
	}
	if d.weighed {
		item.Shapes = append(item.Shapes, weightLabel(a, control, b, left, bend, weight))
	}
	return item
}

// weightLabel writes a weight beside the middle of an edge, on the side to which it bends.
func weightLabel(a, control, b, left Point, bend, weight float64) Shape {
	away := float64(0.8 * weightSize)
	if bend < 0 {
		away = -away
	}
	middle := Point{float64(a.X/4) + float64(control.X/2) + float64(b.X/4), float64(a.Y/4) + float64(control.Y/2) + float64(b.Y/4)}
	return Shape{Kind: Label, Points: []Point{{middle.X + float64(away*left.X), middle.Y + float64(away*left.Y)}}, Size: weightSize, Text: strconv.FormatFloat(weight, 'g', 2, 64)}
}

// bends are the bends of an edge that has a node in its way, beside its length: the first that
// passes all nodes is taken, or the one that comes the least near to one.
var bends = []float64{0.06, -0.06, 0.1, -0.1, 0.16, -0.16, 0.24, -0.24, 0.32, -0.32}

// clearRoom is the blank between an edge and a node that is no end of it.
const clearRoom = 2.5

// around is the bend of the edge from a to b, and its least distance to the middle of a node that is no end of it: the bend
// that is asked for, or another where a node is in the way.
func (d *nodes) around(a, b, left Point, length, bend float64) (best, most float64) {
	room := d.node + clearRoom // an edge that grazes a node seems to end there
	best, most = bend, d.clearance(a, b, left, bend)
	for _, share := range bends {
		if most >= room {
			break
		}
		other := share * length
		if clear := d.clearance(a, b, left, other); clear > most+0.5 {
			best, most = other, clear
		}
	}
	return best, most
}

// clearance is the least distance of an edge of a bend to the middle of a node that is no end
// of it; 0 for one that leaves the square, where titles and texts are.
func (d *nodes) clearance(a, b, left Point, bend float64) float64 {
	least := math.Inf(1)
	const parts = 24
	for k := 1; k < parts; k++ {
		t := float64(k) / parts
		rise := 2 * t * (1 - t) * bend
		x := a.X + float64(t*(b.X-a.X)) + float64(rise*left.X)
		y := a.Y + float64(t*(b.Y-a.Y)) + float64(rise*left.Y)
		if min(x, y) < 0 || max(x, y) > side {
			return 0
		}
		for _, p := range d.at {
			if p == a || p == b {
				continue
			}
			dx, dy := p.X-x, p.Y-y
			least = min(least, float64(dx*dx)+float64(dy*dy))
		}
	}
	return math.Sqrt(least)
}

// directions is the number of directions that a self-loop may have.
const directions = 24

// free is the direction from a node, among some, from which the edges of the node are farthest;
// the first, upwards, where equal ones are.
func (d *nodes) free(v messages.NodeID) Point {
	from, _ := d.Graph.Graph.In(v)
	var edges []Point
	for _, list := range [][]messages.NodeID{from, d.Graph.Graph.Out(v)} {
		for _, w := range list {
			dx, dy := d.at[w].X-d.at[v].X, d.at[w].Y-d.at[v].Y
			if length := portable.Hypot(dx, dy); length > 0 {
				edges = append(edges, Point{dx / length, dy / length})
			}
		}
	}
	var best Point
	least := math.Inf(1)
	for k := range directions {
		sin, cos := sincos(float64(k) / directions)
		way, nearest := Point{sin, -cos}, -1.0 // the cosine of the angle to the nearest edge
		for _, e := range edges {
			nearest = max(nearest, float64(way.X*e.X)+float64(way.Y*e.Y))
		}
		if nearest < least-1e-9 {
			best, least = way, nearest
		}
	}
	return best
}

// line is a quadratic curve from node to node, from rim to rim.
func (d *nodes) line(from, control, to Point) []Shape {
	return []Shape{{Kind: Curve, Points: []Point{from.toward(control, d.node), control, to.toward(control, d.node)}}}
}

// arrow is a quadratic curve from node to node, from rim to rim, with a head that is larger on
// a wide line.
func (d *nodes) arrow(from, control, to Point, width float64) []Shape {
	tip := to.toward(control, d.node+1)
	base := tip.toward(control, max(3.5, 0.5*d.node, 2.5*width))
	wing := Point{float64(0.42 * (base.Y - tip.Y)), float64(-0.42 * (base.X - tip.X))}
	return []Shape{
		{Kind: Curve, Points: []Point{from.toward(control, d.node), control, base}},
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

// nodeItem draws a node, with its number where there is room for it, and else every few nodes
// beside it, away from the middle of the picture. A Byzantine node is a diamond, and a server a
// square with its number.
func (d *nodes) nodeItem(i int) Item {
	label := strconv.Itoa(d.label(messages.NodeID(i)))
	item := Item{Class: Node, Title: "node " + label, Opacity: 1, Shapes: []Shape{{Kind: Circle, Points: []Point{d.at[i]}, Size: d.node}}}
	if d.byzantine[i] {
		item.Class, item.Title = Byzantine, item.Title+", Byzantine"
		item.Shapes[0] = Shape{Kind: Diamond, Points: []Point{d.at[i]}, Size: 1.25 * d.node}
	}
	if d.absent[i] {
		item.Class, item.Title = Absent, item.Title+", absent"
	}
	if d.servers[i] {
		size := d.serverSize()
		label = d.name(i)
		item.Class, item.Title = Server, item.Title+", server"
		if d.idle(messages.NodeID(i)) {
			item.Class = Idle
		}
		item.Shapes[0] = Shape{Kind: Box, Points: []Point{d.at[i]}, Size: size}
		item.Shapes = append(item.Shapes, Shape{Kind: Label, Points: []Point{d.at[i]}, Size: min(mostLabel*d.zoom, 1.1*size, labelRoom*size/(letter*float64(len(label)))), Text: label})
		return item
	}
	if size := d.labelSize(label); size >= leastLabel || d.n <= fewNodes {
		item.Shapes = append(item.Shapes, Shape{Kind: Label, Points: []Point{d.at[i]}, Size: max(leastLabel, size), Text: label})
	} else if (i+d.FirstLabel)%labelEvery == 0 {
		middle := Point{side / 2, side / 2}
		at := d.at[i].toward(middle, -d.node-float64(0.8*besideSize))
		item.Shapes = append(item.Shapes, Shape{Kind: Label, Points: []Point{at}, Size: besideSize, Text: label})
	}
	return item
}

// serverShare is the size of a server beside the distance of near servers: their squares do not touch.
const serverShare = 0.34

// serverSize is the size of the squares of servers: no less than a node's, and so large that each has its name, where
// other servers leave room for that.
func (d *nodes) serverSize() float64 {
	size := max(d.node, leastServer*d.zoom)
	for i := range d.n {
		for k := range i {
			if d.servers[i] && d.servers[k] {
				size = min(size, serverShare*portable.Hypot(d.at[i].X-d.at[k].X, d.at[i].Y-d.at[k].Y))
			}
		}
	}
	return size
}

// labelSize is the size of the letters of a number inside of a node.
func (d *nodes) labelSize(label string) float64 {
	return min(mostLabel*d.zoom, 1.1*d.node, labelRoom*d.node/(letter*float64(len(label))))
}
