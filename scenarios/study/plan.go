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

// Plan is the checked content of an arm's runs: an algorithm with its problem, network and
// mechanism. All families of algorithms make one.
type Plan struct {
	// FirstStep is the number of the first step in the paper, 0 or 1. All steps in the
	// fields below are counted from it.
	FirstStep int
	// FirstLabel is the paper's number of participant 0: 0 for a server, 1 for nodes.
	FirstLabel int
	// Participants is the number of machines, a server included.
	Participants int
	// Units is the number of participants with protected data; 0 is all nodes.
	Units int
	// Server means that participant 0 is a server, without data of its own, and the nodes come
	// after it; else the nodes are the first participants.
	Server bool
	// RoundSteps is the number of steps in a round of the server, if there is one.
	RoundSteps int
	// Dim is d, the length of a decision. Memory, records and messages grow with it.
	Dim int
	// Held is the approximate number of bytes that a job holds besides decisions, metrics and
	// graphs: data, and the input of noise.
	Held float64
	// Deciders are the participants that play, and Set is their set of decisions.
	Deciders Deciders
	Set      decision.Set // nil for all of R^d
	// Clear is the number of entries at the end of vectors that say how to read the others;
	// see algorithm.Adversaries.
	Clear int
	// Loss returns the loss of a step's releases, for the node that pays the most.
	Loss func(step int) accountant.Loss
	// Bills returns the payment that the ledger expects of each participant of a job in each
	// step; it is nil if the jobs have bills of their own. Reasons lists the grounds on which
	// messages without a receipt are public.
	Bills   func(j *Job) ledger.Billing
	Reasons []algorithm.Reason
	// Raw means that participants send raw messages beside their releases. No bill has them;
	// see ledger.Options.
	Raw bool
	// Unprepared is Loss up to rounding, for checks: it is set if Loss needs a computation
	// that only a run should take the time for, and is nil otherwise.
	Unprepared func(step int) accountant.Loss
	// Own are metrics of this arm alone, with names that begin with metric.Own; they are among
	// Metrics.
	Own metric.List
	// Growing is true if loss(t) is the increment of a bound on the whole run
	// (parallel composition over disjoint data), not the loss of a release at t.
	// Increments sum to the bound. They are not releases, so advanced composition
	// does not apply.
	Growing bool
	// Budgeted means that the algorithm plans with the budget itself, and states the result.
	Budgeted bool
	// Noise returns the root mean square 2-norm of the noise of a release, at the step with
	// the least noise, and the largest 2-norm of the signal to which it is added. It is nil if
	// these are not known.
	Noise func() (noise, signal float64)
	// Claim returns the paper's statement on the privacy of the run.
	Claim func() string
	// Job makes the job of a seed.
	Job func(seed uint64) (*Job, error)
	// AllSeeds means that a job depends on the other seeds of the scenario, for example
	// because noise is for the largest number of times that a datum is met under any of them.
	AllSeeds bool
	// Shares returns the values that jobs of a seed ask the arm's cache for; nil is none.
	Shares func(seed uint64) []cache.Need
	// Accounts are the losses of units to observers, by the payments of the units. Stated says
	// which metrics state the payments, by the first account. Named nodes and coalitions of
	// the scenario are added to Accounts.
	Accounts []ledger.Account
	Stated   ledger.Statement
	// Named returns the worth of payments to a coalition that the scenario names. nil gives a
	// coalition the worth of payments to peers, or to the server if that is a member.
	Named func(members []messages.NodeID) (*ledger.Worth, error)
	// Learns returns the losses to observers in a job that has run, if the plan states losses
	// that differ from the payments of units; see ledger.Learns. It may return nil. A nil
	// Learns, or a nil result, stands for the payments. They bound a coalition as they bound a
	// peer: all that it sees follows from them. LearnsWhy explains to readers the losses to
	// named nodes and coalitions.
	Learns    func(j *Job) ledger.Learns
	LearnsWhy string
	// Notes returns derived quantities for the manifest, given a job that has run.
	Notes func(j *Job) ([]Note, []Warning)
	// Expected returns the statistics over the seeds of an arm that are no means of the runs'
	// metrics; nil if there are none, or none is recorded.
	Expected func() *meter.Expected
	// NewPart returns an empty part of a run for these statistics.
	NewPart func() meter.Part
	// Metrics are those that the meters of jobs record, in any order, if measure.metrics
	// leaves none out.
	Metrics []string
	// Answers are the questions about decisions that jobs answer. Jobs have the measures that
	// ask no others, and record them if measure.metrics gives their names.
	Answers decisions.Answers
	// Before is the loss of the runs' data by the model that they start from; nil is nothing.
	Before *ledger.Before
	// Trained is the model that jobs train; nil if it is none of package model.
	Trained *TrainedModel
}

// Deciders are the participants that decide.
type Deciders = decisions.Deciders

// Job is one arm under one seed, ready to run.
type Job struct {
	// Run is the input of a runtime: machines, graphs, network and meter.
	Run algorithm.Run
	// Meter is the ledger, which stands before the meter of gauges.
	Meter *ledger.Ledger
	// Graphs are the run's, where they are checked; nil if they are not. The caller closes
	// them once the job has run.
	Graphs *topologies.Watched
	// Release gives back resources of the job outside of the program; nil is nothing. The
	// caller calls it once the job has run.
	Release func()
	// Theory is the limit on the work of the job's notes.
	Theory effort.Extent
	// Part returns the run's contribution to statistics over seeds, after Finish; nil if there
	// are none.
	Part func() meter.Part
}

// GaugeOf returns the gauge of a type in the meter of the job. ok is false if there is none.
func GaugeOf[G gauge.Gauge](j *Job) (g G, ok bool) { return gauge.Find[G](j.Meter.Meter) }
