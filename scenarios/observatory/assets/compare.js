// All arms of runs against a baseline; two runs, or two arms, side by side: in what their scenarios
// differ, paired differences with intervals; and a figure of all that were selected. What the reader
// chooses stands in the address.
import { element, drawn, table, sortable, section, choice, ticked, below, counted, keepingFocus, spoken, linkOf } from "./dom.js";
import { ask } from "./api.js";
import { Charts, saving } from "./figures.js";
import { against, wayOut } from "./against.js";
import { Picker, addressOf } from "./picker.js";
import { together } from "./together.js";
import { keyName } from "./settings.js";

const mostChips = 8; // more runs are a list that is opened

export function show(place, route) {
  document.title = "Starling: compare";
  const ids = route.query.getAll("run");
  place.append(element("h1", {}, "Compare"));
  if (ids.length === 0) {
    const picking = new Picker();
    place.append(element("p", { class: "hint" }, "Choose one run, to compare its arms, or several."), picking.place);
    return { close() { picking.close(); } };
  }
  const state = { first: ids[0], second: ids[1] || ids[0], first_arm: "", second_arm: "", different_problems: false, y: "", x: "", hue: "", log_x: false, log_y: false, per_step: false, rest: {} };
  const choices = new Map([...route.query].filter(([key]) => key !== "run")); // that differ from those of the page
  // keep has the address name a choice.
  function keep(key, value) {
    choices.set(key, String(value));
    history.replaceState(null, "", addressOf(ids) + [...choices].map(([name, text]) => "&" + new URLSearchParams([[name, text]])).join(""));
  }
  // recalled sets the parts of the state that the address names.
  function recalled(...keys) {
    for (const key of keys) if (choices.has(key)) state[key] = typeof state[key] === "boolean" ? choices.get(key) === "true" : choices.get(key);
  }
  const arms = new Map(), labels = new Map(); // the arms of runs, and names for readers
  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const body = element("div", {});
  const overlayControls = element("div", { class: "pickers" });
  const overlayRemark = element("p", { class: "remark", role: "alert" });
  const chart = element("div", { class: "charts" });
  const shown = new Charts(chart, true);
  let turn = 0, all = null, whole = null, closed = false; // answers that come to a closed view are dropped
  let picker = null;
  const other = element("details", { class: "other-runs" }, element("summary", {}, "Choose other runs"));
  other.addEventListener("toggle", () => { if (other.open && !picker) { picker = new Picker(ids); other.append(picker.place); } });
  let names = {}; // of the runs, by ID
  const nameOf = (id) => (ids.length > 1 && names[id]) || id;
  const list = element("ul", { class: "compared" });
  // chips are the runs by their names; of many, a list that is opened.
  function chips() {
    list.replaceChildren(...ids.map((id) => element("li", {}, element("a", { href: linkOf(id), title: id }, nameOf(id)),
      ids.length > 1 && [" ", element("a", { class: "leave", href: addressOf(ids.filter((other) => other !== id)), title: "compare without it", "aria-label": `compare without ${nameOf(id)}` }, "×")])));
  }
  chips();
  const scenarios = [...new Set(ids.map((id) => id.split("/")[0]))];
  place.append(ids.length > mostChips ? element("details", { class: "many-runs" }, element("summary", {}, `${counted(ids.length, "run")} of ${scenarios.length > 4 ? counted(scenarios.length, "scenario") : scenarios.join(", ")}`), list) : list, other);
  const pair = section("Two side by side", controls, remark, body);
  // The figure, and then the pair, are shown once what stands above them is there, so that nothing moves.
  const overlayNotes = element("div", { class: "notes" });
  const figure = section("Figure", overlayControls, overlayRemark, chart, overlayNotes);

  const change = (key) => (value) => { state[key] = value; keep(key, value); controlsAgain(); load(); };
  const side = (key) => (value) => { state[key + "_arm"] = ""; keep(key + "_arm", ""); change(key)(value); };

  function controlsAgain() {
    const whole = (side) => [["", ids.length > 1 || state.first !== state.second ? "whole run" : "choose an arm"], ...(arms.get(state[side]) || []).map((name) => [name, spoken(name, labels.get(state[side]))])];
    keepingFocus(controls, () => controls.replaceChildren(
      choice("first", ids.map((id) => [id, nameOf(id)]), state.first, side("first")), choice("arm", whole("first"), state.first_arm, change("first_arm")),
      choice("second", ids.map((id) => [id, nameOf(id)]), state.second, side("second")), choice("arm", whole("second"), state.second_arm, change("second_arm")),
      ticked("compare different problems, too", state.different_problems, change("different_problems"))));
  }

  async function load() {
    const now = ++turn;
    if (state.first === state.second && (!state.first_arm || !state.second_arm || state.first_arm === state.second_arm)) {
      body.replaceChildren(element("p", { class: "hint" }, "Choose two arms of the run to compare."));
      return;
    }
    try {
      const c = await ask("compare", state);
      if (now !== turn) return;
      remark.textContent = "";
      const other = c.other_problem.length > 0 && !state.different_problems;
      body.replaceChildren(
        below("Scenarios", c.scenarios.rows.length > 0 ? table(c.scenarios, "differences of the scenarios") : element("p", { class: "hint" }, "The scenarios are the same."),
          ...textual(c.texts)),
        below(c.unpaired ? "Differences without pairs, second less first" : "Differences, second less first",
          other ? element("p", { class: "warning" }, `These runs solve different problems (${c.other_problem.join(", ")}). Metric differences are not meaningful; tick the box to see them anyway.`) : "",
          c.unpaired ? unpaired(c.unpaired) : differences(c),
          c.notes.map((text) => element("p", { class: "hint" }, text))));
    } catch (error) {
      if (now !== turn) return;
      remark.textContent = error.message;
      body.replaceChildren();
    }
  }

  // Of all runs: metrics, axes, settings in which they differ, and the ends of the accounted losses.
  let metrics = [], axes = [], settings = [], losses = [1, 1];
  async function overlay() {
    try {
      const answer = await ask("overlay", { ...overlaid(), ...state.rest }).catch((error) => {
        if (Object.keys(state.rest).length === 0) throw error;
        state.rest = {}; // other runs have no such arms or keys: each arm is a curve
        return ask("overlay", overlaid());
      });
      overlayRemark.textContent = "";
      chart.classList.toggle("several", answer.charts.length > 1);
      if (ids.length > 1) for (const c of answer.charts) for (const key of c.keys || []) key.name = spoken(key.name);
      shown.show(answer.charts, JSON.stringify([state.y, state.x, state.hue, state.log_x, state.log_y, state.per_step]), null, "", true);
      const meant = (text) => !state.hue || !text.includes("share colour and dash"); // by a setting many curves have one colour
      overlayNotes.replaceChildren(...answer.remarks.filter(meant).map((text) => element("p", { class: "hint" }, text)));
    } catch (error) {
      overlayRemark.textContent = error.message;
      overlayNotes.replaceChildren();
      shown.close();
    }
  }

  function overlayAgain() {
    const set = (key) => (value) => { state[key] = value; keep(key, value); overlayAgain(); overlay(); };
    // On another axis colours, dashes and charts of the study's figure have no meaning.
    const across = (value) => { Object.assign(state, { rest: {}, log_x: value === "epsilon" && losses[1] > 8 * losses[0] }, keyed(value) ? { per_step: false } : {}); set("x")(value); };
    const coloured = (value) => { state.rest = {}; set("hue")(value); };
    keepingFocus(overlayControls, () => overlayControls.replaceChildren(choice("metric (y)", metrics, state.y, set("y")), choice("x", [["", "step"], ...axes.filter(([x]) => x !== state.y)], state.x, across),
      settings.length > 0 ? choice("colour", [["", "each run"], ...settings.filter((key) => key !== state.x).map((key) => [key, keyName(key, settings)])], state.hue, coloured) : "",
      ticked("per step", state.per_step, set("per_step")), ticked("log x", state.log_x, set("log_x")), ticked("log y", state.log_y, set("log_y")),
      saving("overlay", `compared-${state.y}`, ["svg", "png", "pdf", "csv", "py"], () => ({ ...overlaid(), ...state.rest }), (text) => { overlayRemark.textContent = text; })));
  }

  // overlaid is the question for the figure, without what the study's own figure adds.
  const overlaid = () => ({ id: ids, y: state.y, x: state.x, hue: state.hue, grouped: state.hue !== "", log_x: state.log_x, log_y: state.log_y, per_step: state.per_step });

  // keyed reports whether a figure over x has one point an arm.
  const keyed = (x) => x === "epsilon" || axes.some(([key]) => key === x) && !metrics.includes(x);

  // axesOf are the axes that figures of all runs can have: the loss of privacy, keys that arms set, and metrics.
  function axesOf(all) {
    const keys = all[0].keys.filter((key) => all.every((d) => d.keys.includes(key)));
    if (all.some((d) => d.losses)) losses = [Math.min(...all.flatMap((d) => d.losses || [])), Math.max(...all.flatMap((d) => d.losses || []))];
    return [...(all.some((d) => d.losses) ? [["epsilon", "ε of the run, a point for each arm"]] : []), ...[...new Set([...keys, ...settings]), ...metrics].map((x) => [x, x])];
  }

  // leaveOut takes runs that are not complete out of the comparison, and says which these are.
  function leaveOut(details) {
    const whole = details.map((d) => d.status === "fulfilled" && d.value.shown);
    const lines = details.flatMap((d, i) => (whole[i] ? [] : [d.status === "rejected" ? d.reason.message : `${nameOf(ids[i])} is ${d.value.status}; only complete runs are compared.`]));
    if (lines.length > 0) other.after(element("p", { class: "warning", role: "alert" }, lines.join("\n")));
    ids.splice(0, ids.length, ...ids.filter((_, i) => whole[i]));
    if (!ids.includes(state.first)) state.first = ids[0];
    if (!ids.includes(state.second)) state.second = ids[1] || ids[0];
    return details.filter((_, i) => whole[i]);
  }

  const waiting = element("p", { class: "hint waiting", role: "status" }, "The arms are being compared …");
  async function begin() {
    place.append(waiting);
    const [every] = await Promise.all([Promise.allSettled(ids.map((id) => ask("run", { id }))),
      ask("names", { id: ids }).then((found) => { names = found; }).catch(() => { /* the details say what is wrong */ })]);
    if (closed) return;
    const details = leaveOut(every);
    chips();
    details.forEach((d, i) => {
      labels.set(ids[i], d.value.arm_labels);
      arms.set(ids[i], (d.value.arms || []).map((arm) => arm.name));
    });
    if (ids.length === 0) { waiting.remove(); return; }
    const read = details.filter((d) => d.status === "fulfilled").map((d) => d.value), lists = read.map((d) => d.metrics.filter((m) => !m.of_nodes));
    metrics = (lists[0] || []).filter((m) => lists.every((list) => list.some((other) => other.name === m.name))).map((m) => m.name);
    state.y = metrics[0] || "";
    if (ids.length > 1 && state.y) settings = await ask("points", { id: ids, y: state.y }).then(({ keys }) => keys).catch(() => []);
    if (closed) return;
    if (read.length > 0) axes = axesOf(read);
    // The first run's study says which figure is its first.
    const first = details[0].status === "fulfilled" && details[0].value.figure;
    if (first && metrics.includes(first.y)) {
      const { y, x = "", log_x = false, log_y = false, per_step = false, ...rest } = first, there = !x || axes.some(([one]) => one === x);
      Object.assign(state, there ? { y, x, log_x, log_y, per_step, rest } : { y, log_y });
    }
    // Many curves have the colour of a setting, by which groups of them are seen.
    const telling = settings.find((key) => key !== state.x && key !== "seeds.base" && key !== "seeds.count");
    if (ids.length > mostChips && telling) Object.assign(state, { hue: telling, rest: {} });
    if (ids.length === 1) [state.first_arm, state.second_arm] = [arms.get(ids[0])?.[0] || "", arms.get(ids[0])?.[1] || ""];
    recalled("first", "second", "first_arm", "second_arm", "different_problems", "log_x", "log_y", "per_step");
    if (metrics.includes(choices.get("y"))) recalled("y");
    if (choices.get("hue") === "" || settings.includes(choices.get("hue"))) recalled("hue");
    if (choices.get("x") === "" || axes.some(([x]) => x === choices.get("x"))) { if (choices.get("x") !== state.x) state.rest = {}; recalled("x"); }
    const points = [...arms.values()].flat().length;
    if (points > 2 && state.y) {
      whole = together(ids, metrics, state.y, choices, keep);
      await whole.ready;
      if (closed) return;
    }
    if (points > 1) {
      all = against(ids, names, labels, metrics, choices, keep);
      await all.ready;
      if (closed) return;
      waiting.remove();
      place.append(...[ids.length > 2 && whole?.place, all.place].filter(Boolean));
    }
    waiting.remove();
    if (state.y) {
      overlayAgain();
      place.append(figure);
      await overlay();
    } else place.append(element("p", { class: "hint" }, "These runs have no metric in common, and no figure together: choose runs of one scenario."));
    if (closed) return;
    if (ids.length <= 2 && whole) place.append(whole.place);
    controlsAgain();
    const broken = remark.textContent;
    place.append(pair);
    await load();
    if (broken && !closed) remark.textContent = broken;
  }

  begin();
  return { close() { closed = true; turn++; picker?.close(); all?.close(); whole?.close(); shown.close(); } };
}

