package federated

import (
	"fmt"
	"math"
	"strconv"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/ledger"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// The server is audited by what it makes of the vector of one client, the canary: as long
// as any may be, or absent. Two sizes are looked at. A round in which every second client
// takes part audits the sampling, where the noise counts on it; rounds in which all take
// part, in turns of two groups where there are turns, audit how they compose. Clients that
// protect samples are audited by one sample, in one round.
const (
	auditedClients   = 4
	auditedDimension = 3
	auditedRounds    = 4
)

// canaryNode is the first client.
const canaryNode messages.NodeID = 1

// canary is a vector in place of that of the first client.
type canary struct {
	in        presence
	direction []float64  // of the length that vectors are clipped to
	present   *[]float64 // told of whether the client took part in a round; nil where nobody asks
}

// presence says when the canary is in a sum.
type presence int

const (
	asTaken presence = iota // where its client takes part
	absent                  // never
	certain                 // always
)

// join adds the canary to a sum, if it is in it.
func (c *canary) join(sum []float64, taken bool) {
	if c.present != nil {
		coin := 0.0
		if taken {
			coin = 1
		}
		*c.present = append(*c.present, coin)
	}
	if c.in == certain || taken && c.in != absent {
		for k, v := range c.direction {
			sum[k] += v
		}
	}
}

// audit is an auditing.Builder.
func (read reader) audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	original, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	all, err := read(original.Algorithm)
	if err != nil {
		return nil, err
	}
	for _, sampled := range []bool{true, false} {
		p, err := read.small(b, v, &all, sampled)
		if err != nil {
			return nil, err
		}
		if !p.private() {
			return []*auditing.Run{{Delta: p.mechanism.Delta, Mechanism: "none", Claimed: accountant.NotPrivate().String()}}, nil
		}
		if sampled && !p.samples() {
			continue
		}
		r, err := p.audited(sampled)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// samples tells whether the noise counts on a sample that is secret.
func (p *plan) samples() bool {
	if p.sharing != nil {
		return false
	}
	return p.at.Record && p.common.Local.Batch != nil || !p.at.Record && (p.calibrate != nil || p.mechanism.Kind == mechanisms.KindSampledGaussian && p.sampled() < 1)
}

// small builds the plan of an arm of a size as a study's is built.
func (read reader) small(b *study.Builder, v study.Variant, all *parts, sampled bool) (*plan, error) {
	rate, rounds, groups, apart := "1", auditedRounds, min(2, all.common.Participation.Groups), min(2, all.common.Participation.Apart)
	if sampled {
		rate, rounds, groups, apart = "0.5", 1, 1, 1
	}
	amplified := strconv.FormatBool(all.common.Amplified && sampled)
	values := append(problems.Narrower(v.Document, auditedDimension),
		"nodes", strconv.Itoa(auditedClients), "horizon", strconv.Itoa(rounds), "budget", "null", "algorithm.start", "null",
		"algorithm.samples", strconv.Itoa(auditedSamples), "algorithm.tau", "1", "algorithm.rate", rate, "algorithm.groups", strconv.Itoa(groups), "algorithm.apart", strconv.Itoa(apart), "algorithm.times", "null", "algorithm.buffer", strconv.Itoa(auditedClients),
		"algorithm.aggregation.survivors", strconv.Itoa(auditedClients/groups), "algorithm.aggregation.dropout", "0",
		"algorithm.combine", "null", "algorithm.amplified", amplified, "mechanism.bands", strconv.Itoa(min(groups, rounds)))
	if all.common.Level == Record {
		batch := auditedSamples
		if sampled {
			batch = 1
		}
		values = append(values, "horizon", "1", "algorithm.rate", "1", "algorithm.batch", strconv.Itoa(batch))
	}
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	found, arm := &study.Faults{Doc: a.Doc}, &study.Arm{Name: a.Name, File: a.File}
	remark := affect(b, arm, a, all.buffer)
	p := newPlan(study.Renewed(b), arm, a, found, read, func(c *problems.Corpus) *problems.Corpus {
		return c.Narrowed(v.Document, b.Seeds.Base, auditedDimension)
	})
	if err := auditing.CannotShrink(found); err != nil {
		return nil, err
	}
	p.remark = remark
	return p, nil
}

// affect gives an arm its network. A buffer is audited on an ideal one, where each round
// fills it: what a client moves it by is the most in any network.
func affect(b *study.Builder, arm *study.Arm, a *study.ArmFile, of *Buffer) (remark string) {
	remark = auditing.TryAffect(b, arm, a)
	if of != nil && arm.Effects != nil {
		arm.Effects, remark = nil, ", on an ideal network"
	}
	return remark
}

// audited makes the audit of a plan of that size.
func (p *plan) audited(sampled bool) (*auditing.Run, error) {
	if p.at.Record {
		return p.auditedRecord(sampled)
	}
	n, err := p.noising(true)
	if err != nil {
		return nil, err
	}
	var planned accountant.Total
	price := p.losses()
	for round := range p.at.Rounds {
		planned.Add(price(round + 1))
	}
	claim, err := ledger.EpsilonOf(planned, p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: 0, Delta: p.mechanism.Delta, Private: true, Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for %s", claim, p.mechanism.Delta, p.neighbours()),
		Mechanism: fmt.Sprintf("%s, rate %.6g, %d rounds%s", p.mechanism.Kind, p.common.Participation.Rate, p.at.Rounds, p.remark),
		Inputs:    "all that one client sends, of the length that it is clipped to, or nothing",
		Noise:     func(at auditing.Place) auditing.Noise { return p.statedNoise(&n, at) },
	}
	if p.sharing != nil {
		if err := p.auditShares(r, planned); err != nil {
			return nil, err
		}
	}
	if n.prefix != nil {
		separator, err := audit.NewSeparator(n.prefix.Factorization)
		if err != nil {
			return nil, err
		}
		r.Whiten = separator.Whiten
	}
	r.Run = func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		in := absent
		if other {
			if in = asTaken; sampled && scale == 0 {
				in = certain
			}
		}
		return p.auditedRun(seed, scale, &canary{in: in, direction: p.direction(&n)})
	}
	if sampled {
		r.Rate = p.common.Participation.Rate
		r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			var coins []float64
			in := absent
			if other {
				in = asTaken
			}
			run, err := p.auditedRun(seed, 0, &canary{in: in, direction: p.direction(&n), present: &coins})
			return run, func() []float64 { return coins }, err
		}
	}
	return r, nil
}

