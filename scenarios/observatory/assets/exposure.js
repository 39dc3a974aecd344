// Who can learn what of a node by the end of a run: its losses to observers, and to single nodes.
import { element, table, linkOf } from "./dom.js";
import { ask } from "./api.js";
import { term } from "./privacy.js";

const mostPeers = 12; // in the table of single nodes

const spelled = (text) => text.replace(/\binf\b/, "∞");

export class Exposure {
  // came is called when the losses of another node are there; pick makes a button that chooses a node.
  constructor(came, pick) {
    Object.assign(this, { came, pick, key: "", peers: new Map() });
    this.place = element("div", { class: "exposure" });
  }

  // load asks for the losses of a node, unless they are those that are shown.
  async load(detail, { arm, seed }, label) {
    const key = JSON.stringify([arm, seed, label]);
    if (key === this.key) return;
    this.key = key;
    this.peers = new Map();
    this.place.replaceChildren();
    if (!detail.shown) return;
    try {
      const answer = await ask("exposure", { id: detail.id, arm, seed, node: label });
      if (key !== this.key) return;
      this.peers = new Map(answer.peers.map((peer) => [peer.node, peer]));
      this.show(answer, detail, label);
      this.came();
    } catch (error) {
      if (key === this.key) this.place.replaceChildren(element("p", { class: "remark" }, error.message));
    }
  }

  show(answer, detail, label) {
    const parts = [element("h3", {}, "Who can learn what of it")];
    if (answer.unit === "") parts.push(element("p", { class: "hint" }, "The arm accounts for no privacy."));
    else if (answer.observers.rows.length === 0 && answer.peers.length === 0) parts.push(element("p", { class: "hint" }, "No loss is accounted for this node: it is no protected unit."));
    else {
      const words = (text) => text.split("; ").map(term).join(", ");
      if (answer.observers.rows.length > 0) parts.push(table({ ...answer.observers, rows: answer.observers.rows.map(([who, ...rest]) => [words(who), ...rest]) }, "losses to observers"));
      if (answer.peers.length > 0) parts.push(this.single(answer.peers));
      parts.push(element("p", { class: "hint" }, `Protected: ${answer.unit}. Neighbouring data: ${answer.neighbours}. `, element("a", { href: linkOf(detail.id, "privacy") + "?unit=" + label }, "The loss over the steps"), "."));
    }
    this.place.replaceChildren(...parts);
  }

  // single lists the nodes that can learn the most.
  single(peers) {
    const rows = peers.slice(0, mostPeers);
    return element("div", {}, element("div", { class: "scroll neighbours", tabindex: "0", role: "region", "aria-label": "losses to single nodes" }, element("table", {}, element("caption", { class: "unseen" }, "losses to single nodes"),
      element("thead", {}, element("tr", {}, ["single node", "learns of it: ε", "it learns: ε"].map((text, i) => element("th", { scope: "col", class: i > 0 ? "number" : null }, text)))),
      element("tbody", {}, rows.map((peer) => element("tr", {}, element("th", { scope: "row" }, this.pick(peer.node)), [peer.learns, peer.shows].map((text) => element("td", { class: "number" }, spelled(text) || "–"))))))),
    peers.length > rows.length && element("p", { class: "hint" }, `The ${rows.length} of ${peers.length} nodes that can learn the most.`));
  }

  // learns is the epsilon that another node can learn, as text; empty where none is known.
  learns(label) { return spelled(this.peers.get(label)?.learns || ""); }
}
