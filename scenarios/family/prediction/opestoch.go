package prediction

import (
	"fmt"
	"math"
	"math/bits"

	"starling/actors/algorithm"
	"starling/actors/algorithm/opestoch"
	"starling/mechanisms/accountant"
	"starling/mechanisms/noise"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// opestochSection is the algorithm section of Fed-DP-OPE-Stoch.
type opestochSection struct {
	Kind    string           `yaml:"kind,required"`
	Variant opestoch.Variant `yaml:"variant" oneof:"local approximate central" doc:"participants that add noise: local, every client; approximate, every client, for (epsilon, delta); central, the server, which clients trust"`
	Batch   opestoch.Batch   `yaml:"batch" oneof:"theorem-1 corollary-1" doc:"losses at the root of a tree: theorem-1 draws b = 2^(p-1)/(p-1)^2, corollary-1 about 2/3 of the phase before, for one tree of depth 1"`
	Trees   int              `yaml:"trees" unit:"trees" range:"at least 1" doc:"trees of a phase, T1, as far as it has losses for them; absent, those of the theorem"`
	Start   []float64        `yaml:"start" unit:"coordinates" range:"a point of the simplex" doc:"z, a point of the simplex, d numbers; absent, uniform"`
}

// DefaultOPEStoch returns the section algorithm of Fed-DP-OPE-Stoch with the defaults of its
// keys.
func DefaultOPEStoch() opestochSection {
	return opestochSection{Variant: opestoch.Local, Batch: opestoch.Theorem1}
}

// OPEStoch is the piece of Fed-DP-OPE-Stoch in the catalog.
type OPEStoch struct{}

// Traits implements study.Algorithm.
func (OPEStoch) Traits() study.Traits {
	return study.Traits{Problems: takesLosses, Mechanisms: takesPhases, Topologies: topologies.TakesStar}
}

// Build implements study.Algorithm.
func (OPEStoch) Build(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	p, s, err := readOPEStoch(b, arm, a)
	if p == nil {
		return nil, study.Nodes{}, err
	}
	if err := p.planOPEStoch(&s); err != nil {
		return nil, study.Nodes{}, study.OptionFaults(err)
	}
	return p, study.Nodes{Topology: p.graphs}, nil
}

// readOPEStoch reads the sections of an arm. With faults, and where a.Faulty, the plan is nil.
func readOPEStoch(b *study.Builder, arm *study.Arm, a *study.ArmFile) (*expertPlan, opestochSection, error) {
	var found study.Faults
	s := DefaultOPEStoch()
	found.Note(document.Decode(a.Algorithm, &s))
	asked, err := phasesOf(a)
	found.Note(err)
	p, err := expertsOf(b, arm, a, "opestoch", problems.ReadLosses, asked)
	if found.Note(err); len(found) > 0 {
		p = nil
	}
	return p, s, found.Err()
}

// planOPEStoch plans the arm with its own sizes: schedule, account and machines. An audit
// calls it for an arm of other sizes, so that the audited arm is planned as a study is.
func (p *expertPlan) planOPEStoch(s *opestochSection) error {
	o := p.opestochOptions(s)
	schedule, err := opestoch.NewSchedule(o)
	if err != nil {
		return err
	}
	if p.account, err = p.accountOPEStoch(o, schedule); err != nil {
		return err
	}
	// Machines ask for losses at other points only where these are not linear.
	p.machines = func(losses algorithm.Costs, noise float64) ([]algorithm.Machine, expertSchedule, error) {
		o := *o
		if o.Losses != nil {
			o.Losses = losses
		}
		// The schedule's scales are multiplied and epsilon stays, so that nothing else of
		// the schedule moves.
		scaled := schedule.Scaled(noise)
		return scaled.Machines(o), scaled, nil
	}
	p.scale = schedule.Scale
	p.exchanges = []study.Exchange{{Who: "clients and server", When: "at the beginning of phases that double: steps 2, 4, 8, and so on"}}
	p.notes = append(sent(schedule), phaseNotes(schedule, p.law())...)
	return nil
}

// opestochOptions returns the options of the algorithm, without losses, which a seed draws.
// Every arm has the same data and the same draws of them. The seed alone also draws the noise,
// so that arms differ in the scale of their noise and not in its draws.
func (p *expertPlan) opestochOptions(s *opestochSection) *opestoch.Options {
	o := &opestoch.Options{
		Clients: p.clients, Experts: p.adversary.Experts, Horizon: p.horizon,
		Variant: s.Variant, Epsilon: p.Asked.Epsilon, Delta: p.Asked.Delta,
		Alpha: p.adversary.Alpha, Beta: p.adversary.Beta, Signed: !p.adversary.Linear,
		Batch: s.Batch, Trees: s.Trees, Start: s.Start,
		// The seed draws data, samples and noise; they do not depend on the arm.
		NoisePurpose: rng.PurposeOf("opestoch.noise"), SamplePurpose: rng.PurposeOf("opestoch.sample"),
	}
	if !p.adversary.Linear {
		o.Losses = noCosts{} // until there is a seed
	}
	if p.Additive != nil {
		o.Delta = 0
		p.calibrate(o)
	}
	return o
}

// calibrate sets the noise on the vectors of clients. A level for the whole run is divided
// among the releases that one loss is in. At level 1 they cost rho in all, and rho is mu =
// sqrt(2 rho) of Gaussian noise. The loss of Gaussian noise goes with the square of its level.
// So the level for one release is the run's level over sqrt(2 rho).
func (p *expertPlan) calibrate(o *opestoch.Options) {
	o.Release = p.Additive.Calibration
	if !p.Additive.Whole || !o.Release.Private() {
		return
	}
	unit := *o
	unit.Release.Level = 1
	charged, err := opestoch.Charged(&unit)
	if err != nil {
		return // checks of the options report it
	}
	var whole accountant.Loss
	for _, loss := range charged {
		whole = whole.Compose(loss)
	}
	if whole.Rho > 0 {
		o.Release.Level /= math.Sqrt(2 * whole.Rho)
	}
}

// noCosts stands for the losses of a seed where only their kind counts.
type noCosts struct{ algorithm.Costs }

// accountOPEStoch returns the losses of releases. Phase p has the steps from 2^(p-1) to 2^p - 1,
// and bits.Len(step) is its number; all noise of a phase is paid for in its first step. Phase
// 1 has no release. Losses up to each phase are computed once and looked up by step.
func (p *expertPlan) accountOPEStoch(o *opestoch.Options, schedule *opestoch.Schedule) (a account, err error) {
	var wire, public []accountant.Loss // up to each phase
	for _, phase := range schedule.Phases {
		// A run up to the first step of a phase has all releases of the phase.
		until := *o
		until.Horizon = phase.First
		of, err := opestoch.Accounted(&until)
		if err != nil {
			return a, err
		}
		wire, public = append(wire, of.Wire), append(public, of.Public)
	}
	a.wire = func(step int) accountant.Loss { return wire[bits.Len(uint(step))-1] }
	a.public = func(step int) accountant.Loss { return public[bits.Len(uint(step))-1] }
	if a.paid = a.wire; o.Variant == opestoch.Central {
		a.paid = a.public
	}
	a.loss = func(step int) accountant.Loss {
		phase := bits.Len(uint(step))
		if step&(step-1) != 0 || phase == 1 { // not the first of a phase from 2 on
			return accountant.Loss{}
		}
		var before accountant.Loss
		if phase > 2 {
			before = a.paid(step - 1)
		}
		return added(before, a.paid(step))
	}
	charged, err := opestoch.Charged(o)
	if err != nil {
		return a, err
	}
	a.reasons = []algorithm.Reason{opestoch.PublicStart, opestoch.NoisySums}
	a.bills = func(node messages.NodeID, step int, _ ledger.Moment) ledger.ExpectedPayment {
		// The participant that adds the noise pays: the server in the central variant, and
		// clients in the others.
		if central := o.Variant == opestoch.Central; central != (node == 0) || step&(step-1) != 0 || step == 1 {
			return ledger.ExpectedPayment{}
		}
		return ledger.PaysInAll(charged[bits.Len(uint(step))-1])
	}
	if o.Variant == opestoch.Approximate && p.private() {
		a.composed = func(step, _ int) float64 { return a.paid(step).Epsilon }
	}
	list, err := opestoch.Warnings(o)
	a.warnings = claimWarnings(list)
	return a, err
}

// phaseNotes describes the schedule: phases, the most trees of a phase, and the noise of
// the last phase, which has the largest batches. s has a phase at least; phase 1 has
// neither trees nor noise.
func phaseNotes(s *opestoch.Schedule, law noise.Law) []study.Note {
	trees, last := 0, &s.Phases[len(s.Phases)-1]
	for _, phase := range s.Phases {
		trees = max(trees, phase.Trees)
	}
	notes := []study.Note{{Key: "phases", Value: fmt.Sprint(len(s.Phases))}, {Key: "trees", Value: fmt.Sprintf("%d at most", trees)}}
	if last.Number > 1 {
		notes = append(notes, study.Note{Key: "last-phase", Value: fmt.Sprintf("%s at a root, %d of %d drawn, %s noise of scale %.4g at the leaves of tree 1", problems.LossCount(last.Batch), last.Drawn, last.Available, noise.Title(law), last.Scales[0])})
	}
	return notes
}
