package prediction

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/problem"
	"starling/scenarios/problem/experts"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// asked is the content of the mechanism section.
type asked struct {
	// Asked is the privacy that a section asks for: for a run and one loss, which the paper's
	// noise is to keep, or the target of Additive's calibration. An infinite epsilon means no
	// noise.
	Asked    accountant.Loss
	Additive *mechanisms.Additive // on the vectors of clients; nil where noise is the paper's
}

// The losses and the mechanisms that the algorithms take. Private Frank-Wolfe takes its own
// noise, or noise on the vectors of clients.
var (
	takesLosses       = kind.Takes[problems.AsLosses]("losses on the simplex, of experts or convex with bounded gradients")
	takesLinearLosses = kind.Takes[problems.AsLinearLosses]("losses of experts that are linear")

	takesPhases     = kind.Takes[mechanisms.OnPhases]("noise on the vectors of private Frank-Wolfe").Or(kind.Takes[mechanisms.OnMessages](""))
	takesThresholds = kind.Takes[mechanisms.OnThresholds]("noise on a threshold and on switches")
)

// phasesOf reads the mechanism of private Frank-Wolfe. If the section is missing, or wrong, the
// result is the zero value.
func phasesOf(a *study.ArmFile) (of asked, err error) {
	if a.Mechanism == nil {
		return of, nil
	}
	section, err := kind.AsAny(a.Kinds.Mechanisms, a.Mechanism, takesPhases, "the algorithm opestoch")
	if err != nil {
		return of, err
	}
	switch section := section.(type) {
	case mechanisms.OnPhases:
		of.Asked, err = section.OnPhases(a.Mechanism)
	case mechanisms.OnMessages:
		if schedule, given := a.Mechanism.Get("noise"); given && schedule.Kind() != document.Null {
			return of, schedule.Issuef("noise is scaled to the move of a release here, and not to step sizes; leave noise out")
		}
		var additive mechanisms.Additive
		additive, err = mechanisms.AdditiveOf(section, a.Mechanism)
		of = asked{accountant.Loss{Epsilon: additive.Epsilon, Delta: additive.Delta}, &additive}
	}
	return of, err
}

// thresholdsOf reads the mechanism of the sparse vector technique, as phasesOf does.
func thresholdsOf(a *study.ArmFile) (of asked, err error) {
	if a.Mechanism == nil {
		return of, nil
	}
	section, err := kind.As[mechanisms.OnThresholds](a.Kinds.Mechanisms, a.Mechanism, "the algorithm fedsvt")
	if err == nil {
		of.Asked, err = section.OnThresholds(a.Mechanism)
	}
	return of, err
}

// expertSchedule is the order of turns and the traffic: the hops of a step, counted from 0,
// the participants that act in a hop, and the number of scalars that are sent up to the server
// and down from it over the run. It does not depend on the losses.
type expertSchedule interface {
	Hops(offset int) int
	Acts(offset, hop int) (first, end messages.NodeID)
	Communication() (up, down int)
}

// expertPlan is the common part of the algorithms of prediction from experts. The fields up to
// delta are read from the sections; planOPEStoch or planFedSVT sets the rest.
type expertPlan struct {
	// arm is the arm that is planned, graphs are its stars, and adversary is its problem.
	arm       *study.Arm
	graphs    *topologies.Plan
	adversary *problems.Adversary
	// clients is m, and horizon T.
	clients int
	horizon int
	// asked is the content of the mechanism section: the privacy of a run by the paper, or of
	// noise on the vectors of clients.
	asked
	delta float64 // at which losses are stated; 0 where they are pure
	// machines makes the machines of a run on losses, with the noise multiplied by noise.
	machines func(losses algorithm.Costs, noise float64) ([]algorithm.Machine, expertSchedule, error)
	// scale returns the scale of the noise on a client's message in a hop of a step; nil where
	// clients add none.
	scale func(step, hop int) float64
	// switches means that the server switches between experts, which is then a metric.
	switches bool
	account
	exchanges []study.Exchange // when clients and server send
	// notes are the algorithm's; Notes adds the problem's.
	notes []study.Note
	// hindsight returns the best in hindsight at the points of a seed's losses.
	hindsight func(seed uint64, in experts.Comparable, points []int) hindsight
}

