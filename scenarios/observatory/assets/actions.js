// What can be done with the selected runs besides a comparison: tags, and their folders as words of a command. It is loaded with
// the first selection.
import { element, copy, counted, keepingFocus, shellWord } from "./dom.js";
import { tell } from "./api.js";

// Actions is the bar of the selection. runsOf() are the selected runs, clear empties the selection, and remark(text) tells
// what went wrong.
export class Actions {
  constructor(runsOf, clear, remark) {
    Object.assign(this, { runsOf, remark });
    const writes = Boolean(document.querySelector('.bar a[href="#/write"]'));
    this.word = element("input", { type: "text", placeholder: "a new tag", "aria-label": "a new tag of the selected runs", autocomplete: "off", spellcheck: "false", maxlength: 64 });
    this.list = element("div", { class: "tag-list" });
    const form = element("form", { onsubmit: (event) => { event.preventDefault(); const tag = this.word.value.trim(); if (tag) this.set([tag], []); } }, this.word, " ", element("button", {}, "Add"));
    this.menu = element("details", { class: "arm-picker tag-picker" }, element("summary", {}, "tags"), element("div", { class: "arm-list" }, form, this.list));
    this.menu.addEventListener("keydown", (event) => { if (event.key === "Escape") { this.menu.open = false; this.menu.querySelector("summary").focus(); } });
    this.menu.addEventListener("focusout", (event) => { if (event.relatedTarget && !this.menu.contains(event.relatedTarget)) this.menu.open = false; });
    this.place = element("span", { class: "selection-actions", role: "group", "aria-label": "the selected runs" }, writes ? this.menu : "",
      element("button", { type: "button", title: "the folders of the selected runs, as words of a command", onclick: (event) => copy(runsOf().map((r) => shellWord(r.dir || r.id)).join(" "), event.target) }, "Copy folders"),
      element("button", { type: "button", onclick: clear }, "Clear"));
  }

  // refresh shows the tags of the selected runs.
  refresh() {
    const rows = this.runsOf(), counts = new Map();
    this.place.hidden = rows.length === 0;
    if (rows.length === 0) this.menu.open = false;
    for (const r of rows) for (const tag of r.tags) counts.set(tag, (counts.get(tag) || 0) + 1);
    keepingFocus(this.list, () => this.list.replaceChildren(...[...counts].sort().map(([tag, n]) => element("p", {}, element("span", { class: "tag" }, tag), element("span", { class: "about" }, ` ${n === rows.length ? "all" : counted(n, "run")} `),
      n < rows.length && element("button", { type: "button", class: "fix", "aria-label": `give ${tag} to all`, onclick: () => this.set([tag], []) }, "to all"), " ",
      element("button", { type: "button", class: "fix", "aria-label": `take ${tag} off`, onclick: () => this.set([], [tag]) }, "take off")))));
  }

  async set(add, remove) {
    try {
      await tell("tags", { ids: this.runsOf().map((r) => r.id), add, remove });
      this.remark("");
      if (add.length > 0) this.word.value = "";
    } catch (error) {
      this.remark(error.message);
    }
  }
}
