package standard

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"starling/actors/algorithm/mirror"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/model"
	"starling/scenarios/problem/stream"
	"starling/scenarios/problem/vector"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// once refuses data that are met several times, for algorithms that do not account for it.
func once(p *problems.Stream, a *study.ArmFile, whom string) error {
	met, err := p.Participation(a.Nodes, a.Horizon)
	if err == nil && met.Times > 1 {
		err = document.At("reuse", "a row is met %d times in %d steps, and %s does not account for the loss of that; want fewer steps, or more rows", met.Times, a.Horizon, whom)
	}
	return err
}

// streamSection is the problem section of a stream.
type streamSection struct {
	Kind    string                  `yaml:"kind,required"`
	Set     *document.Node          `yaml:"set" doc:"Omega, the compact convex set that decisions are from: nodes without a server need it, learners of a stream play projections on it, and those who draw batches project local steps on it, where it is given, and opestoch decides on the simplex with it or without; absent, none"`
	Model   *document.Node          `yaml:"model" doc:"model of rows that learns the data in place of logistic regression, and has its own l2; labels are -1 and 1, or of classes 0 and 1; absent, logistic regression with a ridge term of l2"`
	Options stream.SyntheticOptions `yaml:",inline"`
}

// DefaultStream returns the section problem of a synthetic stream with the values of
// keys that are absent.
func DefaultStream() streamSection {
	return streamSection{Options: stream.DefaultSyntheticOptions()}
}

// ForStream returns the piece of synthetic-logistic in the catalog.
func ForStream() RowSource {
	return ForRows(newStream, "normalise", "features without a bound have gradients without one, on which noise rests; give normalise: true")
}

// newStream is a RowsBuilder of the synthetic logistic stream, with data that are drawn for each
// seed and are different in every step.
func newStream(b *study.Builder, section *document.Node, a *study.ArmFile) (*Rows, error) {
	s := DefaultStream()
	err := document.Decode(section, &s)
	learner, wrong := s.learner(b)
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	if s.Options.Dimension > limits.Dimension {
		return nil, section.Resolve(document.At("dimension", "dimension %d; want 1 to %d", s.Options.Dimension, limits.Dimension))
	}
	p, err := stream.NewSyntheticLogistic(s.Options, a.Nodes)
	if err != nil {
		return nil, section.Resolve(err)
	}
	if p, err = zoned(p, &s.Options, a); err != nil {
		return nil, section.Resolve(err)
	}
	r := &Rows{Learner: learner, Brief: s.Model == nil, Data: vector.Data{Features: s.Options.Dimension, FeatureNorm: math.Inf(1), LabelSize: 1, Classes: 2}}
	if s.Options.Normalise {
		r.Data.FeatureNorm = 1
	}
	data := p.Relabelled(vector.OfSigns(learner.Model.Label()))
	r.Stream = problems.Stream{
		Tests: true, Validates: s.Options.ValidationSamples > 0,
		Draw: func(seed uint64, _ stream.Shape) (problem.Data, error) {
			return data.Draw(seed), nil
		},
		Check:   func(stream.Shape) error { return nil },
		Passing: data.Passing,
		Source:  &stream.Source{Text: section.Text(), Width: s.Options.Dimension + 1, Tests: s.Options.TestSamples},
	}
	vary(&r.Stream, &s.Options, p.CommonRows(), func() float64 { return p.CommonAccuracy(b.Seeds.Base, a.Horizon) })
	return r, nil
}

// zoned returns the stream with the time zones of the clock, if its data differ by zone.
func zoned(p *stream.SyntheticLogistic, o *stream.SyntheticOptions, a *study.ArmFile) (*stream.SyntheticLogistic, error) {
	if o.Variation.Zonal == 0 {
		return p, nil
	}
	if a.Clock == nil || a.Clock.Availability == nil || a.Clock.Availability.Zones == nil {
		return nil, document.At("zonal", "no clients have time zones; want clock.availability.zones, or leave this out")
	}
	of := a.Clock.Availability
	return p.Zoned(func(seed uint64) problem.Zones {
		there := of.Draw(seed, nil)
		return problem.Zones{Count: there.Zones(), Of: func(node int) int { return there.Zone(messages.NodeID(node + 1)) }}
	}), nil
}

