package topology

import (
	"math"
	"math/bits"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/rng"
	"starling/messages"
)

// RandomRegular draws a graph in which every node has Degree neighbours or, if
// directed, hears Degree others and is heard by as many. No self-loops.
//
// Directed, it is Permutations without the weights. Undirected, the nodes'
// Degree ends each are paired at random (Bollobas, European Journal of
// Combinatorics 1, 1980), and the few pairs that join a node with itself or
// repeat another are removed by switches with random pairs. It is random and
// regular, not exactly uniform. A pattern; for Degree of 3 and more it is
// connected with a probability that goes to 1 with the nodes.
type RandomRegular struct {
	Nodes    int    // at least 2
	Degree   int    `yaml:"degree,required" unit:"nodes" range:"1 to the number of nodes less one" doc:"neighbours of every node, fewer than nodes; nodes times degree is even unless directed"`
	Directed bool   `yaml:"directed" doc:"every node hears as many others as hear it, but not the same ones"`
	Redraw   Redraw `yaml:",inline"`
}

// Validate reports the first option that is out of range.
func (g RandomRegular) Validate() error {
	if err := checkRegular(g.Nodes, g.Degree); err != nil {
		return err
	}
	if !g.Directed && g.Nodes%2 != 0 && g.Degree%2 != 0 {
		return option.Errorf("degree", "degree is %d with %d nodes, want one of them even", g.Degree, g.Nodes)
	}
	return g.Redraw.Validate()
}

// Sequence returns the draws.
func (g RandomRegular) Sequence() (Sequence, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g.Redraw.sequence("random-regular", g.Nodes, g.draw), nil
}

// draw draws rows.
func (g RandomRegular) draw(r *rng.Rand, d *draft) {
	absent := g.Nodes - 1 - g.Degree
	switch {
	case g.Directed:
		Permutations{Nodes: g.Nodes, Degree: g.Degree}.draw(r, d)
		return
	case absent < g.Degree:
		// If a node has more neighbours than not, the missing ones are drawn: there is more
		// room for switches.
		missing := make([]messages.NodeID, g.Nodes*(absent+1))
		missing = pairEnds(r, d, missing, absent)
		complement(d.rowsOf(g.Nodes, g.Degree+1), missing, d.marked(g.Nodes), absent+1)
	default:
		d.rows = pairEnds(r, d, d.rowsOf(g.Nodes, g.Degree+1), g.Degree)
	}
	d.symmetric, d.ascending = true, true
}

// pairEnds returns rows, ascending, of each node itself and its neighbours in an undirected
// regular graph, in the memory of rows or in other. Where there is little room, as with a
// handful of nodes, the switches may find no way out. Then it draws anew; as every such graph
// comes from some pairing, it ends.
func pairEnds(r *rng.Rand, d *draft, rows []messages.NodeID, degree int) []messages.NodeID {
	width, nodeOf := degree+1, divideBy(degree)
	for {
		ends := d.numbered(len(rows) / width * degree)
		for k := 0; k < len(rows); k += width {
			rows[k] = messages.NodeID(k / width)
		}
		// The last end that is left is paired with any other. End number e is of node
		// e/degree, and its row has a place for it.
		var drawn [64]int32
		picks := drawn[:0]
		for last := len(ends) - 1; last > 0; last -= 2 {
			if len(picks) == 0 {
				picks = drawn[:min(len(drawn), (last+1)/2)]
				r.FillIntN(picks, last, 2)
			}
			k := picks[0]
			picks = picks[1:]
			one, two := int(ends[last]), int(ends[k])
			ends[k] = ends[last-1]
			v, w := nodeOf.quotient(one), nodeOf.quotient(two)
			rows[one+v+1], rows[two+w+1] = messages.NodeID(w), messages.NodeID(v)
		}
		rows = d.sortSymmetric(rows, width)
		if d.repair(r, rows, width) {
			return rows
		}
	}
}

// inCache is the number of entries up to which a transposition, which goes to and fro in them,
// is quicker than sorting row by row.
const inCache = 1 << 20

