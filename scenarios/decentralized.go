package scenarios

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/problem"
)

// network builds topology and problem of an arm whose nodes are equals and whose
// algorithm asks something of the weights, and notes the faults of both.
func (b *builder) network(arm *Arm, a *armFile, weights topology.Demand, found *faults) {
	arm.weights = weights
	if a.Topology != nil {
		arm.topology = b.topology(a, weights, found)
	}
	if a.Problem != nil {
		arm.problem = shared(b, problemKey{a.Nodes, a.Problem.Text()}, func() (problem.Problem, bool) { return b.problem(a, found) })
		if p, ok := arm.problem.(*problem.Localization); ok && p.Follows() {
			arm.problem = following(arm, a, p, found)
		}
	}
}

// problemBuilder builds a problem of nodes that are equals.
type problemBuilder = func(b *builder, section *document.Node, nodes int) (problem.Problem, error)

// problemKey names a problem.
type problemKey struct {
	nodes int
	text  string
}

func (b *builder) problem(a *armFile, found *faults) (problem.Problem, bool) {
	build, err := find[problemBuilder](b.kinds.problems, a.Problem, "the algorithm dpdonc")
	if !found.note(err) {
		return nil, false
	}
	p, err := build(b, a.Problem, a.Nodes)
	if !found.note(err) {
		return nil, false
	}
	if !b.usage.take(&b.usage.coordinates, product(a.Nodes, p.Dim()), mostCoordinates) {
		found.at(a.Problem.Path(), "the decisions of the nodes of all arms have over %d coordinates", mostCoordinates)
	}
	return p, true
}

// following has the sensors of a problem go with the arm's topology: graphs and
// measurements of a step are of the same places.
func following(arm *Arm, a *armFile, p *problem.Localization, found *faults) problem.Problem {
	const at = "problem.sensors.topology"
	switch plan := arm.topology; {
	case plan == nil: // which is a fault of its own
	case plan.places == nil:
		found.at(at, "the nodes of this topology are nowhere; want one of kind geometric")
	case product(a.Horizon, a.Nodes, p.Dim()) > mostPlaces:
		found.at(at, "%d places over %d steps; want at most %d coordinates", a.Nodes, a.Horizon, mostPlaces)
	default:
		return p.Following(plan.places)
	}
	return p
}

// topology builds the topology of an arm. Arms that say the same of it, ask the
// same of its weights and have as many nodes and steps share it.
func (b *builder) topology(a *armFile, weights topology.Demand, found *faults) *topologyPlan {
	at := site{nodes: a.Nodes, horizon: min(max(a.Horizon, 1), mostSteps), weights: weights, data: b.data, usage: &b.usage}
	at.find = func(section *document.Node) (topologyBuilder, error) {
		return find[topologyBuilder](b.kinds.topologies, section, "the algorithm dpdonc")
	}
	key := topologyKey{at.nodes, at.horizon, weights, a.Topology.Text()}
	return shared(b, key, func() (*topologyPlan, bool) {
		build, err := at.find(a.Topology)
		if !found.note(err) {
			return nil, false
		}
		plan, err := build(at, a.Topology)
		if !found.note(err) {
			return nil, false
		}
		if !b.usage.take(&b.usage.edges, plan.edges, mostEdges) {
			found.at(a.Topology.Path(), "the graphs of all arms have over %d edges", mostEdges)
		}
		return plan, true
	})
}

// topologyKey names a topology, and what is asked of it.
type topologyKey struct {
	nodes, horizon int
	weights        topology.Demand
	text           string
}

// check verifies the graphs of the first seed, unless they are so many or so large
// that only a run should look at them.
func (b *builder) check(arm *Arm) error {
	key := checkKey{arm.topology, arm.file.Horizon}
	if seen, ok := b.memo[key].(checkedGraphs); ok {
		return seen.err
	}
	if size := arm.graphSize(); !b.usage.builds(size, arm.topology.work(size, arm.file.Horizon)) {
		arm.unchecked = true
		return nil
	}
	_, _, err := arm.graphs(b.seeds.Base)
	b.memo[key] = checkedGraphs{err}
	return err
}

