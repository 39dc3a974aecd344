"use strict";
// The figures of the report and of the local page: uPlot with axes that have labels, bands,
// a legend that switches curves, zoom by mouse and keyboard, and colours for light, dark
// and print. It defines starlingChart and touches no element that it was not handed.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // The width of a printed page in pixels of CSS, A4 less its margins, and of one of two charts beside each other.
  const printWidth = 670, printBeside = 325, printRatio = 3, markedPoints = 12;
  // Above so many curves dashes tell none apart that share a colour, and are the slowest part of drawing.
  const mostDashed = 60;
  // Curves that coincide show their colours in turn, so many pixels each, in charts of up to so many curves.
  const turnLength = 9, mostAlike = 24;
  // What is left right of the curves: in pixels, and as a part of the width of a chart.
  const leastRoom = 25, mostRoom = 0.43;
  // The distance of bars of points at one x, in pixels.
  const besideApart = 10;
  // Room beside the first and the last bar, as a part of the axis.
  const barRoom = 0.02;
  // Distances of marks on an axis of whole numbers, such as steps.
  const whole = Array.from({ length: 14 }, (_, power) => [1, 2, 2.5, 5].map((m) => m * 10 ** power)).flat().filter(Number.isInteger);
  let printing = false;
  const panels = new Set();

  const isDark = () => dark.matches && !printing;
  const onDark = {
    "#000000": "#f0f0f0", "#0072b2": "#3d86e6", "#56b4e9": "#8fd3ff", "#606060": "#a3abb5", "#882255": "#c75d8f", "#332288": "#8a7ee6", "#7f4f1e": "#b98a55",
    "#225522": "#5fa85f", "#808000": "#b3b33c",
  };
  const colorOf = (line) => (isDark() && (line.dark || onDark[line.color])) || line.color;
  const ink = () => (isDark() ? "#a3abb5" : "#404040");
  const gridInk = () => (isDark() ? "#2b3037" : "#e6e6e6");

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    made.append(...children);
    return made;
  }

  // number prints a value for a reader: four significant digits.
  function number(v) {
    if (v == null) return "";
    const size = Math.abs(v);
    if (size !== 0 && (size >= 1e6 || size < 1e-3)) return v.toExponential(3).replace("e+", "e");
    return String(Number(v.toPrecision(4)));
  }

  // tick prints a place of an axis, which is round.
  function tick(v) {
    if (v == null) return "";
    const size = Math.abs(v);
    if (size !== 0 && (size >= 1e6 || size < 1e-3)) return Number(v.toPrecision(6)).toExponential().replace("e+", "e");
    return String(Number(v.toPrecision(8)));
  }

  // logMarks are the places with labels on a logarithmic axis, about most of
  // them: decades, the fewest multiples of them that are enough everywhere, or, on a short
  // axis, places at equal distances. need says which part of the axis the label of a place
  // takes, so that labels do not touch.
  function logMarks(low, high, most, need) {
    const apart = (found) => found.every((v, i) => i === 0 || Math.log(v / found[i - 1]) / Math.log(high / low) >= (need(v) + need(found[i - 1])) / 2);
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    let sparse = null;
    for (const multiples of [[1], [1, 2, 5], [1, 3], [1, 2, 3, 5, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
      const every = multiples.length === 1 ? Math.max(1, Math.ceil((last - first) / most)) : 1;
      if ((last - first) / every > 4 * most) continue;
      const found = [];
      for (let e = Math.ceil(first / every) * every; e <= last; e += every) {
        for (const m of multiples) {
          const v = Number(`${m}e${e}`);
          if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) found.push(v);
        }
      }
      const ends = [low, ...found, high];
      const bare = Math.log(Math.max(...ends.slice(1).map((v, i) => v / ends[i]))) / Math.log(high / low);
      if (found.length >= 4 && found.length <= most + 2 && bare <= 0.45 && apart(found)) return found;
      if (!sparse && found.length >= 2 && found.length < (multiples.length === 1 ? 12 : 4) && apart(found)) sparse = found;
    }
    if (sparse && high / low >= 5) return sparse;
    const power = 10 ** Math.floor(Math.log10((high - low) / most));
    const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= (high - low) / most * (1 - 1e-9));
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= high / step + 1e-9; i++) found.push(i * step);
    return found;
  }

  const mostTold = () => (innerWidth < 500 ? 6 : 12); // curves whose values stand at the cursor

  // longest is how many characters the longest of some texts has.
  const longest = (texts) => texts.reduce((most, text) => Math.max(most, text.length), 0);

  // mutedOf is the colour of curves besides the best of many: one grey, so that none has that of another curve.
  const mutedOf = () => (isDark() ? "#596069" : "#b4b8be");

  // lighting has the curves of an entry stand out in panels while the cursor or the focus is on its button.
  function lighting(button, name, where) {
    for (const [event, of] of [["mouseenter", name], ["focus", name], ["mouseleave", null], ["blur", null]]) button.addEventListener(event, () => { for (const panel of where) panel.light(of); });
  }

  // cornersApart puts equal neighbours among ascending x, the corners of stairs, a little apart: a join of several x keeps
  // one of equal ones, and a stair would slope.
  function cornersApart(x) {
    const some = (x.at(-1) - x[0]) * 1e-9;
    let last = -Infinity;
    return x.map((v) => (v === null ? v : (last = v <= last ? last + some : v)));
  }

  // drawable reports whether the axes of a chart can show a number of it.
  const drawable = (chart) => chart.series.some((line) => line.y.some((v, i) => v != null && (!chart.logY || v > 0) && (!chart.logX || chart.x[line.x][i] > 0)));

  // differs reports whether the axes of a chart can show numbers of it, and curves are not all alike.
  const differs = (chart) => drawable(chart) && (chart.series.length < 2 || chart.series.some((line) => line.y.some((v, i) => v !== chart.series[0].y[i])));

  // A Panel is one figure on the page: one chart, or several behind a selector. The
  // names of a chart's fields are those of type Chart in data.go.
  class Panel {
    constructor(figure, choices) {
      this.figure = figure;
      this.choices = choices;
      this.axis = element("div", { class: "axis" });
      this.box = element("div", { class: "plot", tabindex: "0", role: "img" });
      this.lit = new Set(); // curves that stand out
      this.together = [this]; // the charts of its legend
      this.followers = []; // other charts, whose curves its legend switches by their names
      this.room = 0; // for names right of the curves, in pixels
      this.controls = element("div", { class: "controls" });
      this.at = element("span", { class: "at" });
      this.tip = element("div", { class: "tip", "aria-hidden": "true", hidden: "" });
      this.told = element("p", { class: "unseen", role: "status" }); // the values at the cursor that keys have moved
      this.legend = element("ul", { class: "legend", "aria-label": "curves" });
      this.caption = element("p", { class: "caption" });
      const first = [choices.findIndex(differs), choices.findIndex(drawable), 0].find((i) => i >= 0);
      if (this.choices.length > 1) this.select(first);
      figure.append(this.axis, this.box, this.controls, this.legend, this.caption, this.told);
      this.button("log y", () => this.logY, () => this.scale("x", () => { this.logY = !this.logY; }));
      if (!choices.some((chart) => chart.categories)) this.button("log x", () => this.logX, () => this.scale("y", () => { this.logX = !this.logX; }));
      this.button("reset zoom", null, () => this.reset());
      this.controls.append(this.at);
      this.box.addEventListener("keydown", (event) => this.key(event));
      this.box.addEventListener("blur", () => this.leave());
      this.show(first);
      panels.add(this);
      observer.observe(this.box);
    }

    // remove takes the figure off the page's list; its elements are the caller's to remove.
    remove() {
      panels.delete(this);
      observer.unobserve(this.box);
      if (this.plot) this.plot.destroy();
      this.plot = null;
    }

    // scale changes how an axis is divided, and keeps what is zoomed to on the other.
    scale(other, change) {
      this.keeping(() => { change(); this.draw(); }, [other]);
    }

    // update shows a newer chart in the place of the first: what is zoomed stays so, and
    // curves that were switched off stay off.
    update(chart) { this.keeping(() => this.renew(chart)); }

    renew(chart) {
      const before = new Map(this.entries.map((entry) => [entry.name, entry.on]));
      this.choices = [chart];
      this.chart = chart;
      const at = [...this.legend.querySelectorAll("button")].indexOf(document.activeElement), focused = at < 0 ? null : this.entries[at].name;
      this.list(before);
      this.axis.replaceChildren(element("span", {}, chart.yLabel));
      this.caption.textContent = chart.caption || "";
      this.caption.hidden = !chart.caption;
      this.makeLegend();
      if (focused !== null) this.legend.querySelectorAll("button")[this.entries.findIndex((entry) => entry.name === focused)]?.focus({ preventScroll: true });
      this.draw();
    }

    // zoom is what the reader has zoomed to; nothing where all is shown.
    zoom() {
      if (!this.plot) return null;
      const x = this.plot.data[0], found = {};
      const within = ({ min, max }, low, high) => min > low || max < high;
      if (x.length > 0 && within(this.plot.scales.x, x[0], x[x.length - 1])) found.x = this.ends("x");
      if (within(this.plot.scales.y, ...this.rangeY())) found.y = this.ends("y");
      return found;
    }

    ends(axis) {
      const { min, max } = this.plot.scales[axis];
      return { min, max };
    }

    // keeping does something to the plot, after which the same part of it is shown.
    keeping(act, axes = ["x", "y"]) {
      const zoom = this.zoom();
      act();
      if (!this.plot || !zoom) return;
      this.plot.batch(() => { for (const axis of axes) if (zoom[axis] && (zoom[axis].min > 0 || this.plot.scales[axis].distr !== 3)) this.plot.setScale(axis, zoom[axis]); });
    }

    select(first) {
      const select = element("select", { "aria-label": "metric" });
      this.choices.forEach((c, i) => select.append(element("option", { value: i, ...(i === first ? { selected: "" } : {}) }, this.choices.filter((other) => other.metric === c.metric).length > 1 ? c.title : c.metric)));
      select.addEventListener("change", () => this.show(Number(select.value)));
      this.figure.querySelector("figcaption").append(": ", select);
    }

    button(text, pressed, act) {
      const button = element("button", { type: "button" }, text);
      const update = () => { if (pressed) button.setAttribute("aria-pressed", String(pressed())); };
      button.addEventListener("click", () => { act(); update(); });
      (this.updates ||= []).push(update);
      this.controls.append(button);
    }

    show(choice) {
      this.chart = this.choices[choice];
      this.logX = Boolean(this.chart.logX);
      this.logY = Boolean(this.chart.logY);
      this.list();
      this.axis.replaceChildren(element("span", {}, this.chart.yLabel));
      this.caption.textContent = this.chart.caption || "";
      this.caption.hidden = !this.chart.caption;
      this.updates.forEach((update) => update());
      this.makeLegend();
      this.draw();
    }

    // list makes the entries of the legend: the curves, or the values that give them colour
    // and dash. An entry is on as it was before, by its name. A curve is shown if all
    // entries that have it are on.
    list(before = new Map()) {
      const { series, keys } = this.chart;
      this.entries = (keys || series.map((line, k) => ({ ...line, series: [k] }))).map((entry) => {
        const marked = entry.series.every((k) => series[k].mark) ? series[entry.series[0]] : {};
        return { ...entry, mark: marked.mark, remark: marked.remark, on: before.get(entry.name) ?? !entry.hidden };
      });
      this.showListed();
    }

    showListed() {
      this.shown = this.chart.series.map(() => true);
      for (const entry of this.entries) if (!entry.on) for (const k of entry.series) this.shown[k] = false;
    }

    makeLegend() {
      this.samples = [];
      this.values = [];
      this.legend.classList.toggle("of-values", Boolean(this.chart.keys));
      this.legend.setAttribute("aria-label", this.chart.keys ? "values that give curves colour and dash" : "curves");
      this.legend.replaceChildren(...this.entries.map((entry, i) => {
        const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
        for (const [name, value] of [["x1", 1], ["x2", 33], ["y1", 6], ["y2", 6], ["stroke-width", 2.2]]) stroke.setAttribute(name, value);
        if (entry.dash && this.chart.series.length <= mostDashed) stroke.setAttribute("stroke-dasharray", entry.dash.join(" "));
        const sample = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        sample.setAttribute("viewBox", "0 0 34 12");
        sample.setAttribute("aria-hidden", "true");
        sample.append(stroke);
        const value = element("span", { class: "value" });
        const button = element("button", { type: "button", "aria-pressed": String(entry.on) }, sample,
          element("span", { class: "name" }, entry.name));
        if (entry.mark) button.append(element("span", { class: "mark", role: "img", title: entry.remark, "aria-label": entry.remark }, entry.mark));
        if (!this.chart.keys) button.append(value);
        button.addEventListener("click", () => {
          entry.on = !entry.on;
          button.setAttribute("aria-pressed", String(entry.on));
          this.toggle();
          for (const other of this.followers) other.switched(entry.name, entry.on);
        });
        lighting(button, entry.name, [this]);
        this.samples.push(stroke);
        this.values.push(value);
        return element("li", entry.second && !this.entries[i - 1]?.second ? { class: "second" } : {}, button);
      }));
    }

    // switched shows or hides the curves of an entry by its name.
    switched(name, on) {
      for (const entry of this.entries) if (entry.name === name) entry.on = on;
      this.toggle();
    }

    // table gathers the numbers as uPlot wants them, and remembers where the
    // columns of each curve are. What has no place on a logarithmic axis is a
    // gap; a band that goes below one ends at its edge.
    table() {
      const tables = this.chart.x.map((x) => [this.logX ? x.map((v) => (v > 0 ? v : null)) : x]);
      const owners = this.chart.x.map(() => [null]);
      this.chart.series.forEach((line, k) => {
        const drawable = (v) => v != null && (!this.logY || v > 0);
        const y = line.y.map((v) => (drawable(v) ? v : null));
        const edge = (values) => values.map((v, i) => (y[i] == null ? null : v));
        tables[line.x].push(y);
        owners[line.x].push([k, "y"]);
        if (line.low) {
          tables[line.x].push(edge(line.low), edge(line.high));
          owners[line.x].push([k, "low"], [k, "high"]);
        }
      });
      for (const t of tables) this.dropWithout(t);
      if (tables.length > 1) for (const t of tables) t[0] = cornersApart(t[0]);
      const data = tables.length === 1 ? tables[0] : uPlot.join(tables, tables.map((t) => t.map(() => 1)));
      this.columns = this.chart.series.map(() => ({}));
      let column = 1;
      for (const table of owners) for (const owner of table.slice(1)) this.columns[owner[0]][owner[1]] = column++;
      return data;
    }

    // dropWithout removes the points of a table that have no x.
    dropWithout(table) {
      const keep = table[0].map((v) => v != null);
      if (keep.every(Boolean)) return;
      table.forEach((values, c) => { table[c] = values.filter((_, i) => keep[i]); });
    }

    draw() {
      if (this.plot) this.plot.destroy();
      this.plot = null;
      const data = this.table();
      const finite = this.columns.some((c) => data[c.y].some((v) => v != null));
      const names = this.chart.series.map((line) => line.name + (line.remark ? ", " + line.remark : ""));
      this.box.setAttribute("aria-label",
        `${this.chart.title}: ${this.chart.yLabel} over ${this.chart.xLabel}. Curves: ${names.join("; ")}`);
      this.updateSamples();
      this.reserve(data);
      if (!finite) {
        this.box.replaceChildren(element("p", { class: "empty" }, "no number that these axes can show"));
        return;
      }
      this.box.replaceChildren(this.tip);
      this.plot = new uPlot(this.options(data), data, this.box);
    }

    options(data) {
      const font = "12px system-ui, 'Segoe UI', Roboto, Arial, 'Liberation Sans', sans-serif";
      const axis = { stroke: ink, font, grid: { stroke: gridInk, width: 1 }, ticks: { stroke: gridInk, width: 1, size: 5 }, values: (u, splits) => splits.map(tick) };
      const series = [{}], bands = [];
      // uPlot's own marks leave a short logarithmic axis without labels.
      const marks = (logarithmic, space) => (logarithmic
        ? { splits: (u, i, low, high) => {
          const length = u.bbox[i === 0 ? "width" : "height"] / u.pxRatio;
          return logMarks(low, high, Math.max(3, Math.floor(length / space)), (v) => (i === 0 ? 7 * tick(v).length + 8 : 14) / length);
        }, filter: (u, splits) => splits }
        : {});
      const alpha = this.chart.series.length > 6 ? "18" : "30"; // many bands lie on top of each other
      this.chart.series.forEach((line, k) => {
        const c = this.columns[k];
        series[c.y] = this.stroke(line, k, data[c.y]);
        if (c.low === undefined) return;
        for (const edge of [c.low, c.high]) series[edge] = { show: this.shown[k], stroke: "transparent", width: 0, points: { show: false } };
        if (!line.bars) bands.push({ series: [c.high, c.low], fill: () => colorOf(line) + alpha });
      });
      return {
        ...this.size(), ...(printing ? { pxRatio: printRatio } : {}),
        padding: [null, (u) => Math.max(leastRoom, Math.min(this.room, mostRoom * u.width)), null, null],
        series, bands,
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 30 }, points: { size: 7 } },
        scales: {
          x: { time: false, distr: this.logX ? 3 : 1, range: (u, low, high) => this.rangeX(low, high) },
          y: { distr: this.logY ? 3 : 1, range: () => this.rangeY() },
        },
        axes: [
          this.chart.categories ? { ...axis, label: this.chart.xLabel, labelFont: font, labelSize: 20, ...this.named() } : { ...axis, label: this.chart.xLabel, labelFont: font, labelSize: 20, size: 34, space: 60, ...(data[0].every(Number.isInteger) ? { incrs: whole } : {}), ...marks(this.logX, 60) },
          { ...axis, size: (u, values) => 16 + 7.2 * Math.max(2, ...(values || []).map((v) => v.length)), space: 34, ...marks(this.logY, 34) },
        ],
        hooks: { drawClear: [(u) => this.dash(u)], draw: [(u) => this.bars(u)], setCursor: [(u) => this.read(u)] },
      };
    }

    // named is an axis of names in place of numbers. Names that do not fit beside each other are slanted.
    named() {
      const names = this.chart.categories.map((name) => (name.length > 26 ? name.slice(0, 25) + "…" : name)), most = longest(names) * 6.8;
      const slanted = most > (this.box.clientWidth - 80 - this.room) / names.length;
      return { splits: () => names.map((_, i) => i), values: (u, splits) => splits.map((i) => names[i]), grid: { show: false }, ...(slanted ? { rotate: -30, size: 26 + Math.ceil(most / 2) } : { size: 34 }) };
    }

    // dash gives the curves their dashes, which uPlot takes in pixels of the
    // canvas, in the pixels of the page.
    dash(u) {
      if (this.chart.series.length > mostDashed) return;
      const before = new Map(), many = new Map(), key = (line) => line.x + " " + line.y.join();
      if (this.chart.series.length <= mostAlike) this.chart.series.forEach((line, k) => { if (this.shown[k] && !line.across) many.set(key(line), (many.get(key(line)) || 0) + 1); });
      this.chart.series.forEach((line, k) => {
        let { dash } = line;
        const alike = this.shown[k] && !line.across ? many.get(key(line)) : 0;
        if (alike > 1) { // curves that coincide take turns: each covers less of the ones before it
          const n = before.get(key(line)) || 0;
          before.set(key(line), n + 1);
          dash = n === 0 ? undefined : [turnLength * (alike - n), turnLength * n];
        }
        u.series[this.columns[k].y].dash = dash?.map((length) => length * u.pxRatio);
      });
    }

    // stroke is a curve of the plot. A point between two gaps has no line to
    // see it by, and gets a dot, as all do where they are few.
    stroke(line, k, y) {
      const few = y.reduce((n, v) => n + (v != null), 0) <= markedPoints;
      const alone = [];
      if (line.across) return { label: line.name, show: this.shown[k], stroke: () => colorOf(line), width: this.widthOf(k), paths: (u, column) => this.across(u, column), points: { show: false } };
      if (this.chart.categories) return { label: line.name, show: this.shown[k], stroke: () => colorOf(line), paths: () => null, points: { show: true, size: 8, fill: () => colorOf(line) } };
      if (this.apart(line)) return { label: line.name, show: this.shown[k], stroke: () => colorOf(line), width: this.widthOf(k), points: { show: false } }; // drawn with its bar
      y.forEach((v, i) => { if (v != null && y[i - 1] === null && y[i + 1] === null) alone.push(i); });
      if (y.length === 1) alone.push(0);
      return {
        label: line.name, show: this.shown[k], stroke: () => (this.muted(k) ? mutedOf() : colorOf(line)), width: this.widthOf(k),
        points: { show: few, size: 5, fill: () => (this.muted(k) ? mutedOf() : colorOf(line)), filter: () => (few || alone.length === 0 ? null : alone) },
      };
    }

    // apart reports whether a curve is one point with a bar, which stands beside others at its x.
    apart(line) { return Boolean(line.bars && line.low && !this.chart.categories && line.y.reduce((n, v) => n + (v != null), 0) === 1); }

    // placeOf is the x of a curve of one point, places are the shown curves of one point by their x, and beside is the largest
    // number of them at one.
    placeOf(line) { return this.chart.x[line.x][line.y.findIndex((v) => v != null)]; }
    places() {
      const at = new Map();
      this.chart.series.forEach((line, k) => { if (this.shown[k] && this.apart(line)) at.set(this.placeOf(line), [...at.get(this.placeOf(line)) || [], k]); });
      return at;
    }
    beside() { return Math.max(1, ...[...this.places().values()].map((list) => list.length)); }

    // across is the path of a line across the whole axis, also where the axis has one place.
    across(u, column) {
      const y = u.valToPos(u.data[column].find((v) => v != null), "y", true), path = new Path2D(), { left, width } = u.bbox;
      path.moveTo(left, y);
      path.lineTo(left + width, y);
      return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 0 };
    }

    // bars draws the error bars of points.
    bars(u) {
      const { ctx, bbox, pxRatio } = u, cap = 4 * pxRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      ctx.lineWidth = 1.5 * pxRatio;
      ctx.setLineDash([]);
      const at = this.places(), place = (line) => this.placeOf(line);
      this.chart.series.forEach((line, k) => {
        const c = this.columns[k];
        if (!line.bars || c.low === undefined || !this.shown[k]) return;
        const beside = this.apart(line) ? at.get(place(line)) : [k], shift = (beside.indexOf(k) - (beside.length - 1) / 2) * besideApart * pxRatio;
        ctx.strokeStyle = this.muted(k) ? mutedOf() : colorOf(line);
        ctx.beginPath();
        u.data[0].forEach((value, i) => {
          const ends = [u.data[c.low][i], u.data[c.high][i]];
          if (u.data[c.y][i] == null || ends.some((v) => v == null)) return;
          const x = u.valToPos(value, "x", true) + shift, [low, high] = ends.map((v) => (this.logY && v <= 0 ? bbox.top + bbox.height : u.valToPos(v, "y", true)));
          for (const [x0, y0, x1, y1] of [[x, low, x, high], [x - cap, low, x + cap, low], [x - cap, high, x + cap, high]]) { ctx.moveTo(x0, y0); ctx.lineTo(x1, y1); }
          if (this.apart(line)) { const y = u.valToPos(u.data[c.y][i], "y", true); ctx.moveTo(x + 2 * pxRatio, y); ctx.arc(x, y, 2 * pxRatio, 0, 2 * Math.PI); }
        });
        ctx.stroke();
      });
      ctx.restore();
    }

    // muted reports whether a curve is one besides the best of many, and not lit.
    muted(k) { return this.chart.series[k].faint && !this.lit.has(k); }

    // widthOf is the width of a curve: of one that is lit, of one of the best of many, or of another.
    widthOf(k) { return this.lit.has(k) ? 3 : this.chart.series[k].faint ? 1.2 : 2; }

    // light has the curves of an entry of the legend stand out; a name without one, none.
    light(name) {
      this.lit = new Set(this.entries.find((entry) => entry.name === name)?.series);
      if (!this.plot) return;
      this.columns.forEach((c, k) => { this.plot.series[c.y].width = this.widthOf(k); });
      this.updateSamples();
      this.plot.redraw(false);
    }

    // common are the ends of an axis that several charts share; nothing where there are none,
    // or where a logarithmic axis has no place for them.
    common(ends, log) { return ends && (!log || ends[0] > 0) ? ends : null; }

    rangeX(low, high) {
      const shared = this.common(this.chart.rangeX, this.logX), x = this.plot ? this.plot.data[0] : null;
      if (shared && (!x || low == null || (low <= x[0] && high >= x[x.length - 1]))) return shared;
      if (this.chart.categories && (!x || low == null || (low <= x[0] && high >= x[x.length - 1]))) return [-0.5, this.chart.categories.length - 0.5];
      if (low == null) return [this.logX ? 1 : 0, 10];
      if (low === high) return this.logX ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
      if (!this.chart.series.some((line) => line.bars) || (x && (low > x[0] || high < x[x.length - 1]))) return [low, high];
      // Bars at the ends are drawn whole, also beside each other.
      const room = barRoom + (this.chart.series.filter((line) => this.apart(line)).length > 1 ? Math.min(0.15, besideApart * (this.beside() - 1) / 2 / Math.max(200, this.box.clientWidth - 80)) : 0);
      return this.logX ? [low * (low / high) ** room, high * (high / low) ** room] : [low - room * (high - low), high + room * (high - low)];
    }

    // rangeY spans the curves that are shown, between the shown x, with their
    // bands; on a logarithmic axis a band goes down no farther than a third of
    // the lowest point.
    rangeY() {
      const u = this.plot;
      let low = Infinity, high = -Infinity;
      const take = (v) => { if (v < low) low = v; if (v > high) high = v; };
      const shared = this.common(this.chart.rangeY, this.logY);
      if (shared && (!u || !u.series[0].idxs || (u.series[0].idxs[0] === 0 && u.series[0].idxs[1] === u.data[0].length - 1))) return shared;
      if (u) {
        // Where a curve rises, several points have one place.
        const x = u.data[0], [from, to] = [x.indexOf(x[u.series[0].idxs[0]]), x.lastIndexOf(x[u.series[0].idxs[1]])];
        this.columns.forEach((c, k) => {
          if (!this.shown[k]) return;
          for (let i = from; i <= to; i++) {
            const y = u.data[c.y][i];
            if (y != null) take(y); else continue;
            if (c.low === undefined) continue;
            take(u.data[c.high][i]);
            take(this.logY ? Math.max(u.data[c.low][i], y / 3) : u.data[c.low][i]);
          }
        });
      }
      if (low > high) return this.logY ? [1, 10] : [0, 1];
      if (this.logY) return low === high ? [low / 2, high * 2] : uPlot.rangeLog(low, high, 10, false);
      const most = this.chart.share && this.columns.every((c) => u.data[c.y].every((v) => v == null || (v >= 0 && v <= 1))) ? 1 : Infinity;
      if (low === 0 && high === 0) return [0, 1]; // not to 100
      const range = uPlot.rangeNum(low, high, 0.08, true);
      return [range[0], Math.min(range[1], most)];
    }

    size() {
      const [narrowest, lowest] = this.figure.dataset.group ? [150, 200] : [240, 260]; // charts of one figure are small
      const beside = printing && this.figure.dataset.group && this.figure.closest(".facets"); // two in a row of paper
      const width = printing ? (beside ? printBeside : printWidth) : Math.max(narrowest, Math.floor(this.box.clientWidth));
      return { width, height: printing ? (beside ? 200 : 240) : Math.round(Math.min(360, Math.max(lowest, width * 0.6))) };
    }

    // toggle shows the curves of the entries that are on, and no others.
    toggle() {
      const before = this.shown;
      this.showListed();
      if (!this.plot) return;
      this.keeping(() => this.plot.batch(() => this.columns.forEach((columns, k) => {
        if (this.shown[k] === before[k]) return;
        for (const column of Object.values(columns)) this.plot.setSeries(column, { show: this.shown[k] });
      })));
    }

    reset() {
      if (this.plot) this.plot.setData(this.plot.data);
    }

    key(event) {
      if (!this.plot || event.ctrlKey || event.metaKey || event.altKey) return;
      const moves = { "+": [0.25, -0.25], "=": [0.25, -0.25], "-": [-0.5, 0.5] }, shifts = { ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2] };
      const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
      if (event.key === "Escape" && this.plot.cursor.idx != null) this.leave();
      else if (event.key === "0" || event.key === "Escape") this.reset();
      else if (event.shiftKey && shifts[event.key]) this.move(...shifts[event.key]);
      else if (moves[event.key]) this.move(...moves[event.key]);
      else if (steps[event.key]) this.step(steps[event.key]);
      else return;
      event.preventDefault();
    }

    // step moves the cursor by points of the part in sight; of many points, by a hundredth of them.
    step(by) {
      const u = this.plot, x = u.data[0], { min, max } = u.scales.x;
      const seen = [...x.keys()].filter((i) => x[i] >= min && x[i] <= max && this.columns.some((c, k) => this.shown[k] && u.data[c.y][i] != null));
      if (seen.length === 0) return;
      const before = seen.findIndex((i) => i >= (u.cursor.idx ?? Infinity)), last = seen.length - 1, far = by * Math.max(1, Math.round(seen.length / 100));
      const at = u.cursor.idx == null ? (by === 1 || by === -Infinity ? 0 : last) : (before < 0 ? last : before) + far;
      u.setCursor({ left: u.valToPos(x[seen[Math.max(0, Math.min(last, at))]], "x"), top: u.cursor.top >= 0 ? u.cursor.top : u.over.clientHeight / 3 });
      this.told.textContent = this.tip.innerText.replace(/\s*\n\s*/g, "; ");
    }

    // leave takes the cursor off the chart.
    leave() {
      this.told.textContent = "";
      this.plot?.setCursor({ left: -10, top: -10 });
    }

    // move shifts the ends of the x axis by parts of its length, within the data.
    move(left, right) {
      const bend = this.logX ? Math.log : (v) => v, unbend = this.logX ? Math.exp : (v) => v;
      const x = this.plot.data[0], first = bend(x[0]), last = bend(x[x.length - 1]);
      let { min, max } = this.plot.scales.x;
      min = bend(min);
      max = bend(max);
      const length = max - min;
      let from = min + left * length, to = max + right * length;
      if (left === right && from < first) [from, to] = [first, first + length];
      if (left === right && to > last) [from, to] = [last - length, last];
      from = Math.max(from, first);
      to = Math.min(to, last);
      if (to > from) this.plot.setScale("x", { min: unbend(from), max: unbend(to) });
    }

    // read shows the values at the cursor in the legend, where that lists curves, and beside the cursor.
    read(u) {
      const i = u.cursor.idx, text = i == null ? "" : this.place(u.data, i);
      if (!this.chart.keys) this.values.forEach((value, k) => { value.textContent = i == null ? "" : this.value(u.data, k, i); });
      this.at.textContent = text;
      this.at.title = text;
      this.tell(u, i);
    }

    // tell shows the values of the curves at the cursor beside it, the largest first: of many curves those
    // next to the closest.
    tell(u, i) {
      const rows = i == null ? [] : this.columns.flatMap((c, k) => (this.shown[k] && u.data[c.y][i] != null ? [[u.data[c.y][i], k]] : [])).sort(([a], [b]) => b - a);
      this.tip.hidden = rows.length === 0;
      if (rows.length === 0) return;
      const closest = this.closest(u, i), most = mostTold(), from = Math.max(0, Math.min(rows.findIndex(([, k]) => k === closest) - most / 2, rows.length - most));
      this.tip.replaceChildren(element("div", { class: "tip-at" }, this.place(u.data, i)),
        ...rows.slice(from, from + most).map(([, k]) => element("div", k === closest && rows.length > 1 ? { class: "closest" } : {}, this.swatch(k), element("span", { class: "name" }, nameOf(this.chart.series[k], k, this.chart)), element("span", { class: "value" }, this.value(u.data, k, i)))),
        ...(rows.length > most ? [element("div", { class: "tip-at" }, `and ${rows.length - most} more`)] : []));
      this.put(u);
    }

    // swatch is a square of the colour of a curve.
    swatch(k) {
      const made = element("i", {});
      made.style.background = this.muted(k) ? mutedOf() : colorOf(this.chart.series[k]);
      return made;
    }

    // put places the values right of the cursor, or left of it where there is no room, and within the window.
    put(u) {
      const { left, top } = u.cursor, room = this.box.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: high } = this.tip;
      const x = u.over.offsetLeft + left, beside = room.left + x + 14 + wide <= innerWidth - 6 ? x + 14 : x - 14 - wide;
      this.tip.style.left = Math.max(6 - room.left, Math.min(beside, innerWidth - 6 - room.left - wide)) + "px";
      this.tip.style.top = Math.max(0, Math.min(u.over.offsetTop + top - high / 2, room.height - high)) + "px";
    }

    // closest is the shown curve that is nearest to the cursor; -1 for none.
    closest(u, i) {
      let best = -1, least = Infinity;
      this.columns.forEach((c, k) => {
        const y = u.data[c.y][i];
        if (!this.shown[k] || y == null) return;
        const distance = Math.abs(u.valToPos(y, "y") - u.cursor.top);
        if (distance < least) [best, least] = [k, distance];
      });
      return best;
    }

    // place and value are the texts of a point under the cursor.
    place(data, i) { return this.chart.categories ? this.chart.categories[Math.round(data[0][i])] ?? "" : `${this.chart.xLabel} = ${tick(data[0][i])}`; }
    value(data, k, i) {
      const c = this.columns[k];
      let text = number(data[c.y][i]);
      if (text && c.high !== undefined) text += " ± " + number(data[c.high][i] - data[c.y][i]);
      return text;
    }

    // reserve keeps as much room for values in the legend as the longest takes, so that
    // nothing on the page moves when they come and go.
    reserve(data) {
      const points = data[0].map((_, i) => i);
      // No number is longer than -1.234e-100. Of very many points not all are printed to see.
      const bounded = (c) => (c.high === undefined ? 11 : 25);
      const widest = points.length * this.columns.length > 20000 ? Math.max(...this.columns.map(bounded))
        : longest(this.columns.map((_, k) => " ".repeat(longest(points.map((i) => this.value(data, k, i))))));
      this.legend.style.setProperty("--value", widest + "ch");
    }

    // grey reports whether all curves of a legend's entry are grey, in all charts of the legend.
    grey(name) { return this.together.every((panel) => panel.entries.every((entry) => entry.name !== name || entry.series.every((k) => panel.muted(k)))); }

    // updateSamples gives the samples of the legend their colours.
    updateSamples() {
      this.samples.forEach((sample, i) => sample.setAttribute("stroke", this.grey(this.entries[i].name) ? mutedOf() : colorOf(this.entries[i])));
    }

    // repaint takes a new width, resolution or set of colours over; the zoom stays.
    repaint() {
      this.updateSamples();
      if (!this.plot) return;
      this.plot.setPxRatio(printing ? printRatio : null);
      this.plot.setSize(this.size());
      this.plot.redraw(false, true);
    }
  }

  const repaint = () => panels.forEach((panel) => panel.repaint());
  const widths = new WeakMap();
  const observer = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const panel = [...panels].find((p) => p.box === entry.target), width = Math.floor(entry.contentRect.width);
      if (!panel || printing || !panel.plot || widths.get(panel) === width) continue;
      widths.set(panel, width);
      const size = panel.size(); // told for the first time it is the size that is drawn already
      if (size.width !== panel.plot.width || size.height !== panel.plot.height) panel.plot.setSize(size);
    }
  });
  dark.addEventListener("change", repaint);
  addEventListener("beforeprint", () => { printing = true; repaint(); });
  addEventListener("afterprint", () => { printing = false; repaint(); });

  // share gives charts of one figure one legend, which switches the curves of all. It stands above
  // them or, on a wide page where they leave a hole in their last row, in the hole.
  function share(group) {
    const list = element("ul", { class: "legend of-values", "aria-label": "values that give curves colour and dash" });
    const switched = (name, on) => {
      for (const panel of group) {
        for (const entry of panel.entries) if (entry.name === name) entry.on = on;
        panel.toggle();
      }
    };
    const names = new Set();
    for (const panel of group) {
      [...panel.legend.children].forEach((item, i) => {
        const entry = panel.entries[i];
        if (names.has(entry.name)) return;
        names.add(entry.name);
        item.querySelector("button").addEventListener("click", () => switched(entry.name, entry.on));
        lighting(item.querySelector("button"), entry.name, group.filter((other) => other !== panel));
        list.append(item);
      });
      panel.legend.remove();
      panel.together = group;
    }
    for (const panel of group) panel.updateSamples();
    const { parentElement: place } = group[0].figure, count = place.querySelectorAll(":scope > figure").length;
    if (count > 2 && count % 2 === 1 && group.length === count) place.classList.add(count % 3 === 2 ? "three" : "two");
    group[0].figure.before(element("div", { class: "shared-legend" }, list));
  }

  // follow has the legend of the first chart stand for those of others: these keep entries that it lacks.
  function follow([lead, ...others]) {
    const on = new Map(lead.entries.map((entry) => [entry.name, entry.on]));
    lead.followers = others;
    for (const other of others) {
      const items = [...other.legend.children], own = other.entries.filter((entry) => !on.has(entry.name));
      other.entries.forEach((entry, i) => { items[i].hidden = on.has(entry.name); });
      other.legend.hidden = own.length === 0;
      const apart = other.entries.filter((entry) => on.has(entry.name) && entry.on !== on.get(entry.name));
      for (const entry of apart) entry.on = on.get(entry.name);
      if (apart.length > 0) other.toggle();
    }
  }

  // Names of curves at their ends: more names would hide them; the height of a name in pixels; and the part
  // of the width within which curves with names end.
  const mostNamed = 16, nameHeight = 15, endsApart = 0.1, leastNamed = 230;
  const pen = document.createElement("canvas").getContext("2d");

  // nameOf is the values that give a curve of a chart its colour and dash, or its name where it has its own.
  function nameOf(line, k, { keys }) {
    // All lines across have one dash, which does not tell them apart.
    return keys?.filter((key) => key.series.includes(k) && !(line.across && key.second)).map((key) => key.name).join(", ") || line.name;
  }

  // nameEnds has a panel show the names of its curves at their ends, in a margin right of them, whenever it
  // is drawn. short(line, k, chart) is the name of a curve. In a crowded chart the best curves have names.
  // The names are for the eye: the legend has them for readers of screens.
  function nameEnds(panel, short = nameOf) {
    const draw = panel.draw.bind(panel);
    panel.draw = () => { draw(); attachEnds(panel, short); };
    attachEnds(panel, short);
  }

  // endsOf are the names of the shown curves with the places of their ends, from the top; none of a lone curve, and none where curves
  // are too many, or end apart: then they would lie below the names of others.
  function endsOf(panel, short) {
    const { plot } = panel, height = plot.over.clientHeight;
    if (panel.chart.categories || panel.chart.series.length < 2 || plot.width < leastNamed || panel.chart.series.filter((line) => !line.faint).length > Math.min(mostNamed, height / nameHeight)) return [];
    const found = panel.chart.series.flatMap((line, k) => {
      if (!panel.shown[k] || line.faint) return [];
      const values = plot.data[panel.columns[k].y], from = values.findLastIndex((v, i) => v != null && plot.data[0][i] <= plot.scales.x.max);
      if (from < 0) return [];
      const y = plot.valToPos(values[from], "y");
      const entry = panel.entries.findIndex((one) => one.series.includes(k)); // that of its colour comes first
      return y < 0 || y > height ? [] : [{ name: short(line, k, panel.chart), y, x: plot.valToPos(plot.data[0][from], "x"), color: panel.samples[entry]?.getAttribute("stroke") || line.color }];
    }).sort((a, b) => a.y - b.y).filter((one, i, all) => i === 0 || one.name !== all[i - 1].name || one.color !== all[i - 1].color || one.y - all[i - 1].y > 2); // a name of curves that coincide stands once
    // A line across the axis goes on beyond the last points: the names stand right of it.
    if (panel.chart.series.some((line, k) => line.across && panel.shown[k])) for (const one of found) one.x = plot.over.clientWidth;
    const ends = found.map((one) => one.x);
    return Math.max(...ends) - Math.min(...ends) > endsApart * plot.over.clientWidth ? [] : found;
  }

  // roomFor is the width of the longest name, in pixels; 0 for none.
  function roomFor(found) {
    pen.font = "600 12px " + getComputedStyle(document.body).fontFamily;
    return found.length > 0 ? Math.ceil(Math.max(...found.map((one) => pen.measureText(one.name).width))) + 12 : 0;
  }

  function attachEnds(panel, short) {
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
      found.forEach((one, i) => { one.top = Math.max(one.y - nameHeight / 2, i > 0 ? found[i - 1].top + nameHeight : 0); });
      for (let i = found.length - 1; i >= 0; i--) found[i].top = Math.min(found[i].top, (i < found.length - 1 ? found[i + 1].top : height) - nameHeight);
      place.replaceChildren(...found.map((one) => {
        const label = element("span", {}, one.name);
        Object.assign(label.style, { top: one.top + "px", left: one.x + 3 + "px", maxWidth: plot.width - plot.over.offsetLeft - one.x - 3 + "px", color: `color-mix(in srgb, ${one.color} 72%, var(--ink))` });
        return label;
      }));
    };
    (plot.hooks.draw ||= []).push(put);
    put();
  }

  globalThis.starlingChart = { Panel, element, number, tick, isDark, ink, share, follow, nameEnds, nameOf };
})();
