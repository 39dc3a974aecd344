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
			Name: "loss", Summary: "mean loss of the decisions of a step, each one's on its own, of which every row counts alike; where measure.metrics names it",
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
	Name: "accuracy", Summary: "share of the rows that decisions of a step classify right, each one on its own rows",
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
		Name: "f1.macro", Summary: "macro F1: harmonic mean of precision and recall, from 0 to 1, averaged over all classes among labels and predictions",
		Label: "macro F1", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "f1", Title: "macro F1 on fresh data"},
	}, needs: Answers{Classes: true}, of: problem.F1},
	{metric: metric.Metric{
		Name: "auc.roc", Summary: "area under the ROC curve; ties count half; for two classes of the second, for more the mean of each against the rest; NaN if a class has no datum",
		Label: "area under the ROC curve", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "auc-roc", Title: "area under the ROC curve on fresh data"},
	}, needs: Answers{Scores: true}, of: problem.AreaUnderROC},
	{metric: metric.Metric{
		Name: "auc.pr", Summary: "average precision, the area under the step curve of precision against recall; for two classes of the second, for more the mean of each against the rest; NaN if such a class has no datum",
		Label: "average precision", Unit: metric.Share, Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "auc-pr", Title: "average precision on fresh data"},
	}, needs: Answers{Scores: true}, of: problem.AveragePrecision},
	{metric: metric.Metric{
		Name: "loss.log", Summary: "log loss: mean of -log of the probability of the label, clipped to [2^-52, 1 - 2^-52]; without a ridge term",
		Label: "log loss", Unit: "nats", Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "log-loss", Title: "log loss on fresh data"},
	}, needs: Answers{Probabilities: true}, of: problem.LogLoss},
	{metric: metric.Metric{
		Name: "loss.brier", Summary: "Brier score: mean squared distance of the probabilities from the label; for two classes of the second, from 0 to 1; for more the sum over classes, from 0 to 2",
		Label: "Brier score", Better: metric.LowerIsBetter,
		Chart: metric.Chart{Name: "brier", Title: "Brier score on fresh data"},
	}, needs: Answers{Probabilities: true}, of: problem.BrierScore},
	{metric: metric.Metric{
		Name: "error.calibration", Summary: "expected calibration error: mean distance between the probability of the likeliest class and its accuracy, in 15 bins of equal width of that probability",
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
		Name: "r2", Summary: "coefficient of determination R^2, without a unit: 1 is exact, and 0 is as good as the average label; NaN if all labels are equal",
		Label: "R^2", Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "r2", Title: "R^2 on fresh data"},
	}, needs: Answers{Means: true}, of: problem.R2, signed: true},
	{metric: metric.Metric{
		Name: "d2", Summary: "explained deviance D^2 of the model's law of labels (Gaussian if it has none, which gives R^2), at most 1; NaN if all labels are equal",
		Label: "explained deviance", Better: metric.HigherIsBetter,
		Chart: metric.Chart{Name: "d2", Title: "explained deviance on fresh data"},
	}, needs: Answers{Means: true}, of: problem.D2, signed: true},
}
