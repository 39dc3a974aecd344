// Colours of the nodes of a network by a value that they have: a loss of privacy, a metric.
import { element, choice, drawn } from "./dom.js";
import { ask } from "./api.js";
import { shade, larger, lacking, unbounded } from "./drawing.js";

const { number } = globalThis.starlingChart;

export class Colours {
  // changed is called when nodes have other colours; chosen is the number of the chosen node;
  // named keeps the choice in the address.
  constructor(changed, chosen, named) {
    Object.assign(this, { changed, chosen, named, of: "", values: null, turn: 0 });
    this.choice = element("span", { hidden: true });
    this.bar = element("figure", { class: "colour-bar", hidden: true });
  }

  // begin takes the choice of the address; null leaves it to the first answer.
  begin(text) {
    this.of = text === "none" ? "" : text || "";
    this.decided = text !== null;
  }

  // decide returns the values that tell nodes apart: losses to the chosen node or to the strongest observer, or else the
  // first metric that does; without any, the answer that it is given.
  async decide(answer, question, to) {
    this.decided = true;
    const loss = ({ key }) => key.startsWith("loss");
    for (const { key, to: single } of [...answer.choices.filter(loss).reverse(), ...answer.choices.filter((one) => !loss(one)).slice(0, 2)]) {
      if (single && to === null) continue;
      const found = await ask("nodevalues", { ...question, of: key, ...(to === null ? {} : { to }) });
      if (new Set(Object.values(found.values)).size > 1) return found;
    }
    return answer;
  }

  // load asks for the values of a step, and for the choices that there are.
  async load(detail, { arm, seed, step }, graph) {
    if (!detail.shown || !graph.edges) return;
    const job = JSON.stringify([arm, seed]);
    if (!this.of && this.decided && this.job === job) { this.values = null; this.bar.hidden = true; return; } // the choices are known
    this.job = job;
    const now = ++this.turn;
    this.again = () => this.load(detail, { arm, seed, step }, graph);
    const to = this.chosen();
    let answer;
    const question = { id: detail.id, arm, seed, step };
    try {
      answer = await ask("nodevalues", { ...question, of: this.of, ...(to === null ? {} : { to }) });
    } catch { // such as a choice that another arm has
      try { answer = await ask("nodevalues", question); } catch { return; }
    }
    if (!this.decided && now === this.turn) {
      try { answer = await this.decide(answer, question, to); } catch { /* the nodes have no colours */ }
      if (now === this.turn && answer.of) { this.of = answer.of; this.named(); }
    }
    if (now !== this.turn) return;
    this.offer(answer);
    this.values = this.of ? answer.values : null;
    const finite = Object.values(answer.values).filter((v) => v !== null), infinite = Object.values(answer.values).length > finite.length;
    this.least = finite.length > 0 ? Math.min(...finite) : 0;
    this.most = Math.max(this.least, ...finite);
    this.explain(answer, finite.length > 0, infinite);
    this.changed();
  }

  // offer shows the choices, unless they are there already.
  offer({ choices, of }) {
    this.of = of;
    const keys = JSON.stringify(choices);
    this.choice.hidden = choices.length === 0;
    if (keys === this.offered) return;
    this.offered = keys;
    this.choice.replaceChildren(choice("colour of nodes", [["", "none"], ...choices.map((c) => [c.key, c.name])], of, (value) => { this.of = value; this.named(); this.again(); }));
  }

  // explain draws the scale of the colours.
  explain({ of, label }, finite, infinite) {
    this.bar.hidden = !of;
    const parts = Array.from({ length: 60 }, (_, k) => drawn("rect", { x: k * 4, y: 0, width: 5, height: 12, fill: shade((k + 0.5) / 60).fill }));
    this.bar.replaceChildren(
      !finite ? "" : this.least === this.most ? element("span", {}, swatch(shade(0).fill), number(this.least))
        : element("span", { class: "colour-scale" }, drawn("svg", { viewBox: "0 0 241 12", width: 241, height: 12, preserveAspectRatio: "none", role: "img", "aria-label": `colours from ${number(this.least)} to ${number(this.most)}` }, parts),
          element("span", { class: "colour-ticks" }, [0, 0.5, 1].map((part) => element("span", {}, number(this.least + part * (this.most - this.least)))))),
      infinite ? element("span", {}, swatch(unbounded.fill), "no bound") : "",
      element("figcaption", {}, `${label || "no values"}; ${larger()} is larger. Nodes without a value are crossed out.`));
  }

  // fill is the colour of a node by its number, and of its ink; lacking for a node without a value, and null where
  // nodes have no colours.
  fill(label) {
    if (!this.values) return null;
    if (!(label in this.values)) return lacking;
    const v = this.values[label];
    return v === null ? unbounded : shade(this.most > this.least ? (v - this.least) / (this.most - this.least) : 0);
  }

  // said is the value of a node after its name.
  said(label) {
    if (!this.values || !(label in this.values)) return "";
    return `: ${this.values[label] === null ? "no bound" : number(this.values[label])}`;
  }
}

// swatch is a square of a colour.
const swatch = (color) => drawn("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, drawn("rect", { width: 12, height: 12, fill: color }));
