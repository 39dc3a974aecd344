package standard

import (
	"errors"
	"fmt"
	"math"

	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/pyproblem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/python"
	"starling/scenarios/study"
)

// KindPythonRows is the kind of problems with rows that a class in Python gives.
const KindPythonRows = "python-rows"

// pythonRows is the section of the problem.
type pythonRows struct {
	Kind         string         `yaml:"kind,required"`
	Source       python.Source  `yaml:",inline"`
	Dimension    int            `yaml:"dimension,required" min:"1" max:"1000000" says:"dimension %v" unit:"features" doc:"features of a row, behind which its label stands; softmax and mlp have offsets of their own, and other models only where a feature is 1"`
	Classes      int            `yaml:"classes" min:"2" max:"4096" says:"%v classes" unit:"classes" doc:"number of classes of labels, which are 0, 1, and so on; of two classes, -1 is another name of class 0; linear and huber take any numbers"`
	Tests        int            `yaml:"tests" min:"0" max:"1000000" says:"%v test rows" unit:"rows" doc:"fresh rows of each node that the method test_rows gives, for accuracy.test and loss.fresh; absent, none"`
	Validation   int            `yaml:"validation" min:"0" max:"1000000" says:"%v validation rows" unit:"rows" doc:"rows of each node that the method validation_rows gives, for metrics of validation rows, by which starling tune chooses keys; absent, none"`
	FeatureBound float64        `yaml:"feature_bound" over:"0" says:"feature bound %v" unit:"2-norm of features" doc:"largest 2-norm of the features of a row: longer ones are scaled down to it, so that gradients have a bound of their own; absent, they have none"`
	LabelBound   float64        `yaml:"label_bound" over:"0" says:"label bound %v" unit:"that of the label" doc:"largest size of a label of linear and huber: others are held to it; absent, there is none"`
	Set          *document.Node `yaml:"set" doc:"Omega, the compact convex set that decisions are from, whose dimension follows from the model: nodes without a server need it, others project on it where it is given; absent, all of R^d"`
	Model        *document.Node `yaml:"model,required" doc:"model to learn"`
}

// DefaultPythonRows returns the section with the values of keys that are absent.
func DefaultPythonRows() pythonRows { return pythonRows{Source: python.DefaultSource(), Classes: 2} }

// newPythonRows is a RowsBuilder.
func newPythonRows(b *study.Builder, node *document.Node, a *study.ArmFile) (*Rows, error) {
	s := DefaultPythonRows()
	err := errors.Join(document.Decode(node, &s), node.Resolve(s.Source.Check()))
	r := &Rows{Data: vector.Data{Features: s.Dimension, FeatureNorm: math.Inf(1), LabelSize: math.Inf(1), Classes: s.Classes}}
	if s.Model != nil {
		var wrong error
		r.Learner, wrong = ReadLearner(b, s.Model)
		err = errors.Join(err, wrong)
	}
	if err == nil && s.Classes > 2 && r.Model.Label() == vector.Sign {
		err = node.Resolve(document.At("classes", "%d classes; this model has two: softmax has more", s.Classes))
	}
	if err != nil {
		return nil, err
	}
	code, err := s.Source.Read(b, node)
	if err != nil {
		return nil, err
	}
	if s.FeatureBound > 0 {
		r.Data.FeatureNorm = s.FeatureBound
	}
	if s.LabelBound > 0 {
		r.Data.LabelSize = s.LabelBound
	}
	o := &pyproblem.RowOptions{
		Program: code.Program, File: s.Source.File, Class: s.Source.Name, Arguments: s.Source.Options.Values,
		Features: s.Dimension, Tests: s.Tests, Validation: s.Validation, FeatureBound: r.Data.FeatureNorm, Label: s.label(r.Model.Label()),
	}
	r.Stream = problems.Stream{
		Tests: s.Tests > 0, Validates: s.Validation > 0, Notes: code.Notes, Warnings: code.Warnings, Fixed: true,
		Held: limits.Product(8, a.Nodes, a.Horizon+s.Tests+s.Validation, s.Dimension+1),
		Draw: func(seed uint64, shape stream.Shape) (problem.Data, error) { return o.Draw(seed, shape), nil },
		Check: func(shape stream.Shape) error {
			if numbers := limits.Product(shape.Learners, shape.Steps()+s.Tests+s.Validation, s.Dimension+1); numbers > limits.Coordinates {
				return document.At("dimension", "the rows of %d nodes have %.3g numbers in all; want at most %d", shape.Learners, numbers, limits.Coordinates)
			}
			return nil
		},
	}
	return r, nil
}

// label returns the function that checks labels and writes them in the form of a model. Of two
// classes, -1 is another name of class 0. Numbers are held to their bound.
func (s *pythonRows) label(form vector.Label) func(y float64) (float64, error) {
	bound := s.LabelBound
	if bound == 0 {
		bound = math.Inf(1)
	}
	return func(y float64) (float64, error) {
		if form == vector.Value {
			return max(-bound, min(bound, y)), nil
		}
		class := y
		if s.Classes == 2 && y == -1 {
			class = 0
		}
		switch {
		case class != math.Trunc(class) || class < 0 || class >= float64(s.Classes):
			return 0, fmt.Errorf("its label is %v; want a class, 0 to %d", y, s.Classes-1)
		case form == vector.Sign:
			return 2*class - 1, nil
		}
		return class, nil
	}
}

// PythonRows is the piece of the problem in the catalog.
type PythonRows struct{ RowSource }

// ForPythonRows returns the piece of the problem.
func ForPythonRows() PythonRows {
	return PythonRows{ForRows(newPythonRows, "feature_bound", UnboundedRows)}
}

// Begin implements study.FileBeginner: the settings of a new scenario that names a class.
func (PythonRows) Begin(path string, _ map[string]string) ([]study.Setting, error) {
	list, err := python.BeginClass(path)
	if err != nil {
		return nil, err
	}
	return append(list,
		study.Setting{Path: "problem.dimension", Text: "4", Note: "A guess: the number of features of your rows."},
		study.Setting{Path: "problem.feature_bound", Text: "1", Note: "A guess: longer features are scaled down to it."},
		study.Setting{Path: "problem.model", Text: "{kind: logistic}"},
	), nil
}
