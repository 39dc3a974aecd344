package scenarios

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/document"
	meter "starling/scenarios/meter/experts"
	"starling/scenarios/problem/experts"
)

// selectionSection is the mechanism inside an algorithm of prediction from
// experts.
type selectionSection struct {
	Kind    string       `yaml:"kind,required"`
	Epsilon epsilonValue `yaml:"epsilon,required" doc:"epsilon that the paper claims of a run for one loss of one client, above 0, or none to run without noise"`
	Delta   float64      `yaml:"delta" doc:"delta of the approximate variants, between 0 and 1; the others have none"`
}

// selected is the privacy that a mechanism section asks for; an infinite epsilon
// is no noise.
func selected[M phaseMechanism | thresholdMechanism](a *armFile, algorithm string, found *faults) (claimed accountant.Loss) {
	if a.Mechanism == nil {
		return claimed
	}
	build, err := find[M](a.kinds.mechanisms, a.Mechanism, "the algorithm "+algorithm)
	if !found.note(err) {
		return claimed
	}
	claimed, err = build(a.Mechanism)
	found.note(err)
	return claimed
}

// Mechanisms of prediction from experts: that of private Frank-Wolfe, and that of
// the sparse vector technique. They return the privacy that a section asks for.
type (
	phaseMechanism     func(section *document.Node) (accountant.Loss, error)
	thresholdMechanism func(section *document.Node) (accountant.Loss, error)
)

func buildSelection(section *document.Node) (accountant.Loss, error) {
	var s selectionSection
	err := document.Decode(section, &s)
	return accountant.Loss{Epsilon: float64(s.Epsilon), Delta: s.Delta}, err
}

func buildNoSelection(section *document.Node) (accountant.Loss, error) {
	s := defaultCorrelated()
	err := document.Decode(section, &s)
	return accountant.Loss{Epsilon: math.Inf(1), Delta: s.Delta}, err
}

// expertSchedule is who acts when, and what is sent.
type expertSchedule interface {
	Hops(offset int) int
	Acts(offset, hop int) (first, end messages.NodeID)
	Communication() (up, down int)
}

// expertPlan is what the algorithms of prediction from experts have in common.
type expertPlan struct {
	arm       *Arm
	adversary *adversaryPlan
	clients   int
	claimed   accountant.Loss
	// machines of a seed, whose losses are those of the instance.
	machines func(in experts.Instance) ([]algorithm.Machine, expertSchedule, error)
	switches bool
	// epsilon is what the meter reports where losses do not add up.
	epsilon func(step, switches int) float64
	// loss is what is planned to be spent in a step.
	loss func(step int) accountant.Loss
	// bills are what participants pay, and reasons why what they send without a
	// receipt shows nothing.
	bills   billing
	reasons []algorithm.Reason
	// ledger is the accounted loss by who sees what, and which of the two the
	// releases pay for.
	wire, public, paid accountant.Loss
	// wireBound and publicBound are the same up to a step.
	wireBound, publicBound func(step int) accountant.Loss
	notes                  []note
	warnings               []warning
	hindsight              func(seed uint64, in experts.Instance, points []int) hindsight
}

// hindsightKey names the losses of a seed, and the steps at which they are
// compared with the best: arms with one key share what is best.
type hindsightKey struct {
	problem         string
	clients, length int
	seed            uint64
	points          string
}

// hindsight is what is best, computed once.
type hindsight struct {
	best *experts.Best
	err  error
}

