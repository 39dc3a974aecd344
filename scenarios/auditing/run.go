package auditing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"starling/actors/algorithm"
	"starling/actors/lockstep"
	"starling/mechanisms/accountant"
	"starling/mechanisms/audit"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/section/networks"
	"starling/scenarios/study"
)

// A run is audited by the messages on the wire. One unit's data are a canary: they drive its
// releases as far to one side, or to the other, as the bounds of the privacy guarantee allow.
// All messages depend on the unit only through its own machine's. So the likelihood ratio of
// the transcript is the likelihood ratio of these releases given the messages that the machine
// received before each. The machine is also stepped without noise through the same inboxes,
// with the canary on this or that side. This gives the releases of each side without their
// noise, and the noise's law gives the rest. No statistic separates the two inputs better
// (Neyman, Pearson).

// Run is an algorithm at a size at which it is audited.
type Run struct {
	// Node is the node with the machine that holds the protected unit, or protects it.
	Node messages.NodeID
	// Delta is the delta at which losses are stated; 0 for pure ones.
	Delta float64
	// Claimed is the paper's statement on a run of this size, and Claim is the same as an
	// epsilon at Delta, 0 if it is not one. Mechanism names the source of the noise, and
	// Inputs describes the neighbouring inputs.
	Claimed, Mechanism, Inputs string
	Claim                      float64
	// Beyond is the distance that the inputs move a release over the stated distance, if it is
	// larger than that; 0 elsewhere.
	Beyond float64
	// Private means that there is a loss to audit. Without noise there is nothing to refute.
	Private bool
	// Planned is the loss of a run if it differs from the payments that one run reports to its
	// meter: because the loss depends on outcomes, or composes better than it adds up.
	Planned *accountant.Loss
	// Key names everything on which outcomes depend, so that arms with the same audit share
	// it; nothing is shared if it is empty.
	Key string
	// Run makes a run under a seed with the canary on one of its sides, with the noise scaled;
	// a scale of 0 is none.
	Run func(seed uint64, other bool, noise float64) (*algorithm.Run, error)
	// Outcome takes the place of the likelihood ratio if the machine sends one of a few
	// outcomes, 0 .. Classes-1.
	Outcome func(sent [][]float64) int
	Classes int
	// Statistic takes the place of the likelihood ratio if the law of the noise is not known.
	Statistic func(sent [][]float64) float64
	// Others are further nodes that add noise of their own.
	Others []messages.NodeID
	// Fed means that the node makes its vectors from those that others have sent it, in the
	// turn before or earlier: its shadows hear the shadows of the others, which send at most
	// one vector a turn. Quiet is then nil.
	Fed bool
	// Noise returns the noise that a vector of one of these nodes is stated to carry; nil if
	// there are only outcomes.
	Noise func(Place) Noise
	// Whiten makes the noise of a node's vectors independent, in place, if it is stated to be
	// correlated: rows in the order in which they are sent, with the places.
	Whiten func(places []Place, rows [][]float64)
	// Jointly makes the noise in the releases of several nodes in a hop of a step independent,
	// in place, if it is stated to be correlated between them: rows by node, each over the
	// scale of its noise, the audited node last. It may add to a row multiples of rows before
	// it. nil means that each node's noise is its own.
	Jointly func(at Place, nodes []messages.NodeID, rows [][]float64)
	// Known subtracts from a vector that a node has sent the part of its noise that the
	// observer knows, for a run under a seed with its noise scaled; nil is nothing.
	Known func(seed uint64, noise float64, at Place, x []float64)
	// Quiet makes a run without noise that is otherwise the same; nil if Run with a scale of 0
	// does. coins returns the random draws besides the noise, which must not depend on it: 1
	// or 0, each 1 with probability Rate.
	Quiet func(seed uint64, other bool) (run *algorithm.Run, coins func() []float64, err error)
	Rate  float64
	// Unheard means that nodes make no release in a turn in which no other can hear them: their
	// vector stays with them, without noise.
	Unheard bool
	// Bare means that entries without noise follow from releases and public values, so that
	// the canary moves none of them: an entry that it moves shows the canary's side.
	Bare bool
	// From is the first step with data that the canary changes, by the paper's number:
	// releases before it cost nothing, and are not looked at. 0 is all.
	From int
	// Stops are the stops of a budget; nil is none.
	Stops Stops
	// OneEach means that the vectors of a node to several nodes in a turn follow from one
	// release: the audit looks at the message to the first of the others.
	OneEach bool
	// Sees reports whether the audit looks at vectors for one receiver; nil is all receivers.
	Sees func(to messages.NodeID) bool
}

