package scenarios

import (
	"fmt"
	"math"
	"math/bits"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/actors/topology"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/document"
)

// The algorithms of prediction from experts are audited on losses that the audit
// sets itself, at the bounds that the problem has. The canary is the loss of one
// client at step 1.

// setLosses are losses of gradient l at x, written to dst. Those of which l is the
// same at every x are linear, <l, x>.
type setLosses func(dst []float64, client messages.NodeID, step int, x []float64)

// Loss implements algorithm.Costs.
func (f setLosses) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	l := make([]float64, len(x))
	f(l, node, step, x)
	for k, v := range x {
		sum += float64(l[k] * v)
	}
	return sum
}

// Gradient implements algorithm.Costs.
func (f setLosses) Gradient(dst []float64, node messages.NodeID, step int, x []float64) {
	f(dst, node, step, x)
}

// In phase 2 of Fed-DP-OPE-Stoch the first loss is all that there is to draw, and
// both leaves use it. Phase 3 is run for its noise alone, which must not be that of
// phase 2. Right children draw losses in later phases only.
const (
	auditedPhases  = 3
	auditedExperts = 2 // at which one release shows what its d numbers cost
	// mostPhases bounds the search for a phase whose right children draw losses.
	mostPhases = 10
)

// auditOPEStoch audits what one client sends where clients add noise, and what
// the server does where that is the server.
func auditOPEStoch(b *builder, v variant) (runs []*auditedRun, err error) {
	a, err := smaller(b.kinds, v, "horizon", fmt.Sprint(phaseHorizon(auditedPhases)), "nodes", "2")
	if err != nil {
		return nil, err
	}
	arm, found := &Arm{Name: a.name, file: a.file}, &faults{doc: a.doc}
	s := defaultOPEStoch()
	found.note(document.Decode(a.Algorithm, &s))
	p := expertsOf[phaseMechanism](b, arm, a, "opestoch", found)
	if err := cannotShrink(found); err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditedRun{{delta: p.claimed.Delta, mechanism: "none", claimed: p.claim()}}, nil
	}
	options := *p.opestochOptions(&s, a)
	options.Start = nil // that of another dimension
	if !p.adversary.linear {
		options.Losses = noCosts{} // until there is a canary
	}
	experts := []int{min(auditedExperts, p.adversary.experts)}
	if p.adversary.experts > auditedExperts && s.Variant != opestoch.Central {
		experts = append(experts, p.adversary.experts)
	}
	for _, d := range experts {
		options.Experts = d
		r, err := p.auditedOPEStoch(options)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	right, err := p.auditedRightChild(options)
	if right != nil {
		runs = append(runs, right)
	}
	return runs, err
}

// phaseHorizon is the step in which a phase begins and has all its releases.
func phaseHorizon(number int) int { return 1 << (number - 1) }

// auditedOPEStoch makes an audit of a loss in phase 2.
func (p *expertPlan) auditedOPEStoch(o opestoch.Options) (*auditedRun, error) {
	low, spread := p.lossRange()
	r := p.opestochRun(&o)
	r.inputs = fmt.Sprintf("one loss of one client, %.6g or %.6g for every expert", low, low+spread)
	losses := func(_ uint64, other bool) (setLosses, error) { return sameLosses(low, spread, other), nil }
	if o.Variant == opestoch.Central {
		o.Horizon = phaseHorizon(2)
		losses = r.auditedCentral(&o, low, spread)
	}
	return r, r.opestochRuns(o, losses)
}

// lossRange is the least loss, and by how much the largest exceeds it.
func (p *expertPlan) lossRange() (low, spread float64) {
	if p.adversary.linear {
		return 0, p.adversary.alpha
	}
	return -p.adversary.alpha, 2 * p.adversary.alpha
}

// opestochRun describes an audit of Fed-DP-OPE-Stoch, but for its inputs.
func (p *expertPlan) opestochRun(o *opestoch.Options) *auditedRun {
	return &auditedRun{
		node: 1, others: []messages.NodeID{2}, delta: o.Delta, private: true, claimed: p.claim(), claim: o.Epsilon,
		mechanism: fmt.Sprintf("laplace, %s, %s", o.Variant, Counted(o.Experts, "expert")),
	}
}

