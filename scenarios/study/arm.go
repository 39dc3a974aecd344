package study

import (
	"cmp"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/inputs"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/personal"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/topologies"
)

// Arm is one variant of a scenario, checked and ready to run under any seed.
type Arm struct {
	// Name is how results call the arm, such as "epsilon=1"; the only arm of a scenario
	// without a sweep has a name too.
	Name string
	// Overrides lists the arm's changes to the scenario, as text for people; Values is the
	// same list for programs.
	Overrides string
	Values    []metric.ArmValue

	// File is the top level of the arm's own document: the scenario's with the arm's
	// values in it.
	File File
	// Document is the document of File: the scenario's, with the arm's values in it, and without
	// the epsilons that a budget has found.
	Document *document.Document
	// Nodes are the graphs of the arm and, for nodes without a server, their problem.
	Nodes
	// Unchecked means that a check of the file left the graphs of the first seed to the run,
	// as they are many or large.
	Unchecked bool
	// Effects are the network's effects on messages; nil if the network is ideal.
	Effects *networks.Plan
	// Delays are the delays of messages in seconds, beyond the section clock of a server; nil is none.
	Delays *networks.Speed
	// Wire is the encoding of vectors on wires; nil leaves them as they are.
	Wire *algorithm.Encoding
	// Adversaries are the nodes that lie; nil is none.
	Adversaries *networks.Attackers
	// Algorithm is the plan that the arm runs. Extent, Privacy and Recording are what it
	// declares; the accounts of Privacy have those of the observers that the scenario names,
	// too.
	Algorithm Plan
	Extent    Extent
	Privacy   Privacy
	Recording Recording
	// Measures are those that jobs of Algorithm can record if measure.metrics names them.
	Measures []*gauge.Measure
	// Budget limits payments; nil is no limit.
	Budget *ledger.Budget
	// Points are the steps at which metrics are recorded, ascending, the paper's numbers.
	Points []int
	// Measured are the nodes at which regret is taken, ascending; none for a federated
	// algorithm.
	Measured []messages.NodeID
	// Owners are the participants of which values are recorded one by one, by measure.by; nil
	// records none.
	Owners *gauge.Owners
	// Cache keeps the values that jobs share; see NeedsOf.
	Cache *cache.Cache
	// Epsilons are the conversions that the ledgers of jobs share.
	Epsilons *ledger.Epsilons
}

// Nodes are the topology and the problem of an arm.
type Nodes struct {
	// Problem is the problem of a decentralized algorithm. A federated algorithm keeps its
	// own, and this is nil.
	Problem problem.Problem
	// Topology makes the graphs of any seed.
	Topology *topologies.Plan
	// Weights is the algorithm's demand on the weights of the topology.
	Weights topology.Demand
}

// Site returns the units of the arm, for parameters of their own in a section that the caller adds.
func (a *Arm) Site(b *Builder) personal.Site {
	at := personal.Site{Data: b.Data, Nodes: cmp.Or(a.Extent.Units, a.File.Nodes), Column: ColumnsOf(b, &a.File)}
	at.Names = a.NodeNames()
	return at
}

// NodeNames are the names of nodes, in their order; nil where they are numbers, and with a server.
func (a *Arm) NodeNames() []string {
	if a.Extent.Server || a.Topology == nil { // nil is a fault of its own
		return nil
	}
	return a.Topology.Names
}

// ArmFile is an arm's file with its document and name.
type ArmFile struct {
	File
	// Kinds is the catalog, which has the kinds that sections name; Doc gives errors their
	// line and column.
	Kinds *kind.Catalog
	Name  string
	Doc   *document.Document
	// Faulty means that other parts of the arm have faults already: what takes long is then
	// not built.
	Faulty bool
}

// Builder builds the arms of a scenario, in one goroutine and before any job runs.
type Builder struct {
	// Kinds is the catalog of algorithms, problems, topologies and so on.
	Kinds *kind.Catalog
	// Seeds are the seeds of the scenario; graphs are checked under the first.
	Seeds Seeds
	// Data is the folder of data sets.
	Data *inputs.Folder
	// Usage counts the resources of all arms together, against the limits.
	Usage limits.Usage
	// Cache keeps the values that the jobs of all arms share, once the caller that runs them
	// says which values they need, and how much may be kept.
	Cache *cache.Cache
	// Epsilons are the conversions that the ledgers of all jobs share.
	Epsilons *ledger.Epsilons
	// Remarks are warnings about the check of the file, for readers of the results.
	Remarks []metric.Warning
	// Board shows the progress of values that runs make and share.
	Board *limits.Board
	// memo has the values that arms share, by keys of a type for each kind of value.
	memo map[any]any
}

// NewBuilder returns a builder of arms that share nothing yet.
func NewBuilder(kinds *kind.Catalog, seeds Seeds, data *inputs.Folder) *Builder {
	return &Builder{Kinds: kinds, Seeds: seeds, Data: data, Cache: cache.New(0), Epsilons: new(ledger.Epsilons), Board: &limits.Board{}, memo: map[any]any{}}
}

// Close ends the use of the builder. A later call to Shared, such as by a job that runs beside
// others, panics.
func (b *Builder) Close() { b.memo = nil }

// Renewed returns a builder for the same scenario that shares nothing with b.
func Renewed(b *Builder) *Builder {
	return NewBuilder(b.Kinds, b.Seeds, b.Data.Renewed())
}

