package dpdonc

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gossip"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/meter"
	"starling/scenarios/problem"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/sets"
	"starling/scenarios/study"
)

// dpdoncSection is the algorithm section of DPDO-NC.
type dpdoncSection struct {
	Kind          string            `yaml:"kind,required"`
	Divergence    *document.Node    `yaml:"divergence,required" doc:"Bregman divergence D_phi of the mirror step"`
	Start         []float64         `yaml:"start" doc:"x_1, a point of the set, d numbers; absent, the centre of the set"`
	Step          stepSection       `yaml:"step" doc:"step size alpha_t"`
	Theta         *float64          `yaml:"theta" over:"0" says:"theta = %v" doc:"bound on the 2-norm of every gradient; absent, the problem's own"`
	GradientBound algorithm.OnBound `yaml:"gradient_bound" oneof:"error clip" doc:"what a gradient longer than theta does: error fails the run, clip scales it down to theta"`
	Positivity    dpdonc.Positivity `yaml:"positivity" oneof:"clip-mean dual-average" doc:"how noisy points are made positive for the entropy divergence: clip-mean raises the entries of their mean to the floor, dual-average averages logarithms of raised entries"`
	Consensus     dpdonc.Consensus  `yaml:"consensus" oneof:"average push-sum" doc:"how messages are made one: average sums them with doubly stochastic weights, as the paper does, push-sum divides by a mass that is sent along, for weights that are column stochastic only (uniform-out), and leaves the paper"`
	Missing       algorithm.Missing `yaml:"missing" oneof:"drop renormalise hold" doc:"what a node does about messages that did not arrive: drop sums what did, renormalise scales it to the weight expected, hold takes the last of that neighbour"`
	Late          algorithm.Late    `yaml:"late" oneof:"drop use" doc:"what a node does about messages that come late: use takes them with the weight they were sent with, drop ignores them"`
	Floor         float64           `yaml:"floor" over:"0" under:"1" says:"floor %v" doc:"smallest entry that positivity leaves; the entropy divergence alone uses it"`
}

// stepSection is alpha_t = scale/(N sqrt t), the paper's with a scale of 1.
type stepSection struct {
	Scale   float64 `yaml:"scale" over:"0" says:"step size scale %v" doc:"alpha_t = scale/(N sqrt t)"`
	PerNode bool    `yaml:"per_node" doc:"divide by N, as the paper does; false leaves N out"`
}

// Defaults returns the section algorithm of dpdonc with the values of keys that are
// absent.
func Defaults() dpdoncSection {
	return dpdoncSection{
		Step:          stepSection{Scale: 1, PerNode: true},
		GradientBound: algorithm.BoundError,
		Positivity:    dpdonc.ClipMean,
		Consensus:     dpdonc.ConsensusAverage,
		Missing:       algorithm.MissingDrop,
		Late:          algorithm.LateUse,
		Floor:         entropyFloor,
	}
}

// entropyFloor is the default of algorithm.floor.
const entropyFloor = 1e-6

