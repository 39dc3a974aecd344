package model

import (
	"math"
	"slices"

	"starling/mechanisms/rng"
	"starling/scenarios/problem/dataset"
)

// PurposeInit is the purpose of the key of Init.
var PurposeInit = rng.PurposeOf("model.init")

// Model is a compiled network: immutable, safe for concurrent use.
//
// Slices of other lengths than those stated are broken invariants of the caller
// and panic.
type Model struct {
	options Options
	// stages are the layers before the first dense layer: convolutions and max-pools.
	stages []stage
	// lowest is the first stage with parameters, len(stages) without one: derivatives are
	// needed down to it.
	lowest int
	// head are the dense layers; the last is the output.
	head []dense
	// blocks has the number of parameters of each layer that has any.
	blocks []int
	// dim is d, the sum of blocks.
	dim  int
	pool pool
}

// stage is a layer before the first dense one, with the ReLU after it. It works
// on one sample at a time, in the workspace's slot of the sample.
type stage interface {
	output() dataset.Shape
	// rectified reports whether a ReLU follows.
	rectified() bool
	// weights returns the number of parameters.
	weights() int
	// unfolded returns the number of scratch values for the inputs as a matrix.
	unfolded() int
	// forward computes the output y of the input x.
	forward(w *Workspace, at place, x, y []float32)
}

// place is the place of the values of a stage and a sample.
type place struct {
	stage int // index in Model.stages
	block int // index of its parameters in Workspace.parameters
	slot  int // index of the sample in the block of samples
}

// New compiles a network. Errors are from Options.Validate.
func New(options Options) (*Model, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	options.Layers = slices.Clone(options.Layers)
	m := &Model{options: options}
	shape := options.Input
	for _, layer := range append(slices.Clone(options.Layers), Dense(options.Classes)) {
		m.add(layer, shape)
		shape = layer.output(shape)
	}
	m.lowest = len(m.stages)
	for i := len(m.stages) - 1; i >= 0; i-- {
		if m.stages[i].weights() > 0 {
			m.lowest = i
		}
	}
	for _, s := range m.stages {
		if n := s.weights(); n > 0 {
			m.blocks = append(m.blocks, n)
		}
	}
	for _, d := range m.head {
		m.blocks = append(m.blocks, d.weights())
	}
	for _, n := range m.blocks {
		m.dim += n
	}
	m.pool.model = m
	return m, nil
}

// add compiles a layer on inputs of a shape.
func (m *Model) add(layer Layer, in dataset.Shape) {
	switch layer.Kind {
	case KindConvolution:
		m.stages = append(m.stages, newConvolution(layer, in))
	case KindMaxPool:
		p := newMaxPool(layer, in)
		// ReLU and maximum commute, in value and in gradient, and after the maximum the ReLU
		// has fewer values to work on.
		if n := len(m.stages); n > 0 {
			if c, ok := m.stages[n-1].(*convolution); ok && c.relu {
				c.relu, p.relu = false, true
			}
		}
		m.stages = append(m.stages, p)
	case KindDense:
		m.head = append(m.head, dense{inputs: in.Dim(), units: layer.Units})
	case KindReLU:
		if n := len(m.head); n > 0 {
			m.head[n-1].relu = true
			return
		}
		switch s := m.stages[len(m.stages)-1].(type) {
		case *convolution:
			s.relu = true
		case *maxPool:
			s.relu = true
		}
	}
}

// Options returns the options that the model was made from.
func (m *Model) Options() Options {
	o := m.options
	o.Layers = slices.Clone(o.Layers)
	return o
}

// Dim returns d, the number of parameters.
func (m *Model) Dim() int { return m.dim }

// Inputs returns the number of features of a sample.
func (m *Model) Inputs() int { return m.options.Input.Dim() }

// Classes returns the number of classes.
func (m *Model) Classes() int { return m.options.Classes }

// Init overwrites params, len Dim, with a start: biases are 0, weights of layers
// with ReLU are N(0, 2/inputs) (He et al. 2015), weights of others are uniform on
// +-sqrt(6/(inputs + outputs)) (Glorot and Bengio 2010). The inputs and outputs of a
// convolution are counted at one position. Each layer has a stream of its own under the key.
// The values are float32.
//
// The loss of a network without hidden layers is convex, so zeros are as good a
// start; with hidden layers zeros are a saddle point that no gradient leaves.
func (m *Model) Init(params []float64, key rng.Key) {
	requireLength("parameters", len(params), m.dim)
	var stream rng.Stream
	index := 0
	fill := func(weights, biases, inputs, outputs int, relu bool) {
		r := stream.Open(key, index, 0, 0)
		deviation := math.Sqrt(2 / float64(inputs))
		limit := math.Sqrt(6 / float64(inputs+outputs))
		for k := range weights {
			v := limit * (float64(2*r.Float64()) - 1)
			if relu {
				v = deviation * r.NormFloat64()
			}
			params[k] = float64(float32(v))
		}
		clear(params[weights : weights+biases])
		params = params[weights+biases:]
		index++
	}
	for i, s := range m.stages {
		if c, ok := s.(*convolution); ok {
			square := c.size * c.size
			fill(c.filters*c.patch(), c.filters, c.patch(), c.filters*square, m.rectifiedAbove(i))
		}
	}
	for _, d := range m.head {
		fill(d.units*d.inputs, d.units, d.inputs, d.units, d.relu)
	}
}

// rectifiedAbove reports whether a ReLU follows a convolution, directly or after max-pools.
func (m *Model) rectifiedAbove(i int) bool {
	for {
		if m.stages[i].rectified() {
			return true
		}
		i++
		if i == len(m.stages) || m.stages[i].weights() > 0 {
			return false
		}
	}
}