// opestochRuns makes the runs of an audit on either of two inputs, with so many
// times the noise, and what is known of them.
func (r *auditedRun) opestochRuns(o opestoch.Options, losses func(seed uint64, other bool) (setLosses, error)) error {
	sequence, err := topology.Star{Leaves: o.Clients}.Sequence()
	if err != nil {
		return err
	}
	schedule, err := opestoch.NewSchedule(&o)
	if err != nil {
		return err
	}
	if o.Variant == opestoch.Approximate { // its meter adds up
		account, err := opestoch.Accounted(&o)
		if err != nil {
			return err
		}
		r.planned = &account.Wire
	}
	if o.Variant == opestoch.Central {
		r.others = nil
	} else {
		r.noise = func(at auditPlace) auditNoise {
			tree := bits.Len(uint(at.hop/2+2)) - 1
			return auditNoise{audit.LaplaceLaw, schedule.Phases[bits.Len(uint(at.step))-1].Scales[tree-1], at.length}
		}
	}
	law := o // which does not depend on the streams
	law.NoisePurpose, law.SamplePurpose = 0, 0
	r.key = fmt.Sprintf("%s %+v", r.inputs, law)
	r.run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		l, err := losses(seed, other)
		if err != nil {
			return nil, err
		}
		o := o
		o.Epsilon /= noise // the scale of the noise is in inverse proportion
		return opestochRun(o, sequence, seed, l)
	}
	return nil
}

// opestochRun is a run on linear losses, or where the options have losses on those.
func opestochRun(o opestoch.Options, sequence topology.Sequence, seed uint64, losses algorithm.Costs) (*algorithm.Run, error) {
	if o.Losses != nil {
		o.Losses = losses
	}
	machines, schedule, err := opestoch.New(o)
	if err != nil {
		return nil, err
	}
	return &algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: o.Horizon, Graphs: sequence, Machines: machines, Costs: losses, Hops: schedule.Hops, Acts: schedule.Acts,
	}, nil
}

// sameLosses are the least for all experts, but that of client 1 at step 1, which
// is the largest on the other side.
func sameLosses(low, spread float64, other bool) setLosses {
	return func(dst []float64, client messages.NodeID, step int, _ []float64) {
		for k := range dst {
			dst[k] = low
			if other && client == 1 && step == 1 {
				dst[k] += spread
			}
		}
	}
}

// The server of the central variant chooses between an expert and one that is so
// many scales of its noise ahead of it, by the losses of all clients but the
// first: the less often the former is chosen, the more its choice says, and the
// rarer it is. Where that would take more than mostAhead clients they are nearer.
const (
	aheadScales = 1.0
	mostAhead   = 64
)

// auditedCentral makes the audit one of the server, with the clients that it
// takes for the distance of the two experts, and returns the losses.
func (r *auditedRun) auditedCentral(o *opestoch.Options, low, spread float64) func(seed uint64, other bool) (setLosses, error) {
	// The scale, 8 alpha/(m eps), is of the mean over m clients, of whom m - 1
	// keep the experts apart by a share of spread each.
	distance := aheadScales * 8 * o.Alpha / (o.Epsilon * spread)
	o.Clients = min(1+int(math.Ceil(distance)), mostAhead)
	share := min(1, distance/float64(o.Clients-1))
	r.node, r.classes = 0, o.Horizon+1
	r.mechanism = "report noisy max, central"
	r.inputs = "one loss of one client, the largest for one expert and the least for the other, or the other way round"
	r.outcome = func(sent [][]float64) (chosen int) {
		for _, row := range sent[1:] { // after the start
			if row[0] == 1 {
				chosen++
			}
		}
		return chosen
	}
	return func(_ uint64, other bool) (setLosses, error) {
		return func(dst []float64, client messages.NodeID, _ int, _ []float64) {
			for k := range dst {
				dst[k] = low
			}
			switch {
			case client > 1:
				dst[0] += share * spread
			case other:
				dst[len(dst)-1] += spread // so that the first is chosen more often
			default:
				dst[0] += spread
			}
		}, nil
	}
}
