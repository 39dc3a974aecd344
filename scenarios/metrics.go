package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"starling/scenarios/document"
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

// share is the unit of a part of a whole, from 0 to 1. The usual figures show it
// on a linear axis: on a logarithmic one the good values lie on top of each other.
const share = "share"

// Metric is what the catalog says of a metric. Its kind is its name.
type Metric struct {
	Entry
	Label string `json:"label"` // of an axis
	Unit  string `json:"unit,omitempty"`
	// PerStep tells that the metric adds up over the steps, so that the usual
	// figures divide it by the step.
	PerStep bool      `json:"per_step"`
	Better  Direction `json:"better,omitempty"`
	Level   Level     `json:"level"`
}

// metricCatalog are the metrics that runs record, in the order of lists. A new
// metric is a line here and a call of the recorder in the meter.
var metricCatalog = []Metric{
	{
		Entry: Entry{Kind: meter.RegretExpected, Summary: "max over nodes i and points x of the expected linear regret up to the step, the expectation over seeds inside both maxima (not divided by the step); `se` is that of the statistic at the maximiser; summary only"},
		Label: "largest expected regret of a node", PerStep: true, Better: LowerIsBetter, Level: OfSummary,
	},
	{
		Entry: Entry{Kind: meter.RegretRun, Summary: "the same inside one run: the largest over the measured nodes"},
		Label: "largest regret of a node", PerStep: true, Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.RegretNode, Summary: "the same inside one run, of each measured node"},
		Label: "regret of the node", PerStep: true, Better: LowerIsBetter, Level: OfNode,
	},
	{
		Entry: Entry{Kind: meter.Consensus, Summary: "root mean square distance of the nodes' decisions from their mean"},
		Label: "root mean square distance from the mean", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.TargetError, Summary: "mean distance of the decisions from the target, where there is one"},
		Label: "mean distance from the target", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.MoveLargest, Summary: "largest distance of x_{t+1} from z_t up to the step, as a multiple of alpha_t theta/omega, which inequality (11) of DPDO-NC says it never exceeds; with measure.moves"},
		Label: "largest move of a mirror step over its bound", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.MoveExcess, Summary: "share of the mirror steps up to the step that moved further than inequality (11) of DPDO-NC says; with measure.moves"},
		Label: "share of mirror steps beyond their bound", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.MessagesSent, Summary: "messages between different nodes, up to the step; a self-loop crosses no wire"},
		Label: "messages sent", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.BytesSent, Summary: "payload of these messages, up to the step"},
		Label: "bytes sent", Unit: "bytes", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.MessagesLost, Summary: "of these messages, those lost on the way; where the network has effects"},
		Label: "messages lost", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.MessagesLate, Summary: "of these messages, those that came later than in the next turn; where the network has effects"},
		Label: "late messages", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.MessagesDropped, Summary: "of these messages, those dropped by an edge on which too much stood in line; where bandwidth is limited"},
		Label: "messages dropped", Unit: "messages", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.BytesQueued, Summary: "payload that stands in line on all edges when the step is over; where bandwidth is limited"},
		Label: "bytes in line", Unit: "bytes", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.Participants, Summary: "mean number of clients whose vectors the server averaged in a round, up to the step; where the network has effects"},
		Label: "clients averaged in a round", Unit: "clients", Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.EpsilonStep, Summary: "accounted privacy loss of the step, the largest of a node; infinite without noise"},
		Label: "epsilon of the step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: meter.EpsilonTotal, Summary: "accounted privacy loss so far, the largest of a node; infinite without noise; in ali-dpfl with private or public statistics what the plan guarantees whatever the data"},
		Label: "epsilon so far", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.Delta, Summary: "delta at which epsilon.total is stated, where it is not pure"},
		Label: "delta", Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.AccuracyInstant, Summary: "share of the data of a round that x^r classifies right before it learns from them; at every round's last step"},
		Label: "accuracy on the data of the round", Unit: share, Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.AccuracyTest, Summary: "share of fresh data, of the same learners or of the test images, that the model classifies right: of ofl x^r, before the round; of dpfl and ali-dpfl the model that the round leaves"},
		Label: "accuracy on fresh data", Unit: share, Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.AccuracyFinal, Summary: "the same of the model after the last round, with which nothing is decided any more; at the last step only"},
		Label: "accuracy of the last model on fresh data", Unit: share, Better: HigherIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.RegretDynamic, Summary: "dynamic regret against the best x of each round, divided by the steps so far; R tau at the end"},
		Label: "dynamic regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.RegretStatic, Summary: "regret against the best fixed x over all data, divided by R tau; at the last step only"},
		Label: "static regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.BoundDynamic, Summary: "what Lemma IV.9 of the OFL paper bounds the expected dynamic regret per step by, or Corollary IV.11 with independent noise, on the data of the seed; at the last step, for strongly convex losses of which none was clipped"},
		Label: "bound on the dynamic regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.BoundStatic, Summary: "the same of the static regret, by the proof of Corollary IV.12"},
		Label: "bound on the static regret per step", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.LossMean, Summary: "mean loss of a datum so far, before it is learned from"},
		Label: "mean loss", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.NoisePrefix, Summary: "mean over learners of the squared 2-norm of the noise on the sum of its gradients"},
		Label: "squared norm of the prefix noise", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: federated.ClipShare, Summary: "share of the gradients so far that were clipped to the bound"},
		Label: "share of clipped gradients", Unit: share, Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: experts.RegretClient, Summary: "regret of a client against the best fixed decision of all clients, their mean, up to the step: Reg(t, m)"},
		Label: "regret of a client", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: experts.CommunicationUp, Summary: "scalars that the clients have sent to the server"},
		Label: "scalars sent up", Unit: "scalars", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: experts.CommunicationDown, Summary: "scalars that the server has sent, a broadcast counted once a client"},
		Label: "scalars sent down", Unit: "scalars", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: experts.Switches, Summary: "how often the server has drawn the expert anew"},
		Label: "switches", Level: OfRun,
	},
	{
		Entry: Entry{Kind: experts.BestExpert, Summary: "the expert, from 1, that is best in hindsight up to the step"},
		Label: "best expert", Level: OfRun,
	},
	{
		Entry: Entry{Kind: dpfl.LossTrain, Summary: "mean loss of the server's model over the data of all clients"},
		Label: "training loss", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: dpfl.Tau, Summary: "local steps of the round; after a run has ended, of its last one"},
		Label: "local steps tau", Level: OfRun,
	},
	{
		Entry: Entry{Kind: dpfl.Rounds, Summary: "rounds so far, which a budget may end"},
		Label: "rounds", Level: OfRun,
	},
	{
		Entry: Entry{Kind: dpfl.EpsilonSpent, Summary: "what the paper accounts for at the run's delta, the local steps, the largest of a client; epsilon.total counts statistics too. In ali-dpfl, whose tau depends on the data, the reading of an odometer and no guarantee"},
		Label: "epsilon of the local steps", Better: LowerIsBetter, Level: OfRun,
	},
	{
		Entry: Entry{Kind: dpfl.EpsilonOdometer, Summary: "what the run has spent so far, statistics with it, the largest of a client, where epsilon.total is what the plan guarantees: the reading of an odometer, which depends on the data and guarantees nothing"},
		Label: "epsilon spent, by odometer", Better: LowerIsBetter, Level: OfRun,
	},
}

