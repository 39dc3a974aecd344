package model

import (
	"fmt"
	"slices"
)

// Tensor is the part of the parameters that is a weight or the biases of a layer.
type Tensor struct {
	// Name is the name of the layer and "weight" or "bias": convolution1, convolution2, ..,
	// dense1, dense2, .., and output.
	Name string
	// Shape is filters x channels x rows x columns or units x inputs for a weight, and filters
	// or units for biases.
	Shape []int
	// First and Length are the place of the parameters in a flat vector.
	First, Length int
}

// Tensors lists the parameters by layer, in their order: together they are all of
// the vector, len Dim. They have the shapes and the order of PyTorch's parameters for the same
// layers, with a Flatten before the first dense one.
func (m *Model) Tensors() []Tensor {
	var list []Tensor
	next, counted := 0, map[string]int{}
	add := func(name string, shape ...int) {
		length := 1
		for _, n := range shape {
			length *= n
		}
		list = append(list, Tensor{name, shape, next, length})
		next += length
	}
	shape := m.options.Input
	for i, layer := range append(slices.Clone(m.options.Layers), Dense(m.options.Classes)) {
		counted[layer.Kind]++
		name := fmt.Sprintf("%s%d", layer.Kind, counted[layer.Kind])
		if i == len(m.options.Layers) {
			name = "output"
		}
		switch layer.Kind {
		case KindConvolution:
			add(name+".weight", layer.Filters, shape.Channels, layer.Size, layer.Size)
			add(name+".bias", layer.Filters)
		case KindDense:
			add(name+".weight", layer.Units, shape.Dim())
			add(name+".bias", layer.Units)
		}
		shape = layer.output(shape)
	}
	return list
}
