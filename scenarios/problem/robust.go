package problem

import (
	"errors"
	"math"
	"slices"

	"starling/actors/algorithm/mirror"
	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
)

// KindRobustRegression names the problem of RobustRegression.
const KindRobustRegression = "robust-regression"

// RobustRegressionOptions describe a robust regression. Start from
// DefaultRobustRegressionOptions.
type RobustRegressionOptions struct {
	// Scale is c > 0, the residual at which the loss has reached half of its
	// limit.
	Scale float64 `yaml:"scale" over:"0" unit:"response" doc:"c of the Geman-McClure loss: the residual at which it has reached half of its limit"`
	// NoiseDeviation is the standard deviation of the Gaussian noise on every
	// response, at least 0.
	NoiseDeviation float64 `yaml:"noise_deviation" min:"0" unit:"response" doc:"standard deviation of the Gaussian noise on every response"`
	// OutlierShare is the chance, 0 to 1, that a response is a gross outlier.
	OutlierShare float64 `yaml:"outlier_share" min:"0" max:"1" unit:"probability" doc:"chance that a response is a gross outlier"`
	// OutlierSize is the error of an outlier, up or down with equal chance, at least 0.
	OutlierSize float64 `yaml:"outlier_size" min:"0" unit:"response" doc:"error of an outlier, up or down with equal chance"`
	// Truth is the x_star that the responses come from.
	Truth TruthOptions `yaml:"truth" doc:"path of x_star, which the responses come from"`
}

// TruthOptions describe the path of x_star.
type TruthOptions struct {
	// Start is a point of the set, len d. If absent it is drawn per seed: a
	// quarter of the diameter from the middle of the set in a uniform
	// direction, projected to the set.
	Start []float64 `yaml:"start" unit:"coordinates" range:"a point of the set" doc:"first x_star, a point of the set, d numbers; absent, drawn for each seed"`
	// Drift is the length of a step of x_star, at least 0: each step goes in a
	// uniform direction and is projected to the set. 0 keeps x_star fixed.
	Drift float64 `yaml:"drift" min:"0" unit:"2-norm a step" doc:"length of a step of x_star in a uniform direction; absent, 0, which keeps it fixed"`
}

// DefaultRobustRegressionOptions returns a scale of 1, noise of deviation 0.1, one response in
// ten off by 10, and a fixed x_star drawn per seed.
func DefaultRobustRegressionOptions() RobustRegressionOptions {
	return RobustRegressionOptions{Scale: 1, NoiseDeviation: 0.1, OutlierShare: 0.1, OutlierSize: 10}
}

// Validate reports every option that is wrong whatever the set, each as an [option.Error].
func (o RobustRegressionOptions) Validate() error {
	errs := []error{
		requirePositive("scale", o.Scale),
		requireNonNegative("noise_deviation", o.NoiseDeviation),
		requireNonNegative("outlier_size", o.OutlierSize),
		requireFinite("truth.start", o.Truth.Start),
		requireNonNegative("truth.drift", o.Truth.Drift),
	}
	if !(o.OutlierShare >= 0 && o.OutlierShare <= 1) {
		errs = append(errs, option.Errorf("outlier_share", "is %v, want a number from 0 to 1", o.OutlierShare))
	}
	return errors.Join(errs...)
}

// RobustRegression is linear regression with the nonconvex loss of Geman and
// McClure on a stream of one datum (a, y) per node and step:
//
//	f_t^i(x) = rho(<a, x> - y),  rho(r) = (r^2/2) / (1 + (r/c)^2),
//
// which is r^2/2 near 0 and has the limit c^2/2, so that an outlier hardly
// pulls. Features a are uniform on the unit sphere; responses are
// y = <a, x_star(t)> + N(0, deviation^2), and a share of them is off by the
// size of an outlier. All nodes have the same x_star. Its instances implement
// Tracker, with x_star as the target.
type RobustRegression struct {
	nodes   int
	set     mirror.Set
	options RobustRegressionOptions
}

// NewRobustRegression builds the problem for a number of nodes on a set. Options that do not
// fit are errors, joined: each an [option.Error].
func NewRobustRegression(options RobustRegressionOptions, nodes int, set mirror.Set) (*RobustRegression, error) {
	if err := requireParties(KindRobustRegression, nodes, set); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	if len(options.Truth.Start) > 0 {
		if err := requireInside("truth.start", options.Truth.Start, set); err != nil {
			return nil, err
		}
	}
	options.Truth.Start = slices.Clone(options.Truth.Start)
	return &RobustRegression{nodes: nodes, set: set, options: options}, nil
}

// Kind implements Problem.
func (p *RobustRegression) Kind() string { return KindRobustRegression }

// Dim implements Problem.
func (p *RobustRegression) Dim() int { return p.set.Dim() }

// Nodes implements Problem.
func (p *RobustRegression) Nodes() int { return p.nodes }