// Build builds the algorithm with its network and problem. What is wrong
// is noted; then the plan is of no use.
func Build(b *study.Builder, arm *study.Arm, a *study.ArmFile, found *study.Faults) (plan study.Plan) {
	parts, err := dpdoncSections(a)
	study.BuildNodes(b, arm, a, parts.weights(), found)
	if !found.Note(err) || arm.Problem == nil || a.Mechanism == nil {
		return plan
	}
	if parts.boundless(arm.Problem, found) {
		return plan
	}
	options := parts.options(a, arm.Problem)
	options.AverageRows = arm.Topology != nil && arm.Topology.Demand(arm.Weights).Rows
	// dpdonc.New would check the same, and make all machines.
	if _, err := mirror.NewSolver(options.Divergence, options.Set); err != nil {
		found.Note(a.ResolveSolver(err))
		return plan
	}
	if err := options.Validate(); err != nil {
		found.Options(err)
		return plan
	}
	return study.Plan{
		FirstStep:    1,
		FirstLabel:   1,
		Participants: a.Nodes,
		Dim:          arm.Problem.Dim(),
		Held:         heldBy(arm.Problem),
		Deciders:     study.Deciders{First: 0, End: messages.NodeID(a.Nodes)},
		Set:          arm.Problem.Set(),
		Loss: func(step int) accountant.Loss {
			mechanism, moves := options.Release(step)
			return mechanism.Loss(moves)
		},
		Bills:   func(j *study.Job) ledger.Billing { return dpdoncBills(&options, j) },
		Reasons: []algorithm.Reason{dpdonc.PublicStart},
		Claim:   func() string { return claimOf(&options, a.Horizon) },
		// Every message is noised, and what is released of a decision is that.
		Accounts: ledger.Everywhere(ledger.Account{
			Unit: "a node's costs", Neighbours: "all costs of one node replaced", Relation: accountant.Replace,
			Claimed: claimOf(&options, a.Horizon), Delta: parts.statedDelta(a), By: accountant.PLD,
		}, accountant.Wire, accountant.Peer, accountant.Public),
		Job: func(seed uint64) (*study.Job, error) {
			machines, err := dpdonc.New(parts.begin(options, arm.Problem, seed))
			if err != nil {
				return nil, err
			}
			return gossip.NewJob(arm, parts.statedDelta(a), seed, machines)
		},
		Notes: func(j *study.Job) ([]study.Note, []study.Warning) {
			return dpdoncNotes(options, arm, parts.statedDelta(a), j)
		},
		Expected: func() *meter.Expected { return meter.NewExpected(gossip.MeterOptions(arm, parts.statedDelta(a))) },
		NewPart:  func() meter.Part { return meter.NewPart(gossip.MeterOptions(arm, parts.statedDelta(a)).PartLength()) },
		Metrics:  gossip.Metrics(arm),
	}
}

// dpdoncBills are what nodes pay: for q_t in every step, and for x_1 nothing, with
// which they begin, and begin again where they lose what they knew.
func dpdoncBills(o *dpdonc.Options, j *study.Job) ledger.Billing {
	return func(node messages.NodeID, step int, at ledger.Moment) ledger.Bill {
		network := j.Run.Network
		if at.Begins || network != nil && network.Restarts(node, step-j.Run.FirstStep) {
			return ledger.Bill{}
		}
		mechanism, moves := o.Release(step)
		return ledger.Pays(mechanism.Loss(moves), 1, 1)
	}
}

// dpdoncParts is what the sections of DPDO-NC and its mechanism say.
type dpdoncParts struct {
	section    dpdoncSection
	divergence mirror.Divergence
	mechanism  mechanisms.Additive
}

// dpdoncSections reads the sections, and returns what is wrong in any of them.
func dpdoncSections(a *study.ArmFile) (p dpdoncParts, err error) {
	found := &study.Faults{Doc: a.Doc}
	if a.Mechanism != nil {
		build, err := kind.Find[mechanisms.AdditiveBuilder](a.Kinds.Mechanisms, a.Mechanism, "the algorithm dpdonc")
		if found.Note(err) {
			p.mechanism, err = build(a.Mechanism)
			found.Note(err)
		}
	}
	p.section = Defaults()
	found.Note(document.Decode(a.Algorithm, &p.section))
	if p.section.Divergence != nil {
		p.divergence, err = sets.BuildDivergence(a.Kinds, p.section.Divergence)
		found.Note(err)
	}
	return p, found.Issues.Err()
}

// statedDelta is where losses are stated: the budget's delta, else that of the
// mechanism, else 0.
func (d *dpdoncParts) statedDelta(a *study.ArmFile) float64 {
	if delta := a.Budget.StatedDelta(); delta > 0 {
		return delta
	}
	return d.mechanism.Delta
}

