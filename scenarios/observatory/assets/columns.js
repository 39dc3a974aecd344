// The columns of the table of runs: the settings in which runs differ, and the headline of each run.
import { element, bar, linkOf, percent, when, ago, rounded, counted, estimate, ends, spoken } from "./dom.js";
import { keyName, settingsText } from "./settings.js";

export const statuses = ["running", "waiting", "failed", "damaged", "complete"];

const mostKeys = 5, mostKeysOfGroups = 2; // columns of settings that a table has without a choice: rows in groups name their own
const most = 34; // letters of a column's width; longer texts take two lines

// sizes are keys of the length of a run and of its seeds, which matter less: they come last, and narrow
// screens leave them out first.
const sizes = ["horizon", "seeds.base", "seeds.count"];

// tellingKeys are the keys by which rows differ, the ones that most rows have first, and of these the ones with
// the most values.
function tellingKeys(rows) {
  const values = new Map();
  for (const r of rows) {
    for (const [key, value] of Object.entries(r.differs || {})) {
      if (!values.has(key)) values.set(key, new Set());
      values.get(key).add(value);
    }
  }
  const lacking = (key) => rows.some((r) => r.differs?.[key] === undefined);
  const having = (key) => rows.reduce((n, r) => n + (r.differs?.[key] !== undefined), 0);
  return [...values].filter(([key, set]) => set.size > 1 || lacking(key)).map(([key, set]) => [key, set.size, having(key)])
    .sort(([a, x, n], [b, y, m]) => sizes.indexOf(a) - sizes.indexOf(b) || m - n || y - x || (a < b ? -1 : 1)).map(([key]) => key);
}

// settingOf is the value of a key in which runs of the table differ.
const settingOf = (r, key) => r.differs?.[key] ?? r.common?.[key];

// side is an arrow to the better values of a headline.
function side(h) {
  if (!h?.better) return null;
  const lower = h.better === "lower", said = (lower ? "lower" : "higher") + " is better";
  return element("span", { role: "img", "aria-label": said, title: said }, lower ? " ↓" : " ↑");
}

// lines are the text of a cell for the best arm of a run, and below it for the best private one where it is
// another.
function lines(h, said) {
  if (!h) return "";
  if (!h.private) return said(h, h);
  return [element("span", { class: "best-line" }, said(h, h)), element("span", { class: "best-line about" }, said(h.private, h))];
}

// led is the headline by which a run is listed: of arms by two keys the best arm of the best choice, as in the
// overview, or else the best arm.
export const led = (h) => (h?.choice ? { ...h, ...h.choice, unbounded: Boolean(h.choice.unbounded), private: h.choice.unbounded ? h.private : null } : h);

