// The runs of the folder.
import { element, percent, when, ago, rounded, counted, estimate, keepingFocus, spoken, ticked } from "./dom.js";
import { ask } from "./api.js";
import { Table } from "./table.js";

export const statuses = ["running", "waiting", "failed", "damaged", "complete"];

// badge is the status of a run.
export function badge(run) {
  return element("span", { class: "status " + run.status, title: run.reason || null }, run.status);
}

// bar is how far a run has come.
export function bar(share, text) {
  const filled = element("span", { class: "filled" });
  filled.style.width = 100 * (share ?? 0) + "%";
  return element("span", { class: "progress", role: "img", "aria-label": text || percent(share) }, filled);
}

export const linkOf = (id, tab = "") => "#/run/" + encodeURIComponent(id) + (tab && "/" + tab);

// dot is the status of a run in a row, as a colour for the eye and a word for readers of screens.
function dot(run) {
  return element("span", { class: "dot status " + run.status, title: run.reason ? `${run.status}: ${run.reason}` : run.status }, element("span", { class: "unseen" }, run.status));
}

const mostKeys = 4; // columns of values by which runs differ

// sizes are keys that say how long a run is, which tells less of it: they come last, and narrow
// screens leave them out first.
const sizes = ["horizon", "seeds.count"];

// tellingKeys are the keys by which rows differ, the ones with the most values first.
function tellingKeys(rows) {
  const values = new Map();
  for (const r of rows) {
    for (const [key, value] of Object.entries(r.differs || {})) {
      if (!values.has(key)) values.set(key, new Set());
      values.get(key).add(value);
    }
  }
  const lacking = (key) => rows.some((r) => r.differs?.[key] === undefined);
  return [...values].filter(([key, set]) => set.size > 1 || lacking(key)).sort(([a, x], [b, y]) => sizes.includes(a) - sizes.includes(b) || y.size - x.size || (a < b ? -1 : 1)).map(([key]) => key);
}

// shortName is a key that is short, the last word of a long one, or the whole where another has the same.
function shortName(key, keys) {
  if (key.length <= 12) return key;
  const last = (one) => one.slice(one.lastIndexOf(".") + 1);
  return keys.some((other) => other !== key && last(other) === last(key)) ? key : last(key);
}

// side is an arrow to the better values of a headline.
function side(h) {
  if (!h?.better) return null;
  const lower = h.better === "lower", said = (lower ? "lower" : "higher") + " is better";
  return element("span", { role: "img", "aria-label": said, title: said }, lower ? " ↓" : " ↑");
}

// lines are what a cell says of the best arm of a run, and below it of the best private one where it is
// another.
function lines(h, said) {
  if (!h) return "";
  if (!h.private) return said(h);
  return [element("span", { class: "best-line" }, said(h)), element("span", { class: "best-line about" }, said(h.private))];
}

const valueOf = (a) => estimate(a.value ?? NaN, a.half);
const lossOf = (a) => (a.unbounded ? "∞" : (a.epsilon ?? null) === null ? "" : rounded(a.epsilon));

// decisive reports whether runs that differ in a key have headlines that do not compare.
const decisive = (key) => key === "horizon" || key === "nodes" || key === "problem" || key.startsWith("problem.");

// leading is the best headline of a group among the runs with horizon, nodes and problem as the latest one
// has, by the metric of that one; or, where no other run has them, words that say which of these differ.
function leading(rows, best) {
  const all = rows.filter((r) => (best(r)?.value ?? null) !== null);
  if (all.length === 0) return {};
  const latest = all.reduce((a, b) => (Date.parse(b.updated) > Date.parse(a.updated) ? b : a)), metric = best(latest).metric;
  const others = (r) => [...new Set([...Object.keys(r.differs || {}), ...Object.keys(latest.differs || {})])].filter((key) => decisive(key) && r.differs?.[key] !== latest.differs?.[key]);
  const equal = all.filter((r) => others(r).length === 0);
  if (equal.length === 1 && all.length > 1) {
    const keys = all.flatMap(others), differ = [["horizon", "horizons"], ["nodes", "nodes"]].find(([key]) => keys.includes(key));
    return { words: `${differ ? differ[1] : "problems"} differ` };
  }
  const side = best(latest).better === "higher" ? -1 : 1;
  const found = equal.map(best).filter((h) => h.metric === metric).reduce((a, b) => (side * b.value < side * a.value ? b : a));
  return { found, about: equal.length < rows.length ? `the best of ${equal.length} runs with horizon, nodes and problem as the latest of them has` : null };
}

