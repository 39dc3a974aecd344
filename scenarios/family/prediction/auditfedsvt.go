package prediction

import (
	"errors"
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// An audit of Fed-SVT has few experts, of which the first is played from the start, and four
// runs. In two of them kappa = 1.
//
// Run 1: the loss stays at the threshold. It rises to the threshold in as few exchanges as its
// clients allow, the canary among the first, and stays there for svtQueries exchanges. If no
// query is above, the noisy threshold is high, and there one loss more or less counts the
// most. The other expert is then so many scales of the choice ahead that a choice of the first
// expert is rare.
//
// Run 2: the loss crosses the threshold. The canary alone takes it from 1/2 below to 1/2
// above. If queries have no noise, or one noise for all, only the exchange that sees the
// canary can be the first above, and only on the side with the canary.
//
// Run 3: the loss crosses the threshold of the second arming, with kappa = 2. The losses of
// the first expert are so large before that its switch is as good as certain.
//
// Run 4: the choice alone, with kappa = 1/2. There a choice costs four times as much as an
// arming. The first of three experts has the large losses. The canary is a loss of the second
// or of the third expert. The third is so far ahead that the second is a rare choice if the
// canary is the second's loss, and not if it is the third's. Where eta is large this would be
// rarer than samples can show: then the second expert would be ahead without the canary, so
// that it is chosen more often than not if the canary is the third's loss.
const (
	SvtClients = 4
	svtQueries = 16
	svtAhead   = 2.0 // over eta
	SvtRho     = 0.49
	svtForced  = 8.0 // over the scale of a query's noise
	svtLead    = 1.0 // over eta; the third expert's lead, where the canary is its loss
	svtRare    = 8.0 // an eta from which the second expert has that lead
	// mostRising bounds the exchanges in which the loss rises. If eps is so small that these
	// are too few, the loss stays below the threshold.
	mostRising = 64
)

// SvtRun is one of the runs: its name and its inputs in words, the switching budget kappa, the
// number of experts, and the kind of its losses.
type SvtRun struct {
	// Name is in the table of the audit, and inputs describes the two sides there.
	Name, inputs string
	Kappa        float64
	Experts      int
	Kind         svtKind
}

// svtKind is a kind of losses.
type svtKind int

const (
	// svtStays has the loss rise to the threshold and stay there; svtCrosses has the canary
	// take it across.
	svtStays svtKind = iota
	svtCrosses
	// SvtChooses has the canary change the choice of the next expert.
	SvtChooses
)

// SvtRuns lists the runs of an audit of Fed-SVT, in the order in which they are audited.
func SvtRuns() []SvtRun {
	const replaced = "one loss of one client, 0 for the expert played and 1 for the other, or the other way round"
	const choice = "one loss of one client, 1 for one of two experts that are not played, or for the other"
	return []SvtRun{
		{"1 switch", replaced, 1, auditedExperts, svtStays},
		{"1 switch, at the threshold", replaced, 1, auditedExperts, svtCrosses},
		{"2 switches, at the second threshold", replaced, 2, auditedExperts, svtCrosses},
		{"choice", choice, 0.5, auditedExperts + 1, SvtChooses},
	}
}

// Armings is the number of armings of the threshold.
func (k *SvtRun) Armings() int { return int(math.Ceil(k.Kappa)) }

// Losses returns the losses of a run on either side. p has the threshold for the run's noise,
// eta is the accounted run's, and rising is the result of Rising. other means the canary's
// other side.
func (k *SvtRun) Losses(p fedsvt.Parameters, eta float64, rising int, other bool) setLosses {
	switch k.Kind {
	case svtCrosses:
		return svtCrossing(p, k.Armings(), rising, other)
	case SvtChooses:
		return svtChoice(eta, other)
	}
	return svtLosses(p, eta, rising, other)
}

// outcome returns the function that sorts the server's messages into the classes 0 ..
// classes-1. sent are the server's messages, the start first: 0 for no switch, or the expert
// from 1.
func (k *SvtRun) outcome(horizon int, eta float64) (outcome func(sent [][]float64) int, classes int) {
	if k.Kind == SvtChooses {
		_, steps := svtBehind(eta)
		return func(sent [][]float64) int { return svtChosen(sent, steps) }, k.Experts + 1
	}
	return func(sent [][]float64) int { return SvtOutcome(sent, k.Armings()) }, auditedExperts*horizon + 1
}

// Audit implements auditing.Auditable. It audits the messages of the server, node 0, which adds
// the noise. It replaces interval, rho, L* and start of the section by values at which a loss
// counts the most.
func (FedSVT) Audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	a, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	s := DefaultFedSVT()
	unknown := document.Decode(a.Algorithm, &s)
	asked, err := thresholdsOf(a)
	p := &expertPlan{
		arm: &study.Arm{Name: a.Name}, asked: asked,
		adversary: &problems.Adversary{Linear: true, Alpha: 1},
	}
	if err := auditing.CannotShrink(a, errors.Join(unknown, err)); err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditing.Run{{Delta: p.Asked.Delta, Mechanism: "none", Claimed: p.claim().Text}}, nil
	}
	s.Interval, s.Rho, s.Lstar, s.Start = 1, SvtRho, 0, 1
	for _, kind := range SvtRuns() {
		r, err := p.auditedFedSVT(s, kind)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// auditedFedSVT makes one of the runs of SvtRuns, at the arm's epsilon, delta and variant.
func (p *expertPlan) auditedFedSVT(s fedsvtSection, kind SvtRun) (*auditing.Run, error) {
	s.Kappa = kind.Kappa
	o := p.sized(SvtClients, kind.Experts, 0).fedsvtOptions(&s)
	rising := kind.Rising(o)
	small := p.sized(SvtClients, kind.Experts, o.Horizon)
	if err := small.planFedSVT(&s); err != nil {
		return nil, err
	}
	paid := small.paid(small.horizon)
	law := *o // it does not depend on the streams
	law.NoisePurpose, law.StartPurpose = 0, 0
	r := &auditing.Run{
		Node: 0, Delta: o.Delta, Private: true, Claimed: p.claim().Text, Claim: o.Epsilon, Planned: &paid,
		Key:       fmt.Sprintf("%s %+v", kind.Name, law),
		Mechanism: fmt.Sprintf("above threshold and exponential, %d exchanges, %s", o.Horizon, kind.Name),
		Inputs:    kind.inputs,
	}
	eta := o.Parameters().Eta
	r.Outcome, r.Classes = kind.outcome(o.Horizon, eta)
	r.Run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		louder := louderFedSVT(o, noise) // the losses are at its threshold
		return small.run(seed, kind.Losses(louder.Parameters(), eta, rising, other), noise)
	}
	return r, nil
}

