package report

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"starling/scenarios/results/figure"
	"starling/scenarios/results/report/browsertest"
	"starling/scenarios/results/tabular"
	"starling/scenarios/testneeds"
)

// TestInBrowser drives the page in Chromium, a tab for each test.
func TestInBrowser(t *testing.T) {
	quick := []string{"quiet, every curve drawn", "hostile text stays text", "narrow screen and print"}
	ctx := browsertest.Start(t, 5*time.Minute)
	for _, test := range []struct {
		name string
		run  func(*testing.T, context.Context)
	}{
		{"quiet, every curve drawn", quietAndDrawn},
		{"legend toggles a curve", legendToggles},
		{"legend of values", legendOfValues},
		{"a ramp on dark", rampOnDark},
		{"zoom and reset", zoomAndReset},
		{"axes and selector", axesAndSelector},
		{"hovering moves nothing", hoverMovesNothing},
		{"short logarithmic axes have labels", shortAxes},
		{"a rise at the end is in sight", riseAtTheEnd},
		{"hostile text stays text", hostileText},
		{"narrow screen and print", narrowAndPrint},
		{"wide tables", wideTables},
		{"charts of one figure", chartsTogether},
		{"files of figures", savesFigures},
		{"legends that fold", legendFolded},
		{"curves in the background", greyInBackground},
		{"lines across", linesAcross},
		{"curves that coincide", curvesThatCoincide},
		{"slider over steps", sliderMoves},
		{"stairs of other steps", stairsJoined},
	} {
		if !testneeds.SlowWanted() && !slices.Contains(quick, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) { test.run(t, ctx) })
	}
}

// browser is a tab of Chromium with a report open.
type browser struct{ *browsertest.Tab }

// open shows a page in a tab of its own, with the legends that it folds open.
func open(t *testing.T, parent context.Context, p *Page) *browser {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := Save(p, file); err != nil {
		t.Fatal(err)
	}
	b := &browser{browsertest.Open(t, parent, "file://"+filepath.ToSlash(file), "footer")}
	b.Do(chromedp.Evaluate[chromedp.Void](`for (const fold of document.querySelectorAll("details.again")) fold.open = true`))
	return b
}

// quiet checks that the page has loaded nothing but itself and met no problem.
func (b *browser) quiet() {
	b.T.Helper()
	if requests := b.Requests(); len(requests) != 1 || !strings.HasSuffix(requests[0], "/report.html") {
		b.T.Errorf("requests %q, want that of the page alone", requests)
	}
	if problems := b.Problems(); len(problems) > 0 {
		b.T.Errorf("the browser reports %q", problems)
	}
}

// value evaluates JavaScript.
func value[V any](b *browser, script string) V {
	b.T.Helper()
	return browsertest.Value[V](b.Tab, script)
}

// colored counts the pixels on the canvas of a panel that have a color.
func (b *browser) colored(panel int, color string) int {
	b.T.Helper()
	return value[int](b, fmt.Sprintf(`(() => {
		const canvas = reportPanels[%d].plot.ctx.canvas;
		const copy = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
		[copy.canvas.width, copy.canvas.height] = [canvas.width, canvas.height];
		copy.drawImage(canvas, 0, 0);
		const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
		const want = [1, 3, 5].map((i) => parseInt(%q.slice(i, i + 2), 16));
		let count = 0;
		for (let i = 0; i < pixels.length; i += 4) {
			if (pixels[i + 3] > 250 && want.every((c, k) => Math.abs(pixels[i + k] - c) < 8)) count++;
		}
		return count;
	})()`, panel, color))
}

// scale is the shown range of an axis of a panel.
func (b *browser) scale(panel int, axis string) [2]float64 {
	b.T.Helper()
	return value[[2]float64](b, fmt.Sprintf(`(({min, max}) => [min, max])(reportPanels[%d].plot.scales.%s)`, panel, axis))
}

