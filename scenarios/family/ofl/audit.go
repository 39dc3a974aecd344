package ofl

import (
	"slices"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/mechanisms/audit"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/problem"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// The size of audits of online federated learning. A study with effects of a network, or with
// data that are met again, is audited in its own steps, and with its own learners where they
// are few: up to ownSteps and ownLearners.
const (
	auditedLearners  = 2
	auditedRounds    = 8
	auditedDimension = 2

	ownLearners = 16
	ownSteps    = 32
)

// Audit implements auditing.Auditable. One client of the first learner has a gradient of length
// B_g, to one side or the other, in the step with the longest column of C. In a network with
// effects it takes the learner and the steps that show the most. Rounds have one local step, in
// which a datum moves an input by all of its 2 B_g and every input is seen. Where the scenario
// rests on convexity, which divides that by tau, rounds keep their local steps. An arm without
// noise gives a run that says that it is not private. The error is about an arm that cannot be
// made small: a problem of a fixed number of learners keeps its own.
func (Family) Audit(b *study.Builder, v study.Variant) ([]*auditing.Run, error) {
	f, issues := study.DecodeFile(v.Document)
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	section := Defaults()
	if err := document.Decode(f.Algorithm, &section); err != nil {
		return nil, err
	}
	tau := 1
	if section.Version == ofl.PerRound && section.Sensitivity == mechanisms.SensitivityConvex {
		tau = section.Tau
	}
	sizes, err := sizesOf(b, v, &f, tau)
	if err != nil {
		return nil, err
	}
	var r *auditing.Run
	for _, at := range sizes {
		if r, err = auditOf(b, v, at, tau); err == nil {
			return []*auditing.Run{r}, nil
		}
	}
	return nil, err
}

// size is the size of an audited run. met is the participation of a datum in the steps of the
// study; nil leaves it to the run's own problem.
type size struct {
	learners, rounds int
	met              *factorization.Participation
}

// sizesOf lists the sizes at which an arm may be audited. The audit takes the first possible
// one.
func sizesOf(b *study.Builder, v study.Variant, f *study.File, tau int) (list []size, err error) {
	a, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	arm, _ := auditing.SmallArmOf(b, a)
	data, err := problems.BuildRepeatedStreamOf(study.Renewed(b), a, "ofl")
	if err != nil {
		return nil, a.Doc.Resolve("", err).Err()
	}
	met, err := data.Participation(f.Nodes, f.Horizon)
	if err != nil {
		return nil, err
	}
	steps := min(f.Horizon, ownSteps)
	if met = met.Within(steps); arm.Effects != nil || met.Times > 1 {
		rounds := max(1, steps/tau)
		if f.Nodes <= ownLearners {
			list = append(list, size{f.Nodes, rounds, &met})
		}
		list = append(list, size{auditedLearners, rounds, &met})
	}
	// A problem may allow one number of learners only, or have no more data.
	return append(list, size{auditedLearners, auditedRounds, nil}, size{f.Nodes, min(auditedRounds, max(1, f.Horizon/tau)), nil}), nil
}

// narrow holds all parameters of a network but the first ones. Runs begin at the problem's
// start, since a start of the scenario may have other dimensions. Audits look at two
// parameters at a time, because likelihood ratios of few numbers need few samples. The noise
// on a parameter does not depend on the number of parameters.
func (p *oflPlan) narrow(seed uint64) {
	p.section.Start = nil
	if p.stream.Trained == nil && !p.stream.Fixed {
		return
	}
	held, start := *p.stream, p.stream.Start(seed)
	free := min(auditedDimension, len(start))
	held.Model, held.Set = stream.Hold(p.stream.Model, start, free), nil
	held.Start = func(uint64) []float64 { return start[:free] }
	p.stream = &held
}

// auditOf audits the plan of an arm at a size.
func auditOf(b *study.Builder, v study.Variant, at size, tau int) (*auditing.Run, error) {
	values := append(problems.Narrower(b.Kinds, v.Document, auditedDimension), "nodes", strconv.Itoa(at.learners), "horizon", strconv.Itoa(at.rounds*tau), "algorithm.tau", strconv.Itoa(tau))
	values = append(values, tiersOf(b, v, at.learners)...)
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	arm, remark := auditing.SmallArmOf(b, a)
	p, err := read(b, arm, a, func(p *oflPlan) {
		p.narrow(b.Seeds.Base)
		p.fewer = true
		if at.met != nil {
			data := *p.stream
			data.Repeats = func(int, int) (factorization.Participation, error) { return *at.met, nil }
			p.stream = &data
		}
	})
	if err := auditing.CannotShrink(a, err); err != nil {
		return nil, err
	}
	return p.audit(b.Seeds.Base, remark)
}

// audit runs the plan on two extreme neighbours of the data of a seed. The run is made by
// p.assemble, as in a study, so that the audit sees a fault of the plan.
func (p *oflPlan) audit(seed uint64, remark string) (*auditing.Run, error) {
	data, err := p.stream.Draw(seed, p.shape)
	if err != nil {
		return nil, err
	}
	n, err := p.noise()
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: ofl.Learner(0), Delta: p.mechanism.delta, Claimed: p.claim().Text, Claim: p.mechanism.whole(), Private: n.Private(),
		Mechanism: p.mechanism.kind + remark, Inputs: "one client's datum, of gradient B_g to one side or the other",
	}
	if !n.Private() {
		return r, nil
	}
	model := stream.Under(data, p.stream.Model)
	canary, err := p.place(r, n, model, data)
	if err != nil {
		return nil, err
	}
	r.Node = ofl.Learner(canary.learner)
	if p.deltas != nil {
		r.Delta = p.deltas[canary.learner]
	}
	for learner := 0; learner < p.shape.Learners && len(r.Others) < auditedOthers-1; learner++ {
		if learner != canary.learner {
			r.Others = append(r.Others, ofl.Learner(learner))
		}
	}
	r.Noise = func(at auditing.Place) auditing.Noise {
		own := p.of(int(at.Node)-1, n)
		return auditing.Noise{Law: own.Law(), Scale: own.Scale(), Length: at.Length}
	}
	gradient := p.extreme(n.Law())
	sides := [2]*canaryModel{newCanaryModel(model, gradient, 1), newCanaryModel(model, gradient, -1)}
	// The two sides differ in the sign of one gradient and in nothing else: data, graphs
	// and noise of a seed are the same.
	r.Run = func(seed uint64, other bool, noised float64) (*algorithm.Run, error) {
		side := sides[0]
		if other {
			side = sides[1]
		}
		run, err := p.assemble(seed, side, canary, noised)
		if err != nil {
			return nil, err
		}
		run.Gathers = run.Gathers || side.Desk() != nil
		return auditing.AffectAudited(p.arm, run, p.patience())
	}
	return r, nil
}

