package accounts

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// ByLabels returns the places of the arms of a run in tables for people, by their names: by the parts of
// their labels. Numbers of one key ascend; other words come after them, in the order of the run.
func ByLabels(arms []results.ArmEntry, labels map[string]string) map[string]int {
	var words []string
	parts := map[string][]string{}
	for i := range arms {
		parts[arms[i].Name] = strings.Split(labels[arms[i].Name], ", ")
		words = append(words, parts[arms[i].Name]...)
	}
	sorted := slices.Clone(arms)
	slices.SortStableFunc(sorted, func(a, b results.ArmEntry) int {
		return slices.CompareFunc(parts[a.Name], parts[b.Name], func(x, y string) int {
			return cmp.Or(cmp.Compare(number(x), number(y)), slices.Index(words, x)-slices.Index(words, y))
		})
	})
	places := map[string]int{}
	for i, arm := range sorted {
		places[arm.Name] = i
	}
	return places
}

// number returns the number that a part of a label gives a key; infinite where it gives none.
func number(part string) float64 {
	_, value, _ := strings.Cut(part, " = ")
	if x, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(x) {
		return x
	}
	return math.Inf(1)
}

// Sorted returns a table with its rows by the places of arms, their first cells; rows of an arm keep their
// order. The given table stays as it is.
func Sorted(table tabular.Table, places map[string]int) tabular.Table {
	sorted := tabular.Table{Header: table.Header, Rows: slices.Clone(table.Rows)}
	slices.SortStableFunc(sorted.Rows, func(a, b []string) int { return places[a[0]] - places[b[0]] })
	return sorted
}

// Sort puts the columns of the matrix, and the arms of each, in the order of places of arms.
func (m *Matrix) Sort(places map[string]int) {
	for i := range m.Columns {
		arms := slices.Clone(m.Columns[i].Arms)
		slices.SortStableFunc(arms, func(a, b string) int { return places[a] - places[b] })
		m.Columns[i].Arms = arms
	}
	slices.SortStableFunc(m.Columns, func(a, b MatrixColumn) int { return places[a.Arms[0]] - places[b.Arms[0]] })
}
