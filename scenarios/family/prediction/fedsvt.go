package prediction

import (
	"fmt"
	"math"

	"starling/actors/algorithm"
	"starling/actors/algorithm/fedsvt"
	"starling/mechanisms/accountant"
	"starling/mechanisms/rng"
	"starling/messages"
	"starling/scenarios/document"
	"starling/scenarios/ledger"
	"starling/scenarios/problem/stream"
	"starling/scenarios/section/problems"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study"
)

// fedsvtSection is the algorithm section of Fed-SVT.
type fedsvtSection struct {
	Kind     string         `yaml:"kind,required"`
	Interval int            `yaml:"interval,required" unit:"steps" range:"at least 1" doc:"steps between exchanges, N"`
	Variant  fedsvt.Variant `yaml:"variant" oneof:"pure approximate" doc:"privacy that switches are tuned for: pure has eta = eps/(2 kappa), approximate eta = eps/sqrt(kappa log(1/delta))"`
	Kappa    float64        `yaml:"kappa" unit:"switches" range:"above 0" doc:"switching budget; absent, 3 ceil(log2 d) + 24 ln(1/rho)"`
	Rho      float64        `yaml:"rho" unit:"probability" range:"above 0, below 1/2" doc:"chance of failure that kappa and the threshold are chosen for"`
	Lstar    float64        `yaml:"lstar" unit:"loss" range:"at least 0" doc:"L*, a bound on the total loss of some expert for every client; absent, 0"`
	Start    int            `yaml:"start" unit:"expert number" range:"1 to the number of experts" doc:"x_0, an expert from 1; absent, drawn uniformly for each seed"`
}

// DefaultFedSVT returns the section algorithm of Fed-SVT with the defaults of its keys.
func DefaultFedSVT() fedsvtSection {
	return fedsvtSection{Variant: fedsvt.Pure, Rho: fedsvt.DefaultRho}
}

// FedSVT is the piece of Fed-SVT in the catalog.
type FedSVT struct{}

// Traits implements study.Algorithm.
func (FedSVT) Traits() study.Traits {
	return study.Traits{Problems: takesLinearLosses, Mechanisms: takesThresholds, Topologies: topologies.TakesStar}
}

// Build implements study.Algorithm.
func (FedSVT) Build(b *study.Builder, arm *study.Arm, a *study.ArmFile) (study.Plan, study.Nodes, error) {
	var found study.Faults
	s := DefaultFedSVT()
	found.Note(document.Decode(a.Algorithm, &s))
	// The algorithm takes a rho of 0 as the default, so a written 0 has to be refused here.
	if _, given := a.Algorithm.Get("rho"); given && s.Rho == 0 {
		found.At("algorithm.rho", "rho = 0 is not in (0, 1/2)")
	}
	asked, err := thresholdsOf(a)
	found.Note(err)
	p, err := expertsOf(b, arm, a, "fedsvt", problems.ReadLinearLosses, asked)
	if found.Note(err); p == nil || len(found) > 0 || !found.Note(study.OptionFaults(p.planFedSVT(&s))) {
		return nil, study.Nodes{}, found.Err()
	}
	return p, study.Nodes{Topology: p.graphs}, nil
}

// planFedSVT plans the arm with its own sizes: schedule, account and machines. An audit
// calls it for an arm of other sizes.
func (p *expertPlan) planFedSVT(s *fedsvtSection) error {
	o := p.fedsvtOptions(s)
	schedule, err := fedsvt.NewSchedule(o)
	if err != nil {
		return err
	}
	if p.account, err = p.accountFedSVT(o, schedule); err != nil {
		return err
	}
	p.switches = true
	p.machines = func(_ algorithm.Costs, noise float64) ([]algorithm.Machine, expertSchedule, error) {
		return fedsvt.New(louderFedSVT(o, noise))
	}
	derived := o.Parameters()
	p.exchanges = []study.Exchange{{Who: "clients and server", When: study.EverySteps(o.Interval)}}
	p.notes = append(sent(schedule),
		study.Note{Key: "kappa", Value: fmt.Sprintf("%.6g", derived.Kappa)}, study.Note{Key: "eta", Value: fmt.Sprintf("%.6g", derived.Eta)}, study.Note{Key: "threshold", Value: fmt.Sprintf("%.6g", derived.Threshold)})
	return nil
}

