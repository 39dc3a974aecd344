package diagram

import (
	"math"
	"slices"

	"starling/actors/topology"
	"starling/messages"
)

// dense is the share of the pairs of nodes with an edge from which on a graph has no shape.
const dense = 0.35

// Arrange returns places of the nodes of some graphs together, in the unit square, two entries for
// each node: a tree from its middle outwards; a graph in which most pairs have an edge, or none
// has, around a circle; any other so that the distance of two nodes in the picture is about
// their distance in the graph. The graphs have equally many nodes, and equal graphs have equal
// places. It takes time quadratic in the number of nodes.
func Arrange(graphs ...*topology.Graph) []float64 {
	n := graphs[0].Nodes()
	links := Links(graphs...)
	edges := 0
	for _, list := range links {
		edges += len(list)
	}
	edges /= 2
	switch hops := distances(links); {
	case n < 3 || edges == 0 || float64(edges) > dense*float64(n)*float64(n-1)/2:
		return topology.Around(n)
	case edges == n-1 && !slices.ContainsFunc(hops, func(row []int32) bool { return slices.Contains(row, apart) }):
		return tree(links, hops)
	default:
		return spring(hops)
	}
}

// Links lists the neighbours of each node in any of some graphs, ascending, whatever the
// directions of edges and without the node itself.
func Links(graphs ...*topology.Graph) [][]messages.NodeID {
	links := make([][]messages.NodeID, graphs[0].Nodes())
	for _, g := range graphs {
		for i := range messages.NodeID(len(links)) {
			from, _ := g.In(i)
			for _, j := range from {
				if i != j {
					links[i], links[j] = append(links[i], j), append(links[j], i)
				}
			}
		}
	}
	for i := range links {
		slices.Sort(links[i])
		links[i] = slices.Compact(links[i])
	}
	return links
}

// apart is the distance of nodes that no path joins.
const apart = -1

// distances returns the number of edges between all nodes.
func distances(links [][]messages.NodeID) [][]int32 {
	hops := make([][]int32, len(links))
	for v := range hops {
		hops[v] = HopsFrom(links, v)
	}
	return hops
}

// HopsFrom returns the number of edges from a node to each, by lists of neighbours; -1 where no
// path leads.
func HopsFrom(links [][]messages.NodeID, node int) []int32 {
	hops := make([]int32, len(links))
	for w := range hops {
		hops[w] = apart
	}
	hops[node] = 0
	queue := []messages.NodeID{messages.NodeID(node)}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, w := range links[v] {
			if hops[w] == apart {
				hops[w] = hops[v] + 1
				queue = append(queue, w)
			}
		}
	}
	return hops
}

// tree places a tree around the node from which the farthest is the nearest: a level is a
// circle, and each node is in the middle of those below it.
func tree(links [][]messages.NodeID, hops [][]int32) []float64 {
	root := 0
	for v := range hops {
		if slices.Max(hops[v]) < slices.Max(hops[root]) {
			root = v
		}
	}
	deepest := float64(slices.Max(hops[root]))
	angle := make([]float64, len(links)) // in turns
	leaves, leaf := 0, 0
	for v := range links {
		if len(links[v]) == 1 && v != root {
			leaves++
		}
	}
	var place func(v, above int)
	place = func(v, above int) {
		sum, below := 0.0, 0
		for _, w := range links[v] {
			if int(w) != above {
				place(int(w), v)
				sum, below = sum+angle[w], below+1
			}
		}
		if below == 0 {
			angle[v] = float64(leaf) / float64(leaves)
			leaf++
			return
		}
		angle[v] = sum / float64(below)
	}
	place(root, -1)
	places := make([]float64, 2*len(links))
	for v := range links {
		places[2*v], places[2*v+1] = turned(angle[v], 0.5*float64(hops[root][v])/deepest)
	}
	return places
}

// turned is the place at an angle, in turns clockwise from the top, and a distance from the
// middle of the unit square.
func turned(angle, distance float64) (x, y float64) {
	sin, cos := sincos(angle)
	return 0.5 + float64(distance*sin), 0.5 - float64(distance*cos)
}

