package prediction

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/gauge/decisions"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	meter "starling/scenarios/meter/experts"
	"starling/scenarios/metric"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// asked is what the mechanism section asks for.
type asked struct {
	// Asked is the privacy that a section asks for: of a run for one loss, which the
	// paper's noise is to keep, or what Additive is calibrated to. An infinite epsilon is
	// no noise.
	Asked    accountant.Loss
	Additive *mechanisms.Additive // on the vectors that clients send; nil where noise is the paper's
}

// What the algorithms take of mechanisms: private Frank-Wolfe its own noise, or noise on the
// vectors that clients send.
var (
	TakesPhases     = kind.Takes[mechanisms.OnPhases]("noise on the vectors of private Frank-Wolfe").Or(kind.Takes[mechanisms.OnMessages](""))
	TakesThresholds = kind.Takes[mechanisms.OnThresholds]("noise on a threshold and on switches")
)

// phasesOf is the mechanism of private Frank-Wolfe. The result is the zero value where the
// section is missing or wrong, which is then noted.
func phasesOf(a *study.ArmFile, found *study.Faults) (of asked) {
	if a.Mechanism == nil {
		return of
	}
	section, err := kind.AsAny(a.Kinds.Mechanisms, a.Mechanism, TakesPhases, "the algorithm opestoch")
	if !found.Note(err) {
		return of
	}
	switch section := section.(type) {
	case mechanisms.OnPhases:
		of.Asked, err = section.OnPhases(a.Mechanism)
	case mechanisms.OnMessages:
		if schedule, given := a.Mechanism.Get("noise"); given && schedule.Kind() != document.Null {
			found.Note(schedule.Issuef("noise follows what a release moves here, and not step sizes; leave noise out"))
			return of
		}
		var additive mechanisms.Additive
		additive, err = section.OnMessages(a.Mechanism)
		of = asked{accountant.Loss{Epsilon: additive.Epsilon, Delta: additive.Delta}, &additive}
	}
	found.Note(err)
	return of
}

// thresholdsOf is the mechanism of the sparse vector technique, as phasesOf.
func thresholdsOf(a *study.ArmFile, found *study.Faults) (of asked) {
	if a.Mechanism == nil {
		return of
	}
	section, err := kind.As[mechanisms.OnThresholds](a.Kinds.Mechanisms, a.Mechanism, "the algorithm fedsvt")
	if found.Note(err) {
		of.Asked, err = section.OnThresholds(a.Mechanism)
		found.Note(err)
	}
	return of
}

// expertSchedule is who acts when, and what is sent: the hops of a step, counted from 0,
// the participants that act in a hop, and the number of scalars that are sent up to the
// server and down from it over the run. It does not depend on the losses.
type expertSchedule interface {
	Hops(offset int) int
	Acts(offset, hop int) (first, end messages.NodeID)
	Communication() (up, down int)
}

// expertPlan is what the algorithms of prediction from experts have in common. The fields
// up to delta are read from the sections; planOPEStoch or planFedSVT sets the rest.
type expertPlan struct {
	// arm is the arm that is planned, and adversary its problem.
	arm       *study.Arm
	adversary *problems.Adversary
	// clients is m, and horizon T.
	clients int
	horizon int
	// Phases is what the mechanism section asks for: of a run by the paper, or of noise on
	// what clients send.
	asked
	delta float64 // at which losses are stated; 0 where they are pure
	// machines are those of a run on losses, with so many times the noise.
	machines func(losses algorithm.Costs, noise float64) ([]algorithm.Machine, expertSchedule, error)
	// scale is that of the noise on what a client sends in a hop of a step; nil where
	// clients add none.
	scale func(step, hop int) float64
	// switches tells that the server switches between experts, which is then a metric.
	switches bool
	// composed is what losses come to where they do not add up; see ledger.Statement.
	composed func(step, payments int) float64
	// loss is what is planned to be spent in a step.
	loss func(step int) accountant.Loss
	// bills are what participants pay, and reasons why what they send without a
	// receipt shows nothing.
	bills   ledger.Billing
	reasons []algorithm.Reason
	// ledger is the accounted loss by who sees what, and which of the two the
	// releases pay for.
	wire, public, paid accountant.Loss
	// wireBound and publicBound are the same up to a step.
	wireBound, publicBound func(step int) accountant.Loss
	// notes and warnings are those of the algorithm; remarks adds those of the problem.
	notes    []study.Note
	warnings []study.Warning
	// hindsight returns what is best in hindsight at the points of a seed's losses.
	hindsight func(seed uint64, in experts.Instance, points []int) hindsight
}

