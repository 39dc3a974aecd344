package diagram_test

import (
	"slices"
	"testing"

	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/results/diagram"
)

// A line whose nodes are numbered at random is found again: neighbours stand beside each other.
// A ring by number keeps its numbers, and every order has each node once.
func TestOrder(t *testing.T) {
	numbers := []messages.NodeID{5, 2, 8, 0, 7, 3, 9, 1, 6, 4}
	var edges []topology.Edge
	for k := range len(numbers) - 1 {
		edges = append(edges, topology.Edge{From: numbers[k], To: numbers[k+1], Weight: 1})
	}
	order, byNumber := diagram.Order(diagram.Links(graphOf(t, 10, edges...)))
	if byNumber {
		t.Errorf("the order is %v", order)
	}
	for k := range len(order) - 1 {
		a, b := slices.Index(numbers, messages.NodeID(order[k])), slices.Index(numbers, messages.NodeID(order[k+1]))
		if a-b != 1 && b-a != 1 {
			t.Errorf("%d and %d stand beside each other in %v", order[k], order[k+1], order)
		}
	}
	if order, byNumber := diagram.Order(diagram.Links(ring(t, 12))); !byNumber || !slices.IsSorted(order) {
		t.Errorf("the order of a ring is %v", order)
	}
	apart, _ := diagram.Order(diagram.Links(graphOf(t, 7, topology.Edge{From: 0, To: 6, Weight: 1}, topology.Edge{From: 3, To: 1, Weight: 1}, topology.Edge{From: 1, To: 5, Weight: 1})))
	if slices.Sort(apart); !slices.Equal(apart, []int{0, 1, 2, 3, 4, 5, 6}) {
		t.Errorf("parts are %v", apart)
	}
}