// spring places nodes so that the weighted stress of all pairs, the sum of (|p_v - p_w| -
// d_vw)^2 / d_vw^2 for distances d in the graph, is small (Kamada and Kawai, 1989; Gansner, Koren
// and North, Graph Drawing by Stress Majorization, 2004). It begins with circles in several
// orders of the nodes, and takes the best of them. The layouts of package gonum/graph/layout
// are not used: they sum in the order of maps, so that a picture differs from run to run.
func spring(hops [][]int32) []float64 {
	n := len(hops)
	rounds := 300
	if n > 150 {
		rounds = 60
	}
	far := farOf(hops)
	var best []float64
	least := math.Inf(1)
	for _, stride := range strides(n) {
		places := make([]float64, 2*n)
		for v := range n {
			sin, cos := sincos(float64(v*stride%n) / float64(n))
			radius := float64(n) / 6 * (1 - float64(0.3*float64(v%3))/2) // not all on one circle
			places[2*v], places[2*v+1] = float64(radius*sin), float64(-radius*cos)
		}
		stress := relax(places, hops, far, rounds)
		if stress < 0.995*least { // a tie goes to the earlier order
			least, best = stress, places
		}
	}
	return upright(best)
}

// strides are the orders of nodes around the first circles: every node, or every so many.
func strides(n int) (list []int) {
	for _, stride := range []int{1, 2, 3, 5, 7, 11, 13} {
		if stride < n && common(stride, n) == 1 && (n <= 150 || len(list) < 2) {
			list = append(list, stride)
		}
	}
	return list
}

// common is the greatest common divisor.
func common(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// farOf is the distance in a picture of nodes that no path joins: a little more than the
// longest path.
func farOf(hops [][]int32) float64 {
	longest := int32(1)
	for _, row := range hops {
		longest = max(longest, slices.Max(row))
	}
	return 1 + float64(0.6*float64(longest))
}

// relax moves nodes one after the other to the place where the stress with all others would be
// least if each of these pulled along its present direction. It returns the stress of the result.
func relax(places []float64, hops [][]int32, far float64, rounds int) (stress float64) {
	for range rounds {
		stress = 0
		for v := range hops {
			var x, y, total float64
			for w, hop := range hops[v] {
				if w == v {
					continue
				}
				d := float64(hop)
				if hop == apart {
					d = far
				}
				dx, dy := places[2*v]-places[2*w], places[2*v+1]-places[2*w+1]
				length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
				weight := 1 / (d * d)
				stress += float64(weight * float64((length-d)*(length-d)))
				pull := d / max(length, 1e-9)
				x += float64(weight * (places[2*w] + float64(dx*pull)))
				y += float64(weight * (places[2*w+1] + float64(dy*pull)))
				total += weight
			}
			places[2*v], places[2*v+1] = x/total, y/total
		}
	}
	return stress
}

// upright moves places into the unit square, the longest direction across, the first node above
// the middle and left of it.
func upright(places []float64) []float64 {
	n := len(places) / 2
	var mx, my, xx, xy, yy float64
	for v := range n {
		mx, my = mx+places[2*v]/float64(n), my+places[2*v+1]/float64(n)
	}
	for v := range n {
		dx, dy := places[2*v]-mx, places[2*v+1]-my
		xx, xy, yy = xx+float64(dx*dx), xy+float64(dx*dy), yy+float64(dy*dy)
	}
	// The larger eigenvector of the covariance, if one is larger.
	cos, sin := 1.0, 0.0
	spread := math.Sqrt(float64((xx-yy)*(xx-yy)) + float64(4*float64(xy*xy)))
	if spread > 0.05*(xx+yy) {
		cos = math.Sqrt(max(0, 0.5*(1+(xx-yy)/spread)))
		sin = math.Copysign(math.Sqrt(max(0, 1-float64(cos*cos))), xy)
	}
	longest := 0.0
	for v := range n {
		dx, dy := places[2*v]-mx, places[2*v+1]-my
		places[2*v], places[2*v+1] = float64(cos*dx)+float64(sin*dy), float64(cos*dy)-float64(sin*dx)
		longest = max(longest, math.Abs(places[2*v]), math.Abs(places[2*v+1]))
	}
	flip := [2]float64{math.Copysign(1, -places[0]), math.Copysign(1, -places[1])}
	for i := range places {
		places[i] = 0.5 + float64(flip[i%2]*places[i])/(2*longest)
	}
	return places
}
