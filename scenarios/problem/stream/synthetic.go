package stream

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/problem"
)

// The uses of randomness in the data. The names are part of every key: to
// change one is to change all results.
var (
	purposeSample = rng.PurposeOf("stream.sample") // the datum of a learner and step
	purposeTest   = rng.PurposeOf("stream.test")   // fresh data of a learner
	// purposeValidation is for fresh data by which keys are chosen.
	purposeValidation = rng.PurposeOf("stream.validation")
)

// The sizes that options can have.
const (
	mostDimension   = 1 << 20
	mostTestSamples = 1 << 20
)

// SyntheticOptions describe a logistic stream. Start from
// DefaultSyntheticOptions.
type SyntheticOptions struct {
	// Dimension is d, the number of features and of parameters.
	Dimension int `yaml:"dimension" unit:"features" range:"at least 1" doc:"number of features, d"`
	// Alpha is the variance of u_i, between the learners' models.
	Alpha float64 `yaml:"alpha" unit:"none" range:"at least 0" doc:"variance between the models of the learners, alpha of synthetic(alpha, beta)"`
	// Beta is the variance of B_i, between the learners' features.
	Beta float64 `yaml:"beta" unit:"none" range:"at least 0" doc:"variance between the features of the learners, beta of synthetic(alpha, beta)"`
	// Normalise scales every feature vector to 2-norm 1, so that no gradient is
	// longer than 1.
	Normalise bool `yaml:"normalise" doc:"scale every feature vector to 2-norm 1, so that no gradient is longer"`
	// L2 is mu of a ridge term mu/2 ||x||^2 in every loss. With it losses are
	// strongly convex, and their gradients have no bound of their own.
	L2 float64 `yaml:"l2" unit:"none" range:"at least 0" doc:"weight of a ridge term l2/2 ||x||^2 in every loss, which makes losses strongly convex; their gradients then have no bound of their own; absent, 0"`
	// TestSamples is the number of fresh data of each learner that measure accuracy.
	TestSamples int `yaml:"test_samples" unit:"samples" range:"at least 0" doc:"fresh samples of each learner at which test accuracy is measured"`
	// ValidationSamples is the number of fresh data of each learner by which keys are chosen.
	ValidationSamples int `yaml:"validation_samples" unit:"samples" range:"at least 0" doc:"fresh samples of each learner for the choice of keys, drawn as those of test_samples are and apart from them; absent, none"`
	// Variation has the learners' shared model, its change over time, and wrong labels.
	Variation problem.Variation `yaml:",inline"`
	// Sizes are the numbers of data of learners where data stay; nil means the same number for
	// all.
	Sizes *PowerLaw `yaml:"sizes" doc:"how many samples each client has where data stay, by a power law; absent, as many each. Where data are met one a step, every learner meets one"`
}

// PowerLaw gives party i, from 1, a part of all data that is proportional to i^-Exponent, and
// at least Least data.
type PowerLaw struct {
	Exponent float64 `yaml:"exponent,required" min:"0" says:"an exponent of %v" unit:"none" doc:"a: client i has a part of all samples proportional to i^-a; 0 is as many each"`
	Least    int     `yaml:"least" min:"1" says:"%v samples at least" unit:"samples" doc:"the fewest samples of a client; absent, 1"`
}

// Sizes returns the number of data of each party. Their mean is mean, except for rounding and
// for Least.
func (l *PowerLaw) Sizes(parties, mean int) []int {
	var all float64
	for i := range parties {
		all += portable.Pow(float64(i+1), -l.Exponent)
	}
	sizes := make([]int, parties)
	for i := range sizes {
		share := portable.Pow(float64(i+1), -l.Exponent) / all
		sizes[i] = max(l.Least, 1, int(math.Round(share*float64(parties)*float64(mean))))
	}
	return sizes
}

// DefaultSyntheticOptions returns synthetic(0.1, 0.1) with normalised features in the paper's
// 100 dimensions. The paper does not print the number of test samples.
func DefaultSyntheticOptions() SyntheticOptions {
	return SyntheticOptions{Dimension: 100, Alpha: 0.1, Beta: 0.1, Normalise: true, TestSamples: 100}
}

// law returns the part of the options that the data share with problem.Logistic. Features that
// are not normalised are left as they are drawn.
func (o SyntheticOptions) law() problem.LogisticOptions {
	if o.Normalise {
		return problem.LogisticOptions{Alpha: o.Alpha, Beta: o.Beta, Normalise: true}
	}
	return problem.LogisticOptions{Alpha: o.Alpha, Beta: o.Beta, FeatureNorm: math.Inf(1)}
}

// Validate reports every option that is wrong, each as an [option.Error].
func (o SyntheticOptions) Validate() error {
	variances := o
	variances.Normalise = true
	return errors.Join(
		requireCount("dimension", o.Dimension, mostDimension),
		requireCount("test_samples", o.TestSamples, mostTestSamples),
		requireUpTo("validation_samples", o.ValidationSamples, mostTestSamples),
		requireWeight("l2", o.L2),
		variances.law().Validate(), o.Variation.Validate())
}

func requireCount(path string, v, most int) error {
	if v >= 1 && v <= most {
		return nil
	}
	return option.Errorf(path, "is %d, want 1 to %d", v, most)
}

func requireUpTo(path string, v, most int) error {
	if v >= 0 && v <= most {
		return nil
	}
	return option.Errorf(path, "is %d, want 0 to %d", v, most)
}

