package gossip

import (
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// FirstLabel is the number of the first node in output.
const FirstLabel = 1

// Equals is an arm of equals, read and checked. It assembles the runs of studies and audits.
// Every node makes one release a step, in the turn of the step. Everything else that it sends
// or decides follows from releases and public values.
type Equals struct {
	Arm  *study.Arm
	File *study.ArmFile
	// Nodes are the graphs and the costs, and Combine is the rule by which nodes combine
	// messages; nil is the mean.
	Nodes   study.Nodes
	Combine robust.Rule
	// Calibration fits noise to the distance that releases move, by its law.
	Calibration noise.Calibration
	// Mechanism is the name of the noise in output; empty means the name of its law.
	Mechanism string
	Delta     float64           // at which losses are stated where the budget names none; 0 means none
	By        accountant.Method // of turning losses into an epsilon
	// Theta bounds the 2-norm of the gradients, or of their estimates, on which releases rest.
	Theta float64
	// Feedback is the feedback of nodes in place of gradients, without a seed; nil means
	// gradients. With feedback the decisions of the machines lie in Common.Set.
	Feedback *algorithm.Feedback
	// Levels are the levels of noise that differs between nodes or over time; nil means
	// Calibration.
	Levels *mechanisms.Levels
	// Release returns the noise of a node's release of a step, calibrated as if all of it were
	// the node's own, and the distance that all of the node's costs move the release, with all
	// earlier releases unchanged.
	Release func(node messages.NodeID, step int) (noise.Additive, noise.Moves)
	// sharings returns the noise that nodes have in common under a seed; nil means none.
	sharings sharings
	purpose  rng.Purpose       // of the noise
	stops    auditing.Stops    // of audits, by the arm's budget; nil means none
	graphs   topology.Sequence // of audits of nodes that accumulate
	// Noised is the number of leading entries of a release that take noise.
	Noised int
	// Sums means that messages are running sums; see inbox.MissingRunningSum.
	Sums bool
	// Start is the noise of a node's first message, at the start of the run or after it lost
	// its memory; nil means that this message is a release like others. Public is the reason
	// why it shows nothing, and costs nothing.
	Start  func(node messages.NodeID, step int) noise.Additive
	Public algorithm.Reason
	// Follows is the reason why messages in steps without a release cost nothing; empty where
	// every step has a release.
	Follows algorithm.Reason
	// Silent means that nodes send nothing, and so lose nothing.
	Silent bool
	// Accumulates means that nodes make no release where nobody hears them; see Algorithm.
	// Could means that the algorithm allows it.
	Accumulates, Could bool
	Timing             Timing
	// Raw means that nodes send raw messages next to their releases; see Algorithm.
	Raw bool
	// Gathers means that machines consult desks; see algorithm.Run.
	Gathers bool
	// Rule returns the rule by which nodes make one vector of their messages under a seed, for the
	// servers that they average through.
	Rule func(seed uint64) *inbox.Rule
	// Machines returns the machines of all nodes for a draw, with all noise multiplied by
	// noised.
	Machines func(seed uint64, noised float64) ([]algorithm.Machine, error)
	// Claimed is a paper's statement of the privacy of a run.
	Claimed ledger.Claim
	// Shown names the data that a message without noise shows.
	Shown string
	// outside converts payments to losses to observers that know none of the noise that nodes
	// have in common; nil leaves payments as they are.
	outside *ledger.Worth
	// Coalitions states the losses to observers where they differ from the payments.
	Coalitions study.Coalitions
	// Quantities are metrics that machines record; see Algorithm.Metrics.
	Quantities metric.List
	// Own are the metrics that are in no catalog.
	Own metric.List
	// MoreNotes returns more notes and warnings for readers of the results; nil means none.
	MoreNotes func(j *study.Job) ([]study.Note, []study.Warning)
}

// The capabilities of the plan.
var _ interface {
	study.Plan
	study.Sharer
	study.Noisy
	study.Estimator
} = (*Equals)(nil)

// draw is all that a run depends on except its noise: graphs, costs, and the start of its
// machines.
type draw struct {
	seed   uint64
	graphs topology.Sequence
	costs  algorithm.Costs
}

// run assembles the run of a draw under a seed, with its noise multiplied by noised. A study
// takes 1 and the costs of the problem; an audit takes the costs of neighbours.
func (e *Equals) run(seed uint64, d draw, noised float64) (algorithm.Run, error) {
	machines, err := e.Machines(d.seed, noised)
	if err != nil {
		return algorithm.Run{}, err
	}
	space := study.Space(e.Arm)
	space.Set = innerOf(e.Nodes.Problem.Set(), e.Feedback)
	run := algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: e.File.Horizon, FirstLabel: FirstLabel, Graphs: d.graphs, Machines: machines,
		Costs: d.costs, Gathers: e.Gathers, Decisions: space,
	}
	err = e.serve(&run, d.seed)
	return run, err
}

