package observatory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/scenarios/results/report/browsertest"
)

// runsInGroups checks that runs of a scenario stand below a row of their own, which is closed and
// opened, sorted and selected.
func runsInGroups(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	for _, set := range [][]string{{"horizon=8"}, {"horizon=12"}, {"horizon=8", "name=alone"}, {"horizon=9", "name=other"}, {"horizon=9", "name=other", "seeds.base=7"}} {
		another(t, dir, set...)
	}
	s := serve(t, dir)
	b := show(t, ctx, s, "")
	rows := func() int { return browsertest.Value[int](b, `document.querySelectorAll(".grid-row").length`) }
	b.Until("two groups, and one run beside them", `document.querySelectorAll(".grid-row.group").length === 2 && document.querySelectorAll(".grid-row.inside").length === 4 && document.querySelectorAll(".grid-row").length === 7`)
	// Runs that do not compare have the headline of the latest one.
	b.Until("the number of runs, and the best of them or that their horizons differ", `((rows) => rows.every((row) => row.innerText.includes("2 runs") && row.innerText.includes("no noise") && row.innerText.includes("∞")) &&
		rows.filter((row) => row.innerText.includes("of the latest run: horizons differ")).length === 1 &&
		rows.filter((row) => row.innerText.includes("best of 2 at horizon 9")).length === 1)([...document.querySelectorAll(".grid-row.group")])`)
	b.Until("runs of a group by what tells them apart", `((names) => names.includes("seeds.base = 7") && names.includes("horizon = 12"))([...document.querySelectorAll(".grid-row.inside a")].map((one) => one.innerText))`)
	if role := browsertest.Value[string](b, `document.querySelector(".grid").getAttribute("role") + [...document.querySelectorAll(".grid-row")].map((row) => row.getAttribute("aria-level") + (row.getAttribute("aria-expanded") || "")).join()`); role != "treegrid1true,2,2,1,1true,2,2" && role != "treegrid1true,2,2,1true,2,2,1" && role != "treegrid1,1true,2,2,1true,2,2" {
		t.Errorf("readers of screens hear %q", role)
	}
	press := func(key string) {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(".grid").dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true}))`, key)))
		b.Wait()
	}
	b.Do(chromedp.Focus(chromedp.CSS(".grid")))
	press("Home")
	press("ArrowDown")
	press("ArrowLeft") // to the group of the row
	press("ArrowLeft")
	b.Until("one that is closed", `document.querySelectorAll(".grid-row").length === 5 && document.querySelector(".grid-row.active").getAttribute("aria-expanded") === "false"`)
	press(" ")
	b.Until("all of its runs are selected", `document.querySelector("button.primary").textContent === "Compare 2"`)
	press("Enter")
	b.Until("it is open", `document.querySelectorAll(".grid-row").length === 7 && document.querySelectorAll(".grid-row.inside[aria-selected=true]").length === 2`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".toolbar .ticked input").click()`))
	if n := rows(); n != 5 {
		t.Errorf("%d rows without groups, want 5", n)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".toolbar .ticked input").click()`))
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "groups", width)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("button.primary").click()`))
	b.Until("the comparison of the selected", `location.hash.split("run=").length === 3`)
	quiet(b, s)
}

// onlyArms checks that the only arm of a run is called by the settings of the run, and that an interval longer
// than its value is no number.
func onlyArms(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	for _, set := range [][]string{{"mechanism.epsilon=0.5"}, {"mechanism.epsilon=4"}, {"name=alone", "mechanism.epsilon=1"}} {
		another(t, dir, append(set, "horizon=9", "sweep=null")...)
	}
	s := serve(t, dir)
	b := show(t, ctx, s, "#/runs?flat=true")
	b.Until("arms by their settings", `((texts) => texts.join() === "the only arm,ε = 0.5,ε = 4")([...document.querySelectorAll(".grid-row")].map((row) => [...row.children].map((cell) => cell.innerText).find((text) => /^(ε = |the only)/.test(text))).sort())`)
	b.Until("no interval longer than its value", `[...document.querySelectorAll(".grid-row")].every((row) => ((found) => !found || Number(found[2]) <= Number(found[1]))(/([0-9.]+) ± ([0-9.]+)/.exec(row.innerText)))`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the table", width)
	}
	quiet(b, s)
}

// wholeVectors shows all numbers of a long vector, the message of a Byzantine node as it was received and
// as it was sent, and colours from the least value to the largest.
func wholeVectors(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	id := another(t, dir, "horizon=8", "sweep={grid: {mechanism.epsilon: [1, none]}}", "nodes=6", "problem={kind: logistic, set: {kind: l2-ball, dimension: 20, radius: 5}}", "topology={kind: ring}", "adversaries={kind: sign-flip, nodes: 1}", "algorithm={kind: dsgd, learning_rate: 0.2}",
		"measure={every: 1, nodes: 6}")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+id+"/network?node=2&step=4&colour=regret.node")
	row := `[...document.querySelectorAll(".node tr")].find((row) => row.innerText.includes("sent, before the lie"))`
	b.Until("both values of a lie", `(document.querySelectorAll(".node details").forEach((one) => { one.open = true; }), `+row+`.innerText.includes("received: "))`)
	b.Do(chromedp.Evaluate[chromedp.Void](row + `.querySelectorAll(".vector button").forEach((one) => one.click())`))
	b.Until("all numbers, of opposite signs", `((two) => two.length === 2 && two.every((list) => list.length === 20) && two[0].every((v, k) => v === -two[1][k]))([...`+row+`.querySelectorAll(".whole-vector")].map((one) => one.innerText.split(", ").map(Number)))`)
	b.Until("colours from the least value", `((ticks) => ticks.length === 3 && ticks[0] > 0 && ticks[0] < ticks[1] && ticks[1] < ticks[2])([...document.querySelectorAll(".colour-ticks span")].map((one) => Number(one.innerText)))`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "vectors", width)
	}
	quiet(b, s)
}
