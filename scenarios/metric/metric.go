package metric

import (
	"slices"
	"strings"

	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/meter"
	"starling/scenarios/meter/dpfl"
	"starling/scenarios/meter/experts"
	"starling/scenarios/meter/federated"
)

// Direction is which way a metric improves.
type Direction string

// The directions. A metric without one is neither good nor bad by itself.
const (
	LowerIsBetter  Direction = "lower"
	HigherIsBetter Direction = "higher"
)

// Level is what a value of a metric belongs to.
type Level string

// The levels.
const (
	OfRun     Level = "run"     // one value a run and step; its mean over the seeds is in the summary
	OfNode    Level = "node"    // one value a run, step and measured node; not in the summary
	OfSummary Level = "summary" // a statistic over all seeds at once; in the summary only
)

// Share is the unit of a part of a whole, from 0 to 1. The usual figures show it
// on a linear axis: on a logarithmic one the good values lie on top of each other.
const Share = "share"

// Metric is what the catalog says of a metric. Its kind is its name.
type Metric struct {
	kind.Entry
	// Label is that of an axis, a few words.
	Label string `json:"label"`
	// Unit is empty where there is none; Share marks parts of a whole.
	Unit string `json:"unit,omitempty"`
	// PerStep tells that the metric adds up over the steps, so that the usual
	// figures divide it by the step.
	PerStep bool      `json:"per_step"`
	Better  Direction `json:"better,omitempty"`
	// Level decides whether the summary has the metric.
	Level Level `json:"level"`
}

