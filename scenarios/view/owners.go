package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// owners returns the tables of the values of single participants at the last step: their
// quantiles, a quantity of an arm a row, and the means of groups. Values are means over the
// seeds. A run without such values has no table.
func (r *Run) owners() (tables []tabular.Table, err error) {
	if table := distributions(&r.Run); len(table.Rows) > 0 {
		tables = append(tables, table)
	}
	grouped := slices.ContainsFunc(r.Source.Manifest.Notes, func(n results.Note) bool { return n.Key == study.GroupsNote })
	if len(tables) == 0 || !grouped {
		return tables, nil
	}
	table, err := groupMeans(r.Source)
	return append(tables, table), err
}

// distributions returns the table of statistics over the participants.
func distributions(run *plot.Run) (table tabular.Table) {
	of := []string{"worst", "quantile.10", "median", "quantile.90", "best", "gini", "spread", "undefined"}
	table.Header = []string{"participants", "arm", "worst", "0.1", "median", "0.9", "best", "Gini", "spread", "undefined"}
	for _, q := range gauge.OwnerQuantities() {
		for _, arm := range run.Arms {
			row, some := []string{q.Name, arm.Name}, false
			for _, statistic := range of {
				cell := ""
				if at := lastOf(run, arm.Name, q.Name+"."+statistic); at != nil {
					cell, some = tabular.FormatValue(at.Mean), true
				}
				row = append(row, cell)
			}
			if some {
				table.Rows = append(table.Rows, row)
			}
		}
	}
	table.DropEmpty("undefined") // of scores alone
	return table
}

// lastOf returns the row of a metric of an arm at its last step; nil if there is none.
func lastOf(run *plot.Run, arm, metric string) (last *results.SummaryRow) {
	rows := run.Rows[metric]
	for i := range rows {
		if rows[i].Arm == arm && (last == nil || rows[i].Step > last.Step) {
			last = &rows[i]
		}
	}
	return last
}

// groupCell is the place of a value in the table of groups.
type groupCell struct {
	arm   string
	group int32
	name  string // of the quantity
}

// groupValue is the sum over seeds of a value at the latest step so far.
type groupValue struct {
	step  int64
	sum   float64
	seeds int
}

// groupMeans returns the table of the means of groups, which it reads from the rows of the run:
// an arm and a group a row.
func groupMeans(run *results.Run) (tabular.Table, error) {
	quantities := map[string]string{} // names by metric
	table := tabular.Table{Header: []string{"arm", "group"}}
	for _, q := range gauge.OwnerQuantities() {
		quantities[q.OfGroup()] = q.Name
		table.Header = append(table.Header, q.Name)
	}
	values := map[groupCell]*groupValue{}
	var groups []groupCell // without the name
	err := run.Rows(func(row results.Row) error {
		name, ok := quantities[row.Metric]
		if !ok || row.Node == nil {
			return nil
		}
		group := groupCell{arm: row.Arm, group: *row.Node}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
		group.name = name
		v := values[group]
		switch {
		case v == nil || v.step < row.Step:
			v = &groupValue{step: row.Step}
			values[group] = v
		case v.step > row.Step:
			return nil
		}
		v.sum += row.Value
		v.seeds++
		return nil
	})
	arms := armOrder(run)
	slices.SortFunc(groups, func(a, b groupCell) int { return cmp.Or(arms[a.arm]-arms[b.arm], int(a.group-b.group)) })
	for _, group := range groups {
		line := []string{group.arm, fmt.Sprint(group.group)}
		for _, q := range gauge.OwnerQuantities() {
			group.name = q.Name
			if v := values[group]; v != nil && !math.IsNaN(v.sum) {
				line = append(line, tabular.FormatValue(v.sum/float64(v.seeds)))
			} else {
				line = append(line, "")
			}
		}
		table.Rows = append(table.Rows, line)
	}
	for _, q := range gauge.OwnerQuantities() {
		table.DropEmpty(q.Name)
	}
	return table, err
}

// armOrder returns the place of each arm in a run, by name.
func armOrder(run *results.Run) map[string]int {
	places := map[string]int{}
	for i, arm := range run.Manifest.Arms {
		places[arm.Name] = i
	}
	return places
}
