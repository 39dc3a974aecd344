package plot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// armOf is an arm with values by path.
func armOf(name string, values ...string) results.ArmEntry {
	a := results.ArmEntry{Name: name}
	for i := 0; i < len(values); i += 2 {
		a.Values = append(a.Values, results.Value{Path: values[i], Value: values[i+1]})
	}
	return a
}

// TestGrid has choices as lines and conditions as columns, numbers in their order.
func TestGrid(t *testing.T) {
	var rules, mappings, single, both []results.ArmEntry
	for _, kind := range []string{"none", "sign-flip", "scaled"} {
		for _, combine := range []string{"mean", "median"} {
			rules = append(rules, armOf(kind+","+combine, "adversaries.kind", kind, "algorithm.combine.kind", combine))
		}
	}
	for _, kind := range []string{"none", "sign-flip"} {
		for _, horizon := range []string{"5", "10"} {
			for _, combine := range []string{"mean", "median"} {
				both = append(both, armOf(kind+","+horizon+","+combine, "adversaries.kind", kind, "horizon", horizon, "algorithm.combine.kind", combine))
			}
		}
	}
	for _, family := range []string{"dsgd", "ofl"} {
		for _, epsilon := range []string{"none", "8", "0.5"} {
			mappings = append(mappings, armOf(family+",epsilon="+epsilon, "algorithm", "{kind: "+family+"}", "match", "{epsilon: "+epsilon+", delta: 1e-5}"))
		}
	}
	for _, epsilon := range []string{"1", "2", "3", "4", "none"} {
		single = append(single, armOf("epsilon="+epsilon, "mechanism.epsilon", epsilon))
	}
	for _, test := range []struct {
		name          string
		arms          []results.ArmEntry
		of            string
		rows, columns string
		others        string
		conditions    []string
	}{
		{"two keys", append(rules, armOf("twin", "adversaries.kind", "scaled", "algorithm.combine.kind", "mean", "horizon", "5")), "combine", "mean median", "no adversaries|sign-flip|scaled", "twin", nil},
		{"an epsilon inside of mappings", append(mappings, armOf("local", "algorithm", "{kind: local}")), "arm", "dsgd ofl", "ε = 0.5|ε = 8|no noise", "local", nil},
		{"one key", single, "", "", "", "", nil},
		{"few arms", rules[:3], "", "", "", "", nil},
		{"a stated condition", rules, "adversaries", "no adversaries sign-flip scaled", "mean|median", "", []string{"algorithm.combine.kind"}},
		{"two stated conditions", both, "combine", "mean median", "no adversaries, horizon = 5|no adversaries, horizon = 10|sign-flip, horizon = 5|sign-flip, horizon = 10", "", []string{"adversaries.kind", "horizon"}},
		{"conditions alone", rules, "", "", "", "", []string{"adversaries.kind", "algorithm.combine.kind"}},
	} {
		run := Run{Arms: test.arms, Rows: map[string][]results.SummaryRow{}, Emphasis: study.Emphasis{Conditions: test.conditions}}
		g, ok := run.Grid()
		if ok != (test.of != "") || g.Of != test.of || strings.Join(g.RowLabels, " ") != test.rows || strings.Join(g.ColumnLabels, "|") != test.columns || strings.Join(g.Others, " ") != test.others {
			t.Errorf("%s: %v, %+v", test.name, ok, g)
		}
		for i, line := range g.Arms {
			for k, arm := range line {
				if test.name == "an epsilon inside of mappings" && arm != fmt.Sprintf("%s,epsilon=%s", g.RowLabels[i], []string{"0.5", "8", "none"}[k]) {
					t.Errorf("%s: cell %d, %d is %s", test.name, i, k, arm)
				}
			}
		}
	}
}

// TestGridHasLosses adds the loss of the run to a nominal epsilon of a column.
func TestGridHasLosses(t *testing.T) {
	run := gridRun(2, 3, 1)
	for i, arm := range run.Arms {
		take(&run, results.SummaryRow{Arm: arm.Name, Step: 2, Metric: ledger.EpsilonTotal, Mean: []float64{50, 100}[i/3]})
	}
	if g, ok := run.Grid(); !ok || strings.Join(g.ColumnLabels, "|") != "ε = 1 (50 in all)|ε = 2 (100 in all)" || g.Of != "nodes" || run.Rows[gauge.RegretRun] == nil {
		t.Errorf("%v, %+v", ok, g)
	}
}

// TestNamedRows names a row of long values by the parts that the names of its arms share.
func TestNamedRows(t *testing.T) {
	long := "record, batch = 10, sampled-gaussian, sigma = 1"
	g := Grid{RowLabels: []string{"clip = none", long, long + ", 2", long + ", 3"}, Arms: [][]string{{"fedavg", "scaffold"}, {"fedavg,record", "scaffold,record"}, {"fedavg", "scaffold"}, {"", "dpfl"}}}
	if got := g.namedRows(); !slices.Equal(got, []string{"clip = none", "record", long + ", 2", "dpfl"}) {
		t.Errorf("%q", got)
	}
}
