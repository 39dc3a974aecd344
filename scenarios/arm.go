package scenarios

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/problem"
)

// Arm is one variant of a scenario, checked and ready to run under any seed.
type Arm struct {
	Name      string
	Overrides string // what it changes in the scenario, as text

	file      file
	problem   problem.Problem
	topology  topologyPlan
	algorithm algorithmPlan
	points    []int // the steps at which metrics are recorded
	measured  []messages.NodeID
	notes     []note
	warnings  []warning
}

// armFile is an arm's file with its document and name.
type armFile struct {
	file
	name string
	doc  *document.Document
}

// buildArm builds an arm and checks it under the first seed. The error is
// document.Issues where the file is at fault.
func buildArm(v variant, seeds Seeds) (*Arm, error) {
	f, err := decodeFile(v.document)
	if err != nil {
		return nil, err
	}
	a := &armFile{file: f, name: v.name, doc: v.document}
	arm := &Arm{Name: v.name, Overrides: v.overrides, file: f}
	if err := arm.buildParts(a); err != nil {
		return nil, err
	}
	arm.points = points(f.Measure, arm.algorithm.firstStep, f.Horizon)
	arm.measured = measured(f.Measure, f.Nodes)
	sequence, window, err := arm.graphs(seeds.Base)
	if err != nil {
		return nil, err
	}
	arm.notes, arm.warnings = arm.algorithm.notes(window, sequence)
	if len(arm.measured) < f.Nodes {
		arm.warnings = append(arm.warnings, warning{"sampled-nodes", fmt.Sprintf("regret is taken at %d sampled nodes of %d", len(arm.measured), f.Nodes)})
	}
	return arm, nil
}

// buildParts builds problem, topology and algorithm, and reports the problems
// of all of them.
func (arm *Arm) buildParts(a *armFile) error {
	var issues document.Issues
	note := func(err error) bool {
		var some document.Issues
		if errors.As(err, &some) {
			issues = append(issues, some...)
		} else if err != nil {
			issues = append(issues, a.doc.Resolve("", err)...)
		}
		return err == nil
	}
	buildTopology, err := find(topologies, a.Topology)
	if note(err) {
		arm.topology, err = buildTopology(a.Topology, a.Nodes)
		note(err)
	}
	buildProblem, err := find(problems, a.Problem)
	if note(err) {
		arm.problem, err = buildProblem(a.Problem, a.Nodes)
		note(err)
	}
	buildAlgorithm, err := find(algorithms, a.Algorithm)
	if note(err) && arm.problem != nil {
		arm.algorithm, err = buildAlgorithm(a, arm.problem)
		note(err)
	}
	return issues.Err()
}

// graphs returns the checked graphs of a seed's run, and B.
func (arm *Arm) graphs(seed uint64) (sequence topology.Sequence, window int, err error) {
	if sequence, err = arm.topology.sequence(seed); err != nil {
		return nil, 0, err
	}
	window, err = arm.topology.check(sequence, arm.file.Horizon)
	return sequence, window, err
}

// job is one arm under one seed, ready to run.
type job struct {
	run    algorithm.Run
	meter  *meter.Meter
	window int
}

// job draws what depends on the seed.
func (arm *Arm) job(seed uint64) (*job, error) {
	sequence, window, err := arm.graphs(seed)
	if err != nil {
		return nil, err
	}
	instance, err := arm.problem.Draw(seed, arm.file.Horizon)
	if err != nil {
		return nil, err
	}
	machines, err := arm.algorithm.machines()
	if err != nil {
		return nil, err
	}
	options := arm.meterOptions()
	options.Instance = instance
	m := meter.New(options)
	return &job{
		run: algorithm.Run{
			Seed:       seed,
			FirstStep:  arm.algorithm.firstStep,
			Steps:      arm.file.Horizon,
			FirstLabel: arm.algorithm.firstLabel,
			Graphs:     sequence,
			Machines:   machines,
			Costs:      instance,
			Meter:      m,
		},
		meter:  m,
		window: window,
	}, nil
}

func (arm *Arm) meterOptions() meter.Options {
	return meter.Options{
		Nodes:     arm.file.Nodes,
		FirstStep: arm.algorithm.firstStep,
		Steps:     arm.file.Horizon,
		Points:    arm.points,
		Measured:  arm.measured,
		Problem:   arm.problem,
	}
}

// points are the steps at which metrics are recorded: the multiples of every,
// and the last.
func points(m Measure, first, steps int) []int {
	every := m.Every
	if every == 0 {
		every = max(1, steps/usualPoints)
	}
	var list []int
	last := first + steps - 1
	for step := every; step < last; step += every {
		if step >= first {
			list = append(list, step)
		}
	}
	return append(list, last)
}

// measured are the nodes at which regret is taken. A sample depends on the
// number of nodes alone, so that arms and seeds are measured at the same ones.
func measured(m Measure, nodes int) []messages.NodeID {
	count := m.Nodes
	if count == 0 {
		if count = nodes; nodes > allNodes {
			count = sampledNodes
		}
	}
	if count >= nodes {
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
