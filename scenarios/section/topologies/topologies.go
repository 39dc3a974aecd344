package topologies

import (
	"context"
	"errors"
	"slices"
	"sync"

	"starling/actors/option"
	"starling/actors/topology"
	"starling/scenarios/document"
	"starling/scenarios/inputs"
	"starling/scenarios/limits"
	"starling/scenarios/problem"
)

// Plan is a checked topology.
type Plan struct {
	// Sequence returns the graphs of a seed's run, with their events and weights.
	// Graphs that are drawn in the course of a run are examined up to the horizon.
	Sequence func(seed uint64) (topology.Sequence, error)
	// Edges is the number of edges that are kept, Drawn the number that a step draws anew.
	Edges, Drawn float64
	// Redraws is true if graphs are drawn anew in the course of a run. changes is true if they
	// change in some way without a short period.
	Redraws bool // in the course of a run
	changes bool // in the course of a run, with no short period
	// Period is the number of steps after which graphs that depend on no seed repeat, with their
	// events; 0 where none is known before a run.
	Period int
	// Checks is true if the graphs have to meet the assumptions of decentralized averaging.
	// common has the assumptions, and Section their place in the file.
	Checks  bool
	common  *Common
	Section *document.Node
	// Data is part of the hash of a run.
	Data []inputs.Digest // the files of the graphs
	Ends int             // the last step of a list of edges that has none after it; 0 for others
	// sums are the properties that the rule of the weights claims for them. made are the
	// properties that hold by construction, also of weights that are made as graphs are drawn.
	sums, made topology.Demand
	// heeds is true if a node that hears nobody in a step hears itself.
	heeds bool
	// connected is true if every graph is connected by its construction.
	connected bool
	// keeps is true if no node gives itself a weight above 1. given is true if a rule leaves weights as
	// they are.
	keeps, given bool
	// heard is true if some other node hears each node in every step. listened are graphs that
	// depend on no seed, where a look at so many steps has shown that it is false.
	heard    bool
	listened topology.Sequence
	looked   int
	nodes    int
	// Joins are the exchanges of nodes through servers, which replace their others; nil is none.
	// Servers then returns the servers of a seed's run, and Above is how many there are.
	Joins   []Join
	Servers func(seed uint64) (*topology.Servers, error)
	Above   int
	// Loose means that graphs in steps of servers have the components of means, and not their
	// weights, which are too many; see topology.NewLooseClusters.
	Loose bool
	// seeded is true if graphs depend on the seed. refuses is true if the rule of the weights
	// has no weights for some graphs.
	seeded, refuses bool
	// found has the results of checks of graphs that depend on no seed, and busy has the results
	// of Busiest.
	found, busy sync.Map
	// Shown returns the graphs for descriptions under a seed, with the edges of each step alone, where
	// the graphs of runs have the edges of all; nil is Sequence.
	Shown func(seed uint64) (topology.Sequence, error)
	// pairs are the rates of clocks of a matching; nil where pairs do not exchange one by one.
	pairs []float64
	// Names are the names of nodes, by number; nil where nodes are numbers.
	Names []string
	// Places returns the places of nodes, for kinds that have them; else it is nil.
	Places problem.Places
	// Arrange returns places of nodes for pictures, as topology.Arranged has them; nil where the
	// kind has none, and the graphs themselves say how they are drawn.
	Arrange problem.Places
	// Groups are the numbers of nodes of groups of consecutive nodes, which pictures mark, and Group is
	// the word for one, such as block; nil is none.
	Groups []int
	Group  string
}

// Schedule returns the steps in which nodes send; nil is every step. A nil plan has none.
func (t *Plan) Schedule() *topology.Schedule {
	if t == nil || t.common == nil {
		return nil
	}
	return t.common.Schedule
}

// Ticks returns the seconds from a tick to the next under a seed, by steps from 0, where steps are ticks of the
// Poisson clocks of nodes; nil where they are not.
func (t *Plan) Ticks(seed uint64) func(step int) float64 {
	rates := t.rates()
	if rates == nil {
		return nil
	}
	return topology.TickTimes(rates, t.nodes, seed)
}

// Ticking reports whether steps are ticks of clocks. A nil plan has none.
func (t *Plan) Ticking() bool { return t.rates() != nil }

