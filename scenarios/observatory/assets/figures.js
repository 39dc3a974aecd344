// Charts of a run's metrics, with what is on their axes to choose. What is chosen stands in
// the address, so that it can be kept and sent.
import { element, choice, ticked, copy, save, heading, shaded, spoken, linkOf } from "./dom.js";
import { ask, file, sourceOf } from "./api.js";

const { Panel, share, nameEnds } = globalThis.starlingChart, { chosenIn } = globalThis.starlingRoute;

// Charts shows the charts of an answer, and keeps what is zoomed and hidden when newer ones
// come.
export class Charts {
  // named has curves show their names at their ends.
  constructor(place, named = false) {
    this.place = place;
    this.named = named;
    this.panels = [];
    this.key = null;
  }

  // The picture, of a figure whose axes have no numbers, is a file of the server at the address: a PNG,
  // since the letters of an SVG are those that the browser has.
  // Of a finished run, charts of one figure share a legend.
  show(charts, key, picture = null, source = "", finished = false) {
    if (picture) {
      this.close();
      this.key = null;
      if (picture.cells) {
        this.place.replaceChildren(element("figure", { class: "chart cells" }, element("figcaption", {}, picture.title), heatTable(this.swapped ? { ...picture, cells: swapped(picture.cells) } : picture), element("p", { class: "caption" }, picture.caption || "")));
        performance.mark("charts-shown");
        return;
      }
      const image = element("img", { src: source, alt: `${picture.title}. ${picture.text}`, title: picture.title });
      image.addEventListener("load", () => performance.mark("charts-shown"), { once: true });
      this.place.replaceChildren(element("figure", { class: "chart file" }, element("div", { class: "sheet", tabindex: "0", role: "region", "aria-label": picture.title }, image), element("p", { class: "caption" }, picture.caption || "")));
      return;
    }
    const same = key === this.key && charts.length === this.panels.length;
    if (!same) {
      this.close();
      this.key = key;
      this.place.replaceChildren(...charts.map((chart) => {
        const figure = element("figure", { class: "chart" }, element("figcaption", {}, chart.title));
        this.panels.push({ figure, chart });
        return figure;
      }));
      for (const p of this.panels) {
        p.panel = new Panel(p.figure, [p.chart]);
        if (this.named) nameEnds(p.panel);
      }
      if (finished && charts.length > 1 && charts.every((chart) => chart.keys)) share(this.panels.map((p) => p.panel));
    } else charts.forEach((chart, i) => {
      this.panels[i].figure.querySelector("figcaption").textContent = chart.title;
      this.panels[i].panel.update(chart);
    });
    performance.mark("charts-shown");
  }

  close() {
    for (const p of this.panels) p.panel?.remove();
    this.panels = [];
    this.place.classList.remove("two", "three");
    this.place.replaceChildren();
  }
}

// saving has a button for each format of a file of the server, which question() asks for. remark(text) tells what went wrong.
export function saving(what, name, formats, question, remark, more = "") {
  const keep = async (format, button) => {
    button.disabled = true;
    try {
      save(await file(`${what}.${format}`, question()), `${name}.${format}`);
      remark("");
    } catch (error) {
      remark(error.message);
    }
    button.disabled = false;
  };
  return element("div", { class: "exports", role: "group", "aria-label": `save ${name}` }, element("span", {}, "save"), formats.map((format) => element("button", { type: "button", title: format === "py" ? "code for matplotlib, with its points" : null, onclick: (event) => keep(format, event.target) }, format === "py" ? "matplotlib" : format.toUpperCase())), more);
}

// heatTable is a heat map as a table of its numbers.
function heatTable({ title, cells: { of, columns, rows } }) {
  return element("div", { class: "scroll heat-table", tabindex: "0", role: "region", "aria-label": title }, element("table", {}, element("caption", { class: "unseen" }, title),
    element("thead", {}, of && columns.length > 1 && element("tr", {}, element("td", {}), element("th", { scope: "colgroup", colspan: columns.length, class: "of" }, of)),
      element("tr", {}, element("td", {}), columns.map((text) => element("th", { scope: "col", class: "number" }, text)))),
    element("tbody", {}, rows.map((row) => element("tr", { class: row.shares ? null : "outside" }, element("th", { scope: "row" }, row.name),
      row.across ? element("td", { class: "number", colspan: columns.length }, row.texts[0] || "–")
        : row.texts.map((text, k) => shaded(element("td", { class: "number" + (row.best[k] ? " best" : "") }, text || (row.shares ? "–" : "")), row.shares?.[k])))))));
}