// spanOf are the values that a key has in a group.
function spanOf(rows, key) {
  const values = [...new Set(rows.map((r) => r.differs?.[key]).filter((v) => v !== undefined))];
  if (values.length > 2 && values.every((v) => v !== "" && Number.isFinite(Number(v)))) {
    const numbers = values.map(Number);
    return `${Math.min(...numbers)} … ${Math.max(...numbers)}`;
  }
  return values.length > 2 ? `${values.length} values` : values.join(" | ");
}

const folds = { best: 440, epsilon: 720, hash: 840 }; // the widths from which values have columns of their own

// folded is the second line of a row that is too narrow for all columns: the values without one.
function folded(r, h, width) {
  if (width >= folds.hash) return null;
  const parts = [];
  if (width < folds.best && h) parts.push(valueOf(h) + ((r.arms || []).length > 1 ? " " + spoken(h.arm) : ""));
  if (width < folds.epsilon && h && (h.unbounded || (h.epsilon ?? null) !== null)) parts.push("ε " + (h.unbounded ? "∞" : rounded(h.epsilon)));
  return element("span", { class: "best-line about folded" }, element("code", { class: "hash" }, r.hash.slice(0, 8)), parts.map((text) => " · " + text));
}

// columnsOf are the columns for rows: what differs between them, and the headlines that are there.
function columnsOf(rows, headlines) {
  const keys = tellingKeys(rows).slice(0, mostKeys);
  const best = (r) => headlines.get(r.id)?.value;
  const metrics = new Set(rows.map((r) => best(r)?.metric).filter(Boolean));
  const only = metrics.size === 1 ? [...metrics][0] : "";
  const epsilon = (r) => (best(r)?.unbounded ? Infinity : best(r)?.epsilon ?? null);
  return [
    { key: "status", title: element("span", {}, element("span", { class: "dot", "aria-hidden": "true" }), element("span", { class: "unseen" }, "Status")), about: "status", width: "1.9rem", sort: (r) => statuses.indexOf(r.status), cell: dot,
      group: (rows) => { const busy = rows.find((r) => r.status === "running"); return busy ? [" ", dot(busy)] : ""; } },
    { key: "scenario", title: "Scenario", width: "minmax(9rem, 2.6fr)", sort: (r) => r.scenario + " " + r.hash,
      cell: (r, width, inside) => {
        const name = element("a", { href: linkOf(r.id), tabindex: "-1", title: r.description || null }, r.scenario);
        const line = r.status === "running" ? [name, bar(r.progress), element("span", { class: "share" }, percent(r.progress))] : [name, inside ? null : element("span", { class: "about" }, " " + (r.description || ""))];
        const second = folded(r, best(r), width);
        return second ? [element("span", { class: "best-line" }, line), second] : line;
      },
      group: (rows, name, width) => {
        const busy = rows.filter((r) => r.status === "running"), share = busy.reduce((sum, r) => sum + (r.progress ?? 0), 0) / busy.length;
        const line = [element("strong", {}, name), element("span", { class: "about" }, ` ${counted(rows.length, "run")}`), busy.length > 0 && bar(share, `${percent(share)} of ${counted(busy.length, "run")} under way`)];
        const { found: h, words } = leading(rows, best);
        const about = width >= folds.hash ? "" : h ? `best ${valueOf(h)} ${spoken(h.arm)}${lossOf(h) ? " · ε " + lossOf(h) : ""}` : words;
        return about ? [element("span", { class: "best-line" }, line), element("span", { class: "best-line about folded" }, about)] : line;
      } },
    ...keys.map((key, i) => ({ key: "differs " + key, title: shortName(key, keys), about: key, width: i ? "minmax(4.5rem, 1fr)" : "minmax(3.4rem, 1fr)", least: sizes.includes(key) ? 900 : i && 560 + 130 * i,
      sort: (r) => r.differs?.[key] ?? null, cell: (r) => element("span", { title: `${key}: ${r.differs?.[key] ?? "not set"}` }, r.differs?.[key] ?? ""),
      group: (rows) => element("span", { class: "about", title: key }, spanOf(rows, key)) })),
    { key: "best", title: only ? element("span", {}, only, side(rows.map(best).find(Boolean))) : "Headline", about: "the metric of the first figure, of the best arm, ± half of its 95 % interval; below it, of the best arm with a finite privacy loss", width: "minmax(7rem, 1fr)", least: folds.best, number: true,
      sort: (r) => (best(r) ? [best(r).metric, best(r).value ?? NaN] : null),
      cell: (r) => (headlines.awaits(r) ? element("span", { class: "about", title: "being read" }, "…", element("span", { class: "unseen" }, "being read"))
        : lines(best(r), valueOf)),
      group: (rows) => { const { found, words, about } = leading(rows, best); return element("span", { class: words ? "about" : null, title: about || null }, words || lines(found, valueOf)); } },
    ...(only || metrics.size === 0 ? [] : [{ key: "metric", title: "Metric", about: "the metric of the headline", width: "minmax(9.6rem, .8fr)", least: 1000, sort: (r) => best(r)?.metric ?? null,
      cell: (r) => element("span", { class: "about" }, best(r) ? best(r).metric : "", side(best(r))), group: (rows) => { const h = leading(rows, best).found; return h && element("span", { class: "about" }, h.metric, side(h)); } }]),
    { key: "arm", title: "Best arm", about: "the best arm by the headline; below it, the best one with a finite privacy loss", width: "minmax(6.5rem, 1.1fr)", least: folds.best,
      sort: (r) => best(r)?.arm ?? null,
      cell: (r) => lines(best(r), (a) => element("span", { title: a.arm }, (r.arms || []).length > 1 ? spoken(a.arm) : "–")),
      group: (rows) => lines(leading(rows, best).found, (a) => element("span", { title: a.arm }, spoken(a.arm))) },
    { key: "epsilon", title: "ε", about: "the accounted privacy loss of that arm over the run", width: "4.2rem", number: true, least: folds.epsilon, sort: (r) => epsilon(r) === Infinity && best(r).private ? best(r).private.epsilon : epsilon(r),
      cell: (r) => lines(best(r), lossOf), group: (rows) => lines(leading(rows, best).found, lossOf) },
    ...(keys.includes("seeds.count") ? [] : [{ key: "seeds", title: "Seeds", width: "3.6rem", number: true, least: 1100, sort: (r) => r.seeds?.count || null, cell: (r) => String(r.seeds?.count || "") }]),
    { key: "updated", title: "When", width: "6rem", least: 560, sort: (r) => Date.parse(r.updated) || null, cell: (r) => element("span", { title: when(r.updated) }, ago(r.updated)),
      group: (rows) => ago(rows.reduce((a, r) => (Date.parse(r.updated) > Date.parse(a) ? r.updated : a), rows[0].updated)) },
    { key: "hash", title: "Run", width: "5.4rem", least: folds.hash, sort: (r) => r.hash, cell: (r) => element("code", { class: "hash" }, r.hash.slice(0, 8)) },
    ...(rows.some((r) => r.tags.length > 0) ? [{ key: "tags", title: "Tags", width: "minmax(4rem, 1fr)", least: 1000, sort: (r) => r.tags.join(" ") || null,
      cell: (r) => r.tags.map((tag) => element("span", { class: "tag" }, tag)) }] : []),
  ];
}

