package gossip

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/scenarios/meter"
	"starling/scenarios/study"
)

// newJob draws what depends on the seed.
func newJob(arm *study.Arm, seed uint64, machines []algorithm.Machine) (*study.Job, error) {
	sequence, window, err := study.GraphsOf(arm, seed)
	if err != nil {
		return nil, err
	}
	instance, err := arm.Problem.Draw(seed, arm.File.Horizon)
	if err != nil {
		return nil, err
	}
	options := meterOptions(arm)
	options.Instance = instance
	m := meter.New(options)
	j := study.NewJob(arm, seed, sequence, machines, study.PlayingOn(arm, m))
	if arm.Effects != nil {
		if j.Run.Network, err = arm.Effects.Build(&j.Run, seed); err != nil {
			return nil, err
		}
	}
	j.Run.Costs = instance
	j.Window, j.Part = window, m.Part
	return j, nil
}

// metrics are those of an arm.
func metrics(arm *study.Arm) []string {
	options := meterOptions(arm)
	return options.Metrics(study.Tracks(arm.Problem), study.Classifies(arm.Problem))
}

func meterOptions(arm *study.Arm) meter.Options {
	return meter.Options{
		Nodes:     arm.File.Nodes,
		FirstStep: arm.Algorithm.FirstStep,
		Steps:     arm.File.Horizon,
		Points:    arm.Points,
		Measured:  arm.Measured,
		Problem:   arm.Problem,
		Delta:     arm.File.Budget.StatedDelta(),
		Effects:   arm.Effects != nil,
		Limited:   arm.Effects != nil && arm.Effects.Limited,
		Wanted:    arm.File.Measure.Records,
	}
}

// notes are what a reader of the results needs: over how many steps the graphs are
// connected, and what is claimed beside what is accounted.
func notes(arm *study.Arm, claimed string, j *study.Job) (list []study.Note, warnings []study.Warning) {
	window := "none"
	if j.Window > 0 {
		window = fmt.Sprint(j.Window)
	} else {
		warnings = append(warnings, study.Warning{Code: "disconnected", Message: "the graphs are not strongly connected over any window of the horizon"})
	}
	list = []study.Note{{Key: "window", Value: window}, {Key: "epsilon.claimed", Value: claimed}}
	planned, err := study.PlannedLossOf(arm)
	if err != nil {
		return list, append(warnings, study.Warning{Code: "ledger", Message: err.Error()})
	}
	if !planned.Private() {
		warnings = append(warnings, study.Warning{Code: "not-private", Message: "this arm runs without noise: what nodes send shows their data"})
	}
	return append(list, study.Note{Key: "epsilon.accounted", Value: planned.String()}), warnings
}
