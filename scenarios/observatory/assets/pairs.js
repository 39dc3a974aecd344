// What single nodes learn of each other by the end of a run: a map of an arm, a node that learns
// a column, and a node of whom it learns a row, all under one scale, beside the losses by the
// distance of the nodes in the network.
import { element, section, below, table, choice, drawn, save } from "./dom.js";
import { heat, size, shade, unbounded } from "./drawing.js";

const { number } = globalThis.starlingChart;
const dark = matchMedia("(prefers-color-scheme: dark)");
const mostTicks = 8;
let figures = 0; // with names of their own

export class Pairs {
  // files are buttons for pictures of the maps, and name is the beginning of the name of a file.
  constructor(files = "", name = "run") {
    Object.assign(this, { files, name });
    this.box = element("div", { class: "pairs" });
    this.maps = [];
    this.order = "near";
    this.from = null;
    this.repaint = () => this.maps.forEach((draw) => draw());
    dark.addEventListener("change", this.repaint);
  }

  close() { dark.removeEventListener("change", this.repaint); }

  // show draws the maps of an answer, once: they are of all observers and units.
  show({ pairs, spread }) {
    if (this.box.firstChild || spread.rows.length === 0) return;
    const numbers = pairs.flatMap((map) => map.values.flat()).filter((v) => v !== null && v >= 0);
    const most = numbers.reduce((a, b) => Math.max(a, b), 0), infinite = pairs.some((map) => map.values.flat().some((v) => v !== null && v < 0));
    this.from = pairs[0]?.units[0] ?? null;
    const several = pairs.some((map) => map.seeds);
    this.box.append(section("What nodes learn of each other",
      element("p", { class: "hint" }, `Row: whose data. Column: who learns. Colour: epsilon at the end of the run${several ? "; captions say over which seeds" : ""}.`),
      this.controls(pairs), pairs.length > 0 ? this.scale(most, numbers.length > 0, infinite) : "",
      pairs.length < spread.rows.length && element("p", { class: "hint" }, "Runs of more nodes than a screen has points are drawn by starling privacy --pairs."),
      element("div", { class: "pair-maps" }, pairs.map((map) => this.map(map, most))),
      below("Spread over the pairs", several && element("p", { class: "hint" }, "Of the losses in the boxes: where the network is the same under all seeds, the largest of each pair over them; else of each pair under each seed."), table(spread, "pairs of nodes"))));
  }

  // csv are the losses in the maps.
  csv(pairs) {
    const rows = pairs.flatMap((map) => map.units.flatMap((unit, i) => map.observers.flatMap((node, k) => (map.values[i][k] === null ? [] : [[JSON.stringify(map.arm), unit, node, map.values[i][k] < 0 ? "Inf" : map.values[i][k], map.hops?.[i][k] ?? ""].join(",")]))));
    return ["arm,unit,node,epsilon,edges", ...rows].join("\n") + "\n";
  }

  // controls choose the order of the nodes.
  controls(pairs) {
    if (this.files && pairs.length > 0) this.files.append(element("button", { type: "button", onclick: () => save(new Blob([this.csv(pairs)], { type: "text/csv" }), `${this.name}-pairs.csv`) }, "CSV"));
    if (!pairs.some((map) => map.order)) return element("div", { class: "pickers" }, this.files);
    const from = element("input", { type: "number", value: this.from, min: Math.min(...pairs.flatMap((m) => m.units)), max: Math.max(...pairs.flatMap((m) => m.units)),
      oninput: () => { this.from = Number(from.value); this.repaint(); } });
    const node = element("label", { class: "choice", hidden: true }, element("span", {}, "from node"), from);
    return element("div", { class: "pickers" },
      choice("order of nodes", [["near", "neighbours together"], ["number", "by number"], ["distance", "by distance from a node"]], this.order, (value) => { this.order = value; node.hidden = value !== "distance"; this.repaint(); }), node, this.files);
  }

