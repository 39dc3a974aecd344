package messages_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"starling/messages"
)

// A set of nodes against a sorted list of them.
func TestNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.Int32Range(0, 40), 0, 40, rapid.ID[int32]).Draw(t, "nodes")
		slices.Sort(list)
		var set messages.Nodes
		for _, node := range list {
			set.Add(messages.NodeID(node))
		}
		var got []int32
		for i, node := range set.All() {
			if i != len(got) {
				t.Fatalf("node %d has index %d, want %d", node, i, len(got))
			}
			got = append(got, int32(node))
		}
		if !slices.Equal(got, list) || set.Len() != len(list) {
			t.Fatalf("%d nodes: %v, want %v", set.Len(), got, list)
		}
		for node := range int32(43) {
			if want, _ := slices.BinarySearch(list, node); set.Below(messages.NodeID(node)) != want {
				t.Fatalf("%d nodes below %d of %v, want %d", set.Below(messages.NodeID(node)), node, list, want)
			}
		}
		var spanned []int32
		last := messages.NodeID(-2)
		for first, end := range set.Spans() {
			if first <= last || first >= end {
				t.Fatalf("span %d to %d after one to %d", first, end, last)
			}
			for node := first; node < end; node++ {
				spanned = append(spanned, int32(node))
			}
			last = end
		}
		if first, end, whole := set.Whole(); whole != (len(list) > 0 && int(list[len(list)-1]-list[0]) == len(list)-1) || whole && (int32(first) != list[0] || int(end-first) != len(list)) {
			t.Fatalf("%v is all from %d to %d: %v", list, first, end, whole)
		}
		if !slices.Equal(spanned, list) {
			t.Fatalf("spans of %v, want %v", spanned, list)
		}
	})
}
