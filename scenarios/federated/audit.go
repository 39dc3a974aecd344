package federated

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/federated/aggregation"
	"starling/scenarios/federated/machine"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// The server is audited by its releases with and without the vector of one client, the canary.
// The canary is longer than any vector may be, so that the client has to clip it; its absence
// is zeros. There are audits of two sizes. A round in which every second client takes part
// audits the sampling, where the noise counts on it. Rounds in which all clients take part
// that may, in turns of two groups where there are turns, audit the composition. A server with
// a buffer has the network, the buffer and the rounds of the arm, as far as an audit has the
// time: the network chooses which vectors meet in a buffer. Clients that protect samples are
// audited by one sample: see SampleCanary.
const (
	auditedClients   = 4
	auditedDimension = 3
	auditedRounds    = 4
	// mostAudited is the largest number of clients of an audit where the arm's network names
	// them.
	mostAudited = 32
	// canaryClient is the client that sends the canary, where nobody lies.
	canaryClient messages.NodeID = 1
	// For a server with a buffer.
	bufferedClients = 8
	bufferedRounds  = 12
)

// Audit implements auditing.Auditable.
func (read reader) Audit(b *study.Builder, v study.Variant) (runs []*auditing.Run, err error) {
	original, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	all, err := read(b, original)
	if err != nil {
		return nil, err
	}
	if read, err = read.inRounds(b, original, &all); err != nil {
		return nil, err
	}
	whole, err := read.small(b, v, original, &all, false)
	if err != nil {
		return nil, err
	}
	if !whole.private() {
		return []*auditing.Run{{Delta: whole.mechanism.Delta, Mechanism: "none", Claimed: accountant.NotPrivate().String()}}, nil
	}
	sampled, err := read.small(b, v, original, &all, true)
	if err != nil {
		return nil, err
	}
	if whole.tiers != nil && !whole.at.Record {
		if runs, err = auditedTiers(whole, sampled); err != nil || whole.tiers.Noise < whole.tiers.Levels()-1 {
			return runs, err
		}
	}
	if (sampled.differs() || sampled.hiddenClips()) && !sampled.at.Record {
		return auditedKinds(whole, sampled)
	}
	r, canary, err := whole.audited(canaryClient)
	if err != nil {
		return nil, err
	}
	if sampled.samples() {
		s, err := sampled.auditedSample(canary)
		if err != nil {
			return nil, err
		}
		runs = append(runs, s)
	}
	views, err := read.views(b, v, original, &all)
	return append(append(runs, r), views...), err
}

// inRounds returns a reader of an arm with rounds, where clients at their own pace have correlated noise. An audit
// has no clock, and the noise is the same for rounds as for full buffers.
func (read reader) inRounds(b *study.Builder, original *study.ArmFile, all *parts) (reader, error) {
	if !all.paced() || original.Mechanism == nil {
		return read, nil
	}
	noise, err := kind.PieceOf[mechanisms.OnSums](original.Kinds.Mechanisms, original.Mechanism, "the algorithm "+all.name)
	if err != nil || !noise.Correlates() {
		return read, err
	}
	all.buffer = nil
	return func(b *study.Builder, a *study.ArmFile) (parts, error) {
		of, err := read(b, a)
		of.buffer, of.inRounds = nil, true
		return of, err
	}, nil
}

// samples reports whether the noise counts on a secret sample.
func (p *plan) samples() bool {
	if p.at.Sharing != nil {
		return false
	}
	secret := p.sampled() < 1 || p.differs() && p.common.Participation.Partial()
	return p.at.Record && p.common.Local.Batch != nil || !p.at.Record && (p.calibrate != nil || p.mechanism.Subsampled() && secret)
}

// small builds the plan of an arm of small size, as a study does. If the arm's network names
// clients that a small arm lacks, the audit has all of the arm's clients, or no network
// where these are too many.
func (read reader) small(b *study.Builder, v study.Variant, original *study.ArmFile, all *parts, sampled bool) (p *plan, err error) {
	clients := auditedClients
	if all.buffer != nil {
		clients = min(bufferedClients, original.Nodes)
	}
	p, apart, err := read.sized(b, v, original, all, sampled, clients)
	if apart == nil || err != nil {
		return p, err
	}
	if original.Nodes <= mostAudited {
		if p, apart, err := read.sized(b, v, original, all, sampled, original.Nodes); apart == nil || err != nil {
			return p, err
		}
	}
	p.remark = auditing.IdealRemark
	return p, nil
}

