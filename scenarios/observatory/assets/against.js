// The arms of one or more runs against a baseline: values, ratios with their intervals, and p-values
// that are corrected for all tests of the table. All numbers come from the server.
import { element, drawn, table, sortable, section, choice, ticked, copy, keepingFocus, spoken } from "./dom.js";
import { ask } from "./api.js";

const mostEach = 12; // conditions with a table each

// against returns a section that fills itself, and a function that ends it. names are those of runs by ID, and labels those of arms by run; metrics are those that all
// runs have; choices are those of the address, and keep(key, value) has the address name one.
export function against(ids, names, labels, metrics, choices, keep) {
  const state = { run: ids, baseline: "", arm: "", metric: "", step: "", condition: "", any_condition: false, all: false, different_problems: false };
  for (const key of ["baseline", "arm", "metric", "step", "condition"]) state[key] = choices.get(key) || "";
  for (const key of ["any_condition", "all"]) state[key] = choices.get(key) === "true";
  const choose = (chosen) => { Object.assign(state, chosen); for (const [key, value] of Object.entries(chosen)) keep(key, value); load(); };
  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const body = element("div", { class: "against" });
  let turn = 0, over = false;
  let each = state.condition === "" && !state.any_condition; // a table for each condition, where there are several

  function controlsAgain(answer) {
    const only = (id) => answer.arms.filter((side) => side.id === id).length === 1;
    const name = ({ id, arm }) => (ids.length === 1 ? spoken(arm, labels.get(id)) : (names[id] ?? id) + (only(id) ? "" : `: ${spoken(arm, labels.get(id))}`));
    const value = (side) => JSON.stringify([side.id, side.arm]);
    const set = (key) => (v) => choose({ [key]: v });
    keepingFocus(controls, () => controls.replaceChildren(...[
      choice("baseline", answer.arms.map((side) => [value(side), name(side)]), value(answer.baseline), (v) => { const [baseline, arm] = JSON.parse(v); choose({ baseline, arm }); }),
      choice("metric", [["", "the headline"], ...metrics.map((m) => [m, m])], state.metric, set("metric")),
      element("label", { class: "choice" }, element("span", {}, "at step"), element("input", { type: "number", value: state.step, placeholder: answer.apart ? "common" : "last", onchange: (event) => choose({ step: event.target.value }) })),
      answer.conditions.length > 1 && choice("condition", [["each", "each, a table for it"], ["", "all together"], ...answer.conditions.map((c) => [c, c])], each && answer.condition ? "each" : answer.condition, (v) => { each = v === "each"; choose({ condition: each ? "" : v, any_condition: !v }); }),
      answer.many && ticked("all arms", state.all, set("all")),
      ids.length > 1 && ticked("compare different problems, too", state.different_problems, (v) => { state.different_problems = v; load(); })].filter(Boolean)));
  }

  // show has the tables of an answer, and of the answers for other conditions the first ones.
  function show(answer, under = []) {
    controlsAgain(answer);
    const most = mostOf([...answer.tables.slice(0, 1), ...under]); // tables of conditions have one axis
    body.replaceChildren(
      answer.unmatched ? wayOut(answer.unmatched.text, answer.unmatched.commands, "Or compare without pairs: under “Two side by side”.") : "",
      answer.condition ? element("p", { class: "hint" }, under.length > 0 ? "Arms under one condition are compared with each other, under each condition in a table of its own." : `Arms under one condition, ${answer.condition}, are compared with each other.`) : "",
      answer.other_problem ? element("p", { class: "warning" }, answer.other_problem + "\nMetric differences are not meaningful; tick the box to see them anyway.") : "",
      ...answer.tables.slice(0, 1).map((t) => tableOf(under.length > 0 && !t.heading.startsWith(answer.condition) ? { ...t, heading: `${answer.condition}: ${t.heading}` } : t, most)),
      ...under.map((t) => tableOf(t, most)),
      ...answer.tables.slice(1).map((t) => tableOf(t)),
      ...[...answer.texts, ...answer.notes].map((text) => element("p", { class: "hint" }, text)));
    performance.mark("against-shown");
  }

  const tableOf = (t, most) => element("div", {}, element("h3", {}, t.heading), t.rows.length > 0 ? withPictures(t, most) : "", t.text ? element("p", { class: "hint" }, t.text) : "");

  async function load() {
    const now = ++turn;
    try {
      const answer = await ask("against", state);
      if (over || now !== turn) return;
      remark.textContent = "";
      show(answer);
      if (!each || !answer.condition || answer.conditions.length > mostEach) return;
      const under = [];
      for (const condition of answer.conditions.filter((c) => c !== answer.condition)) {
        const one = await ask("against", { ...state, condition }).catch(() => null); // nothing compares under it
        if (over || now !== turn) return;
        if (one?.condition === condition && !one.other_problem && one.tables.length > 0) under.push({ ...one.tables[0], heading: `${condition}${one.tables[0].heading.startsWith(condition) ? one.tables[0].heading.slice(condition.length).replace(/: (?!.*: ).*$/, "") : ""}` }); // the metric is in the first heading
      }
      show(answer, under);
    } catch (error) {
      if (over || now !== turn) return;
      remark.textContent = error.message;
      body.replaceChildren();
    }
  }

  const ready = load(); // of the first answer
  return { ready, place: section("Against a baseline", controls, remark, body), close() { over = true; } };
}

