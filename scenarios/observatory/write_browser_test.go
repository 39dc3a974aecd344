package observatory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"starling/scenarios/loading"
	"starling/scenarios/observatory"
	"starling/scenarios/results/report/browsertest"
)

// editing opens the page where scenarios are written.
func editing(t *testing.T, ctx context.Context, s *observatory.Server, place string) *browsertest.Tab {
	t.Helper()
	b := show(t, ctx, s, place)
	b.Until("the editor", `document.querySelector(".begin input") && performance.getEntriesByName("write-shown").length > 0`)
	return b
}

// put has a text in the editor, as if somebody had pasted it, with the caret where | is.
func put(b *browsertest.Tab, text string) {
	b.T.Helper()
	at := strings.Index(text, "|")
	if at >= 0 {
		text = text[:at] + text[at+1:]
	} else {
		at = len(text)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const area = document.querySelector("textarea");
		area.focus();
		area.select();
		document.execCommand("insertText", false, %s);
		area.setSelectionRange(%d, %d);
	}`, quoted(text), at, at)))
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string is JSON
	}
	return string(out)
}

const valueOf = `document.querySelector("textarea").value`

// evaluated has a module of the page work on something, and returns what comes of it.
func evaluated[V any](b *browsertest.Tab, s *observatory.Server, module, expression string) V {
	b.T.Helper()
	_, token := tokenOf(b.T, s)
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		window.evaluated = undefined;
		import("/%s/%s").then((m) => { window.evaluated = JSON.stringify(%s); });
	}`, token, module, expression)))
	b.Until(module, `window.evaluated !== undefined`)
	var v V
	if err := json.Unmarshal([]byte(browsertest.Value[string](b, `window.evaluated`)), &v); err != nil {
		b.T.Fatal(err)
	}
	return v
}