// expertsOf reads the sections that algorithms of prediction from experts have
// in common. What is wrong is noted; then the plan is nil.
func expertsOf[M phaseMechanism | thresholdMechanism](b *builder, arm *Arm, a *armFile, algorithm string, found *faults) *expertPlan {
	noSampledNodes(a, found)
	if a.Budget != nil && a.Budget.On == budgetStop {
		found.at("budget.on", "the server of %s waits for every client, so that nobody can stop; want refuse", algorithm)
	}
	p := &expertPlan{arm: arm, clients: a.Nodes, claimed: selected[M](a, algorithm, found)}
	arm.topology = b.star(arm, a, algorithm, found, func() (topology.Sequence, error) { return topology.Star{Leaves: a.Nodes}.Sequence() }, product(3, a.Nodes))
	p.adversary = b.adversary(a, algorithm, found)
	if p.adversary == nil || len(found.issues) > 0 {
		return nil
	}
	text, memo := a.Problem.Text(), runMemo[hindsightKey, hindsight](b)
	p.hindsight = func(seed uint64, in experts.Instance, points []int) hindsight {
		return memo.Get(hindsightKey{text, a.Nodes, a.Horizon, seed, fmt.Sprint(points)}, func() hindsight {
			best, err := experts.Hindsight(in, a.Nodes, p.adversary.experts, points)
			return hindsight{best, err}
		})
	}
	return p
}

func (p *expertPlan) plan() algorithmPlan {
	simplex, err := mirror.NewSimplex(p.adversary.experts)
	if err != nil {
		panic(err) // the adversary has an expert at least
	}
	return algorithmPlan{
		firstStep:    1,
		participants: p.clients + 1,
		server:       true,
		dim:          p.adversary.experts,
		deciders:     deciders{1, messages.NodeID(1 + p.clients)},
		set:          simplex,
		loss:         p.loss,
		growing:      true,
		held:         p.adversary.held,
		bills:        func(*job) billing { return p.bills },
		reasons:      p.reasons,
		claim:        p.claim,
		accounts:     p.accounts(),
		job:          p.job,
		notes:        func(*job) ([]note, []warning) { return p.remarks() },
		metrics:      p.metrics(),
	}
}

// metrics are those of the meter: switches where there are any, and delta where
// the loss has one.
func (p *expertPlan) metrics() []string {
	return slices.DeleteFunc(meter.Metrics(), func(metric string) bool {
		return metric == meter.Switches && !p.switches ||
			metric == meter.Delta && (p.epsilon == nil || p.claimed.Delta == 0)
	})
}

func (p *expertPlan) private() bool { return !math.IsInf(p.claimed.Epsilon, 1) }

// perLoss says for what a loss of these algorithms holds.
func perLoss(l accountant.Loss) string {
	if !l.Private() {
		return l.String()
	}
	return fmt.Sprintf("%s, for one loss of one client", lossText(l))
}

// lossText begins with the number.
func lossText(l accountant.Loss) string {
	if l.Delta == 0 {
		return fmt.Sprintf("%.6g", l.Epsilon)
	}
	return fmt.Sprintf("%.6g at delta %.6g", l.Epsilon, l.Delta)
}

func (p *expertPlan) claim() string {
	if !p.private() {
		return accountant.NotPrivate().String()
	}
	return perLoss(p.claimed)
}

// accounts are the ledger: what the schedule shows each observer at most. What
// Fed-SVT pays depends on how often it switches, and so on the losses; what it can
// pay does not.
func (p *expertPlan) accounts() []account {
	of := func(bound func(step int) accountant.Loss, why string, observers ...accountant.Observer) []account {
		return everywhere(account{
			unit: "one loss of one client", neighbours: "one loss of one client replaced", relation: accountant.Replace,
			claimed: p.claim(), delta: p.claimed.Delta, by: accountant.PLD, why: why,
			bound: func(step int) accountant.Loss {
				if l := bound(step); l.Private() {
					return l
				}
				return accountant.NotPrivate()
			},
		}, observers...)
	}
	why, whyPublic := "a message is a vector of d noisy numbers, which the decisions show the least of", ""
	if !p.wire.Private() {
		why = "clients send the server what is not protected"
	}
	if p.adversary.owners != nil {
		whyPublic = p.adversary.owners.remark()
	}
	return append(of(p.wireBound, why, accountant.Wire, accountant.Server), of(p.publicBound, whyPublic, accountant.Peer, accountant.Public)...)
}