// rates are the rates of the clocks of nodes; nil where they have none.
func (t *Plan) rates() []float64 {
	switch {
	case t == nil:
		return nil
	case t.Schedule() != nil && t.Schedule().Clocks != nil:
		return t.Schedule().Clocks
	}
	return t.pairs
}

// FirstEvent returns the step, from 1, of the first event of the graphs: of edges that come and go,
// a partition or a crash. The boolean is false where there is none.
func (t *Plan) FirstEvent() (step int, ok bool) {
	if t == nil || t.common == nil {
		return 0, false
	}
	for _, event := range t.common.Script.Events {
		if !ok || event.At < step {
			step, ok = event.At, true
		}
	}
	return step, ok
}

// Join is an exchange of nodes through servers.
type Join struct {
	Who  string // such as cloud
	When *topology.Schedule
}

// WeightTolerance is the largest distance from 1 of the sums of rows and columns of a doubly
// stochastic matrix.
const WeightTolerance = 1e-9

// mostCached is the longest period over which a topology.Weighting keeps graphs.
const mostCached = 64

// generated is a topology before its events and weights.
type generated struct {
	// sequence makes the graphs of a seed.
	sequence func(seed uint64) (topology.Sequence, error)
	// seeded is true if graphs are drawn from the seed.
	seeded  bool
	redraws bool // in the course of a run
	changes bool // in the course of a run, with no short period
	// edges is the number of edges that are kept for the run; drawn is the number that a step
	// draws anew.
	edges float64
	drawn float64
	// base is the number of edges of a graph that other graphs are made of, and that stays.
	base float64
	// ticks are the rates of clocks by which pairs exchange; nil is none.
	ticks []float64
	// places returns the places of nodes under a seed; nil where nodes have none.
	places problem.Places
	// arrange returns places for pictures, under a seed; nil where the kind has none.
	arrange problem.Places
	// groups and group are Plan.Groups and Plan.Group.
	groups []int
	group  string
	// demand is the reason that the file has to name a rule for weights; empty where the kind
	// has weights of its own, or metropolis is the default.
	demand string
	// weights is the default rule, where the file names none; nil leaves the weights as they
	// are.
	weights *topology.Weighting
	// made are the properties of the kind's own weights, and connected is true if its graphs
	// are connected, however they are drawn.
	made      topology.Demand
	connected bool
	// heard is true if some other node hears each node, however graphs are drawn.
	heard bool
	// refuses is true if the rule of a part has no weights for some graphs.
	refuses bool
	ends    int // see Plan.Ends
	data    []inputs.Digest
	joins   []Join
	servers func(seed uint64) (*topology.Servers, error) // see Plan.Servers
	above   int
	loose   bool     // see Plan.Loose
	names   []string // of nodes; nil where nodes are numbers
}

// The reasons for which weights have to be named.
const (
	demandDirected = "the graph is directed: sinkhorn makes weights doubly stochastic where there are such, uniform-in with self_loops where all degrees are equal; other graphs need uniform-out and an algorithm with consensus: push-sum, or weights: unchecked"
	demandFile     = "given keeps the weights of the file, the other schemes put theirs in their place"
	demandUnion    = "a union has the edges of its parts and none of their weights: metropolis is for undirected ones, uniform-in averages received messages, uniform-out is for push-sum"
	demandSchedule = "nodes that send in different steps leave edges out, and the weights of the kind do not fit the others: uniform-in with self_loops averages received messages, uniform-out with self_loops is for push-sum"
	demandEvents   = "events change the edges, and the weights of the kind do not fit the remaining ones"
)

// weighting returns the rule that makes the weights; nil leaves them as they are.
func (g *generated) weighting(at Site, section *document.Node, common *Common) (*topology.Weighting, error) {
	demand := g.demand
	switch {
	case demand != "" || g.weights != nil:
	case len(common.Script.Events) > 0:
		demand = demandEvents
	case common.staggered():
		demand = demandSchedule
	}
	switch {
	case at.pattern:
		return nil, nil
	case common.Weighting != nil:
		return common.Weighting, nil
	case demand != "":
		return nil, section.Issuef("missing required key \"weighting\": %s", demand)
	}
	return g.weights, nil
}

