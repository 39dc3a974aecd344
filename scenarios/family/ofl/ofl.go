package ofl

import (
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// oflSection is the algorithm section of online federated learning.
type oflSection struct {
	Kind          string                     `yaml:"kind,required"`
	Version       ofl.Version                `yaml:"version" min:"1" max:"2" says:"version %v" unit:"none" doc:"vectors that carry noise: 2, those of every local step; 1, the average of each round"`
	Tau           int                        `yaml:"tau,required" min:"1" says:"%v local steps" unit:"steps" doc:"local steps in a round, tau; it divides the horizon"`
	LocalStep     float64                    `yaml:"local_step,required" role:"rate" over:"0" says:"local step eta = %v" unit:"step size" doc:"local step size, eta"`
	GlobalStep    float64                    `yaml:"global_step" over:"0" says:"global step eta_g = %v" unit:"step size" doc:"global step size, eta_g"`
	Start         []float64                  `yaml:"start" unit:"coordinates" range:"any numbers" doc:"x^0, d numbers; absent, zero, or the centre of the set of the problem"`
	GradientBound *float64                   `yaml:"gradient_bound" role:"clip" over:"0" says:"gradient bound B_g = %v" unit:"2-norm" doc:"B_g, the 2-norm that no gradient exceeds; absent, that of the problem on its set, where it has one"`
	OnBound       ofl.Bound                  `yaml:"on_bound" oneof:"error clip" doc:"effect of a gradient longer than B_g: clip scales it down, error fails the run"`
	Sensitivity   mechanisms.SensitivityRule `yaml:"sensitivity" oneof:"bound convex" doc:"how far a datum moves an input of the mechanism: bound 2 B_g; convex 2 B_g/tau, in version 1 for convex smooth losses with eta at most 2/L"`
	Weights       string                     `yaml:"weights" oneof:"equal inverse-variance" doc:"weights of the messages of learners in the mean of a round: equal or, where learners have an epsilon of their own (mechanism.groups), in proportion to the inverse of the variance of their noise"`
	Late          algorithm.Late             `yaml:"late" oneof:"drop use" doc:"in networks with effects, treatment of vectors that come after their round: drop leaves them out, use averages them in the round in which they come"`
}

// Defaults returns the section algorithm of ofl with the defaults of its keys.
func Defaults() oflSection {
	return oflSection{Version: ofl.PerStep, GlobalStep: 1, OnBound: ofl.BoundClip, Sensitivity: mechanisms.SensitivityBound, Weights: equalWeights, Late: algorithm.LateDrop}
}

// The weights of the messages of learners.
const (
	equalWeights    = "equal"
	inverseVariance = "inverse-variance"
)

// oflPlan is the content of the sections of online federated learning, put together. It is the
// same for all seeds, and safe for concurrent use once it is built; job adds the draws of a
// seed.
type oflPlan struct {
	// arm is the arm that is planned, and graphs are its own. section is its section
	// algorithm, with the defaults of keys that are absent.
	arm     *study.Arm
	graphs  *topologies.Plan
	tiers   *topologies.Hierarchy // nil is one server
	section oflSection
	// mechanism is the noise that the section mechanism asks for, and stream the problem
	// as data that come one by one.
	mechanism mechanism
	stream    *problems.Stream
	// shape is the extent of the run: learners, rounds, and tau steps in each.
	shape   stream.Shape
	options ofl.Options // without data, which the seed draws, and without noise
	// noise makes the noise of the options, nil for none, at its first call. A factorization
	// takes long: a run makes it, and a check does not.
	noise func() (noise.Released, error)
	// met is the participation of a datum in steps.
	met   factorization.Participation
	fewer bool // an audit has fewer learners than the arm
	// factors are the scales of the noise of learners, from 0, over the least; nil means that all are
	// alike.
	factors  []float64
	deltas   []float64 // at which the losses of learners are stated; nil is one for all
	problem  string    // the text of its section
	compares bool      // regret is recorded
}

// The capabilities of the plan.
var _ interface {
	study.Plan
	study.Sharer
	study.Noisy
	study.Trainer
	study.Joint
} = (*oflPlan)(nil)

// Family is the piece of ofl in the catalog.
type Family struct{}

// Traits implements study.Algorithm.
func (Family) Traits() study.Traits {
	return study.Traits{
		Problems: takesStreams, Mechanisms: takes, Topologies: topologies.TakesStar.Or(topologies.TakesTiers), Links: links, SupportsMissing: true, Compresses: true,
	}
}

// takesStreams are the problems that the algorithm takes.
var takesStreams = kind.Takes[problems.AsStream]("a stream of data, a datum a step")

// links are the server, 0, the learners, from 1, and after them the clients of each. The links
// of clients to their learner are no part of the network.
func links(nodes int) networks.Site {
	return networks.Site{Labels: networks.Labels{First: 0, Last: 2 * nodes}, Local: ofl.Local(nodes)}
}

// Metrics lists the metrics that runs may record.
func Metrics() metric.List { return metric.Join(GaugeMetrics(), gauge.OfEffects()) }

// Build implements study.Algorithm. It builds online federated learning with correlated noise.
func (Family) Build(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	p, err := read(b, arm, a, func(*oflPlan) {})
	if p == nil {
		return nil, study.Nodes{}, err
	}
	return p, study.Nodes{Topology: p.graphs}, err
}

// Extent implements study.Plan.
func (p *oflPlan) Extent() study.Extent {
	return study.Extent{
		Participants: p.options.Participants(), Server: true, RoundSteps: p.shape.Tau,
		Dim: p.stream.Model.Dim(), Set: study.SetOf(p.stream.Set), Held: p.held(&study.ArmFile{File: p.arm.File}),
		Deciders: study.Deciders{First: 1, End: messages.NodeID(1 + p.shape.Learners)},
		Patience: p.patience(),
	}
}

// Exchanges implements study.Scheduled.
func (p *oflPlan) Exchanges() []study.Exchange {
	return append(p.exchangesAbove(), study.Exchange{Who: p.lowest(), When: study.EverySteps(p.shape.Tau), LocalSteps: p.shape.Tau})
}

// patience is the number of turns in a row that a receiver may be without, by the schedule: two
// rounds.
func (p *oflPlan) patience() int { return 2 * p.shape.Tau }

// Privacy implements study.Plan.
func (p *oflPlan) Privacy() study.Privacy {
	privacy := study.Privacy{
		Loss: p.loss, Unprepared: p.unpreparedLoss, Before: p.before(),
		Reasons: []algorithm.Reason{ofl.PublicStart, ofl.MeanOfReleases, ofl.SumsOfReleases},
		Accounts: ledger.Everywhere(ledger.Account{
			Unit: "a client's datum", Protects: ledger.ProtectsRecord, Neighbours: "one client's datum replaced, of all that a learner meets", Relation: accountant.Replace,
			Claimed: p.claim(), Delta: p.arm.File.Budget.StatedDelta(p.mechanism.delta), By: p.mechanism.by,
			Why: "a learner is trusted with its clients' data: the link between them is not on the wire",
		}, accountant.Wire, accountant.Server, accountant.Peer, accountant.Public),
		Stated: ledger.Statement{Metrics: []string{ledger.EpsilonTotal, ledger.Delta}},
	}
	if p.tiers != nil {
		privacy.Servers = study.Servers{
			Above: p.options.Above, Inside: p.shape.Learners,
			Accounts: study.LevelAccounts(p.tiers.Names, privacy.Accounts[0], p.tiers.Levels(), p.options.Level),
		}
	}
	return privacy
}

// Recording implements study.Plan.
func (p *oflPlan) Recording() study.Recording {
	answers := gauge.Answers{Met: true, Fresh: p.stream.Tests, Best: p.comparable(), BestIn: p.comparable(), BestPoint: p.stream.Minimiser != nil, Validation: p.stream.Validates}
	return study.Recording{Metrics: p.metrics(p.arm), Answers: answers.Predicting(p.stream.Predictions())}
}

// AllSeeds implements study.Joint: noise is for the largest number of times that a datum is
// met.
func (p *oflPlan) AllSeeds() bool { return p.stream.Repeats != nil }

// Trained implements study.Trainer.
func (p *oflPlan) Trained() *study.TrainedModel { return p.stream.Trained }

// read puts the sections of an arm together; change makes the changes of an audit. With
// faults, and where a.Faulty, the plan is nil.
func read(b *study.Builder, arm *study.Arm, a *study.ArmFile, change func(*oflPlan)) (_ *oflPlan, err error) {
	var found study.Faults
	p := &oflPlan{arm: arm, section: Defaults()}
	found.Note(document.Decode(a.Algorithm, &p.section))
	p.graphs, p.tiers, err = study.BuildServersOf(b, arm, a, "ofl", graphsOf(a.Nodes))
	found.Note(err)
	found.Note(p.checkTiers())
	p.mechanism, err = readMechanism(a)
	found.Note(err)
	p.stream, err = problems.BuildRepeatedStreamOf(b, a, "ofl")
	found.Note(err)
	if p.stream == nil || len(found) > 0 || a.Faulty {
		return nil, found.Err()
	}
	change(p)
	if p.shape, err = p.shapeOf(a); err != nil || p.shape.Rounds == 0 {
		return nil, err
	}
	if err := p.configure(b, a); err != nil {
		return nil, err
	}
	p.options.Effects = arm.Effects != nil
	if bytes := 8 * limits.Product(a.Nodes, a.Horizon, p.stream.Model.Dim()+1); p.records(a, RegretStatic) && bytes > limits.MetricBytes {
		return nil, document.At("measure.metrics", "static regret holds all data of a run, %.3g GiB; want at most %d; leave %s out", bytes/(1<<30), limits.MetricBytes>>30, RegretStatic)
	}
	p.problem = a.Problem.Text()
	p.compares = p.records(a, RegretDynamic) || p.records(a, RegretStatic)
	return p, nil
}

// held returns about how many bytes a job holds: its data where static regret keeps them and
// they are not those that jobs share, its models, and the state of its noise.
func (p *oflPlan) held(a *study.ArmFile) float64 {
	numbers := limits.Product(2, a.Nodes, p.stream.Model.Dim())
	if p.records(a, RegretStatic) && p.stream.Source == nil {
		numbers += limits.Product(a.Nodes, a.Horizon, p.stream.Model.Dim()+1)
	}
	numbers += p.mechanism.held(p.options.Inputs(), a.Nodes, p.stream.Model.Dim())
	return float64(8*numbers) + p.stream.Held
}

// metrics lists the meter's metrics for the arm. Without the optimum there is no regret,
// without its constants no bound, and without labels no accuracy.
func (p *oflPlan) metrics(arm *study.Arm) []string {
	list := slices.Concat(GaugeMetrics().Names(), study.RoundMetrics(arm))
	_, classifies := p.stream.Model.(stream.Classifier)
	tries := classifies && p.stream.Tests || p.stream.Asked != nil && p.stream.Asked.Tries
	return slices.DeleteFunc(list, func(metric string) bool {
		switch metric {
		case BoundDynamic, BoundStatic:
			return !p.bounded()
		case AccuracyInstant:
			return !classifies
		case gauge.AccuracyTest, AccuracyFinal:
			return !tries
		}
		return !p.records(&study.ArmFile{}, metric)
	})
}

// before is the loss of data by the model that runs start from; nil means none.
func (p *oflPlan) before() *ledger.Before {
	if p.stream.Before == nil {
		return nil
	}
	return p.stream.Before(accountant.Replace)
}

// shapeOf returns the extent of the run; the zero value for a horizon that is a fault of its own.
func (p *oflPlan) shapeOf(a *study.ArmFile) (shape stream.Shape, fault error) {
	tau := p.section.Tau
	switch {
	case tau < 1:
		fault = document.At("algorithm.tau", "%d local steps; want at least 1", tau)
	case a.Horizon < 1:
	case a.Horizon%tau != 0:
		fault = document.At("horizon", "%d steps are no whole number of rounds of %d", a.Horizon, tau)
	default:
		shape = stream.Shape{Learners: a.Nodes, Rounds: a.Horizon / tau, Tau: tau}
	}
	return shape, fault
}

// configure makes the options of the algorithm, and the function that makes its noise. The
// noise is not made until a run asks for it.
func (p *oflPlan) configure(b *study.Builder, a *study.ArmFile) error {
	s, model := &p.section, p.stream.Model
	if err := p.stream.Check(p.shape); err != nil {
		return a.Doc.Resolve(a.Problem.Path(), err).Err()
	}
	o := &p.options
	*o = ofl.Options{
		Version: s.Version, Learners: p.shape.Learners, Rounds: p.shape.Rounds, Tau: p.shape.Tau,
		LocalStep: s.LocalStep, GlobalStep: s.GlobalStep, Start: s.Start, Set: p.stream.Set, Late: s.Late,
		GradientBound: p.stream.GradientBound, Bound: s.OnBound, Model: model, Data: noData{}, // until there is a seed
		NoisePurpose: rng.PurposeOf("ofl.noise"), Tiers: p.levels(a.Seeds.Base),
	}
	if o.Start != nil && p.stream.Started {
		return document.At("algorithm.start", "%s", problems.TwoStarts)
	}
	// The options of the plan have the start of the first seed, for checks; assemble gives
	// every seed its own.
	if o.Start == nil {
		o.Start = p.stream.Start(a.Seeds.Base)
	}
	if s.GradientBound != nil {
		o.GradientBound = *s.GradientBound
	}
	// Without B_g there is nothing to calibrate noise to, and clipping would have no length.
	if math.IsInf(o.GradientBound, 1) {
		return document.At("algorithm", "the gradients have no bound of their own: give algorithm.gradient_bound, or, of a logistic stream, normalise the features and leave l2 out")
	}
	if err := o.Validate(); err != nil {
		return study.OptionFaults(err)
	}
	p.noise = func() (noise.Released, error) { return noise.Released{}, nil }
	if !p.mechanism.private() {
		return nil
	}
	if err := p.vary(b, a); err != nil {
		return err
	}
	met, err := p.stream.Participation(p.shape.Learners, p.shape.Steps())
	if err != nil {
		return a.Problem.Resolve(err)
	}
	perInput, err := p.perInput(met)
	if err != nil {
		return err
	}
	// A datum may be in fewer inputs than steps: in version 1 a round is one input, and a
	// short run ends before the datum comes back as often as it may.
	p.met, p.mechanism.inputs = met, met
	if s.Version == ofl.PerRound {
		p.mechanism.inputs = met.Rounds(p.shape.Tau)
	}
	p.mechanism.inputs = p.mechanism.inputs.Within(o.Inputs())
	p.mechanism.entries = o.Model.Dim()
	p.noise, err = p.mechanism.prepare(b, a, o, perInput)
	return err
}

// decision returns the decision of sums: the sums themselves, or their projection on the set.
func (p *oflPlan) decision(sums []float64) []float64 {
	set := p.stream.Set
	if set == nil {
		return sums
	}
	x := make([]float64, len(sums))
	set.Project(x, sums, make([]float64, set.WorkSize()))
	return x
}

// noData stands for the data of a seed where only their presence counts.
type noData struct{ ofl.Data }

// perInput is the distance that one client's datum moves an input of the mechanism in 2-norm:
// it changes one gradient by at most 2 B_g. In version 1 it moves the later local steps of its
// round too, and the average of the round's gradients by at most 2 B_g all the same. Where
// local steps are non-expansive, it moves the average by 2 B_g/tau for each time that it is
// met in the round.
func (p *oflPlan) perInput(met factorization.Participation) (float64, error) {
	o, s := &p.options, &p.section
	switch s.Sensitivity {
	case mechanisms.SensitivityBound:
		return 2 * o.GradientBound, nil
	case mechanisms.SensitivityConvex:
		if p.stream.Set != nil && !p.stream.Linear {
			return 0, document.At("algorithm.sensitivity", "convex is for decisions in all of R^d: where gradients are taken at projections on a set (problem.set), a local step may expand")
		}
		l := p.stream.Smoothness
		if l == 0 && !p.stream.Linear {
			return 0, document.At("algorithm.sensitivity", "convex is for losses that are known to be convex and smooth; losses of a network and losses with a kink are not")
		}
		if p.stream.Convexity > 0 {
			return 0, document.At("algorithm.sensitivity", "convex is only for losses of <x, a>: with a ridge term (l2) a step by a clipped gradient may expand")
		}
		if o.Version != ofl.PerRound {
			return 0, document.At("algorithm.sensitivity", "convex is for version 1; in version 2 a datum moves one input only")
		}
		if l > 0 && o.LocalStep > 2/l {
			return 0, document.At("algorithm.local_step", "eta = %v is over 2/L = %.6g, so that local steps may expand and sensitivity: convex does not hold", o.LocalStep, 2/l)
		}
		times := min(met.Times, (o.Tau-1)/met.Apart+1)
		return 2 * o.GradientBound * float64(times) / float64(o.Tau), nil
	}
	return 0, document.At("algorithm.sensitivity", "unknown value %q; known: bound, convex", s.Sensitivity)
}

// loss is the loss of a learner in a step. It needs the noise of the run.
func (p *oflPlan) loss(step int) accountant.Loss {
	n, err := p.noise()
	if err != nil { // no job runs
		return accountant.NotPrivate()
	}
	return p.paid(step, n)
}

// unpreparedLoss is loss up to rounding.
func (p *oflPlan) unpreparedLoss(step int) accountant.Loss {
	if !p.mechanism.private() {
		return p.paid(step, noise.Released{})
	}
	n, err := p.mechanism.standIn()
	if err != nil { // no job runs
		return accountant.Loss{}
	}
	return p.paid(step, n)
}

// paid is the loss of a step: all noise is paid for when it begins, and releases without noise
// one by one.
func (p *oflPlan) paid(step int, n noise.Released) accountant.Loss {
	pays := step == p.firstRelease()
	if !n.Private() {
		pays = (step+1)%p.options.Tau == 0
	}
	if pays {
		return n.Loss()
	}
	return accountant.Loss{}
}

// firstRelease is the step of the first input of the mechanism.
func (p *oflPlan) firstRelease() int {
	if p.options.Version == ofl.PerRound {
		return p.options.Tau - 1
	}
	return 0
}

// bills returns the payments of learners. With noise they pay once for the whole stream,
// before they send anything. Without noise they pay for their message at the end of a round.
func (p *oflPlan) bills() ledger.Billing {
	n, _ := p.noise() // the job has made the same
	return func(node messages.NodeID, step int, at ledger.Moment) ledger.ExpectedPayment {
		if node == 0 || int(node) > p.options.Learners || n.Private() && at.Paid {
			return ledger.ExpectedPayment{}
		}
		return ledger.Pays(p.of(int(node)-1, n).Loss(), 1, 1)
	}
}

// claim is the privacy that the section asks for, as text. It is the paper's claim, too.
func (p *oflPlan) claim() ledger.Claim {
	if !p.mechanism.private() {
		return ledger.Worded(accountant.NotPrivate().String())
	}
	return ledger.Claim{Text: at(p.mechanism.whole(), p.mechanism.delta), Epsilon: p.mechanism.whole(), Delta: p.mechanism.delta}
}
