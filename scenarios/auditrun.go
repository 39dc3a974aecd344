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
	"starling/actors/topology"
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
	// ratio grows with the likelihood ratio of what the machine sent, given what
	// it would have sent without noise on the two sides: a row a message each.
	ratio func(sent, first, second [][]float64) float64
	// outcome takes its place where what the machine sends is one of a few
	// things, 0 .. classes-1.
	outcome func(sent [][]float64) int
	classes int
}

// auditBuilder makes the audits of an arm, of a small size: those of its sizes.
type auditBuilder = func(v variant, seeds Seeds, o *AuditOptions) ([]*auditedRun, error)

// auditBuilders are the families that audits cover, by kind of algorithm.
var auditBuilders = []struct {
	kind  string
	build auditBuilder
}{
	{"dpdonc", auditDPDONC},
	{"ofl", auditOFL},
	{"opestoch", auditOPEStoch},
	{"fedsvt", auditFedSVT},
	{"dpfl", auditDPFL},
	{"ali-dpfl", auditALIDPFL},
}

// auditArm returns what to audit of an arm.
func auditArm(v variant, seeds Seeds, o *AuditOptions) (subjects []*auditSubject, err error) {
	section, ok := v.document.Find("algorithm")
	if !ok {
		return nil, errors.New("there is no algorithm") // the scenario has been checked
	}
	kind, err := kindOf(section)
	if err != nil {
		return nil, err
	}
	for _, family := range auditBuilders {
		if family.kind != kind {
			continue
		}
		runs, err := family.build(v, seeds, o)
		for _, r := range runs {
			subject, err := r.subject(v.name, o.Noise)
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, subject)
		}
		return subjects, err
	}
	return nil, BadInput(fmt.Errorf("audit does not cover algorithm %s yet", kind))
}

// smaller returns an arm's file with values replaced where the document has
// them, path and text in turn.
func smaller(v variant, values ...string) (*armFile, error) {
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
	return &armFile{file: f, name: v.name, doc: doc}, issues.Err()
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
	s := &auditSubject{delta: a.delta, shared: a.key, classes: a.classes}
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
	s.sampler = func() (audit.Draw, error) {
		return func(r *rand.Rand, other bool) (float64, error) { return a.draw(r.Uint64(), other, noise) }, nil
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
func (a *auditedRun) draw(seed uint64, other bool, noise float64) (float64, error) {
	if a.outcome != nil {
		sent, err := a.sent(seed, other, noise)
		return float64(a.outcome(sent)), err
	}
	run, err := a.run(seed, other, noise)
	if err != nil {
		return 0, err
	}
	run.Meter = &auditMeter{node: a.node}
	var shadows [2]*shadow
	for side := range shadows {
		quiet, err := a.run(seed, side == 1, 0)
		if err != nil {
			return 0, err
		}
		shadows[side] = newShadow(quiet, a.node)
	}
	var sent [][]float64
	err = lockstep.Watch(context.Background(), run, &lockstep.Watcher{Node: a.node, Visit: func(w *lockstep.Watched) error {
		view := w.Graph.View(a.node)
		sent = appendSent(sent, view, w.Outbox)
		for _, s := range shadows {
			if err := s.step(w, view); err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		return 0, err
	}
	return audit.Grid(a.ratio(sent, shadows[0].sent, shadows[1].sent)), nil
}

// sent makes one run and returns what the machine sent.
func (a *auditedRun) sent(seed uint64, other bool, noise float64) (rows [][]float64, err error) {
	run, err := a.run(seed, other, noise)
	if err != nil {
		return nil, err
	}
	run.Meter = &auditMeter{node: a.node}
	err = lockstep.Watch(context.Background(), run, &lockstep.Watcher{Node: a.node, Visit: func(w *lockstep.Watched) error {
		rows = appendSent(rows, w.Graph.View(a.node), w.Outbox)
		return nil
	}})
	return rows, err
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

// shadow is the audited machine once more, without noise.
type shadow struct {
	machine algorithm.Machine
	stepper *algorithm.Stepper
	clock   algorithm.Clock
	outbox  messages.Outbox
	sent    [][]float64
}

// shadowLifetime is how many turns a vector of the shadow must last.
const shadowLifetime = 2

func newShadow(run *algorithm.Run, node messages.NodeID) *shadow {
	run.Meter = &auditMeter{node: node}
	return &shadow{machine: run.Machines[node], stepper: algorithm.NewStepper(run, node, 1, shadowLifetime), clock: run.Clock()}
}

// step gives the shadow the turn that the machine has had.
func (s *shadow) step(w *lockstep.Watched, view topology.View) error {
	for s.clock.Turn < w.Turn {
		s.clock.Next()
	}
	s.stepper.Begin(&s.clock)
	s.outbox.Reset()
	if _, failure := s.stepper.Step(s.machine, view, w.Inbox, &s.outbox); failure != nil {
		return failure
	}
	s.sent = appendSent(s.sent, view, &s.outbox)
	return nil
}

// appendSent appends copies of the vectors of an outbox: a broadcast, then those
// for one receiver.
func appendSent(rows [][]float64, view topology.View, outbox *messages.Outbox) [][]float64 {
	take := func(p messages.Payload) {
		if v, ok := p.(*messages.Vector); ok {
			rows = append(rows, slices.Clone(v.Values))
		}
	}
	if outbox.Broadcast != nil {
		take(outbox.Broadcast)
	}
	if outbox.HasSingles() {
		for _, to := range view.Out() {
			for _, single := range outbox.Singles(to) {
				take(single.Payload)
			}
		}
	}
	return rows
}