var _ study.Plan = (*expertPlan)(nil)

// account is the privacy of the releases of a plan, by the derivation of its algorithm.
type account struct {
	// wire and public return the losses up to a step to observers of messages and of
	// decisions. paid is the one of them that the releases pay for.
	wire, public, paid func(step int) accountant.Loss
	// loss returns the planned loss of a step.
	loss func(step int) accountant.Loss
	// bills returns the payments of participants. reasons lists the grounds on which messages
	// without a receipt show nothing.
	bills   ledger.Billing
	reasons []algorithm.Reason
	// composed returns the composition of losses where they do not add up; see
	// ledger.Statement.
	composed func(step, payments int) float64
	warnings []study.Warning
}

// hindsightKey names the losses of a seed, and the steps at which they are compared with the
// best: arms with one key share the best in hindsight.
type hindsightKey struct {
	// problem is the text of the section, and points the steps of the comparison as text. They
	// make arms with the same questions share an answer.
	problem         string
	clients, length int
	seed            uint64
	points          string
}

// hindsight is the best in hindsight, computed once, or the error.
type hindsight struct {
	// best is nil if err is not.
	best *experts.Best
	err  error
}

// reader reads losses in a form, as problems.ReadLosses.
type reader = func(b *study.Builder, a *study.ArmFile, algorithm string) (*problems.Adversary, error)

// expertsOf reads the common sections of algorithms of prediction from experts. With faults,
// and where a.Faulty, the plan is nil. read reads the losses that the algorithm can play
// against, and of is the content of the mechanism section. The plan has sizes and problem;
// planOPEStoch or planFedSVT completes it.
func expertsOf(b *study.Builder, arm *study.Arm, a *study.ArmFile, algorithm string, read reader, of asked) (_ *expertPlan, err error) {
	var found study.Faults
	if a.Budget != nil && a.Budget.On == ledger.BudgetStop {
		found.At("budget.on", "the server of %s waits for every client, so that nobody can stop; want refuse", algorithm)
	}
	p := &expertPlan{arm: arm, clients: a.Nodes, horizon: a.Horizon, asked: of, delta: of.Asked.Delta}
	if p.gaussian() { // for other noise the paper gives the delta, or needs none
		p.delta = a.Budget.StatedDelta(p.delta)
	}
	p.graphs, err = study.StarOf(b, arm, a, algorithm, a.Nodes)
	found.Note(err)
	p.adversary, err = read(b, a, algorithm)
	found.Note(err)
	if p.adversary == nil || len(found) > 0 || a.Faulty {
		return nil, found.Err()
	}
	// The best experts take a pass over all losses, which arms of a sweep share.
	text, memo := a.Problem.Text(), study.RunMemo[hindsightKey, hindsight](b)
	p.hindsight = func(seed uint64, in experts.Comparable, points []int) hindsight {
		return memo.Get(hindsightKey{text, a.Nodes, a.Horizon, seed, fmt.Sprint(points)}, func() hindsight {
			best, err := in.Hindsight(points)
			return hindsight{best, err}
		})
	}
	return p, nil
}

// sized returns the arm with other sizes. Nothing else of it is planned yet: an audit plans it
// as a study does.
func (p *expertPlan) sized(clients, experts, horizon int) *expertPlan {
	adversary := *p.adversary
	adversary.Experts = experts
	return &expertPlan{arm: p.arm, adversary: &adversary, clients: clients, horizon: horizon, asked: p.asked, delta: p.delta}
}

// run makes a run on losses under a seed, with the noise multiplied by noise. It makes all
// runs, of studies and of audits.
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

