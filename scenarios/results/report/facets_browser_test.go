package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/scenarios/results/figure"
	"starling/scenarios/results/tabular"
)

// chartsTogether checks that three charts of one figure stand in a row with one title, one label of y, one
// caption and one set of buttons, and that a button acts on all of them.
func chartsTogether(t *testing.T, ctx context.Context) {
	f := testFigure("values")
	f.Caption = "the caption"
	for _, title := range []string{"one", "two", "three"} {
		f.Panels = append(f.Panels, figure.Panel{Title: title, Series: valuesFigure().Series})
	}
	f.Series = nil
	p := testPage()
	p.Runs[0].Figures = Figures{Shown: []Figure{f}}
	b := open(t, ctx, p)
	b.Do(chromedp.EmulateViewport(1280, 900))
	b.Wait()
	const row = `document.querySelector(".facets")`
	for what, expression := range map[string]string{
		"titles of charts": `[...` + row + `.querySelectorAll("figcaption")].map((e) => e.textContent).join(" ") === "one two three"`,
		"one title":        `document.querySelector(".facets > h4").textContent === "title of values"`,
		"one label of y":   row + `.querySelectorAll(".axis").length === 1`,
		"one caption":      row + `.querySelectorAll(".caption").length === 1`,
		"one legend":       row + `.querySelectorAll(".legend").length === 1`,
		"three buttons":    row + `.querySelectorAll(".controls > button").length === 3`,
		"two files":        row + `.querySelectorAll(".saves button").length === 2`,
		"one row":          `new Set([...` + row + `.querySelectorAll("figure")].map((e) => e.getBoundingClientRect().top)).size === 1`,
	} {
		if !value[bool](b, expression) {
			t.Errorf("the charts do not have %s", what)
		}
	}
	logarithmic := func() string {
		return value[string](b, `reportPanels.slice(0, 3).map((panel) => Number(panel.logY)).join("") + `+row+`.querySelector(".controls button").getAttribute("aria-pressed")`)
	}
	for _, want := range []string{"000false", "111true", "000false"} {
		if got := logarithmic(); got != want {
			t.Errorf("logarithmic axes and the button are %s, want %s", got, want)
		}
		b.Do(chromedp.Click(chromedp.JSPath(row + `.querySelector(".controls button")`)))
		b.Wait()
	}
	b.quiet()
}

// savesFigures checks the files of a figure: a PNG in which its curves are painted, its points as CSV, and a picture as SVG.
func savesFigures(t *testing.T, ctx context.Context) {
	f := testFigure("values")
	f.Panels = []figure.Panel{{Title: "one, a", Series: valuesFigure().Series}, {Title: "two", Series: valuesFigure().Series}}
	f.Series = nil
	p := testPage()
	p.Runs[0].Figures = Figures{Shown: []Figure{f}}
	p.Runs[0].Finding = &Finding{Question: "which?", Table: tabular.Table{Header: []string{"arm"}, Rows: [][]string{{"a"}}}, Pictures: []figure.Figure{valuesFigure().Figure}}
	b := open(t, ctx, p)
	b.Wait()
	// The page hands each file to a link, whose click is caught.
	value[bool](b, `(() => {
		window.saved = [];
		URL.createObjectURL = (blob) => { window.blob = blob; return "#"; };
		HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download + " " + window.blob.type); };
		for (const button of document.querySelectorAll(".facets .saves button, .pictures .saves button")) button.click();
		return true;
	})()`)
	b.Until("three files", `window.saved.length === 3`)
	want := map[string]bool{"title-of-values.png image/png": true, "title-of-values.csv text/csv": true, "title-of-values.svg image/svg+xml": true}
	for _, name := range value[[]string](b, `window.saved`) {
		if title := strings.ToLower(strings.ReplaceAll(p.Title, " ", "-")); !want[strings.TrimPrefix(name, title+"-")] {
			t.Errorf("the page saves %q", name)
		}
	}
	if got := value[string](b, `starlingSave.rows(reportPanels.slice(0, 1)).split("\n").slice(0, 2).join("|")`); !strings.HasPrefix(got, "chart,curve,") || !strings.Contains(got, `|"one, a",`) {
		t.Errorf("the points begin with %q", got)
	}
	if colours := value[int](b, `(() => {
		const made = starlingSave.painted(document.querySelector(".facets")), { data } = made.getContext("2d").getImageData(0, 0, made.width, made.height), seen = new Set();
		for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
		return [...new Set(reportPanels[0].chart.series.map((line) => parseInt(line.color.slice(1), 16)))].filter((colour) => seen.has(colour)).length;
	})()`); colours == 0 {
		t.Error("the file of the figure has no curve")
	}
	if got := value[string](b, `new DOMParser().parseFromString(starlingSave.vectors(document.querySelector("svg.picture")), "image/svg+xml").documentElement.nodeName`); got != "svg" {
		t.Errorf("the file of a picture is a %s", got)
	}
	b.quiet()
}

// legendFolded checks that the legend of a chart is folded where the curves have their names at their ends, and stands below it
// where they are too many for that.
func legendFolded(t *testing.T, ctx context.Context) {
	few, many := testFigure("values"), testFigure("values")
	few.Series, many.Series = nil, nil
	for i := range 20 {
		line := line50(fmt.Sprint("curve ", i), float64(1+i))
		if i < 3 {
			few.Series = append(few.Series, line)
		}
		many.Series = append(many.Series, line)
	}
	p := testPage()
	p.Runs[0].Figures = Figures{Shown: []Figure{few, many}}
	b := open(t, ctx, p)
	b.Wait()
	if got := value[[]bool](b, `reportPanels.slice(0, 2).map((panel) => Boolean(panel.legend.closest("details")))`); !slices.Equal(got, []bool{true, false}) {
		t.Errorf("folded legends of few and of many curves: %v", got)
	}
	b.quiet()
}

