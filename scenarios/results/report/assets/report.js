"use strict";
// Puts the figures and movies of the page together from the JSON in the elements "data" and
// "movies".
(() => {
  const charts = JSON.parse(document.getElementById("data").textContent);
  const movies = JSON.parse(document.getElementById("movies").textContent) || [];
  const { Panel, element, share, nameEnds } = starlingChart;

  // A Movie shows the graphs of a network that changes, step by step. A graph is
  // put together from pieces, which several steps share.
  class Movie {
    constructor(figure) {
      const { pieces, frames } = movies[figure.dataset.movie];
      this.pieces = pieces;
      this.frames = frames;
      this.picture = element("div", { class: "frames" });
      this.slider = element("input", { type: "range", min: "0", max: String(frames.length - 1), value: "0", "aria-label": "step" });
      this.button = element("button", { type: "button", "aria-pressed": "false" }, "play");
      this.caption = element("figcaption", { "aria-live": "polite" });
      figure.append(this.picture, element("div", { class: "controls" }, this.button, this.slider), this.caption);
      this.slider.addEventListener("input", () => { this.stop(); this.show(); });
      this.button.addEventListener("click", () => (this.timer ? this.stop() : this.play()));
      this.show();
    }

    show() {
      const frame = this.frames[this.slider.value];
      this.picture.innerHTML = frame.pieces.map((i) => this.pieces[i]).join("");
      this.caption.replaceChildren(element("b", {}, frame.title + "."), " " + frame.text);
      this.slider.setAttribute("aria-valuetext", frame.title);
    }

    play() {
      this.button.textContent = "pause";
      this.button.setAttribute("aria-pressed", "true");
      this.timer = setInterval(() => {
        this.slider.value = String((Number(this.slider.value) + 1) % this.frames.length);
        this.show();
      }, 600);
    }

    stop() {
      clearInterval(this.timer);
      this.timer = undefined;
      this.button.textContent = "play";
      this.button.setAttribute("aria-pressed", "false");
    }
  }

  for (const figure of document.querySelectorAll("figure.movie")) new Movie(figure);
  // The panels, for whoever looks at the page with a console.
  window.reportPanels = [...document.querySelectorAll("figure.chart")].map((figure) =>
    new Panel(figure, figure.dataset.charts.split(" ").map((i) => charts[i])));
  for (const panel of window.reportPanels) nameEnds(panel);

  // named reports whether a lone curve, or each of several, has its name at its end, and nothing to be said of it.
  const named = (panel) => panel.entries.every((entry) => !entry.mark) && (panel.chart.series.length === 1 || panel.figure.querySelectorAll(".curve-ends span").length === panel.chart.series.length);
  const fold = (text, ...children) => element("details", { class: "again" }, element("summary", {}, text), ...children);
  const groups = new Map();
  for (const panel of window.reportPanels) {
    const { group } = panel.figure.dataset;
    if (group && panel.chart.keys) groups.set(group, [...(groups.get(group) || []), panel]);
  }
  for (const group of groups.values()) share(group);
  // Names stand once: where each curve has its name at its end, the legend, which switches curves, is folded, as that of a figure
  // with the curves of the one before it. The names are there when the charts are drawn.
  queueMicrotask(() => {
    let before = "";
    for (const group of groups.values()) {
      const names = JSON.stringify([...new Set(group.flatMap((panel) => panel.entries.map(({ name, color, dash, mark }) => JSON.stringify([name, color, dash, mark]))))]);
      const legend = group[0].figure.previousElementSibling;
      if (names === before) legend.replaceChildren(fold("Curves as in the figure before", ...legend.childNodes));
      else if (group.every(named)) legend.replaceChildren(fold("Show and hide curves", ...legend.childNodes));
      before = names;
    }
    for (const panel of window.reportPanels) {
      if (groups.has(panel.figure.dataset.group) || panel.choices.length > 1 || panel.chart.series.length === 1 || !named(panel)) continue;
      const place = fold("Show and hide curves");
      panel.legend.replaceWith(place);
      place.append(panel.legend);
    }
  });

  // together gives charts of one figure one label of y, one row of buttons, which act on all, and, where
  // it is the same, one caption.
  function together(group) {
    const [first, ...rest] = group, buttonsOf = (panel) => [...panel.controls.querySelectorAll("button")];
    const buttons = buttonsOf(first), others = rest.map(buttonsOf);
    buttons.forEach((button, i) => button.addEventListener("click", () => { for (const of of others) of[i].click(); }));
    for (const button of others.flat()) button.remove();
    for (const panel of rest) panel.axis.remove();
    const row = first.figure.parentElement;
    const title = row.querySelector("h4"), controls = element("div", { class: "controls" }, ...buttons);
    title.after(first.axis, controls);
    starlingSave.charts(controls, row, group, () => title.textContent);
    if (rest.some((panel) => panel.caption.textContent !== first.caption.textContent)) return;
    for (const panel of rest) panel.caption.remove();
    row.append(first.caption);
  }
  const figures = new Map();
  for (const panel of window.reportPanels) {
    const { group } = panel.figure.dataset;
    if (group) figures.set(group, [...(figures.get(group) || []), panel]);
  }
  for (const group of figures.values()) together(group);
  for (const panel of window.reportPanels) if (!panel.figure.dataset.group) starlingSave.charts(panel.controls, panel.figure, [panel], () => panel.chart.title);
  for (const figure of document.querySelectorAll(".pictures > figure")) starlingSave.picture(figure, figure.querySelector("figcaption")?.textContent || "finding");

  // A link to a part that is folded opens it, and paper has all parts.
  const unfold = () => { const part = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector(":scope > details.part"); if (part) part.open = true; };
  addEventListener("hashchange", unfold);
  unfold();
  // The letters of a picture are too small on a narrow screen.
  if (matchMedia("(max-width: 40rem)").matches) for (const table of document.querySelectorAll(".pictures + .stated > details")) table.open = true;
  let folded = [];
  addEventListener("beforeprint", () => { folded = [...document.querySelectorAll("main details:not([open], .again)")]; for (const one of folded) one.open = true; });
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; folded = []; });

  // Tables that are wider than their place say so.
  const measure = (box) => box.classList.toggle("scrolls", box.scrollWidth > box.clientWidth + 1);
  const widths = new ResizeObserver((entries) => { for (const { target } of entries) measure(target); });
  for (const box of document.querySelectorAll(".scroll")) widths.observe(box);

  // On paper a chart with the curves of the one before it has no legend of its own.
  const curves = (panel) => JSON.stringify(panel.entries.map(({ name, color, dash, mark }) => [name, color, dash, mark]));
  window.reportPanels.forEach((panel, i, all) => {
    if (i > 0 && !panel.figure.dataset.group && panel.figure.previousElementSibling === all[i - 1].figure && panel.choices.length === 1 && curves(panel) === curves(all[i - 1])) panel.figure.classList.add("as-before");
  });
})();