// outlineOfTexts holds the page's reading of texts to what is in them: that of the whole
// library has every key of the library, and the schema explains each.
func outlineOfTexts(t *testing.T, ctx context.Context) {
	s := serveWriting(t, t.TempDir(), "")
	b := editing(t, ctx, s, "#/write")
	texts := map[string]string{}
	for _, name := range loading.Library() {
		_, text, err := loading.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	sent, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		window.texts = %s;
		fetch("/api/schema", {headers: {Authorization: "Bearer " + new URL(location.href).searchParams.get("token")}}).then((r) => r.json()).then((r) => { window.schema = r; });
	}`, sent)))
	b.Until("the schema", `window.schema`)
	unknown := evaluated[[]string](b, s, "schema.js", `Object.entries(window.texts).flatMap(([name, text]) => {
		const schema = new m.Schema(window.schema, (base) => window.texts[base]);
		return [...text.matchAll(/^( *)([\w.]+):(?= |$)/gm)].filter((key) => !schema.explain(text, key.index + key[1].length + 1)).map((key) => name + " " + key[2]);
	})`)
	if len(unknown) > 0 {
		t.Errorf("%d keys that the schema does not explain, such as %q", len(unknown), unknown[:min(5, len(unknown))])
	}
	paths := evaluated[[]string](b, s, "outline.js", `(() => {
		const list = [];
		const look = (n) => { if (n.key !== null) list.push(m.pathOf(n) + "=" + n.value); n.children.forEach(look); };
		look(m.outline(`+quoted(`a: {b: [1, {c: "x, y"}], d: 'e'}  # f: g
h:
- i: 1
  j: |
    k: 2
- - l: 3
m:
    n: "o: p"
    q: [1,
      {r: 2}]
s: {t: 1, u
v: 4`)+`));
		return list;
	})()`)
	want := []string{"a=", "a.b=", "a.b[1].c=x, y", "a.d=e", "h=", "h[0].i=1", "h[0].j=", "h[1][0].l=3", "m=", "m.n=o: p", "m.q=", "m.q[1].r=2", "s=", "s.t=1", "s.u=", "v=4"}
	if strings.Join(paths, "\n") != strings.Join(want, "\n") {
		t.Errorf("paths %q, want %q", paths, want)
	}
	quiet(b, s)
}

// completion types into the editor and looks at what is offered.
func completion(t *testing.T, ctx context.Context) {
	s := serveWriting(t, t.TempDir(), "")
	b := editing(t, ctx, s, "#/write")
	const options = `[...document.querySelectorAll(".editor-options:not([hidden]) .option-name")].map((e) => e.textContent)`
	offered := func() []string { return browsertest.Value[[]string](b, options) }
	ask := `document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: " ", ctrlKey: true, bubbles: true, cancelable: true}))`
	for _, test := range []struct {
		text string
		want string // the first of those offered
		all  int    // how many there are; 0 asks for no number
	}{
		{"version: 1\n|", "name", 0},
		{"hor|", "horizon", 1},
		{"algorithm:\n  kind: dpd|\n", "dpdonc", 1},
		{"algorithm: {kind: |}\n", "dpdonc", 0},
		{"algorithm:\n  kind: dpdonc\n  posi|\nproblem: {}\n", "positivity", 1},
		{"algorithm:\n  kind: dpdonc\n  positivity: |\n", "clip-mean", 2},
		{"mechanism: {kind: laplace, |}\n", "epsilon", 0},
		{"algorithm: {kind: dpdonc, divergence: {kind: euclidean, sc|}}\n", "scale", 1},
		{"measure: {moves: |}\n", "true", 2},
		{"topology:\n  kind: cycle\n  parts:\n    - kind: rin|\n", "ring", 2},
		{"extends: dpdonc-loc|\n", "dpdonc-localization", 1},
		{"mechanism: {kind: laplace, epsilon: 1}\nsweep:\n  grid:\n    mechanism.eps|\n", "mechanism.epsilon", 1},
		{"sweep:\n  list:\n    - set: {algorithm: {kind: dpdonc, positiv|}}\n", "positivity", 1},
		{"# hor|", "", 0},
		{"nothing: {of: th|}\n", "", 0},
		{"name: hor|", "", 0},
	} {
		put(b, test.text)
		b.Do(chromedp.Evaluate[chromedp.Void](ask))
		list := offered() // what is asked for is there at once
		if test.want == "" && len(list) > 0 || test.want != "" && (len(list) == 0 || list[0] != test.want) || test.all > 0 && len(list) != test.all {
			t.Errorf("%q: offered %q, want %q first of %d", test.text, list, test.want, test.all)
		}
	}
	// The kinds of what a text extends are known, once it is read.
	put(b, "extends: dpdonc-localization\nname: x\nmechanism: {eps|}\n")
	b.Until("the key of a section of what is extended", ask+` === undefined || `+options+`.join() === "epsilon"`)
	// By keyboard alone: a key and its kind, by arrows, Enter and Tab, and back by undoing.
	put(b, "version: 1\n|")
	b.Do(chromedp.KeyEvent("mech"))
	b.Until("the key is offered", options+`.join() === "mechanism"`)
	b.Do(chromedp.KeyEvent("\r"))
	b.Until("its kinds are", options+`.length > 5`)
	b.Do(chromedp.KeyEvent("gau"))
	b.Until("one kind", options+`[0] === "gaussian"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: "Tab", bubbles: true, cancelable: true}))`))
	if text := browsertest.Value[string](b, valueOf); text != "version: 1\nmechanism:\n  kind: gaussian" {
		t.Errorf("the text is %q", text)
	}
	b.Do(chromedp.KeyEvent("\r"))
	if text := browsertest.Value[string](b, valueOf); text != "version: 1\nmechanism:\n  kind: gaussian\n  " {
		t.Errorf("after Enter the text is %q", text)
	}
	put(b, "version: 1\nmechanism:\n  kind: |")
	b.Do(chromedp.KeyEvent("gau"))
	b.Until("the kind that is begun", options+`[0] === "gaussian"`)
	b.Do(chromedp.KeyEvent("\r"))
	if text := browsertest.Value[string](b, valueOf); text != "version: 1\nmechanism:\n  kind: gaussian" {
		t.Errorf("after Enter on what is begun the text is %q", text)
	}
	for range 40 {
		b.Do(chromedp.Evaluate[chromedp.Void](`document.execCommand("undo")`))
	}
	if text := browsertest.Value[string](b, valueOf); strings.Contains(text, "gaussian") {
		t.Errorf("undone the text is %q", text)
	}
	// Lines go in and out, become comments and are none again, and faults are gone to.
	press := func(key, more string) {
		b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: %q, %s bubbles: true, cancelable: true}))`, key, more)))
	}
	for _, test := range []struct{ key, more, from, want string }{
		{"Tab", "", "a:\n|b: 1", "a:\n  b: 1"},
		{"Tab", "", "a: |1", "a:  1"},
		{"Tab", "shiftKey: true,", "a:\n    b: |1", "a:\n  b: 1"},
		{"/", "ctrlKey: true,", "a:\n  b: |1", "a:\n  # b: 1"},
		{"/", "ctrlKey: true,", "a:\n  # b|: 1", "a:\n  b: 1"},
	} {
		put(b, test.from)
		press(test.key, test.more)
		if text := browsertest.Value[string](b, valueOf); text != test.want {
			t.Errorf("%s %sat %q: the text is %q, want %q", test.key, test.more, test.from, text, test.want)
		}
	}
	put(b, "version: 1\nname: x\nalgorithm:\n  kind: dpdonc\n")
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("textarea").select()`))
	press("Tab", "")
	press("Tab", "shiftKey: true,")
	if text := browsertest.Value[string](b, valueOf); text != "version: 1\nname: x\nalgorithm:\n  kind: dpdonc\n" {
		t.Errorf("in and out again the text is %q", text)
	}
	put(b, small+"horizn: 3\n")
	b.Until("the message stands at the line", `document.querySelector(".fault-note")?.textContent.includes("horizn")`)
	press("F8", "")
	if at := browsertest.Value[int](b, `document.querySelector("textarea").selectionStart`); at != len(small) {
		t.Errorf("F8 goes to %d", at)
	}
	// Tab leads on after Escape, which closes what is offered.
	put(b, "hor|")
	b.Do(chromedp.Evaluate[chromedp.Void](ask))
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true, cancelable: true}))`))
	if !browsertest.Value[bool](b, `document.querySelector(".editor-options").hidden && document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: "Tab", bubbles: true, cancelable: true}))`) {
		t.Error("Escape does not close what is offered, or Tab does not lead on")
	}
	quiet(b, s)
}

