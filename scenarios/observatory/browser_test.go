package observatory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"starling/scenarios/observatory"
	"starling/scenarios/results/report/browsertest"
	"starling/scenarios/testneeds"
)

// TestInBrowser drives the page in Chromium, a tab for each test.
func TestInBrowser(t *testing.T) {
	quick := []string{"many runs", "by keyboard", "each view", "live", "writing"} // a part of each view
	ctx := browsertest.Start(t, 6*time.Minute)
	for _, test := range []struct {
		name string
		run  func(*testing.T, context.Context)
	}{
		{"many runs", manyRuns},
		{"runs told apart", toldApart},
		{"runs in groups", runsInGroups},
		{"runs of one arm", onlyArms},
		{"columns of runs", columnsOfRuns},
		{"whole numbers", wholeNumbers},
		{"a chart of runs, and tags", chartOfRuns},
		{"last values sorted", lastValuesSorted},
		{"comparing", comparing},
		{"without common seeds", withoutCommonSeeds},
		{"an overview", overviewOf},
		{"by keyboard", byKeyboard},
		{"each view", eachView},
		{"pictures of networks", networkPictures},
		{"messages by servers", messagesByServers},
		{"whole vectors", wholeVectors},
		{"figures without numbers", figuresWithoutNumbers},
		{"menus of figures", menusAgree},
		{"a network that is being placed", beingPlaced},
		{"maps of pairs", pairMaps},
		{"the focus stays", focusStays},
		{"live", liveUpdates},
		{"deleted and damaged", deletedAndDamaged},
		{"names with markup", namesWithMarkup},
		{"the outline of texts", outlineOfTexts},
		{"completion", completion},
		{"writing", writing},
		{"an example to write from", opensOnExample},
		{"a check ends the one before", checksCancel},
	} {
		if !testneeds.SlowWanted() && !slices.Contains(quick, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) { test.run(t, ctx) })
	}
	if testneeds.SlowWanted() { // TestStartAndStop asks the server for the same
		t.Run("start, stop, go on", func(t *testing.T) { startStopGoOn(t, ctx) })
	}
}

// show opens the page at a place.
func show(t *testing.T, ctx context.Context, s *observatory.Server, place string) *browsertest.Tab {
	t.Helper()
	return browsertest.Open(t, ctx, s.Address()+place, "footer")
}

// widths are those of screens, in pixels.
var widths = []int64{1400, 800, 400}

// fits checks that nothing is wider than the screen.
func fits(b *browsertest.Tab, what string, width int64) {
	b.T.Helper()
	b.Until(fmt.Sprintf("%s fits a screen of %d pixels", what, width), fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, width))
}

// quiet checks that a page has asked its own server alone and met no problem.
func quiet(b *browsertest.Tab, s *observatory.Server) {
	b.T.Helper()
	base, _, _ := strings.Cut(s.Address(), "/?")
	requests := b.Requests()
	for _, address := range requests {
		if !strings.HasPrefix(address, base+"/") && !strings.HasPrefix(address, "blob:"+base) {
			b.T.Errorf("the page asks for %s", address)
		}
	}
	if len(requests) < 5 {
		b.T.Errorf("%d requests; this test does not see them", len(requests))
	}
	if problems := b.Problems(); len(problems) > 0 {
		b.T.Errorf("the browser reports %q", problems)
	}
}

func manyRuns(t *testing.T, ctx context.Context) {
	runs, count, some := 1000, "1 000 runs", "0000000003e" // the last nine
	if !testneeds.SlowWanted() {
		runs, count, some = 200, "200 runs", "0000000000c"
	}
	dir, _ := folderOf(t, runs)
	s := serve(t, dir)
	b := show(t, ctx, s, "")
	b.Until("the table", `document.querySelector(".count").textContent === "`+count+`"`)
	if rows := browsertest.Value[int](b, `document.querySelectorAll(".grid-row").length`); rows < 10 || rows > 60 {
		t.Errorf("%d rows are in the document, want those in sight", rows)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const search = document.querySelector("input[type=search]");
		search.value = "` + some + ` mechanism.epsilon<=1";
		search.dispatchEvent(new Event("input"));
	}`))
	b.Until("nine are found", `document.querySelector(".count").textContent === "9 of `+count+`"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const search = document.querySelector("input[type=search]");
		search.value = "mechanism.epsilon<=1";
		search.dispatchEvent(new Event("input"));
	}`))
	b.Until("all are found", `document.querySelector(".count").textContent === "`+count+`"`)
	// A word that is no condition is called so, and the rows stay.
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const search = document.querySelector("input[type=search]");
		search.value = "nonsense==";
		search.dispatchEvent(new Event("input"));
	}`))
	b.Until("that it is no condition", `document.querySelector(".remark").textContent.includes("\"nonsense==\" is no condition") && document.querySelector(".count").textContent === "`+count+`"`)
	quiet(b, s)
}

