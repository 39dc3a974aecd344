package scenarios_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios"
	"starling/scenarios/document"
	"starling/scenarios/gauge"
	"starling/scenarios/ledger"
	"starling/scenarios/results"
	"starling/scenarios/results/report"
	"starling/scenarios/view"
	"starling/scenarios/view/plot"
)

// reportOf reports runs and writes the page.
func reportOf(t *testing.T, options view.ReportOptions, runs ...*results.Run) (*report.Page, string) {
	t.Helper()
	page, err := view.Report(runs, options)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Write(page, &text); err != nil {
		t.Fatal(err)
	}
	return page, text.String()
}

// metricsOfFigures lists the metrics of figures.
func metricsOfFigures(figures []report.Figure) (list []string) {
	for _, f := range figures {
		list = append(list, f.Metric)
	}
	return list
}

const epsilons = "sweep: {grid: {mechanism.epsilon: [0.5, none]}}\n"

// The page of a run with values of participants has the figures of their quantiles, with the
// numbers of the summary.
func TestReportOfParticipants(t *testing.T) {
	run := plottedRun(t, base, "measure={by: node, every: 4}")
	page, text := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, run)
	figures := metricsOfFigures(page.Runs[0].Figures.Shown)
	for _, name := range []string{"plots/quantiles-loss", "plots/quantiles-epsilon"} {
		if !slices.Contains(figures, name) || !strings.Contains(text, name) {
			t.Errorf("no figure %s among %q", name, figures)
		}
	}
	means := map[string][]float64{}
	if err := run.Summary(func(row results.SummaryRow) error {
		means[row.Metric] = append(means[row.Metric], row.Mean)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	f := page.Runs[0].Figures.Shown[slices.Index(figures, "plots/quantiles-loss")]
	median, worst := f.Series[0], f.Series[1]
	for metric, got := range map[string][]float64{"loss.median": median.Y, "loss.quantile.10": median.Low, "loss.quantile.90": median.High, "loss.worst": worst.Y} {
		if !slices.Equal(got, means[metric]) {
			t.Errorf("%s is %v, and %v in the summary", metric, got, means[metric])
		}
	}
}

// TestReport looks at the reports of a few runs from all sides.
func TestReport(t *testing.T) {
	single, pair := plottedRun(t, base), plottedRun(t, base+epsilons)
	t.Run("one run", func(t *testing.T) { reportOfOneRun(t, pair) })
	t.Run("figures", func(t *testing.T) { reportFiguresHoldTheSummary(t, pair) })
	t.Run("nodes", func(t *testing.T) { reportOfNodes(t, single) })
	t.Run("stable", func(t *testing.T) { reportIsStable(t, pair, plottedRun(t, base+epsilons)) })
	t.Run("topologies", func(t *testing.T) { reportTopologies(t, single) })
	t.Run("asked", func(t *testing.T) { reportHasAskedFigures(t) })
	t.Run("several runs", func(t *testing.T) { reportOfSeveralRuns(t, single, pair) })
	t.Run("unreadable scenario", func(t *testing.T) { reportOfUnreadableScenario(t, single) })
}

func reportOfOneRun(t *testing.T, run *results.Run) {
	run.Manifest.Paper = &results.Paper{Title: "A Paper", Figure: "Fig. 1", Authors: []string{"A", "B"}}
	page, _ := reportOf(t, view.ReportOptions{Version: "1", Loader: scenarios.NewLoader("")}, run)
	section := page.Runs[0]
	if page.Title != "base" || len(page.Runs) != 1 || len(page.Shared.Shown) > 0 {
		t.Errorf("title %q, %d runs, %d shared figures", page.Title, len(page.Runs), len(page.Shared.Shown))
	}
	if diff := cmp.Diff([]string{gauge.RegretExpected, gauge.Consensus, gauge.TargetError}, metricsOfFigures(section.Figures.Shown)); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{ledger.EpsilonTotal}, metricsOfFigures(section.Ledger.Figures.Shown)); diff != "" {
		t.Errorf("figures of the ledger (-want +got):\n%s", diff)
	}
	// Every metric of the summary is somewhere, once.
	all := slices.Concat(metricsOfFigures(section.Figures.Shown), metricsOfFigures(section.Figures.Others), metricsOfFigures(section.Ledger.Figures.Shown))
	slices.Sort(all)
	var want []string
	if err := run.Summary(func(row results.SummaryRow) error { want = append(want, row.Metric); return nil }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), all); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	ledger := section.Ledger.Table
	if diff := cmp.Diff([]string{"arm", "observer", "claimed", "accounted", "a step", "delta", "definition", "neighbours", "worst unit"}, ledger.Header); diff != "" {
		t.Errorf("ledger (-want +got):\n%s", diff)
	}
	if none := ledger.Rows[1]; none[0] != "no noise" || none[1] != "wire, peer, public" || none[3] != "inf" || none[6] != "not private" {
		t.Errorf("ledger rows %q", ledger.Rows)
	}
	for _, table := range section.Notes {
		if slices.ContainsFunc(slices.Concat([][]string{table.Header}, table.Rows), func(row []string) bool { return strings.HasPrefix(row[0], "epsilon.") }) {
			t.Errorf("a note of the ledger is derived, too: %q", table)
		}
	}
	if diff := cmp.Diff([]report.Fact{{Name: "paper", Value: "A Paper"}, {Name: "authors", Value: "A, B"}, {Name: "follows", Value: "Fig. 1"}}, section.Paper); diff != "" {
		t.Errorf("paper (-want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(section.Commands, "\n"), "grep "+run.Manifest.Digest+" again/base/*/manifest.json") {
		t.Errorf("commands %q", section.Commands)
	}
	// A baseline without noise has a note, and is no reason for a warning.
	if !slices.ContainsFunc(run.Manifest.Notes, func(n results.Note) bool { return n.Key == "privacy" && n.Arm == "epsilon=none" }) || len(section.Warnings) > 0 {
		t.Errorf("notes %+v, warnings %q", run.Manifest.Notes, section.Warnings)
	}
}

// reportFiguresHoldTheSummary compares the drawn curves with the summary,
// regret divided by the step.
func reportFiguresHoldTheSummary(t *testing.T, run *results.Run) {
	page, _ := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, run)
	labels := plot.ArmLabels(run.Manifest.Arms)
	for _, f := range slices.Concat(page.Runs[0].Figures.Shown, page.Runs[0].Figures.Others) {
		i := 0
		err := run.Summary(func(row results.SummaryRow) error {
			if row.Metric != f.Metric {
				return nil
			}
			s := f.Series[i/12] // 12 records an arm
			k := i % 12
			i++
			// Of a table of Student's law: 0.975 of one and of two degrees of freedom.
			mean, half := row.Mean, map[int64]float64{2: 12.706204736432095, 3: 4.302652729911275}[row.N]*row.SE
			if f.Metric == gauge.RegretExpected {
				mean, half = mean/float64(row.Step), half/float64(row.Step)
			}
			if s.Name != labels[row.Arm] || s.X[k] != float64(row.Step) || s.Y[k] != mean {
				t.Errorf("%s: curve %s has (%v, %v), the summary %s (%d, %v)", f.Metric, s.Name, s.X[k], s.Y[k], labels[row.Arm], row.Step, mean)
			}
			if s.High != nil && math.Abs(s.High[k]-mean-half) > 1e-12*math.Abs(mean)+1e-8*half {
				t.Errorf("%s: band up to %v, want %v + %v", f.Metric, s.High[k], mean, half)
			}
			return nil
		})
		if err != nil || i == 0 || i != 12*len(f.Series) {
			t.Errorf("%s: %d rows for %d curves, %v", f.Metric, i, len(f.Series), err)
		}
	}
}

// reportOfNodes checks the figure of the nodes of a run with one arm
// against means taken row by row.
func reportOfNodes(t *testing.T, run *results.Run) {
	rows := rowsOf(t, run.Dir)
	page, _ := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, run)
	shown := page.Runs[0].Figures.Shown
	f := shown[len(shown)-1]
	if f.Metric != gauge.RegretNode || len(f.Series) != 3 || f.Series[0].Name != "node 1" {
		t.Fatalf("the last figure is of %s with %d curves", f.Metric, len(f.Series))
	}
	for i, s := range f.Series {
		for k, step := range s.X {
			sum, n := 0.0, 0
			for _, row := range rows {
				if row.Metric == gauge.RegretNode && row.Node != nil && int(*row.Node) == i+1 && float64(row.Step) == step {
					sum, n = sum+row.Value, n+1
				}
			}
			if want := sum / float64(n) / step; n != 2 || math.Abs(s.Y[k]-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s, step %v: %v, want %v of %d seeds", s.Name, step, s.Y[k], want, n)
			}
		}
	}
}

// reportIsStable checks that the same run in another folder has the same
// page, which names neither folder.
func reportIsStable(t *testing.T, first, second *results.Run) {
	first.Manifest.Paper = nil // which another test has put in
	_, a := reportOf(t, view.ReportOptions{Version: "1", Loader: scenarios.NewLoader("")}, first)
	_, b := reportOf(t, view.ReportOptions{Version: "1", Loader: scenarios.NewLoader("")}, second)
	if a != b {
		t.Error("the same run has two pages")
	}
	for _, dir := range []string{first.Dir, os.TempDir()} {
		if strings.Contains(a, dir) {
			t.Errorf("the page names %s", dir)
		}
	}
}

func reportTopologies(t *testing.T, single *results.Run) {
	other := "[[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]"
	for _, test := range []struct {
		name, text string
		steps      []int
		titles     []string   // of the topologies
		graphs     [][]string // their steps
		remark     string
	}{
		{"static", base, nil, []string{""}, [][]string{{"Step 1"}}, "The graph is the same at every step."},
		{"periodic", edited(t, base, other, other+"\n    - [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"), nil, []string{""}, [][]string{{"Step 1"}}, "The graphs repeat every 2 steps. In some steps, such as step 2, no node sends."},
		{"random", edited(t, large, "nodes: 60", "nodes: 9"), nil, []string{""},
			[][]string{{"Step 1", "Step 2", "Step 3", "Step 4", "Step 5", "Step 6"}}, "do not repeat. The first 6 different ones are shown."},
		{"asked", base, []int{12, 3}, []string{""}, [][]string{{"Step 12", "Step 3"}}, ""},
		{"swept", base + "sweep: {list: [{name: a, set: {}}, {name: b, set: {topology: {kind: ring}}}, {name: c, set: {mechanism.epsilon: 2}}]}\n", nil,
			[]string{"a; c", "b"}, [][]string{{"Step 1"}, {"Step 1"}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := single
			if test.text != base {
				run = plottedRun(t, test.text)
			}
			page, text := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader(""), Steps: test.steps}, run)
			var titles []string
			var graphs [][]string
			for _, topology := range page.Runs[0].Topologies {
				titles = append(titles, topology.Title)
				var steps []string
				for _, g := range topology.Graphs {
					steps = append(steps, g.Title)
				}
				graphs = append(graphs, steps)
			}
			if diff := cmp.Diff(test.titles, titles) + cmp.Diff(test.graphs, graphs); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if remark := page.Runs[0].Topologies[0].Remark; !strings.Contains(remark, test.remark) {
				t.Errorf("remark %q, want %q", remark, test.remark)
			}
			seeded := ""
			if test.name == "random" {
				seeded = "Graphs that are drawn at random are of seed 7."
			}
			if remark := page.Runs[0].NetworkRemark; remark != seeded {
				t.Errorf("remark of all networks %q, want %q", remark, seeded)
			}
			if !strings.Contains(text, `<svg class="graph"`) {
				t.Error("no graph is drawn")
			}
		})
	}
	_, err := view.Report([]*results.Run{single}, view.ReportOptions{Loader: scenarios.NewLoader(""), Steps: []int{13}})
	var input *document.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "step 13 is not one of the run's, 1 to 12") {
		t.Errorf("step 13: %v", err)
	}
}

// reportHasAskedFigures checks that the figures a scenario asks for come first,
// short of those that a page cannot show.
func reportHasAskedFigures(t *testing.T) {
	page, _ := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, plottedRun(t, base+`plots:
  - {name: mine, y: consensus.error, title: Mine, log_x: true}
  - {name: nodes, y: regret.node, by: node}
`))
	shown := page.Runs[0].Figures.Shown
	if f := shown[0]; f.Metric != "plots/mine" || f.Title != "Mine" || !f.LogX || f.LogY || len(f.Series) != 1 || f.Series[0].Name != "base" {
		t.Errorf("the first figure is %s, %q, with %d curves", f.Metric, f.Title, len(f.Series))
	}
	all := func(page *report.Page) []string {
		section := page.Runs[0]
		return metricsOfFigures(slices.Concat(section.Figures.Shown, section.Figures.Others, section.Ledger.Figures.Shown))
	}
	if got := all(page); slices.Contains(got, "plots/nodes") || slices.Contains(got, gauge.Consensus) || !slices.Contains(got, gauge.TargetError) {
		t.Errorf("figures %q", got)
	}
	// Two figures that show all arms together take a metric's place among the
	// first; one of some arms, of another axis, or not by the step as usual, does not.
	page, _ = reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, plottedRun(t, base+`sweep: {grid: {mechanism.epsilon: [0.5, 2, none]}}
plots:
  - {name: half, y: consensus.error, arms: [epsilon=0.5]}
  - {name: rest, y: consensus.error, arms: [epsilon=2, "epsilon=n*"]}
  - {name: some, y: target.error, arms: [epsilon=2]}
  - {name: regret, y: regret.expected}
  - {name: across, y: regret.run, x: mechanism.epsilon}
  - {name: loss, y: epsilon.total}
`))
	section := page.Runs[0]
	want := []string{"plots/half", "plots/rest", "plots/some", "plots/regret", "plots/across", "plots/loss", gauge.RegretExpected, gauge.TargetError}
	if diff := cmp.Diff(want, metricsOfFigures(section.Figures.Shown)); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if got := metricsOfFigures(section.Figures.Others); !slices.Contains(got, gauge.Consensus) || !slices.Contains(got, gauge.RegretRun) || slices.Contains(got, ledger.EpsilonTotal) {
		t.Errorf("other figures %q", got)
	}
	if len(section.Ledger.Figures.Shown) > 0 {
		t.Errorf("the ledger shows %q again", metricsOfFigures(section.Ledger.Figures.Shown))
	}
}

func reportOfSeveralRuns(t *testing.T, first, second *results.Run) {
	page, text := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, first, second)
	if page.Title != "base (2 runs)" || len(page.Runs) != 2 {
		t.Errorf("title %q, %d runs", page.Title, len(page.Runs))
	}
	if diff := cmp.Diff([]string{gauge.RegretExpected, gauge.Consensus, gauge.TargetError, ledger.EpsilonTotal}, metricsOfFigures(page.Shared.Shown)); diff != "" {
		t.Errorf("shared figures (-want +got):\n%s", diff)
	}
	var names []string
	for _, s := range page.Shared.Shown[0].Series {
		names = append(names, s.Name)
	}
	want := []string{"ε = 1", "0.5, none: ε = 0.5", "0.5, none: no noise"} // by the key in which the runs differ
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("curves (-want +got):\n%s", diff)
	}
	if rows := page.Summary.Rows; len(rows) != 3 || rows[0][0] != "ε = 1" || rows[1][0] != "0.5, none" || rows[2][0] != "" || !strings.Contains(page.Heading, "at the last step of each arm") {
		t.Errorf("%s: the table of all runs has the rows %q", page.Heading, rows)
	}
	if strings.Count(text, `<article`) != 2 || !strings.Contains(text, `id="shared"`) {
		t.Error("the page lacks a section")
	}
	var input *document.InputError
	if _, err := view.Report([]*results.Run{first, first}, view.ReportOptions{Loader: scenarios.NewLoader("")}); !errors.As(err, &input) || !strings.Contains(err.Error(), "are the same run") {
		t.Errorf("the same run twice: %v", err)
	}
	if _, err := view.Report(nil, view.ReportOptions{Loader: scenarios.NewLoader("")}); !errors.As(err, &input) {
		t.Errorf("no runs: %v", err)
	}
}

// reportOfUnreadableScenario checks that results of another version of the
// file format still have a report, which says what it lacks.
func reportOfUnreadableScenario(t *testing.T, run *results.Run) {
	if err := os.WriteFile(filepath.Join(run.Dir, "scenario.yaml"), []byte("version: 99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	page, _ := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, run)
	section := page.Runs[0]
	if len(section.Topologies) > 0 || !strings.Contains(section.NoTopology, "this build of starling does not read the scenario (scenario.yaml:1:10: ") || len(section.Figures.Shown) == 0 {
		t.Errorf("%d topologies, %q, %d figures", len(section.Topologies), section.NoTopology, len(section.Figures.Shown))
	}
}

// TestReportOfManyArms checks how many curves a figure has and shows at first,
// and that each arm has a row.
func TestReportOfManyArms(t *testing.T) {
	var scales []string
	for i := range 50 {
		scales = append(scales, fmt.Sprint(i+1))
	}
	run := plottedRun(t, base+"sweep: {grid: {mechanism.epsilon: ["+strings.Join(scales, ", ")+"]}}\n", "horizon=3")
	page, _ := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, run)
	f := page.Runs[0].Figures.Shown
	if len(f[0].Series) != 42 || f[0].Hidden != 0 || !strings.Contains(f[0].Caption, "The first 42 of 50 curves") {
		t.Errorf("%d curves, hidden from %d, %q", len(f[0].Series), f[0].Hidden, f[0].Caption)
	}
	if last := page.Runs[0].Last; len(last) != 1 || len(last[0].Rows) != 50 {
		t.Errorf("%d tables of last values, want one with a row for each arm", len(last))
	}
	if same := page.Runs[0].Same; !strings.HasPrefix(same, "equal in all arms: bytes sent ") {
		t.Errorf("equal metrics: %q", same)
	}
}

// Curves in charts of their own are figures of a report, too, and networks that arms build apart
// from each other are one picture.
func TestReportOfManyCharts(t *testing.T) {
	var scales []string
	for i := range 13 {
		scales = append(scales, fmt.Sprint(i+1))
	}
	run := plottedRun(t, base+"sweep: {grid: {mechanism.kind: [laplace, none], mechanism.epsilon: ["+strings.Join(scales, ", ")+"]}}\n", "horizon=3")
	page, _ := reportOf(t, view.ReportOptions{Loader: scenarios.NewLoader("")}, run)
	section := page.Runs[0]
	if len(section.Figures.Shown) == 0 || len(section.Figures.Others) == 0 {
		t.Errorf("%d figures, %d others", len(section.Figures.Shown), len(section.Figures.Others))
	}
	if len(section.Topologies) != 1 {
		t.Errorf("%d networks", len(section.Topologies))
	}
}
