package scenarios

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/actors/algorithm/opestoch"
	"starling/actors/topology"
	"starling/messages"
	"starling/scenarios/document"
)

// The algorithms of prediction from experts are audited on losses that the audit
// sets itself, at the bounds that the problem has. The canary is the loss of one
// client at step 1.

// setLosses are linear losses, <l, x>, with l written to dst.
type setLosses func(dst []float64, client messages.NodeID, step int)

// Loss implements algorithm.Costs.
func (f setLosses) Loss(node messages.NodeID, step int, x []float64) (sum float64) {
	l := make([]float64, len(x))
	f(l, node, step)
	for k, v := range x {
		sum += float64(l[k] * v)
	}
	return sum
}

// Gradient implements algorithm.Costs.
func (f setLosses) Gradient(dst []float64, node messages.NodeID, step int, _ []float64) {
	f(dst, node, step)
}

// Fed-DP-OPE-Stoch has phase 2 in two steps: the first loss is all that there is
// to draw, and both leaves use it.
const (
	auditedPhases  = 2
	auditedExperts = 2 // at which one release shows what its d numbers cost
)

// auditOPEStoch audits what one client sends where clients add noise, and what
// the server does where that is the server.
func auditOPEStoch(v variant, seeds Seeds, o *AuditOptions) (runs []*auditedRun, err error) {
	a, err := smaller(v, "horizon", fmt.Sprint(auditedPhases), "nodes", "1")
	if err != nil {
		return nil, err
	}
	b, arm, found := newBuilder(seeds, newDataFolder(o.Data)), &Arm{Name: a.name, file: a.file}, &faults{doc: a.doc}
	s := defaultOPEStoch()
	found.note(document.Decode(a.Algorithm, &s))
	p := b.expertsOf(arm, a, "opestoch", found)
	if err := cannotShrink(found); err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditedRun{{delta: p.claimed.Delta, mechanism: "none", claimed: p.claim()}}, nil
	}
	experts := []int{min(auditedExperts, p.adversary.experts)}
	if p.adversary.experts > auditedExperts && s.Variant != opestoch.Central {
		experts = append(experts, p.adversary.experts)
	}
	for _, d := range experts {
		r, err := p.auditedOPEStoch(&s, d)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// auditedOPEStoch makes an audit with d experts.
func (p *expertPlan) auditedOPEStoch(s *opestochSection, d int) (*auditedRun, error) {
	o := opestoch.Options{
		Clients: 1, Experts: d, Horizon: auditedPhases, Variant: s.Variant, Epsilon: p.claimed.Epsilon, Delta: p.claimed.Delta,
		Alpha: p.adversary.alpha, Beta: p.adversary.beta, Signed: !p.adversary.linear, Batch: s.Batch, Trees: s.Trees,
		NoisePurpose: auditPurpose.Arm("noise"), SamplePurpose: auditPurpose.Arm("sample"),
	}
	low, spread := 0.0, o.Alpha
	if o.Signed {
		low, spread = -o.Alpha, 2*o.Alpha
	}
	r := &auditedRun{
		node: 1, delta: o.Delta, private: true, claimed: p.claim(), claim: o.Epsilon,
		mechanism: fmt.Sprintf("laplace, %s, %s", s.Variant, Counted(d, "expert")),
		inputs:    fmt.Sprintf("one loss of one client, %v or %v for every expert", low, low+spread),
	}
	losses := func(other bool) setLosses { return sameLosses(low, spread, other) }
	if s.Variant == opestoch.Central {
		losses = r.auditedCentral(&o, low, spread)
	}
	schedule, err := opestoch.NewSchedule(&o)
	if err != nil {
		return nil, err
	}
	account, err := opestoch.Accounted(&o)
	if err != nil {
		return nil, err
	}
	if s.Variant == opestoch.Approximate {
		r.planned = &account.Wire // its meter adds up
	}
	scale := schedule.Phases[auditedPhases-1].Scales[0]
	if s.Variant != opestoch.Central {
		r.ratio = func(sent, first, second [][]float64) float64 { return scaledRatio(scale, sent, first, second) }
	}
	r.key = fmt.Sprintf("%+v", o)
	r.run, err = opestochRuns(o, losses, p.adversary.linear)
	return r, err
}

// opestochRuns makes the runs of an audit on either of two inputs, with so many
// times the noise.
func opestochRuns(o opestoch.Options, losses func(other bool) setLosses, linear bool) (func(uint64, bool, float64) (*algorithm.Run, error), error) {
	sequence, err := topology.Star{Leaves: o.Clients}.Sequence()
	if err != nil {
		return nil, err
	}
	return func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		o, l := o, losses(other)
		o.Epsilon /= noise // the scale of the noise is in inverse proportion
		if !linear {
			o.Losses = l
		}
		machines, schedule, err := opestoch.New(o)
		return &algorithm.Run{
			Seed: seed, FirstStep: 1, Steps: o.Horizon, Graphs: sequence, Machines: machines, Costs: l, Hops: schedule.Hops, Acts: schedule.Acts,
		}, err
	}, nil
}

// sameLosses are the least or the largest for all experts.
func sameLosses(low, spread float64, other bool) setLosses {
	return func(dst []float64, _ messages.NodeID, _ int) {
		for k := range dst {
			dst[k] = low
			if other {
				dst[k] += spread
			}
		}
	}
}