// Extent implements study.Plan.
func (e *Equals) Extent() study.Extent {
	p, nodes := e.Nodes.Problem, e.File.Nodes
	return study.Extent{
		FirstStep: 1, FirstLabel: FirstLabel, Participants: nodes + e.above(), Dim: p.Dim(), Held: heldBy(p),
		Deciders: study.Deciders{First: 0, End: messages.NodeID(nodes), Out: e.Arm.Adversaries.IDs(0)}, Set: p.Set(), Clear: e.clear(),
	}
}

// Exchanges implements study.Scheduled: the schedule of the topology.
func (e *Equals) Exchanges() []study.Exchange {
	plan := e.Nodes.Topology
	if plan == nil {
		return nil
	}
	var list []study.Exchange
	for _, join := range plan.Joins {
		list = append(list, study.Exchange{Who: join.Who, When: join.When.String()})
	}
	switch s := plan.Schedule(); {
	case s != nil:
		return append(list, study.Exchange{Who: "nodes", When: s.String(), LocalSteps: s.Every})
	case list != nil:
		return append(list, study.Exchange{Who: "nodes", When: study.EverySteps(1)})
	}
	return nil
}

// Privacy implements study.Plan.
func (e *Equals) Privacy() study.Privacy {
	p := study.Privacy{
		Loss: e.loss(), Raw: e.Raw, Accounts: e.accounts(), Coalitions: e.Coalitions,
		Stated: ledger.Statement{Metrics: []string{ledger.EpsilonStep, ledger.EpsilonTotal}},
	}
	for _, reason := range []algorithm.Reason{e.Public, e.Follows} {
		if reason != "" {
			p.Reasons = append(p.Reasons, reason)
		}
	}
	e.overseen(&p)
	return p
}

// Recording implements study.Plan.
func (e *Equals) Recording() study.Recording {
	return study.Recording{Metrics: append(metrics(e.Arm), e.Quantities.Names()...), Own: e.Own, Answers: answers(e.Arm), Takes: study.TakesOf(e.Combine)}
}

// Estimates implements study.Estimator: without the statistics the parts of runs need not be
// kept.
func (e *Equals) Estimates() bool { return e.File.Measure.Records(gauge.RegretExpected) }

// Expected implements study.Estimator.
func (e *Equals) Expected() *gauge.ExpectedRegret {
	return gauge.NewExpectedRegret(meterOptions(e.Arm))
}

// NewPart implements study.Estimator.
func (e *Equals) NewPart() gauge.RegretPart {
	return gauge.NewRegretPart(meterOptions(e.Arm).PartLength())
}

// accounts are the accounts of observers: all have the same, since every message is noised,
// and a released decision is such a message.
func (e *Equals) accounts() []ledger.Account {
	list := ledger.Everywhere(ledger.Account{
		Unit: "a node's costs", Protects: ledger.ProtectsParticipant, Neighbours: "all costs of one node replaced", Relation: accountant.Replace,
		Claimed: e.Claimed, Delta: e.delta(), By: e.By,
	}, accountant.Wire, accountant.Peer, accountant.Public)
	list[0].Worth, list[2].Worth = e.outside, e.outside
	return list
}

