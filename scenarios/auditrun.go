package scenarios

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/messages"
)

// A run is audited by what crosses the wire. One unit's data are a canary: they
// drive its releases as far to one side, or to the other, as the bounds that the
// privacy rests on allow. Everything that is sent depends on the unit only
// through what its own machine sends, so the likelihood ratio of the transcript
// is that of these releases given what the machine received before each; and
// what the machine would have sent without noise, had the canary been on this or
// that side, is what the machine says if it is stepped without noise through the
// same inboxes. The noise's law gives the rest. No statistic separates the two
// inputs better (Neyman, Pearson).

// auditedRun is an algorithm at a size at which it is audited.
type auditedRun struct {
	node  messages.NodeID // whose machine holds the protected unit, or protects it
	delta float64
	// claimed is what the paper says of a run of this size, and claim the same as
	// an epsilon at delta, 0 where it is not one.
	claimed, mechanism, inputs string
	claim                      float64
	private                    bool
	// planned is the loss of a run where that is not what one run tells its
	// meter: because that depends on outcomes, or composes better than it adds
	// up.
	planned *accountant.Loss
	// key names all that outcomes depend on, so that arms with the same audit
	// share it; nothing is shared if it is empty.
	key string
	// run is a run under a seed with the canary on one of its sides, with the
	// noise scaled; a scale of 0 is none.
	run func(seed uint64, other bool, noise float64) (*algorithm.Run, error)
	// outcome takes the place of the likelihood ratio where what the machine sends
	// is one of a few things, 0 .. classes-1.
	outcome func(sent [][]float64) int
	classes int
	// others are further nodes that add noise of their own.
	others []messages.NodeID
	// noise is what a vector that one of these nodes sends is stated to carry; nil
	// where outcomes are all there is.
	noise func(auditPlace) auditNoise
	// whiten makes the noise of a node's vectors independent, in place, where it is
	// stated to be correlated: rows in the order in which they are sent.
	whiten func(rows [][]float64)
	// quiet is a run without noise that is otherwise as the run is; nil where that
	// is run with a scale of 0. coins are then what was drawn besides the noise and
	// must not depend on it: 1 or 0, each 1 with probability rate.
	quiet func(seed uint64, other bool) (run *algorithm.Run, coins func() []float64, err error)
	rate  float64
	// remember, unless it is nil, has a machine without noise keep what the one with
	// noise has released, where it goes on from that.
	remember func(machine, released algorithm.Machine)
}

// auditBuilder makes the audits of an arm, of a small size, for those of its kind of
// algorithm.
type auditBuilder = func(b *builder, v variant) ([]*auditedRun, error)

// auditArm returns what to audit of an arm.
func auditArm(b *builder, v variant, o *AuditOptions) (subjects []*auditSubject, err error) {
	section, ok := v.document.Find("algorithm")
	if !ok {
		return nil, errors.New("there is no algorithm") // the scenario has been checked
	}
	build, err := find[auditBuilder](b.kinds.algorithms, section, "the audit")
	if err != nil {
		return nil, err
	}
	runs, err := build(b, v)
	for _, r := range runs {
		subject, err := r.subject(v.name, o.Noise)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subject)
	}
	return subjects, err
}

// smaller returns an arm's file with values replaced where the document has
// them, path and text in turn.
func smaller(kinds *catalog, v variant, values ...string) (*armFile, error) {
	doc := v.document
	for pair := range slices.Chunk(values, 2) {
		if _, given := doc.Find(pair[0]); !given {
			continue
		}
		var err error
		if doc, err = doc.Set(pair[0], pair[1], "audit"); err != nil {
			return nil, err
		}
	}
	f, issues := decodeFile(doc)
	return &armFile{file: f, kinds: kinds, name: v.name, doc: doc}, issues.Err()
}

// cannotShrink is the error of an arm that cannot be made small.
func cannotShrink(found *faults) error {
	if err := found.issues.Err(); err != nil {
		return fmt.Errorf("the arm cannot be made small enough to audit: %w", err)
	}
	return nil
}