// Metrics lists the metrics.
func Metrics() []Metric { return slices.Clone(metricCatalog) }

// FindMetric returns what the catalog says of a metric.
func FindMetric(name string) (Metric, bool) {
	i := slices.IndexFunc(metricCatalog, func(m Metric) bool { return m.Kind == name })
	if i < 0 {
		return Metric{}, false
	}
	return metricCatalog[i], true
}

func metricNames() []string {
	names := make([]string, len(metricCatalog))
	for i, m := range metricCatalog {
		names[i] = m.Kind
	}
	return names
}

// matches reports whether a pattern of measure.metrics, a name or a prefix that
// ends in ".*", selects a metric.
func matches(pattern, metric string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasSuffix(prefix, ".") {
		return strings.HasPrefix(metric, prefix)
	}
	return pattern == metric
}

// Records reports whether a metric is to be recorded.
func (m *Measure) Records(metric string) bool {
	return m.Metrics == nil || slices.ContainsFunc(m.Metrics, func(pattern string) bool { return matches(pattern, metric) })
}

// recordsRegret reports whether any metric needs the nodes' regret.
func (m *Measure) recordsRegret() bool {
	return m.Records(meter.RegretExpected) || m.Records(meter.RegretRun) || m.Records(meter.RegretNode)
}

// validateMetrics refuses patterns that select nothing.
func (m *Measure) validateMetrics() (errs []error) {
	if m.Metrics != nil && len(m.Metrics) == 0 {
		return []error{document.At("measure.metrics", "no metrics; leave the key out to record all")}
	}
	names := metricNames()
	known := slices.Clone(names) // and the prefixes that a slip may have meant
	for _, name := range names {
		if prefix, _, dotted := strings.Cut(name, "."); dotted && !slices.Contains(known, prefix+".*") {
			known = append(known, prefix+".*")
		}
	}
	for i, pattern := range m.Metrics {
		// What is empty could not be decoded, and is reported.
		if pattern != "" && !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			errs = append(errs, document.At(fmt.Sprintf("measure.metrics[%d]", i), "%s", document.Unknown("metric", pattern, known)))
		}
	}
	return errs
}
