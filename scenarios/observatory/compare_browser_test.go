package observatory_test

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/scenarios/results/report/browsertest"
)

// comparing chooses runs on the empty page of comparisons, and looks at what the page compares: arms
// of one condition, the lines that differ, and a colour for each run.
func comparing(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	const crossed = "sweep={grid: {nodes: [3, 4], mechanism.epsilon: [1, none]}}"
	for _, set := range [][]string{{"horizon=8", crossed, "topology={kind: complete}"}, {"horizon=12", crossed, "topology={kind: complete}"}, {"horizon=9", "name=other"}} {
		another(t, dir, set...)
	}
	s := serve(t, dir)
	b := show(t, ctx, s, "#/compare")
	b.Until("the runs to choose from", `document.querySelectorAll(".picked-run").length === 3 && document.querySelectorAll(".picker fieldset").length === 2 && document.querySelector(".picker button").disabled`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the list of runs", width)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const search = document.querySelector(".picker input[type=search]");
		search.value = "horizon!=9";
		search.dispatchEvent(new Event("input"));
	}`))
	b.Until("two that are found", `document.querySelectorAll(".picked-run").length === 2`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".picked-run input").forEach((box) => box.click())`))
	b.Until("two that are chosen", `document.querySelector(".picker button").textContent === "Compare 2"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".picker button").click()`))
	b.Until("the lines that differ", `document.querySelector(".diff del")?.textContent.trim() === "− horizon: "+document.querySelector(".diff del").textContent.trim().slice(11) && document.querySelectorAll(".diff ins").length === 1`)
	b.Until("a colour for each run and a dash for each arm", `((names) => names.length === 6 && names.slice(0, 2).every((name) => name.includes("horizon")))([...document.querySelectorAll(".legend .name")].map((name) => name.textContent))`)
	b.Until("the conditions", `[...document.querySelectorAll(".choice")].some((one) => one.innerText.startsWith("condition"))`)
	arms := `document.querySelectorAll(".against table")[0].querySelectorAll("tbody tr").length`
	b.Until("the arms of one condition", arms+` === 4`)
	b.Until("a table for each condition", `document.querySelectorAll(".against table").length >= 2 && [...document.querySelectorAll(".against .axis text")].slice(0, 3).join() === [...document.querySelectorAll(".against .axis text")].slice(3, 6).join()`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const select = [...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("condition")).querySelector("select");
		select.value = "";
		select.dispatchEvent(new Event("change"));
	}`))
	b.Until("values at the last step that both runs have", `document.querySelector(".against h3").innerText.includes("at step 8") && document.querySelector(".against").innerText.includes("differ in their numbers of steps")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const input = document.querySelector(".choice input[type=number]");
		input.value = "6";
		input.dispatchEvent(new Event("change"));
	}`))
	b.Until("values at another step", `document.querySelector(".against h3").innerText.includes("at step 6")`)
	b.Until("the arms of all conditions", arms+` === 8`)
	b.Until("privacy losses in the table, and what they are of once", `((cells) => cells.length === 8 && cells.every((text) => /^([0-9.]+|∞)$/.test(text)))([...document.querySelectorAll(".against table")[0].querySelectorAll("tbody tr")].map((row) => row.cells[1].innerText)) && [...document.querySelectorAll(".against .hint")].filter((one) => one.innerText.includes("epsilon: of the whole run at delta")).length === 1`)
	// The figure has an axis of the accounted loss, which all runs have, and the address keeps it.
	b.Until("the figure over the steps", `document.querySelector(".charts .u-over") && document.querySelector(".charts .plot").getAttribute("aria-label").includes("over step t")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const select = [...document.querySelectorAll(".choice")].find((one) => one.firstChild.innerText === "x").querySelector("select");
		select.value = "epsilon";
		select.dispatchEvent(new Event("change"));
	}`))
	b.Until("the figure over the accounted loss", `document.querySelector(".charts .plot").getAttribute("aria-label").includes("over accounted ε") && location.hash.includes("x=epsilon")`)
	// A heading sorts the arms.
	heading := func() {
		b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".against th .sort")].find((one) => one.textContent === "difference").click()`))
	}
	heading()
	heading()
	b.Until("arms by their differences", `((values) => values.length === 7 && values.every((v, i) => i === 0 || v <= values[i - 1]))([...document.querySelectorAll(".against table")[0].querySelectorAll("tbody tr")].map((row) => parseFloat(row.cells[3].innerText)).filter(Number.isFinite))`)
	togetherIn(b)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the comparison", width)
	}
	quiet(b, s)
	// A run that cannot be read is left out, and the others are compared.
	addresses := browsertest.Value[string](b, `location.hash.split("?")[1].split("&").filter((part) => part.startsWith("run=")).join("&")`)
	b.Go(s.Address()+"#/compare?"+addresses+"&run=dpdonc-localization%2Fnothing", "footer")
	b.Until("that a run is left out", `document.querySelector("p.warning")?.innerText.includes("nothing") && document.querySelectorAll(".compared li").length === 2 && document.querySelectorAll(".one-arm").length === 8`)
	b.Go(s.Address()+"#/compare?"+addresses, "footer")
	b.Until("the two runs", `document.querySelectorAll(".compared li").length === 2 && document.querySelector(".charts .u-over")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".leave").click()`))
	b.Until("one that is left", `location.hash.split("run=").length === 2 && document.querySelectorAll(".compared li").length === 1 && document.querySelector(".against tbody tr")`)
	quiet(b, s)
}