func quietAndDrawn(t *testing.T, ctx context.Context) {
	// One arm with one point, and twelve arms.
	single := testPage()
	arm := line50("arm", 1)
	arm.X, arm.Y, arm.Low, arm.High = arm.X[:1], arm.Y[:1], arm.Low[:1], arm.High[:1]
	twelve := testFigure("second")
	for i := range 12 {
		twelve.Series = append(twelve.Series, line50(fmt.Sprintf("arm %d", i), float64(i)))
	}
	single.Runs[0].Figures.Shown = []Figure{testFigure("first", arm), twelve}
	for _, p := range []*Page{testPage(), single} {
		b := open(t, ctx, p)
		panels := value[[][]string](b, `reportPanels.map((panel) => panel.chart.series.map((line) => line.color))`)
		if len(panels) != 4 {
			t.Fatalf("%d panels, want 4", len(panels))
		}
		for panel, colors := range panels {
			for series, color := range colors {
				numbers := value[bool](b, fmt.Sprintf(`(({plot, columns}) => plot.data[columns[%d].y].some((v) => v != null))(reportPanels[%d])`, series, panel))
				if drawn := b.colored(panel, color); numbers != (drawn > 0) {
					t.Errorf("panel %d, series %d: %d pixels of %s, with numbers: %v", panel, series, drawn, color, numbers)
				}
			}
		}
		b.quiet()
	}
}

