// What single nodes learn of each other by the end of a run: a map of an arm, a node that learns
// a column, and a node of whom it learns a row, all under one scale.
import { element, section, table } from "./dom.js";
import { heat, size } from "./drawing.js";

const { number } = globalThis.starlingChart;
const dark = matchMedia("(prefers-color-scheme: dark)");

export class Pairs {
  constructor() {
    this.box = element("div", { class: "pairs" });
    this.maps = [];
    this.repaint = () => this.maps.forEach((draw) => draw());
    dark.addEventListener("change", this.repaint);
  }

  close() { dark.removeEventListener("change", this.repaint); }

  // show draws the maps of an answer, once: they are of all observers and units.
  show({ pairs, spread }) {
    if (this.box.firstChild || spread.rows.length === 0) return;
    const numbers = pairs.flatMap((map) => map.values.flat()).filter((v) => v !== null && v >= 0);
    const most = numbers.reduce((a, b) => Math.max(a, b), 0), unbounded = pairs.some((map) => map.values.flat().some((v) => v !== null && v < 0));
    this.box.append(section("What nodes learn of each other",
      element("p", { class: "hint" }, "Row: whose data. Column: who learns. Colour: epsilon at the end of the run, under the seed in which it is largest; darker is larger",
        numbers.length > 0 ? `, up to ${number(most)}` : "", unbounded ? "; red has no bound" : "", "."),
      pairs.length < spread.rows.length && element("p", { class: "hint" }, "Runs of more nodes than a screen has points are drawn by starling privacy --pairs."),
      element("div", { class: "pair-maps" }, pairs.map((map) => this.map(map, most))), table(spread, "pairs of nodes")));
  }

  map({ arm, units, observers, values }, most) {
    const canvas = element("canvas", { class: "pair-map", width: 2 * size, height: 2 * size, role: "img", "aria-label": `${arm}: epsilon of each pair of nodes; the table below sums it up` });
    const span = (list) => `${list[0]} to ${list[list.length - 1]}`, whole = `columns ${span(observers)}, rows ${span(units)}`;
    const said = element("p", { class: "hint pair-said", role: "status" }, whole);
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    const draw = () => heat(pen, values, most);
    canvas.addEventListener("mousemove", (event) => {
      const at = canvas.getBoundingClientRect(), part = (place, length, n) => Math.max(0, Math.min(n - 1, Math.floor(place / length * n)));
      const k = part(event.clientX - at.left, at.width, observers.length), i = part(event.clientY - at.top, at.height, units.length), value = values[i][k];
      said.textContent = `node ${observers[k]} of ${units[i]}: ${value === null ? "its own" : value < 0 ? "no bound" : number(value)}`;
    });
    canvas.addEventListener("mouseleave", () => { said.textContent = whole; });
    this.maps.push(draw);
    draw();
    return element("figure", { class: "chart" }, element("figcaption", {}, arm), canvas, said);
  }
}