// textual shows the lines in which two texts differ, and both beside each other where it is asked for.
function textual(texts) {
  const parts = difference(texts[0].split("\n"), texts[1].split("\n"));
  const sides = element("details", {}, element("summary", {}, "both files side by side"), sideBySide(texts));
  return parts.length === 0 ? [sides] : [element("h4", {}, "Lines that differ"), element("pre", { class: "diff", tabindex: "0", "aria-label": "lines in which the files differ: − of the first, + of the second" },
    parts.map(([sign, text]) => element(sign === "−" ? "del" : sign === "+" ? "ins" : "span", {}, `${sign} ${text}\n`))), sides];
}

const around = 2, mostLines = 2000; // equal lines that are shown around others; longer texts have none found

// difference are the lines of the longest common subsequence of two texts, and those of one alone,
// with those equal ones that are near: pairs of a sign and a line.
function difference(a, b) {
  if (a.length > mostLines || b.length > mostLines) return [];
  const wide = b.length + 1, longest = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--) for (let k = b.length - 1; k >= 0; k--) longest[i * wide + k] = a[i] === b[k] ? longest[(i + 1) * wide + k + 1] + 1 : Math.max(longest[(i + 1) * wide + k], longest[i * wide + k + 1]);
  const all = [];
  for (let i = 0, k = 0; i < a.length || k < b.length;) {
    if (i < a.length && k < b.length && a[i] === b[k]) { all.push([" ", a[i]]); i++; k++; }
    else if (k >= b.length || i < a.length && longest[(i + 1) * wide + k] >= longest[i * wide + k + 1]) all.push(["−", a[i++]]);
    else all.push(["+", b[k++]]);
  }
  const near = (n) => all.slice(Math.max(0, n - around), n + around + 1).some(([sign]) => sign !== " ");
  const kept = all.map((line, n) => near(n) ? line : null);
  return kept.flatMap((line, n) => (line ? [line] : n > 0 && kept[n - 1] && kept.slice(n).some(Boolean) ? [["…", ""]] : []));
}

