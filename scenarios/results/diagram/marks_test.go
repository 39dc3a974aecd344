package diagram

import "testing"

// TestRangesOfNodes checks that several nodes one after the other have one name.
func TestRangesOfNodes(t *testing.T) {
	g := &Graph{FirstLabel: 1}
	for _, test := range []struct {
		nodes []int
		want  string
	}{
		{[]int{0}, " Node 1 is away."}, {[]int{0, 1, 2}, " Nodes 1, 2 and 3 are away."}, {[]int{0, 4, 5, 6, 7}, " Nodes 1 and 5 to 8 are away."},
		{[]int{1, 2, 3, 4}, " Nodes 2 to 5 are away."}, {nil, ""},
	} {
		if got := g.named(test.nodes, "is away", "are away"); got != test.want {
			t.Errorf("%v: %q, want %q", test.nodes, got, test.want)
		}
	}
}
