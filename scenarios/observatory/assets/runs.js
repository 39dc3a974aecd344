// The runs of the folder.
import { element, counted, keepingFocus, linkOf, ticked } from "./dom.js";
import { ask } from "./api.js";
import { Table } from "./table.js";
import { columnsOf, narrow, statuses } from "./columns.js";

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
      let answer, labels;
      try { ({ headlines: answer, labels } = await ask("headlines", { id: next.map((r) => r.id) })); } catch { this.lost = true; tell(); break; } // the next change asks again
      for (const r of next) this.known.set(r.id, { seal: seal(r), value: answer[r.id] ? { ...answer[r.id], labels: labels[r.id] } : null });
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
        if (intervals) { h.half = intervals.half; if (h.private) h.private.half = intervals.private; if (h.choice) h.choice.half = intervals.choice; if (!this.over) this.came(); }
      } catch { /* the value stands without it */ }
    }
    this.busy = false;
  }
}

// onScreen waits until a change of the document is drawn; a page that is hidden draws none.
const onScreen = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); setTimeout(done, 500); });

const mostOpen = 25; // of more runs groups are closed at first
const usual = { key: "updated", down: true }; // the order without a choice

export function show(place, route) {
  const off = new Set(route.query.getAll("hide")); // statuses that are not shown
  let chosen = route.query.has("columns") ? new Set(route.query.getAll("columns")) : null; // columns; null is what suits the width
  const sorted = route.query.get("sort");
  let found = null; // IDs that the search means; null is all
  let byID = new Map();
  let asked = 0, timer, leading = false;
  const search = element("input", { type: "search", placeholder: "scenario, tag, arm, or mechanism.epsilon<=1", "aria-label": "search in runs and their parameters",
    value: route.query.get("q") || "", autocomplete: "off", spellcheck: "false", oninput: () => { clearTimeout(timer); timer = setTimeout(look, 150); } });
  const chips = element("div", { class: "chips", role: "group", "aria-label": "status" });
  const count = element("span", { class: "count", role: "status" });
  const remark = element("p", { class: "remark", role: "alert" });
  const compare = element("button", { type: "button", class: "primary", disabled: true, onclick: () => openCompare() }, "Compare");
  const headlines = new Headlines(() => { table.arrange(); table.draw(); chart?.draw(); performance.mark("headlines-shown"); });
  // An interval makes a text longer: the width of its column is chosen anew, so that no number is cut.
  const intervals = new Intervals(headlines, () => { table.arrange(); table.draw(); chart?.draw(); });
  let table = null; // asks for its columns while it is made
  let inSight = [], charted = []; // rows for which intervals are asked: of the table, and of the chart
  table = new Table({
    drew: (rows) => { inSight = rows; intervals.want([...inSight, ...charted]); },
    group: (r) => r.scenario,
    columns: (rows) => columnsOf(rows, headlines, chosen, table?.grouped ?? !route.query.has("flat")), order: usual, sorted: address, label: "runs", idOf: (r) => r.id, open: (r) => { location.hash = linkOf(r.id); }, fold: { below: narrow, height: 62 },
    selected: (chosen) => { compare.disabled = chosen.size < 1; compare.textContent = chosen.size > 0 ? `Compare ${chosen.size}` : "Compare"; act(chosen.size > 0); },
  });
  table.grouped = !route.query.has("flat");
  if (sorted) table.order = { key: sorted.replace(/^-/, ""), down: sorted.startsWith("-") };
  const busy = new Set(); // scenarios of which a run has been under way: these stay in sight
  table.openAtFirst = (rows) => {
    if (rows.some((r) => r.status === "running")) busy.add(rows[0].scenario);
    return busy.has(rows[0].scenario) || table.shown.length <= mostOpen || search.value.trim() !== "";
  };
  const groups = ticked("by scenario", table.grouped, (on) => { table.grouped = on; table.turned.clear(); address(); table.arrange(); table.draw(); });
  const menu = columnMenu();
  const charting = element("button", { type: "button", "aria-pressed": "false", title: "a point for each run, over a setting", onclick: () => draw(!chart) }, "Chart");
  place.append(element("div", { class: "toolbar" }, element("h1", {}, "Runs"), search, chips, groups, menu, charting, compare, count), remark, table.box);

  // act shows what can be done with the selected runs.
  let actions = null, chart = null, over = false;
  async function act(some) {
    if (some && !actions) {
      const { Actions } = await import("./actions.js");
      actions ??= new Actions(() => [...table.selection].map((id) => byID.get(id)).filter(Boolean), () => { table.clear(); table.box.focus({ preventScroll: true }); }, (text) => { remark.textContent = text; });
      compare.after(actions.place);
    }
    actions?.refresh();
  }

  // draw opens or closes the chart above the table. Its choices stand in the address.
  const drawing = new Map([...route.query].filter(([key]) => ["chart", "chart_y", "colour"].includes(key)));
  async function draw(on) {
    charting.setAttribute("aria-pressed", String(on));
    if (on) {
      const { Scatter } = await import("./scatter.js");
      if (over || chart) return;
      if (!drawing.has("chart")) drawing.set("chart", "");
      chart = new Scatter(table, (r) => headlines.get(r.id)?.value, drawing, (name, value) => { drawing.set(name, value); address(); });
      chart.drew = (rows) => { charted = rows; intervals.want([...inSight, ...charted]); };
      table.box.before(chart.place);
    } else {
      chart?.close();
      chart = null;
      charted = [];
      drawing.clear();
    }
    address();
  }
  if (drawing.has("chart")) draw(true);

  // address keeps the choices in the address of the page.
  function address() {
    const { key, down } = table.order, query = new URLSearchParams();
    if (search.value.trim()) query.set("q", search.value.trim());
    if (key !== usual.key || down !== usual.down) query.set("sort", (down ? "-" : "") + key);
    for (const name of chosen || []) query.append("columns", name);
    for (const name of off) query.append("hide", name);
    if (!table.grouped) query.set("flat", "true");
    for (const [name, value] of drawing) query.set(name, value);
    history.replaceState(null, "", "#/runs" + (query.size > 0 ? "?" + query : ""));
  }

  // columnMenu chooses the columns of the table, from those that the runs have when it is opened.
  function columnMenu() {
    const list = element("div", { class: "arm-list" }), box = element("details", { class: "arm-picker column-picker" }, element("summary", {}, "columns"), list);
    const apply = () => { address(); table.arrange(); table.draw(); };
    function fill() {
      const shown = chosen || table.seen;
      keepingFocus(list, () => list.replaceChildren(element("button", { type: "button", disabled: !chosen, onclick: () => { chosen = null; apply(); fill(); } }, "what suits the width"),
        ...table.columns.filter((c) => !c.always).map((c) => ticked(c.name, shown.has(c.key), (on) => {
          if (!chosen) { chosen = new Set(table.columns.filter((one) => !one.always && table.seen.has(one.key)).map((one) => one.key)); list.querySelector("button").disabled = false; }
          if (on) chosen.add(c.key); else chosen.delete(c.key);
          apply();
        }))));
    }
    box.addEventListener("toggle", () => { if (box.open) fill(); });
    box.addEventListener("keydown", (event) => { if (event.key === "Escape") { box.open = false; box.querySelector("summary").focus(); } });
    box.addEventListener("focusout", (event) => { if (event.relatedTarget && !box.contains(event.relatedTarget)) box.open = false; });
    return box;
  }

  function openCompare() {
    const query = new URLSearchParams();
    for (const id of table.selection) query.append("run", id);
    location.hash = "#/compare?" + query;
  }

  function filter() { table.filter((r) => !off.has(r.status) && (!found || found.has(r.id))); say(); headlines.want(table.shown); chart?.draw(); }

  function say() {
    count.textContent = table.shown.length === table.rows.length ? counted(table.rows.length, "run") : `${table.shown.length} of ${counted(table.rows.length, "run")}`;
    table.empty.textContent = table.rows.length === 0 ? "There are no runs in this folder yet. “starling run NAME --out FOLDER” makes one, and so does the view Write; this page shows it while it goes on."
      : table.shown.length === 0 ? "No run is meant by this search." : "";
  }

  function chip(status) {
    const n = table.rows.filter((r) => r.status === status).length;
    return element("button", { type: "button", class: "chip " + status, "aria-pressed": String(!off.has(status)), "data-status": status,
      onclick: () => { if (!off.delete(status)) off.add(status); address(); refresh(); filter(); } }, status, element("span", { class: "n" }, String(n)));
  }

  function refresh() {
    const focused = document.activeElement?.dataset?.status;
    keepingFocus(chips, () => chips.replaceChildren(...statuses.filter((status) => off.has(status) || table.rows.some((r) => r.status === status)).map(chip)));
    if (focused) chips.querySelector(`[data-status="${focused}"]`)?.focus();
  }

  function fill() {
    table.set([...byID.values()]);
    refresh();
    say();
    actions?.refresh();
    chart?.draw();
    headlines.want(table.shown);
  }

  async function look() {
    const text = search.value.trim(), turn = ++asked;
    address();
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
    // Keys that go through the rows do so from wherever nothing else takes them.
    if ([document.body, place].includes(event.target) && (event.key in { ArrowDown: 1, ArrowUp: 1, PageDown: 1, PageUp: 1, Home: 1, End: 1 } || event.key === "Enter" && table.active >= 0)) {
      table.box.focus({ preventScroll: true });
      table.key(event);
      return;
    }
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
    close() { headlines.over = intervals.over = over = true; chart?.close(); clearInterval(clock); table.close(); clearTimeout(timer); document.removeEventListener("keydown", slash); asked++; },
  };
}
