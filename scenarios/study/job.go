package study

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/ledger"
	"starling/scenarios/watch"
)

// LedgerOptionsOf are what the ledger of a job knows of the arm.
func LedgerOptionsOf(arm *Arm) ledger.Options {
	p := &arm.Algorithm
	return ledger.Options{
		Server: p.Server, Participants: p.Participants, Units: arm.File.Nodes, Points: arm.Points,
		Accounts: p.Accounts, Reasons: p.Reasons, Purse: arm.Purse, Growing: p.Growing,
	}
}

// PlayingOn is the meter of a job of the arm, in which nodes that have ended their
// part play on. Without a budget nobody does.
func PlayingOn(arm *Arm, m watch.Meter) watch.Meter {
	if arm.File.Budget == nil {
		return m
	}
	return watch.NewPlayOn(m, arm.Algorithm.FirstStep+arm.File.Horizon, arm.Algorithm.Participants)
}

// countingTurnout is the meter of a job of the arm that counts who takes part. In
// an ideal network everybody does.
func countingTurnout(arm *Arm, m watch.Meter) watch.Meter {
	if arm.Effects == nil {
		return m
	}
	p := &arm.Algorithm
	return watch.NewTurnout(m, watch.Attendance{FirstStep: p.FirstStep, Steps: arm.File.Horizon, Server: p.Server, RoundSteps: p.RoundSteps})
}

// NewJob is a job of the arm under a seed: machines over the graphs of sequence, measured
// by m. The ledger stands before the meter, so that payments reach the book before
// anything is measured. The result is ready for either runtime, but for a network: Affect
// adds that.
func NewJob(arm *Arm, seed uint64, sequence topology.Sequence, machines []algorithm.Machine, m watch.Meter) *Job {
	l := ledger.New(countingTurnout(arm, m), LedgerOptionsOf(arm))
	j := &Job{
		Run: algorithm.Run{
			Seed:       seed,
			FirstStep:  arm.Algorithm.FirstStep,
			Steps:      arm.File.Horizon,
			FirstLabel: arm.Algorithm.FirstLabel,
			Graphs:     sequence,
			Machines:   machines,
			Meter:      l,
		},
		Meter: l,
	}
	if arm.Algorithm.Bills != nil {
		l.Bills = arm.Algorithm.Bills(j)
	}
	p := &arm.Algorithm
	j.Run.Decisions = &algorithm.Decisions{First: p.Deciders.First, End: p.Deciders.End, Dim: p.Dim, Set: p.Set}
	return j
}
