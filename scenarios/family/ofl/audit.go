package ofl

import (
	"fmt"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/ofl"
	"starling/actors/topology"
	"starling/mechanisms/audit"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/kind"
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

// auditedStream stands for images, which have many coordinates: what the audited
// client sends in its step the audit sets itself, in any problem.
var auditedStream = fmt.Sprintf("{kind: synthetic-logistic, dimension: %d}", auditedDimension)

// Audit lets one client of the first learner have a gradient of length B_g, to
// one side or the other, in the step whose column of C is the longest. Rounds
// have one local step, in which a datum moves an input by all of its 2 B_g and
// every input is seen; where the scenario rests on convexity, which divides
// that by tau, they keep theirs.
func Audit(b *study.Builder, v study.Variant) ([]*auditing.Run, error) {
	original, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	tau, err := auditedTau(original)
	if err != nil {
		return nil, err
	}
	values := []string{
		"nodes", strconv.Itoa(auditedLearners), "horizon", strconv.Itoa(auditedRounds * tau),
		"algorithm.tau", strconv.Itoa(tau), "problem.dimension", strconv.Itoa(auditedDimension),
	}
	if section, ok := v.Document.Find("problem"); ok {
		if kind, err := kind.NameOf(section); err == nil && kind == problems.KindImages {
			values = append(values, "problem", auditedStream)
		}
	}
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	p, err := smallOFL(b, a)
	if err != nil {
		return nil, err
	}
	r, err := auditedOFL(p, b.Seeds.Base)
	return []*auditing.Run{r}, err
}

// auditedTau is the number of local steps of the audited run.
func auditedTau(a *study.ArmFile) (int, error) {
	p := &oflPlan{section: Defaults()}
	if err := document.Decode(a.Algorithm, &p.section); err != nil {
		return 0, err
	}
	if p.section.Version == ofl.PerRound && p.section.Sensitivity == mechanisms.SensitivityConvex {
		return p.section.Tau, nil
	}
	return 1, nil
}

// smallOFL builds the plan of a small run as a scenario's is built.
func smallOFL(b *study.Builder, a *study.ArmFile) (*oflPlan, error) {
	p, found := &oflPlan{arm: &study.Arm{Name: a.Name, File: a.File}, section: Defaults()}, &study.Faults{Doc: a.Doc}
	p.remark = auditing.TryAffect(b, p.arm, a)
	if err := document.Decode(a.Algorithm, &p.section); err != nil {
		return nil, err
	}
	p.section.Start = nil // of another dimension
	p.mechanism = p.correlated(a, found)
	if p.stream = problems.BuildStreamOf(b, a, found); p.stream == nil || len(found.Issues) > 0 {
		return nil, auditing.CannotShrink(found)
	}
	if p.shape = p.shapeOf(a, found); p.shape.Rounds > 0 {
		p.configure(b, a, found)
	}
	if p.arm.Effects != nil {
		p.options.Effects, p.arm.Effects.Patience = true, 2*p.shape.Tau
	}
	return p, auditing.CannotShrink(found)
}

// auditedOFL audits a small run on the data of a seed.
func auditedOFL(p *oflPlan, seed uint64) (*auditing.Run, error) {
	o := p.options
	var err error
	if o.Data, err = p.stream.Draw(seed, p.shape); err != nil {
		return nil, err
	}
	sequence, err := ofl.Graph(o.Learners)
	if err != nil {
		return nil, err
	}
	if o.Noise, err = p.noise(); err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: ofl.Learner(0), Delta: p.mechanism.Delta, Claimed: p.claim(), Claim: p.mechanism.Epsilon, Private: o.Noise != nil,
		Mechanism: p.mechanism.Kind + p.remark, Inputs: "one client's datum, of gradient B_g to one side or the other",
	}
	if o.Noise == nil {
		return r, nil
	}
	separator, err := audit.NewSeparator(o.Noise.Factorization)
	if err != nil {
		return nil, err
	}
	r.Whiten = separator.Whiten
	for learner := 1; learner < o.Learners; learner++ {
		r.Others = append(r.Others, ofl.Learner(learner))
	}
	r.Noise = func(at auditing.Place) auditing.Noise {
		return auditing.Noise{Law: audit.GaussianLaw, Scale: o.Noise.Scale, Length: at.Length}
	}
	input, _ := separator.Worst()
	data := canaryData{Data: o.Data, step: input}
	if o.Version == ofl.PerRound {
		data.step = input*o.Tau + o.Tau - 1
	}
	r.Run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		return oflRun(p.arm, o, sequence, data, seed, other, noise)
	}
	return r, nil
}

// oflRun is a run of the audited size.
func oflRun(arm *study.Arm, o ofl.Options, sequence topology.Sequence, data canaryData, seed uint64, other bool, noise float64) (*algorithm.Run, error) {
	gradient := o.GradientBound
	if other {
		gradient = -gradient
	}
	o.Model, o.Data = canaryModel{Model: o.Model, gradient: gradient}, data
	if noise == 0 {
		o.Noise = nil
	} else {
		scaled := *o.Noise
		scaled.Scale *= noise
		o.Noise = &scaled
	}
	machines, err := ofl.New(o)
	if err != nil {
		return nil, err
	}
	return auditing.AffectAudited(arm, &algorithm.Run{
		Seed: seed, Steps: o.Steps(), Graphs: sequence, Machines: machines, Hops: o.Hops, Acts: o.Acts,
	})
}

// canaryData mark the datum of one client of learner 0 by a further number. What
// the datum says is in the model, so that what the client tells its learner, of
// which no other party learns, is the same on both sides.
type canaryData struct {
	ofl.Data
	step int
}

// Width implements ofl.Data.
func (c canaryData) Width() int { return c.Data.Width() + 1 }

// Datum implements ofl.Data.
func (c canaryData) Datum(dst []float64, learner, step int) {
	last := len(dst) - 1
	c.Data.Datum(dst[:last:last], learner, step)
	dst[last] = 0
	if learner == 0 && step == c.step {
		dst[last] = 1
	}
}

// canaryModel has a gradient along the first axis at the marked datum.
type canaryModel struct {
	ofl.Model
	gradient float64
}

// Gradient implements ofl.Model.
func (c canaryModel) Gradient(dst, x, datum []float64) {
	last := len(datum) - 1
	if datum[last] == 0 {
		c.Model.Gradient(dst, x, datum[:last])
		return
	}
	clear(dst)
	dst[0] = c.gradient
}
