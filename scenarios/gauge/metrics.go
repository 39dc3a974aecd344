package gauge

import (
	"slices"

	"starling/scenarios/metric"
)

// The names of the metrics that runs of more than one family record. They are recorded at the
// points of a run; a cumulative one covers all steps up to the point.
const (
	Consensus   = "consensus.error" // root mean square distance from the mean decision
	TargetError = "target.error"    // mean distance of the decisions from the target
	// AccuracyTest is the share of fresh data that decisions classify right.
	AccuracyTest = "accuracy.test"
	// LossTrain is F(w), the mean loss of the server's model over the data of all clients.
	LossTrain = "loss.train"
	// LossMean is the mean loss of all decisions so far on the data that they met.
	LossMean = "loss.mean"
	// Rounds is the number of rounds of a server that records them, and otherwise the number
	// of steps in which something was sent.
	Rounds = "rounds"
	// ClipShare is the share of gradients so far that were clipped.
	ClipShare    = "clip.share"
	MessagesSent = "messages.sent" // between different nodes, cumulative
	BytesSent    = "bytes.sent"    // of their payloads, cumulative
	// Participants is, in a federated run with network effects, the mean number of vectors
	// that the server averaged in a round. It covers the rounds so far in which the server was
	// up.
	Participants    = "participants"
	MessagesLost    = "messages.lost"    // of the messages sent, those lost on the way, cumulative; in networks with effects
	MessagesLate    = "messages.late"    // of the messages sent, those that came later than in the next turn, cumulative; in networks with effects
	MessagesDropped = "messages.dropped" // of the messages sent, those dropped by edges that carry too little, cumulative; with limited bandwidth
	BytesQueued     = "bytes.queued"     // in line on all edges when the step is over; with limited bandwidth
)

// Of returns the declaration of one of these metrics.
func Of(name string) metric.Metric {
	return declared[slices.IndexFunc(declared, func(m metric.Metric) bool { return m.Name == name })]
}

// Declared returns the declarations of these metrics, in the order of the names.
func Declared(names ...string) (list metric.List) {
	for _, name := range names {
		list = append(list, Of(name))
	}
	return list
}

// OfTraffic returns the metrics of traffic, of all runs.
func OfTraffic() metric.List { return Declared(MessagesSent, BytesSent) }

// OfEffects returns the metrics of the fates of messages and of participation, of networks
// with effects.
func OfEffects() metric.List {
	return Declared(MessagesLost, MessagesLate, MessagesDropped, BytesQueued, Participants)
}

var declared = metric.List{
	{
		Name: Consensus, Summary: "disagreement of the nodes at the step: root mean square distance of their decisions from the average decision, in the units of a decision. 0 where all agree",
		Label: "root mean square distance from the mean", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "consensus", Title: "distance between the nodes"}, Course: metric.State,
	},
	{
		Name: TargetError, Summary: "2-norm distance of a node's decision from the target at the step, the mean over the nodes. 0 where all have found it. Recorded of problems with a target",
		Label: "mean distance from the target", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "target", Title: "distance from the target"}, Course: metric.State,
	},
	{
		Name: AccuracyTest, Summary: "share of fresh data that are classified right, from 0 to 1: by the model of a server on fresh data of the same learners or on the test images; without a server, and of experts, by the decision of each participant on its own, every datum counting alike. In ofl it is the model before the round, in dpfl and ali-dpfl the model after it",
		Label: "accuracy on fresh data", Unit: metric.Share, Better: metric.HigherIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "test", Title: "accuracy on fresh data"}, Course: metric.State,
	},
	{
		Name: LossTrain, Summary: "training loss: loss of the server's model at the step, the mean over the training data of all clients",
		Label: "training loss", Better: metric.LowerIsBetter, Level: metric.OfRun,
		Chart: metric.Chart{Name: "training", Title: "training loss"}, Course: metric.State,
	},
	{
		Name: LossMean, Summary: "progressive loss: loss of a datum before the model learns from it, the mean over all data so far. In dpfl and ali-dpfl it is the mean over all data, at the model after each round",
		Label: "mean loss", Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: Rounds, Summary: "number of communication rounds so far: rounds of a server, or steps, in which something was sent. Recorded where measure.metrics names it. In dpfl and ali-dpfl they are the rounds of the server, which a budget may end",
		Label: "communication rounds", Unit: "rounds", Level: metric.OfRun, Derived: true,
	},
	{
		Name: ClipShare, Summary: "share of all gradients so far that were longer than their bound and were scaled down to it, from 0 to 1. NaN before the first gradient",
		Label: "share of clipped gradients", Unit: metric.Share, Better: metric.LowerIsBetter, Level: metric.OfRun,
	},
	{
		Name: MessagesSent, Summary: "number of messages between different nodes from the first step up to this one; messages of a node to itself do not count",
		Label: "messages sent", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true, Derived: true,
	},
	{
		Name: BytesSent, Summary: "payload of all messages sent from the first step up to this one, in bytes",
		Label: "bytes sent", Unit: "bytes", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true, Derived: true,
	},
	{
		Name: MessagesLost, Summary: "number of messages so far that the network lost on their way. Recorded in networks with effects",
		Label: "messages lost", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true,
	},
	{
		Name: MessagesLate, Summary: "number of messages so far that arrived after the next turn. Recorded in networks with effects",
		Label: "late messages", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true,
	},
	{
		Name: MessagesDropped, Summary: "number of messages so far that an edge dropped because its queue was full. Recorded with limited bandwidth",
		Label: "messages dropped", Unit: "messages", Better: metric.LowerIsBetter, Level: metric.OfRun, Cost: true, Derived: true,
	},
	{
		Name: BytesQueued, Summary: "payload in bytes that waits in the queues of all edges at the end of the step. Recorded with limited bandwidth",
		Label: "bytes in line", Unit: "bytes", Better: metric.LowerIsBetter, Level: metric.OfRun, Course: metric.State, Cost: true, Derived: true,
	},
	{
		Name: Participants, Summary: "number of clients whose vectors the server averaged in a round, the mean over the rounds so far. Recorded in networks with effects",
		Label: "clients averaged in a round", Unit: "clients", Better: metric.HigherIsBetter, Level: metric.OfRun, Cost: true,
	},
}
