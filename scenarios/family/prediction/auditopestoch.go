package prediction

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/study"
)

// The algorithms of prediction from experts are audited on losses that the audit sets itself,
// at the bounds that the problem has. The canary is the loss of one client at step 1.

// setLosses are losses with gradient l at x, written to dst. They are linear, <l, x>, if l is
// the same at every x.
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

// In phase 2 of Fed-DP-OPE-Stoch there is one loss to draw, the first, and both leaves use it.
// Phase 3 is run for its noise alone, which must differ from the noise of phase 2. Right
// children draw losses in later phases only.
const (
	auditedPhases  = 3
	auditedExperts = 2 // at which one release shows the loss of its d numbers
	// mostPhases bounds the search for a phase in which right children draw losses.
	mostPhases = 10
)

// Audit implements auditing.Auditable. It audits the messages of one client where clients add
// noise, and the choices of the server where the server does.
func (OPEStoch) Audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	a, err := auditing.Smaller(b.Kinds, v, "horizon", fmt.Sprint(phaseHorizon(auditedPhases)), "nodes", "2")
	if err != nil {
		return nil, err
	}
	p, s, err := readOPEStoch(b, &study.Arm{Name: a.Name, File: a.File}, a)
	if err := auditing.CannotShrink(a, err); err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditing.Run{{Delta: p.delta, Mechanism: "none", Claimed: p.claim().Text}}, nil
	}
	s.Start = nil // it has another dimension
	// The loss of a vector may depend on its length. It is audited at auditedExperts and,
	// where clients add the noise, at the length of the arm.
	experts := []int{min(auditedExperts, p.adversary.Experts)}
	if p.adversary.Experts > auditedExperts && s.Variant != opestoch.Central {
		experts = append(experts, p.adversary.Experts)
	}
	for _, d := range experts {
		r, err := p.auditedOPEStoch(&s, d)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	right, err := p.auditedRightChild(&s)
	if right != nil {
		runs = append(runs, right)
	}
	return runs, err
}

// phaseHorizon is the first step of a phase, in which it has all its releases.
func phaseHorizon(number int) int { return 1 << (number - 1) }

// auditedOPEStoch makes an audit of a loss in phase 2, with d experts.
func (p *expertPlan) auditedOPEStoch(s *opestochSection, d int) (*auditing.Run, error) {
	low, spread := p.lossRange()
	losses := func(_ uint64, other bool) (setLosses, error) { return sameLosses(low, spread, other), nil }
	if s.Variant == opestoch.Central {
		return p.auditedCentral(s, d)
	}
	small := p.sized(p.clients, d, p.horizon)
	if err := small.planOPEStoch(s); err != nil {
		return nil, err
	}
	return small.opestochRun(s, fmt.Sprintf("one loss of one client, %.6g or %.6g for every expert", low, low+spread), losses), nil
}

// lossRange returns the least loss, and the largest minus the least.
func (p *expertPlan) lossRange() (low, spread float64) {
	if p.adversary.Linear {
		return 0, p.adversary.Alpha
	}
	return -p.adversary.Alpha, 2 * p.adversary.Alpha
}

// opestochRun is an audit of Fed-DP-OPE-Stoch, as planned, on either of two inputs. losses
// makes the losses of a seed on one side. The run is made by p.run, as in a study.
func (p *expertPlan) opestochRun(s *opestochSection, inputs string, losses func(seed uint64, other bool) (setLosses, error)) *auditing.Run {
	law := *p.opestochOptions(s) // it does not depend on the streams
	law.NoisePurpose, law.SamplePurpose = 0, 0
	audited := p.law()
	r := &auditing.Run{
		Node: 1, Others: []messages.NodeID{2}, Delta: p.delta, Private: true, Claimed: p.claim().Text, Claim: law.Epsilon, Inputs: inputs,
		Mechanism: fmt.Sprintf("%v, %s, %s", audited, law.Variant, document.Counted(law.Experts, "expert")),
		Key:       fmt.Sprintf("%s %+v", inputs, law),
		Noise: func(at auditing.Place) auditing.Noise {
			return auditing.Noise{Law: audited, Scale: p.scale(at.Step, at.Hop), Length: at.Length}
		},
		Run: func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
			l, err := losses(seed, other)
			if err != nil {
				return nil, err
			}
			return p.run(seed, l, noise)
		},
	}
	if p.Additive != nil {
		r.Claim = 0 // the paper claims none for a run
	}
	if law.Variant == opestoch.Approximate { // its meter composes losses
		planned := p.wire(p.horizon)
		r.Planned = &planned
	}
	return r
}

// sameLosses are the least loss for all experts, except the loss of client 1 at step 1, which
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

// The server of the central variant chooses between two experts, one of which is aheadScales
// scales of its noise ahead of the other, by the losses of all clients but the first. The less
// often the other is chosen, the more its choice shows, and the rarer it is. Where that
// distance would take more than mostAhead clients, the experts are nearer.
const (
	aheadScales = 1.0
	mostAhead   = 64
)

// auditedCentral audits the server, with the clients that the distance of the two experts
// takes.
func (p *expertPlan) auditedCentral(s *opestochSection, d int) (*auditing.Run, error) {
	// The scale, 8 alpha/(m eps), is for the mean over m clients, of which m - 1 keep the
	// experts apart by a share of spread each.
	low, spread := p.lossRange()
	distance := aheadScales * 8 * p.adversary.Alpha / (p.Asked.Epsilon * spread)
	clients := min(1+int(math.Ceil(distance)), mostAhead)
	share := min(1, distance/float64(clients-1))
	small := p.sized(clients, d, phaseHorizon(2))
	if err := small.planOPEStoch(s); err != nil {
		return nil, err
	}
	r := small.opestochRun(s, "one loss of one client, the largest for one expert and the least for the other, or the other way round", func(_ uint64, other bool) (setLosses, error) {
		return centralLosses(low, spread, share, other), nil
	})
	r.Node, r.Others, r.Noise, r.Classes = 0, nil, nil, small.horizon+1
	r.Mechanism = "report noisy max, central"
	r.Outcome = func(sent [][]float64) (chosen int) {
		for _, row := range sent[1:] { // after the start
			if row[0] == 1 {
				chosen++
			}
		}
		return chosen
	}
	return r, nil
}

// centralLosses have all clients but the first keep the experts apart by a share of the
// spread; the first has the canary.
func centralLosses(low, spread, share float64, other bool) setLosses {
	return func(dst []float64, client messages.NodeID, _ int, _ []float64) {
		for k := range dst {
			dst[k] = low
		}
		switch {
		case client > 1:
			dst[0] += float64(share * spread)
		case other:
			dst[len(dst)-1] += spread // so that the first is chosen more often
		default:
			dst[0] += spread
		}
	}
}
