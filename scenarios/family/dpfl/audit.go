package dpfl

import (
	"fmt"
	"strconv"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/ledger"
	"starling/scenarios/show"
	"starling/scenarios/study"
)

// Federated learning by local DP-SGD is audited by two clients of two samples of
// generated images. The first of the first client's, the canary, is there or not: its
// gradient, clipped as any other, is in the sum of a local step if it is sampled. Rounds have one local step, so that each shows what one release says.
// One round samples every second time, which audits the sampling; more of them
// sample everything, where the composition of Gaussians is exact and a bound on
// their mu is one on every epsilon.
const (
	auditedClients = 2
	AuditedSamples = 2 // of a client
	auditedModels  = 2 // rounds that sample everything
)

// AuditedImages stand for any problem with images: a noise has no regard for what
// it hides.
const AuditedImages = "{kind: images, data: synthetic, train: 128, test: 64, public: 16, model: {kind: softmax}, partition: {kind: iid}}"

// AuditDPFL returns what an audit of an arm of dpfl runs, built of its variant; the
// errors are those of the arm.
func AuditDPFL(b *study.Builder, v study.Variant) ([]*auditing.Run, error) {
	return auditLocalSGD(b, v, "dpfl", false)
}

// AuditALIDPFL is AuditDPFL for an arm of ali-dpfl.
func AuditALIDPFL(b *study.Builder, v study.Variant) ([]*auditing.Run, error) {
	return auditLocalSGD(b, v, "ali-dpfl", true)
}

// Sizes of audits: one that samples every second time, and one that takes everything.
var (
	sampledSize = AuditSize{Batch: AuditedSamples / 2, Rounds: 1}
	wholeSize   = AuditSize{Batch: AuditedSamples, Rounds: auditedModels}
)