// Auditable is the capability of an algorithm of the catalog that can be audited.
type Auditable interface {
	// Audit makes the audits of an arm, of a small size.
	Audit(b *study.Builder, v study.Variant) ([]*Run, error)
}

// auditArm returns the subjects of an arm's audit.
func auditArm(b *study.Builder, v study.Variant, o *Options) (subjects []*Subject, err error) {
	section, ok := v.Document.Find("algorithm")
	if !ok {
		return nil, errors.New("there is no algorithm") // the scenario has been checked
	}
	audited, err := kind.PieceOf[Auditable](b.Kinds.Algorithms, section, "the audit")
	if err != nil {
		return nil, err
	}
	runs, err := audited.Audit(b, v)
	for _, r := range runs {
		subject, err := r.Subject(v.Name, o.Noise)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subject)
	}
	return subjects, err
}

// Smaller is Resized without adversaries: the payments of an honest unit do not depend on
// them.
func Smaller(kinds *kind.Catalog, v study.Variant, values ...string) (*study.ArmFile, error) {
	return Resized(kinds, v, append(slices.Clip(values), "adversaries", "null")...)
}

// Resized returns an arm's file with values replaced at paths that the document has. values
// are path and text in turn.
func Resized(kinds *kind.Catalog, v study.Variant, values ...string) (*study.ArmFile, error) {
	doc := v.Document
	for pair := range slices.Chunk(values, 2) {
		if _, given := doc.Find(pair[0]); !given {
			continue
		}
		var err error
		if doc, err = doc.Set(pair[0], pair[1], "audit"); err != nil {
			return nil, err
		}
	}
	f, issues := study.DecodeFile(doc)
	return &study.ArmFile{File: f, Kinds: kinds, Name: v.Name, Doc: doc}, issues.Err()
}

// CannotShrink returns the error of an arm that cannot be made small; nil where its plan has no
// faults.
func CannotShrink(a *study.ArmFile, faults error) error {
	if err := a.Doc.Resolve("", faults).Err(); err != nil {
		return fmt.Errorf("the arm cannot be made small enough to audit: %w", err)
	}
	return nil
}

// Subject prepares the audit. The loss is the sum of the payments that a run with all of its
// noise reports to its meter.
func (a *Run) Subject(arm string, noise float64) (*Subject, error) {
	s := &Subject{Delta: a.Delta, shared: a.Key, Classes: a.Classes, Noise: noise}
	s.Arm, s.Mechanism, s.Inputs, s.Beyond, s.Claimed, s.Claim = arm, a.Mechanism, a.Inputs, a.Beyond, a.Claimed, a.Claim
	if !a.Private {
		return s, nil
	}
	// One run with all of its noise gives the cost: outcomes are compared with the book, and
	// not with the plan.
	book := &Ledger{Node: a.Node, From: a.From, pays: a.Stops.pay}
	run, err := a.Run(auditSeed, false, 1)
	if err != nil {
		return nil, err
	}
	run.Meter = book
	if err := lockstep.Run(context.Background(), run); err != nil {
		return nil, err
	}
	s.Loss = book.Paid
	if a.Planned != nil {
		s.Loss = *a.Planned
	}
	if a.Noise != nil {
		if s.second, err = a.SecondOf(); err != nil {
			return nil, err
		}
	}
	s.Sampler = func(noise float64) (*Sampler, error) {
		sampler := &Sampler{}
		var ready []*Observed // of the next draws
		sampler.Draw = func(r *rng.Rand, other bool) (float64, error) {
			seed := r.Uint64()
			if len(ready) == 0 {
				return a.draw(sampler, s.second, seed, other, noise)
			}
			o := ready[0]
			ready = ready[1:]
			return a.noted(sampler, s.second, seed, o)
		}
		if run.Gathers && a.Outcome == nil && a.Statistic == nil {
			sampler.Ahead = func(key rng.Key, block, samples int) (err error) {
				ready, err = a.ahead(audit.Seeds(samples, key, block), noise)
				return err
			}
		}
		return sampler, nil
	}
	return s, nil
}

