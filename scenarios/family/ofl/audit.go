package ofl

import (
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/desk"
	"starling/actors/algorithm/ofl"
	"starling/mechanisms/audit"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// The size at which online federated learning is audited.
const (
	auditedLearners  = 2
	auditedRounds    = 8
	auditedDimension = 2
)

// Audit lets one client of the first learner have a gradient of length B_g, to
// one side or the other, in the step whose column of C is the longest. Rounds
// have one local step, in which a datum moves an input by all of its 2 B_g and
// every input is seen; where the scenario rests on convexity, which divides
// that by tau, they keep theirs. An arm without noise gives a run that is not private and
// says so. The error is that of an arm that cannot be made small: a problem of a fixed
// number of learners keeps its own.
func Audit(b *study.Builder, v study.Variant) ([]*auditing.Run, error) {
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
	sized := func(learners, rounds int) []string {
		return append(problems.Narrower(v.Document, auditedDimension), "nodes", strconv.Itoa(learners), "horizon", strconv.Itoa(rounds*tau), "algorithm.tau", strconv.Itoa(tau))
	}
	r, err := auditOf(b, v, sized(auditedLearners, auditedRounds))
	if err != nil { // of a problem that is for just so many learners, or has no more data
		r, err = auditOf(b, v, sized(f.Nodes, min(auditedRounds, max(1, f.Horizon/tau))))
	}
	if err != nil {
		return nil, err
	}
	return []*auditing.Run{r}, nil
}

// narrow holds all parameters of a network but the first. Runs begin where the problem
// does, for a start of the scenario may have other dimensions. Audits look at two
// parameters at a time, because likelihood ratios of few numbers need few samples. What
// noise a parameter carries does not depend on how many there are.
func (p *oflPlan) narrow(seed uint64) {
	p.section.Start = nil
	if p.stream.Images == nil && !p.stream.Fixed {
		return
	}
	held, start := *p.stream, p.stream.Start(seed)
	free := min(auditedDimension, len(start))
	held.Model, held.Set = stream.Hold(p.stream.Model, start, free), nil
	held.Start = func(uint64) []float64 { return start[:free] }
	p.stream = &held
}

// auditOf audits the plan of an arm with values replaced.
func auditOf(b *study.Builder, v study.Variant, values []string) (*auditing.Run, error) {
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	arm, found := &study.Arm{Name: a.Name, File: a.File}, &study.Faults{Doc: a.Doc}
	remark := auditing.TryAffect(b, arm, a)
	p := read(b, arm, a, found, func(p *oflPlan) { p.narrow(b.Seeds.Base) })
	if err := auditing.CannotShrink(found); err != nil {
		return nil, err
	}
	return p.audit(b.Seeds.Base, remark)
}

// audit has the plan run on two extreme neighbours of the data of a seed. The run of an
// audit is p.assemble, as of a study, so that a fault of the plan is seen.
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
		Node: ofl.Learner(0), Delta: p.mechanism.delta, Claimed: p.claim(), Claim: p.mechanism.whole(), Private: n != nil,
		Mechanism: p.mechanism.kind + remark, Inputs: "one client's datum, of gradient B_g to one side or the other",
	}
	if n == nil {
		return r, nil
	}
	// Correlated noise is whitened before it is judged, and the canary goes where the
	// columns of C are longest: there a datum shows the most.
	law, input := audit.GaussianLaw, 0
	if n.Factorization == nil {
		law = audit.Law(n.Law)
	} else {
		separator, err := audit.NewSeparator(n.Factorization)
		if err != nil {
			return nil, err
		}
		r.Whiten = separator.Whiten
		input, _ = separator.Worst(p.mechanism.inputs)
	}
	for learner := 1; learner < min(p.shape.Learners, auditedOthers); learner++ {
		r.Others = append(r.Others, ofl.Learner(learner))
	}
	r.Noise = func(at auditing.Place) auditing.Noise {
		return auditing.Noise{Law: law, Scale: n.Scale, Length: at.Length}
	}
	// Inputs of version 1 are averages of rounds. The datum is then in the last local step
	// of its round, after which nothing reacts to it.
	canary := canaryData{Data: data, step: input, met: p.met}
	if p.options.Version == ofl.PerRound {
		canary.step = input*p.shape.Tau + p.shape.Tau - 1
	}
	gradient, model := p.extreme(n.Law), stream.Under(data, p.stream.Model)
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
		return auditing.AffectAudited(p.arm, run)
	}
	return r, nil
}

