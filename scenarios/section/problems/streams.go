package problems

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/factorization"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/images"
	"starling/scenarios/problem/stream"
	"starling/scenarios/study"
)

// Stream is a checked problem of online federated learning.
type Stream struct {
	Model stream.Model
	// Set is Omega, the set that decisions are from; nil means all of R^d.
	Set mirror.Set
	// GradientBound is B_g: no gradient on the set is longer in 2-norm. It is +Inf where
	// the losses have no bound of their own.
	GradientBound float64
	// Minimiser finds the best decisions of the set, with which regret compares. It is nil
	// where they are not known; then no regret is recorded.
	Minimiser  stream.Minimiser
	Smoothness float64 // L, of convex losses; 0 where losses are not known to be convex
	Convexity  float64 // mu, of strongly convex losses; 0 where losses are not known to be so
	Linear     bool    // losses are <l, x>: a gradient is the same at all x
	Tests      bool    // the data are a stream.Tester
	Draw       func(seed uint64, shape stream.Shape) (stream.Instance, error)
	// Check returns an error if it is known beforehand that no seed can draw so many data.
	Check func(shape stream.Shape) error
	Start func(seed uint64) []float64 // x^0
	// Repeats returns the number of steps of a run in which the same datum may be met, under
	// any seed, and how far apart they are; nil means one step. The privacy loss of a datum
	// grows with the number. Algorithms that account for it call BuildRepeatedStreamOf.
	Repeats func(learners, steps int) (factorization.Participation, error)
	// Random is true if x^0 is drawn for each seed and a run from a fixed point such as 0
	// would learn nothing, as with networks with hidden layers.
	Random bool
	// Compared returns notes that help to read the regret; nil means none. leftOut, if it is
	// not empty, replaces the notes that need the optima of rounds.
	Compared func(c *stream.Comparator, leftOut string) []stream.Note
	Notes    []study.Note
	Hard     []study.Note // notes on the hardness of the problem
	Warnings []study.Warning
	Images   *Images // nil if the stream is not of images
	Held     float64 // about the bytes of data that all jobs share
	// Sizes returns the number of data of each party, with the given mean, where data stay.
	// nil means the same number for all.
	Sizes func(parties, mean int) []int
	// Stays returns the reason that the data cannot stay with parties; nil where they can.
	Stays func() error
	// Source keeps drawn data; nil where data are in memory already.
	Source *stream.Source
	// Asked, unless it is nil, lists the questions that instances answer themselves, for many
	// decisions at once, as a problem.Many. The model is then asked for gradients alone.
	Asked *Asked
	// Fixed is true if no key of the section is the dimension. Audits then hold all parameters
	// but the first few.
	Fixed bool
}

// Asked lists the answers that instances give beside losses and gradients. Fresh: the losses
// of fresh data. Tries: which fresh data a decision classifies right. Best: least losses, as a
// federated.Comparator and by BestIn(first, last), the paper's steps from 1.
type Asked struct{ Fresh, Tries, Best bool }

// classifies reports whether there are fresh data with labels that the model predicts.
func (p *Stream) classifies() bool {
	_, labels := p.Model.(stream.Classifier)
	return p.Tests && labels
}

// Trained describes the model that is learned, nil where it is not of package model.
func (p *Stream) Trained() *study.TrainedModel {
	if p.Images == nil {
		return nil
	}
	return p.Images.Trained("x")
}

// Participation returns the number and distance of the steps in which a datum may be met.
func (p *Stream) Participation(learners, steps int) (factorization.Participation, error) {
	if p.Repeats == nil {
		return factorization.Once, nil
	}
	return p.Repeats(learners, steps)
}

// once refuses data that are met several times, for algorithms that do not account for it.
func (p *Stream) once(a *study.ArmFile, whom string) error {
	met, err := p.Participation(a.Nodes, a.Horizon)
	if err == nil && met.Times > 1 {
		err = document.At("reuse", "a row is met %d times in %d steps, and what that costs %s does not account for; want fewer steps, or more rows", met.Times, a.Horizon, whom)
	}
	return err
}

