// A run that goes on: its pace, its arms and seeds, and the metrics recorded so far.
import { element, facts, section, duration, percent, bytes, counted, grouped, spoken, bar, linkOf, shaded } from "./dom.js";
import { ask } from "./api.js";
import { Charts } from "./figures.js";

const { follow } = globalThis.starlingChart;

const fewArms = 8; // more arms are folded, so that their results are in sight

// progress shows pace, memory, and each arm with its seeds. Of many arms fold, an element
// that stays open or closed, has the table.
export function progress(d, fold) {
  const l = d.live, running = d.status === "running", arms = armTable(d);
  if (l.arms.length > fewArms) {
    const done = l.arms.filter((arm) => arm.runs.done >= arm.runs.all).length, busy = l.arms.filter((arm) => (arm.running || []).length > 0).length;
    fold.replaceChildren(element("summary", {}, `${counted(l.arms.length, "arm")}: ${[done > 0 && `${done} done`, busy > 0 && `${busy} ${running ? "under way" : "interrupted"}`].filter(Boolean).join(", ") || "all wait"}`), arms);
  }
  return section("Progress", facts([
    ["steps", l.steps.all ? `${grouped(l.steps.done)} of ${grouped(l.steps.all)}` : ""], ["steps a second", running && l.speed ? grouped(Math.round(l.speed)) : ""],
    ["time left", running && l.left ? (estimated(l) ? duration(l.left) : "estimating") : ""], ["waits for", running ? l.work || "" : ""], ["runs at a time", running ? l.workers : ""],
    ["memory", running && l.memory ? `${bytes(l.memory)}, at most ${bytes(l.memory_peak)}` : ""], ["process", running ? `${l.process} on ${l.host}` : ""]]),
  running && age(l.updated), l.arms.length > fewArms ? fold : arms);
}

// estimated reports whether a run has come far enough for its time left: the first runs say little of others.
export const estimated = (l) => Boolean(l) && (l.elapsed >= 60 || l.elapsed >= 3 && l.steps.done - (l.steps.before || 0) >= 0.05 * (l.steps.all - (l.steps.before || 0)));

const freshFor = 3; // seconds for which counts need no age

// age says how long ago the counts were written, where that is long, until it is taken off the page.
export function age(updated) {
  const made = element("p", { class: "hint age" });
  const tell = () => {
    const seconds = Math.floor((Date.now() - Date.parse(updated)) / 1000);
    made.textContent = seconds > freshFor ? `As of ${seconds < 120 ? seconds + " s" : duration(seconds)} ago.` : "";
  };
  tell();
  const timer = setInterval(() => { if (made.isConnected) tell(); else clearInterval(timer); }, 1000);
  return made;
}

function armTable(d) {
  const l = d.live, running = d.status === "running";
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "progress of the arms" }, element("table", { class: "arms" },
    element("caption", { class: "unseen" }, "progress of the arms"),
    element("thead", {}, element("tr", {}, ["arm", "seeds done", "progress", "time left", "seeds", "under way"].map((text) => element("th", { scope: "col", class: text === "seeds done" || text === "time left" ? "number" : null }, text)))),
    element("tbody", {}, l.arms.map((arm) => element("tr", {},
      element("th", { scope: "row", title: arm.name }, spoken(arm.name, d.arm_labels)), element("td", { class: "number" }, `${arm.runs.done} of ${arm.runs.all}`),
      element("td", { class: "arm-bar" }, bar(share(arm))), element("td", { class: "number" }, leftOf(arm, l, running)), element("td", {}, seeds(arm, l.seeds.base, running)), element("td", { class: "under-way" }, underWay(arm, running)))))));
}

// armLeft is the time that an arm still takes at the pace that it has had since this start of the run, and
// no more than the whole run takes. Of the only arm that is not done it is that of the run.
export function armLeft(arm, l, running) {
  const open = ({ runs }) => runs.done < runs.all;
  if (!open(arm)) return "done";
  const partly = (arm.running || []).reduce((sum, job) => sum + job.steps, 0);
  const made = (arm.runs.done - (arm.runs.before || 0)) * arm.horizon + partly;
  if (!running || !(l.elapsed > 0) || made <= 0) return "";
  const left = Math.ceil((arm.runs.all * arm.horizon - arm.runs.done * arm.horizon - partly) * l.elapsed / made), whole = l.left ?? Infinity;
  return "about " + duration(Number.isFinite(whole) && l.arms.filter(open).length === 1 ? whole : Math.min(left, whole));
}

