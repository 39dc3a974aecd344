package study

import (
	"errors"
	"fmt"
	"slices"

	"starling/actors/algorithm/wire"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
	"starling/scenarios/problem/dataset"
	"starling/scenarios/problem/stream"
	"starling/scenarios/results"
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
	// unchecked tells that a check of the file left the graphs of the first seed to the
	// run, as they are many or large.
	unchecked bool
	// Weights is what the algorithm asks of the weights of the topology.
	Weights topology.Demand
	// Effects is what the network does to messages; nil where it is ideal.
	Effects *networks.Plan
	// Wire is how vectors cross wires; nil is as they are.
	Wire *wire.Encoding
	// Adversaries are the nodes that lie; nil is none.
	Adversaries *Adversaries
	// Takes is how many vectors the rule takes by which nodes, or the server, make one of
	// what they hear; 0 of the mean.
	Takes int
	// Algorithm is what the arm runs.
	Algorithm Plan
	// Purse holds payments to the budget; nil where nothing has to be held.
	Purse *ledger.Purse
	// Points are the steps at which metrics are recorded, ascending, the paper's numbers.
	Points []int
	// Measured are the nodes whose regret is taken, ascending; none of a federated
	// algorithm.
	Measured []messages.NodeID
	// Cache keeps what jobs share; see NeedsOf.
	Cache *cache.Cache
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
	// memo is what arms share, by keys whose types say what it is.
	memo map[any]any
}