// Extent implements study.Plan. Clients decide, and the server, node 0, is a participant
// without data.
func (p *expertPlan) Extent() study.Extent {
	simplex, err := mirror.NewSimplex(p.adversary.Experts)
	if err != nil {
		panic(err) // the adversary has an expert at least
	}
	return study.Extent{
		FirstStep: 1, Participants: p.clients + 1, Server: true, Dim: p.adversary.Experts, Held: p.adversary.Held,
		Deciders: study.Deciders{First: 1, End: messages.NodeID(1 + p.clients)}, Set: simplex,
	}
}

// Exchanges implements study.Scheduled.
func (p *expertPlan) Exchanges() []study.Exchange { return p.exchanges }

// Privacy implements study.Plan.
func (p *expertPlan) Privacy() study.Privacy {
	return study.Privacy{Loss: p.loss, Growing: true, Reasons: p.reasons, Accounts: p.accounts(), Stated: p.stated()}
}

// Recording implements study.Plan.
func (p *expertPlan) Recording() study.Recording {
	answers := gauge.Answers{Met: true, Fresh: p.adversary.Tests, Best: p.adversary.Compared || p.adversary.Least != nil || p.knows(), BestIn: p.knows(), BestPoint: p.pointed(), Validation: p.adversary.Validates}
	return study.Recording{Metrics: p.metrics(), Answers: answers.Predicting(p.adversary.Predictions())}
}

// stated lists the metrics of payments. Pure payments add up.
func (p *expertPlan) stated() ledger.Statement {
	s := ledger.Statement{Metrics: []string{ledger.EpsilonStep, ledger.EpsilonTotal}, Summed: p.composed == nil && !p.gaussian(), Composed: p.composed}
	if !s.Summed && p.delta > 0 {
		s.Metrics = append(s.Metrics, ledger.Delta)
	}
	return s
}

// private reports whether the section asks for a finite epsilon.
func (p *expertPlan) private() bool { return !math.IsInf(p.Asked.Epsilon, 1) }

// law is the law of the noise: the paper's, or the mechanism's.
func (p *expertPlan) law() noise.Law {
	if p.Additive != nil && p.Additive.Calibration.Law != nil {
		return p.Additive.Calibration.Law
	}
	return noise.LaplaceLaw
}

// gaussian reports whether losses are of Gaussian noise, and have a rho.
func (p *expertPlan) gaussian() bool { return p.law() == noise.GaussianLaw }

// converted is a loss as an epsilon at the delta of the plan. The PLD accountant turns the rho
// of a Gaussian loss into an epsilon. Pure and approximate losses stay as they are.
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

// PerLoss is a loss of these algorithms as text, with its unit.
func PerLoss(l accountant.Loss) string {
	if !l.Private() {
		return l.String()
	}
	return fmt.Sprintf("%s, for one loss of one client", problems.LossText(l))
}

// claim is the paper's claim for the privacy that the section asks for. It claims nothing for
// noise other than the paper's.
func (p *expertPlan) claim() ledger.Claim {
	if !p.private() {
		return ledger.Worded(accountant.NotPrivate().String())
	}
	if a := p.Additive; a != nil {
		of := "a release"
		if a.Whole {
			of = "a run"
		}
		return ledger.Worded("no claim (the paper covers its own noise only; this noise is of " + problems.LossText(p.Asked) + " " + of + ")")
	}
	return ledger.Claim{Text: PerLoss(p.Asked), Epsilon: p.Asked.Epsilon, Delta: p.Asked.Delta}
}

