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
	seeded   bool // the graphs differ between seeds
	common   topologyOptions
	section  *document.Node
}

// topologyOptions are what every topology's section has besides its own.
type topologyOptions struct {
	Kind string `yaml:"kind,required"`
	// Weights is checked, unless the scenario says unchecked: DPDO-NC needs
	// doubly stochastic weights and strongly connected windows.
	Weights string `yaml:"weights"`
	// Window is B: the union of every B steps' graphs is strongly connected.
	// Absent, the smallest that holds is found.
	Window int `yaml:"window"`
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

func decodeTopology[O any](section *document.Node, defaults O) (s topologySection[O], err error) {
	s = topologySection[O]{Common: topologyOptions{Weights: weightsChecked}, Options: defaults}
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
func fixed(section *document.Node, common topologyOptions, sequence topology.Sequence) topologyPlan {
	return topologyPlan{
		sequence: func(uint64) (topology.Sequence, error) { return sequence, nil },
		common:   common,
		section:  section,
	}
}

// sequencer is a generator of package topology.
type sequencer interface {
	Sequence() (topology.Sequence, error)
}

type (
	completeOptions struct {
		SelfLoops bool `yaml:"self_loops"`
	}
	circulantOptions struct {
		Degree int `yaml:"degree,required"`
	}
	permutationsOptions struct {
		Degree int `yaml:"degree,required"`
		Every  int `yaml:"every"` // steps between draws; absent, one draw a run
	}
	matricesOptions struct {
		Matrices []matrix `yaml:"matrices,required"`
	}
)

// generator returns the builder of a generator that needs no seed.
func generator[O any](make func(options O, nodes int) sequencer) topologyBuilder {
	return func(section *document.Node, nodes int) (topologyPlan, error) {
		var defaults O
		s, err := decodeTopology(section, defaults)
		if err != nil {
			return topologyPlan{}, err
		}
		sequence, err := make(s.Options, nodes).Sequence()
		if err != nil {
			return topologyPlan{}, section.Resolve(err)
		}
		return fixed(section, s.Common, sequence), nil
	}
}

func buildPermutations(section *document.Node, nodes int) (topologyPlan, error) {
	s, err := decodeTopology(section, permutationsOptions{})
	if err != nil {
		return topologyPlan{}, err
	}
	options := topology.Permutations{Nodes: nodes, Degree: s.Options.Degree, Every: s.Options.Every}
	if err := options.Validate(); err != nil {
		return topologyPlan{}, section.Resolve(err)
	}
	return topologyPlan{
		sequence: func(seed uint64) (topology.Sequence, error) {
			drawn := options
			drawn.Seed = seed
			return drawn.Sequence()
		},
		seeded:  true,
		common:  s.Common,
		section: section,
	}, nil
}

func buildPrinted(section *document.Node, nodes int) (topologyPlan, error) {
	s, err := decodeTopology(section, struct{}{})
	if err != nil {
		return topologyPlan{}, err
	}
	a1, a2, a3 := topology.Printed()
	return periodic(section, s.Common, [][][]float64{a1, a2, a3}, nodes, "kind")
}

func buildMatrices(section *document.Node, nodes int) (topologyPlan, error) {
	s, err := decodeTopology(section, matricesOptions{})
	if err != nil {
		return topologyPlan{}, err
	}
	matrices := make([][][]float64, len(s.Options.Matrices))
	for k, m := range s.Options.Matrices {
		matrices[k] = m.rows()
	}
	return periodic(section, s.Common, matrices, nodes, "matrices")
}

// periodic builds the plan of matrices taken in turn. field is the key they
// come from.
func periodic(section *document.Node, common topologyOptions, matrices [][][]float64, nodes int, field string) (topologyPlan, error) {
	var errs []error
	graphs := make([]*topology.Graph, len(matrices))
	for k, rows := range matrices {
		at := field
		if field == "matrices" {
			at = fmt.Sprintf("matrices[%d]", k)
		}
		graph, err := topology.FromDense(rows)
		switch {
		case err != nil:
			errs = append(errs, document.At(matrixField(at, err), "%v", err))
			continue
		case graph.Nodes() != nodes:
			errs = append(errs, document.At(at, "the matrix is for %d nodes; the scenario has %d", graph.Nodes(), nodes))
			continue
		}
		if common.Weights == weightsChecked {
			if err := topology.CheckWeights(graph, weightTolerance); err != nil {
				errs = append(errs, document.At(matrixField(at, err), "%v", err))
			}
		}
		graphs[k] = graph
	}
	if len(matrices) == 0 {
		errs = append(errs, document.At(field, "no matrices"))
	}
	if err := errors.Join(errs...); err != nil {
		return topologyPlan{}, section.Resolve(err)
	}
	sequence, err := topology.NewPeriodic(graphs...)
	if err != nil {
		return topologyPlan{}, section.Resolve(err)
	}
	return fixed(section, common, sequence), nil
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
