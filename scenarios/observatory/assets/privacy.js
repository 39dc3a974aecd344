// Who learns what of a run, over its steps.
import { element, table, section, choice, spoken } from "./dom.js";
import { ask } from "./api.js";
import { Charts } from "./figures.js";
import { nameEnds } from "./ends.js";
import { Pairs } from "./pairs.js";

const observers = { wire: "an eavesdropper on the network", server: "the server", peer: "another participant", public: "everybody who sees what is published" };
const mostSentences = 8; // the others are opened

// learns says, a sentence for each line of the ledger, who can learn how much.
function learns({ header, rows }) {
  const of = (row, name) => row[header.indexOf(name)] ?? "";
  const joined = (list) => (list.length > 1 ? list.slice(0, -1).join(", ") + " and " + list.at(-1) : list[0]);
  return rows.map((row) => {
    const who = joined(of(row, "observer").split(", ").map((name) => observers[name] ?? name)), accounted = of(row, "accounted"), claimed = of(row, "claimed"), delta = of(row, "delta");
    const arms = of(row, "arm").split(", ").map(spoken).join("; "), bounded = /\d/.test(accounted);
    return element("li", {}, element("strong", {}, arms), `: ${who} can learn `, bounded ? `at most ε = ${accounted}${/[1-9]/.test(delta) ? ` (δ = ${delta})` : ""} of a unit over the run` : "what is protected: no ε bounds the loss",
      claimed && claimed !== "not private" ? `; claimed is ${claimed}.` : ".");
  });
}

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
  const matrix = element("div", {}), sentences = element("div", {});
  const all = element("div", { hidden: true }, matrix, section("Loss over the steps", controls, chart), sentences, ledger, rest, pairs.box); // shown at once, so that nothing moves
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
      matrix.replaceChildren(p.matrix.rows.length > 0 ? section("Who can learn what", table(spokenArms(p.matrix), "who can learn what"), p.matrix_texts.map((text) => element("p", { class: "hint" }, text))) : "");
      const said = learns(p.ledger), more = said.splice(mostSentences);
      sentences.replaceChildren(said.length > 0 ? section("In words", element("ul", {}, said), more.length > 0 && element("details", {}, element("summary", {}, `and ${more.length} more`), element("ul", {}, more))) : "");
      ledger.replaceChildren(section("Claimed and accounted", p.ledger.rows.length > 0 ? table(spokenArms(p.ledger), "ledger") : "", p.remarks.map((text) => element("p", { class: "hint" }, text))));
      all.hidden = false;
      if (p.chart) {
        const key = observer + " " + unit, fresh = shown.key !== key;
        for (const line of p.chart.series) line.name = line.name.replace(/^([^:]*): /, (_, arm) => spoken(arm) + ": ");
        shown.show([p.chart], key);
        const several = new Map();
        for (const { name } of p.chart.series) several.set(name.split(": ")[0], (several.get(name.split(": ")[0]) || 0) + 1);
        if (fresh) nameEnds(shown.panels[0].panel, (name) => { const [arm, rest = ""] = name.split(": "); return several.get(arm) > 1 ? `${arm}: ${rest.replace(/, unit .*/, "")}` : arm; });
      }
      pairs.show(p);
      rest.replaceChildren(...(p.costly.rows.length > 0 ? [section("What cost most",
        element("p", { class: "hint" }, "Where the loss of these units grew fastest, between two recorded steps."), table(spokenArms(p.costly), "costly releases"))] : []));
    } catch (error) {
      if (now === turn) remark.textContent = error.message;
    }
  }

  load();
  return { close() { turn++; shown.close(); pairs.close(); } };
}

// spokenArms is a table with arms as people say them, in its first column and its headings.
function spokenArms({ header, rows }) {
  const said = (text) => (/=/.test(text) ? text.split(", ").map(spoken).join(", ") : text);
  return { header: header.map((text) => said(text)), rows: rows.map(([first, ...others]) => [said(first), ...others]) };
}
