// The first figure of a finished run's study, beside its finding.
import { element, linkOf } from "./dom.js";
import { ask, sourceOf } from "./api.js";
import { Charts } from "./figures.js";

// First is the figure with the axes that the study asks for. It is drawn once, and stays where it is
// while the rest of the page is drawn anew.
export class First {
  constructor() {
    this.place = element("div", { class: "charts" });
    this.notes = element("div", { class: "notes" });
    this.charts = new Charts(this.place, true);
  }

  // show returns the section; null where the run has no figure.
  show(d) {
    if (!d.figure) return null;
    if (!this.section) {
      const query = new URLSearchParams();
      for (const [key, value] of Object.entries(d.figure)) for (const one of [value].flat()) query.append(key, String(one));
      this.section = element("section", { class: "first-figure" }, element("h2", { class: "unseen" }, "Figure"), this.place, this.notes,
        element("p", { class: "hint" }, element("a", { href: linkOf(d.id, "figures") + "?" + query }, "Change this figure")));
      this.load(d);
    }
    return this.section;
  }

  async load(d) {
    try {
      const answer = await ask("figure", { id: d.id, ...d.figure });
      if (this.over) return;
      this.place.classList.toggle("several", answer.charts.length > 1);
      this.section.classList.toggle("wide", answer.charts.length > 2);
      this.charts.show(answer.charts, "first", answer.picture, sourceOf("figure.png", { id: d.id, ...d.figure }), true);
      this.notes.replaceChildren(...answer.remarks.map((text) => element("p", { class: "hint" }, text)));
    } catch (error) {
      this.notes.replaceChildren(element("p", { class: "hint" }, error.message)); // the rest of the run is there
    }
  }

  close() { this.over = true; this.charts.close(); }
}
