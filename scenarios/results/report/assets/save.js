"use strict";
// Saves figures of the page as files: a chart as it is seen as PNG, its numbers as CSV, and a picture as SVG. It defines
// starlingSave.
const starlingSave = (() => {
  const { element } = starlingChart;
  // What stands in a figure and is no part of it: buttons, what is only heard, and what the cursor shows.
  const aside = ".controls, .tip, .unseen, .value, select, summary, [hidden], [aria-pressed=false]";
  const margin = 12;

  function file(blob, name) {
    const url = URL.createObjectURL(blob);
    element("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1e4);
  }

  // named is the name of a file: the title of the page and that of the figure, with a line for what names have no place for.
  const named = (title, ending) => [document.title, title].map((part) => part.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase()).filter(Boolean).join("-") + "." + ending;

  // words are the words of an element with their places on the page.
  function* words(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walker.nextNode()) {
      const node = walker.currentNode, holder = node.parentElement;
      if (holder.closest(aside)) continue;
      for (const { 0: text, index } of node.data.matchAll(/\S+/g)) {
        range.setStart(node, index);
        range.setEnd(node, index + text.length);
        const box = range.getBoundingClientRect(), raised = index === 0 && getComputedStyle(holder, "::first-letter").textTransform === "uppercase";
        if (box.width > 0) yield { text: raised ? text[0].toUpperCase() + text.slice(1) : text, box, holder };
      }
    }
  }

  // painted is a part of the page with charts as a canvas, in its colours.
  function painted(root) {
    const frame = root.getBoundingClientRect(), ratio = devicePixelRatio || 1, body = getComputedStyle(document.body);
    const made = element("canvas", { width: Math.ceil((frame.width + 2 * margin) * ratio), height: Math.ceil((frame.height + 2 * margin) * ratio) }), pen = made.getContext("2d");
    pen.fillStyle = body.backgroundColor;
    pen.fillRect(0, 0, made.width, made.height);
    pen.scale(ratio, ratio);
    pen.translate(margin - frame.left, margin - frame.top);
    for (const canvas of root.querySelectorAll("canvas")) {
      const box = canvas.getBoundingClientRect();
      pen.drawImage(canvas, box.left, box.top, box.width, box.height);
    }
    for (const line of root.querySelectorAll(".legend line")) {
      const box = line.ownerSVGElement.getBoundingClientRect();
      if (box.width === 0 || line.closest(aside)) continue;
      pen.strokeStyle = line.getAttribute("stroke");
      pen.lineWidth = line.getAttribute("stroke-width");
      pen.setLineDash((line.getAttribute("stroke-dasharray") || "").split(" ").filter(Boolean).map(Number));
      pen.beginPath();
      pen.moveTo(box.left, (box.top + box.bottom) / 2);
      pen.lineTo(box.right, (box.top + box.bottom) / 2);
      pen.stroke();
    }
    pen.textBaseline = "middle";
    for (const { text, box, holder } of words(root)) {
      const style = getComputedStyle(holder), { left, top, width, height } = holder.getBoundingClientRect();
      pen.save();
      pen.beginPath();
      if (style.overflow !== "visible") { pen.rect(left, top, width, height); pen.clip(); } // a long name is cut
      pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      pen.fillStyle = style.color;
      pen.fillText(text, box.left, (box.top + box.bottom) / 2);
      pen.restore();
    }
    return made;
  }

  // rows are the numbers of charts as CSV, a line for each point of a curve.
  function rows(panels) {
    const cell = (v) => (/[",\n]/.test(String(v ?? "")) ? `"${String(v).replace(/"/g, '""')}"` : String(v ?? ""));
    const lines = [["chart", "curve", panels[0].chart.xLabel, panels[0].chart.yLabel, "low", "high"]];
    for (const { chart, figure } of panels) {
      const title = figure.dataset.group ? figure.querySelector("figcaption").textContent : chart.title; // beside others a chart has its own title
      for (const line of chart.series) line.y.forEach((y, i) => { if (y != null) lines.push([title, line.name, chart.categories?.[chart.x[line.x][i]] ?? chart.x[line.x][i], y, line.low?.[i], line.high?.[i]]); });
    }
    return lines.map((line) => line.map(cell).join(",") + "\n").join("");
  }

  // vectors is a picture of the page as an SVG file, on white.
  function vectors(picture) {
    const [left, top, width, height] = picture.getAttribute("viewBox").split(" "), copy = picture.cloneNode(true);
    for (const [name, value] of [["xmlns", "http://www.w3.org/2000/svg"], ["width", width], ["height", height], ["font-family", getComputedStyle(picture).fontFamily]]) copy.setAttribute(name, value);
    copy.removeAttribute("class");
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x: left, y: top, width, height, fill: "#ffffff" })) ground.setAttribute(name, value);
    copy.prepend(ground);
    return new XMLSerializer().serializeToString(copy);
  }

  function button(place, text, act) {
    const made = element("button", { type: "button", "aria-label": "save as " + text }, text);
    made.addEventListener("click", act);
    place.append(made);
  }

  // charts adds buttons to a place for the charts of a figure in an element; title returns the title of the shown chart.
  function charts(place, root, panels, title) {
    const saves = element("span", { class: "saves" }, "save ");
    button(saves, "PNG", () => painted(root).toBlob((blob) => file(blob, named(title(), "png"))));
    button(saves, "CSV", () => file(new Blob([rows(panels)], { type: "text/csv" }), named(title(), "csv")));
    place.insertBefore(saves, place.querySelector(".at"));
  }

  // picture adds a button to a figure that is a picture.
  function picture(figure, title) {
    const place = element("div", { class: "controls" }, element("span", { class: "saves" }, "save "));
    button(place.firstChild, "SVG", () => file(new Blob([vectors(figure.querySelector("svg"))], { type: "image/svg+xml" }), named(title, "svg")));
    figure.append(place);
  }

  return { charts, picture, painted, rows, vectors };
})();
