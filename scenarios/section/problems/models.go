package problems

import (
	"math"

	"starling/scenarios/document"
	"starling/scenarios/problem/vector"
)

// Learned returns a stream with the fields that follow from its model. o is the section
// problem.model, and data has the known facts of the data. The caller adds the data: Draw,
// Check, Tests, Held, Notes and Warnings. Faults have their places in the section of the
// problem.
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
	// The smoothness of softmax is left out. An algorithm that takes many steps between
	// releases has its sensitivity from convex losses, and clipped gradients of softmax are
	// the gradients of no convex loss.
	if smooth := m.Smoothness(); m.Predicts() != vector.Class && !math.IsInf(smooth, 1) {
		p.Smoothness = smooth
	}
	p.compare(vector.Best(m, nil))
	return p, nil
}
