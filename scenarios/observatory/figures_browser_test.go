package observatory_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"starling/scenarios/results/report/browsertest"
)

// figuresWithoutNumbers chooses keys without numbers as x: the page shows charts with the names of categories, or the numbers
// of a heat map, of which columns and rows can be swapped. A curve that asks for what cannot be drawn leaves
// nothing of the one before.
func figuresWithoutNumbers(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	id := another(t, dir, "horizon=12", "sweep={grid: {topology.kind: [complete, ring], mechanism.epsilon: [1, 2]}}",
		"plots=[{name: first, y: regret.run, log_x: true, band: sd, facet: topology.kind}]")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+id+"/figures")
	// The figure is at first the study's own.
	b.Until("the study's figure", `["y=regret.run", "log_x=true", "band=sd", "facet=topology.kind"].every((part) => location.hash.includes(part)) && document.querySelectorAll(".u-over").length === 2`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const select = [...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("x")).querySelector("select");
		select.value = "topology.kind";
		select.dispatchEvent(new Event("change"));
	}`))
	b.Until("the numbers", `document.querySelectorAll(".charts .heat-table .shade").length === 4 && !location.hash.includes("facet=")`)
	heads := `[...document.querySelectorAll(".charts .heat-table thead tr:last-child th")].map((one) => one.innerText).join("|")`
	before := browsertest.Value[string](b, heads)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".pickers .swap").click()`))
	b.Until("columns as rows", heads+` !== "`+before+`" && document.querySelectorAll(".charts .heat-table .shade").length === 4 && location.hash.includes("swap=true")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".pickers .swap").click()`))
	b.Until("columns again", heads+` === "`+before+`" && !location.hash.includes("swap")`)
	if text := browsertest.Value[string](b, `document.querySelector(".remark").textContent`); text != "" {
		t.Errorf("the page says %q", text)
	}
	b.Go(s.Address()+"#/run/"+id+"/figures?y=regret.run&x=topology.kind&facet=mechanism.epsilon", "footer")
	const names = `[...document.querySelectorAll(".charts .plot")].every((one, i) => globalThis.starlingChart && one.querySelector(".u-over"))`
	b.Until("charts", names+` && document.querySelectorAll(".charts figure.chart").length === 2`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the file", width)
	}
	quiet(b, s)
	form := func(name, want string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`{
			const select = [...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("form")).querySelector("select");
			select.value = "` + name + `";
			select.dispatchEvent(new Event("change"));
		}`))
		b.Until(name, want)
	}
	b.Go(s.Address()+"#/run/"+id+"/figures", "footer")
	b.Until("curves", `document.querySelectorAll(".u-over").length === 2`)
	form("values", `document.querySelectorAll(".u-over").length === 1 && location.hash.includes("x=topology.kind&hue=mechanism.epsilon")`)
	b.Do(chromedp.Focus(chromedp.CSS(".charts .plot")), chromedp.KeyEvent(kb.Home))
	b.Until("the name of a category at the cursor", `document.querySelector(".charts .at").textContent === "complete"`)
	form("trade-off", `document.querySelectorAll(".u-over").length > 0 && location.hash.includes("x=epsilon") && !location.hash.includes("hue=")`)
	form("curves", `document.querySelectorAll(".u-over").length === 2 && ["log_x=true", "band=sd", "facet=topology.kind"].every((part) => location.hash.includes(part))`)
	b.Go(s.Address()+"#/compare?run="+id, "footer")
	b.Until("the study's figure in a comparison", `document.querySelectorAll(".charts .u-over").length === 2 && [...document.querySelectorAll("select")].some((one) => one.value === "regret.run")`)
	quiet(b, s)
}

// menusAgree checks that the menus of a figure name what is drawn, also keys inside of mappings, that a heat map is a
// table of numbers without menus for curves, and that names stand right of lines across the chart.
func menusAgree(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	arm := func(name, noise, kind string) string {
		return "{name: " + name + ", set: {mechanism: {kind: laplace, epsilon: " + noise + "}, topology: {kind: " + kind + "}}}"
	}
	inner := another(t, dir, "horizon=12", "sweep={list: ["+strings.Join([]string{arm("a", "1", "ring"), arm("b", "2", "ring"), arm("c", "1", "complete"), arm("d", "2", "complete")}, ", ")+"]}",
		"plots=[{name: first, y: regret.run, x: mechanism.epsilon, by: topology.kind}]")
	grid := another(t, dir, "horizon=12", "sweep={grid: {topology.kind: [complete, ring], mechanism.kind: [none, laplace]}}")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+inner+"/figures")
	said := func(label string) string {
		return `[...document.querySelectorAll(".choice")].find((one) => one.firstChild.textContent === "` + label + `")?.querySelector("select").value`
	}
	b.Until("the figure", `document.querySelectorAll(".u-over").length > 0`)
	for label, want := range map[string]string{"form": "values", "x": "mechanism.epsilon", "a curve for each": "topology.kind", "metric (y)": "regret.run"} {
		if got := browsertest.Value[string](b, said(label)); got != want {
			t.Errorf("the menu %s says %q, want %q", label, got, want)
		}
	}
	b.Go(s.Address()+"#/run/"+grid+"/figures?y=regret.run&x=topology.kind", "footer")
	b.Until("a heat map", `document.querySelectorAll(".charts .heat-table tbody .shade").length === 4 && document.querySelectorAll(".charts .heat-table .best").length === 2`)
	if text := browsertest.Value[string](b, `document.querySelector(".pickers").innerText`); strings.Contains(text, "false") || strings.Contains(text, "dash") || !strings.Contains(text, "rows") {
		t.Errorf("the menus of a heat map: %q", text)
	}
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the heat map", width)
	}
	b.Go(s.Address()+"#/run/"+grid+"/figures?y=regret.run&x=epsilon", "footer")
	b.Until("names right of the lines", `((over, names) => names.length > 2 && names.every((one) => one.getBoundingClientRect().left >= over.getBoundingClientRect().right))(document.querySelector(".u-over"), [...document.querySelectorAll(".curve-ends span")])`)
	quiet(b, s)
}