// place returns the learner and step at which the canary shows the most, and sets the
// whitening of correlated noise. Whitened noise is judged, and there the longest columns of C
// show the most.
func (p *oflPlan) place(r *auditing.Run, n noise.Released, model ofl.Model, data problem.Data) (at canaryData, err error) {
	var separator *audit.Separator
	if n.Correlated() {
		if separator, err = audit.NewSeparator(n.Factorization()); err != nil {
			return at, err
		}
	}
	at = canaryData{Data: data, met: p.met}
	if f := p.factors; f != nil {
		at.learner = slices.Index(f, slices.Min(f)) // the loss that is stated
	}
	if p.arm.Effects != nil {
		all, err := p.attend(r.Node, model, data)
		if err != nil {
			return at, err
		}
		at.learner, at.step = all.worst(p, separator, at)
		r.Whiten = all.whiten(separator)
		return at, nil
	}
	input := 0
	if separator != nil {
		r.Whiten = func(_ []auditing.Place, rows [][]float64) { separator.Whiten(rows) }
		input, _ = separator.Worst(p.mechanism.inputs)
	}
	// Inputs of version 1 are averages of rounds. The datum is then in the last local step of
	// its round, after which nothing reacts to it.
	if at.step = input; p.options.Version == ofl.PerRound {
		at.step = input*p.shape.Tau + p.shape.Tau - 1
	}
	return at, nil
}

// auditedOthers is the number of learners, the audited one included, whose noise is compared
// with the stated noise.
const auditedOthers = 8

// extreme is the gradient of length B_g that moves an input the furthest in the norm of the
// law: in 1-norm, one with entries that are all alike.
func (p *oflPlan) extreme(law noise.Law) []float64 {
	d := p.stream.Model.Dim()
	g := make([]float64, d)
	g[0] = p.options.GradientBound
	if law.Norm() == noise.L1 {
		for k := range g {
			g[k] = p.options.GradientBound / noise.L1.Ball(d)
		}
	}
	return g
}
