package study

import (
	"starling/actors/algorithm"
	"starling/actors/algorithm/decision"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/gauge"
	"starling/scenarios/gauge/decisions"
	"starling/scenarios/ledger"
	"starling/scenarios/meter"
	"starling/scenarios/metric"
	"starling/scenarios/section/topologies"
	"starling/scenarios/study/effort"
)

// Plan is what an arm runs: an algorithm with its problem, network and
// mechanism, checked. It is what the families of algorithms have in common.
type Plan struct {
	// FirstStep is the number of the first step in the paper, 0 or 1. All steps in the
	// fields below are counted from it.
	FirstStep int
	// FirstLabel is the paper's number of participant 0: 0 for a server, 1 for nodes.
	FirstLabel int
	// Participants is how many machines there are, a server included.
	Participants int
	// Units is how many have data that are protected; 0 is all nodes.
	Units int
	// Server tells that participant 0 is a server, without data of its own, and
	// the nodes come after it; else the nodes are the first participants.
	Server bool
	// RoundSteps is how many steps a round of the server has, where there is one.
	RoundSteps int
	// Dim is d, the length of a decision. Memory, records and messages grow with it.
	Dim int
	// Held is about how many bytes a job holds besides decisions, metrics and graphs:
	// data, and what noise is drawn from.
	Held float64
	// Deciders are who plays, of the participants, and set where.
	Deciders Deciders
	Set      decision.Set // nil for all of R^d
	// Clear is how many entries at the end of vectors tell how they are to be read; see
	// algorithm.Adversaries.
	Clear int
	// Loss is what the releases of a step cost the node that pays the most.
	Loss func(step int) accountant.Loss
	// Bills are what participants of a job pay, which the ledger holds payments
	// against, and reasons why what they send without a receipt shows nothing. bills
	// is nil where the jobs have their own.
	Bills   func(j *Job) ledger.Billing
	Reasons []algorithm.Reason
	// Raw tells that participants send raw messages beside what they release, which no bill
	// has; see ledger.Options.
	Raw bool
	// Unprepared is loss up to rounding, where loss takes what only a run should
	// take the time for; nil where it does not.
	Unprepared func(step int) accountant.Loss
	// Own are metrics that are of this arm alone, whose names begin with metric.Own; they
	// are among Metrics.
	Own metric.List
	// Growing is true if loss(t) is the increment of a bound on the whole run
	// (parallel composition over disjoint data), not the loss of a release at t.
	// Increments sum to the bound. They are not releases, so advanced composition
	// does not apply.
	Growing bool
	// Budgeted algorithms plan with the budget themselves, and say what it comes
	// to.
	Budgeted bool
	// Noise returns the root mean square 2-norm of the noise of a release, at the step
	// that has the least of it, and the largest 2-norm of what it is added to; nil where
	// that is not known.
	Noise func() (noise, signal float64)
	// Claim is what the paper says of the privacy of the run.
	Claim func() string
	// Job draws what depends on the seed.
	Job func(seed uint64) (*Job, error)
	// AllSeeds tells that a job depends on which seeds the scenario has besides its own,
	// such as where noise is for the most that a datum is met under any of them.
	AllSeeds bool
	// Shares are the values that jobs of a seed ask the arm's cache for; nil is none.
	Shares func(seed uint64) []cache.Need
	// Accounts are what observers learn of what units pay, and Stated which metrics state
	// what is paid, by the first of them.
	// Named nodes and coalitions that the scenario asks for are added to them.
	Accounts []ledger.Account
	Stated   ledger.Statement
	// Named is what payments are to a coalition that the scenario names; nil is what they are
	// to peers, or to the server where that is one of them.
	Named func(members []messages.NodeID) (*ledger.Worth, error)
	// Learns is what observers learn in a job that has run, where the plan says another
	// thing than that they learn what units paid; see ledger.Learns. It may return nil. nil
	// is what was paid, which bounds a coalition as it bounds a peer: whatever it sees
	// follows from that. LearnsWhy tells readers what named nodes and coalitions learn.
	Learns    func(j *Job) ledger.Learns
	LearnsWhy string
	// Notes are derived quantities for the manifest, given a job that has run.
	Notes func(j *Job) ([]Note, []Warning)
	// Expected makes the statistics over the seeds of an arm that are no means
	// of the runs' metrics; nil where there are none, or none is recorded.
	Expected func() *meter.Expected
	// NewPart is an empty part of a run for them.
	NewPart func() meter.Part
	// Metrics are those that the meters of jobs record, in any order, if measure.metrics
	// leaves none out.
	Metrics []string
	// Answers are the questions about decisions that jobs answer: they have the measures that
	// ask no others, and record them where measure.metrics gives their names.
	Answers decisions.Answers
	// Before is what the start of the runs has shown of their data; nil is nothing.
	Before *ledger.Before
	// Trained is the model that jobs train; nil where it is none of package model.
	Trained *TrainedModel
}

// Deciders are who decides.
type Deciders = decisions.Deciders

// Job is one arm under one seed, ready to run.
type Job struct {
	// Run is what a runtime takes: machines, graphs, network and meter.
	Run algorithm.Run
	// Meter is the ledger, which stands before the meter of gauges.
	Meter *ledger.Ledger
	// Graphs are those of the run where they are checked; nil where nobody asks. Whoever
	// has run the job closes them.
	Graphs *topologies.Watched
	// Release gives back what the job holds outside of the program; nil is nothing. Whoever
	// has run the job calls it.
	Release func()
	// Theory is how much work the notes of the job may take.
	Theory effort.Extent
	// Part is what the run leaves for statistics over seeds, after Finish; nil
	// where there are none.
	Part func() meter.Part
}

// GaugeOf is the gauge of a type in the meter of the job: ok tells whether there is one.
func GaugeOf[G gauge.Gauge](j *Job) (g G, ok bool) { return gauge.Find[G](j.Meter.Meter) }
