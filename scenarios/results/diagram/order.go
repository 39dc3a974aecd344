package diagram

import (
	"cmp"
	"slices"

	"starling/messages"
)

// Order returns an order of nodes in which neighbours are near each other, by the neighbours of
// each: the order of their numbers where no two neighbours are farther apart in it than in the
// other, around a circle, and else the one of Cuthill and McKee, reversed (1969; George, 1971).
// numbers reports which it is.
func Order(links [][]messages.NodeID) (order []int, numbers bool) {
	byNumber := make([]int, len(links))
	for v := range byNumber {
		byNumber[v] = v
	}
	order = cuthillMcKee(links)
	if width(links, byNumber) <= width(links, order) {
		return byNumber, true
	}
	return order, false
}

// width is the largest distance of two neighbours in an order, around a circle.
func width(links [][]messages.NodeID, order []int) (widest int) {
	place := make([]int, len(order))
	for k, v := range order {
		place[v] = k
	}
	for v, list := range links {
		for _, w := range list {
			gap := max(place[v]-place[w], place[w]-place[v])
			widest = max(widest, min(gap, len(order)-gap))
		}
	}
	return widest
}

// cuthillMcKee visits each part of the graph in breadth from a node at its edge, nodes of few
// neighbours first, and reverses the whole.
func cuthillMcKee(links [][]messages.NodeID) []int {
	order := make([]int, 0, len(links))
	seen := make([]bool, len(links))
	for len(order) < len(links) {
		start := edgeNode(links, seen)
		seen[start] = true
		order = append(order, start)
		for k := len(order) - 1; k < len(order); k++ {
			var next []int
			for _, w := range links[order[k]] {
				if !seen[w] {
					seen[w] = true
					next = append(next, int(w))
				}
			}
			slices.SortStableFunc(next, func(a, b int) int { return cmp.Compare(len(links[a]), len(links[b])) })
			order = append(order, next...)
		}
	}
	slices.Reverse(order)
	return order
}

// edgeNode is a node that is as far from another as any in its part of the graph, about: the last
// that a search in breadth finds from the last that one finds from the node of the fewest
// neighbours among those not seen.
func edgeNode(links [][]messages.NodeID, seen []bool) (node int) {
	node = -1
	for v := range links {
		if !seen[v] && (node < 0 || len(links[v]) < len(links[node])) {
			node = v
		}
	}
	for range 2 {
		farthest := node
		hops := HopsFrom(links, node)
		for v, hop := range hops {
			if hop > hops[farthest] || hop == hops[farthest] && len(links[v]) < len(links[farthest]) {
				farthest = v
			}
		}
		node = farthest
	}
	return node
}
