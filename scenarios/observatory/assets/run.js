// One run: how far it is, what came out, its figures, its privacy, and its scenario.
import { element, table, sortable, facts, section, below, heading, duration, percent, counted, when, keepingFocus, badge, bar, linkOf, shaded, shellWord } from "./dom.js";
import { ask, tell } from "./api.js";
import { progress, estimated, soFar, Curves } from "./live.js";
import * as figures from "./figures.js";
import { First } from "./first.js";
import { Events } from "./events.js";
import * as privacy from "./privacy.js";
import * as network from "./network.js";

const tabs = [["", "Overview"], ["figures", "Figures"], ["privacy", "Privacy"], ["network", "Network"], ["scenario", "Scenario"]];

const soon = 90; // seconds; a run that ends later has the time of its end

// ends is the time of day at which a run ends that has so many seconds left; empty for soon or another day.
function ends(left) {
  const end = new Date(Date.now() + 1000 * left);
  return left > soon && left < 12 * 3600 ? `, until ${String(end.getHours()).padStart(2, "0")}:${String(end.getMinutes()).padStart(2, "0")}` : "";
}

const patience = 8000; // of the question whether a run is to stop, in milliseconds

export function show(place, route) {
  const id = route.parts[0] || "";
  const head = element("div", { class: "run-head" });
  const nav = element("nav", { class: "tabs", "aria-label": "parts of the run" });
  const remark = element("p", { class: "remark", role: "alert" });
  const body = element("div", { class: "tab" });
  place.append(head, nav, remark, body);
  let detail = null, tab = null, part = null, busy = false, stale = false, gone = false, asked = false;
  let checking = false, timer = null, doubted = null; // doubted is the timer of a question

  // What changes all the time is put anew; the button is not, so that it keeps the focus, and
  // that no click on it is lost.
  const title = element("div", {}), info = element("span", { class: "run-info" }), notes = element("div", {});
  const act = element("button", { type: "button", onclick: () => {
    const { verb } = act.dataset;
    if (!verb || asked) return;
    if (verb === "stop" && !doubted) { doubt(true); return; }
    doubt(false);
    tellOf(verb);
  } });
  const retract = element("button", { type: "button", hidden: true, onclick: () => { doubt(false); act.focus(); } }, "Keep running");
  const state = element("div", { class: "run-state" }, info, act, retract);

  // doubt has the button ask whether a run is to stop; the question goes away by itself.
  function doubt(on) {
    clearTimeout(doubted);
    doubted = on ? setTimeout(() => doubt(false), patience) : null;
    if (detail) top();
  }

  function top() {
    if (!head.contains(act)) {
      head.replaceChildren(title, state, notes);
      title.replaceChildren(element("p", { class: "crumb" }, element("a", { href: "#/runs" }, "Runs"), " / "),
        element("h1", {}, detail.scenario, " ", element("code", { class: "hash" }, detail.hash)));
      nav.replaceChildren(...tabs.map(([key, name]) => element("a", { href: linkOf(id, key), "data-tab": key }, name)));
    }
    info.replaceChildren(...[badge(detail), detail.verifying ? element("span", { class: "hint verifying", title: "its files are being held against their checksums" }, "being verified") : null, detail.shown ? null : [bar(detail.progress), element("span", { class: "share" }, percent(detail.progress))],
      detail.left ? element("span", {}, estimated(detail.live) ? "about " + duration(detail.left) + " left" + ends(detail.left) : "estimating the time left") : null,
      detail.tags.map((text) => element("span", { class: "tag" }, text))].flat().filter(Boolean));
    const [text, verb] = control();
    Object.assign(act, { hidden: !text, textContent: text, className: verb === "start" ? "primary" : "" });
    act.dataset.verb = verb;
    act.setAttribute("aria-disabled", String(!verb || asked));
    retract.hidden = !doubted || verb !== "stop";
    notes.replaceChildren(
      detail.reason && !gone ? element("p", { class: detail.status === "waiting" || detail.status === "running" ? "hint" : "warning" }, detail.reason) : "",
      elsewhere() && element("p", { class: "hint elsewhere" }, "A process that this page has not started makes this run. Ctrl-C where it was started stops it and saves its state",
        detail.live?.process ? [", or, on ", element("code", {}, detail.live.host), ", ", element("code", {}, `kill -INT ${detail.live.process}`)] : "", ". It can go on later, here as well."),
      detail.child.error && !gone && !detail.reason?.includes(detail.child.error) ? element("p", { class: "warning" }, detail.child.error) : "",
      gone ? element("p", { class: "warning" }, "This run has been deleted. What is shown is what this page has read of it.") : "");
    for (const link of nav.children) {
      if (link.dataset.tab === tab) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
  }

  // control is what the button says and does: stop a run of this page, or have one go on.
  function control() {
    const { child, writes, status } = detail;
    if (!writes || gone || status === "complete") return ["", ""];
    if (child.state === "begins" || child.state === "runs") return [doubted ? "Stop, and save the state" : "Stop", "stop"];
    if (child.state === "stops" && status === "running") return ["Stopping …", ""];
    return status === "waiting" || status === "failed" ? ["Go on", "start"] : ["", ""];
  }

  // elsewhere tells that a run goes on which this page cannot stop.
  const elsewhere = () => detail.status === "running" && detail.writes && !gone && detail.child.state === "unknown" ? true : "";

  async function tellOf(verb) {
    asked = true;
    remark.textContent = "";
    top();
    try {
      await tell(verb, { id });
    } catch (error) {
      remark.textContent = error.message;
    } finally {
      asked = false;
      load(false, remark.textContent);
    }
  }

  function turn(to) {
    part?.close?.();
    body.replaceChildren();
    tab = tabs.some(([key]) => key === to.parts[1]) ? to.parts[1] : "";
    top();
    document.title = `Starling: ${detail.scenario} ${detail.hash}`;
    part = { "": overview, figures: figures.show, privacy: privacy.show, network: network.show, scenario }[tab](body, detail, to);
  }

  function nothing(why) {
    head.replaceChildren(element("p", { class: "crumb" }, element("a", { href: "#/runs" }, "Runs"), " / "), element("h1", {}, id));
    remark.textContent = why;
  }

  // load asks for the run. Said is a remark that stays.
  async function load(first, said = "") {
    clearTimeout(timer);
    if (busy) { stale = true; return; }
    busy = true;
    try {
      const answer = await ask("run", { id });
      if (answer.gone) {
        gone = true;
        if (detail) top(); else nothing("There is no such run in the folder; it may have been deleted.");
        return;
      }
      detail = answer;
      gone = false;
      remark.textContent = said;
      if (first) turn(route);
      else { top(); if (!checking || !detail.shown) part?.changed?.(detail); }
      checking = Boolean(detail.verifying);
      if (checking) timer = setTimeout(() => load(false), 700); // nothing else tells when it is done
    } catch (error) {
      if (detail) remark.textContent = error.message; else nothing(error.message);
    } finally {
      busy = false;
      if (stale) { stale = false; load(!detail); }
    }
  }

  load(true);
  return {
    moved(to) {
      if (to.parts[0] !== id || !detail) return false;
      if ((to.parts[1] || "") === tab) part?.moved?.(to);
      else turn(to);
      return true;
    },
    changed(change) {
      if (change.gone.includes(id) && detail) { gone = true; top(); return; }
      if (change.changed.some((run) => run.id === id)) load(!detail);
    },
    again() { load(!detail); },
    close() { clearTimeout(timer); clearTimeout(doubted); timer = null; part?.close?.(); },
  };
}

// overview shows how far the run is, warnings, and the last values.
function overview(place, detail) {
  let values = null, asked = false, gone = false;
  const curves = new Curves(), first = new First(), events = new Events(detail.id, detail.arm_labels);
  const fold = element("details", { class: "fold" }); // of the progress of many arms
  const provenance = element("details", { class: "provenance" }); // stays open or closed when the rest is drawn anew
  // What came out is asked for once: marking the best arms takes longer than the rest.
  async function load(d) {
    if (asked || !d.shown) return;
    asked = true;
    try {
      values = await ask("values", { id: d.id });
    } catch (error) {
      values = { last: [], notes: [], marks: error.message };
    }
    if (!gone) fill(d);
  }
  // origin has the parts that say where values come from.
  function origin(d) {
    provenance.replaceChildren(element("summary", {}, element("h2", {}, "Provenance")),
      facts([["starling", d.version], ["digest", d.digest && element("code", {}, d.digest.slice(0, 16))], ["paper", d.paper && d.paper.title], ["follows", d.paper && d.paper.figure]]),
      ...[values && values.notes.length > 0 && below("Derived", values.notes.map((t, i) => table(t, i > 0 ? `derived, ${i + 1}` : "derived"))),
        d.files && below("Files", table({ header: ["file", "bytes", "SHA-256"], rows: d.files.map((f) => [f.name, String(f.size), f.sha256.slice(0, 16) + " …"]) }, "files"))].filter(Boolean));
    return provenance;
  }
  const fill = (d) => keepingFocus(place, () => {
    const figure = d.shown ? first.show(d) : null, rest = figure ? null : curves.show(d), now = rest && soFar(d);
    // A finding by two keys has charts as wide as the page, which stand above it.
    const wide = Boolean(d.provisional?.grid), going = now && (wide ? now : element("div", { class: "answer" }, element("div", { class: "found" }, now), curves.lead));
    const warnings = d.warning_lines.length > 0 && element("section", { class: "warning" }, element("h2", {}, counted(d.warning_lines.length, "warning")),
      element("ul", {}, d.warning_lines.map((line) => element("li", {}, line))), d.more_warnings && element("p", {}, d.more_warnings));
    const finding = values?.finding?.table.rows.length > 0 && section("Finding", element("p", {}, values.finding.heading), answer(values.finding), values.finding.costs && table(values.finding.costs, "cost of privacy"), values.finding.texts.map((text) => element("p", { class: "hint" }, text)));
    place.replaceChildren(...[
      d.description && element("p", { class: "description" }, d.description),
      values?.finding && opening(values.finding, values.claims),
      facts([
        ["arms", (d.arms || []).length || ""], ["seeds", d.seeds.count ? `${d.seeds.count}, from ${d.seeds.base}` : ""],
        ["steps", d.horizon ? `${d.horizon}, from ${d.first_step}` : ""], ["runs", d.runs.all ? `${d.runs.done} of ${d.runs.all}` : ""],
        ["time", duration(d.elapsed)], ["changed", when(d.updated)]]),
      figure ? element("div", { class: "answer" }, element("div", { class: "found" }, finding, warnings), figure) : [finding, wide && rest && curves.lead, going, d.live && progress(d, fold), d.live && events.place, rest, warnings].flat(), // the curve first, in sight
      d.shown && section("Last values", element("p", { class: "hint" }, "At the last step, the mean over the seeds."),
        values ? [values.last.map((t) => lastValues(t, d.arm_labels)), [values.marks, values.errors, values.same].map((text) => text && element("p", { class: "hint" }, text))] : element("p", { class: "hint waiting" }, "…")),
      d.fact_lines && section("Notes", element("ul", {}, d.fact_lines.map((line) => element("li", {}, line)))),
      values?.spread?.rows.length > 0 && section("What nodes learn of each other", element("p", { class: "hint" }, "ε between pairs of nodes at the end of the run, of each pair the largest over the seeds. ", element("a", { href: linkOf(d.id, "privacy") }, "Maps of all pairs"), "."), table(values.spread, "pairs of nodes")),
      values?.ledger && element("p", { class: "hint" }, "Privacy, accounted and claimed: ", element("a", { href: linkOf(d.id, "privacy") }, "Privacy"), "."),
      d.shown && events.place,
      (d.version || d.digest || d.files) && origin(d),
      !d.live && !d.shown && element("p", { class: "hint" }, "Nothing can be shown of this run yet."),
    ].flat().filter(Boolean));
  });
  fill(detail);
  load(detail);
  return { changed(d) { fill(d); load(d); events.load(); }, close() { gone = true; curves.close(); first.close(); } };
}

// lastValues is a table of last values, which is sorted by a click where its rows are arms.
function lastValues(t, labels) {
  const made = table(t, "last values"), arms = new Set(Object.values(labels));
  made.classList.add("last-values");
  return t.rows.length > 1 && t.rows.every(([name]) => arms.has(name)) ? sortable(made) : made;
}

// doubts begin sentences that say that a result is no difference: they stand in one paragraph with it.
const doubts = /^(No other|Most others|None of|The other arm is not|These are means|All others there|Of the \d+ others there)/;

// opening is the question of a study and its answer, and which claims of privacy are kept.
function opening({ question, answer: texts }, claims) {
  const [result, ...others] = texts, unsure = others.filter((text) => doubts.test(text)), rest = others.filter((text) => !doubts.test(text));
  return element("div", { class: "opening" }, element("p", { class: "question" }, question), result && element("p", { class: "result" }, result, unsure.length > 0 && element("span", { class: "unsure" }, " " + unsure.join(" "))), rest.map((text) => element("p", {}, text)), claims && element("p", {}, claims));
}

// answer is the table of a finding; one by two keys is a heat map of its numbers, the best in bold.
function answer({ table: t, best, shares }) {
  const made = table(t, "finding", undefined, (cell, row, column) => {
    shaded(cell, shares?.[row]?.[column - 1]);
    if (best?.[row]?.[column]) cell.classList.add("best");
  });
  if (shares) made.classList.add("heat-table");
  return made;
}

// scenario is the file as it was run.
function scenario(place, detail) {
  place.append(heading("The file as it was run"),
    detail.writes && detail.scenario_text ? element("p", {}, element("a", { class: "button", href: "#/write?run=" + encodeURIComponent(detail.id) }, "Write another from it")) : "",
    detail.scenario_text ? element("pre", { class: "yaml", tabindex: "0", "aria-label": "scenario.yaml" }, highlighted(detail.scenario_text)) : element("p", { class: "hint" }, "The folder has no scenario that can be read."),
    section("To run it again", element("pre", { class: "commands", tabindex: "0" }, `starling run scenario.yaml\nstarling report ${shellWord(detail.dir)}`)),
    detail.versions ? section("Made by", facts(Object.entries({ starling: detail.versions.starling, Go: detail.versions.go,
      platform: detail.versions.goos + "/" + detail.versions.goarch, arithmetic: detail.versions.arithmetic }))) : "");
  return {};
}

const token = /(^|\s)(#.*)$|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([\w.\-/=]+)(?=:(?:\s|$))|((?<=[\s[,{]|^)[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?=[\s,\]}]|$))/gm;

// highlighted colours YAML for the eye; it does not parse.
export function highlighted(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(token)) {
    const [whole, space, comment, string, key] = match;
    const kind = comment ? "comment" : string ? "string" : key ? "key" : "number";
    const shown = comment || whole;
    parts.push(text.slice(at, match.index + (comment ? space.length : 0)), element("span", { class: kind }, shown));
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}