// metricCatalog are the metrics that runs record, in the order of lists. A new
// metric is a line here and a call of the recorder in the meter.
var metricCatalog = []Metric{
	{
		Entry: kind.Entry{Kind: meter.RegretExpected, Summary: "worst-case expected regret: the linearised regret, averaged over seeds, of the worst node against the best point x; cumulative, not divided by t; `se` is the standard error of that node and point; in summary.parquet only"},
		Label: "largest expected regret of a node", PerStep: true, Better: LowerIsBetter, Level: OfSummary,
	},
	{
		Entry: kind.Entry{Kind: meter.RegretRun, Summary: "regret within one run: the largest over the measured nodes, each against its best point; cumulative"},
		Label: "largest regret of a node", PerStep: true, Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.RegretNode, Summary: "regret within one run of each measured node; cumulative"},
		Label: "regret of the node", PerStep: true, Better: LowerIsBetter, Level: OfNode,
	},
	{
		Entry: kind.Entry{Kind: meter.Consensus, Summary: "root mean square distance of the nodes' decisions from their mean"},
		Label: "root mean square distance from the mean", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.TargetError, Summary: "mean distance of the decisions from the target, for problems that have one"},
		Label: "mean distance from the target", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.MoveLargest, Summary: "largest distance of x_{t+1} from z_t up to the step, as a multiple of alpha_t theta/omega, the bound of inequality (11) of DPDO-NC; with measure.moves"},
		Label: "largest move of a mirror step over its bound", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.MoveExcess, Summary: "share of the mirror steps up to the step that moved further than inequality (11) of DPDO-NC allows; with measure.moves"},
		Label: "share of mirror steps beyond their bound", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.MessagesSent, Summary: "messages between different nodes, up to the step; messages of a node to itself do not count"},
		Label: "messages sent", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.BytesSent, Summary: "payload of the messages sent, up to the step"},
		Label: "bytes sent", Unit: "bytes", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.MessagesLost, Summary: "messages lost on the way, up to the step; in networks with effects"},
		Label: "messages lost", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.MessagesLate, Summary: "messages that arrived later than in the next turn, up to the step; in networks with effects"},
		Label: "late messages", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.MessagesDropped, Summary: "messages dropped by an edge whose queue was full, up to the step; with limited bandwidth"},
		Label: "messages dropped", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.BytesQueued, Summary: "payload that waits in the queues of all edges at the end of the step; with limited bandwidth"},
		Label: "bytes in line", Unit: "bytes", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: meter.Participants, Summary: "mean number of clients whose vectors the server averaged in a round, up to the step; in networks with effects"},
		Label: "clients averaged in a round", Unit: "clients", Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: ledger.EpsilonStep, Summary: "accounted privacy loss of the step, for the node that loses the most; infinite without noise"},
		Label: "epsilon of the step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: ledger.EpsilonTotal, Summary: "accounted privacy loss so far, for the node that loses the most; infinite without noise; in ali-dpfl with private or public statistics, what the plan guarantees whatever the data"},
		Label: "epsilon so far", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: ledger.Delta, Summary: "delta at which epsilon.total is stated, where it is not pure"},
		Label: "delta", Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.AccuracyInstant, Summary: "share of a round's data that the model x^r classifies correctly before it learns from them; at the last step of every round"},
		Label: "accuracy on the data of the round", Unit: Share, Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.AccuracyTest, Summary: "share of fresh data, of the same learners or of the test images, that the model classifies correctly; dpdonc: each node's decision, on fresh data of the node; ofl: x^r, before the round; dpfl and ali-dpfl: the model after the round"},
		Label: "accuracy on fresh data", Unit: Share, Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.AccuracyFinal, Summary: "share of fresh data that the model after the last round classifies correctly, a model that decides nothing any more; at the last step only"},
		Label: "accuracy of the last model on fresh data", Unit: Share, Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.RegretDynamic, Summary: "dynamic regret against the best x of each round, divided by the steps so far (by R tau at the end)"},
		Label: "dynamic regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.RegretStatic, Summary: "regret against the best fixed x over all data, divided by R tau; at the last step only"},
		Label: "static regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.BoundDynamic, Summary: "the bound of the OFL paper on the expected dynamic regret per step, by Lemma IV.9 or, with independent noise, Corollary IV.11, on the data of the seed; at the last step, for strongly convex losses without clipped gradients"},
		Label: "bound on the dynamic regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.BoundStatic, Summary: "the bound of the OFL paper on the static regret per step, by the proof of Corollary IV.12; recorded where bound.dynamic is"},
		Label: "bound on the static regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.LossMean, Summary: "mean loss of a datum so far, before the model learns from it"},
		Label: "mean loss", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.NoisePrefix, Summary: "squared 2-norm of the noise on the sum of a learner's gradients, the mean over learners"},
		Label: "squared norm of the prefix noise", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: federated.ClipShare, Summary: "share of the gradients so far that were clipped to the bound"},
		Label: "share of clipped gradients", Unit: Share, Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: experts.RegretClient, Summary: "Reg(t, m): regret of a client against the best fixed decision of all clients, the mean over clients, up to the step"},
		Label: "regret of a client", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: experts.LossClient, Summary: "loss of the decisions of a client up to the step, the mean over clients, where the best fixed decision in hindsight is not known"},
		Label: "loss of a client", PerStep: true, Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: experts.CommunicationUp, Summary: "scalars that the clients have sent to the server, up to the step"},
		Label: "scalars sent up", Unit: "scalars", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: experts.CommunicationDown, Summary: "scalars that the server has sent, up to the step; a broadcast counts once for each client"},
		Label: "scalars sent down", Unit: "scalars", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: experts.Switches, Summary: "how often the server has drawn a new expert, up to the step"},
		Label: "switches", Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: experts.BestExpert, Summary: "number, from 1, of the expert that is best in hindsight up to the step"},
		Label: "best expert", Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: dpfl.LossTrain, Summary: "mean loss of the server's model over the data of all clients"},
		Label: "training loss", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: dpfl.Tau, Summary: "local steps of the round; after a run has ended, of its last round"},
		Label: "local steps tau", Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: dpfl.Rounds, Summary: "rounds so far; a budget may end them"},
		Label: "rounds", Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: ledger.EpsilonSpent, Summary: "epsilon of the local steps so far at the run's delta, for the client that loses the most: what the paper accounts for; epsilon.total counts statistics too; in ali-dpfl, whose tau depends on the data, this is the reading of an odometer and no guarantee"},
		Label: "epsilon of the local steps", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: kind.Entry{Kind: ledger.EpsilonOdometer, Summary: "epsilon that the run has spent so far, statistics included, for the client that loses the most; the reading of an odometer, which depends on the data and guarantees nothing; epsilon.total is what the plan guarantees"},
		Label: "epsilon spent, by odometer", Better: LowerIsBetter, Level: OfRun,
	},
}

// Metrics lists the metrics.
func Metrics() []Metric { return slices.Clone(metricCatalog) }

// Find returns what the catalog says of a metric.
func Find(name string) (Metric, bool) {
	i := slices.IndexFunc(metricCatalog, func(m Metric) bool { return m.Kind == name })
	if i < 0 {
		return Metric{}, false
	}
	return metricCatalog[i], true
}

// Names lists the names of all metrics, in the order of the catalog; a new slice.
func Names() []string {
	names := make([]string, len(metricCatalog))
	for i, m := range metricCatalog {
		names[i] = m.Kind
	}
	return names
}

// Matches reports whether a pattern of measure.metrics, a name or a prefix that
// ends in ".*", selects a metric.
func Matches(pattern, metric string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasSuffix(prefix, ".") {
		return strings.HasPrefix(metric, prefix)
	}
	return pattern == metric
}
