package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"starling/actors/option"
	"starling/scenarios/problem/dataset"
)

// Kinds of layers.
const (
	KindDense       = "dense"       // units that see everything below
	KindConvolution = "convolution" // filters that see a square of all channels
	KindReLU        = "relu"        // max(0, x)
	KindMaxPool     = "max-pool"    // the largest of each square
)

// Kinds lists the kinds of layers.
func Kinds() []string { return []string{KindConvolution, KindDense, KindMaxPool, KindReLU} }

// Paddings of a convolution.
const (
	PaddingValid = "valid" // none: the output is smaller by Size-1
	PaddingSame  = "same"  // zeros around, so that the output is as large as the input
)

// The largest networks: options that Validate accepts stay far from overflow.
const (
	maxWidth      = 1 << 16
	maxFilters    = 1 << 12
	maxSize       = 64
	maxParameters = 1 << 27
	maxLayers     = 64
)

// Layer describes a layer. Which fields a layer has depends on its kind; others
// stay zero.
type Layer struct {
	Kind string `yaml:"kind" json:"kind" doc:"convolution, dense, max-pool or relu"`
	// Units is the number of outputs of a dense layer.
	Units int `yaml:"units" json:"units,omitempty" doc:"number of outputs; dense only"`
	// Filters is the number of output channels of a convolution. Its stride is 1.
	Filters int `yaml:"filters" json:"filters,omitempty" doc:"number of output channels; convolution only"`
	// Size is the side of the square that a filter sees, odd with padding
	// "same", or that a max-pool takes the maximum of. Squares of a max-pool
	// do not overlap, and rows and columns that fill none are left out.
	Size int `yaml:"size" json:"size,omitempty" doc:"side of the square; convolution and max-pool"`
	// Padding is "valid" or "same"; convolution only.
	Padding string `yaml:"padding" json:"padding,omitempty" doc:"valid or same; convolution only"`
}

// Dense returns a layer of units that see everything below.
func Dense(units int) Layer { return Layer{Kind: KindDense, Units: units} }

// Convolution returns a layer of filters of size x size x channels with stride 1.
func Convolution(filters, size int, padding string) Layer {
	return Layer{Kind: KindConvolution, Filters: filters, Size: size, Padding: padding}
}

// MaxPool returns a layer that takes the maximum of squares of size x size; of equal values it
// takes the first in the order of rows.
func MaxPool(size int) Layer { return Layer{Kind: KindMaxPool, Size: size} }

// ReLU returns the layer max(0, x), with derivative 0 at 0.
func ReLU() Layer { return Layer{Kind: KindReLU} }

// Options describe a network.
type Options struct {
	// Input is the shape of the features.
	Input dataset.Shape `json:"input"`
	// Classes is the number of classes, at least 2.
	Classes int `json:"classes"`
	// Layers are the hidden layers from the input on. A dense layer with a unit for each class
	// always follows and is not in the list. Its softmax is the prediction. Without hidden
	// layers this is multinomial logistic regression.
	Layers []Layer `json:"layers,omitempty"`
}

