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

// A run is audited by what crosses the wire. One unit's data are a canary: they
// drive its releases as far to one side, or to the other, as the bounds that the
// privacy rests on allow. Everything that is sent depends on the unit only
// through what its own machine sends, so the likelihood ratio of the transcript
// is that of these releases given what the machine received before each; and
// what the machine would have sent without noise, had the canary been on this or
// that side, is what the machine says if it is stepped without noise through the
// same inboxes. The noise's law gives the rest. No statistic separates the two
// inputs better (Neyman, Pearson).

// Run is an algorithm at a size at which it is audited.
type Run struct {
	// Node is whose machine holds the protected unit, or protects it.
	Node messages.NodeID
	// Delta is where losses are stated; 0 for pure ones.
	Delta float64
	// Claimed is what the paper says of a run of this size, and claim the same as
	// an epsilon at delta, 0 where it is not one.
	Claimed, Mechanism, Inputs string
	Claim                      float64
	// Private tells that there is a loss to audit. Without noise there is nothing to
	// refute.
	Private bool
	// Planned is the loss of a run where that is not what one run tells its
	// meter: because that depends on outcomes, or composes better than it adds
	// up.
	Planned *accountant.Loss
	// Key names all that outcomes depend on, so that arms with the same audit
	// share it; nothing is shared if it is empty.
	Key string
	// Run is a run under a seed with the canary on one of its sides, with the
	// noise scaled; a scale of 0 is none.
	Run func(seed uint64, other bool, noise float64) (*algorithm.Run, error)
	// Outcome takes the place of the likelihood ratio where what the machine sends
	// is one of a few things, 0 .. classes-1.
	Outcome func(sent [][]float64) int
	Classes int
	// Statistic takes the place of the likelihood ratio where the noise of what the machine
	// sends has no law that is known.
	Statistic func(sent [][]float64) float64
	// Others are further nodes that add noise of their own.
	Others []messages.NodeID
	// Fed tells that what the node sends is made of what others have sent it, in the turn
	// before or earlier: its shadows hear the shadows of those, which send at most one vector a
	// turn. Quiet is then nil.
	Fed bool
	// Noise is what a vector that one of these nodes sends is stated to carry; nil
	// where outcomes are all there is.
	Noise func(Place) Noise
	// Whiten makes the noise of a node's vectors independent, in place, where it is
	// stated to be correlated: rows in the order in which they are sent, with the places.
	Whiten func(places []Place, rows [][]float64)
	// Jointly makes the noise of what several nodes release in a hop of a step independent,
	// in place, where it is stated to be correlated between them: rows by node, each over the
	// scale of its noise, the audited node the last. It may add to a row what is of rows
	// before it. nil is of noise that is each node's own.
	Jointly func(at Place, nodes []messages.NodeID, rows [][]float64)
	// Known takes off a vector that a node has sent what the observer knows of its noise, of
	// a run under a seed with its noise scaled; nil is nothing.
	Known func(seed uint64, noise float64, at Place, x []float64)
	// Quiet is a run without noise that is otherwise as the run is; nil where that
	// is run with a scale of 0. coins are then what was drawn besides the noise and
	// must not depend on it: 1 or 0, each 1 with probability rate.
	Quiet func(seed uint64, other bool) (run *algorithm.Run, coins func() []float64, err error)
	Rate  float64
	// Bare tells that entries without noise follow from releases and public values, so that
	// the canary moves none of them: one that it moves shows which side it is on.
	Bare bool
	// From is the first step whose data the canary changes, by the paper's number: what is
	// released before costs nothing, and is not looked at. 0 is all.
	From int
	// Stops are those of a budget; nil is none.
	Stops Stops
	// OneEach tells that what a node sends to several nodes in a turn follows from one
	// release: of that the audit looks at the message to the first of the others.
	OneEach bool
}

// Builder makes the audits of an arm, of a small size, for those of its kind of
// algorithm.
type Builder = func(b *study.Builder, v study.Variant) ([]*Run, error)

// auditArm returns what to audit of an arm.
func auditArm(b *study.Builder, v study.Variant, o *Options) (subjects []*Subject, err error) {
	section, ok := v.Document.Find("algorithm")
	if !ok {
		return nil, errors.New("there is no algorithm") // the scenario has been checked
	}
	build, err := kind.Find[Builder](b.Kinds.Algorithms, section, "the audit")
	if err != nil {
		return nil, err
	}
	runs, err := build(b, v)
	for _, r := range runs {
		subject, err := r.Subject(v.Name, o.Noise)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subject)
	}
	return subjects, err
}

// Smaller is Resized without those who lie: what an honest unit pays does not depend on them.
func Smaller(kinds *kind.Catalog, v study.Variant, values ...string) (*study.ArmFile, error) {
	return Resized(kinds, v, append(slices.Clip(values), "adversaries", "null")...)
}

// Resized returns an arm's file with values replaced where the document has them, path and
// text in turn.
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

