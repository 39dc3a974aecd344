package accounts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starling/mechanisms/accountant"
	"starling/messages"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// UnitRows returns the losses of single units over a run, each to each observer under the seed
// in which it is the most, by arm, observer and unit. Observers that are recorded for the table
// of pairs alone are left out. Units that nobody has learned anything of have the loss of the model
// that the run starts from, mostly 0, at step 0, as in metrics of participants. The scenario says
// which units there are; nil leaves such units out.
func UnitRows(run *results.Run, s *study.Scenario) ([]results.PrivacyRow, error) {
	places := map[[2]string]int{} // by arm and observer
	for i, e := range run.Manifest.Ledger {
		places[[2]string{e.Arm, e.Observer}] = i
	}
	index := map[unitKey]int{} // of list
	var list []results.PrivacyRow
	err := run.Privacy(func(row results.PrivacyRow) error {
		place, ok := places[[2]string{row.Arm, row.Observer}]
		if !ok {
			return nil
		}
		first, units := row.Unit, row.Units
		if units > mostUnits {
			return tooMany(int(units), row.Observer)
		}
		for unit := first; unit < first+units; unit++ {
			row.Unit, row.Units = unit, 1
			i, ok := index[unitKey{place, unit}]
			switch {
			case !ok:
				index[unitKey{place, unit}] = len(list)
				list = append(list, row)
			case row.Epsilon > list[i].Epsilon:
				list[i] = row
			}
		}
		return nil
	})
	if err == nil && s != nil {
		list, err = withUnpaid(run, s, list, func(k unitKey) bool { _, paid := index[k]; return paid })
	}
	slices.SortFunc(list, func(a, b results.PrivacyRow) int {
		return cmp.Or(places[[2]string{a.Arm, a.Observer}]-places[[2]string{b.Arm, b.Observer}], int(a.Unit-b.Unit))
	})
	return list, err
}

// mostUnits is the largest number of units of equal losses that are listed one by one.
const mostUnits = 1 << 21

// tooMany refuses to list units of equal losses.
func tooMany(units int, observer string) error {
	return fmt.Errorf("%d units lose the same to observer %s; losses by unit are for at most %d units", units, observer, mostUnits)
}

// unitKey is a unit and an entry of the ledger, by its place.
type unitKey struct {
	place int
	unit  int32
}

// withUnpaid adds the rows of units without a payment. Members of a coalition and participants that do
// not follow the protocol have none.
func withUnpaid(run *results.Run, s *study.Scenario, list []results.PrivacyRow, paid func(unitKey) bool) ([]results.PrivacyRow, error) {
	for place, entry := range run.Manifest.Ledger {
		at := slices.IndexFunc(s.Arms, func(arm *study.Arm) bool { return arm.Name == entry.Arm })
		if at < 0 {
			continue
		}
		arm := s.Arms[at]
		k := slices.IndexFunc(arm.Privacy.Accounts, func(a ledger.Account) bool { return string(a.Observer) == entry.Observer })
		if k < 0 {
			continue
		}
		a, e := &arm.Privacy.Accounts[k], &arm.Extent
		if e.Units > mostUnits {
			return nil, tooMany(e.Units, entry.Observer)
		}
		first := messages.NodeID(0)
		if e.Server {
			first = 1
		}
		var by ledger.EpsilonCache // units without a payment have one total, and few deltas
		total, out := a.Before.Added(accountant.Total{}), slices.Concat(a.Members, arm.Adversaries.IDs(first))
		for node := first; node < first+messages.NodeID(cmp.Or(e.Units, arm.File.Nodes)); node++ {
			unit := int32(int(node) + e.FirstLabel)
			if paid(unitKey{place, unit}) || slices.Contains(out, node) {
				continue
			}
			epsilon, err := by.Stated(a.For(int(node)), &total)
			if err != nil {
				return nil, err
			}
			list = append(list, results.PrivacyRow{
				Arm: entry.Arm, Seed: run.Manifest.Seeds.Base, Observer: entry.Observer, Unit: unit, Units: 1,
				Definition: string(total.Definition(a.By)), Epsilon: epsilon, Delta: a.DeltaOf(int(node)), Rho: total.Rho(), Final: true,
			})
		}
	}
	return list, nil
}

// LossGroup is the units of a run that lose the same to an observer.
type LossGroup struct {
	// Row is the row of the first of them; Step is the last step of any of them.
	Row results.PrivacyRow
	// Ranges are the units as ranges, ascending: the first and the last of each. Count is their number.
	Ranges [][2]int32
	Count  int
}

// LossGroups returns the units of a run by equal losses, to each observer under each seed, in the
// order of their first units. Equal are losses of the same bits at one delta.
func LossGroups(run *results.Run) ([]LossGroup, error) {
	type key struct {
		arm, observer, definition string
		seed                      uint64
		epsilon, delta, odometer  float64
	}
	index := map[key]int{} // of list
	var list []LossGroup
	err := run.Privacy(func(row results.PrivacyRow) error {
		k := key{row.Arm, row.Observer, row.Definition, row.Seed, row.Epsilon, row.Delta, -1} // an odometer is at least 0
		if row.Odometer != nil {
			k.odometer = *row.Odometer
		}
		i, ok := index[k]
		if !ok {
			i = len(list)
			index[k], list = i, append(list, LossGroup{Row: row})
		}
		list[i].add(&row)
		return nil
	})
	return list, err
}

// add adds the units of a row, which follow the units of the rows before.
func (g *LossGroup) add(row *results.PrivacyRow) {
	first, last := row.Unit, row.Unit+row.Units-1
	g.Row.Step, g.Count = max(g.Row.Step, row.Step), g.Count+int(row.Units)
	if n := len(g.Ranges); n > 0 && g.Ranges[n-1][1]+1 == first {
		g.Ranges[n-1][1] = last
		return
	}
	g.Ranges = append(g.Ranges, [2]int32{first, last})
}

// mostRanges is the largest number of ranges that a row of a table lists.
const mostRanges = 3

// Text lists the units: "1 to 8, 10", or "1, 4, 7 ... (10)" with their number if there are many ranges.
func (g *LossGroup) Text() string {
	var words []string
	for _, r := range g.Ranges[:min(mostRanges, len(g.Ranges))] {
		words = append(words, UnitsText(results.PrivacyRow{Unit: r[0], Units: r[1] - r[0] + 1}))
	}
	text := strings.Join(words, ", ")
	if len(g.Ranges) > mostRanges {
		text += fmt.Sprintf(" ... (%d)", g.Count)
	}
	return text
}
