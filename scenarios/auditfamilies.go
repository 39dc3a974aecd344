package scenarios

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpdonc"
	"starling/actors/algorithm/ofl"
	"starling/actors/topology"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/document"
)

// auditedHorizons are the sizes at which DPDO-NC is audited: up to the first
// release that depends on data, which as printed falls short the most, and two
// releases more. The loss of longer runs grows beyond what samples can show.
var auditedHorizons = []int{2, 4}

// auditedNodes is how many nodes of DPDO-NC take part where a scenario has more,
// unless its topology is for just so many.
const auditedNodes = 16

// auditDPDONC replaces all costs of the first node by linear ones of slope theta
// or -theta.
func auditDPDONC(b *builder, v variant) (runs []*auditedRun, err error) {
	for _, horizon := range auditedHorizons {
		run, err := smallDPDONC(b, v, horizon)
		if err != nil {
			return nil, err
		}
		if runs = append(runs, run); !run.private {
			break
		}
	}
	return runs, nil
}

// smallDPDONC makes the audit of a number of steps.
func smallDPDONC(b *builder, v variant, horizon int) (*auditedRun, error) {
	values := []string{"horizon", strconv.Itoa(horizon)}
	if f, _ := decodeFile(v.document); f.Nodes > auditedNodes {
		a, err := smaller(b.kinds, v, append(values, "nodes", strconv.Itoa(auditedNodes))...)
		if err != nil {
			return nil, err
		}
		if run, err := auditedDPDONC(b.anew(), a); err == nil {
			return run, nil
		}
	}
	a, err := smaller(b.kinds, v, values...)
	if err != nil {
		return nil, err
	}
	return auditedDPDONC(b.anew(), a)
}

func auditedDPDONC(b *builder, a *armFile) (*auditedRun, error) {
	arm, found := &Arm{Name: a.name, file: a.file}, &faults{doc: a.doc}
	found.note(affectSmall(b, arm, a))
	parts, err := dpdoncSections(a)
	b.network(arm, a, parts.weights(), found)
	found.note(err)
	if err := cannotShrink(found); err != nil {
		return nil, err
	}
	options := parts.options(a, arm.problem)
	options.AverageRows = arm.topology.demand(arm.weights).Rows
	instance, err := arm.problem.Draw(a.Seeds.Base, a.Horizon)
	if err != nil {
		return nil, err
	}
	sequence, err := arm.topology.sequence(a.Seeds.Base)
	if err != nil {
		return nil, err
	}
	r := &auditedRun{
		mechanism: fmt.Sprintf("%s, %d steps", dpdoncNoise(&options), a.Horizon),
		inputs:    "all costs of one node, linear of slope theta or -theta",
		claimed:   claimOf(&options, a.Horizon), private: !math.IsInf(options.Epsilon, 1),
		others: otherNodes(a.Nodes), remember: dpdonc.Remember,
		noise: func(at auditPlace) auditNoise {
			mechanism, _ := options.Release(at.step)
			if at.begins && options.Noise == dpdonc.Shifted {
				mechanism.Scale = 0 // the public start
			}
			return auditNoise{audit.LaplaceLaw, mechanism.Scale, options.Set.Dim()}
		},
	}
	costs := canaryCosts{Costs: instance, node: r.node}
	r.run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		o, c := options, costs
		if other {
			c.side = -1
		} else {
			c.side = 1
		}
		o.Epsilon /= noise // the scale of the noise is in inverse proportion
		machines, err := dpdonc.New(o)
		if err != nil {
			return nil, err
		}
		return arm.affectAudited(&algorithm.Run{
			Seed: seed, FirstStep: 1, FirstLabel: 1, Steps: a.Horizon, Graphs: sequence, Machines: machines, Costs: c,
		})
	}
	if costs.slope, err = r.bestDirection(options.Theta, options.Set.Dim(), func(slope []float64) { costs.slope = slope }); err != nil {
		return nil, err
	}
	return r, nil
}

// otherNodes are the nodes beside the first whose noise is compared with its own.
func otherNodes(nodes int) (list []messages.NodeID) {
	const most = 7
	for node := 1; node < min(nodes, 1+most); node++ {
		list = append(list, messages.NodeID(node))
	}
	return list
}

func dpdoncNoise(o *dpdonc.Options) string {
	if math.IsInf(o.Epsilon, 1) {
		return "none"
	}
	return "laplace " + string(o.Noise)
}

// bestDirection tries a few directions of a gradient of length theta and returns
// the one that moves what the node sends the furthest in 1-norm, without noise:
// which direction a decision set leaves free depends on the set.
func (a *auditedRun) bestDirection(theta float64, dim int, use func([]float64)) (best []float64, err error) {
	furthest := math.Inf(-1)
	for kind := range 4 {
		slope := make([]float64, dim)
		for k := range slope {
			switch sign := float64(1 - 2*(k%2)); {
			case kind == 0:
				slope[k] = 1
			case kind == 1:
				slope[k] = sign
			case kind == 2 && k < 2:
				slope[k] = sign
			case kind == 3 && k == 0:
				slope[k] = 1
			}
		}
		var square float64
		for _, v := range slope {
			square += v * v
		}
		for k := range slope {
			slope[k] *= theta / math.Sqrt(square)
		}
		use(slope)
		moved, err := a.moved()
		if err != nil {
			return nil, err
		}
		if moved > furthest {
			furthest, best = moved, slope
		}
	}
	return best, nil
}