func legendToggles(t *testing.T, ctx context.Context) {
	b := open(t, ctx, testPage())
	color := value[string](b, `reportPanels[0].chart.series[1].color`)
	before := b.colored(0, color)
	button := `document.querySelectorAll("figure.chart")[0].querySelectorAll(".legend button")[1]`
	pressed := func() string { return value[string](b, button+`.getAttribute("aria-pressed")`) }
	if before == 0 || pressed() != "true" {
		t.Fatalf("%d pixels, pressed %s before", before, pressed())
	}
	// By mouse, and back by keyboard.
	b.Do(chromedp.Click(chromedp.JSPath(button)))
	b.Wait()
	if n := b.colored(0, color); n != 0 || pressed() != "false" {
		t.Errorf("%d pixels, pressed %s after a click, want none", n, pressed())
	}
	b.Do(chromedp.Focus(chromedp.JSPath(button)), chromedp.KeyEvent(" "))
	b.Wait()
	if n := b.colored(0, color); n <= before || pressed() != "true" {
		t.Errorf("%d pixels, pressed %s after the space bar, want more than %d, since its name has the focus", n, pressed(), before)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`), chromedp.MouseEvent(chromedp.MouseMoved, 1, 1))
	b.Wait()
	if n := b.colored(0, color); n != before {
		t.Errorf("%d pixels without the focus, want %d", n, before)
	}
	b.quiet()
}

// valuesFigure has six curves of two factors with three and two values.
func valuesFigure() Figure {
	f := testFigure("values")
	for i, hue := range []string{"epsilon=0.5", "epsilon=1", "epsilon=5"} {
		for k, dash := range []string{"nodes=10", "nodes=20"} {
			s := line50(hue+","+dash, float64(2*i+k))
			s.Hue, s.Dash = hue, dash
			f.Series = append(f.Series, s)
		}
	}
	return f
}

// legendOfValues checks that a legend lists values in place of curves, that a value switches
// all curves that have it and leaves the zoom, and that the closest curve is named under the
// cursor, for which nothing moves.
func legendOfValues(t *testing.T, ctx context.Context) {
	p := testPage()
	p.Runs[0].Figures.Shown = []Figure{valuesFigure()}
	for _, width := range []int64{1280, 400} {
		b := open(t, ctx, p)
		b.Do(chromedp.EmulateViewport(width, 900))
		b.Wait()
		if names := value[string](b, `reportPanels[0].legend.innerText.trim().split(/\s*\n\s*/).join(" ")`); names != "epsilon=0.5 epsilon=1 epsilon=5 nodes=10 nodes=20" {
			t.Errorf("the legend lists %q", names)
		}
		shown := func() string { return value[string](b, `reportPanels[0].shown.map(Number).join("")`) }
		drawn := func() string {
			return value[string](b, `(({plot, columns}) => columns.map((c) => Number(plot.series[c.y].show && plot.series[c.low].show)).join(""))(reportPanels[0])`)
		}
		click := func(name string) {
			b.Do(chromedp.Click(chromedp.JSPath(fmt.Sprintf(`[...reportPanels[0].legend.querySelectorAll("button")].find((button) => button.innerText.trim() === %q)`, name))))
			b.Wait()
		}
		b.Do(chromedp.Focus(chromedp.JSPath(`reportPanels[0].box`)), chromedp.KeyEvent("+"))
		b.Wait()
		zoomed := b.scale(0, "x")
		for _, step := range []struct{ name, want string }{
			{"epsilon=1", "110011"}, {"nodes=20", "100010"}, {"epsilon=1", "101010"}, {"nodes=20", "111111"},
		} {
			click(step.name)
			if got, has := shown(), drawn(); got != step.want || has != step.want || b.scale(0, "x") != zoomed {
				t.Errorf("after a click at %s: %s of the curves are on, %s drawn, want %s; x %v, want %v", step.name, got, has, step.want, b.scale(0, "x"), zoomed)
			}
		}
		places := func() string {
			return value[string](b, `[...document.querySelectorAll("figure.chart, .legend li, .controls, .at, footer")].map((e) => {
				const {y, width, height} = e.getBoundingClientRect();
				return [y + scrollY, e.className === "at" ? 0 : width, height].map(Math.round).join(" ");
			}).join("; ")`)
		}
		before := places()
		at := value[[4]float64](b, `(({x, y, width, height}) => [x, y, width, height])((reportPanels[0].box.scrollIntoView(), reportPanels[0].plot.over.getBoundingClientRect()))`)
		b.Do(chromedp.MouseEvent(chromedp.MouseMoved, at[0]+0.5*at[2], at[1]+0.02*at[3]))
		b.Wait()
		if got := value[string](b, `((tip) => tip.querySelectorAll("i").length + tip.querySelector(".closest").innerText.replace(/\s+/g, " "))(reportPanels[0].tip)`); !regexp.MustCompile(`^6epsilon=5, nodes=20 [0-9.]+ ± 0.1$`).MatchString(got) {
			t.Errorf("at the top the closest curve is %q", got)
		}
		if got := places(); got != before {
			t.Errorf("at %d pixels: the page has moved from\n%s\nto\n%s", width, before, got)
		}
		if wide := value[int64](b, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("the page is %d pixels wide on a screen of %d", wide, width)
		}
		b.quiet()
	}
}

// rampOnDark has curves of a ramp take other colours where the page is dark, and back.
func rampOnDark(t *testing.T, ctx context.Context) {
	p := testPage()
	f := testFigure("first")
	for i := range 3 {
		s := line50(fmt.Sprint(i), float64(i))
		s.Hue = s.Name
		f.Ramp, f.Series = append(f.Ramp, s.Name), append(f.Series, s)
	}
	p.Runs[0].Figures.Shown = []Figure{f}
	b := open(t, ctx, p)
	for _, scheme := range []string{"dark", "light", "dark"} {
		b.Scheme(scheme)
		b.Wait() // a page that asks for the scheme before it draws is not told of the change
		for _, line := range NewChart(&f).Series {
			want := line.Color
			if scheme == "dark" {
				want = line.Dark
			}
			if b.colored(0, want) == 0 {
				t.Errorf("curve %s on %s: no pixel of %s", line.Name, scheme, want)
			}
		}
	}
	b.quiet()
}

func zoomAndReset(t *testing.T, ctx context.Context) {
	b := open(t, ctx, testPage())
	x, y := b.scale(0, "x"), b.scale(0, "y")
	drag := func(from, to [2]float64) { // in parts of the drawing area
		at := value[[4]float64](b, `(({x, y, width, height}) => [x, y, width, height])((reportPanels[0].box.scrollIntoView(), reportPanels[0].plot.over.getBoundingClientRect()))`)
		place := func(p [2]float64) (float64, float64) { return at[0] + p[0]*at[2], at[1] + p[1]*at[3] }
		x1, y1 := place(from)
		x2, y2 := place(to)
		b.Do(chromedp.DragAndDropXY(x1, y1, x2, y2))
		b.Wait()
	}
	narrower := func(what string, axis string, whole [2]float64) {
		t.Helper()
		if s := b.scale(0, axis); s[1]-s[0] > 0.75*(whole[1]-whole[0]) || s[0] < whole[0] || s[1] > whole[1] {
			t.Errorf("%s: %s from %v to %v, want a part of %v", what, axis, s[0], s[1], whole)
		}
	}
	whole := func(what string) {
		t.Helper()
		b.Wait()
		if gotX, gotY := b.scale(0, "x"), b.scale(0, "y"); gotX != x || gotY != y {
			t.Errorf("%s: x %v, y %v, want %v and %v", what, gotX, gotY, x, y)
		}
	}
	drag([2]float64{0.3, 0.3}, [2]float64{0.7, 0.7})
	narrower("drag", "x", x)
	narrower("drag", "y", y)
	// A curve that goes and comes back leaves what is zoomed to.
	zoomedX, zoomedY := b.scale(0, "x"), b.scale(0, "y")
	for range 2 {
		b.Do(chromedp.Click(chromedp.JSPath(`document.querySelectorAll("figure.chart")[0].querySelectorAll(".legend button")[1]`)))
		b.Wait()
		if gotX, gotY := b.scale(0, "x"), b.scale(0, "y"); gotX != zoomedX || gotY != zoomedY {
			t.Errorf("after a curve was switched: x %v, y %v, want %v and %v", gotX, gotY, zoomedX, zoomedY)
		}
	}
	over := `reportPanels[0].plot.over`
	b.Do(chromedp.DoubleClick(chromedp.JSPath(over)))
	whole("double click")

	drag([2]float64{0.3, 0.3}, [2]float64{0.7, 0.7})
	reset := `[...reportPanels[0].controls.querySelectorAll("button")].find((button) => button.textContent === "reset zoom")`
	b.Do(chromedp.Click(chromedp.JSPath(reset)))
	whole("reset button")

	b.Do(chromedp.Focus(chromedp.JSPath(`reportPanels[0].box`)), chromedp.KeyEvent("+"), chromedp.KeyEvent(kb.ArrowRight))
	b.Wait()
	narrower("plus key", "x", x)
	b.Do(chromedp.KeyEvent("0"))
	whole("zero key")
	// The arrow keys take the cursor from point to point, with the values of all curves, the largest first.
	for _, step := range []struct{ key, want string }{{kb.End, "step t = 491"}, {kb.ArrowLeft, "step t = 481"}, {kb.Home, "step t = 1"}, {kb.ArrowRight, "step t = 11"}} {
		b.Do(chromedp.KeyEvent(step.key))
		b.Wait()
		got := value[string](b, `((panel) => (panel.told.textContent === panel.tip.innerText.replace(/\s*\n\s*/g, "; ")) + panel.tip.firstChild.innerText)(reportPanels[0])`)
		if sorted := value[bool](b, `((list) => list.length > 1 && list.every((v, i) => i === 0 || v <= list[i - 1]))([...reportPanels[0].tip.querySelectorAll(".value")].map((one) => parseFloat(one.innerText)))`); got != "true"+step.want || !sorted {
			t.Errorf("the cursor is at %q, want %q; sorted %t", got, step.want, sorted)
		}
	}
	b.Do(chromedp.KeyEvent(kb.Escape))
	if !value[bool](b, `reportPanels[0].tip.hidden`) {
		t.Error("the values stay when Escape is pressed")
	}
	b.quiet()
}

func axesAndSelector(t *testing.T, ctx context.Context) {
	b := open(t, ctx, testPage())
	logarithmic := func() bool { return value[bool](b, `reportPanels[0].plot.scales.y.distr === 3`) }
	if logarithmic() {
		t.Error("the axis is logarithmic at first")
	}
	b.Do(chromedp.Click(chromedp.JSPath(`reportPanels[0].controls.querySelector("button")`)))
	b.Wait()
	if s := b.scale(0, "y"); !logarithmic() || s[0] <= 0 {
		t.Errorf("logarithmic %v from %v after the button, want one from above 0", logarithmic(), s[0])
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const select = reportPanels[2].figure.querySelector("select");
		select.value = "1";
		select.dispatchEvent(new Event("change"));
	}`))
	if got := value[string](b, `reportPanels[2].chart.metric`); got != "other.second" {
		t.Errorf("the selector shows %q", got)
	}
	b.quiet()

	p := testPage()
	p.Runs[0].Figures.Shown[0].Series = []figure.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}}}
	others := &p.Runs[0].Figures.Others
	*others = append([]Figure{testFigure("unbounded", figure.Series{Name: "a", X: []float64{1, 2}, Y: []float64{math.Inf(1), math.Inf(1)}})}, *others...)
	b = open(t, ctx, p)
	if got := value[string](b, `reportPanels[2].chart.metric + " " + reportPanels[2].figure.querySelector("select").value`); got != "other.first 1" {
		t.Errorf("of a metric without a number and others the selector begins at %q", got)
	}
	if marks := value[[]float64](b, `reportPanels[0].plot.axes[0]._splits`); !slices.Equal(marks, []float64{1, 2}) {
		t.Errorf("two steps have the marks %v", marks)
	}
	b.quiet()
}

