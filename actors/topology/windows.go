package topology

import (
	"fmt"
	"strconv"
	"strings"

	"starling/messages"
)

// ConnectivityError names a window of steps over which the union of the graphs
// is not strongly connected, and the nodes cut off in it.
type ConnectivityError struct {
	// First and Last are the window, from 0, both ends included.
	First, Last int
	// Base is the number that step 0 has in print; the checks set 1.
	Base int
	// From is the node the others are compared with.
	From messages.NodeID
	// Unreached are the nodes that From does not reach, Unreaching those that do
	// not reach From, both ascending. At least one is not empty.
	Unreached, Unreaching []messages.NodeID
}

// Error numbers nodes from 1 and steps from Base; it lists at most ten nodes of
// each kind.
func (e *ConnectivityError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the union of the graphs over steps [%d..%d] is not strongly connected:", e.First+e.Base, e.Last+e.Base)
	if len(e.Unreached) > 0 {
		fmt.Fprintf(&b, " node %d does not reach %s", number(e.From), listNodes(e.Unreached))
	}
	if len(e.Unreaching) > 0 {
		if len(e.Unreached) > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " node %d is not reached from %s", number(e.From), listNodes(e.Unreaching))
	}
	return b.String()
}

// listNodes prints node numbers: "node 4", "nodes 2, 4, 6", and at most ten of
// them, "... and 90 more".
func listNodes(nodes []messages.NodeID) string {
	const limit = 10
	var b strings.Builder
	b.WriteString("node")
	if len(nodes) > 1 {
		b.WriteByte('s')
	}
	for k, v := range nodes[:min(limit, len(nodes))] {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(number(v)))
	}
	if more := len(nodes) - limit; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// disconnected describes a union that is not strongly connected. The nodes that node 0
// reaches, and is reached from, decide that.
func disconnected(union *reach, first, last int) *ConnectivityError {
	a := adjacencyOf(union.nodes, union.arcs)
	return &ConnectivityError{
		First: first, Last: last, Base: printedBase,
		Unreached: unreached(a, 0), Unreaching: unreached(a.transpose(), 0),
	}
}

// CheckWindows returns a *ConnectivityError for the first window of length consecutive steps
// inside 0 .. horizon-1 over which the union of the graphs is not strongly connected; 1 <=
// length <= horizon. DPDO-NC, where the length is B, asks this of the windows that start at
// multiples of B only, which these include. Each graph of a sequence without period is built
// once, and the graphs of a failing window once more.
func CheckWindows(seq Sequence, horizon, length int) error {
	return Measures{}.CheckWindows(seq, horizon, length)
}

// CheckWindows is the function CheckWindows.
func (m Measures) CheckWindows(seq Sequence, horizon, length int) error {
	return m.eachWindow(seq, horizon, length, func(first, count int) error {
		if count == 1 {
			return nil
		}
		var union *reach
		source := stepReach{measures: m, seq: seq}
		for step := first; step < first+length; step++ {
			r, err := source.at(step)
			if err != nil {
				return err
			}
			union = union.join(r)
		}
		return disconnected(union, first, first+length-1)
	})
}

// WindowComponents returns, for each window of length consecutive steps inside
// 0 .. horizon-1, the number of strongly connected components of the union of
// its graphs, by first step, as far as one period of the sequence; 1 <= length
// <= horizon. It costs as much as CheckWindows.
func WindowComponents(seq Sequence, horizon, length int) ([]int, error) {
	return Measures{}.WindowComponents(seq, horizon, length)
}

// WindowComponents is the function WindowComponents.
func (m Measures) WindowComponents(seq Sequence, horizon, length int) ([]int, error) {
	var counts []int
	err := m.eachWindow(seq, horizon, length, func(_, count int) error {
		counts = append(counts, count)
		return nil
	})
	return counts, err
}

// mostDirect is the longest window of which all graphs are held and searched together.
const mostDirect = 8