// hindsightKey names the losses of a seed, and the steps at which they are
// compared with the best: arms with one key share what is best.
type hindsightKey struct {
	// problem is the text of the section, and points the steps of the comparison as text:
	// with them two arms that ask for the same get the same.
	problem         string
	clients, length int
	seed            uint64
	points          string
}

// hindsight is what is best, computed once, or why it is not known.
type hindsight struct {
	// best is nil where err is not.
	best *experts.Best
	err  error
}

// expertsOf reads the sections that algorithms of prediction from experts have
// in common. What is wrong is noted; then the plan is nil. B is the builder of adversaries
// that the algorithm can play against. The plan has sizes and problem; planOPEStoch or
// planFedSVT completes it.
func expertsOf[B problems.AdversaryBuilder | problems.LinearBuilder](b *study.Builder, arm *study.Arm, a *study.ArmFile, algorithm string, of asked, found *study.Faults) *expertPlan {
	study.NoSampledNodes(a, found)
	if a.Budget != nil && a.Budget.On == ledger.BudgetStop {
		found.At("budget.on", "the server of %s waits for every client, so that nobody can stop; want refuse", algorithm)
	}
	p := &expertPlan{arm: arm, clients: a.Nodes, horizon: a.Horizon, asked: of, delta: of.Asked.Delta}
	if p.gaussian() { // of others the paper says the delta, or needs none
		p.delta = a.Budget.StatedDelta(p.delta)
	}
	arm.Topology = study.BuildStarOf(b, arm, a, algorithm, found, topology.Star{Leaves: a.Nodes}.Sequence, limits.Product(3, a.Nodes))
	p.adversary = problems.BuildAdversary[B](b, a, algorithm, found)
	if p.adversary == nil || len(found.Issues) > 0 {
		return nil
	}
	// The best experts take a pass over all losses, which arms of a sweep share.
	text, memo := a.Problem.Text(), study.RunMemo[hindsightKey, hindsight](b)
	p.hindsight = func(seed uint64, in experts.Instance, points []int) hindsight {
		return memo.Get(hindsightKey{text, a.Nodes, a.Horizon, seed, fmt.Sprint(points)}, func() hindsight {
			best, err := experts.Hindsight(in, a.Nodes, p.adversary.Experts, points)
			return hindsight{best, err}
		})
	}
	return p
}

// sized is the arm with other sizes, of which nothing is planned yet. An audit plans it
// as a study does.
func (p *expertPlan) sized(clients, experts, horizon int) *expertPlan {
	adversary := *p.adversary
	adversary.Experts = experts
	return &expertPlan{arm: p.arm, adversary: &adversary, clients: clients, horizon: horizon, asked: p.asked, delta: p.delta}
}

// run is a run on losses under a seed, with so many times the noise: all runs, of
// studies and of audits, are made here.
func (p *expertPlan) run(seed uint64, losses algorithm.Costs, noise float64) (*algorithm.Run, error) {
	machines, schedule, err := p.machines(losses, noise)
	if err != nil {
		return nil, err
	}
	sequence, err := topology.Star{Leaves: p.clients}.Sequence()
	return &algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: p.horizon, Graphs: sequence, Machines: machines, Costs: losses, Hops: schedule.Hops, Acts: schedule.Acts,
	}, err
}

