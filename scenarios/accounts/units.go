package accounts

import (
	"cmp"
	"slices"

	"starling/scenarios/results"
)

// UnitRows returns the losses of single units over a run, each to each observer under the seed
// in which it is the most, by arm, observer and unit. Observers that are recorded for the table
// of pairs alone are left out. Units that nobody has learned anything of have no row.
func UnitRows(run *results.Run) ([]results.PrivacyRow, error) {
	places := map[[2]string]int{} // by arm and observer
	for i, e := range run.Manifest.Ledger {
		places[[2]string{e.Arm, e.Observer}] = i
	}
	type key struct{ place, unit int32 }
	index := map[key]int{} // of list
	var list []results.PrivacyRow
	err := run.Privacy(func(row results.PrivacyRow) error {
		place, ok := places[[2]string{row.Arm, row.Observer}]
		if !ok {
			return nil
		}
		first, units := row.Unit, row.Units
		for unit := first; unit < first+units; unit++ {
			row.Unit, row.Units = unit, 1
			i, ok := index[key{int32(place), unit}]
			switch {
			case !ok:
				index[key{int32(place), unit}] = len(list)
				list = append(list, row)
			case row.Epsilon > list[i].Epsilon:
				list[i] = row
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b results.PrivacyRow) int {
		return cmp.Or(places[[2]string{a.Arm, a.Observer}]-places[[2]string{b.Arm, b.Observer}], int(a.Unit-b.Unit))
	})
	return list, err
}
