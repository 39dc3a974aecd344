package plot

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"starling/messages"
	"starling/scenarios/family/ofl"
	"starling/scenarios/gauge"
	"starling/scenarios/kind"
	"starling/scenarios/ledger"
	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/study"
)

// armsNamed returns a scenario of bare arms, for figures.
func armsNamed(names ...string) *study.Scenario {
	metrics := metric.Join(gauge.RegretMetrics(), ofl.GaugeMetrics(), ledger.Metrics())
	s := &study.Scenario{Name: "s", Kinds: &kind.Catalog{Metrics: metrics}}
	for _, name := range names {
		s.Arms = append(s.Arms, &study.Arm{Name: name, Extent: study.Extent{FirstLabel: 1}})
	}
	return s
}

// TestFigures checks what is drawn of a summary: regret divided by the step,
// bands where there are intervals, and what cannot be drawn named.
func TestFigures(t *testing.T) {
	const student2 = 12.706204736432095 // a table of Student's law: 0.975 of one degree of freedom
	nan, inf := math.NaN(), math.Inf(1)
	summary := []results.SummaryRow{
		{Arm: "a", Step: 2, Metric: gauge.RegretExpected, Mean: 8, SE: 2 / student2, N: 2},
		{Arm: "a", Step: 4, Metric: gauge.RegretExpected, Mean: 12, SE: 4 / student2, N: 2},
		{Arm: "b", Step: 2, Metric: gauge.RegretExpected, Mean: 6, SE: 0},
		{Arm: "b", Step: 4, Metric: gauge.RegretExpected, Mean: -4, SE: 0},
		{Arm: "a", Step: 2, Metric: ledger.EpsilonTotal, Mean: 1, SE: nan},
		{Arm: "b", Step: 2, Metric: ledger.EpsilonTotal, Mean: inf, SE: nan},
		{Arm: "a", Step: 2, Metric: gauge.Consensus, Mean: 0, SE: 0},
		{Arm: "a", Step: 4, Metric: gauge.Consensus, Mean: 1e-3, SE: 0},
		{Arm: "a", Step: 2, Metric: gauge.AccuracyTest, Mean: 0.1, SE: 0},
		{Arm: "a", Step: 4, Metric: gauge.AccuracyTest, Mean: 0.9, SE: 0},
	}
	want := []figure.Named{
		{Name: "regret", Figure: figure.Figure{
			Places: 2,
			Title:  "s: regret per step", XLabel: "step t", YLabel: "largest expected regret of a node / t",
			Note: "Value and 95 % interval over the seeds.",
			LogY: false, // a regret is negative
			Series: []figure.Series{
				{Name: "a", Place: 1, X: []float64{2, 4}, Y: []float64{4, 3}, Low: []float64{3, 2}, High: []float64{5, 4}},
				{Name: "b", Place: 2, X: []float64{2, 4}, Y: []float64{3, -1}},
			},
		}},
		{Name: "consensus", Figure: figure.Figure{
			Places: 2,
			Title:  "s: distance between the nodes", XLabel: "step t", YLabel: "root mean square distance from the mean", LogY: true,
			Series: []figure.Series{{Name: "a", Place: 1, X: []float64{2, 4}, Y: []float64{0, 1e-3}}},
		}},
		{Name: "test", Figure: figure.Figure{
			Places: 2,
			Title:  "s: accuracy on fresh data", XLabel: "step t", YLabel: "accuracy on fresh data", Share: true,
			Series: []figure.Series{{Name: "a", Place: 1, X: []float64{2, 4}, Y: []float64{0.1, 0.9}}},
		}},
		{Name: "privacy", Figure: figure.Figure{
			Places: 2,
			Title:  "s: accounted privacy loss of a node", XLabel: "step t", YLabel: "ε so far", LogY: true,
			Series: []figure.Series{
				{Name: "a", Place: 1, X: []float64{1, 2}, Y: []float64{1, 1}},
				{Name: "b (∞)", Place: 2, X: []float64{1, 2}, Y: []float64{inf, inf}},
			},
		}},
	}
	got := usual(armsNamed("a", "b"), summary, nil)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(figure.Named{}), cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestFigureOfOneArm checks that one arm needs no legend and gets a figure of
// its nodes.
func TestFigureOfOneArm(t *testing.T) {
	s := armsNamed("base")
	s.Arms[0].Measured = []messages.NodeID{0, 4}
	nodes := [][]gauge.RegretEstimate{{{Step: 2, Mean: 4, SE: 1, Runs: 2}}, {{Step: 2, Mean: 6, SE: 1, Runs: 2}}}
	got := usual(s, []results.SummaryRow{{Arm: "base", Step: 2, Metric: gauge.RegretExpected, Mean: 8, SE: 2}}, nodes)
	if len(got) != 2 || got[0].Figure.Series[0].Name != "" {
		t.Fatalf("figures %+v", got)
	}
	want := []figure.Series{{Name: "node 1", X: []float64{2}, Y: []float64{2}}, {Name: "node 5", X: []float64{2}, Y: []float64{3}}}
	if diff := cmp.Diff(want, got[1].Figure.Series); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

// TestFigureOfManyArms checks that a figure says so if it leaves arms out.
func TestFigureOfManyArms(t *testing.T) {
	var names []string
	var summary []results.SummaryRow
	for i := range 50 {
		names = append(names, fmt.Sprint("arm", i))
		summary = append(summary, results.SummaryRow{Arm: names[i], Step: 1, Metric: gauge.TargetError, Mean: 1, SE: 1, N: 2})
	}
	got := usual(armsNamed(names...), summary, nil)
	if len(got) != 1 || len(got[0].Figure.Series) != figure.Distinct || got[0].Figure.Title != "s: distance from the target (the first 42 of 50 arms)" {
		t.Errorf("figures %+v", got)
	}
}

// TestFigureOfNothing checks that a metric without a number gets no figure.
func TestFigureOfNothing(t *testing.T) {
	summary := []results.SummaryRow{{Arm: "a", Step: 1, Metric: ledger.EpsilonTotal, Mean: math.Inf(1), SE: math.NaN()}}
	if got := usual(armsNamed("a"), summary, nil); len(got) > 0 {
		t.Errorf("figures %+v", got)
	}
}

// usual are the usual figures of a scenario whose arms ran to the end.
func usual(s *study.Scenario, summary []results.SummaryRow, nodes [][]gauge.RegretEstimate) []figure.Named {
	return Recorded(s, Arms(s), summary, nil).Usual(s, nodes)
}

// TestInOrder names figures against epsilon first, in the order of the study, then its others.
func TestInOrder(t *testing.T) {
	dir := t.TempDir()
	text := "version: 1\nname: s\nhorizon: 1\nnodes: 1\nalgorithm: {kind: a}\nproblem: {kind: a}\ntopology: {kind: a}\nmechanism: {kind: a}\nplots:\n" +
		"  - {name: steps, y: regret.run}\n  - {name: second, y: regret.run, x: mechanism.epsilon}\n  - {name: first, y: regret.run, x: match.epsilon}\n"
	if err := os.WriteFile(filepath.Join(dir, results.ScenarioFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := InOrder(&results.Run{Dir: dir}, []string{"first", "second", "steps", "trade-off", "usual"})
	if want := []string{"trade-off", "second", "first", "steps", "usual"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