// hoverMovesNothing checks that the texts that come under the cursor move no part
// of the page, on a wide screen and a narrow one.
func hoverMovesNothing(t *testing.T, ctx context.Context) {
	p := testPage()
	wordy := testFigure("wordy")
	wordy.Title, wordy.XLabel = "wordy", "scalars that the clients have sent to the server"
	for i := range 5 {
		s := line50(fmt.Sprintf("epsilon=0.%d,mechanism=a long name,nodes=100", i), 1e-5*float64(i+1))
		for k, y := range s.Y {
			s.Low[k], s.High[k] = y-0.09123, y+0.09123
		}
		wordy.Series = append(wordy.Series, s)
	}
	p.Runs[0].Figures.Shown = []Figure{wordy, testFigure("below", line50("arm", 1))}
	for _, width := range []int64{1280, 500} {
		b := open(t, ctx, p)
		b.Do(chromedp.EmulateViewport(width, 900))
		b.Wait()
		places := func() string {
			return value[string](b, `[...document.querySelectorAll("figure.chart, .legend li, .legend button, .controls, footer")].map((e) => {
				const {x, y, width, height} = e.getBoundingClientRect();
				return [x, y + scrollY, width, height].map(Math.round).join(" ");
			}).join("; ")`)
		}
		at := value[[4]float64](b, `(({x, y, width, height}) => [x, y, width, height])((reportPanels[0].box.scrollIntoView(), reportPanels[0].plot.over.getBoundingClientRect()))`)
		before := places()
		for _, part := range []float64{0.02, 0.3, 0.5, 0.97} {
			b.Do(chromedp.MouseEvent(chromedp.MouseMoved, at[0]+part*at[2], at[1]+0.5*at[3]))
			b.Wait()
			if text := value[string](b, `reportPanels[0].values[3].textContent`); !strings.Contains(text, " ± ") {
				t.Fatalf("at %d pixels: the legend shows %q under the cursor", width, text)
			}
			if got := places(); got != before {
				t.Errorf("at %d pixels: the page has moved from\n%s\nto\n%s", width, before, got)
			}
		}
		b.quiet()
	}
}

