// Names of curves at their ends, in the picture, so that nobody looks from a legend to the curves and
// back. They are for the eye: the legend has the same names for readers of screens.
import { element } from "./dom.js";

const most = 8, high = 15; // names of more curves would hide them; the height of a name in pixels
const apart = 0.1; // of the width: the ends of curves with names lie within so much of each other

// keysOf are the values that give a curve of a chart its colour and dash, or its name where it has its own.
export function keysOf(line, k, { keys }) {
  return keys?.filter((key) => key.series.includes(k)).map((key) => key.name).join(", ") || line.name;
}

// nameEnds has a panel show the names of its curves, as short says them, whenever it is drawn. Of a crowded
// chart those of the best curves have names. The names stand in a margin, which the panel leaves for them.
export function nameEnds(panel, short) {
  const draw = panel.draw.bind(panel);
  panel.draw = () => { draw(); attach(panel, short); };
  attach(panel, short);
}

// endsOf are the names of the shown curves with the places of their ends, from the top; none where curves
// are too many, or end apart: then they would lie below the names of others.
function endsOf(panel, short) {
  const { plot } = panel;
  if (!plot || panel.chart.series.filter((line) => !line.faint).length > most) return [];
  const height = plot.over.clientHeight;
  const found = panel.chart.series.flatMap((line, k) => {
    if (!panel.shown[k] || line.faint) return [];
    const values = plot.data[panel.columns[k].y], from = values.findLastIndex((v, i) => v != null && plot.data[0][i] <= plot.scales.x.max);
    if (from < 0) return [];
    const y = plot.valToPos(values[from], "y");
    const entry = panel.entries.findIndex((one) => one.series.includes(k)); // that of its colour comes first
    return y < 0 || y > height ? [] : [{ name: short(line.name, line, k), y, x: plot.valToPos(plot.data[0][from], "x"), color: panel.samples[entry]?.getAttribute("stroke") || line.color }];
  }).sort((a, b) => a.y - b.y);
  const ends = found.map((one) => one.x);
  return Math.max(...ends) - Math.min(...ends) > apart * plot.over.clientWidth ? [] : found;
}

const pen = document.createElement("canvas").getContext("2d");

// roomFor is the width of the longest name, in pixels; 0 for none.
function roomFor(found) {
  pen.font = "600 12px " + getComputedStyle(document.body).fontFamily;
  return found.length > 0 ? Math.ceil(Math.max(...found.map((one) => pen.measureText(one.name).width))) + 12 : 0;
}

function attach(panel, short) {
  const { plot } = panel;
  if (!plot) return;
  const place = element("div", { class: "curve-ends", "aria-hidden": "true" });
  plot.over.append(place);
  const put = () => {
    const found = endsOf(panel, short), height = plot.over.clientHeight, room = roomFor(found);
    if (room !== panel.room && plot.scales.x.max != null) { // the margin is that of the next drawing
      panel.room = room;
      queueMicrotask(() => { if (panel.plot === plot) plot.setSize({ width: plot.width, height: plot.height }); });
    }
    // Names stand beside the ends of their curves, and push each other apart.
    found.forEach((one, i) => { one.top = Math.max(one.y - high / 2, i > 0 ? found[i - 1].top + high : 0); });
    for (let i = found.length - 1; i >= 0; i--) found[i].top = Math.min(found[i].top, (i < found.length - 1 ? found[i + 1].top : height) - high);
    place.replaceChildren(...found.map((one) => {
      const label = element("span", {}, one.name);
      Object.assign(label.style, { top: one.top + "px", left: one.x + 3 + "px", maxWidth: plot.width - plot.over.offsetLeft - one.x - 3 + "px", color: one.color });
      return label;
    }));
  };
  (plot.hooks.draw ||= []).push(put);
  put();
}
