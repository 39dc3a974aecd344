package study

import (
	"fmt"
	"strings"

	"starling/actors/algorithm"
	"starling/actors/algorithm/mirror"
	"starling/actors/topology"
	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/cache"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/section/topologies"
)

// Plan is the checked content of an arm's runs: an algorithm with its problem, network and
// mechanism. All families of algorithms make one. A plan does not change, and its methods are
// safe for concurrent use. The arm keeps the declarations of its plan; see Arm.
type Plan interface {
	Extent() Extent
	Privacy() Privacy
	Recording() Recording
	// Job makes the job of a seed.
	Job(seed uint64) (*Job, error)
	// Notes returns derived quantities for the manifest, given a job that has run.
	Notes(j *Job) ([]Note, []Warning)
}

// Capabilities of plans, each of them optional.
type (
	// Sharer is a plan whose jobs ask the cache of the arm for values.
	Sharer interface {
		// Shares returns the values that jobs of a seed ask for; nil is none.
		Shares(seed uint64) []cache.Need
	}
	// Noisy is a plan that knows how large its noise is.
	Noisy interface {
		// NoiseLevel returns the root mean square 2-norm of the noise of a release, at the
		// step with the least noise, and the largest 2-norm of the signal to which it is
		// added. Both are 0 if they are not known. It may take as long as a run takes to
		// make its noise.
		NoiseLevel() (noise, signal float64)
	}
	// Calibrator is a plan whose noise may be found for an epsilon of the whole run.
	Calibrator interface {
		// Calibration describes the noise that was found; empty where none was.
		Calibration() string
	}
	// Scheduled is a plan that says when its participants send.
	Scheduled interface {
		// Exchanges returns the steps in which participants send, for people; nil is every step.
		Exchanges() []Exchange
	}
	// Trainer is a plan whose jobs train a model.
	Trainer interface {
		// Trained returns the model; nil if it is none of package model.
		Trained() *TrainedModel
	}
	// Estimator is a plan with statistics over the seeds of an arm that are no means of the
	// metrics of runs.
	Estimator interface {
		// Estimates reports whether the statistics are recorded.
		Estimates() bool
		// Expected returns the statistics of no run, and NewPart an empty part of a run for
		// them.
		Expected() *gauge.ExpectedRegret
		NewPart() gauge.RegretPart
	}
	// Joint is a plan whose jobs may depend on the other seeds of the scenario.
	Joint interface {
		// AllSeeds reports whether they do, for example because noise is for the largest
		// number of times that a datum is met under any of the seeds.
		AllSeeds() bool
	}
)

// Extent is the size of a plan's runs, and the numbering of their parts.
type Extent struct {
	// FirstStep is the number of the first step in the paper, 0 or 1. All steps of the plan
	// are counted from it.
	FirstStep int
	// FirstLabel is the paper's number of participant 0: 0 for a server, 1 for nodes.
	FirstLabel int
	// Participants is the number of machines, a server included.
	Participants int
	// Units is the number of participants with protected data; 0 is all nodes. Where it is larger
	// than the number of participants, those after the server stand for all units in turn, and all
	// units have equal losses.
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
	Set      algorithm.Set // nil for all of R^d
	// Clear is the number of entries at the end of vectors that say how to read the others;
	// see algorithm.Adversaries.
	Clear int
	// Patience is the number of turns in a row in which the schedule leaves a receiver out:
	// messages wait for it that long.
	Patience int
}

// Serves reports whether a participant is one of several servers above so many nodes: they come
// before and after the nodes, or after them alone.
func (e *Extent) Serves(p messages.NodeID, nodes int) bool {
	if !e.Server {
		return int(p) >= nodes
	}
	return e.Participants > nodes+1 && (p < 1 || int(p) > nodes)
}

// Exchange says when some participants send, in the words of the key schedule of topologies where
// these have words for it.
type Exchange struct {
	Who  string // such as clients
	When string // such as {every: 5}
	// LocalSteps are the local steps before a message; 0 says nothing of them.
	LocalSteps int
}

// String returns the exchange as a line for people.
func (e Exchange) String() string {
	if e.LocalSteps == 0 {
		return fmt.Sprintf("%s %s", e.Who, e.When)
	}
	return fmt.Sprintf("%s %s, %s before a message", e.Who, e.When, document.Counted(e.LocalSteps, "local step"))
}

// ScheduleOf says who sends when in an arm; empty if all send in every step.
func ScheduleOf(arm *Arm) string {
	scheduled, ok := arm.Algorithm.(Scheduled)
	if !ok {
		return ""
	}
	exchanges := scheduled.Exchanges()
	lines := make([]string, len(exchanges))
	for i, exchange := range exchanges {
		lines[i] = exchange.String()
	}
	return strings.Join(lines, "; ")
}

// EverySteps is the schedule of a period.
func EverySteps(period int) string { return topology.Schedule{Every: period}.String() }