// shortAxes checks the labels of logarithmic axes of less than a decade, and of
// many.
func shortAxes(t *testing.T, ctx context.Context) {
	p := testPage()
	var shown []Figure
	for _, ends := range [][2]float64{{0.6, 4}, {2.1, 4.5}, {55, 400}, {300, 350}, {0.15, 60}, {1e-9, 10}, {3000, 990000}} {
		f := testFigure(fmt.Sprint(ends))
		f.LogX, f.LogY = true, true
		f.Series = []figure.Series{{Name: "a", X: ends[:], Y: ends[:]}}
		shown = append(shown, f)
	}
	p.Runs[0].Figures.Shown = shown
	b := open(t, ctx, p)
	b.Do(chromedp.EmulateViewport(420, 900))
	b.Wait()
	for i, f := range shown {
		for axis := range 2 {
			labels := value[[]string](b, fmt.Sprintf(`reportPanels[%d].plot.axes[%d]._values`, i, axis))
			seen := map[string]bool{}
			for _, label := range labels {
				seen[label] = true
			}
			if len(seen) < 3 || len(seen) != len(labels) || len(labels) > 14 {
				t.Errorf("%s, axis %d: labels %q", f.Title, axis, labels)
			}
			// On the x axis no label reaches into the next: a letter is about 7 pixels wide, and the gap 6.
			if axis == 0 && !value[bool](b, fmt.Sprintf(`((u) => u.axes[0]._splits.map((v, i) => [u.valToPos(v, "x"), u.axes[0]._values[i].length * 3.5 + 3]).every(([at, half], i, all) => i === 0 || at - half > all[i - 1][0] + all[i - 1][1]))(reportPanels[%d].plot)`, i)) {
				t.Errorf("%s: the labels %q touch", f.Title, labels)
			}
		}
	}
	b.quiet()
}

// riseAtTheEnd checks that the axis has room for a curve that rises at its last place and at
// its first, where it has two points: what was paid at a step does.
func riseAtTheEnd(t *testing.T, ctx context.Context) {
	p := testPage()
	steps := testFigure("steps")
	steps.Series = []figure.Series{{Name: "paid", X: []float64{1, 1, 2, 2, 3, 3}, Y: []float64{-4, 1, 1, 5, 5, 9}}}
	p.Runs[0].Figures.Shown = []Figure{steps}
	b := open(t, ctx, p)
	if y := b.scale(0, "y"); y[0] > -4 || y[1] < 9 {
		t.Errorf("the axis is from %v to %v, want one that has -4 and 9", y[0], y[1])
	}
	b.quiet()
}

