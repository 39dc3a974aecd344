package vector

import (
	"errors"
	"math"

	"starling/actors/option"
	"starling/scenarios/problem/stream"
)

// Ridge is the key of a ridge term, which all kinds of models here have.
type Ridge struct {
	L2 float64 `yaml:"l2" min:"0" says:"l2 = %v" unit:"loss per squared 2-norm" doc:"weight of a ridge term l2/2 ||x||^2 in every loss, which makes convex losses strongly convex; absent, 0"`
}

// Among lets keys of other kinds of models stand: a sweep can change the kind alone.
func (Ridge) Among() {}

// Validate refuses a weight that is negative or not finite.
func (r Ridge) Validate() error {
	if !(r.L2 >= 0) || math.IsInf(r.L2, 1) {
		return option.Errorf("l2", "is %v, want a finite number >= 0", r.L2)
	}
	return nil
}

// Linear is the section of linear regression: the squared loss (z - y)^2/2 of a number y.
type Linear struct {
	Kind  string `yaml:"kind,required"`
	Ridge `yaml:",inline"`
}

// Label implements Section.
func (*Linear) Label() Label { return Value }

// Model implements Section.
func (o *Linear) Model(data Data) (Model, error) { return newResiduals(squared{}, o.Ridge, data) }

// squared is the loss (z - y)^2/2.
type squared struct{}

func (squared) Loss(z, y float64) float64     { return (z - y) * (z - y) / 2 }
func (squared) Slope(z, y float64) float64    { return z - y }
func (squared) Steepest(z, y float64) float64 { return z + y }
func (squared) Bend(_, _ float64) float64     { return 1 }

// Huber is the section of robust linear regression: the loss of Huber (1964) of a residual
// r = z - y, r^2/2 up to delta and delta (|r| - delta/2) beyond.
type Huber struct {
	Kind  string `yaml:"kind,required"`
	Ridge `yaml:",inline"`
	Delta float64 `yaml:"delta" over:"0" says:"delta = %v" unit:"that of the label" doc:"residual, in units of the label, from which the loss of huber grows like its size; no slope is larger"`
}

// DefaultHuber returns the section with a delta of 1.
func DefaultHuber() Huber { return Huber{Delta: 1} }

// Label implements Section.
func (*Huber) Label() Label { return Value }

// Model implements Section.
func (o *Huber) Model(data Data) (Model, error) {
	var err error
	if !(o.Delta > 0) || math.IsInf(o.Delta, 1) {
		err = option.Errorf("delta", "is %v, want a finite number > 0", o.Delta)
	}
	m, residuals := newResiduals(huber{o.Delta}, o.Ridge, data)
	return m, errors.Join(residuals, err)
}

// huber is the loss of a residual that is quadratic up to delta and linear beyond it, where
// outliers pull no harder.
type huber struct{ delta float64 }

func (h huber) Loss(z, y float64) float64 {
	r := math.Abs(z - y)
	if r <= h.delta {
		return r * r / 2
	}
	return h.delta * (r - float64(h.delta/2))
}

func (h huber) Slope(z, y float64) float64    { return max(-h.delta, min(h.delta, z-y)) }
func (h huber) Steepest(z, y float64) float64 { return min(h.delta, z+y) }
func (huber) Bend(_, _ float64) float64       { return 1 }

// Logistic is the section of logistic regression: the loss log(1 + exp(-z y)) of a label
// y = -1 or 1. It is the kind of a section that names none.
type Logistic struct {
	Kind  string `yaml:"kind"`
	Ridge `yaml:",inline"`
}

// Label implements Section.
func (*Logistic) Label() Label { return Sign }

// Model implements Section.
func (o *Logistic) Model(data Data) (Model, error) {
	m := logistic{stream.NewLogistic(data.Features, data.FeatureNorm).Ridge(o.L2)}
	return m, errors.Join(o.Validate(), data.Validate())
}

// logistic is stream.Logistic as a Model.
type logistic struct{ stream.Logistic }

// Predicts implements Model.
func (logistic) Predicts() Label { return Sign }

// Convex implements Model.
func (logistic) Convex() bool { return true }

// Start implements Model.
func (logistic) Start(dst []float64, _ uint64) { clear(dst) }

// Hinge is the section of a support vector machine: the loss max(0, 1 - z y) of a label
// y = -1 or 1.
type Hinge struct {
	Kind  string `yaml:"kind,required"`
	Ridge `yaml:",inline"`
}

// Label implements Section.
func (*Hinge) Label() Label { return Sign }

// Model implements Section.
func (o *Hinge) Model(data Data) (Model, error) {
	m, err := marginOf(hinge{}, Sign, o.Ridge, data)
	return hinged{classifier{m}}, err
}

// hinge is the loss max(0, 1 - z y). At the kink, z y = 1, the subgradient is 0.
type hinge struct{}

func (hinge) Loss(z, y float64) float64 { return max(0, 1-float64(z*y)) }

func (hinge) Slope(z, y float64) float64 {
	if z*y < 1 {
		return -y
	}
	return 0
}

func (hinge) Steepest(_, _ float64) float64 { return 1 }
func (hinge) Bend(_, _ float64) float64     { return math.Inf(1) }

// Softmax is the section of multinomial logistic regression with an offset for each class, for
// labels 0 .. classes-1. It computes in float32, as package model does.
type Softmax struct {
	Kind    string `yaml:"kind,required"`
	Ridge   `yaml:",inline"`
	Classes `yaml:",inline"`
}

// Model implements Section.
func (o *Softmax) Model(data Data) (Model, error) { return newNetwork(o.Ridge, o.Classes, nil, data) }

// MLP is the section of a network of dense layers with ReLU before a Softmax.
type MLP struct {
	Kind    string `yaml:"kind,required"`
	Ridge   `yaml:",inline"`
	Hidden  []int `yaml:"hidden" unit:"units" range:"at least 1 each" doc:"units of the dense layers of mlp before the output, each with ReLU"`
	Classes `yaml:",inline"`
}

// DefaultMLP returns the section with one layer of 64 hidden units.
func DefaultMLP() MLP { return MLP{Hidden: []int{64}} }

// Model implements Section.
func (o *MLP) Model(data Data) (Model, error) {
	m, err := newNetwork(o.Ridge, o.Classes, o.Hidden, data)
	if len(o.Hidden) == 0 {
		err = errors.Join(err, option.Errorf("hidden", "is empty, want the units of at least one layer; softmax has none"))
	}
	return m, err
}

// Classes is the key of the number of classes.
type Classes struct {
	Classes int `yaml:"classes" min:"0" max:"4096" says:"%v classes" unit:"classes" doc:"number of classes of softmax and mlp; absent, as many as the data have"`
}

// Label implements Section.
func (Classes) Label() Label { return Class }

// of returns the number of classes for data: their number, two at least, where the section has
// none.
func (c Classes) of(data Data) (int, error) {
	switch classes := c.Classes; {
	case classes < 0 || classes == 1:
		return 0, option.Errorf("classes", "is %d, want at least 2", classes)
	case classes == 0:
		return max(2, data.Classes), nil
	case classes < data.Classes:
		return 0, option.Errorf("classes", "is %d, but the data have %d classes", classes, data.Classes)
	}
	return c.Classes, nil
}
