package topology

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"starling/actors/option"
	"starling/messages"
)

// Scheme is a rule that turns a pattern, which has edges only, into weights.
type Scheme string

// The schemes of a Weighting. d_i is the degree of node i, self-loops not
// counted; the in-degree is how many a node hears.
const (
	// Metropolis is for undirected graphs: a_ij = 1/(1 + max(d_i, d_j)), and a_ii is the rest
	// to 1 (Xiao, Boyd and Lall, IPSN 2005); where all degrees are d, all weights are 1/(1+d).
	// Doubly stochastic, symmetric; every a_ii is above 0.
	Metropolis Scheme = "metropolis"
	// LazyMetropolis is for undirected graphs: a_ij = 1/(2 max(d_i, d_j)), and a_ii is the
	// rest to 1, at least a half (Olshevsky, Linear Time Average Consensus on Fixed Graphs,
	// 2014). Doubly stochastic, symmetric.
	LazyMetropolis Scheme = "lazy-metropolis"
	// UniformIn divides 1 among those that a node hears: row stochastic.
	UniformIn Scheme = "uniform-in"
	// UniformOut divides 1 among those that hear a node: column stochastic, as
	// push-sum has it.
	UniformOut Scheme = "uniform-out"
	// Sinkhorn scales rows and columns of the pattern in turn until all sum to 1
	// (Sinkhorn and Knopp, Pacific Journal of Mathematics 21, 1967). Doubly
	// stochastic, for digraphs that have such weights: every edge lies in a
	// perfect matching.
	Sinkhorn Scheme = "sinkhorn"
	// Given leaves the weights as they are.
	Given Scheme = "given"
)

// Schemes lists all schemes.
func Schemes() []Scheme {
	return []Scheme{Metropolis, LazyMetropolis, UniformIn, UniformOut, Sinkhorn, Given}
}

// Sums is the scheme's guarantee for the sums of rows and columns; Given guarantees nothing.
func (s Scheme) Sums() Demand {
	switch s {
	case Metropolis, LazyMetropolis, Sinkhorn:
		return DoublyStochastic
	case UniformIn:
		return Demand{Rows: true}
	case UniformOut:
		return Demand{Columns: true}
	}
	return Demand{}
}

// Weighting is the layer of weights on top of a graph or sequence. Existing weights below do
// not matter to it, unless the scheme is Given.
type Weighting struct {
	Scheme    Scheme `yaml:"scheme,required" oneof:"metropolis lazy-metropolis uniform-in uniform-out sinkhorn given" doc:"metropolis, lazy-metropolis (undirected graphs), uniform-in (rows sum to 1), uniform-out (columns do), sinkhorn (both), given (as they are)"`
	SelfLoops bool   `yaml:"self_loops" doc:"give every node a self-loop first; given takes none, and metropolis and lazy-metropolis always have it"`
}

// Validate reports the first option that is out of range.
func (w Weighting) Validate() error {
	switch w.Scheme {
	case UniformIn, UniformOut, Sinkhorn:
		return nil
	case Metropolis, LazyMetropolis, Given:
		if w.SelfLoops {
			return option.Errorf("self_loops", "self_loops is set, but %s settles them itself", w.Scheme)
		}
		return nil
	}
	var known []string
	for _, s := range Schemes() {
		known = append(known, string(s))
	}
	return option.Errorf("scheme", "unknown scheme %q; known: %s", w.Scheme, strings.Join(known, ", "))
}

// Refuses reports whether the scheme refuses some undirected graphs or, where it is for
// digraphs, some digraphs.
func (w Weighting) Refuses() bool {
	return w.Scheme == Sinkhorn || (w.Scheme == UniformIn || w.Scheme == UniformOut) && !w.SelfLoops
}

// AsymmetryError is an edge with no edge back, where the scheme is for
// undirected graphs.
type AsymmetryError struct {
	Scheme   Scheme
	From, To messages.NodeID
}

// Error numbers nodes from 1.
func (e *AsymmetryError) Error() string {
	return fmt.Sprintf("%s weights need an undirected graph: node %d hears node %d, but not the other way round",
		e.Scheme, number(e.To), number(e.From))
}

// IsolationError names a node that has no neighbours to divide 1 among.
type IsolationError struct {
	Scheme Scheme
	Node   messages.NodeID
}

// Error numbers nodes from 1.
func (e *IsolationError) Error() string {
	if e.Scheme == UniformIn {
		return fmt.Sprintf("%s weights: node %d hears nobody, not even itself", e.Scheme, number(e.Node))
	}
	return fmt.Sprintf("%s weights: nobody hears node %d, not even itself", e.Scheme, number(e.Node))
}