func requireWeight(path string, v float64) error {
	if v >= 0 && !math.IsInf(v, 1) {
		return nil
	}
	return option.Errorf(path, "is %v, want a finite number >= 0", v)
}

// SyntheticLogistic is logistic regression on synthetic(alpha, beta) data of Li et al.
// (FedProx, 2020), as problem.Logistic states them: labels are taken from a model with an
// offset before the features are scaled, and the learned model has no offset.
type SyntheticLogistic struct {
	learners int
	options  SyntheticOptions
	label    func(y float64) float64 // nil leaves labels as they are
	zones    func(seed uint64) problem.Zones
}

// NewSyntheticLogistic builds the stream for a number of learners. Options that do not fit
// are errors, joined: each an [option.Error].
func NewSyntheticLogistic(options SyntheticOptions, learners int) (*SyntheticLogistic, error) {
	if learners < 1 || learners > math.MaxInt32 {
		return nil, fmt.Errorf("logistic stream: %d learners, want 1 to %d", learners, math.MaxInt32)
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	none := func(uint64) problem.Zones { return problem.Zones{} }
	return &SyntheticLogistic{learners: learners, options: options, zones: none}, nil
}

// Relabelled returns the stream with labels that label makes of -1 and 1; nil leaves them as
// they are.
func (p *SyntheticLogistic) Relabelled(label func(y float64) float64) *SyntheticLogistic {
	other := *p
	other.label = label
	return &other
}

// Zoned returns the stream with the time zones of learners under a seed.
func (p *SyntheticLogistic) Zoned(zones func(seed uint64) problem.Zones) *SyntheticLogistic {
	other := *p
	other.zones = zones
	return &other
}

// Model returns the model that is learned.
func (p *SyntheticLogistic) Model() Logistic {
	if p.options.Normalise {
		return NewLogistic(p.options.Dimension, 1).Ridge(p.options.L2)
	}
	return NewLogistic(p.options.Dimension, math.Inf(1)).Ridge(p.options.L2)
}

// Draw makes the data of one seed. It holds 2 n d numbers that describe the
// learners, and no data: each datum is drawn when it is asked for, in about a
// microsecond for d = 100.
func (p *SyntheticLogistic) Draw(seed uint64) Tester {
	return p.drawn(seed, problem.NewSynthetic(p.options.law(), p.options.Variation, seed, p.learners, p.options.Dimension, p.zones(seed)))
}

// Passing is Draw for learners that come and go: it holds nothing for a learner, and gives the
// same bits. It is slow where data of different learners are asked for in turn.
func (p *SyntheticLogistic) Passing(seed uint64) Tester {
	return p.drawn(seed, problem.NewPassing(p.options.law(), p.options.Variation, seed, p.options.Dimension, p.zones(seed)))
}

// drawn returns the data under a law of a seed.
func (p *SyntheticLogistic) drawn(seed uint64, law *problem.Synthetic) Tester {
	return &synthetic{
		law:    law,
		label:  p.label,
		dim:    p.options.Dimension,
		tests:  p.options.TestSamples,
		sample: rng.NewKey(seed, purposeSample),
		fresh:  rng.NewKey(seed, purposeTest),
		chosen: p.options.ValidationSamples,
		choice: rng.NewKey(seed, purposeValidation),
		free:   &sync.Pool{New: func() any { return new(rng.Stream) }},
	}
}

// synthetic is a Tester. A datum is the features, then the label.
type synthetic struct {
	law           *problem.Synthetic
	label         func(y float64) float64
	dim, tests    int
	now           int // fresh data are of the models of this step, from 0
	sample, fresh rng.Key
	chosen        int        // validation rows of a learner
	choice        rng.Key    // of validation rows
	free          *sync.Pool // of *rng.Stream
}

// Validation implements Validated.
func (s *synthetic) Validation() Tester {
	if s.chosen == 0 {
		return nil
	}
	in := *s
	in.tests, in.fresh, in.chosen = s.chosen, s.choice, 0
	return &in
}

// At implements problem.Timed.
func (s *synthetic) At(step int) any {
	in := *s
	in.now = step - 1
	return &in
}

// Steady implements Drawn.
func (s *synthetic) Steady() bool { return s.law.Drift == nil }

// Width implements problem.Data.
func (s *synthetic) Width() int { return s.dim + 1 }

// Datum implements problem.Data.
func (s *synthetic) Datum(dst []float64, node messages.NodeID, step int) {
	s.draw(dst, s.sample, int(node), step-1, step-1)
}

// TestSamples implements Tester.
func (s *synthetic) TestSamples(messages.NodeID) int { return s.tests }

// Test implements Tester.
func (s *synthetic) Test(dst []float64, node messages.NodeID, index int) {
	s.draw(dst, s.fresh, int(node), index, s.now)
}

func (s *synthetic) draw(dst []float64, key rng.Key, learner, index, step int) {
	if len(dst) != s.dim+1 {
		panic(fmt.Sprintf("stream: %d numbers for a datum of %d", len(dst), s.dim+1))
	}
	stream := s.free.Get().(*rng.Stream)
	dst[s.dim] = s.law.Datum(dst[:s.dim], key, learner, index, step, stream)
	s.free.Put(stream)
	if s.label != nil {
		dst[s.dim] = s.label(dst[s.dim])
	}
}
