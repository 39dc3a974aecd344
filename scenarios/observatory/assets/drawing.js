// Pictures of a graph on a canvas: nodes at their places, with their edges, or the matrix of
// weights, in full or by blocks of nodes; and maps of pairs of nodes.
export const size = 640; // of a picture, in its own units

const { isDark } = globalThis.starlingChart;

function colors() {
  const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue(name).trim();
  return { ink: of("--ink"), faint: of("--faint"), line: of("--line"), paper: of("--paper"), link: of("--link"), bad: of("--bad"), late: isDark() ? "#f0a030" : "#c46a00", dropped: isDark() ? "#d79be0" : "#8a3fa0" };
}

// pairs are the pairs of nodes with an edge, either way, each once.
export function pairs(n, edges) {
  const links = new Map();
  for (const [a, b] of edges) if (a !== b) links.set(Math.min(a, b) * n + Math.max(a, b), [a, b]);
  return [...links.values()];
}

// Where more than this share of the pairs have an edge, a graph has no shape.
const dense = 0.35;

// From so many pairs with an edge on, lines hide each other where they are dense.
const tangled = 100;

// suits says which picture shows more of a graph: "graph", or "both", its nodes and the matrix of its
// weights: where lines hide each other, since most pairs have an edge, or since nodes are many and edges more than
// those of a grid.
export function suits({ nodes, edges }) {
  const linked = pairs(nodes, edges).length;
  return (linked > tangled && linked > dense * nodes * (nodes - 1) / 2) || (nodes > 120 && linked > 2.5 * nodes) ? "both" : "graph";
}

// From so many edges on they are faint, and only those of the node that is looked at have
// heads.
const crowd = 700;

// Up to so many edges have their full darkness.
const clear = 80;
const crowded = (graph) => graph.edges.length > crowd;

// radius is that of a node: by how near its neighbours are, so that nodes do not touch.
export function radius(graph, layout) {
  if (layout.near === undefined) {
    const nearest = layout.map(([x, y], i) => layout.reduce((least, [a, b], k) => (k === i ? least : Math.min(least, Math.hypot(a - x, b - y))), size));
    layout.near = nearest.sort((a, b) => a - b)[Math.floor(nearest.length / 4)];
  }
  return Math.max(3.5, Math.min(16, (crowded(graph) ? 0.28 : 0.36) * layout.near));
}

// placed are the places of the nodes on the canvas, from those in the unit square.
export const placed = (places) => places.map(([x, y]) => [34 + x * (size - 68), 34 + y * (size - 68)]);

// picture draws nodes and edges. focus is the number from 0 of the node that is looked at, or
// null: its edges and neighbours stand out. fateOf says what becomes of an edge, and fillOf is
// the colour of a node by its value, null for none.
export function picture(pen, graph, layout, focus, fateOf, fillOf) {
  const c = colors(), r = radius(graph, layout), many = crowded(graph);
  const most = Math.max(...graph.edges.map((e) => Math.abs(e[2])), 1e-300);
  const near = new Set(focus === null ? [] : [focus]), last = [];
  const back = new Map(graph.edges.map((e, k) => [e[0] * graph.nodes + e[1], k]));
  const style = ([, , weight], fate, mine) => {
    pen.globalAlpha = (0.4 + 0.5 * Math.abs(weight) / most) * (focus !== null && !mine ? 0.25 : 1) * (many && !mine ? Math.max(0.3, 0.6 * crowd / graph.edges.length) : mine ? 1 : Math.min(1, Math.max(0.4, (clear / graph.edges.length) ** 0.6)));
    if (fate === "silent") pen.globalAlpha *= 0.35;
    else if (!["arrived", "served"].includes(fate)) pen.globalAlpha = Math.max(pen.globalAlpha, many && !mine ? 0.3 : 0.75);
    pen.strokeStyle = { lost: c.bad, late: c.late, dropped: c.dropped }[fate] || (mine ? c.link : c.ink);
    pen.lineWidth = mine ? 2 : many ? 0.7 : graph.edges.length > 300 ? 0.8 : 1.3;
    pen.setLineDash({ lost: [3, 4], late: [8, 3], dropped: [1, 3], silent: [1, 5] }[fate] || []);
  };
  const each = (edge, k, mine) => {
    const [from, to, weight] = edge, fate = fateOf(from, to, k);
    // Two edges of one weight and fate are one line without heads.
    const other = back.get(to * graph.nodes + from), mutual = other !== undefined && graph.edges[other][2] === weight && fateOf(to, from, other) === fate;
    if (mutual && other < k) return;
    style(edge, fate, mine);
    const bend = bendOf(layout, from, to, r, other !== undefined && !mutual ? Math.min(10, 0.08 * Math.hypot(layout[to][0] - layout[from][0], layout[to][1] - layout[from][1])) : 0, many && !mine);
    if (mutual || many && !mine) line(pen, layout[from], layout[to], bend); else arrow(pen, layout[from], layout[to], r, bend);
  };
  graph.edges.forEach((edge, k) => {
    if (edge[0] !== focus && edge[1] !== focus) { each(edge, k, false); return; }
    near.add(edge[0]).add(edge[1]);
    last.push([edge, k]);
  });
  const all = layout.map((_, i) => i), far = focus === null ? [] : all.filter((i) => !near.has(i));
  nodes(pen, graph, layout, far, focus, 0.4, c, fillOf);
  for (const [edge, k] of last) each(edge, k, true); // on top of the others
  nodes(pen, graph, layout, focus === null ? all : [...near], focus, 1, c, fillOf);
}

