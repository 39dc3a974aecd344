package study

import (
	"slices"

	"starling/actors/algorithm/wire"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/gauge/decisions"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/patience"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/results"
	"starling/scenarios/section/adversaries"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/topologies"
)

// Arm is one variant of a scenario, checked and ready to run under any seed.
type Arm struct {
	// Name is how results call the arm, such as "epsilon=1"; the only arm of a scenario
	// without a sweep has a name too.
	Name string
	// Overrides is what the arm changes in the scenario, as text for people; Values is
	// the same for programs.
	Overrides string
	Values    []results.Value

	// File is the top level of the arm's own document: the scenario's with the arm's
	// values in it.
	File File
	// Document is that of the file: what the scenario says, with the arm's values in it.
	Document *document.Document
	// Problem is that of a decentralized algorithm. A federated one keeps its own, and
	// this is nil.
	Problem problem.Problem
	// Topology makes the graphs of any seed.
	Topology *topologies.Plan
	// Unchecked tells that a check of the file left the graphs of the first seed to the
	// run, as they are many or large.
	Unchecked bool
	// Weights is what the algorithm asks of the weights of the topology.
	Weights topology.Demand
	// Effects is what the network does to messages; nil where it is ideal.
	Effects *networks.Plan
	// Wire is how vectors cross wires; nil is as they are.
	Wire *wire.Encoding
	// Adversaries are the nodes that lie; nil is none.
	Adversaries *adversaries.Liars
	// Takes is how many vectors the rule takes by which nodes, or the server, make one of
	// what they hear; 0 of the mean.
	Takes int
	// Algorithm is what the arm runs.
	Algorithm Plan
	// Measures are those that jobs of Algorithm can record where measure.metrics names them.
	Measures []*decisions.Measure
	// Purse holds payments to the budget; nil where nothing has to be held.
	Purse *ledger.Purse
	// Points are the steps at which metrics are recorded, ascending, the paper's numbers.
	Points []int
	// Measured are the nodes whose regret is taken, ascending; none of a federated
	// algorithm.
	Measured []messages.NodeID
	// Cache keeps what jobs share; see NeedsOf.
	Cache *cache.Cache
	// Epsilons are what their ledgers share.
	Epsilons *ledger.Epsilons
}

// ArmFile is an arm's file with its document and name.
type ArmFile struct {
	File
	// Kinds is the catalog in which sections find their builders; Doc is where errors get
	// their line and column.
	Kinds *kind.Catalog
	Name  string
	Doc   *document.Document
}

// Builder builds the arms of a scenario, in one goroutine and before any job runs.
type Builder struct {
	// Kinds is the catalog: which algorithms, problems, topologies and so on there are.
	Kinds *kind.Catalog
	// Seeds are those of the scenario; graphs are checked under the first.
	Seeds Seeds
	// Data is the folder of data sets.
	Data *dataset.Folder
	// Usage counts what all arms together take, against the limits.
	Usage limits.Usage
	// Cache keeps what the jobs of all arms share, once whoever runs them says what they
	// need, and how much may be kept.
	Cache *cache.Cache
	// Epsilons are what the ledgers of all jobs share.
	Epsilons *ledger.Epsilons
	// Remarks are what readers of the results are told of how the file was checked.
	Remarks []results.Warning
	// Board is where what runs make and share says how far it has come.
	Board *patience.Board
	// memo is what arms share, by keys whose types say what it is.
	memo map[any]any
}

// NewBuilder returns a builder of arms that share nothing yet.
func NewBuilder(kinds *kind.Catalog, seeds Seeds, data *dataset.Folder) *Builder {
	return &Builder{Kinds: kinds, Seeds: seeds, Data: data, Cache: cache.New(0), Epsilons: new(ledger.Epsilons), Board: &patience.Board{}, memo: map[any]any{}}
}

// Close ends the use of the builder: whoever asks it to share something from then on,
// such as a job that runs beside others, panics.
func (b *Builder) Close() { b.memo = nil }

// Renewed is a builder for the same that shares nothing with b.
func Renewed(b *Builder) *Builder {
	return NewBuilder(b.Kinds, b.Seeds, b.Data.Renewed())
}

// Shared returns what an earlier arm made under a key, or makes it. What is not ok
// is not kept.
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

// RunMemo keeps what runs make and share, as long as the scenario is kept.
func RunMemo[K comparable, V any](b *Builder) *stream.Memo[K, V] {
	return Shared(b, (*stream.Memo[K, V])(nil), func() (*stream.Memo[K, V], bool) { return &stream.Memo[K, V]{}, true })
}

// Algorithm is an algorithm of the catalog.
type Algorithm struct {
	// Build makes the plan of an arm from its file. It notes faults rather than returning
	// them, and goes on after a fault where it can, to find more.
	Build func(*Builder, *Arm, *ArmFile, *Faults) Plan
	// Problems and Mechanisms are what Build finds builders of, for the table of what
	// goes together.
	Problems, Mechanisms kind.Want
	// Links says whom the network of an arm with so many nodes connects; nil is the
	// nodes, from 1.
	Links func(nodes int) networks.Site
	// Tolerant tells that rounds of a server go on where messages are missing. Where
	// it decides by the sum over all clients they do not: a sum that lacks a client is
	// another query, of another sensitivity.
	Tolerant bool
	// Compresses tells that participants send vectors alone for which an estimate will do,
	// such as that of a codec: no choices, no counts.
	Compresses bool
	// Deceived tells that participants can lie: the algorithm sends vectors alone, reads each
	// of them, and asks its arm who lies.
	Deceived bool
}

// AlgorithmOf is that of an arm; nil where its section names none.
func AlgorithmOf(b *Builder, a *ArmFile) (*Algorithm, error) {
	if a.Algorithm == nil {
		return nil, nil
	}
	kind, err := kind.Find[Algorithm](b.Kinds.Algorithms, a.Algorithm, "a scenario")
	if err != nil {
		return nil, err
	}
	return &kind, nil
}

// NetworkSiteOf is whom the network of an arm connects.
func NetworkSiteOf(b *Builder, a *ArmFile) networks.Site {
	site := networks.Site{Labels: networks.Labels{First: 1, Last: a.Nodes}}
	if family, err := AlgorithmOf(b, a); err == nil && family != nil && family.Links != nil {
		site = family.Links(a.Nodes)
	}
	site.Nodes, site.Data = a.Nodes, b.Data
	return site
}

// SamplesNodes tells whether regret is taken at some of the nodes only.
func SamplesNodes(arm *Arm) bool {
	return arm.Problem != nil && arm.File.Measure.RecordsRegret() && len(arm.Measured) < arm.File.Nodes-arm.Adversaries.Count()
}

// RecordsMetric reports whether runs of the arm, which must be built, record a metric.
func RecordsMetric(arm *Arm, metric string) bool {
	p := &arm.Algorithm
	if slices.Contains(p.Metrics, metric) || slices.Contains(p.Stated.Metrics, metric) {
		return arm.File.Measure.Records(metric)
	}
	return Asks(arm, metric) && arm.File.Measure.Names(metric)
}

// NodeLabels returns what the records of an arm call nodes, in their order; a new
// slice.
func NodeLabels(arm *Arm, nodes []messages.NodeID) []int32 {
	labels := make([]int32, len(nodes))
	for i, node := range nodes {
		labels[i] = int32(node) + int32(arm.Algorithm.FirstLabel)
	}
	return labels
}