// writing has a scenario of the working folder changed, broken, mended, forecast, and saved.
// What it comes to on the way is looked at on wide and narrow screens.
func writing(t *testing.T, ctx context.Context) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mine.yaml", []byte(small), 0o644); err != nil {
		t.Fatal(err)
	}
	save := t.TempDir()
	s := serveWriting(t, t.TempDir(), save)
	b := editing(t, ctx, s, "#/write?from=here&name=mine.yaml")
	everywhere := func(what string, look func()) {
		t.Helper()
		for _, width := range widths {
			b.Do(chromedp.EmulateViewport(width, 900))
			look()
			fits(b, what, width)
		}
	}
	b.Until("the file", valueOf+` === `+quoted(small))
	everywhere("the forecast", func() {
		b.Until("what a run takes", `document.querySelector(".check-state").textContent === "valid: 4 arms, 2 seeds" && document.querySelectorAll(".forecast tbody tr").length === 4 && document.querySelector(".run-size").innerText.startsWith("A run would make 8 runs of 160 steps in all") && !document.querySelector(".forecast").innerText.includes("8 runs")`)
	})
	// A fault is in the list, below the text, and leads to its place.
	put(b, small+"measure: {evry: 5}\n")
	b.Until("the fault", `document.querySelectorAll(".faults li").length === 1 && document.querySelector(".faults").innerText.includes("did you mean \"every\"") && document.querySelector(".fault-link").textContent === "5:11"`)
	if !browsertest.Value[bool](b, `document.querySelector(".go button").disabled`) {
		t.Error("a text with a fault can be run")
	}
	everywhere("the fault", func() {
		b.Until("its mark", `document.querySelector(".editor-marks .fault").textContent === "evry" && document.querySelector(".editor-numbers .wrong").textContent === "5" && document.querySelector("textarea").getAttribute("aria-invalid") === "true"`)
		b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".fault-link").click()`))
		b.Until("the caret at the fault", fmt.Sprintf(`document.querySelector("textarea").selectionStart === %d && document.activeElement.matches("textarea")`, len(small)+len("measure: {")))
		// The pointer on it tells what is wrong, and on a key what the key means.
		point := func(line, column int) {
			b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
				const area = document.querySelector("textarea"), box = area.getBoundingClientRect(), style = getComputedStyle(area);
				const wide = document.querySelector(".editor-ruler").getBoundingClientRect().width / 50;
				area.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: box.left + parseFloat(style.paddingLeft) + (%d - 0.5) * wide, clientY: box.top + parseFloat(style.paddingTop) + (%d - 0.5) * parseFloat(style.lineHeight)}));
			}`, column, line)))
		}
		point(5, 12)
		b.Until("what is wrong", `document.querySelector(".editor-tip:not([hidden]) .tip-fault")?.textContent.includes("evry")`)
		point(3, 3)
		b.Until("what the key means", `document.querySelector(".editor-tip:not([hidden])")?.innerText.includes("number of steps, T")`)
	})
	// The forecast of the text before stays, and the help is of the key at the caret, also beside all words.
	b.Until("the forecast of the last valid text", `document.querySelector(".forecast.stale .last-valid") && document.querySelectorAll(".forecast tbody tr").length === 4 && document.querySelector(".run-size.stale").innerText !== ""`)
	for _, key := range []string{"horizon", "measure"} {
		b.Do(chromedp.Evaluate[chromedp.Void](`{ const area = document.querySelector("textarea"), at = area.value.indexOf("` + key + `"); area.focus(); area.setSelectionRange(at, at); }`))
		b.Until("what "+key+" means", `document.querySelector(".meaning code").textContent === "`+key+`"`)
	}
	// Mended by the suggestion, by the mouse and by the keyboard, and broken again by undoing.
	for _, fix := range []string{`document.querySelector(".faults .fix").click()`, `document.querySelector("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: ".", ctrlKey: true, bubbles: true, cancelable: true}))`} {
		b.Until("what is suggested", `document.querySelector(".faults .fix").textContent === "Change to every"`)
		b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".fault-link").click()`), chromedp.Evaluate[chromedp.Void](fix))
		b.Until("the suggested key", valueOf+` === `+quoted(small+"measure: {every: 5}\n"))
		b.Do(chromedp.Evaluate[chromedp.Void](`document.execCommand("undo")`))
		for range 5 {
			if browsertest.Value[string](b, valueOf) == small+"measure: {evry: 5}\n" {
				break
			}
			b.Do(chromedp.Evaluate[chromedp.Void](`document.execCommand("undo")`))
		}
		b.Until("the fault again", valueOf+` === `+quoted(small+"measure: {evry: 5}\n"))
	}
	// Mended, by typing over the word that the caret is before.
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const area = document.querySelector("textarea");
		area.focus();
		area.setSelectionRange(area.value.indexOf("evry") + 2, area.value.indexOf("evry") + 2);
	}`), chromedp.KeyEvent("e"))
	b.Until("the text that is mended", valueOf+` === `+quoted(small+"measure: {every: 5}\n"))
	b.Until("no fault", `document.querySelector(".check-state").textContent.startsWith("valid") && !document.querySelector(".faults li, .editor-marks .fault") && !document.querySelector("textarea").hasAttribute("aria-invalid")`)
	b.Until("the size of a run", `/^A run would make 8 runs of 160 steps in all, in about .* and .*B\.$/.test(document.querySelector(".run-size").textContent)`)
	b.Until("the forecast again", `!document.querySelector(".forecast.stale") && document.querySelectorAll(".forecast tbody tr").length === 4`)
	// Saved under a name that is typed.
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".file-name").focus(); document.querySelector(".file-name").select()`), chromedp.KeyEvent("saved.yaml"))
	b.Until("the name that was typed", `document.querySelector(".file-name").value === "saved.yaml"`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".save").click()`))
	b.Until("that it is saved", `document.querySelector(".file-bar .count").textContent.startsWith("saved in")`)
	if files := list(t, save, ""); len(files) != 1 || files[filepath.Join(save, "saved.yaml")] != small+"measure: {every: 5}\n" {
		t.Errorf("saved are %q", files)
	}
	everywhere("what is saved", func() {})
	quiet(b, s)
	if text, err := os.ReadFile("mine.yaml"); err != nil || string(text) != small {
		t.Errorf("the file that it began from is %q, %v", text, err)
	}
}

