// Who learns what of a run, over its steps.
import { element, table, section, choice, counted } from "./dom.js";
import { ask } from "./api.js";
import { Charts, saving } from "./figures.js";
import { Pairs } from "./pairs.js";

const { nameEnds } = globalThis.starlingChart;
// terms are the observers by a word each, and seen what each of them sees.
const terms = { wire: "eavesdropper", server: "server", peer: "peer", public: "public" };
const seen = { wire: "all messages on the network", server: "the messages that it receives", peer: "as another participant, the messages that it receives", public: "the outcome that is published" };
export const term = (name) => terms[name] ?? name;
const mostOpen = 2; // charts that are shown without a click
const many = 8; // arms, or groups of them, from which on a reader looks for one

const joined = (list) => (list.length > 1 ? list.slice(0, -1).join(", ") + " and " + list.at(-1) : list[0]);

// fieldOf reads a row of the ledger by the names of its columns.
const fieldOf = (header) => (row, name) => row[header.indexOf(name)] ?? "";

// named writes the terms of observers in a list of their keys, and listed those of lists in a sentence or a name.
export const named = (list) => list.split(", ").map(term).join(", ");
const listed = (text) => text.replace(/\bwire(?=, (?:server|peer|public|unit [0-9])|, [0-9.]+ times)/g, terms.wire).replace(/\bto wire\b/g, "to the " + terms.wire);

// plain has the texts and tables of an answer with large numbers written out, such as 200,000 for 2e+05,
// and a dash where nothing is claimed.
function plain(answer) {
  const of = (text) => (text === "-" ? "–" : listed(text).replace(/\b[0-9](?:\.[0-9]+)?e\+0?[5-8]\b/g, (number) => Number(number).toLocaleString("en")));
  const table = ({ header, rows }) => ({ header: header.map(of).map(named), rows: rows.map((row) => row.map((text, k) => (header[k] === "observer" ? named(text) : of(text)))) });
  const claims = answer.matrix.rows.flat().includes("-") ? ["– no claim, or no δ, since no ε bounds the loss."] : [];
  for (const c of answer.charts) { c.title = listed(c.title); for (const line of c.series) line.name = listed(line.name); }
  return { ...answer, charts_text: listed(answer.charts_text || ""), matrix: table(answer.matrix), ledger: table(answer.ledger), costly: table(answer.costly), spread: table(answer.spread), matrix_texts: [...answer.matrix_texts, ...claims].map(of), remarks: answer.remarks.map(of) };
}

// learns says, a sentence for each line of the ledger, who can learn how much.
function learns({ header, rows }) {
  const of = fieldOf(header);
  return rows.map((row) => {
    const who = joined(of(row, "observer").split(", ").map((name) => (name === "public" || name === "server" || name === terms.wire ? "the " : "a ") + name)), accounted = of(row, "accounted"), claimed = of(row, "claimed"), delta = of(row, "delta");
    return element("li", {}, element("strong", {}, of(row, "arm")), `: ${who} can learn `, /\d/.test(accounted) ? `at most ε = ${accounted}${/[1-9]/.test(delta) ? ` (δ = ${delta})` : ""} of a unit over the run` : "what is protected: no ε bounds the loss",
      claimed && claimed !== "not private" ? `; claimed is ${claimed}.` : ".");
  });
}

// folds has a line for each arm of a long ledger, which opens its rows.
function folds({ header, rows }) {
  const of = fieldOf(header), arms = [...new Set(rows.map((row) => row[0]))];
  return element("div", { class: "folds" }, arms.map((arm) => {
    const mine = rows.filter((row) => row[0] === arm);
    const losses = mine.map((row) => `${/\d/.test(of(row, "accounted")) ? "ε = " + of(row, "accounted") : "no bound"} to ${joined(of(row, "observer").split(", "))}`);
    const claims = [...new Set(mine.map((row) => of(row, "claimed")))].filter((text) => text && text !== "not private");
    return element("details", {}, element("summary", {}, element("strong", {}, arm), " ", losses.join("; "), claims.length > 0 && element("span", { class: "about" }, ` · ${claims.map((text) => (/^\d/.test(text) ? "claimed " + text : text)).join("; ")}`)),
      table({ header: header.slice(1), rows: mine.map((row) => row.slice(1)) }, `ledger of ${arm}`));
  }));
}

// verdictOf is the class of a cell of the matrix, by its sign; of a loss without a bound, unbounded.
function verdictOf(text = "") {
  return text.includes("✗") ? "exceeded" : text.endsWith("✓") ? "kept" : /^inf/.test(text) ? "unbounded" : null;
}

// familiesOf splits rows by the first part of their arms, where that makes sections of several rows.
function familiesOf(rows) {
  const families = new Map();
  for (const row of rows) {
    const family = row[0].includes("; ") ? row[0] : row[0].split(", ")[0];
    families.set(family, [...(families.get(family) || []), row]);
  }
  return families;
}