// scaledRatio is the logarithm of the likelihood ratio of vectors with Laplace
// noise of one scale.
func scaledRatio(scale float64, sent, first, second [][]float64) (sum float64) {
	for t, row := range sent {
		for k, v := range row {
			sum += float64((math.Abs(v-first[t][k]) - math.Abs(v-second[t][k])) / scale)
		}
	}
	return sum
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
func (r *auditedRun) auditedCentral(o *opestoch.Options, low, spread float64) func(other bool) setLosses {
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
	return func(other bool) setLosses {
		return func(dst []float64, client messages.NodeID, _ int) {
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
		}
	}
}

// Fed-SVT is audited with a switch, kappa = 1, which then costs the most, and
// two experts, of which the first is played from the start. Its loss rises to
// the threshold in as few exchanges as its clients allow and stays there for
// svtQueries: that it is not above them takes a high noisy threshold, for which
// one loss more or less counts the most. The other expert is then so many scales
// of the choice ahead that choosing the first again is rare.
const (
	svtClients = 4
	svtQueries = 16
	svtAhead   = 2.0 // over eta
	svtRho     = 0.49
	// mostRising bounds the exchanges in which the loss rises. Where eps is so
	// small that they are too few, it stays below the threshold.
	mostRising = 64
)

// auditFedSVT audits what the server sends.
func auditFedSVT(v variant, _ Seeds, _ *AuditOptions) ([]*auditedRun, error) {
	a, err := smaller(v)
	if err != nil {
		return nil, err
	}
	s, found := defaultFedSVT(), &faults{doc: a.doc}
	found.note(document.Decode(a.Algorithm, &s))
	p := &expertPlan{claimed: selected(a, "fedsvt", found)}
	if err := cannotShrink(found); err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditedRun{{delta: p.claimed.Delta, mechanism: "none", claimed: p.claim()}}, nil
	}
	r, err := p.auditedFedSVT(s.Variant)
	return []*auditedRun{r}, err
}

func (p *expertPlan) auditedFedSVT(variant fedsvt.Variant) (*auditedRun, error) {
	o := fedsvt.Options{
		Clients: svtClients, Experts: auditedExperts, Interval: 1, Variant: variant, Epsilon: p.claimed.Epsilon, Delta: p.claimed.Delta,
		Kappa: 1, Rho: svtRho, Start: 1, NoisePurpose: auditPurpose.Arm("noise"), StartPurpose: auditPurpose.Arm("start"),
	}
	rising := svtRising(&o)
	account, err := fedsvt.Accounted(&o)
	if err != nil {
		return nil, err
	}
	sequence, err := topology.Star{Leaves: o.Clients}.Sequence()
	if err != nil {
		return nil, err
	}
	r := &auditedRun{
		node: 0, delta: o.Delta, private: true, claimed: p.claim(), claim: o.Epsilon, planned: &account.Public, key: fmt.Sprintf("%+v", o),
		mechanism: fmt.Sprintf("above threshold and exponential, %d exchanges, 1 switch", o.Horizon),
		inputs:    "one loss of one client, 0 for the expert played and 1 for the other, or the other way round",
		outcome:   svtOutcome, classes: auditedExperts*o.Horizon + 1,
	}
	r.run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		o := o
		o.Epsilon /= noise
		// That moves the threshold, too, and the losses go with it.
		losses := svtLosses(o.Parameters(), account.Claimed.Epsilon, rising, other)
		machines, schedule, err := fedsvt.New(o)
		return &algorithm.Run{
			Seed: seed, FirstStep: 1, Steps: o.Horizon, Graphs: sequence, Machines: machines, Costs: losses, Hops: schedule.Hops, Acts: schedule.Acts,
		}, err
	}
	return r, nil
}

// svtRising sets the horizon and returns in how many exchanges the loss rises.
// The threshold grows with the horizon, slowly.
func svtRising(o *fedsvt.Options) (rising int) {
	for rising = 1; rising < mostRising; rising++ {
		o.Horizon = rising + svtQueries
		if o.Parameters().Threshold <= float64(rising*o.Clients-1) {
			return rising
		}
	}
	o.Horizon = rising + svtQueries
	return rising
}

// svtLosses are the canary's and all others: equal shares of the threshold, for
// the other expert less what it is ahead.
func svtLosses(p fedsvt.Parameters, epsilon float64, rising int, other bool) setLosses {
	shares := float64(rising*svtClients - 1)
	ahead := svtAhead / (epsilon / 2) // eta of the accounted run, kappa = 1
	played := min(1, p.Threshold/shares)
	rest := min(1, max(0, (p.Threshold-ahead)/shares))
	return func(dst []float64, client messages.NodeID, step int) {
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

// svtOutcome is the exchange at which the server switched and to which expert, or
// that it did not: the last of the classes.
func svtOutcome(sent [][]float64) int {
	answers := sent[1:] // after the start
	at := slices.IndexFunc(answers, func(row []float64) bool { return row[0] != 0 })
	if at < 0 {
		return auditedExperts * len(answers)
	}
	return auditedExperts*at + int(answers[at][0]) - 1
}
