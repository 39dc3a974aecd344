package scenarios

import (
	"errors"
	"fmt"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// topologyPlan is a checked topology.
type topologyPlan struct {
	// sequence returns the graphs of a seed's run.
	sequence func(seed uint64) (topology.Sequence, error)
	// edges is how many edges are kept, drawn how many a step draws anew.
	edges, drawn float64
	// checks tells that the graphs have to be what decentralized averaging
	// needs; common and section say in what way, and where.
	checks  bool
	common  topologyOptions
	section *document.Node
}

// topologyOptions are what every topology's section has besides its own.
type topologyOptions struct {
	Kind    string `yaml:"kind,required"`
	Weights string `yaml:"weights" doc:"checked demands doubly stochastic weights and strongly connected windows (Assumption 1 of DPDO-NC), unchecked does not"`
	Window  int    `yaml:"window" doc:"B: the union of the graphs of every B steps is strongly connected; absent, the smallest that holds is found"`
}

const (
	weightsChecked   = "checked"
	weightsUnchecked = "unchecked"
)

// weightTolerance is how far the rows and columns of a doubly stochastic matrix
// may sum from 1.
const weightTolerance = 1e-9

type topologySection[O any] struct {
	Common  topologyOptions `yaml:",inline"`
	Options O               `yaml:",inline"`
}

func defaultTopology[O any]() topologySection[O] {
	return topologySection[O]{Common: topologyOptions{Weights: weightsChecked}}
}

func decodeTopology[O any](section *document.Node) (s topologySection[O], err error) {
	s = defaultTopology[O]()
	if err := document.Decode(section, &s); err != nil {
		return s, err
	}
	if w := s.Common.Weights; w != weightsChecked && w != weightsUnchecked {
		return s, section.Resolve(document.At("weights", "unknown value %q; known: checked, unchecked", w))
	}
	if _, given := section.Get("window"); given && s.Common.Window < 1 {
		return s, section.Resolve(document.At("window", "%d steps; want at least 1", s.Common.Window))
	}
	return s, nil
}

// fixed returns the plan of a sequence that is the same for all seeds.
func fixed(section *document.Node, common topologyOptions, sequence topology.Sequence, edges float64) *topologyPlan {
	return &topologyPlan{
		sequence: func(uint64) (topology.Sequence, error) { return sequence, nil },
		edges:    edges,
		checks:   true,
		common:   common,
		section:  section,
	}
}

// sequencer is a generator of package topology.
type sequencer interface {
	Validate() error
	Sequence() (topology.Sequence, error)
}

// checkGenerator validates a generator and refuses graphs of too many edges
// before they are made.
func checkGenerator(section *document.Node, g sequencer, edges float64) error {
	if err := g.Validate(); err != nil {
		var option *topology.OptionError
		if errors.As(err, &option) && option.Field() == "nodes" {
			return section.Issuef("%v", err) // nodes is no key of the section
		}
		return section.Resolve(err)
	}
	if edges > mostEdges {
		return section.Issuef("a graph of %.3g edges; want at most %d", edges, mostEdges)
	}
	return nil
}

type (
	completeOptions struct {
		SelfLoops bool `yaml:"self_loops" doc:"give weight to the node itself too; false gives it to the others alone"`
	}
	circulantOptions struct {
		Degree int `yaml:"degree,required" doc:"from how many nodes before it each node hears; fewer than nodes"`
	}
	permutationsOptions struct {
		Degree int `yaml:"degree,required" doc:"from how many others each node hears; fewer than nodes"`
		Every  int `yaml:"every" doc:"steps between draws of a new graph; absent, one draw a run"`
	}
	matricesOptions struct {
		Matrices []matrix `yaml:"matrices,required" doc:"weight matrices, taken in turn: row i is what node i gives those it hears, N rows of N numbers or fractions"`
	}
)

// generator returns the builder of a generator that needs no seed, given how
// to make it and the number of its edges.
func generator[O any](make func(options O, nodes int) (g sequencer, edges float64)) topologyBuilder {
	return func(section *document.Node, nodes int) (*topologyPlan, error) {
		s, err := decodeTopology[O](section)
		if err != nil {
			return nil, err
		}
		g, edges := make(s.Options, nodes)
		if err := checkGenerator(section, g, edges); err != nil {
			return nil, err
		}
		sequence, err := g.Sequence()
		if err != nil {
			return nil, section.Resolve(err)
		}
		return fixed(section, s.Common, sequence, edges), nil
	}
}

var (
	buildRing = generator(func(_ struct{}, nodes int) (sequencer, float64) {
		return topology.Ring{Nodes: nodes}, product(2, nodes)
	})
	buildComplete = generator(func(o completeOptions, nodes int) (sequencer, float64) {
		return topology.Complete{Nodes: nodes, SelfLoops: o.SelfLoops}, product(nodes, nodes)
	})
	buildCirculant = generator(func(o circulantOptions, nodes int) (sequencer, float64) {
		return topology.Circulant{Nodes: nodes, Degree: o.Degree}, product(nodes, o.Degree+1)
	})
)

func buildPermutations(section *document.Node, nodes int) (*topologyPlan, error) {
	s, err := decodeTopology[permutationsOptions](section)
	if err != nil {
		return nil, err
	}
	options := topology.Permutations{Nodes: nodes, Degree: s.Options.Degree, Every: s.Options.Every}
	edges := product(nodes, options.Degree+1)
	if err := checkGenerator(section, options, edges); err != nil {
		return nil, err
	}
	return &topologyPlan{
		checks: true,
		sequence: func(seed uint64) (topology.Sequence, error) {
			drawn := options
			drawn.Seed = seed
			return drawn.Sequence()
		},
		drawn:   edges / float64(max(options.Every, 1)),
		common:  s.Common,
		section: section,
	}, nil
}

func buildPrinted(section *document.Node, nodes int) (*topologyPlan, error) {
	s, err := decodeTopology[struct{}](section)
	if err != nil {
		return nil, err
	}
	a1, a2, a3 := topology.Printed()
	if nodes != len(a1) {
		return nil, section.Resolve(document.At("kind", "the printed matrices are for %d nodes; the scenario has %d", len(a1), nodes))
	}
	return periodic(section, s.Common, [][][]float64{a1, a2, a3})
}

func buildMatrices(section *document.Node, nodes int) (*topologyPlan, error) {
	s, err := decodeTopology[matricesOptions](section)
	if err != nil {
		return nil, err
	}
	var errs []error
	matrices := make([][][]float64, len(s.Options.Matrices))
	for k, m := range s.Options.Matrices {
		matrices[k] = m.rows()
		errs = append(errs, m.checkSquare(fmt.Sprintf("matrices[%d]", k), nodes))
	}
	if len(matrices) == 0 {
		errs = append(errs, document.At("matrices", "no matrices; want at least one"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, section.Resolve(err)
	}
	return periodic(section, s.Common, matrices)
}

// checkSquare refuses a weight matrix that is not one of the scenario's nodes.
func (m matrix) checkSquare(path string, nodes int) error {
	if len(m) != nodes {
		return document.At(path, "the matrix has %d rows; the scenario has %d nodes", len(m), nodes)
	}
	var errs []error
	for i, row := range m {
		if len(row) != nodes {
			errs = append(errs, document.At(fmt.Sprintf("%s[%d]", path, i), "row %d has %d entries; the scenario has %d nodes", i+1, len(row), nodes))
		}
	}
	return errors.Join(errs...)
}

// periodic builds the plan of square matrices of one size, taken in turn.
func periodic(section *document.Node, common topologyOptions, matrices [][][]float64) (*topologyPlan, error) {
	var errs []error
	edges := 0
	graphs := make([]*topology.Graph, len(matrices))
	for k, rows := range matrices {
		graph, err := topology.FromDense(rows)
		if err == nil && common.Weights == weightsChecked {
			err = topology.CheckWeights(graph, weightTolerance)
		}
		if err != nil {
			errs = append(errs, document.At(matrixField(fmt.Sprintf("matrices[%d]", k), err), "%v", err))
			continue
		}
		graphs[k] = graph
		edges += graph.Edges()
	}
	if err := errors.Join(errs...); err != nil {
		return nil, section.Resolve(err)
	}
	sequence, err := topology.NewPeriodic(graphs...)
	if err != nil {
		return nil, section.Resolve(err)
	}
	return fixed(section, common, sequence, float64(edges)), nil
}

// matrixField is the path of what an error about a matrix concerns: an entry,
// a row, or the matrix.
func matrixField(at string, err error) string {
	var weight *topology.WeightError
	if !errors.As(err, &weight) {
		return at
	}
	switch weight.Kind {
	case topology.WeightRow:
		return fmt.Sprintf("%s[%d]", at, weight.Node)
	case topology.WeightColumn:
		return at
	}
	return fmt.Sprintf("%s[%d][%d]", at, weight.Node, weight.From)
}

// check verifies what DPDO-NC assumes of a seed's graphs (Assumption 1) and
// returns B: the one the scenario states, or the smallest that holds. Weights
// declared unchecked are left alone, and B is then 0 where none holds.
func (t *topologyPlan) check(sequence topology.Sequence, horizon int) (window int, err error) {
	unchecked := t.common.Weights == weightsUnchecked
	if !unchecked {
		if err := topology.CheckSequence(sequence, horizon, weightTolerance); err != nil {
			return 0, t.section.Resolve(err)
		}
	}
	if t.common.Window > horizon {
		return 0, t.section.Resolve(document.At("window", "%d steps; want at most %d, the horizon", t.common.Window, horizon))
	}
	if t.common.Window > 0 {
		if err := topology.CheckWindows(sequence, horizon, t.common.Window); err != nil && !unchecked {
			return 0, t.section.Resolve(document.At("window", "%v", err))
		}
		return t.common.Window, nil
	}
	window, err = topology.SmallestWindow(sequence, horizon)
	if err != nil && !unchecked {
		return 0, t.section.Resolve(err)
	}
	return window, nil
}
