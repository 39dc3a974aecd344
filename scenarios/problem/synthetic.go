package problem

import (
	"math"

	"starling/mechanisms/kernel"
	"starling/mechanisms/portable"
	"starling/mechanisms/rng"
)

// Synthetic is the law of the data of synthetic(alpha, beta) under one seed, as
// Logistic states it: the parameters of every node, and the law of a datum given
// them. It is immutable and safe for concurrent use.
type Synthetic struct {
	dim       int
	key       rng.Key
	deviation []float64 // len d: j^-0.6, the square roots of Sigma's diagonal
	laws      nodeLaws
	normalise bool
	longest   float64 // the largest ||a|| if not normalised
	varied
}

// NewSynthetic returns the law of the nodes 0 .. nodes-1 in dim dimensions. The options must
// be valid. It holds 2 nodes x dim numbers.
func NewSynthetic(o LogisticOptions, v Variation, seed uint64, nodes, dim int, zones Zones) *Synthetic {
	s := NewPassing(o, v, seed, dim, zones)
	s.laws.keep(nodes)
	return s
}

// NewPassing is NewSynthetic for nodes that come and go, of any number. It holds no parameters
// of nodes: the parameters of one are drawn again whenever its data are asked for after data of
// another, to the same bits. zones are for a Variation that is zonal.
func NewPassing(o LogisticOptions, v Variation, seed uint64, dim int, zones Zones) *Synthetic {
	s := &Synthetic{
		dim:       dim,
		key:       rng.NewKey(seed, purposeSample),
		deviation: make([]float64, dim),
		laws:      newNodeLaws(o, v, seed, dim),
		normalise: o.Normalise,
		longest:   o.FeatureNorm,
	}
	for j := range s.deviation {
		s.deviation[j] = portable.Pow(float64(j+1), -0.6)
	}
	if v.Zonal > 0 {
		s.laws.zones = zones
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
	law, drawn := s.laws.of(node)
	defer s.laws.back(drawn)
	r := stream.Open(key, node, index, 0)
	r.FillNormal(a)
	kernel.AddProduct(a, law.mean, s.deviation, a)
	turned := s.LabelNoise > 0 && r.Float64() < s.LabelNoise
	if label = 1; (s.marginAt(a, law, node, t, stream) < 0) != turned {
		label = -1
	}
	if s.normalise {
		scaleTo(a, 1)
	} else if kernel.SquaredNorm(a) > s.longest*s.longest {
		scaleTo(a, s.longest)
	}
	return label
}

// mostRows is the number of data that are drawn at once: so many stay in the cache of a core.
const mostRows = 64

// data implements rowSource.
func (s *Synthetic) data(a, y []float64, first, step int, stream *rng.Stream) {
	draw, _, _, more := s.Drift.parts(step - 1)
	if s.LabelNoise > 0 || draw != 0 || more != 0 || s.laws.kept == nil { // models or labels are drawn anew
		for i := range y {
			y[i] = s.datum(a[i*s.dim:(i+1)*s.dim], first+i, step, stream)
		}
		return
	}
	for len(y) > 0 {
		count := min(mostRows, len(y))
		s.rows(a[:count*s.dim], y[:count], first, step)
		a, y, first = a[count*s.dim:], y[count:], first+count
	}
}

// labels are the labels of data with a margin of at least 0, and of data with a negative
// margin.
var labels = [2]float64{1, -1}

// rows is data with the models that were drawn first, for at most mostRows nodes.
func (s *Synthetic) rows(a, y []float64, first, step int) {
	d, count := s.dim, len(y)
	s.key.FillNormalRows(a, d, first, step, 0)
	laws := s.laws.kept[first : first+count]
	for i := range laws {
		kernel.AddProduct(a[i*d:(i+1)*d], laws[i].mean, s.deviation, a[i*d:(i+1)*d])
	}
	kernel.RowDots(y, s.laws.models[first*d:], a, d)
	for i := range laws {
		label := 0 // chosen without a branch, which no processor could guess
		if y[i]+laws[i].offset < 0 {
			label = 1
		}
		y[i] = labels[label]
	}
	var scales [mostRows]float64
	squares := scales[:count]
	kernel.RowDots(squares, a, a, d)
	for i, square := range squares {
		switch norm := math.Sqrt(square); {
		case s.normalise && norm != 0:
			squares[i] = 1 / norm
		case !s.normalise && square > s.longest*s.longest && norm != 0:
			squares[i] = s.longest / norm
		default:
			squares[i] = 1
		}
	}
	kernel.ScaleRows(a, squares, a, d)
}
