package scenarios

import (
	"errors"
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/meter"
	"starling/scenarios/problem"
)

// laplaceSection is the mechanism of DPDO-NC.
type laplaceSection struct {
	Kind    string       `yaml:"kind,required"`
	Epsilon epsilonValue `yaml:"epsilon,required" doc:"privacy parameter of a step, above 0, or none to run without noise"`
	Noise   dpdonc.Noise `yaml:"noise" doc:"which step size scales the noise of a release: as-printed takes alpha_t, shifted alpha_{t-1}, which makes the claim of epsilon a step exact"`
}

// mechanismBuilder reads the mechanism of DPDO-NC.
type mechanismBuilder = func(section *document.Node) (laplaceSection, error)

func defaultLaplace() laplaceSection { return laplaceSection{Noise: dpdonc.AsPrinted} }

func buildLaplace(section *document.Node) (laplaceSection, error) {
	s := defaultLaplace()
	return s, document.Decode(section, &s)
}

// dpdoncSection is the algorithm section of DPDO-NC.
type dpdoncSection struct {
	Kind          string            `yaml:"kind,required"`
	Divergence    *document.Node    `yaml:"divergence,required" doc:"Bregman divergence D_phi of the mirror step"`
	Start         []float64         `yaml:"start" doc:"x_1, a point of the set, d numbers; absent, the centre of the set"`
	Step          stepSection       `yaml:"step" doc:"step size alpha_t"`
	Theta         *float64          `yaml:"theta" doc:"bound on the 2-norm of every gradient; absent, the problem's own"`
	GradientBound dpdonc.Bound      `yaml:"gradient_bound" doc:"what a gradient longer than theta does: error fails the run, clip scales it down to theta"`
	Positivity    dpdonc.Positivity `yaml:"positivity" doc:"how noisy points are made positive for the entropy divergence: clip-mean raises the entries of their mean to the floor, dual-average averages logarithms of raised entries"`
	Consensus     dpdonc.Consensus  `yaml:"consensus" doc:"how messages are made one: average sums them with doubly stochastic weights, as the paper does, push-sum divides by a mass that is sent along, for weights that are column stochastic only (uniform-out), and leaves the paper"`
	Missing       dpdonc.Missing    `yaml:"missing" doc:"what a node does about messages that did not arrive: drop sums what did, renormalise scales it to the weight expected, hold takes the last of that neighbour"`
	Late          dpdonc.Late       `yaml:"late" doc:"what a node does about messages that come late: use takes them with the weight they were sent with, drop ignores them"`
	Floor         float64           `yaml:"floor" doc:"smallest entry that positivity leaves; the entropy divergence alone uses it"`
}

// stepSection is alpha_t = scale/(N sqrt t), the paper's with a scale of 1.
type stepSection struct {
	Scale   float64 `yaml:"scale" doc:"alpha_t = scale/(N sqrt t)"`
	PerNode bool    `yaml:"per_node" doc:"divide by N, as the paper does; false leaves N out"`
}

func defaultDPDONC() dpdoncSection {
	return dpdoncSection{
		Step:          stepSection{Scale: 1, PerNode: true},
		GradientBound: dpdonc.BoundError,
		Positivity:    dpdonc.ClipMean,
		Consensus:     dpdonc.ConsensusAverage,
		Missing:       dpdonc.MissingDrop,
		Late:          dpdonc.LateUse,
		Floor:         entropyFloor,
	}
}

// entropyFloor is the default of algorithm.floor.
const entropyFloor = 1e-6

// buildDPDONC builds the algorithm with its network and problem. What is wrong
// is noted; then the plan is of no use.
func buildDPDONC(b *builder, arm *Arm, a *armFile, found *faults) (plan algorithmPlan) {
	parts, err := dpdoncSections(a)
	b.network(arm, a, parts.weights(), found)
	if !found.note(err) || arm.problem == nil {
		return plan
	}
	options := parts.options(a, arm.problem)
	options.AverageRows = arm.topology != nil && arm.topology.demand(arm.weights).Rows
	// dpdonc.New would check the same, and make all machines.
	if _, err := mirror.NewSolver(options.Divergence, options.Set); err != nil {
		found.note(a.resolveSolver(err))
		return plan
	}
	if err := options.Validate(); err != nil {
		found.options(err)
		return plan
	}
	return algorithmPlan{
		firstStep:    1,
		firstLabel:   1,
		participants: a.Nodes,
		dim:          arm.problem.Dim(),
		deciders:     deciders{0, messages.NodeID(a.Nodes)},
		set:          arm.problem.Set(),
		loss: func(step int) accountant.Loss {
			mechanism, sensitivity := options.Release(step)
			return mechanism.Loss(sensitivity)
		},
		bills:   func(j *job) billing { return dpdoncBills(&options, j) },
		reasons: []algorithm.Reason{dpdonc.PublicStart},
		claim:   func() string { return claimOf(&options, a.Horizon) },
		// Every message is noised, and what is released of a decision is that.
		accounts: everywhere(account{
			unit: "a node's costs", neighbours: "all costs of one node replaced", relation: accountant.Replace,
			claimed: claimOf(&options, a.Horizon), delta: a.Budget.delta(), by: accountant.PLD,
		}, accountant.Wire, accountant.Peer, accountant.Public),
		job: func(seed uint64) (*job, error) {
			return arm.decentralizedJob(seed, func() ([]algorithm.Machine, error) { return dpdonc.New(options) })
		},
		notes: func(j *job) ([]note, []warning) {
			return dpdoncNotes(options, arm, a.Horizon, j)
		},
		expected: func() *meter.Expected { return meter.NewExpected(arm.meterOptions()) },
		newPart:  func() meter.Part { return meter.NewPart(arm.meterOptions().PartLength()) },
		metrics:  arm.decentralizedMetrics(),
	}
}

