package federated

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/actors/algorithm"
	"starling/mechanisms/accountant"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/networks"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// Where clients add noise, and the server is not trusted, other observers see models, and know
// noise of their own. The audit is of the models, with the rule and the liars of the arm. Its
// statistic is the length of the models in the direction of the canary, where the vectors of
// other clients hide it the least. An observer with the stated loss of an observer of messages
// is not audited, since audits of messages cover it.

// viewClients is the number of clients of such an audit, unless the arm names others or allows
// no such number. It is odd, so that without the canary as many other clients are on either
// side.
const viewClients = 5

// mostViews is the largest number of named observers of an arm that are audited.
const mostViews = 3

// view is an observer of models.
type view struct {
	name  string
	knows []messages.NodeID // clients with noise that it knows
	loss  accountant.Loss
}

// views returns the audits of an arm by observers of models; none where the server is trusted.
func (read reader) views(b *study.Builder, v study.Variant, original *study.ArmFile, all *parts) (runs []*auditing.Run, err error) {
	if of := all.common.Aggregation; of == nil || of.Kind == aggregation.Shuffle {
		return nil, nil
	}
	p, err := read.open(b, v, original, all, viewClients)
	if err != nil && original.Nodes <= mostAudited {
		p, err = read.open(b, v, original, all, original.Nodes)
	}
	if err != nil {
		return nil, err
	}
	list, err := p.observers()
	for _, seen := range list {
		r, err := p.seenBy(seen)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, err
}

// open builds the plan of a number of clients, with the arm's liars.
func (read reader) open(b *study.Builder, v study.Variant, original *study.ArmFile, all *parts, clients int) (*plan, error) {
	share := all.common.Aggregation.Least() * clients / original.Nodes
	a, err := auditing.Resized(b.Kinds, v, append(all.sizes(v, original, clients, auditedRounds), "algorithm.rate", "1", "algorithm.groups", "1", "algorithm.apart", "1", "algorithm.times", "null",
		"algorithm.aggregation.survivors", strconv.Itoa(max(1, share)))...)
	if err != nil {
		return nil, err
	}
	arm := &study.Arm{Name: a.Name, File: a.File}
	lie, err := networks.BuildAdversaries(b.Kinds, a.Adversaries, clients)
	if err != nil {
		return nil, err
	}
	if lie != nil {
		arm.Adversaries = lie.Draw(clients, a.Seeds.Base)
	}
	p, err := newPlan(study.Renewed(b), arm, a, read, func(c *problems.Corpus) *problems.Corpus {
		return c.Narrowed(b.Seeds.Base, auditedDimension)
	})
	if err := auditing.CannotShrink(a, err); err != nil {
		return nil, err
	}
	p.drawAlike(clients, p.canary())
	return p, nil
}

// canary returns the audited client: the first that does not lie.
func (p *plan) canary() messages.NodeID {
	for client := canaryClient; ; client++ {
		if !slices.Contains(p.arm.Adversaries.IDs(1), client) {
			return client
		}
	}
}

// observers lists the plan's observers of models that are stated to learn less than observers
// of messages, or of sums.
func (p *plan) observers() (list []view, err error) {
	seen := p.planned().Loss(p.at.Calendar.First()) // to observers of a message, or of a sum
	own := p.canary()
	add := func(name string, knows []messages.NodeID, of *ledger.Worth) {
		if loss := timesOf(of.Most(1, seen), p.most.Times); loss != timesOf(seen, p.most.Times) && loss != timesOf(p.at.Sharing.Message(), p.most.Times) {
			list = append(list, view{name, knows, loss})
		}
	}
	named := p.at.Sharing.Named()
	for _, a := range p.account() {
		switch {
		case a.Worth == nil:
		case a.Observer == accountant.Public:
			add("public", nil, a.Worth)
		case a.Observer == accountant.Peer:
			add("peer", []messages.NodeID{p.other(own)}, a.Worth)
		}
	}
	for i := range min(mostViews, len(p.file.Measure.Observers)) {
		members, err := p.file.Measure.Observers[i].Numbers(nil, 1)
		if err != nil {
			return nil, err
		}
		slices.Sort(members)
		if members[0] < 1 || members[len(members)-1] > p.at.Clients || slices.Contains(members, int(own)) { // it sees messages, or is not in the audit
			continue
		}
		knows := make([]messages.NodeID, len(members))
		for k, n := range members {
			knows[k] = messages.NodeID(n)
		}
		of, err := named(knows)
		if err != nil {
			return nil, err
		}
		add(fmt.Sprintf("clients %v", members), knows, of)
	}
	return list, nil
}

// timesOf is a loss composed with itself times times.
func timesOf(loss accountant.Loss, times int) accountant.Loss {
	var total accountant.Total
	total.AddTimes(loss, times)
	return total.Loss()
}

// other returns another client than the given one that does not lie.
func (p *plan) other(than messages.NodeID) messages.NodeID {
	for client := than + 1; int(client) <= p.at.Clients; client++ {
		if !slices.Contains(p.arm.Adversaries.IDs(1), client) {
			return client
		}
	}
	return than%messages.NodeID(p.at.Clients) + 1 // the noise of liars hides nobody
}

// direction is the direction in which a vector of the clipping norm moves the noise's norm the
// furthest: a coordinate, or all alike where that is the 1-norm.
func (p *plan) direction() []float64 {
	v := make([]float64, p.at.Width)
	if !p.mechanism.Owned() || p.mechanism.Own.Law.Norm() != noise.L1 {
		v[0] = 1
		return v
	}
	for k := range v {
		v[k] = 1 / math.Sqrt(float64(p.at.Width))
	}
	return v
}

// seenBy returns an audit by an observer of models.
func (p *plan) seenBy(seen view) (*auditing.Run, error) {
	own := *p
	own.known = seen.knows
	total, delta := seen.loss.Total(), p.deltaOf(int(p.canary())-1)
	claim, err := ledger.EpsilonOf(total, delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	canary := machine.Canary{Client: p.canary(), Others: machine.ZeroOthers, Direction: p.direction()}
	if p.combine != nil {
		canary.Others = machine.PolarOthers
	}
	return &auditing.Run{
		Node: 0, Delta: delta, Private: true, Planned: &seen.loss, Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for %s", claim, delta, p.neighbours()),
		Mechanism: fmt.Sprintf("%s, %d rounds, seen by %s", p.mechanism.Kind, p.rounds, seen.name),
		Inputs:    "all that one client sends, of the length that it is clipped to, or nothing",
		Statistic: func(sent [][]float64) float64 {
			return kernel.Dot(sent[len(sent)-1][:p.at.Width], canary.Direction)
		},
		Run: func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
			there := canary
			if there.In = machine.Absent; other {
				there.In = machine.AsTaken
			}
			run, err := own.auditedRun(seed, own.at, scale, &there)
			if err == nil {
				run.Adversaries = p.arm.Adversaries.Run(1, p.at.Sent()-p.at.Width)
			}
			return run, err
		},
	}, nil
}
