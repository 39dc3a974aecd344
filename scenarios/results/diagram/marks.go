package diagram

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/mechanisms/portable"
	"starling/messages"
)

// Marks of edges beside others: the darkness of edges that are not new, the width of new ones, and
// the darkness of edges of absent nodes.
const (
	oldShare    = 0.45
	freshWidth  = 1.7
	absentShare = 0.5
)

// mark draws edges of absent nodes dashed, and edges that are new stronger than others.
func (d *nodes) mark(item *Item, from, to messages.NodeID, mutual bool) {
	switch {
	case d.absent[int(from)] || d.absent[int(to)]:
		item.Dashed = true
		item.Opacity *= absentShare
	case d.Fresh == nil:
	case d.Fresh(from, to) || mutual && d.Fresh(to, from):
		item.Opacity, item.Width = max(item.Opacity, leastShare), freshWidth*usual*d.zoom
	default:
		item.Opacity *= oldShare
	}
}

// The room around the nodes of a block, and the size of its name.
const (
	groundRoom = 6
	groundSize = 10
)

// grounds are circles behind the nodes of blocks, with their names at the corner away from the middle.
func (d *nodes) grounds() (list []Item) {
	for k, b := range d.Blocks {
		var middle Point
		for _, v := range b.Nodes {
			middle.X += d.at[v].X / float64(len(b.Nodes))
			middle.Y += d.at[v].Y / float64(len(b.Nodes))
		}
		far := 0.0
		for _, v := range b.Nodes {
			far = max(far, portable.Hypot(d.at[v].X-middle.X, d.at[v].Y-middle.Y))
		}
		far += d.node + groundRoom*d.zoom
		corner := Point{middle.X + float64(0.8*math.Copysign(far, middle.X-side/2-1)), middle.Y + float64(0.88*math.Copysign(far, middle.Y-side/2-1))}
		list = append(list, Item{Class: Ground, Title: b.Name, Opacity: 1, Tint: k, Shapes: []Shape{
			{Kind: Circle, Points: []Point{middle}, Size: far},
			{Kind: Label, Points: []Point{corner}, Size: groundSize * d.zoom, Text: b.Name},
		}})
	}
	return list
}

// idle reports whether no edge joins a node with another.
func (d *nodes) idle(node messages.NodeID) bool {
	from, _ := d.Graph.Graph.In(node)
	other := func(j messages.NodeID) bool { return j != node }
	return !slices.ContainsFunc(from, other) && !slices.ContainsFunc(d.Graph.Graph.Out(node), other)
}

// name is the name of a node, or its number.
func (g *Graph) name(node int) string {
	if name := g.Names[node]; name != "" {
		return name
	}
	return strconv.Itoa(node + g.FirstLabel)
}

// squares explains the squares of servers in a sentence; empty where there are none.
func (g *Graph) squares() string {
	switch {
	case len(g.Servers) == 0:
		return ""
	case len(g.Names) == 0:
		return strings.TrimSpace("A square is a server." + g.serversText())
	}
	edge, top := g.Servers[:len(g.Servers)-1], g.Servers[len(g.Servers)-1]
	text := "Squares are servers: " + g.name(edge[0])
	if len(edge) > 1 {
		text += " to " + g.name(edge[len(edge)-1])
	}
	return text + " of the clusters, and " + g.name(top) + " the cloud above them; they are hollow where nobody sends to them."
}

// serversText names the servers by their numbers; those with names are explained with the squares.
func (g *Graph) serversText() string {
	if len(g.Names) > 0 {
		return ""
	}
	return g.named(g.Servers, "is the server", "are servers")
}

// ServersText states in how many of the steps servers of a graph of shares of steps take part, those with equal shares
// together: servers E1 to E4 in 25 % of the steps; C in 5 %. It is empty for a graph without servers, and for one of one step.
func (g *Graph) ServersText() string {
	if !g.Share || len(g.Servers) == 0 {
		return ""
	}
	var shares []float64
	of := map[float64][]int{} // servers by share
	for _, server := range g.Servers {
		share := 0.0
		from, weights := g.Graph.In(messages.NodeID(server))
		for k, j := range from {
			if int(j) != server {
				share = max(share, weights[k])
			}
		}
		if of[share] == nil {
			shares = append(shares, share)
		}
		of[share] = append(of[share], server)
	}
	slices.SortFunc(shares, func(a, b float64) int { return cmp.Compare(b, a) })
	in := func(share float64) string {
		switch share {
		case 0:
			return "in no step"
		case 1:
			return "in every step"
		}
		return fmt.Sprintf("in %.3g %% of the steps", 100*share)
	}
	if len(shares) == 1 {
		return "servers " + in(shares[0])
	}
	var parts []string
	for i, share := range shares {
		text := in(share)
		if i > 0 { // said once
			text = strings.TrimSuffix(text, " of the steps")
		}
		parts = append(parts, strings.Join(g.ranges(of[share]), ", ")+" "+text)
	}
	return "servers " + strings.Join(parts, "; ")
}

// says names the servers, the Byzantine nodes and the absent ones in sentences; empty where there are none.
func (g *Graph) says() string {
	return g.serversText() + g.named(g.Byzantine, "is Byzantine", "are Byzantine") + g.named(g.Absent, "is absent", "are absent")
}

// named is a sentence on a property of nodes.
func (g *Graph) named(nodes []int, one, several string) string {
	if len(nodes) == 0 {
		return ""
	}
	if len(nodes) == 1 {
		return " Node " + g.name(nodes[0]) + " " + one + "."
	}
	names := g.ranges(nodes)
	last := len(names) - 1
	if last == 0 {
		return " Nodes " + names[0] + " " + several + "."
	}
	return " Nodes " + strings.Join(names[:last], ", ") + " and " + names[last] + " " + several + "."
}

// leastRange is the number of nodes one after the other from which on a text has the first and the last.
const leastRange = 4

// ranges names nodes, ascending, and several one after the other by the first and the last: 0 and 21 to 40.
func (g *Graph) ranges(nodes []int) (names []string) {
	for first := 0; first < len(nodes); {
		end := first + 1
		for end < len(nodes) && nodes[end] == nodes[end-1]+1 {
			end++
		}
		if end-first < leastRange {
			end = first + 1
			names = append(names, g.name(nodes[first]))
		} else {
			names = append(names, g.name(nodes[first])+" to "+g.name(nodes[end-1]))
		}
		first = end
	}
	return names
}
