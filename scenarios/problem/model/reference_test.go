package model

import (
	"math"
	"math/rand/v2"

	"starling/scenarios/problem/dataset"
)

// reference is a network in float64 by plain loops over the definitions of the
// layers, in the order in which they are declared. It shares no code with the
// package.
type reference struct {
	layers []Layer
	shapes []dataset.Shape // of the inputs of each layer, and of the output
	starts []int           // of each layer's parameters
	dim    int
}

func newReference(o Options) *reference {
	r := &reference{layers: append(append([]Layer(nil), o.Layers...), Layer{Kind: "dense", Units: o.Classes})}
	s := o.Input
	for _, l := range r.layers {
		r.shapes, r.starts = append(r.shapes, s), append(r.starts, r.dim)
		switch l.Kind {
		case "dense":
			r.dim += l.Units*s.Channels*s.Rows*s.Columns + l.Units
			s = dataset.Shape{Channels: l.Units, Rows: 1, Columns: 1}
		case "convolution":
			r.dim += l.Filters*s.Channels*l.Size*l.Size + l.Filters
			s.Channels = l.Filters
			if l.Padding == "valid" {
				s.Rows, s.Columns = s.Rows-(l.Size-1), s.Columns-(l.Size-1)
			}
		case "max-pool":
			s.Rows, s.Columns = s.Rows/l.Size, s.Columns/l.Size
		}
	}
	r.shapes = append(r.shapes, s)
	return r
}

// index is that of a value of an image, -1 outside.
func index(s dataset.Shape, c, row, column int) int {
	if row < 0 || row >= s.Rows || column < 0 || column >= s.Columns {
		return -1
	}
	return (c*s.Rows+row)*s.Columns + column
}

// visit calls f for each product of a weight and an input that adds to an output
// of a layer, and for each bias with input -1.
func (r *reference) visit(i int, f func(weight, input, output int)) {
	l, in, out, start := r.layers[i], r.shapes[i], r.shapes[i+1], r.starts[i]
	switch l.Kind {
	case "dense":
		n := in.Channels * in.Rows * in.Columns
		for u := range l.Units {
			for k := range n {
				f(start+u*n+k, k, u)
			}
			f(start+l.Units*n+u, -1, u)
		}
	case "convolution":
		margin := 0
		if l.Padding == "same" {
			margin = (l.Size - 1) / 2
		}
		for o := range out.Channels * out.Rows * out.Columns {
			filter, row, column := o/(out.Rows*out.Columns), o/out.Columns%out.Rows, o%out.Columns
			for k := range in.Channels * l.Size * l.Size {
				c, dr, dc := k/(l.Size*l.Size), k/l.Size%l.Size, k%l.Size
				if x := index(in, c, row+dr-margin, column+dc-margin); x >= 0 {
					f(start+filter*in.Channels*l.Size*l.Size+k, x, o)
				}
			}
			f(start+l.Filters*in.Channels*l.Size*l.Size+filter, -1, o)
		}
	}
}

// maximum is where the largest value of the square of an output of a max-pool
// is, the first of equal ones.
func (r *reference) maximum(i int, x []float64, o int) int {
	size, in, out := r.layers[i].Size, r.shapes[i], r.shapes[i+1]
	c, row, column := o/(out.Rows*out.Columns), o/out.Columns%out.Rows, o%out.Columns
	best := -1
	for k := range size * size {
		j := index(in, c, row*size+k/size, column*size+k%size)
		if best < 0 || x[j] > x[best] {
			best = j
		}
	}
	return best
}

// forward returns the inputs of all layers and the logits.
func (r *reference) forward(params, features []float64) [][]float64 {
	values := [][]float64{features}
	for i, l := range r.layers {
		x, y := values[i], make([]float64, r.shapes[i+1].Dim())
		r.visit(i, func(weight, input, output int) {
			if input < 0 {
				y[output] += params[weight]
			} else {
				y[output] += params[weight] * x[input]
			}
		})
		for o := range y {
			switch l.Kind {
			case "relu":
				y[o] = math.Max(0, x[o])
			case "max-pool":
				y[o] = x[r.maximum(i, x, o)]
			}
		}
		values = append(values, y)
	}
	return values
}

func (r *reference) loss(params, features []float64, label int) float64 {
	values := r.forward(params, features)
	sum := 0.0
	for _, z := range values[len(values)-1] {
		sum += math.Exp(z - values[len(values)-1][label])
	}
	return math.Log(sum)
}