// canaryCosts are costs of which those of one node are linear, <side slope, x>.
type canaryCosts struct {
	algorithm.Costs
	node  messages.NodeID
	side  float64
	slope []float64
}

// Loss implements algorithm.Costs.
func (c canaryCosts) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	if node != c.node {
		return c.Costs.Loss(node, step, x)
	}
	for k, v := range x {
		sum += float64(c.side * c.slope[k] * v)
	}
	return sum
}

// Gradient implements algorithm.Costs.
func (c canaryCosts) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	if node != c.node {
		c.Costs.Gradient(dst, node, step, x)
		return
	}
	for k := range dst {
		dst[k] = c.side * c.slope[k]
	}
}

// The size at which online federated learning is audited.
const (
	auditedLearners  = 2
	auditedRounds    = 8
	auditedDimension = 2
)

// auditedStream stands for images, which have many coordinates: what the audited
// client sends in its step the audit sets itself, in any problem.
var auditedStream = fmt.Sprintf("{kind: synthetic-logistic, dimension: %d}", auditedDimension)

// auditOFL lets one client of the first learner have a gradient of length B_g, to
// one side or the other, in the step whose column of C is the longest. Rounds
// have one local step, in which a datum moves an input by all of its 2 B_g and
// every input is seen; where the scenario rests on convexity, which divides
// that by tau, they keep theirs.
func auditOFL(b *builder, v variant) ([]*auditedRun, error) {
	original, err := smaller(b.kinds, v)
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
	if section, ok := v.document.Find("problem"); ok {
		if kind, err := kindOf(section); err == nil && kind == kindImages {
			values = append(values, "problem", auditedStream)
		}
	}
	a, err := smaller(b.kinds, v, values...)
	if err != nil {
		return nil, err
	}
	p, err := smallOFL(b, a)
	if err != nil {
		return nil, err
	}
	r, err := auditedOFL(p, b.seeds.Base)
	return []*auditedRun{r}, err
}

// auditedTau is the number of local steps of the audited run.
func auditedTau(a *armFile) (int, error) {
	p := &oflPlan{section: defaultOFL()}
	if err := document.Decode(a.Algorithm, &p.section); err != nil {
		return 0, err
	}
	if p.section.Version == ofl.PerRound && p.section.Sensitivity == sensitivityConvex {
		return p.section.Tau, nil
	}
	return 1, nil
}

// smallOFL builds the plan of a small run as a scenario's is built.
func smallOFL(b *builder, a *armFile) (*oflPlan, error) {
	p, found := &oflPlan{arm: &Arm{Name: a.name, file: a.file}, section: defaultOFL()}, &faults{doc: a.doc}
	p.remark = tryAffect(b, p.arm, a)
	if err := document.Decode(a.Algorithm, &p.section); err != nil {
		return nil, err
	}
	p.section.Start = nil // of another dimension
	p.mechanism = p.correlated(a, found)
	if p.stream = b.stream(a, found); p.stream == nil || len(found.issues) > 0 {
		return nil, cannotShrink(found)
	}
	if p.shape = p.shapeOf(a, found); p.shape.Rounds > 0 {
		p.configure(b, a, found)
	}
	if p.arm.effects != nil {
		p.options.Effects, p.arm.effects.patience = true, 2*p.shape.Tau
	}
	return p, cannotShrink(found)
}

// auditedOFL audits a small run on the data of a seed.
func auditedOFL(p *oflPlan, seed uint64) (*auditedRun, error) {
	o := p.options
	var err error
	if o.Data, err = p.stream.draw(seed, p.shape); err != nil {
		return nil, err
	}
	sequence, err := ofl.Graph(o.Learners)
	if err != nil {
		return nil, err
	}
	if o.Noise, err = p.noise(); err != nil {
		return nil, err
	}
	r := &auditedRun{
		node: ofl.Learner(0), delta: p.mechanism.Delta, claimed: p.claim(), claim: p.mechanism.Epsilon, private: o.Noise != nil,
		mechanism: p.mechanism.Kind + p.remark, inputs: "one client's datum, of gradient B_g to one side or the other",
	}
	if o.Noise == nil {
		return r, nil
	}
	separator, err := audit.NewSeparator(o.Noise.Factorization)
	if err != nil {
		return nil, err
	}
	r.whiten = separator.Whiten
	for learner := 1; learner < o.Learners; learner++ {
		r.others = append(r.others, ofl.Learner(learner))
	}
	r.noise = func(at auditPlace) auditNoise { return auditNoise{audit.GaussianLaw, o.Noise.Scale, at.length} }
	input, _ := separator.Worst()
	data := canaryData{Data: o.Data, step: input}
	if o.Version == ofl.PerRound {
		data.step = input*o.Tau + o.Tau - 1
	}
	r.run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		return p.arm.oflRun(o, sequence, data, seed, other, noise)
	}
	return r, nil
}

// oflRun is a run of the audited size.
func (arm *Arm) oflRun(o ofl.Options, sequence topology.Sequence, data canaryData, seed uint64, other bool, noise float64) (*algorithm.Run, error) {
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
	return arm.affectAudited(&algorithm.Run{
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
