package problem

import (
	"errors"
	"math"
	"slices"

	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Variation describes the differences of data from synthetic(alpha, beta); the zero value is
// synthetic(alpha, beta) itself.
type Variation struct {
	// Shared is s: the model of a node is sqrt(s) times one that all nodes share and sqrt(1-s)
	// times its own, both of the law of w_i and c_i.
	Shared float64 `yaml:"shared" min:"0" max:"1" says:"shared %v" unit:"none" doc:"share of the variance of the true models that all learners have in common: at 0, the published law, many learners have next to nothing to learn together, and at 1 they all have one model; absent, 0"`
	// Zonal is z: the model of a node is then sqrt(s) times the shared one, sqrt(z) times one of its
	// time zone, and sqrt(1-s-z) times its own.
	Zonal float64 `yaml:"zonal" min:"0" max:"1" says:"zonal %v" unit:"none" doc:"share of the variance of the true models that the clients of a time zone have in common, with clock.availability.zones; shared and zonal are at most 1 together; absent, 0: data do not differ by zone"`
	// LabelNoise is the chance that a label is turned around, of fresh data too.
	LabelNoise float64 `yaml:"label_noise" min:"0" max:"0.5" says:"label noise %v" unit:"none" doc:"chance that a label is turned around, of fresh data too; absent, 0"`
	// Drift is the change of true models over time; nil means none.
	Drift *Drift `yaml:"drift" doc:"how the true models change over time; absent, they stay"`
}

// Drift is the change of the true models over time. The models W(0), W(1), ... are independent
// draws of the law; a run begins with W(0). t counts steps from 0.
type Drift struct {
	Kind   DriftKind `yaml:"kind,required" oneof:"abrupt gradual rotating" doc:"abrupt, new models all at once; gradual, the models turn into new ones without a jump; rotating, they go round in a plane and come back"`
	Period int       `yaml:"period,required" min:"1" says:"a period of %v steps" unit:"steps" doc:"steps from one draw of models to the next, or of a full turn"`
}

// DriftKind names a drift, with k = floor(t/period) and p = t/period - k.
type DriftKind string

const (
	DriftAbrupt   DriftKind = "abrupt"   // W(k)
	DriftGradual  DriftKind = "gradual"  // cos(pi p/2) W(k) + sin(pi p/2) W(k+1)
	DriftRotating DriftKind = "rotating" // cos(2 pi p) W(0) + sin(2 pi p) W(1)
)

// Drifts lists the kinds of drift.
func Drifts() []DriftKind { return []DriftKind{DriftAbrupt, DriftGradual, DriftRotating} }

// Validate reports every option that is wrong, each as an [option.Error].
func (v Variation) Validate() error {
	var errs []error
	if !(v.Shared >= 0 && v.Shared <= 1) {
		errs = append(errs, option.Errorf("shared", "is %v, want 0 to 1", v.Shared))
	}
	if !(v.Zonal >= 0 && v.Zonal <= 1) {
		errs = append(errs, option.Errorf("zonal", "is %v, want 0 to 1", v.Zonal))
	} else if v.Zonal > 0 && v.Shared+v.Zonal > 1 {
		errs = append(errs, option.Errorf("zonal", "zonal %v and shared %v are more than 1 together", v.Zonal, v.Shared))
	}
	if !(v.LabelNoise >= 0 && v.LabelNoise <= 0.5) {
		errs = append(errs, option.Errorf("label_noise", "is %v, want 0 to 0.5", v.LabelNoise))
	}
	if d := v.Drift; d != nil && !slices.Contains(Drifts(), d.Kind) {
		errs = append(errs, option.Errorf("drift.kind", "unknown drift %q", d.Kind))
	}
	if d := v.Drift; d != nil && d.Period < 1 {
		errs = append(errs, option.Errorf("drift.period", "is %d, want at least 1", d.Period))
	}
	return errors.Join(errs...)
}

// parts returns the draws that the models of a step are made of, and their weights.
func (d *Drift) parts(t int) (first, second int, a, b float64) {
	if d == nil {
		return 0, 0, 1, 0
	}
	k := t / d.Period
	p := float64(t%d.Period) / float64(d.Period)
	switch {
	case d.Kind == DriftRotating:
		return 0, 1, portable.Cos(2 * math.Pi * p), portable.Sin(2 * math.Pi * p)
	case d.Kind == DriftGradual && p > 0:
		return k, k + 1, portable.Cos(math.Pi / 2 * p), portable.Sin(math.Pi / 2 * p)
	}
	return k, 0, 1, 0
}

// The uses of randomness in variations.
var (
	purposeCommon = rng.PurposeOf("data.common") // the model that all nodes share, by draw
	purposeZone   = rng.PurposeOf("data.zone")   // the model of a time zone, by zone and draw
	purposeRenew  = rng.PurposeOf("data.drift")  // a node's own after the first, by draw
)

// varied has the fields of a Synthetic for its variation.
type varied struct {
	Variation
	renew, common, zone rng.Key
}

// Zones are the time zones of nodes, whose models differ with Variation.Zonal.
type Zones struct {
	Count int
	Of    func(node int) int // from 0
}

// vary sets the variation, and draws the shared model of the first draw.
func (s *Synthetic) vary(v Variation, seed uint64) {
	s.varied = varied{v, rng.NewKey(seed, purposeRenew), rng.NewKey(seed, purposeCommon), rng.NewKey(seed, purposeZone)}
	var stream rng.Stream
	for zone := range s.laws.zones.Count {
		model := make([]float64, s.dim+1)
		s.walk(stream.Open(s.zone, zone, 0, 0), func(j int, w float64) { model[j] = w })
		s.laws.zoned = append(s.laws.zoned, model)
	}
	if v.Shared == 0 {
		return
	}
	s.laws.shared = make([]float64, s.dim+1)
	s.walk(stream.Open(s.common, 0, 0, 0), func(j int, w float64) { s.laws.shared[j] = w })
}

// walk calls use with the entries of a model of the law, and at index dim with its offset, in
// the order of the draws.
func (s *Synthetic) walk(r *rng.Rand, use func(j int, w float64)) {
	u := float64(s.laws.spread * r.NormFloat64())
	use(s.dim, u+r.NormFloat64())
	for j := range s.dim {
		use(j, u+r.NormFloat64())
	}
}

// margin returns <w, a> + c for a node's model of a draw. Models after the first draw are
// drawn again at each use, so that they take no memory. stream is scratch.
func (s *Synthetic) margin(a []float64, law *nodeLaw, node, draw int, stream *rng.Stream) float64 {
	if draw == 0 {
		return kernel.Dot(law.model, a) + law.offset
	}
	along := func(r *rng.Rand) (sum float64) {
		s.walk(r, func(j int, w float64) {
			if j < s.dim {
				w = float64(w * a[j])
			}
			sum += w
		})
		return sum
	}
	sum := float64(s.laws.own * along(stream.Open(s.renew, node, draw, 0)))
	if s.Shared > 0 {
		sum += float64(s.laws.all * along(stream.Open(s.common, 0, draw, 0)))
	}
	if s.laws.zoned != nil {
		sum += float64(s.laws.near * along(stream.Open(s.zone, s.laws.zones.Of(node), draw, 0)))
	}
	return sum
}

// marginAt returns the margin at time t.
func (s *Synthetic) marginAt(a []float64, law *nodeLaw, node, t int, stream *rng.Stream) float64 {
	first, second, share, more := s.Drift.parts(t)
	z := s.margin(a, law, node, first, stream)
	if more != 0 {
		z = float64(share*z) + float64(more*s.margin(a, law, node, second, stream))
	}
	return z
}