// dpdoncBills are what nodes pay: for q_t in every step, and for x_1 nothing, with
// which they begin, and begin again where they lose what they knew.
func dpdoncBills(o *dpdonc.Options, j *job) billing {
	return func(node messages.NodeID, step int, at moment) bill {
		network := j.run.Network
		if at.begins || network != nil && network.Restarts(node, step-j.run.FirstStep) {
			return bill{}
		}
		mechanism, sensitivity := o.Release(step)
		return pays(mechanism.Loss(sensitivity), 1, 1)
	}
}

// dpdoncParts is what the sections of DPDO-NC and its mechanism say.
type dpdoncParts struct {
	section    dpdoncSection
	divergence mirror.Divergence
	laplace    laplaceSection
}

// dpdoncSections reads the sections, and returns what is wrong in any of them.
func dpdoncSections(a *armFile) (p dpdoncParts, err error) {
	found := &faults{doc: a.doc}
	if a.Mechanism != nil {
		build, err := find[mechanismBuilder](a.kinds.mechanisms, a.Mechanism, "the algorithm dpdonc")
		if found.note(err) {
			p.laplace, err = build(a.Mechanism)
			found.note(err)
		}
	}
	p.section = defaultDPDONC()
	found.note(document.Decode(a.Algorithm, &p.section))
	if p.section.Divergence != nil {
		p.divergence, err = buildDivergence(a.kinds, p.section.Divergence)
		found.note(err)
	}
	return p, found.issues.Err()
}

// weights is what the algorithm asks of weights.
func (d *dpdoncParts) weights() topology.Demand {
	if d.section.Consensus == dpdonc.ConsensusPushSum {
		return topology.PushSum
	}
	return topology.DoublyStochastic
}

// options are those of the algorithm.
func (d *dpdoncParts) options(a *armFile, p problem.Problem) dpdonc.Options {
	s := &d.section
	options := dpdonc.Options{
		Nodes:      a.Nodes,
		Divergence: d.divergence,
		Set:        p.Set(),
		Step:       dpdonc.StepSize{Scale: s.Step.Scale, Unscaled: !s.Step.PerNode},
		Epsilon:    float64(d.laplace.Epsilon),
		Theta:      p.GradientBound(),
		Bound:      s.GradientBound,
		Noise:      d.laplace.Noise,
		Start:      s.Start,
		Positivity: s.Positivity,
		Consensus:  s.Consensus,
		Missing:    s.Missing,
		Late:       s.Late,
		Floor:      s.Floor,
		Moves:      a.Measure.Moves,
		// Noise is independent between arms; data are shared.
		NoisePurpose: rng.PurposeOf("dpdonc.noise").Arm(a.name),
	}
	if s.Theta != nil {
		options.Theta = *s.Theta
	}
	if options.Start == nil {
		options.Start = make([]float64, p.Dim())
		p.Set().Center(options.Start)
	}
	return options
}

// resolveSolver places an error about the pair of divergence and set.
func (a *armFile) resolveSolver(err error) error {
	var pair *mirror.UnsupportedPairError
	if errors.As(err, &pair) {
		return a.doc.Resolve("algorithm.divergence.kind", err).Err()
	}
	return a.doc.Resolve("algorithm.divergence", err).Err()
}