// job draws what depends on the seed.
func (p *expertPlan) job(seed uint64) (*job, error) {
	arm := p.arm
	sequence, err := arm.topology.sequence(seed)
	if err != nil {
		return nil, err
	}
	in, err := p.adversary.draw(seed, arm.file.Horizon)
	if err != nil {
		return nil, err
	}
	machines, schedule, err := p.machines(in)
	if err != nil {
		return nil, err
	}
	options := meter.Options{
		Clients: p.clients, Points: arm.points, Instance: in, Switches: p.switches, Epsilon: p.epsilon, Growing: true, Wanted: arm.file.Measure.Records,
		Best: func() (*experts.Best, error) {
			h := p.hindsight(seed, in, arm.points)
			return h.best, h.err
		},
	}
	if p.epsilon != nil {
		options.Delta = p.claimed.Delta
	}
	j := arm.newJob(seed, sequence, machines, meter.New(options))
	j.run.Costs = in
	j.run.Hops, j.run.Acts = schedule.Hops, schedule.Acts
	return j, nil
}

// remarks are what the results are to be read with.
func (p *expertPlan) remarks() (notes []note, warnings []warning) {
	add := func(key, format string, args ...any) { notes = append(notes, note{key, fmt.Sprintf(format, args...)}) }
	add("epsilon.claimed", "%s", p.claim())
	add("epsilon.accounted", "%s", perLoss(p.paid))
	add("epsilon.wire", "%s", perLoss(p.wire))
	add("epsilon.public", "%s", perLoss(p.public))
	add("alpha", "%.6g", p.adversary.alpha)
	add("beta", "%.6g", p.adversary.beta)
	notes = append(append(notes, p.notes...), p.adversary.notes...)
	if !p.private() {
		warnings = append(warnings, warning{"not-private", "this arm runs without noise: what is sent shows the clients' losses"})
		return notes, append(warnings, p.adversary.warnings...)
	}
	warnings = append(warnings, p.warnings...)
	if forced := p.adversary.forced; forced != nil && p.claimed.Delta == 0 {
		paper, really := forced(p.claimed.Epsilon)
		add("regret.theorem-2", "%.6g, of a client whatever m", paper)
		add("regret.forced", "%.6g, with m times the loss of one for a record that m clients have", really)
	}
	if o := p.adversary.owners; o != nil {
		text, err := o.text(p.public)
		if err != nil {
			text = err.Error()
		}
		add("epsilon."+o.name, "%s", text)
		warnings = append(warnings, warning{"unit", o.remark() + "; the decisions cost " + text})
	}
	switch {
	case !p.wire.Private():
		warnings = append(warnings, warning{"trusted-server", fmt.Sprintf("clients send what is not protected: the server, and whoever reads the wire, see their losses; the decisions cost %s", lossText(p.public))})
	case !p.wire.Within(p.claimed):
		warnings = append(warnings, warning{"claim", fmt.Sprintf("a message is a vector, and every number in it carries the noise for one: messages cost %s, the decisions %s; the claim is %s",
			lossText(p.wire), lossText(p.public), lossText(p.claimed))})
	}
	return notes, append(warnings, p.adversary.warnings...)
}

// claimWarnings are what a package says of its claim.
func claimWarnings(list []string) (warnings []warning) {
	for _, text := range list {
		warnings = append(warnings, warning{"claim", text})
	}
	return warnings
}

// sent are the notes of what is sent in all.
func sent(s expertSchedule) []note {
	up, down := s.Communication()
	return []note{{"communication.up", fmt.Sprintf("%d scalars", up)}, {"communication.down", fmt.Sprintf("%d scalars", down)}}
}

// added is what a release adds to a loss: the difference of what was paid before
// it and after. What is infinite is so at once.
func added(before, after accountant.Loss) accountant.Loss {
	if !after.Private() {
		return accountant.NotPrivate()
	}
	return accountant.Loss{Epsilon: after.Epsilon - before.Epsilon, Delta: after.Delta - before.Delta}
}