// Apply returns the graph with weights; it shares as much as it can with g. Sums that the
// scheme makes 1 are 1 within 1e-12. It returns an *AsymmetryError, an *IsolationError, a
// *SupportError or an error that wraps ErrSlowScaling.
func (w Weighting) Apply(g *Graph) (*Graph, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	if w.SelfLoops { // not with Given, and all other schemes set their own weights
		g = g.withSelfLoops(false)
	}
	switch w.Scheme {
	case Metropolis, LazyMetropolis:
		return w.metropolis(g)
	case Sinkhorn:
		return sinkhorn(g)
	case Given:
		return g, nil
	}
	weights := make([]float64, g.Edges())
	var err error
	if w.Scheme == UniformIn {
		err = fillUniformIn(g, weights)
	} else {
		_, err = fillUniformOut(g, weights, nil)
	}
	if err != nil {
		return nil, err
	}
	return g.withWeights(weights), nil
}

// withWeights returns the graph with other weights, none of them 0, which it
// takes over.
func (g *Graph) withWeights(weights []float64) *Graph {
	return &Graph{in: g.in, out: g.out, weights: weights, selfLoops: g.selfLoops}
}

// metropolis weights an undirected graph. The weights are symmetric bit by bit, so
// columns sum as rows do.
func (w Weighting) metropolis(g *Graph) (*Graph, error) {
	if !g.Symmetric() {
		from, to := asymmetry(g)
		return nil, &AsymmetryError{Scheme: w.Scheme, From: from, To: to}
	}
	g = g.withSelfLoops(false)
	weights := make([]float64, g.Edges())
	fillMetropolis(g, w.Scheme, weights, nil)
	return g.withWeights(weights), nil
}

// fillMetropolis fills in the weights of a graph in which every node hears itself; each
// row is summed in order of sender. inverses may hold the first of 1/k, and is returned
// as far as it was needed.
func fillMetropolis(g *Graph, scheme Scheme, weights, inverses []float64) []float64 {
	// A degree does not count the node itself.
	start := g.in.start
	least, largest := int32(math.MaxInt32), int32(0)
	for i := range g.Nodes() {
		least, largest = min(least, start[i+1]-start[i]), max(largest, start[i+1]-start[i])
	}
	if least == largest && scheme == Metropolis {
		for k := range weights {
			weights[k] = 1 / float64(largest)
		}
		return inverses
	}
	inverses = extendInverses(inverses, int(largest)+1)
	shift, scale := int32(0), 1.0 // 1/(1 + degree) is 1 over the length of the row
	if scheme == LazyMetropolis {
		shift, scale = 1, 0.5 // and halving rounds nothing
	}
	for i := range g.Nodes() {
		lo, hi := start[i], start[i+1]
		row, into := g.in.to[lo:hi], weights[lo:hi]
		own, left := 0, 1.0
		for k, j := range row {
			if int(j) == i {
				own = k
				continue
			}
			share := float64(scale * inverses[max(hi-lo, start[j+1]-start[j])-shift])
			into[k] = share
			left -= share
		}
		into[own] = left
	}
	return inverses
}

// extendInverses returns 1/k for all k below n; entry 0 is of no use.
func extendInverses(inverses []float64, n int) []float64 {
	for k := len(inverses); k < n; k++ {
		inverses = append(inverses, 1/float64(k))
	}
	return inverses
}

// asymmetry returns the first edge, in order of receiver, that has none back.
func asymmetry(g *Graph) (from, to messages.NodeID) {
	for i := range messages.NodeID(g.Nodes()) {
		for _, j := range g.in.row(i) {
			if !g.HasEdge(i, j) {
				return j, i
			}
		}
		for _, j := range g.out.row(i) {
			if !g.HasEdge(j, i) {
				return i, j
			}
		}
	}
	panic("topology: a symmetric graph has no edge without one back")
}

// fillUniformIn divides 1 among those that a node hears. It returns an *IsolationError for a
// node that hears no other.
func fillUniformIn(g *Graph, weights []float64) error {
	for i := range messages.NodeID(g.Nodes()) {
		lo, hi := g.in.start[i], g.in.start[i+1]
		if lo == hi {
			return &IsolationError{Scheme: UniformIn, Node: i}
		}
		share := 1 / float64(hi-lo)
		for k := lo; k < hi; k++ {
			weights[k] = share
		}
	}
	return nil
}

