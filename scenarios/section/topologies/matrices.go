package topologies

import (
	"errors"
	"fmt"

	"starling/actors/topology"
	"starling/scenarios/document"
)

// Printed is the section of the three weight matrices that the paper of DPDO-NC prints, taken
// in turn.
type Printed struct {
	Common `yaml:",inline"`
}

// Matrices is the section of weight matrices that are taken in turn.
type Matrices struct {
	Common   `yaml:",inline"`
	Matrices []document.Matrix `yaml:"matrices,required" min:"1" says:"%v matrices" unit:"weights" doc:"weight matrices, taken in turn: row i has the weights that node i gives to the vectors it receives, N rows of N numbers or fractions"`
}

// compose implements Composed. Another number of nodes than the matrices have is an error.
func (s *Printed) compose(at Site, section *document.Node) (generated, error) {
	a1, a2, a3 := topology.Printed()
	if at.Nodes != len(a1) {
		return generated{}, section.Resolve(document.At("kind", "the printed matrices are for %d nodes; the scenario has %d", len(a1), at.Nodes))
	}
	return periodic(at, section, &s.Common, [][][]float64{a1, a2, a3})
}

// compose implements Composed.
func (s *Matrices) compose(at Site, section *document.Node) (generated, error) {
	var errs []error
	matrices := make([][][]float64, len(s.Matrices))
	for k, m := range s.Matrices {
		matrices[k] = m.Rows()
		errs = append(errs, m.CheckSquare(fmt.Sprintf("matrices[%d]", k), at.Nodes))
	}
	if err := errors.Join(errs...); err != nil {
		return generated{}, section.Resolve(err)
	}
	return periodic(at, section, &s.Common, matrices)
}

// periodic returns the graphs of square matrices of one size, taken in turn.
func periodic(at Site, section *document.Node, common *Common, matrices [][][]float64) (generated, error) {
	var errs []error
	edges := 0
	graphs := make([]*topology.Graph, len(matrices))
	for k, rows := range matrices {
		graph, err := topology.FromDense(rows)
		if err == nil && common.Weights == WeightsChecked && common.Weighting == nil {
			err = at.Weights.Check(graph, WeightTolerance)
		}
		if err != nil {
			errs = append(errs, document.At(matrixField(fmt.Sprintf("matrices[%d]", k), err), "%v", err))
			continue
		}
		graphs[k] = graph
		edges += graph.Edges()
	}
	if err := errors.Join(errs...); err != nil {
		return generated{}, section.Resolve(err)
	}
	sequence, err := topology.NewPeriodic(graphs...)
	if err != nil {
		return generated{}, section.Resolve(err)
	}
	return kept(sequence, float64(edges)), nil
}

// matrixField returns the path that an error about a matrix concerns: of an entry, a row, or
// the matrix.
func matrixField(at string, err error) string {
	var weight *topology.WeightError
	if !errors.As(err, &weight) {
		return at
	}
	switch weight.Kind {
	case topology.WeightRow, topology.WeightSilence:
		return fmt.Sprintf("%s[%d]", at, weight.Node)
	case topology.WeightColumn:
		return at
	}
	return fmt.Sprintf("%s[%d][%d]", at, weight.Node, weight.From)
}