// startStopGoOn has the page start a run, stop it, have it go on, and make one to its end.
func startStopGoOn(t *testing.T, ctx context.Context) {
	t.Chdir(t.TempDir())
	dir := t.TempDir()
	s := serveWriting(t, dir, "")
	b := editing(t, ctx, s, "#/write")
	buttons := `[...document.querySelectorAll("main button")].filter((one) => !one.disabled && !one.hidden)`
	press := func(text string) {
		find := buttons + fmt.Sprintf(`.find((one) => one.textContent === %q)`, text)
		b.Until("the button "+text, find)
		b.Do(chromedp.Evaluate[chromedp.Void](find + `.click()`))
	}
	status := func(want string) {
		b.Until("the run is "+want, fmt.Sprintf(`location.hash.startsWith("#/run/") && document.querySelector(".run-state .status")?.textContent === %q`, want))
	}
	put(b, long)
	press("Run")
	status("running")
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the run", width)
	}
	// News of the run leave the focus where it is.
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".run-state button").focus(); window.before = document.querySelector(".tab").innerText`))
	b.Until("news of the run", `document.querySelector(".tab").innerText !== window.before`)
	if !browsertest.Value[bool](b, `document.activeElement.textContent === "Stop"`) {
		t.Error("the button has lost the focus")
	}
	press("Stop") // which asks, and stops nothing yet
	press("Keep running")
	status("running")
	stop := func() {
		press("Stop")
		press("Stop, and save the state")
	}
	stop()
	status("waiting")
	b.Until("why", `document.querySelector(".run-head").innerText.includes("interrupted; the same command goes on")`)
	press("Go on")
	status("running")
	stop()
	status("waiting")
	// What is written is still there, and is changed into one that ends.
	b.Do(chromedp.Evaluate[chromedp.Void](`location.hash = "#/write"`))
	b.Until("what was written", `document.querySelector("textarea")?.value === `+quoted(long))
	put(b, small)
	press("Run")
	status("complete")
	b.Until("its values", `document.body.innerText.includes("Last values")`)
	// From its scenario another is written; the same is there already.
	b.Do(chromedp.Evaluate[chromedp.Void](`location.hash += "/scenario"`))
	b.Until("the scenario", `document.querySelector("a.button")?.getAttribute("href").startsWith("#/write?run=small")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("a.button").click()`))
	b.Until("its text", `document.querySelector("textarea")?.value.includes("name: small") && location.hash === "#/write"`)
	press("Show the results")
	status("complete")
	quiet(b, s)
}

// checksCancel: a text that changes ends the check of the one before, whose answer nothing
// waits for. A gate holds that check until its signal ends it.
func checksCancel(t *testing.T, ctx context.Context) {
	b := editing(t, ctx, serveWriting(t, t.TempDir(), ""), "#/write")
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const real = fetch;
		window.held = [];
		window.fetch = (path, options) => {
			if (!String(path).endsWith("/api/check") || !options.body.includes("held")) return real(path, options);
			const one = { ended: false };
			held.push(one);
			return new Promise((_, refuse) => options.signal.addEventListener("abort", () => {
				one.ended = true;
				refuse(new DOMException("ended", "AbortError"));
			}));
		};
	}`))
	put(b, "version: 1\nname: held\n")
	b.Until("the check that is held", `held.length === 1`)
	if browsertest.Value[bool](b, `held[0].ended`) {
		t.Error("the check has ended by itself")
	}
	put(b, "version: 1\nname: other\nhorizn: 3\n")
	b.Until("the faults of the newer text", `[...document.querySelectorAll(".faults li")].some((one) => one.innerText.includes("horizn"))`)
	if !browsertest.Value[bool](b, `held.length === 1 && held[0].ended && document.querySelector(".check-state").classList.contains("bad")`) {
		t.Error("the check of the text before goes on, or the state is not that of the newer text")
	}
}