// clear returns the number of entries of a message that are masses.
func (e *Equals) clear() int {
	if e.Nodes.Weights == topology.PushSum {
		return 1
	}
	return 0
}

// delta is the delta at which losses are stated; 0 means none.
func (e *Equals) delta() float64 { return e.File.Budget.StatedDelta(e.Delta) }

// loss returns the losses of the node that pays the most.
func (e *Equals) loss() func(step int) accountant.Loss {
	if e.Silent {
		return func(int) accountant.Loss { return accountant.Loss{} }
	}
	found := cache.NewRecent[struct{}, Dearest](1) // when it is asked for
	return func(step int) accountant.Loss { return e.lossOf(found.Get(struct{}{}, e.dearest), step) }
}

// lossOf is the loss of a release in a step, by the node that pays the most.
func (e *Equals) lossOf(d Dearest, step int) accountant.Loss {
	if d.Sends != nil && !d.Sends(step) {
		return accountant.Loss{}
	}
	own, moves, shared := e.noiseIn(e.File.Seeds.Base, d.Node, step)
	if moves.None() && e.Follows != "" {
		return accountant.Loss{} // there is no release
	}
	if shared != nil {
		return noise.SharedLoss(own, shared.Most(), moves)
	}
	return own.Loss(moves)
}

// fit returns the noise of a node's release of a step that moves so far.
func (e *Equals) fit(node messages.NodeID, step int, moves noise.Moves) noise.Additive {
	c := e.Calibration
	if e.Levels != nil {
		c = e.Levels.At(c, 1, int(node), step)
	}
	return c.Fit(moves)
}

// noiseIn returns a node's own noise of a step under a seed, the distance that data move the
// release, and the noise that nodes have in common; nil means none.
func (e *Equals) noiseIn(seed uint64, node messages.NodeID, step int) (own noise.Additive, moves noise.Moves, shared *noise.Shared) {
	own, moves = e.Release(node, step)
	if e.sharings == nil {
		return own, moves, nil
	}
	if s, err := e.sharings(seed); err == nil && s != nil { // an error has failed the arm, or its job
		shared = s.of(step)
		own = fitted(own, shared)
	}
	return own, moves, shared
}

// NoiseLevel implements study.Noisy: it is of a node's last release, which hides a decision.
// Both norms are 0 for decisions that are from no set.
func (e *Equals) NoiseLevel() (noise, signal float64) {
	set := e.Nodes.Problem.Set()
	if set == nil {
		return 0, 0
	}
	own, moves, shared := e.noiseIn(e.File.Seeds.Base, 0, e.File.Horizon)
	for step := e.File.Horizon - 1; step > 0 && moves.L2 == 0; step-- { // the last with a release
		own, moves, shared = e.noiseIn(e.File.Seeds.Base, 0, step)
	}
	deviation := own.Deviation()
	if shared != nil {
		deviation *= shared.Least()
	}
	d := set.Dim()
	return math.Sqrt(float64(d)) * deviation, set.MaxDistance(make([]float64, d))
}

// bills returns the bills of nodes. A release costs its loss in every step. The public message
// with which a node begins, and begins again after a loss of memory, costs nothing.
func (e *Equals) bills(j *study.Job) ledger.Billing {
	if e.Accumulates {
		heard := cache.NewRecent[struct{}, *hearing](1) // made once the run has its network
		at := func() *hearing {
			return heard.Get(struct{}{}, func() *hearing { return e.hearing(j.Graphs, j.Run.Network) })
		}
		return func(node messages.NodeID, step int, _ ledger.Moment) ledger.ExpectedPayment {
			if e.isServer(node) {
				return ledger.ExpectedPayment{}
			}
			if own, moves, ok := at().release(node, step); ok && !moves.None() {
				return ledger.Pays(own.Loss(moves), 1, 1)
			}
			return ledger.ExpectedPayment{}
		}
	}
	return func(node messages.NodeID, step int, at ledger.Moment) ledger.ExpectedPayment {
		if e.isServer(node) {
			return ledger.ExpectedPayment{}
		}
		network := byStep(j.Run.Network)
		if e.Silent || e.Start != nil && (at.Begins || network != nil && network.Restarts(node, step-j.Run.FirstStep)) {
			return ledger.ExpectedPayment{Alike: network == nil && e.above() == 0}
		}
		own, moves, shared := e.noiseIn(j.Run.Seed, node, step)
		if shared != nil { // each by its place in the graph
			return ledger.Pays(shared.Loss(int(node), own, moves), 1, 1)
		}
		var bill ledger.ExpectedPayment
		if e.Follows == "" || !moves.None() {
			bill = ledger.Pays(own.Loss(moves), 1, 1)
		}
		bill.Alike = network == nil && !e.Levels.ByNode() && e.above() == 0 // servers pay nothing
		return bill
	}
}

