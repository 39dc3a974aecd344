// All arms of the compared runs at once: a line for each arm over axes of the settings in which they differ, of the
// privacy loss and of a metric. A part of an axis that is chosen leaves the lines through it. The table
// below has the same numbers.
import { element, drawn, table, sortable, section, choice, keepingFocus, rounded, counted, linkOf } from "./dom.js";
import { ask } from "./api.js";
import { shade } from "./drawing.js";
import { keyName } from "./settings.js";

const { isDark } = globalThis.starlingChart;
const dark = matchMedia("(prefers-color-scheme: dark)");
const mostAxes = 7; // besides those of the loss and of the metric
const top = 30, bottom = 16, high = 250, side = 70; // of the picture, in pixels
const hues = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#808000"];

const numberOf = (text) => (text !== undefined && text !== "" && Number.isFinite(Number(text)) ? Number(text) : null);

// axisOf is an axis of texts: numbers stand in their order, with words such as none above them.
function axisOf(key, name, texts) {
  const all = [...new Set(texts.map((text) => text ?? "not set"))];
  all.sort((a, b) => { const [x, y] = [numberOf(a), numberOf(b)]; return x !== null && y !== null ? x - y : (x === null) - (y === null) || a.localeCompare(b, "en", { numeric: true }); });
  const at = new Map(all.map((text, i) => [text, all.length > 1 ? i / (all.length - 1) : 0.5]));
  const every = Math.ceil(all.length / 10);
  return { key, name, place: (p) => at.get(p.values[key] ?? "not set"), said: (p) => p.values[key] ?? "not set", ticks: all.filter((_, i) => i % every === 0).map((text) => [at.get(text), text]), part: (p) => at.get(p.values[key] ?? "not set"), names: all };
}

// axisOfNumbers is an axis from the least to the greatest number, logarithmic where these are far apart. What has no
// bound stands above it.
function axisOfNumbers(key, name, points, value, unbounded) {
  const all = points.map(value).filter((v) => v !== null), least = Math.min(...all), most = Math.max(...all), infinite = points.some(unbounded);
  const log = least > 0 && most > 8 * least, end = infinite ? 0.88 : 1;
  const part = (v) => (most === least ? 0.5 : log ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least));
  const ticks = all.length === 0 ? [] : (most === least ? [most] : [0, 0.25, 0.5, 0.75, 1].map((t) => (log ? least * (most / least) ** t : least + t * (most - least)))).map((v) => [end * part(v), rounded(Number(v.toPrecision(3)))]);
  return { key, name: name + (log ? ", log" : ""), log, place: (p) => (unbounded(p) ? 1 : value(p) === null ? null : end * part(value(p))), said: (p) => (unbounded(p) ? "∞" : value(p) === null ? "–" : rounded(value(p))),
    ticks: infinite ? [...ticks, [1, "∞"]] : ticks, part: (p) => (unbounded(p) ? 1 : value(p) === null ? null : part(value(p))) };
}

