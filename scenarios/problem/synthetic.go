package problem

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Synthetic is the law of the data of synthetic(alpha, beta) under one seed, as
// Logistic states it: the parameters of every node, drawn, and the law of a
// datum given them. It is immutable and safe for concurrent use.
type Synthetic struct {
	dim       int
	key       rng.Key
	deviation []float64 // len d: j^-0.6, the square roots of Sigma's diagonal
	model     []float64 // N x d: w_i
	offset    []float64 // N: c_i
	mean      []float64 // N x d: v_i
	normalise bool
	longest   float64 // the largest ||a|| if not normalised
	spread    float64 // the standard deviation of u_i
	varied
}

// NewSynthetic draws the parameters of the nodes 0 .. nodes-1 in dim dimensions.
// The options must be valid. It holds 2 nodes x dim numbers.
func NewSynthetic(o LogisticOptions, v Variation, seed uint64, nodes, dim int) *Synthetic {
	s := &Synthetic{
		dim:       dim,
		key:       rng.NewKey(seed, purposeSample),
		deviation: make([]float64, dim),
		model:     make([]float64, nodes*dim),
		offset:    make([]float64, nodes),
		mean:      make([]float64, nodes*dim),
		normalise: o.Normalise,
		longest:   o.FeatureNorm,
		spread:    math.Sqrt(o.Alpha),
	}
	for j := range s.deviation {
		s.deviation[j] = portable.Pow(float64(j+1), -0.6)
	}
	key := rng.NewKey(seed, purposeNode)
	var stream rng.Stream
	for i := range nodes {
		r := stream.Open(key, i, 0, 0)
		u := float64(s.spread * r.NormFloat64())
		b := float64(math.Sqrt(o.Beta) * r.NormFloat64())
		s.offset[i] = u + r.NormFloat64()
		model, mean := s.model[i*dim:(i+1)*dim], s.mean[i*dim:(i+1)*dim]
		r.FillNormal(model)
		r.FillNormal(mean)
		for j := range dim {
			model[j] += u
			mean[j] += b
		}
	}
	s.vary(v, seed)
	return s
}

// datum implements source.
func (s *Synthetic) datum(a []float64, node, step int, stream *rng.Stream) float64 {
	return s.Datum(a, s.key, node, step, step-1, stream)
}

// Datum writes the features of one datum of a node to a, len dim, and returns
// its label, -1 or +1, of the models at time t, from 0: a pure function of (key, node,
// index, t). stream is scratch.
func (s *Synthetic) Datum(a []float64, key rng.Key, node, index, t int, stream *rng.Stream) (label float64) {
	r := stream.Open(key, node, index, 0)
	mean := s.mean[node*s.dim : (node+1)*s.dim]
	r.FillNormal(a)
	kernel.AddProduct(a, mean, s.deviation, a)
	turned := s.LabelNoise > 0 && r.Float64() < s.LabelNoise
	if label = 1; (s.marginAt(a, node, t, stream) < 0) != turned {
		label = -1
	}
	if s.normalise {
		scaleTo(a, 1)
	} else if kernel.SquaredNorm(a) > s.longest*s.longest {
		scaleTo(a, s.longest)
	}
	return label
}
