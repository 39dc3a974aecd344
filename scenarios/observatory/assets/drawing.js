// Pictures of a graph on a canvas: nodes where forces have placed them, with their edges, or
// the matrix of weights, in full or by blocks of nodes.
export const size = 640; // of a picture, in its own units

const { isDark } = globalThis.starlingChart;

function colors() {
  const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue(name).trim();
  return { ink: of("--ink"), faint: of("--faint"), paper: of("--paper"), link: of("--link"), bad: of("--bad"), late: isDark() ? "#f0a030" : "#c46a00", dropped: isDark() ? "#d79be0" : "#8a3fa0" };
}

// pairs are the pairs of nodes with an edge, either way, each once.
function pairs(n, edges) {
  const links = new Map();
  for (const [a, b] of edges) if (a !== b) links.set(Math.min(a, b) * n + Math.max(a, b), [a, b]);
  return [...links.values()];
}

// Where more than this share of the pairs have an edge, a graph has no shape.
const dense = 0.35;

// suits says which picture shows more of a graph: "graph" or "matrix". Where edges are many
// for the nodes, or the nodes many and the edges more than those of a grid, lines hide each
// other.
export function suits({ nodes, edges }) {
  const linked = pairs(nodes, edges).length;
  return (nodes > 12 && linked > dense * nodes * (nodes - 1) / 2) || (nodes > 120 && linked > 2.5 * nodes) ? "matrix" : "graph";
}

// From so many edges on they are faint, and only those of the node that is looked at have
// heads.
const crowd = 700;
const crowded = (graph) => graph.edges.length > crowd;

export const radius = (graph) => Math.max(3, Math.min(13, (crowded(graph) ? 100 : 150) / Math.sqrt(graph.nodes)));

// picture draws nodes and edges. focus is the number from 0 of the node that is looked at, or
// null: its edges and neighbours stand out. fateOf says what becomes of an edge.
export function picture(pen, graph, layout, focus, fateOf) {
  const c = colors(), r = radius(graph), many = crowded(graph);
  const most = Math.max(...graph.edges.map((e) => Math.abs(e[2])), 1e-300);
  const near = new Set(focus === null ? [] : [focus]), last = [];
  const style = ([, , weight], fate, mine) => {
    pen.globalAlpha = (0.2 + 0.6 * Math.abs(weight) / most) * (focus !== null && !mine ? 0.25 : 1) * (many && !mine ? Math.max(0.12, 0.6 * crowd / graph.edges.length) : 1);
    if (fate === "silent") pen.globalAlpha *= 0.35;
    else if (fate !== "arrived") pen.globalAlpha = Math.max(pen.globalAlpha, many && !mine ? 0.3 : 0.75);
    pen.strokeStyle = { lost: c.bad, late: c.late, dropped: c.dropped }[fate] || (mine ? c.link : c.ink);
    pen.lineWidth = mine ? 2 : many ? 0.7 : graph.edges.length > 300 ? 0.8 : 1.3;
    pen.setLineDash({ lost: [3, 4], late: [8, 3], dropped: [1, 3], silent: [1, 5] }[fate] || []);
  };
  const each = (edge, k, mine) => {
    const [from, to] = edge;
    style(edge, fateOf(from, to, k), mine);
    if (mine || !many) arrow(pen, layout[from], layout[to], r); else line(pen, layout[from], layout[to]);
  };
  graph.edges.forEach((edge, k) => {
    if (edge[0] !== focus && edge[1] !== focus) { each(edge, k, false); return; }
    near.add(edge[0]).add(edge[1]);
    last.push([edge, k]);
  });
  const all = layout.map((_, i) => i), far = focus === null ? [] : all.filter((i) => !near.has(i));
  nodes(pen, graph, layout, far, focus, 0.4, c);
  for (const [edge, k] of last) each(edge, k, true); // on top of the others
  nodes(pen, graph, layout, focus === null ? all : [...near], focus, 1, c);
}