// hostileText checks that no text of a run becomes a script.
func hostileText(t *testing.T, ctx context.Context) {
	p := testPage()
	hostile := `</script><script>window.broken = 1</script><img src=x onerror="window.broken = 1"><!--<script>`
	p.Title, p.Runs[0].Name, p.Runs[0].Description, p.Runs[0].Scenario = hostile, hostile, hostile, hostile
	p.Runs[0].Figures.Shown[0].Series[0].Name = hostile
	p.Runs[0].Figures.Shown[0].Caption = hostile
	p.Runs[0].Last[0].Rows[0][0] = hostile
	p.Runs[0].Topologies[0].Graphs[0].Title = hostile
	b := open(t, ctx, p)
	if value[bool](b, `"broken" in window || document.querySelector("img") !== null`) {
		t.Error("text of the run became part of the page")
	}
	if got := value[string](b, `reportPanels[0].chart.series[0].name`); got != hostile {
		t.Errorf("the name of the curve is %q", got)
	}
	b.quiet()
}

func narrowAndPrint(t *testing.T, ctx context.Context) {
	p := testPage()
	p.Runs[0].Figures.Shown[0].Places = figure.MostHues // many colours have dashes besides
	b := open(t, ctx, p)
	b.Do(chromedp.EmulateViewport(400, 800))
	b.Wait()
	if width := value[int](b, `document.documentElement.scrollWidth`); width > 400 {
		t.Errorf("the page is %d pixels wide on a screen of 400", width)
	}
	if width := value[int](b, `reportPanels[0].plot.width`); width > 400 {
		t.Errorf("a figure is %d pixels wide on a screen of 400", width)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`addEventListener("beforeprint", () => queueMicrotask(() => {
		const {plot, columns} = reportPanels[0];
		window.printed = [plot.width, plot.pxRatio, ...plot.series[columns[1].y].dash];
	}))`))
	document, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF())
	if err != nil {
		t.Fatal(err)
	}
	pages := len(regexp.MustCompile(`/Type\s*/Page\b[^s]`).FindAll(document, -1))
	if !bytes.HasPrefix(document, []byte("%PDF-")) || pages < 2 {
		t.Errorf("%d bytes with %d pages in print, want at least 2 pages", len(document), pages)
	}
	_, dash := figure.Stroke(1)
	if got, want := value[[4]float64](b, `window.printed`), [4]float64{670, 3, 3 * dash[0], 3 * dash[1]}; got != want {
		t.Errorf("in print a figure has width, resolution and dashes %v, want %v", got, want)
	}
	if width := value[int](b, `reportPanels[0].plot.width`); width > 400 {
		t.Errorf("after print a figure is %d pixels wide", width)
	}
	b.quiet()
}

// wideTables checks that a table takes the margin at its right before it scrolls, that one which scrolls
// says so, and that its names stay within their column.
func wideTables(t *testing.T, ctx context.Context) {
	p := testPage()
	wide := tabular.Table{Header: []string{"at the last step"}, Rows: [][]string{{"root mean square distance from the mean of all participants"}}}
	for range 9 {
		wide.Header, wide.Rows[0] = append(wide.Header, "an arm"), append(wide.Rows[0], "6212.125 ± 52")
	}
	p.Runs[0].Last = []tabular.Table{wide}
	b := open(t, ctx, p)
	const state = `(() => {
		const box = document.querySelector(".scroll[aria-label^='last values']"), name = box.querySelector("tbody th");
		return [box.classList.contains("scrolls"), box.scrollWidth > box.clientWidth + 1, name.scrollWidth > name.clientWidth + 1,
			box.getBoundingClientRect().right > document.querySelector("main").getBoundingClientRect().right + 1, document.documentElement.scrollWidth > innerWidth];
	})()`
	for _, test := range []struct {
		width int64
		want  [5]bool
	}{{1900, [5]bool{false, false, false, true, false}}, {400, [5]bool{true, true, false, false, false}}} {
		b.Do(chromedp.EmulateViewport(test.width, 800))
		b.Wait()
		if got := value[[5]bool](b, state); got != test.want {
			t.Errorf("on a screen of %d a wide table has the class scrolls, scrolls, has a name beyond its cell, takes the margin, widens the page: %v, want %v", test.width, got, test.want)
		}
	}
	b.quiet()
}
