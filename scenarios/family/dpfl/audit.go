package dpfl

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/kernel"
	"starling/mechanisms/noise"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/federated"
	"starling/scenarios/federated/machine"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
	"starling/scenarios/study"
)

// An audit of federated learning by local DP-SGD has two clients with two samples each, as in
// package federated (SampleCanary). The canary's gradient has the clipping norm as its length, and is in the sum
// of a local step if the canary is sampled. Some audits sample every second time: they audit
// the sampling. Others take all data: there the composition of Gaussians is exact, and a bound
// on their mu is a bound on every epsilon. An audit of ALI-DPFL samples in one round, as its
// statistics come after the first round. A round has the local steps of the arm, up to
// federated.AuditSteps, where the noise of several steps has the law of one: with independent Gaussian
// noise on each, and no set of models. Then no gradient depends on the model, whose noise
// would be in it.
const (
	auditedClients   = 2
	auditedClient    = messages.NodeID(1)
	auditedDimension = 3 // if the problem can have so few parameters; the statistics are 2 numbers
)

// auditLocalSGD audits the messages of clients. As printed the statistics of ALI-DPFL are not
// private, and one row says so. The other audits compare the local steps, which its Theorem 3
// covers, with their loss. A plan that samples has two audits, of the sampling and of the
// composition; a plan that takes all data has the second alone.
func auditLocalSGD(b *study.Builder, v study.Variant, of *Variant) (runs []*auditing.Run, err error) {
	wholeSize := auditSize{Batch: federated.AuditBatch(false), Rounds: federated.AuditRounds, Steps: 1}
	sampledSize := wholeSize
	sampledSize.Batch = federated.AuditBatch(true)
	whole, err := smallPlan(b, v, of, wholeSize)
	if err != nil {
		return nil, err
	}
	if !whole.private() {
		return []*auditing.Run{{Delta: whole.Mechanism.Delta, Mechanism: "none", Claimed: accountant.NotPrivate().String()}}, nil
	}
	if steps := whole.auditedSteps(b, v); steps > 1 {
		wholeSize.Steps, sampledSize.Steps = steps, steps
		if whole, err = smallPlan(b, v, of, wholeSize); err != nil {
			return nil, err
		}
	}
	if of.adaptive {
		sampledSize.Rounds = 1
	}
	if whole.Options.Batch > 0 { // else there is no sampling to audit
		sampled, err := smallPlan(b, v, of, sampledSize)
		if err != nil {
			return nil, err
		}
		r, err := sampled.audited(sampledSize)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	r, err := whole.audited(wholeSize)
	if err != nil {
		return nil, err
	}
	runs = append(runs, r)
	if of.adaptive && whole.Section.Statistics == dpfl.AsPrinted {
		runs = append(runs, &auditing.Run{Delta: whole.Mechanism.Delta, Mechanism: "statistics as printed", Claimed: runs[0].Claimed})
	}
	return runs, nil
}

// auditedSteps is the number of local steps in a round of an audit.
func (p *plan) auditedSteps(b *study.Builder, v study.Variant) int {
	if p.adaptive || p.pooled || p.corpus.Set != nil || !p.Options.Noise.Sampled() {
		return 1
	}
	original, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return 1
	}
	tau, _, err := p.localSteps(original)
	if err != nil { // the arm has been checked
		return 1
	}
	return min(federated.AuditSteps, tau)
}

// localSteps reads tau, 1 where it is not fixed, and the stragglers of an arm.
func (v *Variant) localSteps(a *study.ArmFile) (tau int, of *algorithm.Stragglers, err error) {
	section, err := v.read(a.Algorithm)
	if tau = 1; section.Tau != nil {
		tau = *section.Tau
	}
	return tau, section.Stragglers, err
}

// smallPlan builds the plan of an arm at a small size, as a study does. Private statistics are
// in round 2, and a run with them has one more round. The budget and the start of the arm are
// taken out: a budget would stop the run early, and a start may have another dimension.
func smallPlan(b *study.Builder, v study.Variant, as *Variant, size auditSize) (*plan, error) {
	original, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	// Some mechanisms add noise to sums over all data. They have no batch.
	batch := strconv.Itoa(size.Batch)
	if sums, _ := as.sums(original); sums.Whole {
		batch = "null"
	}
	tau, stragglers, err := as.localSteps(original)
	if err != nil {
		return nil, err
	}
	of := func(clients, rounds int) (*plan, error) {
		return planOf(b, v, as, append(append(problems.Narrower(b.Kinds, v.Document, auditedDimension),
			"nodes", strconv.Itoa(clients), "horizon", strconv.Itoa(rounds), "budget", "null", "algorithm.batch", batch,
			"algorithm.samples", strconv.Itoa(federated.AuditSamples), "algorithm.start", "null", "algorithm.stragglers.steps", strconv.Itoa(federated.AuditTaken(stragglers, tau))), append(slices.Clip(as.audited), "algorithm.tau", strconv.Itoa(size.Steps))...))
	}
	clients := auditedClients
	p, err := of(clients, size.Rounds)
	if err != nil { // the problem may allow one number of clients only
		clients = original.Nodes
		p, err = of(clients, size.Rounds)
	}
	if err == nil && p.auditsStatistics(size) {
		p, err = of(clients, size.Rounds+1)
	}
	return p, err
}