// together returns a section that fills itself, and a function that ends it. metrics are those of all runs, first is the
// metric that is shown at first, and keep(key, value) has the address name a choice.
export function together(ids, metrics, first, choices, keep) {
  const state = { y: metrics.includes(choices.get("at_y")) ? choices.get("at_y") : first, colour: choices.get("colour") || "" };
  const controls = element("div", { class: "pickers" }), remark = element("p", { class: "remark", role: "alert" });
  const picture = element("div", { class: "together", tabindex: "0", role: "region", "aria-label": "all arms, a line each" }), said = element("p", { class: "hint together-said", role: "status" }), rows = element("details", { class: "together-rows" });
  const chosen = new Map(); // parts of axes, by key
  let answer = null, axes = [], over = false, turn = 0;

  const kept = (p) => axes.every((axis) => { const range = chosen.get(axis.key), at = axis.place(p); return !range || at !== null && at >= range[0] - 1e-9 && at <= range[1] + 1e-9; });

  function colourOf() {
    const axis = axes.find((one) => one.key === state.colour) ?? axes.at(-1);
    const words = axis.names && axis.names.some((text) => numberOf(text) === null && text !== "none") && axis.names.length <= hues.length;
    return (p) => { const part = axis.part(p); return words ? hues[axis.names.indexOf(axis.said(p))] : part === null ? (isDark() ? "#555" : "#bbb") : shade(0.12 + 0.88 * part).fill; };
  }

  function fill() {
    keepingFocus(controls, () => controls.replaceChildren(
      choice("metric", metrics, state.y, (value) => { state.y = value; keep("at_y", value); load(); }),
      choice("colour by", [["", "the metric"], ...axes.slice(0, -1).map((axis) => [axis.key, axis.name])], state.colour, (value) => { state.colour = value; keep("colour", value); draw(); }),
      chosen.size > 0 ? element("button", { type: "button", onclick: () => { chosen.clear(); fill(); draw(); } }, "all arms again") : ""));
    const list = answer.points.filter(kept);
    rows.replaceChildren(element("summary", {}, `The ${counted(list.length, "arm")} as a table`),
      sortable(table({ header: ["arm", ...axes.map((axis) => axis.name)], rows: list.map((p) => [element("a", { href: linkOf(p.id) }, p.label), ...axes.map((axis) => axis.said(p))]) }, "all arms")));
  }

  function draw() {
    const width = Math.max(2 * side + 96 * (axes.length - 1), picture.clientWidth || 900), step = (width - 2 * side) / Math.max(1, axes.length - 1);
    const x = (i) => side + i * step, y = (at) => top + high * (1 - at), colour = colourOf();
    const path = (p) => axes.map((axis, i) => [x(i), axis.place(p)]).filter(([, at]) => at !== null).map(([a, at], i) => `${i ? "L" : "M"}${a.toFixed(1)} ${y(at).toFixed(1)}`).join("");
    const n = answer.points.filter(kept).length;
    const whole = chosen.size > 0 ? `${n} of ${counted(answer.points.length, "arm")} in the chosen parts of the axes.` : "Drag along an axis to keep the lines through a part of it; a click on a line opens its run.";
    said.textContent = whole;
    const tell = (p) => { said.textContent = p ? `${p.label}. ${axes.map((axis) => `${axis.name}: ${axis.said(p)}`).join("; ")}` : whole; };
    const lines = answer.points.toSorted((a, b) => kept(a) - kept(b)).map((p) => {
      const line = drawn("path", { d: path(p), class: "one-arm" + (kept(p) ? "" : " left-out"), stroke: colour(p) }, drawn("title", {}, p.label));
      line.addEventListener("mouseenter", () => { if (kept(p)) { line.classList.add("lit"); tell(p); } });
      line.addEventListener("mouseleave", () => { line.classList.remove("lit"); tell(null); });
      line.addEventListener("click", () => { if (kept(p)) location.hash = linkOf(p.id); });
      return line;
    });
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${top + high + bottom}`, width, height: top + high + bottom, role: "img", "aria-label": `${counted(answer.points.length, "arm")} over ${axes.map((axis) => axis.name).join(", ")}. The table below has the numbers.` },
      lines, axes.map((axis, i) => axisIn(axis, i, x(i), y, step)));
    picture.replaceChildren(svg);
  }

  // axisIn draws an axis, whose parts are chosen by the mouse.
  function axisIn(axis, i, x, y, step) {
    const end = i === axes.length - 1, anchor = i === 0 ? "start" : end ? "end" : "middle", most = Math.max(12, Math.floor(step / 7.5));
    const short = (text) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
    const range = chosen.get(axis.key), strip = drawn("rect", { x: x - 11, width: 22, y: top - 6, height: high + 12, class: "axis-strip" });
    const made = drawn("g", { class: "one-axis" }, drawn("line", { x1: x, x2: x, y1: top, y2: top + high }),
      drawn("text", { x: i === 0 ? 2 : end ? x + side - 2 : x, y: 14, "text-anchor": anchor, class: "axis-name" }, short(axis.name), drawn("title", {}, axis.key)),
      axis.ticks.map(([at, text]) => drawn("text", { x: end ? x + 7 : x - 7, y: y(at) + 4, "text-anchor": end ? "start" : "end" }, short(text))),
      range ? drawn("rect", { x: x - 5, width: 10, y: y(range[1]) - 3, height: Math.max(6, y(range[0]) - y(range[1]) + 6), class: "axis-part" }) : null, strip);
    let from = null;
    const at = (event) => { const box = picture.querySelector("svg").getBoundingClientRect(); return Math.max(0, Math.min(1, 1 - ((event.clientY - box.top) * (top + high + bottom) / box.height - top) / high)); };
    strip.addEventListener("pointerdown", (event) => { from = at(event); strip.setPointerCapture(event.pointerId); event.preventDefault(); });
    strip.addEventListener("pointerup", (event) => {
      const to = at(event);
      if (from === null) return;
      if (Math.abs(to - from) < 0.02) chosen.delete(axis.key); else chosen.set(axis.key, [Math.min(from, to), Math.max(from, to)]);
      from = null;
      fill();
      draw();
    });
    return made;
  }

  async function load() {
    const now = ++turn;
    try {
      const found = await ask("points", { id: ids, y: state.y });
      if (over || now !== turn) return;
      remark.textContent = "";
      answer = found;
      const keys = answer.keys.slice(0, mostAxes), losses = answer.points.some((p) => p.epsilon !== null || p.unbounded);
      axes = [...keys.map((key) => axisOf(key, keyName(key, answer.keys), answer.points.map((p) => p.values[key]))),
        losses && axisOfNumbers("ε of the run", "ε of the run", answer.points, (p) => p.epsilon, (p) => Boolean(p.unbounded)),
        axisOfNumbers(state.y, state.y, answer.points, (p) => p.value, () => false)].filter(Boolean);
      fill();
      draw();
    } catch (error) {
      if (!over && now === turn) remark.textContent = error.message;
    }
  }

  const again = () => { if (answer) draw(); };
  const observer = new ResizeObserver(again);
  dark.addEventListener("change", again);
  observer.observe(picture);
  const ready = load();
  return { ready, place: section("All arms together", controls, remark, picture, said, rows), close() { over = true; observer.disconnect(); dark.removeEventListener("change", again); } };
}
