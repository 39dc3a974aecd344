package scenarios

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/scenarios/document"
	"starling/scenarios/problem"
)

// laplaceSection is the mechanism of DPDO-NC.
type laplaceSection struct {
	Kind    string       `yaml:"kind,required"`
	Epsilon epsilonValue `yaml:"epsilon,required"`
	Noise   string       `yaml:"noise"`
}

func buildLaplace(section *document.Node) (laplaceSection, error) {
	s := laplaceSection{Noise: string(dpdonc.AsPrinted)}
	return s, document.Decode(section, &s)
}

// dpdoncSection is the algorithm section of DPDO-NC.
type dpdoncSection struct {
	Kind       string         `yaml:"kind,required"`
	Divergence *document.Node `yaml:"divergence,required"`
	// Start is x_1; absent, the centre of the set.
	Start []float64 `yaml:"start"`
	Step  struct {
		Scale float64 `yaml:"scale"`
		// PerNode divides the step by N, as printed.
		PerNode bool `yaml:"per_node"`
	} `yaml:"step"`
	// Theta is the gradient bound; absent, the problem's own.
	Theta         *float64 `yaml:"theta"`
	GradientBound string   `yaml:"gradient_bound"`
	Positivity    string   `yaml:"positivity"`
	Floor         float64  `yaml:"floor"`
}

// entropyFloor is the default of algorithm.floor.
const entropyFloor = 1e-6

// algorithmPlan is what an arm runs on its participants.
type algorithmPlan struct {
	firstStep  int
	firstLabel int
	machines   func() ([]algorithm.Machine, error)
	// notes are derived quantities for the manifest, given B and the graphs
	// of one seed.
	notes func(window int, sequence topology.Sequence) ([]note, []warning)
}

// note and warning are those of results.Manifest without the arm.
type (
	note    struct{ key, value string }
	warning struct{ code, message string }
)

func buildDPDONC(a *armFile, p problem.Problem) (algorithmPlan, error) {
	options, err := dpdoncOptions(a, p)
	if err != nil {
		return algorithmPlan{}, err
	}
	if _, err := dpdonc.New(options); err != nil {
		return algorithmPlan{}, a.resolveDPDONC(err)
	}
	return algorithmPlan{
		firstStep:  1,
		firstLabel: 1,
		machines:   func() ([]algorithm.Machine, error) { return dpdonc.New(options) },
		notes: func(window int, sequence topology.Sequence) ([]note, []warning) {
			return dpdoncNotes(options, p, a.Horizon, window, sequence)
		},
	}, nil
}

func dpdoncOptions(a *armFile, p problem.Problem) (dpdonc.Options, error) {
	build, err := find(mechanisms, a.Mechanism)
	if err != nil {
		return dpdonc.Options{}, err
	}
	laplace, err := build(a.Mechanism)
	if err != nil {
		return dpdonc.Options{}, err
	}
	s := dpdoncSection{GradientBound: string(dpdonc.BoundError), Positivity: string(dpdonc.ClipMean), Floor: entropyFloor}
	s.Step.Scale, s.Step.PerNode = 1, true
	if err := document.Decode(a.Algorithm, &s); err != nil {
		return dpdonc.Options{}, err
	}
	divergence, err := buildDivergence(s.Divergence)
	if err != nil {
		return dpdonc.Options{}, err
	}
	options := dpdonc.Options{
		Nodes:      a.Nodes,
		Divergence: divergence,
		Set:        p.Set(),
		Step:       dpdonc.StepSize{Scale: s.Step.Scale, Unscaled: !s.Step.PerNode},
		Epsilon:    float64(laplace.Epsilon),
		Theta:      p.GradientBound(),
		Bound:      dpdonc.Bound(s.GradientBound),
		Noise:      dpdonc.Noise(laplace.Noise),
		Start:      s.Start,
		Positivity: dpdonc.Positivity(s.Positivity),
		Floor:      s.Floor,
		// Noise is independent between arms; data are shared.
		NoisePurpose: rng.PurposeOf("dpdonc.noise").Arm(a.name),
	}
	if s.Theta != nil {
		options.Theta = *s.Theta
	}
	if options.Start == nil {
		options.Start = make([]float64, p.Dim())
		p.Set().Center(options.Start)
	}
	return options, nil
}