// Headlines are asked for some at a time, and kept as long as their runs are the same.
class Headlines {
  constructor(came) { Object.assign(this, { came, known: new Map(), busy: false, over: false, told: -Infinity }); }

  get(id) { return this.known.get(id); }

  // awaits says that the headline of a run is still to come.
  awaits(r) { return r.shown && !this.lost && !this.known.has(r.id); }

  // want asks for those of rows that are not known, after the rows are on the screen. What has come is
  // told now and then: the table is put in order anew each time.
  async want(rows) {
    this.rows = rows;
    if (this.busy) return;
    this.busy = true;
    this.lost = false;
    await onScreen();
    const seal = (r) => r.digest + r.updated, tell = () => { this.told = performance.now(); if (!this.over) this.came(); };
    for (let untold = false; ;) {
      const next = this.rows.filter((r) => r.shown && this.known.get(r.id)?.seal !== seal(r)).slice(0, 50);
      if (next.length === 0 || this.over) { if (untold) tell(); break; }
      let answer;
      try { answer = (await ask("headlines", { id: next.map((r) => r.id) })).headlines; } catch { this.lost = true; tell(); break; } // the next change asks again
      for (const r of next) this.known.set(r.id, { seal: seal(r), value: answer[r.id] || null });
      untold = performance.now() - this.told < 400;
      if (!untold) tell();
    }
    this.busy = false;
  }
}

