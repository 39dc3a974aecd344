package diagram

import (
	"math"

	"starling/messages"
)

// shades is the number of steps of darkness in which the weights of a matrix are shown.
const shades = 5

// shadeOf is the shade of a weight, 0 the lightest.
func shadeOf(weight, largest float64) int {
	return min(shades-1, int(shades*math.Abs(weight)/largest))
}

// matrix shows the matrix: the receiver i down, the sender j across, the darker the larger
// a_ij. Cells of one shade are one item, neighbours in a row one shape of it.
func matrix(g *Graph) Picture {
	n := g.Graph.Nodes()
	largest := g.largestWeight()
	var cells [shades][]Shape
	for i := range messages.NodeID(n) {
		from, weights := g.Graph.In(i)
		for k := 0; k < len(from); {
			length := g.alike(i, k, largest)
			if g.drawn(from[k], i) {
				shade := shadeOf(weights[k], largest)
				cells[shade] = append(cells[shade], Shape{Kind: Row, Points: []Point{{float64(from[k]), float64(i)}}, Size: float64(length)})
			}
			k += length
		}
	}
	p := Picture{
		Matrix: true, Title: g.Title + ": weight matrix, receivers down, senders across. " + Caption(g), From: -1, To: float64(n + 1),
		Items: []Item{{Class: Frame, Opacity: 1, Shapes: []Shape{{Kind: Square, Points: []Point{{0, 0}}, Size: float64(n)}}}},
	}
	for shade, list := range cells {
		if len(list) > 0 {
			p.Items = append(p.Items, Item{Class: Cells, Opacity: float64(shade+2) / (shades + 1), Shapes: list})
		}
	}
	return p
}

// alike is the number of neighbouring entries of row i, from entry k on, that have one shade
// and are drawn alike.
func (g *Graph) alike(i messages.NodeID, k int, largest float64) int {
	from, weights := g.Graph.In(i)
	length := 1
	if !g.drawn(from[k], i) {
		return length
	}
	for k+length < len(from) && from[k+length] == from[k]+messages.NodeID(length) && g.drawn(from[k+length], i) &&
		shadeOf(weights[k+length], largest) == shadeOf(weights[k], largest) {
		length++
	}
	return length
}