  // scale is the bar of colours.
  scale(most, finite, infinite) {
    const parts = Array.from({ length: 60 }, (_, k) => drawn("rect", { x: k * 4, y: 0, width: 5, height: 12, fill: shade((k + 0.5) / 60).fill }));
    const square = (fill, name) => drawn("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, drawn("rect", { width: 12, height: 12, fill, class: name }));
    return element("figure", { class: "colour-bar" },
      finite ? element("span", {}, "ε 0", drawn("svg", { viewBox: "0 0 241 12", width: 241, height: 12, preserveAspectRatio: "none", role: "img", "aria-label": `colours from 0 to ${number(most)}` }, parts), number(most)) : "",
      infinite ? element("span", {}, square(unbounded.fill), "no bound") : "", element("span", {}, square(null, "no-pair"), "no pair"));
  }

  // ordered are the indices of some numbers of nodes in the order that is chosen; distance is
  // that of an index, in edges, from the chosen node.
  ordered(map, numbers, distance) {
    const all = numbers.map((_, i) => i);
    if (this.order === "near" && map.order) {
      const place = new Map(map.order.map((v, k) => [v, k]));
      all.sort((a, b) => place.get(numbers[a]) - place.get(numbers[b]));
    }
    if (this.order === "distance" && map.hops) {
      const far = (i) => (numbers[i] === this.from ? 0 : distance(i) < 0 ? Infinity : distance(i) ?? Infinity);
      all.sort((a, b) => (far(a) === far(b) ? a - b : far(a) - far(b)));
    }
    return all;
  }

  map(map, most) {
    const { arm, units, observers, values } = map;
    const canvas = element("canvas", { class: "pair-map", width: 2 * size, height: 2 * size, role: "img" });
    const said = element("p", { class: "hint pair-said", role: "status" });
    const down = element("div", { class: "pair-rows", "aria-hidden": "true" }), across = element("div", { class: "pair-columns", "aria-hidden": "true" });
    const byzantine = new Set(map.byzantine || []);
    const pen = canvas.getContext("2d");
    pen.scale(2, 2);
    let rows = [], columns = [], whole = "";
    const draw = () => {
      const i = units.indexOf(this.from), k = observers.indexOf(this.from);
      rows = this.ordered(map, units, (r) => (k >= 0 ? map.hops[r][k] : undefined));
      columns = this.ordered(map, observers, (c) => (i >= 0 ? map.hops[i][c] : undefined));
      whole = `Order: ${this.order === "number" || !map.order ? "their numbers" : this.order === "near" ? map.order_text : `distance from node ${this.from} in the network`}.`
        + (byzantine.size > 0 ? ` ◆: Byzantine, ${[...byzantine].join(", ")}.` : "");
      said.textContent = whole;
      canvas.setAttribute("aria-label", `${arm}: epsilon of each pair of nodes; the table below sums it up. ${whole}`);
      ticks(down, rows.map((r) => units[r]), "top", byzantine);
      ticks(across, columns.map((c) => observers[c]), "left", byzantine);
      heat(pen, rows.map((r) => columns.map((c) => values[r][c])), most);
    };
    canvas.addEventListener("mousemove", (event) => {
      const at = canvas.getBoundingClientRect(), part = (place, length, n) => Math.max(0, Math.min(n - 1, Math.floor(place / length * n)));
      const k = columns[part(event.clientX - at.left, at.width, observers.length)], i = rows[part(event.clientY - at.top, at.height, units.length)], value = values[i][k];
      const hops = map.hops && map.hops[i][k] > 0 ? `, ${map.hops[i][k]} ${map.hops[i][k] === 1 ? "edge" : "edges"} apart` : "";
      said.textContent = `node ${observers[k]} of ${units[i]}: ${value === null ? "its own" : value < 0 ? "no bound" : number(value)}${hops}`;
    });
    canvas.addEventListener("mouseleave", () => { said.textContent = whole; });
    this.maps.push(draw);
    draw();
    return element("figure", { class: "pair-figure" }, element("figcaption", {}, map.seeds ? `${arm} (${map.seeds})` : arm),
      element("div", { class: "pair-both" },
        element("div", { class: "pair-frame" }, element("span", { class: "pair-y" }, "whose data"), down, canvas, across, element("span", { class: "pair-x" }, "who learns")),
        map.boxes?.some((b) => b.hops >= 0 && b.quartiles[0] >= 0) ? boxes(map.boxes, arm) : ""), said);
  }
}

// ticks writes some numbers of nodes along a side of a map.
function ticks(place, numbers, side, byzantine) {
  const every = Math.ceil(numbers.length / mostTicks);
  place.replaceChildren(...numbers.flatMap((v, k) => {
    if (k % every !== 0 && !(byzantine.has(v) && numbers.length <= 40)) return [];
    const one = element("span", {}, byzantine.has(v) ? `◆ ${v}` : String(v));
    one.style[side] = `${(k + 0.5) / numbers.length * 100}%`;
    return [one];
  }));
}

// boxes draws the spread of the losses at each distance: a box between the quartiles, a line at
// the median, whiskers to the least and the most.
function boxes(list, arm) {
  const kept = list.filter((b) => b.hops >= 0 && b.quartiles[0] >= 0), all = kept.flatMap((b) => b.quartiles).filter((v) => v >= 0);
  const most = Math.max(...all), least = Math.min(...all), log = least > 0 && most > 20 * least, last = kept[kept.length - 1].hops;
  const [wide, high, left, top] = [250, 210, 46, 22], step = wide / (last + 1);
  const low = log ? least : 0, y = (v) => top + high * (1 - (most === low ? 0.5 : log ? Math.log(v / low) / Math.log(most / low) : (v - low) / (most - low)));
  const marks = log ? [least, Math.sqrt(least * most), most] : [0, most / 4, most / 2, 3 * most / 4, most];
  const items = marks.flatMap((v) => [drawn("line", { x1: left, x2: left + wide, y1: y(v), y2: y(v), class: "rule" }), drawn("text", { x: left - 5, y: y(v) + 4, "text-anchor": "end" }, number(v))]);
  const every = Math.ceil((last + 1) / 10);
  for (const b of kept) {
    const x = left + (b.hops + 0.5) * step, half = Math.min(9, 0.36 * step), q = b.quartiles, end = q.findLast((v) => v >= 0);
    items.push(drawn("g", { class: "spread" }, drawn("title", {}, `${b.hops} ${b.hops === 1 ? "edge" : "edges"}: ${b.pairs} pairs, median ${q[2] < 0 ? "no bound" : number(q[2])}, ${number(q[0])} to ${q[4] < 0 ? "no bound" : number(q[4])}`),
      drawn("line", { x1: x, x2: x, y1: y(q[0]), y2: y(end) }),
      q[3] >= 0 ? drawn("rect", { x: x - half, width: 2 * half, y: y(q[3]), height: Math.max(1, y(q[1]) - y(q[3])) }) : null,
      q[2] >= 0 ? drawn("line", { x1: x - half, x2: x + half, y1: y(q[2]), y2: y(q[2]), class: "median" }) : null));
    if (b.hops % every === 0 || kept.length === 1) items.push(drawn("text", { x, y: top + high + 15, "text-anchor": "middle" }, String(b.hops)));
  }
  const id = "pair-boxes-" + ++figures;
  const words = kept.map((b) => `${b.hops}: ${b.quartiles[2] < 0 ? "no bound" : number(b.quartiles[2])}`).join("; ");
  return drawn("svg", { viewBox: `0 0 ${left + wide + 4} ${top + high + 36}`, class: "pair-boxes", role: "img", "aria-labelledby": `${id}-title ${id}-desc` },
    drawn("title", { id: id + "-title" }, `${arm}: epsilon by the number of edges between the nodes`), drawn("desc", { id: id + "-desc" }, `Medians by the number of edges: ${words}.`),
    drawn("text", { x: 0, y: 12 }, `ε by distance${log ? ", log" : ""}`), items, drawn("text", { x: left + wide / 2, y: top + high + 32, "text-anchor": "middle" }, "edges between the nodes"));
}
