package main

import (
	"starling/mechanisms/portable"
	"starling/scenarios/problem/vector"
)

// poissonSection is `model: {kind: poisson}` of rows, whatever their source: Poisson regression
// of a label that is a count. Algorithms of equals, of servers and of streams learn it, and regret compares with
// its least losses.
type poissonSection struct {
	Kind         string           `yaml:"kind,required"`
	vector.Ridge `yaml:",inline"` // the key l2
}

func (*poissonSection) Label() vector.Label { return vector.Value }

func (o *poissonSection) Model(data vector.Data) (vector.Model, error) {
	return vector.NewMargin(deviance{}, vector.Value, o.Ridge, data)
}

// deviance is half of the deviance of a count y with mean exp(z),
//
//	exp(z) - y - y (z - log y),
//
// which is at least 0. A negative label counts as 0. All that privacy rests on follows from
// Steepest: the bound on gradients over a set, where rows have feature_bound and
// label_bound. Without a set there is no bound, and gradients are clipped.
type deviance struct{}

func (deviance) Loss(z, y float64) float64 {
	if y <= 0 {
		return portable.Exp(z)
	}
	return portable.Exp(z) - y - float64(y*(z-portable.Log(y)))
}

func (deviance) Slope(z, y float64) float64    { return portable.Exp(z) - max(0, y) }
func (deviance) Steepest(z, y float64) float64 { return portable.Exp(z) + y }
func (deviance) Bend(z, _ float64) float64     { return portable.Exp(z) }

// Mean and Deviance let runs record the metrics of regression on fresh data, such as error.rmse
// and d2: the mean of the count is exp(z), and its unit deviance twice the loss there.
func (deviance) Mean(z float64) float64 { return portable.Exp(z) }

func (d deviance) Deviance(label, mean float64) float64 {
	return 2 * d.Loss(portable.Log(mean), label)
}