// swapped has the columns of a heat map as rows. Rows below the grid stay below it.
function swapped({ of, columns, rows }) {
  const inside = rows.filter((row) => row.shares), below = rows.filter((row) => !row.shares);
  const turned = columns.map((name, k) => ({ name, texts: inside.map((row) => row.texts[k]), shares: inside.map((row) => row.shares[k]), best: inside.map((row) => row.best[k]) }));
  const others = below.map((row) => (row.across ? row : { name: row.name, texts: [row.texts.map((text, k) => text && `${columns[k]}: ${text}`).filter(Boolean).join("; ")], best: [false], across: true }));
  return { of: "", columns: inside.map((row) => row.name), rows: [...turned, ...others] };
}

const mostUnsearched = 8; // arms that a reader finds without a search

export function show(place, detail, route) {
  if (detail.metrics.length === 0) {
    place.append(element("p", { class: "hint" }, detail.status === "running" ? "Nothing is recorded yet." : "No metrics can be read of this run."));
    return { changed(d) { if (d.metrics.length > 0) { place.replaceChildren(); Object.assign(this, show(place, d, route)); } } };
  }
  const usual = detail.metrics.find((m) => m.usual) || detail.metrics[0];
  const q = chosenIn(route.query);
  // Without a choice the figure is the study's first one, as in the overview; while the run goes on, the one of its finding.
  const first = detail.figure ?? detail.provisional?.figure;
  if (!route.query.has("y") && first) Object.assign(q, first);
  const meant = (name, arm) => (name.endsWith("*") ? arm.startsWith(name.slice(0, -1)) : arm === name);
  const armsOf = (names) => (detail.arms || []).map((arm) => arm.name).filter((arm) => names.some((name) => meant(name, arm)));
  q.swap = route.query.get("swap") === "true"; // of the columns and rows of a heat map, on the page alone
  if (q.arm.length > 0) q.arm = armsOf(q.arm);
  const own = armsOf([detail.figure?.arm || []].flat()); // the arms of the study's own figure
  if (!q.y) Object.assign(q, { y: usual.name, per_step: q.per_step || Boolean(usual.per_step) });
  const finished = detail.shown;
  let turn = 0;

  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const notes = element("div", { class: "notes" });
  const charts = element("div", { class: "charts picked" });
  const shown = new Charts(charts, true);
  place.append(heading("Figure"), controls, remark, charts, notes);

  // Keys of mappings that arms set have no numbers and no words: the keys inside stand for them.
  const inner = detail.inner_keys || [], allKeys = [...detail.keys, ...inner], keys = allKeys.map((key) => [key, key]);
  const metricNames = detail.metrics.filter((m) => !m.of_nodes).map((m) => [m.name, m.name]);
  const change = (key) => (value) => {
    q[key] = value;
    // On a key as x what tells arms apart begins anew: it can be that key, and is chosen from what is left.
    if (key === "y" && !finished && !q.x) q.log_y = Boolean(detail.metrics.find((m) => m.name === value)?.log_y); // as suits the curves so far
    if (key === "x" && allKeys.includes(value)) Object.assign(q, { by: "", facet: "", hue: "", dash: "", log_x: false });
    controlsAgain();
    draw();
  };

  // fact stands among the menus.
  const fact = (label, text) => element("span", { class: "fact" }, element("span", {}, label), text);

  // menu is a choice that has what is drawn among its options, always.
  const menu = (label, options, value, change) => choice(label, options.some(([v]) => v === value) ? options : [...options, [value, value]], value, change);

  function controlsAgain() {
    const focused = document.activeElement?.closest("label")?.textContent, heat = formOf() === "heat";
    controls.replaceChildren(...[
      menu("form", forms(), formOf(), changeForm),
      menu("metric (y)", detail.metrics.map((m) => [m.name, m.name]), q.y, change("y")),
      heat && fact(q.swap ? "rows" : "columns", detail.heat_keys.slice(0, -1).join(", ")),
      heat && fact(q.swap ? "columns" : "rows", detail.heat_keys.at(-1) === "name" ? "arms by their names" : detail.heat_keys.at(-1)),
      heat && element("button", { type: "button", class: "swap", "aria-pressed": String(Boolean(q.swap)), title: "columns as rows", onclick: () => { q.swap = !q.swap; controlsAgain(); draw(); } }, "Swap"),
      !heat && menu("x", [["", "step"], ...keys, ...["data.seen", "rounds", "messages", "bytes", "epsilon"].map((x) => [x, x]), ...metricNames.filter(([m]) => m !== q.y)], q.x, change("x")),
      !heat && menu("a curve for each", [["", "arm"], ...keys, ...(finished ? [["node", "node"]] : [])], q.by, change("by")),
      !heat && keys.length > 0 && menu("color", [["", "each curve"], ...keys], q.hue, change("hue")),
      !heat && keys.length > 0 && menu("dash", [["", "each curve"], ...keys], q.dash, change("dash")),
      !heat && keys.length > 0 && menu("a chart for each", [["", "what suits the arms"], ...keys], q.facet, change("facet")),
      choice("band", [["", "95 % interval"], ["se", "standard error"], ["sd", "standard deviation"], ["none", "none"]], q.band === "ci" ? "" : q.band, change("band")),
      element("div", { class: "ticks" },
        ticked("per step", q.per_step, change("per_step")), !heat && [ticked("log x", q.log_x, change("log_x")), ticked("log y", q.log_y, change("log_y"))]),
      (detail.arms || []).length > 1 && armPicker(),
      files(element("button", { type: "button", title: "the part of a scenario that asks for this figure", onclick: (event) => scenario(event.target) }, "copy as scenario")),
    ].filter(Boolean));
    if (focused) [...controls.querySelectorAll("label")].find((label) => label.textContent === focused)?.querySelector("select, input")?.focus();
  }

  // formOf is the kind of figure that is chosen.
  function formOf() {
    if (q.x === "epsilon") return "trade-off";
    if (!allKeys.includes(q.x) && q.x !== "name") return "curves";
    return (detail.heat_keys || []).includes(q.x) && !q.log_x && !["by", "facet", "hue", "dash"].some((key) => q[key]) ? "heat" : "values";
  }

  // places are the keys for an axis of last values: those without mappings, words before numbers.
  function places() {
    const valuesOf = (key) => (detail.arms || []).flatMap((arm) => (arm.values || []).filter((v) => v.path === key).map((v) => v.value));
    const numbers = (key) => valuesOf(key).every((value) => Number.isFinite(Number(value)) || value === "none");
    const heat = detail.heat_keys || [], plain = detail.keys.filter((key) => !valuesOf(key).some((value) => /[{[]/.test(value)));
    return plain.sort((a, b) => heat.includes(b) - heat.includes(a)).sort((a, b) => numbers(a) - numbers(b));
  }

  // forms are the kinds of figures that the run can have.
  function forms() {
    return [["curves", "curves"], (places().length > 0 || formOf() === "values") && ["values", "last values"], detail.heat_keys && ["heat", "heat map"], detail.losses && ["trade-off", "trade-off with ε"]].filter(Boolean);
  }

  // changeForm chooses axes and colours for a kind of figure. Figures without curves have last values, which
  // are not divided by the step.
  function changeForm(form) {
    if (String(q.arm) === String(detail.figure?.arm || "")) q.arm = []; // the selection of that figure
    Object.assign(q, { x: "", by: "", facet: "", hue: "", dash: "", log_x: false, per_step: false });
    if (form === "curves") Object.assign(q, { per_step: Boolean(detail.metrics.find((m) => m.name === q.y)?.per_step) }, detail.figure?.y === q.y ? detail.figure : {});
    if (form === "values" && allKeys.includes(detail.figure?.x) && detail.figure.y === q.y) Object.assign(q, detail.figure);
    else if (form === "values") [q.x, q.hue = ""] = places();
    if (form === "heat") q.x = detail.heat_keys.find((key) => detail.keys.includes(key));
    if (form === "trade-off") Object.assign(q, { x: "epsilon", log_x: detail.losses[1] > 8 * detail.losses[0] });
    controlsAgain();
    draw();
  }

  function armPicker() {
    const all = detail.arms.map((arm) => arm.name), chosen = new Set(q.arm.length > 0 ? q.arm : all);
    const summaryText = () => (q.arm.length === 0 ? `all ${all.length} arms` : `${q.arm.length} of ${all.length} arms`);
    const summary = element("summary", {}, summaryText());
    const boxes = all.map((name) => ticked(spoken(name, detail.arm_labels), chosen.has(name), (on) => {
      if (on) chosen.add(name); else chosen.delete(name);
      pick([...chosen]);
    }));
    // pick draws some arms; all of them are the same as none.
    function pick(names) {
      const set = new Set(names);
      q.arm = set.size === all.length ? [] : all.filter((name) => set.has(name));
      summary.textContent = summaryText();
      draw();
    }
    const found = () => all.filter((_, i) => !boxes[i].hidden);
    const button = (text, title, names) => element("button", { type: "button", title, onclick: () => { pick(names()); controlsAgain(); } }, text);
    const search = element("input", { type: "search", placeholder: "part of a name", "aria-label": "search in arms", value: armPicker.search || "", oninput: narrow });
    // narrow hides the arms that lack a word of the search.
    function narrow() {
      armPicker.search = search.value;
      const words = search.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
      all.forEach((name, i) => { boxes[i].hidden = !words.every((word) => (name + " " + spoken(name, detail.arm_labels)).toLowerCase().includes(word)); });
    }
    narrow();
    const menu = element("details", { class: "arm-picker", open: armPicker.open || null }, summary,
      element("div", { class: "arm-list" }, all.length > mostUnsearched && search, button("all", "all arms", () => []),
        all.length > mostUnsearched && button("only those found", "the arms that the search finds, and no others", found), boxes));
    menu.addEventListener("toggle", () => { armPicker.open = menu.open; });
    return menu;
  }

  // heatMap is a button that draws a heat map in place of curves that coincide.
  function heatMap() {
    return element("button", { type: "button", onclick: () => { Object.assign(q, { by: "", facet: "", hue: "", dash: "", log_x: false }); controlsAgain(); draw(); } }, "Draw the heat map");
  }

  function address() {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(q)) for (const one of [value].flat()) if (one !== "" && one !== false) query.append(key, String(one));
    return query;
  }

  async function draw(live = false) {
    const now = ++turn;
    if (!live) history.replaceState(null, "", linkOf(detail.id, "figures") + "?" + address());
    charts.setAttribute("aria-busy", "true");
    try {
      // Arms keep the styles that they have in the study's figure, or else among all arms.
      // By a colour that the reader has chosen, arms of one value share it.
      const grouped = q.hue !== "" && q.dash === "" && q.hue !== (detail.figure?.hue || "");
      const answer = await ask("figure", { id: detail.id, ...q, grouped, among: own.length > q.arm.length && q.arm.every((name) => own.includes(name)) ? own : [] });
      if (now !== turn || live && answer.charts.length === 0 && !answer.picture) return;
      remark.textContent = "";
      charts.classList.toggle("several", answer.charts.length > 1);
      shown.swapped = q.swap;
      // Bands of records with several steps are no intervals over the seeds, and the menu says so.
      const usualBand = [...controls.querySelectorAll("label")].find((label) => label.firstChild.textContent === "band")?.querySelector("option");
      if (usualBand) usualBand.textContent = answer.remarks.some((text) => text.includes("no confidence intervals")) ? "least to most of a record" : "95 % interval";
      shown.show(answer.charts, address().toString(), answer.picture, sourceOf("figure.png", { id: detail.id, ...q, turn: now }), finished && detail.shown);
      notes.replaceChildren(...answer.remarks.filter((text) => !grouped || !text.includes("share colour and dash")).map((text) => element("p", { class: "hint" }, q.swap && answer.picture ? text.replace("of each column", "of each row") : text)));
    } catch (error) {
      if (now !== turn) return;
      if (!live || error.status !== 404) remark.textContent = error.message;
      if (finished && keys.length > 1 && allKeys.includes(q.x) && (q.by || q.facet || q.hue || q.dash)) remark.append(" ", heatMap());
      if (!live) { shown.close(); notes.replaceChildren(); }
    } finally {
      if (now === turn) charts.removeAttribute("aria-busy");
    }
  }

  const files = (more) => saving("figure", `${detail.scenario}-${q.y}`, ["svg", "png", "pdf", "csv", "py"], () => ({ id: detail.id, ...q }), (text) => { remark.textContent = text; }, more);

  async function scenario(button) {
    try {
      copy(await (await file("figure.yaml", { id: detail.id, ...q })).text(), button);
    } catch (error) {
      remark.textContent = error.message;
    }
  }

  controlsAgain();
  draw();
  return {
    changed(d) {
      // A finished run that is the same has the same figure.
      const same = detail.shown && d.shown && d.digest === detail.digest && d.updated === detail.updated, more = d.metrics.length !== detail.metrics.length || d.status !== detail.status;
      detail = d;
      if (more && d.shown) controlsAgain();
      if (!same) draw(true);
    },
    close() { turn++; shown.close(); },
  };
}