// direction is that of the vector that moves a sum the furthest in the norm of the noise:
// of Laplace noise, one with entries that are all alike.
func (p *plan) direction(n *noising) []float64 {
	v := make([]float64, n.length)
	if v[0] = n.clip; n.laplace > 0 || p.sharing != nil && p.sharing.own.Law == noise.LaplaceLaw {
		for k := range v {
			v[k] = n.clip / math.Sqrt(float64(len(v)))
		}
	}
	return v
}

// auditedRun is a run of the audited size with a canary.
func (p *plan) auditedRun(seed uint64, scale float64, in *canary) (*algorithm.Run, error) {
	r, err := p.assemble(seed, p.at, scale, in)
	if err != nil {
		return nil, err
	}
	return &algorithm.Run{Seed: seed, FirstStep: 1, Steps: p.at.Rounds, Graphs: r.graphs, Machines: r.machines, Hops: hops, Acts: acts(p.at.Clients)}, nil
}

// newest is a server that says the newest mean alone, all that anybody learns in a round.
type newest struct{}

// Adopt implements Server.
func (newest) Adopt(said, mean []float64) { copy(said, mean) }

// State implements messages.Stateful.
func (newest) State(*messages.Codec) {}

// statedNoise is the noise of a mean.
func (p *plan) statedNoise(n *noising, at auditing.Place) auditing.Noise {
	stated := auditing.Noise{Law: audit.GaussianLaw, Length: at.Length, Scale: n.sigma}
	switch {
	case p.sharing != nil:
		return p.statedShares(at)
	case n.prefix != nil:
		stated.Scale = n.prefix.Scale
	case n.laplace > 0:
		stated.Law, stated.Scale = audit.LaplaceLaw, n.laplace
	}
	stated.Scale /= p.at.Expected
	return stated
}

// auditShares has an audit look at what is seen of clients with noise of their own: the mean
// of a round, for which they have paid, or a message, which the server sees, or the wire before
// a shuffler. What the shuffler hides is not audited.
func (p *plan) auditShares(r *auditing.Run, planned accountant.Total) error {
	if p.sharing.Kind != SecureAggregation {
		r.Node, r.Others = canaryNode, []messages.NodeID{canaryNode + 1}
		planned = accountant.Total{}
		planned.AddTimes(p.sharing.message(), p.most.Times)
	}
	if p.sharing.Kind == SecureAggregation {
		r.Fed = true
		for i := range p.at.Clients {
			r.Others = append(r.Others, messages.NodeID(i+1))
		}
	}
	loss := planned.Loss()
	r.Planned = &loss
	var err error
	r.Claim, err = ledger.EpsilonOf(planned, p.mechanism.Delta, p.mechanism.Accountant)
	return err
}

// statedShares is the noise of what an audit of clients with noise of their own looks at.
func (p *plan) statedShares(at auditing.Place) auditing.Noise {
	s := p.sharing
	stated := auditing.Noise{Law: audit.GaussianLaw, Length: at.Length, Scale: s.deviation(1)}
	switch {
	case s.Kind != SecureAggregation:
	case at.Node > 0:
		return auditing.Noise{} // that of the sum is looked at
	default:
		stated.Scale = s.deviation(p.at.Expected) / p.at.Expected
	}
	if s.own.Law == noise.LaplaceLaw {
		stated.Law, stated.Scale = audit.LaplaceLaw, s.own.Scale
	}
	return stated
}