// bendOf is how far an edge bends to its left: as asked for, unless a node is in its way.
function bendOf(layout, from, to, r, bend, plain) {
  if (plain) return bend;
  layout.bends ??= new Map();
  const key = [from, to, bend].join();
  if (layout.bends.has(key)) return layout.bends.get(key);
  const [x1, y1] = layout[from], [x2, y2] = layout[to], length = Math.hypot(x2 - x1, y2 - y1) || 1, ux = (x2 - x1) / length, uy = (y2 - y1) / length;
  const clear = (b) => {
    let least = Infinity;
    for (let part = 1; part < 16; part++) {
      const t = part / 16, rise = 2 * t * (1 - t) * b, x = x1 + t * (x2 - x1) + rise * uy, y = y1 + t * (y2 - y1) - rise * ux;
      layout.forEach(([a, c], i) => { if (i !== from && i !== to) least = Math.min(least, Math.hypot(a - x, c - y)); });
    }
    return least;
  };
  let best = bend, most = clear(bend);
  for (const share of [0.1, -0.1, 0.16, -0.16, 0.24, -0.24]) {
    if (most >= 0.85 * r) break;
    const room = clear(share * length);
    if (room > most + 1) [best, most] = [share * length, room];
  }
  layout.bends.set(key, best);
  return best;
}

