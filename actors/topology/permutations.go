package topology

import (
	"slices"

	"starling/mechanisms/rng"
	"starling/messages"
)

// Permutations draws random regular digraphs. The weight matrix is the sum of
// the identity and Degree random permutation matrices, over Degree+1; it is
// doubly stochastic by construction.
//
// The permutations move every node and no two send a node to the same place, so
// every in- and out-degree is exactly Degree, self-loops not counted, and all
// weights are 1/(Degree+1). Independent permutations would now and then
// coincide, which changes degrees and weights, and random shifts of one
// relabelled circle, though exact, make a graph that mixes slowly (its group is
// commutative). So each permutation is drawn uniformly, and its few collisions,
// about k for the k-th however many nodes there are, are removed by swaps.
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
	d := draws{Permutations: p, key: rng.NewKey(p.Seed, rng.PurposeOf("topology"))}
	if p.Every == 0 {
		return Static(d.draw(0)), nil
	}
	return d, nil
}

// draws is the sequence that Permutations describes. Its fields are read only,
// and the generator is local to each draw.
type draws struct {
	Permutations
	key rng.Key
}

// Nodes implements Sequence.
func (d draws) Nodes() int { return d.Permutations.Nodes }

// At implements Sequence.
func (d draws) At(step int) *Graph { return d.draw(d.Epoch(step)) }

// Period implements Sequence: there is none.
func (d draws) Period() (int, bool) { return 0, false }

// Epoch implements Sequence.
func (d draws) Epoch(step int) int { return step / d.Every }

// draw returns the graph of an epoch, a function of seed, options and epoch.
func (d draws) draw(epoch int) *Graph {
	var stream rng.Stream
	r := stream.Open(d.key, 0, epoch, 0)
	n, degree := d.Nodes(), d.Degree
	// The swaps below are sure to succeed while 2*degree < n. Beyond that the
	// edges that are left out are the fewer, and are drawn instead.
	if 2*degree < n {
		return fromRegularRows(disjointPermutations(r, n, degree), degree+1)
	}
	absent := disjointPermutations(r, n, n-1-degree)
	return fromRegularRows(complement(absent, n, n-1-degree), degree+1)
}

// disjointPermutations returns rows of degree+1 entries, one a node: the node
// itself and its images under degree random permutations, all distinct.
func disjointPermutations(r *rng.Rand, n, degree int) []messages.NodeID {
	stride := degree + 1
	rows := make([]messages.NodeID, n*stride)
	for i := range n {
		rows[i*stride] = messages.NodeID(i)
	}
	for k := 1; k <= degree; k++ {
		for i := range n { // Fisher-Yates, inside out
			j := r.IntN(i + 1)
			rows[i*stride+k] = rows[j*stride+k]
			rows[j*stride+k] = messages.NodeID(i)
		}
		for i := range n {
			if clashes(rows, stride, i, k, rows[i*stride+k]) {
				swapClash(r, rows, stride, i, k)
			}
		}
	}
	return rows
}

// clashes reports whether node i already has the image among its first k.
func clashes(rows []messages.NodeID, stride, i, k int, image messages.NodeID) bool {
	return slices.Contains(rows[i*stride:i*stride+k], image)
}

// swapClash exchanges the k-th image of node i with that of another node so
// that neither of the two clashes. At most k nodes have the image of i already,
// and at most k nodes hold an image that i has: with n > 2k a partner exists,
// and a random one will do with probability at least 1 - 2k/n.
func swapClash(r *rng.Rand, rows []messages.NodeID, stride, i, k int) {
	for {
		j := r.IntN(len(rows) / stride)
		a, b := &rows[i*stride+k], &rows[j*stride+k]
		if !clashes(rows, stride, i, k, *b) && !clashes(rows, stride, j, k, *a) {
			*a, *b = *b, *a
			return
		}
	}
}

// complement returns, for rows of a node and degree others, the rows of the node
// and the n-1-degree nodes that are missing.
func complement(rows []messages.NodeID, n, degree int) []messages.NodeID {
	stride := degree + 1
	rest := make([]messages.NodeID, 0, n*(n-degree))
	present := make([]int, n) // 1 + the last row in which the node was seen
	for i := range n {
		for _, j := range rows[i*stride+1 : (i+1)*stride] {
			present[j] = i + 1
		}
		for j := range n {
			if present[j] != i+1 {
				rest = append(rest, messages.NodeID(j))
			}
		}
	}
	return rest
}
