package inbox

import (
	"slices"

	"starling/actors/option"
	"starling/mechanisms/robust"
)

// Missing is the treatment by Heard.Receive of messages that the graph would have brought, and
// that are not there: lost, late, or never sent because the neighbour is down. Where all are
// there the rules are the same, to the last bit. All are functions of releases and of public
// values, so no privacy rests on them. Under push-sum the rule applies to value and mass
// together. The result is therefore still a weighted average of releases; missing messages
// only change the weights.
type Missing string

const (
	// MissingDrop sums the messages that arrived with their weights. The zero value means it.
	// Of push-sum the mass that is lost is lost for good: masses shrink, and a run that has
	// lost all but nothing fails.
	MissingDrop Missing = "drop"
	// MissingRenormalise scales the sum of arrived messages to the weight of the expected
	// ones; where nothing arrived, the node's own last release takes its place. Of push-sum
	// masses stay about 1.
	MissingRenormalise Missing = "renormalise"
	// MissingHold takes the last release that arrived from each neighbour, and the
	// public start before the first. A node's state grows with the number of its
	// neighbours.
	MissingHold Missing = "hold"
	// MissingRunningSum is for push-sum, and loses no mass: a node sends along each link the
	// sum of all that it has ever released along it, each with its weight, and the receiver
	// takes the growth since the last one that arrived. A lost part arrives with the next
	// message of the link (Hadjicostis, Vaidya, Dominguez-Garcia, IEEE TAC 61(6), 2016). A
	// node's state grows with the number of its links, and a node that forgot its own sums
	// would break all others. It needs self-loops.
	MissingRunningSum Missing = "running-sum"
)

// missings lists the rules.
func missings() []Missing {
	return []Missing{MissingDrop, MissingRenormalise, MissingHold, MissingRunningSum}
}

// Known reports whether there is such a rule. The zero value is one.
func (m Missing) Known() bool { return m == "" || slices.Contains(missings(), m) }

// Rule says how the nodes of a run make one vector of their messages. It is the same for all,
// and nothing changes it once there are machines.
type Rule struct {
	Missing Missing
	// Late takes a message that arrives in a later turn than the one after its own as it
	// arrives, with the weight it was sent with, beside those that are in time; MissingHold
	// then takes the newest of a neighbour. Otherwise it is left out.
	Late bool
	// Rows demands that the weights of the messages that a node hears sum to 1 in every turn,
	// as the rows of doubly stochastic matrices do. A breach fails the run.
	Rows bool
	// Start, as long as a release, stands for the release of a neighbour that nothing was
	// heard of, and for a node's own before its first. It is public.
	Start []float64
	// Clear is how many entries at the end of a release, before its mass, take no noise: they
	// follow from earlier releases and from public values.
	Clear int
	// PushSum has every release end with a mass, 1 in Start, and divides the sum of arrived
	// messages by the sum of masses: for weights that are column stochastic only (Kempe,
	// Dobra, Gehrke, FOCS 2003).
	PushSum bool
	// Map, unless it is nil, is applied to every entry of a release, under push-sum to
	// every ratio, before they are summed.
	Map func(float64) float64
	// Inverse is the inverse of Map on its results, for Inbox.Restate; nil where Map is.
	Inverse func(float64) float64
	// Accumulates means that a node makes no release in a turn in which no other node can hear
	// it. Its later release then shows the moves of all its local steps: Inbox.Owe adds them
	// up.
	Accumulates bool
	// KeepsOwn has a node that hears nothing at all in a turn go on from its own last release, with
	// MissingDrop too, where the sum would be 0. It is for nodes that wait for one message alone,
	// such as the mean of a server, which may be lost.
	KeepsOwn bool
	// Combine, unless it is nil, takes the place of the weighted sum: some of its vectors may
	// be lies. It needs a node that keeps its own releases, and neither masses nor a Map. Its
	// result follows from releases as a sum does, and costs nothing more.
	Combine robust.Rule
}

// Check notes faults of the options missing and combine.
func (r *Rule) Check(found *option.Faults) {
	found.Check(r.Missing.Known(), "missing", "unknown rule for missing messages %q; known: drop, renormalise, hold, running-sum", r.Missing)
	found.Check(r.Missing != MissingRunningSum || r.PushSum && r.Map == nil, "missing", "running-sum is for push-sum, which divides by the mass that arrives, and not for averages of logarithms")
	found.Check(r.Combine == nil || !r.PushSum, "combine", "push-sum divides a sum by the mass that arrives with it; want the mean")
	found.Check(r.Combine == nil || r.Map == nil, "combine", "averages of logarithms are means; want the mean")
}
