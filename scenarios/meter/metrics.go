package meter

import (
	"slices"

	"starling/scenarios/metric"
)

// ClipShare is the share of gradients that were clipped.
const ClipShare = "clip.share"

// Metrics are those that this meter declares, of nodes that are equals: all that it
// records but those that are Common.
func Metrics() metric.List { return metric.Join(ofEquals, Traffic()) }

var ofEquals = metric.List{
	{
		Name: RegretExpected, Summary: "worst-case expected regret: the linearised regret, averaged over seeds, of the worst node against the best point x; cumulative, not divided by t; `se` is the standard error of that node and point; in summary.parquet only",
		Label: "largest expected regret of a node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfSummary,
		Chart: metric.Chart{Name: "regret", Title: "regret per step"},
	},
	{
		Name: RegretRun, Summary: "regret within one run: the largest over the measured nodes, each against its best point; cumulative",
		Label: "largest regret of a node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: RegretNode, Summary: "regret within one run of each measured node; cumulative",
		Label: "regret of the node", PerStep: true, Better: metric.LowerIsBetter, Level: metric.OfNode,
	},
	{
		Name: Consensus, Summary: "root mean square distance of the nodes' decisions from their mean",
		Label: "root mean square distance from the mean", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "consensus", Title: "distance between the nodes"},
	},
	{
		Name: TargetError, Summary: "mean distance of the decisions from the target, for problems that have one",
		Label: "mean distance from the target", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "target", Title: "distance from the target"},
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

// Traffic are the metrics of what is sent, of all meters.
func Traffic() metric.List { return traffic }

var traffic = metric.List{
	{
		Name: MessagesSent, Summary: "messages between different nodes, up to the step; messages of a node to itself do not count",
		Label: "messages sent", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: BytesSent, Summary: "payload of the messages sent, up to the step",
		Label: "bytes sent", Unit: "bytes", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
}

// Effects are the metrics of what becomes of messages, and of who takes part, of networks
// with effects.
func Effects() metric.List { return ofEffects }

var ofEffects = metric.List{
	{
		Name: MessagesLost, Summary: "messages lost on the way, up to the step; in networks with effects",
		Label: "messages lost", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MessagesLate, Summary: "messages that arrived later than in the next turn, up to the step; in networks with effects",
		Label: "late messages", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MessagesDropped, Summary: "messages dropped by an edge whose queue was full, up to the step; with limited bandwidth",
		Label: "messages dropped", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: BytesQueued, Summary: "payload that waits in the queues of all edges at the end of the step; with limited bandwidth",
		Label: "bytes in line", Unit: "bytes", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: Participants, Summary: "mean number of clients whose vectors the server averaged in a round, up to the step; in networks with effects",
		Label: "clients averaged in a round", Unit: "clients", Better: metric.HigherIsBetter, Level: metric.OfRun,
	},
}

// Common are those of the metrics that more than one meter records, in the order of the
// names.
func Common(names ...string) (list metric.List) {
	for _, name := range names {
		list = append(list, common[slices.IndexFunc(common, func(m metric.Metric) bool { return m.Name == name })])
	}
	return list
}

var common = metric.List{
	{
		Name: AccuracyTest, Summary: "share of fresh data, of the same learners or of the test images, that the model classifies correctly; dpdonc: each node's decision, on fresh data of the node; ofl: x^r, before the round; dpfl and ali-dpfl: the model after the round",
		Label: "accuracy on fresh data", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "test", Title: "accuracy on fresh data"},
	},
	{
		Name: ClipShare, Summary: "share of the gradients so far that were clipped to the bound",
		Label: "share of clipped gradients", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
}
