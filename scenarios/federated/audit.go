package federated

import (
	"fmt"
	"strconv"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
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
	if p.at.Sharing != nil {
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
func affect(b *study.Builder, arm *study.Arm, a *study.ArmFile, of *machine.Buffer) (remark string) {
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
	n, err := p.trusted(true)
	if err != nil {
		return nil, err
	}
	seen := p.seen(&n)
	planned := p.total()
	claim, err := ledger.EpsilonOf(planned, p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: 0, Delta: p.mechanism.Delta, Private: true, Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for %s", claim, p.mechanism.Delta, p.neighbours()),
		Mechanism: fmt.Sprintf("%s, rate %.6g, %d rounds%s", p.mechanism.Kind, p.common.Participation.Rate, p.at.Rounds, p.remark),
		Inputs:    "all that one client sends, of the length that it is clipped to, or nothing",
		Noise:     seen.Stated,
	}
	if p.at.Sharing != nil {
		if err := p.auditShares(r, planned); err != nil {
			return nil, err
		}
	}
	if n.Prefix != nil {
		separator, err := audit.NewSeparator(n.Prefix.Factorization)
		if err != nil {
			return nil, err
		}
		r.Whiten = func(_ []auditing.Place, rows [][]float64) { separator.Whiten(rows) }
	}
	r.Run = func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		in := machine.Absent
		if other {
			if in = machine.AsTaken; sampled && scale == 0 {
				in = machine.Certain
			}
		}
		return p.auditedRun(seed, scale, &machine.Canary{In: in, Direction: seen.Furthest()})
	}
	if sampled {
		r.Rate = p.common.Participation.Rate
		r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			var coins []float64
			in := machine.Absent
			if other {
				in = machine.AsTaken
			}
			run, err := p.auditedRun(seed, 0, &machine.Canary{In: in, Direction: seen.Furthest(), Coins: &coins})
			return run, func() []float64 { return coins }, err
		}
	}
	return r, nil
}

// audited is the noise of what an audit of a client looks at.
type audited interface {
	// Stated is that noise, and Furthest what a client sends that moves it the furthest.
	Stated(at auditing.Place) auditing.Noise
	Furthest() []float64
}

// seen is the noise of what an audit of a client looks at; trusted is that of the server.
func (p *plan) seen(trusted *aggregation.Trusted) audited {
	if p.at.Sharing != nil {
		return p.at.Sharing
	}
	return trusted
}

// auditedRun is a run of the audited size with a canary.
func (p *plan) auditedRun(seed uint64, scale float64, canary *machine.Canary) (*algorithm.Run, error) {
	r, err := p.assemble(seed, p.at, scale, canary)
	if err != nil {
		return nil, err
	}
	return &algorithm.Run{Seed: seed, FirstStep: 1, Steps: p.at.Rounds, Graphs: r.graphs, Machines: r.machines, Hops: machine.Hops, Acts: machine.Acts(p.at.Clients)}, nil
}

// auditShares has an audit look at what is seen of clients with noise of their own: the mean
// of a round, for which they have paid, or a message, which the server sees, or the wire before
// a shuffler. What the shuffler hides is not audited.
func (p *plan) auditShares(r *auditing.Run, planned accountant.Total) error {
	if p.at.Sharing.Kind != aggregation.Secure {
		r.Node, r.Others = machine.CanaryNode, []messages.NodeID{machine.CanaryNode + 1}
		planned = accountant.Total{}
		planned.AddTimes(p.at.Sharing.Message(), p.most.Times)
	}
	if p.at.Sharing.Kind == aggregation.Secure {
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