func (r *reference) gradient(params, features []float64, label int) []float64 {
	values := r.forward(params, features)
	logits := values[len(values)-1]
	delta, sum := make([]float64, len(logits)), 0.0
	for _, z := range logits {
		sum += math.Exp(z)
	}
	for k, z := range logits {
		delta[k] = math.Exp(z) / sum
	}
	delta[label]--
	gradient := make([]float64, r.dim)
	for i := len(r.layers) - 1; i >= 0; i-- {
		x, below := values[i], make([]float64, len(values[i]))
		r.visit(i, func(weight, input, output int) {
			if input < 0 {
				gradient[weight] += delta[output]
				return
			}
			gradient[weight] += delta[output] * x[input]
			below[input] += delta[output] * params[weight]
		})
		for o := range delta {
			switch {
			case r.layers[i].Kind == "relu" && x[o] > 0:
				below[o] = delta[o]
			case r.layers[i].Kind == "max-pool":
				below[r.maximum(i, x, o)] += delta[o]
			}
		}
		delta = below
	}
	return gradient
}

// networks cover every layer, padding and way through the code: filters short
// and long, with and without margins, ReLU before and after a max-pool or
// missing, squares that do not divide the image, pools on pools and on pixels.
var networks = map[string]Options{
	"logistic":         Logistic(dataset.Shape{Channels: 1, Rows: 5, Columns: 4}, 3),
	"perceptron":       Perceptron(dataset.Shape{Channels: 2, Rows: 5, Columns: 4}, 3, 70),
	"dense-no-relu":    {small(1), 3, []Layer{Dense(7), Dense(200), ReLU()}},
	"paper":            {small(1), 10, []Layer{Convolution(5, 3, "valid"), ReLU(), MaxPool(2), Convolution(6, 3, "valid"), ReLU(), MaxPool(2), Dense(8), ReLU()}},
	"pool-last":        {small(1), 10, []Layer{Convolution(9, 3, "valid"), ReLU(), Convolution(6, 3, "valid"), ReLU(), MaxPool(2), Dense(8), ReLU()}},
	"same":             {small(3), 4, []Layer{Convolution(8, 3, "same"), ReLU(), MaxPool(2), Convolution(6, 5, "same"), ReLU(), MaxPool(2), Dense(8), ReLU()}},
	"long-filters":     {small(3), 4, []Layer{Convolution(8, 5, "valid"), ReLU(), Convolution(70, 3, "same"), MaxPool(3)}},
	"linear-filters":   {small(2), 4, []Layer{Convolution(4, 1, "valid"), Convolution(3, 7, "valid")}},
	"pool-before-relu": {small(1), 4, []Layer{Convolution(4, 3, "valid"), MaxPool(2), ReLU(), Convolution(4, 3, "same"), MaxPool(3), ReLU()}},
	"pools":            {small(1), 4, []Layer{MaxPool(2), Convolution(4, 3, "same"), MaxPool(2), MaxPool(2), Dense(4), ReLU()}},
	"pool-only":        {small(1), 4, []Layer{MaxPool(3)}},
	"relu-pools":       {small(1), 4, []Layer{Convolution(4, 3, "same"), ReLU(), MaxPool(3), ReLU(), MaxPool(2)}},
	"not-square":       {dataset.Shape{Channels: 1, Rows: 15, Columns: 9}, 4, []Layer{Convolution(4, 3, "valid"), ReLU(), MaxPool(2), Convolution(20, 3, "valid"), ReLU()}},
}

func small(channels int) dataset.Shape {
	return dataset.Shape{Channels: channels, Rows: 14, Columns: 14}
}

// normalSamples are samples of independent N(0, 1) features and uniform labels,
// whose values are float32.
type normalSamples struct {
	width, classes int
	features       []float32
	labels         []int
}

func newNormalSamples(m *Model, n int, seed uint64) *normalSamples {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &normalSamples{width: m.Inputs(), classes: m.Classes()}
	for range n * s.width {
		s.features = append(s.features, float32(r.NormFloat64()))
	}
	for range n {
		s.labels = append(s.labels, r.IntN(s.classes))
	}
	return s
}

func (s *normalSamples) Len() int   { return len(s.labels) }
func (s *normalSamples) Width() int { return s.width }
func (s *normalSamples) Sample(i int, features []float32) int {
	copy(features, s.features[i*s.width:(i+1)*s.width])
	return s.labels[i]
}

// wide are the features of a sample in float64.
func (s *normalSamples) wide(i int) []float64 {
	wide := make([]float64, s.width)
	for k, v := range s.features[i*s.width : (i+1)*s.width] {
		wide[k] = float64(v)
	}
	return wide
}

// randomParameters are N(0, 1/4) noise about Init, biases included, in float32.
func randomParameters(m *Model, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 2))
	params := initial(m)
	for k := range params {
		params[k] = float64(float32(params[k] + 0.05*r.NormFloat64()))
	}
	return params
}

func norm(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}

func distance(x, y []float64) float64 {
	d := make([]float64, len(x))
	for k := range d {
		d[k] = x[k] - y[k]
	}
	return norm(d)
}