// Shared returns the value that an earlier arm made under a key, or makes it. A value that is
// not ok is not kept.
func Shared[V any](b *Builder, key any, make func() (v V, ok bool)) V {
	if b.memo == nil {
		panic("study: a builder is used after its arms were built")
	}
	if v, ok := b.memo[key].(V); ok {
		return v
	}
	// Keys have types of their own for each use, so that two packages never share by
	// accident.
	v, ok := make()
	if ok {
		b.memo[key] = v
	}
	return v
}

// TryShared is Shared of a value that may have a fault. A value with a fault is not kept.
func TryShared[V any](b *Builder, key any, make func() (V, error)) (v V, err error) {
	v = Shared(b, key, func() (V, bool) {
		made, fault := make()
		err = fault
		return made, fault == nil
	})
	return v, err
}

// RunMemo returns the memo of values that runs make and share, kept as long as the scenario.
func RunMemo[K comparable, V any](b *Builder) *stream.Memo[K, V] {
	return Shared(b, (*stream.Memo[K, V])(nil), func() (*stream.Memo[K, V], bool) { return &stream.Memo[K, V]{}, true })
}

// Algorithm is the piece of an algorithm in the catalog. It is read only.
type Algorithm interface {
	// Build makes the plan of an arm from its file, with the topology and the problem of the
	// plan. It reads the network and the adversaries of the arm, and changes nothing of it:
	// jobs read the rest once the arm is whole. It goes on after a fault where it can, to find
	// more, and returns all of them as one error, for Document.Resolve. The plan is nil where
	// a fault prevents it.
	Build(*Builder, *Arm, *ArmFile) (Plan, Nodes, error)
	// Traits returns the properties that all arms of the algorithm share.
	Traits() Traits
}

// Traits are the properties of an algorithm in all arms.
type Traits struct {
	// Problems, Mechanisms and Topologies are the kinds that Build looks for, for the table of
	// combinations.
	Problems, Mechanisms, Topologies kind.Want
	// Links returns the participants that the network of an arm with so many nodes connects;
	// nil is the nodes, from 1.
	Links func(nodes int) networks.Site
	// Population reports whether a section has a run hold the clients of a round alone, and not the
	// nodes that they are drawn from; nil means that none has.
	Population func(section *document.Node) bool
	// SupportsMissing means that rounds of a server go on where messages are missing. A server
	// that decides by the sum over all clients does not: a sum that lacks a client is another
	// query, of another sensitivity.
	SupportsMissing bool
	// Compresses means that participants send only vectors for which an estimate will do, such
	// as a codec's: no choices, no counts.
	Compresses bool
	// SupportsAdversaries means that participants can lie: the algorithm sends only vectors,
	// reads each of them, and asks its arm for the liars.
	SupportsAdversaries bool
	// Clocked means that rounds take the seconds of the section clock.
	Clocked bool
}

// AlgorithmOf returns the algorithm of an arm; nil if its section names none.
func AlgorithmOf(b *Builder, a *ArmFile) (Algorithm, error) {
	if a.Algorithm == nil {
		return nil, nil
	}
	return kind.PieceOf[Algorithm](b.Kinds.Algorithms, a.Algorithm, "a scenario")
}

// NetworkSiteOf returns the participants that the network of an arm connects.
func NetworkSiteOf(b *Builder, a *ArmFile) networks.Site {
	site := networks.Site{Labels: networks.Labels{First: 1, Last: a.Nodes}}
	if family, err := AlgorithmOf(b, a); err == nil && family != nil {
		if links := family.Traits().Links; links != nil {
			site = links(a.Nodes)
		}
	}
	if above := topologies.ServersAbove(b.Kinds.Topologies, a.Topology, a.Nodes); above > 0 {
		site.Last, site.BySteps = site.Last+above, true
	}
	site.Nodes, site.Data = a.Nodes, b.Data
	return site
}

// Delayed returns the effects of an arm's network, and its delays in seconds. clocked is true if rounds take the seconds
// of the section clock: delays in seconds are then a part of these, and the network has no other effects.
func Delayed(n networks.Network, clocked bool) (effects *networks.Plan, delays *networks.Speed, err error) {
	if clocked && n.Effects.InSeconds() {
		delays, err = n.Effects.OfClock()
		return nil, delays, err
	}
	return n.Effects, nil, nil
}

// SamplesNodes reports whether regret is taken at some of the nodes only.
func SamplesNodes(arm *Arm) bool {
	return arm.Problem != nil && arm.File.Measure.RecordsRegret() && len(arm.Measured) < arm.File.Nodes-arm.Adversaries.Count()
}

// RecordsMetric reports whether runs of the arm, which must be built, record a metric.
func RecordsMetric(arm *Arm, metric string) bool {
	if slices.Contains(arm.Recording.Metrics, metric) || slices.Contains(arm.Privacy.Stated.Metrics, metric) {
		return arm.File.Measure.Records(metric)
	}
	return Asks(arm, metric) && arm.File.Measure.Names(metric)
}

// NodeLabels returns the labels of nodes in the records of an arm, in their order; a new
// slice.
func NodeLabels(arm *Arm, nodes []messages.NodeID) []int32 {
	labels := make([]int32, len(nodes))
	for i, node := range nodes {
		labels[i] = int32(node) + int32(arm.Extent.FirstLabel)
	}
	return labels
}