// plan is the completed plan as an arm has it. Clients decide, and the server, node 0, is
// a participant without data.
func (p *expertPlan) plan() study.Plan {
	simplex, err := mirror.NewSimplex(p.adversary.Experts)
	if err != nil {
		panic(err) // the adversary has an expert at least
	}
	return study.Plan{
		FirstStep:    1,
		Participants: p.clients + 1,
		Server:       true,
		Dim:          p.adversary.Experts,
		Deciders:     study.Deciders{First: 1, End: messages.NodeID(1 + p.clients)},
		Set:          simplex,
		Loss:         p.loss,
		Growing:      true,
		Held:         p.adversary.Held,
		Bills:        func(*study.Job) ledger.Billing { return p.bills },
		Reasons:      p.reasons,
		Claim:        p.claim,
		Accounts:     p.accounts(),
		Stated:       p.stated(),
		Answers:      decisions.Answers{Met: true, Fresh: p.adversary.Tests, Best: p.adversary.Compared || p.adversary.Least != nil || p.knows(), BestIn: p.knows()},
		Job:          p.job,
		Notes:        func(*study.Job) ([]study.Note, []study.Warning) { return p.remarks() },
		Metrics:      p.metrics(),
	}
}

// Metrics are those that runs may record.
func Metrics() metric.List { return meter.Metrics() }

// metrics are those of the meter: switches where there are any, regret or in its place
// losses, and accuracy where data have labels.
func (p *expertPlan) metrics() []string {
	return slices.DeleteFunc(meter.Metrics().Names(), func(metric string) bool {
		return metric == meter.Switches && !p.switches ||
			(metric == meter.RegretClient || metric == meter.BestExpert) && !p.adversary.Compared ||
			metric == meter.LossClient && p.adversary.Compared ||
			metric == gauge.AccuracyTest && !p.adversary.Classifies
	})
}

// stated are the metrics of what is paid, which adds up where it is pure.
func (p *expertPlan) stated() ledger.Statement {
	s := ledger.Statement{Metrics: []string{ledger.EpsilonStep, ledger.EpsilonTotal}, Summed: p.composed == nil && !p.gaussian(), Composed: p.composed}
	if !s.Summed && p.delta > 0 {
		s.Metrics = append(s.Metrics, ledger.Delta)
	}
	return s
}

// private tells whether the section asks for a finite epsilon.
func (p *expertPlan) private() bool { return !math.IsInf(p.Asked.Epsilon, 1) }

// law is that of the noise: the paper's, or that of the mechanism.
func (p *expertPlan) law() noise.Law {
	if p.Additive != nil && p.Additive.Calibration.Law != nil {
		return p.Additive.Calibration.Law
	}
	return noise.LaplaceLaw
}

// gaussian reports whether losses are those of Gaussian noise, which have a rho.
func (p *expertPlan) gaussian() bool { return p.law() == noise.GaussianLaw }

// converted is a loss as an epsilon at the delta of the plan. Gaussian losses are told as
// rho and become an epsilon by the privacy loss distribution. Pure and approximate losses
// stay as they are.
func (p *expertPlan) converted(l accountant.Loss) accountant.Loss {
	if l.Rho == 0 || !l.Private() {
		return l
	}
	epsilon, err := ledger.EpsilonOf(l.Total(), p.delta, accountant.PLD)
	if err != nil {
		panic(fmt.Sprintf("a loss of %s at delta %v: %v", l, p.delta, err)) // both were checked
	}
	return accountant.Loss{Epsilon: epsilon, Delta: p.delta}
}

// PerLoss says for what a loss of these algorithms holds.
func PerLoss(l accountant.Loss) string {
	if !l.Private() {
		return l.String()
	}
	return fmt.Sprintf("%s, for one loss of one client", problems.LossText(l))
}

// claim is what the paper states for what the section asks for. It states nothing for
// noise that is not its own.
func (p *expertPlan) claim() string {
	if !p.private() {
		return accountant.NotPrivate().String()
	}
	if a := p.Additive; a != nil {
		of := "a release"
		if a.Whole {
			of = "a run"
		}
		return "nothing: the paper has its own noise; this is of " + problems.LossText(p.Asked) + " " + of
	}
	return PerLoss(p.Asked)
}

