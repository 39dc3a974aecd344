package plot

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"starling/scenarios/gauge"
	"starling/scenarios/results"
	"starling/scenarios/study"
)

// Dots have a chart for each condition and a line for each choice, the best on top; the arm that sets neither key is a
// line across. Arms that no two keys tell apart have one chart, and arms that numbers tell apart none.
func TestDots(t *testing.T) {
	run := attacked()
	run.Marks = &Marks{Metric: gauge.RegretRun, Of: map[string]string{"mean,flip": "*", "median,flip": "~"}, Text: "* best mean; ~ not significantly different from it (t)"}
	o := study.PlotOptions{Metric: gauge.RegretRun, Band: study.BandCI, Known: lowerRegret}
	g, columns := run.dotGrid()
	f, ok := run.dots(g, columns, o)
	if !ok || !f.Cells.Dots {
		t.Fatal("no dots")
	}
	if diff := cmp.Diff([]any{[]string{"mean", "median", "horizon = 7"}, []string{"flip", "silent"}, []bool{false, false, true}}, []any{f.Cells.Rows, f.Cells.Columns, f.Cells.Across}); diff != "" {
		t.Error(diff)
	}
	if want := "Mean and 95 % interval over the seeds. Black: the best mean; open: not significantly different from it (t). Dashed: horizon = 7."; f.Note != want {
		t.Errorf("the note %q, want %q", f.Note, want)
	}
	for i := range run.Arms { // names of a list, without a grid
		run.Arms[i].Values = []results.Value{{Path: "topology.kind", Value: run.Arms[i].Name}}
	}
	if g, _ = run.dotGrid(); len(g.Arms) != 5 || !slices.Equal(g.ColumnLabels, []string{""}) {
		t.Errorf("the list is the grid %v", g)
	}
	if f, _ = run.dots(g, nil, o); f.Cells.Rows[0] != "free" || !strings.HasSuffix(f.Title, "at step 2") {
		t.Errorf("rows %q of %q, want free, the best, on top", f.Cells.Rows, f.Title)
	}
	for i := range run.Arms {
		run.Arms[i].Values = []results.Value{{Path: "nodes", Value: string(rune('2' + i))}}
	}
	if g, _ = run.dotGrid(); len(g.Arms) != 0 {
		t.Errorf("numbers of nodes have the dots %v", g)
	}
}
