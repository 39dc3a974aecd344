package scenarios_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/runner"
	"starling/scenarios/study"
	"starling/scenarios/view/plot"
)

// TestScenarioPlots checks the figures that a scenario asks for: their files in
// place of the usual ones, and the curves of nodes against the rows. A figure
// with nothing to show costs a warning and not the run.
func TestScenarioPlots(t *testing.T) {
	s := loadText(t, base, "measure={every: 4}", "mechanism.epsilon=none",
		"plots=[{name: nodes, y: regret.node, by: node, band: sd}, {name: loss, y: epsilon.total}, {name: path, y: target.error, x: messages.sent, title: T}]")
	outcome := drawnIn(t, s, runner.RunOptions{})
	files, err := filepath.Glob(filepath.Join(outcome.Dir, "plots", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if diff := cmp.Diff([]string{"nodes.svg", "path.svg"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var warnings []string
	for _, w := range outcome.Manifest.Warnings {
		if w.Code == "plot" {
			warnings = append(warnings, w.Message)
		}
	}
	if want := "plot loss is left out: epsilon.total has no number that these axes can show"; len(warnings) != 1 || warnings[0] != want {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	text, err := os.ReadFile(filepath.Join(outcome.Dir, "plots", "path.svg"))
	if err != nil || !strings.Contains(string(text), ">T</text>") {
		t.Errorf("no title in path.svg: %v", err)
	}
	run, err := results.Open(outcome.Dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := plot.Draw([]*results.Run{run}, study.PlotOptions{Metric: gauge.RegretNode, By: study.EachNode, Band: study.BandSD})
	if err != nil {
		t.Fatal(err)
	}
	var first, second float64 // node 2 at the last step, under the two seeds
	for _, row := range rowsOf(t, outcome.Dir) {
		if row.Metric == gauge.RegretNode && *row.Node == 2 && row.Step == 12 {
			first, second = second, row.Value
		}
	}
	mean, half := (first+second)/2, math.Abs(first-second)/math.Sqrt2
	got := f.Series[1]
	if len(f.Series) != 3 || got.Name != "node 2" || math.Abs(got.Y[2]-mean) > 1e-9 || math.Abs(got.High[2]-got.Y[2]-half) > 1e-9 {
		t.Errorf("%+v, want %v ± %v", got, mean, half)
	}
	for _, o := range []study.PlotOptions{{Metric: gauge.RegretNode, Known: catalogMetrics, Band: study.BandSE}, {Metric: gauge.RegretRun, By: study.EachNode, Known: catalogMetrics, Band: study.BandSE}} {
		var input *document.InputError
		if _, err := plot.Draw([]*results.Run{run}, o); !errors.As(err, &input) || !strings.Contains(err.Error(), "nodes") {
			t.Errorf("%s by %q: %v, want bad input", o.Metric, o.By, err)
		}
	}
}

// TestScenarioPaper checks that the manifest has the paper.
func TestScenarioPaper(t *testing.T) {
	outcome := runIn(t, loadText(t, base, "horizon=1", "paper={title: A, figure: '2', authors: [B, C], url: 'https://example.org'}"), runner.RunOptions{})
	want := &results.Paper{Title: "A", Figure: "2", Authors: []string{"B", "C"}, URL: "https://example.org"}
	if diff := cmp.Diff(want, outcome.Manifest.Paper); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
