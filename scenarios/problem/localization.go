package problem

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"starling/actors/algorithm/mirror"
	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/rng"
	"starling/messages"
)

// KindLocalization names the problem of Localization.
const KindLocalization = "localization"

// Localization is distributed localization (DPDO-NC, Example 1): the sensor
// of node i at s_i measures its distance from a target at x_t^0,
// d_t^i = ||s_i - x_t^0|| + U[0, noise], and meets the nonconvex cost
//
//	f_t^i(x) = 1/2 (||s_i - x|| - d_t^i)^2,
//	grad f_t^i(x) = (||x - s_i|| - d_t^i) (x - s_i)/||x - s_i||,
//
// At x = s_i, where the gradient does not exist, it is taken to be 0. Its instances implement
// Tracker. Sensors that follow a topology move; then s_i is the place of the sensor of node i
// at step t.
type Localization struct {
	nodes   int
	set     mirror.Set
	stand   layout           // places of sensors that are not drawn or moved; else nil
	sensors func() []float64 // places of sensors, N x d, made for the first draw
	random  RandomOptions    // the box of drawn or moving sensors
	follows bool             // the sensors follow a topology
	places  Places           // of that topology; nil until Following
	target  TargetOptions
	noise   float64

	theta  float64
	beta   float64
	smooth bool
}

// NewLocalization builds the problem for a number of nodes on a set. Options that do not fit
// are errors, joined: each an [option.Error].
func NewLocalization(options LocalizationOptions, nodes int, set mirror.Set) (*Localization, error) {
	if err := requireParties(KindLocalization, nodes, set); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	stand, err := options.Sensors.layout(nodes, set.Dim())
	if err = errors.Join(err, options.Target.fit(set)); err != nil {
		return nil, err
	}
	p := &Localization{nodes: nodes, set: set, stand: stand, target: options.Target, noise: options.MeasurementNoise}
	p.sensors = sync.OnceValue(func() []float64 { return allPlaces(stand, nodes, set.Dim()) })
	p.target.Start = slices.Clone(options.Target.Start)
	if r := options.Sensors.Random; r != nil {
		p.random = RandomOptions{Low: slices.Clone(r.Low), High: slices.Clone(r.High)}
	}
	if o := options.Sensors.Topology; o != nil {
		p.random = RandomOptions{Low: slices.Clone(o.Low), High: slices.Clone(o.High)}
		p.follows = true
	}
	p.bound()
	return p, nil
}

// Places returns the places of the nodes of a topology under a seed: in the unit square, two
// entries a node, 2 N a step from the first of steps on, or 2 N in all for nodes that never
// move. It is a pure function, and its result is not kept.
type Places func(seed uint64, steps int) ([]float64, error)

// Placed is a Problem whose nodes may be at the places of a topology.
type Placed interface {
	Problem
	// Follows reports whether they are, so that Draw needs Following.
	Follows() bool
	// Following returns the problem with its nodes at the places of a topology. The problem
	// itself is not changed.
	Following(places Places) Problem
}

// Follows implements Placed: the sensors may follow a topology.
func (p *Localization) Follows() bool { return p.follows }

// Following implements Placed. The bounds of the problem hold for the whole box, and remain.
func (p *Localization) Following(places Places) Problem {
	following := *p
	following.places = places
	return &following
}

// fit checks the options that depend on the set. The paper has the target in Omega, and the
// gradient bound rests on it.
func (o TargetOptions) fit(set mirror.Set) error {
	if o.Motion == MotionPrinted && set.Dim() != 2 {
		return option.Errorf("target.motion", "%s needs a set of dimension 2, not %d", MotionPrinted, set.Dim())
	}
	return requireInside("target.start", o.Start, set)
}

// bound derives theta and beta from near <= ||x - s|| <= far for x in Omega
// and for every place a sensor can stand at.
//
// The norm of the gradient is | ||x - s|| - d |. With the target in Omega,
// near <= d <= far + noise, so it is at most far - near + noise; far - near is
// at most the diameter eta by the triangle inequality.
//
// With r = ||x - s|| and u = (x - s)/r the Hessian is u u' + (1 - d/r)(I - u u'):
// its eigenvalues are 1 and 1 - d/r, which lies below 1 and above
// 1 - (far + noise)/near. So beta = max(1, (far + noise)/near - 1). On a set
// that holds s the gradient is not continuous and no beta exists.
func (p *Localization) bound() {
	eta := p.set.Diameter()
	p.beta, p.smooth = 1, true
	p.eachPlace(func(near, far float64) {
		p.theta = max(p.theta, min(far-near, eta)+p.noise)
		// A rounded distance of a sensor on the border is no distance.
		if near <= 1e-12*far {
			p.smooth = false
			return
		}
		p.beta = max(p.beta, (far+p.noise)/near-1)
	})
	if !p.smooth {
		p.beta = 0
	}
}