// sized is small for a number of clients. apart is the reason why they cannot have the arm's
// network.
func (read reader) sized(b *study.Builder, v study.Variant, original *study.ArmFile, all *parts, sampled bool, clients int) (p *plan, apart, err error) {
	a, err := auditing.Smaller(b.Kinds, v, all.shrunk(v, original, sampled, clients)...)
	if err != nil {
		return nil, nil, err
	}
	arm, apart := auditing.SmallArm(b, a)
	p, err = newPlan(study.Renewed(b), arm, a, read, func(c *problems.Corpus) *problems.Corpus {
		return c.Narrowed(b.Seeds.Base, auditedDimension)
	})
	if err := auditing.CannotShrink(a, err); err != nil {
		return nil, nil, err
	}
	if !sampled && p.differs() {
		if err := p.everybody(); err != nil {
			return nil, nil, err
		}
	}
	p.drawAlike(clients, canaryClient)
	if p.inRounds {
		p.remark = pacedRemark
	}
	if all.common.Participation.Cohort != nil && p.mechanism.Subsampled() && !p.clientsPay() {
		p.remark = cohortRemark
	}
	if all.common.Participation.Attendance != nil {
		p.remark = listedRemark
	}
	return p, apart, nil
}

// pacedRemark describes an audit of clients at their own pace in rounds.
const pacedRemark = ", in rounds: the noise is audited, and not the pace of clients"

// cohortRemark describes an audit of an arm with a server that draws a fixed number of clients.
const cohortRemark = ", of clients that come each by itself: the noise is audited, and not the draw"

// drawAlike has all runs of an audit of a client draw the same dropouts and stragglers, which
// the observers know.
func (p *plan) drawAlike(clients int, canary messages.NodeID) {
	if s := p.at.Sharing; s != nil {
		p.at.Sharing = s.DropAlike(clients, p.at.Horizon, canary)
	}
	steps := *p.at.Steps
	steps.Stragglers = p.common.Stragglers.DrawAlike(canary, p.at.Horizon, p.longest())
	p.at.Steps = &steps
}

// sizes are the keys and values that set the size of a small arm.
func (all *parts) sizes(v study.Variant, original *study.ArmFile, clients, rounds int) []string {
	return append(slices.Concat(problems.Narrower(original.Kinds, v.Document, auditedDimension), tiersOf(original, clients), roundsOf(original, rounds)),
		"nodes", strconv.Itoa(clients), "budget", "null", "algorithm.start", "null",
		"algorithm.samples", strconv.Itoa(AuditSamples), "algorithm.tau", strconv.Itoa(min(AuditSteps, all.common.Local.Tau)),
		"algorithm.stragglers.steps", strconv.Itoa(AuditTaken(all.common.Stragglers, all.common.Local.Tau)))
}

// shrunk are the keys and values that make an arm small.
func (all *parts) shrunk(v study.Variant, original *study.ArmFile, sampled bool, clients int) []string {
	rule := &all.common.Participation
	rate, rounds, groups, apart, times := "1", auditedRounds, min(2, rule.Groups), min(2, rule.Apart), "null"
	if all.buffer != nil {
		rounds = min(original.Horizon, bufferedRounds)
	}
	// If the limit of rounds of a client binds in the arm, a limit binds in the audit, too.
	free := *rule
	if free.Times = nil; rule.Most(original.Horizon).Times < free.Most(original.Horizon).Times {
		times = strconv.Itoa(min(*rule.Times, max(1, rounds/max(groups, apart)/2)))
	}
	if sampled {
		rate, rounds, groups, apart, times = "0.5", 1, 1, 1, "null"
	}
	if by, ok := original.Doc.Find("mechanism.by"); ok && by.Value() == string(mechanisms.ByFilter) || all.common.Filters.Any() || original.Clock.ChecksIn() {
		rate = "1"
	}
	list := append(all.sizes(v, original, clients, rounds),
		"algorithm.rate", rate, "algorithm.groups", strconv.Itoa(groups), "algorithm.apart", strconv.Itoa(apart), "algorithm.times", times, "algorithm.draw", string(aggregation.DrawnByClients), "algorithm.cohort", "null", "algorithm.attendance", "null", "algorithm.panel", "null", "clock", "null",
		"algorithm.aggregation.survivors", strconv.Itoa(clients/groups), "algorithm.combine", "null",
		"algorithm.amplified", strconv.FormatBool(all.common.Amplified && sampled), "mechanism.bands", strconv.Itoa(min(groups, rounds)))
	if all.buffer != nil {
		list = append(list, "algorithm.buffer", strconv.Itoa(min(all.buffer.Size, clients)))
	}
	if _, given := original.Algorithm.Get("concurrency"); given {
		list = append(list, "algorithm.concurrency", "null")
	}
	if all.common.Level == Record {
		list = append(append(list, roundsOf(original, AuditRounds)...), "algorithm.rate", "1", "algorithm.batch", strconv.Itoa(AuditBatch(sampled)))
	}
	return list
}