// accounts are the ledger: what the schedule shows each observer at most. What
// Fed-SVT pays depends on how often it switches, and so on the losses; what it can
// pay does not. The wire and the server see what clients send; peers and the public see
// decisions alone.
func (p *expertPlan) accounts() []ledger.Account {
	of := func(bound func(step int) accountant.Loss, why string, observers ...accountant.Observer) []ledger.Account {
		return ledger.Everywhere(ledger.Account{
			Unit: "one loss of one client", Neighbours: "one loss of one client replaced", Relation: accountant.Replace,
			Claimed: p.claim(), Delta: p.delta, By: accountant.PLD, Why: why,
			Bound: func(step int) accountant.Loss {
				if l := bound(step); l.Private() {
					return l
				}
				return accountant.NotPrivate()
			},
		}, observers...)
	}
	// The texts answer the reader's question why two observers learn different amounts.
	why, whyPublic := "a message is a vector of d noisy numbers, which the decisions show the least of", ""
	if !p.wire.Private() {
		why = "clients send the server what is not protected"
	}
	if p.adversary.Owners != nil {
		whyPublic = p.adversary.Owners.Remark()
	}
	return append(of(p.wireBound, why, accountant.Wire, accountant.Server), of(p.publicBound, whyPublic, accountant.Peer, accountant.Public)...)
}

// job draws what depends on the seed. Losses are drawn before the machines are made: those
// of Fed-DP-OPE-Stoch read them.
func (p *expertPlan) job(seed uint64) (*study.Job, error) {
	arm := p.arm
	in, err := p.adversary.Draw(seed, p.horizon)
	if err != nil {
		return nil, err
	}
	run, err := p.run(seed, in, 1)
	if err != nil {
		return nil, err
	}
	options := meter.Options{Clients: p.clients, Losses: in, Switches: p.switches}
	if asked := p.adversary.Asked; asked != nil && asked.Tries {
		options.Tries = in.(problem.Many).Tries
	}
	if p.adversary.Compared {
		options.Best = func() (*experts.Best, error) {
			h := p.hindsight(seed, in.(experts.Instance), arm.Points)
			return h.best, h.err
		}
	}
	j := study.NewJob(arm, seed, run.Graphs, run.Machines, study.Asking(arm, study.Measured(arm, meter.Gauges(options)), p.probe(seed, in)))
	j.Run.Costs, j.Run.Hops, j.Run.Acts = run.Costs, run.Hops, run.Acts
	return j, study.Use(j, in)
}

// probe is what the losses of a seed say of decisions. A mean loss in hindsight divides by
// all clients and steps, for it stands beside mean losses of decisions.
func (p *expertPlan) probe(seed uint64, in algorithm.Costs) decisions.Probe {
	probe := decisions.Probe{Met: in.Loss}
	if p.adversary.Asked != nil {
		return p.askedProbe(probe, in.(problem.Many))
	}
	if fresh, ok := in.(problem.Fresh); ok {
		probe.Fresh, probe.Tests = decisions.MeanFresh(fresh), fresh.TestSamples
	}
	if least := p.adversary.Least; least != nil {
		probe.Best = func() float64 {
			loss, err := least(seed, p.horizon)
			if err != nil {
				panic(err) // the job has drawn the same
			}
			return loss
		}
	}
	if p.adversary.Compared {
		points := p.arm.Points
		probe.Best = func() float64 {
			h := p.hindsight(seed, in.(experts.Instance), points)
			if h.err != nil {
				panic(h.err) // the points were checked
			}
			return h.best.Loss[len(points)-1] / float64(p.clients*p.horizon)
		}
	}
	return probe
}

// knows tells that instances say least losses themselves.
func (p *expertPlan) knows() bool { return p.adversary.Asked != nil && p.adversary.Asked.Best }