// dpdoncNotes derives what a reader of DPDO-NC's results needs: the constants
// that its noise and bounds rest on, the privacy it claims beside what its
// releases cost, and the value of Theorem 2.
func dpdoncNotes(o dpdonc.Options, arm *Arm, horizon int, j *job) (notes []note, warnings []warning) {
	add := func(key, format string, args ...any) { notes = append(notes, note{key, fmt.Sprintf(format, args...)}) }
	add("theta", "%.6g", o.Theta)
	if j.window > 0 {
		add("window", "%d", j.window)
	} else {
		add("window", "none")
		warnings = append(warnings, warning{"disconnected", "the graphs are not strongly connected over any window of the horizon"})
	}
	add("epsilon.claimed", "%s", claimOf(&o, horizon))
	planned, err := arm.accounted()
	if err != nil {
		return notes, append(warnings, warning{"ledger", err.Error()})
	}
	add("epsilon.accounted", "%s", planned)
	if !planned.Private() {
		warnings = append(warnings, warning{"not-private", "this arm runs without noise: every message shows the node's decision"})
	}
	return append(notes, theorem2(o, arm, horizon, j)...), append(warnings, pushSumWarnings(&o, j)...)
}

// pushSumWarnings say in what a run of push-sum is not the paper's, and what
// becomes of its masses.
func pushSumWarnings(o *dpdonc.Options, j *job) (warnings []warning) {
	if o.Consensus != dpdonc.ConsensusPushSum {
		return nil
	}
	warnings = append(warnings, warning{"leaves-paper",
		"push-sum is no part of the paper, whose weights are doubly stochastic: masses are sent along and divided by, and no bound of the paper is proven for it"})
	if j.run.Network != nil && (o.Missing == dpdonc.MissingDrop || o.Late == dpdonc.LateDrop && o.Missing != dpdonc.MissingRenormalise) {
		warnings = append(warnings, warning{"mass-lost",
			"mass that is lost on the way is lost for good: masses shrink, and steps and the error of noise grow as much; missing: renormalise keeps masses about 1"})
	}
	return warnings
}

// claimOf is what the paper claims of a run's privacy.
func claimOf(o *dpdonc.Options, horizon int) string {
	claimed := o.Claimed(horizon)
	if !claimed.Private() {
		return claimed.String()
	}
	return fmt.Sprintf("%s a step, %s in all", o.Claim(), claimed)
}

// beyondTheorem2 says why Theorem 2 says nothing of a run, whatever its sizes;
// empty where it may. In the theorem every message arrives in the next turn, with
// the weights of Assumption 1, and all nodes are there.
func beyondTheorem2(o *dpdonc.Options, j *job) string {
	switch {
	case o.Consensus == dpdonc.ConsensusPushSum:
		return "it is proven for averaging with doubly stochastic weights, and push-sum leaves the paper"
	case j.run.Network != nil:
		return "it is proven for a network that loses and delays no message and on which no node is ever down"
	}
	return ""
}

// theorem2 is the value of Theorem 2's bound on E[R_T] with what it is made of,
// or why it has none. The contraction of its graphs may take far longer than a run
// of many nodes, and is then left out.
func theorem2(o dpdonc.Options, arm *Arm, horizon int, j *job) []note {
	const key = "theorem-2"
	if why := beyondTheorem2(&o, j); why != "" {
		return []note{{key, "undefined: " + why}}
	}
	beta, finite := arm.problem.Smoothness()
	if !finite {
		return []note{{key, "undefined: the costs have no finite beta on this set"}}
	}
	m, ok := o.Divergence.Smoothness()
	if !ok {
		return []note{{key, "undefined: the divergence is not smooth"}}
	}
	if o.Step.Unscaled || o.Step.Scale != 1 {
		return []note{{key, "undefined: it is proven for alpha_t = 1/(N sqrt t) only"}}
	}
	budget := newNoteBudget(dpdoncWork(&arm.file, j.run.Graphs.At(0).Edges(), arm.problem.Dim()))
	c, lambda, err := topology.ContractionWithin(j.run.Graphs, horizon, budget.left)
	var fault *topology.WeightError
	var over *topology.WorkError
	switch {
	case errors.As(err, &over):
		return []note{{key, budget.refusal(over.Operations)}}
	case errors.As(err, &fault):
		return []note{{key, fmt.Sprintf("undefined: it is proven for doubly stochastic weights, and in %v", err)}}
	case err != nil:
		return []note{{key, fmt.Sprintf("not evaluated: %v", err)}}
	}
	bound := dpdonc.Theorem2(&o, dpdonc.BoundConstants{Beta: beta, Smoothness: m, C: c, Lambda: lambda}, horizon)
	trivial := dpdonc.TrivialBound(&o, horizon)
	value := fmt.Sprintf("%.4g", bound)
	if bound >= trivial {
		value += ", not informative"
	}
	return []note{
		{"contraction", fmt.Sprintf("C = %.4g, lambda = %.4g", c, lambda)},
		{"trivial-bound", fmt.Sprintf("%.4g = N T theta eta", trivial)},
		{key, value},
	}
}
