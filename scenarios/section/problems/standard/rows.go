package standard

import (
	"fmt"
	"math"

	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/problem"
	"starling/scenarios/problem/vector"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// A source of rows has features and a label of each datum, which any model of the catalog
// learns. All algorithms take it: nodes without a server and learners of a server meet a row a
// step, clients that draw batches keep their rows, and clients of prediction decide on the
// simplex.

// Rows are the rows of a section, with the model that learns them.
type Rows struct {
	Learner
	// Data has the facts that are known of all rows.
	Data vector.Data
	// Stream has the rows, with labels of the form that the model needs: Draw, Check, Tests,
	// Held, Notes and Warnings, and the optional fields that do not depend on the model.
	Stream problems.Stream
	// Brief is true if nodes without a server note the hardness of the problem alone.
	Brief bool
}

// Learner is a model of rows as a section names it.
type Learner struct {
	Kind  string // name of its kind
	Model vector.Section
}

// RowsBuilder builds a source of rows.
type RowsBuilder func(b *study.Builder, section *document.Node, a *study.ArmFile) (*Rows, error)

// UnboundedRows is the error of losses on the simplex of rows with a key feature_bound.
const UnboundedRows = "gradients have no bound, on which noise rests; give feature_bound, and label_bound where labels are numbers"

// modelKind is the kind of a section problem.model that names none.
const modelKind = "logistic"

// ReadLearner reads the section problem.model: the kind that it names, and its keys.
func ReadLearner(b *study.Builder, section *document.Node) (l Learner, err error) {
	l.Kind, l.Model, err = kind.AsOr[vector.Section](b.Kinds.Models, section, modelKind, "rows")
	return l, err
}

// RowSource is a source of rows in the forms in which algorithms take it. Clients that draw
// batches keep the first rows of the stream, unless the kind has a corpus of its own.
type RowSource struct {
	build          RowsBuilder
	key, unbounded string
}

// ForRows returns the forms of a source of rows. Prediction on the simplex needs a bound on
// gradients; where there is none, unbounded is the error at a key of the section.
func ForRows(build RowsBuilder, key, unbounded string) RowSource {
	return RowSource{build, key, unbounded}
}

// Stream implements problems.AsStream: learners meet a row a step.
func (r RowSource) Stream(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
	return inSet(r.stream)(b, section, a)
}

// stream returns the stream without a set.
func (r RowSource) stream(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
	rows, err := r.build(b, section, a)
	if err != nil {
		return nil, err
	}
	return rows.learned(section)
}

// Losses implements problems.AsLosses: clients meet a row a step.
func (r RowSource) Losses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	return onSimplex(r.stream, func(_ *document.Node, p *problems.Stream) (alpha, beta float64, err error) {
		if math.IsInf(p.GradientBound, 1) && !p.Random {
			return 0, 0, document.At(r.key, "%s", r.unbounded)
		}
		return smoothConstants(p)
	})(b, section, a)
}

// Costs implements study.AsCosts: nodes meet a row a step.
func (r RowSource) Costs(b *study.Builder, section *document.Node, a *study.ArmFile) (problem.Problem, error) {
	brief := false
	c, p, err := streamCosts(b, section, a, func(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
		rows, err := r.build(b, section, a)
		if err != nil {
			return nil, err
		}
		brief = rows.Brief
		return rows.learned(section)
	})
	if err != nil {
		return nil, err
	}
	if !brief {
		c.notes = p.Notes
	}
	return c, nil
}

// learned returns the stream with the fields that follow from the model. Faults have their
// places in the section of the problem.
func (r *Rows) learned(section *document.Node) (*problems.Stream, error) {
	m, err := r.Model.Model(r.Data)
	if err != nil {
		if node, ok := section.Get("model"); ok {
			section = node
		}
		return nil, section.Resolve(err)
	}
	p := r.Stream
	p.Model, p.GradientBound, p.Convexity, p.Random = m, m.GradientBound(), m.StrongConvexity(), !m.Convex()
	p.Start = func(seed uint64) []float64 {
		x := make([]float64, m.Dim())
		m.Start(x, seed)
		return x
	}
	// The smoothness of softmax is left out. An algorithm that takes many steps between
	// releases has its sensitivity from convex losses, and clipped gradients of softmax are
	// the gradients of no convex loss.
	if smooth := m.Smoothness(); m.Predicts() != vector.Class && !math.IsInf(smooth, 1) {
		p.Smoothness = smooth
	}
	compare(&p, m.Within(nil))
	if _, named := section.Get("model"); named {
		p.Notes = append(p.Notes[:len(p.Notes):len(p.Notes)], parameters(m, r.Kind))
	}
	return &p, nil
}

// parameters notes the number of parameters of a model, and its kind.
func parameters(m problem.Model, kind string) study.Note {
	return study.Note{Key: "parameters", Value: fmt.Sprintf("%d, of %s", m.Dim(), kind)}
}

// smoothConstants returns the constants of a model of rows on the simplex. A bound on the
// 2-norm of a gradient bounds its entries, and a 2-norm is no longer than the 1-norm: both
// constants in 2-norm are constants here. A ridge term adds l2 to each, as no entry of x is
// above 1.
func smoothConstants(p *problems.Stream) (alpha, beta float64, err error) {
	if p.Smoothness == 0 || math.IsInf(p.Smoothness, 1) || math.IsInf(p.GradientBound, 1) {
		return 0, 0, document.At("model", "losses that are convex and smooth are needed; give a smooth convex model")
	}
	return p.GradientBound, p.Smoothness, nil
}
