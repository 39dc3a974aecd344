package model

import (
	"starling/mechanisms/portable"
	"starling/scenarios/problem"
)

// Predictions returns the form of predictions: probabilities of the classes.
func (m *Model) Predictions() problem.ScoreForm {
	return problem.ScoreForm{Classes: m.Classes(), Scored: true, Probable: true}
}

// Predictions implements problem.Predictor.
func (o Online) Predictions() problem.ScoreForm { return o.model.Predictions() }

// Predict implements problem.Predictor.
func (o Online) Predict(scores, x, datum []float64) (predicted, label float64) {
	w := o.forward(x, datum)
	defer o.model.pool.put(w)
	softmax(scores, w.logits(0))
	return float64(predict(w.logits(0))), float64(w.labels[0])
}

// softmax writes the probabilities of logits, which it computes in float64.
func softmax(dst []float64, logits []float32) {
	top := logits[0]
	for _, v := range logits {
		top = max(top, v)
	}
	var sum float64
	for k, v := range logits {
		dst[k] = portable.Exp(float64(v) - float64(top))
		sum += dst[k]
	}
	for k := range dst {
		dst[k] /= sum
	}
}

// PredictAll adds all of the data to a sample of the form of Predictions, in their order, with
// predictions at params, len Dim. Data without samples, of another width, or with labels that do
// not exist are errors.
func (m *Model) PredictAll(s *problem.Predictions, params []float64, data Samples) error {
	requireLength("parameters", len(params), m.dim)
	n, first := data.Len(), s.Len()
	scores := make([]float64, m.Classes())
	for range n {
		s.Add(scores, -1, 0) // places, which parts fill
	}
	return m.inParts(params, data, func(w *Workspace, sample, slot int) {
		k := first + sample
		s.Predicted[k], s.Labels[k] = float64(predict(w.logits(slot))), float64(w.labels[slot])
		softmax(s.Scores[k*len(scores):(k+1)*len(scores)], w.logits(slot))
	})
}