// Rising sets the horizon and returns the number of exchanges in which the loss of an arming
// rises. The threshold grows with the horizon, slowly.
func (k *SvtRun) Rising(o *fedsvt.Options) (rising int) {
	// A switch that is as good as certain takes a loss far above the threshold.
	forced := 0.0
	if k.Armings() > 1 || k.Kind == SvtChooses {
		forced = svtForced * 8 / o.Epsilon
	}
	for rising = 1; ; rising++ {
		switch o.Horizon = k.Armings()*rising + svtQueries; k.Kind {
		case svtCrosses:
			o.Horizon++
		case SvtChooses:
			o.Horizon = rising + 2 // the losses of a step are seen in the next
		}
		if rising == mostRising || o.Parameters().Threshold+forced <= float64(rising*o.Clients-1) {
			return rising
		}
	}
}

// svtLosses are the canary's loss and all others. The others are equal shares of the
// threshold; for the other expert they are less by its lead. eta is the accounted run's, and
// scales the choice between experts.
func svtLosses(p fedsvt.Parameters, eta float64, rising int, other bool) setLosses {
	shares := float64(rising*SvtClients - 1)
	ahead := svtAhead / eta
	played := min(1, p.Threshold/shares)
	rest := min(1, max(0, (p.Threshold-ahead)/shares))
	return func(dst []float64, client messages.NodeID, step int, _ []float64) {
		clear(dst)
		switch {
		case client == 1 && step == 1:
			canary := 1
			if other {
				canary = 0
			}
			dst[canary] = 1
		case step <= rising:
			dst[0], dst[1] = played, rest
		}
	}
}

// svtCrossing are losses that come to 1/2 below the threshold of an arming; the canary's loss
// comes after that. In the arming before this one all losses are 1. arming is 1 for the first
// threshold, and rising is the number of exchanges of each arming.
func svtCrossing(p fedsvt.Parameters, arming, rising int, other bool) setLosses {
	played := arming - 1
	share := min(1, (p.Threshold-0.5)/float64(rising*SvtClients))
	before := played * rising
	return func(dst []float64, client messages.NodeID, step int, _ []float64) {
		clear(dst)
		switch {
		case step <= before:
			dst[0] = 1
		case step <= before+rising:
			dst[played] = share
		case client == 1 && step == before+rising+1:
			if other {
				dst[played] = 1
			} else {
				dst[1-played] = 1
			}
		}
	}
}

// svtChoice are losses with 1 for the first expert throughout, so that its switch is as good
// as certain. The canary is in step 1. The second expert's deficit is in the first steps, as
// far as the range of losses allows.
func svtChoice(eta float64, other bool) setLosses {
	behind, steps := svtBehind(eta)
	share := behind / float64(steps*(SvtClients-1))
	return func(dst []float64, client messages.NodeID, step int, _ []float64) {
		clear(dst)
		dst[0] = 1
		switch {
		case client > 1 && step <= steps:
			dst[1] = share
		case client == 1 && step == 1 && other:
			dst[2] = 1
		case client == 1 && step == 1:
			dst[1] = 1
		}
	}
}

// svtBehind is the deficit of the second expert behind the third without the canary, and the
// number of steps in which the other clients can produce it.
func svtBehind(eta float64) (behind float64, steps int) {
	behind = 1 + svtLead/eta
	if eta >= svtRare {
		behind = 1 - svtLead/eta
	}
	return behind, int(math.Ceil(behind / (SvtClients - 1)))
}

// svtChosen is the expert to which the server switched after a number of steps, 0 if it
// switched before or not at all.
func svtChosen(sent [][]float64, steps int) int {
	for exchange, row := range sent[1:] {
		if row[0] != 0 {
			if exchange < steps {
				return 0
			}
			return int(row[0])
		}
	}
	return 0
}

// SvtOutcome is the class of the server's last possible switch: its exchange and its expert.
// The last class means that it did not happen.
func SvtOutcome(sent [][]float64, switches int) int {
	answers := sent[1:] // after the start
	for at, row := range answers {
		if row[0] == 0 {
			continue
		}
		if switches--; switches == 0 {
			return auditedExperts*at + int(row[0]) - 1
		}
	}
	return auditedExperts * len(answers)
}
