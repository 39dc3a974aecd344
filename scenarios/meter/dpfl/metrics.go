package dpfl

import (
	"starling/scenarios/meter"
	"starling/scenarios/metric"
)

// Metrics are those that this meter declares.
func Metrics() metric.List {
	return metric.Join(meter.Common(AccuracyTest), declared, meter.Common(ClipShare), meter.Traffic())
}

var declared = metric.List{
	{
		Name: Tau, Summary: "local steps of the round; after a run has ended, of its last round",
		Label: "local steps tau", Level: metric.OfRun,
		Chart: metric.Chart{Name: "tau", Title: "local steps in a round"},
	},
	{
		Name: LossTrain, Summary: "mean loss of the server's model over the data of all clients",
		Label: "training loss", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "training", Title: "training loss"},
	},
	{
		Name: Rounds, Summary: "rounds so far; a budget may end them",
		Label: "rounds", Level: metric.OfRun,
	},
}
