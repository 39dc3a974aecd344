// The arms of one or more runs against a baseline: values, ratios with their intervals, and p-values
// that are corrected for all tests of the table. All numbers come from the server.
import { element, drawn, table, section, choice, ticked, keepingFocus, spoken } from "./dom.js";
import { ask } from "./api.js";

// against returns a section that fills itself, and a function that ends it. metrics are those that all
// runs have.
export function against(ids, metrics) {
  const state = { run: ids, baseline: "", arm: "", metric: "", condition: "", any_condition: false, all: false, different_problems: false };
  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const body = element("div", { class: "against" });
  let turn = 0, over = false;
  const name = ({ id, arm }) => (ids.length > 1 ? `${id.replace(/^.*\//, "").slice(0, 8)}: ${spoken(arm)}` : spoken(arm));

  function controlsAgain(answer) {
    const value = (side) => JSON.stringify([side.id, side.arm]);
    const set = (key) => (v) => { state[key] = v; load(); };
    keepingFocus(controls, () => controls.replaceChildren(...[
      choice("baseline", answer.arms.map((side) => [value(side), name(side)]), value(answer.baseline), (v) => { [state.baseline, state.arm] = JSON.parse(v); load(); }),
      choice("metric", [["", "the headline"], ...metrics.map((m) => [m, m])], state.metric, set("metric")),
      answer.conditions.length > 1 && choice("condition", [["", "all conditions"], ...answer.conditions.map((c) => [c, c])], answer.condition, (v) => { Object.assign(state, { condition: v, any_condition: !v }); load(); }),
      answer.many && ticked("all arms", state.all, set("all")),
      ids.length > 1 && ticked("compare different problems, too", state.different_problems, set("different_problems"))].filter(Boolean)));
  }

  function show(answer) {
    controlsAgain(answer);
    body.replaceChildren(
      answer.condition ? element("p", { class: "hint" }, `Arms under one condition, ${answer.condition}, are compared with each other.`) : "",
      answer.other_problem ? element("p", { class: "warning" }, answer.other_problem + "\nMetric differences are not meaningful; tick the box to see them anyway.") : "",
      ...answer.tables.map((t) => element("div", {}, element("h3", {}, t.heading), t.rows.length > 0 ? withPictures(t) : "", t.text ? element("p", { class: "hint" }, t.text) : "")),
      ...[...answer.texts, ...answer.notes].map((text) => element("p", { class: "hint" }, text)));
    performance.mark("against-shown");
  }

  async function load() {
    const now = ++turn;
    try {
      const answer = await ask("against", state);
      if (over || now !== turn) return;
      remark.textContent = "";
      show(answer);
    } catch (error) {
      if (over || now !== turn) return;
      remark.textContent = error.message;
      body.replaceChildren();
    }
  }

  const ready = load(); // of the first answer
  return { ready, place: section("Against a baseline", controls, remark, body), close() { over = true; } };
}

// withPictures is a table with a picture of each ratio, all in one scale, before its text.
function withPictures(t) {
  const at = t.header.indexOf("ratio and 95 %");
  const made = table(t, t.heading);
  const finite = t.ratios.flat().filter((v) => v !== null && v > 0);
  if (at < 0 || finite.length === 0) return made;
  const far = Math.max(...finite.map((v) => Math.abs(Math.log(v))), 1e-9);
  const rows = made.querySelectorAll("tr");
  rows[0].children[at].before(element("th", { scope: "col" }, "ratio, logarithmic"));
  t.ratios.forEach((ratio, i) => { rows[i + 1].children[at].before(element("td", { class: "picture" }, picture(ratio, far))); });
  return made;
}

// picture draws a ratio and its interval around 1.
function picture([value, low, high], far) {
  if (value === null || value <= 0) return "";
  const width = 140, height = 18, place = (v) => width / 2 + Math.max(-1, Math.min(1, Math.log(Math.max(v, 1e-300)) / far)) * (width / 2 - 6);
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", class: "interval" },
    drawn("line", { x1: width / 2, x2: width / 2, y1: 0, y2: height, class: "zero" }),
    low === null || high === null ? null : drawn("line", { x1: place(low), x2: place(high), y1: height / 2, y2: height / 2, class: "range" }),
    drawn("circle", { cx: place(value), cy: height / 2, r: 3.5, class: "mean" }));
}
