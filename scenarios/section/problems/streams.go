package problems

import (
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// StreamModel is what online federated learning learns.
type StreamModel interface {
	stream.Model
	// GradientBound is B_g, +Inf where the losses have none of their own.
	GradientBound() float64
}

// Stream is a checked problem of online federated learning.
type Stream struct {
	Model StreamModel
	// Minimiser finds what regret compares with; nil where that is not known, and
	// no regret is recorded.
	Minimiser  stream.Minimiser
	Smoothness float64 // L, of convex losses; 0 where they are not known to be
	Convexity  float64 // mu, of strongly convex losses; 0 where they are not known to be
	Draw       func(seed uint64, shape stream.Shape) (stream.Instance, error)
	// Check tells why no seed can draw so much, where one can tell beforehand.
	Check func(shape stream.Shape) error
	Start func(seed uint64) []float64 // x^0
	// Compared is what regret is to be read with; leftOut stands in place of what
	// needs the optima of rounds, if it is not empty.
	Compared func(c *stream.Comparator, leftOut string) []stream.Note
	Notes    []study.Note
	Warnings []study.Warning
	Images   *Images // nil of a stream that is not of images
}

// Trained is the model that is learned, nil where it is none of package model.
func (p *Stream) Trained() *study.TrainedModel {
	if p.Images == nil {
		return nil
	}
	return p.Images.Trained("x")
}

// BuildStreamOf builds the stream of data that learners meet.
func BuildStreamOf(b *study.Builder, a *study.ArmFile, found *study.Faults) *Stream {
	if a.Problem == nil {
		return nil
	}
	return study.Shared(b, streamKey{a.Nodes, a.Problem.Text()}, func() (*Stream, bool) {
		build, err := kind.Find[StreamBuilder](b.Kinds.Problems, a.Problem, "the algorithm ofl")
		if !found.Note(err) {
			return nil, false
		}
		p, err := build(b, a.Problem, a.Nodes)
		if !found.Note(err) {
			return nil, false
		}
		if !b.Usage.Take(&b.Usage.Coordinates, limits.Product(2, a.Nodes, p.Model.Dim()), limits.Coordinates) {
			found.At(a.Problem.Path(), "the learners of all arms have over %d coordinates", limits.Coordinates)
			return nil, false
		}
		return p, true
	})
}

// StreamBuilder builds a problem of learners who meet a datum a step.
type StreamBuilder = func(b *study.Builder, section *document.Node, learners int) (*Stream, error)

// streamKey names a problem.
type streamKey struct {
	learners int
	text     string
}

// streamSection is the problem section of a stream.
type streamSection struct {
	Kind    string                  `yaml:"kind,required"`
	Set     *document.Node          `yaml:"set" doc:"Omega, the compact convex set that decisions are from: dpdonc needs it, and others decide in all of R^d and refuse it"`
	Options stream.SyntheticOptions `yaml:",inline"`
}

// DefaultStream returns the section problem of a synthetic stream with the values of
// keys that are absent.
func DefaultStream() streamSection {
	return streamSection{Options: stream.DefaultSyntheticOptions()}
}

// BuildStream has learners meet data of a logistic law.
func BuildStream(b *study.Builder, section *document.Node, learners int) (*Stream, error) {
	if err := refuseSet(section); err != nil {
		return nil, err
	}
	return newStream(b, section, learners)
}

func newStream(_ *study.Builder, section *document.Node, learners int) (*Stream, error) {
	s := DefaultStream()
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	if s.Options.Dimension > limits.Dimension {
		return nil, section.Resolve(document.At("dimension", "dimension %d; want 1 to %d", s.Options.Dimension, limits.Dimension))
	}
	p, err := stream.NewSyntheticLogistic(s.Options, learners)
	if err != nil {
		return nil, section.Resolve(err)
	}
	model := p.Model()
	return &Stream{
		Model: model, Minimiser: model, Smoothness: model.Smoothness(), Convexity: model.StrongConvexity(), Compared: model.Notes,
		Draw:  func(seed uint64, _ stream.Shape) (stream.Instance, error) { return p.Draw(seed), nil },
		Check: func(stream.Shape) error { return nil },
		Start: func(uint64) []float64 { return make([]float64, model.Dim()) },
	}, nil
}

// BuildImageStream has learners meet images, one a step.
func BuildImageStream(b *study.Builder, section *document.Node, learners int) (*Stream, error) {
	if err := refuseSet(section); err != nil {
		return nil, err
	}
	return newImageStream(b, section, learners)
}

func newImageStream(b *study.Builder, section *document.Node, _ int) (*Stream, error) {
	p, err := NewPictures(b, section)
	if err != nil {
		return nil, err
	}
	draw := func(seed uint64, shape stream.Shape) (stream.Instance, error) {
		return p.Problem.Stream(seed, shape)
	}
	return &Stream{
		Model: p.Problem.Model().Online(),
		Draw:  draw,
		Check: func(shape stream.Shape) error {
			_, err := draw(b.Seeds.Base, shape)
			return err
		},
		Start:    p.Problem.Start,
		Notes:    append(p.Notes[:len(p.Notes):len(p.Notes)], study.Note{Key: "regret", Value: "not recorded: the least loss of a network in hindsight is not known"}),
		Warnings: p.Warnings,
		Images:   p,
	}, nil
}