// NewBuilder returns a builder of arms that share nothing yet.
func NewBuilder(kinds *kind.Catalog, seeds Seeds, data *dataset.Folder) *Builder {
	return &Builder{Kinds: kinds, Seeds: seeds, Data: data, Cache: cache.New(0), memo: map[any]any{}}
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

// algorithmOf is that of an arm; nil where its section names none.
func algorithmOf(b *Builder, a *ArmFile) (*Algorithm, error) {
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
	if family, err := algorithmOf(b, a); err == nil && family != nil && family.Links != nil {
		site = family.Links(a.Nodes)
	}
	site.Nodes, site.Data = a.Nodes, b.Data
	return site
}

// NewArm builds an arm and checks its graphs under the first seed. It is of use
// only if there are no issues.
func NewArm(b *Builder, v Variant) (*Arm, document.Issues) {
	f, issues := DecodeFile(v.Document)
	found := &Faults{v.Document, issues}
	found.Note(f.Measure.Check(b.Kinds.AllMetrics().Names()))
	arm := &Arm{Name: v.Name, Overrides: v.Overrides, Values: v.values(), File: f, Document: v.Document, Cache: b.Cache}
	// Without a sensible number of nodes nothing else can be built or checked.
	if f.Nodes < 1 || f.Nodes > limits.Nodes || b.Usage.Exceeded {
		return arm, found.Issues
	}
	buildParts(b, arm, &ArmFile{File: f, Kinds: b.Kinds, Name: v.Name, Doc: v.Document}, found)
	if len(found.Issues) > 0 {
		return arm, found.Issues
	}
	// From here on the plan is whole. Graphs come last: they may take seconds, and are of
	// no use to an arm that is refused anyway.
	if setMeasures(b, arm, found); found.Note(checkBudget(arm)) && len(found.Issues) == 0 && arm.Topology.Checks {
		found.Note(checkTopology(b, arm))
	}
	return arm, found.Issues
}

// buildParts builds what an arm runs, by the family of its algorithm, and notes the
// faults of all its sections.
func buildParts(b *Builder, arm *Arm, a *ArmFile, found *Faults) {
	family, err := algorithmOf(b, a)
	if a.Network != nil {
		network, err := networks.Build(b.Kinds, NetworkSiteOf(b, a), a.Network)
		arm.Effects, arm.Wire = network.Effects, network.Wire
		found.Note(err)
	}
	if found.Note(err); family == nil {
		// The other sections are looked at as those of the usual family.
		BuildNodes(b, arm, a, topology.DoublyStochastic, found)
		return
	}
	arm.Adversaries = buildAdversaries(b, a, family, found)
	arm.Algorithm = family.Build(b, arm, a, found)
	checkCodec(arm, family, found)
	startFrom(&arm.Algorithm, arm.Algorithm.Before)
	nameObservers(arm, a, found)
	arm.Purse = PurseOf(arm)
}

// checkCodec notes a codec that the algorithm of the arm cannot do with.
func checkCodec(arm *Arm, family *Algorithm, found *Faults) {
	switch {
	case !arm.Wire.Compresses():
	case !family.Compresses:
		found.At("network.compression", "this algorithm sends choices or counts, which a codec would change")
	case arm.Weights == topology.PushSum:
		found.At("network.compression", "push-sum sends masses, which have to arrive as they are")
	}
}

// wireNotes say how vectors cross wires.
func wireNotes(arm *Arm) (list []Note) {
	if arm.Wire == nil {
		return nil
	}
	if arm.Wire.Float32 {
		list = append(list, Note{"precision", "vectors cross wires in numbers of float32, rounded after noise"})
	}
	if codec, d := arm.Wire.Codec, arm.Algorithm.Dim; arm.Wire.Compresses() {
		list = append(list, Note{"compression", fmt.Sprintf("vectors cross wires compressed, after noise: %s, omega >= %.4g of vectors of length %d", codec, codec.Omega(d), d)})
	}
	return list
}

// setMeasures decides when and where metrics are taken and refuses what would not
// fit in memory.
func setMeasures(b *Builder, arm *Arm, found *Faults) {
	f := &arm.File
	dim := arm.Algorithm.Dim
	if arm.Problem != nil && limits.Product(f.Horizon, dim) > limits.Track {
		found.At("horizon", "%d steps in %d dimensions; want at most %d coordinates over the horizon", f.Horizon, dim, limits.Track)
		return
	}
	// The paper's first step is 0 or 1: users count as the paper does.
	first, last := arm.Algorithm.FirstStep, arm.Algorithm.FirstStep+f.Horizon-1
	for i, step := range f.Measure.At {
		if step < first || step > last {
			found.At(fmt.Sprintf("measure.at[%d]", i), "step %d is not one of the run's, %d to %d", step, first, last)
			return
		}
	}
	if !found.Note(errors.Join(checkModel(arm), checkMoves(arm), checkInterval(arm))) {
		return
	}
	points, nodes := pointCount(f)+len(f.Measure.At), 0
	if arm.Problem != nil {
		nodes = min(measuredCount(f), f.Nodes-arm.Adversaries.count())
	}
	// Limits on what is recorded. They are refused here, with the key to change, rather
	// than met as an exhausted memory after an hour.
	if points > limits.Points {
		found.At("measure.every", "metrics are recorded at %d steps; want at most %d", points, limits.Points)
		return
	}
	if !b.Usage.Take(&b.Usage.Records, limits.Product(points), limits.Records) {
		found.At("measure.every", "metrics are recorded at %d steps; all arms together can have %d", points, limits.Records)
		return
	}
	if asked := arm.Algorithm.Asked; slices.ContainsFunc(asked, f.Measure.Names) {
		if bytes := 8 * limits.Product(points, int(arm.Algorithm.Deciders.End), dim+askedNumbers); bytes > limits.MetricBytes {
			found.At("measure.metrics", "what is asked for of %d nodes at %d steps takes %.3g GiB a run; want at most %d; raise measure.every", f.Nodes, points, bytes/(1<<30), limits.MetricBytes>>30)
			return
		}
	}
	bytes := float64(8*limits.Product(f.Seeds.Count, points, nodes, dim+1)) + limits.Product(RowBytes, points, nodes+RunMetrics)
	if bytes > limits.MetricBytes {
		found.At("measure", "the regret of %d nodes at %d steps under %d seeds takes %.3g GiB; want at most %d; raise measure.every, lower measure.nodes, or run fewer seeds",
			nodes, points, f.Seeds.Count, bytes/(1<<30), limits.MetricBytes>>30)
		return
	}
	arm.Points = pointsOf(f, first, pointCount(f))
	if nodes > 0 {
		arm.Measured = arm.Adversaries.others(measuredOf(f.Nodes-arm.Adversaries.count(), nodes))
	}
}

// askedNumbers is about how many numbers metrics that are asked for keep of a node at a
// step besides its decision.
const askedNumbers = 10

// A run has about so many metrics besides those of its nodes, and each of them
// takes so much until it is written.
const (
	RunMetrics = 8
	RowBytes   = 24
)

// NotesOf are what a reader of the arm's results needs besides them, given a job
// that has run.
func NotesOf(arm *Arm, j *Job) ([]Note, []Warning) {
	notes, warnings := arm.Algorithm.Notes(j)
	if p, ok := arm.Problem.(Remarked); ok {
		moreNotes, moreWarnings := p.Remarks()
		notes, warnings = append(notes, moreNotes...), append(warnings, moreWarnings...)
	}
	notes = append(notes, wireNotes(arm)...)
	notes = append(notes, BudgetNotes(arm)...)
	for _, d := range arm.Topology.Data {
		notes = append(notes, NoteOfData(d))
	}
	moreNotes, moreWarnings := arm.Adversaries.remarks(arm)
	notes, warnings = append(notes, moreNotes...), append(warnings, moreWarnings...)
	if SamplesNodes(arm) {
		warnings = append(warnings, Warning{"sampled-nodes", fmt.Sprintf("regret is taken at %d sampled nodes of %d", len(arm.Measured), arm.File.Nodes)})
	}
	return notes, append(warnings, noiseWarnings(arm)...)
}

// SamplesNodes tells whether regret is taken at some of the nodes only.
func SamplesNodes(arm *Arm) bool {
	return arm.Problem != nil && arm.File.Measure.RecordsRegret() && len(arm.Measured) < arm.File.Nodes-arm.Adversaries.count()
}

// interval is the number of steps between records.
func interval(f *File) int {
	if f.Measure.Every > 0 {
		return f.Measure.Every
	}
	return max(1, f.Horizon/usualPoints)
}

// pointCount is how many steps have records besides those that the scenario
// names.
func pointCount(f *File) int { return (f.Horizon + interval(f) - 1) / interval(f) }

// pointsOf are the steps at which metrics are recorded: the multiples of the
// interval, counted from the first step as 1, the last step, and those that the
// scenario names.
func pointsOf(f *File, first, count int) []int {
	list := make([]int, count)
	for k := range list {
		list[k] = first - 1 + min((k+1)*interval(f), f.Horizon)
	}
	list = append(list, f.Measure.At...)
	slices.Sort(list)
	return slices.Compact(list)
}

// measuredCount is at how many nodes regret is taken.
func measuredCount(f *File) int {
	switch {
	case !f.Measure.RecordsRegret():
		return 1 // which the meter needs
	case f.Measure.Nodes > 0:
		return min(f.Measure.Nodes, f.Nodes)
	case f.Nodes > AllNodes:
		return sampledNodes
	}
	return f.Nodes
}

// measuredOf are the nodes at which regret is taken. A sample depends on the
// number of nodes alone, so that arms and seeds are measured at the same ones.
func measuredOf(nodes, count int) []messages.NodeID {
	if count == nodes {
		all := make([]messages.NodeID, nodes)
		for i := range all {
			all[i] = messages.NodeID(i)
		}
		return all
	}
	var stream rng.Stream
	return sample(stream.Open(rng.NewKey(0, rng.PurposeOf("measure.nodes")), nodes, count, 0), nodes, count)
}

// sample draws count of the nodes 0 .. n-1 without replacement, ascending, by
// Floyd's algorithm.
func sample(r *rng.Rand, n, count int) []messages.NodeID {
	chosen := make(map[messages.NodeID]bool, count)
	list := make([]messages.NodeID, 0, count)
	for j := n - count; j < n; j++ {
		node := messages.NodeID(r.IntN(j + 1))
		if chosen[node] {
			node = messages.NodeID(j)
		}
		chosen[node] = true
		list = append(list, node)
	}
	slices.Sort(list)
	return list
}

// checkModel refuses to write models where there are none, or too many.
func checkModel(arm *Arm) error {
	switch t := arm.Algorithm.Trained; {
	case !arm.File.Measure.Model:
		return nil
	case t == nil:
		return document.At("measure.model", "this arm trains no model that can be saved; dpfl, ali-dpfl, and ofl on images do")
	default:
		if bytes := 8 * limits.Product(arm.File.Seeds.Count, t.Model.Dim()); bytes > limits.MetricBytes {
			return document.At("measure.model", "models of %d parameters under %d seeds take %.3g GiB; want at most %d", t.Model.Dim(), arm.File.Seeds.Count, bytes/(1<<30), limits.MetricBytes>>30)
		}
		return nil
	}
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
