package scenarios

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/meter"
)

// algorithmPlan is what an arm runs: an algorithm with its problem, network and
// mechanism, checked. It is what the families of algorithms have in common.
type algorithmPlan struct {
	firstStep    int
	firstLabel   int
	participants int
	// server tells that participant 0 is a server, without data of its own, and
	// the nodes come after it; else the nodes are the first participants.
	server bool
	// roundSteps is how many steps a round of the server has, where there is one.
	roundSteps int
	dim        int // of a decision
	// held is about how many bytes a job holds besides decisions, metrics and graphs:
	// data, and what noise is drawn from.
	held float64
	// deciders are who plays, of the participants, and set where.
	deciders deciders
	set      algorithm.Set // nil for all of R^d
	// loss is what the releases of a step cost the node that pays the most.
	loss func(step int) accountant.Loss
	// bills are what participants of a job pay, which the ledger holds payments
	// against, and reasons why what they send without a receipt shows nothing. bills
	// is nil where the jobs have their own.
	bills   func(j *job) billing
	reasons []algorithm.Reason
	// unprepared is loss up to rounding, where loss takes what only a run should
	// take the time for; nil where it does not.
	unprepared func(step int) accountant.Loss
	// growing is true if loss(t) is the increment of a bound on the whole run
	// (parallel composition over disjoint data), not the loss of a release at t.
	// Increments sum to the bound. They are not releases, so advanced composition
	// does not apply.
	growing bool
	// budgeted algorithms plan with the budget themselves, and say what it comes
	// to.
	budgeted bool
	// claim is what the paper says of the privacy of the run.
	claim func() string
	// job draws what depends on the seed.
	job func(seed uint64) (*job, error)
	// accounts are what observers learn of what units pay.
	accounts []account
	// notes are derived quantities for the manifest, given a job that has run.
	notes func(j *job) ([]note, []warning)
	// expected makes the statistics over the seeds of an arm that are no means
	// of the runs' metrics; nil where there are none.
	expected func() *meter.Expected
	// newPart is an empty part of a run for them.
	newPart func() meter.Part
	// metrics are those that jobs record, in any order, if measure.metrics leaves
	// none out.
	metrics []string
	// before is what the start of the runs has shown of their data; nil is nothing.
	before *before
	// trained is the model that jobs train; nil where it is none of package model.
	trained *trainedModel
}

// deciders are participants: first .. end-1.
type deciders struct{ first, end messages.NodeID }

// note and warning are those of results.Manifest without the arm.
type (
	note    struct{ key, value string }
	warning struct{ code, message string }
)

// jobMeter is the meter of a job, whatever the family.
type jobMeter interface {
	algorithm.Meter
	// Finish hands over the metrics, once the run is over.
	Finish(meter.Recorder)
	// Stops lists who ended its part early, by step, then node.
	Stops() []meter.Stop
	// State goes through all that the meter has taken in; what reads is a new meter
	// of the same job.
	messages.Stateful
}

// job is one arm under one seed, ready to run.
type job struct {
	run    algorithm.Run
	meter  *ledger // before the family's meter
	window int     // B of the graphs; 0 where there is none
	// part is what the run leaves for statistics over seeds, after Finish; nil
	// where there are none.
	part func() meter.Part
}

// wrapper is a meter that stands before another one of the same job.
type wrapper interface{ beneath() jobMeter }

// family is the meter of the job's family, beneath all that stand before it.
func (j *job) family() jobMeter {
	m := j.meter.jobMeter
	for {
		w, ok := m.(wrapper)
		if !ok {
			return m
		}
		m = w.beneath()
	}
}

// ledgerOptions are what the ledger of a job knows of the arm.
func (arm *Arm) ledgerOptions() ledgerOptions {
	p := &arm.algorithm
	return ledgerOptions{
		server: p.server, participants: p.participants, units: arm.file.Nodes, points: arm.points,
		accounts: p.accounts, reasons: p.reasons, purse: arm.purse, growing: p.growing,
	}
}

// playingOn is the meter of a job of the arm, in which nodes that have ended their
// part play on. Without a budget nobody does.
func (arm *Arm) playingOn(m jobMeter) jobMeter {
	if arm.file.Budget == nil {
		return m
	}
	return newPlayOn(m, arm.algorithm.firstStep+arm.file.Horizon, arm.algorithm.participants)
}

// countingTurnout is the meter of a job of the arm that counts who takes part. In
// an ideal network everybody does.
func (arm *Arm) countingTurnout(m jobMeter) jobMeter {
	if arm.effects == nil {
		return m
	}
	p := &arm.algorithm
	return newTurnout(m, attendance{firstStep: p.firstStep, steps: arm.file.Horizon, server: p.server, roundSteps: p.roundSteps})
}

// newJob is a job of the arm under a seed.
func (arm *Arm) newJob(seed uint64, sequence topology.Sequence, machines []algorithm.Machine, m jobMeter) *job {
	l := newLedger(arm.countingTurnout(m), arm.ledgerOptions())
	j := &job{
		run: algorithm.Run{
			Seed:       seed,
			FirstStep:  arm.algorithm.firstStep,
			Steps:      arm.file.Horizon,
			FirstLabel: arm.algorithm.firstLabel,
			Graphs:     sequence,
			Machines:   machines,
			Meter:      l,
		},
		meter: l,
	}
	if arm.algorithm.bills != nil {
		l.bills = arm.algorithm.bills(j)
	}
	p := &arm.algorithm
	j.run.Decisions = &algorithm.Decisions{First: p.deciders.first, End: p.deciders.end, Dim: p.dim, Set: p.set}
	return j
}
