package gossip

import (
	"slices"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/algorithm/inbox"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/personal"
	"starling/scenarios/problem"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// Algorithm is an algorithm of nodes without a server, each with costs of its own, as its
// author describes it. O is a struct of the section's keys, without kind and the keys of
// Common, with the tags yaml, doc, min and max.
//
// Every node makes one release a step, in the turn of the step, or in some of the steps.
// Everything else that it sends or decides follows from releases and public values.
type Algorithm[O any] struct {
	Name, Summary string
	Defaults      O
	Weights       topology.Demand // on the weights of graphs
	// Ideal means that every message has to arrive in time: nothing can take its place.
	Ideal bool
	// Check returns the fault of options, by document.At with a key of the section; nil where
	// bounds in tags suffice.
	Check func(o *O) error
	// Sensitivity is the distance that the costs of a node move its release of a step, in
	// 1-norm and in 2-norm, with all earlier releases unchanged: for all data with gradients
	// within Setting.Bound. noise.MovesL1 and noise.MovesL2 compute one norm from the
	// other.
	Sensitivity func(o *O, at *Setting, step int) noise.Moves
	// Accumulates means that a node may make no release where no other node hears it. A later
	// release then moves by at most the sum of the moves of the steps since the last one: the
	// own vector reaches the next release by maps that bring no two points further apart, in
	// the norm of both moves. The comment of the algorithm has the derivation.
	Accumulates bool
	// Scheduled is the reason why the algorithm takes no schedule, where it does not
	// accumulate; empty means that no bound on the moves of several steps is known.
	Scheduled string
	// Releases is the number of releases of a node in a run; nil means one in every step. In
	// steps without a release Sensitivity is zero, and machines send by Turn.Forward, for the
	// reason Follows.
	Releases func(o *O, at *Setting) int
	Follows  algorithm.Reason
	// Opening returns the stand-in for the release of a node that has not been heard yet, and
	// the number of its last entries that take no noise in a release, because they follow from
	// earlier releases and from public values. Releases have the length of the stand-in. nil
	// means x_1, and noise on all entries. The stand-in does not contain the mass of push-sum.
	Opening func(o *O, at *Setting) (release []float64, clear int)
	// Shared, unless nil, is a ratio: the deviation of the noise that a node has in common
	// with each neighbour in the graph of a step, over the deviation of the node's own noise.
	// One of the two nodes adds the common noise and the other subtracts it: noise.Shared.
	// Such noise is Gaussian. Noise is calibrated so that no single other node, which sees all
	// releases, learns more than the mechanism says. The payments of nodes follow from the
	// covariance.
	Shared func(o *O) float64
	// Machine makes the machine of one node. Machines share no mutable state.
	Machine func(o *O, at *Setting) algorithm.Machine
	// Learns returns the loss of a node to observers up to a step, where it is not the sum of
	// the node's payments. It may use the graphs of a job that has run (j.Graphs, from
	// offset 0) and its network (j.Run.Network), which may lose messages that the proof counts
	// on. A nil result means the sum of the payments. LearnsWhy explains to readers in a
	// sentence the losses to named nodes and coalitions. See ledger.Learns.
	Learns    func(o *O, at *Setting, j *study.Job) ledger.Learns
	LearnsWhy string
	// Apart is the reason why nodes cannot average through servers, which hear the vectors of nodes in
	// some steps and return the mean; empty where they can.
	Apart string
	// Silent means that nodes send nothing: they lose nothing, take no noise, and need no
	// Sensitivity.
	Silent bool
	// Raw means that machines send raw messages, by Turn.SendRaw, next to their releases. Raw
	// messages cost nothing, and an observer that sees one learns the sender's data.
	Raw bool
	// Metrics are quantities that machines hand to Turn.Record, under the names of the
	// metrics: a run records the mean over the nodes that handed one over in the step. Lists,
	// the usual figures and measure.metrics have them. Metrics that Resolve finds have names
	// that begin with metric.Own.
	Metrics metric.List
	// Claimed is the paper's statement of the privacy of a run; nil where there is none.
	Claimed func(o *O, at *Setting) string
	// Gathers means that machines consult desks; see algorithm.Run.
	Gathers bool
	// Notes and Warnings are for readers of the results.
	Notes    []study.Note
	Warnings []study.Warning
	// Resolve, unless nil, returns the algorithm of an arm, where it depends on a thing that
	// the options name, such as a file. The error is by document.At with a key of the section.
	Resolve func(b *study.Builder, f *study.ArmFile, o *O, at *Setting) (Algorithm[O], error)
	// Demands, unless nil, returns the demand on the weights in an arm, in place of Weights.
	// Its error is of the kind of Resolve's; after an error Resolve is not called.
	Demands func(b *study.Builder, f *study.ArmFile, o *O) (topology.Demand, error)
}

// Setting holds the inputs of an algorithm. It is read only.
type Setting struct {
	Seed           uint64 // of the run
	Nodes, Horizon int
	Private        bool // there is noise, which needs Sensitivity
	Problem        problem.Problem
	Set            mirror.Set      // of decisions: the problem's, or its inner set for feedback
	Bandit         bool            // a node gets the losses of the points it plays, and nothing else
	Start          []float64       // x_1, of length d, in the set: public, and the same for all nodes
	Bound          algorithm.Bound // on gradients, for Turn.PlayAndDifferentiate
	Rule           *inbox.Rule     // for combining messages: inbox.NewInbox, Turn.Receive
	purpose        rng.Purpose     // of the noise
	// Release returns the release of a step, for Turn.Release: noise of any law that is
	// calibrated to the algorithm's sensitivity, or none.
	Release func(step int) algorithm.Release
	release func(node, step int) algorithm.Release
}

// of returns the setting of a node, whose noise may be its own.
func (at *Setting) of(node int) *Setting {
	own := *at
	own.Release = func(step int) algorithm.Release { return at.release(node, step) }
	return &own
}

// section is the section of the algorithm.
type section[O any] struct {
	Kind    string `yaml:"kind,required"`
	Options O      `yaml:",inline"`
	Common  Common `yaml:",inline"`
}

// Kind returns the algorithm's entry for the catalog.
func (a Algorithm[O]) Kind() kind.Kind {
	takes := TakesNoise
	switch {
	case a.Silent:
		takes = mechanisms.TakesNone
	case a.Shared != nil:
		takes = TakesNormal
	}
	return kind.New(a.Name, a.Summary, section[O]{Options: a.Defaults, Common: DefaultCommon()}, Family{a.prepare, takes}).
		Measuring(gauge.RegretMetrics(), gauge.OfEffects(), a.Metrics)
}

// parts are an arm of the algorithm, read and checked.
type parts[O any] struct {
	*Algorithm[O]
	section[O]
	arm     *study.Arm
	f       *study.ArmFile
	nodes   study.Nodes
	combine robust.Rule // nil is the mean
	// accumulates is true if nodes make no release where nobody hears them.
	accumulates bool
	// calibration is of the arm's noise, and levels are its levels by node and step; nil where
	// they are the same.
	calibration noise.Calibration
	levels      *mechanisms.Levels
}

// adds returns the reason why nodes can only add up messages; empty where there is none.
func (a *Algorithm[O]) adds() string {
	switch {
	case a.Silent:
		return "nodes of the algorithm " + a.Name + " hear nothing"
	case a.Weights == topology.PushSum:
		return "push-sum divides a sum by the mass that arrives with it"
	case a.Weights.Fixed:
		return "the algorithm " + a.Name + " keeps sums of what nodes said"
	case a.Learns != nil:
		return "what observers learn in the algorithm " + a.Name + " is accounted of averages"
	case a.Shared != nil:
		return "the noise that nodes of the algorithm " + a.Name + " share cancels only in averages"
	}
	return ""
}

// prepare is a Preparer.
func (a *Algorithm[O]) prepare(b *study.Builder, arm *study.Arm, f *study.ArmFile) (*Equals, study.Nodes, error) {
	var found study.Faults
	p := &parts[O]{Algorithm: a, section: section[O]{Options: a.Defaults, Common: DefaultCommon()}, arm: arm, f: f}
	if found.Note(document.Decode(f.Algorithm, &p.section)) {
		found.Note(p.demand(b))
	}
	var err error
	p.nodes, err = study.BuildNodes(b, f, p.Weights)
	found.Note(err)
	if a.Silent && f.Mechanism != nil {
		found.Note(kind.Check(f.Kinds.Mechanisms, f.Mechanism, mechanisms.TakesNone, "the algorithm "+a.Name))
	}
	takes := TakesNoise
	if a.Shared != nil {
		found.Note(checkShared(f, a.Name))
		takes = TakesNormal
	}
	mechanism, err := readMechanism(f, takes, a.Name)
	found.Note(err)
	if _, given := f.Doc.Find("mechanism.noise"); given {
		found.At("mechanism.noise", "the algorithm %s has no schedules of noise: noise is scaled to the move of a release", a.Name)
	}
	if p.Weights.Fixed && arm.Effects != nil && arm.Effects.Forgets {
		found.At("network", "the algorithm %s keeps sums of messages, and a node that loses its state would contradict them; leave forget out", a.Name)
	}
	if a.Ideal && arm.Effects != nil {
		found.At("network", "the algorithm %s sends messages that have no copy, and could not go on without one; want a network of kind ideal", a.Name)
	}
	if f.Measure.Moves {
		found.At("measure.moves", "the algorithm %s takes no mirror steps", a.Name)
	}
	found.Note(p.Common.Sums(arm, p.Weights == topology.PushSum))
	if (a.Learns != nil || a.Shared != nil) && arm.Adversaries != nil {
		found.At("adversaries", "losses to observers in the algorithm %s are accounted for nodes that send the values that they have computed", a.Name)
	}
	p.combine, err = p.Common.Combining(arm, p.nodes.Topology, f, p.adds())
	found.Note(err)
	if !a.Silent {
		found.Note(p.Common.Served(arm, p.nodes.Topology, p.combine))
		found.Note(p.apart())
	}
	p.accumulates = a.Accumulates && p.Common.Accumulates(arm, &p.nodes, p.combine)
	if !p.accumulates && !a.Silent {
		found.Note(CheckSchedule(a.Name, a.Scheduled, a.Accumulates, p.nodes.Topology))
	}
	if p.nodes.Problem == nil || f.Mechanism == nil || len(found) > 0 {
		return nil, p.nodes, found.Err()
	}
	e, err := p.planned(b, mechanism)
	return e, p.nodes, err
}

// planned returns the arm as it is planned, with a mechanism. It refuses settings of which no
// arm can be made.
func (p *parts[O]) planned(b *study.Builder, mechanism mechanisms.Additive) (*Equals, error) {
	a, f, task := p.Algorithm, p.f, p.nodes.Problem
	releases := f.Horizon
	switch {
	case p.accumulates:
		releases = p.timing().Releases()
	case a.Releases != nil:
		releases = a.Releases(&p.Options, &Setting{Nodes: f.Nodes, Horizon: f.Horizon})
	}
	calibration := mechanism.Over(releases)
	p.calibration = calibration
	if mechanism.Varies() {
		if err := p.vary(b, &mechanism); err != nil {
			return nil, err
		}
	}
	if err := p.Common.Ready(task.Set()); err != nil {
		return nil, err
	}
	if err := p.Common.check(task.Set()); err != nil {
		return nil, study.OptionFaults(err)
	}
	if calibration.Private() {
		if err := p.Common.Bounded(task); err != nil {
			return nil, err
		}
	}
	if a.Resolve != nil {
		resolved, err := a.Resolve(b, f, &p.Options, p.setting(f.Seeds.Base, calibration, nil))
		if err != nil {
			return nil, f.Algorithm.Resolve(err)
		}
		p.Algorithm = &resolved
		if err := p.apart(); err != nil {
			return nil, err
		}
	}
	return p.equals(calibration, mechanism)
}

// vary finds the levels of noise that varies.
func (p *parts[O]) vary(b *study.Builder, mechanism *mechanisms.Additive) (err error) {
	if p.Shared != nil || p.Algorithm.Learns != nil {
		return document.At("mechanism", "losses to observers in the algorithm %s are accounted for noise that is the same for all nodes in all steps; leave groups and over_time out", p.Name)
	}
	p.levels, err = LevelsOf(b, p.f, mechanism, &p.nodes, p.timing())
	return err
}

// timing returns the timing of the arm's nodes.
func (p *parts[O]) timing() Timing { return TimingOf(p.accumulates, &p.nodes, p.f, 1) }

// LevelsOf returns the levels of noise that varies, by node and step, of nodes with a timing.
func LevelsOf(b *study.Builder, f *study.ArmFile, mechanism *mechanisms.Additive, nodes *study.Nodes, timing Timing) (*mechanisms.Levels, error) {
	at := mechanisms.Site{Site: personal.Site{Section: f.Mechanism, Data: b.Data, Nodes: f.Nodes, Column: study.ColumnsOf(b, &f.File)}, Horizon: f.Horizon, Sums: timing.Sums}
	if nodes.Topology != nil {
		at.Names = nodes.Topology.Names
	}
	return mechanism.Levels(at)
}

// demand checks the options, and finds the algorithm's demand on the weights in the arm.
func (p *parts[O]) demand(b *study.Builder) error {
	var found study.Faults
	if p.Check != nil {
		found.Note(p.f.Algorithm.Resolve(p.Check(&p.Options)))
	}
	if p.Demands == nil {
		return found.Err()
	}
	weights, err := p.Demands(b, p.f, &p.Options)
	found.Note(p.f.Algorithm.Resolve(err)) // after an error the weights demand nothing, and no graph is to blame
	own := *p.Algorithm
	own.Weights, p.Algorithm = weights, &own
	return found.Err()
}

// own returns the metrics that are in no catalog.
func (p *parts[O]) own() (list metric.List) {
	for _, m := range p.Metrics {
		if strings.HasPrefix(m.Name, metric.Own) {
			list = append(list, m)
		}
	}
	return list
}

// setting returns the algorithm's setting under a seed. Nodes share noise unless shared is
// nil.
func (p *parts[O]) setting(seed uint64, calibration noise.Calibration, shared *sharing) *Setting {
	at := &Setting{
		Seed: seed, Nodes: p.f.Nodes, Horizon: p.f.Horizon, Private: calibration.Private(), Problem: p.nodes.Problem,
		Set: p.Common.Set(p.nodes.Problem.Set()), Bandit: p.Common.Bandit() != nil,
		Start: p.Common.StartOf(p.nodes.Problem, seed), Bound: p.Common.Bound(p.nodes.Problem),
	}
	at.Rule = p.Common.rule(&p.nodes, at.Start)
	at.Rule.Combine, at.Rule.Accumulates, at.Rule.KeepsOwn = p.combine, p.accumulates, Awaits(p.arm, p.nodes.Topology)
	if p.Opening != nil {
		at.Rule.Start, at.Rule.Clear = p.Opening(&p.Options, at)
	}
	if at.Rule.PushSum = p.Weights == topology.PushSum; at.Rule.PushSum {
		at.Rule.Start = append(slices.Clone(at.Rule.Start), 1)
	}
	refit, scaled := calibration.Fit, p.calibration.Level/calibration.Level
	at.purpose = rng.PurposeOf(p.Name + ".noise")
	at.Release = func(step int) algorithm.Release { return at.release(0, step) }
	at.release = func(node, step int) algorithm.Release {
		if p.Silent {
			return algorithm.Release{}
		}
		moves := p.Sensitivity(&p.Options, at, step)
		r := algorithm.Release{Noise: calibration.Fit(moves), Moves: moves, Purpose: at.purpose, Refit: refit}
		if p.levels != nil {
			own := p.levels.At(calibration, scaled, node, step)
			r.Noise, r.Refit = own.Fit(moves), own.Fit
		}
		if shared != nil && calibration.Private() { // shadows without noise share none
			r.Shared = shared.of(step)
			r.Noise = fitted(r.Noise, r.Shared)
		}
		return r
	}
	return at
}

// noised is the number of entries of a release that take noise.
func (at *Setting) noised() int {
	n := len(at.Rule.Start) - at.Rule.Clear
	if at.Rule.PushSum {
		n--
	}
	return n
}

// equals assembles the arm. An error comes from the graphs of the first seed.
func (p *parts[O]) equals(calibration noise.Calibration, mechanism mechanisms.Additive) (*Equals, error) {
	shares := p.sharings(calibration)
	shared, err := shares(p.f.Seeds.Base)
	if err != nil {
		return nil, err
	}
	at := p.setting(p.f.Seeds.Base, calibration, nil)
	e := &Equals{
		Arm: p.arm, File: p.f, Nodes: p.nodes, Combine: p.combine, Calibration: calibration, Delta: mechanism.Delta, By: mechanism.Accountant, Theta: at.Bound.Theta, Feedback: p.Common.Bandit(),
		Noised: at.noised(), Sums: at.Rule.Missing == inbox.MissingRunningSum,
		Claimed: ledger.Worded("no claim (no paper is named)"), Shown: "data", Silent: p.Silent, Gathers: p.Gathers, Quantities: p.Metrics, Own: p.own(),
		Levels: p.levels,
		Release: func(node messages.NodeID, step int) (noise.Additive, noise.Moves) {
			r := at.release(int(node), step)
			return r.Noise, r.Moves
		},
		Rule:     func(seed uint64) *inbox.Rule { return p.setting(seed, calibration, nil).Rule },
		sharings: shares, purpose: at.purpose, Accumulates: p.accumulates, Could: p.Algorithm.Accumulates, Timing: p.timing(),
		Machines: func(seed uint64, noised float64) ([]algorithm.Machine, error) {
			shared, err := shares(seed)
			if err != nil {
				return nil, err
			}
			at, list := p.setting(seed, calibration.Scaled(noised), shared), make([]algorithm.Machine, p.f.Nodes)
			for i := range list {
				if p.levels.ByNode() {
					list[i] = p.Machine(&p.Options, at.of(i))
				} else {
					list[i] = p.Machine(&p.Options, at)
				}
			}
			return list, nil
		},
	}
	e.Follows, e.Raw = p.Follows, p.Raw
	if p.Claimed != nil {
		e.Claimed = ledger.Worded(p.Claimed(&p.Options, at))
	}
	switch e.Coalitions.Why = p.LearnsWhy; {
	case p.Learns != nil:
		e.Coalitions.Learns = func(j *study.Job) ledger.Learns {
			shared, _ := shares(j.Run.Seed) // an error would have failed the job
			return p.Learns(&p.Options, p.setting(j.Run.Seed, calibration, shared), j)
		}
	case p.accumulates:
		e.AccountNamed()
	case shared != nil:
		e.Coalitions, e.outside = study.Coalitions{Learns: e.learns, Why: sharedWhy}, e.unshared()
	}
	e.MoreNotes = func(j *study.Job) ([]study.Note, []study.Warning) {
		if p.Weights.Fixed && j.Run.Network != nil {
			return p.Notes, append(slices.Clip(p.Warnings), study.Warning{Code: "changes-lost", Message: "nodes keep sums of received messages: a lost message is never made up for"})
		}
		return p.Notes, p.Warnings
	}
	return e, nil
}