// planOf is the plan of an arm with values replaced. values are paths and texts in turn, as
// auditing.Smaller takes them.
func planOf(b *study.Builder, v study.Variant, as *Variant, values []string) (*plan, error) {
	a, err := auditing.Smaller(b.Kinds, v, values...)
	if err != nil {
		return nil, err
	}
	arm, remark := auditing.SmallArmOf(b, a)
	p, err := newPlan(b, arm, a, as, func(c *problems.Corpus) *problems.Corpus {
		return c.Narrowed(b.Seeds.Base, auditedDimension)
	})
	if err := auditing.CannotShrink(a, err); err != nil {
		return nil, err
	}
	p.remark = remark
	return p, nil
}

// auditsStatistics reports whether an audit of a size sees private statistics.
func (p *plan) auditsStatistics(size auditSize) bool {
	return p.adaptive && p.Section.Statistics == dpfl.Private && size.Rounds >= 2
}

// auditSize is the size of an audited run. Of federated.AuditSamples samples, Batch are expected in a
// local step. The audit watches Rounds rounds of Steps local steps each. Batch is at most
// federated.AuditSamples; Batch = federated.AuditSamples samples with certainty.
type auditSize struct{ Batch, Rounds, Steps int }

// audited makes an audit of the given size from a plan that is made for it: two clients, and
// rounds of size.Steps local steps.
func (p *plan) audited(size auditSize) (*auditing.Run, error) {
	o := p.Options
	o.Clients = make([]dpfl.Data, len(p.Options.Clients))
	for i, data := range p.Options.Clients {
		// Every client has federated.AuditSamples samples, so that all sample at one rate.
		o.Clients[i] = canarySample{Data: data, SampleCanary: federated.SampleCanary{Direction: p.direction(data)}, alone: size.Steps > 1}
	}
	o.Stragglers = p.Section.Stragglers.DrawAlike(auditedClient, size.Rounds, size.Steps)
	// The canary is absent or there, whatever neighbours the scenario has.
	planned := dpfl.Accounted(&o, 0, p.taken(&o, size), 0).Claimed
	claim, err := ledger.EpsilonOf(planned, p.Mechanism.Delta, p.Mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: auditedClient, Delta: p.Mechanism.Delta, Private: true, Claim: claim, Claimed: perSample(claim, p.Mechanism.Delta, accountant.AddOrRemove),
		Mechanism: p.auditedMechanism(size),
		Noise:     func(at auditing.Place) auditing.Noise { return p.statedNoise(&o, at, size) },
	}
	if p.clients > 1 {
		r.Others = []messages.NodeID{2}
	}
	if p.factorize != nil {
		if err := p.whiten(r, size); err != nil {
			return nil, err
		}
	}
	// Keys that the audit sets itself must not distinguish two arms with the same audits.
	section := p.Section
	section.Tau, section.Batch, section.Samples, section.Control, section.StatisticsSamples = nil, nil, nil, 0, 0
	var stragglers algorithm.Stragglers
	if section.Stragglers != nil { // shared, too
		stragglers, section.Stragglers = *section.Stragglers, nil
	}
	mechanism := p.Mechanism
	mechanism.Correlated = nil // it is shared, and so no key
	r.Key = fmt.Sprintf("%+v %+v %+v %+v %+v %s", size, section, stragglers, mechanism, p.Mechanism.Correlated, p.problem)
	federated.CanaryRuns(func(seed uint64, noise float64, in machine.Presence, drawn func([]int)) (*algorithm.Run, error) {
		return p.auditedRun(o, size, seed, in, noise, drawn)
	}).Of(r, float64(size.Batch)/federated.AuditSamples, o.Stragglers.Steps(auditedClient, 1, size.Steps))
	return r, nil
}

// taken is the number of local steps of the audited client in all rounds.
func (p *plan) taken(o *dpfl.Options, size auditSize) (steps int) {
	for round := range size.Rounds {
		steps += o.Stragglers.Steps(auditedClient, round+1, size.Steps)
	}
	return steps
}