// nodes draws some nodes, with their numbers where there is room. A Byzantine node is a diamond, and a
// server a square. A node that lacks the value by which nodes have colours is crossed out.
function nodes(pen, graph, layout, list, focus, alpha, c, fillOf) {
  const down = new Set(graph.down || []), byzantine = new Set(graph.byzantine || []), servers = new Set(graph.servers || []), r = radius(graph, layout);
  for (const i of list) {
    const [x, y] = layout[i], mine = i === focus, said = fillOf(i), lacks = said === lacking, value = lacks ? null : said, own = byzantine.has(i) ? c.bad : servers.has(i) ? c.ink : c.link;
    pen.globalAlpha = 1;
    pen.beginPath();
    if (byzantine.has(i)) {
      const d = 1.3 * r;
      for (const [dx, dy] of [[0, -d], [d, 0], [0, d], [-d, 0]]) pen.lineTo(x + dx, y + dy);
      pen.closePath();
    } else if (servers.has(i)) pen.rect(x - r, y - r, 2 * r, 2 * r);
    else pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.fillStyle = value ? value.fill : mine && !lacks ? own : c.paper;
    pen.strokeStyle = down.has(i) ? c.bad : mine && value ? c.ink : own;
    pen.lineWidth = mine ? 4 : crowded(graph) ? 1 : byzantine.has(i) || servers.has(i) ? 2.2 : 1.6;
    pen.setLineDash(down.has(i) ? [2, 2] : []);
    pen.fill();
    if (!said && (byzantine.has(i) || focus !== null) && !mine && alpha === 1) { pen.globalAlpha = focus !== null ? 0.3 : 0.16; pen.fillStyle = own; pen.fill(); }
    pen.globalAlpha = alpha;
    pen.stroke();
    pen.setLineDash([]);
    if (lacks) cross(pen, x, y, r);
    if (r < 7) continue;
    const label = String(i + graph.first_label);
    pen.globalAlpha = 1;
    pen.fillStyle = value ? value.ink : mine && !lacks ? c.paper : c.ink;
    pen.font = `${Math.round(10 * numeral(pen, r, label.length)) / 10}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(label, x, y);
  }
}

// numeral is the size of a node's number of some digits: small pictures have the largest that fits into the node, up to 11
// pixels of the screen.
function numeral(pen, r, digits) {
  const scale = pen.getTransform().a / (devicePixelRatio || 1);
  return Math.min(Math.max(1.05 * r, 11 / scale), 1.9 * r / (0.56 * digits + 0.2));
}

// cross draws a thin line through a node.
function cross(pen, x, y, r) {
  const line = pen.lineWidth;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x - 0.7 * r, y + 0.7 * r);
  pen.lineTo(x + 0.7 * r, y - 0.7 * r);
  pen.stroke();
  pen.lineWidth = line;
}

// lacking stands for the colour of a node without a value, where others have one.
export const lacking = {};

// The colours of values, from the least to the most: those of maps in files, and on a dark page from dark to light.
const onLight = [[255, 255, 255], [158, 202, 233], [0, 114, 178], [4, 30, 66]], onDark = [[40, 50, 62], [0, 92, 150], [86, 180, 233], [238, 248, 255]];

// larger says which colours are of larger values.
export const larger = () => (isDark() ? "lighter" : "darker");

// shade is the colour of a share, from 0 to 1, and of ink that is read on it.
export function shade(share) {
  const stops = isDark() ? onDark : onLight;
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2);
  const mixed = stops[k].map((v, i) => Math.round(v + (at - k) * (stops[k + 1][i] - v)));
  return { fill: `rgb(${mixed.join(" ")})`, ink: inkOn(mixed) };
}

// inkOn is white or nearly black, by which of the two has more contrast with a colour as WCAG 2 defines it.
function inkOn(colour) {
  const [r, g, b] = colour.map((v) => (v > 10 ? ((v / 255 + 0.055) / 1.055) ** 2.4 : v / 255 / 12.92)), light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) * (light + 0.05) < 1.05 * 0.065 ? "#ffffff" : "#1d2126"; // the dark ink has the luminance 0.015
}

// unbounded is the colour of what has no bound.
export const unbounded = { fill: "#882255", ink: "#ffffff" };

// Of the picture of a matrix: the margins above and left of it, and right and below, for the numbers of
// nodes, and its length.
const margin = 46, edge = 12, length = size - margin - edge;

// cellAt are the sender and the receiver, from 0, of the cell of a matrix at a place; null beside it.
export function cellAt(x, y, n) {
  const of = (v) => Math.floor((v - margin) / length * n), from = of(x), to = of(y);
  return from < 0 || to < 0 || from >= n || to >= n ? null : [from, to];
}

// matrix draws the weights, receivers in rows and senders in columns, the darker the larger.
export function matrix(pen, graph, focus, fateOf) {
  const c = colors(), n = graph.nodes, cell = length / n;
  const most = Math.max(...graph.edges.map((e) => Math.abs(e[2])), 1e-300), at = (i) => margin + Math.round(i * cell), long = (i) => Math.max(at(i + 1) - at(i), 1.6);
  if (focus !== null) {
    pen.globalAlpha = 0.16;
    pen.fillStyle = c.ink;
    pen.fillRect(margin, at(focus), length, cell);
    pen.fillRect(at(focus), margin, cell, length);
  }
  graph.edges.forEach(([from, to, weight], k) => {
    const fate = fateOf(from, to, k);
    pen.globalAlpha = fate === "silent" ? 0.2 : 0.3 + 0.7 * Math.abs(weight) / most;
    pen.fillStyle = { lost: c.bad, late: c.late, dropped: c.dropped, silent: c.faint }[fate] || c.link;
    pen.fillRect(at(from), at(to), long(from), long(to));
  });
  pen.globalAlpha = 1;
  pen.strokeStyle = c.faint;
  pen.lineWidth = 1;
  pen.strokeRect(margin - 0.5, margin - 0.5, length + 1, length + 1);
  numbered(pen, c, graph, (i) => margin + (i + 0.5) * cell);
}

// numbered writes the numbers of some nodes beside a matrix, and its sides.
function numbered(pen, c, graph, middle) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((s) => graph.nodes <= 12 * s) || 200;
  pen.fillStyle = c.ink;
  pen.font = "16px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (let i = 0; i < graph.nodes; i++) {
    const label = i + graph.first_label;
    if (label % step > 0) continue;
    pen.textAlign = "center";
    pen.fillText(label, middle(i), margin - 12);
    pen.textAlign = "right";
    pen.fillText(label, margin - 6, middle(i));
  }
  pen.fillStyle = c.faint;
  pen.textAlign = "center";
  pen.fillText("sender", margin + length / 2, 10);
  pen.save();
  pen.translate(9, margin + length / 2);
  pen.rotate(-Math.PI / 2);
  pen.fillText("receiver", 0, 0);
  pen.restore();
}

// blocks draws the weights between blocks of nodes.
export function blocks(pen, graph) {
  const c = colors(), cell = size / graph.blocks.length;
  const most = Math.max(...graph.blocks.flat(), 1e-300);
  graph.blocks.forEach((row, i) => row.forEach((weight, j) => {
    if (weight === 0) return;
    pen.globalAlpha = 0.08 + 0.92 * weight / most;
    pen.fillStyle = c.link;
    pen.fillRect(j * cell, i * cell, cell, cell);
  }));
  frame(pen, c);
}

// heat draws what nodes learn of each other, a unit a row and an observer a column, by the colours of shade, up to
// most. values are numbers, null for nothing, and below 0 for no bound.
export function heat(pen, values, most) {
  const c = colors(), wide = size / Math.max(1, values[0].length), high = size / values.length;
  pen.globalAlpha = 1;
  pen.clearRect(0, 0, size, size);
  values.forEach((row, i) => row.forEach((value, k) => {
    const left = Math.round(k * wide), top = Math.round(i * high);
    pen.fillStyle = value === null ? c.line : value < 0 ? unbounded.fill : shade(most > 0 ? value / most : 0).fill;
    pen.fillRect(left, top, Math.round((k + 1) * wide) - left, Math.round((i + 1) * high) - top);
  }));
  frame(pen, c);
}

function frame(pen, c) {
  pen.globalAlpha = 1;
  pen.strokeStyle = c.faint;
  pen.lineWidth = 1;
  pen.strokeRect(0.5, 0.5, size - 1, size - 1);
}

// curve begins a path from one place to another that bends to its left.
function curve(pen, [x1, y1], [x2, y2], bend) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1, mx = (x1 + x2) / 2 + bend * (y2 - y1) / length, my = (y1 + y2) / 2 - bend * (x2 - x1) / length;
  pen.beginPath();
  pen.moveTo(x1, y1);
  return [mx, my];
}

function line(pen, from, to, bend) {
  pen.quadraticCurveTo(...curve(pen, from, to, bend), ...to);
  pen.stroke();
}

// arrow draws a line to the rim of a node.
function arrow(pen, from, to, r, bend) {
  const [mx, my] = curve(pen, from, to, bend), [x2, y2] = to, length = Math.hypot(x2 - mx, y2 - my) || 1;
  const ex = x2 - r * (x2 - mx) / length, ey = y2 - r * (y2 - my) / length;
  pen.quadraticCurveTo(mx, my, ex, ey);
  pen.stroke();
  const head = Math.min(7, Math.max(3, 0.6 * r)), angle = Math.atan2(ey - my, ex - mx);
  pen.setLineDash([]);
  pen.beginPath();
  for (const side of [-2.7, 2.7]) {
    pen.moveTo(ex, ey);
    pen.lineTo(ex + head * Math.cos(angle + side), ey + head * Math.sin(angle + side));
  }
  pen.stroke();
}