// auditedOthers is how many learners, the audited one included, have their noise compared
// with what it is stated to be.
const auditedOthers = 8

// extreme is the gradient of length B_g that moves an input the furthest in the norm of
// the law: of Laplace noise, one with entries that are all alike.
func (p *oflPlan) extreme(law noise.Law) []float64 {
	d := p.stream.Model.Dim()
	g := make([]float64, d)
	g[0] = p.options.GradientBound
	if law == noise.LaplaceLaw {
		for k := range g {
			g[k] = p.options.GradientBound / ofl.L1Over2(d)
		}
	}
	return g
}

// canaryData marks the datum of one client of learner 0 by a further number, 1 at the
// datum and 0 elsewhere. What the datum says is in the model, so that what the client
// tells its learner, of which no other party learns, is the same on both sides.
type canaryData struct {
	ofl.Data
	// step is the first step, from 0, of the marked datum. met says in which later steps
	// the datum comes back, where data are gone through again.
	step int
	met  factorization.Participation
}

// Width implements ofl.Data.
func (c canaryData) Width() int { return c.Data.Width() + 1 }

// Datum implements ofl.Data.
func (c canaryData) Datum(dst []float64, learner, step int) {
	last := len(dst) - 1
	c.Data.Datum(dst[:last:last], learner, step)
	dst[last] = 0
	if after := step - c.step; learner == 0 && after >= 0 && after%c.met.Apart == 0 && after/c.met.Apart < c.met.Times {
		dst[last] = 1
	}
}

// canaryModel has a gradient of its own at the marked datum: side times gradient, of
// length B_g, and so as far apart on the two sides as the bound allows, 2 B_g.
type canaryModel struct {
	ofl.Model
	// gradient has len d and 2-norm B_g, and is shared by both sides.
	gradient []float64
	side     float64 // 1 or -1
	desk     desk.Desk
}

func newCanaryModel(model ofl.Model, gradient []float64, side float64) *canaryModel {
	c := &canaryModel{Model: model, gradient: gradient, side: side}
	if others := desk.OfModel(model); others != nil {
		c.desk = &canaryDesk{c, others}
	}
	return c
}

// Desk implements desk.Around.
func (c *canaryModel) Desk() desk.Desk { return c.desk }

// canaryDesk answers about the marked datum itself, and asks the desk of the model about others.
type canaryDesk struct {
	of     *canaryModel
	others desk.Desk
}

// Answer implements desk.Desk, for questions of type *desk.Datum.
func (c *canaryDesk) Answer(step int, nodes []messages.NodeID, questions []any) error {
	var rest []messages.NodeID
	var theirs []any
	for i, question := range questions {
		q := question.(*desk.Datum)
		if last := len(q.Datum) - 1; q.Datum[last] == 0 {
			rest, theirs = append(rest, nodes[i]), append(theirs, &desk.Datum{X: q.X, Datum: q.Datum[:last], Answer: q.Answer})
			continue
		}
		c.of.Gradient(q.Answer, q.X, q.Datum)
	}
	if len(rest) == 0 {
		return nil
	}
	return c.others.Answer(step, rest, theirs)
}

// Gradient implements ofl.Model.
func (c *canaryModel) Gradient(dst, x, datum []float64) {
	last := len(datum) - 1
	if datum[last] == 0 {
		c.Model.Gradient(dst, x, datum[:last])
		return
	}
	for k, g := range c.gradient {
		dst[k] = c.side * g
	}
}
