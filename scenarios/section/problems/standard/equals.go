package standard

import (
	"starling/actors/algorithm/mirror"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
)

// Builders of problems of nodes that are equals. Faults have their places in the file.
var (
	BuildLocalization     = problems.Of(problem.DefaultLocalizationOptions, problem.NewLocalization)
	BuildLogistic         = problems.Of(problem.DefaultLogisticOptions, newLogistic)
	BuildRobustRegression = problems.Of(problem.DefaultRobustRegressionOptions, problem.NewRobustRegression)
)

// logistic is the problem with its model in the form that can be minimised.
type logistic struct{ *problem.Logistic }

func newLogistic(o problem.LogisticOptions, nodes int, set mirror.Set) (logistic, error) {
	p, err := problem.NewLogistic(o, nodes, set)
	return logistic{p}, err
}

// Model implements problem.Modelled.
func (p logistic) Model() problem.Model { return stream.NewLogistic(p.Dim(), p.GradientBound()) }
