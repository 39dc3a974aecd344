package problems

import (
	"starling/scenarios/document"
	"starling/scenarios/problem/vector"
)

// Learned is a stream as far as its model says it: the section problem.model, which a
// section has as vector.Options, for data of which so much is known. The caller adds the
// data: Draw, Check, Tests, Held, Notes and Warnings. Faults have their places in the
// section of the problem.
func Learned(section *document.Node, o vector.Options, data vector.Data) (*Stream, error) {
	m, err := vector.New(o, data)
	if err != nil {
		if node, ok := section.Get("model"); ok {
			section = node
		}
		return nil, section.Resolve(err)
	}
	p := &Stream{
		Model: m, GradientBound: m.GradientBound(), Convexity: m.StrongConvexity(), Random: !m.Convex(),
		Start: func(seed uint64) []float64 {
			x := make([]float64, m.Dim())
			m.Start(x, seed)
			return x
		},
	}
	if m.Convex() {
		p.Smoothness = m.Smoothness()
	}
	return p, nil
}
