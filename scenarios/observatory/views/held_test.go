package views_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"starling/scenarios"
	"starling/scenarios/observatory/views"
	"starling/scenarios/results/live"
	"starling/scenarios/results/runs"
	"starling/scenarios/study"
)

// progressOf leaves a run that goes on in a folder: the first arms of it report, each as many records
// as its place and one.
func progressOf(t *testing.T, from, dir string, arms []runs.ArmValues, reporting int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, "scenario.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := live.Run{Format: live.Version, Scenario: "study", Hash: "0123456789ab", State: live.Running, Process: 1, Host: "elsewhere", Updated: time.Now(), FirstStep: 1}
	p.Seeds.Base, p.Seeds.Count = 1, 2
	for i, arm := range arms {
		p.Arms = append(p.Arms, live.ArmProgress{Name: arm.Name, Values: arm.Values, Horizon: 8, Seeds: "dw"})
		if i >= reporting {
			continue
		}
		for _, metric := range []string{"consensus.error", "epsilon.total"} {
			c := live.Curve{Arm: arm.Name, Metric: metric}
			for step := range int64(i + 2) {
				c.Steps, c.Mean, c.SE, c.N = append(c.Steps, step+1), append(c.Mean, 3), append(c.SE, 1), append(c.N, 2)
			}
			p.Curves = append(p.Curves, c)
		}
	}
	written, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"scenario.yaml": text, "progress.json": written} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStylesStay draws a run of which ever more arms report: names, colours and dashes of arms are the
// same from the first on, also by another metric, and no point is drawn of an arm that reports nothing.
func TestStylesStay(t *testing.T) {
	f, id, dir := folderOf(t)
	arms := detail(t, f, id).Arms
	type style struct{ name, color string }
	var want []style
	for reporting := 1; reporting <= len(arms); reporting++ {
		folder := t.TempDir()
		progressOf(t, dir, filepath.Join(folder, "study", "0123456789ab"), arms, reporting)
		unfinished, err := views.NewFolder(folder, scenarios.NewLoader(""))
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"consensus.error", "epsilon.total"} {
			drawn, err := unfinished.Figure("study/0123456789ab", views.Query{PlotOptions: study.PlotOptions{Metric: metric, Band: study.UsualBand}})
			if err != nil {
				t.Fatal(err)
			}
			chart := drawn.Charts[0]
			var got []style
			for i, s := range chart.Series {
				got = append(got, style{s.Name, s.Color})
				points := 0
				if i < reporting {
					points = i + 2
				}
				if metric == "consensus.error" && len(s.Y) != points || i >= reporting && len(s.Y) > 0 || len(s.Y) != len(chart.X[s.X]) {
					t.Errorf("%d report: %d points of %s, at %v", reporting, len(s.Y), s.Name, chart.X[s.X])
				}
			}
			if want == nil {
				want = got
			}
			if len(got) != len(arms) || !slices.Equal(got, want) {
				t.Errorf("%d report: %s has the styles %v, want %v", reporting, metric, got, want)
			}
		}
		d, err := unfinished.Detail("study/0123456789ab")
		if err != nil || d.Provisional == nil {
			t.Fatalf("no provisional finding: %v, %s %s", err, d.Status, d.Reason)
		}
		for i, arm := range d.Provisional.Arms {
			if began := i < reporting; began != (arm.Seeds == 2) || began != (arm.Step == int64(i+2)) || began != (arm.Text == "3 ± 13") || arm.Arm != arms[i].Name {
				t.Errorf("%d report: %+v", reporting, arm)
			}
		}
		if i := slices.IndexFunc(d.Metrics, func(m views.Metric) bool { return m.Name == "consensus.error" }); i < 0 || !d.Metrics[i].LogY || !d.Provisional.Figure.LogY {
			t.Errorf("an axis of positive values is linear: %+v, %+v", d.Metrics, d.Provisional.Figure)
		}
		if d.Provisional.Seeds != 2 || d.Provisional.Metric != "consensus.error" {
			t.Errorf("%+v", d.Provisional)
		}
	}
}