// accounts returns the ledger's accounts: the largest losses that the schedule allows to each
// observer. The payments of Fed-SVT depend on the number of its switches, and so on the
// losses; their bound does not. The wire and the server see the messages of clients; peers and
// the public see decisions alone.
func (p *expertPlan) accounts() []ledger.Account {
	of := func(bound func(step int) accountant.Loss, why string, observers ...accountant.Observer) []ledger.Account {
		return ledger.Everywhere(ledger.Account{
			Unit: "one loss of one client", Protects: ledger.ProtectsRecord, Neighbours: "one loss of one client replaced", Relation: accountant.Replace,
			Claimed: p.claim(), Delta: p.delta, By: accountant.PLD, Why: why,
			Bound: func(step int) accountant.Loss {
				if l := bound(step); l.Private() {
					return l
				}
				return accountant.NotPrivate()
			},
		}, observers...)
	}
	// The texts explain to readers why two observers learn different amounts.
	why, whyPublic := "a message is a vector of d noisy numbers, which the decisions show the least of", ""
	if !p.wire(p.horizon).Private() {
		why = "clients send the server unprotected losses"
	}
	if p.adversary.Owners != nil {
		whyPublic = p.adversary.Owners.Remark()
	}
	return append(of(p.wire, why, accountant.Wire, accountant.Server), of(p.public, whyPublic, accountant.Peer, accountant.Public)...)
}

// Job implements study.Plan: it draws everything that depends on the seed. It draws losses
// before it makes the machines, because the machines of Fed-DP-OPE-Stoch read them.
func (p *expertPlan) Job(seed uint64) (*study.Job, error) {
	arm := p.arm
	in, err := p.adversary.Draw(seed, p.horizon)
	if err != nil {
		return nil, err
	}
	losses := experts.LossesOf(in)
	run, err := p.run(seed, losses, 1)
	if err != nil {
		return nil, err
	}
	options := GaugeOptions{Clients: p.clients, Losses: losses, Switches: p.switches}
	options.Fresh, _ = in.(problem.Classifier)
	if asked := p.adversary.Asked; asked != nil && asked.Tries {
		options.Tries = gauge.Many(in.(problem.Many).Tries).Numbered(1, 0)
	}
	if p.adversary.Compared {
		options.Best = func() (*experts.Best, error) {
			h := p.hindsight(seed, in.(experts.Comparable), arm.Points)
			return h.best, h.err
		}
	}
	j := study.JobOf(arm, *run, study.WithProbe(arm, study.Measured(arm, Gauges(options)), p.probe(seed, in, losses)))
	return study.Ready(arm, j, p.bills, in)
}

// probe returns the values of decisions on the losses of a seed. A mean loss in hindsight
// divides by all clients and steps, for comparison with mean losses of decisions.
func (p *expertPlan) probe(seed uint64, in problem.Instance, losses algorithm.Costs) gauge.Probe {
	probe := gauge.Probe{Met: losses.Loss}
	if p.adversary.Asked != nil {
		return p.askedProbe(probe, in.(problem.Many))
	}
	if fresh, ok := in.(problem.Fresh); ok {
		probe.Fresh = gauge.MeanFresh(fresh, 1)
		probe.Tests = func(client messages.NodeID) int { return fresh.TestSamples(client - 1) }
	}
	if fresh, ok := in.(problem.Predicting); ok {
		probe.Form, probe.Predict = fresh.Predictions(), gauge.PredictFresh(fresh, 1)
	}
	probe.HoldOut(in, 1)
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
			h := p.hindsight(seed, in.(experts.Comparable), points)
			if h.err != nil {
				panic(h.err) // the points were checked
			}
			return h.best.Loss[len(points)-1] / float64(p.clients*p.horizon)
		}
	}
	if p.pointed() {
		probe.BestPoint = func() []float64 {
			points := p.arm.Points
			h := p.hindsight(seed, in.(experts.Comparable), points)
			if h.err != nil {
				panic(h.err) // the points were checked
			}
			best := make([]float64, p.adversary.Experts)
			best[h.best.Expert[len(points)-1]-1] = 1
			return best
		}
	}
	return probe
}

// pointed reports whether the best fixed decision is one expert, which is known.
func (p *expertPlan) pointed() bool {
	return p.adversary.Compared && p.adversary.Linear && p.adversary.Asked == nil
}

// knows reports whether instances know least losses themselves.
func (p *expertPlan) knows() bool { return p.adversary.Asked != nil && p.adversary.Asked.Best }

