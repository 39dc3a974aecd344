package scenarios

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/results"
)

// Arm is one variant of a scenario, checked and ready to run under any seed.
type Arm struct {
	Name      string
	Overrides string // what it changes in the scenario, as text
	Values    []results.Value

	file      file
	problem   problem.Problem // of a decentralized algorithm
	topology  *topologyPlan
	unchecked bool            // a check of the file left the graphs of the first seed to the run
	weights   topology.Demand // what the algorithm asks of those of the topology
	effects   *networkPlan    // of the network; nil where it is ideal
	algorithm algorithmPlan
	purse     *purse            // of the budget
	points    []int             // the steps at which metrics are recorded
	measured  []messages.NodeID // whose regret is taken; none of a federated algorithm
}

// armFile is an arm's file with its document and name.
type armFile struct {
	file
	kinds *catalog
	name  string
	doc   *document.Document
}

// builder builds the arms of a scenario.
type builder struct {
	kinds *catalog
	seeds Seeds
	data  *dataFolder
	usage usage
	// memo is what arms share, by keys whose types say what it is.
	memo map[any]any
}

func newBuilder(kinds *catalog, seeds Seeds, data *dataFolder) *builder {
	return &builder{kinds: kinds, seeds: seeds, data: data, memo: map[any]any{}}
}

// anew is a builder for the same that shares nothing with b.
func (b *builder) anew() *builder { return newBuilder(b.kinds, b.seeds, newDataFolder(b.data.path)) }

// shared returns what an earlier arm made under a key, or makes it. What is not ok
// is not kept.
func shared[V any](b *builder, key any, make func() (v V, ok bool)) V {
	if v, ok := b.memo[key].(V); ok {
		return v
	}
	v, ok := make()
	if ok {
		b.memo[key] = v
	}
	return v
}

// runMemo keeps what runs make and share, as long as the scenario is kept.
func runMemo[K comparable, V any](b *builder) *stream.Memo[K, V] {
	return shared(b, (*stream.Memo[K, V])(nil), func() (*stream.Memo[K, V], bool) { return &stream.Memo[K, V]{}, true })
}

// algorithmKind is an algorithm of the catalog.
type algorithmKind struct {
	build func(*builder, *Arm, *armFile, *faults) algorithmPlan
	// links says whom the network of an arm with so many nodes connects; nil is the
	// nodes, from 1.
	links func(nodes int) networkSite
	// tolerant tells that rounds of a server go on where messages are missing. Where
	// it decides by the sum over all clients they do not: a sum that lacks a client is
	// another query, of another sensitivity.
	tolerant bool
}

// algorithm is that of an arm; nil where its section names none.
func (b *builder) algorithm(a *armFile) (*algorithmKind, error) {
	if a.Algorithm == nil {
		return nil, nil
	}
	kind, err := find[algorithmKind](b.kinds.algorithms, a.Algorithm, "a scenario")
	if err != nil {
		return nil, err
	}
	return &kind, nil
}

// networkSite is whom the network of an arm connects.
func (b *builder) networkSite(a *armFile) networkSite {
	site := networkSite{labels: labels{1, a.Nodes}}
	if family, err := b.algorithm(a); err == nil && family != nil && family.links != nil {
		site = family.links(a.Nodes)
	}
	site.nodes, site.data = a.Nodes, b.data
	return site
}

// faults collects what is wrong with an arm.
type faults struct {
	doc    *document.Document
	issues document.Issues
}

// note takes an error and reports whether there was none.
func (f *faults) note(err error) bool {
	f.issues = append(f.issues, f.doc.Resolve("", err)...)
	return err == nil
}

// at notes a fault at a path.
func (f *faults) at(path, format string, args ...any) {
	f.note(document.At(path, format, args...))
}

// options notes errors in the options of an algorithm where the file has them,
// and reports whether there were none.
func (f *faults) options(err error) bool { return f.note(option.Rename(err, optionPath)) }

// optionPath is where in a scenario an option of an algorithm is: under the name
// that algorithms have for it, in their own section unless elsewhere says otherwise.
func optionPath(name string) string {
	if path, ok := elsewhere[name]; ok {
		return path
	}
	return "algorithm." + name
}

// elsewhere are the options of algorithms that other sections say.
var elsewhere = map[string]string{
	"nodes": "nodes", "clients": "nodes",
	"horizon": "horizon", "rounds": "horizon",
	"experts": "problem", "alpha": "problem", "beta": "problem",
	"kind": "mechanism.kind", "noise": "mechanism.noise", "neighbours": "mechanism.neighbours",
	"epsilon": "mechanism.epsilon", "delta": "mechanism.delta", "sigma": "mechanism.sigma",
	"budget": "budget", "budget.epsilon": "budget.epsilon", "budget.delta": "budget.delta", "budget.accountant": "mechanism.accountant",
}

