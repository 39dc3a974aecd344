package scenarios_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// plottedRun runs a scenario and opens its results.
func plottedRun(t *testing.T, text string, overrides ...string) *results.Run {
	t.Helper()
	run, err := results.Open(runIn(t, loadText(t, text, overrides...), runner.RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestPlotBands compares the curves with the rows of the summary: of the two
// seeds, half the band is s/√2 or s.
func TestPlotBands(t *testing.T) {
	run := plottedRun(t, large, "seeds.count=2")
	labels := plot.ArmLabels(run.Manifest.Arms)
	for band, factor := range map[study.Band]float64{study.BandSE: 1, study.BandSD: math.Sqrt2, study.NoBand: 0} {
		var want []figure.Series
		for _, arm := range run.Manifest.Arms {
			want = append(want, figure.Series{Name: arm.Name, Label: labels[arm.Name]})
		}
		err := run.Summary(func(row results.SummaryRow) error {
			if row.Metric != gauge.RegretRun {
				return nil
			}
			s := &want[0]
			if row.Arm != s.Name {
				s = &want[1]
			}
			step := float64(row.Step)
			s.X, s.Y = append(s.X, step), append(s.Y, row.Mean/step)
			if factor > 0 {
				half := factor * row.SE / step
				s.Low, s.High = append(s.Low, row.Mean/step-half), append(s.High, row.Mean/step+half)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := plot.Draw([]*results.Run{run}, study.PlotOptions{Metric: gauge.RegretRun, Band: band, PerStep: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(want[1].X) == 0 {
			t.Fatal("the second arm has no rows")
		}
		if diff := cmp.Diff(want, f.Series, cmpopts.EquateApprox(1e-12, 0), cmpopts.IgnoreFields(figure.Series{}, "Place", "Baseline")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", band, diff)
		}
	}
}

// TestPlotOfOneArm checks that one curve needs no legend, and a column no title.
func TestPlotOfOneArm(t *testing.T) {
	f, err := plot.Draw([]*results.Run{plottedRun(t, large, "mechanism.epsilon=1")}, study.PlotOptions{Metric: gauge.Consensus, Band: study.BandSE, LogX: true, Size: metric.ColumnSize})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Series) != 1 || f.Series[0].Name != "" || f.Title != "" || !f.LogX || f.LogY || f.Size != metric.ColumnSize {
		t.Errorf("%+v", f)
	}
}

// TestPlotErrors checks what cannot be plotted.
func TestPlotErrors(t *testing.T) {
	var scales []string
	for i := range figure.Distinct + 1 {
		scales = append(scales, fmt.Sprint(i+1))
	}
	quiet := plottedRun(t, large, "mechanism.epsilon=none")
	many := plottedRun(t, edited(t, large, "nodes: 60", "nodes: 4", "[2, none]", "["+strings.Join(scales, ", ")+"]"), "horizon=1")
	for _, test := range []struct {
		runs    []*results.Run
		options study.PlotOptions
		want    string
	}{
		{[]*results.Run{quiet}, study.PlotOptions{Metric: ledger.EpsilonTotal, Band: study.BandSE, LogY: true}, "no number that these axes can show"},
		{[]*results.Run{quiet}, study.PlotOptions{Metric: gauge.Consensus, Band: "cl"}, `unknown band "cl"`},
		{[]*results.Run{quiet}, study.PlotOptions{Metric: "consensus.eror", Band: study.BandSE}, `did you mean "consensus.error"?`},
		{[]*results.Run{quiet, quiet}, study.PlotOptions{Metric: gauge.Consensus, Band: study.BandSE}, "are the same run"},
		{[]*results.Run{many}, study.PlotOptions{Metric: gauge.Consensus, Band: study.BandSE}, "43 curves; at most 42"},
	} {
		_, err := plot.Draw(test.runs, test.options)
		var input *document.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want bad input: %s", err, test.want)
		}
	}
}
