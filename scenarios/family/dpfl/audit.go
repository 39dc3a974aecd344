package dpfl

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/auditing"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
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

// auditLocalSGD audits what clients send. As printed the statistics of ALI-DPFL
// are not private, and one row says so; the others hold what its Theorem 3
// covers, the local steps, against what they cost.
func auditLocalSGD(b *study.Builder, v study.Variant, kind string, adaptive bool) (runs []*auditing.Run, err error) {
	a, err := auditing.Smaller(b.Kinds, v, "nodes", "2", "problem", AuditedImages)
	if err != nil {
		return nil, err
	}
	p, err := smallDPFL(b, a, kind, adaptive)
	if err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditing.Run{{Delta: p.Mechanism.Delta, Mechanism: "none", Claimed: accountant.NotPrivate().String()}}, nil
	}
	for _, size := range []AuditSize{{Batch: AuditedSamples / 2, Rounds: 1}, {Batch: AuditedSamples, Rounds: auditedModels}} {
		r, err := p.Audited(size)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	if adaptive && p.Section.Statistics == dpfl.AsPrinted {
		runs = append(runs, &auditing.Run{Delta: p.Mechanism.Delta, Mechanism: "statistics as printed", Claimed: runs[0].Claimed})
	}
	return runs, nil
}

// smallDPFL reads the sections of an arm whose data are small.
func smallDPFL(b *study.Builder, a *study.ArmFile, kind string, adaptive bool) (*Plan, error) {
	p, found := &Plan{Arm: &study.Arm{Name: a.Name, File: a.File}, Section: Defaults(), Adaptive: adaptive}, &study.Faults{Doc: a.Doc}
	p.remark = auditing.TryAffect(b, p.Arm, a)
	found.Note(document.Decode(a.Algorithm, &p.Section))
	p.Section.Start = nil // of another dimension
	p.Mechanism = sampledOf(a, kind, found)
	var err error
	if p.corpus, err = problems.BuildPictures(b, a.Problem, 0); found.Note(err) {
		found.Note(p.setOptions(a, b.Seeds.Base))
	}
	if p.Arm.Effects != nil {
		p.Options.Effects, p.Arm.Effects.Patience = true, 1
	}
	return p, auditing.CannotShrink(found)
}

// AuditSize is the size of an audited run: Batch samples are expected of AuditedSamples
// in a local step, and Rounds rounds are watched, of one local step each.
type AuditSize struct{ Batch, Rounds int }

// Audited makes an audit of that size. Private statistics are of round 2, and
// the run that they need has one more.
func (p *Plan) Audited(size AuditSize) (*auditing.Run, error) {
	o := p.Options
	o.Budget, o.Batch, o.Rounds, o.Tau = nil, size.Batch, size.Rounds, 1
	statistics := p.Adaptive && p.Section.Statistics == dpfl.Private && size.Rounds >= 2
	if p.Adaptive {
		o.Tau = 0
		adaptive := *o.Adaptive
		adaptive.Samples = 0
		if o.Adaptive = &adaptive; statistics {
			o.Rounds = size.Rounds + 1
		}
		if adaptive.Public != nil {
			adaptive.Public = adaptive.Public[:auditedClients]
		}
	}
	original := o.Clients
	o.Clients = make([]dpfl.Data, auditedClients)
	for i := range o.Clients {
		o.Clients[i] = canarySample{Data: original[i], in: sampledCanary}
	}
	sequence, err := topology.Star{Leaves: auditedClients}.Sequence()
	if err != nil {
		return nil, err
	}
	// The canary is absent or there, whatever neighbours the scenario has.
	planned := dpfl.Accounted(&o, 0, size.Rounds, 0).Claimed
	claim, err := ledger.EpsilonOf(planned, p.Mechanism.Delta, p.Mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditing.Run{
		Node: 1, Delta: p.Mechanism.Delta, Private: true, Claim: claim, Claimed: perSample(claim, p.Mechanism.Delta, accountant.AddOrRemove),
		Mechanism: p.auditedMechanism(size, statistics), Inputs: "one sample of a client, absent or there",
		Others: []messages.NodeID{2},
		Noise:  func(at auditing.Place) auditing.Noise { return dpflNoise(&o, at) },
	}
	section := p.Section
	section.Tau, section.Batch, section.Control, section.StatisticsSamples = nil, size.Batch, 0, 0
	r.Key = fmt.Sprintf("%d %+v %+v", size.Rounds, section, p.Mechanism)
	r.Run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		in := absentCanary
		switch {
		case other && noise == 0: // in every sample or in none
			in = certainCanary
		case other:
			in = sampledCanary
		}
		return p.auditedRun(o, sequence, size, seed, in, noise, nil)
	}
	if size.Batch < AuditedSamples {
		r.Rate = float64(size.Batch) / AuditedSamples
		r.Quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			return p.quietRun(o, sequence, size, seed, other)
		}
	}
	return r, nil
}

// quietRun is a run without noise that samples the canary as the run does. The
// coins are which samples it draws in the first local step of the first client.
func (p *Plan) quietRun(o dpfl.Options, sequence topology.Sequence, size AuditSize, seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
	var coins []float64
	in := absentCanary
	if other {
		in = sampledCanary
	}
	run, err := p.auditedRun(o, sequence, size, seed, in, 0, func(samples []int) {
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
func (p *Plan) auditedMechanism(size AuditSize, statistics bool) string {
	rate := float64(size.Batch) / AuditedSamples
	text := fmt.Sprintf("%s, q = %.6g, %s", p.Mechanism.Kind, rate, show.Counted(size.Rounds, "round"))
	if statistics {
		text += ", private statistics"
	}
	return text + p.remark
}

// faintNoise is no noise, where a multiplier of 0 is refused: it changes no sum.
const faintNoise = 1e-300

// auditedRun is a run of the audited size. drawn is told of the samples of the client
// that has the canary, unless it is nil.
func (p *Plan) auditedRun(o dpfl.Options, sequence topology.Sequence, size AuditSize, seed uint64, in presence, noise float64, drawn func([]int)) (*algorithm.Run, error) {
	o.Sigma *= noise
	o.Noiseless = noise == 0
	if o.Adaptive != nil {
		adaptive := *o.Adaptive
		if adaptive.Sigma > 0 {
			adaptive.Sigma = max(adaptive.Sigma*noise, faintNoise)
		}
		o.Adaptive = &adaptive
	}
	canary := o.Clients[0].(canarySample)
	canary.in, canary.drawn = in, drawn
	o.Clients = append([]dpfl.Data{canary}, o.Clients[1:]...)
	machines, _, err := dpfl.New(o)
	if err != nil {
		return nil, err
	}
	return auditing.AffectAudited(p.Arm, &algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: size.Rounds, Graphs: sequence, Machines: machines, Hops: o.Hops, Acts: o.Acts,
	})
}

// dpflNoise is the noise of a vector: of a model in the first turn of a round, and of
// a gradient that is sent for the statistics after it. What is sent of rho_i and
// beta_i is left out: both are made positive, and have noise of no plain law.
func dpflNoise(o *dpfl.Options, at auditing.Place) auditing.Noise {
	n := auditing.Noise{Law: audit.GaussianLaw, Length: at.Length}
	switch {
	case at.Length != len(o.Start):
	case at.Hop == 0:
		n.Scale = o.LearningRate / float64(o.Batch) * o.Sigma * o.Clip
	default:
		n.Scale = o.Adaptive.Sigma * o.Adaptive.Clip / AuditedSamples
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