// arm builds an arm and checks its graphs under the first seed. It is of use
// only if there are no issues.
func (b *builder) arm(v variant) (*Arm, document.Issues) {
	f, issues := decodeFile(v.document)
	found := &faults{v.document, issues}
	arm := &Arm{Name: v.name, Overrides: v.overrides, Values: v.values(), file: f}
	if f.Nodes < 1 || f.Nodes > mostNodes || b.usage.exceeded {
		return arm, found.issues
	}
	b.parts(arm, &armFile{file: f, kinds: b.kinds, name: v.name, doc: v.document}, found)
	if len(found.issues) > 0 {
		return arm, found.issues
	}
	if b.measure(arm, found); found.note(checkBudget(arm)) && len(found.issues) == 0 && arm.topology.checks {
		found.note(b.check(arm))
	}
	return arm, found.issues
}

// parts builds what an arm runs, by the family of its algorithm, and notes the
// faults of all its sections.
func (b *builder) parts(arm *Arm, a *armFile, found *faults) {
	family, err := b.algorithm(a)
	if a.Network != nil {
		var err error
		arm.effects, err = buildNetwork(b.kinds, b.networkSite(a), a.Network)
		found.note(err)
	}
	if found.note(err); family == nil {
		// The other sections are looked at as those of the usual family.
		b.network(arm, a, topology.DoublyStochastic, found)
		return
	}
	arm.algorithm = family.build(b, arm, a, found)
	arm.algorithm.start(arm.algorithm.before)
	arm.purse = purseOf(arm)
}

// measure decides when and where metrics are taken and refuses what would not
// fit in memory.
func (b *builder) measure(arm *Arm, found *faults) {
	f := &arm.file
	dim := arm.algorithm.dim
	if arm.problem != nil && product(f.Horizon, dim) > mostTrack {
		found.at("horizon", "%d steps in %d dimensions; want at most %d coordinates over the horizon", f.Horizon, dim, mostTrack)
		return
	}
	first, last := arm.algorithm.firstStep, arm.algorithm.firstStep+f.Horizon-1
	for i, step := range f.Measure.At {
		if step < first || step > last {
			found.at(fmt.Sprintf("measure.at[%d]", i), "step %d is not one of the run's, %d to %d", step, first, last)
			return
		}
	}
	if !found.note(errors.Join(arm.checkModel(), arm.checkMoves())) {
		return
	}
	points, nodes := pointCount(f)+len(f.Measure.At), 0
	if arm.problem != nil {
		nodes = measuredCount(f)
	}
	if points > mostPoints {
		found.at("measure.every", "metrics are recorded at %d steps; want at most %d", points, mostPoints)
		return
	}
	if !b.usage.take(&b.usage.records, product(points), mostRecords) {
		found.at("measure.every", "metrics are recorded at %d steps; all arms together can have %d", points, mostRecords)
		return
	}
	bytes := 8*product(f.Seeds.Count, points, nodes, dim+1) + product(rowBytes, points, nodes+runMetrics)
	if bytes > mostMetricBytes {
		found.at("measure", "the regret of %d nodes at %d steps under %d seeds takes %.3g GiB; want at most %d; raise measure.every, lower measure.nodes, or run fewer seeds",
			nodes, points, f.Seeds.Count, bytes/(1<<30), mostMetricBytes>>30)
		return
	}
	arm.points = pointsOf(f, first, pointCount(f))
	if nodes > 0 {
		arm.measured = measuredOf(f.Nodes, nodes)
	}
}

// A run has about so many metrics besides those of its nodes, and each of them
// takes so much until it is written.
const (
	runMetrics = 8
	rowBytes   = 24
)

// notes are what a reader of the arm's results needs besides them, given a job
// that has run.
func (arm *Arm) notes(j *job) ([]note, []warning) {
	notes, warnings := arm.algorithm.notes(j)
	notes = append(notes, arm.budgetNotes()...)
	for _, d := range arm.topology.data {
		notes = append(notes, d.note())
	}
	if arm.samplesNodes() {
		warnings = append(warnings, warning{"sampled-nodes", fmt.Sprintf("regret is taken at %d sampled nodes of %d", len(arm.measured), arm.file.Nodes)})
	}
	return notes, warnings
}

// samplesNodes tells whether regret is taken at some of the nodes only.
func (arm *Arm) samplesNodes() bool {
	return arm.problem != nil && arm.file.Measure.recordsRegret() && len(arm.measured) < arm.file.Nodes
}

// interval is the number of steps between records.
func interval(f *file) int {
	if f.Measure.Every > 0 {
		return f.Measure.Every
	}
	return max(1, f.Horizon/usualPoints)
}

// pointCount is how many steps have records besides those that the scenario
// names.
func pointCount(f *file) int { return (f.Horizon + interval(f) - 1) / interval(f) }

// pointsOf are the steps at which metrics are recorded: the multiples of the
// interval, counted from the first step as 1, the last step, and those that the
// scenario names.
func pointsOf(f *file, first, count int) []int {
	list := make([]int, count)
	for k := range list {
		list[k] = first - 1 + min((k+1)*interval(f), f.Horizon)
	}
	list = append(list, f.Measure.At...)
	slices.Sort(list)
	return slices.Compact(list)
}

// measuredCount is at how many nodes regret is taken.
func measuredCount(f *file) int {
	switch {
	case !f.Measure.recordsRegret():
		return 1 // which the meter needs
	case f.Measure.Nodes > 0:
		return min(f.Measure.Nodes, f.Nodes)
	case f.Nodes > allNodes:
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
func sample(r *rand.Rand, n, count int) []messages.NodeID {
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