// askedProbe is the probe of losses that answer for many clients themselves.
func (p *expertPlan) askedProbe(probe decisions.Probe, in problem.Many) decisions.Probe {
	probe.MetMany = in.Losses
	if p.adversary.Asked.Fresh {
		probe.FreshMany, probe.Fresh = in.FreshLosses, decisions.One(in.FreshLosses)
	}
	if p.knows() {
		probe.BestIn = in.(interface{ BestIn(first, last int) float64 }).BestIn
		probe.Best = func() float64 { return probe.BestIn(1, p.horizon) }
	}
	return probe
}

// remarks are what the results are to be read with.
func (p *expertPlan) remarks() (notes []study.Note, warnings []study.Warning) {
	add := func(key, format string, args ...any) {
		notes = append(notes, study.Note{Key: key, Value: fmt.Sprintf(format, args...)})
	}
	add("epsilon.claimed", "%s", p.claim())
	add("epsilon.accounted", "%s", PerLoss(p.converted(p.paid)))
	add("epsilon.wire", "%s", PerLoss(p.converted(p.wire)))
	add("epsilon.public", "%s", PerLoss(p.converted(p.public)))
	add("alpha", "%.6g", p.adversary.Alpha)
	add("beta", "%.6g", p.adversary.Beta)
	notes = append(append(notes, p.notes...), p.adversary.Notes...)
	if !p.private() {
		warnings = append(warnings, study.Warning{Code: "not-private", Message: "this arm runs without noise: what is sent shows the clients' losses"})
		return notes, append(warnings, p.adversary.Warnings...)
	}
	warnings = append(warnings, p.warnings...)
	// Theorem 2 is a lower bound for pure privacy. It stands beside the bound that holds
	// where m clients have the same record.
	if forced := p.adversary.Forced; forced != nil && p.Asked.Delta == 0 && p.Additive == nil {
		paper, really := forced(p.Asked.Epsilon)
		add("regret.theorem-2", "%.6g, of a client whatever m", paper)
		add("regret.forced", "%.6g, with m times the loss of one for a record that m clients have", really)
	}
	if o := p.adversary.Owners; o != nil {
		text, err := o.Text(p.converted(p.public))
		if err != nil {
			text = err.Error()
		}
		add("epsilon."+o.Name, "%s", text)
		warnings = append(warnings, study.Warning{Code: "unit", Message: o.Remark() + "; the decisions cost " + text})
	}
	switch {
	case !p.wire.Private():
		warnings = append(warnings, study.Warning{Code: "trusted-server", Message: fmt.Sprintf("clients send what is not protected: the server, and whoever reads the wire, see their losses; the decisions cost %s", problems.LossText(p.converted(p.public)))})
	case p.Additive == nil && !p.wire.Within(p.Asked):
		warnings = append(warnings, study.Warning{Code: "claim", Message: fmt.Sprintf("a message is a vector, and every number in it carries the noise for one: messages cost %s, the decisions %s; the claim is %s",
			problems.LossText(p.wire), problems.LossText(p.converted(p.public)), problems.LossText(p.Asked))})
	}
	return notes, append(warnings, p.adversary.Warnings...)
}

// claimWarnings are what a package says of its claim.
func claimWarnings(list []string) (warnings []study.Warning) {
	for _, text := range list {
		warnings = append(warnings, study.Warning{Code: "claim", Message: text})
	}
	return warnings
}

// sent are the notes of what is sent in all.
func sent(s expertSchedule) []study.Note {
	up, down := s.Communication()
	return []study.Note{{Key: "communication.up", Value: fmt.Sprintf("%d scalars", up)}, {Key: "communication.down", Value: fmt.Sprintf("%d scalars", down)}}
}

// added is what a release adds to a loss: the difference of what was paid before
// it and after. What is infinite is so at once.
func added(before, after accountant.Loss) accountant.Loss {
	if !after.Private() {
		return accountant.NotPrivate()
	}
	return accountant.Loss{Epsilon: after.Epsilon - before.Epsilon, Delta: after.Delta - before.Delta, Rho: after.Rho - before.Rho}
}
