package gossip

import (
	"fmt"

	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/meter"
	"starling/scenarios/study"
)

// NewJob draws what depends on the seed for an algorithm whose nodes are equals.
// Losses are stated at delta. An error is that of the graphs, the data or the network.
func NewJob(arm *study.Arm, delta float64, seed uint64, machines []algorithm.Machine) (*study.Job, error) {
	sequence, window, err := study.GraphsOf(arm, seed)
	if err != nil {
		return nil, err
	}
	instance, err := arm.Problem.Draw(seed, arm.File.Horizon)
	if err != nil {
		return nil, err
	}
	options := MeterOptions(arm, delta)
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

// Metrics are the names of those of an arm whose nodes are equals.
func Metrics(arm *study.Arm) []string {
	options := MeterOptions(arm, 0) // metrics do not depend on delta
	return options.Metrics(study.Tracks(arm.Problem), study.Classifies(arm.Problem))
}

// MeterOptions are those of the meter of an arm whose losses are stated at delta, but
// for the data, which the seed draws.
func MeterOptions(arm *study.Arm, delta float64) meter.Options {
	return meter.Options{
		Nodes:     arm.File.Nodes,
		FirstStep: arm.Algorithm.FirstStep,
		Steps:     arm.File.Horizon,
		Points:    arm.Points,
		Measured:  arm.Measured,
		Problem:   arm.Problem,
		Delta:     delta,
		Effects:   arm.Effects != nil,
		Limited:   arm.Effects != nil && arm.Effects.Limited,
		// What is lost, late or down keeps the sum of masses from N.
		Masses: arm.Weights == topology.PushSum && arm.Effects == nil,
		Moves:  arm.File.Measure.Moves,
		Wanted: arm.File.Measure.Records,
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