// audited makes the audit of a plan of rounds in which all clients take part that may. It also
// returns its canary: the one that moves the releases the furthest.
func (p *plan) audited(client messages.NodeID) (*auditing.Run, machine.Canary, error) {
	if p.at.Record {
		r, err := p.auditedRecord()
		return r, machine.Canary{}, err
	}
	r, err := p.auditedClient(client)
	if err != nil {
		return nil, machine.Canary{}, err
	}
	law := noise.GaussianLaw
	if p.mechanism.Owned() {
		law = p.mechanism.Own.Law
	}
	var best machine.Canary
	most := -1.0
	for _, canary := range machine.Directions(p.at.Width) {
		canary.Client = client
		r.Run = p.runs(canary)
		moved, err := r.Apart(law)
		if err != nil {
			return nil, best, err
		}
		if moved > most*(1+1e-9) { // of equal ones the first
			most, best = moved, canary
		}
	}
	r.Run = p.runs(best)
	return r, best, err
}

// runs makes the runs of an audit with a canary that is present on the other side.
func (p *plan) runs(canary machine.Canary) func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
	return func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		own := canary
		if own.In = machine.Absent; other {
			own.In = machine.AsTaken
		}
		return p.auditedRun(seed, p.at, scale, &own)
	}
}

// auditedSample makes the audit of one round with a sample: of clients, or of a client's data.
func (p *plan) auditedSample(canary machine.Canary) (*auditing.Run, error) {
	if p.at.Record {
		return p.auditedRecord()
	}
	r, err := p.auditedClient(canary.Client)
	if err != nil {
		return nil, err
	}
	// Participation is secret: the server's shadows hear the server's messages, and know no
	// more.
	r.Fed, r.Others = false, nil
	r.Run = func(seed uint64, other bool, scale float64) (*algorithm.Run, error) {
		own := canary
		switch own.In = machine.Absent; {
		case other && scale == 0:
			own.In = machine.Certain
		case other:
			own.In = machine.AsTaken
		}
		return p.auditedRun(seed, p.at, scale, &own)
	}
	r.Rate = p.common.Participation.RateOf(canary.Client)
	r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
		var coins []float64
		own := canary
		own.Coins = &coins
		if own.In = machine.Absent; other {
			own.In = machine.AsTaken
		}
		run, err := p.auditedRun(seed, p.at, 0, &own)
		return run, func() []float64 { return coins }, err
	}
	return r, nil
}

// auditedClient is an audit of one client that has no runs yet.
func (p *plan) auditedClient(client messages.NodeID) (*auditing.Run, error) {
	n, err := p.trusted(true)
	if err != nil {
		return nil, err
	}
	planned := p.totalOf(client)
	delta := p.deltaOf(int(client) - 1)
	claim, err := ledger.EpsilonOf(planned, delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: 0, Others: []messages.NodeID{client}, Fed: true,
		Delta: delta, Private: true, Claim: claim, Claimed: fmt.Sprintf("%.6g at delta %.6g, for %s", claim, delta, p.neighbours()),
		Mechanism: fmt.Sprintf("%s, rate %.6g, %d rounds%s", p.mechanism.Kind, p.common.Participation.RateOf(client), p.rounds, p.remark),
		Inputs:    "all that one client sends, of the length that it is clipped to, or nothing",
	}
	switch {
	case p.tiers != nil:
		return r, p.auditLowest(r, &n)
	case p.at.Sharing != nil && p.at.Sharing.Kind != aggregation.Secure:
		return r, p.auditMessages(r)
	}
	var seen audited = &n
	if p.at.Sharing != nil {
		seen = p.at.Sharing
		for i := range p.at.Clients {
			if other := messages.NodeID(i + 1); other != client {
				r.Others = append(r.Others, other)
			}
		}
		loss := planned.Loss()
		r.Planned = &loss
	}
	return r, p.auditSums(r, seen, &n)
}