// toldApart checks the columns by which runs of one scenario are told apart, on screens of all
// widths, and that a heading sorts by the best arm.
func toldApart(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	for _, set := range [][]string{{"horizon=8"}, {"horizon=8", "seeds.base=7"}, {"horizon=12", "seeds.base=9"}} {
		another(t, dir, set...)
	}
	s := serve(t, dir)
	b := show(t, ctx, s, "#/help")
	// Until the best arms are read, a mark stands in their place.
	b.Before(`{
		const real = fetch;
		window.held = [];
		window.fetch = async (path, options) => {
			if (String(path).includes("/api/headlines")) await new Promise((go) => held.push(go));
			return real(path, options);
		};
	}`)
	b.Do(chromedp.EmulateViewport(1400, 900))
	b.Go(s.Address(), "footer")
	b.Until("that the best arms are awaited", `held.length > 0 && document.querySelectorAll(".grid-row").length === 3 && [...document.querySelectorAll(".grid-row")].every((row) => row.innerText.includes("being read"))`)
	b.Do(chromedp.Evaluate[chromedp.Void](`held.forEach((go) => go())`))
	heads := `[...document.querySelectorAll(".grid-head [role=columnheader]")].map((one) => one.innerText.replace(/[▾▴]/, "").trim()).join("|")`
	b.Until("the columns", heads+` === "Selected|Status|Scenario|horizon|seeds.base|regret.expected ↓|Best arm|ε of the run|Seeds|When|Run"`)
	b.Until("the best private arms", `[...document.querySelectorAll(".grid-row")].every((row) => !row.children[7].innerText.includes("∞") || /^no noise\nε = [0-9.]+$/.test(row.children[6].innerText) && /^∞\n[0-9.]+$/.test(row.children[7].innerText)) && document.querySelector(".best-line")`)
	b.Until("the best arms", `[...document.querySelectorAll(".grid-row")].every((row) => /^[0-9.]+/.test(row.children[5].innerText) && /^(no noise|ε = )/.test(row.children[6].innerText) && /^([0-9.]+|∞)/.test(row.children[7].innerText) && row.children[8].innerText === "2")`)
	if words := browsertest.Value[string](b, `[...document.querySelectorAll(".grid-row .status")].map((dot) => dot.innerText).join()`); words != "complete,complete,complete" {
		t.Errorf("readers of screens hear %q", words)
	}
	values := func(column int) string {
		return fmt.Sprintf(`[...document.querySelectorAll(".grid-row")].map((row) => row.children[%d].innerText).join()`, column)
	}
	sort := func(column int) {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelectorAll(".grid-head [role=columnheader]")[%d].querySelector("button").click()`, column)))
	}
	sort(4)
	b.Until("the order by seeds", values(4)+` === "1,7,9"`)
	sort(4)
	b.Until("the other order", values(4)+` === "9,7,1"`)
	sort(5)
	b.Until("the order by the best arm", `((list) => list.every((x, i) => i === 0 || list[i - 1] <= x))([...document.querySelectorAll(".grid-row")].map((row) => parseFloat(row.children[5].innerText)))`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		b.Until("what tells them apart", `[...document.querySelectorAll(".grid-row")].every((row) => /seeds.base\s=/.test(row.innerText)) || document.querySelector(".grid-head").innerText.includes("seeds.base")`)
		b.Until("the hash, the headline and the loss at any width", `[...document.querySelectorAll(".grid-row")].every((row) => /\b[0-9a-f]{8}\b/.test(row.innerText) && /\d+(\.\d+)?\s/.test(row.innerText) && row.innerText.includes("no noise") && row.innerText.includes("∞"))`)
		fits(b, "the table", width)
		b.Until("the horizon on wide screens alone", fmt.Sprintf(`document.querySelector(".grid-head").innerText.includes("horizon") === %t`, width > 900))
	}
	// A search for one leaves nothing in which it differs.
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const search = document.querySelector("input[type=search]");
		search.value = "seeds.base=9";
		search.dispatchEvent(new Event("input"));
	}`))
	b.Until("one", `document.querySelector(".count").textContent === "1 of 3 runs" && !document.querySelector(".grid-head").innerText.includes("seeds.base")`)
	quiet(b, s)
}

// overviewOf checks that the finding of a run stands beside its first figure where there is room,
// with the axes of the study, and that provenance is closed until it is opened.
func overviewOf(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	id := another(t, dir, "horizon=12", "plots=[{name: first, y: consensus.error, log_y: true, log_x: true}]")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+id)
	beside := `((f, c) => f && c && c.getBoundingClientRect().left >= f.getBoundingClientRect().right)(document.querySelector(".found table"), document.querySelector(".first-figure .u-over"))`
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 1000))
		want := beside
		if width < 1200 {
			want = `document.querySelector(".first-figure .u-over") && !` + beside
		}
		b.Until(fmt.Sprintf("the figure at %d pixels", width), want)
		fits(b, "the overview", width)
	}
	b.Until("its axes", `["log_x=true", "log_y=true", "y=consensus.error"].every((part) => document.querySelector(".first-figure a").getAttribute("href").includes(part))`)
	b.Until("that provenance is closed", `!document.querySelector(".provenance").open && document.querySelector(".provenance").textContent.includes("SHA-256")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".provenance summary").click()`))
	b.Until("the files", `document.querySelector(".provenance").innerText.includes("metrics.parquet")`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		b.Until("controls that a finger meets", `[...document.querySelectorAll("button, select, summary, .ticked")].every((one) => !one.offsetParent || one.getBoundingClientRect().height >= 24)`)
	}
	quiet(b, s)
	// Where the epsilon varies and the study asks for no figure, the picture is the headline against privacy.
	id = another(t, dir, "horizon=9", "sweep={grid: {mechanism.epsilon: [0.5, 5, none]}}")
	b.Go(s.Address()+"#/run/"+id, "footer")
	b.Until("the trade-off", `document.querySelector(".first-figure .plot").getAttribute("aria-label").includes("over accounted ε") && document.querySelector(".first-figure a").getAttribute("href").includes("x=epsilon")`)
	// Without its token the address says how to open it.
	base, _, _ := strings.Cut(s.Address(), "/?")
	b.Go(base+"/", "main")
	b.Until("how it is opened", `document.body.innerText.includes("starling ui") && document.querySelector("h1").textContent.includes("token") && getComputedStyle(document.body).maxWidth !== "none"`)
}