// fillUniformOut divides 1 among those that hear a node. It returns an *IsolationError for a
// node that no other hears. shares is working memory, and is returned.
func fillUniformOut(g *Graph, weights, shares []float64) ([]float64, error) {
	shares = sized(shares, g.Nodes()) // by sender
	for j := range messages.NodeID(g.Nodes()) {
		receivers := len(g.Out(j))
		if receivers == 0 {
			return shares, &IsolationError{Scheme: UniformOut, Node: j}
		}
		shares[j] = 1 / float64(receivers)
	}
	for k, j := range g.in.to {
		weights[k] = shares[j]
	}
	return shares, nil
}

// Over returns the sequence with weights. The graphs of every distinct epoch of the steps 0 ..
// horizon-1 are checked beforehand, because a Sequence cannot report that one does not fit the
// scheme: Over returns a *StepError, which wraps the error of Apply. At later steps such a
// graph is a panic. Uniform weights with self-loops, and given ones, fit any graph, and
// nothing is checked. At weights a graph anew on every call, except for the graphs of a period
// of at most 64 steps, or of as many first epochs.
func (w Weighting) Over(seq Sequence, horizon int) (Sequence, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	if err := atLeast("horizon", horizon, 1); err != nil {
		return nil, err
	}
	if w.Scheme == Given {
		return seq, nil
	}
	period, periodic := seq.Period()
	if periodic && period <= mostKept {
		return w.overPeriod(seq, period)
	}
	weighted := &weightedSequence{Sequence: seq, weighting: w}
	if w.SelfLoops && w.Scheme != Sinkhorn {
		return weighted, nil
	}
	if err := weighted.look(distinctSteps(seq, horizon)); err != nil {
		return nil, err
	}
	return weighted, nil
}

// overPeriod weights all graphs of a period.
func (w Weighting) overPeriod(seq Sequence, period int) (Sequence, error) {
	graphs := make([]*Graph, period)
	for step := range graphs {
		if step > 0 && seq.Epoch(step) == seq.Epoch(step-1) {
			graphs[step] = graphs[step-1]
			continue
		}
		var err error
		if graphs[step], err = w.at(seq, step); err != nil {
			return nil, err
		}
	}
	return NewPeriodic(graphs...)
}

// at weights the graph of a step. The error is a *StepError.
func (w Weighting) at(seq Sequence, step int) (*Graph, error) {
	g, err := weightedGraph(seq, step, w)
	if err != nil {
		return nil, &StepError{Step: step, Base: printedBase, Err: err}
	}
	return g, nil
}

// OnTheWay is Over without a check beforehand where graphs are drawn anew in the course of a
// run: whether they fit the scheme is checked as they are made. The sequence is Failing, and
// its GraphAt names the step of a graph that does not fit.
func (w Weighting) OnTheWay(seq Sequence) (Sequence, error) {
	if period, periodic := seq.Period(); w.Scheme == Given || periodic && period <= mostKept {
		return w.Over(seq, 1) // with a period longer than the horizon
	}
	if err := w.Validate(); err != nil {
		return nil, err
	}
	return &weightedSequence{Sequence: seq, weighting: w}, nil
}

// mostKept is the longest period of which all graphs are kept.
const mostKept = 64

// mostKeptEdges limits the edges that a weightedSequence keeps.
const mostKeptEdges = 1 << 22

// weightedSequence weights the graphs of a sequence as they are asked for. It keeps the graphs
// of its first epochs: scripted sequences have few, and Sinkhorn's scaling takes long.
type weightedSequence struct {
	Sequence
	weighting Weighting
	kept      map[int]*Graph // by epoch
}

// look weights the graphs of the first steps, and keeps those for which there is
// room. Epochs come back where a sequence below repeats.
func (s *weightedSequence) look(steps int) error {
	s.kept = map[int]*Graph{}
	edges := 0
	for step := range steps {
		epoch := s.Epoch(step)
		if _, seen := s.kept[epoch]; seen || step > 0 && epoch == s.Epoch(step-1) {
			continue
		}
		g, err := s.weighting.at(s.Sequence, step)
		if err != nil {
			return err
		}
		if edges+g.Edges() <= mostKeptEdges && len(s.kept) < mostKept {
			g.Keep()
			s.kept[epoch] = g
			edges += g.Edges()
		}
	}
	return nil
}

// At implements Sequence.
func (s *weightedSequence) At(step int) *Graph {
	g, err := s.GraphAt(step)
	if err != nil {
		panic(errors.Join(errors.New("topology: a graph was asked for that was not checked"), err))
	}
	return g
}

// GraphAt implements Failing.
func (s *weightedSequence) GraphAt(step int) (*Graph, error) {
	if g, ok := s.kept[s.Epoch(step)]; ok {
		return g, nil
	}
	return s.weighting.at(s.Sequence, step)
}