// checkKey is what the check of a topology depends on, and checkedGraphs what it found.
type (
	checkKey struct {
		plan    *topologyPlan
		horizon int
	}
	checkedGraphs struct{ err error }
)

// graphSize is about how many nodes and edges the graphs have that are in memory at
// a time.
func (arm *Arm) graphSize() float64 {
	return product(arm.file.Nodes) + arm.topology.edges + arm.topology.drawn
}

// checkGraphs looks at the graphs of the first seed of arms that a check of the
// file did not look at, unless they are so many that only the jobs should: each
// looks at its own.
func (s *Scenario) checkGraphs() error {
	checked := 0.0
	done := map[checkKey]bool{}
	for _, arm := range s.Arms {
		key := checkKey{arm.topology, arm.file.Horizon}
		if !arm.unchecked || done[key] {
			continue
		}
		if t := arm.topology; t.redraws {
			if checked += product(arm.file.Horizon) * t.drawn; checked > mostChecked {
				return nil
			}
		}
		if _, _, err := arm.graphs(s.Seeds.Base); err != nil {
			return &InputError{err: err, line: s.document.Line}
		}
		done[key] = true
	}
	return nil
}

// graphs returns the checked graphs of a seed's run, and B.
func (arm *Arm) graphs(seed uint64) (sequence topology.Sequence, window int, err error) {
	if sequence, err = arm.topology.sequence(seed); err != nil {
		return nil, 0, err
	}
	window, err = arm.topology.check(sequence, arm.file.Horizon, arm.weights)
	return sequence, window, err
}

// decentralizedJob draws what depends on the seed for an algorithm whose nodes
// are equals.
func (arm *Arm) decentralizedJob(seed uint64, machines func() ([]algorithm.Machine, error)) (*job, error) {
	sequence, window, err := arm.graphs(seed)
	if err != nil {
		return nil, err
	}
	instance, err := arm.problem.Draw(seed, arm.file.Horizon)
	if err != nil {
		return nil, err
	}
	list, err := machines()
	if err != nil {
		return nil, err
	}
	options := arm.meterOptions()
	options.Instance = instance
	m := meter.New(options)
	j := arm.newJob(seed, sequence, list, arm.playingOn(m))
	if arm.effects != nil {
		if j.run.Network, err = arm.effects.build(&j.run, seed); err != nil {
			return nil, err
		}
	}
	j.run.Costs = instance
	j.window, j.part = window, m.Part
	return j, nil
}

// checkMoves refuses to measure the moves of an arm that has none.
func (arm *Arm) checkMoves() error {
	if arm.file.Measure.Moves && arm.problem == nil {
		return document.At("measure.moves", "this arm takes no mirror steps; dpdonc does")
	}
	return nil
}

// decentralizedMetrics are the metrics of an algorithm whose nodes are equals.
func (arm *Arm) decentralizedMetrics() []string {
	options := arm.meterOptions()
	return options.Metrics(tracks(arm.problem))
}

// tracks tells whether the instances of a problem hide a position to be found.
// Problems that say so themselves need not draw one.
func tracks(p problem.Problem) bool {
	if says, ok := p.(interface{ Tracks() bool }); ok {
		return says.Tracks()
	}
	first, err := p.Draw(0, 1) // whatever the seed
	_, tracker := first.(problem.Tracker)
	return err == nil && tracker // a run says why there is an error
}

func (arm *Arm) meterOptions() meter.Options {
	options := meter.Options{
		Nodes:     arm.file.Nodes,
		FirstStep: arm.algorithm.firstStep,
		Steps:     arm.file.Horizon,
		Points:    arm.points,
		Measured:  arm.measured,
		Problem:   arm.problem,
		Delta:     arm.file.Budget.delta(),
		Effects:   arm.effects != nil,
		Limited:   arm.effects != nil && arm.effects.limited,
		// What is lost, late or down keeps the sum of masses from N.
		Masses: arm.weights == topology.PushSum && arm.effects == nil,
		Moves:  arm.file.Measure.Moves,
	}
	return options
}
