package federated

import (
	"starling/scenarios/gauge"
	"starling/scenarios/metric"
)

// Metrics are those that this meter declares.
func Metrics() metric.List {
	return metric.Join(declared[:1], gauge.Declared(gauge.AccuracyTest), declared[1:6], gauge.Declared(gauge.LossMean), declared[6:], gauge.Declared(gauge.ClipShare), gauge.OfTraffic())
}

var declared = metric.List{
	{
		Name: AccuracyInstant, Summary: "share of a round's data that the model x^r classifies correctly before it learns from them; at the last step of every round",
		Label: "accuracy on the data of the round", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "accuracy", Title: "accuracy before learning"},
	},
	{
		Name: AccuracyFinal, Summary: "share of fresh data that the model after the last round classifies correctly, a model that decides nothing any more; at the last step only",
		Label: "accuracy of the last model on fresh data", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun,
	},
	{
		Name: RegretDynamic, Summary: "dynamic regret against the best x of each round, divided by the steps so far (by R tau at the end)",
		Label: "dynamic regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "dynamic-regret", Title: "dynamic regret per step"},
	},
	{
		Name: RegretStatic, Summary: "regret against the best fixed x over all data, divided by R tau; at the last step only",
		Label: "static regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: BoundDynamic, Summary: "the bound of the OFL paper on the expected dynamic regret per step, by Lemma IV.9 or, with independent noise, Corollary IV.11, on the data of the seed; at the last step, for strongly convex losses without clipped gradients",
		Label: "bound on the dynamic regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: BoundStatic, Summary: "the bound of the OFL paper on the static regret per step, by the proof of Corollary IV.12; recorded where bound.dynamic is",
		Label: "bound on the static regret per step", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: NoisePrefix, Summary: "squared 2-norm of the noise on the sum of a learner's gradients, the mean over learners",
		Label: "squared norm of the prefix noise", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "noise", Title: "noise on the sums of gradients"},
	},
}