// leftOf is armLeft, once that says something.
function leftOf(arm, l, running) {
  const left = armLeft(arm, l, running);
  return left.startsWith("about") && !estimated(l) ? "estimating" : left;
}

// soFar is the finding of a run that goes on: the best means so far are named, and no test is made before all seeds are
// there.
export function soFar(d) {
  const p = d.provisional;
  if (!p) return null;
  const counts = p.arms.map((arm) => arm.seeds), [least, most] = [Math.min(...counts), Math.max(...counts)];
  const began = counts.filter((n) => n > 0).length;
  return section("Finding so far",
    element("p", {}, element("strong", {}, "Provisional: "), `${p.label}${p.better ? ` (${p.better} is better)` : ""}, the mean over ${least < most ? `${least} to ${most}` : most} of ${counted(p.seeds, "seed")}${began < p.arms.length ? `, of ${began} of ${counted(p.arms.length, "arm")}` : ""}.`),
    p.instead && element("p", {}, p.instead),
    p.leading && element("p", { class: "leading" }, p.leading),
    p.grid ? gridSoFar(p) : listSoFar(p, d.arm_labels),
    p.grid && p.grid.others.length > 0 && element("p", { class: "hint" }, "Not in the grid: " + p.grid.others.map((i) => `${spoken(p.arms[i].arm, d.arm_labels)} ${p.arms[i].text || "–"}`).join("; ") + "."),
    element("p", { class: "hint" }, "± half of the 95 % interval. Arms stand in the order of the scenario; tests come when all seeds are done."));
}

function listSoFar(p, labels) {
  return element("div", { class: "scroll so-far", tabindex: "0", role: "region", "aria-label": "finding so far" }, element("table", {},
    element("caption", { class: "unseen" }, "provisional finding"),
    element("thead", {}, element("tr", {}, ["arm", "mean (95 % CI) so far", "at step", "seeds so far"].map((text, i) => element("th", { scope: "col", class: i > 0 ? "number" : null }, text)))),
    element("tbody", {}, p.arms.map((arm) => element("tr", { class: arm.seeds > 0 ? null : "about" }, element("th", { scope: "row", title: arm.arm }, spoken(arm.arm, labels)),
      [arm.text || "–", arm.seeds > 0 ? String(arm.step) : "–", `${arm.seeds} of ${p.seeds}`].map((text) => element("td", { class: "number" }, text)))))));
}

// gridSoFar has choices as rows and conditions as columns, and in each cell the seeds so far.
function gridSoFar({ grid, arms, seeds }) {
  const cell = (arm) => (arm ? [element("span", { class: "best-line" }, arm.text || "–"), element("span", { class: "best-line about" }, arm.seeds > 0 ? `${arm.seeds} of ${seeds}, step ${arm.step}` : "waits")] : "");
  return element("div", { class: "scroll so-far", tabindex: "0", role: "region", "aria-label": "finding so far" }, element("table", { class: "heat-table" },
    element("caption", { class: "unseen" }, "provisional finding, by two keys, with the seeds so far"),
    element("thead", {}, element("tr", {}, [grid.of, ...grid.columns].map((text, i) => element("th", { scope: "col", class: i > 0 ? "number" : null }, text)))),
    element("tbody", {}, grid.rows.map((row, i) => element("tr", {}, element("th", { scope: "row" }, row), grid.columns.map((_, k) => shaded(element("td", { class: "number" + (grid.best?.[i]?.[k] ? " best" : "") }, cell(arms[grid.cells[i][k]])), grid.shares?.[i]?.[k])))))));
}

function share(arm) {
  const steps = (arm.running || []).reduce((sum, job) => sum + job.steps / arm.horizon, 0);
  return arm.runs.all ? Math.min(1, (arm.runs.done + steps) / arm.runs.all) : 0;
}

const words = { d: "done", b: "done before", r: "under way", w: "waits", "-": "of another part" };