// Validate reports every fault for which the options describe no network, each an
// *option.Error.
func (o Options) Validate() error {
	errs := []error{
		requireRange("input.channels", o.Input.Channels, 1, maxFilters),
		requireRange("input.rows", o.Input.Rows, 1, maxWidth),
		requireRange("input.columns", o.Input.Columns, 1, maxWidth),
		requireRange("classes", o.Classes, 2, maxFilters),
	}
	if len(o.Layers) > maxLayers {
		errs = append(errs, option.Errorf("layers", "has %d entries, want at most %d", len(o.Layers), maxLayers))
	}
	for i, layer := range o.Layers {
		errs = append(errs, layer.validate(fmt.Sprintf("layers[%d]", i)))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return o.validateOrder()
}

// validate checks the fields of one layer.
func (l Layer) validate(path string) error {
	var errs []error
	field := func(name string, used bool, v, most int) {
		switch {
		case used:
			errs = append(errs, requireRange(path+"."+name, v, 1, most))
		case v != 0:
			errs = append(errs, option.Errorf(path+"."+name, "is given, but a layer of kind %s has none", l.Kind))
		}
	}
	if !slices.Contains(Kinds(), l.Kind) {
		return option.Errorf(path+".kind", "is %q, want one of %s", l.Kind, strings.Join(Kinds(), ", "))
	}
	convolution := l.Kind == KindConvolution
	field("units", l.Kind == KindDense, l.Units, maxWidth)
	field("filters", convolution, l.Filters, maxFilters)
	field("size", convolution || l.Kind == KindMaxPool, l.Size, maxSize)
	switch {
	case !convolution && l.Padding != "":
		errs = append(errs, option.Errorf(path+".padding", "is given, but a layer of kind %s has none", l.Kind))
	case convolution && l.Padding != PaddingValid && l.Padding != PaddingSame:
		errs = append(errs, option.Errorf(path+".padding", "is %q, want %s or %s", l.Padding, PaddingSame, PaddingValid))
	case l.Padding == PaddingSame && l.Size%2 == 0:
		errs = append(errs, option.Errorf(path+".size", "is %d, want an odd number with padding %s", l.Size, PaddingSame))
	}
	return errors.Join(errs...)
}

// validateOrder follows the shapes through layers that are valid one by one.
func (o Options) validateOrder() error {
	shape, before, flat, parameters := o.Input, "", false, 0
	for i, layer := range append(slices.Clone(o.Layers), Dense(o.Classes)) {
		path := fmt.Sprintf("layers[%d]", i)
		switch {
		case shape.Dim() > maxWidth*64:
			return option.Errorf(path, "has %d inputs, want at most %d", shape.Dim(), maxWidth*64)
		case layer.Kind == KindReLU && (before == "" || before == KindReLU):
			return option.Errorf(path, "is a relu where nothing can be negative")
		case flat && (layer.Kind == KindConvolution || layer.Kind == KindMaxPool):
			return option.Errorf(path, "is a %s after a dense layer, and outputs of a dense layer are no image", layer.Kind)
		}
		next := layer.output(shape)
		if next.Rows < 1 || next.Columns < 1 {
			return option.Errorf(path+".size", "is %d, larger than the %dx%d values below", layer.Size, shape.Rows, shape.Columns)
		}
		if parameters += layer.parameters(shape); parameters > maxParameters {
			return option.Errorf(path, "brings the network to %d parameters, want at most %d", parameters, maxParameters)
		}
		shape, before, flat = next, layer.Kind, flat || layer.Kind == KindDense
	}
	return nil
}

// output returns the shape of a layer's output for an input of a shape.
func (l Layer) output(in dataset.Shape) dataset.Shape {
	switch {
	case l.Kind == KindDense:
		return dataset.Shape{Channels: l.Units, Rows: 1, Columns: 1}
	case l.Kind == KindMaxPool:
		return dataset.Shape{Channels: in.Channels, Rows: in.Rows / l.Size, Columns: in.Columns / l.Size}
	case l.Kind == KindConvolution && l.Padding == PaddingSame:
		return dataset.Shape{Channels: l.Filters, Rows: in.Rows, Columns: in.Columns}
	case l.Kind == KindConvolution:
		return dataset.Shape{Channels: l.Filters, Rows: in.Rows - l.Size + 1, Columns: in.Columns - l.Size + 1}
	}
	return in
}

// parameters returns the number of parameters of a layer on inputs of a shape.
func (l Layer) parameters(in dataset.Shape) int {
	switch l.Kind {
	case KindDense:
		return l.Units * (in.Dim() + 1)
	case KindConvolution:
		return l.Filters * (in.Channels*l.Size*l.Size + 1)
	}
	return 0
}

func requireRange(path string, v, least, most int) error {
	if v >= least && v <= most {
		return nil
	}
	return option.Errorf(path, "is %d, want %d to %d", v, least, most)
}

func requireClip(clip float64) error {
	if clip > 0 && !math.IsNaN(clip) {
		return nil
	}
	return fmt.Errorf("clipping norm C = %v, want a number above 0, +Inf for none", clip)
}