// whiten has the audit take the correlation out of the noise on models. A client sends these
// first, one vector a round. The noise of statistics after them is independent.
func (p *plan) whiten(r *auditing.Run, size auditSize) error {
	f, err := p.factorize()
	if err != nil {
		return err
	}
	separator, err := audit.NewSeparator(f)
	r.Whiten = func(_ []auditing.Place, rows [][]float64) { separator.Whiten(rows[:min(len(rows), size.Rounds)]) }
	return err
}

// auditedMechanism names the mechanism in the table of an audit, with the sampling rate
// q.
func (p *plan) auditedMechanism(size auditSize) string {
	text := fmt.Sprintf("%s, q = %.6g, %s", p.Mechanism.Kind, float64(size.Batch)/federated.AuditSamples, document.Counted(size.Rounds, "round"))
	if size.Steps > 1 {
		text += fmt.Sprintf(" of %d local steps", size.Steps)
	}
	if p.auditsStatistics(size) {
		text += ", private statistics"
	}
	return text + p.remark
}

// auditedRun is a run of the audited size. drawn, unless nil, is called with the samples of
// the client that has the canary.
func (p *plan) auditedRun(o dpfl.Options, size auditSize, seed uint64, in machine.Presence, noise float64, drawn func([]int)) (*algorithm.Run, error) {
	// The list is a new one, so that runs at the same time do not share a canary.
	canary := o.Clients[0].(canarySample)
	canary.In, canary.Drawn = in, drawn
	o.Clients = append([]dpfl.Data{canary}, o.Clients[1:]...)
	r, err := p.assemble(seed, o, noise)
	if err != nil {
		return nil, err
	}
	r.run.Steps = size.Rounds
	return auditing.AffectAudited(p.Arm, &r.run, patience)
}

// statedNoise is the stated noise of a vector: of a model in the first turn of a round, or of
// a gradient that is sent for the statistics after it. Messages of rho_i and beta_i are left
// out: both are made positive, and their noise has no plain law. A local step moves a model by
// eta/B times a noisy sum, so the noise of a model is eta/B times the noise of the sum of the
// steps of a round. A scale is a standard deviation of Gaussian noise, and for other laws
// the scale of the law.
func (p *plan) statedNoise(o *dpfl.Options, at auditing.Place, size auditSize) auditing.Noise {
	n := auditing.Noise{Law: noise.GaussianLaw, Length: at.Length}
	batch := float64(o.Batch)
	if o.Batch == 0 {
		batch = federated.AuditSamples
	}
	switch {
	case at.Length != len(o.Start):
	case at.Hop != 0:
		n.Scale = o.Adaptive.Sigma * o.Adaptive.Clip / federated.AuditSamples
	default:
		if of, err := p.released(o); err == nil { // the run has made the same
			steps := o.Stragglers.Steps(auditedClient, at.Step, size.Steps)
			n.Law, n.Scale = of.Law(), o.LearningRate/batch*of.Scale()*math.Sqrt(float64(steps))
		}
	}
	return n
}

// canarySample is the data of a client, with the canary as first sample. The number of samples
// is public, so that the rate q does not depend on whether the canary is there.
type canarySample struct {
	dpfl.Data
	federated.SampleCanary
	// alone means that the gradients of the other samples are 0.
	alone bool
}

// Size implements dpfl.Data.
func (c canarySample) Size() int { return c.SampleCanary.Size() }

// SumClipped implements dpfl.Data. The canary's gradient has exactly length clip, the most
// that any sample can add. It is not counted as clipped.
func (c canarySample) SumClipped(dst, params []float64, samples []int, clip float64) int {
	_, others := c.Seen(samples)
	if c.alone {
		others = nil
	}
	clipped := c.Data.SumClipped(dst, params, others, clip)
	c.Add(dst, samples, clip)
	return clipped
}

// SumLossChanges implements dpfl.Data. The loss of the canary changes by the bound, the
// largest change that any sample is taken to have.
func (c canarySample) SumLossChanges(from, to []float64, samples []int, bound float64) float64 {
	there, others := c.Seen(samples)
	sum := c.Data.SumLossChanges(from, to, others, bound)
	if there {
		sum += bound
	}
	return sum
}

// direction is the gradient that moves a sum the furthest in the norm of the noise: for the
// 1-norm, one with entries that are all alike. Its length is the clipped length of a
// gradient of the data.
func (p *plan) direction(data dpfl.Data) []float64 {
	v := make([]float64, p.dim())
	if v[0] = 1; p.Mechanism.Owned() && p.Mechanism.Own.Law.Norm() == noise.L1 {
		for k := range v {
			v[k] = 1 / math.Sqrt(float64(len(v)))
		}
	}
	kernel.Scale(v, problems.ClippedLength(data, p.Options.Start), v)
	return v
}
