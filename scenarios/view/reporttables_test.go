package view

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"starling/scenarios/metric"
	"starling/scenarios/results"
	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
	"starling/scenarios/view/plot"
)

// TestPaged has a column for each factor of ten arms, the headline first, and the metrics that do not
// fit in a table of their own; a table of few arms stays as it is.
func TestPaged(t *testing.T) {
	const headline = "accuracy"
	table := tabular.Table{Header: []string{lastTitle}}
	for i := range 12 {
		table.Header = append(table.Header, fmt.Sprintf("metric-%d", i))
	}
	table.Header = append(table.Header, headline)
	run := &Run{Run: plot.Run{Arms: nil}}
	for _, kind := range []string{"tree", "blt", "optimal", "toeplitz", "independent"} {
		for _, epsilon := range []string{"0.5", "2"} {
			arm := results.ArmEntry{Name: "kind=" + kind + ",epsilon=" + epsilon, Values: []results.Value{{Path: "mechanism.kind", Value: kind}, {Path: "mechanism.epsilon", Value: epsilon}}}
			run.Arms = append(run.Arms, arm)
		}
	}
	labels := plot.ArmLabels(run.Arms)
	for _, arm := range run.Arms {
		row := []string{labels[arm.Name]}
		for k := range 12 {
			row = append(row, fmt.Sprintf("%d.0 ± 0.1", k))
		}
		table.Rows = append(table.Rows, append(row, "0.9 ± 0.1"))
	}
	run.Known = metric.List{{Name: "x", Label: headline}}
	shown, more := run.paged([]tabular.Table{table}, &Finding{Metric: metric.Metric{Name: "x"}})
	head := strings.Join(shown[0].Header, "|")
	if !strings.HasPrefix(head, "mechanism|ε|accuracy|metric-0|metric-1|") || strings.Join(shown[0].Rows[3][:4], "|") != "blt|2|0.9 ± 0.1|0.0 ± 0.1" {
		t.Errorf("%s\n%q", head, shown[0].Rows[3])
	}
	if strings.Join(more.Header[:2], "|") != "mechanism|ε" || len(shown[0].Header)+len(more.Header) != 2+2+13 || more.Header[len(more.Header)-1] != "metric-11" || len(more.Rows) != 10 {
		t.Errorf("more: %q", more.Header)
	}
	f := &Finding{Metric: metric.Metric{Name: "x"}, Labels: labels}
	for i, arm := range run.Arms {
		f.Rows = append(f.Rows, FindingRow{Arm: arm.Name, Epsilon: float64(1 + i%2)})
	}
	if shown, _ := run.paged([]tabular.Table{table}, f); strings.Join(shown[0].Header[:5], "|") != "mechanism|ε|accuracy|epsilon of the run|metric-0" || shown[0].Rows[3][3] != "2" {
		t.Errorf("with losses %q: %q", shown[0].Header, shown[0].Rows[3])
	}
	run.Arms = run.Arms[:4]
	if shown, more := run.paged([]tabular.Table{table}, nil); len(more.Rows) > 0 || shown[0].Header[0] != lastTitle {
		t.Errorf("few arms: %q", shown[0].Header)
	}
}

// TestBesidesFinding leaves the headline metric out of tables in either direction, where the finding
// has all of its values at their step.
func TestBesidesFinding(t *testing.T) {
	run := &Run{Known: metric.List{{Name: "x", Label: "accuracy"}}}
	tables := []tabular.Table{
		{Header: []string{lastTitle, "a", "b"}, Rows: [][]string{{"accuracy", "1", "2"}, {"loss", "3", "4"}}},
		{Header: []string{lastTitle, "c"}, Rows: [][]string{{"accuracy", "1"}}},
		{Header: []string{lastTitle, "accuracy", "loss"}, Rows: [][]string{{"a", "1", "2"}}},
	}
	f := Finding{Metric: metric.Metric{Name: "x"}, Rows: make([]FindingRow, 3)}
	if got := fmt.Sprint(run.BesidesFinding(tables, &f, 3)); got != "[{[at the last step a b] [[loss 3 4]]} {[at the last step loss] [[a 2]]}]" {
		t.Error(got)
	}
	apart := f
	apart.Apart = true
	for name, got := range map[string][]tabular.Table{"no finding": run.BesidesFinding(tables, nil, 3), "fewer arms": run.BesidesFinding(tables, &f, 2), "other steps": run.BesidesFinding(tables, &apart, 3)} {
		if fmt.Sprint(got) != fmt.Sprint(tables) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A beginning that all cells of a column have goes to its heading, once.
func TestBeginningsOnce(t *testing.T) {
	table := tabular.Table{Header: []string{"arm", "theorem-2", "other"}, Rows: [][]string{
		{"a", "does not apply: it assumes Laplace noise", "one: 1"}, {"b", "does not apply: it assumes averaging", "two: 2"},
	}}
	want := tabular.Table{Header: []string{"arm", "theorem-2 does not apply", "other"}, Rows: [][]string{
		{"a", "it assumes Laplace noise", "one: 1"}, {"b", "it assumes averaging", "two: 2"},
	}}
	if got := beginningsOnce(table); !reflect.DeepEqual(got, want) || table.Rows[0][1] != "does not apply: it assumes Laplace noise" {
		t.Errorf("%v, want %v", got, want)
	}
}

// Many curves that stand in every panel have a panel of their own; where a panel has no other, all stay, and so do few.
func TestReferencesApart(t *testing.T) {
	panel := func(title string, names ...string) figure.Panel {
		p := figure.Panel{Title: title}
		for _, name := range names {
			p.Series = append(p.Series, figure.Series{Name: name, X: []float64{1}, Y: []float64{1}})
		}
		return p
	}
	r := &reported{Run: &Run{}}
	f := figure.Figure{Panels: []figure.Panel{panel("1", "a", "r", "s", "t"), panel("2", "b", "r", "s", "t", "c")}}
	want := []figure.Panel{panel("1", "a"), panel("2", "b", "c"), panel(referenceTitle, "r", "s", "t")}
	if r.referencesApart(&f); !reflect.DeepEqual(f.Panels, want) {
		t.Errorf("%v, want %v", f.Panels, want)
	}
	f = figure.Figure{Panels: []figure.Panel{panel("1", "a", "reference"), panel("2", "b", "reference", "c")}}
	want = []figure.Panel{panel("1", "a", "reference"), panel("2", "b", "c", "reference")}
	if r.referencesApart(&f); !reflect.DeepEqual(f.Panels, want) {
		t.Errorf("few references: %v, want %v", f.Panels, want)
	}
	// One without a point on the axis has none, and is named.
	f = figure.Figure{LogY: true, Panels: []figure.Panel{panel("1", "a", "reference"), panel("2", "b", "reference")}}
	for i := range f.Panels {
		f.Panels[i].Series[1].Y = []float64{0}
	}
	if r.referencesApart(&f); len(f.Panels) != 2 || f.Note != "Not drawn: reference, without a value that the axis can show." {
		t.Errorf("%d charts, note %q", len(f.Panels), f.Note)
	}
	f = figure.Figure{}
	alone := []figure.Panel{panel("1", "a", "reference"), panel("2", "reference")}
	f.Panels = slices.Clone(alone)
	if r.referencesApart(&f); !reflect.DeepEqual(f.Panels, alone) {
		t.Errorf("%v, want %v", f.Panels, alone)
	}
}
