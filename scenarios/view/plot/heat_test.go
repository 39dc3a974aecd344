package plot

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// attacked is a run of two rules under two attacks and an arm that sets neither. The last values are
// 10, 30, 20, 1000 and 5, with standard errors 1 over 4 seeds.
func attacked() Run {
	run := Run{Scenario: "s", Label: "s 0123", Rows: map[string][]results.SummaryRow{}}
	values := []float64{10, 30, 20, 1000, 5}
	for i, name := range []string{"mean,flip", "median,flip", "mean,silent", "median,silent", "free"} {
		arm := results.ArmEntry{Name: name, Values: []results.Value{{Path: "horizon", Value: "7"}}}
		if i < 4 {
			arm = armOf(name, "algorithm.combine.kind", []string{"mean", "median"}[i%2], "adversaries.kind", []string{"flip", "silent"}[i/2])
		}
		run.Arms = append(run.Arms, arm)
		take(&run, results.SummaryRow{Arm: name, Step: 1, Metric: gauge.RegretRun, Mean: 7, N: 4}, results.SummaryRow{Arm: name, Step: 2, Metric: gauge.RegretRun, Mean: values[i], SE: 1, N: 4})
	}
	return run
}

// lowerRegret knows a metric of which less is better.
var lowerRegret = metric.List{{Name: gauge.RegretRun, Better: metric.LowerIsBetter}}

// TestHeatMap has the last values by choice and condition, the best of each column, and the arm
// outside of the grid across all columns.
func TestHeatMap(t *testing.T) {
	run := attacked()
	f, ok := run.heatMap(study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandCI, Known: lowerRegret})
	if !ok {
		t.Fatal("no heat map")
	}
	c := f.Cells
	if diff := cmp.Diff([]any{[]string{"mean", "median", "horizon = 7"}, []string{"flip", "silent"}, [][]bool{{true, true}, {false, false}, {false, false}}, []bool{false, false, true}, 2}, []any{c.Rows, c.Columns, c.Best, c.Across, c.Inside}); diff != "" {
		t.Error(diff)
	}
	if c.Values[0][0] != 10 || c.Values[0][1] != 20 || c.Values[1][0] != 30 || c.Values[1][1] != 1000 || c.Values[2][0] != 5 || !math.IsNaN(c.Values[2][1]) {
		t.Errorf("values %v", c.Values)
	}
	if half := c.Half[0][0]; math.Abs(half-3.182446305284263) > 1e-9 { // a table of Student's law: 0.975 of 3 degrees
		t.Errorf("half %v", half)
	}
	if !c.Logarithmic() {
		t.Error("a spread of 200 has a linear scale")
	}
	if c.Better != figure.Lower || c.Marks != nil {
		t.Errorf("better %q, marks %v", c.Better, c.Marks)
	}
	run.Marks = &Marks{Metric: gauge.RegretRun, Of: map[string]string{"mean,flip": "*", "median,flip": "~"}, Text: "tested"}
	run.Rows[gauge.RegretRun][7].Mean = 20 // as the mean has among the silent
	f, _ = run.heatMap(study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandCI, Known: lowerRegret})
	if diff := cmp.Diff([]any{[][]string{{"*", ""}, {"~", ""}, {"", ""}}, [][]bool{{true, true}, {false, true}, {false, false}}}, []any{f.Cells.Marks, f.Cells.Best}); diff != "" || !strings.Contains(f.Note, "tested.") {
		t.Error(diff, f.Note)
	}
	for _, o := range []study.PlotOptions{{X: "nodes"}, {X: study.AxisLoss}, {By: study.EachNode}} {
		o.Metric, o.Known = gauge.RegretRun, lowerRegret
		if _, ok := run.heatMap(o); ok {
			t.Errorf("%+v has a heat map", o)
		}
	}
	if keys := run.HeatKeys(); !slices.Equal(keys, []string{"adversaries.kind", "algorithm.combine.kind"}) {
		t.Errorf("the keys %q", keys)
	}
	numbers := sweptRun([2]string{"1", "3"}, [2]string{"1", "4"}, [2]string{"2", "3"}, [2]string{"2", "4"})
	if _, ok := numbers.heatMap(study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandSE}); ok {
		t.Error("two keys of numbers have a heat map")
	}
	if keys := numbers.HeatKeys(); keys != nil {
		t.Errorf("two keys of numbers have the keys %q of a heat map", keys)
	}
}

// TestCategories has dots with 95 % intervals by the values of a key without numbers, and a line
// across for the arm that does not set it.
func TestCategories(t *testing.T) {
	f, err := Figure([]Run{attacked()}, study.PlotOptions{Metric: gauge.RegretRun, X: "adversaries.kind", Band: study.BandCI, Known: lowerRegret})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"flip", "silent"}, f.Categories); diff != "" {
		t.Error(diff)
	}
	if len(f.Series) != 3 {
		t.Fatalf("%d series", len(f.Series))
	}
	s := f.Series[0]
	if diff := cmp.Diff([][]float64{{0, 1}, {10, 20}}, [][]float64{s.X, s.Y}); diff != "" || !s.Dots || !s.Bars || math.Abs(s.Low[0]-6.817553694715737) > 1e-9 {
		t.Errorf("%+v %s", s, diff)
	}
	if line := f.Series[2]; !line.Reference || line.Name != "horizon = 7" || line.Y[0] != 5 || line.X[0] != -0.5 || line.X[1] != 1.5 {
		t.Errorf("%+v", line)
	}
}

// TestPointsAtLosses has a point an arm at its accounted loss, in ascending order, and a line for an arm
// without a bound.
func TestPointsAtLosses(t *testing.T) {
	run := sweptRun([2]string{"2", "3"}, [2]string{"1", "3"}, [2]string{"none", "3"})
	for i, loss := range []float64{20, 11, math.Inf(1)} {
		take(&run, results.SummaryRow{Arm: run.Arms[i].Name, Step: 3, Metric: ledger.EpsilonTotal, Mean: loss, N: 4})
	}
	f, err := Figure([]Run{run}, study.PlotOptions{Metric: gauge.RegretRun, X: "epsilon", Band: study.BandSE}.Named())
	if err != nil {
		t.Fatal(err)
	}
	var curves []figure.Series
	for _, s := range f.Series {
		if !s.Reference {
			curves = append(curves, s)
		}
	}
	if len(curves) != 1 || len(f.Series) != 2 || !cmp.Equal(curves[0].X, []float64{11, 20}) || !cmp.Equal(curves[0].Y, []float64{16, 26}) {
		t.Errorf("%+v", f.Series)
	}
	if f.XLabel != "accounted ε of the run" {
		t.Errorf("label %q", f.XLabel)
	}
	if o := (study.PlotOptions{X: "epsilon.total"}).Named(); o.X != ledger.EpsilonTotal || o.Accounted() {
		t.Errorf("epsilon.total became %q", o.X)
	}
}