// sortSymmetric returns symmetric rows of a width, each ascending: the row of v holds w as
// often as the row of w holds v. The memory of rows is then the draft's, unless rows itself is
// returned. Such rows are their own transposition, which has them in order.
func (d *draft) sortSymmetric(rows []messages.NodeID, width int) []messages.NodeID {
	if len(rows) > inCache {
		for lo := 0; lo < len(rows); lo += width {
			sortRow(rows[lo : lo+width])
		}
		return rows
	}
	n := len(rows) / width
	sorted := sized(d.sorted, len(rows))
	next := d.marked(n) // how many entries the row of a node has so far
	for k, v := 0, messages.NodeID(0); k < len(rows); k, v = k+width, v+1 {
		for _, w := range rows[k : k+width] {
			sorted[int(w)*width+int(next[w])] = v
			next[w]++
		}
	}
	d.sorted = rows
	return sorted
}

// divisor divides whole numbers from 0 to maxEdges: a product with 2^64/divisor, rounded up,
// is too large by less than 2^-32, which no quotient notices (Granlund, Montgomery, PLDI
// 1994). The divisors 1 and 0 are held as 0; nothing is divided by 0.
type divisor uint64

func divideBy(by int) divisor {
	if by <= 1 {
		return 0
	}
	return divisor(math.MaxUint64/uint64(by) + 1)
}

func (d divisor) quotient(of int) int {
	if d == 0 {
		return of
	}
	high, _ := bits.Mul64(uint64(of), uint64(d))
	return int(high)
}

// repair switches ends between pairs until no pair joins a node with itself or repeats
// another; it reports whether it succeeded. Rows stay ascending.
func (d *draft) repair(r *rng.Rand, rows []messages.NodeID, width int) bool {
	d.arcs = d.arcs[:0] // the pairs to be removed
	for lo := 0; lo < len(rows); lo += width {
		row, own := rows[lo:lo+width], messages.NodeID(lo/width)
		loops := 0
		for k := 1; k < width; k++ {
			switch w := row[k]; {
			case w != row[k-1]:
			case w > own:
				d.arcs = append(d.arcs, arc{own, w})
			case w == own:
				if loops++; loops%2 == 0 { // both ends are in this row
					d.arcs = append(d.arcs, arc{own, own})
				}
			}
		}
	}
	for _, pair := range d.arcs {
		if !switchPair(r, rows, width, pair) {
			return false
		}
	}
	return true
}

// switchPair exchanges an end of a pair to be removed with an end of a random pair that
// neither joins a node with itself nor is there twice. After that both pairs are such pairs.
func switchPair(r *rng.Rand, rows []messages.NodeID, width int, pair arc) bool {
	row := func(v messages.NodeID) []messages.NodeID { return rows[int(v)*width : (int(v)+1)*width] }
	joined := func(v, w messages.NodeID) bool { // a node is with itself
		_, found := slices.BinarySearch(row(v), w)
		return found
	}
	for range 100 + 2*len(rows) {
		at := r.IntN(len(rows))
		from, to, k := messages.NodeID(at/width), rows[at], at%width
		twice := k > 0 && rows[at-1] == to || k+1 < width && rows[at+1] == to
		// The two new pairs can be equal only if they are the old ones, which exist.
		if from == to || twice || joined(pair.from, from) || joined(pair.to, to) {
			continue
		}
		replace(row(pair.from), pair.to, from)
		replace(row(pair.to), pair.from, to)
		replace(row(from), to, pair.from)
		replace(row(to), from, pair.to)
		return true
	}
	return false
}

// replace puts an entry in the place of another in an ascending row, which stays ascending.
func replace(row []messages.NodeID, old, by messages.NodeID) {
	k, _ := slices.BinarySearch(row, old)
	at, _ := slices.BinarySearch(row, by)
	if at > k {
		at--
		copy(row[k:at], row[k+1:at+1])
	} else {
		copy(row[at+1:k+1], row[at:k])
	}
	row[at] = by
}
