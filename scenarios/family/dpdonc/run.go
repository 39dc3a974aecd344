package dpdonc

import (
	"starling/actors/algorithm"
	"starling/actors/topology"
	"starling/scenarios/meter"
	"starling/scenarios/study"
)

// decentralizedJob draws what depends on the seed for an algorithm whose nodes
// are equals.
func decentralizedJob(arm *study.Arm, delta float64, seed uint64, machines func() ([]algorithm.Machine, error)) (*study.Job, error) {
	sequence, window, err := study.GraphsOf(arm, seed)
	if err != nil {
		return nil, err
	}
	instance, err := arm.Problem.Draw(seed, arm.File.Horizon)
	if err != nil {
		return nil, err
	}
	list, err := machines()
	if err != nil {
		return nil, err
	}
	options := meterOptions(arm, delta)
	options.Instance = instance
	m := meter.New(options)
	j := study.NewJob(arm, seed, sequence, list, study.PlayingOn(arm, m))
	if arm.Effects != nil {
		if j.Run.Network, err = arm.Effects.Build(&j.Run, seed); err != nil {
			return nil, err
		}
	}
	j.Run.Costs = instance
	j.Window, j.Part = window, m.Part
	return j, nil
}

// decentralizedMetrics are the metrics of an algorithm whose nodes are equals.
func decentralizedMetrics(arm *study.Arm) []string {
	options := meterOptions(arm, 0) // metrics do not depend on it
	return options.Metrics(study.Tracks(arm.Problem), study.Classifies(arm.Problem))
}

// meterOptions are those of an arm whose losses are stated at delta.
func meterOptions(arm *study.Arm, delta float64) meter.Options {
	options := meter.Options{
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
	return options
}

// dpdoncWork is about what the runs of an arm of DPDO-NC take under all seeds.
func dpdoncWork(f *study.File, edges, dim int) float64 {
	node := study.TurnWork + study.CoordinateWork*float64(dim)
	return float64(f.Seeds.Count) * float64(f.Horizon) * (float64(f.Nodes)*node + float64(edges)*(study.MessageWork+2*float64(dim)))
}
