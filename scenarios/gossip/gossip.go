package gossip

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/meter"
	"starling/scenarios/problem"
	"starling/scenarios/section/mechanisms"
	"starling/scenarios/study"
)

// Algorithm is an algorithm of nodes that are equals, each with costs of its own, as
// its author describes it. O is a struct of the keys of its section beside kind, with
// the tags yaml, doc, min and max.
//
// Every node makes one release a step, in the turn of the step, and everything else
// that it sends or decides follows from releases and public values.
type Algorithm[O any] struct {
	Name, Summary string
	Defaults      O
	Weights       topology.Demand // what it asks of the weights of graphs
	// Check says what is wrong with options, by document.At with a key of the section;
	// nil where bounds in tags say all.
	Check func(o *O) error
	// Sensitivity is how far, in 1-norm, the costs of a node move its release of a step,
	// all that was released before being the same: at least 0, and for all data whose
	// gradients are within the problem's bound, which Setting.Gradient enforces.
	Sensitivity func(o *O, at *Setting, step int) float64
	// Machine is that of one node; machines share nothing that changes.
	Machine func(o *O, at *Setting) algorithm.Machine
	// Claimed is what the paper states of the privacy of a run; nil where there is none.
	Claimed func(o *O, at *Setting) string
}

// Setting is what an algorithm meets: read only.
type Setting struct {
	Nodes, Horizon int
	Problem        problem.Problem
	// Noise is the Laplace noise of a step, calibrated to the mechanism's epsilon, with
	// the 1-norm sensitivity that it is for. Without noise its scale is 0.
	Noise func(step int) (mechanism noise.Laplace, sensitivity float64)
	// Purpose is what a machine draws its noise for, by Turn.Rand.
	Purpose rng.Purpose
}

// Gradient writes the gradient at x, of length d, to g, and fails where it is longer in
// 2-norm than the problem's bound: sensitivities rest on that bound. x was played in
// this turn.
func (at *Setting) Gradient(t *algorithm.Turn, g, x []float64) error {
	if err := t.Gradient(g, x); err != nil {
		return err
	}
	if length, ok := algorithm.WithinBound(g, at.Problem.GradientBound()); !ok {
		return fmt.Errorf("the gradient has length %.9g, over the problem's bound %.9g that privacy rests on", length, at.Problem.GradientBound())
	}
	return nil
}

// section is the section of the algorithm.
type section[O any] struct {
	Kind    string `yaml:"kind,required"`
	Options O      `yaml:",inline"`
}

// Kind is the algorithm's entry for the catalog.
func (a Algorithm[O]) Kind() kind.Kind {
	return kind.New(a.Name, a.Summary, section[O]{Options: a.Defaults}, study.Algorithm{Build: a.build}, a.audit)
}

// parts is what the sections of the algorithm and its mechanism say.
type parts[O any] struct {
	options O
	epsilon float64 // of a step; +Inf is no noise
}

// read reads the sections, and returns what is wrong in any of them.
func (a *Algorithm[O]) read(f *study.ArmFile) (p parts[O], err error) {
	found := &study.Faults{Doc: f.Doc}
	if f.Mechanism != nil {
		build, err := kind.Find[mechanisms.LaplaceBuilder](f.Kinds.Mechanisms, f.Mechanism, "the algorithm "+a.Name)
		if found.Note(err) {
			laplace, err := build(f.Mechanism)
			found.Note(err)
			p.epsilon = float64(laplace.Epsilon)
		}
	}
	s := section[O]{Options: a.Defaults}
	if found.Note(document.Decode(f.Algorithm, &s)) && a.Check != nil {
		found.Note(f.Algorithm.Resolve(a.Check(&s.Options)))
	}
	p.options = s.Options
	if f.Measure.Moves {
		found.At("measure.moves", "the algorithm %s takes no mirror steps", a.Name)
	}
	return p, found.Issues.Err()
}

// setting is what the algorithm meets, with its noise multiplied.
func (a *Algorithm[O]) setting(f *study.ArmFile, p problem.Problem, read *parts[O], noised float64) *Setting {
	at := &Setting{Nodes: f.Nodes, Horizon: f.Horizon, Problem: p, Purpose: rng.PurposeOf(a.Name + ".noise")}
	at.Noise = func(step int) (noise.Laplace, float64) {
		sensitivity := a.Sensitivity(&read.options, at, step)
		if !read.private() {
			return noise.Laplace{}, sensitivity // not 0, which would cost nothing
		}
		return noise.Laplace{Scale: noised * sensitivity / read.epsilon}, sensitivity
	}
	return at
}

// machines are those of all nodes.
func (a *Algorithm[O]) machines(o *O, at *Setting) []algorithm.Machine {
	list := make([]algorithm.Machine, at.Nodes)
	for i := range list {
		list[i] = a.Machine(o, at)
	}
	return list
}

// claimed is what the paper states, or that there is none.
func (a *Algorithm[O]) claimed(o *O, at *Setting) string {
	if a.Claimed == nil {
		return "nothing: no paper is named"
	}
	return a.Claimed(o, at)
}

// build plans an arm. What is wrong is noted; then the plan is of no use.
func (a *Algorithm[O]) build(b *study.Builder, arm *study.Arm, f *study.ArmFile, found *study.Faults) (plan study.Plan) {
	study.BuildNodes(b, arm, f, a.Weights, found)
	read, err := a.read(f)
	if !found.Note(err) || arm.Problem == nil {
		return plan
	}
	if read.private() && math.IsInf(arm.Problem.GradientBound(), 1) {
		found.At(f.Problem.Path(), "the gradients of this problem have no bound, on which the noise of %s rests; take a problem that has one, or epsilon: none", a.Name)
		return plan
	}
	at := a.setting(f, arm.Problem, &read, 1)
	loss := func(step int) accountant.Loss {
		mechanism, sensitivity := at.Noise(step)
		return mechanism.Loss(sensitivity)
	}
	claimed := a.claimed(&read.options, at)
	return study.Plan{
		FirstStep: 1, FirstLabel: 1,
		Participants: f.Nodes,
		Dim:          arm.Problem.Dim(),
		Deciders:     study.Deciders{First: 0, End: messages.NodeID(f.Nodes)},
		Set:          arm.Problem.Set(),
		Loss:         loss,
		Bills: func(*study.Job) ledger.Billing {
			return func(_ messages.NodeID, step int, _ ledger.Moment) ledger.Bill { return ledger.Pays(loss(step), 1, 1) }
		},
		Claim: func() string { return claimed },
		Accounts: ledger.Everywhere(ledger.Account{
			Unit: "a node's costs", Neighbours: "all costs of one node replaced", Relation: accountant.Replace,
			Claimed: claimed, Delta: f.Budget.StatedDelta(), By: accountant.PLD,
		}, accountant.Wire, accountant.Peer, accountant.Public),
		Job: func(seed uint64) (*study.Job, error) {
			return NewJob(arm, f.Budget.StatedDelta(), seed, a.machines(&read.options, at))
		},
		Notes:    func(j *study.Job) ([]study.Note, []study.Warning) { return notes(arm, claimed, j) },
		Expected: func() *meter.Expected { return meter.NewExpected(MeterOptions(arm, f.Budget.StatedDelta())) },
		NewPart:  func() meter.Part { return meter.NewPart(MeterOptions(arm, f.Budget.StatedDelta()).PartLength()) },
		Metrics:  Metrics(arm),
	}
}

// private tells whether there is noise.
func (p *parts[O]) private() bool { return !math.IsInf(p.epsilon, 1) }