// resolveDPDONC places an error about the options at the section they are in.
func (a *armFile) resolveDPDONC(err error) error {
	var pair *mirror.UnsupportedPairError
	if errors.As(err, &pair) {
		return a.doc.Resolve("algorithm.divergence.kind", err).Err()
	}
	return a.doc.Resolve("", mapFields(err, func(field string) string {
		switch field {
		case "nodes":
			return field
		case "epsilon", "noise":
			return "mechanism." + field
		}
		return "algorithm." + field
	})).Err()
}

// mapFields renames the fields that joined errors name.
func mapFields(err error, rename func(string) string) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		var field interface {
			error
			Field() string
		}
		if errors.As(err, &field) {
			return document.At(rename(field.Field()), "%s", field.Error())
		}
		return err
	}
	var errs []error
	for _, e := range joined.Unwrap() {
		errs = append(errs, mapFields(e, rename))
	}
	return errors.Join(errs...)
}

// dpdoncNotes derives what a reader of DPDO-NC's results needs: the constants
// that its noise and bounds rest on, the privacy it claims beside what its
// releases cost, and the value of Theorem 2.
func dpdoncNotes(o dpdonc.Options, p problem.Problem, horizon, window int, sequence topology.Sequence) (notes []note, warnings []warning) {
	add := func(key, format string, args ...any) { notes = append(notes, note{key, fmt.Sprintf(format, args...)}) }
	add("theta", "%.6g", o.Theta)
	if window > 0 {
		add("window", "%d", window)
	} else {
		add("window", "none: not strongly connected over the horizon")
		warnings = append(warnings, warning{"disconnected", "the graphs are not strongly connected over any window of the horizon"})
	}
	claimed, accounted := dpdonc.Totals(&o, horizon)
	add("epsilon.claimed", "%s a step, %s in all", o.Claim(), claimed)
	add("epsilon.accounted", "%s", accounted)
	if !accounted.Private() {
		warnings = append(warnings, warning{"not-private", "this arm runs without noise: every message shows the node's decision"})
	}
	beta, finite := p.Smoothness()
	if !finite {
		beta = math.Inf(1)
	}
	add("theorem-2", "%s", theorem2(o, beta, horizon, sequence))
	return notes, warnings
}

// theorem2 is the value of Theorem 2's bound on E[R_T], or why it has none.
func theorem2(o dpdonc.Options, beta float64, horizon int, sequence topology.Sequence) string {
	if math.IsInf(beta, 1) {
		return "undefined: the costs have no finite beta on this set"
	}
	m, ok := o.Divergence.Smoothness()
	if !ok {
		return "undefined: the divergence is not smooth"
	}
	if o.Step.Unscaled || o.Step.Scale != 1 {
		return "undefined: it is proven for alpha_t = 1/(N sqrt t) only"
	}
	c, lambda, err := topology.Contraction(sequence, horizon)
	if err != nil {
		return fmt.Sprintf("not evaluated: %v", err)
	}
	bound := dpdonc.Theorem2(&o, dpdonc.BoundConstants{Beta: beta, Smoothness: m, C: c, Lambda: lambda}, horizon)
	if trivial := dpdonc.TrivialBound(&o, horizon); bound >= trivial {
		return fmt.Sprintf("not informative: %.4g exceeds N T theta eta = %.4g (C = %.4g, lambda = %.4g)", bound, trivial, c, lambda)
	}
	return fmt.Sprintf("%.6g (C = %.4g, lambda = %.4g)", bound, c, lambda)
}