// Job implements study.Plan: it draws everything that depends on the seed. An error comes from
// the graphs, the data, the machines or the network.
func (e *Equals) Job(seed uint64) (*study.Job, error) {
	graphs, err := study.GraphsOf(e.Arm, seed)
	if err != nil {
		return nil, err
	}
	instance, err := e.instance(seed)
	if err != nil {
		return nil, err
	}
	run, err := e.run(seed, draw{seed, graphs, e.told(instance, seed)}, 1)
	if err != nil {
		return nil, err
	}
	options := meterOptions(e.Arm)
	options.Instance = instance
	ask := probe(e.Arm, seed, instance)
	if e.Feedback != nil {
		options.Feedback = e.Feedback.Under(seed)
		ask.Met, ask.MetMany = metOf(e.told(instance, seed))
	}
	m := study.Measured(e.Arm, gauge.RegretGauges(options)...)
	var quantities []gauge.Gauge
	for _, m := range e.Quantities {
		quantities = append(quantities, &gauge.Means{Metric: m, Nodes: e.File.Nodes})
	}
	if gap := e.Nodes.Topology.Ticks(seed); gap != nil {
		quantities = append(quantities, &gauge.Ticks{Gap: gap})
	}
	m.Add(quantities...)
	j := study.JobOf(e.Arm, run, study.WithReplay(e.Arm, study.WithProbe(e.Arm, m, ask)))
	j.Graphs = graphs
	if held, ok := instance.(interface{ Release() }); ok {
		j.Release = held.Release
	}
	if linear, ok := gauge.Find[*gauge.LinearRegret](m); ok && e.Estimates() {
		j.Part = linear.Part
	}
	return study.Ready(e.Arm, j, e.bills(j), nil)
}

// metrics are the names of the metrics of an arm of equals.
func metrics(arm *study.Arm) []string {
	options := meterOptions(arm)
	return options.Metrics(study.Tracks(arm.Problem), study.Classifies(arm.Problem))
}

// meterOptions are the options of the arm's meter, without the data, which the seed draws.
func meterOptions(arm *study.Arm) gauge.RegretOptions {
	return gauge.RegretOptions{
		Nodes:     arm.File.Nodes,
		FirstStep: 1,
		Steps:     arm.File.Horizon,
		Points:    arm.Points,
		Measured:  arm.Measured,
		Out:       arm.Adversaries.IDs(0),
		Problem:   arm.Problem,
		Effects:   arm.Effects != nil,
		Limited:   arm.Effects != nil && arm.Effects.Limited,
		// Masses sum to N unless messages are lost, late or rounded, or nodes are down.
		Masses:   arm.Weights == topology.PushSum && arm.Effects == nil && arm.Wire == nil,
		Interval: arm.File.Measure.Interval,
		Ticks:    arm.Topology.Ticking(),
		Moves:    arm.File.Measure.Moves, Classifies: study.Classifies(arm.Problem),
	}
}

// told returns the costs that nodes query under a seed: the problem's, or with feedback the
// costs that feedback makes of them.
func (e *Equals) told(costs algorithm.Costs, seed uint64) algorithm.Costs {
	if e.Feedback == nil {
		return costs
	}
	return algorithm.WithFeedback(costs, e.Feedback.Under(seed))
}
