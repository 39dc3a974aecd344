package prediction

import (
	"context"
	"fmt"

	"starling/actors/algorithm/opestoch"
	"starling/actors/lockstep"
	"starling/messages"
	"starling/scenarios/auditing"
)

// A right child of a tree of Fed-DP-OPE-Stoch draws losses of its own and enters with the
// difference of their gradients at two points. One loss moves it by twice as much as a
// gradient, over a smaller batch: it costs the most of all vertices. Its audit runs up to the
// first phase in which a right child draws a loss. That loss is the canary, wherever the
// sampling puts it. The accounted loss holds given the sample, for it is the largest loss of a
// vertex. The canary's gradient is at one end of the range where x leans to the first expert,
// and at the other elsewhere; or the other way round. The canary moves the most where the
// parent's x and the right child's lean to different experts. Noise decides that, as all other
// losses are alike.

// auditedRightChild is nil where right children draw nothing: linear losses have gradients
// that do not differ, and some batches are single losses in all phases.
func (p *expertPlan) auditedRightChild(s *opestochSection) (*auditing.Run, error) {
	if p.adversary.Linear || s.Variant == opestoch.Central {
		return nil, nil
	}
	d := min(auditedExperts, p.adversary.Experts)
	phase, err := p.rightChildPhase(s, d)
	if phase == nil || err != nil {
		return nil, err
	}
	small := p.sized(p.clients, d, phase.First)
	if err := small.planOPEStoch(s); err != nil {
		return nil, err
	}
	low, spread := p.lossRange()
	inputs := fmt.Sprintf("one loss of one client, with a gradient of %.6g at vertices and %.6g elsewhere for every expert, or the other way round", low, low+spread)
	r := small.opestochRun(s, inputs, func(seed uint64, other bool) (setLosses, error) {
		step, err := small.rightChildLoss(seed)
		return rightChildLosses(low, spread, step, other), err
	})
	r.Mechanism += fmt.Sprintf(", right child in phase %d", phase.Number)
	return r, nil
}

// rightChildPhase is the first phase in which right children draw losses, with d experts; nil
// if they draw none in the first few.
func (p *expertPlan) rightChildPhase(s *opestochSection, d int) (*opestoch.Phase, error) {
	for number := 2; number <= mostPhases; number++ {
		schedule, err := opestoch.NewSchedule(p.sized(p.clients, d, phaseHorizon(number)).opestochOptions(s))
		if err != nil {
			return nil, err
		}
		if last := &schedule.Phases[number-1]; last.Trees > 0 && last.Batch>>1 > 0 {
			return last, nil
		}
	}
	return nil, nil
}

// rightChildLosses are a canary's at a step, and in the middle of the range elsewhere.
func rightChildLosses(low, spread float64, step int, other bool) setLosses {
	return func(dst []float64, client messages.NodeID, at int, x []float64) {
		value := low + float64(spread/2)
		if client == 1 && at == step {
			if value = low; leans(x) != other {
				value += spread
			}
		}
		for k := range dst {
			dst[k] = value
		}
	}
}

// leans reports whether x has more than half of its weight on the first expert.
func leans(x []float64) bool { return x[0] > 0.5 }

// rightChildLoss is the step of the first loss that a right child of client 1 draws under a
// seed, which does not depend on losses. It is the first loss that the algorithm evaluates
// twice in a row: here and at the parent.
func (p *expertPlan) rightChildLoss(seed uint64) (step int, err error) {
	last := 0
	spy := setLosses(func(dst []float64, client messages.NodeID, at int, _ []float64) {
		clear(dst)
		if client != 1 {
			return
		}
		if at == last && step == 0 {
			step = at
		}
		last = at
	})
	run, err := p.run(seed, spy, 1)
	if err != nil {
		return 0, err
	}
	run.Meter = &auditing.Ledger{}
	if err := lockstep.Run(context.Background(), run); err != nil {
		return 0, err
	}
	if step == 0 {
		return 0, fmt.Errorf("no right child drew a loss in %d steps", p.horizon)
	}
	return step, nil
}
