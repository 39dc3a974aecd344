// Writing a scenario: the text with its faults, what a run of it would take, and the run.
import { element, duration, bytes, counted, rounded, save, choice, spoken, linkOf } from "./dom.js";
import { ask, tell } from "./api.js";
import { Editor, explained } from "./editor.js";
import { Schema } from "./schema.js";

const kept = "starling draft"; // for this tab, until it is closed

// draft is what is written, which stays while other views are looked at.
let draft = null;

function recalled() {
  try { return JSON.parse(sessionStorage.getItem(kept)); } catch { return null; }
}

const empty = { name: "my-study.yaml", text: "version: 1\nname: my-study\n", sum: "" };

const exampleName = "dpdonc-localization"; // with which the editor opens, where the library has it

let schema = null; // asked for once
const bases = new Map(); // texts of scenarios that others extend

export function show(place, route) {
  document.title = "Starling: write";
  draft ??= recalled() ?? { ...empty, saved: empty.text };
  let sources = null, checked = null, forecast = null, gone = false, timer, waiting, judging = null, foreseen = null, saving = false, foretold = false; // foretold: a forecast is shown
  const name = element("input", { type: "text", class: "file-name", "aria-label": "name of the file", value: draft.name, spellcheck: "false", autocomplete: "off",
    oninput: () => { draft.name = name.value; draft.named = true; draft.sum = ""; keep(); head(); } });
  const begin = element("div", { class: "pickers begin" });
  const store = element("button", { type: "button", class: "save", hidden: true, onclick: () => write() }, "Save");
  const changed = element("span", { class: "changed" }), note = element("span", { class: "count", role: "status" });
  const bar = element("div", { class: "toolbar file-bar" }, name, store,
    element("button", { type: "button", onclick: () => save(new Blob([editor.text], { type: "text/yaml" }), draft.name || "scenario.yaml") }, "Download"), changed, note);
  const remark = element("p", { class: "remark", role: "alert" });
  const meaning = element("div", { class: "meaning", id: "editor-about" });
  const about = element("div", { class: "editor-about" }, meaning, element("span", { class: "hint editor-keys", id: "editor-keys" }, "Tab indents; Esc, then Tab leaves."), element("button", { type: "button", title: "Ctrl-Space", onmousedown: (event) => event.preventDefault(),
    onclick: () => { editor.area.focus(); editor.suggest(true); } }, "Complete"));
  const faults = element("div", { class: "faults" });
  const state = element("p", { class: "check-state", role: "status" });
  const outlook = element("div", { class: "forecast" });
  const go = element("button", { type: "button", class: "primary", disabled: true, onclick: () => run() }, "Run");
  const goRemark = element("p", { class: "remark", role: "alert" });
  const editor = new Editor({
    label: "scenario, in YAML", changed: () => edited(),
    complete: (text, offset) => schema?.complete(text, offset, sources?.library ?? []),
    explain: (text, offset) => schema?.explain(text, offset),
    moved: (text, offset) => tells(schema?.explain(text, offset) ?? ofLine(text, offset), editor.faultsAt(offset)),
  });
  const size = element("p", { class: "run-size", role: "status" });
  const example = element("p", { class: "hint example", hidden: true });
  place.append(element("h1", {}, "Write"), begin, example, element("div", { class: "writing" },
    element("section", { class: "writing-text", "aria-label": "text" }, bar, remark, editor.box, about),
    element("section", { class: "writing-run", "aria-label": "run" }, element("div", { class: "go" }, go, state), faults, size, goRemark, outlook)));

  // ofLine explains the first key of the line of an offset, of a caret beside all words.
  function ofLine(text, offset) {
    const from = text.lastIndexOf("\n", offset - 1) + 1, first = /^[\s-]*(?=[\w.])/.exec(text.slice(from, (text + "\n").indexOf("\n", from)));
    return first ? schema?.explain(text, from + first[0].length) : null;
  }

  // tells shows what the word at the caret means.
  function tells(said, wrong = []) {
    meaning.replaceChildren(...wrong.map((one) => element("p", { class: "tip-fault" }, one.message)),
      said ? explained(said) : wrong.length > 0 ? "" : element("p", { class: "hint" }, "What the word at the caret means stands here."));
  }

  function keep() {
    draft.text = editor.text;
    try { sessionStorage.setItem(kept, JSON.stringify(draft)); } catch { /* it is lost with the tab, then */ }
  }

  // head says how the text stands to the file.
  function head(said = "") {
    store.hidden = !sources?.save;
    changed.textContent = editor.text === draft.saved ? "" : "changed";
    note.textContent = said;
  }

  // rename proposes a name for the file by the name of the scenario, until the reader gives one or the file is saved.
  function rename() {
    const found = editor.text.match(/^name:\s*["']?([A-Za-z0-9][\w.-]*)/m)?.[1];
    if (!found || draft.named || draft.sum || editor.text === draft.saved) return;
    const taken = (text) => sources?.saved.includes(text + ".yaml");
    let proposed = sources?.library.some((one) => one.name === found) ? "my-" + found : found;
    for (let n = 2; taken(proposed); n++) proposed = proposed.replace(/-\d+$/, "") + "-" + n;
    draft.name = name.value = proposed + ".yaml";
  }

  function edited() {
    rename();
    keep();
    clearTimeout(timer);
    clearTimeout(waiting);
    foreseen?.abort();
    judging?.abort();
    checked = forecast = null;
    go.disabled = true;
    go.textContent = "Run";
    goRemark.textContent = "";
    outlook.classList.add("stale");
    size.classList.add("stale");
    state.textContent = "";
    state.className = "check-state checking";
    extended();
    head();
    timer = setTimeout(check, 300);
  }

  // extended asks for what the text extends, so that completion knows its kinds.
  async function extended() {
    const wanted = editor.text.match(/^extends:\s*["']?([\w.-]+)/m)?.[1];
    if (!wanted || bases.has(wanted) || !sources?.library.some((one) => one.name === wanted)) return;
    bases.set(wanted, "");
    try { bases.set(wanted, (await ask("source", { from: "library", name: wanted })).text); } catch { bases.delete(wanted); }
  }

  // check has the program judge the text. A check that goes on ends when the text changes.
  async function check() {
    const text = editor.text, mine = judging = new AbortController();
    try {
      const answer = await tell("check", { text }, mine.signal);
      if (gone || mine !== judging || mine.signal.aborted) return;
      checked = answer;
      judged();
    } catch (error) {
      if (gone || mine !== judging || mine.signal.aborted) return;
      state.className = "check-state";
      goRemark.textContent = error.message;
    }
  }

  function judged() {
    const { issues } = checked;
    const first = issues.filter((one) => !one.follows), later = issues.filter((one) => one.follows);
    editor.show(first.filter((one) => !one.file && one.line));
    faults.replaceChildren(...[listed(first, "faults"), later.length > 0 && element("details", {}, element("summary", {}, `${counted(later.length, "further fault")} may follow from ${first.length > 1 ? "these" : "this"}`), listed(later, "further faults"))].filter(Boolean));
    state.className = "check-state" + (issues.length > 0 ? " bad" : "");
    state.textContent = issues.length > 0 ? counted(first.length, "fault") : `valid: ${counted(checked.arms.length, "arm")}, ${counted(checked.seeds, "seed")}`;
    go.disabled = issues.length > 0;
    if (issues.length === 0) waiting = setTimeout(foresee, 500);
    else lastValid();
    editor.tell();
  }

  // lastValid leaves the forecast of the last text without faults on the page, and says so.
  function lastValid() {
    if (!foretold) { outlook.replaceChildren(); size.textContent = ""; return; }
    if (!outlook.querySelector(".last-valid")) outlook.prepend(element("p", { class: "last-valid" }, "Forecast of the last valid text:"));
  }

  // listed is a list of faults with their places and the words that mend them.
  function listed(issues, label) {
    return issues.length > 0 && element("ol", { "aria-label": label }, issues.map((one) => element("li", {},
      one.line && !one.file ? element("button", { type: "button", class: "fault-link", onclick: () => editor.go(one.line, one.column) }, `${one.line}:${one.column}`)
        : one.file ? element("code", {}, `${one.file}:${one.line}:${one.column}`) : "", " ", one.path ? [element("code", {}, one.path), " "] : "", one.message,
      editor.fixes(one).map((fix) => [" ", element("button", { type: "button", class: "fix", title: "Ctrl-. at the fault", onclick: () => editor.fix(fix) }, `Change to ${fix.word}`)]))));
  }

  // foresee asks what a run would take, until the text changes.
  async function foresee() {
    const text = editor.text;
    foreseen = new AbortController();
    if (!outlook.firstChild) outlook.replaceChildren(element("p", { class: "hint" }, "Shorter runs are made to say how long this one would take …"));
    try {
      const answer = await tell("forecast", { text }, foreseen.signal);
      if (gone || text !== editor.text) return;
      forecast = answer;
      if (answer.issues.length > 0) { checked = answer; judged(); return; }
      for (const one of [outlook, size]) one.classList.remove("stale");
      foretold = true;
      outlook.replaceChildren(...forecasted(answer));
      size.textContent = answer.complete || answer.busy ? "" : `A run would make ${counted(answer.runs - answer.there, "run")} of ${counted(answer.steps, "step")} in all, in about ${duration(answer.time)} and ${bytes(answer.bytes)}.`;
      go.textContent = answer.complete ? "Show the results" : answer.busy ? "Show the run" : "Run";
    } catch (error) {
      if (error.name === "AbortError" || gone || text !== editor.text) return;
      foretold = false;
      outlook.replaceChildren(element("p", { class: "remark" }, error.message));
    }
  }

  async function run() {
    if (forecast?.complete || forecast?.busy) { location.hash = linkOf(forecast.id); return; }
    clearTimeout(waiting);
    foreseen?.abort(); // which would share the cores with the run
    go.disabled = true;
    go.textContent = "Starting …";
    goRemark.textContent = "";
    try {
      const started = await tell("start", { text: editor.text });
      if (started.issues.length > 0) { checked = started; judged(); return; }
      if (!gone) location.hash = linkOf(started.id);
    } catch (error) {
      goRemark.textContent = error.message;
    } finally {
      if (!gone) { go.textContent = "Run"; go.disabled = !checked || checked.issues.length > 0; }
    }
  }

  async function write() {
    if (saving) return;
    saving = true;
    remark.textContent = "";
    const text = editor.text;
    try {
      const done = await tell("save", { name: draft.name, text, over: draft.sum });
      Object.assign(draft, { sum: done.sum, saved: text, named: true });
      if (!sources.saved.includes(done.name)) { sources.saved = [...sources.saved, done.name].sort(); pick(); }
      keep();
      head("saved in " + sources.save);
    } catch (error) {
      remark.textContent = error.message + (error.status === 409 ? ". Open it again, or choose another name." : "");
    } finally {
      saving = false;
    }
  }

  function take(text, fallback) {
    example.hidden = true;
    draft.name = text.name || fallback || empty.name;
    draft.sum = text.sum || "";
    draft.named = false;
    draft.saved = text.text;
    name.value = draft.name;
    remark.textContent = "";
    foretold = false; // of another scenario
    outlook.replaceChildren();
    size.textContent = "";
    editor.load(text.text);
    editor.tell();
    keep();
    head();
  }

  async function open(parameters, fallback) {
    try { take(await ask("source", parameters), fallback); } catch (error) { remark.textContent = error.message; }
  }

  // pick fills the menus of what a text can begin from. Undoing brings the text before back.
  function pick() {
    const offers = new Map([["an empty scenario", { text: "nothing but a name" }]]);
    const offer = (from, list, label) => { for (const one of list) offers.set(offers.has(one.name ?? one) ? `${one.name ?? one} (${from})` : one.name ?? one, { from, name: one.name ?? one, text: one.text ?? label }); };
    offer("saved", sources.saved, `saved in ${sources.save}`);
    offer("here", sources.folder === sources.save ? [] : sources.here, `a file of ${sources.folder}`);
    offer("library", sources.library);
    const chosen = element("input", { type: "search", list: "begin-from", placeholder: "search the library", autocomplete: "off", spellcheck: "false", onchange: () => begins(),
      oninput: (event) => { if (event.inputType === "insertReplacementText" || !event.inputType) begins(); } }); // an offer was taken
    const begins = () => {
      const found = offers.get(chosen.value);
      if (!found) return;
      chosen.value = "";
      if (found.from) open({ from: found.from, name: found.name }); else take({ ...empty });
    };
    const list = element("datalist", { id: "begin-from" }, [...offers].map(([label, { text }]) => element("option", { value: label }, text)));
    const made = { algorithm: "", problem: "", file: "" };
    const button = element("button", { type: "button", onclick: async () => {
      try { take(await tell("begin", { name: empty.name, ...made })); } catch (error) { remark.textContent = error.message; }
    } }, "Begin");
    const menu = (key, label, list) => choice(label, [["", "choose …"], ...list.map((one) => [one.name ?? one, one.name ?? one])], made[key], (value) => { made[key] = value; ready(); });
    const file = menu("file", "file", sources.files);
    const ready = () => {
      const reads = sources.reading.includes(made.problem);
      file.hidden = !reads;
      if (!reads) { made.file = ""; file.querySelector("select").value = ""; }
      button.disabled = !made.algorithm || !made.problem || (reads && !made.file);
    };
    begin.replaceChildren(element("label", { class: "choice" }, element("span", {}, "begin from"), chosen, list), menu("algorithm", "or a new one: algorithm", sources.algorithms), menu("problem", "problem", sources.problems), file, button);
    ready();
  }

  async function load() {
    try {
      const [list, text] = await Promise.all([ask("sources"), schema ? null : ask("schema")]);
      if (gone) return;
      sources = list;
      schema ??= new Schema(text, (base) => bases.get(base));
      pick();
      head();
      extended();
      const { query } = route;
      if (query.get("run")) await open({ run: query.get("run") }, "my-study.yaml");
      else if (query.get("name")) await open({ from: query.get("from") || "library", name: query.get("name") });
      // Nothing is written yet: there is an example to change.
      const [first] = sources.library.filter((one) => one.name === exampleName).concat(sources.library);
      if (query.size === 0 && first && draft.text === empty.text && editor.text === empty.text) {
        editor.area.value = ""; // which leaves the focus where it is
        await open({ from: "library", name: first.name });
        if (gone) return;
        example.textContent = `An example of the library, ${first.name}: ${first.text}. Change it, or begin from another.`;
        example.hidden = false;
      }
      if (query.size > 0) history.replaceState(null, "", "#/write"); // so that going back does not load it again
      performance.mark("write-shown");
    } catch (error) {
      remark.textContent = error.message;
    }
  }

  const unsaved = (event) => { if (editor.text !== draft.saved) event.preventDefault(); };
  addEventListener("beforeunload", unsaved);
  const saver = (event) => { if ((event.ctrlKey || event.metaKey) && event.key === "s" && sources?.save) { event.preventDefault(); write(); } };
  document.addEventListener("keydown", saver);
  tells(null);
  head();
  editor.area.value = draft.text;
  if (draft.text !== empty.text) edited(); // else an example comes
  load();
  return {
    close() {
      gone = true;
      clearTimeout(timer);
      clearTimeout(waiting);
      foreseen?.abort();
      judging?.abort();
      removeEventListener("beforeunload", unsaved);
      document.removeEventListener("keydown", saver);
      editor.remove();
    },
  };
}

// spends says what of privacy an arm costs a node. A loss that is no epsilon, such as a rho, follows the epsilon that
// it comes to.
function spends({ claimed, accounted, relation, epsilon, delta }) {
  const loss = epsilon ? `ε = ${rounded(epsilon)} at δ = ${rounded(delta)}: ${accounted}` : accounted;
  if (claimed === accounted && !epsilon) return claimed;
  return `claimed ${claimed}; accounted ${loss}${/\d/.test(accounted) && relation ? ` (${relation})` : ""}`;
}

// moment prints a time that may be short.
function moment(seconds) { return seconds < 0.1 ? (1000 * seconds).toPrecision(2) + " ms" : duration(seconds); }

// forecasted is what a run would take and spend.
function forecasted(f) {
  const rows = (list, label) => element("dl", { "aria-label": label }, list.filter(([, value]) => value !== "").map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value))));
  const missing = f.runs - f.there;
  return [
    f.complete ? element("p", {}, "The results are there already. ", element("a", { href: linkOf(f.id) }, "Look at them"), ".")
      : f.busy ? element("p", {}, "A process is at work on this run. ", element("a", { href: linkOf(f.id) }, "Watch it"), ".")
        : f.there > 0 && element("p", {}, `${counted(missing, "run")} of ${f.runs} would be made; ${f.there} are there already.`), // else the sentence beside the button has their number
    !f.complete && rows([["time of all cores", duration(f.processor)], ["at a time", counted(f.workers, "run")],
      ["seeds", f.seeds[0] === f.seeds[1] ? String(f.seeds[0]) : `${f.seeds[0]} to ${f.seeds[1]}`], ["goes to", element("code", {}, f.id)]], "what it takes"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "what each arm takes and spends" }, element("table", {}, element("caption", { class: "unseen" }, "what each arm takes and spends"),
      element("thead", {}, element("tr", {}, ["arm, and privacy of a node", "a run", "memory"].map((text, i) => element("th", { scope: "col", class: i > 0 ? "number" : null }, text)))),
      element("tbody", {}, f.arms.map((arm) => element("tr", {}, element("th", { scope: "row", title: arm.name }, arm.label, element("span", { class: "spends" }, spends(arm))),
        element("td", { class: "number" }, moment(arm.time)), element("td", { class: "number" }, bytes(arm.bytes))))))),
    f.remarks.length > 0 && element("ul", { class: "hint" }, f.remarks.map((text) => element("li", {}, text))),
  ].filter(Boolean);
}