// weights is what the algorithm asks of weights.
func (d *dpdoncParts) weights() topology.Demand {
	if d.section.Consensus == dpdonc.ConsensusPushSum {
		return topology.PushSum
	}
	return topology.DoublyStochastic
}

// options are those of the algorithm.
func (d *dpdoncParts) options(a *study.ArmFile, p problem.Problem) dpdonc.Options {
	s := &d.section
	options := dpdonc.Options{
		Nodes:      a.Nodes,
		Divergence: d.divergence,
		Set:        p.Set(),
		Step:       dpdonc.StepSize{Scale: s.Step.Scale, Unscaled: !s.Step.PerNode},
		Theta:      p.GradientBound(),
		Bound:      s.GradientBound,
		Noise:      d.mechanism.Schedule,
		Start:      s.Start,
		Positivity: s.Positivity,
		Consensus:  s.Consensus,
		Missing:    s.Missing,
		Late:       s.Late,
		Floor:      s.Floor,
		Moves:      a.Measure.Moves,
		// Noise is independent between arms; data are shared.
		NoisePurpose: rng.PurposeOf("dpdonc.noise"),
	}
	options.Calibrate(d.mechanism.Calibration)
	if s.Theta != nil {
		options.Theta = *s.Theta
	}
	if options.Start == nil {
		options.Start = startOf(p, a.Seeds.Base)
	}
	return options
}

// dpdoncNotes derives what a reader of DPDO-NC's results needs: the constants
// that its noise and bounds rest on, the privacy it claims beside what its
// releases cost, and the value of Theorem 2.
func dpdoncNotes(o dpdonc.Options, arm *study.Arm, delta float64, j *study.Job) (notes []study.Note, warnings []study.Warning) {
	add := func(key, format string, args ...any) {
		notes = append(notes, study.Note{Key: key, Value: fmt.Sprintf(format, args...)})
	}
	horizon := arm.File.Horizon
	add("theta", "%.6g", o.Theta)
	if j.Window > 0 {
		add("window", "%d", j.Window)
	} else {
		add("window", "none")
		warnings = append(warnings, study.Warning{Code: "disconnected", Message: "the graphs are not strongly connected over any window of the horizon"})
	}
	add("epsilon.claimed", "%s", claimOf(&o, horizon))
	planned, err := study.PlannedLossOf(arm)
	if err != nil {
		return notes, append(warnings, study.Warning{Code: "ledger", Message: err.Error()})
	}
	accounted, err := accountedText(planned, delta)
	if err != nil {
		return notes, append(warnings, study.Warning{Code: "ledger", Message: err.Error()})
	}
	add("epsilon.accounted", "%s", accounted)
	if !planned.Private() {
		warnings = append(warnings, study.Warning{Code: "not-private", Message: "this arm runs without noise: every message shows the node's decision"})
	}
	return append(notes, theorem2(o, arm, horizon, j)...), append(warnings, pushSumWarnings(&o, j)...)
}

// pushSumWarnings say in what a run of push-sum is not the paper's, and what
// becomes of its masses.
func pushSumWarnings(o *dpdonc.Options, j *study.Job) (warnings []study.Warning) {
	if o.Consensus != dpdonc.ConsensusPushSum {
		return nil
	}
	warnings = append(warnings, study.Warning{Code: "leaves-paper",
		Message: "push-sum is no part of the paper, whose weights are doubly stochastic: masses are sent along and divided by, and no bound of the paper is proven for it"})
	if j.Run.Network != nil && (o.Missing == algorithm.MissingDrop || o.Late == algorithm.LateDrop && o.Missing != algorithm.MissingRenormalise) {
		warnings = append(warnings, study.Warning{Code: "mass-lost",
			Message: "mass that is lost on the way is lost for good: masses shrink, and steps and the error of noise grow as much; missing: renormalise keeps masses about 1"})
	}
	return warnings
}