// eachWindow calls visit with the number of components of the union over each window, in
// order, up to the first error of visit.
func (m Measures) eachWindow(seq Sequence, horizon, length int, visit func(first, count int) error) error {
	if err := atLeast("horizon", horizon, 1); err != nil {
		return err
	}
	if length < 1 || length > horizon {
		//lint:ignore ST1005 B is the paper's symbol
		return fmt.Errorf("B is %d, want 1 to %d: the horizon", length, horizon)
	}
	span := min(length, distinctSteps(seq, horizon)) // more steps would add nothing
	starts := min(distinctSteps(seq, horizon), horizon-length+1)
	// A slidingUnion searches each graph a few times, for any number of windows it is in.
	// Where the windows are few, to search their graphs together is less work.
	if span == 1 || span <= mostDirect && starts < span {
		return m.eachShortWindow(seq, starts, span, visit)
	}
	source := stepReach{measures: m, seq: seq}
	var window slidingUnion
	for step := range span - 1 {
		if err := window.extend(&source, step); err != nil {
			return err
		}
	}
	for first := range starts {
		if err := window.extend(&source, first+span-1); err != nil {
			return err
		}
		if err := visit(first, window.union().count); err != nil {
			return err
		}
		window.pop()
	}
	return nil
}

// eachShortWindow is eachWindow for windows of which all graphs are held.
func (m Measures) eachShortWindow(seq Sequence, starts, span int, visit func(first, count int) error) error {
	window := make([]*Graph, span) // by step modulo its length
	var g *Graph
	count := 0
	for step := range starts + span - 1 {
		if err := m.stopped(); err != nil {
			return err
		}
		if g == nil || seq.Epoch(step) != seq.Epoch(step-1) {
			g = seq.At(step)
		}
		leaving := window[step%span]
		window[step%span] = g
		if first := step - span + 1; first >= 0 {
			if leaving != g || first == 0 { // the graphs that stay in the window are the same as before
				_, count = halvesOf(window).components()
			}
			if err := visit(first, count); err != nil {
				return err
			}
		}
	}
	return nil
}

// SmallestWindow returns the smallest length for which CheckWindows passes, the
// smallest B of the paper. If there is none, because not even the union over the
// whole horizon is strongly connected, the error is a *ConnectivityError that
// names the horizon. It costs as much as CheckWindows.
func SmallestWindow(seq Sequence, horizon int) (int, error) {
	return Measures{}.SmallestWindow(seq, horizon)
}

// SmallestWindow is the function SmallestWindow.
func (m Measures) SmallestWindow(seq Sequence, horizon int) (int, error) {
	if err := atLeast("horizon", horizon, 1); err != nil {
		return 0, err
	}
	lengths, union, err := m.shortestWindows(seq, horizon)
	if err != nil {
		return 0, err
	}
	if len(lengths) == 0 {
		return 0, disconnected(union, 0, horizon-1)
	}
	longest := make([]int, len(lengths)) // the running maximum of lengths
	for first, length := range lengths {
		longest[first] = max(length, longest[max(first-1, 0)])
	}
	// A length will do if it is enough from every start that leaves room for it.
	// From starts past the end of lengths no window is.
	for length := 1; ; length++ {
		last := min(horizon-length, distinctSteps(seq, horizon)-1)
		if last < len(lengths) && longest[last] <= length {
			return length, nil // at the latest the horizon, which has one start
		}
	}
}

// shortestWindows returns, for each first step, the length of the shortest window inside the
// horizon with a strongly connected union, up to the period of the sequence or the last step
// from which there is one; and the union over the window it came to last. The end of that
// window never moves back as its start moves on, so each graph enters once.
func (m Measures) shortestWindows(seq Sequence, horizon int) (lengths []int, union *reach, err error) {
	starts := distinctSteps(seq, horizon)
	source := stepReach{measures: m, seq: seq}
	var window slidingUnion
	next := 0 // the step after the window
	for first := range starts {
		for union = window.union(); union == nil || !union.connected; union = window.union() {
			if next == min(horizon, first+starts) {
				return lengths, union, nil
			}
			if err := window.extend(&source, next); err != nil {
				return nil, nil, err
			}
			next++
		}
		lengths = append(lengths, next-first)
		window.pop()
	}
	return lengths, union, nil
}
