package ledger

import "starling/scenarios/metric"

// Metrics are those that state what is paid.
func Metrics() metric.List { return declared }

var declared = metric.List{
	{
		Name: EpsilonStep, Summary: "accounted privacy loss of the step, for the node that loses the most; infinite without noise",
		Label: "epsilon of the step", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: EpsilonSpent, Summary: "epsilon of the local steps so far at the run's delta, for the client that loses the most: what the paper accounts for; epsilon.total counts statistics too; in ali-dpfl, whose tau depends on the data, this is the reading of an odometer and no guarantee",
		Label: "epsilon of the local steps", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "spent", Title: "privacy loss of the local steps"},
	},
	{
		Name: EpsilonTotal, Summary: "accounted privacy loss so far, for the node that loses the most; infinite without noise; in ali-dpfl with private or public statistics, what the plan guarantees whatever the data",
		Label: "epsilon so far", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "privacy", Title: "accounted privacy loss of a node"},
	},
	{
		Name: EpsilonOdometer, Summary: "epsilon that the run has spent so far, statistics included, for the client that loses the most; the reading of an odometer, which depends on the data and guarantees nothing; epsilon.total is what the plan guarantees",
		Label: "epsilon spent, by odometer", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: Delta, Summary: "delta at which epsilon.total is stated, where it is not pure",
		Label: "delta", Level: metric.OfRun,
	},
}
