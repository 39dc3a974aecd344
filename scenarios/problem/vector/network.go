package vector

import (
	"errors"
	"math"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/model"
)

// network is softmax regression or a network of dense layers, with a ridge term on
// all parameters, offsets too.
type network struct {
	model.Online
	// whole computes on batches and makes weights; Online is its view a datum at a time.
	// hidden is true if there are hidden layers; without them losses are convex.
	whole  *model.Model
	norm   float64 // the largest ||a||
	l2     float64
	hidden bool
}

// newNetwork makes a network with hidden layers of so many units, or softmax regression.
func newNetwork(ridge Ridge, c Classes, hidden []int, data Data) (Model, error) {
	classes, err := c.of(data)
	if err = errors.Join(ridge.Validate(), err, data.Validate()); err != nil {
		return nil, err
	}
	layers := model.Logistic(dataset.Shape{Channels: data.Features, Rows: 1, Columns: 1}, classes)
	for _, units := range hidden {
		layers.Layers = append(layers.Layers, model.Dense(units), model.ReLU())
	}
	whole, err := model.New(layers)
	if err != nil {
		return nil, err
	}
	return network{whole.Online(), whole, data.FeatureNorm, ridge.L2, len(hidden) > 0}, nil
}

// Predicts implements Model.
func (n network) Predicts() Label { return Class }

// Convex implements Model.
func (n network) Convex() bool { return !n.hidden }

// Start implements Model.
func (n network) Start(dst []float64, seed uint64) {
	clear(dst)
	if n.hidden {
		n.whole.Init(dst, rng.NewKey(seed, model.PurposeInit))
	}
}

// StrongConvexity implements Model.
func (n network) StrongConvexity() float64 {
	if n.hidden {
		return 0
	}
	return n.l2
}

// Smoothness implements Model.
func (n network) Smoothness() float64 {
	if n.hidden {
		return math.Inf(1)
	}
	return n.curvature(n.norm, math.Inf(1))
}

// curvature returns a Lipschitz constant of gradients without hidden layers. The Hessian
// without the ridge term is the Hessian of the cross-entropy in the logits, diag(p) - p p',
// with eigenvalues of at most 1/2, times the features and the 1 of the offsets.
func (n network) curvature(longest, _ float64) float64 {
	return float64((float64(longest*longest)+1)/2) + n.l2
}

// GradientBound implements Model.
func (n network) GradientBound() float64 { return n.BoundWithin(math.Inf(1)) }

// BoundWithin implements Model: the gradient is (p - e_y) for each of the features and 1,
// and l2 x; ||p - e_y|| is at most sqrt(2). Float32 rounds it in the last of its digits.
func (n network) BoundWithin(radius float64) float64 {
	if n.hidden {
		return math.Inf(1)
	}
	return math.Sqrt(2*(float64(n.norm*n.norm)+1)) + times(n.l2, radius)
}

// Loss implements Model.
func (n network) Loss(x, datum []float64) float64 {
	return n.Online.Loss(x, datum) + ridge(n.l2, x)
}

// Gradient implements Model.
func (n network) Gradient(dst, x, datum []float64) {
	n.Online.Gradient(dst, x, datum)
	addRidge(dst, n.l2, x)
}

// Evaluate implements stream.Evaluator.
func (n network) Evaluate(x, datum []float64) (loss float64, correct bool) {
	loss, correct = n.Online.Evaluate(x, datum)
	return loss + ridge(n.l2, x), correct
}
