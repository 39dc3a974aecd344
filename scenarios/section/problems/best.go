package problems

import (
	"starling/actors/algorithm/mirror"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
)

// BestOn returns the minimiser of a model with decisions from a set, and a text that names the
// comparator of regret. best is nil where the least losses are not known.
func BestOn(model problem.Model, set mirror.Set) (best stream.Minimiser, said string) {
	if m, ok := model.(stream.Minimisable); ok {
		best = m.Within(set)
	}
	if best == nil {
		return nil, "not recorded: the least loss on the set is not known"
	}
	if named, ok := best.(interface{ Against() string }); ok {
		return best, "against " + named.Against()
	}
	return best, "against the best decisions of the " + set.Kind()
}

// ModelOf returns the model that has as its losses the costs of a problem of nodes that are
// equals. It returns nil where the costs are of no model.
func ModelOf(p problem.Problem) problem.Model {
	if modelled, ok := p.(problem.Modelled); ok {
		return modelled.Model()
	}
	return nil
}

// BestOf returns the minimiser of the losses of a fixed decision of the set, for a problem of
// nodes without a server; nil where the least losses are not known.
func BestOf(p problem.Problem) stream.Minimiser {
	best, _ := BestOn(ModelOf(p), p.Set())
	return best
}