// fedsvtOptions returns the options of the algorithm.
func (p *expertPlan) fedsvtOptions(s *fedsvtSection) *fedsvt.Options {
	return &fedsvt.Options{
		Clients: p.clients, Experts: p.adversary.Experts, Horizon: p.horizon, Interval: s.Interval,
		Variant: s.Variant, Epsilon: p.Asked.Epsilon, Delta: p.Asked.Delta,
		Kappa: s.Kappa, Rho: s.Rho, Lstar: s.Lstar, Start: s.Start,
		// The seed draws data, x_0 and noise; they do not depend on the arm.
		NoisePurpose: rng.PurposeOf("fedsvt.noise"), StartPurpose: rng.PurposeOf("fedsvt.start"),
	}
}

// louderFedSVT returns the options with the noise multiplied by noise: scales are in inverse
// proportion to epsilon. The threshold depends on epsilon too, and moves with the noise. o is
// not changed.
func louderFedSVT(o *fedsvt.Options, noise float64) fedsvt.Options {
	louder := *o
	louder.Epsilon /= noise
	return louder
}

// accountFedSVT returns the losses of releases: an arming of the threshold in step 1, and at
// every exchange at most one switch, as long as the budget allows one more. Queries below the
// threshold cost nothing by themselves: that is the point of the sparse vector technique.
//
// The number of switches depends on the losses. The bounds take the largest number that the
// schedule allows, and are the guarantee. A run pays for the switches that it made.
func (p *expertPlan) accountFedSVT(o *fedsvt.Options, schedule *fedsvt.Schedule) (a account, err error) {
	of, err := fedsvt.Accounted(o)
	if err != nil {
		return a, err
	}
	// There can be no more switches than the budget kappa, or than exchanges.
	most := int(min(math.Ceil(o.Parameters().Kappa), float64(schedule.Exchanges())))
	paid := lossOfSwitches(o)
	a.public = func(step int) accountant.Loss {
		if schedule.Exchanges() == 0 {
			return of.Public
		}
		return paid(min(step/o.Interval, most))
	}
	a.paid = a.public
	// Clients send for the first time at the first exchange. Up to then the wire shows no more
	// than the decisions do.
	a.wire = func(step int) accountant.Loss {
		if step < o.Interval || schedule.Exchanges() == 0 {
			return a.public(step)
		}
		return of.Wire
	}
	// The loss of a step is the largest that the schedule allows: a switch at every exchange
	// for as long as kappa lasts.
	a.loss = func(step int) (l accountant.Loss) {
		if schedule.Exchanges() == 0 {
			return l
		}
		if step == 1 {
			l = paid(0)
		}
		if k := step / o.Interval; step%o.Interval == 0 && k <= most {
			l = l.Compose(added(paid(k-1), paid(k)))
		}
		return l
	}
	arming, draw := o.Prices()
	a.reasons = []algorithm.Reason{fedsvt.PublicStart, fedsvt.NoSwitches}
	a.bills = func(node messages.NodeID, step int, at ledger.Moment) ledger.ExpectedPayment {
		switch {
		case node != 0 || schedule.Exchanges() == 0:
			return ledger.ExpectedPayment{}
		case step == 1 && o.Interval > 1:
			return ledger.Pays(arming, 1, 1)
		}
		// A step with an exchange pays for a switch if the server makes one. With an interval
		// of 1 step 1 is such a step, and pays for its arming as well.
		b := ledger.Pays(draw, 0, 1)
		if step == 1 {
			b.Prices[1] = ledger.Price{Loss: arming, Least: 1, Most: 1}
		}
		if switches := at.Payments - 1; step%o.Interval != 0 || switches > most {
			b.Prices[0].Most = 0
		}
		return b
	}
	if o.Variant == fedsvt.Approximate && p.private() {
		a.composed = func(_, payments int) float64 {
			if schedule.Exchanges() == 0 {
				return 0
			}
			return paid(max(0, payments-1)).Epsilon // the first arms the threshold, and all others switch
		}
	}
	list, err := fedsvt.Warnings(o)
	a.warnings = claimWarnings(list)
	return a, err
}

// lossOfSwitches returns a function that gives the loss of a number of switches, computed once
// for each number. The options must be the ones that fedsvt.Accounted took: an error after
// that is a broken invariant.
func lossOfSwitches(o *fedsvt.Options) func(switches int) accountant.Loss {
	var memo stream.Memo[int, accountant.Loss]
	return func(switches int) accountant.Loss {
		return memo.Get(switches, func() accountant.Loss {
			l, err := o.Loss(switches)
			if err != nil {
				panic(fmt.Sprintf("the loss of %d switches: %v", switches, err))
			}
			return l
		})
	}
}