// plan puts events and weights on the generated graphs. Graphs that are the same for all seeds
// are made here.
func (at Site) plan(section *document.Node, common *Common, g generated) (*Plan, error) {
	weighting, err := g.weighting(at, section, common)
	if err != nil {
		return nil, err
	}
	var plan *Plan
	plan = &Plan{
		Sequence: func(seed uint64) (topology.Sequence, error) {
			s, err := g.sequence(seed)
			if err == nil {
				s, err = common.Script.Apply(s)
			}
			if err != nil {
				return nil, section.Resolve(err)
			}
			times := common.times(at.Nodes, seed)
			if times != nil && common.staggered() {
				s = times.Between(s)
			}
			switch {
			case weighting == nil:
			case g.redraws:
				s, err = weighting.OnTheWay(s)
			default:
				s, err = weighting.Over(s, at.Horizon)
			}
			if err == nil && times != nil && !common.staggered() {
				s = times.Over(s, at.silent())
			}
			if err == nil && plan.heeds {
				s, err = topology.Heed(s)
			}
			if err != nil {
				return nil, section.Resolve(document.At("weighting", "%v", err))
			}
			return s, nil
		},
		Edges: g.edges, Drawn: g.drawn, Redraws: g.redraws,
		changes: g.changes || g.redraws || len(common.Script.Events) > 0 || common.Schedule != nil,
		Checks:  true, common: common, nodes: at.Nodes, Names: g.names, Section: section, Data: append(slices.Clip(g.data), common.digests...), Ends: g.ends, Places: g.places, pairs: g.ticks, Arrange: g.arrange, Groups: g.groups, Group: g.group, Joins: g.joins, Servers: g.servers, Above: g.above, Loose: g.loose,
		seeded: g.seeded || common.Schedule != nil && common.Schedule.Drawn(),
	}
	if len(common.Script.Events) == 0 && !common.staggered() {
		plan.made, plan.connected = g.made, g.connected && common.Schedule == nil
	}
	plan.heard = g.heard && at.Nodes > 1 && len(common.Script.Events) == 0 && common.Schedule == nil
	if plan.refuses = g.refuses; weighting != nil {
		plan.refuses = plan.refuses || weighting.Refuses()
		plan.weigh(weighting, at.Nodes)
	}
	plan.Edges += g.base
	plan.heed(at)
	// Graphs that depend on no seed are made once, for all arms and seeds that share them.
	if plan.seeded {
		return plan, nil
	}
	made := plan.Sequence
	once := sync.OnceValues(func() (topology.Sequence, error) { return made(0) })
	plan.Sequence = func(uint64) (topology.Sequence, error) { return once() }
	if size := limits.Product(at.Nodes) + g.edges; !at.Usage.Builds(size, plan.Work(size, at.Horizon)) {
		return plan, nil // the run makes them
	}
	sequence, err := once()
	if err != nil {
		return nil, err
	}
	period, periodic := sequence.Period()
	if periodic {
		plan.Period = period
	}
	if !periodic || period > mostCached {
		plan.Drawn = plan.Edges // graphs are made when they are asked for
	}
	if !plan.heard && !at.nested {
		plan.listen(sequence, at.Horizon)
	}
	return plan, nil
}

// silent returns the graph of the steps in which nobody sends. The edges of a part whose
// weights do not matter have none; in all others nodes hear themselves.
func (at Site) silent() *topology.Graph {
	if at.pattern {
		return topology.Empty(at.Nodes)
	}
	return topology.Alone(at.Nodes)
}

// Work returns about the number of nodes and edges that have to be examined to check the
// graphs of so many steps, each of the given size. Where graphs change, a step counts for its
// nodes even if nothing happens in it.
func (t *Plan) Work(size float64, steps int) float64 {
	switch {
	case t.Redraws:
		return limits.Product(steps) * size
	case t.changes:
		return float64(limits.Product(1+len(t.common.Script.Events))*size) + limits.Product(steps)
	}
	return size
}

// weigh notes the effects of a rule on the graphs: the sums of its weights, and at most one
// self-loop more for every node.
func (t *Plan) weigh(w *topology.Weighting, nodes int) {
	t.sums = w.Scheme.Sums()
	t.keeps, t.given = t.sums != topology.Demand{}, w.Scheme == topology.Given
	if w.Scheme != topology.Given {
		t.made = t.sums
		t.made.Hearing = w.SelfLoops || t.sums == topology.DoublyStochastic // where a row sums to 1 some node is heard
	}
	switch loops := limits.Product(nodes); {
	case w.Scheme == topology.Given:
	case t.Edges > 0:
		t.Edges += loops
	default:
		t.Drawn += loops
	}
}