// greyInBackground checks that a curve besides the best of many and its sample in the legend are grey, and have
// their colour while the cursor is on the entry.
func greyInBackground(t *testing.T, ctx context.Context) {
	f := testFigure("values", line50("best", 1), line50("other", 2))
	f.Series[1].Unbanded, f.Series[1].Faint = true, true
	p := testPage()
	p.Runs[0].Figures = Figures{Shown: []Figure{f}}
	b := open(t, ctx, p)
	for _, test := range []struct{ event, want string }{{"mouseleave", "grey"}, {"mouseenter", "colour"}, {"mouseleave", "grey"}} {
		got := value[string](b, `((panel, event) => {
			panel.legend.querySelectorAll("button")[1].dispatchEvent(new Event(event));
			const strokes = [panel.plot.series[panel.columns[1].y].stroke(), panel.samples[1].getAttribute("stroke")], own = panel.chart.series[1].color;
			return strokes[0] !== strokes[1] ? "two colours" : strokes[0] === own ? "colour" : "grey";
		})(reportPanels[0], "`+test.event+`")`)
		if got != test.want {
			t.Errorf("after %s the curve and its sample have %s, want %s", test.event, got, test.want)
		}
	}
	b.quiet()
}

// linesAcross checks that an arm without a place on the axis is a line across the chart, though the other has one
// place, and that the interval of a point is an error bar.
func linesAcross(t *testing.T, ctx context.Context) {
	f := testFigure("values",
		figure.Series{Name: "point", X: []float64{7}, Y: []float64{2}, Low: []float64{1}, High: []float64{3}, Bars: true},
		figure.Series{Name: "line", X: []float64{7, 7}, Y: []float64{1.5, 1.5}, Reference: true})
	p := testPage()
	p.Runs[0].Figures = Figures{Shown: []Figure{f}}
	b := open(t, ctx, p)
	b.Wait()
	// Of each place, the part of the width and a value, whether something dark is painted there.
	painted := value[string](b, `((u) => {
		const { left, width } = u.bbox, all = u.ctx.getImageData(0, 0, u.ctx.canvas.width, u.ctx.canvas.height);
		const dark = (x, y) => [0, 1, 2].some((c) => all.data[4 * (y * all.width + x) + c] < 128 && all.data[4 * (y * all.width + x) + 3] > 128);
		const near = [-2, -1, 0, 1, 2], dashes = [...Array(16).keys()];
		return [[0.1, 1.5], [0.9, 1.5], [0.5, 2.7], [0.7, 2.7]].map(([at, v]) => {
			const x = Math.round(left + at * width), y = Math.round(u.valToPos(v, "y", true));
			return Number(near.some((d) => dashes.some((dash) => dark(x + (at === 0.5 ? d : dash), y + (at === 0.5 ? 0 : d)))));
		}).join("");
	})(reportPanels[0].plot)`)
	if painted != "1110" {
		t.Errorf("of the ends of the line, the bar and the ground is painted %s", painted)
	}
	b.quiet()
}

// stairsJoined: two stairs with other steps keep their corners where they share a chart.
func stairsJoined(t *testing.T, ctx context.Context) {
	b := open(t, ctx, testPage())
	b.Wait()
	got := value[string](b, `(() => {
		const panel = Object.create(starlingChart.Panel.prototype);
		panel.chart = { x: [[0, 0, 2, 2, 4], [0, 3, 3, 4]], series: [{ x: 0, y: [0, 1, 1, 3, 3] }, { x: 1, y: [0, 0, 2, 2] }] };
		const data = panel.table();
		return data[1].map((y, i) => [Math.round(data[0][i]), y]).filter(([, y]) => y != null).join(" ") + "; " + data[2].map((y, i) => [Math.round(data[0][i]), y]).filter(([, y]) => y != null).join(" ");
	})()`)
	if want := "0,0 0,1 2,1 2,3 4,3; 0,0 3,0 3,2 4,2"; got != want {
		t.Errorf("corners %s, want %s", got, want)
	}
}

// curvesThatCoincide checks that equal curves have dashes that take turns, and a name once, and that bars at one x stand beside
// each other.
func curvesThatCoincide(t *testing.T, ctx context.Context) {
	equal, again := line50("first", 1), line50("second", 1)
	curves := testFigure("values", equal, again, line50("other", 2))
	point := func(name string, y float64) figure.Series {
		return figure.Series{Name: name, X: []float64{7}, Y: []float64{y}, Low: []float64{y - 1}, High: []float64{y + 1}, Bars: true}
	}
	points := testFigure("points", point("a", 4), point("b", 5), point("c", 6))
	p := testPage()
	p.Runs[0].Figures = Figures{Shown: []Figure{curves, points}}
	b := open(t, ctx, p)
	b.Wait()
	got := value[string](b, `((one, two) => {
		const dashes = one.columns.map((c) => (one.plot.series[c.y].dash || []).map((length) => Math.round(length / one.plot.pxRatio)).join("/")).join(" ");
		return [dashes, two.beside(), two.chart.series.map((line) => Number(two.apart(line))).join("")].join("; ");
	})(reportPanels[0], reportPanels[1])`)
	if want := " 9/9 ; 3; 111"; got != want {
		t.Errorf("dashes of curves and places of points are %q, want %q", got, want)
	}
	b.quiet()
}
