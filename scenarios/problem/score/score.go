// Package score holds predictions of labels, and the numbers by which they are judged:
// balanced accuracy, F1, areas under curves, losses of probabilities, calibration, and errors of
// regression. It knows no model, no data and no run.
//
// Every number is a pure function of a [Sample]. It is NaN where it is not defined: of no data,
// of scores that are no numbers, and as each function says. Sums are taken in the order of the
// data. Definitions are as in scikit-learn 1.9, where a number that is not defined is NaN in some
// cases only.
package score

import (
	"math"
	"slices"
)

// Form is the form of the predictions of a model. The zero value is a model without predictions.
type Form struct {
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
func (f Form) Any() bool { return f.Classes > 0 || f.Mean }

// Width returns the count of scores of a prediction.
func (f *Form) Width() int {
	if f.Scored {
		return f.Classes
	}
	return 0
}

// Sample is data with their labels and predictions. Classes are numbers from 0.
type Sample struct {
	Form
	// Labels and Predicted have a class, or a number, for each datum. A prediction that is no
	// class, such as -1, is wrong.
	Labels, Predicted []float64
	// Scores are rows of length Width, one for each datum.
	Scores []float64
}

// Add appends a datum. scores, len Width, are copied.
func (s *Sample) Add(scores []float64, predicted, label float64) {
	s.Labels, s.Predicted, s.Scores = append(s.Labels, label), append(s.Predicted, predicted), append(s.Scores, scores...)
}

// Len returns the number of data.
func (s *Sample) Len() int { return len(s.Labels) }

// Reset removes all data, and sets the form.
func (s *Sample) Reset(f Form) {
	s.Form, s.Labels, s.Predicted, s.Scores = f, s.Labels[:0], s.Predicted[:0], s.Scores[:0]
}

// row returns the scores of a datum.
func (s *Sample) row(k int) []float64 { return s.Scores[k*s.Width() : (k+1)*s.Width()] }

// ranked reports whether there are data, and all scores are numbers.
func (s *Sample) ranked() bool {
	return s.Len() > 0 && s.Scored && !slices.ContainsFunc(s.Scores, math.IsNaN)
}

// counts are the data of a class: with that label, with that prediction, and with both.
type counts struct{ labelled, predicted, both float64 }

// classes counts the data of each class.
func (s *Sample) classes() []counts {
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