// wayOut says that runs have no common seed, and the commands that give them one. other is another way.
export function wayOut(text, commands, other) {
  return element("div", { class: "warning way-out" }, element("p", {}, text), element("p", {}, `To pair them, run the same seeds: ${commands.length > 1 ? "these commands" : "this command"}, and compare the new ${commands.length > 1 ? "runs" : "run"}.`),
    commands.map((command) => element("div", { class: "command-line" }, element("code", {}, command), " ", element("button", { type: "button", class: "fix", onclick: (event) => copy(command, event.target) }, "copy"))), other && element("p", {}, other));
}

// factors are those to which an axis of ratios can go, on both sides of 1.
const factors = [1.1, 1.25, 1.5, 2, 5, 10, 100, 1e3, 1e4, 1e6, 1e9, 1e12];

const width = 160, edge = 16; // of pictures, and the room beside the last ticks

// mostOf is the factor to which an axis of the ratios of tables goes, on both sides of 1; null without a ratio.
function mostOf(tables) {
  const positive = tables.flatMap((t) => t.ratios).filter(([value]) => value !== null && value > 0).flatMap(([value, low, high]) => (low !== null && low > 0 ? [value, low, high] : [value])).filter((v) => v !== null);
  if (positive.length === 0) return null;
  const far = Math.max(...positive.map((v) => Math.abs(Math.log(v))));
  return factors.find((f) => Math.log(f) >= far) ?? Math.exp(far);
}

// withPictures is a table with a picture of each ratio, all on one axis up to a factor, before its text.
function withPictures(t, most = mostOf([t])) {
  const at = t.header.findIndex((head) => head.startsWith("ratio")), made = table(t, t.heading);
  if (at < 0 || most === null) return sortable(made);
  const ticks = most === 100 ? [0.01, 0.1, 1, 10, 100] : [1 / most, 1, most];
  const place = (v) => width / 2 + Math.log(v) / Math.log(most) * (width / 2 - edge);
  const rows = made.querySelectorAll("tr");
  rows[0].children[at].before(element("th", { scope: "col" }, "ratio, logarithmic", drawn("svg", { viewBox: `0 0 ${width} 14`, width, height: 14, "aria-hidden": "true", class: "interval axis" },
    ticks.map((v) => drawn("text", { x: place(v), y: 11, "text-anchor": "middle" }, String(Number(v.toPrecision(2))))))));
  t.ratios.forEach((ratio, i) => { rows[i + 1].children[at].before(element("td", { class: "picture" }, picture(ratio, place, ticks))); });
  return sortable(made);
}

// picture draws a positive ratio and its interval; an interval that reaches 0 has no place on the axis.
function picture([value, low, high], place, ticks) {
  if (value === null || value <= 0) return "";
  const height = 18, whole = low !== null && high !== null;
  if (whole && low <= 0) return element("span", { class: "about" }, "interval reaches 0");
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", class: "interval" },
    ticks.map((v) => drawn("line", { x1: place(v), x2: place(v), y1: 0, y2: height, class: v === 1 ? "zero" : "tick" })),
    whole ? drawn("line", { x1: place(low), x2: place(high), y1: height / 2, y2: height / 2, class: "range" }) : null,
    drawn("circle", { cx: place(value), cy: height / 2, r: 3.5, class: "mean" }));
}