// learner returns the model of the section: logistic regression unless the section names one.
func (s *streamSection) learner(b *study.Builder) (Learner, error) {
	if s.Model == nil {
		return Learner{modelKind, &vector.Logistic{Ridge: vector.Ridge{L2: s.Options.L2}}}, nil
	}
	l, err := ReadLearner(b, s.Model)
	if err == nil && s.Options.L2 != 0 {
		err = s.Model.Issuef("l2 = %v belongs to logistic regression without this section; give model.l2 in its place", s.Options.L2)
	}
	return l, err
}

// vary notes the differences from the published law, and how hard they make the problem: the
// accuracy of a common model that is fitted to so many rows. rows is 0 where none is fitted.
func vary(p *problems.Stream, o *stream.SyntheticOptions, rows int, common func() float64) {
	if o.Sizes != nil {
		p.Sizes = o.Sizes.Sizes
	}
	if o.Variation.Drift != nil {
		p.Stays = func() error {
			return document.At("drift", "data that stay have no time in which models could change: leave drift out")
		}
	}
	if o.Variation == (problem.Variation{}) {
		return // the published law
	}
	if rows > 0 {
		p.Hard = []study.Note{{Key: "common-model", Later: sync.OnceValue(func() string {
			return fmt.Sprintf("%.3f of fresh labels, about, are predicted by the best model for all learners (fitted to %d data of all steps)", common(), rows)
		})}}
		p.Notes = append(p.Notes, p.Hard...)
	}
}

// Stream implements problems.AsStream: learners meet images, one a step.
func (Images) Stream(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
	return inSet(newImageStream)(b, section, a)
}

// Losses implements problems.AsLosses, with a softmax model.
func (Images) Losses(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Adversary, error) {
	return onSimplex(newImageStream, softmaxConstants)(b, section, a)
}

func newImageStream(b *study.Builder, section *document.Node, _ *study.ArmFile) (*problems.Stream, error) {
	p, err := newPictures(b, section)
	if err != nil {
		return nil, err
	}
	check := func(shape stream.Shape) error {
		return study.CheckSeeds(b, p.Problem, imageDealing{p.Problem, shape}, shape)
	}
	draw := func(seed uint64, shape stream.Shape) (problem.Data, error) {
		return p.Problem.Stream(seed, shape)
	}
	if p.rows != nil {
		r := Rows{Learner: Learner{p.name, p.rows}, Data: p.rowFacts()}
		r.Stream = problems.Stream{Tests: true, Validates: p.Problem.Validates(), Draw: draw, Check: check, Held: p.Held(), Notes: p.Notes, Warnings: p.Warnings}
		return r.learned(section)
	}
	model := p.Problem.Model().Online()
	return &problems.Stream{
		Model: model, GradientBound: model.GradientBound(), Tests: true, Validates: p.Problem.Validates(),
		Draw:     draw,
		Check:    check,
		Start:    p.Problem.Start,
		Random:   p.Problem.Random(),
		Notes:    append(p.Notes[:len(p.Notes):len(p.Notes)], study.Note{Key: "regret", Value: "not recorded: the least loss of a network in hindsight is not known"}),
		Warnings: p.Warnings,
		Trained:  p.Trained("x"),
		Started:  p.Weights,
		Before:   p.Warm.Before,
		Held:     p.Held(),
	}, nil
}

// imageDealing identifies a division of images among learners.
type imageDealing struct {
	problem *model.ImageProblem
	shape   stream.Shape
}