// askedProbe returns the probe of losses that answer for many clients themselves.
func (p *expertPlan) askedProbe(probe gauge.Probe, in problem.Many) gauge.Probe {
	probe.MetMany = gauge.Many(in.Losses).Numbered(1, 0)
	if p.adversary.Asked.Fresh {
		probe.FreshMany = gauge.Many(in.FreshLosses).Numbered(1, 0)
		probe.Fresh = gauge.One(probe.FreshMany)
	}
	if p.knows() {
		probe.BestIn = in.(interface{ BestIn(first, last int) float64 }).BestIn
		probe.Best = func() float64 { return probe.BestIn(1, p.horizon) }
	}
	return probe
}

// Notes implements study.Plan.
func (p *expertPlan) Notes(*study.Job) ([]study.Note, []study.Warning) {
	var r study.Remarks
	wire, public := p.wire(p.horizon), p.converted(p.public(p.horizon))
	r.Add("epsilon.claimed", "%s", p.claim())
	r.Add("epsilon.accounted", "%s", PerLoss(p.converted(p.paid(p.horizon))))
	r.Add("epsilon.wire", "%s", PerLoss(p.converted(wire)))
	r.Add("epsilon.public", "%s", PerLoss(public))
	r.Add("alpha", "%.6g", p.adversary.Alpha)
	r.Add("beta", "%.6g", p.adversary.Beta)
	r.Append(p.notes, nil)
	r.Append(p.adversary.Notes, nil)
	if !p.private() {
		r.Unprotected("messages show the clients' losses")
		r.Append(nil, p.adversary.Warnings)
		return r.Notes, r.Warnings
	}
	r.Append(nil, p.warnings)
	// Theorem 2 is a lower bound for pure privacy. The second note gives the bound that holds
	// where m clients have the same record.
	if forced := p.adversary.Forced; forced != nil && p.Asked.Delta == 0 && p.Additive == nil {
		paper, really := forced(p.Asked.Epsilon)
		r.Add("regret.theorem-2", "%.6g, of a client whatever m", paper)
		r.Add("regret.forced", "%.6g, with m times the loss of one for a record that m clients have", really)
	}
	if o := p.adversary.Owners; o != nil {
		text, err := o.Text(public)
		if err != nil {
			text = err.Error()
		}
		r.Add("epsilon."+o.Name, "%s", text)
		r.Warn("unit", o.Remark()+"; the decisions cost "+text)
	}
	switch {
	case !wire.Private():
		r.Warn("trusted-server", fmt.Sprintf("clients send unprotected losses, which the server and an eavesdropper see; the decisions cost %s", problems.LossText(public)))
	case p.Additive == nil && !wire.Within(p.Asked):
		r.Warn("claim", fmt.Sprintf("a message is a vector, and every number in it carries the noise for one: messages cost %s, the decisions %s; the claim is %s",
			problems.LossText(wire), problems.LossText(public), problems.LossText(p.Asked)))
	}
	r.Append(nil, p.adversary.Warnings)
	return r.Notes, r.Warnings
}

// claimWarnings are a package's warnings about its claim.
func claimWarnings(list []string) (warnings []study.Warning) {
	for _, text := range list {
		warnings = append(warnings, study.Warning{Code: "claim", Message: text})
	}
	return warnings
}

// sent returns the notes of the traffic of a run.
func sent(s expertSchedule) []study.Note {
	up, down := s.Communication()
	return []study.Note{{Key: "communication.up", Value: fmt.Sprintf("%d scalars", up)}, {Key: "communication.down", Value: fmt.Sprintf("%d scalars", down)}}
}

// added is the increase of a loss by a release. It is infinite if after is: a release without
// noise has infinite loss.
func added(before, after accountant.Loss) accountant.Loss {
	if !after.Private() {
		return accountant.NotPrivate()
	}
	return accountant.Loss{Epsilon: after.Epsilon - before.Epsilon, Delta: after.Delta - before.Delta, Rho: after.Rho - before.Rho}
}
