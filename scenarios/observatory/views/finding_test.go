package views

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results/comparison"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// TestFindingOfGrid gives the cells of a finding by two keys their darkness, the best value the most,
// and marks the best of each column; a cell without a value has neither.
func TestFindingOfGrid(t *testing.T) {
	row := func(arm string, v float64) view.FindingRow {
		return view.FindingRow{Arm: arm, Value: v, Half: math.NaN(), Epsilon: math.NaN(), Ratio: comparison.Ratio{Value: math.NaN()}}
	}
	f := &view.Finding{Metric: metric.Metric{Name: "loss", Label: "loss", Better: metric.LowerIsBetter}, Baseline: "a,x", Rows: []view.FindingRow{row("a,x", 1), row("a,y", 3), row("b,x", 5)}}
	f.Grid = &view.FindingGrid{Grid: plot.Grid{Of: "rule", RowLabels: []string{"a", "b"}, ColumnLabels: []string{"x", "y"}}, Rows: [][]*view.FindingRow{{&f.Rows[0], &f.Rows[1]}, {&f.Rows[2], nil}}}
	text, err := json.Marshal(newFinding(f))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"header":["rule","x","y"]`, `"rows":[["a","1","3"],["b","5","not run"]]`, "not run: the study has no such arm.", `"best":[[false,true,true],[false,false,false]]`, `"shares":[[1,0.5],[0,null]]`, "Bold: the best mean of each column. A stronger colour is better.",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	f.Grid = nil
	if got := newFinding(f); got.Best != nil || got.Shares != nil || len(got.Table.Rows) != 3 {
		t.Errorf("a finding of rows: %+v", got)
	}
	if newFinding(nil) != nil {
		t.Error("no finding has one")
	}
}