// inSet returns the builder of streams with decisions in the set that a section names, where
// it names one.
func inSet(build problems.StreamBuilder) problems.StreamBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
		p, err := build(b, section, a)
		if err != nil {
			_, setErr := setOf(b, section, 0)
			return nil, errors.Join(err, setErr)
		}
		set, err := setOf(b, section, p.Model.Dim())
		if err != nil {
			return nil, err
		}
		if set != nil {
			return within(p, set), nil
		}
		if p.Minimiser == nil && p.Trained == nil {
			p.Notes = append(p.Notes[:len(p.Notes):len(p.Notes)], study.Note{Key: "regret", Value: "not recorded: the least loss in hindsight is not known"})
		}
		return p, nil
	}
}

// within returns the stream with decisions from a set instead of R^d. A model without a start
// of its own begins at the centre.
func within(p *problems.Stream, set mirror.Set) *problems.Stream {
	in := *p
	in.Set, in.Minimiser, in.Compared = set, nil, nil
	in.Notes = p.Notes[:len(p.Notes):len(p.Notes)]
	radius := set.MaxDistance(make([]float64, set.Dim()))
	if model, ok := p.Model.(interface{ BoundWithin(radius float64) float64 }); ok {
		in.GradientBound = model.BoundWithin(radius)
	}
	if model, ok := p.Model.(interface{ SmoothnessWithin(radius float64) float64 }); ok {
		if smooth := model.SmoothnessWithin(radius); !math.IsInf(smooth, 1) {
			in.Smoothness = smooth
		}
	}
	if p.Trained == nil && !p.Random {
		in.Start = centreOf(set)
	}
	if p.Trained == nil {
		knowBest(&in)
	}
	return &in
}

// centreOf returns a start at the centre of a set under every seed.
func centreOf(set mirror.Set) func(uint64) []float64 {
	return func(uint64) []float64 {
		x := make([]float64, set.Dim())
		set.Center(x)
		return x
	}
}

// streamOf makes a stream of a problem of nodes without a server: its costs are the loss of one
// model at data. Learners meet these data and decide in the problem's set.
func streamOf(build study.ProblemBuilder) problems.StreamBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (*problems.Stream, error) {
		p, err := build(b, section, a)
		if err != nil {
			return nil, err
		}
		model := problems.ModelOf(p)
		if model == nil {
			return nil, section.Issuef("the costs of %s are not known as the loss of one model at data", p.Kind())
		}
		if l, ok := p.(problem.Placed); ok && l.Follows() {
			return nil, section.Resolve(document.At("sensors.topology", "the learners of a server are nowhere; say where their sensors stand"))
		}
		s := &problems.Stream{
			Model: model, Set: p.Set(), GradientBound: p.GradientBound(), Start: centreOf(p.Set()),
			Check: func(stream.Shape) error { return nil },
			Draw:  func(seed uint64, shape stream.Shape) (problem.Data, error) { return drawn(p, seed, shape) },
		}
		knowBest(s)
		return s, nil
	}
}

// drawn draws the data of a problem of nodes without a server.
func drawn(p problem.Problem, seed uint64, shape stream.Shape) (problem.Data, error) {
	in, err := p.Draw(seed, shape.Steps())
	if err != nil {
		return nil, err
	}
	data, ok := in.(problem.Data)
	if !ok {
		return nil, fmt.Errorf("draw %s: the data are not data of a model", p.Kind())
	}
	return data, nil
}

// knowBest finds out whether the best decisions of the set are known.
func knowBest(p *problems.Stream) {
	best, said := problems.BestOn(p.Model, p.Set)
	compare(p, best)
	_, p.Linear = p.Model.(stream.Linear)
	p.Notes = append(p.Notes, study.Note{Key: "regret", Value: said})
}

// compare sets and notes the least losses that regret is against, where they are known.
func compare(p *problems.Stream, best stream.Minimiser) {
	if best == nil {
		return
	}
	p.Minimiser = best
	if noted, ok := best.(interface {
		Notes(*stream.Comparator, string) []stream.Note
	}); ok {
		p.Compared = noted.Notes
	}
}
