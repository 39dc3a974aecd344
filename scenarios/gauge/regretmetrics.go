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
		Name: RegretExpected, Summary: "expected regret of the worst node: its losses so far less the losses of the best fixed decision, linearised and averaged over the seeds. It is a sum over the steps in the unit of the loss, not divided by their number, of the node for which it is largest. It is in summary.parquet only; `se` is the standard error for that node and decision",
		Label: "largest expected regret of a node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfSummary,
		Chart: metric.Chart{Name: "regret", Title: "regret per step"},
	},
	{
		Name: RegretRun, Summary: "regret of the worst node in one run: its losses so far less the losses of the fixed decision that is best for it in hindsight. It is a sum over the steps in the unit of the loss, of the measured node for which it is largest",
		Label: "largest regret of a node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: RegretNode, Summary: "regret of each measured node in one run: its losses so far less the losses of the fixed decision that is best for it in hindsight, a sum over the steps in the unit of the loss",
		Label: "regret of the node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfNode,
	},
	{
		Name: RegretAdaptive, Summary: "strongly adaptive regret in one run (Daniely, Gonen, Shalev-Shwartz 2015): the largest linearised regret of a measured node over an interval of measure.interval steps, against the best decision of that interval. It is a sum over the interval in the unit of the loss. Recorded where measure.interval is given, of algorithms without a server",
		Label: "largest regret of a node over an interval", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MoveLargest, Summary: "longest mirror step so far, from z_t to x_{t+1}, as a multiple of the length alpha_t theta/omega that inequality (11) of DPDO-NC allows: above 1 the inequality does not hold. Recorded where measure.moves is set",
		Label: "largest move of a mirror step over its bound", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MoveExcess, Summary: "share of the mirror steps so far that moved further than inequality (11) of DPDO-NC allows, from 0 to 1. Recorded where measure.moves is set",
		Label: "share of mirror steps beyond their bound", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
}

// regretOf returns the declaration of a metric that only these runs have.
func regretOf(name string) metric.Metric {
	m, _ := regretMetrics.Find(name)
	return m
}
