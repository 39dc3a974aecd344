package scenarios_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starling/scenarios"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/study"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// heatGrid has two rules among two attacks, over enough seeds for tests, with a private arm besides.
const heatGrid = `version: 1
name: grid
horizon: 12
nodes: 6
algorithm: {kind: dsgd, learning_rate: 0.3}
problem: {kind: synthetic-logistic, dimension: 3, test_samples: 5, set: {kind: l2-ball, dimension: 3, radius: 3}}
topology: {kind: complete, self_loops: true}
mechanism: {kind: none}
seeds: {base: 1, count: 6}
measure: {headline: regret.run}
sweep:
  list:
    - {name: "none,mean", set: {algorithm.combine.kind: mean, adversaries.kind: none}}
    - {name: "none,median", set: {algorithm.combine.kind: median, adversaries.kind: none}}
    - {name: "scaled,mean", set: {algorithm.combine.kind: mean, adversaries: {kind: scaled, nodes: [1], factor: -20}}}
    - {name: "scaled,median", set: {algorithm.combine.kind: median, adversaries: {kind: scaled, nodes: [1], factor: -20}}}
    - {name: private, set: {mechanism: {kind: laplace, epsilon: 3}}}
`

// The heat map of a run has the values and the marks of its finding, at the end of the run and of
// the finished run alike.
func TestHeatMapIsTheFinding(t *testing.T) {
	for _, headline := range []string{"regret.run", "regret.expected"} { // a mean and a statistic over the seeds
		t.Run(headline, func(t *testing.T) { heatMapIsTheFinding(t, headline) })
	}
}

func heatMapIsTheFinding(t *testing.T, headline string) {
	outcome := scenariotest.DrawnIn(t, loadText(t, strings.Replace(heatGrid, "regret.run", headline, 1)), runner.RunOptions{})
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := scenarios.Catalog()
	known := kinds.AllMetrics()
	read, err := view.Read(run, known)
	if err != nil {
		t.Fatal(err)
	}
	parts := &runner.Parts{Loader: scenariotest.Loader(t)}
	defer parts.Close()
	f, err := read.Find(parts.Statistic)
	if err != nil || f.Grid == nil {
		t.Fatalf("finding %+v, %v", f, err)
	}
	text, err := os.ReadFile(filepath.Join(outcome.Dir, "plots", "heat-map.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cells struct {
			Rows   []string
			Values [][]*float64
			Marks  [][]string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	marks, err := view.MarksOf(run, known, f.Metric.Name, parts.Statistic)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := plot.DrawMarked([]*results.Run{run}, study.PlotOptions{Metric: f.Metric.Name, Heat: true, Band: study.BandCI, Known: known}, marks, nil)
	if err != nil {
		t.Fatal(err)
	}
	if file.Cells.Marks == nil || drawn.Cells.Marks == nil {
		t.Fatalf("%+v: marks %q in the file and %q drawn, %+v in the finding: %s", f, file.Cells.Marks, drawn.Cells.Marks, marks, f.Marks)
	}
	found := ""
	if order := f.Table(9).Rows; len(order) < len(f.Grid.Rows) || order[0][0] != file.Cells.Rows[0] {
		t.Errorf("rows %q in the figure, and %q in the finding", file.Cells.Rows, order)
	}
	for at, line := range f.Grid.Rows {
		i := slices.Index(file.Cells.Rows, f.Grid.RowLabels[at])
		for k, row := range line {
			if got := file.Cells.Values[i][k]; got == nil || *got != row.Value {
				t.Errorf("%s has %v in the figure and %v in the finding", row.Arm, got, row.Value)
			}
			if got := [2]string{file.Cells.Marks[i][k], drawn.Cells.Marks[i][k]}; got != [2]string{row.Mark, row.Mark} {
				t.Errorf("%s has the marks %q in figures and %q in the finding", row.Arm, got, row.Mark)
			}
			found += row.Mark
		}
	}
	if strings.Count(found, "*") != 2 || !strings.Contains(f.Marks, "6 seeds") {
		t.Errorf("marks %q, %s", found, f.Marks)
	}
	last := file.Cells.Rows[len(file.Cells.Rows)-1]
	if drawn.Cells.Better != figure.Lower || !strings.HasPrefix(last, "private, ε = ") || !slices.Equal(file.Cells.Rows, drawn.Cells.Rows) {
		t.Errorf("better %q, rows %q and %q", drawn.Cells.Better, file.Cells.Rows, drawn.Cells.Rows)
	}
}
