// The network of a run, step by step: who sends to whom, what becomes of it, and what a node
// hears, holds and sends.
import { element, table, section, heading, choice, copy, facts, counted, bytes, spoken, linkOf } from "./dom.js";
import { ask } from "./api.js";
import { Charts } from "./figures.js";
import { size, pairs, suits, radius, picture, matrix, cellAt, blocks, placed } from "./drawing.js";
import { Colours } from "./colours.js";
import { Exposure } from "./exposure.js";

const { number } = globalThis.starlingChart;

const mostChosen = 200; // nodes of a network in which one is chosen at first

export function show(place, detail, route) {
  if ((detail.arms || []).length === 0) {
    place.append(element("p", { class: "hint" }, "The run does not say which arms it has yet."));
    return {};
  }
  const state = { arm: route.query.get("arm") || detail.arms[0].name, seed: Number(route.query.get("seed")) || detail.seeds.base, step: Number(route.query.get("step")) || detail.first_step };
  let graph = null, layout = null, chosen = route.query.get("node") === null ? null : Number(route.query.get("node"));
  let turn = 0, timer = null;
  let drawn = route.query.get("as") || "", fitting = "graph", looked = null; // how the graph is drawn; what suits it; the node under the cursor
  let traffic = null, asking = null; // what was sent in the step that is shown, and the question for it
  let last = detail.first_step + Math.max(1, detail.horizon) - 1; // that of the arm, once it is known
  const opened = element("p", { class: "hint opened" }); // why it opens where it does
  const colours = new Colours(() => draw(), () => chosen, () => address()); // of nodes, by a value
  colours.begin(route.query.get("colour"));
  const controls = element("div", { class: "pickers" });
  const remark = element("p", { class: "remark", role: "alert" });
  const canvas = element("canvas", { class: "graph-canvas", tabindex: "0", role: "img" });
  const second = element("canvas", { class: "graph-canvas", role: "img", "aria-label": "Matrix of the weights: rows are receivers and columns senders" });
  const beside = element("div", { class: "canvas-box", hidden: true }, second); // the matrix, where the graph is drawn as well
  const under = element("p", { class: "hint", "aria-live": "polite" });
  const tip = element("span", { class: "graph-tip", hidden: true });
  const slider = element("input", { type: "range", min: detail.first_step, max: last, value: state.step, "aria-label": "step",
    oninput: () => { stop(); go(Number(slider.value)); } });
  const at = element("output", { class: "graph-step" });
  const play = element("button", { type: "button", "aria-pressed": "false", onclick: () => (timer ? rest() : start()) }, "play");
  const node = element("input", { type: "number", placeholder: "none", "aria-label": "node", onchange: () => { choose(node.value === "" ? null : Number(node.value)); } });
  const inside = element("div", { class: "node" });
  const exposure = new Exposure(() => { if (chosen !== null && graph) neighboursAgain(); }, (label) => pick(label));
  const unfolded = new Set(); // the parts of the node that are open, in each step
  const mixing = element("div", {});
  const decisions = element("div", { class: "charts" });
  const shown = new Charts(decisions);
  const course = element("div", { class: "charts several course" });
  const courseRemark = element("p", { class: "hint" });
  const overTime = new Charts(course);
  let followed = null; // of which arm and seed the course is shown
  // Questions under way, which end when nobody waits for their answers: they can take long.
  let loading = null, following = null, measuring = null;
  place.append(heading("Network"), controls, opened, remark,
    element("div", { class: "network" },
      element("div", { class: "network-picture" }, element("div", { class: "canvas-box" }, canvas), tip, beside, element("div", { class: "movie-bar" }, play, slider, at), under, colours.bar, legend(), element("p", { class: "hint keys" }, "In the picture ", ["←", "→"].map((key) => element("kbd", {}, key)), " go through the steps, ", ["↑", "↓"].map((key) => element("kbd", {}, key)), " through the nodes, and the space bar plays."), mixing),
      element("div", { class: "network-node" }, element("div", { class: "node-choice" }, element("label", { class: "choice" }, element("span", {}, "node"), node), another(-1, "previous node", "‹"), another(1, "next node", "›")), inside), decisions),
    section("Over time", course, courseRemark));
  controls.append(
    choice("arm", detail.arms.map((arm) => [arm.name, spoken(arm.name, detail.arm_labels)]), state.arm, (value) => { state.arm = value; layout = null; opened.textContent = ""; load(); }),
    element("label", { class: "choice" }, element("span", {}, "seed"), element("input", { type: "number", min: detail.seeds.base, max: detail.seeds.base + detail.seeds.count - 1, value: state.seed,
      onchange: (event) => { state.seed = Number(event.target.value); layout = null; load(); } })),
    choice("drawn as", [["", "what suits it"], ["graph", "nodes and edges"], ["matrix", "matrix"], ["both", "nodes and matrix"]], drawn, (value) => { drawn = value; address(); say(); draw(); }), colours.choice,
    element("button", { type: "button", onclick: (event) => mix(event.target) }, "how it mixes"));

  const question = () => ({ id: detail.id, arm: state.arm, seed: state.seed, step: state.step });

  // another is a button that chooses the node before or after the chosen one.
  function another(by, name, sign) { return element("button", { type: "button", "aria-label": name, title: name, onclick: () => step(by) }, sign); }

  // step chooses the node so many after the chosen one; the first comes after the last.
  function step(by) {
    if (!graph) return;
    const at = chosen === null ? (by > 0 ? -1 : 0) : chosen - graph.first_label;
    choose((at + by + graph.nodes) % graph.nodes + graph.first_label);
  }

  function legend() {
    return element("ul", { class: "fates", hidden: true }, [["arrived", "arrives in the next turn"], ["late", "arrives later"], ["lost", "is lost"], ["dropped", "is dropped: no room in line"], ["silent", "nothing is sent"], ["node", "node"], ["chosen", "chosen node"], ["near", "its neighbour"], ["down", "node that is down"], ["server", "server"], ["byzantine", "Byzantine node"]]
      .map(([kind, text]) => element("li", { class: "fate-" + kind }, text)));
  }

  // explain shows the entries of the legend that the picture has.
  function explain() {
    const there = new Set(["node", ...graph.edges.map(([from, to], k) => fateOf(from, to, k))]);
    for (const [kind, list] of [["down", graph.down], ["server", graph.servers], ["byzantine", graph.byzantine]]) if ((list || []).length > 0) there.add(kind);
    if (colours.of) there.delete("node"); // nodes have the colours of a quantity, which the bar explains
    else if (chosen !== null && shape() !== "matrix") there.add("chosen").add("near");
    for (const item of place.querySelectorAll(".fates li")) item.hidden = !there.has(item.className.slice("fate-".length));
  }

  const shape = () => drawn || fitting;

  // address keeps what is shown in the address of the page.
  function address() {
    const query = new URLSearchParams({ arm: state.arm, seed: state.seed, step: state.step });
    if (chosen !== null) query.set("node", chosen);
    if (drawn) query.set("as", drawn);
    if (colours.of || colours.decided) query.set("colour", colours.of || "none");
    history.replaceState(null, "", linkOf(detail.id, "network") + "?" + query);
  }

  // open begins where the address says, or else where something happens.
  async function open() {
    const now = turn;
    if (!["arm", "seed", "step"].some((key) => route.query.has(key))) {
      try {
        const { arm, step, text } = await ask("opening", { id: detail.id });
        if (now !== turn) return;
        [state.arm, state.step, opened.textContent, opened.dataset.at] = [arm, step, text || "", [arm, step].join()];
        controls.querySelector("select").value = arm;
      } catch { /* the picture says what is wrong */ }
    }
    if (now === turn) load();
  }

  let begun = false;
  // begin chooses a node of a finished run, so that its part of the page is not empty: one that is Byzantine or down, or
  // else one with the most neighbours that is no server.
  function begin() {
    if (begun || chosen !== null || !detail.shown || !graph.edges || graph.nodes > mostChosen) return;
    begun = true;
    const degrees = Array.from({ length: graph.nodes }, () => 0), servers = new Set(graph.servers || []);
    for (const [from, to] of graph.edges) if (from !== to) { degrees[from]++; degrees[to]++; }
    const clients = degrees.map((_, i) => i).filter((i) => !servers.has(i)), [first] = [...graph.byzantine || [], ...graph.down || []];
    chosen = (first ?? (clients.length > 0 ? clients.reduce((a, b) => (degrees[b] > degrees[a] ? b : a)) : 0)) + graph.first_label;
    node.value = chosen;
    address();
  }

  async function load() {
    const now = ++turn;
    if (opened.textContent && opened.dataset.at !== [state.arm, state.step].join()) opened.textContent = ""; // it has moved on
    loading?.abort();
    const mine = loading = new AbortController();
    address();
    at.textContent = `step ${state.step} of ${last}`;
    slider.setAttribute("aria-valuetext", at.textContent);
    slider.value = state.step;
    try {
      const answer = await ask("network", question(), mine.signal);
      if (now !== turn) return;
      graph = answer;
      traffic = null;
      last = graph.first_step + graph.horizon - 1;
      slider.max = last;
      state.step = slider.value = graph.step;
      at.textContent = `step ${state.step} of ${last}`;
      remark.textContent = "";
      node.min = graph.first_label;
      node.max = graph.first_label + graph.nodes - 1;
      if (!layout || layout.length !== graph.nodes) {
        if (graph.edges) fitting = suits(graph);
        layout = graph.edges ? placed(graph.places) : null;
      } else if (graph.moving) layout = placed(graph.places);
      begin();
      colours.load(detail, question(), graph);
      say();
      draw();
      inspect();
      pass();
      follow();
    } catch (error) {
      if (now === turn) { remark.textContent = error.message; stop(); }
    }
  }

  // pass asks what was sent in the step and what became of it, which takes running it again.
  async function pass() {
    asking?.abort();
    asking = null;
    if (!detail.shown || timer || !graph.edges) return;
    const now = turn, question_ = question(), mine = asking = new AbortController();
    await new Promise((done) => setTimeout(done, 150)); // a slider passes many steps
    if (now !== turn) return;
    try {
      const answer = await ask("traffic", question_, mine.signal);
      if (now !== turn) return;
      // Where messages go to participants that the graph does not have, an edge is no message.
      const served = answer.links.some((l) => l.from >= graph.nodes || l.to >= graph.nodes);
      traffic = { ...answer, served, links: new Map(served ? [] : answer.links.map((l) => [l.from * graph.nodes + l.to, l])) };
      say();
      draw();
      if (chosen !== null) neighboursAgain(); // now it is known what was sent
    } catch (error) {
      if (error.name !== "AbortError" && now === turn) remark.textContent = error.message;
    }
  }

  // follow draws degree and mixing over the steps, once for an arm and seed.
  async function follow() {
    const key = [state.arm, state.seed].join();
    if (followed === key) return;
    followed = key;
    following?.abort();
    const mine = following = new AbortController();
    try {
      const c = await ask("course", question(), mine.signal);
      if (followed !== key) return;
      const span = (list, of) => list.map((s) => s[of]);
      const line = (name, y, color, dash, low, high) => ({ name, x: 0, y, color, dash, ...(low ? { low, high } : {}) });
      const same = c.in_degree.every((s, k) => ["min", "mean", "max"].every((of) => s[of] === c.out_degree[k][of]));
      const degree = (name, list, color, dash) => line(name, span(list, "mean"), color, dash, span(list, "min"), span(list, "max"));
      const xLabel = c.period > 1 ? `step t, one period of ${c.period}` : "step t";
      if (c.period === 1) { // nothing changes over time
        const known = (v) => (v === null || v === undefined ? "" : number(v)), { min, mean, max } = c.in_degree[0];
        overTime.close();
        course.replaceChildren(facts([["in-degree", min === max ? String(min) : `${min} to ${max}, ${number(mean)} on average`], ["contraction of a step", known(c.step[0])], [`contraction of ${c.length} steps`, c.length > 1 ? known(c.window[0]) : ""]]));
        courseRemark.textContent = c.remarks.join(" ");
        return;
      }
      const charts = [
        { metric: "degree", title: "Degree", xLabel, yLabel: "degree of a node: mean; band: smallest to largest", x: [c.steps], series: [
          ...(same ? [degree("in- and out-degree", c.in_degree, "#0072b2")] : [degree("in-degree", c.in_degree, "#0072b2"), degree("out-degree", c.out_degree, "#d55e00", [6, 3])])] }];
      const known = (list) => list.some((v) => v !== null), bin = c.bin > 1;
      if (known(c.step) || known(c.window)) { // else there is no such number
        charts.push({ metric: "mixing", title: "Mixing", share: true, xLabel, yLabel: "contraction ‖W − 11ᵀ/N‖; 0 averages fully, 1 not at all", x: [c.steps], series: [
          line("of the step, W", c.step, "#0072b2", undefined, bin && c.step_low, bin && c.step_high),
          ...(c.length > 1 && known(c.window) ? [line(`of the next ${c.length} steps together`, c.window, "#d55e00", [6, 3], bin && c.window_low, bin && c.window_high)] : [])] });
      }
      overTime.show(charts, key + charts.length);
      const mixes = known(c.step) || known(c.window);
      courseRemark.textContent = c.remarks.join(" ") + (mixes ? " Mixing is the spectral norm of W − 11ᵀ/N: by what factor a step, or the product of some steps, brings the values of the nodes closer to their mean, at worst. Of doubly stochastic weights it is their second largest singular value, and 1 less it the spectral gap." : "");
    } catch (error) {
      if (followed === key) courseRemark.textContent = error.message;
    }
  }

  // joined counts the edges, or the links where all edges have one back: a line is drawn for both. Fates are of edges.
  function joined({ nodes, edges, fates }) {
    const links = pairs(nodes, edges).length, apart = edges.filter(([a, b]) => a !== b).length;
    return links > 0 && apart === 2 * links && !fates ? `${links} links both ways` : `${edges.length} edges`;
  }

  function say() {
    const degree = ({ min, mean, max }) => (min === max ? String(min) : `${min} to ${max}, ${number(mean)} on average`);
    const byzantine = (graph.byzantine || []).map((i) => i + graph.first_label);
    const some = (n, what) => (n > 0 ? `${n} ${what}` : "");
    const counts = traffic ? "" : graph.fates ? `, of which ${graph.fates.filter((f) => f > 0).length} late and ${graph.fates.filter((f) => f < 0).length} lost; ${(graph.down || []).length} nodes down` : "";
    under.textContent = `${graph.nodes} nodes${graph.edges ? `, ${joined(graph)}${counts}` : ""}; in-degree ${degree(graph.in_degree)}, out-degree ${degree(graph.out_degree)}.${byzantine.length > 0 ? ` Byzantine, as red diamonds: ${byzantine.join(", ")}.` : ""} ${graph.remarks.join(" ")}`;
    if (traffic) {
      const what = [some(traffic.arrived, "arrive in the next turn"), some(traffic.late, "late"), some(traffic.lost, "lost"), some(traffic.dropped, "dropped"), some(traffic.underway, "on their way at the end")].filter(Boolean).join(", ");
      under.textContent += traffic.sent === 0 ? " In this step nothing is sent." : ` In this step ${counted(traffic.sent, "message")} of ${bytes(traffic.bytes)}: ${what}.${(graph.down || []).length > 0 ? ` ${counted(graph.down.length, "node")} down.` : ""}`;
      if (traffic.served) under.textContent += " They go by way of servers, and an edge is the weight of a node in the mean that another gets.";
    }
    if (graph.edges && shape() !== "graph") under.textContent += ` Rows are receivers and columns senders; the stronger the colour, the larger the weight, up to ${number(Math.max(...graph.edges.map((e) => Math.abs(e[2])), 0))}. The own weights of nodes, on the diagonal, are not drawn.`;
    canvas.setAttribute("aria-label", `Network at step ${graph.step}: ${under.textContent}`);
  }

  function draw() {
    const both = shape() === "both" && graph?.edges;
    place.querySelector(".network-picture").classList.toggle("both", Boolean(both));
    beside.hidden = !both;
    if (!graph || canvas.parentElement.clientWidth === 0 || !layout && !graph.blocks) return; // nodes are being placed
    const pen = penOf(canvas);
    place.querySelector(".fates").hidden = Boolean(graph.blocks);
    const focus = looked ?? (chosen === null ? null : chosen - graph.first_label);
    if (graph.edges) explain();
    if (graph.blocks) blocks(pen, graph);
    else if (shape() === "matrix") matrix(pen, graph, focus, fateOf);
    else picture(pen, graph, layout, focus, fateOf, (i) => colours.fill(i + graph.first_label));
    if (both) matrix(penOf(second), graph, focus, fateOf);
  }

  // penOf draws on a canvas, which it clears, in units of a picture.
  function penOf(on) {
    const box = on.parentElement.clientWidth, ratio = devicePixelRatio || 1, pen = on.getContext("2d");
    on.width = on.height = Math.round(box * ratio);
    pen.scale(box * ratio / size, box * ratio / size);
    pen.clearRect(0, 0, size, size);
    return pen;
  }

  // fateOf is what becomes of what goes along an edge: the worst, where that is several
  // messages. Before it is known what was sent, it is what the network does with a message.
  function fateOf(from, to, k) {
    if (traffic?.served) return "served";
    if (traffic) {
      const link = traffic.links.get(from * graph.nodes + to);
      return !link ? "silent" : link.dropped ? "dropped" : link.lost ? "lost" : link.late || link.underway ? "late" : "arrived";
    }
    const fate = graph.fates ? graph.fates[k] : 0;
    return fate < 0 ? "lost" : fate > 0 ? "late" : "arrived";
  }

  // hit is the edge of the matrix at a place, [from, to], or the node of the picture, [node],
  // all from 0; null where nothing is.
  function hit(event) {
    if (!graph || !layout) return null;
    const box = event.currentTarget.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * size, y = (event.clientY - box.top) / box.height * size;
    if (shape() === "matrix" || event.currentTarget === second) return cellAt(x, y, graph.nodes);
    let best = null, least = (radius(graph, layout) + 6) ** 2;
    layout.forEach(([nx, ny], i) => {
      const d = (nx - x) ** 2 + (ny - y) ** 2;
      if (d < least) [best, least] = [i, d];
    });
    return best === null ? null : [best];
  }

  // told is what stands beside the cursor.
  function told([first, to]) {
    const label = (i) => i + graph.first_label;
    if (to === undefined) return `node ${named(label(first))}${colours.said(label(first))}; hears ${graph.edges.filter((e) => e[1] === first).length}, is heard by ${graph.edges.filter((e) => e[0] === first).length}`;
    const edge = graph.edges.find((e) => e[0] === first && e[1] === to);
    return `${label(first)} to ${label(to)}: ${edge ? number(edge[2]) : "no edge"}`;
  }

  // lies reports whether a node is Byzantine: a replay has its messages before they are changed on their way.
  const lies = (label) => (graph.byzantine || []).includes(label - graph.first_label);

  // named is the number of a node, and that it is Byzantine or a server.
  const named = (label) => `${label}${lies(label) ? " (Byzantine)" : (graph.servers || []).includes(label - graph.first_label) ? " (server)" : ""}`;

  // look has a node stand out while the cursor is there; null for none.
  function look(i) {
    if (i === looked) return;
    looked = i;
    draw();
  }

  for (const on of [canvas, second]) {
    on.addEventListener("click", (event) => {
      const found = hit(event);
      choose(found && found.at(-1) + graph.first_label); // of the matrix the receiver
    });
    on.addEventListener("mousemove", (event) => {
      const found = hit(event);
      tip.hidden = !found;
      look(found && found.at(-1));
      if (!found) return;
      const box = tip.parentElement.getBoundingClientRect();
      tip.textContent = told(found);
      tip.style.transform = `translate(${Math.min(event.clientX - box.left + 12, box.width - 20 - tip.offsetWidth)}px, ${event.clientY - box.top + 12}px)`;
    });
    on.addEventListener("mouseleave", () => { tip.hidden = true; look(null); });
  }
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key], onward = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === " ") { if (timer) rest(); else start(); } else if (by) { stop(); go(state.step + by); } else if (onward) step(onward); else return;
    event.preventDefault();
  });

  function choose(label) {
    begun = true;
    chosen = label;
    looked = null; // its button can go before the pointer leaves it
    node.value = label ?? "";
    draw();
    load();
  }

  function go(step) {
    state.step = Math.max(detail.first_step, Math.min(last, step));
    load();
  }

  function start() {
    play.textContent = "pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => { if (state.step >= last) rest(); else go(state.step + 1); }, 500);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "play";
    play.setAttribute("aria-pressed", "false");
  }

  // rest stops at a step, and asks for its messages and the state of the node, which a film leaves out.
  function rest() {
    stop();
    load();
  }

  const few = 4; // numbers of a vector that are shown at first
  const short = (values, length = values.length) => values.slice(0, few).map((v) => (v === null ? "∞" : number(v))).join(", ") + (length > few ? ", …" : "");

  let wholes = new Map(); // questions for the whole vectors of a step of the chosen node, by step

  // vector is a vector in short, with a button that shows all of it. find(turns) is the whole one among
  // the turns of its step.
  function vector(values, length, step, find) {
    if (length <= few) return short(values, length);
    const place = element("span", { class: "vector" }, short(values, length), " "), of = { ...question(), node: chosen };
    const open = async (button) => {
      button.disabled = true;
      try {
        let all = values;
        if (values.length < length) {
          if (!wholes.has(step)) wholes.set(step, ask("replay", { ...of, step, from: step, to: step, whole: true }));
          all = find((await wholes.get(step)).turns) ?? values;
        }
        const text = all.map((v) => (v === null ? "∞" : String(v))).join(", ");
        place.replaceChildren(element("span", { class: "whole-vector", tabindex: "0", role: "group", "aria-label": `all ${length} numbers` }, text),
          element("button", { type: "button", class: "fix", onclick: (event) => copy(text, event.target) }, "copy"), all.length < length ? element("span", { class: "about" }, ` the first ${all.length} of ${length}`) : "");
      } catch (error) {
        wholes.delete(step);
        button.replaceWith(element("span", { class: "remark" }, error.message));
      }
    };
    place.append(element("button", { type: "button", class: "fix", "aria-label": `show all ${length} numbers`, onclick: (event) => open(event.target) }, `all ${length}`));
    return place;
  }

  async function inspect() {
    if (![canvas, second].some((one) => one.matches(":hover"))) look(null); // the buttons of the step before go
    if (chosen === null) {
      inside.replaceChildren(element("p", { class: "hint" }, "Choose a node, in the picture or in the table, to see what it hears, holds and sends."), ...everyone());
      shown.close();
      return;
    }
    const now = turn, label = chosen, i = label - graph.first_label;
    wholes = new Map();
    const title = element("h2", {}, `Node ${named(label)} at step ${state.step}`);
    exposure.load(detail, state, label);
    const head = () => [title, element("h3", {}, "Talks with, in this step"), neighbours(i), exposure.place]; // anew: the messages can come before the state
    // The picture has moved on, and a replay takes a while: of the step before nothing stays.
    inside.replaceChildren(...head(), element("p", { class: "hint" }, !detail.shown ? "What it holds is shown when the run is complete."
      : timer ? "What it holds is shown when the film pauses." : `Replaying to step ${state.step} …`));
    if (!detail.shown || timer) return;
    try {
      const r = await ask("replay", { id: detail.id, arm: state.arm, seed: state.seed, node: label, from: Math.max(graph.first_step, state.step - 63), to: state.step });
      if (now !== turn) return;
      const here = r.turns.filter((t) => t.step === state.step);
      const several = (n, t) => (here.length > 1 ? `${n}, exchange ${t.hop + 1}` : n);
      inside.replaceChildren(title, summed(r, here, label), ...head().slice(1), ...here.flatMap((t) => [
        t.state.length > 0 ? fold(several("Its state", t), table({ header: ["state", "numbers", "values"], rows: t.state.map((q, k) => [q.name, String(q.length), vector(q.values, q.length, t.step, (all) => all.find((one) => one.hop === t.hop)?.state[k].values)]) }, "state")) : "",
        fold(several("Its messages", t), letters("inbox", "from", "in", t, label), letters("sends", "to", "out", t, label),
          element("p", { class: "hint" }, `Noise is part of a message as it is sent. No key records the message before noise.${ofLies(label)}`))]),
      ...released(r.turns, label),
      here.length === 0 ? element("p", { class: "hint" }, "The node has no turn in this step.") : "",
      element("p", { class: r.differ > 0 ? "warning" : "hint" }, r.differ > 0 ? `${r.differ} of ${r.rows} recorded values differ on replay: ${r.remark}` : r.rows > 0 ? `Replayed to step ${state.step}: all ${r.rows} recorded values are the same.` : `Replayed to step ${state.step}. Nothing was recorded up to here to check against.`));
      trace(r.turns, label);
      onward(r, now, label);
    } catch (error) {
      if (now === turn) { inside.replaceChildren(...head(), element("p", { class: "remark" }, error.message)); shown.close(); }
    }
  }

  const mostOnward = 2000; // steps up to which a run is replayed to its end for a chart
  // onward has the chart of the node go on to steps after the one that is shown: it stays as it is while the slider moves.
  async function onward(r, now, label) {
    const from = Math.max(graph.first_step, Math.min(state.step - 32, last - 63)), to = Math.min(last, from + 63);
    if (to <= state.step || to > mostOnward) return;
    try {
      const all = await ask("replay", { id: detail.id, arm: state.arm, seed: state.seed, node: label, from, to });
      if (now === turn) trace(all.turns, label);
    } catch { /* the chart ends at the step that is shown */ }
  }

  // ofLies says which values of messages are those before a lie.
  function ofLies(label) {
    if ((graph.byzantine || []).length === 0) return "";
    return lies(label) ? " Messages of this node are changed on their way; the inbox of a neighbour shows what it receives. Byzantine nodes receive the messages of each other unchanged."
      : " Messages of Byzantine nodes are changed on their way; the inbox shows them as received, and as sent before the lie.";
  }

  // summed is what the node holds, knows and sends in a few lines.
  function summed(r, here, label) {
    const turn = here.at(-1), held = turn && decisionOf(turn), sent = turn?.out.find((l) => l.to !== label) || turn?.out[0];
    const lacks = r.known.some((v) => !v.name.includes("epsilon")) ? "" : `No value of the node is recorded up to here: measure: {at: [${state.step}]} records regret.node in this step, of the nodes that measure.nodes samples.`;
    const rows = [held && [`estimate ${held.name}`, vector(held.values, held.length, turn.step, (all) => decisionOf(all.at(-1))?.values)],
      ...r.known.map((v) => [v.step === state.step ? v.name : `${v.name}, at step ${v.step}`, v.value === null ? "∞" : number(v.value)]),
      sent && [lies(label) ? "message, before the lie" : "message, as it is sent", vector(sent.values, sent.length, turn.step, (all) => all.at(-1)?.out[turn.out.indexOf(sent)]?.values)]].filter(Boolean);
    return element("div", {}, facts(rows), lacks && element("p", { class: "hint" }, lacks));
  }

  // fold is a part of the node with a title, which stays open when the step changes.
  function fold(title, ...parts) {
    const made = element("details", { class: "fold", open: unfolded.has(title) || null }, element("summary", {}, title), parts);
    made.addEventListener("toggle", () => { if (made.open) unfolded.add(title); else if (made.isConnected) unfolded.delete(title); });
    return made;
  }

  // neighboursAgain puts the table of neighbours anew, and nothing else of the node.
  function neighboursAgain() { inside.querySelector(".of-neighbours")?.replaceWith(neighbours(chosen - graph.first_label)); }

  const words = { arrived: "arrives", late: "late", lost: "lost", dropped: "dropped", silent: "nothing sent", served: "by servers" };

  // pick is a button that chooses a node.
  const pick = (label) => {
    const at = () => look(label - graph.first_label), away = () => look(null);
    return element("button", { type: "button", class: "pick-node", onclick: () => choose(label), onmouseenter: at, onfocus: at, onmouseleave: away, onblur: away }, named(label));
  };

  // chosenTable is a table whose first column chooses nodes.
  function chosenTable(header, rows, label) {
    return element("div", { class: "scroll neighbours", tabindex: "0", role: "region", "aria-label": label }, element("table", {}, element("caption", { class: "unseen" }, label),
      element("thead", {}, element("tr", {}, header.map((text, k) => element("th", { scope: "col", class: k > 0 && k < 3 ? "number" : null }, text)))),
      element("tbody", {}, rows.map(([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, pick(first)), rest.map((text, k) => element("td", { class: k < 2 ? "number" : null }, text)))))));
  }

  // neighbours are the nodes with an edge to or from a node, and its weight either way.
  function neighbours(i) {
    if (!graph.edges) return element("p", { class: "hint" }, "Nodes are too many to list their neighbours.");
    const by = new Map(), of = (k) => { if (!by.has(k)) by.set(k, {}); return by.get(k); };
    graph.edges.forEach((e, k) => { if (e[1] === i) of(e[0]).in = [e[2], fateOf(e[0], i, k)]; if (e[0] === i) of(e[1]).out = [e[2], fateOf(i, e[1], k)]; });
    const weights = by.size > 0 && graph.edges.some((e) => e[2] !== 0), sum = graph.edges.filter((e) => e[1] === i).reduce((total, e) => total + e[2], 0);
    const weight = (side) => (side ? number(side[0]) : "–"), fate = (side) => (side ? words[side[1]] : "–");
    if (by.size === 0) return element("p", { class: "hint of-neighbours" }, "It has no neighbour in this step.");
    const pairs = exposure.peers.size > 0;
    const rows = [...by].sort(([a], [b]) => a - b).map(([k, e]) => [k + graph.first_label, weight(e.in), weight(e.out), `${fate(e.in)} / ${fate(e.out)}`, ...(pairs ? [exposure.learns(k + graph.first_label) || "–"] : [])]);
    return element("div", { class: "of-neighbours" }, chosenTable(["neighbour", "weight in", "weight out", "message in / out", ...(pairs ? ["learns of it: ε"] : [])], rows, "neighbours"),
      weights && (graph.servers || []).length === 0 && element("p", { class: "hint" }, `Weights in add up to ${number(sum)}; the rest, ${number(1 - sum)}, is its own.`));
  }

  const mostListed = 500;

  // everyone lists the nodes.
  function everyone() {
    if (!graph.edges) return [];
    const into = new Array(graph.nodes).fill(0), out = new Array(graph.nodes).fill(0);
    for (const [from, to] of graph.edges) { out[from]++; into[to]++; }
    const down = new Set(graph.down || []);
    const rows = into.slice(0, mostListed).map((n, i) => [i + graph.first_label, String(n), String(out[i]), down.has(i) ? "down" : "up"]);
    return [chosenTable(["node", "in-degree", "out-degree", "state"], rows, "nodes"), graph.nodes > mostListed ? element("p", { class: "hint" }, `The first ${mostListed} of ${graph.nodes} nodes; type the number of another.`) : ""];
  }

  const itself = "itself"; // in lists of the nodes that a node sends to

  // letters lists messages; those that are alike but for the other node share a row.
  function letters(title, side, where, t, label) {
    const list = t[where];
    if (list.length === 0) return element("p", { class: "hint" }, title === "inbox" ? "Nothing has reached it." : "It sends nothing.");
    const rows = new Map();
    const whole = (k, key) => (all) => all.find((one) => one.hop === t.hop)?.[where][k][key];
    list.forEach((l, k) => {
      const told = [String(l.step), number(l.weight), l.kind], key = [...told, l.values, l.received].join("\n");
      if (!rows.has(key)) {
        const sent = vector(l.values, l.length, t.step, whole(k, "values")), before = lies(l.from) && l.from !== l.to;
        const value = l.received ? element("div", {}, element("div", {}, "received: ", vector(l.received, l.length, t.step, whole(k, "received"))), element("div", { class: "about" }, "sent, before the lie: ", sent))
          : before && !(where === "in" && lies(label)) ? element("div", {}, sent, " (before the lie)") : sent;
        rows.set(key, { nodes: [], cells: [...told, value] });
      }
      rows.get(key).nodes.push(l.from === l.to ? itself : named(l[side]));
    });
    const others = (nodes) => nodes.filter((node) => node !== itself).length;
    const together = (nodes) => (nodes.length > 6 ? `${others(nodes)} nodes${others(nodes) < nodes.length ? " and itself" : ""}: ` : "") + nodes.join(", "), shown = [...rows.values()].slice(0, 40);
    return [table({ header: [`${title}, ${side}`, "step", "weight", "kind", "values"], rows: shown.map(({ nodes, cells }) => [together(nodes), ...cells]) }, title),
      rows.size > shown.length ? element("p", { class: "hint" }, `and ${rows.size - shown.length} more`) : ""];
  }

  // released lists what the node sent in the last steps beside what it was charged for that.
  function released(turns, label, most = 12) {
    const list = turns.filter((t) => t.out.length > 0 || t.paid.length > 0).reverse();
    if (list.length === 0) return [];
    const several = turns.some((t) => t.hop > 0);
    const rows = list.slice(0, most).map((t) => {
      const others = t.out.filter((l) => l.to !== label);
      const first = (others.length > 0 ? others : t.out)[0];
      return [several ? `${t.step}, ${t.hop + 1}` : String(t.step), counted(others.length, "node"), first ? element("span", {}, first.kind + " ", vector(first.values, first.length, t.step, (all) => all.find((one) => one.hop === t.hop)?.out[t.out.indexOf(first)]?.values), lies(label) ? " (before the lie)" : "") : "", t.paid.length > 0 ? counts(t.paid) : "nothing"];
    });
    return [fold("What it released, and what that cost", table({ header: [several ? "step, exchange" : "step", "to", "what", "paid: epsilon, or as said"], rows }, "releases"),
      list.length > most ? element("p", { class: "hint" }, `and ${list.length - most} earlier of the last ${turns.length} turns. The losses above are of all its releases together.`) : "")];
  }

  // counts are texts, those that come several times once.
  function counts(texts) {
    const by = new Map();
    for (const text of texts) by.set(text, (by.get(text) || 0) + 1);
    return [...by].map(([text, n]) => (n > 1 ? `${n} × ${text}` : text)).join(" + ");
  }

  // decisionOf is the decision in a state, whatever the algorithm calls it; else what has several numbers.
  function decisionOf(turn) {
    const known = turn?.state || [];
    return ["x", "w", "z"].map((name) => known.find((q) => q.name === name)).find(Boolean) || known.find((q) => q.length > 1) || known[0];
  }

  // trace draws the decisions of the node over the last steps, as its state has them.
  function trace(turns, label) {
    const first = decisionOf(turns.find((t) => t.state.length > 0));
    if (!first || turns.length < 2) { shown.close(); return; }
    const lines = turns.filter((t, k) => k === turns.length - 1 || turns[k + 1].step !== t.step);
    const palette = ["#0072b2", "#d55e00", "#009e73", "#000000", "#e69f00", "#cc79a7"];
    const value = (t, d) => t.state.find((q) => q.name === first.name)?.values[d] ?? null;
    shown.show([{ metric: first.name, title: `${first.name} of node ${label}, steps ${lines[0].step} to ${lines.at(-1).step}`, xLabel: "step t", yLabel: first.name, x: [lines.map((t) => t.step)],
      series: first.values.slice(0, 6).map((_, d) => ({ name: first.length === 1 ? first.name : `${first.name}[${d + 1}]`, x: 0, y: lines.map((t) => value(t, d)), color: palette[d] })) }],
    [state.arm, state.seed, label, first.name, lines.length].join());
  }

  async function mix(button) {
    button.disabled = true;
    try {
      const d = await ask("mixing", question(), (measuring = new AbortController()).signal);
      const known = (v) => (v === null || v === undefined ? "not said" : number(v));
      mixing.replaceChildren(section(`From step ${d.step} on`, facts([["spectral gap", known(d.spectral_gap)], ["mixing time", known(d.mixing_time)], [`contraction in ${d.window} steps`, known(d.contraction)],
        ["effective diameter", known(d.effective_diameter)], ["strongly connected in windows of", known(d.smallest_b)], ["doubly stochastic", d.served ? "weights have no meaning" : d.doubly_stochastic ? "yes" : "no"]]),
      (d.remarks || []).map((text) => element("p", { class: "hint" }, text))));
    } catch (error) {
      if (error.name !== "AbortError") remark.textContent = error.message;
    }
    button.disabled = false;
  }

  const observer = new ResizeObserver(draw);
  observer.observe(canvas.parentElement);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", draw);
  if (chosen !== null) node.value = chosen;
  open();
  return { close() { turn++; stop(); observer.disconnect(); dark.removeEventListener("change", draw); shown.close(); overTime.close(); for (const one of [asking, loading, following, measuring]) one?.abort(); followed = null; } };
}
