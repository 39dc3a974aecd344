// A list of finished runs to choose from, for a comparison: a search, and a box for each run.
import { element, when, ago, counted } from "./dom.js";
import { ask } from "./api.js";

const mostListed = 100; // a search finds the others

// addressOf is the place of the comparison of runs.
export const addressOf = (ids) => "#/compare?" + new URLSearchParams(ids.map((id) => ["run", id]));

export class Picker {
  constructor(chosen = []) {
    this.chosen = new Set(chosen);
    this.runs = [];
    this.found = null;
    this.turn = 0;
    this.search = element("input", { type: "search", placeholder: "scenario, tag, arm, or mechanism.epsilon<=1", "aria-label": "search in runs to compare", autocomplete: "off", spellcheck: "false",
      oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.look(), 150); } });
    this.go = element("button", { type: "button", class: "primary", disabled: true, onclick: () => { location.hash = addressOf([...this.chosen]); } }, "Compare");
    this.count = element("span", { class: "count", role: "status" });
    this.remark = element("p", { class: "remark", role: "alert" });
    this.list = element("div", { class: "picker-list" });
    this.place = element("div", { class: "picker" }, element("div", { class: "toolbar" }, this.search, this.go, this.count), this.remark, this.list);
    this.load();
  }

  close() { clearTimeout(this.timer); this.turn++; }

  async load() {
    const now = ++this.turn;
    try {
      const answer = await ask("runs");
      if (now !== this.turn) return;
      this.runs = answer.runs.filter((r) => r.shown).sort((a, b) => Date.parse(b.updated) - Date.parse(a.updated));
      this.draw();
    } catch (error) {
      this.remark.textContent = error.message;
    }
  }

  async look() {
    const text = this.search.value.trim(), now = ++this.turn;
    try {
      const answer = text ? await ask("search", { q: text }) : null;
      if (now !== this.turn) return;
      this.remark.textContent = answer?.remark || "";
      if (!answer?.remark) this.found = answer && new Set(answer.ids);
    } catch (error) {
      if (now !== this.turn) return;
      this.remark.textContent = error.message;
    }
    this.draw();
  }

  draw() {
    const fitting = this.runs.filter((r) => !this.found || this.found.has(r.id));
    const groups = new Map();
    for (const r of fitting.slice(0, mostListed)) groups.set(r.scenario, [...groups.get(r.scenario) || [], r]);
    this.list.replaceChildren(
      ...[...groups].map(([scenario, rows]) => element("fieldset", {}, element("legend", {}, scenario, element("span", { class: "about" }, ` ${counted(rows.length, "run")}`)), rows.map((r) => this.run(r)))),
      fitting.length > mostListed ? element("p", { class: "hint" }, `The latest ${mostListed} of ${counted(fitting.length, "run")}; a search finds the others.`) : "",
      fitting.length === 0 ? element("p", { class: "hint" }, this.runs.length === 0 ? "There are no finished runs in this folder yet." : "No finished run is meant by this search.") : "");
    this.say();
  }

  run(r) {
    const box = element("input", { type: "checkbox", checked: this.chosen.has(r.id), onchange: () => { if (box.checked) this.chosen.add(r.id); else this.chosen.delete(r.id); this.say(); } });
    const differs = Object.entries(r.differs || {}).map(([key, value]) => `${key} = ${value}`).join(", ");
    return element("label", { class: "picked-run" }, box, element("code", { class: "hash" }, r.hash.slice(0, 8)),
      element("span", {}, differs || r.description || "", " ", element("span", { class: "about" }, `${counted((r.arms || []).length, "arm")}, ${counted(r.seeds?.count || 0, "seed")}`)),
      element("span", { class: "about", title: when(r.updated) }, ago(r.updated)));
  }

  say() {
    const n = this.chosen.size;
    this.go.disabled = n === 0;
    this.go.textContent = n === 0 ? "Compare" : n === 1 ? "Compare its arms" : `Compare ${n}`;
    this.count.textContent = n === 0 ? "nothing is chosen" : `${counted(n, "run")} chosen`;
  }
}
