package dpdonc

import "starling/scenarios/study"

// dpdoncWork is about what the runs of an arm of DPDO-NC take under all seeds.
func dpdoncWork(f *study.File, edges, dim int) float64 {
	node := study.TurnWork + study.CoordinateWork*float64(dim)
	return float64(f.Seeds.Count) * float64(f.Horizon) * (float64(f.Nodes)*node + float64(edges)*(study.MessageWork+2*float64(dim)))
}
