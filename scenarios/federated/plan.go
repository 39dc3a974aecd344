package federated

import (
	"fmt"
	"math"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/algorithm/decision"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/factorization"
	"starling/mechanisms/noise"
	"starling/mechanisms/robust"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/limits"
	"starling/scenarios/metric"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// plan is what the sections of an arm say, put together.
type plan struct {
	parts
	arm       *study.Arm
	file      *study.ArmFile
	remark    string // what of the arm's network an audit leaves out
	mechanism mechanisms.Sums
	corpus    *problems.Corpus
	combine   robust.Rule // nil is the mean
	// at is the setting of the first seed, without data: a job has its own.
	at *Setting
	// sharing is the noise of clients on what they send; nil where there is none such.
	sharing *sharing
	// most is how often a client takes part.
	most factorization.Participation
	// factorize and calibrate make the factorization of correlated noise, and what
	// amplified noise costs, when they are first asked for: both take long.
	factorize func() (*factorization.Factorization, error)
	calibrate func() (accountant.SampledGaussian, error)
}

// build builds the plan of an arm; what is wrong is noted, and it is then of no use.
func (read reader) build(b *study.Builder, arm *study.Arm, a *study.ArmFile, found *study.Faults) study.Plan {
	if p := newPlan(b, arm, a, found, read, nil); p != nil {
		return p.study()
	}
	return study.Plan{}
}

// newPlan reads the sections of an arm; nil where there are faults, which it has noted.
// narrow, unless it is nil, changes the data before anything is made of them.
func newPlan(b *study.Builder, arm *study.Arm, a *study.ArmFile, found *study.Faults, read reader, narrow func(*problems.Corpus) *problems.Corpus) *plan {
	p := &plan{arm: arm, file: a}
	var err error
	p.parts, err = read(a.Algorithm)
	found.Note(err)
	study.NoSampledNodes(a, found)
	arm.Topology = study.BuildStarOf(b, arm, a, p.name, found, func() (topology.Sequence, error) { return topology.Star{Leaves: a.Nodes}.Sequence() }, limits.Product(3, a.Nodes))
	if a.Mechanism != nil {
		build, err := kind.Find[mechanisms.SumsBuilder](a.Kinds.Mechanisms, a.Mechanism, "the algorithm "+p.name)
		if found.Note(err) {
			p.mechanism, err = build(a.Mechanism)
			found.Note(err)
		}
	}
	if a.Problem == nil || a.Mechanism == nil {
		return nil
	}
	samples := 0
	if p.common.Samples != nil {
		samples = *p.common.Samples
	}
	p.corpus, err = problems.BuildCorpusOf(b, a, "the algorithm "+p.name, samples)
	if !found.Note(err) || len(found.Issues) > 0 {
		return nil
	}
	if narrow != nil {
		p.corpus = narrow(p.corpus)
	}
	if !p.configure(b, found) {
		return nil
	}
	if !b.Usage.Take(&b.Usage.Coordinates, limits.Product(3*p.count, a.Nodes, p.corpus.Dim), limits.Coordinates) {
		found.At(a.Problem.Path(), "the models of the clients of all arms have over %d coordinates", limits.Coordinates)
		return nil
	}
	return p
}

// configure makes the setting, and says how noise is made. It is false if something is
// wrong, which it has noted.
func (p *plan) configure(b *study.Builder, found *study.Faults) bool {
	a, c := p.file, &p.common
	before := len(found.Issues)
	if !found.Note(a.Algorithm.Resolve(c.Participation.check(a.Nodes))) {
		return false
	}
	if c.Start != nil && p.corpus.Started {
		found.At("algorithm.start", "%s", problems.TwoStarts)
	}
	if p.private() && !c.bounded() {
		found.At("algorithm.clip", "no noise hides what has no bound; give a 2-norm")
	}
	if c.Level == Record && p.private() && (p.mechanism.Whole || p.mechanism.Kind != mechanisms.KindSampledGaussian) {
		found.At("mechanism.kind", "%s noise is for sums of a server that is trusted; clients that protect their samples take %s", p.mechanism.Kind, mechanisms.KindSampledGaussian)
	}
	if _, err := p.setting(a.Seeds.Base); err != nil {
		return found.Note(a.Doc.Resolve("problem", err).Err())
	}
	p.checkBuffer(found)
	p.checkAggregation(found)
	p.checkLies(found)
	p.most = c.Participation.most(a.Horizon)
	if len(found.Issues) > before || a.Horizon < 1 {
		return false
	}
	return p.share(found) && p.correlate(b, found)
}

// sampled is the rate of the sample that noise counts on. Who is in a buffer is no sample
// that is drawn anew for each.
func (p *plan) sampled() float64 {
	if p.buffer != nil {
		return 1
	}
	return p.common.Participation.sampled()
}

// private tells whether there is noise.
func (p *plan) private() bool { return p.mechanism.Private() }

// setting is what the algorithm meets under a seed, with the data of clients.
func (p *plan) setting(seed uint64) (*problems.Divided, error) {
	c := &p.common
	at := &Setting{
		Clients: p.file.Nodes, Rounds: p.file.Horizon, Dim: p.corpus.Dim, Width: p.count * p.corpus.Dim, Set: p.corpus.Set,
		Expected: c.Participation.expected(p.file.Nodes), Record: c.Level == Record, Clip: float64(c.Clip), Participation: &c.Participation,
	}
	at.sharing = p.sharing
	if c.Aggregation != nil {
		at.Expected *= 1 - c.Aggregation.Dropout
	}
	if at.Buffer = p.buffer; at.Buffer != nil {
		at.Expected = float64(at.Buffer.Size)
	}
	data, err := p.corpus.Draw(seed, p.file.Nodes)
	if err != nil {
		return nil, err
	}
	at.Steps = &Steps{Local: c.Local, data: data.Clients}
	if at.Record {
		at.Steps.Record = &RecordNoise{Sigma: p.mechanism.Sigma, Clip: at.Clip}
		if !p.private() {
			at.Steps.Record.Sigma = 0
		}
	}
	if at.Start = c.Start; at.Start == nil {
		at.Start = p.corpus.Start(seed)
		if at.Set != nil {
			at.Set.Project(at.Start, at.Start, make([]float64, at.Set.WorkSize()))
		}
	}
	if len(at.Start) != at.Dim {
		return nil, document.At("", "algorithm.start has %d numbers; the model has %d", len(at.Start), at.Dim)
	}
	p.at = at
	return data, nil
}

// correlate says how correlated noise is made, and refuses what cannot be.
func (p *plan) correlate(b *study.Builder, found *study.Faults) bool {
	c := p.mechanism.Correlated
	if c == nil {
		if p.common.Amplified {
			found.At("algorithm.amplified", "%s noise counts on sampling by itself where it can; leave this out", p.mechanism.Kind)
		}
		return !p.common.Amplified
	}
	if !found.Note(p.file.Mechanism.Resolve(c.Check(p.at.Rounds, 1, p.at.Width))) {
		return false
	}
	factorize := mechanisms.Factorizer(b, c, p.at.Rounds, p.most)
	p.factorize = func() (*factorization.Factorization, error) {
		f, err := factorize()
		return f, p.file.Mechanism.Resolve(err)
	}
	if !p.common.Amplified {
		return true
	}
	bands := p.at.Rounds
	switch factorization.Kind(c.Kind) {
	case factorization.Independent:
		bands = 1
	case factorization.BandedToeplitz:
		bands = c.Options(p.at.Rounds).Bands
	}
	q := p.sampled()
	switch {
	case bands > p.common.Participation.Groups:
		found.At("algorithm.amplified", "the proof is for noise of at most as many bands as there are groups, %d; this has %d", p.common.Participation.Groups, bands)
	case q == 1:
		found.At("algorithm.amplified", "nothing is secret about who takes part: give a rate below 1, without apart beyond groups and without times")
	case p.most.Times > mostAmplified:
		found.At("algorithm.amplified", "amplified noise is calibrated for at most %d rounds of a client; these are %d", mostAmplified, p.most.Times)
	case p.mechanism.Neighbours != accountant.AddOrRemove:
		found.At("mechanism.neighbours", "amplification is proved for clients that are added or removed")
	default:
		type calibrated struct {
			steps accountant.SampledGaussian
			err   error
		}
		type asked struct {
			steps          accountant.SampledGaussian
			epsilon, delta float64
			by             accountant.Method
		}
		memo := study.RunMemo[asked, calibrated](b)
		of := asked{accountant.SampledGaussian{Rate: q, Noise: 1, Steps: p.most.Times}, c.Epsilon, c.Delta, c.Accountant}
		p.calibrate = func() (accountant.SampledGaussian, error) {
			made := memo.Get(of, func() (m calibrated) {
				m.steps, m.err = noise.CalibrateSampled(of.steps, of.epsilon, of.delta, of.by)
				m.steps.Steps = 1
				return m
			})
			return made.steps, p.file.Mechanism.Resolve(made.err)
		}
		return true
	}
	return false
}

// mostAmplified is how many rounds of a client amplified noise is calibrated for: the search
// for its scale composes them anew at every try.
const mostAmplified = 100_000

// noising is the noise of the server; exact is that of a run, and else a stand-in whose
// prices are the same up to rounding, for those who must not take long.
func (p *plan) noising(exact bool) (n noising, err error) {
	m := &p.mechanism
	n = noising{clip: p.at.Clip, length: p.at.Width, rate: 1, every: p.most.Apart, times: p.most.Times}
	if !p.private() || p.at.Record || p.sharing != nil {
		return n, nil
	}
	switch {
	case m.Correlated != nil:
		moved := 1.0
		n.prefix = &noise.Prefix{}
		if p.calibrate != nil {
			if n.amplified, err = p.calibrate(); err != nil {
				return n, err
			}
		}
		if exact {
			if n.prefix.Factorization, err = p.factorize(); err != nil {
				return n, err
			}
			if moved, err = p.moved(n.prefix.Factorization); err != nil {
				return n, err
			}
			moved *= n.clip
		}
		n.prefix.Sensitivity, n.prefix.Scale = moved, m.Unit*moved
		if p.calibrate != nil {
			n.prefix.Scale = n.amplified.Noise * moved
		}
	case m.Laplace > 0:
		n.laplace = m.Laplace * n.moves()
	default:
		n.sigma = m.Sigma * n.clip
		if !m.Whole {
			n.rate = p.sampled()
		}
	}
	return n, nil
}

// moved is how far a client moves the release, each of its vectors by 1: of amplified
// noise one of them, for what a sample of clients adds to the bands of a round is one
// release of the mechanism.
func (p *plan) moved(f *factorization.Factorization) (float64, error) {
	if p.calibrate != nil {
		return f.Sensitivity(), nil
	}
	moved, err := f.SensitivityOf(p.most)
	return moved, p.file.Algorithm.Resolve(err)
}

// study is the plan as an arm has it.
func (p *plan) study() study.Plan {
	account := p.account()
	plan := study.Plan{
		FirstStep: 1, Participants: p.at.Clients + 1, Units: p.at.Clients, Server: true, RoundSteps: 1,
		Dim: p.at.Dim, Set: setOf(p), Held: p.held(),
		Deciders: study.Deciders{First: 0, End: 1}, Clear: p.at.sent() - p.at.Width,
		Loss: p.losses(), Noise: p.drowning,
		Claim:    func() string { return account[0].Claimed },
		Accounts: account,
		Stated:   ledger.Statement{Metrics: []string{ledger.EpsilonTotal, ledger.Delta}},
		Asked:    gauge.Answers{Met: true, Fresh: p.corpus.Tests, Best: p.corpus.Compared}.Names(),
		Job:      p.job, Shares: p.shares, Notes: p.notes, Trained: p.corpus.Trained, Before: p.corpus.Before(accountant.AddOrRemove),
		Metrics: p.metrics(),
		Reasons: []algorithm.Reason{meanOfClients, initialModel}, LearnsWhy: p.learnsWhy,
	}
	if s := p.sharing; s != nil && s.private() && p.named() {
		plan.Learns, plan.LearnsWhy = p.sharedLearns, "of the messages of a round it knows its own, whose noise hides nobody from it"
	}
	if p.learns != nil {
		plan.Learns = func(j *study.Job) ledger.Learns { return p.learns(p.at, j) }
	}
	return plan
}

// setOf is where decisions are from; nil for all of R^d.
func setOf(p *plan) decision.Set {
	if p.at.Set == nil {
		return nil // and no interface that holds nil
	}
	return p.at.Set
}

// held is about how many bytes a job holds of data and noise.
func (p *plan) held() float64 {
	held := p.corpus.Held
	if c := p.mechanism.Correlated; c != nil {
		held += float64(8 * c.Numbers(p.at.Rounds, 1, p.at.Width))
	}
	return held
}

// losses tell what a round, from 1, costs whoever pays the most: the server, or a client
// that takes part whenever it may.
func (p *plan) losses() func(round int) accountant.Loss {
	if p.at.Record {
		return func(round int) accountant.Loss {
			if (round-1)%p.most.Apart != 0 || (round-1)/p.most.Apart >= p.most.Times {
				return accountant.Loss{}
			}
			loss := p.at.Steps.price(p.smallest())
			loss.Sampled.Steps *= p.at.Steps.Tau
			return loss
		}
	}
	if p.sharing != nil {
		return p.sharedPrice
	}
	n, err := p.noising(false)
	if err != nil { // no job runs
		return func(int) accountant.Loss { return accountant.NotPrivate() }
	}
	return n.price
}

// smallest is the client, from 0, with the fewest samples, which pays the most for a step.
func (p *plan) smallest() (client int) {
	for i, data := range p.at.Steps.data {
		if data.Size() < p.at.Steps.data[client].Size() {
			client = i
		}
	}
	return client
}

// drowning is the noise of a round beside what it hides: a sum of clipped vectors. It is
// not said of correlated noise, whose prefix sums matter.
func (p *plan) drowning() (size, signal float64) {
	if p.sharing != nil {
		return p.sharedDrowning()
	}
	n, err := p.noising(false)
	if err != nil || n.prefix != nil || p.at.Record {
		return 0, 0
	}
	deviation := n.sigma
	if n.laplace > 0 {
		deviation = noise.Additive{Law: noise.LaplaceLaw, Scale: n.laplace}.Deviation()
	}
	return deviation * math.Sqrt(float64(n.length)), p.at.Expected * n.clip
}

// bills are what participants of a run pay: the server for the noise of rounds, or clients
// for every local step of the rounds that they take part in.
func (p *plan) bills(at *Setting, n *noising) ledger.Billing {
	return func(node messages.NodeID, round int, moment ledger.Moment) ledger.Bill {
		switch {
		case at.Record && node > 0:
			return ledger.Pays(at.Steps.price(int(node)-1), at.Steps.Tau, at.Steps.Tau)
		case at.sharing != nil && at.sharing.private() && node > 0:
			return ledger.Pays(at.sharing.paid, 1, 1)
		case at.Record || at.sharing != nil || node > 0:
			return ledger.Bill{}
		}
		if at.Buffer != nil {
			return p.bufferBill(n, round, moment)
		}
		if price := n.price(round); price != (accountant.Loss{}) {
			return ledger.Pays(price, 1, 1)
		}
		return ledger.Bill{}
	}
}

// neighbours are two runs that are to look alike.
func (p *plan) neighbours() string {
	switch {
	case p.at.Record:
		return "one sample of one client added or removed"
	case p.buffer != nil || p.sharing != nil:
		return "the vectors of one client, or zeros in their place"
	}
	return "a client added or removed"
}

// account is what observers learn. Where the server is trusted, it and the wire see what
// clients send.
func (p *plan) account() []ledger.Account {
	replaces := p.mechanism.Neighbours == accountant.Replace
	unit, neighbours := "a client with all of its data", p.neighbours()
	switch {
	case p.at.Record:
		unit = "a sample of a client"
	case p.buffer != nil || p.sharing != nil:
		unit = "all that a client sends"
	}
	a := ledger.Account{
		Unit: unit, Neighbours: neighbours, Relation: p.mechanism.Neighbours, Converted: p.converted(), PaidFor: neighbours,
		Claimed: p.claim(), Delta: p.mechanism.Delta, By: p.mechanism.Accountant,
	}
	if replaces {
		a.Neighbours = fmt.Sprintf("%s replaced", unit)
	}
	if p.at.Record {
		return ledger.Everywhere(a, accountant.Observers()...)
	}
	if p.sharing != nil && p.sharing.private() {
		return p.sharedAccounts(a)
	}
	seen := a
	seen.Claimed = accountant.NotPrivate().String()
	seen.Bound = func(int) accountant.Loss { return accountant.NotPrivate() }
	seen.Chance = p.common.Participation.Rate < 1 || p.arm.Adversaries.Silent()
	seen.Why = "clients send what they have computed as it is: the server is trusted, and the wire is to be protected by other means"
	return slices.Concat(ledger.Everywhere(a, accountant.Peer, accountant.Public), ledger.Everywhere(seen, accountant.Server, accountant.Wire))
}

// claim is what the noise is calibrated to, and what the paper says beside.
func (p *plan) claim() string {
	if !p.private() {
		return accountant.NotPrivate().String()
	}
	if p.claimed != nil {
		if text := p.claimed(p.at); text != "" {
			return text
		}
	}
	var total accountant.Total
	loss := p.losses()
	for round := range p.at.Rounds {
		total.Add(loss(round + 1))
	}
	a := ledger.Account{Delta: p.mechanism.Delta, By: p.mechanism.Accountant, Converted: p.converted()}
	epsilon, err := new(ledger.Teller).Stated(&a, &total)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.6g at delta %.6g", epsilon, p.mechanism.Delta)
}

// metrics are those of the meter that runs record.
func (p *plan) metrics() []string {
	list := Metrics()
	if p.buffer != nil {
		list = metric.Join(list, bufferMetrics())
	}
	return slices.Concat(slices.DeleteFunc(list.Names(), func(metric string) bool {
		switch metric {
		case gauge.AccuracyTest:
			return !p.corpus.Classifies
		case QuantityClipped:
			return p.at.Record
		case QuantityNoise:
			return p.at.Record || p.sharing != nil
		case quantityAborted:
			return p.sharing == nil
		case quantityWrapped:
			return p.sharing == nil || p.sharing.discrete == nil
		}
		return false
	}), study.RoundMetrics(p.arm))
}