func byKeyboard(t *testing.T, ctx context.Context) {
	dir, _ := folderOf(t, 60)
	s := serve(t, dir)
	b := show(t, ctx, s, "")
	b.Until("the table", `document.querySelectorAll(".grid-row").length > 5`)
	b.Do(chromedp.KeyEvent("?"))
	b.Until("? lists the keys", `document.querySelector("dialog[open]").innerText.includes("go through the runs")`)
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until("Esc closes the list", `!document.querySelector("dialog")`)
	b.Do(chromedp.KeyEvent(kb.ArrowDown))
	b.Until("an arrow leads to the rows", `document.activeElement.matches(".grid") && document.querySelector(".grid-row.active")?.dataset.row === "0"`)
	b.Do(chromedp.KeyEvent("/"))
	b.Until("/ leads to the search", `document.activeElement.type === "search"`)
	if text := browsertest.Value[string](b, `document.activeElement.value`); text != "" {
		t.Errorf("the key that leads to the search is written into it: %q", text)
	}
	// Each search has come back before the next key: one that is under way scrolls to the top
	// when it comes.
	for _, search := range []struct{ text, count string }{{"nothing-of-that", "0 of 60 runs"}, {"", "60 runs"}} {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
			document.activeElement.value = %q;
			document.activeElement.dispatchEvent(new Event("input"));
		}`, search.text)))
		b.Until(search.count, fmt.Sprintf(`document.querySelector(".count").textContent === %q`, search.count))
	}
	press := func(key string) {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(".grid").dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true, cancelable: true}))`, key)))
		b.Wait()
	}
	b.Do(chromedp.Focus(chromedp.CSS(".grid")))
	press("End")
	b.Until("the last row", `document.querySelector(".grid-row.active")?.dataset.row === "59"`)
	press(" ")
	press("Home")
	press(" ")
	b.Until("two that are selected", `document.querySelector("button.primary").textContent === "Compare 2" && !document.querySelector("button.primary").disabled`)
	press("Escape")
	press("ArrowDown")
	press("Enter")
	b.Until("the run", `location.hash.startsWith("#/run/") && document.querySelector(".tabs")`)
	quiet(b, s)
}

