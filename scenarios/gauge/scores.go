package gauge

import (
	"starling/scenarios/metric"
	"starling/scenarios/problem"
)

// scoring is a score of predictions, with the questions about them.
type scoring struct {
	metric metric.Metric
	needs  Answers
	of     func(s *problem.Predictions) float64
	signed bool // it may be below 0
}

// scores returns the measures of scores, on fresh data and then on validation rows.
func scores() (list []*Measure) {
	for _, s := range scorings {
		m := Scored(s.metric, s.needs, s.of)
		list = append(list, &m)
	}
	list = append(list, &validationLoss, &validationAccuracy)
	for _, s := range scorings {
		m := scoredOfValidation(s.metric, s.needs, s.of)
		list = append(list, &m)
	}
	return list
}

// validationLoss and validationAccuracy are loss.fresh and accuracy.test of validation rows.
var (
	validationLoss = Measure{
		Metric: validated(metric.Metric{
			Name: "loss", Summary: "loss of the decisions of the step, the mean over all rows: each decision is tested on rows of its own node. Recorded where measure.metrics names it",
			Label: "loss", Better: metric.LowerIsBetter, Level: metric.OfRun, Asked: true, Chart: metric.Chart{Name: "loss"}, Course: metric.State,
		}),
		Needs: []Answers{{Validation: true}}, Missing: Answers{Validation: true}.unpredicted,
		New: func(m *Measure, r *Run) Gauge {
			return &fresh{Measure: m, who: r.Who, of: r.Validation.Fresh, weights: r.Who.weights(r.Validation.Tests)}
		},
	}
	validationAccuracy = scoredOfValidation(accuracyScoring.metric, accuracyScoring.needs, accuracyScoring.of)
)

// accuracyScoring is the accuracy, which fresh data have as accuracy.test.
var accuracyScoring = scoring{metric: metric.Metric{
	Name: "accuracy", Summary: "share of the rows that the decisions of the step classify right, from 0 to 1: each decision is tested on rows of its own node",
	Label: "accuracy", Unit: metric.Share, Better: metric.HigherIsBetter, Chart: metric.Chart{Name: "accuracy"},
}, needs: Answers{Classes: true}, of: problem.Accuracy}

// scorings are the scores of predictions. Scores of classes stand before scores of numbers.
var scorings = []scoring{
	{metric: metric.Metric{
		Name: "accuracy.balanced", Summary: "balanced accuracy: the share of a class that is classified right (recall), averaged over the classes of the labels, so that rare classes count as much as others",
		Label: "balanced accuracy", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "balanced-accuracy", Title: "balanced accuracy on fresh data"},
	}, needs: Answers{Classes: true}, of: problem.BalancedAccuracy},
	{metric: metric.Metric{
		Name: "f1.macro", Summary: "macro F1: harmonic mean of the precision and the recall of a class, from 0 to 1, the mean over all classes among labels and predictions",
		Label: "macro F1", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "f1", Title: "macro F1 on fresh data"},
	}, needs: Answers{Classes: true}, of: problem.F1},
	{metric: metric.Metric{
		Name: "auc.roc", Summary: "area under the ROC curve: the probability that a datum of a class has a higher score for it than a datum of another class, ties counting half. From 0 to 1; 0.5 is chance. Of two classes it is the second's, of more the mean of each against the rest; NaN if a class has no datum",
		Label: "area under the ROC curve", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "auc-roc", Title: "area under the ROC curve on fresh data"},
	}, needs: Answers{Scores: true}, of: problem.AreaUnderROC},
	{metric: metric.Metric{
		Name: "auc.pr", Summary: "average precision: the area under the step curve of precision against recall, from 0 to 1. Of two classes it is the second's, of more the mean of each against the rest; NaN if such a class has no datum",
		Label: "average precision", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "auc-pr", Title: "average precision on fresh data"},
	}, needs: Answers{Scores: true}, of: problem.AveragePrecision},
	{metric: metric.Metric{
		Name: "loss.log", Summary: "log loss: -log of the probability that the model gives the label, the mean over the data, in nats. 0 where the model is certain and right. Probabilities are clipped to [2^-52, 1 - 2^-52], and a ridge term does not count",
		Label: "log loss", Unit: "nats", Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "log-loss", Title: "log loss on fresh data"},
	}, needs: Answers{Probabilities: true}, of: problem.LogLoss},
	{metric: metric.Metric{
		Name: "loss.brier", Summary: "Brier score: mean squared distance of the probabilities from the label. 0 where the model is certain and right. Of two classes it is the second's, at most 1; of more the sum over the classes, at most 2",
		Label: "Brier score", Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "brier", Title: "Brier score on fresh data"},
	}, needs: Answers{Probabilities: true}, of: problem.BrierScore},
	{metric: metric.Metric{
		Name: "error.calibration", Summary: "expected calibration error: mean distance between the probability that the model gives its likeliest class and the share of such predictions that are right, in 15 bins of equal width, from 0 to 1",
		Label: "expected calibration error", Unit: metric.Share, Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "calibration", Title: "calibration error on fresh data"},
	}, needs: Answers{Probabilities: true}, of: problem.CalibrationError},
	{metric: metric.Metric{
		Name: "error.rmse", Summary: "root mean squared error of a numeric label, in its units: 0 is exact",
		Label: "root mean squared error", Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "rmse", Title: "root mean squared error on fresh data"},
	}, needs: Answers{Means: true}, of: problem.RMSE},
	{metric: metric.Metric{
		Name: "error.mae", Summary: "mean absolute error of a numeric label, in its units: 0 is exact",
		Label: "mean absolute error", Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "mae", Title: "mean absolute error on fresh data"},
	}, needs: Answers{Means: true}, of: problem.MAE},
	{metric: metric.Metric{
		Name: "r2", Summary: "coefficient of determination R^2, without a unit: 1 is exact, 0 is as good as the average label, and below 0 is worse. NaN if all labels are equal",
		Label: "R^2", Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "r2", Title: "R^2 on fresh data"},
	}, needs: Answers{Means: true}, of: problem.R2, signed: true},
	{metric: metric.Metric{
		Name: "d2", Summary: "explained deviance D^2, at most 1, which is exact: R^2 with the deviance of the model's law of labels in place of squared errors. Without a law it is R^2. NaN if all labels are equal",
		Label: "explained deviance", Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "d2", Title: "explained deviance on fresh data"},
	}, needs: Answers{Means: true}, of: problem.D2, signed: true},
}
