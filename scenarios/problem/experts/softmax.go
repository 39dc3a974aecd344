package experts

import (
	"errors"
	"math"

	"starling/actors/option"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// KindGaussianSoftmax names the adversary of GaussianSoftmaxOptions.
const KindGaussianSoftmax = "gaussian-softmax"

// CrossEntropy is the order in which the cross-entropy of a prediction x and a class
// distribution y is taken.
type CrossEntropy string

const (
	// LinearInDecision is -sum_k x_k log y_k, linear in x. It is the order in
	// which the claim of Fig. 1 appears.
	LinearInDecision CrossEntropy = "linear-in-decision"
	// Usual is -sum_k y_k log x_k, infinite at the vertices of the simplex, and the algorithm
	// goes to vertices; the prediction is therefore mixed with a floor.
	Usual CrossEntropy = "cross-entropy"
)

// GaussianSoftmaxOptions describe the environment of Fig. 1 (Section 6): the
// true class distribution y of a client and step is the softmax of d Gaussians, independent
// over clients, steps and classes. Their means and variances are drawn uniformly for each seed
// and class. The loss of a prediction x is a cross-entropy. Start from
// DefaultGaussianSoftmaxOptions.
type GaussianSoftmaxOptions struct {
	Loss CrossEntropy `yaml:"loss" oneof:"linear-in-decision cross-entropy" doc:"order of the cross-entropy of a prediction x and the class distribution y: linear-in-decision is -sum x log y, cross-entropy -sum y log x"`
	// Means and Variances are the ranges that they are drawn from. The paper
	// has no numbers.
	Means     [2]float64 `yaml:"means" unit:"none" range:"the lower end first" doc:"range that the means of the Gaussians are drawn from"`
	Variances [2]float64 `yaml:"variances" unit:"none" range:"at least 0, the lower end first" doc:"range that their variances are drawn from"`
	// Clip bounds -log y from above, for LinearInDecision; it is alpha.
	Clip float64 `yaml:"clip" unit:"loss" range:"above 0" doc:"upper bound on -log y, linear-in-decision only: alpha"`
	// Floor is gamma, for Usual: the probabilities that are scored are
	// (1 - d gamma) x + gamma. It is in (0, 1/d).
	Floor float64 `yaml:"floor" unit:"probability" range:"above 0, below 1/d" doc:"least probability that is scored, cross-entropy only"`
}

// DefaultGaussianSoftmaxOptions returns the loss that is linear in the decision, clipped to
// [0, 10], with means and variances in [0, 1]. The floor of the usual order is 0.001.
func DefaultGaussianSoftmaxOptions() GaussianSoftmaxOptions {
	return GaussianSoftmaxOptions{Loss: LinearInDecision, Means: [2]float64{0, 1}, Variances: [2]float64{0, 1}, Clip: 10, Floor: 0.001}
}

func (o *GaussianSoftmaxOptions) validate(experts int) error {
	var errs []error
	if !isRange(o.Means) {
		errs = append(errs, option.Errorf("means", "is %v, want two finite numbers, the larger last", o.Means))
	}
	if !isRange(o.Variances) || o.Variances[0] < 0 {
		errs = append(errs, option.Errorf("variances", "is %v, want two finite numbers of at least 0, the larger last", o.Variances))
	}
	switch o.Loss {
	case LinearInDecision:
		if !(o.Clip > 0) || !isFinite(o.Clip) {
			errs = append(errs, option.Errorf("clip", "is %v, want a finite number above 0", o.Clip))
		}
	case Usual:
		if !(o.Floor > 0 && o.Floor < 1/float64(experts)) {
			errs = append(errs, option.Errorf("floor", "is %v, want a number in (0, 1/%d)", o.Floor, experts))
		}
	default:
		errs = append(errs, option.Errorf("loss", "is %q, want %s or %s", o.Loss, LinearInDecision, Usual))
	}
	return errors.Join(errs...)
}

func isRange(r [2]float64) bool { return isFinite(r[0]) && isFinite(r[1]) && r[0] <= r[1] }

// NewGaussianSoftmax returns the adversary for a number of clients and classes.
//
// For the usual order, with q = (1 - d gamma) x + gamma >= gamma, the gradient
// is -y_k (1 - d gamma)/q_k, so alpha = (1 - d gamma)/gamma; the second
// derivative in x_k is at most alpha^2, and so is beta, since the Hessian is
// diagonal.
func NewGaussianSoftmax(o GaussianSoftmaxOptions, clients, experts int) (*Adversary, error) {
	if err := requireParties(KindGaussianSoftmax, clients, experts); err != nil {
		return nil, err
	}
	if err := o.validate(experts); err != nil {
		return nil, err
	}
	if o.Loss == LinearInDecision {
		return vectors(KindGaussianSoftmax, clients, experts, o.Clip, func(seed uint64, horizon int) fill {
			law := newGaussians(o, seed, experts)
			return func(dst []float64, client, step int) {
				law.logits(dst, client, step)
				total := logSumExp(dst)
				for k, g := range dst {
					dst[k] = min(max(total-g, 0), o.Clip)
				}
			}
		}), nil
	}
	scale := 1 - float64(float64(experts)*o.Floor)
	alpha := scale / o.Floor
	return &Adversary{
		Kind: KindGaussianSoftmax, Clients: clients, Experts: experts, Alpha: alpha, Beta: alpha * alpha, Model: CrossEntropies{experts, scale, o.Floor},
		draw: func(seed uint64, _ int) fill { return newGaussians(o, seed, experts).logits },
	}, nil
}

// gaussians are the laws of the logits of one seed.
type gaussians struct {
	key              rng.Key
	means, deviation []float64
}

func newGaussians(o GaussianSoftmaxOptions, seed uint64, experts int) *gaussians {
	g := &gaussians{key: rng.NewKey(seed, purposeLoss), means: make([]float64, experts), deviation: make([]float64, experts)}
	key := rng.NewKey(seed, purposeLaw)
	between := func(r [2]float64, u float64) float64 { return r[0] + float64((r[1]-r[0])*u) }
	for k := range g.means {
		g.means[k] = between(o.Means, key.Uniform(0, k, 0))
		g.deviation[k] = math.Sqrt(between(o.Variances, key.Uniform(0, k, 1)))
	}
	return g
}

// logits draws the Gaussians of a client and step from a stream of their own.
func (g *gaussians) logits(dst []float64, client, step int) {
	var stream rng.Stream
	stream.Open(g.key, client, step, 0).FillNormal(dst)
	for k, normal := range dst {
		dst[k] = g.means[k] + float64(g.deviation[k]*normal)
	}
}

// logSumExp returns log sum_k exp g_k, computed relative to the largest g_k.
func logSumExp(g []float64) float64 {
	top := math.Inf(-1)
	for _, v := range g {
		top = max(top, v)
	}
	var sum float64
	for _, v := range g {
		sum += portable.Exp(v - top)
	}
	return top + portable.Log(sum)
}