// togetherIn looks at the lines of all arms over their settings: a part of an axis leaves some of them, in the picture
// and in the table, and curves have the colour of a setting.
func togetherIn(b *browsertest.Tab) {
	b.T.Helper()
	b.Until("a line for each arm", `document.querySelectorAll(".one-arm").length === 8 && ((names) => ["nodes", "epsilon", "horizon", "ε of the run"].every((name) => names.some((text) => text.startsWith(name))))([...document.querySelectorAll(".axis-name")].map((one) => one.firstChild.textContent))`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const strip = [...document.querySelectorAll(".one-axis")].find((one) => one.querySelector(".axis-name").firstChild.textContent === "nodes").querySelector(".axis-strip");
		const box = strip.getBoundingClientRect();
		strip.setPointerCapture = () => {};
		strip.dispatchEvent(new PointerEvent("pointerdown", {clientY: box.bottom - 1, bubbles: true, cancelable: true}));
		strip.dispatchEvent(new PointerEvent("pointerup", {clientY: box.bottom - box.height / 4, bubbles: true, cancelable: true}));
	}`))
	b.Until("the arms of a part of an axis", `document.querySelectorAll(".one-arm.left-out").length === 4 && document.querySelector(".together-said").innerText.startsWith("4 of 8 arms") && document.querySelectorAll(".together-rows tbody tr").length === 4`)
	choose := func(label, value string) {
		b.Do(chromedp.Evaluate[chromedp.Void](`{
			const select = [...document.querySelectorAll(".choice")].find((one) => one.firstChild.innerText === "` + label + `").querySelector("select");
			select.value = "` + value + `";
			select.dispatchEvent(new Event("change"));
		}`))
	}
	choose("x", "")
	choose("colour", "horizon")
	b.Until("curves with the colour of a setting", `document.querySelectorAll(".charts .legend li").length === 2 && location.hash.includes("hue=horizon") && [...document.querySelectorAll(".charts .legend li")].slice(0, 2).every((one) => /horizon\s*=\s*(8|12)$/.test(one.innerText.trim()))`)
}

// withoutCommonSeeds has runs of other seeds compared without pairs, and says how to run the same seeds.
func withoutCommonSeeds(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	first := another(t, dir, "horizon=9")
	second := another(t, dir, "horizon=9", "seeds.base=50")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/compare?run="+first+"&run="+second)
	b.Until("the reason and the way out", `((list) => list.length === 2 && list.every((one) => one.innerText.includes("no seed in common") && /starling run \S+scenario.yaml --set seeds.base=[0-9]+ --seeds 2/.test(one.querySelector("code").innerText)))([...document.querySelectorAll(".way-out")])`)
	b.Until("differences without pairs", `((rows) => rows.length > 2 && rows.some((row) => / ± /.test(row.cells[4].innerText)) && !rows.some((row) => row.innerText.includes("NaN")))([...document.querySelectorAll("[aria-label='differences without pairs'] tbody tr")])`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the way out", width)
	}
	quiet(b, s)
}