// Ledger adds up the payments of one node and ignores the rest.
type Ledger struct {
	// Node is the node of the payments that count, in the step From and later; Paid is their
	// sum so far.
	Node messages.NodeID
	From int
	Paid accountant.Loss
	// pays returns an error for a payment that a budget refuses; nil pays for all.
	pays func(node messages.NodeID, step int, loss accountant.Loss) error
}

// Ending returns the steps in which a budget ends the part of nodes in a run with noise as
// stated, whatever their data.
func (a *Run) Ending(budget *ledger.Budget, seed uint64) (Stops, error) {
	run, err := a.Run(seed, false, 1)
	if err != nil {
		return nil, err
	}
	h := &holding{Stops{}, budget, seed, map[messages.NodeID]*accountant.Total{}}
	run.Meter = &Ledger{Node: a.Node, pays: h.pay}
	return h.stops, lockstep.Run(context.Background(), run)
}

// Played implements algorithm.Meter.
func (*Ledger) Played(messages.NodeID, int, []float64) {}

// Recorded implements algorithm.Meter.
func (*Ledger) Recorded(messages.NodeID, int, string, float64) {}

// Stopped implements algorithm.Meter.
func (*Ledger) Stopped(messages.NodeID, int, string) {}

// Sent implements algorithm.Meter.
func (*Ledger) Sent(int, int64, int64) {}

// Spent implements algorithm.Meter. A sample of all data is not counted as a sample: its loss
// is the Gaussian's own, which adds up exactly.
func (m *Ledger) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
	if m.pays != nil {
		if err := m.pays(node, step, loss); err != nil {
			return err
		}
	}
	if node == m.Node && step >= m.From {
		if s := loss.Sampled; s.Rate == 1 {
			loss.Rho += float64(float64(s.Steps) * accountant.GaussianRho(s.Noise))
			loss.Sampled = accountant.SampledGaussian{}
		}
		m.Paid = m.Paid.Compose(loss)
	}
	return nil
}

// draw makes one run and returns its statistic, or its class.
func (a *Run) draw(sampler *Sampler, second *CrossMoments, seed uint64, other bool, noise float64) (float64, error) {
	if a.Outcome != nil {
		sent, err := a.sent(seed, other, noise)
		return float64(a.Outcome(sent)), err
	}
	if a.Statistic != nil {
		sent, err := a.sent(seed, other, noise)
		if err != nil {
			return 0, err
		}
		return audit.Grid(a.Statistic(sent)), nil
	}
	o, err := a.Observe(seed, other, noise)
	if err != nil {
		return 0, err
	}
	return a.noted(sampler, second, seed, o)
}

// ahead makes runs at the same time, of seeds for each of the two inputs, and returns the
// observations: all of the first input, then all of the second.
func (a *Run) ahead(seeds [2][]uint64, noise float64) ([]*Observed, error) {
	first := len(seeds[0])
	list := make([]*Observed, first+len(seeds[1]))
	runs := min(mostTogether, len(list))
	m := newMeeting(runs)
	var next atomic.Int64
	var failed error
	var once sync.Once
	var group sync.WaitGroup
	for range runs {
		group.Go(func() {
			defer m.leave()
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				other, k := int(i) >= first, int(i)
				seed := uint64(0)
				if other {
					seed = seeds[1][k-first]
				} else {
					seed = seeds[0][k]
				}
				o, err := a.observe(seed, other, noise, m)
				if err != nil { // runs that asked together with it fail too, and later
					once.Do(func() { failed = err })
					next.Store(int64(len(list)))
					return
				}
				list[i] = o
			}
		})
	}
	group.Wait()
	return list, failed
}

