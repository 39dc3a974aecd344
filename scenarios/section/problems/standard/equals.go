package standard

import (
	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Problems of nodes without a server. Faults have their places in the file.
var (
	Localization     = ForEquals(problems.Of(problem.DefaultLocalizationOptions, problem.NewLocalization))
	Logistic         = logisticForms{ForEquals(problems.Of(problem.DefaultLogisticOptions, newLogistic))}
	RobustRegression = ForEquals(problems.Of(problem.DefaultRobustRegressionOptions, problem.NewRobustRegression))
)

// logisticForms are the forms of logistic, which clients can learn on the simplex.
type logisticForms struct{ Equals }

// Losses implements problems.AsLosses.
func (l logisticForms) Losses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	return onSimplex(l.StreamBuilder, logisticConstants)(b, section, a)
}

// logistic is the problem with its model in the form that can be minimised.
type logistic struct{ *problem.Logistic }

func newLogistic(o problem.LogisticOptions, nodes int, set mirror.Set) (logistic, error) {
	p, err := problem.NewLogistic(o, nodes, set)
	return logistic{p}, err
}

// Model implements problem.Modelled.
func (p logistic) Model() problem.Model { return stream.NewLogistic(p.Dim(), p.GradientBound()) }
