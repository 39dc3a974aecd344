package problem

import (
	"errors"
	"math"

	"starling/actors/algorithm/mirror"
	"starling/actors/option"
	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
)

// KindLogistic names the problem of Logistic.
const KindLogistic = "logistic"

// LogisticOptions describe a logistic problem. Start from
// DefaultLogisticOptions.
type LogisticOptions struct {
	// Alpha is the variance of u_i, between the nodes' models.
	Alpha float64 `yaml:"alpha" min:"0" unit:"none" doc:"variance between the models of the nodes, alpha of synthetic(alpha, beta)"`
	// Beta is the variance of B_i, between the nodes' features.
	Beta float64 `yaml:"beta" min:"0" unit:"none" doc:"variance between the features of the nodes, beta of synthetic(alpha, beta)"`
	// Normalise scales every feature vector to 2-norm 1.
	Normalise bool `yaml:"normalise" doc:"scale every feature vector to 2-norm 1; false needs feature_norm"`
	// FeatureNorm bounds features that are not normalised: longer features are scaled down to
	// it. It is given if and only if Normalise is false.
	FeatureNorm float64 `yaml:"feature_norm" over:"0" unit:"2-norm" doc:"largest 2-norm of a feature vector, longer ones are scaled down; with normalise: false only, which needs it; absent, none"`
}

// DefaultLogisticOptions returns synthetic(0.1, 0.1) with normalised features.
func DefaultLogisticOptions() LogisticOptions {
	return LogisticOptions{Alpha: 0.1, Beta: 0.1, Normalise: true}
}

// Validate reports every option that is wrong, each as an [option.Error].
func (o LogisticOptions) Validate() error {
	errs := []error{requireNonNegative("alpha", o.Alpha), requireNonNegative("beta", o.Beta)}
	switch {
	case !o.Normalise:
		errs = append(errs, requirePositive("feature_norm", o.FeatureNorm))
	case o.FeatureNorm != 0:
		errs = append(errs, option.Errorf("feature_norm", "is given, but normalise scales every feature vector to 1"))
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

// NewLogistic builds the problem for a number of nodes on a set. Options that do not fit are
// errors, joined: each an [option.Error].
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

// featureNorm returns the largest ||a||.
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

// LossBound returns the largest loss on the set: log(1 + exp(r)), as no |<a, x>| exceeds r,
// the largest ||a|| times the largest ||x||.
func (p *Logistic) LossBound() float64 {
	origin := make([]float64, p.Dim())
	return LogisticLoss(-p.featureNorm() * p.set.MaxDistance(origin))
}

// Smoothness implements Problem: ||a||^2/4 at the largest ||a||, since the
// Hessian is s(1-s) a a' with s in (0, 1). It holds on all of R^d.
func (p *Logistic) Smoothness() (beta float64, finite bool) {
	norm := p.featureNorm()
	return norm * norm / 4, true
}

// Convex reports whether all costs are convex. They are.
func (p *Logistic) Convex() bool { return true }

// Tracks reports whether instances implement Tracker, without drawing one. They do not.
func (p *Logistic) Tracks() bool { return false }

// Model implements Modelled. It is a stream.Classifier: labels are predicted by Predicts.
func (p *Logistic) Model() Model { return logisticModel{linearModel{p.Dim(), logisticMargin{}}} }

// logisticModel is the model of Logistic.
type logisticModel struct{ linearModel }

// Correct implements stream.Classifier.
func (m logisticModel) Correct(x, datum []float64) bool {
	return Predicts(kernel.Dot(datum[:m.dim], x), datum[m.dim])
}

// Predicts reports whether the prediction of <x, a> = z is a label, -1 or 1. A point of the
// decision boundary is predicted 1, and a NaN predicts nothing.
func Predicts(z, label float64) bool {
	if label < 0 {
		return z < 0
	}
	return z >= 0
}

// Draw implements Problem. It holds 2 N x d numbers that describe the nodes, and the data of
// as many steps as fit 256 MiB.
func (p *Logistic) Draw(seed uint64, horizon int) (Instance, error) {
	return p.draw(seed, horizon, sampleBudget)
}

// InstanceBytes returns about the number of bytes of data that an instance of Draw keeps; sums means
// that sums over nodes are asked of it.
func (p *Logistic) InstanceBytes(horizon int, sums bool) int64 {
	return sampleBytes(p.nodes, horizon, p.Dim(), sums)
}

func (p *Logistic) draw(seed uint64, horizon, budget int) (Instance, error) {
	e, err := newExtent(KindLogistic, p.nodes, horizon, p.Dim())
	if err != nil {
		return nil, err
	}
	return &linear{samples: newSamples(e, NewSynthetic(p.options, Variation{}, seed, p.nodes, p.Dim(), Zones{}), budget), margin: logisticMargin{}}, nil
}

// logisticMargin is log(1 + exp(-z y)), y in {-1, +1}.
type logisticMargin struct{}

func (logisticMargin) loss(z, y float64) float64 { return LogisticLoss(z * y) }

func (logisticMargin) slope(z, y float64) float64 { return -y * LogisticWeight(z*y) }

func (m logisticMargin) slopes(z, y []float64) { slopesOf(m, z, y) }

// LogisticLoss returns log(1 + exp(-m)) of a margin m = <a, x> b. It never overflows: exp is
// taken of a number of at most 0.
func LogisticLoss(m float64) float64 {
	return max(0, -m) + portable.Log1p(portable.Exp(-math.Abs(m)))
}

// LogisticWeight returns 1/(1 + exp(m)), in [0, 1]: minus the derivative of LogisticLoss.
// Where exp overflows, to +Inf, the quotient is the right limit, 0, and nothing is subtracted,
// so nothing cancels.
func LogisticWeight(m float64) float64 { return 1 / (1 + portable.Exp(m)) }
