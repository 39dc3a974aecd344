// The runs of the folder.
import { element, duration, percent, when, counted, keepingFocus } from "./dom.js";
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

const columns = [
  { key: "scenario", title: "Scenario", width: "minmax(10rem, 2.4fr)", sort: (r) => r.scenario + " " + r.hash,
    cell: (r) => [element("a", { href: linkOf(r.id), tabindex: "-1" }, r.scenario), " ", element("code", { class: "hash" }, r.hash.slice(0, 8))] },
  { key: "status", title: "Status", width: "6.2rem", sort: (r) => statuses.indexOf(r.status), cell: badge },
  { key: "progress", title: "Progress", width: "minmax(5.4rem, 1fr)", least: 520, sort: (r) => r.progress,
    cell: (r) => [bar(r.progress), element("span", { class: "share" }, percent(r.progress))] },
  { key: "arms", title: "Arms", width: "4.2rem", number: true, least: 760, sort: (r) => (r.arms || []).length, cell: (r) => String((r.arms || []).length || "") },
  { key: "seeds", title: "Seeds", width: "4.4rem", number: true, least: 820, sort: (r) => r.seeds.count, cell: (r) => String(r.seeds.count || "") },
  { key: "elapsed", title: "Time", width: "6.2rem", number: true, least: 680, sort: (r) => r.elapsed, cell: (r) => duration(r.elapsed) },
  { key: "updated", title: "Changed", width: "9.6rem", least: 980, sort: (r) => Date.parse(r.updated) || null, cell: (r) => when(r.updated) },
  { key: "digest", title: "Digest", width: "6.6rem", least: 1100, sort: (r) => r.digest || null, cell: (r) => (r.digest ? element("code", {}, r.digest.slice(0, 8)) : "") },
  { key: "tags", title: "Tags", width: "minmax(5rem, 1.2fr)", least: 900, sort: (r) => r.tags.join(" ") || null,
    cell: (r) => r.tags.map((tag) => element("span", { class: "tag" }, tag)) },
];

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
  const table = new Table({
    columns, label: "runs", idOf: (r) => r.id, open: (r) => { location.hash = linkOf(r.id); },
    selected: (chosen) => { compare.disabled = chosen.size < 1; compare.textContent = chosen.size > 0 ? `Compare ${chosen.size}` : "Compare"; },
  });
  table.order = { key: "updated", down: true };
  table.heads();
  place.append(element("div", { class: "toolbar" }, element("h1", {}, "Runs"), search, chips, compare, count), remark, table.box);

  function openCompare() {
    const query = new URLSearchParams();
    for (const id of table.selection) query.append("run", id);
    location.hash = "#/compare?" + query;
  }

  function filter() { table.filter((r) => !off.has(r.status) && (!found || found.has(r.id))); say(); }

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
  }

  async function look() {
    const text = search.value.trim(), turn = ++asked;
    history.replaceState(null, "", text ? "#/runs?q=" + encodeURIComponent(text) : "#/runs");
    try {
      const ids = text ? (await ask("search", { q: text })).ids : null;
      if (turn !== asked) return;
      found = ids && new Set(ids);
      remark.textContent = "";
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
  load();
  return {
    changed({ changed, gone }) {
      for (const r of changed) byID.set(r.id, r);
      for (const id of gone) byID.delete(id);
      fill();
      if (search.value.trim() && changed.some((r) => !found?.has(r.id))) { clearTimeout(timer); timer = setTimeout(look, 500); }
    },
    again: load,
    close() { table.close(); clearTimeout(timer); document.removeEventListener("keydown", slash); asked++; },
  };
}
