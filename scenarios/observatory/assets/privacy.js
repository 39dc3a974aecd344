// Who learns what of a run, over its steps.
import { element, table, section, choice } from "./dom.js";
import { ask } from "./api.js";
import { Charts } from "./figures.js";
import { Pairs } from "./pairs.js";

export function show(place, detail, route) {
  if (!detail.shown) {
    place.append(element("p", { class: "hint" }, "The ledger is there when the run is complete. Until then the metric epsilon.total, under Figures, has the loss."));
    return {};
  }
  let observer = "", unit = route.query.get("unit") || "", turn = 0, known = [];
  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const chart = element("div", { class: "charts" });
  const rest = element("div", {});
  const ledger = element("div", {});
  const shown = new Charts(chart), pairs = new Pairs();
  const all = element("div", { hidden: true }, ledger, section("Loss over the steps", controls, chart), rest, pairs.box); // shown at once, so that nothing moves
  place.append(remark, all);

  function controlsAgain() {
    controls.replaceChildren(
      choice("observer", [["", "all"], ...known.map((name) => [name, name])], observer, (value) => { observer = value; load(); }),
      element("label", { class: "choice" }, element("span", {}, "unit"), element("input", { type: "number", min: "0", placeholder: "the worst", value: unit,
        onchange: (event) => { unit = event.target.value; load(); } })));
  }

  async function load() {
    const now = ++turn;
    try {
      const p = await ask("privacy", { id: detail.id, observer, unit });
      if (now !== turn) return;
      remark.textContent = "";
      if (known.length === 0) { known = p.observers; controlsAgain(); }
      ledger.replaceChildren(p.matrix.rows.length > 0 ? section("Who can learn what", table(p.matrix, "who can learn what"), p.matrix_texts.map((text) => element("p", { class: "hint" }, text))) : "", section("Claimed and accounted", p.ledger.rows.length > 0 ? table(p.ledger, "ledger") : "", p.remarks.map((text) => element("p", { class: "hint" }, text))));
      all.hidden = false;
      if (p.chart) shown.show([p.chart], observer + " " + unit);
      pairs.show(p);
      rest.replaceChildren(...(p.costly.rows.length > 0 ? [section("What cost most",
        element("p", { class: "hint" }, "Where the loss of these units grew fastest, between two recorded steps."), table(p.costly, "costly releases"))] : []));
    } catch (error) {
      if (now === turn) remark.textContent = error.message;
    }
  }

  load();
  return { close() { turn++; shown.close(); pairs.close(); } };
}
