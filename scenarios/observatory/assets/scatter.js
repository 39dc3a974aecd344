// A chart of the runs in the table: a point for each, over a setting, the privacy loss or the time. It is loaded when it is
// asked for. The table has the same numbers.
import { element, drawn, choice, keepingFocus, rounded, counted, linkOf, when } from "./dom.js";
import { led } from "./columns.js";

const high = 260, left = 74, right = 24, top = 14, bottom = 46; // of the picture, in pixels
const mostAsked = 60; // points of which intervals are asked for
const hues = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#808000"];
const log = (least, most) => least > 0 && most > 8 * least;

// marksOf are round numbers from one to another, about most of them; on a logarithmic axis powers of ten and, of few, multiples.
function marksOf(low, up, bent, most) {
  const found = [];
  if (bent) {
    for (const multiples of [[1], [1, 3], [1, 2, 5]]) {
      found.length = 0;
      for (let e = Math.floor(Math.log10(low)); e <= Math.log10(up); e++) for (const m of multiples) { const v = Number(`${m}e${e}`); if (v >= low && v <= up) found.push(v); }
      if (found.length >= most - 1) break;
    }
    return found.filter((_, i) => i % Math.ceil(found.length / (2 * most)) === 0);
  }
  const power = 10 ** Math.floor(Math.log10((up - low) / most)), step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= (up - low) / most * (1 - 1e-9));
  for (let i = Math.ceil(low / step); i * step <= up; i++) found.push(i * step);
  return found;
}