// BuildRepeatedStreamOf builds the stream of data that learners meet, for algorithms that
// account for data that are met several times; see Stream.Repeats. algorithm is the
// algorithm's name in errors.
func BuildRepeatedStreamOf(b *study.Builder, a *study.ArmFile, algorithm string, found *study.Faults) *Stream {
	if a.Problem == nil {
		return nil
	}
	return study.Shared(b, streamKey{a.Nodes, a.Horizon, a.Problem.Text()}, func() (*Stream, bool) {
		build, err := kind.Find[StreamBuilder](b.Kinds.Problems, a.Problem, "the algorithm "+algorithm)
		if !found.Note(err) {
			return nil, false
		}
		p, err := build(b, a.Problem, a)
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

// StreamBuilder builds a problem of learners that meet a datum a step.
type StreamBuilder = func(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error)

// streamKey identifies a problem.
type streamKey struct {
	// text is the text of the section. Arms with the same text and size share the stream.
	learners, horizon int
	text              string
}

// streamSection is the problem section of a stream.
type streamSection struct {
	Kind    string                  `yaml:"kind,required"`
	Set     *document.Node          `yaml:"set" doc:"Omega, the compact convex set that decisions are from: nodes that are equals need it, learners of a stream play projections on it, and those who draw batches project local steps on it, where it is given, and opestoch decides on the simplex with it or without; absent, none"`
	Options stream.SyntheticOptions `yaml:",inline"`
}

// DefaultStream returns the section problem of a synthetic stream with the values of
// keys that are absent.
func DefaultStream() streamSection {
	return streamSection{Options: stream.DefaultSyntheticOptions()}
}

// BuildStream builds the stream of learners that meet data of a logistic law.
var BuildStream = inSet(newStream)

// newStream returns the synthetic logistic stream, with data that are drawn for each seed and
// are different in every step.
func newStream(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error) {
	s := DefaultStream()
	if err := document.Decode(section, &s); err != nil {
		return nil, err
	}
	if s.Options.Dimension > limits.Dimension {
		return nil, section.Resolve(document.At("dimension", "dimension %d; want 1 to %d", s.Options.Dimension, limits.Dimension))
	}
	p, err := stream.NewSyntheticLogistic(s.Options, a.Nodes)
	if err != nil {
		return nil, section.Resolve(err)
	}
	model := p.Model()
	in := &Stream{
		Model: model, GradientBound: model.GradientBound(), Tests: true, Minimiser: model, Smoothness: model.Smoothness(), Convexity: model.StrongConvexity(), Compared: model.Notes,
		Draw:   func(seed uint64, _ stream.Shape) (stream.Instance, error) { return p.Draw(seed), nil },
		Check:  func(stream.Shape) error { return nil },
		Start:  func(uint64) []float64 { return make([]float64, model.Dim()) },
		Source: &stream.Source{Text: section.Text(), Width: s.Options.Dimension + 1, Tests: s.Options.TestSamples},
	}
	in.vary(&s.Options, p.CommonRows(), func() float64 { return p.CommonAccuracy(b.Seeds.Base, a.Horizon) })
	return in, nil
}

// vary notes the differences from the published law, and how hard they make the problem: the
// accuracy of a common model that is fitted to so many rows. rows is 0 where none is fitted.
func (p *Stream) vary(o *stream.SyntheticOptions, rows int, common func() float64) {
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

// BuildImageStream builds the stream of learners that meet images, one a step.
var BuildImageStream = inSet(newImageStream)

func newImageStream(b *study.Builder, section *document.Node, _ *study.ArmFile) (*Stream, error) {
	p, err := newPictures(b, section)
	if err != nil {
		return nil, err
	}
	draw := func(seed uint64, shape stream.Shape) (stream.Instance, error) {
		return p.Problem.Stream(seed, shape)
	}
	model := p.Problem.Model().Online()
	return &Stream{
		Model: model, GradientBound: model.GradientBound(), Tests: true,
		Draw: draw,
		Check: func(shape stream.Shape) error {
			return study.CheckSeeds(b, p.Problem, imageDealing{p.Problem, shape}, shape)
		},
		Start:    p.Problem.Start,
		Random:   p.Problem.Random(),
		Notes:    append(p.Notes[:len(p.Notes):len(p.Notes)], study.Note{Key: "regret", Value: "not recorded: the least loss of a network in hindsight is not known"}),
		Warnings: p.Warnings,
		Images:   p,
		Held:     p.Held(),
	}, nil
}

// imageDealing identifies a division of images among learners.
type imageDealing struct {
	problem *images.Problem
	shape   stream.Shape
}

// inSet returns the builder of streams with decisions in the set that a section names, where
// it names one.
func inSet(build StreamBuilder) StreamBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error) {
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
			return p.within(set), nil
		}
		if p.Minimiser == nil && p.Images == nil {
			p.Notes = append(p.Notes[:len(p.Notes):len(p.Notes)], study.Note{Key: "regret", Value: "not recorded: the least loss in hindsight is not known"})
		}
		return p, nil
	}
}

// within returns the stream with decisions from a set instead of R^d. A model without a start
// of its own begins at the centre.
func (p *Stream) within(set mirror.Set) *Stream {
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
	if p.Images == nil && !p.Random {
		in.Start = centreOf(set)
	}
	if p.Images == nil {
		in.knowBest()
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

// streamOf makes a stream of a problem of nodes that are equals: its costs are the loss of one
// model at data. Learners meet these data and decide in the problem's set.
func streamOf(build study.ProblemBuilder) StreamBuilder {
	return func(b *study.Builder, section *document.Node, a *study.ArmFile) (*Stream, error) {
		p, err := build(b, section, a)
		if err != nil {
			return nil, err
		}
		model := modelOf(p)
		if model == nil {
			return nil, section.Issuef("the costs of %s are not known as the loss of one model at data", p.Kind())
		}
		if l, ok := p.(*problem.Localization); ok && l.Follows() {
			return nil, section.Resolve(document.At("sensors.topology", "the learners of a server are nowhere; say where their sensors stand"))
		}
		s := &Stream{
			Model: model, Set: p.Set(), GradientBound: p.GradientBound(), Start: centreOf(p.Set()),
			Check: func(stream.Shape) error { return nil },
			Draw:  func(seed uint64, shape stream.Shape) (stream.Instance, error) { return drawn(p, seed, shape) },
		}
		if c, ok := p.(*costs); ok {
			s.Notes, s.Warnings, s.Held = c.notes[:len(c.notes):len(c.notes)], c.warnings, c.held
		}
		s.knowBest()
		return s, nil
	}
}

// drawn draws the data of a problem of nodes that are equals.
func drawn(p problem.Problem, seed uint64, shape stream.Shape) (stream.Instance, error) {
	in, err := p.Draw(seed, shape.Steps())
	if err != nil {
		return nil, err
	}
	data, ok := in.(problem.Streamed)
	if !ok {
		return nil, fmt.Errorf("draw %s: the data are not those of a model", p.Kind())
	}
	return stream.Of(data), nil
}

// knowBest finds out whether the best decisions of the set are known.
func (p *Stream) knowBest() {
	best, said := bestOn(p.Model, p.Set)
	p.compare(best)
	_, p.Linear = p.Model.(stream.Linear)
	p.Notes = append(p.Notes, study.Note{Key: "regret", Value: said})
}

// compare sets and notes the least losses that regret is against, where they are known.
func (p *Stream) compare(best stream.Minimiser) {
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

// bestOn returns the minimiser of a model with decisions from a set, and a text that names the
// comparator of regret. best is nil where the least losses are not known.
func bestOn(model problem.Model, set mirror.Set) (best stream.Minimiser, said string) {
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

// modelOf returns the model that has as its losses the costs of a problem of nodes that are
// equals. It returns nil where the costs are of no model.
func modelOf(p problem.Problem) problem.Model {
	if modelled, ok := p.(problem.Modelled); ok {
		return modelled.Model()
	}
	return nil
}

// BestOf returns the minimiser of the losses of a fixed decision of the set, for a problem of
// nodes that are equals; nil where the least losses are not known.
func BestOf(p problem.Problem) stream.Minimiser {
	best, _ := bestOn(modelOf(p), p.Set())
	return best
}
