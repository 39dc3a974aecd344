// The events of a run, which are read when the reader opens them.
import { element, counted, spoken, when } from "./dom.js";
import { ask } from "./api.js";

export class Events {
  constructor(id, labels) {
    Object.assign(this, { id, labels });
    this.body = element("div", {});
    this.place = element("details", { class: "fold events" }, element("summary", {}, "Events"), this.body);
    this.place.addEventListener("toggle", () => this.load());
  }

  // load reads the events anew while they are open.
  async load() {
    if (!this.place.open || this.busy) return;
    this.busy = true;
    try {
      this.show(await ask("log", { id: this.id }));
    } catch (error) {
      this.body.replaceChildren(element("p", { class: "remark" }, error.message));
    }
    this.busy = false;
  }

  show({ events, more }) {
    const clock = (text) => `${when(text)}:${String(new Date(text).getSeconds()).padStart(2, "0")}`;
    const rows = events.map((event) => element("tr", { class: event.level === "info" ? null : "told-apart" },
      element("th", { scope: "row" }, clock(event.time)), element("td", {}, event.arm ? `${spoken(event.arm, this.labels)}, seed ${event.seed}` : "run"), element("td", {}, event.level === "info" ? event.text : `${event.level}: ${event.text}`)));
    this.body.replaceChildren(rows.length === 0 ? element("p", { class: "hint" }, "Nothing is recorded yet.")
      : element("div", { class: "scroll event-list", tabindex: "0", role: "region", "aria-label": "events" }, element("table", {}, element("caption", { class: "unseen" }, "events, the latest first"),
        element("thead", {}, element("tr", {}, ["time", "of", "event"].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, rows))),
    more ? element("p", { class: "hint" }, `The latest ${counted(rows.length, "event")}; log.jsonl in the folder of the run has all.`) : "");
  }
}
