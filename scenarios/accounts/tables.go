package accounts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/mechanisms/accountant"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
)

// LedgerTable returns the cost of a finished run to the units of each arm, by observer: of the
// unit that pays the most, under the seed in which it pays the most, over the run and for a
// step on average, where such losses add up.
func LedgerTable(run *results.Run) (tabular.Table, error) {
	table := tabular.Table{Header: []string{"arm", "observer", "claimed", "accounted", stepHead, "delta", "definition", "neighbours", "worst unit", "odometer"}}
	worst, err := WorstRows(run)
	if err != nil {
		return table, err
	}
	for _, entry := range run.Manifest.Ledger {
		row, ok := worst[[2]string{entry.Arm, entry.Observer}]
		if !ok {
			continue
		}
		addObserver(&table, []string{
			entry.Arm, entry.Observer, entry.Claimed, tabular.FormatValue(row.Epsilon), stepText(&row, run.Manifest.Horizon), deltaText(&entry, &row), row.Definition, entry.Relation, UnitsText(row), OdometerText(&row),
		})
	}
	table.DropEmpty("odometer")
	return table, nil
}

// ArmsTogether returns a ledger for readers, in which arms with the same rows share them, where
// the first stands; the given table stays as it is. There is no column of losses of a step where
// none adds up.
func ArmsTogether(table tabular.Table) tabular.Table {
	type group struct {
		arms []string
		rows [][]string // without the arm
	}
	var groups, joined []group
	for _, row := range table.Rows {
		if n := len(groups); n == 0 || groups[n-1].arms[0] != row[0] {
			groups = append(groups, group{arms: []string{row[0]}})
		}
		last := &groups[len(groups)-1]
		last.rows = append(last.rows, row[1:])
	}
	for _, g := range groups {
		same := func(other group) bool { return slices.EqualFunc(other.rows, g.rows, slices.Equal) }
		if i := slices.IndexFunc(joined, same); i >= 0 {
			joined[i].arms = append(joined[i].arms, g.arms...)
			continue
		}
		joined = append(joined, g)
	}
	together := tabular.Table{Header: table.Header}
	lists := make([][]string, len(joined))
	for i, g := range joined {
		lists[i] = g.arms
	}
	names, others := namesOfGroups(lists)
	add := func(i int) {
		for _, row := range joined[i].rows {
			together.Rows = append(together.Rows, append([]string{names[i]}, row...))
		}
	}
	for i := range joined {
		if i != others {
			add(i)
		}
	}
	if others >= 0 {
		add(others)
	}
	if at := slices.Index(together.Header, stepHead); at >= 0 && !slices.ContainsFunc(together.Rows, func(row []string) bool { return row[at] != none }) {
		together = together.Without(stepHead)
	}
	return together
}

// stepHead is the head of the column of losses of a step.
const stepHead = "a step"

// Named returns a table with other names of arms, its first cells, for people; an arm without one keeps
// its name. The given table stays as it is.
func Named(table tabular.Table, labels map[string]string) tabular.Table {
	named := tabular.Table{Header: table.Header}
	for _, row := range table.Rows {
		row = slices.Clone(row)
		row[0] = cmp.Or(labels[row[0]], row[0])
		named.Rows = append(named.Rows, row)
	}
	return named
}

// RowsTogether returns a table for readers, in which rows that are equal but for their arm, the
// first cell, are one, where the first of them stands; the given table stays as it is.
func RowsTogether(table tabular.Table) tabular.Table {
	together := tabular.Table{Header: table.Header}
	var arms [][]string // of each row
	for _, row := range table.Rows {
		i := slices.IndexFunc(together.Rows, func(other []string) bool { return slices.Equal(other[1:], row[1:]) })
		if i < 0 {
			i = len(together.Rows)
			together.Rows, arms = append(together.Rows, slices.Clone(row)), append(arms, nil)
		}
		arms[i] = append(arms[i], row[0])
	}
	for i := range together.Rows {
		together.Rows[i][0] = ArmsText(arms[i])
	}
	return together
}

// none stands for a number that says nothing.
const none = "-"

// stepText returns the loss of a step on average: of pure losses alone, which add up.
func stepText(row *results.PrivacyRow, horizon int64) string {
	if row.Definition != string(accountant.PureDP) || math.IsInf(row.Epsilon, 1) {
		return none
	}
	return tabular.FormatValue(row.Epsilon / float64(horizon))
}

// deltaText returns the delta of a finite loss, with the deltas of units that have their own.
func deltaText(entry *results.LedgerEntry, row *results.PrivacyRow) string {
	if math.IsInf(row.Epsilon, 1) {
		return none
	}
	return ownDeltaText(row.Delta, entry)
}

// ownDeltaText is a delta at which a loss is stated. Where units have deltas of their own, it says so, with
// the ends of all of them.
func ownDeltaText(delta float64, entry *results.LedgerEntry) string {
	if entry.LargestDelta == 0 {
		return tabular.FormatValue(delta)
	}
	return tabular.FormatValue(delta) + " (" + ownDeltas(entry) + ")"
}

// ownDeltas describes the deltas of units that have their own; empty where all have one.
func ownDeltas(entry *results.LedgerEntry) string {
	if entry.LargestDelta == 0 {
		return ""
	}
	return fmt.Sprintf("own, of %s to %s", tabular.FormatValue(entry.LeastDelta), tabular.FormatValue(entry.LargestDelta))
}

// addObserver adds a row, or adds its observer to the row before if the rest is the same.
func addObserver(table *tabular.Table, row []string) {
	if n := len(table.Rows); n > 0 {
		last := table.Rows[n-1]
		if last[0] == row[0] && slices.Equal(last[2:], row[2:]) {
			last[1] += ", " + row[1]
			return
		}
	}
	table.Rows = append(table.Rows, row)
}

// OdometerText returns the reading of the odometer of a row, empty if there is none.
func OdometerText(row *results.PrivacyRow) string {
	if row.Odometer == nil {
		return ""
	}
	return tabular.FormatValue(*row.Odometer)
}

// UnitsText names the units of a row.
func UnitsText(row results.PrivacyRow) string {
	if row.Units == 1 {
		return fmt.Sprint(row.Unit)
	}
	return fmt.Sprintf("%d to %d", row.Unit, row.Unit+row.Units-1)
}

// LedgerEntries returns the manifest's part of the ledger.
func LedgerEntries(s *study.Scenario) (entries []results.LedgerEntry) {
	for _, arm := range s.Arms {
		for _, a := range arm.Privacy.Accounts {
			if a.Final { // of pairs alone
				continue
			}
			entries = append(entries, results.LedgerEntry{
				Arm: arm.Name, Observer: string(a.Observer), Unit: a.Unit, Neighbours: a.Neighbours, Relation: string(a.Relation), Protects: string(a.Protects),
				Claimed: a.Claimed.Text, Accountant: string(a.By), Remark: a.Why,
			})
			if a.Own != nil {
				entries[len(entries)-1].LeastDelta, entries[len(entries)-1].LargestDelta = a.LeastDelta(), a.Delta
			}
			// A claim at another delta is no claim on the loss at this one.
			if claimed := a.Claimed.Epsilon; !math.IsNaN(claimed) && a.Claimed.Delta == a.Delta {
				entries[len(entries)-1].ClaimedEpsilon = &claimed
			}
		}
	}
	return entries
}