// eachPlace calls visit with the least and the largest distance of the set
// from each sensor. For drawn or moving sensors there is one call for the whole box: both
// distances change by no more than the sensor moves, and no point of the box is further from
// its middle than half the diagonal.
func (p *Localization) eachPlace(visit func(near, far float64)) {
	if p.stand != nil {
		sensor := make([]float64, p.set.Dim())
		for i := range p.stand.places(p.nodes) {
			p.stand.at(sensor, i)
			visit(p.set.MinDistance(sensor), p.set.MaxDistance(sensor))
		}
		return
	}
	middle := make([]float64, len(p.random.Low))
	half := make([]float64, len(middle))
	for k, low := range p.random.Low {
		half[k] = float64((p.random.High[k] - low) / 2)
		middle[k] = low + half[k]
	}
	h := kernel.Norm(half)
	visit(max(0, p.set.MinDistance(middle)-h), p.set.MaxDistance(middle)+h)
}

// Kind implements Problem.
func (p *Localization) Kind() string { return KindLocalization }

// Dim implements Problem.
func (p *Localization) Dim() int { return p.set.Dim() }

// Nodes implements Problem.
func (p *Localization) Nodes() int { return p.nodes }

// Set implements Problem.
func (p *Localization) Set() mirror.Set { return p.set }

// GradientBound implements Problem:
// theta = max_i (max_Omega ||x - s_i|| - min_Omega ||x - s_i||) + noise, the
// best bound for a target that may be anywhere in Omega. It holds while the
// target is in Omega; the printed motion moves it no further than a few tenths
// in any run of sensible length. For sensors drawn from a box it holds for
// every draw and is never above the diameter + noise.
func (p *Localization) GradientBound() float64 { return p.theta }

// LossBound returns the largest loss on the set: theta^2/2, as a loss is half the square of
// the length of its gradient.
func (p *Localization) LossBound() float64 { return p.theta * p.theta / 2 }

// Smoothness implements Problem: max(1, (max_Omega ||x - s|| + noise)/min_Omega ||x - s|| - 1)
// over the sensors, and not finite if the set holds a sensor, or can. Like the
// gradient bound it takes the target to be in Omega.
func (p *Localization) Smoothness() (beta float64, finite bool) { return p.beta, p.smooth }

// Tracks reports whether instances implement Tracker, without drawing one. They do.
func (p *Localization) Tracks() bool { return true }

// Model implements Modelled. A datum is the place of the sensor, then the distance that it
// measures.
func (p *Localization) Model() Model { return rangeModel(p.Dim()) }

// Draw implements Problem. It holds N x d sensors, T times as many if they move,
// and the path of the target, T x 2 if it moves; the measurements are recomputed
// where they are used.
func (p *Localization) Draw(seed uint64, horizon int) (Instance, error) {
	e, err := newExtent(KindLocalization, p.nodes, horizon, p.Dim())
	if err != nil {
		return nil, err
	}
	in := &localization{
		extent: e,
		noise:  p.noise,
		errors: rng.NewKey(seed, purposeMeasurement),
	}
	switch {
	case p.follows:
		if err := in.follow(p, seed); err != nil {
			return nil, err
		}
	case p.stand != nil:
		in.sensors = p.sensors()
	default:
		in.sensors = p.random.draw(rng.NewKey(seed, purposeSensors), p.nodes)
	}
	if p.target.Motion == MotionStill {
		in.target = stillPath(p.target.Start)
	} else {
		in.target = walkPath(p.target.Start, horizon, printedMove(rng.NewKey(seed, purposeTarget)))
	}
	return in, nil
}

// errNoPlaces is the error of a problem that was drawn without Following.
var errNoPlaces = errors.New("draw localization: the sensors go with a topology, and there is none")

