package problems

import (
	"errors"

	"starling/actors/algorithm/mirror"
	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/study"
)

// problemSection is the section of a problem: the keys of every problem, and the options of
// one.
type problemSection[O any] struct {
	Kind    string         `yaml:"kind,required"`
	Set     *document.Node `yaml:"set,required" example:"{kind: l2-ball, dimension: 2, radius: 3}" doc:"Omega, the convex set that decisions are from"`
	Options O              `yaml:",inline"`
}

// DefaultProblem returns the section of a problem with its default options, for the catalog.
func DefaultProblem[O any](defaults func() O) problemSection[O] {
	return problemSection[O]{Options: defaults()}
}

// Of returns the piece of a problem of nodes without a server, from its default options and its
// constructor.
func Of[O any, P problem.Problem](defaults func() O, construct func(O, int, mirror.Set) (P, error)) study.ProblemBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
		s := DefaultProblem(defaults)
		err := document.Decode(section, &s)
		if s.Set == nil {
			return nil, err
		}
		set, setErr := Build(b.Kinds, s.Set, 0)
		if err = errors.Join(err, setErr); err != nil {
			return nil, section.Resolve(err)
		}
		if limits.Product(a.Nodes, set.Dim()) > limits.Coordinates {
			return nil, s.Set.Issuef("%d nodes in %d dimensions; want at most %d coordinates in all", a.Nodes, set.Dim(), limits.Coordinates)
		}
		p, err := construct(s.Options, a.Nodes, set)
		if err != nil {
			return nil, section.Resolve(err)
		}
		return p, nil
	}
}