// auditLocalSGD audits what clients send. As printed the statistics of ALI-DPFL
// are not private, and one row says so; the others hold what its Theorem 3
// covers, the local steps, against what they cost.
func auditLocalSGD(b *study.Builder, v study.Variant, kind string, adaptive bool) (runs []*auditing.Run, err error) {
	whole, err := smallPlan(b, v, kind, adaptive, wholeSize)
	if err != nil {
		return nil, err
	}
	if !whole.private() {
		return []*auditing.Run{{Delta: whole.Mechanism.Delta, Mechanism: "none", Claimed: accountant.NotPrivate().String()}}, nil
	}
	if whole.Options.Batch > 0 { // else there is no sampling to audit
		sampled, err := smallPlan(b, v, kind, adaptive, sampledSize)
		if err != nil {
			return nil, err
		}
		r, err := sampled.Audited(sampledSize)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	r, err := whole.Audited(wholeSize)
	if err != nil {
		return nil, err
	}
	runs = append(runs, r)
	if adaptive && whole.Section.Statistics == dpfl.AsPrinted {
		runs = append(runs, &auditing.Run{Delta: whole.Mechanism.Delta, Mechanism: "statistics as printed", Claimed: runs[0].Claimed})
	}
	return runs, nil
}

// smallPlan builds the plan of an arm of a size as a study's is built. Private statistics
// are of round 2, and the run that they need has one more.
func smallPlan(b *study.Builder, v study.Variant, kind string, adaptive bool, size AuditSize) (*Plan, error) {
	p, err := planOf(b, v, kind, adaptive, size, size.Rounds)
	if err == nil && p.auditsStatistics(size) {
		p, err = planOf(b, v, kind, adaptive, size, size.Rounds+1)
	}
	return p, err
}

func planOf(b *study.Builder, v study.Variant, kind string, adaptive bool, size AuditSize, rounds int) (*Plan, error) {
	original, err := auditing.Smaller(b.Kinds, v)
	if err != nil {
		return nil, err
	}
	found, batch := &study.Faults{Doc: original.Doc}, strconv.Itoa(size.Batch)
	if sums := sumsOf(original, kind, found); sums.Whole {
		batch = "null"
	}
	a, err := auditing.Smaller(b.Kinds, v, "nodes", strconv.Itoa(auditedClients), "horizon", strconv.Itoa(rounds), "problem", AuditedImages, "budget", "null",
		"algorithm.batch", batch, "algorithm.tau", "1", "algorithm.samples", "null", "algorithm.start", "null", "algorithm.statistics_samples", "0")
	if err != nil {
		return nil, err
	}
	found = &study.Faults{Doc: a.Doc}
	arm := &study.Arm{Name: a.Name, File: a.File}
	remark := auditing.TryAffect(b, arm, a)
	p := newPlan(b, arm, a, found, kind, adaptive)
	if err := auditing.CannotShrink(found); err != nil {
		return nil, err
	}
	p.remark = remark
	return p, nil
}

// auditsStatistics tells whether an audit of a size sees private statistics.
func (p *Plan) auditsStatistics(size AuditSize) bool {
	return p.Adaptive && p.Section.Statistics == dpfl.Private && size.Rounds >= 2
}

// AuditSize is the size of an audited run: Batch samples are expected of AuditedSamples
// in a local step, and Rounds rounds are watched, of one local step each.
type AuditSize struct{ Batch, Rounds int }

// Audited makes an audit of that size of a plan that is made for it: two clients, and
// rounds of one local step.
func (p *Plan) Audited(size AuditSize) (*auditing.Run, error) {
	o := p.Options
	o.Clients = make([]dpfl.Data, len(p.Options.Clients))
	for i, data := range p.Options.Clients {
		o.Clients[i] = canarySample{Data: data, in: sampledCanary}
	}
	// The canary is absent or there, whatever neighbours the scenario has.
	planned := dpfl.Accounted(&o, 0, size.Rounds, 0).Claimed
	claim, err := ledger.EpsilonOf(planned, p.Mechanism.Delta, p.Mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: 1, Delta: p.Mechanism.Delta, Private: true, Claim: claim, Claimed: perSample(claim, p.Mechanism.Delta, accountant.AddOrRemove),
		Mechanism: p.auditedMechanism(size), Inputs: "one sample of a client, absent or there",
		Others: []messages.NodeID{2},
		Noise:  func(at auditing.Place) auditing.Noise { return p.statedNoise(&o, at) },
	}
	if p.factorize != nil {
		if err := p.whiten(r, size); err != nil {
			return nil, err
		}
	}
	section := p.Section
	section.Tau, section.Batch, section.Samples, section.Control, section.StatisticsSamples = nil, nil, nil, 0, 0
	mechanism := p.Mechanism
	mechanism.Correlated = nil // which is shared, and so no key
	r.Key = fmt.Sprintf("%+v %+v %+v %+v", size, section, mechanism, p.Mechanism.Correlated)
	r.Run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		in := absentCanary
		switch {
		case other && noise == 0: // in every sample or in none
			in = certainCanary
		case other:
			in = sampledCanary
		}
		return p.auditedRun(o, size, seed, in, noise, nil)
	}
	if size.Batch < AuditedSamples {
		r.Rate = float64(size.Batch) / AuditedSamples
		r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			return p.quietRun(o, size, seed, other)
		}
	}
	return r, nil
}

// whiten has the audit take the correlation out of the noise on models, which are what
// a client sends first: a vector a round. The noise of statistics after them is its own.
func (p *Plan) whiten(r *auditing.Run, size AuditSize) error {
	f, err := p.factorize()
	if err != nil {
		return err
	}
	separator, err := audit.NewSeparator(f)
	r.Whiten = func(rows [][]float64) { separator.Whiten(rows[:min(len(rows), size.Rounds)]) }
	return err
}

// quietRun is a run without noise that samples the canary as the run does. The
// coins are which samples it draws in the first local step of the first client.
func (p *Plan) quietRun(o dpfl.Options, size AuditSize, seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
	var coins []float64
	in := absentCanary
	if other {
		in = sampledCanary
	}
	run, err := p.auditedRun(o, size, seed, in, 0, func(samples []int) {
		if coins == nil {
			coins = make([]float64, AuditedSamples)
			for _, k := range samples {
				coins[k] = 1
			}
		}
	})
	return run, func() []float64 { return coins }, err
}