// follow maps the places of the topology to the box.
func (in *localization) follow(p *Localization, seed uint64) error {
	if p.places == nil {
		return errNoPlaces
	}
	places, err := p.places(seed, in.horizon)
	if err != nil {
		return err
	}
	square := p.nodes * in.dim
	if len(places) != square && len(places) != square*in.horizon {
		return fmt.Errorf("draw localization: places of %d coordinates for %d nodes and %d steps", len(places), p.nodes, in.horizon)
	}
	in.sensors = make([]float64, len(places))
	for i, u := range places {
		low, high := p.random.Low[i%in.dim], p.random.High[i%in.dim]
		in.sensors[i] = low + float64((high-low)*u)
	}
	if len(places) > square {
		in.stride = square
	}
	return nil
}

// draw places the sensors of a seed, N x d.
func (o RandomOptions) draw(key rng.Key, nodes int) []float64 {
	d := len(o.Low)
	points := make([]float64, nodes*d)
	for i := range nodes {
		for k, low := range o.Low {
			points[i*d+k] = low + float64((o.High[k]-low)*key.Uniform(i, 0, k))
		}
	}
	return points
}

// localization is the instance of one seed.
type localization struct {
	extent
	sensors []float64 // N x d, T times if they move
	stride  int       // from a step's sensors to the next's: N d, or 0
	target  path
	noise   float64
	errors  rng.Key
}

// Loss implements Instance.
func (in *localization) Loss(node messages.NodeID, step int, x []float64) float64 {
	in.check(node, step, x, x)
	s := in.sensor(int(node), step)
	return rangeLoss(x, s, in.measured(int(node), step, s, in.target.at(step)))
}

// Gradient implements Instance. At x = s_i it is 0.
func (in *localization) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	in.check(node, step, x, dst)
	s := in.sensor(int(node), step)
	rangeGradient(dst, x, s, in.measured(int(node), step, s, in.target.at(step)))
}

// Width implements Data: the place of the sensor, then the measured distance.
func (in *localization) Width() int { return in.dim + 1 }

// Datum implements Data.
func (in *localization) Datum(dst []float64, node messages.NodeID, step int) {
	in.check(node, step, dst[:in.dim], dst[:in.dim])
	s := in.sensor(int(node), step)
	copy(dst, s)
	dst[in.dim] = in.measured(int(node), step, s, in.target.at(step))
}

// rangeModel is the cost of a distance that a sensor measures. Its value is d, the number of
// entries of decisions.
type rangeModel int

// Dim implements Model.
func (m rangeModel) Dim() int { return int(m) }

// Loss implements Model.
func (m rangeModel) Loss(x, datum []float64) float64 { return rangeLoss(x, datum[:m], datum[m]) }

// Gradient implements Model.
func (m rangeModel) Gradient(dst, x, datum []float64) { rangeGradient(dst, x, datum[:m], datum[m]) }

// rangeLoss returns the cost of x where the sensor at s measures a distance.
func rangeLoss(x, s []float64, measured float64) float64 {
	e := kernel.Distance(x, s) - measured
	return 0.5 * e * e
}

// rangeGradient writes the gradient of rangeLoss to dst, 0 at x = s.
func rangeGradient(dst, x, s []float64, measured float64) {
	pull := pullOf(x, s, measured)
	kernel.ScaledDifference(dst, pull, x, s)
}

// SumGradient implements Instance.
func (in *localization) SumGradient(dst []float64, step int, x []float64) {
	in.check(0, step, x, dst)
	target := in.target.at(step)
	clear(dst)
	for i := range in.nodes {
		s := in.sensor(i, step)
		pull := pullOf(x, s, in.measured(i, step, s, target))
		for k := range dst {
			dst[k] += float64(pull * (x[k] - s[k]))
		}
	}
}

// Target implements Tracker: x_t^0.
func (in *localization) Target(step int) []float64 {
	in.checkStep(step)
	return in.target.at(step)
}

func (in *localization) sensor(i, step int) []float64 {
	o := (step-1)*in.stride + i*in.dim
	return in.sensors[o : o+in.dim]
}

// pullOf returns the factor of x - s in the gradient: (||x - s|| - d)/||x - s||, and 0 at x =
// s.
func pullOf(x, s []float64, measured float64) float64 {
	r := kernel.Distance(x, s)
	if r == 0 {
		return 0
	}
	return (r - measured) / r
}

// measured returns d_t^i.
func (in *localization) measured(i, step int, s, target []float64) float64 {
	return kernel.Distance(s, target) + float64(in.noise*in.errors.Uniform(i, step, 0))
}
