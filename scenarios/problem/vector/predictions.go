package vector

import (
	"starling/mechanisms/kernel"
	"starling/scenarios/problem"
)

// Averaged is a Curve of labels that are numbers, with predictions z that stand for a mean of
// the label. A model made of it predicts labels.
type Averaged interface {
	// Mean returns the mean of the label at z.
	Mean(z float64) float64
}

// Deviant is an Averaged with a law of labels that is not Gaussian.
type Deviant interface {
	// Deviance returns the unit deviance of a label at a mean: twice the logarithm of the
	// likelihood at the label itself over that at the mean, at least 0.
	Deviance(label, mean float64) float64
}

// Probable is a Curve of labels -1 and 1 that has probabilities. Other curves of such labels rank
// data by z.
type Probable interface {
	// Probability returns the probability of the label 1 at z, in [0, 1].
	Probability(z float64) float64
}

// Predictions implements problem.Predictor.
func (m margin) Predictions() problem.ScoreForm {
	if _, ok := m.Curve.(Averaged); !ok || m.predicts != Value {
		return problem.ScoreForm{}
	}
	f := problem.ScoreForm{Mean: true}
	if d, ok := m.Curve.(Deviant); ok {
		f.Deviance = d.Deviance
	}
	return f
}

// Predict implements problem.Predictor.
func (m margin) Predict(_, x, datum []float64) (predicted, label float64) {
	return m.Curve.(Averaged).Mean(kernel.Dot(x, datum[:m.dim])), datum[m.dim]
}

// Predictions implements problem.Predictor.
func (m classifier) Predictions() problem.ScoreForm {
	_, probable := m.Curve.(Probable)
	return problem.ScoreForm{Classes: 2, Scored: true, Probable: probable}
}

// Predict implements problem.Predictor.
func (m classifier) Predict(scores, x, datum []float64) (predicted, label float64) {
	z := kernel.Dot(x, datum[:m.dim])
	scores[0], scores[1] = -z, z
	if p, ok := m.Curve.(Probable); ok {
		scores[1] = p.Probability(z)
		scores[0] = 1 - scores[1]
	}
	return problem.SignClasses(z, datum[m.dim])
}

// Mean implements Averaged.
func (squared) Mean(z float64) float64 { return z }

// Mean implements Averaged.
func (huber) Mean(z float64) float64 { return z }
