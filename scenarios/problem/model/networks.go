package model

import (
	"starling/actors/option"
	"starling/scenarios/problem/dataset"
)

// Logistic describes multinomial logistic regression: classes x (features + 1)
// parameters.
func Logistic(input dataset.Shape, classes int) Options {
	return Options{Input: input, Classes: classes}
}

// Perceptron describes a network with one hidden dense layer and ReLU.
func Perceptron(input dataset.Shape, classes, hidden int) Options {
	return Options{Input: input, Classes: classes, Layers: []Layer{Dense(hidden), ReLU()}}
}

// Pooling is the place of the max-pools of a convolutional network. The papers' sentence, two
// convolutions "each followed by" or "followed by" a max-pool, can be read in both ways.
type Pooling string

// The readings of the sentence.
const (
	PoolEach Pooling = "each" // after each convolution
	PoolLast Pooling = "last" // once, after the second
)

// ConvolutionalOptions are the options in which the papers' convolutional networks differ.
type ConvolutionalOptions struct {
	Pooling Pooling `yaml:"pooling" doc:"each: a max-pool after each convolution; last: one after both"`
	Padding string  `yaml:"padding" doc:"valid or same, of the convolutions"`
	Filters int     `yaml:"filters" doc:"of each convolution"`
	// Hidden are the sizes of the dense layers before the output, each with
	// ReLU.
	Hidden []int `yaml:"hidden" doc:"units of the dense layers before the output"`
}

// PerStepConvolutional returns the network of version 2 of the paper on online federated
// learning with correlated noise: two convolutions of 32 filters of 3x3, dense layers of 64
// and 10. The paper prints no padding; "valid", which most libraries take when none is named,
// is chosen here.
func PerStepConvolutional() ConvolutionalOptions {
	return ConvolutionalOptions{Pooling: PoolEach, Padding: PaddingValid, Filters: 32, Hidden: []int{64}}
}

// Convolutional describes a network of two convolutions of 3x3 with ReLU and
// max-pools of 2x2, and dense layers with ReLU.
func Convolutional(input dataset.Shape, classes int, o ConvolutionalOptions) (Options, error) {
	if o.Pooling != PoolEach && o.Pooling != PoolLast {
		return Options{}, option.Errorf("pooling", "is %q, want %s or %s", o.Pooling, PoolEach, PoolLast)
	}
	layers := []Layer{Convolution(o.Filters, 3, o.Padding), ReLU()}
	if o.Pooling == PoolEach {
		layers = append(layers, MaxPool(2))
	}
	layers = append(layers, Convolution(o.Filters, 3, o.Padding), ReLU(), MaxPool(2))
	for _, units := range o.Hidden {
		layers = append(layers, Dense(units), ReLU())
	}
	options := Options{Input: input, Classes: classes, Layers: layers}
	return options, options.Validate()
}