// CannotShrink is the error of an arm that cannot be made small.
func CannotShrink(found *study.Faults) error {
	if err := found.Issues.Err(); err != nil {
		return fmt.Errorf("the arm cannot be made small enough to audit: %w", err)
	}
	return nil
}

// Subject prepares the audit: the loss is what a run with all of its noise tells
// its meter.
func (a *Run) Subject(arm string, noise float64) (*Subject, error) {
	s := &Subject{Delta: a.Delta, shared: a.Key, Classes: a.Classes, Noise: noise}
	s.Arm, s.Mechanism, s.Inputs, s.Claimed, s.Claim = arm, a.Mechanism, a.Inputs, a.Claimed, a.Claim
	if !a.Private {
		return s, nil
	}
	// One run with all of its noise says what it costs: the book, and not the plan, is
	// what is held against outcomes.
	book := &Book{Node: a.Node, From: a.From, pays: a.Stops.pay}
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

// Book adds up what one node spends and takes no notice of the rest.
type Book struct {
	// Node is whose payments count, in the step From and later; Paid is their sum so far.
	Node messages.NodeID
	From int
	Paid accountant.Loss
	// pays is the error of a payment that a budget refuses; nil pays for all.
	pays func(node messages.NodeID, step int, loss accountant.Loss) error
}

// Ending are the steps in which a purse ends the part of nodes in a run with noise as stated,
// whatever their data.
func (a *Run) Ending(purse *ledger.Purse, seed uint64) (Stops, error) {
	run, err := a.Run(seed, false, 1)
	if err != nil {
		return nil, err
	}
	h := &holding{Stops{}, purse, seed, map[messages.NodeID]*accountant.Total{}}
	run.Meter = &Book{Node: a.Node, pays: h.pay}
	return h.stops, lockstep.Run(context.Background(), run)
}

// Played implements algorithm.Meter.
func (*Book) Played(messages.NodeID, int, []float64) {}

// Recorded implements algorithm.Meter.
func (*Book) Recorded(messages.NodeID, int, string, float64) {}

// Stopped implements algorithm.Meter.
func (*Book) Stopped(messages.NodeID, int, string) {}

// Sent implements algorithm.Meter.
func (*Book) Sent(int, int64, int64) {}

// Spent implements algorithm.Meter. A sample that holds everything is none: its
// loss is the Gaussian's own, which adds up exactly.
func (m *Book) Spent(node messages.NodeID, step int, loss accountant.Loss) error {
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
func (a *Run) draw(sampler *Sampler, second *Second, seed uint64, other bool, noise float64) (float64, error) {
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

// ahead makes runs at the same time, of seeds for each of the two inputs, and returns what is
// seen of them: of all of the first input, then of all of the second.
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
				if err != nil { // those who asked with it fail, too, and later
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

// noted is the statistic of a run that was made.
func (a *Run) noted(sampler *Sampler, second *Second, seed uint64, o *Observed) (float64, error) {
	if second != nil {
		if err := second.Note(sampler, o); err != nil {
			return 0, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return audit.Grid(likelihoodRatio(o.Releases) + o.shown), nil
}

// likelihoodRatio is the logarithm of the likelihood ratio of what the audited node
// sent, of its second side over its first, given what it received before each vector.
func likelihoodRatio(releases []Release) (sum float64) {
	for i := range releases {
		r := &releases[i]
		for k, moved := range r.Moved {
			sum += r.law.LogRatio(r.Middle[k], moved/2, -moved/2, 1)
		}
	}
	return sum
}

// Apart is how far apart the releases of the two sides are in the norm of a law, over the scale
// of their noise, once that is independent.
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

// Moved is how far the canary moves what the machine sends without noise, in the norm
// of a law.
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

// AffectSmall reads the network of an arm that is made small. Its effects are those
// of the arm, on the first steps and fewer participants.
func AffectSmall(b *study.Builder, arm *study.Arm, a *study.ArmFile) (err error) {
	if a.Network != nil {
		var network networks.Network
		network, err = networks.Build(b.Kinds, study.NetworkSiteOf(b, a), a.Network)
		arm.Effects, arm.Wire = network.Effects, network.Wire
	}
	return err
}

// TryAffect is affectSmall, and says where a network that names participants whom the
// audit leaves out cannot be had.
func TryAffect(b *study.Builder, arm *study.Arm, a *study.ArmFile) (remark string) {
	if AffectSmall(b, arm, a) != nil {
		arm.Effects, remark = nil, ", on an ideal network, for that of the arm names others than the audit has"
	}
	return remark
}

// AffectAudited gives an audited run the network of its arm. It is the same in every
// outcome: what an observer knows of it tells nothing.
func AffectAudited(arm *study.Arm, run *algorithm.Run) (*algorithm.Run, error) {
	if arm.Effects == nil {
		return run, nil
	}
	var err error
	run.Network, err = arm.Effects.Build(run, auditSeed)
	return run, err
}
