package scenarios

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/scenarios/meter"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
)

// plottedRun runs a scenario and opens its results.
func plottedRun(t *testing.T, text string, overrides ...string) *results.Run {
	t.Helper()
	run, err := results.Open(runIn(t, loadText(t, text, overrides...), RunOptions{}).Dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestPlotBands compares the curves with the rows of the summary: of the two
// seeds, half the band is s/√2 or s.
func TestPlotBands(t *testing.T) {
	run := plottedRun(t, large, "seeds.count=2")
	for band, factor := range map[Band]float64{BandSE: 1, BandSD: math.Sqrt2, BandNone: 0} {
		var want []figure.Series
		for _, arm := range run.Manifest.Arms {
			want = append(want, figure.Series{Name: arm.Name})
		}
		err := run.Summary(func(row results.SummaryRow) error {
			if row.Metric != meter.RegretRun {
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
		f, err := Plot([]*results.Run{run}, PlotOptions{Metric: meter.RegretRun, Band: band, PerStep: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(want[1].X) == 0 {
			t.Fatal("the second arm has no rows")
		}
		if diff := cmp.Diff(want, f.Series, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", band, diff)
		}
	}
}

// TestPlotOfOneArm checks that one curve needs no legend.
func TestPlotOfOneArm(t *testing.T) {
	f, err := Plot([]*results.Run{plottedRun(t, large, "mechanism.epsilon=1")}, PlotOptions{Metric: meter.Consensus, Band: BandSE, LogX: true, Size: figure.Column})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Series) != 1 || f.Series[0].Name != "" || f.Title != "large: consensus.error" || !f.LogX || f.LogY || f.Size != figure.Column {
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
		options PlotOptions
		want    string
	}{
		{[]*results.Run{quiet}, PlotOptions{Metric: meter.EpsilonTotal, Band: BandSE, LogY: true}, "no number that these axes can show"},
		{[]*results.Run{quiet}, PlotOptions{Metric: meter.Consensus, Band: "ci"}, `unknown band "ci"`},
		{[]*results.Run{quiet}, PlotOptions{Metric: "consensus.eror", Band: BandSE}, `did you mean "consensus.error"?`},
		{[]*results.Run{quiet, quiet}, PlotOptions{Metric: meter.Consensus, Band: BandSE}, "are the same run"},
		{[]*results.Run{many}, PlotOptions{Metric: meter.Consensus, Band: BandSE}, "43 curves; at most 42"},
	} {
		_, err := Plot(test.runs, test.options)
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want bad input: %s", err, test.want)
		}
	}
}

// TestPlotTitle checks that the title says whose numbers these are and that an
// arm is missing.
func TestPlotTitle(t *testing.T) {
	run := plotRun{scenario: "s"}
	band := []figure.Series{{Low: []float64{1}, High: []float64{2}}}
	options := PlotOptions{Metric: "m", Band: BandSD}
	for _, test := range []struct {
		got, want string
	}{
		{plotTitle([]plotRun{run}, options, band, 1, 1), "s: m ± SD"},
		{plotTitle([]plotRun{run}, options, []figure.Series{{}}, 1, 3), "s: m (1 of 3 arms have it)"},
		{plotTitle([]plotRun{run, run}, options, band, 1, 1), "m ± SD"},
		{plotTitle([]plotRun{run}, PlotOptions{Metric: "m", X: "nodes", Band: BandSD}, band, 2, 3), "s: m ± SD at the last step (2 of 3 arms have a place)"},
		{plotTitle([]plotRun{run}, PlotOptions{Metric: "m", X: "nodes", At: 7}, nil, 3, 3), "s: m at step 7"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