// accountedText is a loss for the notes: that of Gaussian noise as epsilon at delta,
// beside what it is made of.
func accountedText(loss accountant.Loss, delta float64) (string, error) {
	if loss.Rho == 0 || !loss.Private() {
		return loss.String(), nil
	}
	total := loss.Total()
	epsilon, err := total.Epsilon(delta, accountant.PLD)
	return fmt.Sprintf("%.6g at delta %g: %s", epsilon, delta, loss), err
}

// claimOf is what the paper claims of a run's privacy.
func claimOf(o *dpdonc.Options, horizon int) string {
	if o.Calibration().Law == noise.GaussianLaw {
		return "nothing: the paper has Laplace noise, and claims nothing of Gaussian noise"
	}
	claimed := o.Claimed(horizon)
	if !claimed.Private() {
		return claimed.String()
	}
	return fmt.Sprintf("%s a step, %s in all", o.Claim(), claimed)
}

// beyondTheorem2 says why Theorem 2 says nothing of a run, whatever its sizes;
// empty where it may. In the theorem every message arrives in the next turn, with
// the weights of Assumption 1, and all nodes are there.
func beyondTheorem2(o *dpdonc.Options, j *study.Job) string {
	switch {
	case o.Calibration().Law == noise.GaussianLaw:
		return "it is proven for Laplace noise"
	case o.Consensus == dpdonc.ConsensusPushSum:
		return "it is proven for averaging with doubly stochastic weights, and push-sum leaves the paper"
	case j.Run.Network != nil:
		return "it is proven for a network that loses and delays no message and on which no node is ever down"
	}
	return ""
}

// theorem2 is the value of Theorem 2's bound on E[R_T] with what it is made of,
// or why it has none. The contraction of its graphs may take far longer than a run
// of many nodes, and is then left out.
func theorem2(o dpdonc.Options, arm *study.Arm, horizon int, j *study.Job) []study.Note {
	const key = "theorem-2"
	if why := beyondTheorem2(&o, j); why != "" {
		return []study.Note{{Key: key, Value: "undefined: " + why}}
	}
	beta, finite := arm.Problem.Smoothness()
	if !finite {
		return []study.Note{{Key: key, Value: "undefined: the costs have no finite beta on this set"}}
	}
	m, ok := o.Divergence.Smoothness()
	if !ok {
		return []study.Note{{Key: key, Value: "undefined: the divergence is not smooth"}}
	}
	if o.Step.Unscaled || o.Step.Scale != 1 {
		return []study.Note{{Key: key, Value: "undefined: it is proven for alpha_t = 1/(N sqrt t) only"}}
	}
	budget := study.NewNoteBudget(dpdoncWork(&arm.File, j.Run.Graphs.At(0).Edges(), arm.Problem.Dim()))
	c, lambda, err := topology.ContractionWithin(j.Run.Graphs, horizon, budget.Left)
	var fault *topology.WeightError
	var over *topology.WorkError
	switch {
	case errors.As(err, &over):
		return []study.Note{{Key: key, Value: budget.Refusal(over.Operations)}}
	case errors.As(err, &fault):
		return []study.Note{{Key: key, Value: fmt.Sprintf("undefined: it is proven for doubly stochastic weights, and in %v", err)}}
	case err != nil:
		return []study.Note{{Key: key, Value: fmt.Sprintf("not evaluated: %v", err)}}
	}
	bound := dpdonc.Theorem2(&o, dpdonc.BoundConstants{Beta: beta, Smoothness: m, C: c, Lambda: lambda}, horizon)
	trivial := dpdonc.TrivialBound(&o, horizon)
	value := fmt.Sprintf("%.4g", bound)
	if bound >= trivial {
		value += ", not informative"
	}
	return []study.Note{
		{Key: "contraction", Value: fmt.Sprintf("C = %.4g, lambda = %.4g", c, lambda)},
		{Key: "trivial-bound", Value: fmt.Sprintf("%.4g = N T theta eta", trivial)},
		{Key: key, Value: value},
	}
}