// subject prepares the audit: the loss is what a run with all of its noise tells
// its meter.
func (a *auditedRun) subject(arm string, noise float64) (*auditSubject, error) {
	s := &auditSubject{delta: a.delta, shared: a.key, classes: a.classes, noise: noise}
	s.Arm, s.Mechanism, s.Inputs, s.Claimed, s.Claim = arm, a.mechanism, a.inputs, a.claimed, a.claim
	if !a.private {
		return s, nil
	}
	book := &auditMeter{node: a.node}
	run, err := a.run(auditSeed, false, 1)
	if err != nil {
		return nil, err
	}
	run.Meter = book
	if err := lockstep.Run(context.Background(), run); err != nil {
		return nil, err
	}
	s.loss = book.spent
	if a.planned != nil {
		s.loss = *a.planned
	}
	if a.noise != nil {
		if s.second, err = a.secondOf(); err != nil {
			return nil, err
		}
	}
	s.sampler = func(noise float64) (*auditSampler, error) {
		sampler := &auditSampler{}
		sampler.draw = func(r *rand.Rand, other bool) (float64, error) {
			return a.draw(sampler, s.second, r.Uint64(), other, noise)
		}
		return sampler, nil
	}
	return s, nil
}

// auditMeter adds up what one node spends and takes no notice of the rest.
type auditMeter struct {
	node  messages.NodeID
	spent accountant.Loss
}

// Played implements algorithm.Meter.
func (*auditMeter) Played(messages.NodeID, int, []float64) {}

// Recorded implements algorithm.Meter.
func (*auditMeter) Recorded(messages.NodeID, int, string, float64) {}

// Stopped implements algorithm.Meter.
func (*auditMeter) Stopped(messages.NodeID, int, string) {}

// Sent implements algorithm.Meter.
func (*auditMeter) Sent(int, int64, int64) {}

// Spent implements algorithm.Meter. A sample that holds everything is none: its
// loss is the Gaussian's own, which adds up exactly.
func (m *auditMeter) Spent(node messages.NodeID, _ int, loss accountant.Loss) error {
	if node == m.node {
		if s := loss.Sampled; s.Rate == 1 {
			loss.Rho += float64(s.Steps) * accountant.GaussianRho(s.Noise)
			loss.Sampled = accountant.SampledGaussian{}
		}
		m.spent = m.spent.Compose(loss)
	}
	return nil
}

// draw makes one run and returns its statistic, or its class.
func (a *auditedRun) draw(sampler *auditSampler, second *auditSecond, seed uint64, other bool, noise float64) (float64, error) {
	if a.outcome != nil {
		sent, err := a.sent(seed, other, noise)
		return float64(a.outcome(sent)), err
	}
	o, err := a.observe(seed, other, noise)
	if err != nil {
		return 0, err
	}
	if second != nil {
		if err := second.note(sampler, o); err != nil {
			return 0, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return audit.Grid(likelihoodRatio(o.releases)), nil
}

// likelihoodRatio is the logarithm of the likelihood ratio of what the audited node
// sent, of its second side over its first, given what it received before each vector.
func likelihoodRatio(releases []auditRelease) (sum float64) {
	for i := range releases {
		r := &releases[i]
		for k, moved := range r.moved {
			if r.law == audit.LaplaceLaw {
				sum += math.Abs(r.middle[k]+moved/2) - math.Abs(r.middle[k]-moved/2)
			} else {
				sum += float64(moved * r.middle[k])
			}
		}
	}
	return sum
}

// moved is how far the canary moves what the machine sends without noise, in
// 1-norm.
func (a *auditedRun) moved() (sum float64, err error) {
	var sent [2][][]float64
	for side := range sent {
		if sent[side], err = a.sent(auditSeed, side == 1, 0); err != nil {
			return 0, err
		}
	}
	for t, row := range sent[0] {
		for k, v := range row {
			sum += math.Abs(v - sent[1][t][k])
		}
	}
	return sum, nil
}

// affectSmall reads the network of an arm that is made small. Its effects are those
// of the arm, on the first steps and fewer participants.
func affectSmall(b *builder, arm *Arm, a *armFile) (err error) {
	if a.Network != nil {
		arm.effects, err = buildNetwork(b.kinds, b.networkSite(a), a.Network)
	}
	return err
}

// tryAffect is affectSmall, and says where a network that names participants whom the
// audit leaves out cannot be had.
func tryAffect(b *builder, arm *Arm, a *armFile) (remark string) {
	if affectSmall(b, arm, a) != nil {
		arm.effects, remark = nil, ", on an ideal network, for that of the arm names others than the audit has"
	}
	return remark
}

// affectAudited gives an audited run the network of its arm. It is the same in every
// outcome: what an observer knows of it tells nothing.
func (arm *Arm) affectAudited(run *algorithm.Run) (*algorithm.Run, error) {
	if arm.effects == nil {
		return run, nil
	}
	var err error
	run.Network, err = arm.effects.build(run, auditSeed)
	return run, err
}
