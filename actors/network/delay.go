package network

import (
	"cmp"
	"fmt"
	"slices"

	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
)

// Delay is the law of delays. They are drawn for each edge and turn, independent of each
// other, so that messages overtake each other; all messages along an edge in one turn share
// one delay.
type Delay interface {
	// Most is the longest delay, in turns.
	Most() int
	// Turns is the delay of messages along an edge in a turn: 0 .. Most.
	Turns(key rng.Key, from, to messages.NodeID, turn int) int
	// Validate refuses parameters that are out of range, for so many nodes.
	Validate(nodes int) error
}

// Constant is the same delay everywhere: messages never overtake each other.
type Constant struct {
	// Delay is in turns, 0 to MostTurns; 0 is an ideal network.
	Delay int
}

// Most implements Delay.
func (c Constant) Most() int { return c.Delay }

// Turns implements Delay.
func (c Constant) Turns(rng.Key, messages.NodeID, messages.NodeID, int) int { return c.Delay }

// Validate implements Delay.
func (c Constant) Validate(int) error { return checkTurns("delay", c.Delay) }

// Uniform is a delay uniform on Least .. Longest.
type Uniform struct {
	// Least and Longest are in turns, 0 <= Least <= Longest <= MostTurns.
	Least, Longest int
}

// Most implements Delay.
func (u Uniform) Most() int { return u.Longest }

// Turns implements Delay.
func (u Uniform) Turns(key rng.Key, from, to messages.NodeID, turn int) int {
	x := key.Uniform(int(from), turn, int(to))
	return u.Least + int(x*float64(u.Longest-u.Least+1)) // x is at most 1 - 2^-53
}

// Validate implements Delay.
func (u Uniform) Validate(int) error {
	if err := checkTurns("least", u.Least); err != nil {
		return err
	}
	if u.Longest < u.Least {
		return fmt.Errorf("longest is %d turns, want at least %d, which is the least", u.Longest, u.Least)
	}
	return checkTurns("longest", u.Longest)
}

// Geometric is the delay of a message that arrives with probability Arrive in
// each turn, and in turn Longest for sure:
//
//	P(delay = k) = Arrive (1-Arrive)^k for k < Longest
//	P(delay = Longest) = (1-Arrive)^Longest
type Geometric struct {
	// Arrive is the chance a turn, 0 to 1; the mean delay is (1-Arrive)/Arrive turns, except
	// for the cut at Longest. 1 is no delay.
	Arrive float64
	// Longest is the cut, in turns. Runtimes keep messages for so long, so that memory grows
	// with it.
	Longest int
}

// Most implements Delay.
func (g Geometric) Most() int { return g.Longest }

// Turns implements Delay.
func (g Geometric) Turns(key rng.Key, from, to messages.NodeID, turn int) int {
	u := key.Uniform(int(from), turn, int(to))
	// Inversion: later is P(delay > k), and one uniform number decides.
	k, later := 0, 1-g.Arrive
	for k < g.Longest && u < later {
		k++
		later *= 1 - g.Arrive
	}
	return k
}

// Validate implements Delay.
func (g Geometric) Validate(int) error {
	if err := checkProbability("arrive", g.Arrive); err != nil {
		return err
	}
	return checkTurns("longest", g.Longest)
}

// Seconds is a delay in seconds, for a run of turns with times: a message that is sent in a turn arrives in the
// first turn at or after its time, and after the run if there is none. Build it with NewSeconds.
type Seconds struct {
	median, spread float64
	times          []float64 // of turns, ascending
	most           int
}

// NewSeconds returns delays with a median, log-normal with a standard deviation spread of the logarithm, or constant
// where it is 0. With a spread no delay is longer than so many turns. times are the times of turns.
func NewSeconds(median, spread float64, longest int, times []float64) *Seconds {
	s := &Seconds{median, spread, times, longest}
	if spread == 0 {
		for turn := range times {
			s.most = max(s.most, s.turns(turn, median))
		}
	}
	return s
}

// Most implements Delay.
func (s *Seconds) Most() int { return s.most }

// Turns implements Delay.
func (s *Seconds) Turns(key rng.Key, from, to messages.NodeID, turn int) int {
	if s.spread == 0 {
		return s.turns(turn, s.median)
	}
	z := portable.NormalQuantile(key.Uniform(int(from), turn, int(to)))
	return min(s.turns(turn, s.median*portable.Exp(float64(s.spread*z))), s.most)
}

// turns is the delay in turns of a message that takes so many seconds.
func (s *Seconds) turns(turn int, seconds float64) int {
	next := min(turn+1, len(s.times))
	due, _ := slices.BinarySearch(s.times[next:], s.times[turn]+seconds)
	return due
}

// Validate implements Delay.
func (s *Seconds) Validate(int) error { return checkTurns("longest", s.most) }

// Table is a delay for each edge. Build it with NewTable.
type Table struct {
	// rest is the delay of edges that are not listed, most the longest of all.
	rest  int
	most  int
	edges []EdgeDelay // ascending by (From, To)
}

// EdgeDelay is the delay of an edge.
type EdgeDelay struct {
	From, To messages.NodeID
	Turns    int
}

// NewTable returns the delays of some edges, and of all the rest. The list is
// copied; an edge that it has twice is an error.
func NewTable(edges []EdgeDelay, rest int) (*Table, error) {
	t := &Table{rest: rest, most: rest, edges: slices.Clone(edges)}
	slices.SortFunc(t.edges, func(a, b EdgeDelay) int { return compareEdges(a, b.From, b.To) })
	for k, e := range t.edges {
		if k > 0 && compareEdges(t.edges[k-1], e.From, e.To) == 0 {
			return nil, fmt.Errorf("the delay from %d to %d is given twice", e.From, e.To)
		}
		t.most = max(t.most, e.Turns)
	}
	return t, nil
}

func compareEdges(a EdgeDelay, from, to messages.NodeID) int {
	return cmp.Or(cmp.Compare(a.From, from), cmp.Compare(a.To, to))
}

// Most implements Delay.
func (t *Table) Most() int { return t.most }

// Turns implements Delay.
func (t *Table) Turns(_ rng.Key, from, to messages.NodeID, _ int) int {
	k, found := slices.BinarySearchFunc(t.edges, from, func(e EdgeDelay, from messages.NodeID) int {
		return compareEdges(e, from, to)
	})
	if found {
		return t.edges[k].Turns
	}
	return t.rest
}

// Validate implements Delay.
func (t *Table) Validate(nodes int) error {
	if err := checkTurns("rest", t.rest); err != nil {
		return err
	}
	for _, e := range t.edges {
		for _, node := range []messages.NodeID{e.From, e.To} {
			if err := checkNode(node, nodes); err != nil {
				return err
			}
		}
		if err := checkTurns("edges", e.Turns); err != nil {
			return err
		}
	}
	return nil
}

func checkNode(node messages.NodeID, nodes int) error {
	if node >= 0 && int(node) < nodes {
		return nil
	}
	return fmt.Errorf("node %d, counted from 0, is not one of %d", node, nodes)
}