// valueOf is a value with half of its interval, or with the ends of one that is wide beside it.
const valueOf = (a) => estimate(a.value ?? NaN, a.half) + ends(a.value ?? NaN, a.half);
// narrower is a text as long as a value is wide: the ends of an interval have smaller letters.
const narrower = (text) => text.replace(/ \(.*/, (ends) => ends.slice(0, Math.ceil(.84 * ends.length)));
const interval = (a) => (a.half > 0 && Number.isFinite(a.half) ? `95 % interval ${rounded(a.value - a.half)} to ${rounded(a.value + a.half)}` : null);
const headOf = (h) => [h.metric, side(h)];
const lossOf = (a) => (a.unbounded ? "∞" : (a.epsilon ?? null) === null ? "" : rounded(a.epsilon));

// armOf is the name of an arm. The only arm of a run is named by what tells the run from others of its scenario.
const armOf = (r, a, h) => (h.choice && a.arm === h.choice.arm ? chosenOf(h.choice) : (r.arms || []).length > 1 ? spoken(a.arm, h.labels) : settingsText(r.differs, { most: 2, sizes: false, short: true }) || "the only arm");

// chosenOf is a choice with the number of conditions under which it is the best.
const chosenOf = (c) => `${c.name} (${c.under} of ${c.columns})`;

// titleOf is the full name of the arm of a headline, and of a choice what its numbers mean.
const titleOf = (a, h) => (h.choice && a.arm === h.choice.arm ? `best ${h.choice.of} under ${h.choice.under} of ${h.choice.columns} conditions, as in the overview: ${h.choice.name}; the numbers are of its best arm among these, ${a.arm}` : a.arm);

// decisive reports whether runs that differ in a key have headlines that do not compare.
const decisive = (key) => key === "horizon" || key === "nodes" || key === "problem" || key.startsWith("problem.");

// leading is the best headline of a group among the runs with horizon, nodes and problem as the latest one
// has, by the metric of that one; or, where no other run has them, that of the latest one, with words that say
// which of these differ.
function leading(rows, best) {
  const all = rows.filter((r) => (best(r)?.value ?? null) !== null);
  if (all.length === 0) return {};
  const latest = all.reduce((a, b) => (Date.parse(b.updated) > Date.parse(a.updated) ? b : a)), metric = best(latest).metric;
  const others = (r) => [...new Set([...Object.keys(r.differs || {}), ...Object.keys(latest.differs || {})])].filter((key) => decisive(key) && r.differs?.[key] !== latest.differs?.[key]);
  const equal = all.filter((r) => others(r).length === 0 && best(r).metric === metric);
  if (equal.length === 1 && all.length > 1) {
    const keys = all.flatMap(others), differ = [["horizon", "horizons"], ["nodes", "numbers of nodes"]].find(([key]) => keys.includes(key));
    const words = differ ? `${differ[1]} differ (${spanOf(all, differ[0])})` : `${keys.length > 0 ? "problems" : "metrics"} differ`;
    return { found: best(latest), run: latest, of: `of the latest run: ${words}`, about: `the headline of the latest of ${rows.length} runs, which do not compare: ${words}` };
  }
  const side = best(latest).better === "higher" ? -1 : 1;
  const run = equal.reduce((a, b) => (side * best(b).value < side * best(a).value ? b : a));
  const horizon = settingOf(latest, "horizon");
  return { found: best(run), run, of: equal.length > 1 ? `best of ${equal.length}${horizon ? ` at horizon ${horizon}` : ""}` : "of the finished run", about: equal.length < rows.length ? `the best of ${equal.length} runs with horizon, nodes and problem as the latest of them has` : null };
}

// spanOf are the values that a key has in a group.
function spanOf(rows, key) {
  const values = [...new Set(rows.map((r) => settingOf(r, key)).filter((v) => v !== undefined))];
  if (values.length > 2 && values.every((v) => v !== "" && Number.isFinite(Number(v)))) {
    const numbers = values.map(Number);
    return `${Math.min(...numbers)} … ${Math.max(...numbers)}`;
  }
  return values.length > 2 ? `${values.length} values` : values.join(" | ");
}

export const narrow = 840; // a table that is narrower has rows of several lines

// whole is a text in which no line ends at the sign of an equation.
const whole = (text) => text.replaceAll(" = ", "\u00a0=\u00a0");

// folded are the values of a row that have no column on a narrow screen, in two lines: the headline, and the arm with the
// loss and the settings in which the run differs, unless the row is called by them. Numbers are never cut.
function folded(r, h, seen, inside, called) {
  const loss = !seen.has("epsilon") && h && lossOf(h) ? "ε " + lossOf(h) : "";
  const first = h && !seen.has("best") && element("span", { class: "best-line about card-line" }, element("span", { class: "card-name" }, headOf(h)), element("strong", { title: interval(h) }, valueOf(h)));
  const hash = element("code", { class: "hash" }, r.hash.slice(0, 8)), own = called ? "" : settingsText(r.differs, { most: 3, short: true, plain: !inside });
  const arm = h && !seen.has("arm") && (r.arms || []).length > 1 ? armOf(r, h, h) : "";
  const text = [arm, own].filter(Boolean).join(" · ");
  return [first, element("span", { class: "best-line about card-line" }, text && element("span", { class: "card-name", title: text }, whole(text)), loss && element("span", {}, loss), hash)].filter(Boolean);
}

// fit is the width of a column for its texts, in letters, between bounds.
const fit = (texts, least, limit = most) => Math.min(limit, Math.max(least, ...texts.map((text) => String(text ?? "").length)));

// dot is the status of a run in a row, as a colour for the eye and a word for readers of screens.
function dot(run) {
  return element("span", { class: "dot status " + run.status, title: run.reason ? `${run.status}: ${run.reason}` : run.status }, element("span", { class: "unseen" }, run.status));
}

const status = {
  key: "status", name: "status", always: true, about: "status", letters: 3,
  title: () => element("span", {}, element("span", { class: "dot", "aria-hidden": "true" }), element("span", { class: "unseen" }, "Status")),
  sort: (r) => statuses.indexOf(r.status), cell: dot,
  group: (rows) => { const busy = rows.find((r) => r.status === "running"); return busy ? [" ", dot(busy)] : ""; },
};

const progressLetters = 12; // the width of a bar with its share, and the room before each, in letters

// nameColumn has the name of the scenario, and below it its description or, on a narrow screen, the
// values that have no column. best(r) is the headline of a run.
function nameColumn(rows, best, chosen, grouped) {
  return {
    key: "scenario", name: "scenario", title: "Scenario", always: true, letters: fit(rows.map((r) => r.scenario + (grouped ? " 10 runs" : "")), 24, 40) + (rows.some((r) => r.status === "running") ? progressLetters : 0), share: 8, sort: (r) => r.scenario + " " + r.hash,
    cell: (r, { width, seen, inside }) => {
      // Below the row of a group a run is called by what tells it from the others.
      const own = settingsText(r.differs), plain = settingsText(r.differs, { sizes: false, short: true }), size = settingsText(r.differs, { plain: false });
      const name = element("a", { href: linkOf(r.id), tabindex: "-1", title: [own, r.description].filter(Boolean).join("\n") || null }, (inside && (plain || size)) || r.scenario);
      const line = r.status === "running" ? [name, bar(r.progress), element("span", { class: "share" }, percent(r.progress))] : name;
      const rest = Object.fromEntries(Object.entries(r.differs || {}).filter(([key]) => !seen.has("differs " + key))); // without a column
      const below = inside ? plain && size : settingsText(rest, { short: true }) || r.description;
      const second = width < narrow && !chosen ? folded(r, best(r), seen, inside && plain, inside && !plain && size) : below ? element("span", { class: "best-line about whole-words", title: below }, below) : null;
      return second ? [element("span", { class: "best-line" }, line), second].flat() : line;
    },
    group: (rows, name, { width, seen }) => {
      const busy = rows.filter((r) => r.status === "running"), share = busy.reduce((sum, r) => sum + (r.progress ?? 0), 0) / busy.length;
      const line = [element("strong", {}, name), element("span", { class: "about" }, ` ${counted(rows.length, "run")}`), busy.length > 0 && bar(share, `${percent(share)} of ${counted(busy.length, "run")} under way`)];
      const { found: h, run, of, about } = leading(rows, best);
      const said = !h ? "" : width >= narrow || chosen || seen.has("best") ? of : `${of}: ${valueOf(h)}, ${armOf(run, h, h)}${lossOf(h) ? ", ε\u00a0" + lossOf(h) : ""}`;
      return said ? [element("span", { class: "best-line" }, line), element("span", { class: "best-line about folded", title: about || null }, said)] : line;
    },
  };
}

// numeric reports whether all values are numbers, which stand at the right.
const numeric = (rows, value) => rows.every((r) => { const text = value(r); return text === undefined || text !== "" && Number.isFinite(Number(text)); });

// keyColumn has the values of a key by which runs differ. i is its place among the keys.
function keyColumn(rows, key, i, keys, grouped) {
  const value = (r) => settingOf(r, key);
  return {
    key: "differs " + key, name: key, title: keyName(key, keys), about: key, usual: i < (grouped ? mostKeysOfGroups : mostKeys), letters: fit(rows.map(value), 5, 24), share: .6, wrap: !numeric(rows, value), number: numeric(rows, value), least: sizes.includes(key) ? 900 : narrow + 60 * i,
    sort: (r) => value(r) ?? null, cell: (r) => element("span", { title: `${key}: ${value(r) ?? "not set"}` }, value(r) ?? ""),
    group: (rows) => element("span", { class: "about", title: key }, spanOf(rows, key)),
  };
}

// headlineColumns have the headlines of runs: value, metric, arm and privacy loss.
function headlineColumns(rows, headlines, best) {
  const metrics = new Set(rows.map((r) => best(r)?.metric).filter(Boolean)), only = metrics.size === 1 ? [...metrics][0] : "";
  const loss = (r) => (best(r)?.unbounded ? Infinity : best(r)?.epsilon ?? null);
  const both = (said) => rows.flatMap((r) => [best(r), best(r)?.private].filter(Boolean).map((a) => said(r, a, best(r))));
  // named has the metric before a value, where the values of the column are of several.
  const named = (h, value) => (only || !h || metrics.size === 0 ? value : element("span", { class: "named-value" }, element("span", { class: "about" }, headOf(h)), element("span", {}, value)));
  const group = (said) => (rows) => { const { found, run } = leading(rows, best); return lines(found, (a, h) => said(a, h, run)); };
  const withInterval = (a) => { const wide = ends(a.value ?? NaN, a.half); return element("span", { title: interval(a) }, estimate(a.value ?? NaN, a.half), wide && element("span", { class: "spread" }, wide)); };
  return [
    { key: "best", name: "headline", title: only ? () => element("span", {}, only, side(rows.map(best).find(Boolean))) : "Headline", about: "the metric of the first figure, of the best arm, ± half of its 95 % interval, or the ends of a wide one; below it, of the best arm with a finite privacy loss. Runs are sorted by metric, then by value",
      usual: true, letters: fit([only + " ↓", ...both((_, a) => narrower(valueOf(a)))], 13) + (only ? 0 : Math.ceil(.8 * fit([...metrics], 0, 24)) + 2), share: .6, least: 440, number: true, sort: (r) => (best(r) ? [best(r).metric, best(r).value ?? NaN] : null),
      cell: (r) => (headlines.awaits(r) ? element("span", { class: "about", title: "being read" }, "…", element("span", { class: "unseen" }, "being read")) : named(best(r), lines(best(r), withInterval))),
      group: (rows) => { const { found } = leading(rows, best); return named(found, lines(found, withInterval)); } },
    { key: "metric", name: "metric of the headline", title: "Metric", about: "the metric of the headline", letters: fit([...metrics].map((name) => name + " ↓"), 8), share: .5, least: 1000, sort: (r) => best(r)?.metric ?? null,
      cell: (r) => element("span", { class: "about" }, best(r) ? best(r).metric : "", side(best(r))), group: (rows) => { const h = leading(rows, best).found; return h && element("span", { class: "about" }, h.metric, side(h)); } },
    { key: "arm", name: "best arm", title: "Best arm", about: "the best arm by the headline, or of arms by two keys the best choice; below it, the best arm with a finite privacy loss", usual: true, letters: fit(both(armOf), 11, 26), share: 1.1, wrap: true, least: 440,
      sort: (r) => best(r)?.arm ?? null, cell: (r) => lines(best(r), (a, h) => element("span", { title: titleOf(a, h) }, armOf(r, a, h))), group: group((a, h, r) => element("span", { title: titleOf(a, h) }, armOf(r, a, h))) },
    { key: "epsilon", name: "ε of the run", title: "ε of the run", about: "the accounted privacy loss of that arm over the run, to the strongest observer", usual: true, letters: 7, number: true, least: 560,
      sort: (r) => (loss(r) === Infinity && best(r).private ? best(r).private.epsilon : loss(r)), cell: (r) => lines(best(r), lossOf), group: group(lossOf) },
  ];
}

// factColumns have what is known of every run.
function factColumns(rows, keys) {
  const tags = rows.map((r) => r.tags.join(" "));
  return [
    { key: "seeds", name: "number of seeds", title: "Seeds", usual: !keys.includes("seeds.count"), letters: 5, number: true, least: 1100, sort: (r) => r.seeds?.count || null, cell: (r) => String(r.seeds?.count || "") },
    { key: "arms", name: "number of arms", title: "Arms", letters: 5, number: true, sort: (r) => (r.arms || []).length || null, cell: (r) => String((r.arms || []).length || "") },
    { key: "updated", name: "time", title: "When", usual: true, letters: 10, least: 720, sort: (r) => Date.parse(r.updated) || null, cell: (r) => element("span", { title: when(r.updated) }, ago(r.updated)),
      group: (rows) => ago(rows.reduce((a, r) => (Date.parse(r.updated) > Date.parse(a) ? r.updated : a), rows[0].updated)) },
    { key: "hash", name: "hash of the run", title: "Run", usual: true, letters: 9, least: narrow, sort: (r) => r.hash, cell: (r) => element("code", { class: "hash" }, r.hash.slice(0, 8)) },
    { key: "tags", name: "tags", title: "Tags", usual: tags.some(Boolean), letters: fit(tags, 6), share: 1, least: 1000, sort: (r) => r.tags.join(" ") || null, cell: (r) => r.tags.map((tag) => element("span", { class: "tag" }, tag)) },
  ];
}

// columnsOf are all columns for rows, which may stand in groups by scenario. Those of a choice, a set of keys, are shown at any width; without
// one, null, the usual ones are, where there is room.
export function columnsOf(rows, headlines, chosen, grouped = false) {
  const keys = tellingKeys(rows), best = (r) => led(headlines.get(r.id)?.value);
  const inGroups = grouped && new Set(rows.map((r) => r.scenario)).size > 1;
  const all = [status, nameColumn(rows, best, chosen, inGroups), ...keys.map((key, i) => keyColumn(rows, key, i, keys, inGroups)), ...headlineColumns(rows, headlines, best), ...factColumns(rows, keys)];
  return all.map((c) => ({ ...c, hidden: !c.always && !(chosen ? chosen.has(c.key) : c.usual), least: chosen ? 0 : c.least }));
}