// aroundMatrix puts the sentence on the claims above the matrix, the signs below, and the observers and what is
// protected in a part that opens.
function aroundMatrix(texts, made, present) {
  const claims = texts.filter((text) => text.startsWith("Claims")), about = texts.filter((text) => text.startsWith("Protected")), rest = texts.filter((text) => !claims.includes(text) && !about.includes(text));
  return [claims.map((text) => element("p", { class: "leading" }, text)), made, element("p", { class: "hint" }, rest.join(" ")),
    element("details", { class: "fold" }, element("summary", {}, "The observers, and what is protected"),
      element("ul", {}, present.map((name) => element("li", {}, element("strong", {}, term(name)), seen[name] ? ` sees ${seen[name]}` : ""))), about.map((text) => element("p", { class: "hint" }, text)))];
}

const opened = new Set(); // the parts that are open, by their titles

// folded is a part that opens, with its finding beside its title.
function folded(title, finding, ...children) {
  const made = element("details", { class: "part", open: opened.has(title) || null }, element("summary", {}, element("h2", {}, title), " ", element("span", { class: "about" }, finding)), children);
  made.addEventListener("toggle", () => { if (made.open) opened.add(title); else if (made.isConnected) opened.delete(title); });
  return made;
}

// dearest says in a line where the loss grew most.
function dearest({ header, rows }) {
  const of = fieldOf(header), row = rows.find((one) => /[0-9]/.test(of(one, "grown by"))) || rows[0];
  if (!/[0-9]/.test(of(row, "grown by"))) return `${of(row, "arm")}: no bound from step ${of(row, "up to step")} on`;
  return `${of(row, "arm")}: ε grew by ${of(row, "grown by")} up to step ${of(row, "up to step")}`;
}

// verdicts counts the lines of a ledger with and without a bound.
function verdicts({ header, rows }) {
  const of = fieldOf(header), bounded = rows.filter((row) => /\d/.test(of(row, "accounted"))).length;
  return `${counted(rows.length, "line")}, ${bounded === rows.length ? "each with a finite ε" : bounded === 0 ? "none with a finite ε" : `${bounded} with a finite ε`}`;
}

// causeOf says why a cell of the matrix has its sign: the loss beside its claim.
function causeOf({ header, rows }, i, k) {
  const text = rows[i][k] ?? "", column = header.indexOf("claimed"), claimed = column < 0 ? "" : rows[i][column], to = header[k];
  const loss = /^inf/.test(text) ? "no ε bounds the loss" : `the accounted loss is ε = ${text.split(" ")[0]}`;
  if (text.includes("✗")) return `Above the claim: ${loss} to ${to}${/[0-9]/.test(claimed) ? `, and claimed is ${claimed}` : ""}.`;
  if (text.endsWith("✓")) return `Within the claim: ${loss} to ${to}${/[0-9]/.test(claimed) ? `, and claimed is ${claimed}` : ""}.`;
  return /^inf/.test(text) ? `No ε bounds the loss to ${to}: it sees a release without noise.` : "";
}

// whole is a matrix with colours behind its cells; of many arms, with a heading for each family.
function whole({ header, rows }) {
  const families = familiesOf(rows), split = rows.length > many && families.size > 1 && families.size < rows.length / 2;
  const made = table({ header, rows }, "who can learn what", () => null, (cell, i, k) => { const verdict = verdictOf(rows[i][k]); if (verdict) cell.classList.add(verdict); if (verdict) cell.title = causeOf({ header, rows }, i, k); });
  made.classList.add("matrix");
  if (!split) return made;
  const body = made.querySelector("tbody"), lines = [...body.rows];
  const parts = [...families].map(([family, mine]) => element("tbody", {},
    mine.length > 1 && element("tr", { class: "family" }, element("th", { scope: "rowgroup", colspan: header.length }, family)),
    mine.map((row) => {
      const line = lines[rows.indexOf(row)];
      if (mine.length > 1 && row[0].startsWith(family + ", ")) { line.cells[0].textContent = row[0].slice(family.length + 2); line.classList.add("member"); }
      return line;
    })));
  body.replaceWith(...parts);
  return made;
}

