package scenarios

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"starling/actors/topology"
	"starling/mechanisms/factorization"
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
	name string
	doc  *document.Document
}

// builder builds the arms of a scenario. Arms that say the same of a topology
// or a problem share it.
type builder struct {
	seeds      Seeds
	usage      usage
	topologies map[string]*topologyPlan
	problems   map[string]problem.Problem
	checked    map[checkKey]error
	streams    map[string]*oflProblem
	pictures   map[string]*imagesPlan
	// comparators are kept as long as the scenario: its runs share them.
	comparators *stream.Memo[dataKey, *stream.Comparator]
	// factorizations are kept as long, and made by runs.
	factorizations *stream.Memo[factorization.Options, factorized]

	data        *dataFolder
	adversaries map[string]*adversaryPlan
	// hindsight is kept as long, too.
	hindsight *stream.Memo[hindsightKey, hindsight]
}

// checkKey is what the check of a topology depends on.
type checkKey struct {
	plan    *topologyPlan
	horizon int
}

func newBuilder(seeds Seeds, data *dataFolder) *builder {
	return &builder{
		seeds:      seeds,
		topologies: map[string]*topologyPlan{},
		problems:   map[string]problem.Problem{},
		checked:    map[checkKey]error{},
		streams:    map[string]*oflProblem{},
		pictures:   map[string]*imagesPlan{},

		comparators:    &stream.Memo[dataKey, *stream.Comparator]{},
		factorizations: &stream.Memo[factorization.Options, factorized]{},

		data:        data,
		adversaries: map[string]*adversaryPlan{},
		hindsight:   &stream.Memo[hindsightKey, hindsight]{},
	}
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

// arm builds an arm and checks its graphs under the first seed. It is of use
// only if there are no issues.
func (b *builder) arm(v variant) (*Arm, document.Issues) {
	f, issues := decodeFile(v.document)
	found := &faults{v.document, issues}
	arm := &Arm{Name: v.name, Overrides: v.overrides, Values: v.values(), file: f}
	if f.Nodes < 1 || f.Nodes > mostNodes || b.usage.exceeded {
		return arm, found.issues
	}
	b.parts(arm, &armFile{file: f, name: v.name, doc: v.document}, found)
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
	if a.Network != nil {
		var err error
		arm.effects, err = buildNetwork(siteOf(a, b.data), a.Network)
		found.note(err)
	}
	build := algorithmBuilder(nil)
	if a.Algorithm != nil {
		var err error
		build, err = find(algorithms, a.Algorithm)
		found.note(err)
	}
	if build == nil {
		// The other sections are looked at as those of the usual family.
		b.network(arm, a, topology.DoublyStochastic, found)
		return
	}
	arm.algorithm = build(b, arm, a, found)
	arm.algorithm.start(arm.algorithm.before)
	arm.purse = newPurse(arm)
}

// shared returns what a section describes for a number of nodes: what an
// earlier arm built of the same text, or what the kind's builder makes of it.
func shared[P any](built map[string]P, kinds []kind[func(*document.Node, int) (P, error)], all []Entry, section *document.Node, nodes int, found *faults, charge func(P)) (part P) {
	key := fmt.Sprintf("%d %s", nodes, section.Text())
	if part, ok := built[key]; ok {
		return part
	}
	build, err := familyKind(kinds, all, section, "dpdonc")
	if !found.note(err) {
		return part
	}
	part, err = build(section, nodes)
	if found.note(err) {
		charge(part)
		built[key] = part
	}
	return part
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