// seeds is a square for each seed, up to so many. That of one under way fills up.
export function seeds(arm, base, running, most = 102) {
  const list = [...(arm.seeds || "")];
  const under = new Map((arm.running || []).map((job) => [job.seed, job.steps]));
  return element("span", { class: "seeds", role: "img", "aria-label": counted(list.length, "seed") }, list.slice(0, most).map((letter, i) => {
    const seed = base + i, steps = under.get(seed);
    const word = letter === "r" && !running ? "interrupted" : words[letter] || letter;
    const square = element("i", { class: "seed-" + (letter === "-" ? "x" : letter), title: `seed ${seed}: ${word}${steps === undefined ? "" : `, step ${steps} of ${arm.horizon}`}` });
    if (letter === "r" && steps !== undefined) square.style.setProperty("--done", percent(steps / arm.horizon).replace(" ", ""));
    return square;
  }), list.length > most && element("span", { class: "more-seeds", title: `${list.length} seeds, the first ${most} as squares` }, `+${list.length - most}`));
}

// underWay says how far the seeds are that are under way, a few of them.
function underWay(arm, running, most = 4) {
  const list = arm.running || [];
  const text = list.slice(0, most).map((job) => `seed ${job.seed}: ${percent(job.steps / arm.horizon)}`).join(", ");
  return text && text + (list.length > most ? ` and ${list.length - most} more` : "") + (running ? "" : " (interrupted)");
}

// mostCurves is how many charts are drawn of a run that goes on; the others are among the
// figures.
const mostCurves = 3;

// Curves are charts of what has been recorded so far. They stay where they are while the rest
// of the page is drawn anew, with what is zoomed and hidden.
export class Curves {
  constructor() {
    this.place = element("div", { class: "charts several live" });
    this.lead = element("div", { class: "charts live lead" }); // the chart of the provisional finding
    this.remark = element("p", { class: "hint" });
    this.resting = element("p", { class: "hint" });
    this.parts = new Map(); // by metric
    this.busy = false;
  }

  // show returns the section, nothing where the run is over or has recorded nothing.
  show(d) {
    const metrics = d.live ? d.metrics.filter((m) => !m.of_nodes && m.better) : [];
    const first = d.provisional && d.metrics.filter((m) => m.name === d.provisional.metric).map((m) => ({ ...m, asked: d.provisional.figure }));
    this.first = first?.[0]?.name;
    const others = metrics.filter((m) => m.name !== this.first);
    const chosen = [...first || [], ...others.filter((m) => m.usual), ...others.filter((m) => !m.usual)].slice(0, mostCurves);
    if (chosen.length === 0) {
      this.close();
      return null;
    }
    this.load(d, chosen);
    return this.section ||= section("Recorded so far", this.remark, this.resting, this.place, element("p", { class: "hint" }, element("a", { href: linkOf(d.id, "figures") }, "All metrics")));
  }

  async load(d, chosen) {
    if (this.busy) return;
    this.busy = true;
    const updated = [];
    for (const m of chosen) {
      try {
        updated.push([m, await ask("figure", { id: d.id, ...(m.asked ?? { y: m.name, per_step: m.per_step || "", log_y: m.log_y || "" }) })]);
      } catch {
        // Files of a run that has just ended are gone; what is shown stays until the rest is read.
      }
    }
    this.busy = false;
    const resting = updated.filter(([, answer]) => answer.at_pauses).map(([m]) => m.name);
    this.resting.textContent = resting.length > 0 ? `Of runs under way, ${resting.join(" and ")} ${resting.length > 1 ? "move" : "moves"} only when they rest to save their state (checkpoint.every).` : "";
    for (const [m, answer] of updated) {
      if (answer.charts.length === 0) continue;
      if (!this.parts.has(m.name)) {
        const box = element("div", { class: "live-chart charts" });
        (m.name === this.first ? this.lead : this.place).append(box);
        this.parts.set(m.name, new Charts(box, true));
      }
      const several = m.name === this.first && answer.charts.length > 1; // all conditions of the finding
      if (m.name === this.first) this.lead.classList.toggle("wide", several);
      this.parts.get(m.name).place.classList.toggle("several", several);
      const [one] = answer.charts;
      this.parts.get(m.name).show(several ? answer.charts : [answer.charts.length > 1 ? { ...one, title: `${m.label || m.name}: ${one.title}` } : one], m.name);
      if (this.remark.textContent !== answer.remarks[0]) this.remark.textContent = answer.remarks[0] || "";
    }
    // One legend is enough: that of the first chart switches the curves of the others.
    const panels = chosen.flatMap((m) => this.parts.get(m.name)?.panels.map((one) => one.panel) ?? []);
    if (panels.length > 1) follow(panels);
  }

  close() {
    for (const part of this.parts.values()) part.close();
    this.parts.clear();
    this.place.replaceChildren();
    this.lead.replaceChildren();
    this.section = null;
  }
}
