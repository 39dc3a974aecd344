package standard

import (
	"math"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/problem/vector"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// modelKind is the kind of a section problem.model that names none.
const modelKind = "logistic"

// readModel reads the section problem.model: the kind that it names, and its keys.
func readModel(b *study.Builder, section *document.Node) (name string, model vector.Section, err error) {
	return kind.AsOr[vector.Section](b.Kinds.Models, section, modelKind, "rows")
}

// learned returns a stream with the fields that follow from its model, which is the section
// problem.model, for data with the known facts. The caller adds the data: Draw, Check, Tests,
// Held, Notes and Warnings. Faults have their places in the section of the problem.
func learned(section *document.Node, o vector.Section, data vector.Data) (*problems.Stream, error) {
	m, err := o.Model(data)
	if err != nil {
		if node, ok := section.Get("model"); ok {
			section = node
		}
		return nil, section.Resolve(err)
	}
	p := &problems.Stream{
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
	compare(p, m.Within(nil))
	return p, nil
}
