package topology

import (
	"math"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
)

// ErdosRenyi is the random graph G(n, p): every possible edge is there with
// Probability, independently. Directed, the two edges between two nodes are
// drawn apart; undirected, together. No self-loops. A pattern, not always
// connected.
type ErdosRenyi struct {
	// Nodes is N, at least 1. The mean degree is (N-1) Probability; above about ln N a
	// graph is mostly connected.
	Nodes       int
	Probability float64 `yaml:"probability,required" unit:"probability" range:"0 to 1" doc:"of each edge"`
	Directed    bool    `yaml:"directed" doc:"the two edges between two nodes are drawn apart"`
	Redraw      Redraw  `yaml:",inline"`
}

// Validate reports the first option that is out of range.
func (e ErdosRenyi) Validate() error {
	if err := checkNodesOption(e.Nodes, 1); err != nil {
		return err
	}
	if err := checkProbability("probability", e.Probability); err != nil {
		return err
	}
	if err := checkExpectedSize("probability", e.Probability*float64(e.Nodes)*float64(e.Nodes-1)); err != nil {
		return err
	}
	return e.Redraw.Validate()
}

// checkProbability refuses numbers outside 0 to 1.
func checkProbability(name string, p float64) error {
	if !(p >= 0 && p <= 1) {
		return option.Errorf(name, "%s is %v, want 0 to 1", name, p)
	}
	return nil
}

// Sequence returns the draws.
func (e ErdosRenyi) Sequence() (Sequence, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e.Redraw.sequence("erdos-renyi", e.Nodes, func(r *rng.Rand, d *draft) {
		if e.Directed {
			d.arcsOf(e.Nodes, byFrom)
		} else {
			d.pairs(e.Nodes, byHigher)
		}
		d.arcs = bernoulliPairs(d.arcs, r, nil, e.Nodes, e.Probability, e.Directed)
	}), nil
}

// bernoulliPairs appends to arcs each pair of different members with probability p, in time
// linear in the pairs appended: ordered pairs if directed, otherwise the earlier member first.
// Without members they are the nodes 0 .. n-1, and the order is byFrom if directed, otherwise
// byHigher.
func bernoulliPairs(arcs []arc, r *rng.Rand, members []messages.NodeID, n int, p float64, directed bool) []arc {
	member := func(i int) messages.NodeID {
		if members == nil {
			return messages.NodeID(i)
		}
		return members[i]
	}
	// Row i of the pairs holds its partners: all others, or the ones before it.
	row, length := 0, 0
	if directed {
		length = n - 1
	}
	column := -1
	for gap := newGaps(p); row < n; {
		column = gap.after(r, column)
		for row < n && column >= length {
			column -= length
			row++
			if !directed {
				length = row
			}
		}
		if row == n {
			break
		}
		partner := column
		if directed && partner >= row {
			partner++
		}
		if directed {
			arcs = append(arcs, arc{member(row), member(partner)})
		} else {
			arcs = append(arcs, arc{member(partner), member(row)})
		}
	}
	return arcs
}

// gaps draws the distances between successes in a row of independent trials:
// the geometric law, by inversion (Batagelj and Brandes, Physical Review E 71,
// 036113, 2005), which makes sparse random graphs in linear time.
type gaps struct{ perLog float64 } // 1/log(1-p): -0 for p = 1, -Inf for p = 0

func newGaps(p float64) gaps { return gaps{1 / portable.Log1p(-p)} }

// beyond is a position after the last of any graph; adding it to a position
// does not overflow.
const beyond = math.MaxInt / 2

// after returns the position of the first success after position at.
func (g gaps) after(r *rng.Rand, at int) int {
	// 1 - Float64 is in (0, 1], so its logarithm is finite and at most 0.
	skip := portable.Log(1-r.Float64()) * g.perLog
	if !(skip < beyond) { // also NaN: 0 * Inf, for p = 0
		return beyond
	}
	return at + 1 + int(skip)
}

// KOut lets every node choose Degree different others at random: directed, it
// sends to those it chose, so every out-degree is Degree; undirected, both hear
// each other, so every degree is at least Degree. A pattern.
type KOut struct {
	// Nodes is N, at least 2, and more than Degree.
	Nodes    int
	Degree   int    `yaml:"degree,required" unit:"nodes" range:"1 to the number of nodes less one" doc:"how many others each node chooses, fewer than nodes"`
	Directed bool   `yaml:"directed" doc:"a node sends to those it chose; otherwise they hear each other"`
	Redraw   Redraw `yaml:",inline"`
}

// Validate reports the first option that is out of range.
func (k KOut) Validate() error {
	if err := checkRegular(k.Nodes, k.Degree); err != nil {
		return err
	}
	if err := checkPatternSize("degree", 2*float64(k.Nodes)*float64(k.Degree)); err != nil {
		return err
	}
	return k.Redraw.Validate()
}

// Sequence returns the draws.
func (k KOut) Sequence() (Sequence, error) {
	if err := k.Validate(); err != nil {
		return nil, err
	}
	return k.Redraw.sequence("k-out", k.Nodes, k.draw), nil
}

// draw chooses for one node after the other. Directed, the choices are rows as they are.
func (k KOut) draw(r *rng.Rand, d *draft) {
	seen := d.marked(k.Nodes) // 1 + the last node that chose it
	if k.Directed {
		width := k.Degree + 1
		rows := d.rowsOf(k.Nodes, width)
		d.sent = true
		for i := range k.Nodes {
			row := rows[i*width : (i+1)*width]
			row[0] = messages.NodeID(i)
			choose(row[1:], r, seen, i)
		}
		return
	}
	d.pairs(k.Nodes, anyOrder)
	d.repeats = true // two may choose each other
	chosen := d.numbered(k.Degree)
	for i := range messages.NodeID(k.Nodes) {
		choose(chosen, r, seen, int(i))
		for _, j := range chosen {
			d.arcs = append(d.arcs, arc{i, j})
		}
	}
}

// choose fills row with different nodes other than i, every set equally likely (Floyd's
// method: one number a choice). seen holds for each node 1 + the last node that chose it.
func choose(row []messages.NodeID, r *rng.Rand, seen []int32, i int) {
	others := len(seen) - 1
	at := func(k int) int { // the k-th of the others
		if k >= i {
			return k + 1
		}
		return k
	}
	for k := range row {
		last := others - len(row) + k
		j := at(r.IntN(last + 1))
		if seen[j] == int32(i+1) {
			j = at(last)
		}
		seen[j] = int32(i + 1)
		row[k] = messages.NodeID(j)
	}
}