// opensOnExample: where nothing is written yet the editor has an example of the library, which can be
// run and is no change of a file.
func opensOnExample(t *testing.T, ctx context.Context) {
	s := serveWriting(t, t.TempDir(), "")
	b := editing(t, ctx, s, "#/write")
	b.Until("the example", `document.querySelector(".example").textContent.includes("An example of the library") && document.querySelector("textarea").value.includes("algorithm:") && document.querySelector(".check-state").textContent.startsWith("valid") && document.querySelector(".changed").textContent === ""`)
	for _, width := range widths {
		b.Do(chromedp.EmulateViewport(width, 900))
		fits(b, "the example", width)
	}
	// Another is found by its name, and faults of another algorithm hold back what may follow from them.
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const input = document.querySelector(".begin input");
		input.value = [...input.list.options].find((one) => one.value === "dpdonc-nodes").value;
		input.dispatchEvent(new Event("change"));
	}`))
	b.Until("the other", `document.querySelector(".file-name").value === "dpdonc-nodes.yaml" && document.querySelector(".check-state").textContent.startsWith("valid")`)
	b.Do(chromedp.Evaluate[chromedp.Void](`{
		const area = document.querySelector("textarea"), at = area.value.search(/kind: dpdonc\b/);
		area.focus();
		area.setSelectionRange(at + 6, at + 12);
		document.execCommand("insertText", false, "ofl");
	}`))
	b.Until("the first faults", `document.querySelectorAll(".faults > ol > li").length === 2 && /further faults? may follow/.test(document.querySelector(".faults summary").textContent)`)
	b.Until("a name that is not the library's", `document.querySelector(".file-name").value === "my-dpdonc-nodes.yaml"`)
	// The file has the name of the scenario, and a loss as a rho has its epsilon.
	put(b, "extends: dpdonc-localization\nname: my-own\nhorizon: 20\nseeds: {count: 2}\nsweep: null\nmechanism: {kind: independent, epsilon: 1, delta: 1e-5, calibration: zcdp}\n")
	b.Until("the name of the scenario", `document.querySelector(".file-name").value === "my-own.yaml"`)
	b.Until("the epsilon of a rho", `/accounted ε = [0-9.]+ at δ = [0-9.e-]+: rho [0-9.]+/.test(document.querySelector(".forecast .spends")?.innerText)`)
	quiet(b, s)
}