export function show(place, detail, route) {
  if (!detail.shown) {
    place.append(element("p", { class: "hint" }, "The ledger is there when the run is complete. Until then the metric epsilon.total, under Figures, has the loss."));
    return {};
  }
  let observer = "", unit = route.query.get("unit") || "", turn = 0, known = [];
  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const chart = element("div", { class: "charts" }), chartText = element("p", { class: "hint" });
  const rest = element("div", {});
  const ledger = element("div", {});
  const shown = new Charts(chart), pairs = new Pairs(saving("pairs", `${detail.scenario}-pairs`, ["svg", "png", "pdf"], () => ({ id: detail.id }), (text) => { remark.textContent = text; }), detail.scenario);
  const matrix = element("div", {}), sentences = element("div", {});
  const steps = folded("Loss over the steps", "", controls, chartText, chart), about = steps.querySelector(".about");
  const all = element("div", { hidden: true }, matrix, pairs.box, steps, sentences, ledger, rest); // shown at once, so that nothing moves
  place.append(remark, all);

  function controlsAgain() {
    controls.replaceChildren(
      choice("observer", [["", "all"], ...known.map((name) => [name, term(name)])], observer, (value) => { observer = value; load(); }),
      element("label", { class: "choice" }, element("span", {}, "unit"), element("input", { type: "number", min: "0", placeholder: "the worst", value: unit,
        onchange: (event) => { unit = event.target.value; load(); } })),
      saving("privacy", `${detail.scenario}-losses`, ["svg", "png", "pdf", "csv", "py"], () => ({ id: detail.id, observer, unit }), (text) => { remark.textContent = text; }));
  }

  async function load() {
    const now = ++turn;
    try {
      const p = plain(await ask("privacy", { id: detail.id, observer, unit }));
      if (now !== turn) return;
      remark.textContent = "";
      if (known.length === 0) {
        known = p.observers;
        controlsAgain();
        steps.open = p.charts.length <= mostOpen || unit !== "" || opened.has("Loss over the steps"); // more are opened
        about.textContent = p.charts.length > mostOpen ? counted(p.charts.length, "chart") + ", one for each family of arms" : "";
      }
      matrix.replaceChildren(p.matrix.rows.length > 0 ? section("Who can learn what", ...aroundMatrix(p.matrix_texts, whole(p.matrix), known)) : "");
      const long = new Set(p.ledger.rows.map((row) => row[0])).size > many; // then the lines that open are sentences enough
      sentences.replaceChildren(p.ledger.rows.length > 0 && !long ? folded("In words", "a sentence for each arm and its observers", element("ul", {}, learns(p.ledger))) : "");
      ledger.replaceChildren(p.ledger.rows.length === 0 ? section("Claimed and accounted", ...remarks(p.remarks)) : folded("Claimed and accounted", verdicts(p.ledger), p.ledger.rows.length === 0 ? "" : long ? folds(p.ledger) : table(p.ledger, "ledger"), ...remarks(p.remarks)));
      all.hidden = false;
      draw(p);
      pairs.show(p);
      rest.replaceChildren(...(p.costly.rows.length > 0 ? [folded("What cost most", dearest(p.costly),
        element("p", { class: "hint" }, "Where the loss of these units grew fastest, between two recorded steps."), costly(p.costly))] : []));
    } catch (error) {
      if (now === turn) remark.textContent = error.message;
    }
  }

  // draw shows the losses over the steps, with the names of few curves at their ends.
  function draw(p) {
    const key = observer + " " + unit, fresh = shown.key !== key;
    chart.classList.toggle("several", p.charts.length > 1);
    // Losses that are far apart are told apart on a logarithmic axis.
    if (fresh) for (const c of p.charts) { const ends = c.series.map((line) => line.y.findLast((v) => v !== null && v > 0)).filter(Boolean); if (ends.length > 1 && Math.max(...ends) > 20 * Math.min(...ends)) c.logY = true; }
    shown.show(p.charts, key, null, "", true);
    chartText.textContent = p.charts_text || "";
    if (!fresh) return;
    for (const { panel } of shown.panels) {
      const several = new Map();
      for (const { name } of panel.chart.series) several.set(name.split(": ")[0], (several.get(name.split(": ")[0]) || 0) + 1);
      nameEnds(panel, ({ name }) => { const [arm, rest = ""] = name.split(": "); return several.get(arm) > 1 ? `${arm}: ${rest.replace(/, unit .*/, "")}` : arm; });
    }
  }

  load();
  return { close() { turn++; shown.close(); pairs.close(); } };
}

const mostRemarks = 4, mostCostly = 12; // the others are opened

// remarks are sentences below a table; of many, the further ones are opened.
function remarks(texts) {
  const said = texts.map((text) => element("p", { class: "hint" }, text)), more = said.splice(mostRemarks);
  return more.length > 1 ? [...said, element("details", {}, element("summary", {}, `${more.length} further remarks`), more)] : [...said, ...more];
}

// costly is the table of the largest losses; of many rows, the further ones are opened.
function costly({ header, rows }) {
  const more = rows.slice(mostCostly);
  return [table({ header, rows: rows.slice(0, mostCostly) }, "costly releases"),
    more.length > 0 ? element("details", {}, element("summary", {}, `${more.length} further rows`), table({ header, rows: more }, "further costly releases")) : ""];
}