func eachView(t *testing.T, ctx context.Context) {
	dir, ids := folderOf(t, 2)
	s := serve(t, dir)
	id := strings.ReplaceAll(ids[0], "/", "%2F")
	limited := another(t, dir, "network={kind: effects, bandwidth: {bytes: 11, longest: 1}}", "horizon=12")
	effects := another(t, dir, "network={kind: effects, loss: {probability: 0.5}}", "horizon=12") // where nobody is down
	// Of arms with other horizons each is shown as far as it goes.
	uneven := another(t, dir, "sweep={list: [{name: short, set: {horizon: 4}}, {name: long, set: {horizon: 12}}]}")
	paired := another(t, dir, "horizon=12", "measure={every: 4, pairs: true}")
	b := show(t, ctx, s, "")
	for place, there := range map[string]string{
		"#/run/" + paired + "/privacy":        `document.querySelectorAll(".pair-map").length === 4 && document.querySelector(".colour-bar").innerText.includes("no bound")`,
		"#/run/" + uneven + "/network?step=9": `document.querySelector(".graph-step").textContent === "step 4 of 4" && document.body.innerText.includes("In this step")`,
		"#/runs":                              `document.querySelectorAll(".grid-row").length === 6`,
		"#/help":                              `document.querySelectorAll("table").length === 2`,
		"#/run/" + id:                         `document.body.innerText.includes("largest expected regret of a node") && !document.body.innerText.includes("epsilon.total") && [...document.querySelectorAll(".hint a")].some((a) => a.getAttribute("href").endsWith("/privacy"))`,
		"#/run/" + id + "/figures":            `document.querySelector(".u-over") && document.querySelectorAll(".legend li").length === 2`, // the trade-off
		"#/run/" + id + "/figures?y=regret.expected":                           `document.querySelector(".u-over") && document.querySelectorAll(".legend li").length === 4`,
		"#/run/" + id + "/figures?y=regret.run&x=mechanism.epsilon&log_x=true": `document.querySelectorAll(".legend li").length === 2`,
		"#/run/" + id + "/figures?y=regret.run&facet=mechanism.epsilon":        `document.querySelectorAll(".u-over").length === 4`,
		"#/run/" + id + "/privacy":                                             `[...document.querySelectorAll(".curve-ends span")].some((one) => one.textContent.startsWith("ε = ")) && [...document.querySelectorAll(".curve-ends span")].every((one) => one.getBoundingClientRect().left >= one.closest(".u-over").getBoundingClientRect().right && one.getBoundingClientRect().right <= one.closest(".plot").getBoundingClientRect().right + 1) && document.body.innerText.includes("What cost most") && /can learn at most ε = [0-9.]+/.test(document.body.textContent) && document.body.textContent.includes("no ε bounds the loss") && document.querySelectorAll(".part:not([open]) > summary .about").length === 3 && document.querySelector(".matrix").innerText.includes("eavesdropper") && ![...document.querySelectorAll(".tab :is(td, th, option, .name)")].some((one) => /\bwire\b/.test(one.textContent)) && !/\binf\b/.test(document.body.innerText) && document.querySelector(".tab h2").textContent === "Who can learn what"`,
		"#/run/" + id + "/scenario":                                            `document.querySelectorAll(".yaml .key").length > 10`,
		"#/run/" + id + "/network?node=2&step=9":                               `document.body.innerText.includes("recorded values are the same") && document.querySelector(".u-over")`,
		"#/run/" + limited + "/network?node=2&step=9":                          `["dropped", "What it released", "Mixing is"].every((text) => document.body.innerText.includes(text)) && document.querySelectorAll(".u-over").length === 3`,
		"#/run/" + effects + "/network?node=1&step=2":                          `["lost", "What it released"].every((text) => document.body.innerText.includes(text))`,
		"#/compare?run=" + id:                                                  `document.querySelectorAll(".interval").length > 1 && document.querySelector("table:has(.interval) th").textContent === "metric" && document.querySelector(".u-over")`,
		// The address keeps what is chosen.
		"#/compare?run=" + id + "&y=consensus.error&metric=regret.run":           `[...document.querySelectorAll("label.choice")].some((one) => one.textContent.startsWith("metric (y)") && one.querySelector("select").value === "consensus.error") && document.querySelector(".against h3").innerText.includes("regret.run") && document.querySelector(".u-over")`,
		"#/compare?run=" + id + "&run=" + strings.ReplaceAll(ids[1], "/", "%2F"): `document.body.innerText.includes("The scenarios are the same")`,
	} {
		b.Go(s.Address()+place, "footer")
		for _, width := range widths {
			b.Do(chromedp.EmulateViewport(width, 900))
			b.Until(place, there)
			fits(b, place, width)
		}
		ordered(b, place)
		// The same run twice has nothing to overlay, which the server says.
		if !strings.Contains(place, "&run=") {
			quiet(b, s)
		}
	}
}

// ordered checks that the headings of a view begin with one of the first level, then one of the second
// if there are more, and skip none.
func ordered(b *browsertest.Tab, place string) {
	b.T.Helper()
	levels := browsertest.Value[string](b, `[...document.querySelectorAll("main :is(h1, h2, h3, h4)")].map((h) => h.tagName[1]).join("")`)
	before := '0'
	for _, level := range levels {
		if level > before+1 {
			b.T.Errorf("%s: headings of the levels %s", place, levels)
			return
		}
		before = level
	}
	if strings.Count(levels, "1") != 1 || len(levels) < 2 && strings.Contains(place, "/run/") {
		b.T.Errorf("%s: headings of the levels %s", place, levels)
	}
}

// beingPlaced has the width of the screen change while the graph is awaited.
func beingPlaced(t *testing.T, ctx context.Context) {
	dir, ids := folderOf(t, 1)
	s := serve(t, dir)
	b := show(t, ctx, s, "#/help")
	b.Before(`{
		const real = fetch;
		let asked = 0;
		window.held = [];
		window.fetch = async (path, options) => {
			if (String(path).includes("/api/network") && asked++ >= 0) await new Promise((go) => held.push(go));
			return real(path, options);
		};
	}`)
	b.Go(s.Address()+"#/run/"+strings.ReplaceAll(ids[0], "/", "%2F")+"/network", "footer")
	b.Until("the graphs that are held", `held.length > 0`)
	b.Do(chromedp.EmulateViewport(800, 900))
	b.Wait()
	b.Do(chromedp.Evaluate[chromedp.Void](`held.forEach((go) => go())`))
	b.Until("the picture", `document.querySelector(".network-picture .hint").textContent.startsWith("6 nodes")`)
	quiet(b, s)
}

