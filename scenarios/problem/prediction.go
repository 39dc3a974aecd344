package problem

import (
	"starling/messages"
)

// Predictor is a Model that predicts the labels of data.
type Predictor interface {
	// Predictions returns the form of predictions. It is the zero value for a model that has
	// none after all.
	Predictions() ScoreForm
	// Predict overwrites scores, len Predictions().Width(), with the scores of the classes of a
	// datum at x, len Dim. It returns the prediction and the label of the datum: classes from 0,
	// -1 for a prediction of no class, or numbers.
	Predict(scores, x, datum []float64) (predicted, label float64)
}

// Predicting is implemented by instances with fresh data that have labels to be predicted.
type Predicting interface {
	// Predictions returns the form of predictions, the zero value where there are none.
	Predictions() ScoreForm
	// PredictFresh adds the fresh data of a node to a sample of that form, with predictions
	// at x, len d.
	PredictFresh(s *Predictions, node messages.NodeID, x []float64)
}

// HeldOut is data that are held out of learning, with the losses and the predictions of
// decisions.
type HeldOut interface {
	Fresh
	Predicting
}

// Validated is implemented by instances with data that are held out for the choice of keys,
// besides fresh data.
type Validated interface {
	// Validation returns these data as fresh data; nil where there are none.
	Validation() HeldOut
}

// FormOf returns the form of the predictions of a model, the zero value where it has none.
func FormOf(m Model) ScoreForm {
	if p, ok := m.(Predictor); ok {
		return p.Predictions()
	}
	return ScoreForm{}
}

// PredictSign writes the probabilities of the labels -1 and 1 under logistic regression, classes
// 0 and 1, at z = <a, x> to scores. It returns the prediction and the class of a label.
func PredictSign(scores []float64, z, label float64) (predicted, class float64) {
	scores[0], scores[1] = LogisticWeight(z), LogisticWeight(-z)
	return SignClasses(z, label)
}

// SignClasses returns the class that is predicted at z, as Predicts does, and the class of a
// label -1 or 1: 0 or 1. A z that is no number predicts no class.
func SignClasses(z, label float64) (predicted, class float64) {
	switch {
	case z >= 0:
		predicted = 1
	case z != z:
		predicted = -1
	}
	if label >= 0 {
		class = 1
	}
	return predicted, class
}