// heed settles the treatment of a node that hears nobody, not even itself. Checked weights
// have no such node. Push-sum has none either: it demands that in any case. With unchecked
// weights such a node hears itself, and so keeps its point: an empty sum would put it at 0.
// The columns of unchecked weights then no longer have the sums of their rule, which are not
// demanded.
func (t *Plan) heed(at Site) {
	t.heeds = !at.nested && t.common.Weights == WeightsUnchecked && !at.Weights.Hearing &&
		!t.made.Hearing && !t.made.Rows // a row that sums to 1 is not empty
	if t.heeds {
		t.sums.Columns = false
	}
}

// Generator makes the graphs of a run, like the generators of package topology.
type Generator interface {
	Validate() error
	Sequence() (topology.Sequence, error)
}

// checkGenerator validates a generator and refuses graphs of too many edges
// before they are made.
func checkGenerator(section *document.Node, g Generator, edges float64) error {
	if err := g.Validate(); err != nil {
		var fault *option.Error
		if errors.As(err, &fault) && fault.Path == "nodes" {
			return section.Issuef("%s", fault.Message) // nodes is no key of the section
		}
		return section.Resolve(err)
	}
	if edges > limits.Edges {
		return section.Issuef("a graph of %.3g edges; want at most %d", edges, limits.Edges)
	}
	return nil
}

// Demand returns the demand that the weights have to meet: the algorithm's, or, for weights
// declared unchecked, the sums of their own rule. The results of push-sum mean nothing without
// stochastic columns, so it demands them in any case.
func (t *Plan) Demand(weights topology.Demand) topology.Demand {
	if t.common.Weights == WeightsUnchecked && weights != topology.PushSum {
		return t.sums
	}
	return weights
}

// check verifies an algorithm's assumptions for graphs that stay, or change in few steps. It
// returns B: the scenario's, or the smallest that holds. For weights declared unchecked B is 0
// where none holds. Graphs that depend on no seed are examined once.
func (t *Plan) check(ctx context.Context, sequence topology.Sequence, horizon int, weights topology.Demand) (window int, err error) {
	if t.seeded {
		return t.verify(ctx, sequence, horizon, weights)
	}
	type found struct {
		window int
		err    error
	}
	type question struct {
		horizon int
		weights topology.Demand
	}
	once, _ := t.found.LoadOrStore(question{horizon, weights}, sync.OnceValue(func() found {
		window, err := t.verify(ctx, sequence, horizon, weights)
		return found{window, err}
	}))
	f := once.(func() found)()
	return f.window, f.err
}

// verify is check for one sequence.
func (t *Plan) verify(ctx context.Context, sequence topology.Sequence, horizon int, weights topology.Demand) (window int, err error) {
	window, err = t.measured(topology.Measures{Stop: ctx.Err}, sequence, horizon, weights)
	if ended := ctx.Err(); ended != nil {
		return 0, ended // no finding about the graphs
	}
	return window, err
}

// measured is verify with given measures. Its error may also be that the measures were ended.
func (t *Plan) measured(measures topology.Measures, sequence topology.Sequence, horizon int, weights topology.Demand) (window int, err error) {
	// The order: sums first, for their errors name a row or column; windows after them.
	unchecked := t.common.Weights == WeightsUnchecked
	demand := t.Demand(weights)
	if err := measures.CheckSequence(demand, sequence, horizon, WeightTolerance); err != nil {
		return 0, t.placed(err, &demand)
	}
	if t.common.Window > horizon {
		return 0, t.longWindow(horizon)
	}
	if t.common.Window > 0 {
		if err := measures.CheckWindows(sequence, horizon, t.common.Window); err != nil && !unchecked {
			return 0, t.placed(err, &demand)
		}
		return t.common.Window, nil
	}
	window, err = measures.SmallestWindow(sequence, horizon)
	if err != nil && !unchecked {
		return 0, t.Section.Resolve(err)
	}
	return window, nil
}
