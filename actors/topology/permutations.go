package topology

import (
	"starling/mechanisms/rng"
	"starling/messages"
)

// Permutations draws random regular digraphs. The weight matrix is the sum of the identity and
// Degree random permutation matrices, over Degree+1; it is doubly stochastic by construction.
//
// The permutations move every node and no two send a node to the same place, so
// every in- and out-degree is exactly Degree, self-loops not counted, and all
// weights are 1/(Degree+1). Independent permutations would now and then
// coincide, which changes degrees and weights, and random shifts of one
// relabelled circle, though exact, make a graph that mixes slowly (its group is
// commutative). So each permutation is drawn uniformly, and its few collisions,
// about k for the k-th for any number of nodes, are removed by swaps.
// The graph is random and regular, not exactly uniform among regular graphs; it
// is not always strongly connected, least of all with Degree 1.
type Permutations struct {
	Nodes  int    // at least 2
	Degree int    // 1 .. Nodes-1
	Every  int    // steps from one draw to the next; 0 draws once for all
	Seed   uint64 // of the run; purpose "topology"
}

// Validate reports the first option that is out of range.
func (p Permutations) Validate() error {
	if err := checkRegular(p.Nodes, p.Degree); err != nil {
		return err
	}
	return atLeast("every", p.Every, 0)
}

// Sequence returns the sequence of draws. With Every > 0 it has no period, and
// At builds a graph on every call, in time linear in its edges.
func (p Permutations) Sequence() (Sequence, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	key := rng.NewKey(p.Seed, rng.PurposeOf("topology"))
	return redraws(key, p.Nodes, p.Every, func(r *rng.Rand, d *draft) {
		p.draw(r, d)
		d.loops, d.shared = true, true
	}), nil
}

// draw draws rows of those that are heard. The swaps below are sure to succeed while 2*degree
// < n. Beyond that the missing edges are fewer, and are drawn instead.
func (p Permutations) draw(r *rng.Rand, d *draft) {
	n, degree := p.Nodes, p.Degree
	if 2*degree < n {
		disjointPermutations(r, d.rowsOf(n, degree+1), d.numbered(n), degree+1)
		return
	}
	width := n - degree // of the others, and the node itself
	absent := make([]messages.NodeID, n*width)
	disjointPermutations(r, absent, d.numbered(n), width)
	complement(d.rowsOf(n, degree+1), absent, d.marked(n), width)
	d.ascending = true
}

// disjointPermutations fills rows of a width: each node itself and its images under
// random permutations, all distinct. image is working memory for one permutation.
func disjointPermutations(r *rng.Rand, rows, image []messages.NodeID, width int) {
	n := len(image)
	for i := range n {
		rows[i*width] = messages.NodeID(i)
	}
	for k := 1; k < width; k++ {
		for i := range n { // Fisher-Yates, inside out
			j := r.IntN(i + 1)
			image[i] = image[j]
			image[j] = messages.NodeID(i)
		}
		for i, j := range image {
			rows[i*width+k] = j
		}
		for i := range n {
			if clashes(rows, width, i, k, rows[i*width+k]) {
				swapClash(r, rows, width, i, k)
			}
		}
	}
}

// clashes reports whether node i already has the image among its first k.
func clashes(rows []messages.NodeID, width, i, k int, image messages.NodeID) bool {
	for _, j := range rows[i*width : i*width+k] {
		if j == image {
			return true
		}
	}
	return false
}

// swapClash exchanges the k-th image of node i with the image of another node so that neither
// of the two clashes. At most k nodes have the image of i already, and at most k nodes hold an
// image that i has: with n > 2k a partner exists, and a random one will do with probability at
// least 1 - 2k/n.
func swapClash(r *rng.Rand, rows []messages.NodeID, width, i, k int) {
	for {
		j := r.IntN(len(rows) / width)
		a, b := &rows[i*width+k], &rows[j*width+k]
		if !clashes(rows, width, i, k, *b) && !clashes(rows, width, j, k, *a) {
			*a, *b = *b, *a
			return
		}
	}
}

// complement fills rows with each node and those that are missing in its row of the
// given width, ascending. seen has a mark of 0 for each node.
func complement(rows, absent []messages.NodeID, seen []int32, width int) {
	at := 0
	for i := range seen { // 1 + the last row in which a node was seen
		for _, j := range absent[i*width : (i+1)*width] {
			seen[j] = int32(i + 1)
		}
		for j, row := range seen {
			if row != int32(i+1) || j == i {
				rows[at] = messages.NodeID(j)
				at++
			}
		}
	}
}
