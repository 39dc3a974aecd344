package scenarios

import (
	"starling/scenarios/document"
	"starling/scenarios/meter/federated"
	"starling/scenarios/problem/stream"
)

// oflModel is what online federated learning learns.
type oflModel interface {
	stream.Model
	// GradientBound is B_g, +Inf where the losses have none of their own.
	GradientBound() float64
}

// oflProblem is a checked problem of online federated learning.
type oflProblem struct {
	model oflModel
	// minimiser finds what regret compares with; nil where that is not known, and
	// no regret is recorded.
	minimiser  stream.Minimiser
	smoothness float64 // L, of convex losses; 0 where they are not known to be
	convexity  float64 // mu, of strongly convex losses; 0 where they are not known to be
	draw       func(seed uint64, shape stream.Shape) (stream.Instance, error)
	// check tells why no seed can draw so much, where one can tell beforehand.
	check func(shape stream.Shape) error
	start func(seed uint64) []float64 // x^0
	// compared is what regret is to be read with; leftOut stands in place of what
	// needs the optima of rounds, if it is not empty.
	compared func(c *stream.Comparator, leftOut string) []stream.Note
	notes    []note
	warnings []warning
	images   *imagesPlan // nil of a stream that is not of images
}

// trained is the model that is learned, nil where it is none of package model.
func (p *oflProblem) trained() *trainedModel {
	if p.images == nil {
		return nil
	}
	return p.images.trained("x")
}

// records tells whether a metric is recorded: regret needs something to compare
// with.
func (p *oflPlan) records(a *armFile, metric string) bool {
	if p.stream.minimiser == nil && (metric == federated.RegretDynamic || metric == federated.RegretStatic) {
		return false
	}
	return a.Measure.Records(metric)
}

// stream builds the stream of data that learners meet.
func (b *builder) stream(a *armFile, found *faults) *oflProblem {
	if a.Problem == nil {
		return nil
	}
	return shared(b, streamKey{a.Nodes, a.Problem.Text()}, func() (*oflProblem, bool) {
		build, err := find[streamBuilder](b.kinds.problems, a.Problem, "the algorithm ofl")
		if !found.note(err) {
			return nil, false
		}
		p, err := build(b, a.Problem, a.Nodes)
		if !found.note(err) {
			return nil, false
		}
		if !b.usage.take(&b.usage.coordinates, product(2, a.Nodes, p.model.Dim()), mostCoordinates) {
			found.at(a.Problem.Path(), "the learners of all arms have over %d coordinates", mostCoordinates)
			return nil, false
		}
		return p, true
	})
}

// streamBuilder builds a problem of learners who meet a datum a step.
type streamBuilder = func(b *builder, section *document.Node, learners int) (*oflProblem, error)

// streamKey names a problem.
type streamKey struct {
	learners int
	text     string
}

// streamSection is the problem section of a stream.
type streamSection struct {
	Kind    string                  `yaml:"kind,required"`
	Options stream.SyntheticOptions `yaml:",inline"`
}

func defaultStream() streamSection {
	return streamSection{Options: stream.DefaultSyntheticOptions()}
}

func buildStream(_ *builder, section *document.Node, learners int) (*oflProblem, error) {
	s := defaultStream()
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	if s.Options.Dimension > mostDimension {
		return nil, section.Resolve(document.At("dimension", "dimension %d; want 1 to %d", s.Options.Dimension, mostDimension))
	}
	p, err := stream.NewSyntheticLogistic(s.Options, learners)
	if err != nil {
		return nil, section.Resolve(err)
	}
	model := p.Model()
	return &oflProblem{
		model: model, minimiser: model, smoothness: model.Smoothness(), convexity: model.StrongConvexity(), compared: model.Notes,
		draw:  func(seed uint64, _ stream.Shape) (stream.Instance, error) { return p.Draw(seed), nil },
		check: func(stream.Shape) error { return nil },
		start: func(uint64) []float64 { return make([]float64, model.Dim()) },
	}, nil
}

// buildImageStream has learners meet images, one a step.
func buildImageStream(b *builder, section *document.Node, _ int) (*oflProblem, error) {
	p, err := b.images(section)
	if err != nil {
		return nil, err
	}
	draw := func(seed uint64, shape stream.Shape) (stream.Instance, error) {
		return p.problem.Stream(seed, shape)
	}
	return &oflProblem{
		model: p.problem.Model().Online(),
		draw:  draw,
		check: func(shape stream.Shape) error {
			_, err := draw(b.seeds.Base, shape)
			return err
		},
		start:    p.problem.Start,
		notes:    append(p.notes[:len(p.notes):len(p.notes)], note{"regret", "not recorded: the least loss of a network in hindsight is not known"}),
		warnings: p.warnings,
		images:   p,
	}, nil
}

// dataKey names the data of a seed: arms with one key share comparators.
type dataKey struct {
	problem string
	shape   stream.Shape
	seed    uint64
}

// comparator returns what regret on the data of a seed compares with, shared by
// the arms that meet the same data.
func (b *builder) comparator(a *armFile, p *oflPlan) func(uint64, stream.Instance) *stream.Comparator {
	text, memo := a.Problem.Text(), runMemo[dataKey, *stream.Comparator](b)
	return func(seed uint64, instance stream.Instance) *stream.Comparator {
		return memo.Get(dataKey{text, p.shape, seed}, func() *stream.Comparator {
			return stream.NewComparator(p.stream.minimiser, instance, p.shape)
		})
	}
}
