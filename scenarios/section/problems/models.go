package problems

import (
	"math"

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
	// That of softmax is left out: its clipped gradients are those of no convex loss, on
	// which the sensitivity of whoever takes many steps between releases rests.
	if smooth := m.Smoothness(); m.Predicts() != vector.Class && !math.IsInf(smooth, 1) {
		p.Smoothness = smooth
	}
	p.compare(vector.Best(m, nil))
	return p, nil
}
