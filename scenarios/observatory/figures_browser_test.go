package observatory_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/scenarios/results/report/browsertest"
)

// figuresWithoutNumbers chooses keys without numbers as x: the page shows the file of the figure,
// with a text for readers who do not see it. A curve that asks for what cannot be drawn leaves
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
	const there = `((image) => image.complete && image.naturalWidth > 100 && %s)(document.querySelector(".charts .file img"))`
	dots := func(text string) string { return strings.Replace(there, "%s", text, 1) }
	b.Until("the file", dots(`image.alt.includes("complete; ring") && !location.hash.includes("facet=")`))
	if text := browsertest.Value[string](b, `document.querySelector(".remark").textContent`); text != "" {
		t.Errorf("the page says %q", text)
	}
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the file", width)
	}
	b.Scheme("dark")
	b.Until("black letters on white", `getComputedStyle(document.querySelector(".sheet")).backgroundColor === "rgb(255, 255, 255)"`)
	b.Scheme("light")
	quiet(b, s)
	b.Go(s.Address()+"#/run/"+id+"/figures?y=regret.run&x=topology.kind&facet=mechanism.epsilon", "footer")
	b.Until("charts", dots(`image.alt.startsWith("dpdonc-localization") && image.alt.includes("Charts: ")`))
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
	form("values", dots(`image.alt.startsWith("dpdonc-localization") && image.alt.includes("Points: ") && location.hash.includes("x=topology.kind&hue=mechanism.epsilon")`))
	form("trade-off", `document.querySelectorAll(".u-over").length > 0 && location.hash.includes("x=epsilon") && !location.hash.includes("hue=")`)
	form("curves", `document.querySelectorAll(".u-over").length === 2 && ["log_x=true", "band=sd", "facet=topology.kind"].every((part) => location.hash.includes(part))`)
	b.Go(s.Address()+"#/compare?run="+id, "footer")
	b.Until("the study's figure in a comparison", `document.querySelectorAll(".charts .u-over").length === 2 && [...document.querySelectorAll("select")].some((one) => one.value === "regret.run")`)
	quiet(b, s)
}
