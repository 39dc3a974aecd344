package ofl

import (
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// The names of the metrics. Apart from accuracy.instant, accuracy.final and
// regret.static they are recorded at the points; a cumulative one covers all steps up to the point.
// f_i^{r,t} is the loss of the datum that learner i meets in step t of round r.
const (
	// AccuracyInstant is the share of the n tau data of round r that x^r
	// classifies right, before it learns from them: at the last step of every
	// round.
	AccuracyInstant = "accuracy.instant"
	// AccuracyFinal is the share of the same data that the server's last model, x^R,
	// classifies right: at the last step only. Nothing is decided with x^R, so that
	// AccuracyTest knows the model before the last round only.
	AccuracyFinal = "accuracy.final"
	// RegretDynamic is sum_r sum_t (1/n) sum_i (f_i^{r,t}(x^r) - (f^r)*), where (f^r)* is the
	// least mean loss over all n tau data of round r, also at a point inside the round, over
	// all steps so far and divided by their number: by R tau at the end. A round with
	// separable data has (f^r)* = 0, which no x attains, and adds its plain loss. It is
	// undefined, NaN, from where a learner did not decide in a step: it was down, where the
	// network has effects.
	RegretDynamic = "regret.dynamic"
	// RegretStatic is the same against the mean loss of the one x that is best
	// over all data of the horizon: at the last step only.
	RegretStatic = "regret.static"
	// BoundDynamic and BoundStatic are the paper's bounds on the expectations of these, on the
	// data of the run: at the last step only. They are recorded if bounds are known and no
	// gradient was clipped; they do not hold for clipped gradients.
	BoundDynamic = "bound.dynamic"
	BoundStatic  = "bound.static"
	// NoisePrefix is the mean over learners of ||b^{r,t} xi_i||^2: how far noise has moved the
	// sum of a learner's gradients; 0 without noise.
	NoisePrefix = "noise.prefix"
)

// GaugeMetrics returns the metrics of these runs.
func GaugeMetrics() metric.List {
	return metric.Join(gaugeMetrics[:1], gauge.Declared(gauge.AccuracyTest), gaugeMetrics[1:6], gauge.Declared(gauge.LossMean), gaugeMetrics[6:], gauge.Declared(gauge.ClipShare), gauge.OfTraffic())
}

var gaugeMetrics = metric.List{
	{
		Name: AccuracyInstant, Summary: "share of the data of a round that the model classifies right before it learns from them, from 0 to 1. Recorded at the last step of every round",
		Label: "accuracy on the data of the round", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "accuracy", Title: "accuracy on the new data of each round"},
	},
	{
		Name: AccuracyFinal, Summary: "share of fresh data that the model after the last round classifies right, from 0 to 1. Recorded at the last step",
		Label: "accuracy of the last model on fresh data", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun,
	},
	{
		Name: RegretDynamic, Summary: "dynamic regret per step: the losses of the learners so far, their mean, less the least mean loss of each round, divided by the number of steps so far (R tau at the end), in the unit of the loss",
		Label: "dynamic regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "dynamic-regret", Title: "dynamic regret per step"},
	},
	{
		Name: RegretStatic, Summary: "static regret per step: the losses of the learners in the run, their mean, less the least mean loss that one fixed decision has on all data, divided by the number of steps R tau, in the unit of the loss. Recorded at the last step",
		Label: "static regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: BoundDynamic, Summary: "upper bound of the OFL paper on the expected dynamic regret per step, for the data of the seed, by Lemma IV.9 or, with independent noise, Corollary IV.11. Recorded at the last step, for strongly convex losses without clipped gradients",
		Label: "bound on the dynamic regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
	},
	{
		Name: BoundStatic, Summary: "upper bound of the OFL paper on the static regret per step, by the proof of Corollary IV.12. Recorded where bound.dynamic is",
		Label: "bound on the static regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun, Derived: true,
	},
	{
		Name: NoisePrefix, Summary: "noise on the sum of a learner's gradients so far: its squared 2-norm, the mean over the learners. 0 without noise",
		Label: "squared norm of the prefix noise", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "noise", Title: "noise on the sums of gradients"},
	},
}

// metricOf returns the declaration of a metric that only these runs have.
func metricOf(name string) metric.Metric {
	m, _ := gaugeMetrics.Find(name)
	return m
}
