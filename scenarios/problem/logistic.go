package problem

import (
	"errors"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/mechanisms/rng"
)

// KindLogistic names the problem of Logistic.
const KindLogistic = "logistic"

// LogisticOptions describe a logistic problem. Start from
// DefaultLogisticOptions.
type LogisticOptions struct {
	// Alpha is the variance of u_i: how much the nodes' models differ.
	Alpha float64 `yaml:"alpha"`
	// Beta is the variance of B_i: how much the nodes' features differ.
	Beta float64 `yaml:"beta"`
	// Normalise scales every feature vector to 2-norm 1.
	Normalise bool `yaml:"normalise"`
	// FeatureNorm bounds features that are not normalised: longer ones are
	// scaled down to it. It is given if and only if Normalise is false.
	FeatureNorm float64 `yaml:"feature_norm"`
}

// DefaultLogisticOptions are synthetic(0.1, 0.1) with normalised features.
func DefaultLogisticOptions() LogisticOptions {
	return LogisticOptions{Alpha: 0.1, Beta: 0.1, Normalise: true}
}

// Validate reports every option that is wrong, as OptionErrors.
func (o LogisticOptions) Validate() error {
	errs := []error{requireNonNegative("alpha", o.Alpha), requireNonNegative("beta", o.Beta)}
	switch {
	case !o.Normalise:
		errs = append(errs, requirePositive("feature_norm", o.FeatureNorm))
	case o.FeatureNorm != 0:
		errs = append(errs, optionErrorf("feature_norm", "is given, but normalise scales every feature vector to 1"))
	}
	return errors.Join(errs...)
}

// Logistic is logistic regression on a stream of one datum (a, b) per node and
// step, b in {-1, +1}:
//
//	f_t^i(x) = log(1 + exp(-<a, x> b)).
//
// The data are synthetic(alpha, beta) of Li et al., Federated Optimization in
// Heterogeneous Networks (FedProx, 2020), with two classes. N(m, v) has
// variance v. Node i has u_i ~ N(0, alpha), a model w_i with entries
// N(u_i, 1), an offset c_i ~ N(u_i, 1), B_i ~ N(0, beta), and a feature mean
// v_i with entries N(B_i, 1). Features are a ~ N(v_i, Sigma), Sigma diagonal
// with entries j^-1.2 for j = 1..d, and the label is the sign of
// <w_i, a> + c_i, taken before a is scaled. The learned model has no offset.
type Logistic struct {
	nodes   int
	set     mirror.Set
	options LogisticOptions
}

// NewLogistic builds the problem for a number of nodes on a set. It returns
// OptionErrors, joined, for options that do not fit.
func NewLogistic(options LogisticOptions, nodes int, set mirror.Set) (*Logistic, error) {
	if err := requireParties(KindLogistic, nodes, set); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}
	return &Logistic{nodes: nodes, set: set, options: options}, nil
}

// Kind implements Problem.
func (p *Logistic) Kind() string { return KindLogistic }

// Dim implements Problem.
func (p *Logistic) Dim() int { return p.set.Dim() }

// Nodes implements Problem.
func (p *Logistic) Nodes() int { return p.nodes }

// Set implements Problem.
func (p *Logistic) Set() mirror.Set { return p.set }

// featureNorm is the largest ||a||.
func (p *Logistic) featureNorm() float64 {
	if p.options.Normalise {
		return 1
	}
	return p.options.FeatureNorm
}

// GradientBound implements Problem: the largest ||a||, which is 1 for
// normalised features, since the gradient is -b a/(1 + exp(<a, x> b)) and the
// factor of a is below 1 in size. It holds on all of R^d.
func (p *Logistic) GradientBound() float64 { return p.featureNorm() }

// Smoothness implements Problem: ||a||^2/4 at the largest ||a||, since the
// Hessian is s(1-s) a a' with s in (0, 1). It holds on all of R^d.
func (p *Logistic) Smoothness() (beta float64, finite bool) {
	norm := p.featureNorm()
	return norm * norm / 4, true
}

// Draw implements Problem. It holds 2 N x d numbers that describe the nodes,
// and the data of as many steps as fit 256 MiB.
func (p *Logistic) Draw(seed uint64, horizon int) (Instance, error) {
	return p.draw(seed, horizon, sampleBudget)
}

func (p *Logistic) draw(seed uint64, horizon, budget int) (Instance, error) {
	e, err := newExtent(KindLogistic, p.nodes, horizon, p.Dim())
	if err != nil {
		return nil, err
	}
	return &linear{samples: newSamples(e, newSynthetic(p.options, seed, p.nodes, p.Dim()), budget), margin: logisticMargin{}}, nil
}

// logisticMargin is log(1 + exp(-z y)), y in {-1, +1}.
type logisticMargin struct{}

// loss never overflows: exp is taken of a number of at most 0.
func (logisticMargin) loss(z, y float64) float64 {
	m := z * y
	return max(0, -m) + math.Log1p(math.Exp(-math.Abs(m)))
}

// slope is -y/(1 + exp(z y)). Where exp overflows, to +Inf, the quotient is
// the right limit, 0, and nothing is subtracted, so nothing cancels.
func (logisticMargin) slope(z, y float64) float64 {
	return -y / (1 + math.Exp(z*y))
}

// synthetic is the source of synthetic(alpha, beta).
type synthetic struct {
	dim       int
	key       rng.Key
	deviation []float64 // len d: j^-0.6, the square roots of Sigma's diagonal
	model     []float64 // N x d: w_i
	offset    []float64 // N: c_i
	mean      []float64 // N x d: v_i
	normalise bool
	longest   float64 // the largest ||a|| if not normalised
}

// newSynthetic draws the nodes.
func newSynthetic(o LogisticOptions, seed uint64, nodes, dim int) *synthetic {
	s := &synthetic{
		dim:       dim,
		key:       rng.NewKey(seed, purposeSample),
		deviation: make([]float64, dim),
		model:     make([]float64, nodes*dim),
		offset:    make([]float64, nodes),
		mean:      make([]float64, nodes*dim),
		normalise: o.Normalise,
		longest:   o.FeatureNorm,
	}
	for j := range s.deviation {
		s.deviation[j] = math.Pow(float64(j+1), -0.6)
	}
	key := rng.NewKey(seed, purposeNode)
	var stream rng.Stream
	for i := range nodes {
		r := stream.Open(key, i, 0, 0)
		u := float64(math.Sqrt(o.Alpha) * r.NormFloat64())
		b := float64(math.Sqrt(o.Beta) * r.NormFloat64())
		s.offset[i] = u + r.NormFloat64()
		for j := range dim {
			s.model[i*dim+j] = u + r.NormFloat64()
		}
		for j := range dim {
			s.mean[i*dim+j] = b + r.NormFloat64()
		}
	}
	return s
}

// datum implements source: features and label of one client.
func (s *synthetic) datum(a []float64, node, step int, stream *rng.Stream) float64 {
	r := stream.Open(s.key, node, step, 0)
	mean := s.mean[node*s.dim : (node+1)*s.dim]
	for j := range a {
		a[j] = mean[j] + float64(s.deviation[j]*r.NormFloat64())
	}
	label := 1.0
	if dot(s.model[node*s.dim:(node+1)*s.dim], a)+s.offset[node] < 0 {
		label = -1
	}
	if s.normalise {
		scaleTo(a, 1)
	} else if dot(a, a) > s.longest*s.longest {
		scaleTo(a, s.longest)
	}
	return label
}
