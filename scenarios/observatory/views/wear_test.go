package views_test

import (
	"testing"

	"starling/scenarios/observatory/views"
	"starling/scenarios/study"
)

// TestGroupedColours has the arms of one value of a key in one colour, also where nothing else tells them apart.
func TestGroupedColours(t *testing.T) {
	f, id := ranOf(t, "horizon=8", "sweep={grid: {mechanism.epsilon: [0.5, 1, 5], topology.kind: [complete, ring]}}")
	q := views.Query{PlotOptions: study.PlotOptions{Metric: "regret.run", Band: study.UsualBand, Hue: "topology.kind", Grouped: true}}
	figure, err := f.Figure(id, q)
	if err != nil {
		t.Fatal(err)
	}
	colours := map[string]int{}
	for _, line := range figure.Charts[0].Series {
		colours[line.Color]++
	}
	if len(colours) != 2 || len(figure.Charts[0].Keys) != 2 {
		t.Errorf("colours %v and %d entries of the legend, want 2", colours, len(figure.Charts[0].Keys))
	}
}

// TestStylesOfSome draws some arms of a run: each keeps the colour that it has among all.
func TestStylesOfSome(t *testing.T) {
	f, id := ranOf(t, "horizon=8", "sweep={grid: {mechanism.epsilon: [0.5, 1, 5]}}")
	draw := func(q views.Query) map[string]string {
		t.Helper()
		q.Metric, q.Band = "regret.run", study.UsualBand
		figure, err := f.Figure(id, q)
		if err != nil {
			t.Fatal(err)
		}
		colors := map[string]string{}
		for _, line := range figure.Charts[0].Series {
			colors[line.Name] = line.Color
		}
		return colors
	}
	all := draw(views.Query{})
	some := draw(views.Query{PlotOptions: study.PlotOptions{Arms: []string{"epsilon=1", "epsilon=5"}}})
	if len(all) != 3 || len(some) != 2 {
		t.Fatalf("%v, and of some arms %v", all, some)
	}
	for name, color := range some {
		if all[name] != color {
			t.Errorf("%s is %s, and among all %s", name, color, all[name])
		}
	}
	// Among the two themselves they have the styles of a figure of two.
	of := []string{"epsilon=1", "epsilon=5"}
	if alone := draw(views.Query{PlotOptions: study.PlotOptions{Arms: of}, Among: of}); alone["ε = 1"] == all["ε = 1"] {
		t.Errorf("%v, as among all", alone)
	}
}