// Set implements Problem.
func (p *RobustRegression) Set() mirror.Set { return p.set }

// GradientBound implements Problem: 3 sqrt(3) c/16, the largest |rho'|, as
// ||a|| = 1. With s = r/c, rho'(r) = c s/(1 + s^2)^2, and its derivative vanishes at s^2 =
// 1/3. It holds on all of R^d.
func (p *RobustRegression) GradientBound() float64 {
	return 3 * math.Sqrt(3) / 16 * p.options.Scale
}

// LossBound returns the limit of rho, c^2/2.
func (p *RobustRegression) LossBound() float64 {
	return p.options.Scale * p.options.Scale / 2
}

// Smoothness implements Problem: 1, the largest second derivative of rho in
// size, as ||a|| = 1. With v = (r/c)^2 it is (1 - 3v)/(1 + v)^3, which falls
// from 1 at v = 0 to its least value -1/4 at v = 1. It holds on all of R^d.
func (p *RobustRegression) Smoothness() (beta float64, finite bool) { return 1, true }

// Tracks reports whether instances implement Tracker, without drawing one. They do.
func (p *RobustRegression) Tracks() bool { return true }

// Model implements Modelled. A datum is the features, then the response.
func (p *RobustRegression) Model() Model {
	return linearModel{p.Dim(), gemanMcClure{scale: p.options.Scale}}
}

// Draw implements Problem. It holds the path of x_star, T x d if it drifts,
// and the data of as many steps as fit 256 MiB.
func (p *RobustRegression) Draw(seed uint64, horizon int) (Instance, error) {
	return p.draw(seed, horizon, sampleBudget)
}

// InstanceBytes returns about the number of bytes of data that an instance of Draw keeps; sums means
// that sums over nodes are asked of it.
func (p *RobustRegression) InstanceBytes(horizon int, sums bool) int64 {
	return sampleBytes(p.nodes, horizon, p.Dim(), sums)
}

func (p *RobustRegression) draw(seed uint64, horizon, budget int) (Instance, error) {
	e, err := newExtent(KindRobustRegression, p.nodes, horizon, p.Dim())
	if err != nil {
		return nil, err
	}
	o := p.options
	s := &contaminated{
		key:       rng.NewKey(seed, purposeSample),
		truth:     o.Truth.path(rng.NewKey(seed, purposeTarget), horizon, p.set),
		deviation: o.NoiseDeviation,
		share:     o.OutlierShare,
		size:      o.OutlierSize,
	}
	return &robustRegression{
		linear: linear{samples: newSamples(e, s, budget), margin: gemanMcClure{scale: o.Scale}},
		truth:  s.truth,
	}, nil
}

// path draws x_star of every step.
func (o TruthOptions) path(key rng.Key, horizon int, set mirror.Set) path {
	start := o.Start
	if len(start) == 0 {
		start = drawStart(key, set)
	}
	if o.Drift == 0 {
		return stillPath(start)
	}
	return walkPath(start, horizon, driftMove(key, set, o.Drift))
}

// robustRegression is the instance of one seed.
type robustRegression struct {
	linear
	truth path
}

// Target implements Tracker: x_star at a step.
func (in *robustRegression) Target(step int) []float64 {
	in.checkStep(step)
	return in.truth.at(step)
}

// gemanMcClure is rho(z - y).
type gemanMcClure struct {
	scale float64 // c
}

func (g gemanMcClure) loss(z, y float64) float64 {
	// With s = r/c this is c^2/2 s^2/(1 + s^2), the quotient in a form that
	// stays finite where s^2 overflows.
	s := math.Abs(z-y) / g.scale
	if s > 1 {
		return g.scale * g.scale / 2 / (1 + 1/s/s)
	}
	return g.scale * g.scale / 2 * (s * s / (1 + float64(s*s)))
}

func (g gemanMcClure) slope(z, y float64) float64 {
	s := (z - y) / g.scale
	q := 1 + float64(s*s)
	return g.scale * (s / q / q)
}

func (g gemanMcClure) slopes(z, y []float64) { slopesOf(g, z, y) }

// contaminated is the source of regression data with gross outliers.
type contaminated struct {
	key       rng.Key
	truth     path
	deviation float64
	share     float64
	size      float64
}

// datum implements source.
func (c *contaminated) datum(a []float64, node, step int, stream *rng.Stream) float64 {
	r := stream.Open(c.key, node, step, 0)
	r.FillNormal(a)
	scaleTo(a, 1)
	y := kernel.Dot(a, c.truth.at(step)) + float64(c.deviation*r.NormFloat64())
	// One number decides whether and which way: [0, share/2) is up and
	// [share/2, share) down.
	switch u := r.Float64(); {
	case u < c.share/2:
		y += c.size
	case u < c.share:
		y -= c.size
	}
	return y
}
