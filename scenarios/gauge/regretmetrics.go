package gauge

import (
	"starling/scenarios/metric"
)

// The names of the metrics of regret, cumulative.
const (
	RegretRun      = "regret.run"      // per run: the largest over measured nodes
	RegretNode     = "regret.node"     // per measured node
	RegretExpected = "regret.expected" // over seeds: see Expected
	RegretAdaptive = "regret.adaptive" // per run: the largest over measured nodes and intervals of a length
)

// RegretMetrics returns the metrics of these runs alone, and the metrics of distances and traffic.
func RegretMetrics() metric.List {
	return metric.Join(regretMetrics[:3], Declared(Consensus, TargetError), regretMetrics[3:], OfTraffic(), metric.List{TimeElapsed})
}

var regretMetrics = metric.List{
	{
		Name: RegretExpected, Summary: "worst-case expected regret: the linearised losses of a node so far less the losses of the best fixed point x, averaged over seeds, of the node for which this is largest; a sum over steps, not divided by t, in the unit of the loss; `se` is the standard error of that node and point; in summary.parquet only",
		Label: "largest expected regret of a node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfSummary,
		Chart: metric.Chart{Name: "regret", Title: "regret per step"},
	},
	{
		Name: RegretRun, Summary: "regret within one run: the losses of a measured node so far less the losses of its best fixed point, of the node for which this is largest; a sum over steps, in the unit of the loss",
		Label: "largest regret of a node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: RegretNode, Summary: "regret within one run of each measured node: its losses so far less the losses of its best fixed point; a sum over steps, in the unit of the loss",
		Label: "regret of the node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfNode,
	},
	{
		Name: RegretAdaptive, Summary: "strongly adaptive regret within one run (Daniely, Gonen, Shalev-Shwartz 2015): the largest linearised regret over measured nodes and over intervals of so many steps as measure.interval says, each against the best point of that interval; not divided by their length; with measure.interval, for algorithms without a server",
		Label: "largest regret of a node over an interval", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MoveLargest, Summary: "largest distance of x_{t+1} from z_t up to the step, as a multiple of alpha_t theta/omega, the bound of inequality (11) of DPDO-NC; with measure.moves",
		Label: "largest move of a mirror step over its bound", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MoveExcess, Summary: "share of the mirror steps up to the step that moved further than inequality (11) of DPDO-NC allows; with measure.moves",
		Label: "share of mirror steps beyond their bound", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
}

// regretOf returns the declaration of a metric that only these runs have.
func regretOf(name string) metric.Metric {
	m, _ := regretMetrics.Find(name)
	return m
}