// nodes draws some nodes, with their numbers where there is room.
function nodes(pen, graph, layout, list, focus, alpha, c) {
  const down = new Set(graph.down || []), r = radius(graph);
  for (const i of list) {
    const [x, y] = layout[i], mine = i === focus;
    pen.globalAlpha = 1;
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.fillStyle = mine ? c.link : c.paper;
    pen.strokeStyle = down.has(i) ? c.bad : c.link;
    pen.lineWidth = mine ? 3 : crowded(graph) ? 1 : 1.6;
    pen.setLineDash(down.has(i) ? [2, 2] : []);
    pen.fill();
    if (focus !== null && !mine && alpha === 1) { pen.globalAlpha = 0.3; pen.fillStyle = c.link; pen.fill(); }
    pen.globalAlpha = alpha;
    pen.stroke();
    pen.setLineDash([]);
    if (r < 8) continue;
    pen.globalAlpha = 1;
    pen.fillStyle = mine ? c.paper : c.ink;
    pen.font = `${Math.round(r * 1.05)}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(String(i + graph.first_label), x, y);
  }
}

// matrix draws the weights, receivers in rows and senders in columns, the darker the larger.
export function matrix(pen, graph, focus, fateOf) {
  const c = colors(), n = graph.nodes, cell = size / n;
  const most = Math.max(...graph.edges.map((e) => Math.abs(e[2])), 1e-300), at = (i) => Math.round(i * cell), long = (i) => Math.max(at(i + 1) - at(i), 1.6);
  if (focus !== null) {
    pen.globalAlpha = 0.16;
    pen.fillStyle = c.ink;
    pen.fillRect(0, focus * cell, size, cell);
    pen.fillRect(focus * cell, 0, cell, size);
  }
  graph.edges.forEach(([from, to, weight], k) => {
    const fate = fateOf(from, to, k);
    pen.globalAlpha = fate === "silent" ? 0.2 : 0.3 + 0.7 * Math.abs(weight) / most;
    pen.fillStyle = { lost: c.bad, late: c.late, dropped: c.dropped, silent: c.faint }[fate] || c.link;
    pen.fillRect(at(from), at(to), long(from), long(to));
  });
  frame(pen, c);
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

// heat draws what nodes learn of each other, a unit a row and an observer a column: the darker,
// the more, up to most. values are numbers, null for nothing, and below 0 for no bound.
export function heat(pen, values, most) {
  const c = colors(), wide = size / Math.max(1, values[0].length), high = size / values.length;
  pen.globalAlpha = 1;
  pen.clearRect(0, 0, size, size);
  values.forEach((row, i) => row.forEach((value, k) => {
    if (value === null) return;
    const left = Math.round(k * wide), top = Math.round(i * high);
    pen.globalAlpha = value < 0 ? 1 : 0.06 + 0.94 * (most > 0 ? value / most : 0);
    pen.fillStyle = value < 0 ? c.bad : c.link;
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

function line(pen, [x1, y1], [x2, y2]) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

// arrow draws a line from rim to rim, bent a little so that the way back beside it is seen.
function arrow(pen, [x1, y1], [x2, y2], r) {
  const dx = x2 - x1, dy = y2 - y1, length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length;
  const bend = Math.min(10, 0.08 * length), mx = (x1 + x2) / 2 + bend * uy, my = (y1 + y2) / 2 - bend * ux;
  const ex = x2 - r * (x2 - mx) / (Math.hypot(x2 - mx, y2 - my) || 1), ey = y2 - r * (y2 - my) / (Math.hypot(x2 - mx, y2 - my) || 1);
  pen.beginPath();
  pen.moveTo(x1 + r * ux, y1 + r * uy);
  pen.quadraticCurveTo(mx, my, ex, ey);
  pen.stroke();
  const head = Math.min(6, Math.max(2.5, 0.5 * r)), angle = Math.atan2(ey - my, ex - mx);
  pen.beginPath();
  for (const side of [-2.7, 2.7]) {
    pen.moveTo(ex, ey);
    pen.lineTo(ex + head * Math.cos(angle + side), ey + head * Math.sin(angle + side));
  }
  pen.stroke();
}

// placed lays nodes out by forces (Fruchterman and Reingold, 1991): all push each other
// away, and edges pull. Nodes begin on a circle, in their order, so that equal graphs look
// the same and a ring is a ring.
export function placed(n, edges) {
  const linked = pairs(n, edges);
  const place = Array.from({ length: n }, (_, i) => [Math.cos(2 * Math.PI * i / n - Math.PI / 2), Math.sin(2 * Math.PI * i / n - Math.PI / 2)]);
  const k = 1.6 / Math.sqrt(n), rounds = n > 250 ? 120 : n > 100 ? 220 : 320;
  // A graph in which nearly all hear each other has no shape, and one whose edges join
  // neighbours on the circle has this: the circle stays.
  const around = linked.every(([a, b]) => Math.min(Math.abs(a - b), n - Math.abs(a - b)) <= Math.max(1, n / 50));
  if (n > 2 && !around && linked.length < dense * n * (n - 1) / 2) {
    for (let round = 0; round < rounds; round++) {
      const move = place.map(() => [0, 0]), heat = 0.1 * (1 - round / rounds) + 0.002;
      for (let i = 0; i < n; i++) {
        for (let j = i + 1; j < n; j++) {
          const dx = place[i][0] - place[j][0], dy = place[i][1] - place[j][1], d2 = Math.max(1e-6, dx * dx + dy * dy), push = k * k / d2;
          move[i][0] += dx * push; move[i][1] += dy * push; move[j][0] -= dx * push; move[j][1] -= dy * push;
        }
      }
      for (const [a, b] of linked) {
        const dx = place[a][0] - place[b][0], dy = place[a][1] - place[b][1], pull = Math.hypot(dx, dy) / k;
        move[a][0] -= dx * pull; move[a][1] -= dy * pull; move[b][0] += dx * pull; move[b][1] += dy * pull;
      }
      for (let i = 0; i < n; i++) {
        const length = Math.hypot(move[i][0], move[i][1]) || 1, step = Math.min(length, heat) / length;
        place[i][0] += move[i][0] * step - 0.01 * place[i][0];
        place[i][1] += move[i][1] * step - 0.01 * place[i][1];
      }
    }
  }
  const xs = place.map((p) => p[0]), ys = place.map((p) => p[1]);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = (size - 60) / Math.max(right - left, bottom - top, 1e-9);
  return place.map(([x, y]) => [size / 2 + (x - (left + right) / 2) * scale, size / 2 + (y - (top + bottom) / 2) * scale]);
}