// pairMaps checks that the cursor on a map of pairs tells the pair and its epsilon.
func pairMaps(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	id := another(t, dir, "horizon=8", "measure={every: 4, pairs: true}", "sweep={grid: {mechanism.epsilon: [1, none]}}")
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+id+"/privacy")
	b.Until("the maps", `document.querySelectorAll(".pair-map").length === 2`)
	for i, want := range []string{"node 3 of 1: ", "node 3 of 1: no bound"} {
		at := browsertest.Value[[3]float64](b, fmt.Sprintf(`((map) => { map.scrollIntoView(); const {x, y, width} = map.getBoundingClientRect(); return [x, y, width]; })(document.querySelectorAll(".pair-map")[%d])`, i))
		b.Do(chromedp.MouseEvent(chromedp.MouseMoved, at[0]+at[2]*2.5/6, at[1]+at[2]*0.5/6))
		b.Until(want, fmt.Sprintf(`document.querySelectorAll(".pair-said")[%d].textContent.startsWith(%q)`, i, want))
	}
	b.Do(chromedp.MouseEvent(chromedp.MouseMoved, 1, 1))
	b.Until("that the cursor is gone", `[...document.querySelectorAll(".pair-said")].every((one) => one.textContent.startsWith("Order: "))`)
	b.Until("numbers beside the maps, and boxes by distance", `[".pair-rows", ".pair-columns"].every((side) => [...document.querySelector(side).children].map((one) => one.textContent).sort().join() === "1,2,3,4,5,6") && document.querySelectorAll(".pair-boxes .spread").length > 0`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const select = [...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("order of nodes")).querySelector("select");
		select.value = "distance";
		select.dispatchEvent(new Event("change"));
		const from = [...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("from node")).querySelector("input");
		from.value = "4";
		from.dispatchEvent(new Event("input"));
	}`))
	b.Until("the order by distance", `document.querySelector(".pair-rows span").textContent === "4" && document.querySelector(".pair-said").textContent === "Order: distance from node 4 in the network."`)
	b.Until("the parts in their order, and signs with their cause", `((heads) => heads[0] === "Who can learn what" && heads[1] === "What nodes learn of each other")([...document.querySelectorAll(".tab h2")].map((one) => one.innerText)) && [...document.querySelectorAll(".matrix td:is(.kept, .exceeded, .unbounded)")].every((cell) => cell.title.length > 20)`)
	quiet(b, s)
	// The overview has the table of pairs, and the network opens at a node.
	b.Go(s.Address()+"#/run/"+id, "footer")
	b.Until("the pairs on the overview", `[...document.querySelectorAll(".tab h2")].some((one) => one.innerText === "What nodes learn of each other")`)
	b.Go(s.Address()+"#/run/"+id+"/network", "footer")
	b.Until("a node that is chosen, and no colours where all have one loss", `/^Node \d+ at step/.test(document.querySelector(".node h2")?.innerText) && location.hash.includes("node=") && document.querySelector(".colour-bar").hidden`)
	b.Go(s.Address()+"#/run/"+id+"/network?colour=none", "footer")
	b.Until("no colours where none are asked for", `document.querySelector(".node h2") && document.querySelector(".colour-bar").hidden && location.hash.includes("colour=none")`)
	quiet(b, s)
}

// focusStays goes through the page with the keyboard alone: what is drawn anew leaves the focus
// where it was, and each view can be reached from the one before.
func focusStays(t *testing.T, ctx context.Context) {
	dir, ids := folderOf(t, 3)
	s := serve(t, dir)
	b := show(t, ctx, s, "#/runs")
	b.Until("the table", `document.querySelectorAll(".grid-row").length === 3`)
	focused := func(what, script string) {
		t.Helper()
		b.Until("the focus on "+what, `((e) => `+script+` && e.getBoundingClientRect().height > 0)(document.activeElement)`)
	}
	press := func(keys ...string) {
		for _, key := range keys {
			b.Do(chromedp.KeyEvent(key))
		}
	}
	outlined := func(what string) {
		t.Helper()
		if !browsertest.Value[bool](b, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
			t.Errorf("%s has the focus, and nothing shows it", what)
		}
	}
	// A heading sorts, a chip filters, and both keep the focus.
	press("/")
	focused("the search", `e.type === "search" && e.value === ""`)
	press(kb.Tab, " ")
	focused("the chip", `e.matches(".chip.complete") && e.getAttribute("aria-pressed") === "false"`)
	outlined("the chip")
	press(" ", kb.Tab)
	focused("the grouping", `e.type === "checkbox"`)
	press(kb.Tab)
	focused("the columns", `e.matches(".column-picker summary")`)
	press(kb.Tab)
	focused("the chart", `e.innerText === "Chart" && e.getAttribute("aria-pressed") === "false"`)
	press(kb.Tab)
	focused("the table", `e.matches(".grid")`)
	press(kb.Tab)
	focused("the heading of the dots", `e.innerText.trim() === "Status"`)
	press(kb.Tab, " ")
	focused("the heading", `e.innerText.startsWith("Scenario") && e.closest("[aria-sort]").getAttribute("aria-sort") === "ascending"`)
	outlined("the heading")
	// From the table into a run: the next Tab leads into it.
	b.Do(chromedp.Focus(chromedp.CSS(".grid")))
	press(kb.ArrowDown, kb.Enter)
	b.Until("the run", `document.querySelector(".tabs a")`)
	focused("the view", `e.id === "main"`)
	press(kb.Tab, kb.Tab, kb.Tab)
	focused("the second part", `e.matches(".tabs a") && e.innerText === "Figures"`)
	press(kb.Enter)
	b.Until("the figure", `document.querySelector(".u-over")`)
	focused("the second part, which is shown", `e.innerText === "Figures" && e.getAttribute("aria-current") === "page"`)
	outlined("the part")
	// What is chosen of a figure keeps it, too.
	b.Do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("metric")).querySelector("select").focus()`))
	press(kb.ArrowDown)
	b.Until("another metric", `location.hash.includes("y=consensus.error")`)
	focused("the menu", `e.matches("select") && e.value === "consensus.error"`)
	// Comparing: a menu drawn anew is the same menu.
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = "#/compare?run=%s&run=%s"`, strings.ReplaceAll(ids[0], "/", "%2F"), strings.ReplaceAll(ids[1], "/", "%2F"))))
	const menus = `[...document.querySelectorAll(".pickers")].find((place) => place.innerText.startsWith("first"))?.querySelectorAll("select")`
	b.Until("the menus", menus+`?.length === 4 && document.querySelector(".interval, .hint")`)
	b.Do(chromedp.Evaluate[chromedp.Void](menus + `[2].focus()`))
	press(kb.ArrowUp)
	focused("the third menu", `e === `+menus+`[2]`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".pickers select").focus()`))
	press(kb.ArrowDown)
	b.Until("another baseline", `document.querySelector(".against tbody th").innerText.endsWith(document.querySelector(".pickers select").selectedOptions[0].innerText.split(": ")[1])`)
	focused("the menu of the baseline", `e === document.querySelector(".pickers select")`)
	// Answers to a comparison that was left are not shown in the next one.
	one, other := strings.ReplaceAll(ids[0], "/", "%2F"), strings.ReplaceAll(ids[1], "/", "%2F")
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const fetched = window.fetch;
		window.late = 0;
		window.fetch = async (path, o) => {
			if (!path.startsWith("/api/run?") || !path.includes(%[1]q)) return fetched(path, o);
			const answer = await fetched(path, o);
			await new Promise((done) => setTimeout(done, 500));
			setTimeout(() => { window.late++; }, 500); // when it has been used
			return answer;
		};
		location.hash = "#/compare?run=%[1]s";
		setTimeout(() => { location.hash = "#/compare?run=%[2]s"; }, 100);
	}`, one, other)))
	b.Until("the second comparison", `document.title === "Starling: compare" && window.late > 0 && document.querySelector(".u-over")`)
	if n := browsertest.Value[int](b, `document.body.innerText.split("Two side by side").length - 1`); n != 1 {
		t.Errorf("%d comparisons of two, want 1", n)
	}
}

// networkPictures checks which picture a graph gets, that it can be chosen, and that the
// cursor tells the node or the weight below it.
func networkPictures(t *testing.T, ctx context.Context) {
	dir, ids := folderOf(t, 1)
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+strings.ReplaceAll(ids[0], "/", "%2F")+"/network?as=matrix&step=3")
	b.Until("the matrix", `document.querySelector(".network-picture .hint").textContent.includes("Rows are receivers")`)
	// Where the cursor is, in parts of the picture.
	place := func(x, y float64) (float64, float64) {
		at := browsertest.Value[[3]float64](b, `(({x, y, width}) => [x, y, width])((document.querySelector(".graph-canvas").scrollIntoView(), document.querySelector(".graph-canvas").getBoundingClientRect()))`)
		return at[0] + x*at[2], at[1] + y*at[2]
	}
	nodes := browsertest.Value[float64](b, `Number(document.querySelector(".network-node input").max)`)
	cell := func(i float64) float64 { return (46 + (i-0.5)*(640-46-12)/nodes) / 640 } // its middle, of the picture
	x, y := place(cell(1), cell(1))                                                   // the corner: a self-loop, which is no edge
	b.Do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	b.Until("the edge at the cursor", `document.querySelector(".graph-tip").textContent === "1 to 1: no edge"`)
	x, y = place(cell(1), cell(3))
	b.Do(chromedp.MouseClickXY(x, y))
	b.Until("the receiver that was chosen", `location.hash.includes("node=3") && location.hash.includes("as=matrix")`)
	b.Until("its neighbours, with weights in and out", `document.querySelector(".node h2")?.textContent.startsWith("Node 3 ") && ((rows) => rows.length > 0 && rows.every((row) => row.cells.length === 4 && /^([0-9.]+|–)$/.test(row.cells[1].innerText) && /^([0-9.]+|–)$/.test(row.cells[2].innerText) && row.cells[3].innerText.includes("arrives")))([...document.querySelectorAll(".neighbours tbody tr")])`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".pick-node").click()`))
	b.Until("a neighbour that was chosen", `!location.hash.includes("node=3") && /node=[0-9]/.test(location.hash)`)
	// The slider takes keys, and says the step.
	b.Do(chromedp.Focus(chromedp.CSS(".movie-bar input")), chromedp.KeyEvent(kb.ArrowRight))
	b.Until("the next step", `location.hash.includes("step=4") && document.querySelector(".movie-bar input").getAttribute("aria-valuetext").startsWith("step 4 of")`)
	b.Until("the node at that step", `document.querySelector(".node h2").textContent.endsWith("at step 4") && document.querySelector(".node").innerText.includes("recorded values are the same")`)
	// Neither a replay that takes long nor a film leaves the table of another step.
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const real = fetch;
		window.fetch = (path, ...rest) => String(path).includes("/api/replay") ? new Promise((done) => { window.answer = () => { window.fetch = real; done(real(path, ...rest)); }; }) : real(path, ...rest);
	}`), chromedp.KeyEvent(kb.ArrowLeft))
	b.Until("the neighbours before the replay", `document.querySelector(".node h2").textContent.endsWith("at step 3") && document.querySelector(".node").innerText.includes("Replaying to step 3") && document.querySelector(".node .neighbours")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`window.answer()`))
	b.Until("the state after it", `document.querySelector(".node").innerText.includes("Replayed to step 3")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".movie-bar button").click()`))
	b.Until("the node in a film", `document.querySelector(".node h2").textContent.endsWith("at step 4") && document.querySelector(".node").innerText.includes("when the film pauses")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".movie-bar button").click()`))
	b.Until("the node where it pauses", `/^Replayed to step [4-9]/m.test(document.querySelector(".node").innerText)`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const select = [...document.querySelectorAll(".choice")].find((one) => one.innerText.startsWith("drawn as")).querySelector("select");
		select.value = "graph";
		select.dispatchEvent(new Event("change"));
	}`))
	if shown := browsertest.Value[int](b, `[...document.querySelectorAll(".graph-canvas")].filter((one) => one.clientWidth > 0).length`); shown != 1 {
		t.Errorf("%d pictures of a matrix", shown)
	}
	b.Until("nodes and edges", `location.hash.includes("as=graph") && !document.querySelector(".network-picture .hint").textContent.includes("Rows are receivers")`)
	quiet(b, s)

	// What suits a graph: lines where edges are few or there is a shape, and else the matrix as well.
	type found struct{ Ring, Torus, Small, Complete, Random string }
	got := evaluated[found](b, s, "drawing.js", `(() => {
		const ring = (n) => Array.from({length: n}, (_, i) => [i, (i + 1) % n, 1]);
		const torus = [];
		for (let i = 0; i < 500; i++) torus.push([i, (i + 25) % 500, 1], [i, i - i % 25 + (i + 1) % 25, 1]);
		const complete = (n) => Array.from({length: n * n}, (_, k) => [k % n, Math.floor(k / n), 1]), random = [];
		for (let i = 0; i < 500; i++) for (const step of [37, 101, 233]) random.push([i, (i * step + 7) % 500, 1]);
		return {Ring: m.suits({nodes: 500, edges: ring(500)}), Torus: m.suits({nodes: 500, edges: torus}), Small: m.suits({nodes: 24, edges: complete(24)}),
			Complete: m.suits({nodes: 80, edges: complete(80)}), Random: m.suits({nodes: 500, edges: random})};
	})()`)
	if want := (found{"graph", "graph", "both", "both", "both"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// another adds a run to a folder, and returns its ID as an address has it.
func another(t *testing.T, dir string, overrides ...string) string {
	t.Helper()
	before, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := simulate(dir, append(overrides, "seeds.count=2")...); err != nil {
		t.Fatal(err)
	}
	after, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range after {
		if !slices.Contains(before, run) {
			return filepath.Base(filepath.Dir(run)) + "%2F" + filepath.Base(run)
		}
	}
	t.Fatal("there is no other run")
	return ""
}

// liveUpdates has a run begin, end before it is done, go on, and end while the page is open.
// The page has not started it, and says how it is stopped.
func liveUpdates(t *testing.T, ctx context.Context) {
	dir := t.TempDir()
	s := serveWriting(t, dir, "")
	b := show(t, ctx, s, "")
	b.Until("the empty table", `document.querySelector(".grid-empty")?.textContent.startsWith("There are no runs")`)
	gate := make(chan struct{})
	run := func(ctx context.Context) chan error {
		done := make(chan error, 1)
		go func() {
			done <- simulateIn(ctx, dir, &gated{held: 10, gate: gate}, "horizon=300", "seeds.count=20", "measure={every: 100}")
		}()
		return done
	}
	first, interrupt := context.WithCancel(t.Context())
	done := run(first)
	b.Until("the run", `document.querySelector(".grid-row .status.running")`)
	interrupt()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("the run that was interrupted ended with %v", err)
	}
	b.Until("that it has ended", `document.querySelector(".grid-row .status.waiting, .grid-row .status.failed")`)
	done = run(t.Context())
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".grid-row a").click()`))
	b.Until("the page of the run", `document.querySelector(".tabs")`)
	b.Until("that it goes on", `document.querySelector(".status")?.textContent === "running"`)
	b.Until("what is recorded so far", `document.querySelector(".live .u-over") && document.body.innerText.includes("done or under way: 1")`)
	b.Until("one legend for all charts", `((all) => all.length > 1 && all.filter((one) => !one.hidden).length === 1)([...document.querySelectorAll(".live .legend")])`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".live .legend:not([hidden]) button").click()`))
	b.Until("that it switches the curves of all", `[...document.querySelectorAll(".live .legend")].every((one) => one.querySelectorAll("button[aria-pressed=false]").length >= (one.hidden ? 0 : 1)) && document.querySelectorAll(".live .curve-ends").length > 1`)
	b.Until("how it is stopped", fmt.Sprintf(`document.querySelector(".elsewhere").textContent.includes("kill -INT %d") && document.querySelector(".run-state button").hidden`, os.Getpid()))
	close(gate)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	b.Until("its end", `!document.querySelector(".elsewhere") && document.querySelector(".status")?.textContent === "complete" && document.body.innerText.includes("Last values")`)
	// An arm that waited for others is not told to take longer than the whole run.
	if left := evaluated[[]string](b, s, "live.js", `(() => {
		const done = { runs: { done: 2, all: 2 }, horizon: 10 }, open = { runs: { done: 1, all: 2 }, horizon: 10 };
		return [m.armLeft(open, { elapsed: 55, left: 4, arms: [done, open] }, true), m.armLeft(open, { elapsed: 55, left: 9, arms: [open, open] }, true), m.armLeft(open, { elapsed: 5, left: 9, arms: [open, open] }, true)];
	})()`); !slices.Equal(left, []string{"about 4.0 s", "about 9.0 s", "about 5.0 s"}) {
		t.Errorf("the time left of arms: %q", left)
	}
	// The first runs say little of the time that others take, and seeds without a square are counted.
	if said := evaluated[string](b, s, "live.js", `JSON.stringify([[1.6, 2], [4, 2], [4, 6], [61, 2]].map(([elapsed, done]) => m.estimated({ elapsed, steps: { done, all: 100 } }))) + m.seeds({ seeds: "d".repeat(200) }, 1, true).textContent`); said != "[false,false,true,true]+98" {
		t.Errorf("estimates and seeds: %s", said)
	}
	if ages := evaluated[[]string](b, s, "live.js", `[1, 12, 300].map((seconds) => m.age(new Date(Date.now() - 1000 * seconds).toISOString()).textContent)`); !slices.Equal(ages, []string{"", "As of 12 s ago.", "As of 5 min 00 s ago."}) {
		t.Errorf("the ages of counts: %q", ages)
	}
	quiet(b, s)
}

func deletedAndDamaged(t *testing.T, ctx context.Context) {
	dir, ids := folderOf(t, 3)
	s := serve(t, dir)
	b := show(t, ctx, s, "#/run/"+strings.ReplaceAll(ids[0], "/", "%2F"))
	b.Until("the run", `document.body.innerText.includes("Last values") && document.querySelector(".found td") && document.querySelector(".first-figure .u-over")`)
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(ids[0]))); err != nil {
		t.Fatal(err)
	}
	b.Until("that it is gone", `document.body.innerText.includes("This run has been deleted")`)
	if !browsertest.Value[bool](b, `document.body.innerText.includes("Last values")`) {
		t.Error("what was shown is gone, too")
	}
	quiet(b, s)

	// One byte more in a file of another: the list sees it by the size.
	damaged := filepath.Join(dir, filepath.FromSlash(ids[1]), "metrics.parquet")
	text, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(damaged); err != nil { // it is a link
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, append(text, 'x'), 0o644); err != nil {
		t.Fatal(err)
	}
	// Another byte in a file of the third: the run says it when it is opened.
	turned := filepath.Join(dir, filepath.FromSlash(ids[2]), "metrics.parquet")
	text[len(text)/2] ^= 1
	if err := os.Remove(turned); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(turned, text, 0o644); err != nil {
		t.Fatal(err)
	}
	b.Go(s.Address()+"#/runs", "footer")
	b.Until("two runs, one of them damaged", `document.querySelectorAll(".grid-row .status.damaged").length === 1 && document.querySelectorAll(".grid-row").length === 2`)
	for _, id := range ids[1:] {
		b.Go(s.Address()+"#/run/"+strings.ReplaceAll(id, "/", "%2F"), "footer")
		b.Until("the damage", `document.querySelector(".warning")?.textContent.includes("is damaged")`)
		quiet(b, s)
	}
}

// namesWithMarkup has markup wherever a folder can have text.
func namesWithMarkup(t *testing.T, ctx context.Context) {
	const hostile = `<img src=x onerror="window.broken=1"><script>window.broken=1</script>`
	dir := t.TempDir()
	if err := simulate(dir, "horizon=8", "seeds.count=2", "description='"+hostile+"'", "sweep={list: [{name: '<b>bold</b>', set: {mechanism.epsilon: 1}}, {name: 'b&amp;', set: {mechanism.epsilon: 2}}]}"); err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(source) != 1 {
		t.Fatalf("%q, %v", source, err)
	}
	if err := os.WriteFile(filepath.Join(source[0], "tags.txt"), []byte(hostile+"\n<i>tag</i>\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, "<img src=x onerror=alert(1)>", "abc\"'<x>")
	copyTree(t, source[0], odd)
	s := serve(t, dir)
	id, err := filepath.Rel(dir, source[0])
	if err != nil {
		t.Fatal(err)
	}
	b := show(t, ctx, s, "")
	for place, there := range map[string]string{
		"#/runs": `document.querySelectorAll(".grid-row").length === 2`,
		"#/run/" + strings.ReplaceAll(id, "/", "%2F"):                                `document.querySelector(".description")?.textContent.includes("onerror")`,
		"#/run/" + strings.ReplaceAll(id, "/", "%2F") + "/figures?y=regret.expected": `[...document.querySelectorAll(".legend .name")].some((name) => name.textContent === "<b>bold</b>")`,
		"#/run/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%2Fabc%22'%3Cx%3E":            `document.querySelector(".description")?.textContent.includes("onerror")`,
	} {
		b.Go(s.Address()+place, "footer")
		b.Until(place, there)
		if browsertest.Value[bool](b, `"broken" in window || document.querySelector("main img, main script, main b b, main i:not([class])") !== null`) {
			t.Errorf("%s: text of the run became part of the page", place)
		}
		quiet(b, s)
	}
}