// scaleOf is an axis: of numbers, logarithmic where these are far apart, of times, or of words at equal distances.
function scaleOf(values, { time = false, bent = !time && log(Math.min(...values), Math.max(...values)), most = 5 } = {}) {
  if (!values.every((v) => typeof v === "number")) {
    const names = [...new Set(values.map(String))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    return { words: true, at: (v) => (names.indexOf(String(v)) + 0.5) / names.length, ticks: names.map((name, i) => [(i + 0.5) / names.length, name]) };
  }
  const [f, g] = bent ? [Math.log, Math.exp] : [(v) => v, (v) => v], least = f(Math.min(...values)), end = f(Math.max(...values));
  const room = (end - least || Math.abs(end) || 1) * 0.06, low = least - room, up = end + room, at = (v) => (f(v) - low) / (up - low);
  const marks = time ? [0.06, 0.5, 0.94].map((part) => low + part * (up - low)) : marksOf(g(low), g(up), bent, most);
  return { bent, low: g(low), up: g(up), at: (v) => Math.max(0, Math.min(1, at(v))), ticks: marks.map((v) => [at(v), time ? (up - low < 36e5 ? new Date(v).toTimeString().slice(0, 8) : when(v).slice(5)) : rounded(Number(v.toPrecision(6)))]).filter(([, text], i, all) => i === 0 || text !== all[i - 1][1]) };
}

// Scatter draws the rows that the table shows. headlineOf(row) is the headline of a run, and keep(name, value) has the
// address name a choice.
export class Scatter {
  constructor(table, headlineOf, choices, keep) {
    Object.assign(this, { table, headlineOf, keep, x: choices.get("chart") || "", colour: choices.get("colour") || "", y: choices.get("chart_y") || "" });
    this.controls = element("div", { class: "pickers" });
    this.picture = element("div", { class: "scatter" });
    this.said = element("p", { class: "hint", role: "status" });
    this.place = element("section", { class: "runs-chart", "aria-label": "chart of the runs" }, this.controls, this.picture, this.said);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.picture);
  }

  close() { this.observer.disconnect(); this.place.remove(); }

  // axes are the columns that can be an axis or give colours: settings, the privacy loss, sizes and the time.
  axes() { return this.table.columns.filter((c) => !["status", "best", "metric", "arm", "hash", "tags"].includes(c.key)); }

  // valueOf is the place of a run by a column; null where it has none.
  valueOf(c, r) {
    if (c.key === "scenario") return r.scenario;
    const v = c.sort(r);
    if (v === null || v === "" || v === Infinity) return null;
    return c.number || c.key === "updated" ? Number(v) : String(v);
  }

  draw() {
    const width = this.picture.clientWidth;
    if (width === 0) return;
    const all = this.table.shown.map((r) => ({ r, h: led(this.headlineOf(r)) })).filter(({ h }) => h && Number.isFinite(h.value));
    const counts = new Map();
    for (const { h } of all) counts.set(h.metric, (counts.get(h.metric) || 0) + 1);
    const metrics = [...counts].sort((a, b) => b[1] - a[1]);
    if (metrics.length === 0) { this.picture.replaceChildren(); this.controls.replaceChildren(); this.said.textContent = "No run in the table has a headline yet."; return; }
    const metric = counts.has(this.y) ? this.y : metrics[0][0], of = all.filter(({ h }) => h.metric === metric), axes = this.axes();
    const varied = (c) => new Set(of.map(({ r }) => this.valueOf(c, r)).filter((v) => v !== null)).size;
    const axis = axes.find((c) => c.key === this.x) ?? axes.find((c) => c.key.startsWith("differs ") && varied(c) > 1) ?? axes.find((c) => c.key === "epsilon" && varied(c) > 1) ?? axes.find((c) => c.key === "scenario");
    const shade = axes.find((c) => c.key === this.colour) ?? (varied(axes.find((c) => c.key === "scenario")) > 1 ? axes.find((c) => c.key === "scenario") : axes.find((c) => c.key !== axis.key && c.key.startsWith("differs ") && varied(c) > 1) ?? axes.find((c) => c.key === "scenario"));
    const points = of.map((p) => ({ ...p, x: this.valueOf(axis, p.r), colour: String(this.valueOf(shade, p.r) ?? "not set") })).filter((p) => p.x !== null);
    this.choose(metrics, metric, axes, axis, shade);
    const names = [...new Set(points.map((p) => p.colour))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    this.drew?.(points.slice(0, mostAsked).map(({ r }) => r));
    this.picture.replaceChildren(...(points.length > 0 ? [this.svg(points, metric, axis, width, names), this.legend(names, shade)] : []));
    this.rest = `${counted(points.length, "run")} of ${this.table.shown.length} in the table${points.length > 0 ? ", with the 95 % intervals of their headlines, of which wide ones go on beyond the edge; a click on a point opens its run" : ` has ${axis.name}`}.`;
    this.said.textContent = this.rest;
  }

  choose(metrics, metric, axes, axis, shade) {
    const set = (name, field) => (value) => { this[field] = value; this.keep(name, value); this.draw(); };
    const named = axes.map((c) => [c.key, c.key === "updated" ? "time" : c.name]);
    keepingFocus(this.controls, () => this.controls.replaceChildren(
      choice("headline (y)", metrics.map(([name, n]) => [name, `${name}, ${counted(n, "run")}`]), metric, set("chart_y", "y")),
      choice("x", named, axis.key, set("chart", "x")), choice("colour", named, shade.key, set("colour", "colour"))));
  }

  legend(names, shade) {
    return names.length < 2 ? "" : element("ul", { class: "scatter-keys" }, element("li", { class: "about" }, shade.name + ":"), names.slice(0, 16).map((name, i) => element("li", {}, drawn("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, this.mark(6, 6, i)), " " + name)), names.length > 16 && element("li", { class: "about" }, `and ${names.length - 16} more`));
  }

  // mark is the point of a group: its colour, and another form once the colours are used up.
  mark(x, y, i) {
    const fill = hues[i % hues.length];
    return i < hues.length ? drawn("circle", { cx: x, cy: y, r: 4.5, fill }) : drawn("rect", { x: x - 4, y: y - 4, width: 8, height: 8, fill });
  }

  svg(points, metric, axis, width, names) {
    const ends = ({ h }) => (h.half > 0 && Number.isFinite(h.half) ? [h.value - h.half, h.value + h.half] : [h.value, h.value]);
    // Intervals that are much wider than the values lie apart end at the edge.
    const ys = points.map(({ h }) => h.value), least = Math.min(...ys), greatest = Math.max(...ys), bent = log(least, greatest), far = greatest - least || Math.abs(greatest);
    const y = scaleOf([...ys, ...points.flatMap(ends).map((v) => (bent ? Math.max(least / 2, Math.min(2 * greatest, v)) : Math.max(least - far / 2, Math.min(greatest + far / 2, v))))], { bent }), x = scaleOf(points.map((p) => p.x), { time: axis.key === "updated" });
    // Points of one word stand beside each other.
    const alike = new Map();
    if (x.words) for (const p of points) alike.set(p.x, [...alike.get(p.x) || [], p]);
    const slot = (width - left - right) / Math.max(1, x.ticks.length), beside = (p) => { const list = alike.get(p.x) || [p]; return (list.indexOf(p) - (list.length - 1) / 2) * Math.min(10, 0.8 * slot / list.length); };
    const px = (p) => left + x.at(p.x) * (width - left - right) + beside(p), py = (v) => top + (1 - y.at(v)) * (high - top - bottom), most = Math.max(4, Math.floor((width - left - right) / Math.max(1, x.ticks.length) / 7.2));
    const short = (text) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
    const marks = points.map((p) => {
      const [low, up] = ends(p), made = drawn("g", { class: "scatter-point" }, low < up ? drawn("line", { x1: px(p), x2: px(p), y1: py(Math.max(low, y.low)), y2: py(Math.min(up, y.up)), stroke: hues[names.indexOf(p.colour) % hues.length] }) : null, this.mark(px(p), py(p.h.value), names.indexOf(p.colour)), drawn("circle", { cx: px(p), cy: py(p.h.value), r: 11, fill: "transparent" }));
      const text = `${p.r.scenario} ${p.r.hash.slice(0, 8)}: ${metric} ${rounded(p.h.value)}${low < up ? ` (${rounded(low)} to ${rounded(up)})` : ""}, ${axis.name} ${axis.key === "updated" ? when(p.x) : p.x}`;
      made.addEventListener("mouseenter", () => { this.said.textContent = text; });
      made.addEventListener("mouseleave", () => { this.said.textContent = this.rest; });
      made.addEventListener("click", () => { location.hash = linkOf(p.r.id); });
      made.append(drawn("title", {}, text));
      return made;
    });
    const rule = high - bottom;
    return drawn("svg", { viewBox: `0 0 ${width} ${high}`, width, height: high, role: "img", "aria-label": `${metric} of ${counted(points.length, "run")} by ${axis.name}. The table has the numbers.` },
      y.ticks.map(([at, text]) => [drawn("line", { x1: left, x2: width - right, y1: top + (1 - at) * (rule - top), y2: top + (1 - at) * (rule - top), class: "rule" }), drawn("text", { x: left - 8, y: top + (1 - at) * (rule - top) + 4, "text-anchor": "end" }, text)]),
      drawn("line", { x1: left, x2: width - right, y1: rule, y2: rule, class: "edge" }),
      x.ticks.map(([at, text]) => drawn("text", { x: left + at * (width - left - right), y: rule + 18, "text-anchor": "middle" }, short(text), drawn("title", {}, text))),
      drawn("text", { x: (left + width - right) / 2, y: high - 6, "text-anchor": "middle", class: "axis-name" }, (axis.key === "updated" ? "time" : axis.name) + (x.bent ? ", log" : "")),
      drawn("text", { x: 12, y: (top + rule) / 2, transform: `rotate(-90 12 ${(top + rule) / 2})`, "text-anchor": "middle", class: "axis-name" }, metric + (y.bent ? ", log" : "")), marks);
  }
}
