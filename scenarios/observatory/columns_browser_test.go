package observatory_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/scenarios/results/report/browsertest"
)

// columnsOfRuns checks that columns are chosen, that the address keeps them with the order, and that a
// table with all columns scrolls in itself.
func columnsOfRuns(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	for _, set := range [][]string{{"horizon=8"}, {"horizon=8", "seeds.base=7"}} {
		another(t, dir, set...)
	}
	s := serve(t, dir)
	b := show(t, ctx, s, "#/runs?columns=arms&sort=seeds&flat=true")
	heads := `[...document.querySelectorAll(".grid-head [role=columnheader]")].map((one) => one.innerText.replace(/[▾▴]/, "").trim()).join("|")`
	b.Until("the columns of the address", heads+` === "Selected|Status|Scenario|Arms" && document.querySelector(".grid-row").children[3].innerText === "4"`)
	tick := func(name string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".column-picker label")].find((one) => one.textContent.trim() === "` + name + `").querySelector("input").click()`))
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".column-picker summary").click()`))
	b.Until("the menu", `document.querySelectorAll(".column-picker label").length > 8`)
	tick("number of arms")
	tick("seeds.base")
	b.Until("another column", heads+` === "Selected|Status|Scenario|seeds.base" && location.hash === "#/runs?sort=seeds&columns=differs+seeds.base&flat=true"`)
	for _, name := range []string{"headline", "metric of the headline", "best arm", "ε of the run", "number of arms", "hash of the run", "time"} {
		tick(name)
	}
	b.Do(chromedp.EmulateViewport(400, 900))
	b.Until("a table that scrolls", `((grid) => grid.scrollWidth > grid.clientWidth + 100)(document.querySelector(".grid"))`)
	fits(b, "the table", 400)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".column-picker button").click()`))
	b.Until("the usual columns", heads+` === "Selected|Status|Scenario" && location.hash === "#/runs?sort=seeds&flat=true"`)
	if wide := browsertest.Value[[2]int](b, `((grid) => [grid.scrollWidth, grid.clientWidth])(document.querySelector(".grid"))`); wide[0] > wide[1] {
		t.Errorf("the usual columns take %d of %d pixels", wide[0], wide[1])
	}
	quiet(b, s)
}

// wholeNumbers has long intervals come after the headlines: the column grows, so that no number is cut.
func wholeNumbers(t *testing.T, ctx context.Context) {
	dir, _ := folderOf(t, 2)
	s := serve(t, dir)
	b := show(t, ctx, s, "#/help")
	b.Before(`{
		const real = fetch;
		window.fetch = async (path, options) => {
			if (!String(path).includes("/api/intervals")) return real(path, options);
			return new Response(JSON.stringify({ intervals: { half: 0.000123, private: 5000 } }), { headers: { "Content-Type": "application/json" } });
		};
	}`)
	b.Go(s.Address()+"#/runs?flat=true", "footer")
	b.Until("intervals", `document.querySelector(".grid-row .number")?.innerText.includes("± 0.00012")`)
	b.Until("whole numbers", `[...document.querySelectorAll(".grid-row .number, .grid-row .number .best-line")].every((cell) => cell.scrollWidth <= cell.clientWidth + 1)`)
	// An interval that is wide beside its value is told by its ends.
	b.Until("the ends of a wide interval", `((texts) => texts.some((text) => text.includes("(-5000 to 5000)")) && !texts.some((text) => text.includes("± 5000") || text.includes("%")))([...document.querySelectorAll(".grid-row .number")].map((cell) => cell.innerText.replace(/-4[0-9]{3}|5[0-9]{3}/g, (text) => (text < 0 ? "-5000" : "5000"))))`)
	quiet(b, s)
}

// lastValuesSorted has a table of last values whose rows are arms sorted by a click on the head of a column, one way
// and the other, and metrics of several scenarios named beside their values.
func lastValuesSorted(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	id := another(t, dir, "horizon=8", "sweep={grid: {mechanism.epsilon: [0.25, 0.5, 1, 2, 4, none], topology.kind: [complete, ring]}}")
	another(t, dir, "horizon=8", "name=other", "measure.headline=consensus.error")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+id)
	values := `[...document.querySelectorAll(".last-values tbody tr")].map((row) => parseFloat(row.cells[1].innerText))`
	b.Until("the arms", values+`.length === 12`)
	for _, way := range []string{"ascending", "descending"} {
		b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".last-values .sort")[1].click()`))
		side := map[string]string{"ascending": "<=", "descending": ">="}[way]
		b.Until(way, `document.querySelector(".last-values thead [aria-sort]").getAttribute("aria-sort") === "`+way+`" && ((list) => list.every((v, i) => i === 0 || list[i - 1] `+side+` v))(`+values+`)`)
	}
	quiet(b, s)
	b.Go(s.Address()+"#/runs", "footer")
	b.Until("metrics beside their values", `["regret.expected", "consensus.error"].every((name) => [...document.querySelectorAll(".grid-row .named-value")].some((cell) => cell.innerText.includes(name)))`)
	b.Do(chromedp.EmulateViewport(390, 900))
	b.Until("cards", `[...document.querySelectorAll(".card-line strong")].length === 2 && [...document.querySelectorAll(".card-line strong")].every((one) => one.scrollWidth <= one.clientWidth + 1)`)
	fits(b, "the cards", 390)
}

// chartOfRuns has a chart of the runs in the table, whose choices stand in the address, and has the selected runs take a tag.
func chartOfRuns(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	for _, base := range []string{"1", "7", "20"} {
		another(t, dir, "horizon=8", "seeds.base="+base)
	}
	s := serveWriting(t, dir, "")
	b := show(t, ctx, s, "#/runs?flat=true")
	b.Until("the rows", `document.querySelectorAll(".grid-row").length === 3`)
	press := func(text string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".toolbar button")].find((one) => one.textContent === "` + text + `").click()`))
	}
	press("Chart")
	b.Until("a point for each run", `document.querySelectorAll(".scatter-point").length === 3 && document.querySelector(".scatter .axis-name").textContent.startsWith("seeds.base") && location.hash.includes("chart=")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`((select) => { select.value = "updated"; select.dispatchEvent(new Event("change")); })(document.querySelectorAll(".runs-chart select")[1])`))
	b.Until("another axis", `document.querySelector(".scatter .axis-name").textContent === "time" && location.hash.includes("chart=updated")`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the chart", width)
	}
	b.Do(chromedp.EmulateViewport(1400, 900))
	b.Do(chromedp.Evaluate[chromedp.Void](`for (const one of [...document.querySelectorAll(".grid-select[data-select]")].slice(0, 2)) one.click()`))
	b.Until("the selection", `document.querySelector(".selection-actions:not([hidden])") && document.querySelector("button.primary").textContent.startsWith("Compare")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		document.querySelector(".tag-picker").open = true;
		const input = document.querySelector(".tag-picker input");
		input.value = "draft";
		input.form.requestSubmit();
	}`))
	b.Until("the tag", `document.querySelector(".tag-list").innerText.includes("draft") && document.querySelectorAll(".grid-row .tag").length > 0`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".tag-list button:last-child").click()`))
	b.Until("no tag", `document.querySelector(".tag-list").innerText === ""`)
	press("Clear")
	b.Until("no selection", `document.querySelector(".selection-actions").hidden && document.querySelector("button.primary").disabled`)
	press("Chart")
	b.Until("no chart", `!document.querySelector(".runs-chart") && !location.hash.includes("chart")`)
	quiet(b, s)
}