// Privacy is the loss of a plan's runs, and its accounts.
type Privacy struct {
	// Loss returns the loss of a step's releases, for the node that pays the most.
	Loss func(step int) accountant.Loss
	// Unprepared is Loss up to rounding, for checks: it is set if Loss needs a computation
	// that only a run should take the time for, and is nil otherwise.
	Unprepared func(step int) accountant.Loss
	// Growing is true if loss(t) is the increment of a bound on the whole run
	// (parallel composition over disjoint data), not the loss of a release at t.
	// Increments sum to the bound. They are not releases, so advanced composition
	// does not apply.
	Growing bool
	// Budgeted means that the algorithm plans with the budget itself, and states the result.
	Budgeted bool
	// Together means that a server pays for all units at once.
	Together bool
	// Reasons lists the grounds on which messages without a receipt are public.
	Reasons []algorithm.Reason
	// Raw means that participants send raw messages beside their releases. No bill has them;
	// see ledger.Options.
	Raw bool
	// Before is the loss of the runs' data by the model that they start from; nil is nothing.
	Before *ledger.Before
	// Accounts are the losses of units to observers, by the payments of the units. Stated says
	// which metrics state the payments, by the first account.
	Accounts []ledger.Account
	Stated   ledger.Statement
	// Coalitions states the losses to coalitions, where they differ from the payments.
	Coalitions Coalitions
	// Servers are the levels of servers; the zero value is a server alone, or none.
	Servers Servers
}

// Servers are levels of servers above the units of a plan.
type Servers struct {
	// Above returns the servers above a unit, from the lowest to participant 0; the others are the
	// last participants. nil means that there are none between. Inside is the number of participants
	// between units and these servers, which act inside a unit's trust.
	Above  func(unit messages.NodeID) []messages.NodeID
	Inside int
	// Accounts are the accounts of the servers of each level, and of the links below it, for
	// measure.levels.
	Accounts []ledger.Account
}

// Claimed returns the paper's statement on the privacy of the run; empty without accounts.
func (p *Privacy) Claimed() string {
	if len(p.Accounts) == 0 {
		return ""
	}
	return p.Accounts[0].Claimed.Text
}

// Learns reports whether the plan states losses that differ from the payments of units.
func (p *Privacy) Learns() bool { return p.Coalitions.Learns != nil }

// Coalitions are the losses to single nodes and coalitions of them that a scenario may name.
type Coalitions struct {
	// Learns returns the losses to observers in a job that has run, if the plan states losses
	// that differ from the payments of units; see ledger.Learns. It may return nil. A nil
	// Learns, or a nil result, stands for the payments. They bound a coalition as they bound a
	// peer: all that it sees follows from them.
	Learns func(j *Job) ledger.Learns
	// Worth returns the worth of payments to a coalition. nil gives a coalition the worth of
	// payments to peers, or to the server if that is a member.
	Worth func(members []messages.NodeID) (*ledger.Worth, error)
	// Why explains the losses to readers.
	Why string
}

// Recording says which metrics the runs of a plan record.
type Recording struct {
	// Metrics are those that the meters of jobs record, in any order, if measure.metrics
	// leaves none out.
	Metrics []string
	// Own are metrics of this arm alone, with names that begin with metric.Own; they are among
	// Metrics.
	Own metric.List
	// Answers are the questions about decisions that jobs answer. Jobs have the measures that
	// ask no others, and record them if measure.metrics gives their names.
	Answers gauge.Answers
	// Takes is the number of vectors that the combining rule of nodes, or of the server,
	// needs; 0 for the mean.
	Takes int
}

// SetOf returns a set of decisions of a mirror method; nil, for all of R^d, stays nil, and no
// interface holds it.
func SetOf(set mirror.Set) algorithm.Set {
	if set == nil {
		return nil
	}
	return set
}

// Deciders are the participants that decide.
type Deciders = gauge.Deciders

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
	Theory EffortExtent
	// Part returns the run's contribution to statistics over seeds, after Finish; nil if there
	// are none.
	Part func() gauge.RegretPart
}

// TrainedModelOf returns the model that jobs of the arm train; nil if there is none.
func TrainedModelOf(arm *Arm) *TrainedModel {
	if t, ok := arm.Algorithm.(Trainer); ok {
		return t.Trained()
	}
	return nil
}

// EstimatorOf returns the plan of the arm if it records statistics over seeds; else ok is
// false.
func EstimatorOf(arm *Arm) (e Estimator, ok bool) {
	e, ok = arm.Algorithm.(Estimator)
	return e, ok && e.Estimates()
}

// AllSeeds reports whether a job of the arm depends on the other seeds of the scenario.
func AllSeeds(arm *Arm) bool {
	j, ok := arm.Algorithm.(Joint)
	return ok && j.AllSeeds()
}

// GaugeOf returns the gauge of a type in the meter of the job. ok is false if there is none.
func GaugeOf[G gauge.Gauge](j *Job) (g G, ok bool) { return gauge.Find[G](j.Meter.Meter) }