// auditedMechanism names the mechanism in the table of an audit, with the sampling rate
// q.
func (p *Plan) auditedMechanism(size AuditSize) string {
	text := fmt.Sprintf("%s, q = %.6g, %s", p.Mechanism.Kind, float64(size.Batch)/AuditedSamples, show.Counted(size.Rounds, "round"))
	if p.auditsStatistics(size) {
		text += ", private statistics"
	}
	return text + p.remark
}

// auditedRun is a run of the audited size. drawn is told of the samples of the client
// that has the canary, unless it is nil.
func (p *Plan) auditedRun(o dpfl.Options, size AuditSize, seed uint64, in presence, noise float64, drawn func([]int)) (*algorithm.Run, error) {
	canary := o.Clients[0].(canarySample)
	canary.in, canary.drawn = in, drawn
	o.Clients = append([]dpfl.Data{canary}, o.Clients[1:]...)
	r, err := p.assemble(seed, o, noise)
	if err != nil {
		return nil, err
	}
	return auditing.AffectAudited(p.Arm, &algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: size.Rounds, Graphs: r.sequence, Machines: r.machines, Hops: r.options.Hops, Acts: r.options.Acts,
	})
}

// statedNoise is the noise of a vector: of a model in the first turn of a round, and of
// a gradient that is sent for the statistics after it. What is sent of rho_i and
// beta_i is left out: both are made positive, and have noise of no plain law.
func (p *Plan) statedNoise(o *dpfl.Options, at auditing.Place) auditing.Noise {
	n := auditing.Noise{Law: audit.GaussianLaw, Length: at.Length}
	batch := float64(o.Batch)
	if o.Batch == 0 {
		batch = AuditedSamples
	}
	switch {
	case at.Length != len(o.Start):
	case at.Hop != 0:
		n.Scale = o.Adaptive.Sigma * o.Adaptive.Clip / AuditedSamples
	case o.Laplace > 0:
		n.Law, n.Scale = audit.LaplaceLaw, o.LearningRate/batch*o.Laplace
	case o.Stream != nil:
		if f, err := p.factorize(); err == nil { // the run has made the same
			n.Scale = o.LearningRate / batch * p.Mechanism.Unit * o.Clip * f.FullSensitivity()
		}
	default:
		n.Scale = o.LearningRate / batch * o.Sigma * o.Clip
	}
	return n
}

// presence says in which samples the canary is. Neighbours are a run in which it is drawn
// as any sample is, and one in which it is absent.
type presence int

const (
	sampledCanary presence = iota // in those that it is drawn for
	absentCanary                  // in none
	certainCanary                 // in all
)

// canarySample is a client's first samples, of which the first is the canary. The number
// of samples is public, so that the rate q does not depend on whether the canary is
// there.
type canarySample struct {
	dpfl.Data
	// in says in which samples of a local step the canary is.
	in presence
	// drawn is told of every sample of a local step; nil where nobody asks.
	drawn func(samples []int)
}

// Size implements dpfl.Data.
func (c canarySample) Size() int { return AuditedSamples }

// SumClipped implements dpfl.Data.
func (c canarySample) SumClipped(dst, params []float64, samples []int, clip float64) int {
	if c.drawn != nil {
		c.drawn(samples)
	}
	return c.Data.SumClipped(dst, params, c.seen(samples), clip)
}

// SumLossChanges implements dpfl.Data.
func (c canarySample) SumLossChanges(from, to []float64, samples []int, bound float64) float64 {
	return c.Data.SumLossChanges(from, to, c.seen(samples), bound)
}

// seen is what is there of a sample.
func (c canarySample) seen(samples []int) []int {
	if c.in == sampledCanary {
		return samples
	}
	if len(samples) > 0 && samples[0] == 0 {
		samples = samples[1:]
	}
	if c.in == certainCanary {
		samples = append([]int{0}, samples...)
	}
	return samples
}
