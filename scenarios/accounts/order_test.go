package accounts_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/accounts"
	"starling/scenarios/results"
	"starling/scenarios/results/tabular"
)

// Arms of a family stand together, with numbers ascending and words after them. Rows of an arm keep their order.
func TestByLabels(t *testing.T) {
	var arms []results.ArmEntry
	labels := map[string]string{}
	for _, name := range []string{"alone", "x none", "x 8", "x 0.5", "b none", "b 32", "b 8"} {
		arms = append(arms, results.ArmEntry{Name: name})
		family, epsilon, both := strings.Cut(name, " ")
		if labels[name] = family; both && epsilon == "none" {
			labels[name] += ", no noise"
		} else if both {
			labels[name] += ", ε = " + epsilon
		}
	}
	places := accounts.ByLabels(arms, labels)
	var table tabular.Table
	for _, arm := range arms {
		table.Rows = append(table.Rows, []string{arm.Name, "wire"}, []string{arm.Name, "peer"})
	}
	var names []string
	for i, row := range accounts.Sorted(table, places).Rows {
		if want := []string{"wire", "peer"}[i%2]; row[1] != want {
			t.Errorf("row %d is of %s, want %s", i, row[1], want)
		}
		names = append(names, row[0])
	}
	if got, want := slices.Compact(names), []string{"alone", "x 0.5", "x 8", "x none", "b 8", "b 32", "b none"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	m := accounts.Matrix{Columns: []accounts.MatrixColumn{{Arms: []string{"alone", "x none"}}, {Arms: []string{"b 8", "x 8"}}}}
	m.Sort(places)
	if got, want := [][]string{m.Columns[0].Arms, m.Columns[1].Arms}, [][]string{{"alone", "x none"}, {"x 8", "b 8"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