// sideBySide shows two texts with the lines that only one has marked.
function sideBySide(texts) {
  const lines = texts.map((text) => text.split("\n"));
  const sets = lines.map((list) => new Set(list));
  return element("div", { class: "sides" }, lines.map((list, i) => element("pre", { tabindex: "0", "aria-label": i === 0 ? "first" : "second" },
    list.map((line) => element("span", { class: sets[1 - i].has(line) ? null : "only" }, line + "\n")))));
}

// unpaired has the means of runs without a common seed, each over its own seeds.
function unpaired(u) {
  const made = u.table.rows.length > 0 && table(u.table, "differences without pairs", (row) => (apart(row.at(-1)) ? "told-apart" : null));
  return [wayOut(u.text, [u.command], ""), made, made && element("p", { class: "hint" }, "±: half of the 95 % interval. Differences are of the means over the seeds of each (Welch's method): wider than those of pairs. Bold: the interval leaves 0. The intervals are not corrected for their number.")].filter(Boolean);
}

// apart reports whether the interval of a difference leaves 0.
function apart(text) {
  const found = /^\(?(-?[0-9.]+(?:e[-+]?[0-9]+)?) ± ([0-9.]+(?:e[-+]?[0-9]+)?)/.exec(text ?? "");
  return found !== null && Math.abs(Number(found[1])) > Number(found[2]);
}

// differences is the table of paired differences, with a picture of each interval. What does
// not differ under any seed stands below.
function differences(c) {
  const rows = c.differences.rows.map((row, i) => [row, c.intervals[i]]);
  const same = rows.filter(([, d]) => d.pairs.every((v) => v === 0)), others = rows.filter(([, d]) => !d.pairs.every((v) => v === 0));
  const { header } = c.differences, from = c.first.arm ? 1 : 0; // of two arms the column of arms would name one of them in each row
  const made = others.length > 0 && sortable(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "paired differences" }, element("table", {}, element("caption", { class: "unseen" }, "paired differences"),
    element("thead", {}, element("tr", {}, header.map((text, i) => i >= from && [element("th", { scope: "col", class: i > 1 && i < 8 ? "number" : null }, text), i === 1 && element("th", { scope: "col" }, "95 % interval, and each seed")]))),
    element("tbody", {}, others.map(([row, d]) => element("tr", { class: row[8] === "first" || row[8] === "second" ? "told-apart" : null },
      row.map((text, i) => i >= from && [i === from ? element("th", { scope: "row" }, text) : element("td", { class: i > 1 && i < 8 ? "number" : null }, text), i === 1 && element("td", { class: "picture" }, interval(d))])))))));
  return [made, same.length > 0 && element("details", {}, element("summary", {}, `${same.length} of ${rows.length} do not differ under any seed`), table({ header: header.slice(from), rows: same.map(([row]) => row.slice(from)) }, "no difference"))];
}

// interval draws one in units of the largest number in it: what counts is whether it leaves 0.
function interval(d) {
  const [mean, low, high] = d.range, width = 220, height = 20;
  if (mean === null) return "";
  const size = Math.max(...[mean, low, high, ...d.pairs].filter((v) => v !== null).map(Math.abs)) || 1;
  const at = (v) => width / 2 + v / size * (width / 2 - 6);
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", class: "interval" },
    drawn("line", { x1: width / 2, x2: width / 2, y1: 0, y2: height, class: "zero" }),
    d.pairs.slice(0, 200).filter((v) => v !== null).map((v) => drawn("circle", { cx: at(v), cy: height / 2, r: 2, class: "pair" })),
    low === null ? null : drawn("line", { x1: at(low), x2: at(high), y1: height / 2, y2: height / 2, class: "range" }),
    drawn("circle", { cx: at(mean), cy: height / 2, r: 3.5, class: "mean" }));
}
