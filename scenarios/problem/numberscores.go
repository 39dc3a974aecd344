package problem

import "math"

// meanOf returns the mean over the data of a number of a label and its prediction; NaN where
// labels are classes.
func (s *Predictions) meanOf(number func(label, predicted float64) float64) float64 {
	if !s.Mean {
		return math.NaN()
	}
	var sum float64
	for k, label := range s.Labels {
		sum += number(label, s.Predicted[k])
	}
	return sum / float64(s.Len())
}

func square(label, predicted float64) float64 {
	e := label - predicted
	return e * e
}

// RMSE returns the root of the mean squared error, in units of the label.
func RMSE(s *Predictions) float64 { return math.Sqrt(s.meanOf(square)) }

// MAE returns the mean absolute error, in units of the label.
func MAE(s *Predictions) float64 {
	return s.meanOf(func(label, predicted float64) float64 { return math.Abs(label - predicted) })
}

// R2 returns the coefficient of determination: 1 less the squared errors of the predictions over
// the squared errors of the mean of the labels. It is at most 1, and NaN where all labels are the same.
func R2(s *Predictions) float64 { return s.explained(square) }

// D2 returns the share of the deviance that is explained: 1 less the deviance of the predictions
// over the deviance of the mean of the labels, by the unit deviance of the form. It is R2 for Gaussian
// labels. It is at most 1, and NaN where all labels are the same.
func D2(s *Predictions) float64 {
	if s.Deviance == nil {
		return R2(s)
	}
	return s.explained(s.Deviance)
}

// explained returns 1 less the mean deviance of predictions over that deviance at the mean of the labels.
func (s *Predictions) explained(deviance func(label, mean float64) float64) float64 {
	varies := false
	for _, label := range s.Labels {
		varies = varies || label != s.Labels[0]
	}
	if !varies {
		return math.NaN()
	}
	centre := mean(s.Labels)
	return 1 - s.meanOf(deviance)/s.meanOf(func(label, _ float64) float64 { return deviance(label, centre) })
}
