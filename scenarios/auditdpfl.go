package scenarios

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/algorithm/dpfl"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/messages"
	"starling/scenarios/document"
)

// Federated learning by local DP-SGD is audited by two clients of two samples of
// generated images. The first of the first client's, the canary, is there or not: its
// gradient, clipped as any other, is in the sum of a local step if it is sampled. Rounds have one local step, so that each shows what one release says.
// One round samples every second time, which audits the sampling; more of them
// sample everything, where the composition of Gaussians is exact and a bound on
// their mu is one on every epsilon.
const (
	auditedClients = 2
	auditedSamples = 2 // of a client
	auditedModels  = 2 // rounds that sample everything
)

// auditedImages stand for any problem with images: a noise has no regard for what
// it hides.
const auditedImages = "{kind: images, data: synthetic, train: 128, test: 64, public: 16, model: {kind: softmax}, partition: {kind: iid}}"

func auditDPFL(b *builder, v variant) ([]*auditedRun, error) {
	return auditLocalSGD(b, v, "dpfl", false)
}

func auditALIDPFL(b *builder, v variant) ([]*auditedRun, error) {
	return auditLocalSGD(b, v, "ali-dpfl", true)
}

// auditLocalSGD audits what clients send. As printed the statistics of ALI-DPFL
// are not private, and one row says so; the others hold what its Theorem 3
// covers, the local steps, against what they cost.
func auditLocalSGD(b *builder, v variant, kind string, adaptive bool) (runs []*auditedRun, err error) {
	a, err := smaller(b.kinds, v, "nodes", "2", "problem", auditedImages)
	if err != nil {
		return nil, err
	}
	p, err := smallDPFL(b, a, kind, adaptive)
	if err != nil {
		return nil, err
	}
	if !p.private() {
		return []*auditedRun{{delta: p.mechanism.Delta, mechanism: "none", claimed: accountant.NotPrivate().String()}}, nil
	}
	for _, size := range []dpflSize{{batch: auditedSamples / 2, rounds: 1}, {batch: auditedSamples, rounds: auditedModels}} {
		r, err := p.audited(size)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	if adaptive && p.section.Statistics == dpfl.AsPrinted {
		runs = append(runs, &auditedRun{delta: p.mechanism.Delta, mechanism: "statistics as printed", claimed: runs[0].claimed})
	}
	return runs, nil
}

// smallDPFL reads the sections of an arm whose data are small.
func smallDPFL(b *builder, a *armFile, kind string, adaptive bool) (*dpflPlan, error) {
	p, found := &dpflPlan{arm: &Arm{Name: a.name, file: a.file}, section: defaultDPFL(), adaptive: adaptive}, &faults{doc: a.doc}
	p.remark = tryAffect(b, p.arm, a)
	found.note(document.Decode(a.Algorithm, &p.section))
	p.section.Start = nil // of another dimension
	p.mechanism = sampledOf(a, kind, found)
	var err error
	if p.images, err = b.images(a.Problem); found.note(err) {
		found.note(p.setOptions(a, b.seeds.Base))
	}
	if p.arm.effects != nil {
		p.options.Effects, p.arm.effects.patience = true, 1
	}
	return p, cannotShrink(found)
}

// dpflSize is what an audited run samples from auditedSamples a round, and how
// many rounds of it are watched.
type dpflSize struct{ batch, rounds int }

// audited makes an audit of that size. Private statistics are of round 2, and
// the run that they need has one more.
func (p *dpflPlan) audited(size dpflSize) (*auditedRun, error) {
	o := p.options
	o.Budget, o.Batch, o.Rounds, o.Tau = nil, size.batch, size.rounds, 1
	statistics := p.adaptive && p.section.Statistics == dpfl.Private && size.rounds >= 2
	if p.adaptive {
		o.Tau = 0
		adaptive := *o.Adaptive
		adaptive.Samples = 0
		if o.Adaptive = &adaptive; statistics {
			o.Rounds = size.rounds + 1
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
	planned := dpfl.Accounted(&o, 0, size.rounds, 0).Claimed
	claim, err := planned.Epsilon(p.mechanism.Delta, p.mechanism.Accountant)
	if err != nil {
		return nil, err
	}
	r := &auditedRun{
		node: 1, delta: p.mechanism.Delta, private: true, claim: claim, claimed: perSample(claim, p.mechanism.Delta, accountant.AddOrRemove),
		mechanism: p.auditedMechanism(size, statistics), inputs: "one sample of a client, absent or there",
		others: []messages.NodeID{2},
		noise:  func(at auditPlace) auditNoise { return dpflNoise(&o, at) },
	}
	section := p.section
	section.Tau, section.Batch, section.Control, section.StatisticsSamples = nil, size.batch, 0, 0
	r.key = fmt.Sprintf("%d %+v %+v", size.rounds, section, p.mechanism)
	r.run = func(seed uint64, other bool, noise float64) (*algorithm.Run, error) {
		in := absentCanary
		switch {
		case other && noise == 0: // in every sample or in none
			in = certainCanary
		case other:
			in = sampledCanary
		}
		return p.auditedRun(o, sequence, size, seed, in, noise, nil)
	}
	if size.batch < auditedSamples {
		r.rate = float64(size.batch) / auditedSamples
		r.quiet = func(seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
			return p.quietRun(o, sequence, size, seed, other)
		}
	}
	return r, nil
}

// quietRun is a run without noise that samples the canary as the run does. The
// coins are which samples it draws in the first local step of the first client.
func (p *dpflPlan) quietRun(o dpfl.Options, sequence topology.Sequence, size dpflSize, seed uint64, other bool) (*algorithm.Run, func() []float64, error) {
	var coins []float64
	in := absentCanary
	if other {
		in = sampledCanary
	}
	run, err := p.auditedRun(o, sequence, size, seed, in, 0, func(samples []int) {
		if coins == nil {
			coins = make([]float64, auditedSamples)
			for _, k := range samples {
				coins[k] = 1
			}
		}
	})
	return run, func() []float64 { return coins }, err
}

func (p *dpflPlan) auditedMechanism(size dpflSize, statistics bool) string {
	rate := float64(size.batch) / auditedSamples
	text := fmt.Sprintf("%s, q = %.6g, %s", p.mechanism.Kind, rate, Counted(size.rounds, "round"))
	if statistics {
		text += ", private statistics"
	}
	return text + p.remark
}

// faintNoise is no noise, where a multiplier of 0 is refused: it changes no sum.
const faintNoise = 1e-300

// auditedRun is a run of the audited size. drawn is told of the samples of the client
// that has the canary, unless it is nil.
func (p *dpflPlan) auditedRun(o dpfl.Options, sequence topology.Sequence, size dpflSize, seed uint64, in presence, noise float64, drawn func([]int)) (*algorithm.Run, error) {
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
	return p.arm.affectAudited(&algorithm.Run{
		Seed: seed, FirstStep: 1, Steps: size.rounds, Graphs: sequence, Machines: machines, Hops: o.Hops, Acts: o.Acts,
	})
}

// dpflNoise is the noise of a vector: of a model in the first turn of a round, and of
// a gradient that is sent for the statistics after it. What is sent of rho_i and
// beta_i is left out: both are made positive, and have noise of no plain law.
func dpflNoise(o *dpfl.Options, at auditPlace) auditNoise {
	n := auditNoise{law: audit.GaussianLaw, length: at.length}
	switch {
	case at.length != len(o.Start):
	case at.hop == 0:
		n.scale = o.LearningRate / float64(o.Batch) * o.Sigma * o.Clip
	default:
		n.scale = o.Adaptive.Sigma * o.Adaptive.Clip / auditedSamples
	}
	return n
}

// presence says in which samples the canary is.
type presence int

const (
	sampledCanary presence = iota // in those that it is drawn for
	absentCanary                  // in none
	certainCanary                 // in all
)

// canarySample is a client's first samples, of which the first is the canary.
// How many there are is public, so that it does not depend on the canary.
type canarySample struct {
	dpfl.Data
	in presence
	// drawn is told of every sample of a local step; nil where nobody asks.
	drawn func(samples []int)
}

// Size implements dpfl.Data.
func (c canarySample) Size() int { return auditedSamples }

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
