package standard

import (
	"errors"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Clients of prediction from experts decide on the simplex, and their losses need not be
// losses of experts. Any convex losses will do if the entries of gradients are at most alpha
// in absolute value, and change by at most beta for a distance of 1 in 1-norm.

// constants returns alpha and beta of a stream with decisions on the simplex. The error names
// options with which the stream has them.
type constants func(section *document.Node, p *problems.Stream) (alpha, beta float64, err error)

// onSimplex returns the builder of losses from a stream: clients meet its data, a datum a
// step, and decide on the simplex. A set that the section names has to be the simplex.
func onSimplex(build problems.StreamBuilder, of constants) problems.AdversaryBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
		p, err := inSet(build)(b, section, a)
		if err != nil {
			return nil, err
		}
		if p, err = withinSimplex(p, section); err != nil {
			return nil, err
		}
		alpha, beta, err := of(section, p)
		if err = errors.Join(section.Resolve(err), section.Resolve(once(p, a, "prediction on the simplex")), section.Resolve(p.Check(stream.Shape{Learners: a.Nodes, Rounds: a.Horizon, Tau: 1}))); err != nil {
			return nil, err
		}
		shape := func(horizon int) stream.Shape { return stream.Shape{Learners: a.Nodes, Rounds: horizon, Tau: 1} }
		adversary := &problems.Adversary{
			Experts: p.Model.Dim(), Alpha: alpha, Beta: beta, Model: p.Model, Tests: p.Tests, Validates: p.Validates, Classifies: p.Classifies(),
			Notes: p.Notes, Warnings: p.Warnings, Held: p.Held,
			Draw: func(seed uint64, horizon int) (problem.Instance, error) {
				data, err := p.Kept(nil, seed, shape(horizon), stream.Reads{Again: true})
				if err != nil {
					return nil, err
				}
				return stream.NewCosts(p.Model, data, a.Nodes), nil
			},
		}
		if p.Minimiser != nil {
			adversary.Least = func(seed uint64, horizon int) (float64, error) {
				data, err := p.Draw(seed, shape(horizon))
				if err != nil {
					return 0, err
				}
				return stream.StaticOptimum(p.Minimiser, data, shape(horizon)).Known(), nil
			}
		}
		return adversary, nil
	}
}

// withinSimplex returns the stream with decisions from the simplex. It refuses another set.
func withinSimplex(p *problems.Stream, section *document.Node) (*problems.Stream, error) {
	if p.Set != nil && p.Set.Kind() != mirror.KindSimplex {
		return nil, section.Resolve(document.At("set", "this algorithm decides on the simplex; give set: {kind: %s, dimension: %d}", mirror.KindSimplex, p.Model.Dim()))
	}
	if p.Set != nil {
		return p, nil
	}
	simplex, err := mirror.NewSimplex(p.Model.Dim())
	if err != nil {
		return nil, section.Resolve(err)
	}
	return within(p, simplex), nil
}

// logisticConstants returns the constants of logistic. A gradient, and so each of its entries,
// is no longer than the longest features A. The Hessian is s(1-s) a a' with s in (0, 1), which
// takes u to a vector of entries within |a|_inf^2 ||u||_1/4, at most A^2/4 of its 1-norm.
func logisticConstants(_ *document.Node, p *problems.Stream) (alpha, beta float64, err error) {
	return p.GradientBound, p.GradientBound * p.GradientBound / 4, nil
}

// rounded is the most by which entries of gradients in single precision exceed 1: two
// roundings by half of the last bit, and their products.
const rounded = 0x1p-22

// softmaxConstants returns the constants of images with a softmax model. The values a are in
// [0, 1] and stand beside a 1 for the offsets. The entry of a gradient for a class c and a
// value is (p_c - y_c) a_k, within 1. With M = diag(p) - p p', with entries within 1/4, the
// Hessian takes u, of a part u_c a class, to a_k sum_e M_ce <u_e, a>, within ||u||_1/4. With
// layers before the softmax there is neither bound, and losses are not convex.
func softmaxConstants(section *document.Node, p *problems.Stream) (alpha, beta float64, err error) {
	if weights, ok := weightsNode(section); ok && weights.Kind() != document.Null {
		return 0, 0, document.At("model.weights", "a run begins at a point of the simplex, algorithm.start; leave weights out")
	}
	if p.Trained == nil { // a model of rows
		return smoothConstants(p)
	}
	if p.Random {
		return 0, 0, document.At("model.kind", "losses of hidden layers are not convex and their gradients have no bound; give model: {kind: %s}", modelSoftmax)
	}
	return 1 + rounded, 0.25, nil
}
