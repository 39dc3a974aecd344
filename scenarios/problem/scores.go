package problem

import (
	"math"
	"slices"
)

// ScoreForm is the form of the predictions of a model. The zero value is a model without predictions.
type ScoreForm struct {
	// Classes is the number of classes of labels, at least 2; 0 where labels are numbers, and
	// where there are no predictions.
	Classes int
	// Scored is true if a prediction has a score of each class, by which data can be ranked: the
	// larger, the likelier. Probable is true if scores are probabilities, too.
	Scored, Probable bool
	// Mean is true if labels are numbers, and predictions are means of their law. Deviance is
	// the unit deviance of that law at a mean, 0 where both are equal and positive elsewhere;
	// nil is the squared error, of Gaussian labels.
	Mean     bool
	Deviance func(label, mean float64) float64
}

// Any reports whether there are predictions.
func (f ScoreForm) Any() bool { return f.Classes > 0 || f.Mean }

// Width returns the count of scores of a prediction.
func (f *ScoreForm) Width() int {
	if f.Scored {
		return f.Classes
	}
	return 0
}

// Predictions is data with their labels and predictions. Classes are numbers from 0.
type Predictions struct {
	ScoreForm
	// Labels and Predicted have a class, or a number, for each datum. A prediction that is no
	// class, such as -1, is wrong.
	Labels, Predicted []float64
	// Scores are rows of length Width, one for each datum.
	Scores []float64
}

// Add appends a datum. scores, len Width, are copied.
func (s *Predictions) Add(scores []float64, predicted, label float64) {
	s.Labels, s.Predicted, s.Scores = append(s.Labels, label), append(s.Predicted, predicted), append(s.Scores, scores...)
}

// Len returns the number of data.
func (s *Predictions) Len() int { return len(s.Labels) }

// Reset removes all data, and sets the form.
func (s *Predictions) Reset(f ScoreForm) {
	s.ScoreForm, s.Labels, s.Predicted, s.Scores = f, s.Labels[:0], s.Predicted[:0], s.Scores[:0]
}

// row returns the scores of a datum.
func (s *Predictions) row(k int) []float64 { return s.Scores[k*s.Width() : (k+1)*s.Width()] }

// ranked reports whether there are data, and all scores are numbers.
func (s *Predictions) ranked() bool {
	return s.Len() > 0 && s.Scored && !slices.ContainsFunc(s.Scores, math.IsNaN)
}

// counts are the data of a class: with that label, with that prediction, and with both.
type counts struct{ labelled, predicted, both float64 }

// classes counts the data of each class.
func (s *Predictions) classes() []counts {
	list := make([]counts, s.Classes)
	for k, label := range s.Labels {
		list[int(label)].labelled++
		if p := s.Predicted[k]; p >= 0 && int(p) < s.Classes {
			list[int(p)].predicted++
			if p == label {
				list[int(p)].both++
			}
		}
	}
	return list
}

// mean returns the mean of values; NaN of none.
func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