// audited is the noise in an audit of a client.
type audited interface {
	// Stated returns the stated noise of a vector.
	Stated(at auditing.Place) auditing.Noise
}

// auditSums sets up an audit of the server's sums. The server sends the sum of all means so
// far, so that the news in a message is one mean or, with a buffer, a few means.
func (p *plan) auditSums(r *auditing.Run, seen audited, trusted *aggregation.Trusted) error {
	means, err := p.means()
	if err != nil {
		return err
	}
	r.Noise = func(at auditing.Place) auditing.Noise {
		if at.Node > 0 || means[at.Step] == 0 { // or a repeated message
			return auditing.Noise{}
		}
		stated := seen.Stated(at)
		stated.Length = p.at.Width
		return stated
	}
	r.Whiten = func(places []auditing.Place, rows [][]float64) {
		for i := len(rows) - 1; i >= 0; i-- {
			if i > 0 {
				kernel.Axpy(rows[i], -1, rows[i-1])
			}
			kernel.Scale(rows[i], 1/math.Sqrt(float64(means[places[i].Step])), rows[i])
		}
	}
	if !trusted.Noise.Correlated() {
		return nil
	}
	separator, err := audit.NewSeparator(trusted.Noise.Factorization())
	apart := r.Whiten
	r.Whiten = func(places []auditing.Place, rows [][]float64) {
		apart(places, rows)
		separator.Whiten(rows)
	}
	return err
}

// means returns, by round, the number of means that the server's message at the end of the
// round is the first to contain. It is the same in all runs of an audit.
func (p *plan) means() (map[int]int, error) {
	canary := machine.Directions(p.at.Width)[0]
	run, err := p.auditedRun(p.file.Seeds.Base, p.at, 1, &canary)
	if err != nil {
		return nil, err
	}
	run.Meter = &auditing.Ledger{}
	means, last := map[int]int{}, slices.Clone(p.at.Start)
	last = append(last, make([]float64, p.at.Said()-p.at.Dim)...)
	return means, lockstep.Watch(context.Background(), run, &lockstep.Watcher{Visit: func(w *lockstep.Watched) error {
		if w.Outbox.Broadcast == nil {
			return nil
		}
		said := w.Outbox.Broadcast.(*messages.Vector).Values
		switch {
		case p.at.Buffer != nil:
			means[w.Step] = int(said[p.at.Width] - last[p.at.Width])
		case !slices.Equal(said, last):
			means[w.Step] = 1
		}
		copy(last, said)
		return nil
	}})
}

// auditedRun is a run of the audited size. A nil canary means none.
func (p *plan) auditedRun(seed uint64, at *machine.Setting, scale float64, canary *machine.Canary) (*algorithm.Run, error) {
	run, _, err := p.run(seed, at, scale, canary)
	if err != nil {
		return nil, err
	}
	return auditing.AffectAudited(p.arm, run, 0)
}

// auditMessages sets up an audit of the messages of clients with noise of their own, as the
// server sees them, or the wire before a shuffler. The effect of the shuffler is not audited.
func (p *plan) auditMessages(r *auditing.Run) error {
	r.Node, r.Others, r.Fed = canaryClient, []messages.NodeID{canaryClient + 1}, false
	if p.at.Sharing.Kind == aggregation.Shuffle {
		r.Mechanism += ", before the shuffler; what it hides is not audited"
	}
	r.Noise = p.at.Sharing.Stated
	var planned accountant.Total
	planned.AddTimes(p.at.Sharing.MessageOf(canaryClient), p.most.Times)
	loss := planned.Loss()
	r.Planned = &loss
	var err error
	r.Claim, err = ledger.EpsilonOf(planned, p.deltaOf(int(canaryClient)-1), p.mechanism.Accountant)
	return err
}