// noted returns the statistic of a run that was made.
func (a *Run) noted(sampler *Sampler, second *CrossMoments, seed uint64, o *Observed) (float64, error) {
	if second != nil {
		if err := second.Note(sampler, o); err != nil {
			return 0, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return audit.Grid(likelihoodRatio(o.Releases) + o.shown), nil
}

// likelihoodRatio returns the logarithm of the likelihood ratio of the audited node's vectors,
// of its second side over its first, given the messages that it received before each vector.
func likelihoodRatio(releases []Release) (sum float64) {
	for i := range releases {
		r := &releases[i]
		for k, moved := range r.Moved {
			sum += r.law.LogRatio(r.Middle[k], moved/2, -moved/2, 1)
		}
	}
	return sum
}

// Apart returns the distance between the releases of the two sides in the norm of a law, over
// the scale of their noise, once that is independent.
func (a *Run) Apart(law noise.Law) (length float64, err error) {
	o, err := a.Observe(auditSeed, false, 1)
	if err != nil {
		return 0, err
	}
	var moved []float64
	for i := range o.Releases {
		moved = append(moved, o.Releases[i].Moved...)
	}
	return law.Norm().Length(moved), nil
}

// Moved returns the distance by which the canary moves the machine's vectors without noise, in
// the norm of a law.
func (a *Run) Moved(law noise.Law) (length float64, err error) {
	var sent [2][][]float64
	for side := range sent {
		if sent[side], err = a.sent(auditSeed, side == 1, 0); err != nil {
			return 0, err
		}
	}
	var moved []float64
	for t, row := range sent[0] {
		for k, v := range row {
			moved = append(moved, v-sent[1][t][k])
		}
	}
	return law.Norm().Length(moved), nil
}

// SmallArm returns an arm that is made small, with its network and nothing else that is built.
// The effects of the network are the arm's, on the first steps and fewer participants. After an
// error, which comes from the network, the network is ideal.
func SmallArm(b *study.Builder, a *study.ArmFile) (*study.Arm, error) {
	arm := &study.Arm{Name: a.Name, File: a.File}
	if a.Network == nil {
		return arm, nil
	}
	network, err := networks.Build(b.Kinds, study.NetworkSiteOf(b, a), a.Network)
	if err != nil {
		return arm, err
	}
	family, err := study.AlgorithmOf(b, a)
	if err != nil {
		return arm, err
	}
	arm.Wire = network.Wire
	arm.Effects, arm.Delays, err = study.Delayed(network, family != nil && family.Traits().Clocked)
	return arm, err
}

// IdealRemark describes a run on an ideal network where the network of its arm cannot be built.
const IdealRemark = ", on an ideal network, for that of the arm names others than the audit has"

// SmallArmOf is SmallArm, with a remark in place of an error.
func SmallArmOf(b *study.Builder, a *study.ArmFile) (arm *study.Arm, remark string) {
	arm, err := SmallArm(b, a)
	if err != nil {
		remark = IdealRemark
	}
	return arm, remark
}

// AffectAudited gives an audited run the network of its arm. It is the same in every outcome:
// an observer's knowledge of it reveals nothing. patience is that of study.Extent.
func AffectAudited(arm *study.Arm, run *algorithm.Run, patience int) (*algorithm.Run, error) {
	if arm.Effects == nil {
		return run, nil
	}
	var err error
	run.Network, err = arm.Effects.Build(run, auditSeed, patience)
	return run, err
}