// Intervals are asked for a run at a time, of the rows in sight, where the headline is a statistic over the
// seeds: each takes long.
class Intervals {
  constructor(headlines, came) { Object.assign(this, { headlines, came, rows: [], busy: false, over: false }); }

  async want(rows) {
    this.rows = rows;
    if (this.busy) return;
    this.busy = true;
    for (;;) {
      const lacks = (r) => { const h = this.headlines.get(r.id)?.value; return h && h.half === null && !h.asked && r.seeds?.count > 1; };
      const next = this.rows.find(lacks);
      if (!next || this.over) break;
      const h = this.headlines.get(next.id).value;
      h.asked = true;
      try {
        const { intervals } = await ask("intervals", { id: next.id });
        if (intervals) { h.half = intervals.half; if (h.private) h.private.half = intervals.private; if (!this.over) this.came(); }
      } catch { /* the value stands without it */ }
    }
    this.busy = false;
  }
}

// onScreen waits until a change of the document is drawn; a page that is hidden draws none.
const onScreen = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 500); });

const mostOpen = 25; // of more runs groups are closed at first
let grouping = true; // stays while other views are looked at

export function show(place, route) {
  const off = new Set(); // statuses that are not shown
  let found = null; // IDs that the search means; null is all
  let byID = new Map();
  let asked = 0, timer, leading = false;
  const search = element("input", { type: "search", placeholder: "scenario, tag, arm, or mechanism.epsilon<=1", "aria-label": "search in runs and their parameters",
    value: route.query.get("q") || "", autocomplete: "off", spellcheck: "false", oninput: () => { clearTimeout(timer); timer = setTimeout(look, 150); } });
  const chips = element("div", { class: "chips", role: "group", "aria-label": "status" });
  const count = element("span", { class: "count", role: "status" });
  const remark = element("p", { class: "remark", role: "alert" });
  const compare = element("button", { type: "button", class: "primary", disabled: true, onclick: () => openCompare() }, "Compare");
  const headlines = new Headlines(() => { table.arrange(); table.draw(); performance.mark("headlines-shown"); });
  const intervals = new Intervals(headlines, () => table.again());
  const table = new Table({
    drew: (rows) => intervals.want(rows),
    group: (r) => r.scenario,
    columns: (rows) => columnsOf(rows, headlines), order: { key: "updated", down: true }, label: "runs", idOf: (r) => r.id, open: (r) => { location.hash = linkOf(r.id); }, fold: { below: folds.hash, height: 54 },
    selected: (chosen) => { compare.disabled = chosen.size < 1; compare.textContent = chosen.size > 0 ? `Compare ${chosen.size}` : "Compare"; },
  });
  table.grouped = grouping;
  const busy = new Set(); // scenarios of which a run has been under way: these stay in sight
  table.openAtFirst = (rows) => {
    if (rows.some((r) => r.status === "running")) busy.add(rows[0].scenario);
    return busy.has(rows[0].scenario) || table.shown.length <= mostOpen || search.value.trim() !== "";
  };
  const groups = ticked("by scenario", grouping, (on) => { table.grouped = grouping = on; table.turned.clear(); table.arrange(); table.draw(); });
  place.append(element("div", { class: "toolbar" }, element("h1", {}, "Runs"), search, chips, groups, compare, count), remark, table.box);

  function openCompare() {
    const query = new URLSearchParams();
    for (const id of table.selection) query.append("run", id);
    location.hash = "#/compare?" + query;
  }

  function filter() { table.filter((r) => !off.has(r.status) && (!found || found.has(r.id))); say(); headlines.want(table.shown); }

  function say() {
    count.textContent = table.shown.length === table.rows.length ? counted(table.rows.length, "run") : `${table.shown.length} of ${counted(table.rows.length, "run")}`;
    table.empty.textContent = table.rows.length === 0 ? "There are no runs in this folder yet. “starling run NAME --out FOLDER” makes one, and so does the view Write; this page shows it while it goes on."
      : table.shown.length === 0 ? "No run is meant by this search." : "";
  }

  function chip(status) {
    const n = table.rows.filter((r) => r.status === status).length;
    return element("button", { type: "button", class: "chip " + status, "aria-pressed": String(!off.has(status)), "data-status": status,
      onclick: () => { if (!off.delete(status)) off.add(status); refresh(); filter(); } }, status, element("span", { class: "n" }, String(n)));
  }

  function refresh() {
    const focused = document.activeElement?.dataset?.status;
    keepingFocus(chips, () => chips.replaceChildren(...statuses.map(chip)));
    if (focused) chips.querySelector(`[data-status="${focused}"]`)?.focus();
  }

  function fill() {
    table.set([...byID.values()]);
    refresh();
    say();
    headlines.want(table.shown);
  }

  async function look() {
    const text = search.value.trim(), turn = ++asked;
    history.replaceState(null, "", text ? "#/runs?q=" + encodeURIComponent(text) : "#/runs");
    try {
      const answer = text ? await ask("search", { q: text }) : null;
      if (turn !== asked) return;
      remark.textContent = answer?.remark || "";
      if (remark.textContent) return; // the rows stay as they were
      found = answer && new Set(answer.ids);
    } catch (error) {
      if (turn !== asked) return;
      remark.textContent = error.message;
    }
    filter();
  }

  async function load() {
    try {
      const answer = await ask("runs");
      document.title = "Starling: " + answer.folder;
      byID = new Map(answer.runs.map((r) => [r.id, r]));
      fill();
      if (search.value.trim()) await look();
      performance.mark("runs-shown");
    } catch (error) {
      remark.textContent = error.message;
    }
  }

  const slash = (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    leading = true;
    search.focus();
  };
  document.addEventListener("keydown", slash);
  // A browser that is busy can still write the letter that led here.
  search.addEventListener("beforeinput", (event) => { if (leading && event.data === "/") event.preventDefault(); });
  search.addEventListener("keyup", () => { leading = false; });
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); table.box.focus(); table.active = Math.max(0, table.active); table.mark(); }
    if (event.key === "Escape" && search.value) { search.value = ""; look(); }
  });
  const clock = setInterval(() => table.again(), 30000); // times are told from now
  load();
  return {
    changed({ changed, gone }) {
      for (const r of changed) byID.set(r.id, r);
      for (const id of gone) byID.delete(id);
      fill();
      if (search.value.trim() && changed.some((r) => !found?.has(r.id))) { clearTimeout(timer); timer = setTimeout(look, 500); }
    },
    again: load,
    close() { headlines.over = intervals.over = true; clearInterval(clock); table.close(); clearTimeout(timer); document.removeEventListener("keydown", slash); asked++; },
  };
}
